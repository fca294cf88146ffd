"""Means and their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rank_magic import weighting

__all__ = ["aggregate", "interval", "mean", "summaries"]

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
# What a value below it counts as in a geometric mean, as in trec_eval.
FLOOR = 1e-5


def mean(values: Floats, weights: Floats | None = None) -> float:
    """Return the mean of the values that are there, exactly summed; NaN when none is."""
    there, weight = weighting.present(values, weights)
    if weight is not None:
        return weighting.mean(there, weight)
    return math.fsum(there.tolist()) / len(there) if len(there) else math.nan


def aggregate(values: Floats, how: str = "mean", weights: Floats | None = None) -> float:
    """Return the "mean", "geometric" mean or "sum" of the values that are there.

    Sums are counts of things, which no weight multiplies.
    """
    if how == "sum":
        return math.fsum(values[~np.isnan(values)].tolist())
    if how == "geometric":
        return math.exp(mean(np.log(np.maximum(values, FLOOR)), weights))
    return mean(values, weights)


def interval(
    values: Floats, how: str = "mean", weights: Floats | None = None
) -> tuple[float, float]:
    """Return the 95 % t interval of the aggregate; NaN for fewer than two values, and for sums.

    With weights the standard error is the jackknife's and the degrees of freedom are those of
    the effective number of values, see `rank_magic.weighting`.
    """
    if how == "geometric":
        low, high = interval(np.log(np.maximum(values, FLOOR)), weights=weights)
        return math.exp(low), math.exp(high)
    # Imported here since scipy takes longer to load than all of rank_magic.
    from scipy.special import stdtrit

    there, weight = weighting.present(values, weights)
    if len(there) < 2 or how == "sum":
        return math.nan, math.nan
    centre, freedom = mean(there, weight), len(there) - 1.0
    if weight is None:
        error = math.sqrt(math.fsum(((there - centre) ** 2).tolist()) / freedom) / math.sqrt(
            len(there)
        )
    else:
        error = weighting.standard_error(there, weight, centre)
        freedom = weighting.effective_number(weight) - 1
    half = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    if not math.isfinite(half):  # all the weight lies on one value
        return math.nan, math.nan
    return centre - half, centre + half


def summaries(
    values: Floats,
    how: Sequence[str],
    poison: NDArray[np.bool_] | None = None,
    weights: Floats | None = None,
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
    weights : array of float, shape (queries,), optional
        What each query counts; a query of weight 0 is not counted. Sums are not weighted.
    """
    rows = []
    for of_system in values:
        for number, row in enumerate(of_system):
            weight = None if how[number] == "sum" else weights
            there = weighting.present(row, weight)[0]
            count = len(there)
            if poison is not None and poison[number].any():
                rows.append((math.nan, math.nan, math.nan, count))
            else:
                whole = aggregate(row, how[number], weight)
                rows.append((whole, *interval(row, how[number], weight), count))
    return rows
