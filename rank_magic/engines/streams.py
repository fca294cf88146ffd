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
    pa = need("pyarrow")
    held: list[Any] = []  # the rows of one query, of which more may come
    for table in map(decoded, tables):
        starts = _starts(table, query)
        first, last = (int(starts[1]) if len(starts) > 1 else table.num_rows), int(starts[-1])
        if held and _same(held[-1], table, query):
            held.append(table[:first])
            if len(starts) == 1:
                continue
            # The rest is not put behind the few rows held, since that would copy all of it.
            starts = starts[1:]
        else:
            first = 0
        if held:
            yield 1, frame_of(pa.concat_tables(held))
        if last > first:
            yield len(starts) - 1, frame_of(table[first:last])
        held = [table[last:]]
    if held:
        yield 1, frame_of(pa.concat_tables(held))


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
    compute = need("pyarrow.compute")
    return compute.fill_null(compute.not_equal(left, right), fill_value=True).to_numpy()
