"""What must hold of every measure, whatever its formula; and where it does not, a counterexample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
from cases import CASES, DIVERSE, Drawn, diverse_queries, frame_of, queries, quick, shipped

MOST = settings().max_examples
SOME, FEW, VERY_FEW = (settings(max_examples=max(2, MOST // part)) for part in (2, 4, 20))

MEASURES = list(dict.fromkeys(rm.parse(text) for text in CASES))
BY_TOPIC = [rm.parse(text) for text in DIVERSE]
EXACT = [measure for measure in MEASURES if measure.closed_form]
DRAWN = [measure for measure in MEASURES if not measure.closed_form]
RULES = ["order", "trec", "worst", "best"]


@pytest.fixture(autouse=True, scope="module")
def quickly() -> Iterator[None]:
    with quick(orders=30):
        yield


def ranking(grades: Sequence[float | None], missing: Sequence[float] = ()) -> pd.DataFrame:
    """Return a ranking of these grades, best first, on a scale of 0 to 3."""
    every = np.array([*grades, *missing, 0, 3], dtype=float)
    scores = [*np.arange(len(grades), 0, -1.0), *[np.nan] * len(missing), np.nan, 1.0]
    frame = pd.DataFrame({"query": "q", "grade": every, "score": scores})
    frame.loc[len(frame) - 2 :, "query"] = "scale"
    return frame.assign(doc=[f"d{number}" for number in range(len(frame))])


def of(frame: pd.DataFrame, measures: Any, **options: Any) -> pd.Series:
    return rm.evaluate(frame, measures, **options).per_query.loc["q"]


# Bounds.

# Their ideal is the greedy one, which is not always the best: see the counterexample.
BEYOND_ONE = {"alpha-nDCG", "nERR-IA", "nNRBP"}
SIGNED = {"trec.utility"}


def outside(frame: pd.DataFrame, measures: Sequence[rm.Measure], **options: Any) -> list[str]:
    """Return the measures that have a value below 0, or above 1 where that is their scale."""
    found = rm.evaluate(frame, measures, **options).per_query.to_numpy()
    low, high = (
        end(found, axis=0, initial=0.0, where=~np.isnan(found)) for end in (np.min, np.max)
    )
    return [
        f"{measure}: {low[at]} to {high[at]}"
        for at, measure in enumerate(measures)
        if (low[at] < 0 and measure.name not in SIGNED)
        or (high[at] > 1 and measure.unit and measure.name not in BEYOND_ONE)
    ]


@given(st.lists(queries(), min_size=1, max_size=4), st.sampled_from(["average", *RULES]))
@SOME
def test_values_lie_on_the_measures_scale(collection: list[Drawn], ties: str) -> None:
    measures = EXACT if ties == "average" else MEASURES
    assert outside(frame_of(collection), measures, ties=ties) == []


@given(st.lists(queries(orders=6), min_size=10, max_size=10))
@VERY_FEW
def test_drawn_averages_lie_on_the_measures_scale(collection: list[Drawn]) -> None:
    assert outside(frame_of(collection), DRAWN) == []


@given(st.lists(diverse_queries(), min_size=1, max_size=4), st.sampled_from(["average", *RULES]))
@SOME
def test_values_by_subtopic_lie_on_the_measures_scale(collection: list[Drawn], ties: str) -> None:
    assert outside(frame_of(collection, subtopics=True), BY_TOPIC, ties=ties) == []


@pytest.mark.parametrize("name", sorted(BEYOND_ONE))
def test_a_ranking_can_beat_the_greedy_ideal(name: str) -> None:
    """Of three documents with two subtopics each, the greedy one takes the one in the middle."""
    topics = {"x": {"t1": 1, "t2": 1}, "y": {"t1": 1, "t3": 1}, "z": {"t2": 1, "t4": 1}}
    best = Drawn(["y", "z", "x"], {"y": 3.0, "z": 2.0, "x": 1.0}, {}, topics)
    value = rm.evaluate(frame_of([best], subtopics=True), name).per_query.iloc[0, 0]
    assert 1 < value < 1.1


# The ideal ranking.

IDEAL_IS_ONE = [
    "RR", "AP", "AP(rel=2)", "AP(denominator=min)@2", "R", "Success@1", "RPrec", "RPrec(rel=2)",
    "nDCG", "nDCG@3", "nDCG(gain=linear)", "nDCG(discount=reciprocal)@5", "nERR", "nERR@2", "Q",
    "Q(denominator=min)@2", "bpref", "IPrec(recall=0)", "IPrec(recall=1)", "IPrec11", "SetR",
    "GMAP", "trec.relative_P_3", "trec.binG", "trec.G", "trec.iprec_at_recall_0.50", "trec.11pt_avg",
    "trec.ndcg_rel", "trec.Rndcg", "trec.Rprec_mult_0.50", "trec.gm_bpref",
]  # fmt: skip
# Sums of many powers and logarithms; infAP is smoothed.
IDEAL_IS_NEARLY_ONE = {"Compat": 1e-12, "Compat(p=0.5)": 1e-12, "infAP": 1e-4}


@given(
    st.lists(st.sampled_from([0, 0, 1, 2, 3]), max_size=40),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
)
def test_an_ideal_ranking_scores_one(grades: list[int], one: int, tied: bool) -> None:
    grades = sorted([*grades, one, 2, 2], reverse=True)
    frame = ranking(grades)
    if tied:  # equal grades, equal scores
        frame["score"] = frame["grade"]
    exact = of(frame, IDEAL_IS_ONE)
    assert exact[exact != 1.0].to_dict() == {}
    for text, close in IDEAL_IS_NEARLY_ONE.items():
        assert of(frame, text).item() == pytest.approx(1.0, abs=close)


@pytest.mark.parametrize("name", sorted(BEYOND_ONE))
@pytest.mark.parametrize("alpha", [0, 0.3, 0.5, 1])
def test_the_greedy_ranking_scores_one(name: str, alpha: float) -> None:
    """After x, which covers three subtopics, y adds two that were seen, z one that was not."""
    topics = {"x": {"t1": 1, "t2": 2, "t3": 1}, "y": {"t1": 3, "t2": 1}, "z": {"t4": 1}}
    order = "xyz" if alpha < 0.5 else "xzy"
    drawn = Drawn(list("xyz"), {doc: float(-at) for at, doc in enumerate(order)}, {}, topics)
    found = rm.evaluate(frame_of([drawn], subtopics=True), f"{name}(alpha={alpha})")
    assert found.per_query.iloc[0, 0] == pytest.approx(1.0, abs=1e-12)


# Moving a better document up.

# Readers who are satisfied earlier look at fewer documents; infAP takes what is unjudged above for
# as good as what is judged there; G pays for gain found late, and charges by the ideal's.
HURT_BY_BETTER: dict[str, tuple[list[float | None], list[float | None]]] = {}
# Here what is judged does harm, and unjudged documents are worth something.
OF_THE_UNJUDGED = {"Unjudged", "RBPResidual", "trec.rbp_resid"}


@given(
    st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=2, max_size=8),
    st.lists(st.integers(0, 3), max_size=3),
    st.integers(0, 6),
)
def test_a_better_document_moved_up_never_hurts(
    grades: list[float | None], missing: list[int], at: int
) -> None:
    at %= len(grades) - 1
    upper, lower = (grade or 0 for grade in grades[at : at + 2])
    if upper >= lower:
        return
    better = [*grades[:at], grades[at + 1], grades[at], *grades[at + 2 :]]
    measures = [m for m in MEASURES if m.name not in {*HURT_BY_BETTER, *OF_THE_UNJUDGED}]
    before, after = (of(ranking(order, missing), measures).to_numpy() for order in (grades, better))
    worse = after < before - 1e-12
    assert [str(m) for m, bad in zip(measures, worse, strict=True) if bad] == []
