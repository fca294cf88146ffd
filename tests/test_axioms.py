"""What must hold of every measure, whatever its formula; where it does not, a counterexample."""

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
    "GMAP", "trec.relative_P_3", "trec.binG", "trec.G", "trec.iprec_at_recall_0.50",
    "Compat", "Compat(p=0.5)", "trec.11pt_avg", "trec.ndcg_rel", "trec.Rndcg", "trec.Rprec_mult_0.50", "trec.gm_bpref",
]  # fmt: skip


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
    # infAP is smoothed, so that it never quite gets there.
    assert of(frame, "infAP").item() == pytest.approx(1.0, abs=1e-4)


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

# Each with a ranking and the same with a better document moved up, which is worth less.
HURT: dict[str, tuple[list[float | None], list[float | None]]] = {
    # A reader who is satisfied earlier stops before the rest.
    "BPM": ([None, 2, 3], [None, 3, 2]),
    "BPM(max_grade=3, K=3, hb=1, hc=1)": ([None, 2], [2, None]),
    "BPM(K=4, hb=0.5, median=0.25)": ([None, 2, 3], [None, 3, 2]),
    "IFT(max_grade=3)": ([1, 3], [3, 1]),
    "IFT(max_grade=3, model=goal, T=1)": ([None, 1, 3], [1, None, 3]),
    "IFT(model=rate, A=0.5, b2=0.5, R2=5)": ([2, 3], [3, 2]),
    "IFT(T=1, b1=0.5, R1=5)": ([None, 2, 3], [None, 3, 2]),
    # A grade below `rel` is a gain only for those below it.
    "Q(rel=2, gain=exp2)": ([0, 1, 3], [0, 3, 1]),
    # Gain is divided by how far the ideal's runs ahead at that rank.
    "trec.G": ([1, 2, 3, None, None, 0, 0, 1], [1, 3, 2, None, None, 0, 0, 1]),
}
# These are about what nobody judged, and an unjudged document counts as grade 0 elsewhere.
OF_THE_UNJUDGED = {"Unjudged", "RBPResidual", "trec.rbp_resid"}
UNHURT = [
    measure
    for text in CASES
    if str(measure := rm.parse(text)) not in HURT and measure.name not in OF_THE_UNJUDGED
]


@given(
    st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=2, max_size=8),
    st.lists(st.integers(0, 3), max_size=3),
)
def test_a_better_document_moved_up_never_hurts(
    grades: list[float | None], missing: list[int]
) -> None:
    """All moves by one rank at once, each a query beside the ranking itself."""
    moves = [
        [*grades[:at], grades[at + 1], grades[at], *grades[at + 2 :]]
        for at in range(len(grades) - 1)
        if (grades[at] or 0) < (grades[at + 1] or 0)
    ]
    here = ranking(grades, missing)
    moved = [ranking(order, missing).query("query == 'q'") for order in moves]
    parts = [part.assign(query=f"move {at}") for at, part in enumerate(moved)]
    found = rm.evaluate(pd.concat([here, *parts]), UNHURT).per_query
    before, after = found.loc["q"], found.drop(index=["q", "scale"])
    worse = (after < before - 1e-12).any()
    assert list(worse[worse].index) == []


@pytest.mark.parametrize("text", HURT)
def test_a_better_document_moved_up_can_hurt(text: str) -> None:
    before, after = (of(ranking(order), text).item() for order in HURT[text])
    assert after < before - 1e-6


def test_measures_that_can_be_hurt_are_all_of_their_kind() -> None:
    kinds = {rm.parse(text).name for text in HURT}
    assert kinds == {"BPM", "IFT", "Q", "trec.G"}


@given(diverse_queries(most=6, ties=False), st.integers(0, 4))
def test_a_document_that_covers_more_moved_up_never_hurts(drawn: Drawn, at: int) -> None:
    order = sorted(drawn.scores, key=lambda doc: -drawn.scores[doc])
    if at + 1 >= len(order):
        return
    upper, lower = (covered(drawn, doc) for doc in order[at : at + 2])
    if not upper < lower:
        return
    swapped = [*order[:at], order[at + 1], order[at], *order[at + 2 :]]
    two = [
        Drawn(
            drawn.docs, {doc: float(-place) for place, doc in enumerate(docs)}, {}, drawn.subtopics
        )
        for docs in (order, swapped)
    ]
    found = rm.evaluate(frame_of(two, subtopics=True), BY_TOPIC).per_query
    worse = found.loc["q01"] < found.loc["q00"] - 1e-12
    # At rel=2 a document may cover less than it does at 1.
    assert [name for name in worse[worse].index if "rel=2" not in name] == []


def covered(drawn: Drawn, doc: str) -> set[str]:
    return {topic for topic, grade in drawn.subtopics.get(doc, {}).items() if grade >= 1}


# Judging a document that was not retrieved.

# How much of what there is was found: these must notice.
OF_RECALL = {
    "AP", "R", "F1", "RPrec", "nERR", "NumRel", "GMAP", "nDCG", "Q", "bpref", "infAP", "IPrec",
    "IPrec11", "SetR", "SetF", "Compat", "trec.set_map", "trec.relative_P", "trec.binG", "trec.G",
    "trec.Rndcg", "trec.ndcg_rel", "trec.iprec_at_recall", "trec.11pt_avg", "trec.Rprec_mult",
    "trec.gm_bpref",
}  # fmt: skip
# What was shown, and nothing else: these must not. (ERR and its like on a fixed scale.)
OF_PRECISION = {
    "RR", "P", "Success", "ERR", "EBU", "Cascade", "Judged", "Unjudged", "NumRet", "NumRelRet",
    "CG", "DCG", "SDCG", "SetP", "RBP", "RBPResidual", "INSQ", "INST", "BPM", "IFT",
    "trec.utility", "trec.num_nonrel_judged_ret", "trec.rbp", "trec.rbp_resid",
}  # fmt: skip
RECALL = [measure for measure in MEASURES if measure.name in OF_RECALL]
PRECISION = [measure for measure in MEASURES if measure.name in OF_PRECISION]


def test_every_measure_is_of_recall_or_of_precision_but_the_diverse_ones() -> None:
    diverse = {measure.name for measure in BY_TOPIC}
    names = [cls.name for cls in shipped() if cls.name not in diverse]
    assert sorted([*OF_RECALL, *OF_PRECISION]) == sorted(names)


@given(
    st.lists(st.sampled_from([None, 0, 1, 2]), max_size=8), st.lists(st.integers(0, 3), max_size=3)
)
@SOME
def test_judging_what_was_not_retrieved_changes_no_precision(
    grades: list[float | None], missing: list[int]
) -> None:
    here = ranking([3, *grades], missing)
    others = [ranking([3, *grades], [*missing, more]).query("query == 'q'") for more in (0, 1, 3)]
    parts = [part.assign(query=f"with {at}") for at, part in enumerate(others)]
    found = rm.evaluate(pd.concat([here, *parts]), PRECISION).per_query
    changed = (found.drop(index="scale") != found.loc["q"]).any()
    assert list(changed[changed].index) == []


@pytest.mark.parametrize("name", sorted(OF_RECALL))
def test_judging_relevant_documents_that_were_not_retrieved_changes_recall(name: str) -> None:
    measures = [measure for measure in MEASURES if measure.name == name]
    changed = set()
    for grades in ([3, 0, 2, 2, 1, 0], [0, 3, 0, 1]):
        before, after = (of(ranking(grades, unseen), measures) for unseen in ([], [3, 2, 3, 2, 3]))
        changed |= set(before.index[before != after])
        # Of more that there was to find, no larger share was found. (RPrec looks further down,
        # and each irrelevant document weighs less in bpref.)
        grows = name in ("NumRel", "RPrec", "trec.Rprec_mult", "bpref", "trec.gm_bpref")
        assert grows or (after <= before).all()
    # Precision alone, and the best a top k can be, don't depend on what else there is.
    fixed = {"F1(beta=0)@3", "AP(denominator=min)@3", "GMAP(denominator=min)@2"}
    assert {str(measure) for measure in measures} - changed <= fixed
