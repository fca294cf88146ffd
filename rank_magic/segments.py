"""Results broken down by segment: by market, by device, by how long a query is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic import statistics
from rank_magic.columns import plain
from rank_magic.coverage import positives_only, shares_judged
from rank_magic.errors import DataError, did_you_mean, listed
from rank_magic.evaluation import Evaluation
from rank_magic.grouping import group_rows
from rank_magic.query_facts import labels_of
from rank_magic.roles import find_given
from rank_magic.significance import CORRECTIONS, corrected
from rank_magic.subsets import only
from rank_magic.values import compute
from rank_magic.weighting import effective_number

__all__ = ["By", "Segments", "segments_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]

# Columns, labels by query, or a function of the query.
By: TypeAlias = Hashable | Sequence[Hashable] | Mapping[Any, Any] | Callable[[Any], Hashable] | None

COLUMNS = ["mean", "low", "high", "queries"]
# Differences below it are rounding.
SAME = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Segments(Mapping[Any, Evaluation]):
    """An evaluation broken down by segment: what `Evaluation.by` returns.

    Shown in a notebook it is a table of means with a row for each segment and system. As a
    mapping it gives each segment's queries as an evaluation of their own:
    ``by_market["de"].explain("laptop")``.

    Attributes
    ----------
    evaluation : Evaluation
        What was broken down.
    names : tuple
        What the segments are told apart by.
    labels : Index
        The segments, sorted.
    left_out : int
        Number of queries that belong to no segment.
    """

    evaluation: Evaluation
    names: tuple[Hashable, ...]
    labels: pd.Index[Any]
    left_out: int
    _queries: tuple[Ints, ...]

    def __getitem__(self, segment: Any) -> Evaluation:
        place = self.labels.get_loc(segment) if segment in self.labels else None
        if not isinstance(place, int | np.integer):
            raise DataError(
                f"There is no segment {segment!r}. Segments are {listed(map(plain, self.labels))}."
                f"{did_you_mean(str(segment), map(str, self.labels))}"
            )
        return only(self.evaluation, self._queries[int(place)])

    def get(self, segment: Any, default: Any = None) -> Any:
        """Return a segment's queries as an evaluation; the default where there is no such one."""
        if segment not in self:
            return default
        return self[segment]

    def __contains__(self, segment: object) -> bool:
        return segment in self.labels

    def __iter__(self) -> Iterator[Any]:
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def queries(self) -> pd.Series[int]:
        """The number of queries in each segment."""
        counts = [len(queries) for queries in self._queries]
        return pd.Series(counts, index=self.labels, name="queries")

    @property
    def effective(self) -> pd.Series[float]:
        """How many queries of equal weight each segment is worth, (Σ w)² / Σ w²; 0 for none.

        Their number where queries have no weights.
        """
        weights = self.evaluation._weights
        if weights is None:
            return self.queries.astype(float).rename("effective")
        worth = [
            effective_number(weights[queries]) if weights[queries].any() else 0.0
            for queries in self._queries
        ]
        return pd.Series(worth, index=self.labels, name="effective")

    def summary(self) -> pd.DataFrame:
        """Return means with 95 % intervals and the number of queries behind each.

        Returns
        -------
        DataFrame
            As `Evaluation.summary`, a row for each segment and measure, or for each segment,
            system and measure.
        """
        columns = self.evaluation._columns()
        keys = [(*_tuple(label), *_tuple(name)) for label in self.labels for name in columns]
        index = pd.MultiIndex.from_tuples(keys, names=[*self.labels.names, *columns.names])
        rows = self.rows.reshape(len(keys), -1)
        return pd.DataFrame(rows, index=index, columns=COLUMNS).astype({"queries": np.int64})

    to_frame = summary

    @cached_property
    def rows(self) -> Floats:
        """Mean, interval and number of queries, shape (segments, systems, measures, 4)."""
        evaluation = self.evaluation
        rows = [evaluation.summary_rows(queries) for queries in self._queries]
        shape = (len(rows), len(evaluation.systems), len(evaluation.measures), len(COLUMNS))
        return np.array(rows, dtype=np.float64).reshape(shape)

    @cached_property
    def overall(self) -> pd.DataFrame:
        """The summary of all queries that belong to a segment."""
        rows = self.evaluation.summary_rows(np.sort(np.concatenate(self._queries)))
        return pd.DataFrame(rows, index=self.evaluation._columns(), columns=COLUMNS)

    def mean(self) -> pd.DataFrame:
        """Return the means, a row for each segment and a column for each measure.

        With several systems the columns are pairs of system and measure.
        """
        columns = self.evaluation._columns()
        means = self.rows[..., 0].reshape(len(self.labels), len(columns))
        return pd.DataFrame(means.copy(), index=self.labels, columns=columns)

    def compare(self, *, correction: str = "holm", **options: Any) -> pd.DataFrame:
        """Compare the systems within each segment.

        Parameters
        ----------
        correction : {"holm", "bonferroni", "bh", "none"}
            How p-values are corrected: over all segments, systems and measures together.
        **options
            Others of `rank_magic.compare`, such as ``baseline``.

        Returns
        -------
        DataFrame
            The rows of `Comparison.to_frame` for each segment. A segment's own comparison,
            corrected for itself, is that of its queries: ``by_market["de"].compare()``.
        """
        if correction not in CORRECTIONS:
            raise DataError(
                f"Over segments correction={correction!r} is not a choice. Choose one of "
                f"{listed(CORRECTIONS)}."
            )
        tables = [part.compare(correction="none", **options).to_frame() for part in self.values()]
        table = pd.concat(tables, keys=list(self.labels), names=self.labels.names)
        for name in [name for name in table if name.endswith("_corrected")]:
            p = table[name.removesuffix("_corrected")].to_numpy(dtype=np.float64)
            table[name] = corrected(p, correction)
        return table

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """The facts about queries and judgments that each segment's means rest on.

        A row for each segment and system and a column for each fact. Shares of what is judged
        are means over queries, weighted like the others.
        """
        evaluation, values = self.evaluation, self.evaluation._values
        measures = [] if positives_only(evaluation.rankings) else shares_judged(evaluation.measures)
        shares = np.empty((len(evaluation.systems), 0, len(evaluation.queries)))
        if measures:
            shares = compute(evaluation.rankings, measures).ruled(evaluation.conventions)
        weights, judged = evaluation._weights, values.pooled
        rows = []
        for queries in self._queries:
            within = None if weights is None else weights[queries]
            for system in range(len(evaluation.systems)):
                answered, here = values.answered[system, queries], judged[queries]
                facts: dict[str, Any] = {
                    "queries": len(queries),
                    "queries without any judgment": int((~here).sum()),
                    "queries unanswered": int((here & ~answered).sum()),
                    "queries without a relevant document": int(
                        (here & ~values.relevant[queries]).sum()
                    ),
                    "queries with tied scores": int((here & values.tied[system, queries]).sum()),
                    "documents judged": int(values.judged[queries].sum()),
                }
                for number, measure in enumerate(measures):
                    share = shares[system, number, queries]
                    facts[str(measure)] = statistics.mean(share, within)
                rows.append(facts)
        keys = [(*_tuple(label), system) for label in self.labels for system in evaluation.systems]
        names = [*self.labels.names, "system"]
        return pd.DataFrame(rows, index=pd.MultiIndex.from_tuples(keys, names=names))

    @cached_property
    def reversals(self) -> pd.DataFrame:
        """The pairs of systems whose order over all is that of few segments, or of none.

        A row for each measure and pair: ``better`` is above ``worse`` over all queries by
        ``difference``, yet in more segments (``against``) below it than above it (``for``).
        Where it is above in no segment, this is Simpson's paradox: it takes systems that are
        measured over different queries, as ``unanswered="skip"`` makes them, since over the same
        queries a mean lies between the means of its parts.
        """
        evaluation = self.evaluation
        within = self.rows[..., 0]
        over = self.overall["mean"].to_numpy().reshape(within.shape[1:])
        rows = []
        for number, measure in enumerate(evaluation.measures):
            if measure.aggregate == "sum":
                continue
            means = over[:, number]
            for one, other in np.argwhere(means[:, None] - means > SAME):
                apart = within[:, one, number] - within[:, other, number]
                agree, against = int((apart > SAME).sum()), int((apart < -SAME).sum())
                if agree < against:
                    names = (evaluation.systems[one], evaluation.systems[other])
                    difference = float(means[one] - means[other])
                    rows.append((str(measure), *names, difference, agree, against))
        return pd.DataFrame(
            rows, columns=["measure", "better", "worse", "difference", "for", "against"]
        )

    # How it shows itself.

    def __repr__(self) -> str:
        from rank_magic.tables import segments_text

        return segments_text(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Return the table of means by segment, as HTML that needs nothing else."""
        from rank_magic.tables import segments_html

        return segments_html(self)

    def to_markdown(self, *, intervals: bool = True) -> str:
        """Return the table of means by segment as Markdown."""
        from rank_magic.tables import segments_markdown

        return segments_markdown(self, intervals=intervals)

    def to_latex(self, *, intervals: bool = True) -> str:
        """Return the table of means by segment as LaTeX (package booktabs)."""
        from rank_magic.tables import segments_latex

        return segments_latex(self, intervals=intervals)


def _tuple(label: Any) -> tuple[Any, ...]:
    return label if isinstance(label, tuple) else (label,)


def segments_of(evaluation: Evaluation, by: By = None) -> Segments:
    """Break an evaluation down by segment; see `Evaluation.by`."""
    if not evaluation.rows_at_hand:
        raise DataError(
            "The rows were not kept, so there are no segments to be told. Group the values by "
            "query instead, such as per_query.groupby(labels).mean()."
        )
    columns = _columns(evaluation, by)
    belongs = ~np.logical_or.reduce([column.isna().to_numpy() for column in columns])
    there = np.flatnonzero(belongs)
    if not len(there):
        names = listed(column.name for column in columns)
        raise DataError(f"No query belongs to a segment: {names} says nothing of any of them.")
    groups = group_rows([column.iloc[there] for column in columns])
    queries = tuple(there[groups.rows(number)] for number in range(len(groups.labels)))
    left_out = len(evaluation.queries) - len(there)
    return Segments(evaluation, tuple(c.name for c in columns), groups.labels, left_out, queries)


def _columns(evaluation: Evaluation, by: By) -> list[pd.Series[Any]]:
    """Return what tells segments apart, each by query."""
    rankings = evaluation.rankings
    if isinstance(by, pd.Series):
        return [_aligned(evaluation, by)]
    if isinstance(by, Mapping):
        return [_aligned(evaluation, pd.Series(dict(by), name="segment"))]
    if callable(by):
        labels = [by(plain(query)) for query in evaluation.queries]
        name = getattr(by, "__name__", "segment").replace("<lambda>", "segment")
        return [pd.Series(labels, index=evaluation.queries, name=name)]
    if by is None:
        if not rankings.roles.segment:
            raise DataError(
                f"Say what to break down by: a column, such as by({_example(evaluation)!r}); a "
                f"Series of labels by query; or a function of the query. Columns named as "
                f"evaluate(..., segment=...) are the default."
            )
        names = list(rankings.roles.segment)
    else:
        names = find_given(rankings.given, "segment", by)
    return [labels_of(rankings, name).rename(name) for name in names]


def _example(evaluation: Evaluation) -> Any:
    """Return a column that is free to be a segment; one of a query's words for want of any."""
    rankings = evaluation.rankings
    free = [name for name in rankings.given.columns if name not in rankings.roles.columns()]
    return free[0] if free else "market"


def _aligned(evaluation: Evaluation, labels: pd.Series[Any]) -> pd.Series[Any]:
    """Return labels by query in the order of the queries, missing where there are none."""
    queries, given = evaluation.queries, evaluation.rankings.given
    by_row = len(labels) == len(given) != len(queries) and labels.index.equals(given.index)
    if by_row or not labels.index.is_unique:
        example = "by('market')" if labels.name is None else f"by({labels.name!r})"
        raise DataError(
            f"The Series has {len(labels):,} labels, one for each row of the frame or several for "
            f"a query. Give one for each query, indexed by query; a column of the frame is named: "
            f"{example}."
        )
    found = labels.reindex(queries)
    if not labels.index.isin(queries).any():
        raise DataError(
            f"The index of the Series holds none of the queries. Queries are "
            f"{listed(map(plain, queries), 3)}, its index holds "
            f"{listed(map(plain, labels.index), 3)}."
        )
    return found.rename("segment" if labels.name is None else labels.name)
