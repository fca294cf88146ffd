"""Dask frames: the same values as pandas' to the last bit, however rows are partitioned."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
from cases import quick
from engine_frames import IDS, Problem, check_summary, partitions, problems, values_of
from rank_magic.errors import DataError
from test_engines import run

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")

FEW = settings(max_examples=max(settings().max_examples // 10, 10))
HERE = {"scheduler": "synchronous"}


def partitioned(frame: pd.DataFrame, parts: list[slice]) -> Any:
    pieces = [dask.delayed(frame.iloc[part]) for part in parts]
    return dd.from_delayed(pieces, meta=frame.iloc[:0], verify_meta=False)


def shop(queries: int = 40, rows: int = 5) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"query": np.repeat(np.arange(queries), rows)})
    frame["doc"] = rng.permutation(len(frame))
    frame["grade"] = rng.choice([np.nan, 0, 1, 2], len(frame))
    frame["score"] = rng.random(len(frame))
    return frame


def shuffles(lazy: Any) -> bool:
    return any("shuffle" in str(key) for key in lazy.__dask_graph__())


@given(problems(ids=list(IDS)), st.randoms(use_true_random=False))
@FEW
def test_values_are_those_of_pandas(problem: Problem, random: Any) -> None:
    with quick(20), dask.config.set(HERE):
        wanted = problem.in_memory()
        parts = partitions(len(problem.frame), random)
        frame = partitioned(problem.frame, parts)
        found = rm.evaluate(frame, problem.measures, **problem.options)
        assert values_of(found.per_query.compute()) == values_of(wanted.per_query)
        check_summary(found.summary(), wanted.summary())
        pd.testing.assert_frame_equal(found.coverage, wanted.coverage)
        together = found.compute()
        assert together.queries.tolist() == wanted.queries.tolist()
        pd.testing.assert_frame_equal(together.summary(), wanted.summary(), check_exact=True)


def test_one_giant_query_is_never_split() -> None:
    frame = shop(1, 500)
    lazy = partitioned(frame, [slice(at, at + 50) for at in range(0, 500, 50)])
    assert values_of(lazy.rank.evaluate(["nDCG", "AP"]).per_query.compute(**HERE)) == values_of(
        rm.evaluate(frame, ["nDCG", "AP"]).per_query
    )


# What is shuffled, and when.


def test_known_divisions_of_the_query_need_no_shuffle() -> None:
    frame = shop()
    wanted = values_of(rm.evaluate(frame, "nDCG").per_query)
    torn = dd.from_pandas(frame.sample(frac=1, random_state=0), npartitions=4, sort=False)
    divided = dd.from_pandas(frame.set_index("query"), npartitions=4)
    assert shuffles(torn.rank.evaluate("nDCG").per_query)
    for lazy in (divided, divided.rename_axis(index="qid")):
        found = lazy.rank.evaluate("nDCG").per_query
        assert not shuffles(found)
        assert values_of(found.compute(**HERE)) == wanted
        assert found.npartitions == 4
    unknown = divided.clear_divisions().rank.evaluate("nDCG").per_query
    assert values_of(unknown.compute(**HERE)) == wanted
    other = dd.from_pandas(frame.set_index("doc").sort_index(), npartitions=4)
    assert shuffles(other.rank.evaluate("nDCG").per_query)  # divided by something else


def test_sorted_rows_whose_queries_straddle_need_no_shuffle_either() -> None:
    frame = shop(6, 50)
    parts = [slice(at, at + 20) for at in range(0, 300, 20)]  # a query spans three partitions
    lazy = partitioned(frame, parts).set_index("query", sorted=True)
    found = lazy.rank.evaluate("nDCG").per_query
    assert not shuffles(found)
    assert values_of(found.compute(**HERE)) == values_of(rm.evaluate(frame, "nDCG").per_query)


@pytest.mark.parametrize("negative", ["unjudged", "nonrelevant"])
def test_partitions_that_lack_the_ends_of_the_scale_are_measured_by_it(negative: str) -> None:
    frame = shop(40, 5).assign(grade=lambda rows: rows["query"] // 10 + rows["doc"] % 2 - 1.0)
    frame["grade"] = frame["grade"].where(frame["query"] < 30, 4.0)  # -1 to 2, and 4 at the end
    measures = ["ERR@10", "nDCG", "AP", "SDCG@3"]
    wanted = rm.evaluate(frame, measures, negative=negative)
    lazy = dd.from_pandas(frame.set_index("query"), npartitions=4)
    with dask.config.set(HERE):
        found = lazy.rank.evaluate(measures, negative=negative)
        check_summary(found.summary(), wanted.summary())
        pd.testing.assert_frame_equal(found.coverage, wanted.coverage)
        assert values_of(found.per_query.compute()) == values_of(wanted.per_query)
        check_summary(found.persist().summary(), wanted.summary())


def test_divisions_that_lie_are_an_error() -> None:
    frame = shop().set_index("query")
    halves = [dask.delayed(half) for half in (frame.iloc[:102], frame.iloc[102:])]
    lying = dd.from_delayed(halves, meta=frame.iloc[:0], divisions=(0, 20, 39), verify_meta=False)
    with pytest.raises(DataError, match=r"divisions of the frame are wrong.*holds 20"):
        lying.rank.evaluate("RR").per_query.compute(**HERE)


def test_nothing_is_computed_before_it_is_asked_for() -> None:
    asked: list[int] = []

    def rows(number: int) -> pd.DataFrame:
        asked.append(number)
        return shop()

    lazy = dd.from_delayed([dask.delayed(rows)(0)], meta=shop().iloc[:0], verify_meta=False)
    evaluation = lazy.rank.evaluate("RR")
    _ = evaluation.per_query, lazy.rank.rr(), lazy.rank.mrr()
    assert "not computed yet" in repr(evaluation)
    assert not asked
    with dask.config.set(HERE):
        evaluation.summary()
        number = len(asked)
        _ = evaluation.summary(), evaluation.mean(), evaluation.coverage
        assert len(asked) == number  # kept
        assert "RR" in repr(evaluation)


# The accessor.


def test_every_measure_is_a_method() -> None:
    frame = shop()
    lazy = dd.from_pandas(frame, npartitions=3)
    with dask.config.set(HERE):
        found = lazy.rank.ndcg(k=10)
        assert isinstance(found, dd.Series)
        pd.testing.assert_series_equal(found.compute().sort_index(), frame.rank.ndcg(k=10))
        assert lazy.rank.mrr().compute() == frame.rank.mrr()
        frame["other"] = frame["doc"]
        lazy = dd.from_pandas(frame, npartitions=3)
        found = lazy.rank.rr(score=["score", "other"]).compute().sort_index()
        pd.testing.assert_frame_equal(found, frame.rank.rr(score=["score", "other"]))
        means = lazy.rank.mrr(score=["score", "other"]).compute()
        assert means.tolist() == frame.rank.mrr(score=["score", "other"]).tolist()


def test_kept_values_are_computed_once() -> None:
    with dask.config.set(HERE):
        kept = dd.from_pandas(shop(), npartitions=3).rank.evaluate("RR").persist()
        assert values_of(kept.per_query.compute()) == values_of(rm.evaluate(shop(), "RR").per_query)


def test_ids_that_are_hashed_apart_are_brought_together_or_refused() -> None:
    rows = {"grade": [1.0, 0.0], "score": [1.0, 2.0]}
    meta = pd.DataFrame({"query": [0.0], "grade": [0.0], "score": [0.0]}).iloc[:0]
    parts = [pd.DataFrame({"query": [zero] * 2, **rows}) for zero in (0.0, -0.0, 0)]
    lazy = dd.from_delayed([dask.delayed(part) for part in parts], meta=meta, verify_meta=False)
    assert len(lazy.rank.rr().compute(**HERE)) == 1
    mixed = pd.DataFrame({"query": pd.Series([1, 1.0], dtype=object), **rows})
    with dask.config.set({"dataframe.convert-string": False, **HERE}):
        lazy = dd.concat([dd.from_pandas(mixed, npartitions=1)] * 2)
        with pytest.raises(DataError, match="Convert them"):
            lazy.rank.rr().compute()


def test_mistakes_are_told() -> None:
    with dask.config.set(HERE):
        nothing = partitioned(shop(), [slice(0, 0), slice(0, 0)])
        with pytest.raises(DataError, match="no grade at all"):
            nothing.rank.evaluate("RR").summary()
        twice = dd.concat([dd.from_pandas(shop(), npartitions=2)] * 2)
        with pytest.raises(DataError, match="rows repeat a document"):
            twice.rank.evaluate("RR").summary()
        unjudged = dd.from_pandas(shop().assign(grade=np.nan), npartitions=2)
        with pytest.raises(DataError, match="no grade at all"):
            unjudged.rank.mrr().compute()


@pytest.mark.parametrize("order", ["rank_magic, dask.dataframe", "dask.dataframe, rank_magic"])
def test_either_may_be_imported_first(order: str) -> None:
    run(
        f"import {order}, pandas\n"
        "frame = pandas.DataFrame({'query': ['a'], 'grade': [1], 'score': [1]})\n"
        "lazy = dask.dataframe.from_pandas(frame, npartitions=1)\n"
        "assert lazy.rank.mrr().compute(scheduler='synchronous') == 1"
    )


# Workers.


def slowly(rows: pd.DataFrame) -> pd.DataFrame:
    time.sleep(0.05)
    return rows


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore:.*:UserWarning")
def test_a_killed_worker_loses_nothing_and_changes_nothing() -> None:
    distributed = pytest.importorskip("distributed")
    from rank_magic import gains

    frame = shop(400, 10)
    rm.register_gain("house", {0: 0, 1: 1, 2: 5})
    try:
        measures = ["nDCG(gain=house)", "ERR", "AP"]
        wanted = rm.evaluate(frame, measures)
        with (
            dask.config.set({"distributed.comm.timeouts.connect": "60s"}),
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            torn = frame.sample(frac=1, random_state=0)
            lazy = dd.from_pandas(torn, npartitions=30, sort=False).map_partitions(slowly)
            evaluation = lazy.rank.evaluate(measures)
            victim = next(iter(client.run(os.getpid).values()))
            running = client.compute([evaluation.lazy_facts, evaluation.per_query])
            time.sleep(0.7)
            assert not running[0].done()
            os.kill(victim, signal.SIGKILL)
            facts, table = client.gather(running)
            assert victim not in client.run(os.getpid).values()
    finally:
        gains.GAINS.pop("house")
    assert values_of(table) == values_of(wanted.per_query)
    pd.testing.assert_frame_equal(facts.coverage(), wanted.coverage)
    means = [row[0] for row in facts.summary(wanted.measures)]
    assert means == wanted.mean().tolist()
