"""Measures with any parameters in their range, drawn by hypothesis from what they declare."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from hypothesis import strategies as st

from rank_magic.discounts import SHIPPED
from rank_magic.measures import Measure

GRADES = [0.5, 1, 1.5, 2, 3]
LEAST = 1e-9


def numbers(low: float, high: float) -> st.SearchStrategy[float]:
    """Return a strategy for the ends of a range, and numbers of a sensible size between."""
    least = max(low, LEAST)
    between = st.floats(least, high, allow_subnormal=False)
    whole = range(math.ceil(low), math.floor(high) + 1)
    ends = st.sampled_from([low, high])
    return ends | between | (st.sampled_from(whole) if whole else st.nothing())


CHANCE, WORTH = numbers(0, 1), numbers(0, 100)
# Grade 0, and with it what nobody judged, is worth nothing.
GAIN = st.sampled_from(["exp2", "linear", "binary"]) | st.fixed_dictionaries(
    {0: st.just(0), **dict.fromkeys(GRADES, WORTH)}
)
FAMILY = st.sampled_from(["log3", "log10", "jarvelin3", "jarvelin2.5", "geometric0.8"])
NAMED = st.sampled_from(sorted(SHIPPED)) | FAMILY
CURVE = st.lists(CHANCE, max_size=5)
DISCOUNT = NAMED | CURVE
# No rank is worth more than one above it.
FALLING = NAMED | CURVE.map(lambda weights: sorted(weights, reverse=True))
# They have no ideal ranking with any other, which is an error.
NEVER_RISING = {"nERR"}


def values_of(
    field: dataclasses.Field[Any], discounts: st.SearchStrategy[Any] = DISCOUNT
) -> st.SearchStrategy[Any]:
    """Return a strategy for a parameter's values, its default among them."""
    about = field.metadata
    if about["kind"] == "gain":
        values: st.SearchStrategy[Any] = GAIN
    elif about["kind"] == "discount":
        values = discounts
    elif about["kind"] == "satisfaction":
        values = st.sampled_from(about["choices"]) | st.fixed_dictionaries(
            dict.fromkeys(GRADES, CHANCE)
        )
    elif about["choices"]:
        values = st.sampled_from(about["choices"])
    else:
        # A highest grade must be the highest.
        low = max(GRADES) if field.name == "max_grade" else max(about["low"], -1000)
        high = min(about["high"], 1000)
        whole = about["kind"] == "whole"
        values = st.integers(math.ceil(low), math.floor(high)) if whole else numbers(low, high)
    return st.just(field.default) | values


@st.composite
def measures_of(
    draw: st.DrawFn, cls: type[Measure], *, discounts: st.SearchStrategy[Any] = DISCOUNT
) -> Measure:
    """Draw a measure of this class."""
    if cls.name in NEVER_RISING:
        discounts = FALLING
    given = {field.name: draw(values_of(field, discounts)) for field in cls.parameters()}
    if cls.cutoff:
        given["k"] = draw(st.none() | st.integers(1, 1000))
    return cls(**given)
