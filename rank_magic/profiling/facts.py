"""The facts about an evaluation set, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.blocks import UNJUDGED
from rank_magic.columns import column, combined, numbers
from rank_magic.conventions import Conventions
from rank_magic.errors import DataError
from rank_magic.grouping import Groups, group_rows
from rank_magic.layout import cells, shelves
from rank_magic.rankings import Ranked, Rankings
from rank_magic.roles import Roles
from rank_magic.threads import in_threads

__all__ = ["Facts"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]

DEEPEST = 100  # down to which rank the unjudged are counted


@dataclass(frozen=True)
class Facts:
    """The rows of a frame by query, read but not refused.

    Attributes
    ----------
    frame : DataFrame
        The rows that belong to a query.
    roles : Roles
        Which columns they are told by.
    ranked : bool
        Whether there is anything to rank by.
    without_query : int
        How many rows had no query and were left out.
    """

    frame: pd.DataFrame
    roles: Roles
    ranked: bool
    without_query: int

    @classmethod
    def of(cls, frame: pd.DataFrame, roles: Roles, *, ranked: bool) -> Facts:
        """Read a frame, without the rows that belong to no query."""
        missing = np.zeros(len(frame), dtype=bool)
        for name in roles.query:
            missing |= column(frame, name).isna().to_numpy()
        if missing.all():
            raise DataError(
                f"No row has a query in {roles.query[0]!r}, so there is nothing to see."
            )
        kept = frame[~missing] if missing.any() else frame
        return cls(kept, roles, ranked, int(np.count_nonzero(missing)))

    # Rows.

    @cached_property
    def groups(self) -> Groups:
        """The rows of each query."""
        return group_rows([column(self.frame, name) for name in self.roles.query])

    @cached_property
    def grade(self) -> Floats:
        """The grade of each row."""
        return numbers(column(self.frame, self.roles.grade), "grade")

    @cached_property
    def scores(self) -> dict[Hashable, Floats]:
        """What each system ranks by, NaN where it did not retrieve."""
        if not self.ranked:
            return {}
        roles, frame = self.roles, self.frame
        given: dict[Hashable, Floats] = {
            name: numbers(column(frame, name), "score") for name in roles.score
        }
        if not given and roles.rank is not None:
            given = {roles.rank: -numbers(column(frame, roles.rank), "rank")}
        if not given:
            given = {"rows": -np.arange(len(frame), dtype=np.float64)}
        if roles.system is None:
            return given
        (score, *_) = given.values()
        number, names = pd.factorize(column(frame, roles.system), sort=True)
        return {name: np.where(number == place, score, np.nan) for place, name in enumerate(names)}

    @cached_property
    def doc(self) -> tuple[Ints | None, pd.Index[Any]]:
        """The number of each row's document, −1 where it has none; and the distinct ids."""
        if self.roles.doc is None:
            return None, pd.Index([])
        number, distinct = pd.factorize(column(self.frame, self.roles.doc))
        # Half the bytes are sorted in half the time.
        small = len(distinct) < np.iinfo(np.int32).max
        return number.astype(np.int32 if small else np.int64), pd.Index(distinct)

    # Queries.

    def by_query(self, reduce: np.ufunc, values: NDArray[Any], **options: Any) -> NDArray[Any]:
        """Return what the values of each query's rows reduce to, shape (queries,)."""
        groups = self.groups
        ordered = values if groups.order is None else values[groups.order]
        place = np.argsort(groups.start, kind="stable")
        found = reduce.reduceat(ordered, groups.start[place], **options)
        result = np.empty(len(place), dtype=found.dtype)
        result[place] = found
        return result

    def count(self, rows: Bools) -> Ints:
        """Return in how many rows of each query something holds."""
        return self.by_query(np.add, rows, dtype=np.int64)

    @cached_property
    def highest(self) -> Floats:
        """The highest grade of each query, NaN where nothing is judged."""
        return self.by_query(np.fmax, self.grade)

    @cached_property
    def retrieved(self) -> dict[Hashable, Ints]:
        """How many documents each system retrieved for each query."""
        return {name: self.count(~np.isnan(score)) for name, score in self.scores.items()}

    def constant(self, system: Hashable) -> Bools:
        """Return for each query whether a system gives all of several documents one score."""
        score = self.scores[system]
        same = self.by_query(np.fmin, score) == self.by_query(np.fmax, score)
        return np.asarray(same & (self.retrieved[system] > 1))

    @cached_property
    def grades(self) -> pd.Series[Any]:
        """How often each grade was given, ascending."""
        counts = pd.Series(self.grade).value_counts(dropna=True).sort_index()
        return counts.rename("documents").rename_axis("grade")

    # Documents.

    @cached_property
    def repeated(self) -> Ints:
        """How many rows of each query repeat a document of the same system and subtopic."""
        doc, _ = self.doc
        found = np.zeros(len(self.groups.length), dtype=np.int64)
        if doc is None:
            return found
        for role in (self.roles.system, self.roles.subtopic):
            if role is not None:
                other, _ = pd.factorize(column(self.frame, role))
                both = combined([doc.astype(np.int64), other.astype(np.int64)])
                doc = np.where(doc < 0, -1, both)

        def work(shelf: Ints) -> tuple[Ints, Ints]:
            docs = np.sort(cells(self.groups, shelf).take(doc, -1), axis=1)
            same = (docs[:, 1:] == docs[:, :-1]) & (docs[:, 1:] >= 0)
            return shelf, np.count_nonzero(same, axis=1)

        for shelf, number in in_threads(work, shelves(self.groups), cells=len(doc)):
            found[shelf] = number
        return found

    @cached_property
    def conflicting(self) -> Ints:
        """A row of each document that is judged in several rows, and differently."""
        doc, _ = self.doc
        if doc is None or self.roles.subtopic is not None:
            return np.zeros(0, dtype=np.int64)
        if self.roles.system is None and not self.repeated.any():
            return np.zeros(0, dtype=np.int64)
        judged = np.flatnonzero(~np.isnan(self.grade) & (doc >= 0))
        number = self._pairs[judged]
        low, high = np.full(len(self.grade), np.inf), np.full(len(self.grade), -np.inf)
        np.minimum.at(low, number, self.grade[judged])
        np.maximum.at(high, number, self.grade[judged])
        first = np.full(len(self.grade), len(self.grade))
        np.minimum.at(first, number, judged)
        return first[low < high]

    @cached_property
    def _pairs(self) -> Ints:
        """The number of each row's query and document together."""
        doc, _ = self.doc
        number = self.groups.number_of_row()
        pair = number if doc is None else combined([number, doc.astype(np.int64)])
        return np.asarray(pd.factorize(pair)[0], dtype=np.int64)

    @cached_property
    def _pooled(self) -> Floats:
        """The grade of each row's document, from whichever system's row has it."""
        if self.roles.system is None or self.doc[0] is None:
            return self.grade
        highest = np.full(len(self.grade), np.nan)
        np.fmax.at(highest, self._pairs, self.grade)
        return highest[self._pairs]

    @cached_property
    def neighbours(self) -> tuple[int, int]:
        """How often a query's next judged row has a lower grade, and how often a higher one."""
        groups, judged = self.groups, ~np.isnan(self.grade)
        ordered = self.grade if groups.order is None else self.grade[groups.order]
        new = np.zeros(len(ordered), dtype=bool)
        new[groups.start] = True
        query = None
        if not judged.all():
            there = ~np.isnan(ordered)
            query = np.cumsum(new, dtype=np.int32)[there]
            ordered = ordered[there]
        step = np.diff(ordered)
        within = ~new[1:] if query is None else query[1:] == query[:-1]
        return (
            int(np.count_nonzero((step < 0) & within)),
            int(np.count_nonzero((step > 0) & within)),
        )

    # Rankings.

    @cached_property
    def rankings(self) -> Rankings:
        """The rankings alone, documents without names, so that none can be repeated."""
        grade = np.where(np.isinf(self._pooled), np.nan, self._pooled)
        scores: dict[Hashable, Floats] = dict(enumerate(self.scores.values()))
        first, *others = self.roles.query
        query = self.groups.number_of_row() if others else column(self.frame, first).array
        # Without a copy: columns are left where they are.
        plain = pd.DataFrame({"query": query, "grade": grade, **scores}, copy=False)
        return Rankings.of(plain, Conventions(), query="query", grade="grade", score=list(scores))

    @cached_property
    def shown(self) -> tuple[Ints, Floats, Bools]:
        """Documents and expected unjudged ones at each rank, and whether scores tie.

        Of shapes (systems, ranks), (systems, ranks) and (systems, queries).
        """
        systems = len(self.scores)
        documents = np.zeros((systems, DEEPEST), dtype=np.int64)
        unjudged = np.zeros((systems, DEEPEST))
        tied = np.zeros((systems, len(self.groups.length)), dtype=bool)
        if not systems or not np.isfinite(self.grade).any():
            return documents, unjudged, tied
        table = np.zeros(self.rankings.scale.codes)
        table[UNJUDGED] = 1.0

        def work(system: int, ranked: Ranked) -> tuple[int, Ints, Ints, Floats]:
            tied[system, ranked.queries] = ranked.tied
            length = np.minimum(ranked.block.length, DEEPEST)
            by_length = np.bincount(length, minlength=DEEPEST + 1)[1:]
            at_rank = np.cumsum(by_length[::-1])[::-1]
            return (
                system,
                at_rank,
                ranked.queries,
                ranked.block.expected(table, DEEPEST).sum(axis=0),
            )

        for system, at_rank, _, lacking in self.rankings.map(work):
            documents[system] += at_rank
            unjudged[system, : len(lacking)] += lacking
        return documents, unjudged, tied
