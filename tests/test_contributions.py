"""Contributions add up, C/W/L views are whole, bounds hold, and any parameter gives a number."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
import reference
from cases import CASES, DIVERSE, Drawn, diverse_queries, frame_of, queries, quick, shipped
from measure_strategies import measures_of
from rank_magic.conventions import Conventions
from rank_magic.measures import orders
from rank_magic.rankings import Ranked, Rankings

MOST = settings().max_examples
SOME, FEW, VERY_FEW = (settings(max_examples=max(2, MOST // part)) for part in (3, 5, 20))

MEASURES = list(dict.fromkeys(rm.parse(text) for text in CASES))
BY_TOPIC = [rm.parse(text) for text in DIVERSE]
ALL_TIES = ["average", "order", "trec", "worst", "best"]
# They are no sums over ranks: how many there are to find, and a mean over some ranks of nDCG.
NOT_ADDITIVE = ["NumRel", "trec.Rndcg"]


@pytest.fixture(autouse=True, scope="module")
def quickly() -> Iterator[None]:
    with quick(orders=20):
        yield


# Contributions.


def misfits(frame: pd.DataFrame, measures: Sequence[rm.Measure], **options: Any) -> set[str]:
    """Return the additive measures whose contributions do not add up to the value."""
    conventions = Conventions(**options)
    resolved = [measure.resolved(conventions.defaults) for measure in measures]
    wrong: set[str] = set()

    def look(system: int, ranked: Ranked) -> None:
        for measure in resolved:
            value = orders.value(measure, ranked.block)[0]
            parts = np.asarray(orders.contributions(measure, ranked.block))
            total = np.array([math.fsum(row) for row in parts])
            fits = np.abs(total - value) <= 1e-12 * np.maximum(1.0, np.abs(value))
            if measure.additive and not fits.all():
                wrong.add(str(measure))

    list(Rankings.of(frame, conventions).map(look))
    return wrong


@given(
    st.lists(queries(), min_size=1, max_size=3),
    st.sampled_from(ALL_TIES),
    st.sampled_from([None, 1, 3]),
)
@FEW
def test_contributions_add_up_to_the_value(
    collection: list[Drawn], ties: str, depth: int | None
) -> None:
    assert misfits(frame_of(collection), MEASURES, ties=ties, depth=depth) == set()


@given(
    st.lists(diverse_queries(), min_size=1, max_size=3),
    st.sampled_from(ALL_TIES),
    st.sampled_from([None, 2]),
)
@SOME
def test_contributions_by_subtopic_add_up_to_the_value(
    collection: list[Drawn], ties: str, depth: int | None
) -> None:
    frame = frame_of(collection, subtopics=True)
    assert misfits(frame, BY_TOPIC, ties=ties, depth=depth) == set()


def test_measures_that_are_no_sums_are_known() -> None:
    assert [cls.name for cls in shipped() if not cls.additive] == NOT_ADDITIVE


# What could be found.

# They have a value whatever was judged.
OF_WHAT_IS_SHOWN = {"Judged", "Unjudged", "NumRet", "RBPResidual", "trec.rbp_resid"}


@given(st.lists(queries(), min_size=1, max_size=4))
@SOME
def test_a_query_with_nothing_to_find_has_a_value_of_zero(collection: list[Drawn]) -> None:
    for frame, measures in ((frame_of(collection), MEASURES),):
        evaluation = rm.evaluate(frame, measures, ties="trec")
        found = np.nan_to_num(evaluation.per_query.to_numpy())
        hopeless = ~evaluation._values.findable.T
        # Irrelevant documents count against utility.
        wrong = (hopeless & (found > 0)).any(axis=0)
        named = {measure.name for measure, bad in zip(measures, wrong, strict=True) if bad}
        assert named <= {"trec.num_nonrel_judged_ret"}
        always = evaluation._values.findable.all(axis=1)
        assert {
            measure.name
            for measure, every in zip(measures, always, strict=True)
            if every and max(drawn.top for drawn in collection) == 0
        } <= OF_WHAT_IS_SHOWN


# C, W and L.

CWL: dict[str, tuple[str, dict[str, Any]]] = {
    "RBP(gains=graded, max_grade=3, p=0.9)": ("RBP", {"p": 0.9}),
    "INSQ(max_grade=3, T=2)": ("INSQ", {"T": 2}),
    "INST(max_grade=3, T=1.5)": ("INST", {"T": 1.5}),
    "BPM(max_grade=3, T=1, K=4)": ("BPM", {"T": 1, "K": 4}),
    "BPM(max_grade=3, T=1, K=4, hb=1, hc=1)": ("BPM_dynamic", {"T": 1, "K": 4}),
    "IFT(max_grade=3)": ("IFT", {}),
}


@given(st.lists(st.sampled_from([None, 0, 0, 1, 2, 3]), min_size=1, max_size=10))
@SOME
def test_views_are_those_of_the_definition_and_whole(grades: list[int | None]) -> None:
    frame = pd.DataFrame({"query": "q", "grade": grades, "score": -np.arange(float(len(grades)))})
    evaluation = rm.evaluate(frame.astype({"grade": float}).fillna({"grade": 0}), list(CWL))
    gains = [(grade or 0) / 3 for grade in grades]
    for text, part in evaluation.explain("q").parts.items():
        name, parameters = next(right for ours, right in CWL.items() if str(rm.parse(ours)) == text)
        right = reference.persistence.cwl(name, gains, **parameters)
        for letter in "CWL":
            assert part[letter].tolist() == pytest.approx(
                [float(x) for x in right[letter]], abs=1e-9
            )
        assert part["gain"].tolist() == pytest.approx(gains)
        assert part["W"].sum() <= 1 + 1e-12
        assert part["L"].sum() <= 1 + 1e-12
        assert ((part["C"] >= 0) & (part["C"] <= 1)).all()
        assert (part["W"] * part["gain"]).tolist() == pytest.approx(part["contribution"].tolist())


# Bounds.

# Where every unjudged document is worthless, and where every one is best, the value is at its
# lowest and highest.
ATTAINED = [
    "RR", "RR(rel=2)@2", "P", "P@3", "Success@2", "SetP", "NumRelRet@3", "CG@3", "DCG@3",
    "DCG(gain=linear, discount=reciprocal)", "DCG(gain={0: 0, 1: 5, 2: 1, 3: 2})@3",
    "ERR(max_grade=3)", "ERR(max_grade=3)@2", "RBP", "RBP(rel=2)@3",
    "RBP(gains=graded, max_grade=3)", "RBP(horizon=4)", "INSQ(max_grade=3)@3",
    "INSQ(gains=binary)", "SDCG(max_grade=3)@3", "SDCG(max_grade=3, discount=reciprocal)",
]  # fmt: skip
# The ideal moves too: the bounds hold the values, and may be wider. (What is not shown, below a
# cutoff, is left as it is: test_properties.py looks at that.)
HELD = ["nDCG", "nDCG(gain=linear)@6", "nDCG(gain={0: 0, 1: 5, 2: 1, 3: 2})"]
UNBOUNDED = [
    "AP", "R", "F1", "RPrec", "bpref", "ERR", "nERR(max_grade=3)", "EBU(max_grade=3)", "Judged",
    "Q", "SDCG", "RBP(gains=graded)", "INSQ", "INST(max_grade=3)", "Compat",
    "DCG(gain={0: 1, 1: 0, 2: 0, 3: 1})", "nDCG(discount=[0.1, 0.5])",
]  # fmt: skip


def bounds_of(frame: pd.DataFrame, measures: list[str], ties: str) -> pd.DataFrame:
    table = rm.evaluate(frame, measures, ties=ties).sensitivity
    return table[["unjudged_worthless", "unjudged_best"]]


@given(
    st.lists(st.sampled_from([None, None, 0, 1, 2, 3]), min_size=1, max_size=6).filter(
        lambda grades: 1 <= grades.count(None) <= 3
    ),
    st.lists(st.sampled_from([None, 1, 3]), max_size=2),
    st.booleans(),
)
@SOME
def test_bounds_hold_whatever_the_unjudged_documents_are(
    grades: list[int | None], missing: list[int | None], tied: bool
) -> None:
    """Every way to fill the gaps is tried: one query for each."""
    shown, whole = len(grades), [*grades, *missing, 0, 3]
    scores = [-(at // 2 if tied else at) for at in range(shown)] + [math.nan] * (len(missing) + 2)
    gaps = [at for at, grade in enumerate(grades) if grade is None]
    rows = []
    for number, guess in enumerate(itertools.product([0, 1, 2, 3], repeat=len(gaps))):
        filled = dict(zip(gaps, guess, strict=True))
        rows += [
            (f"f{number}", filled.get(at, grade), scores[at]) for at, grade in enumerate(whole)
        ]
    every = pd.DataFrame(rows, columns=["query", "grade", "score"]).astype({"grade": float})
    frame = pd.DataFrame({"query": "q", "grade": whole, "score": scores}).astype({"grade": float})
    found = rm.evaluate(every, ATTAINED + HELD).per_query
    bounds = bounds_of(frame, ATTAINED + HELD, "average")
    assert (bounds["unjudged_worthless"] <= found.min() + 1e-12).all()
    assert (bounds["unjudged_best"] >= found.max() - 1e-12).all()
    settled = [str(rm.parse(text)) for text in ATTAINED]
    low, high = bounds.loc[settled, "unjudged_worthless"], bounds.loc[settled, "unjudged_best"]
    np.testing.assert_allclose(low, found[settled].min(), atol=1e-12)
    np.testing.assert_allclose(high, found[settled].max(), atol=1e-12)


def test_no_bounds_are_claimed_where_none_are_known() -> None:
    frame = pd.DataFrame({"query": "q", "grade": [0, np.nan, 2], "score": [3.0, 2.0, 1.0]})
    assert bounds_of(frame, UNBOUNDED, "average").isna().all(axis=None)
    by_measure = {cls.name for cls in shipped() if cls.monotone}
    claimed = {rm.parse(text).name for text in ATTAINED}
    assert by_measure == claimed


def test_a_gain_table_need_not_know_the_scales_top() -> None:
    frame = pd.DataFrame({"query": "q", "grade": [0, np.nan, 2], "score": [3.0, 2.0, 1.0]})
    table = rm.evaluate(frame, "DCG(gain={0: 0, 1: 1, 2: 3})", max_grade=4).sensitivity
    assert table["unjudged_best"].item() == pytest.approx(3 / math.log2(3) + 3 / 2)


# Any parameters.

# With an ideal that need not be the best order, or a discount of one's own that may exceed 1.
UNBOUND = ("alpha-nDCG", "nERR-IA", "nNRBP", "Cascade", "EBU", "ERR")


@pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.name)
def test_any_parameters_in_range_give_a_number_on_the_scale(cls: type[rm.Measure]) -> None:
    """Warnings, such as of an overflow, are errors here."""
    diverse = cls in {type(measure) for measure in BY_TOPIC}

    @given(measures_of(cls), diverse_queries() if diverse else queries())
    @settings(max_examples=max(3, MOST // 8))
    def check(measure: rm.Measure, drawn: Drawn) -> None:
        found = rm.evaluate(frame_of([drawn], subtopics=diverse), measure, ties="trec", max_grade=8)
        value = found.per_query.iloc[0, 0]
        assert not math.isinf(value)
        if measure.unit and measure.name not in UNBOUND:
            assert math.isnan(value) or 0 <= value <= 1

    check()
