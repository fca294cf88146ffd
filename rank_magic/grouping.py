"""Rows by query: where each query's rows are, without moving them when they stand together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import combined, ids

__all__ = ["Groups", "group_rows"]

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
    codes = combined(ids(values, "query") for values in columns)
    start, order = _runs(codes), None
    heads = codes[start]
    if not pd.Index(heads).is_unique:
        order, start = _sorted(codes)
    length = np.diff(start, append=len(codes))
    first = start if order is None else order[start]
    labels = _labels(columns, first)
    place = _standing(labels)
    if place is not None:
        labels, start, length = labels[place], start[place], length[place]
    return Groups(labels, start, length, order)


def _runs(codes: Ints) -> Ints:
    """Return where a value differs from the one before it."""
    return np.concatenate([[0], np.flatnonzero(codes[1:] != codes[:-1]) + 1])


def _sorted(codes: Ints) -> tuple[Ints, Ints]:
    """Return a stable order by code, and where each code starts in it."""
    dense, distinct = pd.factorize(codes)
    number = len(distinct)
    # numpy's stable argsort of 16-bit numbers is a radix sort: far faster than comparing.
    order = np.argsort(dense.astype(np.uint16), kind="stable")
    shift = 16
    while number >> shift:
        digit = (dense >> shift).astype(np.uint16)
        order = order[np.argsort(digit[order], kind="stable")]
        shift += 16
    counts = np.bincount(dense, minlength=number)
    return order, np.concatenate([[0], np.cumsum(counts)[:-1]])


def _labels(columns: Sequence[pd.Series[Any]], rows: Ints) -> pd.Index[Any]:
    """Return the ids at the given rows, as an Index of the columns' own types."""
    parts = [pd.Index(values.iloc[rows], name=values.name) for values in columns]
    if len(parts) == 1:
        return parts[0]
    return pd.MultiIndex.from_arrays(parts, names=[part.name for part in parts])


def _standing(labels: pd.Index[Any]) -> Ints | None:
    """Return the order that sorts the labels; None when they are sorted."""
    if labels.is_monotonic_increasing:
        return None
    try:
        return np.asarray(labels.argsort(), dtype=np.int64)
    except TypeError:
        # Ids of several types have no order of their own: by type, then as text.
        keys = [(type(label).__name__, str(label)) for label in labels]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
