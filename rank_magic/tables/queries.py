"""Single queries below the means: all of them, or the worst."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import ROLE_NAMES
from rank_magic.notes import plain_text

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["query_rows", "worst_queries", "worst_title"]

Ints = NDArray[np.int64]


def query_rows(evaluation: Evaluation, limit: int) -> pd.DataFrame:
    """Return the values of the first `limit` queries, in the order that the view asks for."""
    values = evaluation.per_query
    by = evaluation.view.sort
    order = np.arange(len(values))
    if by is not None:
        order = np.argsort(_over_systems(evaluation, by), kind="stable")
    return _labelled(evaluation, order[:limit], list(evaluation.names))


def worst_queries(evaluation: Evaluation) -> pd.DataFrame:
    """Return the queries on which the systems do worst, of those that hold something to find.

    With several systems, by the mean over systems of the measure that decides, which alone is
    shown.
    """
    by = _decides(evaluation)
    found = evaluation._values.findable[evaluation.names.index(by)] & evaluation._values.pooled
    mean = _over_systems(evaluation, by)
    candidates = np.flatnonzero(found & ~np.isnan(mean))
    order = candidates[np.argsort(mean[candidates], kind="stable")][: evaluation.view.worst]
    several = evaluation.rankings.rows.several
    table = _labelled(evaluation, order, [by] if several else list(evaluation.names))
    values = evaluation._values
    table["judged"] = values.judged[order]
    notes = [_silent(evaluation, int(query)) for query in order]
    if any(notes):
        table["note"] = notes
    return table


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


def _labelled(evaluation: Evaluation, order: Ints, measures: list[str]) -> pd.DataFrame:
    """Return a row for each query: its id, its words if the frame has them, its values."""
    queries = evaluation.queries[order]
    identity = plain_text(evaluation.rankings.roles.query)
    table: dict[str, Any] = {identity: [plain_text(query) for query in queries]}
    table.update(_words(evaluation, order))
    places = [evaluation.names.index(name) for name in measures]
    for number, system in enumerate(evaluation.systems):
        for place, name in zip(places, measures, strict=True):
            column = name
            if evaluation.rankings.rows.several:
                column = plain_text(system) if len(places) == 1 else f"{plain_text(system)} {name}"
            table[column] = evaluation._ruled[number, place, order]
    return pd.DataFrame(table)


def _words(evaluation: Evaluation, order: Ints) -> dict[str, list[str]]:
    """Return the queries' words from a column beside the id, such as `query` by `query_id`."""
    rankings = evaluation.rankings
    frame, taken = rankings.rows.frame, rankings.roles.columns()
    conventional = {name for standing in ROLE_NAMES["query"] for name in standing}
    for name in frame.columns:
        if name not in taken and str(name).lower() in conventional:
            rows = [int(rankings.groups.rows(int(query))[0]) for query in order]
            words = frame[name].iloc[rows]
            return {plain_text(name): ["" if pd.isna(word) else plain_text(word) for word in words]}
    return {}
