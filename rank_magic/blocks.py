"""Rankings of similar length side by side: what every measure is computed over.

A block holds one ranking per row. Its cells hold codes of grades, sorted by score. Columns behind
a ranking's last document hold `PAD`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.cascades import stops, sure_stops
from rank_magic.pools import (
    FIRST_GRADE,
    NEGATIVE,
    PAD,
    UNJUDGED,
    Pool,
    Scale,
    chosen,
    look_up,
    taken,
)
from rank_magic.ties import Ties, exclusive_product, first_only, rearranged, running_sum

__all__ = ["FIRST_GRADE", "NEGATIVE", "PAD", "UNJUDGED", "Block", "Pool", "Scale"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Codes = NDArray[np.signedinteger[Any]]


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
    _in_groups: dict[bytes, Ints] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

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
            span.write(values, span.spread(self._mean(self.ties, table)))
        return values

    def held(self, table: Floats, k: int | None = None) -> NDArray[Any]:
        """Return how many documents each rank holds of those that the table has 1 for.

        Parameters
        ----------
        table : array of float, shape (codes,)
            1 for the codes that count, 0 for others.
        k : int, optional
            Cutoff.

        Returns
        -------
        array of bool or float, shape (queries, width(k))
            As `expected` gives it; true and false where no scores tie, which is counted soonest.
        """
        if self.ties is not None:
            return self.expected(table, k)
        return chosen(table, self.codes[:, : self.width(k)])

    def _mean(self, ties: Ties, table: Floats) -> Floats:
        """Return the mean value of the documents of each tie group."""
        if np.isin(table, (0.0, 1.0)).all():
            return self._held(ties, table) / ties.size
        return ties.mean(look_up(table, self.codes))

    def _held(self, ties: Ties, table: Floats) -> Ints:
        """Return how many documents of each tie group the table has anything but 0 for."""
        key = (table != 0).tobytes()
        if key not in self._in_groups:
            self._in_groups[key] = ties.number(chosen(table, self.codes))
        return self._in_groups[key]

    def hits(self, table: Floats, k: int | None = None) -> NDArray[Any]:
        """Return how many relevant documents there are down to each relevant one.

        Parameters
        ----------
        table : array of float, shape (codes,)
            1 for relevant codes, 0 for others.
        k : int, optional
            Cutoff.

        Returns
        -------
        array of float or int, shape (queries, width(k))
            0 where the document is not relevant; expected over tied orders.
        """
        width = self.width(k)
        if self.ties is None:
            relevant = chosen(table, self.codes[:, :width])
            running = running_sum(relevant)
            running *= relevant
            return running
        relevant = chosen(table, self.codes)
        running = running_sum(relevant[:, :width])
        given_relevant = self.ties.hits(relevant, running, self._held(self.ties, table))
        return given_relevant * self.expected(table, k)

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
        if np.isin(table, (0.0, 1.0)).all():
            if self.ties is not None:
                return sure_stops(
                    self.ties, chosen(table, self.codes), self._held(self.ties, table), width
                )
            return first_only(chosen(table, self.codes[:, :width]))
        if self.ties is not None:
            return stops(self.ties, look_up(table, self.codes), table, width)
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
        at, order = self.ties.shuffled(taken(named, self.codes), number)
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

    def by_pool(self, value: Callable[[Block], Floats], k: int | None = None) -> Floats:
        """Return a value that depends on nothing but the ideal ranking down to rank `k`.

        It is computed once for all queries that have the same ideal.
        """
        alike = self.pool.alike(k)
        if alike is None:
            return value(self)
        first, kind = alike
        pool = self.pool.take(first)
        one_of_each = Block(self.codes[first], self.length[first], pool, depth=self.depth)
        return value(one_of_each)[kind]

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
