"""One ranking, rank by rank: what each rank adds to each measure, and why."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rank_magic.columns import column
from rank_magic.errors import DataError, did_you_mean, listed
from rank_magic.measures import Measure
from rank_magic.rankings import Ranked, Rankings
from rank_magic.ties import sequential_sum

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, eq=False)
class Explanation:
    """One ranking with what each rank adds to each measure.

    Attributes
    ----------
    query
        The query.
    system
        The system whose ranking it is.
    ranking : DataFrame
        By rank: document, grade, score and whatever other columns the frame has. Equal scores
        have the same number under ``tie``.
    parts : dict of str to DataFrame
        By measure: the quantities that explain it, and ``contribution``, by rank. The
        contributions add up to the value.
    values : dict of str to float
        By measure: the value.
    """

    query: Any
    system: Hashable
    ranking: pd.DataFrame
    parts: dict[str, pd.DataFrame]
    values: dict[str, float]

    def to_frame(self) -> pd.DataFrame:
        """Return everything as one table: pairs of measure and quantity as columns, by rank."""
        return pd.concat({"": self.ranking, **self.parts}, axis=1)

    def __repr__(self) -> str:
        from rank_magic.tables import explanation_text

        return explanation_text(self)

    def _repr_html_(self) -> str:
        from rank_magic.tables import explanation_html

        return explanation_html(self)


def explain(evaluation: Evaluation, query: Any, system: Hashable | None) -> Explanation:
    """Explain one ranking of an evaluation; see `Evaluation.explain`."""
    rankings = evaluation.rankings
    number = _query_number(rankings, query)
    of_system = _system_number(rankings, system)
    ranked = rankings.ranked(number, of_system)
    parts, values = {}, {}
    for measure in evaluation.measures:
        table, value = _part(measure.resolved(rankings.conventions.defaults), ranked)
        parts[str(measure)], values[str(measure)] = table, value
    return Explanation(
        rankings.queries[number],
        rankings.systems[of_system],
        _ranking(rankings, ranked, of_system),
        parts,
        values,
    )


def _query_number(rankings: Rankings, query: Any) -> int:
    queries = rankings.queries
    if query is None:
        if len(queries) == 1:
            return 0
        raise DataError(
            f"There are {len(queries):,} queries; say which one to explain, such as "
            f"query={queries[0]!r}."
        )
    if query not in queries:
        raise DataError(
            f"There is no query {query!r}. Queries are {listed(queries, 5)}."
            f"{did_you_mean(str(query), map(str, queries[:10_000]))}"
        )
    return int(queries.get_loc(query))


def _system_number(rankings: Rankings, system: Hashable | None) -> int:
    if system is None:
        return 0
    if system not in rankings.systems:
        raise DataError(f"There is no system {system!r}. Systems are {listed(rankings.systems)}.")
    return rankings.systems.index(system)


def _part(measure: Measure, ranked: Ranked) -> tuple[pd.DataFrame, float]:
    """Return a measure's quantities by rank, and its value."""
    block = ranked.block
    contributions = measure.contributions(block)
    quantities = {**measure.workings(block), "contribution": contributions}
    shown = int(block.shown(measure.k)[0])
    columns = {}
    for name, array in quantities.items():
        row = np.asarray(array, dtype=np.float64)[0]
        # What an ideal ranking holds may reach beyond what was retrieved.
        length = int(np.flatnonzero(row).max(initial=-1)) + 1 if name == "ideal" else shown
        columns[name] = pd.Series(row[:length], index=np.arange(1, length + 1))
    table = pd.DataFrame(columns)
    table.index.name = "rank"
    return table, float(sequential_sum(contributions)[0])


def _ranking(rankings: Rankings, ranked: Ranked, system: int) -> pd.DataFrame:
    """Return the retrieved rows in ranked order with the columns worth seeing."""
    length = int(ranked.block.length[0])
    rows = np.zeros(0, dtype=np.int64) if ranked.rows is None else ranked.rows[0, :length]
    frame, roles = rankings.rows.frame, rankings.roles
    table: dict[Hashable, Any] = {}
    if roles.doc is not None:
        table["doc"] = column(frame, roles.doc).iloc[rows].to_numpy()
    table["grade"] = rankings.rows.grade[rows]
    if not roles.by_rows:
        score = rankings.rows.scores[rankings.systems[system]][rows]
        table["score" if roles.score else "rank given"] = score if roles.score else -score
    if ranked.block.ties is not None or bool(ranked.tied[0]):
        table["tie"] = _tie_numbers(rankings.rows.scores[rankings.systems[system]][rows])
    for name in frame.columns:
        if name not in roles.columns() and name not in table:
            table[name] = frame[name].iloc[rows].to_numpy()
    index = pd.RangeIndex(1, length + 1, name="rank")
    return pd.DataFrame(table, index=index)


def _tie_numbers(scores: np.ndarray[Any, np.dtype[np.float64]]) -> pd.arrays.IntegerArray:
    """Return each group of equal scores' number, from 1; missing where a score stands alone."""
    group = np.cumsum(np.concatenate([[True], scores[1:] != scores[:-1]]))
    alone = np.bincount(group, minlength=2)[group] == 1
    numbered = np.zeros(len(group), dtype=np.int64)
    numbered[~alone] = pd.factorize(group[~alone])[0] + 1
    return pd.arrays.IntegerArray(numbered, alone)
