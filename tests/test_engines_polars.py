"""Polars frames: the same values as pandas' to the last bit, in frames of Polars."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
from cases import quick
from engine_frames import Problem, problems, values_of, values_of_rows
from rank_magic.engines.polars import _as_pandas
from rank_magic.errors import ColumnError, DataError
from test_engines import run

pl = pytest.importorskip("polars")

FEW = settings(max_examples=max(settings().max_examples // 5, 10))


def shop() -> Any:
    return pl.DataFrame(
        {
            "query": ["b", "b", "a", "a"],
            "doc": ["x", "z", "x", "y"],
            "grade": [3, 0, 1, None],
            "score": [0.3, 0.3, 0.1, 0.2],
            "title": ["A chair", "A lamp", "A chair", "A bed"],
        }
    )


@given(problems(), st.booleans(), st.randoms(use_true_random=False))
@FEW
def test_values_are_those_of_pandas(problem: Problem, lazy: bool, random: Any) -> None:
    frame = pl.from_pandas(problem.frame)
    if random.random() < 0.5 and len(frame) > 1:  # several chunks
        frame = pl.concat([frame[:1], frame[1:]], rechunk=False)
    with quick(20):
        wanted = problem.in_memory()
        found = rm.evaluate(frame.lazy() if lazy else frame, problem.measures, **problem.options)
        ids = len(wanted.rankings.roles.query) + wanted.rankings.rows.several
        assert values_of_rows(found.per_query.rows(), ids) == values_of(wanted.per_query)
        queries = found.per_query.select(wanted.rankings.roles.query).unique(maintain_order=True)
        assert queries.equals(queries.sort(queries.columns))
        assert queries.schema == frame.select(queries.columns).schema
        pd.testing.assert_frame_equal(
            found.summary().to_pandas(),
            wanted.summary().reset_index(),
            check_exact=True,
            check_dtype=False,
        )


@pytest.mark.parametrize("kind", ["Int8", "UInt64", "Float32", "Categorical", "Enum", "Date"])
def test_query_ids_keep_their_type(kind: str) -> None:
    ids = pl.Series("query", [2, 2, 1, 1])
    if kind in ("Categorical", "Enum"):
        ids = ids.cast(pl.String).cast(pl.Enum(["1", "2"]) if kind == "Enum" else pl.Categorical)
    else:
        ids = ids.cast(getattr(pl, kind))
    found = shop().with_columns(ids).rank.rr()
    assert found.schema["query"] == ids.dtype
    assert found["RR"].to_list() == [0.5, 0.75]


def test_every_measure_is_a_method() -> None:
    frame = shop()
    assert frame.rank.ndcg(k=10).columns == ["query", "nDCG@10"]
    assert frame.rank.ndcg(k=10)["nDCG@10"].to_list() == pytest.approx([0.630930, 0.815465])
    assert frame.lazy().rank.mrr() == frame.rank.mrr() == 0.625
    assert frame.rank.using(ties="worst").rr()["RR"].to_list() == [0.5, 0.5]
    assert {"ndcg", "err", "evaluate"} <= set(dir(frame.rank))


def test_several_scores_give_a_column_each() -> None:
    frame = shop().with_columns(other=pl.Series([1, 2, 3, None]))
    found = frame.rank.rr(score=["score", "other"])
    assert found.columns == ["query", "score", "other"]
    assert found.rows() == [("a", 0.5, 1.0), ("b", 0.75, 0.5)]
    means = frame.rank.mrr(score=["score", "other"])
    assert means.rows() == [("score", 0.625), ("other", 0.75)]
    evaluation = frame.rank.evaluate("RR", score=["score", "other"])
    assert evaluation.per_query.columns == ["query", "system", "RR"]
    assert evaluation.mean().rows() == means.rows()


def test_tables_are_polars_frames() -> None:
    evaluation = shop().rank.evaluate(["RR", "AP"])
    assert evaluation.mean().rows() == [(0.625, 0.625)]
    assert evaluation.summary().columns == ["measure", "mean", "low", "high", "queries"]
    facts = dict(evaluation.coverage.rows())
    assert facts["queries"] == 2
    assert facts["Judged"] == 0.75
    assert evaluation.sensitivity["worst"].to_list() == [0.5, 0.5]
    assert "RR" in repr(evaluation)
    assert "RR" in evaluation._repr_html_()
    assert evaluation.shown(decimals=1).to_markdown()  # what is not a table is as in pandas


def test_an_explanation_shows_all_columns() -> None:
    assert "A lamp" in repr(shop().rank.evaluate("RR").explain("b"))
    doubled = shop().with_columns(system=pl.lit("one"))  # rows are pooled
    assert "A lamp" in repr(doubled.rank.evaluate("RR").explain("b"))


def test_numbers_are_not_copied() -> None:
    frame = pl.DataFrame({"query": np.arange(1000), "grade": np.ones(1000), "score": np.ones(1000)})
    shared = _as_pandas(frame)
    for name in frame.columns:
        assert np.shares_memory(shared[name].to_numpy(), frame[name].to_numpy())


def test_large_whole_scores_with_gaps_stay_apart() -> None:
    scores = [2**53, 2**53 + 1, None]
    frame = pl.DataFrame({"query": [1, 1, 1], "grade": [0, 1, 0], "score": scores})
    assert frame.rank.rr()["RR"].to_list() == [1.0]


def test_mistakes_are_told_as_ever() -> None:
    with pytest.raises(ColumnError, match="No column for the grade"):
        shop().drop("grade").rank.rr()
    with pytest.raises(DataError, match="no rows"):
        shop()[:0].rank.rr()
    with pytest.raises(DataError, match="4 rows repeat a document"):
        pl.concat([shop(), shop()]).rank.rr()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = shop().rank.nothing


def test_the_frame_is_never_changed() -> None:
    frame, before = shop(), shop()
    frame.rank.evaluate().summary()
    assert frame.equals(before)


@pytest.mark.parametrize("order", ["rank_magic, polars", "polars, rank_magic"])
def test_either_may_be_imported_first(order: str) -> None:
    run(
        f"import {order}\n"
        "frame = polars.DataFrame({'query': ['a'], 'grade': [1], 'score': [1]})\n"
        "assert frame.rank.mrr() == frame.lazy().rank.mrr() == 1\n"
        "import importlib; importlib.reload(rank_magic)\n"
        "assert 'exec_module' not in vars(polars.__loader__)"
    )
