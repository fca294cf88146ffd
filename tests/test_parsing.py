"""Measures print back as they are read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rank_magic as rm
from rank_magic.errors import MeasureError
from rank_magic.measures import known, parse_all
from rank_magic.measures.base import SHIPPED

NUMBERS = st.one_of(
    st.integers(1, 1000), st.floats(1e-6, 1e6, allow_nan=False).map(lambda x: round(x, 12))
)
GAINS = st.one_of(
    st.sampled_from(["exp2", "linear", "binary"]),
    st.dictionaries(st.integers(0, 9), st.floats(0, 100), min_size=1, max_size=4),
)
DISCOUNTS = st.one_of(
    st.sampled_from(["log2", "reciprocal", "none", "jarvelin", "log10", "geometric0.8"]),
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
)


def values(field: Any) -> st.SearchStrategy[Any]:
    """Return what a parameter may be."""
    meta = field.metadata
    if meta["choices"]:
        return st.sampled_from(meta["choices"])
    if meta["kind"] == "gain":
        return GAINS
    if meta["kind"] == "discount":
        return DISCOUNTS
    low, high = max(meta["low"], -1e6), min(meta["high"], 1e6)
    if field.name == "horizon":
        return st.integers(1, 5000)
    whole = st.integers(max(1, int(low)), int(high)) if high >= 1 and high > low else st.nothing()
    return st.one_of(st.floats(low, high, allow_nan=False), whole)


@st.composite
def measures(draw: st.DrawFn) -> rm.Measure:
    cls = draw(st.sampled_from([c for c in known() if c.name.lower() in SHIPPED]))
    chosen = draw(st.sets(st.sampled_from(range(len(cls.parameters()) or 1))))
    given_ = {
        field.name: draw(values(field))
        for place, field in enumerate(cls.parameters())
        if place in chosen
    }
    if cls.cutoff and draw(st.booleans()):
        given_["k"] = draw(st.integers(1, 10_000))
    return cls(**given_)


@given(measures())
def test_a_measure_prints_back_as_it_is_read(measure: rm.Measure) -> None:
    assert rm.parse(str(measure)) == measure
    assert hash(rm.parse(str(measure))) == hash(measure)
    assert str(rm.parse(str(measure))) == str(measure)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("ndcg@10", "nDCG@10"),
        (" NDCG @ 10 ", "nDCG@10"),
        ("mrr", "RR"),
        ("MAP", "AP"),
        ("hitrate@5", "Success@5"),
        ("rbp( p = 0.5 )", "RBP(p=0.5)"),
        ("map_cut_10", "AP@10"),
        ("P_5", "P@5"),
        ("recip_rank", "RR"),
        ("trec.ndcg", "nDCG(gain=linear, discount=log2)"),
        ("alpha_ndcg@20", "alpha-nDCG@20"),
    ],
)
def test_spellings(text: str, meant: str) -> None:
    assert str(rm.parse(text)) == meant


def test_several_stand_apart_by_spaces_or_commas() -> None:
    text = "ndcg@10, ap(rel=2, denominator=min)@5 rr ndcg@10"
    assert [str(m) for m in parse_all(text)] == ["nDCG@10", "AP(rel=2, denominator=min)@5", "RR"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("ndgc@10", "nDCG"),
        ("AP(relevance=2)", "'rel'"),
        ("nDCG(gain=expo)", "exp2"),
        ("RPrec@10", "no cutoff"),
        ("nDCG@0", "at least 1"),
        ("RBP(p=1.5)", "below 1"),
        ("AP(rel)", "name=value"),
        ("nDCG@10@20", "whole number"),
        ("", "No measure"),
    ],
)
def test_what_cannot_be_read_says_what_can(text: str, says: str) -> None:
    with pytest.raises(MeasureError, match=says):
        parse_all(text)
