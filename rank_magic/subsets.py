"""Some of the queries of an evaluation, as an evaluation of their own."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.evaluation import Evaluation
from rank_magic.grouping import Groups
from rank_magic.pooling import Rows
from rank_magic.rankings import Rankings
from rank_magic.values import Values

__all__ = ["only"]

Ints = NDArray[np.signedinteger[Any]]


def only(evaluation: Evaluation, queries: Ints) -> Evaluation:
    """Return the evaluation of the queries with these numbers, ascending, and no others.

    Values stay what they are, the scale of grades that of all queries, and nothing is computed
    anew.
    """
    weights = evaluation.weights
    return replace(
        evaluation,
        rankings=_rankings(evaluation.rankings, queries),
        _values=_values(evaluation._values, queries),
        weights=None if weights is None else weights.iloc[queries],
    )


def _rankings(rankings: Rankings, queries: Ints) -> Rankings:
    groups = rankings.groups
    length = groups.length[queries]
    start = np.cumsum(length) - length
    rows = np.repeat(groups.start[queries] - start, length) + np.arange(int(length.sum()))
    if groups.order is not None:
        rows = groups.order[rows]
    part = _rows(rankings.rows, rows)
    return replace(
        rankings,
        rows=part,
        # Query after query, and within each in row order, which may decide between equal scores.
        groups=Groups(groups.labels[queries], start, length, None),
        codes=rankings.codes[rows],
        docs=None if rankings.docs is None else rankings.docs[rows],
        topics=tuple(topic[rows] for topic in rankings.topics),
        given=part.frame if rankings.rows.frame is rankings.given else rankings.given,
    )


def _rows(rows: Rows, at: Ints) -> Rows:
    return replace(
        rows,
        frame=rows.frame.iloc[at],
        grade=rows.grade[at],
        scores={name: score[at] for name, score in rows.scores.items()},
        ranks={name: rank[at] for name, rank in rows.ranks.items()},
        positions={name: place[at] for name, place in rows.positions.items()},
        topics=None if rows.topics is None else rows.topics[at],
    )


def _values(values: Values, queries: Ints) -> Values:
    """Return the values of some queries; they stand along the last axis of all but one array."""
    by_query = {
        field.name: getattr(values, field.name)[..., queries]
        for field in fields(values)
        if field.name != "of_what_is_shown"
    }
    return replace(values, **by_query)
