"""Which rows of two tables are of the same query and document, found without a join of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.fingerprints import Numbered, decoded, mixed, number_ids
from rank_magic.threads import in_threads

__all__ = ["Keys", "Matches", "match"]

Ints = NDArray[np.signedinteger[Any]]
Words = NDArray[np.uint64]

PIECE = 1 << 17


@dataclass(frozen=True)
class Keys:
    """The columns of a table that name its rows together.

    Attributes
    ----------
    query : sequence of Series
        The column, or columns, of the query.
    doc : Series
        The document's.
    """

    query: Sequence[pd.Series[Any]]
    doc: pd.Series[Any]

    @property
    def columns(self) -> list[pd.Series[Any]]:
        """Every column, the document's last."""
        return [*self.query, self.doc]


@dataclass(frozen=True)
class Matches:
    """The rows of a run that are judged, and by which rows of the qrels.

    Attributes
    ----------
    rows : array of int
        Numbers of the run's rows that are judged, ascending.
    pair : array of int
        For each of them the number of its pair of query and document.
    pair_of : array of int, shape (judgments,)
        For each row of the qrels the number of its pair.
    starts : array of int
        The run's rows whose query is not that of the row before.
    spans : array of int
        For each such row the number of its query among those of the qrels, -1 where it has none.
    query_of : array of int, shape (judgments,)
        For each row of the qrels the number of its query.
    """

    rows: Ints
    pair: Ints
    pair_of: Ints
    starts: Ints
    spans: Ints
    query_of: Ints

    @cached_property
    def retrieved(self) -> NDArray[np.bool_]:
        """Which rows of the qrels are of a pair that the run has."""
        seen = np.zeros(int(self.pair_of.max(initial=-1)) + 1, dtype=bool)
        seen[self.pair] = True
        return seen[self.pair_of]

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Which queries of the qrels the run has."""
        known = np.zeros(int(self.query_of.max(initial=-1)) + 1, dtype=bool)
        known[self.spans[self.spans >= 0]] = True
        return known


def match(run: Keys, qrels: Keys) -> Matches:
    """Find the rows of a run that the qrels judge.

    Pairs of ids are compared as 64-bit numbers first and by themselves afterwards, so that no
    accident of the numbers can tell.
    """
    found = _match(run, qrels, exact=False)
    return found if _same_ids(found, run, qrels) else _match(run, qrels, exact=True)


def _match(run: Keys, qrels: Keys, *, exact: bool) -> Matches:
    """Match by the numbers of the ids; exact ones are as good as the ids themselves."""
    numbered = [
        number_ids(values, among, exact=exact)
        for values, among in zip(run.columns, qrels.columns, strict=True)
    ]
    *queries, docs = [pair[0] for pair in numbered]
    *judged, judged_docs = [pair[1].take(slice(None)) for pair in numbered]
    starts = _starts(queries, len(run.doc))
    query = np.concatenate(
        list(
            in_threads(
                lambda at: mixed([column.take(starts[at : at + PIECE]) for column in queries]),
                range(0, len(starts), PIECE),
                cells=len(starts),
            )
        )
    )
    key_query = mixed(judged)
    query_of, distinct_queries = pd.factorize(key_query)
    pair_of, distinct = pd.factorize(mixed([key_query, judged_docs]))
    rows, pair = _partners(query, starts, docs, len(run.doc), distinct)
    spans = pd.Index(distinct_queries).get_indexer(query)
    return Matches(rows, pair, pair_of, starts, spans, query_of)


def _starts(queries: Sequence[Numbered], rows: int) -> Ints:
    """Return the rows whose query is not that of the row before."""
    fresh = queries[0].fresh()
    for column in queries[1:]:
        fresh = fresh | column.fresh()
    return np.concatenate([[0], np.flatnonzero(fresh) + 1])[: rows if rows == 0 else None]


def _partners(
    query: Words, starts: Ints, docs: Numbered, rows: int, distinct: Words
) -> tuple[Ints, Ints]:
    """Return the rows whose pair is among the distinct ones, and its number there."""
    # Most rows are judged by nobody. A table with a place for the first bits of every number
    # tells nearly all of them at once, and is small enough to stay in the cache.
    bits = min(max(10, int(len(distinct) * 12).bit_length()), 26)
    shift = np.uint64(64 - bits)
    there = np.zeros(1 << bits, dtype=bool)
    there[distinct >> shift] = True
    index = pd.Index(distinct)
    ends = np.append(starts[1:], rows)

    def partners(at: int) -> tuple[Ints, Ints]:
        stop = min(at + PIECE, rows)
        first, last = np.searchsorted(starts, [at, stop - 1], side="right") - [1, 0]
        length = np.minimum(ends[first:last], stop) - np.maximum(starts[first:last], at)
        key = mixed([np.repeat(query[first:last], length), docs.take(slice(at, stop))])
        maybe = np.flatnonzero(there[key >> shift])
        pair = index.get_indexer(key[maybe])
        sure = pair >= 0
        return maybe[sure] + at, pair[sure]

    # Looking up for the first time builds the index' table, which threads must not do at once.
    index.get_indexer(distinct[:1])
    parts = list(in_threads(partners, range(0, rows, PIECE), cells=rows))
    return (
        np.concatenate([part[0] for part in parts] or [np.zeros(0, dtype=np.int64)]),
        np.concatenate([part[1] for part in parts] or [np.zeros(0, dtype=np.int64)]),
    )


def _same_ids(found: Matches, run: Keys, qrels: Keys) -> bool:
    """Whether rows of one pair have the same ids, in the run and in the qrels."""
    first = _first(found.pair_of)
    again = np.flatnonzero(first[found.pair_of] != np.arange(len(found.pair_of)))
    opener = _first(found.query_of)
    there = np.flatnonzero(found.spans >= 0)
    return all(
        _equal(values, found.rows, among, first[found.pair])
        and _equal(among, again, among, first[found.pair_of[again]])
        for values, among in zip(run.columns, qrels.columns, strict=True)
    ) and all(
        _equal(values, found.starts[there], among, opener[found.spans[there]])
        for values, among in zip(run.query, qrels.query, strict=True)
    )


def _first(numbers: Ints) -> Ints:
    """Return for each number the first place where it stands."""
    first = np.empty(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return first


def _equal(one: pd.Series[Any], rows: Ints, other: pd.Series[Any], others: Ints) -> bool:
    """Whether the ids in the given rows of two columns are the same, place by place."""
    left, right = decoded(one.iloc[rows]), decoded(other.iloc[others])
    if left.dtype != right.dtype:
        left, right = left.astype(object), right.astype(object)
    return bool(np.asarray(left.array == right.array, dtype=bool).all())
