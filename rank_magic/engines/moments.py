"""Means and intervals from parts: sums that come out the same however the values were divided."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from rank_magic.statistics import CONFIDENCE, FLOOR

__all__ = ["Moments"]

Floats = NDArray[np.float64]

# Multiplied by it, a float splits into two halves of 26 bits (Veltkamp).
SPLITTER = 2.0**27 + 1


@dataclass(frozen=True)
class Moments:
    """The number of values, their sum and the sum of their squares, with twice a float's digits.

    Attributes
    ----------
    count : int
        How many values are there.
    total, squares : tuple of float
        Sums as a float and what was rounded off it, so that nothing is lost when parts are added.
    """

    count: int = 0
    total: tuple[float, ...] = ()
    squares: tuple[float, ...] = ()

    @classmethod
    def of(cls, values: Floats, how: str = "mean") -> Moments:
        """Return the moments of the values that are there, of their logarithms if geometric."""
        there = values[~np.isnan(values)]
        if how == "geometric":
            there = np.log(np.maximum(there, FLOOR))
        return cls(len(there), _sum(there.tolist()), _sum(_squares(there)))

    @classmethod
    def merged(cls, parts: Iterable[Moments]) -> Moments:
        """Return the moments of the values of all parts together."""
        parts = list(parts)
        return cls(
            sum(part.count for part in parts),
            _sum([term for part in parts for term in part.total]),
            _sum([term for part in parts for term in part.squares]),
        )

    @property
    def mean(self) -> float:
        """The mean, NaN when there are no values."""
        return math.fsum(self.total) / self.count if self.count else math.nan

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, NaN for fewer than two values."""
        if self.count < 2:
            return math.nan
        if not all(map(math.isfinite, (*self.total, *self.squares))):
            return math.inf
        total = sum(map(Fraction, self.total), Fraction(0))
        squares = sum(map(Fraction, self.squares), Fraction(0))
        variance = float(squares - total**2 / self.count) / (self.count - 1)
        return math.sqrt(max(variance, 0.0) / self.count)

    def row(self, how: str = "mean") -> tuple[float, float, float, int]:
        """Return the aggregate, the ends of its 95 % t interval, and the number of values."""
        from scipy.special import stdtrit

        if how == "sum":
            return math.fsum(self.total), math.nan, math.nan, self.count
        half = float(stdtrit(max(self.count - 1, 1), (1 + CONFIDENCE) / 2)) * self.standard_error
        if not math.isfinite(half):
            half = math.nan
        ends = (self.mean, self.mean - half, self.mean + half)
        mean, low, high = map(math.exp, ends) if how == "geometric" else ends
        return mean, low, high, self.count


def _sum(terms: list[float]) -> tuple[float, ...]:
    """Return the sum of the terms as a float and what that float is off."""
    whole = math.fsum(terms)
    return (whole, math.fsum([*terms, -whole])) if math.isfinite(whole) else (whole,)


def _squares(values: Floats) -> list[float]:
    """Return numbers that add up to the sum of the squares: each square, and its rounding."""
    with np.errstate(over="ignore", invalid="ignore"):
        square, scaled = values * values, SPLITTER * values
        high = scaled - (scaled - values)
        low = values - high
        rounding = low * low - ((square - high * high) - 2 * high * low)
    return [*square.tolist(), *np.where(np.isfinite(rounding), rounding, 0.0).tolist()]
