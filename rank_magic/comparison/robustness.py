"""What each difference would be if ties, gaps or unjudged documents were treated otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rank_magic import statistics
from rank_magic.comparison.pairs import Pair
from rank_magic.comparison.together import Together

__all__ = ["COLUMNS", "robustness"]

Floats = NDArray[np.float64]

COLUMNS = (
    "difference",
    "ties_low",
    "ties_high",
    "unjudged_low",
    "unjudged_high",
    "unjudged_removed",
    "answered",
    "with_relevant",
)
# By column, the treatment of the system and that of its baseline.
TREATMENTS = {
    "ties_low": ("worst", "best"),
    "ties_high": ("best", "worst"),
    "unjudged_low": ("unjudged_worthless", "unjudged_best"),
    "unjudged_high": ("unjudged_best", "unjudged_worthless"),
    "unjudged_removed": ("removed", "removed"),
}


def robustness(side: Together, pairs: Sequence[Pair]) -> dict[str, list[float]]:
    """Return the differences under other treatments, by column, a number for each measure, pair."""
    ruled, otherwise = side.ruled, side.otherwise
    answered, findable = side.values.answered, side.values.findable
    found: dict[str, list[float]] = {name: [] for name in COLUMNS}
    for place, how in enumerate(side.aggregates):
        for pair in pairs:
            both = answered[pair.system] & answered[pair.baseline]
            rows = {
                "difference": (ruled[pair.system, place], ruled[pair.baseline, place]),
                "answered": _only(both, ruled[list(pair), place]),
                "with_relevant": _only(findable[place], ruled[list(pair), place]),
            }
            for name, (of_system, of_baseline) in TREATMENTS.items():
                if of_system in otherwise and of_baseline in otherwise:
                    rows[name] = (
                        otherwise[of_system][pair.system, place],
                        otherwise[of_baseline][pair.baseline, place],
                    )
            for name in COLUMNS:
                value = _difference(*rows[name], how, side.weights) if name in rows else np.nan
                found[name].append(value)
    return found


def _only(kept: NDArray[np.bool_], two: Floats) -> tuple[Floats, Floats]:
    first, second = np.where(kept, two, np.nan)
    return first, second


def _difference(values: Floats, baseline: Floats, how: str, weights: Floats | None) -> float:
    """Return the mean difference over the queries that have a value for both."""
    there = ~np.isnan(values) & ~np.isnan(baseline)
    if how == "geometric":
        values, baseline = (np.log(np.maximum(row, statistics.FLOOR)) for row in (values, baseline))
    return statistics.mean(np.where(there, values - baseline, np.nan), weights)
