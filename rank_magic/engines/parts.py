"""A part of the data measured: the values of its queries, and facts that add up over parts.

A query is never split, so parts have no query in common, and all that is known about the whole is
made of what is known about the parts: values stand side by side, counts add up, and means come
from sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.coverage import coverage, positives_only, shares_judged
from rank_magic.engines.moments import Moments
from rank_magic.engines.plan import Plan
from rank_magic.grouping import standing
from rank_magic.measures import Measure
from rank_magic.statistics import mean
from rank_magic.values import Values, compute

__all__ = ["Facts", "Part", "coverage_table"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# The last fact of a coverage table, which stands behind the shares.
DISAGREE = "queries whose rank and score disagree"
# The arrays of `Values` whose last axis is that of queries.
BY_QUERY = [field.name for field in fields(Values) if field.name != "of_what_is_shown"]


@dataclass(frozen=True)
class Part:
    """Some queries measured.

    Attributes
    ----------
    plan : Plan
        What was measured.
    queries : Index
        The queries, sorted.
    all_values : Values
        Of the plan's measures, and behind them of the shares of what is judged.
    counts : DataFrame
        The facts of a coverage table that are counts.
    shares : tuple of Measure
        The shares of what is judged that are known.
    """

    plan: Plan
    queries: pd.Index
    all_values: Values
    counts: pd.DataFrame
    shares: tuple[Measure, ...]

    @classmethod
    def of(cls, plan: Plan, frame: pd.DataFrame) -> Part:
        """Measure rows that hold some queries in full."""
        rankings = plan.rankings(frame)
        shares = () if positives_only(rankings) else tuple(shares_judged(plan.measures))
        # Together, since sorting is most of the work.
        values = compute(rankings, [*plan.measures, *shares])
        return cls(plan, rankings.queries, values, coverage(rankings, (), values), shares)

    @classmethod
    def merged(cls, parts: Sequence[Part]) -> Part:
        """Return the queries of all parts, sorted."""
        first, *others = parts
        queries = first.queries.append([part.queries for part in others])
        values = _joined([part.all_values for part in parts])
        counts = reduce(pd.DataFrame.add, (part.counts for part in parts))
        whole = cls(first.plan, queries, values, counts, first.shares)
        order = standing(queries)
        return whole if order is None else whole.taken(order)

    def taken(self, order: Ints) -> Part:
        """Return the part with its queries in another order, or with some of them only."""
        return replace(self, queries=self.queries[order], all_values=_taken(self.all_values, order))

    @property
    def values(self) -> Values:
        """The values of the plan's measures."""
        return _of_measures(self.all_values, len(self.plan.measures))

    @cached_property
    def ruled(self) -> Floats:
        """All values under the conventions, shape (systems, measures and shares, queries)."""
        return self.all_values.ruled(self.plan.conventions)

    def frame(self) -> pd.DataFrame:
        """Return the table of values, as `Evaluation.per_query` gives it."""
        number = len(self.plan.measures)
        flat = self.ruled[:, :number].reshape(-1, len(self.queries)).T
        return pd.DataFrame(flat.copy(), self.queries, self.plan.columns())

    def coverage(self) -> pd.DataFrame:
        """Return the coverage table, see `rank_magic.coverage`."""
        found = self.ruled[:, len(self.plan.measures) :]
        means = [[mean(of_query) for of_query in of_system] for of_system in found]
        return coverage_table(self.counts, self.shares, means)

    def facts(self) -> Facts:
        """Return what adds up."""
        how = [measure.aggregate for measure in (*self.plan.measures, *self.shares)]
        moments = [
            [Moments.of(values, how[place]) for place, values in enumerate(of_system)]
            for of_system in self.ruled
        ]
        errors = (self.values.error**2).sum(axis=2)
        lacking = self.values.without_relevant.any(axis=1)
        poisoned = np.asarray(lacking & (self.plan.conventions.no_relevant == "nan"))
        return Facts(self.counts, self.shares, moments, errors, poisoned)


@dataclass(frozen=True)
class Facts:
    """What adds up over parts.

    Attributes
    ----------
    counts : DataFrame
        The facts of a coverage table that are counts.
    shares : tuple of Measure
        The shares of what is judged that are known.
    moments : list of list of Moments
        For each system those of each measure, and behind them of each share.
    squared_errors : array of float, shape (systems, measures)
        Sums of the squared standard errors of values that were averaged over drawn orders.
    poisoned : array of bool, shape (measures,)
        Whether a query without a value leaves the mean without one.
    """

    counts: pd.DataFrame
    shares: tuple[Measure, ...]
    moments: list[list[Moments]]
    squared_errors: Floats
    poisoned: NDArray[np.bool_]

    @classmethod
    def merged(cls, parts: Iterable[Facts]) -> Facts:
        """Return the facts of all parts together."""
        parts = list(parts)
        by_system = zip(*(part.moments for part in parts), strict=True)
        return cls(
            reduce(pd.DataFrame.add, (part.counts for part in parts)),
            parts[0].shares,
            [
                [Moments.merged(of_measure) for of_measure in zip(*of_system, strict=True)]
                for of_system in by_system
            ],
            np.sum([part.squared_errors for part in parts], axis=0),
            np.any([part.poisoned for part in parts], axis=0),
        )

    def coverage(self) -> pd.DataFrame:
        """Return the coverage table, see `rank_magic.coverage`."""
        number = len(self.poisoned)
        means = [[one.mean for one in of_system[number:]] for of_system in self.moments]
        return coverage_table(self.counts, self.shares, means)

    def summary(self, measures: Sequence[Measure]) -> list[tuple[float, float, float, int]]:
        """Return aggregate, interval and count for each system and measure."""
        rows = []
        for of_system in self.moments:
            for measure, moments, poisoned in zip(measures, of_system, self.poisoned, strict=False):
                row = moments.row(measure.aggregate)
                rows.append((np.nan, np.nan, np.nan, row[3]) if poisoned else row)
        return rows


def coverage_table(
    counts: pd.DataFrame, shares: Sequence[Measure], means: Sequence[Sequence[float]]
) -> pd.DataFrame:
    """Return a coverage table of counts and of means of shares, one for each system."""
    table = pd.DataFrame(
        {str(share): [row[place] for row in means] for place, share in enumerate(shares)},
        index=counts.columns,
        dtype=object,
    )
    last = counts.index == DISAGREE
    return pd.concat([counts[~last], table.T, counts[last]])


def _joined(parts: Sequence[Values]) -> Values:
    """Return the values of all queries side by side."""
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts], axis=-1) for name in BY_QUERY
    }
    return replace(parts[0], **joined)


def _taken(values: Values, order: Ints) -> Values:
    """Return the values of some queries."""
    return replace(values, **{name: getattr(values, name)[..., order] for name in BY_QUERY})


def _of_measures(values: Values, number: int) -> Values:
    """Return the values of the first measures only."""
    return replace(
        values,
        value=values.value[:, :number],
        error=values.error[:, :number],
        findable=values.findable[:number],
        of_what_is_shown=values.of_what_is_shown[:number],
    )
