"""Conventions one by one, and what an evaluation returns."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rank_magic as rm
from rank_magic.errors import DataError

REPORTS = {
    entry["report"]: entry
    for entry in json.loads((Path(__file__).parent / "data" / "reports.json").read_text())
}
ALL = ["RR", "AP", "ERR", "DCG", "nDCG@10", "P@5", "R@5", "Success@5"]
LOG3 = math.log2(3)


def ranking(
    grades: Sequence[float | None], query: Any = "q", missed: Sequence[float] = ()
) -> pd.DataFrame:
    """Return a ranking of these grades, best first, and judged documents that it misses."""
    shown = len(grades)
    return pd.DataFrame(
        {
            "query": [query] * (shown + len(missed)),
            "doc": [f"d{place:03}" for place in range(shown + len(missed))],
            "grade": np.array([*grades, *missed], dtype=float),
            "score": [*np.arange(shown, 0, -1.0), *[np.nan] * len(missed)],
        }
    )


def value(frame: pd.DataFrame, measure: Any, query: Any = "q", **options: Any) -> float:
    return float(rm.evaluate(frame, measure, **options).per_query.loc[query].item())


@pytest.fixture
def mixed() -> pd.DataFrame:
    """A good query, an unanswered one, one with nothing to find, and one that nobody judged."""
    parts = [
        ranking([2, 0, 1], "answered"),
        ranking([], "silent", missed=[1, 0]),
        ranking([0, 0], "hopeless"),
        ranking([None, None], "unknown"),
    ]
    return pd.concat(parts, ignore_index=True)


# Queries.


def test_unanswered_queries_score_zero_and_count_in_every_measure(mixed: pd.DataFrame) -> None:
    evaluation = rm.evaluate(mixed, [*ALL, "Judged@5"])
    assert evaluation.per_query.loc["silent", ALL].tolist() == [0.0] * len(ALL)
    assert math.isnan(evaluation.per_query.loc["silent", "Judged@5"])
    assert evaluation.summary()["queries"].tolist() == [3] * len(ALL) + [2]
    assert evaluation.mean()["RR"] == 1 / 3


def test_unanswered_queries_may_be_left_out(mixed: pd.DataFrame) -> None:
    evaluation = rm.evaluate(mixed, ALL, unanswered="skip")
    assert evaluation.per_query.loc["silent"].isna().all()
    assert evaluation.summary()["queries"].tolist() == [2] * len(ALL)
    assert evaluation.mean()["RR"] == 0.5


NONE = math.nan


@pytest.mark.parametrize(
    ("choice", "hopeless", "mean", "queries"),
    [("zero", 0, 1 / 3, 3), ("one", 1, 2 / 3, 3), ("skip", NONE, 1 / 2, 2), ("nan", NONE, NONE, 2)],
)
def test_queries_without_a_relevant_document(
    mixed: pd.DataFrame, choice: str, hopeless: float, mean: float, queries: int
) -> None:
    evaluation = rm.evaluate(mixed, ["RR", "nDCG", "ERR", "P@1", "Judged"], no_relevant=choice)
    assert evaluation.per_query.loc["hopeless"].tolist()[:4] == pytest.approx(
        [hopeless] * 4, nan_ok=True
    )
    assert evaluation.per_query.loc["hopeless", "Judged"] == 1.0
    assert evaluation.mean()["RR"] == pytest.approx(mean, nan_ok=True)
    assert evaluation.summary()["queries"].tolist()[:4] == [queries] * 4
    assert evaluation.mean()["Judged"] == 1.0


def test_what_is_relevant_decides_which_queries_have_nothing_to_find(mixed: pd.DataFrame) -> None:
    evaluation = rm.evaluate(mixed, ["RR", "RR(rel=2)", "nDCG"], no_relevant="skip")
    assert evaluation.summary()["queries"].tolist() == [2, 1, 2]


def test_queries_without_any_judgment_have_no_value_and_are_counted(mixed: pd.DataFrame) -> None:
    for options in ({}, {"no_relevant": "one"}, {"unjudged": "remove"}, {"ties": "best"}):
        evaluation = rm.evaluate(mixed, [*ALL, "Judged@5"], **options)
        assert evaluation.per_query.loc["unknown"].isna().all()
        facts = evaluation.coverage["score"]
        assert facts["queries"] == 4
        assert facts["queries judged"] == 3
        assert facts["queries without any judgment"] == 1
    assert "1 query without any judgment" in " ".join(repr(rm.evaluate(mixed, "RR")).split())


def test_a_query_of_negative_grades_alone_scores_zero() -> None:
    frame = pd.concat([ranking([1], "good"), ranking([-1, -2], "bad")])
    evaluation = rm.evaluate(frame, ["RR", "nDCG", "ERR", "AP"])
    assert evaluation.per_query.loc["bad"].tolist() == [0.0] * 4
    assert rm.evaluate(ranking([-1, -2]), ALL).mean().tolist() == [0.0] * len(ALL)


# Documents.


def test_unjudged_documents_count_as_grade_zero() -> None:
    holes, filled = ranking([None, 2, None, 1, 0]), ranking([0, 2, 0, 1, 0])
    for measure in ALL:
        assert value(holes, measure) == value(filled, measure)


def test_unjudged_documents_are_worth_what_a_grade_of_zero_is_worth() -> None:
    holes, filled = ranking([None, 2, None, 1, 0]), ranking([0, 2, 0, 1, 0])
    assert value(holes, "DCG", gain={0: 1, 1: 2, 2: 5}) == value(
        filled, "DCG", gain={0: 1, 1: 2, 2: 5}
    )


def test_unjudged_documents_may_be_removed() -> None:
    holes, condensed = ranking([None, 2, None, 1, -1, 0]), ranking([2, 1, 0])
    for measure in [*ALL, "P", "Judged"]:
        assert value(holes, measure, unjudged="remove") == value(condensed, measure)


def test_unjudged_documents_may_be_refused_where_they_are_shown() -> None:
    assert value(ranking([0, 1], missed=[2]), "RR", unjudged="raise") == 0.5
    frame = pd.concat([ranking([0, 1], "fine"), ranking([1, None], "holed")])
    with pytest.raises(DataError, match=r"'holed'.*unjudged='zero' or unjudged='remove'"):
        rm.evaluate(frame, "RR", unjudged="raise")
    unseen = frame.assign(score=frame["score"].where(frame["grade"].notna()))
    assert value(unseen, "RR", "holed", unjudged="raise") == 1.0


def test_negative_grades_are_pooled_not_judged() -> None:
    frame = ranking([-1, 2, -2, 1], missed=[-1])
    assert value(frame, "Judged") == 0.5
    assert value(frame, "RR") == 0.5
    assert value(frame, "nDCG") == value(ranking([0, 2, 0, 1]), "nDCG")
    assert value(frame, "P", unjudged="remove") == 1.0
    assert rm.evaluate(frame, "RR").coverage.loc["documents judged"].tolist() == [2]


def test_negative_grades_may_be_judged_junk() -> None:
    frame = ranking([-1, 2, -2, 1], missed=[-1])
    assert value(frame, "Judged", negative="nonrelevant") == 1.0
    assert value(frame, "P", unjudged="remove", negative="nonrelevant") == 0.5
    for measure in ALL:
        assert value(frame, measure, negative="nonrelevant") == value(frame, measure)


def test_fractional_grades_are_kept_exactly() -> None:
    frame = ranking([0.1, 2.7], missed=[1.3])
    assert value(frame, "DCG(gain=linear)") == pytest.approx(0.1 + 2.7 / LOG3, rel=1e-15)
    assert value(frame, "DCG") == pytest.approx(2**0.1 - 1 + (2**2.7 - 1) / LOG3, rel=1e-15)
    assert value(frame, "RR(rel=2.7)") == 0.5


def test_nan_scores_are_not_retrieved_and_infinite_ones_ordered_as_such() -> None:
    frame = pd.DataFrame(
        {
            "query": "q",
            "doc": list("abcde"),
            "grade": [1, 0, 2, 3, 0],
            "score": [-math.inf, 5.0, math.inf, math.nan, -1e308],
        }
    )
    explained = rm.evaluate(frame, ["RR(rel=3)", "R", "AP"]).explain()
    assert explained.ranking["doc"].tolist() == ["c", "b", "e", "a"]
    assert explained.values["RR(rel=3)"] == 0
    assert explained.values["R"] == 2 / 3
    ends = frame.assign(score=[-math.inf, -math.inf, math.inf, math.nan, math.inf])
    assert value(ends, "P(rel=2)@1") == 0.5
    assert rm.evaluate(ends, "RR").coverage.loc["documents retrieved"].tolist() == [4]


def test_only_minus_infinity_is_still_retrieved() -> None:
    frame = pd.DataFrame({"query": "q", "grade": [3, 1, 0], "score": [None, -math.inf, -math.inf]})
    assert value(frame, "R") == 0.5
    assert value(frame, "P@1") == 0.5
    assert value(frame, "P@2", unjudged="remove") == 0.5


def test_depth_looks_at_the_first_results_only() -> None:
    frame = ranking([0, 1, 1, 1, 1])
    assert value(frame, "P", depth=2) == 0.5
    assert value(frame, "R", depth=2) == 0.25
    assert value(frame, "AP", depth=2) == 0.125
    assert value(frame, "P@4", depth=2) == 0.25
    assert value(frame, "RR", depth=1) == 0.0
    assert value(frame, "R", depth=100) == 1.0
    assert rm.evaluate(frame, "P", depth=2).coverage.loc["documents retrieved"].tolist() == [2]


def test_depth_does_not_shorten_the_ideal() -> None:
    assert value(ranking([2, 1]), "nDCG", depth=1) == 3 / (3 + 1 / LOG3)
    assert value(ranking([2, 1]), "nDCG@1", depth=1) == 1.0


# Repeated documents.


def repeated(name: str) -> pd.DataFrame:
    """Return the ranking of a report with a row for each time a document is shown."""
    report = REPORTS[name]
    docs, judged = report["ranking"], report["judged"]
    rows = [("q", doc, judged.get(doc), -float(place)) for place, doc in enumerate(docs)]
    rows += [("q", doc, grade, None) for doc, grade in judged.items() if doc not in docs]
    return pd.DataFrame(rows, columns=["query", "doc", "grade", "score"])


@pytest.mark.parametrize("name", ["garrytan/gbrain#4630", "future-agi/future-agi#1613"])
@pytest.mark.parametrize("choice", ["first", "best"])
def test_repeated_documents_are_an_error_or_count_once(name: str, choice: str) -> None:
    frame = repeated(name)
    right = REPORTS[name]["values_if_first_kept"]
    with pytest.raises(DataError, match=r"repeats? a document"):
        rm.evaluate(frame, list(right))
    found = rm.evaluate(frame, list(right), duplicates=choice).per_query.loc["q"]
    assert found.to_dict() == pytest.approx(right, rel=1e-15)


def test_of_a_repeated_document_the_first_row_or_the_best_ranked_one_is_kept() -> None:
    frame = pd.DataFrame(
        {"query": "q", "doc": ["x", "y", "x"], "grade": [1, 0, 1], "score": [1.0, 2.0, 3.0]}
    )
    assert value(frame, "RR", duplicates="first") == 0.5
    assert value(frame, "RR", duplicates="best") == 1.0
    by_rank = frame.drop(columns="score").assign(rank=[3, 2, 1])
    assert value(by_rank, "RR", duplicates="first") == 0.5
    assert value(by_rank, "RR", duplicates="best") == 1.0
    unscored = frame.assign(score=[None, 2.0, 3.0])
    assert value(unscored, "RR", duplicates="first") == 1.0


# What measures inherit.


def test_rel_and_max_grade_are_defaults_that_a_measures_own_parameter_beats() -> None:
    frame = ranking([1, 3, 2])
    assert value(frame, "RR", rel=2) == 0.5
    assert value(frame, "RR(rel=1)", rel=2) == 1.0
    assert value(frame, "ERR", max_grade=4) == value(frame, "ERR(max_grade=4)")
    assert value(frame, "ERR(max_grade=3)", max_grade=4) == value(frame, "ERR")
    evaluation = rm.evaluate(frame, ["RR", "ERR@5"], rel=2, max_grade=4)
    assert evaluation.names == ["RR", "ERR@5"]
    assert evaluation.conventions.rel == 2


def test_errs_top_grade_is_the_highest_in_the_whole_frame_and_printed() -> None:
    frame = pd.concat([ranking([1], "low"), ranking([3], "high")])
    evaluation = rm.evaluate(frame, "ERR")
    assert evaluation.per_query["ERR"].tolist() == [7 / 8, 1 / 8]
    assert "top grade 3" in " ".join(repr(evaluation).split())
    assert "top grade 4" in " ".join(repr(rm.evaluate(frame, "ERR", max_grade=4)).split())


# Reports.


def test_the_ideal_comes_from_every_judged_document() -> None:
    report = REPORTS["recommenders-team/recommenders#1749"]
    shown, judged = report["grades_retrieved"], list(report["grades_judged"])
    for grade in shown:
        judged.remove(grade)
    for measure, right in report["values"].items():
        assert value(ranking(shown, missed=judged), measure) == pytest.approx(right, rel=1e-14)
    report = REPORTS["spiceai/spiceai#12277"]
    for measure, right in report["values"].items():
        assert value(ranking([1], missed=[1]), measure) == pytest.approx(right, rel=1e-15)


def test_one_relevant_document_by_rank() -> None:
    right = list(REPORTS["OpenAgentHQ/openagent-eval#223"]["values"].values())
    found = [value(ranking([0] * above + [1]), "nDCG@10") for above in range(3)]
    assert found == pytest.approx(right, rel=1e-15)


def test_average_precision_of_a_perfect_but_short_top() -> None:
    for measure, right in REPORTS["joaopalotti/trectools#36"]["values"].items():
        assert value(ranking([1] * 10), measure) == pytest.approx(right, rel=1e-15)


def test_two_tied_relevant_documents_are_perfect() -> None:
    assert value(ranking([1, 1]).assign(score=1.0), "nDCG") == 1.0


def test_a_grade_of_a_million_is_answered_at_once() -> None:
    frame = ranking([0, 1_000_000, 1])
    assert value(frame, "RR") == 0.5
    assert value(frame, "nDCG", gain="linear") == pytest.approx(1 / LOG3, rel=1e-5)
    assert value(frame, "ERR") == pytest.approx(0.5)


def test_ids_are_opaque() -> None:
    parts = [ranking([1], "economics-8"), ranking([0], "history-8"), ranking([1, 0], "q01")]
    values = rm.evaluate(pd.concat(parts), "ERR@10").per_query["ERR@10"]
    assert values.to_dict() == {"economics-8": 0.5, "history-8": 0.0, "q01": 0.5}


# What comes back.


TEXT = ["str", "object", "string[pyarrow]", "category"]


@pytest.mark.parametrize("kind", [*TEXT, "int64", "uint8", "Int64", "datetime64[ns]", "float64"])
def test_per_query_is_sorted_and_keeps_the_type_of_ids(kind: str) -> None:
    text = kind in TEXT
    ids = pd.Series([f"q{n}" for n in (10, 9, 2)] if text else [10, 9, 2]).astype(kind)
    frame = pd.DataFrame({"query": ids, "grade": [1, 1, 0], "score": 1.0})
    table = rm.evaluate(frame, "RR").per_query
    assert table.index.name == "query"
    assert table.index.dtype == ids.dtype
    assert table.index.tolist() == sorted(ids.tolist())
    assert table["RR"].tolist() == ([1, 0, 1] if text else [0, 1, 1])
    assert table["RR"].dtype == np.float64


def test_ids_of_several_types_have_an_order_too() -> None:
    frame = pd.DataFrame({"query": ["b", 2, "a", 1], "grade": [1, 0, 1, 0], "score": 1.0})
    assert rm.evaluate(frame, "RR").queries.tolist() == [1, 2, "a", "b"]


def test_shapes_with_one_system_and_with_several(mixed: pd.DataFrame) -> None:
    mixed["other"] = -mixed["score"]
    one, two = (rm.evaluate(mixed, ["RR", "ap"], score=s) for s in ("score", ["other", "score"]))
    assert one.per_query.columns.tolist() == one.mean().index.tolist() == ["RR", "AP"]
    assert one.systems == ("score",)
    assert one.summary().columns.tolist() == ["mean", "low", "high", "queries"]
    assert one.summary().index.tolist() == one.sensitivity.index.tolist() == ["RR", "AP"]
    assert one.coverage.columns.tolist() == ["score"]
    pairs = [("other", "RR"), ("other", "AP"), ("score", "RR"), ("score", "AP")]
    assert two.per_query.columns.tolist() == two.summary().index.tolist() == pairs
    assert two.sensitivity.index.tolist() == pairs
    assert two.mean().index.tolist() == two.coverage.columns.tolist() == ["other", "score"]
    assert two.mean().columns.tolist() == ["RR", "AP"]
    assert two.summary()["queries"].dtype == np.int64


def test_intervals_are_students(mixed: pd.DataFrame) -> None:
    evaluation = rm.evaluate(mixed, ALL)
    for name, row in evaluation.summary().iterrows():
        values = evaluation.per_query[name].dropna()
        low, high = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
        assert row[["low", "high"]].tolist() == pytest.approx([low, high], rel=1e-12)


def test_one_query_has_a_mean_and_no_interval() -> None:
    row = rm.evaluate(ranking([1]), "RR").summary().loc["RR"]
    assert row[["mean", "queries"]].tolist() == [1, 1]
    assert row[["low", "high"]].isna().all()
    assert "1.0000" in repr(rm.evaluate(ranking([1]), "RR"))


def test_means_are_summed_exactly() -> None:
    frame = pd.concat([ranking([1] + [0] * 9, query) for query in range(10)])
    assert rm.evaluate(frame, "P@10").mean()["P@10"] == 0.1 != sum([0.1] * 10) / 10


def test_where_only_positives_were_judged_nothing_is_said_of_the_unjudged() -> None:
    for grades in ([1, None, 2], [1, -1, 2], [0.5, None]):
        evaluation = rm.evaluate(ranking(grades), ["RR", "P@2"])
        assert "only positives" in " ".join(repr(evaluation).split()).lower()
        assert not any("Judged" in fact for fact in evaluation.coverage.index)
        bounds = evaluation.sensitivity[["unjudged_worthless", "unjudged_best"]]
        assert bounds.isna().all(axis=None)


def test_sensitivity_of_a_small_ranking_by_hand() -> None:
    frame = pd.concat(
        [ranking([0, 1, None], "tied").assign(score=[1.0, 1.0, 0.5]), ranking([0, None], "gap")]
    )
    table = rm.evaluate(frame, ["RR", "P@2"]).sensitivity
    bounds = ["unjudged_worthless", "unjudged_best"]
    assert table.columns.tolist() == [
        "mean", "ties_matter", "worst", "best", *bounds, "answered", "with_relevant"
    ]  # fmt: skip
    assert table.loc["RR"].tolist() == [0.375, 1, 0.25, 0.5, 0.375, 0.625, 0.375, 0.75]
    assert table.loc["P@2"].tolist() == [0.25, 0, 0.25, 0.25, 0.25, 0.5, 0.25, 0.5]
    # Whoever stands at a cutoff that cuts equals apart may be the unjudged one.
    frame = ranking([0, None], missed=[1]).assign(score=[1.0, 1.0, None])
    table = rm.evaluate(frame, ["P@1", "nDCG@1"]).sensitivity
    assert table[["unjudged_worthless", "unjudged_best"]].to_numpy().tolist() == [[0, 0.5]] * 2
