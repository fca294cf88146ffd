"""Sort a block of rankings by score, and settle or mark what is tied.

A sort that has to tell where everything came from is far slower than one that moves the numbers
alone. So each score carries its document's code in the lowest byte of its mantissa, and is sorted
as a number. Scores that differ in that byte only then look equal: rankings with such scores are
sorted again, by the scores themselves. Long rankings are sorted by numbers of four bytes before,
each score's place between the lowest and the highest, and by eight only where some look equal.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE, PAD
from rank_magic.errors import ConventionError
from rank_magic.layout import Cells

__all__ = ["Sorted", "sort_block", "sort_rows"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.signedinteger[Any]]
Settle = Callable[[Ints], "Ints | None"]

# Where the lowest byte of a number of eight lies.
LOWEST = 0 if sys.byteorder == "little" else 7
ABOVE_LOWEST = np.int64(-256)
# Longer rankings than this are sorted twice as fast by four bytes as by eight.
LONG = 256
LAST = np.iinfo(np.int32).max
# Numbers of so many bytes together numpy sorts by networks on these processors, in a fifth of the
# time that each takes among more.
NETWORK = 2048 if platform.machine().lower() in ("x86_64", "amd64") else 0


@dataclass(frozen=True)
class Sorted:
    """A block's cells in ranked order.

    Attributes
    ----------
    codes : array of int, shape (queries, width)
        Codes by rank, `PAD` behind the last document.
    length : array of int, shape (queries,)
        Number of documents retrieved.
    tied : array of int, shape (rankings,)
        Numbers of the rankings that have equal scores.
    equal : array of bool, shape (rankings, width)
        Whether a cell's score equals that of its left neighbour, in those rankings.
    order : array of int, shape (queries, width)
        Flat position of each cell before sorting; empty when nobody asked.
    """

    codes: Ints
    length: Ints
    tied: Ints
    equal: Bools
    order: Ints


@dataclass(frozen=True)
class _Unsorted:
    """A block's cells before they are sorted.

    Attributes
    ----------
    key : array of float, shape (queries, width)
        Scores with their sign turned; NaN in cells that were not retrieved.
    codes : array of int, shape (queries, width)
        The cells' codes.
    length : array of int, shape (queries,)
        Number of documents retrieved.
    missing : array of bool, shape (queries, width), or None
        Which cells were not retrieved; None when all were.
    infinite : bool
        Whether some documents that were retrieved have an infinite score.
    """

    key: Floats
    codes: Ints
    length: Ints
    missing: Bools | None
    infinite: bool

    def take(self, rows: Ints) -> _Unsorted:
        """Return some of the rankings."""
        if len(rows) == len(self.key):
            return self
        missing = None if self.missing is None else self.missing[rows]
        return replace(
            self,
            key=self.key[rows],
            codes=self.codes[rows],
            length=self.length[rows],
            missing=missing,
        )

    def behind(self) -> Bools | None:
        """Return which cells lie behind a ranking's last document once it is sorted."""
        if self.missing is None:
            return None
        return np.arange(self.key.shape[1]) >= self.length[:, None]


def sort_block(
    place: Cells,
    codes: Ints,
    scores: Floats,
    *,
    condense: int | None,
    settle: Settle | None,
    traced: bool,
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
    traced : bool
        Whether each cell's position before sorting is wanted.
    """
    cut = condense is not None and condense < codes.shape[1]
    read = partial(_unsorted, place, codes, scores, judged_only=condense is not None and not cut)
    unsorted = read()
    rows = np.arange(len(codes))
    if not (traced or cut or unsorted.infinite or codes.dtype != np.int8):
        by_number = _by_four_bytes if codes.shape[1] > LONG else _by_eight_bytes
        return by_number(unsorted, rows, settle, read)
    found = _by_position(unsorted, rows, settle)
    if condense is not None and cut:
        return _condensed(found, unsorted.key, condense, settled=settle is not None)
    return found


def sort_rows(numbers: Ints) -> None:
    """Sort each row of an array of whole numbers in place."""
    width = numbers.shape[1]
    if width % 2 or not NETWORK < width * max(numbers.itemsize, 4) <= 2 * NETWORK:
        numbers.sort(axis=1)
        return
    # A thousand documents, the usual depth, are sorted as two halves: once the smaller ones of
    # both are in the first and the larger ones in the second, each can be sorted for itself.
    halves = numbers.reshape(-1, width // 2)
    halves.sort(axis=1)
    ascending, descending = halves[::2], halves[1::2, ::-1]
    smaller = np.minimum(ascending, descending)
    np.maximum(ascending, descending, out=descending)
    ascending[:] = smaller
    halves.sort(axis=1)


def _unsorted(place: Cells, codes: Ints, scores: Floats, *, judged_only: bool) -> _Unsorted:
    # Taken from 0, so that no negative zero comes up.
    key = 0.0 - place.take(scores, np.nan)
    if judged_only:
        key[codes < FIRST_GRADE] = np.nan
    finite = np.isfinite(key)
    number = np.count_nonzero(finite)
    if number == key.size:
        return _Unsorted(key, codes, place.length, None, infinite=False)
    if number == place.length.sum():  # every document was retrieved
        return _Unsorted(key, codes, place.length, ~finite, infinite=False)
    missing = np.isnan(key)
    length = key.shape[1] - np.count_nonzero(missing, axis=1)
    return _Unsorted(key, codes, length, missing, infinite=bool(number < length.sum()))


def _by_four_bytes(
    unsorted: _Unsorted, rows: Ints, settle: Settle | None, read: Callable[[], _Unsorted]
) -> Sorted:
    """Sort scores by where they lie between the ends of their ranking, carrying their codes.

    In the memory of the scores, which can be read again.
    """
    place, behind = unsorted.key, unsorted.behind()
    bits = int(unsorted.codes.max()).bit_length()
    mask = (1 << bits) - 1
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):  # where it can't be told
        low, high = np.fmin.reduce(place, axis=1), np.fmax.reduce(place, axis=1)
        steps = ((1 << 31 - bits) - 3) / (high - low)
        steps[~((steps > 0) & (steps < np.inf))] = 0.0
        place -= low[:, None]
        place *= steps[:, None]
        number = place.astype(np.int32)
    # The highest code first among equals, as they are to stand in the end.
    number += 1
    number <<= bits
    number -= unsorted.codes
    if unsorted.missing is not None:
        number[unsorted.missing] = LAST - mask
    sort_rows(number)
    codes = -number.astype(np.int8)
    codes &= mask
    if behind is not None:
        codes[behind] = PAD
    number += mask
    number >>= bits
    tied, equal = _ties(number, behind)
    found = Sorted(codes, unsorted.length, rows[tied], equal, np.zeros((0, 0), dtype=np.int64))
    if not len(tied) or (settle is None and (low[tied] == high[tied]).all()):
        return found
    exact = _by_eight_bytes(read().take(tied), rows[tied], settle, lambda: read().take(tied))
    codes[tied] = exact.codes
    return replace(found, tied=exact.tied, equal=exact.equal)


def _by_eight_bytes(
    unsorted: _Unsorted, rows: Ints, settle: Settle | None, read: Callable[[], _Unsorted]
) -> Sorted:
    """Sort scores that carry their codes, in the memory of the scores, which can be read again."""
    carried, behind = unsorted.key, unsorted.behind()
    carried.view(np.int8).reshape(*carried.shape, 8)[..., LOWEST] = unsorted.codes
    carried.sort(axis=1)
    number = carried.view(np.int64)
    codes = number.astype(np.int8)
    if behind is not None:
        codes[behind] = PAD
    number &= ABOVE_LOWEST
    tied, equal = _ties(number, behind)
    found = Sorted(codes, unsorted.length, rows[tied], equal, np.zeros((0, 0), dtype=np.int64))
    if not len(tied):
        return found
    again = read().take(tied)
    if settle is None and not (again.key.view(np.int64) & ~ABOVE_LOWEST).any():
        return found  # These scores need no lowest byte, so what looks equal is equal.
    exact = _by_position(again, rows[tied], settle)
    codes[tied] = exact.codes
    return replace(found, tied=exact.tied, equal=exact.equal)


def _by_position(unsorted: _Unsorted, rows: Ints, settle: Settle | None) -> Sorted:
    """Sort the cells of the rankings that have the given numbers, and tell where each was."""
    key, behind = unsorted.key, unsorted.behind()
    within = (np.arange(len(rows)) * key.shape[1])[:, None]
    if unsorted.missing is not None and not unsorted.infinite:
        # Sorted last like NaN, and far faster; but a score of minus infinity is sorted so, too.
        np.copyto(key, np.inf, where=unsorted.missing)
    order = np.argsort(key, axis=1)
    order += within
    tied, equal = _ties(np.take(key, order), behind)
    if len(tied) and settle is not None:
        again = _by_key_then(key[tied], settle(rows[tied]), within[: len(tied)])
        order[tied] = again + within[tied]
    codes = np.take(unsorted.codes, order)
    if behind is not None:
        codes[behind] = PAD
    return Sorted(codes, unsorted.length, rows[tied], equal, order)


def _condensed(found: Sorted, key: Floats, depth: int, *, settled: bool) -> Sorted:
    """Return the first results without those that nobody judged."""
    if not settled and found.equal[:, depth].any():
        raise ConventionError(
            f"depth={depth} cuts through equal scores, so that chance decides which documents "
            f"unjudged='remove' finds there. Settle the order of equals: ties='trec' or "
            f"ties='order'."
        )
    codes, order = found.codes[:, :depth], found.order[:, :depth]
    key = np.take(key, order)
    gone = codes < FIRST_GRADE
    offset = (np.arange(len(codes)) * depth)[:, None]
    kept = np.argsort(gone, axis=1, kind="stable") + offset
    length = np.count_nonzero(~gone, axis=1)
    behind = np.arange(depth) >= length[:, None]
    codes = np.take(codes, kept)
    codes[behind] = PAD
    tied, equal = _ties(np.take(key, kept), behind)
    return Sorted(codes, length, tied, equal, np.take(order, kept))


def _ties(key: NDArray[Any], behind: Bools | None) -> tuple[Ints, Bools]:
    """Return which rows have equal neighbours, and which of their cells equal their left one."""
    flat, equal = key.ravel(), np.zeros(key.shape, dtype=bool)
    np.equal(flat[1:], flat[:-1], out=equal.ravel()[1:])
    equal[:, 0] = False
    if behind is not None:
        equal[behind] = False
    if not equal.any():
        return np.zeros(0, dtype=np.int64), equal[:0]
    tied = np.flatnonzero(equal.any(axis=1))
    return tied, equal[tied]


def _by_key_then(key: Floats, second: Ints | None, within: Ints) -> Ints:
    """Return each row's order by key, then by the second key, then as the cells stand."""
    if second is None:
        return np.argsort(key, axis=1, kind="stable")
    by_second = np.argsort(second, axis=1, kind="stable")
    by_key = np.argsort(np.take(key, by_second + within), axis=1, kind="stable")
    return np.take(by_second, by_key + within)
