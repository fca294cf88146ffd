"""The differences of two systems as a sample: their mean, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rank_magic import statistics, weighting

__all__ = ["Sample", "mean", "spread"]

Floats = NDArray[np.float64]


def mean(values: Floats) -> float:
    """Return the mean of at least one number, exactly summed."""
    return math.fsum(values) / len(values)


def spread(values: Floats) -> float:
    """Return the standard deviation of a sample; 0 where all are equal, NaN where it is of one."""
    if len(values) < 2:
        return math.nan
    # The mean of equal numbers need not be that number to the last bit.
    if (values == values[0]).all():
        return 0.0
    return math.sqrt(math.fsum((values - mean(values)) ** 2) / (len(values) - 1))


@dataclass(frozen=True)
class Sample:
    """The differences that are there and count.

    Attributes
    ----------
    values : array of float, shape (queries,)
    weights : array of float, shape (queries,), or None
        None when all count the same.
    """

    values: Floats
    weights: Floats | None

    @classmethod
    def of(cls, row: Floats, weights: Floats | None) -> Sample:
        """Return those of a row's differences that are there and have a weight above 0."""
        return cls(*weighting.present(row, weights))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def constant(self) -> bool:
        """Whether there is a difference and all are the same."""
        return len(self) > 0 and bool((self.values == self.values[0]).all())

    @property
    def nothing(self) -> bool:
        """Whether there are queries and none of them differs."""
        return len(self) > 0 and not self.values.any()

    @cached_property
    def centre(self) -> float:
        """The mean difference."""
        return statistics.mean(self.values, self.weights)

    @cached_property
    def error(self) -> float:
        """Its standard error; NaN where nothing tells it."""
        if len(self) < 2 or self.constant:
            return 0.0 if self.constant and len(self) > 1 else math.nan
        if self.weights is None:
            return spread(self.values) / math.sqrt(len(self))
        return weighting.standard_error(self.values, self.weights, self.centre)

    @cached_property
    def worth(self) -> float:
        """How many queries of equal weight are worth as much."""
        if self.weights is None:
            return float(len(self))
        return weighting.effective_number(self.weights)

    @property
    def effect(self) -> float:
        """The mean over the standard deviation of differences, d_z; NaN where that is unknown."""
        if self.nothing or self.centre == 0.0:
            return 0.0
        if not self.error > 0:
            return math.nan
        return self.centre / (self.error * math.sqrt(self.worth))

    @property
    def flipped(self) -> Floats:
        """The numbers whose sum, under random signs, stands for the mean's."""
        return self.values if self.weights is None else self.values * self.weights

    @property
    def pulls(self) -> Floats:
        """The numbers whose plain mean moves as the weighted mean does when queries are redrawn."""
        if self.weights is None:
            return self.values
        share = self.weights * (len(self) / math.fsum(self.weights))
        return self.centre + share * (self.values - self.centre)
