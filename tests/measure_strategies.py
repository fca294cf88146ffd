"""Measures with any parameters in their range, drawn by hypothesis from what they declare."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from hypothesis import strategies as st

from rank_magic.discounts import DISCOUNTS
from rank_magic.gains import GAINS
from rank_magic.measures import Measure

GRADES = [0, 0.5, 1, 1.5, 2, 3]
WORTH = st.floats(0, 100, allow_nan=False) | st.integers(0, 100)
CHANCE = st.floats(0, 1, allow_nan=False)

GAIN = st.sampled_from(sorted(GAINS)) | st.fixed_dictionaries(dict.fromkeys(GRADES, WORTH))
FAMILY = st.sampled_from(["log3", "log10", "jarvelin3", "jarvelin2.5", "geometric0.8"])
DISCOUNT = st.sampled_from(sorted(DISCOUNTS)) | FAMILY | st.lists(CHANCE, max_size=5)


def values_of(field: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    """Return a strategy for a parameter's values, its default among them."""
    about = field.metadata
    if about["kind"] == "gain":
        values: st.SearchStrategy[Any] = GAIN
    elif about["kind"] == "discount":
        values = DISCOUNT
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
        whole = st.integers(math.ceil(low), math.floor(high)) if high >= 1 else st.nothing()
        values = whole if about["kind"] == "whole" else whole | st.floats(low, high)
    return st.just(field.default) | values


@st.composite
def measures_of(draw: st.DrawFn, cls: type[Measure]) -> Measure:
    """Draw a measure of this class."""
    given = {field.name: draw(values_of(field)) for field in cls.parameters()}
    if cls.cutoff:
        given["k"] = draw(st.none() | st.integers(1, 1000))
    return cls(**given)
