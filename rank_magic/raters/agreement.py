"""How far raters agree, beyond what chance would give."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.errors import DataError
from rank_magic.raters.ratings import Ratings, check_choice, read_ratings

__all__ = ["rater_agreement"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEVELS = ("ordinal", "nominal", "interval")


def rater_agreement(
    ratings: pd.DataFrame,
    *,
    level: str = "ordinal",
    query: Hashable | None = None,
    doc: Hashable | None = None,
    rater: Hashable | None = None,
    grade: Hashable | None = None,
) -> pd.DataFrame:
    """Return how far raters agree, two by two and all together.

    Parameters
    ----------
    ratings : DataFrame
        A row per query, document and rater.
    level : {"ordinal", "nominal", "interval"}
        What Krippendorff's alpha takes grades for: steps in order, mere names, or numbers whose
        differences count.
    query, doc, rater, grade : column name, optional
        As in `combine_raters`.

    Returns
    -------
    DataFrame
        A row for each two raters who judged a document in common, and a last one, ``all``.

        ``documents``
            How many both judged; in the last row, how many at least two did.
        ``agreement``
            Share with the same grade; in the last row, of all pairs of ratings of a document.
        ``kappa``
            Cohen's kappa; in the last row the mean over pairs of raters (Light's kappa).
        ``weighted_kappa``
            Cohen's kappa with quadratic weights, by the differences of grades; likewise.
        ``alpha``
            Krippendorff's alpha.

        Kappas and alpha are at most 1, and 0 when agreement is what chance would give; NaN where
        chance alone makes raters agree, as when all grades are the same.

    Raises
    ------
    ColumnError, ConventionError, DataError
        If columns can't be told, a rater judged a document twice, or no two judged the same.

    See Also
    --------
    combine_raters : One grade out of many.

    References
    ----------
    Cohen, A coefficient of agreement for nominal scales, Educational and Psychological
    Measurement 20(1), 1960. Cohen, Weighted kappa, Psychological Bulletin 70(4), 1968. Light,
    Measures of response agreement for qualitative data, Psychological Bulletin 76(5), 1971.
    Krippendorff, Content Analysis, 4th edition, 2018, chapter 12.

    Examples
    --------
    >>> import rank_magic as rm
    >>> ratings = rm.datasets.load_electronics_ratings()
    >>> rm.rater_agreement(ratings).round(3)
                     documents  agreement  kappa  weighted_kappa  alpha
    rater   other
    agent_1 agent_2       3188      0.822  0.682           0.799  0.793
            agent_3       3188      0.797  0.646           0.776  0.779
    agent_2 agent_3       3188      0.771  0.601           0.737  0.736
    all                   3188      0.797  0.643           0.771  0.770
    """
    check_choice("level", level, LEVELS)
    read = read_ratings(ratings, query=query, doc=doc, rater=rater, grade=grade)
    left, right = _pairs(read)
    if not len(left):
        raise DataError(
            "No document was judged by two raters, so there is nothing to compare them by."
        )
    several = len(read.raters)
    number, pair = np.unique(read.rater[left] * several + read.rater[right], return_inverse=True)
    grades, code = np.unique(read.grade, return_inverse=True)
    both = _Both(grades, pair, code[left], code[right])
    index = [read.raters[number // several], read.raters[number % several]]
    table = pd.DataFrame(
        {
            "documents": both.documents,
            "agreement": both.agreement,
            "kappa": both.kappa(),
            "weighted_kappa": both.weighted_kappa(),
            "alpha": both.alpha(level),
        },
        index=pd.MultiIndex.from_arrays(index, names=["rater", "other"]),
    )
    whole = {
        "documents": np.count_nonzero(read.length > 1),
        "agreement": np.count_nonzero(both.left == both.right) / len(pair),
        "kappa": table["kappa"].mean(),
        "weighted_kappa": table["weighted_kappa"].mean(),
        "alpha": _alpha(read, level),
    }
    last = pd.DataFrame(
        whole, index=pd.MultiIndex.from_tuples([("all", "")], names=table.index.names)
    )
    return pd.concat([table, last])


def _pairs(ratings: Ratings) -> tuple[Ints, Ints]:
    """Return the places of every two ratings of a document."""
    left = [np.zeros(0, dtype=np.int64)]
    right = [np.zeros(0, dtype=np.int64)]
    for apart in range(1, int(ratings.length.max())):
        at = np.flatnonzero(ratings.document[apart:] == ratings.document[:-apart])
        left.append(at)
        right.append(at + apart)
    return np.concatenate(left), np.concatenate(right)


class _Both:
    """What two raters gave the documents that both judged, for all pairs of raters at once.

    Parameters
    ----------
    grades : array of float, shape (levels,)
        The distinct grades, ascending.
    pair : array of int, shape (judged,)
        Which two raters it is.
    left, right : array of int, shape (judged,)
        The number of the grade that each of the two gave.
    """

    def __init__(self, grades: Floats, pair: Ints, left: Ints, right: Ints) -> None:
        self.grades, self.pair, self.left, self.right = grades, pair, left, right
        self.documents = np.bincount(pair)
        self.agreement = self._mean(left == right)
        self.mine, self.theirs = self._counts(left), self._counts(right)

    def _counts(self, code: Ints) -> Floats:
        """Return how often each grade was given, shape (pairs, levels)."""
        shape = (len(self.documents), len(self.grades))
        flat = np.bincount(self.pair * shape[1] + code, minlength=shape[0] * shape[1])
        return flat.reshape(shape).astype(np.float64)

    def _mean(self, values: NDArray[np.generic]) -> Floats:
        """Return each pair's mean over the documents that both judged."""
        return np.bincount(self.pair, weights=values) / self.documents

    def kappa(self) -> Floats:
        """Return Cohen's kappa."""
        return _beyond(1 - self.agreement, 1 - self._by_chance)

    @property
    def _by_chance(self) -> Floats:
        """How often the two would agree by chance."""
        return (self.mine * self.theirs).sum(axis=1) / self.documents**2

    def weighted_kappa(self) -> Floats:
        """Return Cohen's kappa weighted by squared differences."""
        x, y = self.grades[self.left], self.grades[self.right]
        # The mean squared difference of independent x and y.
        by_chance = self._mean(x**2) + self._mean(y**2) - 2 * self._mean(x) * self._mean(y)
        return _beyond(self._mean((x - y) ** 2), np.where(self._by_chance < 1, by_chance, 0.0))

    def alpha(self, level: str) -> Floats:
        """Return Krippendorff's alpha."""
        given = self.mine + self.theirs
        if level == "nominal":
            return _beyond(1 - self.agreement, _others_by_chance(given))
        worth = _worth(self.grades, given, level)
        apart = worth[self.pair, self.left] - worth[self.pair, self.right]
        return _beyond(self._mean(apart**2), _squares_by_chance(worth, given))


def _alpha(ratings: Ratings, level: str) -> float:
    """Return Krippendorff's alpha of all raters, over documents that at least two judged."""
    judged = ratings.length[ratings.document] > 1
    document = np.unique(ratings.document[judged], return_inverse=True)[1]
    grades, code = np.unique(ratings.grade[judged], return_inverse=True)
    number = np.bincount(document)
    given = np.bincount(code).astype(np.float64)[None, :]
    # What follows adds up over all ordered pairs of a document's ratings.
    if level == "nominal":
        cell, times = np.unique(document * len(grades) + code, return_counts=True)
        apart = number**2 - np.bincount(cell // len(grades), times**2)
        by_chance = _others_by_chance(given)
    else:
        worth = _worth(grades, given, level)
        sums = np.bincount(document, worth[0, code])
        apart = 2 * (number * np.bincount(document, worth[0, code] ** 2) - sums**2)
        by_chance = _squares_by_chance(worth, given)
    found = np.array([(apart / (number - 1)).sum() / given.sum()])
    return float(_beyond(found, by_chance)[0])


def _worth(grades: Floats, given: Floats, level: str) -> Floats:
    """Return numbers whose squared differences are the distances of grades, shape (pairs, levels).

    For steps in order a grade is worth the mean rank of those who gave it: between two grades lie
    all ratings in between, and half of those at either end.
    """
    if level == "interval":
        return np.broadcast_to(grades, given.shape)
    return np.cumsum(given, axis=1) - given / 2


def _others_by_chance(given: Floats) -> Floats:
    """Return the share of different grades among two of all ratings, drawn at random."""
    total = given.sum(axis=1)
    return (total**2 - (given**2).sum(axis=1)) / (total * (total - 1))


def _squares_by_chance(worth: Floats, given: Floats) -> Floats:
    """Return the mean squared difference of two of all ratings, drawn at random."""
    total = given.sum(axis=1)
    first, second = (given * worth).sum(axis=1), (given * worth**2).sum(axis=1)
    squares = 2 * (total * second - first**2) / (total * (total - 1))
    # Exactly nothing where there is a single grade, whatever rounding makes of it.
    return np.where(np.count_nonzero(given, axis=1) > 1, squares, 0.0)


def _beyond(found: Floats, by_chance: Floats) -> Floats:
    """Return how far disagreement falls short of chance's, NaN where chance makes for none."""
    share = np.divide(found, by_chance, out=np.full(len(found), np.nan), where=by_chance > 0)
    return 1 - share
