"""What every engine must answer as pandas does: random data, conventions, measures and ids."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import rank_magic as rm
from cases import CASES, DIVERSE

GRADES = st.sampled_from([None, None, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
SCORES = st.sampled_from([None, 0.1, 0.2, 0.3, 0.1 + 0.2, 1.0, 7.0, math.inf, -math.inf])
QUERY = st.lists(st.tuples(GRADES, SCORES), min_size=1, max_size=12)
# Those that need more than grades and scores, or an order that is settled, are tried apart.
MEASURES = sorted(CASES)
OPTIONS = st.fixed_dictionaries(
    {"ties": st.sampled_from(["average", "trec", "worst", "best", "order"])},
    optional={
        "unjudged": st.just("remove"),
        "negative": st.just("nonrelevant"),
        "no_relevant": st.sampled_from(["skip", "one", "nan"]),
        "unanswered": st.just("skip"),
        "duplicates": st.sampled_from(["first", "best"]),
        "rel": st.sampled_from([0.5, 2]),
        "gain": st.just("linear"),
        "depth": st.integers(1, 9),
    },
).filter(
    # Where a depth cuts equals apart, chance decides what is left to be removed: an error.
    lambda options: not {"depth", "unjudged"} <= set(options) or options["ties"] == "trec"
)
# What query ids may be; equal numbers stay equal.
IDS: dict[str, Callable[[Any], Any]] = {
    "whole numbers": lambda number: number * 7919 - 10_000,
    "large numbers": lambda number: number + 2**62,
    "text": lambda number: f"q{number:03}",
    "fractions": lambda number: number / 7,
    "dates": lambda number: pd.Timestamp("2026-01-01") + pd.Timedelta(days=number),
    "truths": lambda number: bool(number % 2),
}


@dataclass(frozen=True)
class Problem:
    """Rows, in an order that tears queries apart, and how to evaluate them."""

    frame: pd.DataFrame
    measures: list[str]
    options: dict[str, Any]

    def in_memory(self) -> rm.Evaluation:
        return rm.evaluate(self.frame, self.measures, **self.options)


@st.composite
def problems(draw: st.DrawFn, *, ids: list[str] | None = None) -> Problem:
    """Draw data of one of several forms, with ids of one of several types."""
    queries = draw(st.lists(QUERY, min_size=1, max_size=6))
    form = draw(
        st.sampled_from(["one", "one", "scores", "systems", "subtopics", "rank", "two ids"])
    )
    name = IDS[draw(st.sampled_from(ids or list(IDS)))]
    systems = ["b", "a", "c"] if form == "systems" else ["only"]
    rows = [
        (name(number), number % 3, f"d{place * 7 % 11}", system, grade, score)
        for number, query in enumerate(queries)
        for system in systems[: 1 + number]  # some systems do not answer some queries
        for place, (grade, score) in enumerate(query)
    ]
    rows.append((name(len(queries)), 0, "x", systems[-1], 0.0, 1.0))  # something is judged
    columns = ["query_id", "other", "doc", "system", "grade", "score"]
    frame = pd.DataFrame(rows, columns=columns).drop_duplicates(["query_id", "doc", "system"])
    frame = frame.astype({"grade": float, "score": float}).reset_index(drop=True)
    if form == "systems":  # ids may be fewer than queries, and systems share their judgments
        frame["grade"] = frame.groupby(["query_id", "doc"])["grade"].transform("first")
    options = draw(OPTIONS)
    known = MEASURES
    if form == "subtopics":
        frame["subtopic"] = [f"t{row % 3}" for row in range(len(frame))]
        known = sorted(DIVERSE)
    if form == "scores":
        frame["second"] = frame["score"].sample(frac=1, random_state=1).to_numpy()
        options["score"] = ["score", "second"]
    if form == "two ids":
        options["query"] = ["query_id", "other"]
    if form == "rank":
        place = frame.groupby("query_id")["score"].rank(ascending=False, method="first")
        frame = frame.assign(position=place).drop(columns="score")
    if form != "systems":
        frame = frame.drop(columns="system")
    if form != "two ids":
        frame = frame.drop(columns="other")
    random = draw(st.randoms(use_true_random=False))
    order = list(range(len(frame)))
    random.shuffle(order)
    measures = draw(st.lists(st.sampled_from(known), min_size=1, max_size=4, unique=True))
    return Problem(frame.iloc[order].reset_index(drop=True), measures, options)


def told(value: Any) -> str:
    """Write a label or number so that it tells every bit, in whatever library it was."""
    if isinstance(value, (float, np.floating)):
        return "nan" if math.isnan(value) else float(value).hex()
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    return str(pd.Timestamp(value)) if hasattr(value, "year") else str(value)


def values_of(table: pd.DataFrame) -> dict[tuple[str, ...], list[str]]:
    """Return pandas' table of values as those of each query and system."""
    if table.columns.nlevels == 1:
        return {
            _key(query): [*map(told, row)]
            for query, row in zip(table.index, table.to_numpy(), strict=True)
        }
    systems = table.columns.unique("system")
    return {
        (*key, str(system)): row
        for system in systems
        for key, row in values_of(table.xs(system, axis=1, level="system")).items()
    }


def values_of_rows(rows: list[tuple[Any, ...]], ids: int) -> dict[tuple[str, ...], list[str]]:
    """Return rows of ids and values, be the system among the ids, as `values_of` does."""
    found = {tuple(map(told, row[:ids])): [*map(told, row[ids:])] for row in rows}
    assert len(found) == len(rows), "a query stands in several rows"
    return found


def _key(query: Any) -> tuple[str, ...]:
    return tuple(map(told, query if isinstance(query, tuple) else (query,)))


def check_summary(found: pd.DataFrame, wanted: pd.DataFrame) -> None:
    """Check means to 1e-12, and with them intervals and numbers of queries."""
    pd.testing.assert_frame_equal(found, wanted, rtol=1e-12, atol=1e-12)


def partitions(rows: int, random: Any, most: int = 5) -> list[slice]:
    """Cut rows into parts, some of which may be empty."""
    cuts = sorted(random.randrange(rows + 1) for _ in range(random.randrange(most)))
    return [slice(low, high) for low, high in zip([0, *cuts], [*cuts, rows], strict=True)]
