"""Weighted means and their standard errors: queries that count more than others.

The weights are those of queries, such as how often each is asked. The weighted mean is
x̄ = Σ w·x / Σ w. Its standard error is the jackknife's, from leaving out one query at a time:

    SE² = (n − 1) / n · Σ (w_i · (x_i − x̄) / (W − w_i))²,   W = Σ w

and its t interval has as many degrees of freedom as queries of equal weight would give that are
worth as much: n_eff − 1 with Kish's effective number n_eff = (Σ w)² / Σ w². With equal weights
both are the usual ones, s² / n and n − 1. Unlike s² / n_eff the jackknife does not suppose that
the values of heavy queries scatter as much as those of light ones.

By simulation (20,000 sets each of 50 and of 200 queries with skewed values; weights gamma,
exponential, lognormal with σ = 1, Pareto with exponent 2.5 or Zipf, on which the values depend or
not) 95 % intervals cover 93.0 to 95.3 %.

References
----------
Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapter 11 (11.5).
Kish, L. (1965). Survey Sampling. Section 11.2.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["effective_number", "mean", "present", "standard_error"]

Floats = NDArray[np.float64]


def present(values: Floats, weights: Floats | None) -> tuple[Floats, Floats | None]:
    """Return the values that are there and count, and their weights; none when all are equal.

    Equal weights change nothing, to the last bit. Weights are returned as shares of the largest.
    """
    if weights is None:
        return values[~np.isnan(values)], None
    counts = ~np.isnan(values) & (weights > 0)
    there, weight = values[counts], weights[counts]
    if not len(weight) or weight.min() == weight.max():
        return there, None
    return there, weight / weight.max()


def mean(values: Floats, weights: Floats) -> float:
    """Return the weighted mean, summed from the lowest value so that equals give themselves."""
    lowest = float(values.min())
    above = math.fsum(weights * (values - lowest)) / math.fsum(weights)
    return min(lowest + above, float(values.max()))


def standard_error(values: Floats, weights: Floats, centre: float) -> float:
    """Return the jackknife's standard error of a weighted mean, at least two weights above 0."""
    number, rest = len(values), math.fsum(weights) - weights
    if rest.min() <= 0:  # one weighs so much that the others are lost in rounding
        return math.nan
    moved = weights * (values - centre) / rest
    return math.sqrt((number - 1) / number * math.fsum(moved**2))


def effective_number(weights: Floats) -> float:
    """Return how many queries of equal weight are worth as much, (Σ w)² / Σ w²."""
    shares = weights / weights.max()
    return math.fsum(shares) ** 2 / math.fsum(shares**2)
