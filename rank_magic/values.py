"""The numbers of an evaluation, one per system, measure and query, before any table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.conventions import Conventions
from rank_magic.measures import Measure, orders
from rank_magic.progress import report
from rank_magic.rankings import Ranked, Rankings

__all__ = ["Values", "compute"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Values:
    """What was found for each query.

    Attributes
    ----------
    value : array of float, shape (systems, measures, queries)
        Sums over ranks, before conventions say what a query without results scores.
    error : array of float, shape (systems, measures, queries)
        Standard errors of values that were averaged over drawn orders of equal scores; 0 where
        the value is exact.
    retrieved : array of int, shape (systems, queries)
        Number of documents retrieved.
    tied : array of bool, shape (systems, queries)
        Whether scores are equal within the ranking.
    findable : array of bool, shape (measures, queries)
        Whether a query has anything that could earn the measure something.
    relevant : array of bool, shape (queries,)
        Whether a query has a document that is relevant by the convention ``rel``.
    judged : array of int, shape (queries,)
        Number of judged documents.
    pooled : array of bool, shape (queries,)
        Whether any document has a grade, be it negative.
    of_what_is_shown : array of bool, shape (measures,)
        Whether the measure is a share of the documents shown.
    """

    value: Floats
    error: Floats
    retrieved: Ints
    tied: Bools
    findable: Bools
    relevant: Bools
    judged: Ints
    pooled: Bools
    of_what_is_shown: Bools

    @property
    def answered(self) -> Bools:
        """Whether a system has results for a query, shape (systems, queries)."""
        return self.retrieved > 0

    @property
    def without_relevant(self) -> Bools:
        """Whether a judged query has nothing to find, shape (measures, queries)."""
        return self.pooled & ~self.findable

    def ruled(self, conventions: Conventions) -> Floats:
        """Return the values under the conventions for queries without results or relevance."""
        value = self.value.copy()
        if conventions.no_relevant != "zero":
            lacking = np.broadcast_to(self.without_relevant, value.shape)
            value[lacking] = 1.0 if conventions.no_relevant == "one" else np.nan
        silent = ~self.answered
        if silent.any():
            if conventions.unanswered == "skip":
                value[np.broadcast_to(silent[:, None, :], value.shape)] = np.nan
            value[silent[:, None, :] & self.of_what_is_shown[:, None]] = np.nan
        if not self.pooled.all():
            value[:, :, ~self.pooled] = np.nan
        return value


def _places(queries: Ints) -> Ints | slice:
    """Return query numbers as a slice where they are consecutive, which writes faster."""
    first, last = int(queries[0]), int(queries[-1])
    consecutive = last - first == len(queries) - 1 and bool((queries[1:] - queries[:-1] == 1).all())
    return slice(first, last + 1) if consecutive else queries


def compute(rankings: Rankings, measures: Sequence[Measure], chosen: Bools | None = None) -> Values:
    """Measure every query, or the chosen ones, of every system.

    Parameters
    ----------
    rankings : Rankings
        What to measure.
    measures : sequence of Measure
        By what.
    chosen : array of bool, shape (queries,), optional
        Which queries; the others stay 0.
    """
    resolved = [measure.resolved(rankings.conventions.defaults) for measure in measures]
    systems, queries = len(rankings.systems), len(rankings.queries)
    values = Values(
        value=np.zeros((systems, len(measures), queries)),
        error=np.zeros((systems, len(measures), queries)),
        retrieved=np.zeros((systems, queries), dtype=np.int64),
        tied=np.zeros((systems, queries), dtype=bool),
        findable=np.zeros((len(measures), queries), dtype=bool),
        relevant=np.zeros(queries, dtype=bool),
        judged=np.zeros(queries, dtype=np.int64),
        pooled=np.zeros(queries, dtype=bool),
        of_what_is_shown=np.array([measure.of_what_is_shown for measure in measures]),
    )

    def work(system: int, ranked: Ranked) -> int:
        block, at = ranked.block, _places(ranked.queries)
        values.retrieved[system, at] = block.shown()
        values.tied[system, at] = ranked.tied
        for number, measure in enumerate(resolved):
            value, error = orders.value(measure, block)
            values.value[system, number, at] = value
            if error is not None:
                values.error[system, number, at] = error
        if system == 0:
            relevant = block.scale.relevant(rankings.conventions.rel)
            values.relevant[at] = block.pool.number(relevant) > 0
            values.judged[at] = block.pool.number(block.scale.judged)
            values.pooled[at] = block.pool.number(block.scale.pooled) > 0
            for number, measure in enumerate(resolved):
                values.findable[number, at] = measure.findable(block)
        return block.queries

    report(more=systems * (queries if chosen is None else int(np.count_nonzero(chosen))))
    for number in rankings.map(work, chosen):
        report(done=number)
    return values
