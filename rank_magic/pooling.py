"""Rows as evaluation needs them: one per query and document, with a score for each system."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import column, combined, ids, numbers, plain, stored_numbers
from rank_magic.errors import ColumnError, DataError
from rank_magic.roles import Roles
from rank_magic.subtopics import by_subtopic
from rank_magic.threads import extremes
from rank_magic.whole import Whole, check_grades

__all__ = ["Rows", "read_rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Rows:
    """Judged and scored documents.

    Attributes
    ----------
    frame : DataFrame
        The rows with all their columns, for labels and for showing.
    grade : array of float or int, shape (rows,)
        Grades, NaN where not judged.
    scores : dict of system name to array of float, shape (rows,)
        Scores, NaN where the system did not retrieve the document.
    ranks : dict of system name to array of float, shape (rows,)
        Ranks that stand beside the scores, to be compared with them; empty when none do.
    several : bool
        Whether the systems are to be told apart in results.
    positions : dict of system name to array of int, shape (rows,)
        Where each row stood for that system, when rows were brought together; empty otherwise.
    topics : array of float, shape (rows, subtopics), or None
        Grades by subtopic, NaN where not judged; a query's subtopics are numbered from 0.
    """

    frame: pd.DataFrame
    grade: NDArray[Any]
    scores: dict[Hashable, Floats]
    ranks: dict[Hashable, Floats]
    several: bool
    positions: dict[Hashable, Ints]
    topics: Floats | None = None
    _standing: dict[Hashable, Ints] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

    def standing(self, doc: Hashable) -> Ints:
        """Return where each row's document stands among all of them, by its id as text."""
        if doc not in self._standing:
            number, distinct = pd.factorize(column(self.frame, doc))
            text = np.array([str(one) for one in distinct.to_numpy(dtype=object)], dtype=object)
            self._standing[doc] = np.unique(text, return_inverse=True)[1][number]
        return self._standing[doc]


def read_rows(
    frame: pd.DataFrame, roles: Roles, duplicates: str, whole: Whole | None = None
) -> Rows:
    """Read the numbers of a frame, pooling the judgments of systems that stand in rows.

    Raises
    ------
    DataError
        If numbers can't be read, grades of one document conflict, or a document is repeated
        within a system.
    """
    grade = stored_numbers(column(frame, roles.grade), "grade")
    if whole is None and grade.dtype.kind == "f":
        check_grades(*extremes(grade), roles.grade)
    scores: dict[Hashable, Floats]
    rank = None if roles.rank is None else numbers(column(frame, roles.rank), "rank")
    if roles.score:
        scores = {name: numbers(column(frame, name), "score") for name in roles.score}
    elif rank is not None:
        scores, rank = {roles.rank: -rank}, None
    else:
        scores = {"rows": -np.arange(len(frame), dtype=np.float64)}
    ranks = {} if rank is None or len(scores) > 1 else dict.fromkeys(scores, rank)
    rows = Rows(frame, grade, scores, ranks, len(scores) > 1, {})
    if roles.system is None and roles.subtopic is None and duplicates == "raise":
        return rows
    if roles.doc is None:
        raise ColumnError(
            "Systems and subtopics that stand in rows are brought together by document, and "
            "repeated documents are found by it, so a doc column is needed. Say which one: "
            "doc='...'."
        )
    return _pooled(rows, roles, duplicates, whole)


def _pooled(rows: Rows, roles: Roles, duplicates: str, whole: Whole | None) -> Rows:
    """Return one row per query and document, with a score for each system."""
    frame = rows.frame
    keys = [ids(column(frame, name), "query") for name in roles.query]
    pair = combined([*keys, ids(column(frame, roles.doc), "doc")])
    of_pair, distinct = pd.factorize(pair)
    number = len(distinct)
    first = np.full(number, len(frame), dtype=np.int64)
    np.minimum.at(first, of_pair, np.arange(len(frame)))
    unit, topics = of_pair, None
    if roles.subtopic is not None:
        unit, topics = by_subtopic(column(frame, roles.subtopic), keys, of_pair, rows.grade)
    _check_agreement(rows, roles, unit)
    grade = _highest(rows.grade, of_pair, number)
    given, system = _by_system(rows, roles, whole)
    scores: dict[Hashable, Floats] = {}
    ranks: dict[Hashable, Floats] = {}
    positions: dict[Hashable, Ints] = {}
    for place, (name, score) in enumerate(given.items()):
        its_own = system == (0 if roles.system is None else place)
        mine = np.flatnonzero(~np.isnan(score) & its_own)
        if duplicates == "raise":
            _forbid_repeats(frame, roles, mine, unit)
        scores[name] = _kept(score, mine, of_pair, number, duplicates)
        if roles.subtopic is not None:
            _check_scores(rows, roles, score, scores[name][of_pair])
        positions[name] = np.full(number, len(frame))
        np.minimum.at(positions[name], of_pair[mine], mine)
        for rank in rows.ranks.values():
            ranks[name] = -_kept(-rank, mine, of_pair, number, duplicates)
    several = roles.system is not None or rows.several
    return Rows(frame.iloc[first], grade, scores, ranks, several, positions, topics)


def _by_system(
    rows: Rows, roles: Roles, whole: Whole | None
) -> tuple[dict[Hashable, Floats], Ints]:
    """Return each system's scores, and the number of the system that each row belongs to."""
    if roles.system is None:
        return rows.scores, np.zeros(1, dtype=np.int64)
    if len(rows.scores) > 1:
        raise ColumnError(
            "Systems are told apart by a system column or by several score columns, not by both. "
            "Name one score column: score='...'."
        )
    system, names = pd.factorize(column(rows.frame, roles.system), sort=True)
    score = next(iter(rows.scores.values()))
    # What no system retrieved needs none: it is judged for all of them.
    missing = int(np.count_nonzero((system < 0) & ~np.isnan(score)))
    if missing:
        number = "1 row has" if missing == 1 else f"{missing:,} rows have"
        raise DataError(
            f"{number} no system in {roles.system!r}. Name it, or drop such rows: "
            f"frame.dropna(subset=[{roles.system!r}])."
        )
    if whole is not None:  # this part may lack some of the systems
        place = pd.Index(whole.systems, dtype=object).get_indexer(pd.Index(names, dtype=object))
        system, names = np.append(place, -1)[system], pd.Index(whole.systems)
    return dict.fromkeys(names, score), system


def _kept(given: Floats, mine: Ints, of_pair: Ints, number: int, duplicates: str) -> Floats:
    """Return each pair's score: that of its first row, or the best of its rows."""
    kept = np.full(number, -np.inf)
    if duplicates == "best":
        np.maximum.at(kept, of_pair[mine], given[mine])
    else:
        kept[of_pair[mine[::-1]]] = given[mine[::-1]]
    shown = np.zeros(number, dtype=bool)
    shown[of_pair[mine]] = True
    return np.where(shown, kept, np.nan)


def _highest(grade: NDArray[Any], of_pair: Ints, number: int) -> Floats:
    """Return each pair's highest grade, NaN where it is not judged."""
    highest = np.full(number, np.nan)
    np.fmax.at(highest, of_pair, grade)
    return highest


def _check_agreement(rows: Rows, roles: Roles, unit: Ints) -> None:
    """Raise when what is judged once has several grades, naming an example."""
    judged = np.flatnonzero(~np.isnan(rows.grade))
    number = int(unit.max(initial=0)) + 1
    low, high = np.full(number, np.inf), np.full(number, -np.inf)
    np.minimum.at(low, unit[judged], rows.grade[judged])
    np.maximum.at(high, unit[judged], rows.grade[judged])
    conflict = np.flatnonzero(low < high)
    if len(conflict):
        at = int(np.flatnonzero(unit == conflict[0])[0])
        raise DataError(
            f"{len(conflict):,} documents have several grades within a query, such as "
            f"{_pair(rows.frame, roles, at)} with {low[conflict[0]]:g} and "
            f"{high[conflict[0]]:g}. Settle on one grade per query and document."
        )


def _check_scores(rows: Rows, roles: Roles, score: Floats, kept: Floats) -> None:
    """Raise when the rows of one document, one for each subtopic, have several scores."""
    wrong = np.flatnonzero(~np.isnan(score) & (score != kept))
    if len(wrong) and roles.system is None:
        at = int(wrong[0])
        raise DataError(
            f"{len(wrong):,} rows score a document otherwise than another row of it, such as "
            f"{_pair(rows.frame, roles, at)} with {score[at]:g} and {kept[at]:g}. A document has "
            f"one score, whatever its subtopics."
        )


def _pair(frame: pd.DataFrame, roles: Roles, row: int) -> str:
    """Return the query and document of a row in words."""
    query = [plain(column(frame, name).iloc[row]) for name in roles.query]
    doc = plain(column(frame, roles.doc).iloc[row])
    return f"document {doc!r} in query {query[0] if len(query) == 1 else tuple(query)!r}"


def _forbid_repeats(frame: pd.DataFrame, roles: Roles, mine: Ints, of_pair: Ints) -> None:
    repeated = mine[pd.Series(of_pair[mine]).duplicated().to_numpy()]
    if len(repeated):
        raise repeats_error(frame, roles, repeated)


def repeats_error(frame: pd.DataFrame, roles: Roles, repeated: Ints) -> DataError:
    """Return the error for rows that repeat a document of their query."""
    examples = "; ".join(_pair(frame, roles, int(row)) for row in repeated[:3])
    number = (
        f"{len(repeated):,} row repeats" if len(repeated) == 1 else f"{len(repeated):,} rows repeat"
    )
    return DataError(
        f"{number} a document of the same query: {examples}. Drop the repeats, or say which row "
        f"counts: duplicates='first' or duplicates='best'."
    )
