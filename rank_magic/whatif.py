"""One ranking that can be edited, measured as it was and as it is now."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE
from rank_magic.columns import column
from rank_magic.conventions import is_number
from rank_magic.errors import DataError
from rank_magic.evaluation import Evaluation, evaluate
from rank_magic.explanation import row_numbers
from rank_magic.grades import grade_codes
from rank_magic.grouping import group_rows
from rank_magic.measures import Measure
from rank_magic.rankings import Rankings
from rank_magic.values import compute

__all__ = ["EXAMPLES", "Example", "WhatIf"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]


class Example(NamedTuple):
    """A ranking that teaches something."""

    name: str
    grades: tuple[float, ...]
    max_grade: float


EXAMPLES = (
    Example("first relevant item second", (0, 1), 1),
    Example("relevant, not, relevant, not, relevant", (1, 0, 1, 0, 1), 1),
    Example("grades 3 1 0", (3, 1, 0), 3),
    Example("grades 1 3 0", (1, 3, 0), 3),
    Example("grades 2 3 0", (2, 3, 0), 3),
    Example("grades 3 2 1, the ideal", (3, 2, 1), 3),
    Example("grades 2 3 1", (2, 3, 1), 3),
    Example("grades 2 1 3", (2, 1, 3), 3),
    Example("the best first: 8 4 4 4 4", (8, 4, 4, 4, 4), 8),
    Example("the best last: 4 4 4 4 8", (4, 4, 4, 4, 8), 8),
    Example("one relevant item at rank 3", (0, 0, 1), 1),
    Example("one relevant item at rank 30", (*(0,) * 29, 1), 1),
)


class WhatIf:
    """One ranking that can be edited, measured as it was and as it is now.

    Values come from the same engine as those of a whole frame: they are what `evaluate` would
    give if the frame were changed likewise. Documents with equal scores stay equal until one of
    them is moved; one that is moved has a rank of its own.

    Parameters
    ----------
    evaluation : Evaluation
        Where the ranking is from.
    query
        Which query; may be left out when there is only one.
    system
        Which system; the first by default.

    Attributes
    ----------
    before, now : Explanation
        The ranking as it was, and as it is now.
    rows : list of int
        Rank by rank, the number by which `move` and `grade` know a document.
    missed : list of int
        The same of the judged documents that are not in the ranking.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> from rank_magic.whatif import WhatIf
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [1, 3, 0]})
    >>> what_if = WhatIf(rm.evaluate(frame, ["RR", "nDCG"]))
    >>> what_if.move(what_if.rows[1], 1)
    >>> what_if.table().round(3)
             before  now  change
    measure
    RR         1.00  1.0    0.00
    nDCG       0.71  1.0    0.29
    """

    def __init__(
        self, evaluation: Evaluation, query: Any = None, *, system: Hashable | None = None
    ) -> None:
        self.before = evaluation.explain(query, system=system)
        rankings = evaluation.rankings
        self._measures = evaluation.measures
        number = int(rankings.queries.get_loc(self.before.query))
        self._whole = _of_query(rankings, number, self.before.system)
        self._others = _grades_of_others(rankings, number)
        self._grade = self._whole.rows.grade.copy()
        self._moved: frozenset[int] = frozenset()
        self.now = self.before
        self._look_at(self._whole)
        self._first = self._order

    @classmethod
    def of_grades(
        cls, grades: Sequence[float], measures: Sequence[Measure], max_grade: float | None = None
    ) -> WhatIf:
        """Return a ranking of these grades, best rank first, to be edited.

        Parameters
        ----------
        grades : sequence of float
            The grades.
        measures : sequence of Measure
            What is measured.
        max_grade : float, optional
            The highest grade of the scale.
        """
        docs = [_letters(place) for place in range(len(grades))]
        frame = pd.DataFrame({"query": "example", "doc": docs, "grade": grades})
        return cls(evaluate(frame, measures, order="rows", max_grade=max_grade))

    @property
    def query(self) -> Any:
        """The query."""
        return self.before.query

    @property
    def changed(self) -> bool:
        """Whether anything differs from the ranking as it was."""
        return self.now is not self.before

    @property
    def gradable(self) -> bool:
        """Whether a document has one grade, which can be changed: not one for each subtopic."""
        return not self._whole.topics

    @property
    def grades(self) -> list[float]:
        """The grades of the scale, ascending, 0 among them."""
        return sorted({0.0, *self._whole.scale.grades.tolist()})

    def move(self, row: int, to: int) -> None:
        """Put a document at another rank.

        Parameters
        ----------
        row : int
            Which document: one of `rows` or `missed`.
        to : int
            The rank, from 1, that it has then. Beyond the last it is put last.
        """
        self._check(row)
        shown = [other for other in self.rows if other != row]
        order = [other for other in self._order if other != row]
        place = max(int(to), 1) - 1
        at = order.index(shown[place]) if place < len(shown) else len(order)
        order.insert(at, row)
        self._become(tuple(order), self._moved | {row}, self._grade)

    def grade(self, row: int, grade: float | None) -> None:
        """Change the grade of a document; None means that nobody judged it.

        Raises
        ------
        RankMagicError
            If a measure can't do with this grade.
        """
        self._check(row)
        if not self.gradable:
            raise DataError("A document has a grade for each subtopic here; none can be changed.")
        if grade is not None and not (is_number(grade) and math.isfinite(grade)):
            raise DataError(f"A grade is a finite number, or None, not {grade!r}.")
        grades = self._grade.copy()
        grades[row] = math.nan if grade is None else float(grade)
        self._become(self._order, self._moved, grades)

    def reset(self) -> None:
        """Take every change back."""
        self._become(self._first, frozenset(), self._whole.rows.grade.copy())

    def table(self) -> pd.DataFrame:
        """Return each measure's value before and now, and the change."""
        table = pd.DataFrame({"before": self.before.values, "now": self.now.values})
        table["change"] = table["now"] - table["before"]
        return table.rename_axis("measure")

    def _check(self, row: int) -> None:
        if row not in self.rows and row not in self.missed:
            raise DataError(f"There is no document number {row!r} to change.")

    def _become(self, order: tuple[int, ...], moved: frozenset[int], grade: Floats) -> None:
        """Take this state, unless it can't be measured."""
        if order == self._first:
            moved = frozenset()
        old = self._whole.rows.grade
        if not moved and np.array_equal(grade, old, equal_nan=True):
            rankings, now = self._whole, self.before
        else:
            rankings = self._edited(order, moved, grade)
            found = compute(rankings, self._measures)
            now = Evaluation(rankings, self._measures, found).explain()
        self._moved, self._grade, self.now = moved, grade, now
        self._look_at(rankings)

    def _edited(self, order: tuple[int, ...], moved: frozenset[int], grade: Floats) -> Rankings:
        whole = self._whole
        (system, score), *_ = whole.rows.scores.items()
        if moved:
            score = _scores(order, moved, score)
        rows = dataclasses.replace(whole.rows, grade=grade, scores={system: score})
        if not self.gradable:
            return dataclasses.replace(whole, rows=rows)
        every = np.concatenate([grade, self._others])
        if np.isnan(every).all():
            raise DataError("At least one document must be judged, or there is nothing to measure.")
        codes, scale = grade_codes(every, whole.conventions.negative)
        return dataclasses.replace(whole, rows=rows, codes=codes[: len(grade)], scale=scale)

    def _look_at(self, rankings: Rankings) -> None:
        """Note in which order documents stand; equal scores may change places with grades."""
        (score,) = rankings.rows.scores.values()
        everything = np.arange(len(score))
        rows, missed = row_numbers(rankings, rankings.ranked(0, 0), everything)
        self.rows, self.missed = rows.tolist(), missed.tolist()
        # What was retrieved and conventions leave out keeps its place between the others.
        standing = np.full(len(score), len(score))
        standing[rows] = np.arange(len(rows))
        order = np.lexsort((standing, -score))
        self._order = tuple(row for row in order.tolist() if not math.isnan(score[row]))


def _of_query(rankings: Rankings, number: int, system: Hashable) -> Rankings:
    """Return the rankings of a single query and system; codes and scale stay as they are."""
    at = rankings.groups.rows(number)
    rows = rankings.rows
    positions = {name: place[at] for name, place in rows.positions.items() if name == system}
    own = dataclasses.replace(
        rows,
        frame=rows.frame.iloc[at],
        grade=rows.grade[at].astype(np.float64),
        scores={system: rows.scores[system][at]},
        ranks={},
        several=False,
        positions=positions,
        topics=None if rows.topics is None else rows.topics[at],
    )
    return dataclasses.replace(
        rankings,
        rows=own,
        groups=group_rows([column(own.frame, name) for name in rankings.roles.query]),
        codes=rankings.codes[at],
        docs=None if rankings.docs is None else rankings.docs[at],
        topics=tuple(topic[at] for topic in rankings.topics),
    )


def _grades_of_others(rankings: Rankings, number: int) -> Floats:
    """Return the distinct grades of all other queries: the scale that stays, whatever changes."""
    codes, size = rankings.codes, rankings.scale.codes
    own = np.bincount(codes[rankings.groups.rows(number)], minlength=size)
    others = np.bincount(codes, minlength=size) - own
    return rankings.scale.grades[others[FIRST_GRADE:] > 0]


def _scores(order: Sequence[int], moved: frozenset[int], given: Floats) -> Floats:
    """Return scores that give this order, equal where they were and nobody was moved."""
    score = np.full(len(given), np.nan)
    level, above = 0, -1
    for row in order:
        equal = above >= 0 and not moved & {above, row} and given[above] == given[row]
        level += not equal
        score[row], above = -level, row
    return score


def _letters(place: int) -> str:
    """Return A, B, ..., Z, AA, AB, ... for 0, 1, ..."""
    first, last = divmod(place, 26)
    return (_letters(first - 1) if first else "") + chr(ord("A") + last)
