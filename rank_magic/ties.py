"""Groups of equal scores in a block of rankings, and exact expectations over their orders.

A tie group is a run of neighbouring cells of one ranking. As blocks are stored ranking after
ranking, every group is one contiguous segment of the flattened block. Within a group documents
stand by grade, the highest first, so that what a group yields depends on nothing but its own
members: not on row order, not on ids.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ties", "exclusive_product", "first_only", "running_sum", "sequential_sum"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]

FEW_CELLS = 1 << 12
# Rows shorter than this are worked on column by column.
NARROW = 32
WORD = 8  # bytes


def sequential_sum(terms: NDArray[Any]) -> Floats:
    """Sum each row strictly from its first term to its last.

    numpy's own row sums split long rows in a way that depends on the row's length. Summed one
    after the other, zeros behind the last document change nothing, and a query's value is the
    same to the last bit whatever it was padded to.
    """
    if terms.shape[1] == 0:
        return np.zeros(len(terms))
    if terms.dtype == bool:
        return _true_cells(terms).astype(np.float64)
    if len(terms) < NARROW:
        return np.add.accumulate(terms, axis=1, dtype=np.float64)[:, -1]
    if terms.shape[1] <= NARROW:
        total = terms[:, 0].astype(np.float64)
        for column in range(1, terms.shape[1]):
            total += terms[:, column]
        return total
    # With rows side by side in memory, numpy adds one column after the other.
    return np.add.reduce(np.asfortranarray(terms), axis=1, dtype=np.float64)


def _true_cells(rows: NDArray[np.bool_]) -> Ints:
    """Return how many true cells each row has."""
    width = rows.shape[1]
    if width % WORD or width > WORD * np.iinfo(np.uint8).max or not rows.flags.c_contiguous:
        return np.add.reduce(rows, axis=1, dtype=np.int64)
    # Each byte of a sum of words is a sum of its own.
    eight = np.add.reduce(rows.view(np.uint64), axis=1).view(np.uint8)
    return np.add.reduce(eight.reshape(-1, WORD), axis=1, dtype=np.int64)


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


def first_only(chosen: NDArray[np.bool_]) -> Floats:
    """Return 1 at the first chosen cell of each row, else 0, down to the deepest of them."""
    rows, width = chosen.shape
    if width > NARROW:
        first = chosen.argmax(axis=1)
        none = ~chosen[np.arange(rows), first]
    else:
        first = np.zeros(rows, dtype=np.int8)
        none = np.ones(rows, dtype=bool)
        for column in range(width):
            none &= ~chosen[:, column]
            first += none
    row = np.flatnonzero(~none)
    first = first[row]
    only = np.zeros((rows, int(first.max(initial=0)) + 1), order="F")
    only[row, first] = 1.0
    return only


@dataclass(frozen=True)
class Span:
    """The cells of tie groups within the first columns of a block.

    Attributes
    ----------
    cells : int
        How many cells those columns have.
    start : array of int, shape (groups,)
        Flat position, among those columns, of each group's first cell.
    places : array of int, shape (groups,)
        How many cells of each group they hold.
    """

    cells: int
    start: Ints
    places: Ints

    def spread(self, of_group: NDArray[Any]) -> NDArray[Any]:
        """Return for each cell what its group has."""
        return np.repeat(of_group, self.places)

    @cached_property
    def group(self) -> Ints:
        """Number of each cell's group."""
        return self.spread(np.arange(len(self.places)))

    @cached_property
    def place(self) -> Ints:
        """Each cell's place in its group, counted from 0."""
        end = np.cumsum(self.places)
        return np.arange(end[-1] if len(end) else 0) - self.spread(end - self.places)

    @cached_property
    def at(self) -> Ints:
        """Flat position of each cell."""
        return self.place + self.spread(self.start)

    @cached_property
    def everywhere(self) -> bool:
        """Whether every cell belongs to a group."""
        return int(self.places.sum()) == self.cells

    def read(self, table: NDArray[Any]) -> NDArray[Any]:
        """Return the cells of a table of those columns, one after the other."""
        return table.ravel() if self.everywhere else table.ravel()[self.at]

    def write(self, table: NDArray[Any], values: NDArray[Any]) -> None:
        """Write the cells of a table of those columns."""
        if self.everywhere:
            table[:] = values.reshape(table.shape)
        else:
            table.ravel()[self.at] = values


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
    _spans: dict[int, Span] = field(init=False, default_factory=dict, compare=False)

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
            row, column = np.divmod(self.first, self.shape[1])
            places = np.clip(width - column, 0, self.size)
            self._spans[width] = Span(self.shape[0] * width, row * width + column, places)
        return self._spans[width]

    def number(self, chosen: NDArray[np.bool_]) -> Ints:
        """Return how many cells of each group are chosen, given per cell of the block."""
        return np.add.reduceat(chosen.ravel().view(np.int8), self._ends, dtype=np.int64)[::2]

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
        span.write(start, span.spread(self.column))
        return start

    def by_grade(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the codes with each group in descending order of grade."""
        if self._descending(codes):
            return codes
        span = self.span(self.shape[1])
        sorted_ = codes.copy()
        members = span.read(codes)
        kinds = int(members.max(initial=0)) + 1
        if kinds * len(self.size) <= max(4 * len(members), 1 << 12):
            # A counting sort: how often each code occurs in each group says it all.
            down = kinds - 1 - members
            counts = np.bincount(span.group * kinds + down, minlength=kinds * len(self.size))
            ordered = np.arange(kinds - 1, -1, -1, dtype=codes.dtype)
            span.write(sorted_, np.repeat(np.tile(ordered, len(self.size)), counts))
        else:
            span.write(sorted_, members[np.lexsort((-members, span.group))])
        return sorted_

    def _descending(self, codes: NDArray[Any]) -> bool:
        """Return whether the codes of each group stand in descending order already."""
        flat = codes.ravel()
        rises = flat[1:] > flat[:-1]
        for some in (rises[:FEW_CELLS], rises):  # mostly a few show that they don't
            rise = np.flatnonzero(some)
            group = np.searchsorted(self.first, rise, side="right") - 1
            inside = (group >= 0) & (rise + 1 < (self.first + self.size)[group])
            if inside.any():
                return False
        return True

    def together_by_grade(self, *parts: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Return codes that belong together with each group in descending order of grade.

        Equal codes of the first part go by those of the second, and so on.
        """
        if len(parts) == 1:
            return (self.by_grade(parts[0]),)
        span = self.span(self.shape[1])
        group, at = span.group, span.at
        order = np.lexsort((*(-part.ravel()[at] for part in reversed(parts)), group))
        return tuple(rearranged(part, at, order) for part in parts)

    def shuffled(self, grades: NDArray[np.uint64], number: int) -> tuple[Ints, Ints]:
        """Return the groups' flat cells, and the `number`-th of a series of random orders.

        The orders of a row depend on nothing but its own grades, written as whole numbers, 0
        where no document is, so that neither its neighbours nor its padding can change a value.
        """
        span = self.span(self.shape[1])
        group, at = span.group, span.at
        odd = np.full(self.shape[1], 0x9E3779B97F4A7C15, dtype=np.uint64)
        power = np.multiply.accumulate(odd)
        row = (_mixed(grades) * power).sum(axis=1, dtype=np.uint64)
        seed = _mixed(row + np.uint64(number * 0xD1B54A32D192ED03 % 2**64))
        key = _mixed(seed[at // self.shape[1]] + power[at % self.shape[1]])
        return at, np.lexsort((key, group))

    def hits(self, relevant: NDArray[np.bool_], running: Ints, held: Ints) -> Floats:
        """Return the expected number of relevant documents down to a cell that holds one.

        With c relevant documents above a group of n that holds m, a relevant document at the
        group's j-th place (from 0) sees c + 1 + j (m − 1) / (n − 1) on average.

        Parameters
        ----------
        relevant : array of bool, shape of the block
        running : array of int, shape (queries, width)
            Running number of relevant documents in the first columns.
        held : array of int, shape (groups,)
            How many relevant documents each group holds.

        References
        ----------
        McSherry and Najork, Computing information retrieval performance measures efficiently
        in the presence of tied scores, ECIR 2008, section 3.2.
        """
        hits = running.astype(np.float64)
        span = self.span(running.shape[1])
        # What stands above a group: what was found down to its first cell, less that cell.
        first = np.where(span.places > 0, span.start, 0)
        before = running.ravel()[first] - relevant.ravel()[self.first]
        slope = (held - 1.0) / (self.size - 1)
        span.write(hits, span.spread(before + 1.0) + span.place * span.spread(slope))
        return hits


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
