"""Means and their intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["interval", "mean", "summaries"]

Floats = NDArray[np.float64]

CONFIDENCE = 0.95


def mean(values: Floats) -> float:
    """Return the mean of the values that are there, exactly summed; NaN when none is."""
    there = values[~np.isnan(values)]
    return math.fsum(there) / len(there) if len(there) else math.nan


def interval(values: Floats) -> tuple[float, float]:
    """Return the t interval of the mean, at 95 %; NaN for fewer than two values."""
    # Imported here since scipy takes longer to load than all of rank_magic.
    from scipy.special import stdtrit

    there = values[~np.isnan(values)]
    if len(there) < 2:
        return math.nan, math.nan
    centre = mean(there)
    spread = math.sqrt(math.fsum((there - centre) ** 2) / (len(there) - 1))
    half = float(stdtrit(len(there) - 1, (1 + CONFIDENCE) / 2)) * spread / math.sqrt(len(there))
    return centre - half, centre + half


def summaries(
    values: Floats, poison: NDArray[np.bool_] | None = None
) -> list[tuple[float, float, float, int]]:
    """Return mean, interval and count for each system and measure.

    Parameters
    ----------
    values : array of float, shape (systems, measures, queries)
        NaN where a query has no value.
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
                rows.append((mean(row), *interval(row), count))
    return rows
