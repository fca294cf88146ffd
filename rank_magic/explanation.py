"""One ranking, rank by rank: what each rank adds to each measure, and why."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE
from rank_magic.columns import column, plain
from rank_magic.errors import DataError, did_you_mean, listed
from rank_magic.measures import Measure, orders
from rank_magic.rankings import Ranked, Rankings

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["Explanation", "explain", "row_numbers"]

Ints = NDArray[np.signedinteger[Any]]


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
    ideal : DataFrame
        What each rank (rows) of an ideal ranking would add to each measure (columns): all
        judged documents of the query, the best grades first.
    missed : DataFrame
        The judged documents of the query that are not in the ranking, the best grades first.
    about : dict
        By column: what the frame says of the query as a whole, such as its words: the text
        that is the same in all its rows.
    top_grade : float
        The highest grade of the scale.
    ties : str
        The convention for equal scores.
    """

    query: Any
    system: Hashable
    ranking: pd.DataFrame
    parts: dict[str, pd.DataFrame]
    values: dict[str, float]
    ideal: pd.DataFrame
    missed: pd.DataFrame
    about: dict[Hashable, Any]
    top_grade: float
    ties: str

    @property
    def contributions(self) -> pd.DataFrame:
        """What each rank (rows) adds to each measure (columns)."""
        return pd.DataFrame({name: part["contribution"] for name, part in self.parts.items()})

    def to_frame(self) -> pd.DataFrame:
        """Return everything as one table: pairs of measure and quantity as columns, by rank."""
        return pd.concat({"": self.ranking, **self.parts}, axis=1)

    def __repr__(self) -> str:
        from rank_magic.explanation_tables import explanation_text

        return explanation_text(self)

    def _repr_html_(self) -> str:
        from rank_magic.explanation_tables import explanation_html

        return explanation_html(self)


def explain(evaluation: Evaluation, query: Any, system: Hashable | None) -> Explanation:
    """Explain one ranking of an evaluation; see `Evaluation.explain`."""
    rankings = evaluation.rankings
    number = _query_number(rankings, query)
    of_system = _system_number(rankings, system)
    ranked = rankings.ranked(number, of_system)
    parts, values, ideal = {}, {}, {}
    of_query = evaluation.values_of(number)[of_system]
    for measure, value in zip(evaluation.measures, of_query, strict=True):
        name, resolved = str(measure), measure.resolved(rankings.conventions.defaults)
        parts[name], values[name] = _part(resolved, ranked), float(value)
        ideal[name] = _ideal(resolved, ranked)
    everything = rankings.groups.rows(number)
    ranking, missed = _ranking(rankings, ranked, of_system, everything)
    return Explanation(
        rankings.queries[number],
        rankings.systems[of_system],
        ranking,
        parts,
        values,
        pd.DataFrame(ideal).rename_axis("rank"),
        missed,
        _about(rankings, everything),
        rankings.scale.top,
        rankings.conventions.ties,
    )


def _query_number(rankings: Rankings, query: Any) -> int:
    queries = rankings.queries
    if query is None:
        if len(queries) == 1:
            return 0
        raise DataError(
            f"There are {len(queries):,} queries; say which one to explain, such as "
            f"query={plain(queries[0])!r}."
        )
    # Where several columns name a query, a part of its name is found too, at a slice.
    place = queries.get_loc(query) if query in queries else None
    if not isinstance(place, int | np.integer):
        raise DataError(
            f"There is no query {query!r}. Queries are {listed(queries, 5)}."
            f"{did_you_mean(str(query), map(str, queries[:10_000]))}"
        )
    return int(place)


def _system_number(rankings: Rankings, system: Hashable | None) -> int:
    if system is None:
        return 0
    if system not in rankings.systems:
        raise DataError(f"There is no system {system!r}. Systems are {listed(rankings.systems)}.")
    return rankings.systems.index(system)


def _part(measure: Measure, ranked: Ranked) -> pd.DataFrame:
    """Return a measure's quantities by rank."""
    block = ranked.block
    contributions = orders.contributions(measure, block)
    settled = block if measure.exact_over_ties(block) else block.settled()
    quantities = {**measure.workings(settled), "contribution": contributions}
    shown = int(block.shown(measure.k)[0])
    columns = {}
    for name, array in quantities.items():
        row = np.asarray(array, dtype=np.float64)[0]
        # What an ideal ranking holds may reach beyond what was retrieved.
        length = int(np.flatnonzero(row).max(initial=-1)) + 1 if name == "ideal" else shown
        padded = np.pad(row[:length], (0, max(0, length - len(row))))
        columns[name] = pd.Series(padded, index=np.arange(1, length + 1))
    table = pd.DataFrame(columns)
    table.index.name = "rank"
    return table


def _ideal(measure: Measure, ranked: Ranked) -> pd.Series[float]:
    """Return what each rank of the ideal ranking adds, down to the last that adds something."""
    row = np.asarray(measure.ideal_contributions(ranked.block), dtype=np.float64)[0]
    length = int(np.flatnonzero(row).max(initial=-1)) + 1
    return pd.Series(row[:length], index=np.arange(1, length + 1))


def row_numbers(rankings: Rankings, ranked: Ranked, everything: Ints) -> tuple[Ints, Ints]:
    """Return the rows of a ranking in ranked order, and the judged rows that are not in it.

    Parameters
    ----------
    rankings : Rankings
        Where the ranking is from.
    ranked : Ranked
        One ranking, with its row numbers.
    everything : array of int, shape (rows,)
        All rows of its query.
    """
    length = int(ranked.block.length[0])
    rows = everything[:0] if ranked.rows is None else ranked.rows[0, :length]
    others = np.setdiff1d(everything, rows)
    others = others[rankings.codes[others] >= FIRST_GRADE]
    return rows, others[np.argsort(-rankings.codes[others], kind="stable")]


def _ranking(
    rankings: Rankings, ranked: Ranked, system: int, everything: Ints
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the retrieved rows in ranked order, and the judged rows that were not retrieved."""
    rows, missed = row_numbers(rankings, ranked, everything)
    scores = rankings.rows.scores[rankings.systems[system]][rows]
    numbers: dict[Hashable, Any] = {}
    if not rankings.roles.by_rows:
        numbers = {"score": scores} if rankings.roles.score else {"rank given": -scores}
    if ranked.block.ties is not None or bool(ranked.tied[0]):
        numbers["tie"] = _tie_numbers(scores)
    ranking = _table(rankings, rows, numbers)
    ranking.index = pd.RangeIndex(1, len(rows) + 1, name="rank")
    return ranking, _table(rankings, missed, {})


def _table(rankings: Rankings, rows: Ints, numbers: dict[Hashable, Any]) -> pd.DataFrame:
    """Return rows with the columns worth seeing: document, grade, these numbers, the rest."""
    frame, roles = rankings.rows.frame, rankings.roles
    table: dict[Hashable, Any] = {}
    if roles.doc is not None:
        table["doc"] = column(frame, roles.doc).iloc[rows].to_numpy()
    table["grade"] = rankings.rows.grade[rows].astype(np.float64)
    table.update(numbers)
    for place, name in enumerate(frame.columns):
        if name not in roles.columns() and name not in table:
            table[name] = frame.iloc[rows, place].to_numpy()
    return pd.DataFrame(table)


def _about(rankings: Rankings, everything: Ints) -> dict[Hashable, Any]:
    """Return the columns of text that say the same in every row of a query, and what they say."""
    frame, used = rankings.rows.frame, rankings.roles.columns()
    about: dict[Hashable, Any] = {}
    for place, name in enumerate(frame.columns):
        if name in used or pd.api.types.is_numeric_dtype(frame.dtypes.iloc[place]):
            continue
        first, *others = frame.iloc[everything, place].tolist()
        if isinstance(first, str) and others and all(other == first for other in others):
            about[name] = first
    return about


def _tie_numbers(scores: np.ndarray[Any, np.dtype[np.float64]]) -> pd.arrays.IntegerArray:
    """Return numbers of the groups of equal scores, from 1; none where a score stands alone."""
    group = np.cumsum(np.concatenate([[True], scores[1:] != scores[:-1]]))
    alone = np.bincount(group, minlength=2)[group] == 1
    numbered = np.zeros(len(group), dtype=np.int64)
    numbered[~alone] = pd.factorize(group[~alone])[0] + 1
    return pd.arrays.IntegerArray(numbered, alone)
