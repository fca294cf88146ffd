"""Rankings of similar length side by side: what every measure is computed over.

A block holds one ranking per row. Its cells hold codes of grades, sorted by score, so that a
measure looks a small table up instead of computing with grades. Columns behind a ranking's
last document hold `PAD`, which is worth nothing in every table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.ties import NARROW, Ties, exclusive_product, rearranged, running_sum

__all__ = ["FIRST_GRADE", "NEGATIVE", "PAD", "UNJUDGED", "Block", "Pool", "Scale"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Codes = NDArray[np.signedinteger[Any]]

PAD, UNJUDGED, NEGATIVE, FIRST_GRADE = 0, 1, 2, 3
FEW_CODES = 64


@dataclass(frozen=True)
class Scale:
    """The distinct grades of a frame, ascending; the code of the n-th (from 0) is n + 3.

    Attributes
    ----------
    grades : array of float, shape (levels,)
        Distinct grades of at least 0.
    """

    grades: Floats

    @property
    def top(self) -> float:
        """The highest grade, 0 when there is none."""
        return float(self.grades[-1]) if len(self.grades) else 0.0

    @property
    def codes(self) -> int:
        """How many codes there are."""
        return FIRST_GRADE + len(self.grades)

    def table(self, worth: Callable[[Floats], Floats]) -> Floats:
        """Return what each code is worth, 0 where no document is.

        Unjudged documents and those with a negative grade are worth what a grade of 0 is.
        """
        zero = float(worth(np.zeros(1))[0])
        return np.concatenate([[0.0, zero, zero], worth(self.grades)])

    def relevant(self, rel: float) -> Floats:
        """Return 1 for the codes of grades of at least `rel`, else 0."""
        return self.table(lambda grades: (grades >= rel).astype(np.float64))

    def shares(self, max_grade: float | None = None) -> Floats:
        """Return each code's grade as a share of the highest grade of the scale, at most 1."""
        top = self.top if max_grade is None else float(max_grade)
        return self.table(lambda grades: np.minimum(grades, top) / top if top > 0 else 0 * grades)

    @cached_property
    def judged(self) -> Floats:
        """1 for the codes of judged documents, else 0."""
        return np.concatenate([np.zeros(FIRST_GRADE), np.ones(len(self.grades))])


def look_up(table: Floats, codes: Codes) -> Floats:
    """Return the table's value for each code, in a new array."""
    first = int(np.count_nonzero(table == 0))
    if (table[:first] == 0).all() and (table[first:] == 1).all():
        # Codes from some grade upwards: a comparison is far cheaper than a look-up.
        return (codes >= first).astype(np.float64)
    # Column by column where codes are stored so.
    return np.take(table, codes.T).T if codes.flags.f_contiguous else np.take(table, codes)


@dataclass(frozen=True)
class Pool:
    """All that is known about the queries of a block, retrieved or not.

    Attributes
    ----------
    codes : array of int, shape (queries, rows)
        Code of every row of each query, in no particular order.
    scale : Scale
        What the codes mean.
    layers : tuple of arrays of int, shape (queries, rows)
        Codes of the rows' grades for each subtopic; empty without subtopics.
    standing : array of int, shape (queries, rows), or None
        Where each row's document stands by id, when ids decide between equals.
    """

    codes: Codes
    scale: Scale
    layers: tuple[Codes, ...] = ()
    standing: Ints | None = None
    _ranked: dict[tuple[bytes, int], Codes] = field(default_factory=dict, compare=False)

    @cached_property
    def counts(self) -> Ints:
        """Number of rows of each query by code, shape (queries, codes)."""
        queries, codes = len(self.codes), self.scale.codes
        flat = self.codes + (np.arange(queries) * codes)[:, None]
        counts = np.bincount(flat.ravel(), minlength=queries * codes).reshape(queries, codes)
        return np.asfortranarray(counts)

    @property
    def few_grades(self) -> bool:
        """Whether counting by grade is cheaper than looking at every row."""
        return self.scale.codes <= FEW_CODES

    def worth(self) -> Codes:
        """Return numbers that order the rows by their grades, or by their sum over subtopics.

        Rows that are judged alike have the same number, whatever they are called.
        """
        if not self.layers:
            return self.codes
        grades = self.scale.table(lambda grades: grades)
        total = np.sum([np.take(grades, layer) for layer in self.layers], axis=0)
        parts = [part.ravel() for part in (total, self.codes, *self.layers)]
        number = np.unique(np.stack(parts, axis=1), axis=0, return_inverse=True)[1]
        return number.reshape(self.codes.shape)

    def take(self, rows: Ints) -> Pool:
        """Return the pool of some of the queries."""
        layers = tuple(layer[rows] for layer in self.layers)
        standing = None if self.standing is None else self.standing[rows]
        part = Pool(self.codes[rows], self.scale, layers, standing)
        if "counts" in self.__dict__:
            part.__dict__["counts"] = self.counts[rows]
        return part

    def number(self, wanted: NDArray[np.generic]) -> Ints:
        """Return how many rows each query has whose code is wanted (a table of 0 and 1)."""
        if self.few_grades:
            total = np.zeros(len(self.codes), dtype=np.int64)
            for code in np.flatnonzero(wanted):
                total += self.counts[:, code]
            return total
        return np.count_nonzero(np.take(wanted, self.codes), axis=1)

    def ranked(self, table: Floats, width: int) -> Codes:
        """Return each query's `width` most valuable judged codes, best first.

        Parameters
        ----------
        table : array of float, shape (codes,)
            Value of each code. Equal values are ordered by grade.
        width : int
            How many columns.
        """
        key = (table.tobytes(), width)
        if key not in self._ranked:
            self._ranked[key] = self._ranked_by(table, width)
        return self._ranked[key]

    def _ranked_by(self, table: Floats, width: int) -> Codes:
        # Codes from the most to the least valuable; the highest grade first among equals.
        order = self.scale.codes - 1 - np.argsort(-table[: FIRST_GRADE - 1 : -1], kind="stable")
        values = np.append(order, PAD)
        if not self.few_grades:
            standing = np.full(self.scale.codes, len(order))
            standing[order] = np.arange(len(order))
            return values[np.sort(standing[self.codes], axis=1)[:, :width]]
        # How many values are used up before a column tells which value it holds.
        used_up = np.cumsum(np.asfortranarray(self.counts[:, order]), axis=1)
        width = max(1, min(width, int(used_up.max(initial=0))))
        standing = np.zeros((len(self.codes), width), dtype=np.int8, order="F")
        for value in range(len(order)):
            if width > NARROW:
                standing += used_up[:, value, None] <= np.arange(width)
                continue
            for column in range(width):
                standing[:, column] += used_up[:, value] <= column
        return np.take(values.astype(self.codes.dtype), standing.T).T


@dataclass(frozen=True)
class Block:
    """Rankings side by side.

    Attributes
    ----------
    codes : array of int, shape (queries, width)
        Code of the document at each rank, best rank first; `PAD` behind the last.
    length : array of int, shape (queries,)
        Number of documents retrieved.
    pool : Pool
        All judged and unjudged rows of these queries.
    ties : Ties or None
        Groups of equal scores when they are to be averaged over; None when the order is settled.
    depth : int or None
        Ranks beyond this are not looked at.
    layers : tuple of arrays of int, shape (queries, width)
        Codes of the documents' grades for each subtopic; empty without subtopics.
    """

    codes: Codes
    length: Ints
    pool: Pool
    ties: Ties | None = None
    depth: int | None = None
    layers: tuple[Codes, ...] = ()

    @property
    def scale(self) -> Scale:
        """What the codes mean."""
        return self.pool.scale

    @property
    def queries(self) -> int:
        """Number of rankings."""
        return len(self.codes)

    def width(self, k: int | None = None) -> int:
        """Return the number of ranks that a measure cut at `k` looks at."""
        return min(cut for cut in (self.codes.shape[1], k, self.depth) if cut is not None)

    def shown(self, k: int | None = None) -> Ints:
        """Return how many documents each ranking shows down to rank `k`."""
        return np.minimum(self.length, self.width(k))

    # What follows are the expectations over tied orders that measures are made of.

    def expected(self, table: Floats, k: int | None = None) -> Floats:
        """Return the expected value of the document at each rank.

        Parameters
        ----------
        table : array of float, shape (codes,)
            Value of each code.
        k : int, optional
            Cutoff.

        Returns
        -------
        array of float, shape (queries, width(k))
        """
        width = self.width(k)
        values = look_up(table, self.codes[:, :width])
        if self.ties is not None:
            span = self.ties.span(width)
            values.ravel()[span.at] = self.ties.mean(look_up(table, self.codes))[span.group]
        return values

    def hits(self, table: Floats, k: int | None = None) -> Floats:
        """Return the expected number of relevant documents down to each relevant one.

        Parameters
        ----------
        table : array of float, shape (codes,)
            1 for relevant codes, 0 for others.
        k : int, optional
            Cutoff.

        Returns
        -------
        array of float, shape (queries, width(k))
            Given that the document at the rank is relevant; of no meaning at other ranks.
        """
        width = self.width(k)
        relevant = (
            look_up(table, self.codes if self.ties is not None else self.codes[:, :width]) > 0
        )
        running = running_sum(relevant[:, :width])
        if self.ties is None:
            return running.astype(np.float64)
        return self.ties.hits(relevant, running)

    def stops(self, table: Floats, k: int | None = None) -> Floats:
        """Return the probability that a reader ends at each rank.

        The reader goes down from rank 1 and ends at a document with the probability that the
        table gives for its code.

        Parameters
        ----------
        table : array of float, shape (codes,)
            Probability of ending at a document, in [0, 1].
        k : int, optional
            Cutoff.

        Returns
        -------
        array of float, shape (queries, at most width(k))
            Ranks that nobody reaches may be left out.
        """
        width = self.width(k)
        if self.ties is not None:
            return self.ties.stops(look_up(table, self.codes), width)
        if np.isin(table, (0.0, 1.0)).all():
            # The first sure stop ends every ranking: nothing below the lowest of them counts.
            sure = np.take(table > 0, self.codes[:, :width])
            width = int((sure.argmax(axis=1)).max(initial=0)) + 1
        stop = look_up(table, self.codes[:, :width])
        return stop * exclusive_product(1.0 - stop)

    # Other blocks that this one is compared with.

    def settled(self) -> Block:
        """Return the block with each tie group in the order of its grades, as it stands."""
        return replace(self, ties=None)

    def mixed(self) -> NDArray[np.bool_]:
        """Return for each ranking whether the order of its equals can matter."""
        matters = np.zeros(self.queries, dtype=bool)
        if self.ties is not None:
            codes = self.codes.ravel()
            differs = codes[self.ties.first] != codes[self.ties.first + self.ties.size - 1]
            matters[self.ties.row[differs]] = True
        return matters

    def take(self, rows: Ints) -> Block:
        """Return some of the rankings."""
        return replace(
            self,
            codes=self.codes[rows],
            length=self.length[rows],
            pool=self.pool.take(rows),
            ties=None if self.ties is None else self.ties.take(rows),
            layers=tuple(layer[rows] for layer in self.layers),
        )

    def layer(self, number: int) -> Block:
        """Return the same rankings as judged for one subtopic."""
        pool = Pool(self.pool.layers[number], self.scale)
        codes = self.layers[number]
        if self.ties is not None:
            codes = self.ties.by_grade(codes)
        return replace(self, codes=codes, pool=pool, layers=())

    def shuffled(self, number: int) -> Block:
        """Return the block with its tie groups in the `number`-th of a series of random orders.

        A ranking's orders depend on nothing but its own grades.
        """
        if self.ties is None:
            return self
        # By the grades themselves: codes are numbered by what other queries hold, too.
        named = np.concatenate(
            [np.arange(FIRST_GRADE, dtype=np.uint64), self.scale.grades.view(np.uint64)]
        )
        at, order = self.ties.shuffled(np.take(named, self.codes), number)
        codes, *layers = (rearranged(part, at, order) for part in (self.codes, *self.layers))
        return replace(self, codes=codes, ties=None, layers=tuple(layers))

    def ideal(self, table: Floats, k: int | None = None) -> Block:
        """Return the block of ideal rankings: all judged documents, the most valuable first.

        Parameters
        ----------
        table : array of float, shape (codes,)
            Value of each code.
        k : int, optional
            Cutoff. A depth does not cut the ideal: what is judged stays possible.
        """
        codes = self.pool.ranked(table, self.pool.codes.shape[1] if k is None else k)
        return Block(codes, self.pool.number(self.scale.judged), self.pool)

    def with_unjudged(self, grade: float, k: int | None = None) -> Block:
        """Return the block as it would be if all unjudged documents shown had this grade.

        Parameters
        ----------
        grade : float
            The grade.
        k : int, optional
            Cutoff down to which documents are shown. Of a tie group that crosses it, every
            document may be.
        """
        scale = Scale(np.union1d(self.scale.grades, [grade]))
        moved = np.arange(self.scale.codes)
        moved[FIRST_GRADE:] = FIRST_GRADE + np.searchsorted(scale.grades, self.scale.grades)
        column = np.arange(self.codes.shape[1])
        first = column if self.ties is None else self.ties.first_column()
        shown = (column < self.length[:, None]) & (first < self.width(k))
        unjudged = shown & (self.codes < FIRST_GRADE)
        filled = FIRST_GRADE + int(np.searchsorted(scale.grades, grade))
        codes = np.where(unjudged, filled, moved[self.codes])
        added = np.where(unjudged, filled, PAD)
        pool = Pool(np.concatenate([moved[self.pool.codes], added], axis=1), scale)
        if self.ties is not None:
            codes = self.ties.by_grade(codes)
        return replace(self, codes=codes, pool=pool)
