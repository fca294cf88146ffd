"""How queries of similar length are put side by side, so that numpy works on rectangles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rank_magic.grouping import Groups, radix_order

__all__ = ["Cells", "cells", "shelves"]

Ints = NDArray[np.signedinteger[Any]]
Scalar = TypeVar("Scalar", bound=np.generic)

# Smaller blocks stay in a core's cache, but threads that take turns at them wait for each other.
# Up to a quarter of the cells may be padding.
BLOCK_CELLS = 3 << 18
FULLNESS = 0.75


def shelves(groups: Groups, chosen: NDArray[np.bool_] | None = None) -> list[Ints]:
    """Divide the queries, or the chosen ones, into sets of similar length, one for each block."""
    ascending = bool((np.diff(groups.start) > 0).all())
    order = np.arange(len(groups.start)) if ascending else np.argsort(groups.start)
    if len(order) and groups.length.min() < groups.length.max():
        length = groups.length[order]
        order = order[radix_order(length, int(length.max()) + 1)]
    if chosen is not None:
        order = order[chosen[order]]
    length = groups.length[order]
    filled = np.concatenate([[0], np.cumsum(length)])
    sets, at = [], 0
    while at < len(order):
        most = max(1, BLOCK_CELLS // int(length[at]))
        size = np.arange(1, min(most, len(order) - at) + 1)
        space = size * length[at : at + len(size)]
        fits = (space <= BLOCK_CELLS) & (filled[at + size] - filled[at] >= FULLNESS * space)
        fits[0] = True
        end = at + (len(size) if fits.all() else int(np.argmin(fits)))
        sets.append(order[at:end])
        at = end
    return sets


@dataclass(frozen=True)
class Cells:
    """The rows behind the cells of a block.

    Attributes
    ----------
    shape : tuple of int
        Queries and width.
    index : slice or array of int, shape (queries, width)
        Row number of each cell; a slice when rows and cells stand in the same order.
    filled : array of bool, shape (queries, width), or None
        Whether a cell has a row; None when all have.
    """

    shape: tuple[int, int]
    index: slice | Ints
    filled: NDArray[np.bool_] | None

    def take(self, values: NDArray[Scalar], fill: Any) -> NDArray[Scalar]:
        """Return the values of the cells' rows, and `fill` in cells without a row."""
        taken = values[self.index].reshape(self.shape)
        if self.filled is not None:
            taken[~self.filled] = fill
        return taken

    def rows(self) -> Ints:
        """Return the row number of each cell; -1 in cells without a row."""
        if isinstance(self.index, slice):
            return np.arange(self.index.start, self.index.stop).reshape(self.shape)
        return self.index if self.filled is None else np.where(self.filled, self.index, -1)


def cells(groups: Groups, queries: Ints) -> Cells:
    """Return the cells of a block that holds the given queries."""
    start, length = groups.start[queries], groups.length[queries]
    width = int(length.max())
    shape = (len(queries), width)
    even = bool((length == width).all())
    if even and groups.order is None and bool((np.diff(start) == width).all()):
        return Cells(shape, slice(int(start[0]), int(start[-1]) + width), None)
    column = np.arange(width)
    filled = None if even else column < length[:, None]
    index = start[:, None] + (column if filled is None else np.minimum(column, length[:, None] - 1))
    if groups.order is not None:
        index = groups.order[index]
    return Cells(shape, index, filled)
