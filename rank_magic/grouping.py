"""Rows by query: where each query's rows are, without moving them when they stand together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import combined, ids
from rank_magic.fingerprints import changes
from rank_magic.threads import PIECE, in_threads

__all__ = ["Groups", "group_rows", "radix_order", "standing"]

Ints = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Groups:
    """The rows of each query.

    Attributes
    ----------
    labels : Index
        The queries, sorted.
    start, length : array of int, shape (queries,)
        The n-th query's rows are the rows ``order[start : start + length]``.
    order : array of int, shape (rows,), or None
        Row numbers, query after query, in row order within each; None when rows stand so.
    """

    labels: pd.Index[Any]
    start: Ints
    length: Ints
    order: Ints | None

    def rows(self, query: int) -> Ints:
        """Return the row numbers of the n-th query."""
        span = slice(self.start[query], self.start[query] + self.length[query])
        return np.arange(span.start, span.stop) if self.order is None else self.order[span]

    def number_of_row(self) -> Ints:
        """Return for each row the number of its query."""
        number = np.repeat(np.arange(len(self.length)), self.length)
        rows = np.repeat(self.start - np.cumsum(self.length) + self.length, self.length)
        rows = rows + np.arange(len(number))
        of_row = np.empty(len(number), dtype=np.int64)
        of_row[rows if self.order is None else self.order[rows]] = number
        return of_row


def group_rows(columns: Sequence[pd.Series[Any]]) -> Groups:
    """Find the rows of each query.

    Parameters
    ----------
    columns : sequence of Series
        The column that names the query, or several that name it together.

    Returns
    -------
    Groups

    Raises
    ------
    DataError
        If a query id is missing.
    """
    start, order = _find(columns)
    length = _lengths(start, len(columns[0]))
    first = start if order is None else order[start]
    labels = _labels(columns, first)
    place = standing(labels)
    if place is not None:
        labels, start, length = labels[place], start[place], length[place]
    return Groups(labels, start, length, order)


def _find(columns: Sequence[pd.Series[Any]]) -> tuple[Ints, Ints | None]:
    """Return where each query's rows start in an order of all rows; None when they stand so."""
    changed = [changes(values) for values in columns]
    known = [part for part in changed if part is not None]
    if len(known) < len(columns):
        codes = combined(ids(values, "query") for values in columns)
        start = _together(codes)
    else:
        # Text is compared with its neighbours first: where queries stand together, few are left.
        runs = np.concatenate([[0], np.flatnonzero(np.logical_or.reduce(known)) + 1])
        codes = combined(ids(values.iloc[runs], "query") for values in columns)
        start = runs if pd.Index(codes).is_unique else None
        if start is None:
            codes = np.repeat(codes, _lengths(runs, len(columns[0])))
    if start is not None:
        return start, None
    order, start = _sorted(codes)
    return start, order


def _together(codes: Ints) -> Ints | None:
    """Return where each run of equal codes starts; None when a code has several runs."""

    def runs(at: int) -> Ints:
        here = codes[max(at, 1) : at + PIECE]
        before = codes[max(at - 1, 0) :][: len(here)]
        return np.flatnonzero(here != before) + max(at, 1)

    first = runs(0)
    if len(codes) > PIECE and not _distinct(codes[first]):
        return None  # the first rows show it
    start = np.concatenate([[0], first, *in_threads(runs, range(PIECE, len(codes), PIECE))])
    return start if _distinct(codes[start]) else None


def _distinct(codes: Ints) -> bool:
    """Return whether no code occurs twice."""
    if (codes[1:] > codes[:-1]).all():
        return True
    low, span = _span(codes)
    if span > 4 * len(codes):
        return bool(pd.Index(codes).is_unique)
    # Counting is far cheaper than looking codes up.
    return bool(np.bincount(codes - low, minlength=span).max() == 1)


def _span(codes: Ints) -> tuple[int, int]:
    """Return the lowest code, and how many numbers there are from it to the highest."""
    low = int(codes.min())
    return low, int(codes.max()) - low + 1


def _sorted(codes: Ints) -> tuple[Ints, Ints]:
    """Return a stable order by code, and where each code that occurs starts in it."""
    low, span = _span(codes)
    if span > 4 * len(codes):
        codes, low = np.asarray(pd.factorize(codes)[0], dtype=np.int64), 0
        span = int(codes.max()) + 1
    counts = np.bincount(codes - low, minlength=span)
    start = np.cumsum(counts) - counts
    order, free = np.empty(len(codes), dtype=np.int64), start.copy()

    def sort(at: int) -> tuple[Ints, Ints, Ints]:
        piece = codes[at : at + PIECE] - low
        by_code = radix_order(piece, span)
        first, length = _runs(piece[by_code])
        return by_code, length, piece[by_code[first]]

    def write(job: tuple[int, Ints, Ints, Ints]) -> None:
        at, by_code, length, target = job
        # Each run of equals goes to its place in one go.
        shift = target - np.cumsum(length) + length
        order[np.repeat(shift, length) + np.arange(len(by_code))] = by_code + at

    # Sorted in pieces that stay in a core's cache.
    pieces = range(0, len(codes), PIECE)
    jobs = []
    for at, (by_code, length, code) in zip(pieces, in_threads(sort, pieces), strict=True):
        jobs.append((at, by_code, length, free[code]))
        free[code] += length
    for _ in in_threads(write, jobs):
        pass
    return order, start[counts > 0]


def _runs(sorted_: Ints) -> tuple[Ints, Ints]:
    """Return where each run of equal codes starts, and how long it is."""
    first = np.concatenate([[0], np.flatnonzero(sorted_[1:] != sorted_[:-1]) + 1])
    return first, _lengths(first, len(sorted_))


def _lengths(start: Ints, end: int) -> Ints:
    """Return how far it is from each start to the next one, from the last to the end."""
    length = np.empty_like(start)
    np.subtract(start[1:], start[:-1], out=length[:-1])
    length[-1:] = end - start[-1:]
    return length


def radix_order(codes: Ints, span: int) -> Ints:
    """Return the stable order of codes from 0 to `span`, by 16 bits at a time."""
    # numpy's stable argsort of 16-bit numbers is a radix sort: far faster than comparing.
    order = np.argsort(codes.astype(np.uint16), kind="stable")
    shift = 16
    while span >> shift:
        digit = (codes >> shift).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")]
        shift += 16
    return order


def _labels(columns: Sequence[pd.Series[Any]], rows: Ints) -> pd.Index[Any]:
    """Return the ids at the given rows, as an Index of the columns' own types."""
    parts = [_index(values, rows) for values in columns]
    if len(parts) == 1:
        return parts[0]
    return pd.MultiIndex.from_arrays(parts, names=[part.name for part in parts])


def _index(values: pd.Series[Any], rows: Ints) -> pd.Index[Any]:
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iu":
        # The same, much sooner.
        return pd.Index(values.to_numpy()[rows], name=values.name, copy=False)
    return pd.Index(values.array.take(rows), dtype=values.dtype, name=values.name)


def standing(labels: pd.Index[Any]) -> Ints | None:
    """Return the order that sorts the labels; None when they are sorted."""
    if len(labels) < 2 or labels.is_monotonic_increasing:
        return None
    try:
        return np.asarray(labels.argsort(), dtype=np.int64)
    except TypeError:
        # Ids of several types have no order of their own: by type, then as text.
        keys = [(type(label).__name__, str(label)) for label in labels]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
