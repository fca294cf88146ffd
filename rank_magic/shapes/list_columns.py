"""Columns that hold lists: which they are, what is in them, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import plain
from rank_magic.errors import ColumnError, DataError, did_you_mean, listed
from rank_magic.roles import names_of
from rank_magic.shapes.flat import Flat, flatten, floats

__all__ = ["Lists", "has_lists", "holds_lists", "is_list", "list_column"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEW = 100
# Conventional names of columns that hold lists, letter case aside.
LIST_NAMES: dict[str, tuple[str, ...]] = {
    "retrieved": (
        "retrieved", "retrieved_ids", "retrieved_docs", "retrieved_doc_ids",
        "retrieved_context_ids", "recommended", "recommendations", "ranking", "results",
        "docs", "doc_ids",
    ),
    "relevant": (
        "relevant", "relevant_ids", "relevant_docs", "relevant_doc_ids", "reference_context_ids",
        "expected", "expected_ids", "ground_truth", "actual",
    ),
    "scores": ("scores", "score", "retrieved_scores"),
    "grades": ("grades", "grade", "labels", "relevances"),
}  # fmt: skip
# A list that strayed into a column of grades or scores does not make it one of lists.
TELLING = {name for names in LIST_NAMES.values() for name in names} - {"score", "grade"}


def has_lists(frame: pd.DataFrame) -> bool:
    """Return whether a frame has a column of a conventional name that holds lists."""
    return any(holds_lists(frame.iloc[:, place]) for place in _telling(names_of(frame.columns)))


@lru_cache(maxsize=64)
def _telling(names: tuple[Hashable, ...]) -> list[int]:
    """Return which columns have a name that tells that they may hold lists."""
    return [place for place, name in enumerate(names) if str(name).lower() in TELLING]


@dataclass(frozen=True)
class Lists:
    """The columns of a frame that hold lists.

    Attributes
    ----------
    frame : DataFrame
    names : dict of role to column name
    values : dict of role to list of collections
        Each row's, an empty one where it is missing.
    """

    frame: pd.DataFrame
    names: dict[str, Hashable]
    values: dict[str, list[Any]]

    @classmethod
    def of(cls, frame: pd.DataFrame, names: Mapping[str, Hashable | None]) -> Lists:
        """Read the columns that are there."""
        there = {role: name for role, name in names.items() if name is not None}
        return cls(frame, there, {role: _read(frame, name, role) for role, name in there.items()})

    def flat(self, role: str) -> Flat:
        """Return a column's items end to end."""
        return flatten(self.values[role])

    def numbers(self, role: str, flat: Flat) -> Floats:
        """Return the items of a column, which must be numbers."""

        def where(item: int) -> str:
            return f"in {self.names[role]!r} of row {plain(self.frame.index[flat.owner[item]])!r}"

        return floats(flat, role.removesuffix("s"), where)

    def beside(self, role: str, other: str, flat: Flat) -> Floats:
        """Return the numbers of a column whose lists go with those of another."""
        mine = self.flat(role)
        wrong = np.flatnonzero(mine.length != flat.length)
        if len(wrong):
            at = int(wrong[0])
            raise DataError(
                f"In {_rows(len(wrong))} {self.names[role]!r} is not as long as "
                f"{self.names[other]!r}: in row {plain(self.frame.index[at])!r} there are "
                f"{mine.length[at]:,} for {flat.length[at]:,}. Give each document one."
            )
        return self.numbers(role, mine)

    def order(self, other: str, flat: Flat) -> dict[str, Floats]:
        """Return the column that ranks the documents: their scores, else their places."""
        if "scores" in self.values:
            return {"score": self.beside("scores", other, flat)}
        return {"rank": (flat.place + 1).astype(np.float64)}

    def check_ids(self, role: str, flat: Flat) -> None:
        """Raise when an item of a column can't be an id."""
        kinds = set(map(type, flat.items))
        wrong = [kind for kind in kinds if getattr(kind, "__hash__", None) is None]
        if wrong:
            example = next(item for item in flat.items if type(item) in wrong)
            raise DataError(
                f"{self.names[role]!r} must hold lists of document ids, but there is "
                f"{example!r:.60} in it. Take the ids out first."
            )

    def check_every_row(self, rows: Ints) -> None:
        """Raise when a row has no document at all, since none could stand for it."""
        lost = np.flatnonzero(np.bincount(rows, minlength=len(self.frame)) == 0)
        if len(lost):
            have = "has" if len(lost) == 1 else "have"
            raise DataError(
                f"{_rows(len(lost))} {have} neither a retrieved nor a relevant document, so there "
                f"is nothing to evaluate it by, such as row {plain(self.frame.index[lost[0]])!r}. "
                f"Leave it out, knowingly."
            )


def list_column(frame: pd.DataFrame, role: str, given: Hashable | None) -> Hashable | None:
    """Return the column of a role: the one given, else the one of a conventional name."""
    if given is not None:
        if given not in frame.columns:
            raise ColumnError(
                f"There is no column {given!r} for {role}. Columns are {listed(frame.columns)}."
                f"{did_you_mean(str(given), map(str, frame.columns))}"
            )
        return given
    names = [
        name
        for place, name in enumerate(frame.columns)
        if str(name).lower() in LIST_NAMES[role] and holds_lists(frame.iloc[:, place])
    ]
    if len(names) > 1:
        raise ColumnError(
            f"More than one column could be {role}: {listed(names)}. Say which one: "
            f"{role}={names[0]!r}."
        )
    return names[0] if names else None


def holds_lists(values: pd.Series[Any]) -> bool:
    """Return whether the first value that is there is a list, a set, a dict or an array."""
    if not (values.dtype == object or "list" in str(values.dtype)):
        return False
    # Of millions of rows the first few tell, unless all of those are missing.
    first = values.iloc[:FEW].dropna().tolist() or values.dropna().iloc[:1].tolist()
    return bool(first) and is_list(first[0])


def is_list(value: Any) -> bool:
    """Return whether a value is a collection of others; text is not."""
    return isinstance(value, (Collection, np.ndarray)) and not isinstance(value, (str, bytes))


def _read(frame: pd.DataFrame, name: Hashable, role: str) -> list[Any]:
    """Return a column's lists, an empty one where it is missing."""
    values = list(frame[name])
    wrong = [place for place, value in enumerate(values) if not is_list(value)]
    # What is missing is None, NaN or NA: anything else is an error.
    false = [place for place in wrong if not pd.isna(values[place])]
    if role == "retrieved" or role == "scores":
        false += [place for place, value in enumerate(values) if isinstance(value, (set, Mapping))]
    if false:
        value = values[false[0]]
        advice = (
            f" If it is a list written as text, read it first: frame[{name!r}].map(json.loads)."
            if isinstance(value, str)
            else ""
        )
        raise DataError(
            f"{name!r} ({role}) must hold lists, but {len(false):,} of its {len(values):,} values "
            f"are not, such as {value!r:.60} in row {plain(frame.index[false[0]])!r}.{advice}"
        )
    for place in wrong:
        values[place] = []
    return values


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"
