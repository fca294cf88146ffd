"""What is known about queries whatever a system shows: their grades, and how many of each.

Grades travel as small codes, so that a measure looks a small table up instead of computing with
grades. Cells without a document hold `PAD`, which is worth nothing in every table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rank_magic.ties import NARROW, WORD

__all__ = [
    "FIRST_GRADE",
    "NEGATIVE",
    "PAD",
    "UNJUDGED",
    "Pool",
    "Scale",
    "chosen",
    "look_up",
    "taken",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Codes = NDArray[np.signedinteger[Any]]
Found = TypeVar("Found")

PAD, UNJUDGED, NEGATIVE, FIRST_GRADE = 0, 1, 2, 3
FEW_CODES = 64
FEW_ROWS = 1 << 10
# Up to so many codes are counted one after the other, many cells at a time.
FEWER_CODES = 12
# Among fewer queries none is looked for that is judged alike.
FEW_QUERIES = 64
# Rows that are longer are counted eight cells at a time.
WIDE = 256


@dataclass(frozen=True)
class Scale:
    """The distinct grades of a frame, ascending; the code of the n-th (from 0) is n + 3.

    Attributes
    ----------
    grades : array of float, shape (levels,)
        Distinct grades of at least 0.
    """

    grades: Floats
    _tables: dict[Hashable, Any] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )

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
        values = worth(self._zero_and_grades)
        table = np.zeros(self.codes)
        table[UNJUDGED:FIRST_GRADE] = values[0]
        table[FIRST_GRADE:] = values[1:]
        return table

    def once(self, key: Hashable, table: Callable[[], Found]) -> Found:
        """Return a table that is made when it is first asked for by this key."""
        if key not in self._tables:
            self._tables[key] = table()
        return self._tables[key]

    def relevant(self, rel: float) -> Floats:
        """Return 1 for the codes of grades of at least `rel`, else 0."""
        return self.once(
            ("relevant", rel),
            lambda: self.table(lambda grades: (grades >= rel).astype(np.float64)),
        )

    def shares(self, max_grade: float | None = None) -> Floats:
        """Return each code's grade as a share of the highest grade of the scale, at most 1."""
        top = self.top if max_grade is None else float(max_grade)
        return self.table(lambda grades: np.minimum(grades, top) / top if top > 0 else 0 * grades)

    @cached_property
    def _zero_and_grades(self) -> Floats:
        return np.concatenate([[0.0], self.grades])

    @cached_property
    def judged(self) -> Floats:
        """1 for the codes of judged documents, else 0."""
        return (np.arange(self.codes) >= FIRST_GRADE).astype(np.float64)

    @cached_property
    def pooled(self) -> Floats:
        """1 for the codes of documents with a grade, be it negative, else 0."""
        return (np.arange(self.codes) > UNJUDGED).astype(np.float64)


def _counted_beside(rows: Codes, codes: int) -> Iterator[tuple[int, Ints]]:
    """Yield how often each row holds a code, part by part, from cells that lie side by side."""
    beside, most = np.ascontiguousarray(rows.T), np.iinfo(np.int8).max
    for code in range(codes):
        same = (beside == code).view(np.int8)
        for at in range(0, len(same), most):
            yield code, np.add.reduce(same[at : at + most], axis=0, dtype=np.int8)


def _counted_along(rows: Codes, codes: int) -> Iterator[tuple[int, Ints]]:
    """Yield how often each row holds a code, part by part, eight cells of a row at a time."""
    (queries, width), most = rows.shape, np.iinfo(np.uint8).max
    same = np.zeros((queries, -(-width // WORD) * WORD), dtype=bool)
    words = same.view(np.uint64)
    for code in range(codes):
        np.equal(rows, code, out=same[:, :width])
        # Each byte of a sum of words is a sum of its own.
        for at in range(0, words.shape[1], most):
            eight = np.add.reduce(words[:, at : at + most], axis=1).view(np.uint8)
            yield code, np.add.reduce(eight.reshape(-1, WORD), axis=1, dtype=np.int64)


def look_up(table: Floats, codes: Codes) -> Floats:
    """Return the table's value for each code, in a new array."""
    if _first(table) is not None:
        return chosen(table, codes).astype(np.float64)
    return taken(table, codes)


def chosen(table: Floats, codes: Codes) -> NDArray[np.bool_]:
    """Return whether the table has anything but 0 for each code, in a new array."""
    first = _first(table)
    return taken(table != 0, codes) if first is None else codes >= first


def _first(table: Floats) -> int | None:
    """Return from which code on the table holds 1, when it holds 0 below; else None."""
    # A comparison is far cheaper than a look-up.
    if table[-1] != 1:
        return None
    first = int(np.count_nonzero(table == 0))
    return first if (table[:first] == 0).all() and (table[first:] == 1).all() else None


def taken(table: NDArray[Any], codes: Codes) -> NDArray[Any]:
    """Return the table's entry for each code, stored column by column where codes are."""
    # Given numbers of its own kind of index, numpy is several times as fast.
    if codes.flags.f_contiguous:
        return np.take(table, codes.T.astype(np.intp)).T
    return np.take(table, codes.astype(np.intp))


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
    _ranked: dict[tuple[bytes, int], Codes] = field(init=False, default_factory=dict, compare=False)
    _numbers: dict[bytes, Ints] = field(init=False, default_factory=dict, compare=False)

    @cached_property
    def counts(self) -> Ints:
        """Number of rows of each query by code, shape (queries, codes)."""
        (queries, width), codes = self.codes.shape, self.scale.codes
        kind = np.min_scalar_type(-width - 1)
        if codes > FEWER_CODES or queries < NARROW:
            flat = self.codes + (np.arange(queries) * codes)[:, None]
            counts = np.bincount(flat.ravel(), minlength=queries * codes)
            return np.asfortranarray(counts.reshape(queries, codes).astype(kind))
        counts = np.zeros((codes, queries), dtype=kind)
        count = _counted_along if width > WIDE else _counted_beside
        for code, some in count(self.codes, codes):
            counts[code] += some
        return counts.T

    @property
    def few_grades(self) -> bool:
        """Whether counting by grade is cheaper than looking at every row."""
        return self.scale.codes <= FEW_CODES and self.codes.size > FEW_ROWS

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
        table = wanted != 0
        key = table.tobytes()
        if key not in self._numbers:
            self._numbers[key] = self._number(table)
        return self._numbers[key]

    def _number(self, wanted: NDArray[np.bool_]) -> Ints:
        if not self.few_grades:
            return np.add.reduce(taken(wanted, self.codes), axis=1, dtype=np.int64)
        total = np.zeros(len(self.codes), dtype=self.counts.dtype)
        for code in np.flatnonzero(wanted):
            total += self.counts[:, code]
        return total.astype(np.int64)

    def alike(self, k: int | None) -> tuple[Ints, Ints] | None:
        """Tell which queries have the same ideal ranking down to rank `k`.

        Returns
        -------
        first : array of int, shape (kinds,)
            A query of each kind.
        kind : array of int, shape (queries,)
            The kind of each query.

        None when there are about as many kinds as queries.
        """
        if not self.few_grades or len(self.codes) < FEW_QUERIES:
            return None
        counts = self.counts[:, FIRST_GRADE:]
        steps = counts.max(axis=0, initial=0).astype(np.int64) + 1
        steps = steps if k is None else np.minimum(steps, k + 1)
        if np.prod(steps, dtype=np.float64) > 4 * len(counts):
            return None
        key = np.zeros(len(counts), dtype=np.int64)
        for column, step in zip(counts.T, steps, strict=True):
            key *= step
            key += np.minimum(column, step - 1)
        last = np.full(int(np.prod(steps)), -1)
        last[key] = np.arange(len(key))
        present = np.flatnonzero(last >= 0)
        kind = np.empty_like(last)
        kind[present] = np.arange(len(present))
        return last[present], kind[key]

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
        values = np.concatenate([order, [PAD]])
        if not self.few_grades:
            standing = np.full(self.scale.codes, len(order))
            standing[order] = np.arange(len(order))
            return values[np.sort(standing[self.codes], axis=1)[:, :width]]
        # How many values are used up before a column tells which value it holds.
        used_up = np.asfortranarray(self.counts[:, order])
        for value in range(1, len(order)):
            used_up[:, value] += used_up[:, value - 1]
        width = max(1, min(width, int(used_up.max(initial=0))))
        standing = np.zeros((len(self.codes), width), dtype=np.int8, order="F")
        for value in range(len(order)):
            if width > NARROW or len(standing) < NARROW:
                standing += used_up[:, value, None] <= np.arange(width, dtype=used_up.dtype)
                continue
            for column in range(width):
                standing[:, column] += used_up[:, value] <= column
        return taken(values.astype(self.codes.dtype), standing)
