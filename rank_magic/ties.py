"""Groups of equal scores in a block of rankings, and exact expectations over their orders.

A tie group is a run of neighbouring cells of one ranking. As blocks are stored ranking after
ranking, every group is one contiguous segment of the flattened block. Sums go over such
segments only, so that what a group yields depends on nothing but its own members.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ties", "exclusive_product", "sequential_sum"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]

# What remains of the reader's attention below this is dropped: 2^-80 of it cannot move the
# last bit of a value.
NEGLIGIBLE = 2.0**-80
CHUNK_CELLS = 1 << 16


def sequential_sum(terms: Floats, axis: int = 1) -> Floats:
    """Sum strictly from the first term to the last.

    numpy's own sums split long rows in a way that depends on the row's length. Summed one
    after the other, zeros behind the last document change nothing, and a query's value is the
    same to the last bit whatever it was padded to.
    """
    terms = np.moveaxis(terms, axis, 1)
    if terms.shape[1] == 0:
        return np.zeros(terms.shape[0])
    if terms.shape[1] <= 32:
        total = terms[:, 0].astype(np.float64)
        for place in range(1, terms.shape[1]):
            total += terms[:, place]
        return total
    return np.add.accumulate(terms, axis=1, dtype=np.float64)[:, -1]


def exclusive_product(factors: Floats) -> Floats:
    """Return, for each cell of a row, the product of all factors to its left."""
    product = np.empty_like(factors)
    product[:, :1] = 1.0
    np.multiply.accumulate(factors[:, :-1], axis=1, out=product[:, 1:])
    return product


@dataclass(frozen=True)
class Ties:
    """The tie groups of a block.

    Attributes
    ----------
    equal : array of bool, shape (queries, width)
        Whether a cell's score equals that of its left neighbour. Cells without a document are
        groups of their own.
    """

    equal: NDArray[np.bool_]

    @cached_property
    def first(self) -> Ints:
        """Flat position of each group's first cell."""
        return np.flatnonzero(~self.equal.ravel())

    @cached_property
    def size(self) -> Ints:
        """Number of documents in each group."""
        return np.diff(self.first, append=self.equal.size)

    @cached_property
    def group(self) -> Ints:
        """Number of the group that each cell belongs to, shape (queries, width)."""
        return (np.cumsum(~self.equal.ravel()) - 1).reshape(self.equal.shape)

    @cached_property
    def column(self) -> Ints:
        """Column, counted from 0, of each group's first cell."""
        return self.first % self.equal.shape[1]

    def place(self, width: int) -> Ints:
        """Return each cell's place within its group, counted from 0."""
        return np.arange(width) - self.column[self.group[:, :width]]

    def total(self, values: NDArray[np.generic]) -> Floats:
        """Return the sum over each group of values given per cell."""
        return np.add.reduceat(values.ravel(), self.first, dtype=np.float64)

    def spread(self, per_group: NDArray[np.generic], width: int) -> Floats:
        """Give each of the first `width` cells the value of its group."""
        return np.asarray(per_group, dtype=np.float64)[self.group[:, :width]]

    def mean(self, values: Floats, width: int) -> Floats:
        """Return each cell's expected value when equals are shuffled."""
        return self.spread(self.total(values) / self.size, width)

    def hits(self, relevant: NDArray[np.bool_], width: int) -> Floats:
        """Return the expected number of relevant documents down to a cell that holds one.

        With c relevant documents above a group of n that holds m, a relevant document at the
        group's j-th place (from 0) sees c + 1 + j (m − 1) / (n − 1) on average.

        References
        ----------
        McSherry and Najork, Computing information retrieval performance measures efficiently
        in the presence of tied scores, ECIR 2008, section 3.2.
        """
        running = np.cumsum(relevant, axis=1).ravel()
        above: Floats = running[self.first] - relevant.ravel()[self.first]
        slope = (self.total(relevant) - 1.0) / np.maximum(self.size - 1, 1)
        place = self.place(width)
        return self.spread(above, width) + 1.0 + place * self.spread(slope, width)

    def stops(self, stop: Floats, width: int) -> Floats:
        """Return the probability that a cascade ends at each cell, equals shuffled.

        The reader goes down and ends at a document with the probability `stop`. Where every
        document ends the reading surely or not at all, the reader stands before an ending
        document with the chance m / (n − j) at the j-th place of a group of n that holds m.
        Otherwise see `_graded`.
        """
        if ((stop == 0) | (stop == 1)).all():
            left = self.spread(self.size, width) - self.place(width)
            hazard = np.minimum(self.spread(self.total(stop), width) / left, 1.0)
            return hazard * exclusive_product(1.0 - hazard)
        reach = exclusive_product(1.0 - stop)
        ends = (stop * reach).ravel()
        lowest = np.minimum.reduceat(stop.ravel(), self.first)
        highest = np.maximum.reduceat(stop.ravel(), self.first)
        mixed = (lowest != highest) & (self.column < width) & (reach.ravel()[self.first] > 0)
        places = np.minimum(self.size, width - self.column)
        groups = np.flatnonzero(mixed)
        groups = groups[np.argsort(self.size[groups], kind="stable")]
        while len(groups):
            cells = self.size[groups] * np.arange(1, len(groups) + 1)
            chunk, groups = np.split(groups, [max(1, int(np.searchsorted(cells, CHUNK_CELLS)))])
            self._graded(ends, stop.ravel(), reach.ravel(), chunk, places[chunk])
        return ends.reshape(stop.shape)[:, :width]

    def _graded(
        self, ends: Floats, stop: Floats, reach: Floats, groups: Ints, places: Ints
    ) -> None:
        """Write the expected endings of groups whose documents stop with various chances.

        Let E_i be the mean product of (1 − stop) over i distinct stopping documents of the
        group (an elementary symmetric mean), and let the number i of stopping documents seen
        be a draw without replacement. Then the reader ends at the next place with probability
        reach · Σ_i P(i seen) · (m − i) / (n − j) · (E_i − E_{i+1}). All terms are positive, so
        that nothing cancels. Cost: places · min(m, places, i at which E_i < 2^-80).
        """
        first, size = self.first[groups], self.size[groups]
        cell = first[:, None] + np.arange(size.max())
        inside = np.arange(size.max()) < size[:, None]
        # Stopping documents first, in one order that depends on nothing but themselves.
        chance = -np.sort(-np.where(inside, stop[np.where(inside, cell, 0)], 0.0), axis=1)
        number = (chance > 0).sum(axis=1)
        mean = _symmetric_means(1.0 - chance.T, number, int(places.max()))
        drop = np.where(mean[:-1] > NEGLIGIBLE, mean[:-1] - mean[1:], 0.0)
        used = int(np.flatnonzero(drop.any(axis=1)).max(initial=0)) + 1
        drop = drop[:used]
        seen = np.arange(used)[:, None]
        unseen = np.maximum(number - seen, 0)
        chance_seen = np.zeros((used, len(groups)))
        chance_seen[0] = 1.0
        for place in range(int(places.max())):
            left = np.maximum(size - place, 1)
            step = chance_seen * (unseen / left)
            end = sequential_sum(step * drop, axis=0)
            at = place < places
            ends[first[at] + place] = reach[first[at]] * end[at]
            chance_seen *= np.maximum(left - unseen, 0) / left
            chance_seen[1:] += step[:-1]


def _symmetric_means(factors: Floats, number: Ints, longest: int) -> Floats:
    """Return the mean product over i distinct factors, for i from 0.

    Parameters
    ----------
    factors : array of float, shape (most, groups)
        Factors of each group, the first `number` of them.
    number : array of int, shape (groups,)
        How many factors each group has.
    longest : int
        Largest i wanted.

    Returns
    -------
    array of float, shape (min(longest, most) + 2, groups)
        Zero where i exceeds the number of factors.
    """
    most = int(number.max(initial=0))
    mean = np.zeros((min(longest, most) + 2, len(number)))
    mean[0] = 1.0
    chosen = np.arange(1, len(mean))[:, None]
    for t in range(1, most + 1):
        # The t-th factor is among i chosen out of t with probability i / t.
        share = np.minimum(chosen / t, 1.0)
        grown = mean[1:] * (1.0 - share) + mean[:-1] * (share * factors[t - 1])
        grown[chosen[:, 0] > t] = 0.0
        mean[1:] = np.where(t <= number, grown, mean[1:])
    return mean
