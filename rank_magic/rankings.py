"""A frame as judged rankings: grouped, sorted, ties marked, served as blocks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE, PAD, Block, Pool, Scale
from rank_magic.columns import column, combined, ids
from rank_magic.conventions import Conventions
from rank_magic.errors import ColumnError, DataError
from rank_magic.fingerprints import numbers_of_ids
from rank_magic.grades import grade_codes, with_levels
from rank_magic.grouping import Groups, group_rows
from rank_magic.layout import Cells, cells, shelves
from rank_magic.pooling import Rows, read_rows, repeats_error
from rank_magic.roles import Roles, find_roles
from rank_magic.sorting import sort_block, sort_rows
from rank_magic.threads import in_threads
from rank_magic.ties import NARROW, Ties
from rank_magic.whole import Whole

__all__ = ["Ranked", "Rankings"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Codes = NDArray[np.signedinteger[Any]]
Result = TypeVar("Result")

# The kinds of numbers that lower bits make, and the largest that each can hold.
LOWER_BITS = {np.uint16: (1 << 16) - 1, np.uint32: (1 << 32) - 1}
INT64 = np.iinfo(np.int64)
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

    def take(self, at: Ints) -> Ranked:
        """Return some of the rankings; the same when all of them are meant."""
        if len(at) == len(self.queries):
            return self
        rows = None if self.rows is None else self.rows[at]
        return Ranked(self.block.take(at), self.queries[at], self.tied[at], rows)


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
    topics: tuple[Codes, ...]
    given: pd.DataFrame  # the frame before rows were pooled

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        conventions: Conventions,
        whole: Whole | None = None,
        **roles: Any,
    ) -> Rankings:
        """Read a frame of one row per query and document.

        Parameters
        ----------
        frame : DataFrame
            The rows.
        conventions : Conventions
            How gaps and odd grades are treated.
        whole : Whole, optional
            What is known of all rows, when these are a part of them.
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
        rows = read_rows(kept, found, conventions.duplicates, whole)
        groups = group_rows([column(rows.frame, name) for name in found.query])
        codes, scale, topics = _codes(rows, conventions, whole)
        docs = None if found.doc is None else numbers_of_ids(column(rows.frame, found.doc), "doc")
        return cls(rows, found, conventions, groups, codes, scale, docs, topics, kept)

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

        length = groups.length if queries is None else groups.length[queries]
        cells = int(length.sum()) * len(self.systems)
        for results in in_threads(work, shelves(groups, queries), cells=cells):
            yield from results

    def ranked(self, query: int, system: int) -> Ranked:
        """Return one ranking with its row numbers."""
        rankings = self._shelf(np.array([query]), with_rows=True)
        return next(ranked for number, ranked in rankings if number == system)

    def _shelf(self, queries: Ints, *, with_rows: bool = False) -> Iterator[tuple[int, Ranked]]:
        """Yield the rankings of some queries of similar length, for each system."""
        place = cells(self.groups, queries)
        layers = tuple(place.take(topic, PAD) for topic in self.topics)
        pool = Pool(place.take(self.codes, PAD), self.scale, layers, self._standing(place))
        self._check_repeats(place)
        for number, system in enumerate(self.systems):
            for ranked in self._sorted(place, pool, queries, system, with_rows=with_rows):
                yield number, ranked

    def _sorted(
        self, place: Cells, pool: Pool, queries: Ints, system: Hashable, *, with_rows: bool
    ) -> Iterator[Ranked]:
        """Sort a block by score and settle or mark its ties."""
        conventions = self.conventions
        # Averages need no order among equals, and rows are looked at by explanations only.
        needed = conventions.ties != "average" or with_rows
        by_score = sort_block(
            place,
            pool.codes,
            self.rows.scores[system],
            condense=self._condensed_depth,
            settle=partial(self._among_equals, place, pool, system) if needed else None,
            traced=with_rows or bool(pool.layers),
        )
        width = max(1, int(by_score.length.max()))
        codes, length, order = by_score.codes[:, :width], by_score.length, by_score.order
        if conventions.unjudged == "raise":
            self._refuse_unjudged(queries, codes, length)
        rows = place.rows().ravel()[order[:, :width]] if with_rows else None
        layers = tuple(np.take(layer, order[:, :width]) for layer in pool.layers)
        for layer in layers:
            layer[np.arange(width) >= length[:, None]] = PAD
        at = by_score.tied
        if width <= NARROW and not len(at):
            # Measures go through narrow blocks column by column.
            codes = np.asfortranarray(codes)
        block = Block(codes, length, pool, None, conventions.depth, layers)
        tied = np.zeros(len(queries), dtype=bool)
        tied[at] = True
        ranked = Ranked(block, queries, tied, rows)
        if conventions.ties != "average" or not len(at):
            yield ranked
            return
        if len(at) < len(queries):
            yield ranked.take(np.flatnonzero(~tied))
        ranked = ranked.take(at)
        ties = Ties.of(by_score.equal[:, :width])
        parts = ties.together_by_grade(ranked.block.codes, *ranked.block.layers)
        block = replace(ranked.block, codes=parts[0], ties=ties, layers=parts[1:])
        yield replace(ranked, block=block)

    @property
    def _condensed_depth(self) -> int | None:
        """Out of how many first results unjudged documents are taken; None when they stay."""
        if self.conventions.unjudged != "remove":
            return None
        return self.conventions.depth or sys.maxsize

    def _among_equals(
        self, place: Cells, pool: Pool, system: Hashable, at: Ints
    ) -> Codes | Ints | None:
        """Return what orders equal scores, smallest first; None for row order."""
        ties = self.conventions.ties
        if ties == "order":
            positions = self.rows.positions.get(system)
            return None if positions is None else place.take(positions, -1)[at]
        if ties in ("average", "best"):
            return -pool.worth()[at]
        if ties == "worst":
            return pool.worth()[at]
        return -self._by_id(place.rows()[at])

    def _standing(self, place: Cells) -> Ints | None:
        """Return where each document stands by id, where equals of an ideal go by id."""
        if self.topics and self.conventions.ties == "trec":
            return self._by_id(place.rows())
        return None

    def _by_id(self, rows: Ints) -> Ints:
        """Return where each row's document stands among them, by its id as text."""
        return np.where(rows >= 0, self.rows.standing(self.roles.doc)[rows], 0)

    def _check_repeats(self, place: Cells) -> None:
        """Raise when a document stands twice in a query."""
        if self.docs is None or self.conventions.duplicates != "raise" or place.shape[1] == 1:
            return
        if self.roles.system is not None:  # pooled, and checked within each system
            return
        docs = place.take(self.docs, self.docs[0])
        fill, high = int(docs.min()) - 1, int(docs.max())
        narrow = next((kind for kind, most in LOWER_BITS.items() if high - fill <= most), np.int64)
        # Their lower bits tell them apart, and sort several times as fast.
        docs = docs.astype(narrow)
        if place.filled is not None:
            np.copyto(docs, np.array(max(fill, INT64.min)).astype(narrow), where=~place.filled)
        sort_rows(docs)
        flat = docs.ravel()
        equal = np.equal(flat[1:], flat[:-1])
        equal[docs.shape[1] - 1 :: docs.shape[1]] = False  # the last of one, the first of another
        same = np.count_nonzero(equal)
        if place.filled is not None:
            # The cells without a row all hold the same number.
            same -= int(np.maximum(np.count_nonzero(~place.filled, axis=1) - 1, 0).sum())
        if same:
            self._refuse_repeats()

    def _refuse_repeats(self) -> None:
        keys = [ids(column(self.rows.frame, name), "query") for name in self.roles.query]
        pair = pd.Series(combined([*keys, ids(column(self.rows.frame, self.roles.doc), "doc")]))
        repeated = np.flatnonzero(pair.duplicated().to_numpy())
        if len(repeated):
            raise repeats_error(self.rows.frame, self.roles, repeated)

    def _refuse_unjudged(self, queries: Ints, codes: Codes, length: Ints) -> None:
        shown = np.arange(codes.shape[1]) < length[:, None]
        wrong = np.flatnonzero(((codes < FIRST_GRADE) & shown).any(axis=1))
        if len(wrong):
            raise DataError(
                f"Query {self.queries[int(queries[wrong[0]])]!r} shows documents that nobody "
                f"judged (unjudged='raise'). Judge them, or choose unjudged='zero' or "
                f"unjudged='remove'."
            )


def _codes(
    rows: Rows, conventions: Conventions, whole: Whole | None
) -> tuple[Codes, Scale, tuple[Codes, ...]]:
    """Return the codes of all grades, their scale, and the codes of each subtopic's grades."""
    every = rows.grade if rows.topics is None else np.concatenate([rows.grade, *rows.topics.T])
    codes, scale = grade_codes(every, conventions.negative)
    if whole is not None:
        codes, scale = with_levels(codes, scale, whole.levels(conventions.negative))
    if rows.topics is None:
        return codes, scale, ()
    first, *others = np.split(codes, 1 + rows.topics.shape[1])
    return first, scale, tuple(others)
