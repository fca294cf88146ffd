"""What a part of the data must know of the whole.

A query's value depends on its own rows and on nothing else but this: the top grade of the scale,
and which systems there are. Whoever evaluates the data part by part finds it first and hands it
to every part.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import column, numbers
from rank_magic.errors import DataError
from rank_magic.roles import Roles

__all__ = ["Whole", "check_grades"]


FEW = 1000  # rows


@dataclass(frozen=True)
class Whole:
    """The facts about all rows on which the values of some of them depend.

    Attributes
    ----------
    grades : tuple of float
        The lowest and the highest grade, and 0 when it occurs; empty when nothing is judged.
    systems : tuple
        The systems that stand in rows, sorted; empty without a system column.
    """

    grades: tuple[float, ...] = ()
    systems: tuple[Hashable, ...] = ()

    @classmethod
    def of(cls, frame: pd.DataFrame, roles: Roles) -> Whole:
        """Find the facts about some rows."""
        grade = numbers(column(frame, roles.grade), "grade")
        low, high = _ends(grade)
        none = (grade[:FEW] == 0).any() or (grade == 0).any()  # mostly the first rows show it
        ends = [low, high, *([0.0] if none else [])]
        names: Iterable[Any] = ()
        if roles.system is not None:
            names = column(frame, roles.system).dropna().unique()
        return cls(_sorted(end for end in ends if not np.isnan(end)), sorted_names(names))

    @classmethod
    def merged(cls, parts: Iterable[Whole]) -> Whole:
        """Return the facts about the rows of all parts together."""
        parts = list(parts)
        grades = _sorted(grade for part in parts for grade in part.grades)
        ends = {grade for grade in grades if grade in (grades[0], 0.0, grades[-1])}
        return cls(_sorted(ends), sorted_names(name for part in parts for name in part.systems))

    def check(self, roles: Roles) -> None:
        """Raise when nothing is judged, or a grade is infinite."""
        low, *_, high = self.grades * 2 or (np.nan, np.nan)
        check_grades(low, high, roles.grade)

    def levels(self, negative: str) -> NDArray[np.float64]:
        """Return the grades that the scale must have, by what negative grades are."""
        levels = {grade for grade in self.grades if grade >= 0}
        if negative == "nonrelevant" and len(levels) < len(self.grades):
            levels.add(0.0)
        return np.array(sorted(levels))


def _ends(grade: NDArray[np.float64]) -> tuple[float, float]:
    """Return the lowest and the highest grade, NaN when there is none."""
    low, high = grade.min(initial=np.inf), grade.max(initial=-np.inf)
    if low == low and low <= high:
        return low, high
    # numpy is far faster when it need not look out for NaN.
    return np.fmin.reduce(grade, initial=np.nan), np.fmax.reduce(grade, initial=np.nan)


def _sorted(grades: Iterable[float]) -> tuple[float, ...]:
    return tuple(sorted({float(grade) + 0.0 for grade in grades}))


def sorted_names(names: Iterable[Any]) -> tuple[Hashable, ...]:
    """Return distinct names in the order in which systems stand."""
    found = pd.Series(list(names), dtype=object)
    return tuple(pd.factorize(found, sort=True)[1])


def check_grades(low: float, high: float, name: Hashable) -> None:
    """Raise when nothing is judged, or the lowest or highest grade is infinite."""
    if np.isnan(high):
        raise DataError(f"The grade column {name!r} holds no grade at all, so nothing is judged.")
    if np.isinf(low) or np.isinf(high):
        raise DataError(f"The grade column {name!r} has an infinite grade.")
