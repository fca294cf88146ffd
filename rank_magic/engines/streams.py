"""Rows that stream by in Arrow's batches, cut between queries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.engines.arrow import decoded, frame_of
from rank_magic.engines.needs import need

__all__ = ["tables", "whole_queries"]

Ints = NDArray[np.int64]


def tables(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Yield Arrow's record batches as tables of at least so many rows, the last one aside."""
    pa = need("pyarrow")
    waiting: list[Any] = []
    number = 0
    for batch in batches:
        waiting.append(batch)
        number += batch.num_rows
        if number >= rows:
            yield pa.Table.from_batches(waiting)
            waiting, number = [], 0
    if number:
        yield pa.Table.from_batches(waiting)


def whole_queries(
    tables: Iterable[Any], query: Sequence[Hashable]
) -> Iterator[tuple[int, pd.DataFrame]]:
    """Yield rows such that a query's rows that follow one another are never cut apart.

    Queries that straddle tables come later, a few of them together.

    Parameters
    ----------
    tables : iterable of Arrow tables, none of them empty
    query : sequence of column names
        What names a query.

    Yields
    ------
    runs : int
        How many times another query begins. More than there are queries, if the rows of some
        stand apart.
    rows : DataFrame
    """
    held: list[Any] = []  # the rows of one query, of which more may come
    straddling: list[Any] = []  # the queries that did, which are few
    for table in map(decoded, tables):
        starts = _starts(table, query)
        first, last = (int(starts[1]) if len(starts) > 1 else table.num_rows), int(starts[-1])
        if held and _same(held[-1], table, query):
            held.append(table[:first])
            if len(starts) == 1:
                continue
            starts = starts[1:]
        else:
            first = 0
        # What was held is not put before the rest of the table, since that would copy all of it.
        straddling += [_copied(held)] if held else []
        if sum(one.num_rows for one in straddling) > table.num_rows:
            yield _together(straddling)
            straddling = []
        if last > first:
            yield len(starts) - 1, frame_of(table[first:last])
        held = [table[last:]]
    straddling += [_copied(held)] if held else []
    if straddling:
        yield _together(straddling)


def _copied(parts: Sequence[Any]) -> Any:
    """Return the parts of a query as one table; a slice would keep all of its table in memory."""
    whole = need("pyarrow").concat_tables(parts)
    return whole.take(np.arange(whole.num_rows))


def _together(queries: Sequence[Any]) -> tuple[int, pd.DataFrame]:
    """Return how many queries they are, and the rows of all of them."""
    return len(queries), frame_of(need("pyarrow").concat_tables(queries))


def _starts(table: Any, query: Sequence[Hashable]) -> Ints:
    """Return the rows at which another query begins, the first row among them."""
    changes = np.zeros(table.num_rows, dtype=bool)
    changes[0] = True
    for name in query:
        ids = table.column(name)
        changes[1:] |= _differs(ids[1:], ids[:-1])
    return np.flatnonzero(changes)


def _same(before: Any, after: Any, query: Sequence[Hashable]) -> bool:
    """Return whether the last row of one table and the first of another are of one query."""
    ends = ((before.column(name)[-1:], after.column(name)[:1]) for name in query)
    return not any(_differs(*pair).any() for pair in ends)


def _differs(left: Any, right: Any) -> NDArray[np.bool_]:
    """Return where ids differ; an id that is missing differs from all, and is refused later."""
    pa = need("pyarrow")
    if pa.types.is_integer(left.type) and not left.null_count and not right.null_count:
        return left.to_numpy() != right.to_numpy()  # several times as fast
    compute = need("pyarrow.compute")
    return compute.fill_null(compute.not_equal(left, right), fill_value=True).to_numpy()
