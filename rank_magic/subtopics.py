"""Judgments by subtopic: a document may be relevant to some of what a query can mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import combined

__all__ = ["by_subtopic"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]


def by_subtopic(
    subtopic: pd.Series[Any], query: Sequence[Ints], of_pair: Ints, grade: Floats
) -> tuple[Ints, Floats]:
    """Return what rows are judged once, and the grades of each pair by subtopic.

    Parameters
    ----------
    subtopic : Series
        Subtopic of each row; missing where a document was retrieved but not judged.
    query : sequence of array of int
        Number of each row's query; several that number it together.
    of_pair : array of int, shape (rows,)
        Number of each row's pair of query and document.
    grade : array of float, shape (rows,)
        Grades, NaN where not judged.

    Returns
    -------
    unit : array of int, shape (rows,)
        A number that is equal for rows of the same query, document and subtopic.
    topics : array of float, shape (pairs, subtopics)
        Grades; the subtopics of each query are numbered from 0, in sorted order.
    """
    named, labels = pd.factorize(subtopic, sort=True)
    unit, _ = pd.factorize(of_pair.astype(np.int64) * (len(labels) + 1) + named + 1)
    there = np.flatnonzero(named >= 0)
    of_query = np.asarray(pd.factorize(combined(query))[0], dtype=np.int64)
    intent = of_query * len(labels) + named
    intents = np.unique(intent[there])
    first = np.searchsorted(intents // max(len(labels), 1), np.arange(of_query.max() + 1))
    place = np.searchsorted(intents, intent[there]) - first[of_query[there]]
    topics = np.full((int(of_pair.max()) + 1, int(place.max(initial=0)) + 1), np.nan)
    np.fmax.at(topics, (of_pair[there], place), grade[there])
    return np.asarray(unit, dtype=np.int64), topics
