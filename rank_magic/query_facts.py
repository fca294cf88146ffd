"""What a frame says of each query as a whole: what it counts, and where it belongs."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import column, numbers, plain
from rank_magic.errors import DataError, listed
from rank_magic.grouping import group_rows
from rank_magic.rankings import Rankings

__all__ = ["check_segments", "labels_of", "weights_of"]

Ints = NDArray[np.signedinteger[Any]]

NAMED = 3  # how many of the queries that are wrong an error names


def weights_of(rankings: Rankings) -> pd.Series[float] | None:
    """Return the weight of each query; None when none was given.

    Raises
    ------
    DataError
        If a query has several weights or none, one is negative or infinite, or all are 0.
    """
    name = rankings.roles.weight
    if name is None:
        return None
    weights = numbers(_of_queries(rankings, name, "weight"), "weight")
    missing = np.flatnonzero(np.isnan(weights))
    if len(missing):
        raise DataError(
            f"{_queries(rankings, missing)} no weight in {name!r}. Give each a weight, 0 for "
            f"those that don't count: frame[{name!r}].fillna(0)."
        )
    wrong = np.flatnonzero((weights < 0) | np.isinf(weights))
    if len(wrong):
        values = listed([plain(weights[place]) for place in wrong[:NAMED]])
        raise DataError(
            f"{_queries(rankings, wrong)} a weight in {name!r} that can't be one: {values}. "
            f"Weights are finite numbers of at least 0."
        )
    if not weights.any():
        raise DataError(
            f"Every query has the weight 0 in {name!r}, so nothing counts. Give a weight above 0 "
            f"to those that do, or leave weight={name!r} out."
        )
    return pd.Series(weights, index=rankings.queries, name=name)


def check_segments(rankings: Rankings) -> None:
    """Raise when a query belongs to several segments of a column that was named as one."""
    for name in rankings.roles.segment:
        labels_of(rankings, name)


def labels_of(rankings: Rankings, name: Hashable) -> pd.Series[Any]:
    """Return what a column says of each query, missing where it says nothing.

    Raises
    ------
    DataError
        If a query's rows say several things.
    """
    return _of_queries(rankings, name, "segment")


def _of_queries(rankings: Rankings, name: Hashable, role: str) -> pd.Series[Any]:
    """Return the one value that each query's rows have, those aside that have none."""
    frame = rankings.given
    values = column(frame, name)
    try:
        codes = np.asarray(pd.factorize(values)[0], dtype=np.int64)
    except TypeError:
        raise DataError(
            f"The {role} column {name!r} holds things that can't be compared, such as "
            f"{values.iloc[0]!r}. It must hold text or numbers."
        ) from None
    query = _query_numbers(rankings)
    there = np.flatnonzero((codes >= 0) & (query >= 0))
    first = np.full(len(rankings.queries), len(frame), dtype=np.int64)
    np.minimum.at(first, query[there], there)
    said = first < len(frame)
    expected = np.where(said, codes[np.where(said, first, 0)], -1)
    other = there[codes[there] != expected[query[there]]]
    if len(other):
        raise _several(rankings, values, role, first, query, other)
    found = values.iloc[np.where(said, first, 0)].set_axis(rankings.queries)
    return found.where(said)


def _query_numbers(rankings: Rankings) -> Ints:
    """Return for each row that was given the number of its query, -1 for none of these."""
    if rankings.rows.frame is rankings.given:
        return rankings.groups.number_of_row()
    groups = group_rows([column(rankings.given, name) for name in rankings.roles.query])
    here = rankings.queries.get_indexer(groups.labels)
    return np.asarray(here, dtype=np.int64)[groups.number_of_row()]


def _several(
    rankings: Rankings, values: pd.Series[Any], role: str, first: Ints, query: Ints, other: Ints
) -> DataError:
    """Return the error for queries whose rows say several things, naming the first few."""
    wrong, rows = np.unique(query[other], return_index=True)
    examples = [
        f"{plain(rankings.queries[at])!r} ({plain(values.iloc[first[at]])!r} and "
        f"{plain(values.iloc[other[row]])!r})"
        for at, row in zip(wrong[:NAMED], rows[:NAMED], strict=True)
    ]
    number = "1 query has" if len(wrong) == 1 else f"{len(wrong):,} queries have"
    rest = f" and {len(wrong) - NAMED:,} more" if len(wrong) > NAMED else ""
    return DataError(
        f"A query has one {role}, but {number} several in {values.name!r}: "
        f"{', '.join(examples)}{rest}. Make it the same in all rows of a query, or let both "
        f"columns name the query: query=[..., {values.name!r}]."
    )


def _queries(rankings: Rankings, places: Ints) -> str:
    """Write queries with their number, the first few by name: ``3 queries (...) have``."""
    names = listed([plain(rankings.queries[place]) for place in places[:NAMED]])
    more = ", ..." if len(places) > NAMED else ""
    noun = "1 query" if len(places) == 1 else f"{len(places):,} queries"
    return f"{noun} ({names}{more}) {'has' if len(places) == 1 else 'have'}"
