"""A frame as judged rankings: grouped, sorted, ties marked, served as blocks."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE, NEGATIVE, PAD, UNJUDGED, Block, Pool, Scale
from rank_magic.columns import Roles, column, combined, find_roles, ids
from rank_magic.conventions import Conventions
from rank_magic.errors import ColumnError, DataError
from rank_magic.grouping import Groups, group_rows
from rank_magic.layout import Cells, cells, shelves
from rank_magic.pooling import Rows, read_rows, repeats_error
from rank_magic.ties import Ties

__all__ = ["THREADS", "Ranked", "Rankings"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Codes = NDArray[np.signedinteger[Any]]
Result = TypeVar("Result")

THREADS = min(8, os.cpu_count() or 1)
COW = int(pd.__version__.split(".")[0]) >= 3


@dataclass(frozen=True)
class Ranked:
    """Rankings of one system, and whose they are.

    Attributes
    ----------
    block : Block
        The rankings.
    queries : array of int, shape (queries,)
        Number of each ranking's query.
    tied : array of bool, shape (queries,)
        Whether the ranking has equal scores.
    rows : array of int, shape (queries, width), or None
        Row number of each cell of the block, on request.
    """

    block: Block
    queries: Ints
    tied: NDArray[np.bool_]
    rows: Ints | None = None


@dataclass(frozen=True)
class Rankings:
    """Judged rankings, ready to be measured.

    Made by `Rankings.of`. Nothing is sorted until blocks are asked for, and no column is copied.
    """

    rows: Rows
    roles: Roles
    conventions: Conventions
    groups: Groups
    codes: Codes
    scale: Scale
    docs: Ints | None

    @classmethod
    def of(cls, frame: pd.DataFrame, conventions: Conventions, **roles: Any) -> Rankings:
        """Read a frame of one row per query and document.

        Parameters
        ----------
        frame : DataFrame
            The rows.
        conventions : Conventions
            How gaps and odd grades are treated.
        **roles
            Column names by role, see `find_roles`.

        Raises
        ------
        ColumnError, DataError
            If columns can't be told or their values can't be ranked.
        """
        found = find_roles(frame, **roles)
        if conventions.ties == "trec" and found.doc is None:
            raise ColumnError(
                "ties='trec' orders equal scores by document id, so a doc column is needed. "
                "Say which one: doc='...'."
            )
        # What is shown later must be what was computed, so the rows are kept as they are now.
        # With copy-on-write this takes no memory.
        kept = frame.copy(deep=False) if COW else frame.copy()
        rows = read_rows(kept, found, conventions.duplicates)
        groups = group_rows([column(rows.frame, name) for name in found.query])
        codes, scale = grade_codes(rows.grade, conventions.negative)
        docs = None if found.doc is None else ids(column(rows.frame, found.doc), "doc")
        return cls(rows, found, conventions, groups, codes, scale, docs)

    @property
    def systems(self) -> tuple[Hashable, ...]:
        """The names of the systems."""
        return tuple(self.rows.scores)

    @property
    def queries(self) -> pd.Index[Any]:
        """The queries, sorted."""
        return self.groups.labels

    def under(self, **changes: Any) -> Rankings:
        """Return the same rankings under other conventions for ties or depth."""
        return replace(self, conventions=replace(self.conventions, **changes))

    def map(
        self,
        function: Callable[[int, Ranked], Result],
        queries: NDArray[np.bool_] | None = None,
    ) -> Iterator[Result]:
        """Apply a function to the rankings of every system, block by block, in threads.

        Parameters
        ----------
        function : callable
            Takes the number of a system and a `Ranked`.
        queries : array of bool, shape (queries,), optional
            Which queries; all by default.
        """
        groups = self.groups

        def work(shelf: Ints) -> list[Result]:
            return [function(system, ranked) for system, ranked in self._shelf(shelf)]

        chosen = shelves(groups, queries)
        if THREADS == 1 or len(chosen) == 1:
            yield from (result for shelf in chosen for result in work(shelf))
            return
        with ThreadPoolExecutor(min(THREADS, len(chosen))) as pool:
            for results in pool.map(work, chosen):
                yield from results

    def ranked(self, query: int, system: int) -> Ranked:
        """Return one ranking with its row numbers."""
        rankings = self._shelf(np.array([query]), with_rows=True)
        return next(ranked for number, ranked in rankings if number == system)

    def _shelf(self, queries: Ints, with_rows: bool = False) -> Iterator[tuple[int, Ranked]]:
        """Yield the rankings of some queries of similar length, for each system."""
        place = cells(self.groups, queries)
        pool = Pool(place.take(self.codes, PAD), self.scale)
        self._check_repeats(place)
        for number, scores in enumerate(self.rows.scores.values()):
            for ranked in self._sorted(place, pool, queries, scores, with_rows):
                yield number, ranked

    def _sorted(
        self, place: Cells, pool: Pool, queries: Ints, scores: Floats, with_rows: bool
    ) -> Iterator[Ranked]:
        """Sort a block by score and settle or mark its ties."""
        key = -place.take(scores, np.nan)
        missing = np.isnan(key)
        if self.conventions.unjudged == "remove":
            missing |= pool.codes < FIRST_GRADE
        width = key.shape[1]
        length = width - np.count_nonzero(missing, axis=1)
        # Missing cells go last. A score of minus infinity would stand among them.
        last = bool((np.isposinf(key) & ~missing).any())
        key[missing] = np.inf
        order = np.lexsort((key, missing), axis=1) if last else np.argsort(key, axis=1)
        offset = (np.arange(len(queries)) * width)[:, None]
        equal = np.zeros(key.shape, dtype=bool)
        descending = key.ravel()[order + offset]
        np.equal(descending[:, 1:], descending[:, :-1], out=equal[:, 1:])
        behind = np.arange(width) >= length[:, None]
        equal[behind] = False
        tied = np.asarray(equal.any(axis=1))
        if tied.any():
            again = np.flatnonzero(tied)
            second = self._among_equals(place, pool.codes, again)
            if last:
                order[again] = _settled_behind(key[again], missing[again], second)
            else:
                order[again] = _settled(key[again], second)
        codes = pool.codes.ravel()[order + offset]
        codes[behind] = PAD
        rows = place.rows().ravel()[order + offset] if with_rows else None
        if self.conventions.unjudged == "raise" and ((codes < FIRST_GRADE) & ~behind).any():
            self._refuse_unjudged(queries, ((codes < FIRST_GRADE) & ~behind).any(axis=1))
        longest = max(1, int(length.max()))
        codes, equal = codes[:, :longest], equal[:, :longest]
        rows = None if rows is None else rows[:, :longest]
        block = Block(codes, length, pool, None, self.conventions.depth)
        if self.conventions.ties != "average" or not tied.any():
            yield Ranked(block, queries, tied, rows)
            return
        for part, ties in ((~tied, False), (tied, True)):
            at = np.flatnonzero(part)
            if len(at):
                yield Ranked(
                    Block(
                        codes[at],
                        length[at],
                        pool.take(at),
                        Ties(equal[at]) if ties else None,
                        self.conventions.depth,
                    ),
                    queries[at],
                    tied[at],
                    None if rows is None else rows[at],
                )

    def _among_equals(self, place: Cells, codes: Codes, at: Ints) -> Codes | Ints | None:
        """Return what orders equal scores, smallest first; None for row order."""
        ties = self.conventions.ties
        if ties == "order":
            return None
        if ties == "worst":
            return codes[at]
        if ties in ("average", "best"):
            # Averages do not depend on the order of equals, but their last bit would.
            return -codes[at]
        rows = place.rows()[at]
        docs = column(self.rows.frame, self.roles.doc)
        number, distinct = pd.factorize(docs.iloc[rows[rows >= 0]])
        text = np.array([str(doc) for doc in distinct], dtype=object)
        standing = np.zeros(rows.shape, dtype=np.int64)
        standing[rows >= 0] = -np.argsort(np.argsort(text, kind="stable"))[number]
        return standing

    def _check_repeats(self, place: Cells) -> None:
        """Raise when a document stands twice in a query."""
        if self.docs is None or self.conventions.duplicates != "raise" or place.shape[1] == 1:
            return
        if self.roles.system is not None:  # pooled, and checked within each system
            return
        docs = np.sort(place.take(self.docs, np.iinfo(np.int64).min), axis=1)
        same = np.count_nonzero(docs[:, 1:] == docs[:, :-1])
        if place.filled is not None:
            # The cells without a row all hold the same number.
            same -= int(np.maximum(np.count_nonzero(~place.filled, axis=1) - 1, 0).sum())
        if same:
            self._refuse_repeats()

    def _refuse_repeats(self) -> None:
        keys = [ids(column(self.rows.frame, name), "query") for name in self.roles.query]
        pair = pd.Series(combined([*keys, ids(column(self.rows.frame, self.roles.doc), "doc")]))
        repeated = np.flatnonzero(pair.duplicated().to_numpy())
        raise repeats_error(self.rows.frame, self.roles, repeated)

    def _refuse_unjudged(self, queries: Ints, which: NDArray[np.bool_]) -> None:
        raise DataError(
            f"Query {self.queries[int(queries[which][0])]!r} shows documents that nobody judged "
            f"(unjudged='raise'). Judge them, or choose unjudged='zero' or unjudged='remove'."
        )


def _settled(key: Floats, second: Codes | Ints | None) -> Ints:
    """Return the order by key, then by the second key, then as they stand."""
    if second is None:
        return np.argsort(key, axis=1, kind="stable")
    offset = (np.arange(len(key)) * key.shape[1])[:, None]
    by_second = np.argsort(second, axis=1, kind="stable")
    by_key = np.argsort(key.ravel()[by_second + offset], axis=1, kind="stable")
    return by_second.ravel()[by_key + offset]


def _settled_behind(key: Floats, missing: NDArray[np.bool_], second: Codes | Ints | None) -> Ints:
    """Do the same when a real score is minus infinity and missing cells go behind it."""
    keys = (key, missing) if second is None else (second, key, missing)
    return np.lexsort(keys, axis=1)


def grade_codes(grades: Floats, negative: str) -> tuple[Codes, Scale]:
    """Return the code of every row's grade, and the scale that tells what codes mean.

    Parameters
    ----------
    grades : array of float, shape (rows,)
        Grades, NaN where not judged.
    negative : {"unjudged", "nonrelevant"}
        What grades below 0 are.
    """
    whole = _small_whole(grades)
    if whole is not None:
        number, low = whole
        present = np.flatnonzero(np.bincount(number))
        values = np.where(present == 0, np.nan, present + (low - 1.0))
    else:
        values, number = np.unique(grades, return_inverse=True)
        present = np.arange(len(values))
    judged = values[~np.isnan(values)]
    if negative == "nonrelevant":
        judged = np.maximum(judged, 0.0)
    scale = Scale(np.unique(judged[judged >= 0]))
    kind = np.int16 if scale.codes < 2**15 else np.int32
    table = np.zeros(int(present.max(initial=0)) + 1, dtype=kind)
    worth = np.maximum(values, 0.0) if negative == "nonrelevant" else values
    code = FIRST_GRADE + np.searchsorted(scale.grades, worth)
    code = np.where(np.isnan(values), UNJUDGED, np.where(worth < 0, NEGATIVE, code))
    table[present] = code
    return np.asarray(table[number]), scale


def _small_whole(grades: Floats) -> tuple[Codes, float] | None:
    """Return grades as small whole numbers from 1, 0 where missing; None when they are not."""
    low, high = np.nanmin(grades, initial=0.0), np.nanmax(grades, initial=0.0)
    if not high - low < 2**14:
        return None
    number = np.empty(len(grades), dtype=np.int16)
    for at in range(0, len(grades), 1 << 20):
        part = grades[at : at + (1 << 20)]
        shifted = np.where(np.isnan(part), low - 1.0, part) - (low - 1.0)
        whole = shifted.astype(np.int16)
        if (whole != shifted).any():
            return None
        number[at : at + (1 << 20)] = whole
    return number, float(low)
