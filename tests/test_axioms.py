"""What must hold of every measure, whatever its formula; where it does not, a counterexample."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rank_magic as rm
from cases import CASES, DIVERSE, Drawn, diverse_queries, frame_of, queries, quick, shipped
from measure_strategies import FALLING, measures_of
from rank_magic.discounts import discount_weights

MOST = settings().max_examples
SOME, FEW, VERY_FEW = (settings(max_examples=max(2, MOST // part)) for part in (2, 4, 20))

MEASURES = list(dict.fromkeys(rm.parse(text) for text in CASES))
BY_TOPIC = [rm.parse(text) for text in DIVERSE]
EXACT = [measure for measure in MEASURES if measure.closed_form]
DRAWN = [measure for measure in MEASURES if not measure.closed_form]
OF_TOPICS = {measure.name for measure in BY_TOPIC}
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
# How much better than the greedy ideal a ranking can be: covering is submodular, so that a greedy
# choice reaches 1 - 1/e of the best (Nemhauser, Wolsey and Fisher 1978), and so do sums of its
# first ranks with weights that fall.
GREEDY = math.e / (math.e - 1)


def test_every_measure_that_ships_is_looked_at_here() -> None:
    named = {measure.name for measure in [*MEASURES, *BY_TOPIC]}
    assert named == {cls.name for cls in shipped()}


def highest(measure: rm.Measure) -> float:
    """Return the highest value that a measure can have; infinite where it has no scale."""
    if not measure.unit:
        return math.inf
    if measure.name in BEYOND_ONE:
        return GREEDY
    if measure.name in ("Cascade", "EBU", "ERR"):  # the expected worth of one rank
        return max(1.0, *discount_weights(measure.discount, 1))
    return 1.0


def outside(frame: pd.DataFrame, measures: Sequence[rm.Measure], **options: Any) -> list[str]:
    """Return the measures that have a value below 0, or above 1 where that is their scale."""
    found = rm.evaluate(frame, measures, **options).per_query.to_numpy()
    low, high = (
        end(found, axis=0, initial=0.0, where=~np.isnan(found)) for end in (np.min, np.max)
    )
    return [
        f"{measure}: {low[at]} to {high[at]}"
        for at, measure in enumerate(measures)
        if (low[at] < 0 and measure.name not in SIGNED) or high[at] > highest(measure)
    ]


# test_contributions.py draws parameters for all others, and discounts that rise.
SPECIAL = [
    cls
    for cls in shipped()
    if cls.name in BEYOND_ONE
    or (cls.unit and any(field.metadata["kind"] == "discount" for field in cls.parameters()))
]


@pytest.mark.parametrize("cls", SPECIAL, ids=lambda cls: cls.name)
def test_with_any_falling_discount_values_lie_on_the_measures_scale(
    cls: type[rm.Measure],
) -> None:
    """And with any other parameters."""
    diverse = cls.name in OF_TOPICS

    @given(measures_of(cls, discounts=FALLING), diverse_queries() if diverse else queries())
    @SOME
    def check(measure: rm.Measure, drawn: Drawn) -> None:
        frame = frame_of([drawn], subtopics=diverse)
        assert outside(frame, [measure], ties="trec", max_grade=8) == []

    check()


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

# Measures on a scale of [0, 1] that an ideal ranking takes to 1, but for these, and why not.
SHOWS_THE_REST = "it divides by all that is shown, the irrelevant too"
UNSATISFIED = "the reader may reach the end without being satisfied"
ALL_AT_THE_TOP = "1 is a document of the top grade at every rank"
FALLS_SHORT = {
    **dict.fromkeys(["P", "SetP", "F1", "SetF", "trec.set_map", "P-IA"], SHOWS_THE_REST),
    **dict.fromkeys(["ERR", "EBU", "Cascade", "ERR-IA"], UNSATISFIED),
    **dict.fromkeys(["SDCG", "RBP", "INSQ", "INST", "BPM", "IFT", "trec.rbp"], ALL_AT_THE_TOP),
    "NRBP": "1 is a document for every subtopic at every rank",
}
# And with these parameters.
CUT_SHORT = {
    **dict.fromkeys(
        ["AP(rel=0.5)@4", "R(rel=2)@3", "IPrec(recall=1)@4", "trec.recall_3", "trec.map_cut_3",
         "AP-IA(rel=2)@3"],
        "there may be more to find below the cutoff",
    ),
    "Compat(p=0.8, normalize=no)@3": "it is not divided by the ideal's overlap with itself",
}  # fmt: skip
MORE = [
    "AP(denominator=min)@2", "Success@1", "nDCG(discount=reciprocal)@5", "nERR@2",
    "Q(denominator=min)@2", "IPrec(recall=0)", "IPrec(recall=1)", "Compat(p=0.5)",
    "trec.Rndcg(rel=2)", "trec.Rprec_mult_0.50",
]  # fmt: skip


def normalised(texts: Iterable[str]) -> list[rm.Measure]:
    """Return the measures that an ideal ranking takes to 1, each also with its defaults."""
    except_ = {rm.parse(text) for text in CUT_SHORT}
    given = [rm.parse(text) for text in texts]
    every = dict.fromkeys([*(type(measure)() for measure in given), *given])
    return [
        measure
        for measure in every
        if measure.unit and measure.quality
        if measure.name not in FALLS_SHORT and measure not in except_
    ]


IDEAL_IS_ONE = normalised([*CASES, *MORE])
IDEAL_IS_ONE_BY_TOPIC = normalised(DIVERSE)


@given(
    st.lists(st.sampled_from([-1, 0, 0, 1, 2, 3]), max_size=40),
    st.sampled_from([1, 2, 3]),
    st.booleans(),
)
def test_an_ideal_ranking_scores_one(grades: list[int], one: int, tied: bool) -> None:
    grades = sorted([*grades, one, 2, 2], reverse=True)
    frame = ranking(grades)
    if tied:  # equal grades, equal scores
        frame["score"] = frame["grade"]
    exact = of(frame, IDEAL_IS_ONE)
    # infAP is smoothed, so that it never quite gets there.
    assert exact.pop("infAP") == pytest.approx(1.0, abs=1e-4)
    assert exact[exact != 1.0].to_dict() == {}


@given(
    st.lists(st.sampled_from([-1, 0, 0, 1, 2]), max_size=20),
    st.integers(1, 4),
)
def test_an_ideal_ranking_by_subtopic_scores_one(grades: list[int], topics: int) -> None:
    """Where every document is relevant to all subtopics or to none, one order serves them all."""
    grades = sorted([*grades, 2], reverse=True)
    docs = [f"d{place:02}" for place in range(len(grades))]
    by_topic = {
        doc: {f"t{topic}": grade for topic in range(topics)}
        for doc, grade in zip(docs, grades, strict=True)
    }
    drawn = Drawn(docs, {doc: float(-at) for at, doc in enumerate(docs)}, {}, by_topic)
    frame = frame_of([drawn], subtopics=True)
    found = rm.evaluate(frame, IDEAL_IS_ONE_BY_TOPIC).per_query.loc["q00"]
    assert found[(found - 1.0).abs() > 1e-12].to_dict() == {}


@pytest.mark.parametrize("text", [*FALLS_SHORT, *CUT_SHORT])
def test_an_ideal_ranking_can_fall_short_of_one(text: str) -> None:
    grades = dict(zip("abcdefgh", [2, 2, 2, 2, 2, 2, 1, 0], strict=True))
    scores = {doc: float(-at) for at, doc in enumerate(grades)}
    topics = {doc: {"t": grade} for doc, grade in grades.items()}
    subtopics = rm.parse(text).name in OF_TOPICS
    scale = pd.DataFrame({"query": ["s"], "doc": "x", "grade": 3.0, "score": 1.0})
    frame = frame_of([Drawn(list(grades), scores, grades, topics)], subtopics=subtopics)
    assert rm.evaluate(pd.concat([frame, scale]), text).per_query.loc["q00"].item() < 1 - 1e-6


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
    "Q": ([None, None, 0.5, 1], [None, None, 1, 0.5]),
    "Q(rel=2, gain=exp2)": ([0, 1, 3], [0, 3, 1]),
    # What is in the pool and not judged counts for the relevant below it.
    "infAP": ([None, None, -1, 1], [None, None, 1, -1]),
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
    st.lists(st.sampled_from([None, -1, 0, 0.5, 1, 2, 3]), min_size=2, max_size=8),
    st.lists(st.sampled_from([-1, 0, 0.5, 1, 2, 3]), max_size=3),
)
def test_a_better_document_moved_up_never_hurts(
    grades: list[float | None], missing: list[float]
) -> None:
    """All moves by one rank at once, each a query beside the ranking itself."""
    moves = [
        [*grades[:at], grades[at + 1], grades[at], *grades[at + 2 :]]
        for at in range(len(grades) - 1)
        if worth(grades[at]) < worth(grades[at + 1])
    ]
    here = ranking(grades, missing)
    moved = [ranking(order, missing).query("query == 'q'") for order in moves]
    parts = [part.assign(query=f"move {at}") for at, part in enumerate(moved)]
    found = rm.evaluate(pd.concat([here, *parts]), UNHURT).per_query
    before, after = found.loc["q"], found.drop(index=["q", "scale"])
    worse = (after < before - 1e-12).any()
    assert list(worse[worse].index) == []


def worth(grade: float | None) -> float:
    """Return what a grade counts as: 0 when there is none, and when it is negative."""
    return max(grade or 0, 0)


@pytest.mark.parametrize("text", HURT)
def test_a_better_document_moved_up_can_hurt(text: str) -> None:
    before, after = (of(ranking(order), text).item() for order in HURT[text])
    assert after < before - 1e-6


def test_measures_that_can_be_hurt_are_all_of_their_kind() -> None:
    kinds = {rm.parse(text).name for text in HURT}
    assert kinds == {"BPM", "IFT", "Q", "infAP", "trec.G"}
    said = {cls.name for cls in shipped() if "a better document" in (cls.__doc__ or "").lower()}
    assert said == kinds


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
    "trec.gm_bpref", "AP-IA", "alpha-nDCG", "nERR-IA", "nNRBP",
}  # fmt: skip
# How well each subtopic is served: these must notice a subtopic that is not, and nothing else.
OF_TOPICS_FOUND = {"ERR-IA", "NRBP", "P-IA", "StRecall"}
# What was shown, and nothing else: these must not. (ERR and its like on a fixed scale.)
OF_PRECISION = {
    "RR", "P", "Success", "ERR", "EBU", "Cascade", "Judged", "Unjudged", "NumRet", "NumRelRet",
    "CG", "DCG", "SDCG", "SetP", "RBP", "RBPResidual", "INSQ", "INST", "BPM", "IFT", "alpha-DCG",
    "trec.utility", "trec.num_nonrel_judged_ret", "trec.rbp", "trec.rbp_resid",
}  # fmt: skip
# Divided by what documents for every subtopic would give.
PERFECT = "alpha-DCG(normalize=perfect)@3"


def test_every_measure_is_of_recall_or_of_subtopics_or_of_precision() -> None:
    names = [cls.name for cls in shipped()]
    assert sorted([*OF_RECALL, *OF_TOPICS_FOUND, *OF_PRECISION]) == sorted(names)


RECALL = [measure for measure in MEASURES if measure.name in OF_RECALL]
PRECISION = [measure for measure in MEASURES if measure.name in OF_PRECISION]
# Precision alone, and the best that so many ranks can be, don't depend on what else there is once
# there is enough.
FIXED = {
    "F1(beta=0)@3", "AP(denominator=min)@3", "GMAP(denominator=min)@2", "trec.relative_P",
    "trec.relative_P@3", "Q(beta=0.5, denominator=min)@3",
}  # fmt: skip
# These may grow with what there is to find. Each with a ranking, and what was not shown.
GROWING: dict[str, tuple[list[float | None], list[float]]] = {
    "NumRel": ([1], [1]),
    # They look at other ranks.
    "RPrec": ([0, 1], [1]),
    "trec.Rprec_mult": ([0, 1], [1]),
    "trec.Rndcg": ([0, 1], [1]),
    # For a document that was not shown, the end of the ranking is looked at.
    "trec.ndcg_rel": ([3, 0.5, 2], [0.5]),
    # A longer ideal ranking is compared down to a depth where more is shared.
    "Compat": ([1, 2], [1]),
    # Each irrelevant document weighs less.
    "bpref": ([0, 1, 1], [0]),
    "trec.gm_bpref": ([0, 1, 1], [0]),
}
SHOWN = st.lists(st.sampled_from([None, -1, 0, 0.5, 1, 2]), max_size=8)
MISSING = st.lists(st.sampled_from([-1, 0, 0.5, 1, 2, 3]), max_size=3)
# So many that no more than a fifth of all that is relevant is shown.
PLENTY = [3.0] * 40


def with_more(
    grades: list[float | None], missing: list[float], more: Sequence[Sequence[float]], of: Any
) -> tuple[pd.Series, pd.DataFrame]:
    """Return values of a ranking, and of the same with each of some lists of grades not shown."""
    here = ranking([3, *grades], missing)
    others = [
        ranking([3, *grades], [*missing, *added]).query("query == 'q'").assign(query=f"with {at}")
        for at, added in enumerate(more)
    ]
    found = rm.evaluate(pd.concat([here, *others]), of).per_query
    return found.loc["q"], found.drop(index=["q", "scale"])


@given(SHOWN, MISSING)
@SOME
def test_judging_what_was_not_retrieved_changes_no_precision(
    grades: list[float | None], missing: list[float]
) -> None:
    before, after = with_more(grades, missing, [[-1], [0], [0.5], [1], [3], PLENTY], PRECISION)
    changed = (after != before).any()
    assert list(changed[changed].index) == []


@given(SHOWN, MISSING)
@SOME
def test_judging_what_was_not_retrieved_never_raises_recall(
    grades: list[float | None], missing: list[float]
) -> None:
    falling = [measure for measure in RECALL if measure.name not in GROWING]
    before, after = with_more(grades, missing, [[-1], [0], [0.5], [1], [2], [3]], falling)
    raised = (after > before + 1e-12).any()
    assert list(raised[raised].index) == []


@given(SHOWN, st.lists(st.sampled_from([-1, 0, 0.5, 1, 2]), max_size=3))
@SOME
def test_judging_plenty_that_was_not_retrieved_lowers_recall(
    grades: list[float | None], missing: list[float]
) -> None:
    """Of more that there was to find, a smaller share was found."""
    before, after = with_more(grades, missing, [PLENTY, [*PLENTY, *PLENTY]], RECALL)
    plenty, twice = after.iloc[0], after.iloc[1]
    assert [*(plenty - before)[["NumRel"]], *(twice - before)[["NumRel"]]] == [40, 80]
    lost = (plenty < before - 1e-12) | (before == 0)
    kept = {*lost.index[~lost]}
    assert kept - {"NumRel"} <= FIXED
    assert (plenty == twice)[[*FIXED]].all()


@pytest.mark.parametrize("name", GROWING)
def test_judging_what_was_not_retrieved_can_raise_it(name: str) -> None:
    shown, unseen = GROWING[name]
    before, after = (of(ranking(shown, missing), name).item() for missing in ([], unseen))
    assert after > before + 1e-4


def by_topic(drawn: Drawn, added: dict[str, float] | None = None) -> pd.DataFrame:
    """Return a query, to whose judgments those of a document may be added that is not shown."""
    more = {} if added is None else {"unseen": added}
    docs = [*drawn.docs, *more]
    topics = {**drawn.subtopics, **more}
    frame = frame_of([Drawn(docs, drawn.scores, {}, topics)], subtopics=True)
    return frame[frame["query"] == "q00"]


@given(diverse_queries(most=6))
@SOME
def test_judging_for_subtopics_what_was_not_retrieved_changes_recall_only(drawn: Drawn) -> None:
    levels = {1: intents(drawn, 1), 2: intents(drawn, 2)}
    assume(levels[1])
    known = sorted(levels[2] or levels[1])
    grade = 2 if levels[2] else 1
    # Of the subtopics there are, and of five more, which is more than any other document covers.
    same = by_topic(drawn, dict.fromkeys(known, grade))
    new = by_topic(drawn, {f"new{number}": 2 for number in range(5)})
    before, again, after = (
        rm.evaluate(frame, BY_TOPIC).per_query.loc["q00"] for frame in (by_topic(drawn), same, new)
    )
    for measure in BY_TOPIC:
        text = str(measure)
        there = len(levels[2 if measure.rel == 2 else 1])
        if measure.name in OF_RECALL:
            assert before[text] == 0 or after[text] < before[text] - 1e-12, text
        elif measure.name in OF_TOPICS_FOUND or text == PERFECT:
            assert again[text] == before[text], text
            assert after[text] * (there + 5) == pytest.approx(before[text] * there, abs=1e-12)
        else:
            assert before[text] == again[text] == after[text], text


def intents(drawn: Drawn, rel: float) -> set[str]:
    """Return the subtopics that have a relevant document."""
    return {
        topic
        for grades in drawn.subtopics.values()
        for topic, grade in grades.items()
        if grade >= rel
    }
