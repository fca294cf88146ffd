"""A row per query, document and rater, as grades that stand document by document."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import column, ids, numbers, plain
from rank_magic.errors import ColumnError, ConventionError, DataError, did_you_mean, listed
from rank_magic.grouping import group_rows
from rank_magic.roles import conventional, find_given

__all__ = ["Ratings", "check_choice", "read_ratings"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

RATER_NAMES = ("rater", "rater_id", "annotator", "annotator_id", "assessor", "assessor_id", "judge")


@dataclass(frozen=True)
class Ratings:
    """Grades by document and rater, those of one document together.

    Attributes
    ----------
    documents : DataFrame
        Query and document of each document, sorted.
    raters : Index
        The raters, sorted.
    grade : array of float, shape (ratings,)
        Document after document, in the order of their raters.
    document, rater : array of int, shape (ratings,)
        The numbers of each rating's document and rater.
    name : column name
        What the column of grades is called.
    """

    documents: pd.DataFrame
    raters: pd.Index[Any]
    grade: Floats
    document: Ints
    rater: Ints
    name: Hashable

    @property
    def length(self) -> Ints:
        """How many ratings each document has."""
        return np.bincount(self.document, minlength=len(self.documents))

    def without(self, rater: int) -> Ratings:
        """Return the ratings of all others; documents that nobody else judged have none."""
        kept = self.rater != rater
        return replace(
            self, grade=self.grade[kept], document=self.document[kept], rater=self.rater[kept]
        )

    def examples(self, document: int) -> tuple[str, str]:
        """Return what a document is called, and its grades, in words."""
        query, doc = self.documents.iloc[document]
        grades = np.sort(self.grade[self.document == document])
        called = f"document {plain(doc)!r} of query {plain(query)!r}"
        return called, ", ".join(f"{grade:g}" for grade in grades)


def read_ratings(frame: pd.DataFrame, **given: Hashable | None) -> Ratings:
    """Read a frame of a row per query, document and rater.

    Parameters
    ----------
    frame : DataFrame
        The rows; those without a grade are no ratings.
    **given
        The columns of query, doc, rater and grade, None where their names are conventional.
    """
    if not isinstance(frame, pd.DataFrame) or isinstance(frame.columns, pd.MultiIndex):
        raise DataError(
            "A DataFrame with a row per query, document and rater is needed, its columns on one "
            f"level, not {type(frame).__name__}."
        )
    found = {role: _column(frame, role, given.get(role)) for role in _ROLES}
    grade = numbers(column(frame, found["grade"]), "grade")
    there = np.flatnonzero(~np.isnan(grade))
    if not len(there):
        raise DataError(f"The grade column {found['grade']!r} holds no grade at all.")
    if np.isinf(grade).any():
        raise DataError(f"The grade column {found['grade']!r} has an infinite grade.")
    frame, grade = frame.iloc[there], grade[there]
    keys = {role: column(frame, found[role]) for role in ("query", "doc", "rater")}
    for role, values in keys.items():
        ids(values, role)  # none may be missing
    groups, by_rater = group_rows([keys["query"], keys["doc"]]), group_rows([keys["rater"]])
    document, rater = groups.number_of_row(), by_rater.number_of_row()
    # Rows that stand so, or nearly, are sorted in no time.
    order = np.argsort(document * len(by_rater.labels) + rater, kind="stable")
    ratings = Ratings(
        groups.labels.to_frame(index=False),
        by_rater.labels,
        grade[order],
        document[order],
        rater[order],
        found["grade"],
    )
    _check_repeats(ratings)
    return ratings


_ROLES = ("query", "doc", "rater", "grade")


def _column(frame: pd.DataFrame, role: str, given: Hashable | None) -> Hashable:
    """Return the column of a role: the one given, else the one of a conventional name."""
    if given is not None:
        return find_given(frame, role, given)[0]
    names = [*frame.columns, *(name for name in frame.index.names if name is not None)]
    if role == "rater":
        known = [name for name in names if str(name).lower() in RATER_NAMES]
    else:
        known = conventional(role, names) or []
    if len(known) != 1:
        what = "No column" if not known else f"More than one column ({listed(known)})"
        example = known[0] if known else names[0]
        raise ColumnError(
            f"{what} for the {role}. Columns are {listed(names)}. Say which one: "
            f"{role}={example!r}."
        )
    return known[0]


def _check_repeats(ratings: Ratings) -> None:
    """Raise when a rater judged a document twice."""
    same = (np.diff(ratings.document) == 0) & (np.diff(ratings.rater) == 0)
    if same.any():
        at = int(np.flatnonzero(same)[0])
        called, _ = ratings.examples(int(ratings.document[at]))
        number = int(np.count_nonzero(same))
        rows = "1 row repeats" if number == 1 else f"{number:,} rows repeat"
        raise DataError(
            f"{rows} a rating: {plain(ratings.raters[ratings.rater[at]])!r} judged {called} more "
            f"than once. Keep one rating by each rater."
        )


def check_choice(name: str, chosen: object, choices: tuple[str, ...]) -> None:
    """Raise when something chosen is none of the choices."""
    if chosen not in choices:
        raise ConventionError(
            f"{name}={chosen!r} is not a choice. Choose one of {listed(choices)}."
            f"{did_you_mean(str(chosen), choices)}"
        )
