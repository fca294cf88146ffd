"""Sort a block of rankings by score, and settle or mark what is tied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE, PAD
from rank_magic.errors import ConventionError
from rank_magic.layout import Cells

__all__ = ["Sorted", "sort_block"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Sorted:
    """A block's cells in ranked order.

    Attributes
    ----------
    codes : array of int, shape (queries, width)
        Codes by rank, `PAD` behind the last document.
    length : array of int, shape (queries,)
        Number of documents retrieved.
    tied : array of bool, shape (queries,)
        Whether the ranking has equal scores.
    equal : array of bool, shape (queries, width), or None
        Whether a cell's score equals that of its left neighbour; None when none does.
    order : array of int, shape (queries, width)
        Flat position of each cell before sorting.
    """

    codes: Ints
    length: Ints
    tied: Bools
    equal: Bools | None
    order: Ints


def sort_block(
    place: Cells,
    codes: Ints,
    scores: Floats,
    *,
    condense: int | None,
    settle: Callable[[Ints], Ints | None] | None,
) -> Sorted:
    """Sort the cells of a block by descending score.

    Parameters
    ----------
    place : Cells
        The rows behind the cells.
    codes : array of int, shape (queries, width)
        Codes of the cells' rows.
    scores : array of float, shape (rows,)
        Scores of all rows, NaN where not retrieved.
    condense : int or None
        When given, documents without a grade are taken out of so many first results.
    settle : callable or None
        Takes the numbers of tied rankings and returns by what equal scores are ordered, the
        smallest first, an array of shape (those, width); None for row order. When it is None
        itself, equals are left in any order.
    """
    key = -place.take(scores, np.nan)
    queries, width = key.shape
    missing = np.isnan(key)
    if condense is not None and condense >= width:
        missing |= codes < FIRST_GRADE
    gaps = bool(missing.any())
    length = width - np.count_nonzero(missing, axis=1) if gaps else np.full(queries, width)
    behind = None
    if gaps:
        # Missing cells go last. A score of minus infinity would stand among them.
        lowest = bool((np.isposinf(key) & ~missing).any())
        key[missing] = np.inf
        behind = np.arange(width) >= length[:, None]
    offset = (np.arange(queries) * width)[:, None]
    split = gaps and lowest
    order = np.lexsort((key, missing), axis=1) if split else np.argsort(key, axis=1)
    order += offset
    equal, tied = _ties(np.take(key, order), behind)
    if equal is not None and settle is not None:
        at = np.flatnonzero(tied)
        second = settle(at)
        within = (np.arange(len(at)) * width)[:, None]
        if split:
            keys = (key[at], missing[at]) if second is None else (second, key[at], missing[at])
            again = np.lexsort(keys, axis=1)
        else:
            again = _by_key_then(key[at], second, within)
        order[at] = again + offset[at]
    sorted_ = np.take(codes, order)
    if behind is not None:
        sorted_[behind] = PAD
    found = Sorted(sorted_, length, tied, equal, order)
    if condense is not None and condense < width:
        return _condensed(found, np.take(key, order), condense, settled=settle is not None)
    return found


def _condensed(found: Sorted, key: Floats, depth: int, *, settled: bool) -> Sorted:
    """Return the first results without those that nobody judged."""
    if not settled and found.equal is not None and found.equal[:, depth].any():
        raise ConventionError(
            f"depth={depth} cuts through equal scores, so that chance decides which documents "
            f"unjudged='remove' finds there. Settle the order of equals: ties='trec' or "
            f"ties='order'."
        )
    codes, order, key = found.codes[:, :depth], found.order[:, :depth], key[:, :depth]
    gone = codes < FIRST_GRADE
    offset = (np.arange(len(codes)) * depth)[:, None]
    kept = np.argsort(gone, axis=1, kind="stable") + offset
    length = np.count_nonzero(~gone, axis=1)
    behind = np.arange(depth) >= length[:, None]
    codes = np.take(codes, kept)
    codes[behind] = PAD
    equal, tied = _ties(np.take(key, kept), behind)
    return Sorted(codes, length, tied, equal, np.take(order, kept))


def _ties(key: Floats, behind: Bools | None) -> tuple[Bools | None, Bools]:
    """Return which cells equal their left neighbour, and which rows have such a cell."""
    same = key[:, 1:] == key[:, :-1]
    if behind is not None:
        same &= ~behind[:, 1:]
    tied = np.asarray(same.any(axis=1))
    if not tied.any():
        return None, tied
    equal = np.zeros(key.shape, dtype=bool)
    equal[:, 1:] = same
    return equal, tied


def _by_key_then(key: Floats, second: Ints | None, within: Ints) -> Ints:
    """Return each row's order by key, then by the second key, then as the cells stand."""
    if second is None:
        return np.argsort(key, axis=1, kind="stable")
    by_second = np.argsort(second, axis=1, kind="stable")
    by_key = np.argsort(np.take(key, by_second + within), axis=1, kind="stable")
    return np.take(by_second, by_key + within)
