"""Means and their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["aggregate", "interval", "mean", "summaries"]

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
# What a value below it counts as in a geometric mean, as in trec_eval.
FLOOR = 1e-5


def mean(values: Floats) -> float:
    """Return the mean of the values that are there, exactly summed; NaN when none is."""
    there = values[~np.isnan(values)]
    return math.fsum(there) / len(there) if len(there) else math.nan


def aggregate(values: Floats, how: str = "mean") -> float:
    """Return the "mean", "geometric" mean or "sum" of the values that are there."""
    if how == "sum":
        return math.fsum(values[~np.isnan(values)])
    if how == "geometric":
        return math.exp(mean(np.log(np.maximum(values, FLOOR))))
    return mean(values)


def interval(values: Floats, how: str = "mean") -> tuple[float, float]:
    """Return the 95 % t interval of the aggregate; NaN for fewer than two values, and for sums."""
    if how == "geometric":
        low, high = interval(np.log(np.maximum(values, FLOOR)))
        return math.exp(low), math.exp(high)
    # Imported here since scipy takes longer to load than all of rank_magic.
    from scipy.special import stdtrit

    there = values[~np.isnan(values)]
    if len(there) < 2 or how == "sum":
        return math.nan, math.nan
    centre = mean(there)
    spread = math.sqrt(math.fsum((there - centre) ** 2) / (len(there) - 1))
    half = float(stdtrit(len(there) - 1, (1 + CONFIDENCE) / 2)) * spread / math.sqrt(len(there))
    return centre - half, centre + half


def summaries(
    values: Floats, how: Sequence[str], poison: NDArray[np.bool_] | None = None
) -> list[tuple[float, float, float, int]]:
    """Return aggregate, interval and count for each system and measure.

    Parameters
    ----------
    values : array of float, shape (systems, measures, queries)
        NaN where a query has no value.
    how : sequence of str, one per measure
        How each measure's values become one.
    poison : array of bool, shape (measures, queries), optional
        Queries whose missing value makes the mean over them missing too.
    """
    rows = []
    for of_system in values:
        for number, row in enumerate(of_system):
            count = int(np.count_nonzero(~np.isnan(row)))
            if poison is not None and poison[number].any():
                rows.append((math.nan, math.nan, math.nan, count))
            else:
                whole = aggregate(row, how[number])
                rows.append((whole, *interval(row, how[number]), count))
    return rows
