"""Times of several pieces of work, taken in turns, so that all of them meet the same weather."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

# Work that takes longer than this is done once.
LONG = 20.0


class Ratio(NamedTuple):
    """How long our work takes, how long the yardstick's, each at its best."""

    ours: float
    yardstick: float

    @property
    def value(self) -> float:
        return self.ours / self.yardstick

    def __str__(self) -> str:
        return f"{seconds(self.ours)} against {seconds(self.yardstick)}"


def once(work: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    """Return the seconds that work takes, and what it returns."""
    gc.collect()
    start = time.perf_counter()
    found = work(*given)
    return time.perf_counter() - start, found


def in_turns(works: Sequence[Callable[[], Any]], repeats: int) -> list[float]:
    """Return the shortest time of each work, all of them done one after the other, repeatedly."""
    best = [float("inf")] * len(works)
    for _ in range(repeats):
        for number, work in enumerate(works):
            if LONG < best[number] < float("inf"):
                continue
            best[number] = min(best[number], once(work)[0])
    return best


def ratio(ours: Callable[[], Any], yardstick: Callable[[], Any], repeats: int) -> Ratio:
    """Return how our work compares with the yardstick."""
    return Ratio(*in_turns([ours, yardstick], repeats))


def seconds(time_: float) -> str:
    """Write a time with three digits."""
    if time_ < 1:
        return f"{1000 * time_:.3g} ms"
    return f"{time_:.3g} s" if time_ < 1000 else f"{time_:,.0f} s"
