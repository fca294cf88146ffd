"""The values that are compared, on the scale on which they are averaged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rank_magic import statistics
from rank_magic.comparison.pairs import Pair
from rank_magic.comparison.together import Together

__all__ = ["complete", "on_their_scale", "shared_means", "without_mean"]

Floats = NDArray[np.float64]


def on_their_scale(side: Together) -> Floats:
    """Return values as they are averaged: for a geometric mean their logarithms."""
    values = side.ruled
    for place, how in enumerate(side.aggregates):
        if how == "geometric":
            values[:, place] = np.log(np.maximum(values[:, place], statistics.FLOOR))
    return values


def without_mean(side: Together) -> NDArray[np.bool_]:
    """Return which measures have no mean, since some of their queries have no value by rule."""
    if side.rules.no_relevant != "nan":
        return np.zeros(len(side.measures), dtype=bool)
    return np.asarray(side.values.without_relevant.any(axis=1))


def complete(values: Floats) -> NDArray[np.bool_]:
    """Return the queries in which every system has a value by every measure that has any."""
    there = ~np.isnan(values)
    measured = there.any(axis=(0, 2))
    return np.asarray(there[:, measured].all(axis=(0, 1)))


def shared_means(side: Together, pairs: Sequence[Pair]) -> Floats:
    """Return the means of system and baseline, shape (rows, 2), over the queries they share."""
    ruled, weights = side.ruled, side.weights
    lacking = without_mean(side)
    rows = []
    for place, how in enumerate(side.aggregates):
        aggregate = partial(
            statistics.aggregate, how="mean" if how == "sum" else how, weights=weights
        )
        for pair in pairs:
            two = ruled[list(pair), place]
            there = ~np.isnan(two).any(axis=0) & ~lacking[place]
            rows.append([aggregate(np.where(there, row, np.nan)) for row in two])
    return np.array(rows)
