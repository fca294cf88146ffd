"""What the means of an evaluation rest on, and how far other conventions would move them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.measures import Judged, Measure
from rank_magic.rankings import Ranked, Rankings
from rank_magic.statistics import aggregate, mean
from rank_magic.values import Values, compute

__all__ = ["coverage", "positives_only", "sensitivity", "shares_judged", "treatments"]

Floats = NDArray[np.float64]


def positives_only(rankings: Rankings) -> bool:
    """Return whether nothing was ever judged 0, so that unjudged and irrelevant look alike."""
    return not (rankings.scale.grades == 0).any()


def coverage(
    rankings: Rankings,
    measures: Sequence[Measure],
    values: Values,
    weights: Floats | None = None,
) -> pd.DataFrame:
    """Return the facts about queries, judgments and ties, a column for each system."""
    systems = len(rankings.systems)
    judged = values.pooled
    lacking = judged & ~values.relevant
    facts: dict[str, Any] = {
        "queries": [len(rankings.queries)] * systems,
        "queries without any judgment": [np.count_nonzero(~judged)] * systems,
        "queries judged": [np.count_nonzero(judged)] * systems,
        "queries answered": (values.answered & judged).sum(axis=1),
        "queries unanswered": (~values.answered & judged).sum(axis=1),
        "queries without a relevant document": [np.count_nonzero(lacking)] * systems,
        "queries with tied scores": (values.tied & judged).sum(axis=1),
        "documents retrieved": values.retrieved[:, judged].sum(axis=1),
        "rows without a score": [
            int(np.count_nonzero(np.isnan(score))) for score in rankings.rows.scores.values()
        ],
        "documents judged": [int(values.judged.sum())] * systems,
    }
    shares = shares_judged(measures)
    if shares and not positives_only(rankings):
        found = compute(rankings, shares).ruled(rankings.conventions)
        for number, share in enumerate(shares):
            facts[str(share)] = [mean(found[system, number], weights) for system in range(systems)]
    if rankings.rows.ranks:
        facts["queries whose rank and score disagree"] = [
            _disagreeing(rankings, system) for system in rankings.systems
        ]
    table = pd.DataFrame(facts, index=pd.Index(rankings.systems, name="system"), dtype=object)
    return table.T


def shares_judged(measures: Sequence[Measure]) -> list[Judged]:
    """Return the measures of what is judged, at the cutoffs of the given measures."""
    cutoffs: list[int | None] = [*sorted({m.k for m in measures if m.k is not None})]
    if any(measure.k is None and measure.cutoff for measure in measures):
        cutoffs.append(None)
    return [Judged(k=k) for k in cutoffs]


def _disagreeing(rankings: Rankings, system: Hashable) -> int:
    """Return the number of queries in which a system gives a better score a worse rank."""
    groups = rankings.groups
    rows = np.flatnonzero(~np.isnan(rankings.rows.scores[system]))
    score, rank = rankings.rows.scores[system][rows], rankings.rows.ranks[system][rows]
    query = groups.number_of_row()[rows]
    by_score = np.lexsort((rank, -score, query))
    query, rank = query[by_score], rank[by_score]
    falls = (np.diff(query) == 0) & (np.diff(rank) < 0)
    return len(np.unique(query[1:][falls]))


def sensitivity(
    rankings: Rankings,
    measures: Sequence[Measure],
    values: Values,
    weights: Floats | None = None,
) -> dict[str, list[float]]:
    """Return what each mean would be under other treatments; a list entry per system, measure."""
    ruled = values.ruled(rankings.conventions)
    other = treatments(rankings, measures, values)
    table: dict[str, list[float]] = {name: [] for name in COLUMNS}
    for system in range(len(rankings.systems)):
        for number in range(len(measures)):
            at = (system, number)
            differs = np.abs(other["best"][at] - other["worst"][at]) > 1e-12
            answered, findable = values.answered[system], values.findable[number]
            over = partial(aggregate, how=measures[number].aggregate, weights=weights)
            row = (
                over(ruled[at]),
                int(np.count_nonzero(differs)),
                over(other["worst"][at]),
                over(other["best"][at]),
                over(other["unjudged_worthless"][at]),
                over(other["unjudged_best"][at]),
                over(np.where(answered, ruled[at], np.nan)),
                over(np.where(findable, ruled[at], np.nan)),
            )
            for name, entry in zip(COLUMNS, row, strict=True):
                table[name].append(entry)
    return table


COLUMNS = (
    "mean",
    "ties_matter",
    "worst",
    "best",
    "unjudged_worthless",
    "unjudged_best",
    "answered",
    "with_relevant",
)


def treatments(
    rankings: Rankings, measures: Sequence[Measure], values: Values
) -> dict[str, Floats]:
    """Return each query's value under other treatments of ties and of unjudged documents.

    Returns
    -------
    dict of array of float, shape (systems, measures, queries)
        ``worst`` and ``best``, with equals in that order; ``unjudged_worthless`` and
        ``unjudged_best``, between which the value lies whatever the unjudged documents shown are
        (missing where no true bound exists).
    """
    conventions = rankings.conventions
    ruled = values.ruled(conventions)
    tied = np.asarray(values.tied.any(axis=0))
    found = {}
    for ties in ("worst", "best"):
        other = compute(rankings.under(ties=ties), measures, tied) if tied.any() else values
        moved = np.where(values.tied[:, None, :], other.ruled(conventions), ruled)
        found[ties] = np.where(np.isnan(ruled), np.nan, moved)
    found["unjudged_worthless"], found["unjudged_best"] = _bounds(rankings, measures, values)
    return found


def _bounds(
    rankings: Rankings, measures: Sequence[Measure], values: Values
) -> tuple[Floats, Floats]:
    """Return the lowest and highest value of each query, whatever the unjudged documents are."""
    low, high = np.full(values.value.shape, np.nan), np.full(values.value.shape, np.nan)
    if positives_only(rankings) or rankings.conventions.unjudged != "zero":
        return low, high
    resolved = [measure.resolved(rankings.conventions.defaults) for measure in measures]
    top = max(rankings.scale.top, rankings.conventions.max_grade or 0.0)

    def work(system: int, ranked: Ranked) -> None:
        for number, measure in enumerate(resolved):
            bounds = measure.bounds(ranked.block, top)
            if bounds is not None:
                low[system, number, ranked.queries] = bounds[0]
                high[system, number, ranked.queries] = bounds[1]

    for _ in rankings.map(work):
        pass
    missing = np.isnan(values.ruled(rankings.conventions))
    low[missing] = high[missing] = np.nan
    return low, high
