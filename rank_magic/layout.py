"""How queries of similar length are put side by side, so that numpy works on rectangles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from rank_magic.grouping import Groups, radix_order
from rank_magic.threads import THREADS

__all__ = ["Cells", "cells", "shelves"]

Ints = NDArray[np.signedinteger[Any]]
Scalar = TypeVar("Scalar", bound=np.generic)

# Threads that take turns at small blocks wait for each other; larger ones leave a core's cache.
SMALLEST_BLOCK, BLOCK_CELLS = 1 << 16, 3 << 18
# Up to a quarter of the cells may be padding.
FULLNESS = 0.75


def shelves(groups: Groups, chosen: NDArray[np.bool_] | None = None) -> list[Ints]:
    """Divide the queries, or the chosen ones, into sets of similar length, one for each block.

    The sets of the longest come first, so that threads end at about the same time.
    """
    queries, start, length = np.arange(len(groups.start)), groups.start, groups.length
    if chosen is not None:
        queries, start, length = queries[chosen], start[chosen], length[chosen]
    if len(queries) < 2:
        return [queries] * len(queries)
    if (start[1:] < start[:-1]).any():
        order = np.argsort(start)
        queries, length = queries[order], length[order]
    # Every thread gets as many blocks as the others.
    total = int(length.sum())
    rounds = max(1, -(-total // (BLOCK_CELLS * THREADS)))
    cells = min(max(-(-total // (rounds * THREADS)), SMALLEST_BLOCK), BLOCK_CELLS)
    if length.min() == length.max():
        most = max(1, -(-cells // int(length.max())))
        return [queries[at : at + most] for at in range(0, len(queries), most)]
    order = radix_order(length, int(length.max()) + 1)
    return _of_similar_length(queries[order], length[order], cells)[::-1]


def _of_similar_length(queries: Ints, length: Ints, cells: int) -> list[Ints]:
    """Divide queries, the shortest first, into sets that fill so many cells at most."""
    filled = np.concatenate([[0], np.cumsum(length)])
    sets, at = [], 0
    while at < len(queries):
        most = max(1, cells // int(length[at]))
        size = np.arange(1, min(most, len(queries) - at) + 1)
        space = size * length[at : at + len(size)]
        fits = (space <= cells) & (filled[at + size] - filled[at] >= FULLNESS * space)
        fits[0] = True
        end = at + (len(size) if fits.all() else int(np.argmin(fits)))
        sets.append(queries[at:end])
        at = end
    return sets


@dataclass(frozen=True)
class Cells:
    """The rows behind the cells of a block.

    Attributes
    ----------
    shape : tuple of int
        Queries and width.
    start : array of int, shape (queries,)
        Where each query's rows start.
    length : array of int, shape (queries,)
        How many rows each query has.
    order : array of int, or None
        The rows, query after query; None when they stand so.
    """

    shape: tuple[int, int]
    start: Ints
    length: Ints
    order: Ints | None

    @cached_property
    def filled(self) -> NDArray[np.bool_] | None:
        """Whether a cell has a row, shape (queries, width); None when all have."""
        if (self.length == self.shape[1]).all():
            return None
        return np.arange(self.shape[1]) < self.length[:, None]

    @cached_property
    def _together(self) -> bool:
        """Whether rows and cells stand in the same order."""
        return self.filled is None and bool(
            (self.start[1:] - self.start[:-1] == self.shape[1]).all()
        )

    @cached_property
    def _rows(self) -> Ints | None:
        """Row number of each cell, any in cells without a row; None when rows stand by query."""
        return None if self.order is None else self._window(self.order)

    def take(self, values: NDArray[Scalar], fill: Any) -> NDArray[Scalar]:
        """Return the values of the cells' rows, and `fill` in cells without a row."""
        taken = self._window(values) if self._rows is None else np.take(values, self._rows)
        if self.filled is not None:
            np.copyto(taken, fill, where=~self.filled)
        return taken

    def _window(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Return from each query's start on as many values as the block is wide."""
        width = self.shape[1]
        if self._together:
            return values[self.start[0] : self.start[0] + self.shape[0] * width].reshape(self.shape)
        last = len(values) - width
        taken = sliding_window_view(values, width)[np.minimum(self.start, last)]
        for query in np.flatnonzero(self.start > last):
            end = self.start[query] + self.length[query]
            taken[query, : self.length[query]] = values[self.start[query] : end]
        return taken

    def rows(self) -> Ints:
        """Return the row number of each cell; -1 in cells without a row."""
        rows = self._rows
        if rows is None:
            rows = self.start[:, None] + np.arange(self.shape[1])
        return rows if self.filled is None else np.where(self.filled, rows, -1)


def cells(groups: Groups, queries: Ints) -> Cells:
    """Return the cells of a block that holds the given queries."""
    start, length = groups.start[queries], groups.length[queries]
    return Cells((len(queries), int(length.max())), start, length, groups.order)
