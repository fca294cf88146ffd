"""One grade for each document out of what several raters gave."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.errors import DataError
from rank_magic.raters.ratings import Ratings, check_choice, read_ratings

__all__ = ["HOW", "TIES", "combine_raters", "combined"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HOW = ("median", "mean", "majority")
TIES = ("raise", "lower", "higher", "median", "unjudged")


def combine_raters(
    ratings: pd.DataFrame,
    how: str = "median",
    *,
    ties: str = "raise",
    query: Hashable | None = None,
    doc: Hashable | None = None,
    rater: Hashable | None = None,
    grade: Hashable | None = None,
) -> pd.DataFrame:
    """Return one grade for each query and document out of what several raters gave.

    Parameters
    ----------
    ratings : DataFrame
        A row per query, document and rater. A missing grade means that the rater gave none.
    how : {"median", "mean", "majority"}
        The middle grade (of an even number the mean of the two in the middle), the mean, or the
        grade that most of them gave.
    ties : {"raise", "lower", "higher", "median", "unjudged"}
        What the majority is where several grades were given equally often: an error that says
        where, the lowest or the highest of these grades, the median of all that was given, or
        no grade.
    query, doc, rater, grade : column name, optional
        The column of each, when its name is not a conventional one. A rater's is ``rater``,
        ``annotator``, ``assessor`` or ``judge``, also with ``_id``.

    Returns
    -------
    DataFrame
        Judgments for `attach` and ``evaluate(..., qrels=)``: a row per query and document that
        has a grade, sorted by them; columns as in `ratings`, the grade as float64.

    Raises
    ------
    ColumnError, ConventionError, DataError
        If columns can't be told, a rater judged a document twice, or votes are tied.

    See Also
    --------
    rater_agreement : How far raters agree.
    leave_one_rater_out : How much the systems' scores hang on one of them.

    Examples
    --------
    >>> import rank_magic as rm
    >>> ratings = rm.datasets.load_electronics_ratings()
    >>> ratings[ratings["doc_id"] == "1993197"][["query_id", "rater", "grade"]].head(3)
        query_id    rater  grade
    168     q002  agent_1    2.0
    169     q002  agent_2    3.0
    170     q002  agent_3    3.0
    >>> one = rm.combine_raters(ratings, "median")
    >>> one[one["doc_id"] == "1993197"].head(1)
       query_id   doc_id  grade
    56     q002  1993197    3.0

    All three differ on 124 of the 3,188 pairs, where there is no majority:

    >>> len(one), len(rm.combine_raters(ratings, "majority", ties="unjudged"))
    (3188, 3064)
    """
    check_choice("how", how, HOW)
    check_choice("ties", ties, TIES)
    read = read_ratings(ratings, query=query, doc=doc, rater=rater, grade=grade)
    found = combined(read, how, ties)
    judged = ~np.isnan(found)
    frame = read.documents[judged].reset_index(drop=True)
    frame.insert(2, read.name, found[judged])
    return frame


def combined(ratings: Ratings, how: str, ties: str) -> Floats:
    """Return one grade for each document, NaN where it has no rating."""
    if how == "mean":
        total = np.bincount(ratings.document, ratings.grade, minlength=len(ratings.documents))
        return _per(total, ratings.length)
    levels, code = np.unique(ratings.grade, return_inverse=True)
    order = np.argsort(ratings.document * len(levels) + code, kind="stable")
    ordered, length = ratings.grade[order], ratings.length
    start = np.cumsum(length) - length
    there = length > 0
    low, high = (start + (length - 1) // 2)[there], (start + length // 2)[there]
    median = np.full(len(length), np.nan)
    median[there] = (ordered[low] + ordered[high]) / 2
    return median if how == "median" else _majority(ratings, ordered, median, ties)


def _majority(ratings: Ratings, ordered: Floats, median: Floats, ties: str) -> Floats:
    """Return the grade that most raters gave each document.

    Parameters
    ----------
    ratings : Ratings
        The ratings.
    ordered : array of float, shape (ratings,)
        Grades by document, ascending within each.
    median : array of float, shape (documents,)
        The median of each document's grades.
    ties : str
        What counts where several grades were given equally often.
    """
    first = np.append(True, (np.diff(ordered) != 0) | (np.diff(ratings.document) != 0))
    at = np.flatnonzero(first)
    votes = np.diff(at, append=len(ordered))
    owner, value = ratings.document[at], ordered[at]
    # The most votes come last, and of equals the grade that the rule prefers.
    order = np.lexsort((-value if ties == "lower" else value, votes, owner))
    owner, value, votes = owner[order], value[order], votes[order]
    last = np.flatnonzero(np.append(np.diff(owner) != 0, True))
    grade = np.full(len(median), np.nan)
    grade[owner[last]] = value[last]
    before = np.maximum(last - 1, 0)
    tied = owner[last[(last > 0) & (owner[before] == owner[last]) & (votes[before] == votes[last])]]
    if len(tied) and ties == "raise":
        raise _no_majority(ratings, tied)
    if ties in ("median", "unjudged"):
        grade[tied] = median[tied] if ties == "median" else np.nan
    return grade


def _no_majority(ratings: Ratings, tied: Ints) -> DataError:
    called, grades = ratings.examples(int(tied[0]))
    number = "1 document has" if len(tied) == 1 else f"{len(tied):,} documents have"
    return DataError(
        f"{number} no majority, such as {called} with {grades}. Say what counts there: "
        f"ties='lower', 'higher', 'median' or 'unjudged'."
    )


def _per(total: NDArray[Any], number: NDArray[Any]) -> Floats:
    return np.divide(total, number, out=np.full(len(total), np.nan), where=number > 0)
