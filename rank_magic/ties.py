"""Groups of equal scores in a block of rankings, and exact expectations over their orders.

A tie group is a run of neighbouring cells of one ranking. As blocks are stored ranking after
ranking, every group is one contiguous segment of the flattened block. Within a group documents
stand by grade, the highest first, so that what a group yields depends on nothing but its own
members: not on row order, not on ids.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ties", "exclusive_product", "running_sum", "sequential_sum"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]

# What remains of the reader's attention below this is dropped: 2^-80 of it cannot move the
# last bit of a value.
NEGLIGIBLE = 2.0**-80
CHUNK_CELLS = 1 << 16
# Rows shorter than this are worked on column by column.
NARROW = 32


def sequential_sum(terms: NDArray[Any]) -> Floats:
    """Sum each row strictly from its first term to its last.

    numpy's own row sums split long rows in a way that depends on the row's length. Summed one
    after the other, zeros behind the last document change nothing, and a query's value is the
    same to the last bit whatever it was padded to.
    """
    if terms.shape[1] == 0:
        return np.zeros(len(terms))
    if terms.shape[1] <= NARROW:
        total = terms[:, 0].astype(np.float64)
        for column in range(1, terms.shape[1]):
            total += terms[:, column]
        return total
    if len(terms) < NARROW:
        return np.add.accumulate(terms, axis=1, dtype=np.float64)[:, -1]
    # With rows side by side in memory, numpy adds one column after the other.
    return np.add.reduce(np.asfortranarray(terms), axis=1, dtype=np.float64)


def running_sum(terms: NDArray[Any]) -> Ints:
    """Return how many true cells each row has down to each cell."""
    if terms.shape[1] > NARROW:
        return np.cumsum(terms, axis=1, dtype=np.int32)
    total = terms.astype(np.int32)
    for column in range(1, terms.shape[1]):
        total[:, column] += total[:, column - 1]
    return total


def exclusive_product(factors: Floats) -> Floats:
    """Return, for each cell of a row, the product of all factors to its left."""
    product = np.empty_like(factors)
    product[:, :1] = 1.0
    if factors.shape[1] > NARROW:
        np.multiply.accumulate(factors[:, :-1], axis=1, out=product[:, 1:])
        return product
    for column in range(1, factors.shape[1]):
        np.multiply(product[:, column - 1], factors[:, column - 1], out=product[:, column])
    return product


class Span(NamedTuple):
    """The cells of tie groups within the first columns of a block.

    Attributes
    ----------
    group : array of int, shape (cells,)
        Number of each cell's group.
    place : array of int, shape (cells,)
        Its place in the group, counted from 0.
    at : array of int, shape (cells,)
        Its flat position among those columns.
    """

    group: Ints
    place: Ints
    at: Ints


@dataclass(frozen=True)
class Ties:
    """The groups of at least two equal scores of a block.

    Attributes
    ----------
    shape : tuple of int
        Queries and width of the block.
    first : array of int, shape (groups,)
        Flat position of each group's first cell.
    size : array of int, shape (groups,)
        Number of its documents.
    """

    shape: tuple[int, int]
    first: Ints
    size: Ints
    _spans: dict[int, Span] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, equal: NDArray[np.bool_]) -> Ties:
        """Find the groups, given which cells equal their left neighbour."""
        flat = equal.ravel()
        edges = np.flatnonzero(flat[1:] != flat[:-1])
        last = edges[1::2] if len(edges) % 2 == 0 else np.append(edges[1::2], len(flat) - 1)
        return cls(equal.shape, edges[::2], last - edges[::2] + 1)

    def take(self, rows: Ints) -> Ties:
        """Return the groups of some of the rows, as a block of those rows."""
        chosen = np.full(self.shape[0], -1)
        chosen[rows] = np.arange(len(rows))
        row = chosen[self.row]
        kept = row >= 0
        order = np.argsort(row[kept], kind="stable")
        first = (row * self.shape[1] + self.column)[kept][order]
        return Ties((len(rows), self.shape[1]), first, self.size[kept][order])

    @property
    def row(self) -> Ints:
        """Row of each group."""
        return self.first // self.shape[1]

    @property
    def column(self) -> Ints:
        """Column of each group's first cell, counted from 0."""
        return self.first % self.shape[1]

    def span(self, width: int) -> Span:
        """Return the groups' cells within the first `width` columns."""
        if width not in self._spans:
            places = np.clip(width - self.column, 0, self.size)
            group = np.repeat(np.arange(len(places)), places)
            place = np.arange(len(group)) - np.repeat(np.cumsum(places) - places, places)
            at = (self.row * width + self.column)[group] + place
            self._spans[width] = Span(group, place, at)
        return self._spans[width]

    def total(self, values: NDArray[Any]) -> Floats:
        """Return the sum over each group of values given per cell of the block."""
        return np.add.reduceat(values.ravel(), self._ends, dtype=np.float64)[::2]

    def mean(self, values: NDArray[Any]) -> Floats:
        """Return the mean over each group of values given per cell of the block.

        The mean of equal values is that value, to the last bit.
        """
        lowest = np.minimum.reduceat(values.ravel(), self._ends)[::2]
        highest = np.maximum.reduceat(values.ravel(), self._ends)[::2]
        return np.where(lowest == highest, lowest, self.total(values) / self.size)

    @property
    def _ends(self) -> Ints:
        """Where each group starts and ends, in turn; the last end left out at the block's end."""
        ends = np.stack([self.first, self.first + self.size], axis=1).ravel()
        return ends[:-1] if ends[-1] == self.shape[0] * self.shape[1] else ends

    def first_column(self) -> Ints:
        """Return the column at which each cell's group starts; its own for a single cell."""
        start = np.tile(np.arange(self.shape[1]), (self.shape[0], 1))
        span = self.span(self.shape[1])
        start.ravel()[span.at] = self.column[span.group]
        return start

    def by_grade(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the codes with each group in descending order of grade."""
        span = self.span(self.shape[1])
        sorted_ = codes.copy()
        members = codes.ravel()[span.at]
        kinds = int(members.max(initial=0)) + 1
        if kinds * len(self.size) <= max(4 * len(members), 1 << 12):
            # A counting sort: how often each code occurs in each group says it all.
            down = kinds - 1 - members
            counts = np.bincount(span.group * kinds + down, minlength=kinds * len(self.size))
            ordered = np.arange(kinds - 1, -1, -1, dtype=codes.dtype)
            sorted_.ravel()[span.at] = np.repeat(np.tile(ordered, len(self.size)), counts)
        else:
            sorted_.ravel()[span.at] = members[np.lexsort((-members, span.group))]
        return sorted_

    def together_by_grade(self, *parts: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return codes that belong together with each group in descending order of grade.

        Equal codes of the first part go by those of the second, and so on.
        """
        if len(parts) == 1:
            return (self.by_grade(parts[0]),)
        group, _, at = self.span(self.shape[1])
        order = np.lexsort((*(-part.ravel()[at] for part in reversed(parts)), group))
        return tuple(rearranged(part, at, order) for part in parts)

    def shuffled(self, grades: NDArray[np.uint64], number: int) -> tuple[Ints, Ints]:
        """Return the groups' flat cells, and the `number`-th of a series of random orders.

        The orders of a row depend on nothing but its own grades, written as whole numbers, 0
        where no document is, so that neither its neighbours nor its padding can change a value.
        """
        group, _, at = self.span(self.shape[1])
        odd = np.full(self.shape[1], 0x9E3779B97F4A7C15, dtype=np.uint64)
        power = np.multiply.accumulate(odd)
        row = (_mixed(grades) * power).sum(axis=1, dtype=np.uint64)
        seed = _mixed(row + np.uint64(number * 0xD1B54A32D192ED03 % 2**64))
        key = _mixed(seed[at // self.shape[1]] + power[at % self.shape[1]])
        return at, np.lexsort((key, group))

    def hits(self, relevant: NDArray[np.bool_], running: Ints) -> Floats:
        """Return the expected number of relevant documents down to a cell that holds one.

        With c relevant documents above a group of n that holds m, a relevant document at the
        group's j-th place (from 0) sees c + 1 + j (m − 1) / (n − 1) on average.

        Parameters
        ----------
        relevant : array of bool, shape of the block
        running : array of int, shape (queries, width)
            Running number of relevant documents in the first columns.

        References
        ----------
        McSherry and Najork, Computing information retrieval performance measures efficiently
        in the presence of tied scores, ECIR 2008, section 3.2.
        """
        hits = running.astype(np.float64)
        width = running.shape[1]
        group, place, at = self.span(width)
        inside = self.column < width
        before = np.zeros(len(self.size))
        row, column = self.row[inside], self.column[inside]
        before[inside] = np.where(column > 0, hits[row, np.maximum(column - 1, 0)], 0.0)
        slope = (self.total(relevant) - 1.0) / (self.size - 1)
        hits.ravel()[at] = before[group] + 1.0 + place * slope[group]
        return hits

    def stops(self, stop: Floats, width: int) -> Floats:
        """Return the probability that a cascade ends at each of the first cells.

        The reader goes down and ends at a document with the probability `stop`. Where every
        document ends the reading surely or not at all, the reader stands before an ending
        document with the chance m / (n − j) at the j-th place of a group of n that holds m.
        Otherwise see `_graded`.
        """
        group, place, at = self.span(width)
        if ((stop == 0) | (stop == 1)).all():
            hazard = stop[:, :width].copy()
            chance = self.total(stop)[group] / (self.size[group] - place)
            hazard.ravel()[at] = np.minimum(chance, 1.0)
            return hazard * exclusive_product(1.0 - hazard)
        lowest, highest = stop.ravel()[self.first + self.size - 1], stop.ravel()[self.first]
        reach = exclusive_product(1.0 - stop[:, :width])
        ends = stop[:, :width] * reach
        inside = np.flatnonzero((self.column < width) & (lowest != highest))
        before = reach[self.row[inside], self.column[inside]]
        groups, before = inside[before > 0], before[before > 0]
        order = np.argsort(self.size[groups], kind="stable")
        groups, before = groups[order], before[order]
        while len(groups):
            cells = self.size[groups] * np.arange(1, len(groups) + 1)
            end = max(1, int(np.searchsorted(cells, CHUNK_CELLS)))
            self._graded(ends, stop.ravel(), before[:end], groups[:end])
            groups, before = groups[end:], before[end:]
        return ends

    def _graded(self, ends: Floats, stop: Floats, before: Floats, groups: Ints) -> None:
        """Write the expected endings of groups whose documents stop with various chances.

        Let E_i be the mean product of (1 − stop) over i distinct stopping documents of the
        group (an elementary symmetric mean), and let the number i of stopping documents seen
        be a draw without replacement. Then the reader ends at the next place with probability
        reach · Σ_i P(i seen) · (m − i) / (n − j) · (E_i − E_{i+1}). All terms are positive, so
        that nothing cancels. Cost: places · min(m, places, i at which E_i < 2^-80).
        """
        first, size = self.first[groups], self.size[groups]
        width = ends.shape[1]
        start = self.row[groups] * width + self.column[groups]
        places = np.minimum(size, width - self.column[groups])
        cell = np.arange(size.max())
        inside = cell < size[:, None]
        chance = np.where(inside, stop[np.where(inside, first[:, None] + cell, 0)], 0.0)
        # A satisfaction that does not grow with the grade is sorted by itself.
        chance = -np.sort(-chance, axis=1)
        number = np.count_nonzero(chance > 0, axis=1)
        mean = _symmetric_means(1.0 - chance.T, number, _useful(chance, number, int(places.max())))
        drop = np.where(mean[:-1] > NEGLIGIBLE, mean[:-1] - mean[1:], 0.0)
        used = int(np.flatnonzero(drop.any(axis=1)).max(initial=0)) + 1
        drop = drop[:used]
        unseen = np.maximum(number - np.arange(used)[:, None], 0)
        seen = np.zeros((used, len(groups)))
        seen[0] = 1.0
        for place in range(int(places.max())):
            left = np.maximum(size - place, 1)
            step = seen * (unseen / left)
            end = sequential_sum((step * drop).T)
            at = place < places
            ends.ravel()[start[at] + place] = before[at] * end[at]
            seen *= np.maximum(left - unseen, 0) / left
            seen[1:] += step[:-1]


def rearranged(cells: NDArray[Any], at: Ints, order: Ints) -> NDArray[Any]:
    """Return cells with those at the given flat positions put into another order."""
    changed = cells.copy()
    changed.ravel()[at] = cells.ravel()[at[order]]
    return changed


def _mixed(number: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return well-mixed bits of each number (the finaliser of SplitMix64)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


def _useful(chance: Floats, number: Ints, places: int) -> int:
    """Return how many stopping documents may be met before no attention is left.

    By Maclaurin's inequality E_i is at most E_1 to the power of i.
    """
    mean = 1.0 - chance.sum(axis=1) / np.maximum(number, 1)
    most = float(mean[number > 0].max(initial=0.0))
    if most <= 0.0:
        return 1
    return min(places, 2 + int(math.log(NEGLIGIBLE) / math.log(most))) if most < 1.0 else places


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
        grown[t:] = 0.0
        mean[1:] = np.where(t <= number, grown, mean[1:])
    return mean
