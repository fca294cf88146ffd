"""Judgments that stand apart: `qrels=` in evaluate, on the accessor and in the magics."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import rank_magic as rm
from rank_magic.errors import ColumnError, DataError

MEASURES = ["nDCG@3", "RR", "R@2"]
RUN = {"q1": {"a": 0.9, "b": 0.8, "c": 0.1}, "q2": {"a": 2.0, "d": 3.0}}
OTHER = {"q1": {"b": 5.0, "e": 4.0}, "q2": {"a": 1.0}}
QRELS = {"q1": {"b": 2, "e": 1}, "q2": {"d": 0, "a": 1}, "q3": {"z": 1}}


def frame_of(numbers: dict[str, dict[str, float]], name: str) -> pd.DataFrame:
    rows = [(q, d, n) for q, inner in numbers.items() for d, n in inner.items()]
    return pd.DataFrame(rows, columns=["query", "doc", name])


RUN_FRAME, QRELS_FRAME = frame_of(RUN, "score"), frame_of(QRELS, "grade")


@pytest.fixture
def right() -> pd.DataFrame:
    """The values of the run, from the outer join that pandas makes."""
    joined = RUN_FRAME.merge(QRELS_FRAME, on=["query", "doc"], how="outer")
    return rm.evaluate(joined, MEASURES).per_query


@pytest.mark.parametrize("run", [RUN, RUN_FRAME], ids=["dict", "frame"])
@pytest.mark.parametrize("qrels", [QRELS, QRELS_FRAME], ids=["dict", "frame"])
def test_frames_and_dicts_give_what_a_join_gives(run: Any, qrels: Any, right: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(rm.evaluate(run, MEASURES, qrels=qrels).per_query, right)


def test_judged_queries_without_results_count(right: pd.DataFrame) -> None:
    assert right.loc["q3"].tolist() == [0.0, 0.0, 0.0]


def test_the_accessor_takes_them_too(right: pd.DataFrame) -> None:
    found = RUN_FRAME.rank.ndcg(k=3, qrels=QRELS)
    assert found.tolist() == right["nDCG@3"].tolist()
    using = RUN_FRAME.rank.using(qrels=QRELS_FRAME)
    assert using.mrr() == right["RR"].mean()
    grouped = RUN_FRAME.groupby("query").rank.evaluate(MEASURES, qrels=QRELS)
    pd.testing.assert_frame_equal(grouped.per_query, right)


@pytest.mark.oracle
def test_dicts_give_what_pytrec_eval_gives() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(0)
    docs = [f"d{number}" for number in range(30)]
    run = {
        f"q{q}": {doc: float(rng.integers(0, 1000)) / 8 for doc in rng.choice(docs, 20, replace=False)}
        for q in range(20)
    }  # fmt: skip
    qrels = {
        f"q{q}": {doc: int(rng.integers(0, 4)) for doc in rng.choice(docs, 15, replace=False)}
        for q in range(20)
    }  # fmt: skip
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut.10"}).evaluate(run)
    ours = rm.evaluate(run, ["map", "ndcg_cut_10"], qrels=qrels, ties="trec").per_query
    for query, values in theirs.items():
        assert ours.loc[query].tolist() == pytest.approx([values["map"], values["ndcg_cut_10"]])


def test_several_systems_by_name_are_measured_as_each_alone() -> None:
    runs: list[Any] = [{"b": RUN, "a": OTHER}]
    runs.append({"b": RUN_FRAME, "a": frame_of(OTHER, "score").rename(columns={"doc": "doc_id"})})
    for both in runs:
        evaluation = rm.evaluate(both, MEASURES, qrels=QRELS)
        assert evaluation.systems == ("b", "a")
        for name, run in (("b", RUN), ("a", OTHER)):
            alone = rm.evaluate(run, MEASURES, qrels=QRELS).per_query
            pd.testing.assert_frame_equal(evaluation.per_query[name], alone)


def test_ranked_lists_and_rows_in_ranked_order() -> None:
    lists = {"q1": ["a", "b", "c"], "q2": ["d", "a"]}
    relevant = {"q1": ["b", "e"], "q2": {"a"}}
    found = rm.evaluate(lists, ["RR", "R@2"], qrels=relevant).per_query
    assert found.to_numpy().tolist() == [[0.5, 0.5], [0.5, 1.0]]
    rows = RUN_FRAME[["query", "doc"]].iloc[[0, 1, 2, 4, 3]]
    found = rm.evaluate(rows, ["RR", "R@2"], qrels=relevant, order="rows").per_query
    assert found.to_numpy().tolist() == [[0.5, 0.5], [0.5, 1.0]]


def test_columns_may_be_named() -> None:
    run = RUN_FRAME.rename(columns={"query": "text", "doc": "sku", "score": "bm25"})
    qrels = QRELS_FRAME.rename(columns={"query": "text", "doc": "sku", "grade": "stars"})
    found = rm.evaluate(
        run, "RR", qrels=qrels, query="text", doc="sku", grade="stars", score="bm25"
    )
    assert found.per_query["RR"].to_dict() == {"q1": 0.5, "q2": 0.5, "q3": 0.0}


def test_the_frames_are_not_changed() -> None:
    run, qrels = RUN_FRAME.copy(), QRELS_FRAME.copy()
    rm.evaluate(run, "RR", qrels=qrels)
    pd.testing.assert_frame_equal(run, RUN_FRAME)
    pd.testing.assert_frame_equal(qrels, QRELS_FRAME)


def test_a_run_without_judgments_says_how_to_give_them() -> None:
    for run in (RUN, RUN_FRAME):
        with pytest.raises(ColumnError, match=r"No column for the grade.*qrels=judgments"):
            rm.evaluate(run, "RR")


def test_ids_of_other_types_are_an_error_not_zeros() -> None:
    numbered = {7: {1: 0.5}}
    with pytest.raises(DataError):
        rm.evaluate(numbered, "RR", qrels={"7": {"1": 1}})


# In the notebook.


@pytest.fixture
def shell() -> Iterator[Any]:
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "rank_magic")
    shell.user_ns |= {"run": RUN_FRAME, "judged": QRELS_FRAME, "both": {"b": RUN, "a": OTHER}}
    shell.user_ns["tables"] = {"qrels": QRELS}
    yield shell
    shell.run_line_magic("unload_ext", "rank_magic")
    InteractiveShell.clear_instance()


@pytest.mark.parametrize("words", ["run {} --qrels judged", "run {} --qrels tables['qrels']"])
def test_the_line_names_the_judgments(shell: Any, words: str, right: pd.DataFrame) -> None:
    found = shell.run_line_magic("rankeval", words.format("ndcg@3 rr r@2"))
    pd.testing.assert_frame_equal(found.per_query, right)


def test_the_line_takes_several_runs_by_name(shell: Any) -> None:
    found = shell.run_line_magic("rankeval", "both rr --qrels judged")
    assert found.systems == ("b", "a")
    found = shell.run_cell_magic("rankeval", "rr --qrels judged", "run[run['query'] == 'q1']")
    assert found.per_query["RR"].to_dict() == {"q1": 0.5, "q2": 0.0, "q3": 0.0}


def test_what_is_not_there_is_a_usage_error_and_frames_are_completed(shell: Any) -> None:
    with pytest.raises(UsageError, match=r"nothing called 'judge'.*judged"):
        shell.run_line_magic("rankeval", "run rr --qrels judge")
    line = "%rankeval run rr --qrels ju"
    with provisionalcompleter():
        texts = [one.text for one in shell.Completer.completions(line, len(line))]
    assert texts == ["judged"]
