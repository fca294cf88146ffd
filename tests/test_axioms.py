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


def failing(measures: Sequence[rm.Measure], holds: Any) -> list[str]:
    return [str(measure) for measure, fine in zip(measures, holds, strict=True) if not fine]


# Bounds.

# Their ideal is the greedy one, which is not always the best: see the counterexample.
BEYOND_ONE = {"alpha-nDCG", "nERR-IA", "nNRBP"}


@given(st.lists(queries(), min_size=1, max_size=4), st.sampled_from(["average", *RULES]))
@SOME
def test_values_lie_in_the_unit_interval_where_that_is_the_scale(
    collection: list[Drawn], ties: str
) -> None:
    measures = EXACT if ties == "average" else MEASURES
    found = rm.evaluate(frame_of(collection), measures, ties=ties).per_query
    unit = [measure.unit for measure in measures]
    inside = found.isna() | ((found >= 0) & (found <= 1))
    assert failing(measures, inside.all() | ~np.array(unit)) == []
    signed = [measure.name == "trec.utility" for measure in measures]
    assert failing(measures, (found.isna() | (found >= 0)).all() | signed) == []


@given(st.lists(queries(orders=6), min_size=10, max_size=10))
@VERY_FEW
def test_drawn_averages_lie_in_the_unit_interval(collection: list[Drawn]) -> None:
    found = rm.evaluate(frame_of(collection), DRAWN).per_query
    inside = found.isna() | ((found >= 0) & (found <= 1 + 1e-12))
    assert failing(DRAWN, inside.all()) == []


@given(st.lists(diverse_queries(), min_size=1, max_size=4), st.sampled_from(["average", *RULES]))
@SOME
def test_values_by_subtopic_lie_in_the_unit_interval(collection: list[Drawn], ties: str) -> None:
    found = rm.evaluate(frame_of(collection, subtopics=True), BY_TOPIC, ties=ties).per_query
    fine = (found.isna() | ((found >= 0) & (found <= 1))).all()
    free = [not measure.unit or measure.name in BEYOND_ONE for measure in BY_TOPIC]
    assert failing(BY_TOPIC, fine | free) == []
    assert (
        found.isna() | ((found >= 0) & (found <= 2) | ~np.array([m.unit for m in BY_TOPIC]))
    ).all(axis=None)


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


@given(diverse_queries(most=6, ties=False))
@FEW
def test_the_greedy_ranking_scores_one(drawn: Drawn) -> None:
    """Rank by rank the document whose value at the next rank is highest."""
    relevant = {d: by for d, by in drawn.subtopics.items() if any(g >= 1 for g in by.values())}
    if not relevant:
        return
    chosen: list[str] = []
    names = ["alpha-nDCG", "nERR-IA", "nNRBP"]
    while len(chosen) < len(relevant):
        left = [doc for doc in relevant if doc not in chosen]
        tries = [Drawn(drawn.docs, scored([*chosen, doc]), {}, drawn.subtopics) for doc in left]
        values = rm.evaluate(frame_of(tries, subtopics=True), "alpha-DCG").per_query.iloc[:-1, 0]
        # Of equals the one with the highest grades, as the ideal does.
        worth = [sorted(relevant[doc].items()) for doc in left]
        order = sorted(
            range(len(left)),
            key=lambda at: (round(values.iloc[at], 12), key_of(relevant[left[at]])),
        )
        chosen.append(left[order[-1]])
    frame = frame_of([Drawn(drawn.docs, scored(chosen), {}, drawn.subtopics)], subtopics=True)
    assert rm.evaluate(frame, names).per_query.iloc[0].tolist() == pytest.approx([1.0] * 3)


def scored(docs: Sequence[str]) -> dict[str, float]:
    return {doc: float(-place) for place, doc in enumerate(docs)}


def key_of(by_topic: dict[str, float]) -> list[float]:
    """Return grades by subtopic after the highest of them, gaps below all."""
    return [max(by_topic.values()), *(by_topic.get(f"t{number}", -9) for number in range(4))]
