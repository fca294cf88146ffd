"""Bugs that users reported against other ranking code: each input has its right answer here.

`data/reports.json` names each report and what came out there.
"""

from __future__ import annotations

import ast
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import DataError

CASES = json.loads((Path(__file__).parent / "data" / "reports.json").read_text())
REPORTS = {case["report"]: case for case in CASES}

# One of everything that a report may be about.
BROAD = ["nDCG@10", "nDCG(gain=linear)", "AP", "RR", "P@10", "R@10", "ERR@10", "RBP", "bpref"]


def report(start: str) -> dict[str, Any]:
    """Return the one report whose name begins like this."""
    (name,) = (name for name in REPORTS if name.startswith(start))
    return REPORTS[name]


def ranking(grades: list[Any], missing: list[Any] = (), **columns: Any) -> pd.DataFrame:  # type: ignore[assignment]
    """Return a ranking of these grades, best first, beside judged documents never retrieved."""
    scores = [*np.arange(len(grades), 0, -1.0), *[np.nan] * len(missing)]
    every = np.array([*grades, *missing], dtype=float)
    docs = [f"d{number}" for number in range(len(every))]
    return pd.DataFrame({"query": "q", "doc": docs, "grade": every, "score": scores, **columns})


def value(frame: pd.DataFrame, measure: str, **options: Any) -> float:
    return float(rm.evaluate(frame, measure, **options).per_query.iloc[0, 0])


@pytest.mark.parametrize("name", ["recommenders-team/recommenders#1749", "spiceai/spiceai#12277"])
def test_the_ideal_holds_documents_that_were_not_retrieved(name: str) -> None:
    case = report(name)
    missing = list(case["grades_judged"])
    for grade in case["grades_retrieved"]:
        missing.remove(grade)
    for measure, right in case["values"].items():
        found = value(ranking(case["grades_retrieved"], missing), measure)
        assert found == pytest.approx(right, abs=1e-12)
        assert found < 1


def of_documents(case: dict[str, Any]) -> pd.DataFrame:
    """Return a ranking that repeats documents."""
    shown, judged = case["ranking"], case["judged"]
    rows = [(doc, judged.get(doc), float(-place)) for place, doc in enumerate(shown)]
    rows += [(doc, grade, np.nan) for doc, grade in judged.items() if doc not in shown]
    return pd.DataFrame(rows, columns=["doc", "grade", "score"]).assign(query="q")


@pytest.mark.parametrize("name", ["garrytan/gbrain#4630", "future-agi/future-agi#1613"])
def test_a_document_counts_once_or_not_at_all(name: str) -> None:
    case = report(name)
    frame = of_documents(case)
    for measure, right in case["values_if_first_kept"].items():
        with pytest.raises(DataError, match=rf"repeat.*{case['ranking'][0]}"):
            rm.evaluate(frame, measure)
        for duplicates in ("first", "best"):
            found = value(frame, measure, duplicates=duplicates)
            assert found == pytest.approx(right, abs=1e-12)
    found = rm.evaluate(frame, BROAD, duplicates="first").per_query
    assert (found <= 1).all(axis=None)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_one_relevant_document_is_worth_its_discount(rank: int) -> None:
    right = list(report("OpenAgentHQ/openagent-eval#223")["values"].values())[rank - 1]
    found = value(ranking([*[0] * (rank - 1), 1]), "nDCG@10")
    assert found == pytest.approx(right, abs=1e-15)


def test_average_precision_of_a_perfect_top_five_out_of_ten() -> None:
    case = report("joaopalotti/trectools#36")
    for measure, right in case["values"].items():
        assert value(ranking([1] * 5, missing=[1] * 5), measure) == right


@pytest.mark.parametrize(
    "frame",
    [ranking([1]), ranking([np.nan, 1, np.nan]), ranking([1, np.nan], missing=[0, 0])],
    ids=["nothing irrelevant judged", "the others unjudged", "the irrelevant not retrieved"],
)
def test_bpref_without_an_irrelevant_document_retrieved_is_one(frame: pd.DataFrame) -> None:
    assert value(frame, "bpref") == report("AmenRa/ranx#66")["values"]["bpref"]


def test_kinds_of_columns_do_not_matter() -> None:
    assert "same as with object ids" in report("AmenRa/ranx (seen on 0.3.21)")["values"]
    plain = pd.DataFrame(
        {
            "query": ["1", "1", "2", "2"],
            "doc": ["10", "11", "10", "12"],
            "grade": [1, 0, 2, 1],
            "score": [0.25, 0.5, 1.0, 0.75],
        }
    )
    right = rm.evaluate(plain.astype({"query": object, "doc": object}), BROAD)
    kinds = [
        {"query": "str", "doc": "str"},
        {"query": "int32", "doc": "int32"},
        {"score": "float32"},
        {"query": "int32", "doc": "str", "score": "float32", "grade": "int8"},
    ]
    for kind in kinds:
        found = rm.evaluate(plain.astype(kind), BROAD)
        np.testing.assert_array_equal(found.per_query.to_numpy(), right.per_query.to_numpy())


def test_a_query_without_results_counts_in_every_measure_alike() -> None:
    case = report("microsoft recommenders")
    assert "the unanswered query counts 0 in every measure alike" in case["values"]["every measure"]
    answered = ranking([1, 0])
    silent = ranking([], missing=[1, 0]).assign(query="silent")
    evaluation = rm.evaluate(pd.concat([answered, silent]), [*BROAD, "Judged@10"])
    assert (evaluation.per_query.loc["silent", BROAD_NAMES] == 0).all()
    assert (evaluation.summary().loc[BROAD_NAMES, "queries"] == 2).all()
    alone = rm.evaluate(answered, BROAD).mean()
    np.testing.assert_allclose(evaluation.mean()[BROAD_NAMES], alone / 2, rtol=1e-15)
    # A share of what is shown has no value where nothing is.
    assert np.isnan(evaluation.per_query.loc["silent", "Judged@10"])
    assert evaluation.summary().loc["Judged@10", "queries"] == 1


BROAD_NAMES = [str(rm.parse(measure)) for measure in BROAD]


def test_ids_are_never_shortened_or_merged() -> None:
    case = report("terrierteam/ir_measures#50 and gdeval")
    assert case["values"]["ERR@10"].startswith("ids are opaque")
    names = ["economics-8", "history-8", "q01", "8"]
    grades = {"economics-8": [1, 0], "history-8": [0, 1], "q01": [0, 0], "8": [1, 1]}
    frame = pd.concat([ranking(grades[name]).assign(query=name) for name in names])
    found = rm.evaluate(frame, "ERR@10").per_query["ERR@10"]
    assert sorted(found.index) == sorted(names)
    assert found.to_dict() == {"economics-8": 0.5, "history-8": 0.25, "q01": 0.0, "8": 0.625}


def test_a_huge_grade_is_answered_at_once() -> None:
    assert "answers at once" in report("cvangysel/pytrec_eval")["values"]
    start = time.perf_counter()
    found = rm.evaluate(ranking([0, 1_000_000, 3]), ["AP", "nDCG(gain=linear)", "trec.ndcg", "RBP"])
    assert time.perf_counter() - start < 5
    assert found.mean().iloc[0] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert 0.6 < found.mean().iloc[1] < 1


def test_a_query_of_negative_grades_only_is_worth_nothing() -> None:
    assert "a negative grade is worth 0" in report("cvangysel/pytrec_eval")["values"]
    frame = pd.concat([ranking([-1, -2]), ranking([1]).assign(query="other")])
    found = rm.evaluate(frame, BROAD).per_query.loc["q"]
    assert (found == 0).all()


@pytest.mark.parametrize("ties", ["average", "order", "trec", "worst", "best"])
def test_two_tied_relevant_documents_are_a_perfect_ranking(ties: str) -> None:
    right = report("evidentlyai")["values"]
    frame = ranking([1, 1]).assign(score=1.0)
    for measure, one in right.items():
        assert value(frame, measure, ties=ties) == one


def test_every_report_has_its_test() -> None:
    literals = [
        node.value
        for node in ast.walk(ast.parse(Path(__file__).read_text()))
        if isinstance(node, ast.Constant)
    ]
    starts = [text for text in literals if isinstance(text, str) and len(text) > 8]
    assert [name for name in REPORTS if not name.startswith(tuple(starts))] == []
