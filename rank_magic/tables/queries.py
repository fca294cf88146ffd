"""Single queries below the means: all of them, or the worst."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.notes import plain_text
from rank_magic.roles import ROLE_NAMES
from rank_magic.tables.grid import Column, decimals, number

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["every_query", "worst_queries", "worst_title"]

Ints = NDArray[np.int64]


def every_query(evaluation: Evaluation, limit: int) -> list[Column]:
    """Return the values of the first `limit` queries, in the order that the view asks for."""
    by = evaluation.view.sort
    order = np.arange(len(evaluation.queries))
    if by is not None:
        order = np.argsort(_over_systems(evaluation, by), kind="stable")
    return list(_labelled(evaluation, order[:limit], evaluation.names))


def worst_queries(evaluation: Evaluation) -> list[Column]:
    """Return the queries on which the systems do worst, of those that hold something to find.

    With several systems, by the mean over systems of the measure that decides, which alone is
    shown.
    """
    by, values = _decides(evaluation), evaluation._values
    mean = _over_systems(evaluation, by)
    hopeful = values.pooled & values.findable[evaluation.names.index(by)] & ~np.isnan(mean)
    candidates = np.flatnonzero(hopeful)
    order = candidates[np.argsort(mean[candidates], kind="stable")][: evaluation.view.worst]
    several = evaluation.rankings.rows.several
    columns = list(_labelled(evaluation, order, [by] if several else evaluation.names))
    columns.append(Column("judged", [f"{values.judged[query]:,}" for query in order]))
    notes = [_silent(evaluation, int(query)) for query in order]
    return [*columns, Column("note", notes, words=True)] if any(notes) else columns


def worst_title(evaluation: Evaluation, number: int) -> str:
    """Return what the list of the worst queries is, in words."""
    over = ", mean over systems" if evaluation.rankings.rows.several else ""
    queries = "The worst query" if number == 1 else f"The {number:,} worst queries"
    return (
        f"{queries} by {_decides(evaluation)}{over}, of those that have something relevant to find"
    )


def _decides(evaluation: Evaluation) -> str:
    return evaluation.view.sort or evaluation.names[0]


def _silent(evaluation: Evaluation, query: int) -> str:
    answered = evaluation._values.answered[:, query]
    if answered.all():
        return ""
    if not answered.any():
        return "no results"
    named = zip(evaluation.systems, answered, strict=True)
    return f"no results: {', '.join(plain_text(name) for name, there in named if not there)}"


def _over_systems(evaluation: Evaluation, measure: str) -> NDArray[np.float64]:
    """Return each query's mean over systems of a measure; NaN where no system has a value."""
    values = evaluation._ruled[:, evaluation.names.index(measure), :]
    there = ~np.isnan(values)
    total = np.where(there, values, 0.0).sum(axis=0)
    count = there.sum(axis=0)
    return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)


def _labelled(evaluation: Evaluation, order: Ints, measures: list[str]) -> Iterator[Column]:
    """Yield what queries are called, their words if the frame has them, and their values."""
    queries = evaluation.queries[order]
    identity = plain_text(evaluation.rankings.roles.query)
    yield Column(identity, [plain_text(one) for one in queries], words=True)
    yield from _words(evaluation, order)
    places, several = decimals(evaluation), evaluation.rankings.rows.several
    for system, values in zip(evaluation.systems, evaluation._ruled, strict=True):
        for name in measures:
            label = plain_text(system) if several and len(measures) == 1 else name
            if several and len(measures) > 1:
                label = f"{plain_text(system)} {name}"
            measure = evaluation.names.index(name)
            cells = values[measure, order].tolist()
            yield Column(label, [number(cell, places[measure]) for cell in cells])


def _words(evaluation: Evaluation, order: Ints) -> Iterator[Column]:
    """Yield the queries' words from a column beside the id, such as `query` by `query_id`."""
    rankings = evaluation.rankings
    frame, taken = rankings.rows.frame, rankings.roles.columns()
    conventional = {name for standing in ROLE_NAMES["query"] for name in standing}
    for place, name in enumerate(frame.columns):
        if name not in taken and str(name).lower() in conventional:
            rows = [int(rankings.groups.rows(int(query))[0]) for query in order]
            words = frame.iloc[rows, place]
            cells = ["" if pd.isna(word) else plain_text(word) for word in words]
            yield Column(plain_text(name), cells, words=True)
            return
