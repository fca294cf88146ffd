"""The bounds that hold, each measured as a ratio within one run: ours against a yardstick.

To add a bound, write a function of `Sizes` that returns a `Measured`, and list it in `BOUNDS`.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import child
import numpy as np
import pandas as pd
from timing import Ratio, once, ratio, seconds

import data
import rank_magic as rm

FOUR = ["nDCG@10", "ERR@10", "AP", "RR"]


@dataclass(frozen=True)
class Sizes:
    """The sizes that the bounds are about, and how often each is measured."""

    main: str = "10000x1000"
    tenth: str = "1000x1000"
    many: str = "1000000x10"
    ragged: str = "ragged"
    huge: str = "100000x1000"
    repeats: int = 5
    processes: int = 11
    calls: int = 2000


SMALL = Sizes("100x1000", "10x1000", "10000x10", "ragged-small", "1000x1000", 2, 2, 50)


class Measured(NamedTuple):
    """What was found, and from what."""

    value: float
    how: str


@dataclass(frozen=True)
class Bound:
    """What may not be exceeded (or, when `least` is set, what must be reached)."""

    name: str
    limit: float
    unit: str
    measure: Callable[[Sizes], Measured]
    least: bool = False

    def holds(self, value: float) -> bool:
        return value >= self.limit if self.least else value <= self.limit


def of(found: Ratio) -> Measured:
    return Measured(found.value, str(found))


def against_sort(frame: pd.DataFrame, sizes: Sizes, measures: list[str] | None = None) -> Measured:
    """Compare an evaluation with one flat sort of the same scores."""
    scores = frame["score"].to_numpy()
    return of(
        ratio(
            lambda: rm.evaluate(frame, measures or FOUR), lambda: np.argsort(scores), sizes.repeats
        )
    )


def grouped(sizes: Sizes) -> Measured:
    return against_sort(data.tidy(sizes.main), sizes)


def many_queries(sizes: Sizes) -> Measured:
    return against_sort(data.tidy(sizes.many), sizes)


def ragged(sizes: Sizes) -> Measured:
    return against_sort(data.tidy(sizes.ragged), sizes)


def shuffled(sizes: Sizes) -> Measured:
    return against_sort(data.shuffled(data.tidy(sizes.main)), sizes)


def ndcg_alone(sizes: Sizes) -> Measured:
    return against_sort(data.tidy(sizes.main), sizes, ["nDCG@10"])


def text_ids(sizes: Sizes) -> Measured:
    return against_sort(data.with_ids(data.tidy(sizes.main), "str"), sizes)


def ten_systems(sizes: Sizes) -> Measured:
    frame = data.systems(data.tidy(sizes.main), 10)
    names = [f"s{number}" for number in range(10)]
    return of(
        ratio(
            lambda: rm.evaluate(frame, FOUR, score=names),
            lambda: rm.evaluate(frame, FOUR, score="s0"),
            max(2, sizes.repeats - 2),
        )
    )


def all_tied(sizes: Sizes) -> Measured:
    untied = data.tidy(sizes.main)
    tied = data.constant(untied)
    return of(
        ratio(lambda: rm.evaluate(tied, FOUR), lambda: rm.evaluate(untied, FOUR), sizes.repeats)
    )


def per_row(large: str, small: str, sizes: Sizes) -> Measured:
    """Compare the time per row of a large frame with that of a small one."""
    few, many = data.tidy(small), data.tidy(large)
    found = ratio(lambda: rm.evaluate(many, FOUR), lambda: rm.evaluate(few, FOUR), sizes.repeats)
    value = found.value * len(few) / len(many)
    return Measured(value, f"{found}, {len(many):,} rows and {len(few):,}")


def growth(sizes: Sizes) -> Measured:
    return per_row(sizes.main, sizes.tenth, sizes)


def huge(sizes: Sizes) -> Measured:
    return per_row(sizes.huge, sizes.main, sizes)


def memory(sizes: Sizes) -> Measured:
    found = child.ask("memory", "rank_magic", sizes.main)
    peak, columns = found["peak"] / 2**20, found["columns"] / 2**20
    return Measured(peak / columns, f"{peak:,.0f} MB beside {columns:,.0f} MB of columns")


def import_time(sizes: Sizes) -> Measured:
    child.ask("import")  # the first may have to compile
    found = [child.ask("import") for _ in range(sizes.processes)]
    middle = statistics.median(entry["seconds"] for entry in found)
    busy = statistics.median(entry["processor"] for entry in found)
    return Measured(
        1000 * middle,
        f"median of {sizes.processes} processes, {1000 * busy:.0f} ms of it on the processor",
    )


def heavy_packages(_: Sizes) -> Measured:
    loaded = child.ask("import")["loaded"]
    return Measured(len(loaded), ", ".join(loaded) or f"none of {', '.join(child.HEAVY)}")


def one_query(sizes: Sizes) -> Measured:
    frame = data.tidy("1x10")
    for _ in range(10):
        frame.rank.ndcg(k=10)
    taken = []
    for _ in range(sizes.calls):
        start = time.perf_counter()
        frame.rank.ndcg(k=10)
        taken.append(time.perf_counter() - start)
    return Measured(1000 * min(taken), f"median {seconds(statistics.median(taken))}")


def attach(sizes: Sizes) -> Measured:
    frame = data.tidy(sizes.main)
    run, qrels = data.run_and_qrels(frame, np.arange(len(frame)) % 10 == 0)
    keys = ["query", "doc"]
    return of(
        ratio(
            lambda: rm.attach(run, qrels),
            lambda: run.merge(qrels, on=keys, how="outer"),
            max(1, sizes.repeats - 3),
        )
    )


BOUNDS = (
    Bound("evaluate, grouped / argsort", 0.3, "x", grouped),
    Bound("1,000,000 queries x 10 / argsort", 0.3, "x", many_queries),
    Bound("ragged / argsort", 0.5, "x", ragged),
    Bound("rows shuffled / argsort", 1.0, "x", shuffled),
    Bound("nDCG@10 alone / argsort", 0.2, "x", ndcg_alone),
    Bound("ids as text / argsort", 2.0, "x", text_ids),
    Bound("ten score columns / one", 8.0, "x", ten_systems),
    Bound("every score tied / none", 3.0, "x", all_tied),
    Bound("time per row, large / small", 1.15, "x", growth),
    Bound("peak extra memory / columns", 1.0, "x", memory),
    Bound("import on top of pandas", 60.0, "ms", import_time),
    Bound("heavy packages loaded by it", 0, "", heavy_packages),
    Bound("one query through df.rank.ndcg", 0.5, "ms", one_query),
    *([Bound("attach / merge", 0.4, "x", attach)] if hasattr(rm, "attach") else []),
)
# Only on request: it needs 10 GB.
HUGE = Bound("time per row, 100 million / 10", 1.15, "x", huge)


def measured(bounds: list[Bound], sizes: Sizes) -> Iterator[tuple[Bound, Measured]]:
    """Measure one bound after the other, each of them warmed up by a small evaluation."""
    once(rm.evaluate, data.tidy("10x10"))
    for bound in bounds:
        yield bound, bound.measure(sizes)
