"""Times of the parts of an evaluation, to see which of them a change made slower.

``make bench-parts`` keeps the times (``PYTEST_ARGS=--benchmark-compare`` compares with the last
ones). One thread, a thousand queries of a thousand documents.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pandas as pd
import pytest

import data
import rank_magic as rm
from rank_magic import threads
from rank_magic.conventions import Conventions
from rank_magic.errors import RankMagicError
from rank_magic.grades import grade_codes
from rank_magic.grouping import group_rows
from rank_magic.layout import cells, shelves
from rank_magic.measures import known, orders
from rank_magic.pooling import read_rows
from rank_magic.rankings import Ranked, Rankings
from rank_magic.sorting import sort_block
from rank_magic.values import compute

SIZE = "1000x1000"
FORMS = ("int", "category", "str", "object")
MEASURES = sorted({measure.name for measure in known()})


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "THREADS", 1)


@cache
def frame(form: str = "int", order: str = "grouped", scores: str = "untied") -> pd.DataFrame:
    found = data.with_ids(data.tidy(SIZE), form)
    if scores == "constant":
        found = data.constant(found)
    elif scores == "rounded":
        found = found.assign(score=found["score"].round(1))
    return data.shuffled(found) if order == "shuffled" else found


def rankings(**which: str) -> Rankings:
    return Rankings.of(frame(**which), Conventions())


@cache
def blocks(scores: str) -> list[Ranked]:
    return list(rankings(scores=scores).map(lambda _, ranked: ranked))


def of(measure: str) -> rm.Measure:
    return rm.parse(measure).resolved(Conventions().defaults)


# Before anything is sorted.


def test_read(benchmark: Callable[..., Any]) -> None:
    benchmark(read_rows, frame(), rankings().roles, "raise")


@pytest.mark.parametrize("order", ["grouped", "shuffled"])
@pytest.mark.parametrize("form", FORMS)
def test_group(benchmark: Callable[..., Any], form: str, order: str) -> None:
    queries = frame(form, order)["query"]
    benchmark(group_rows, [queries])


def test_grades(benchmark: Callable[..., Any]) -> None:
    benchmark(grade_codes, frame()["grade"].to_numpy(float), "unjudged")


@pytest.mark.parametrize("form", FORMS)
def test_rankings(benchmark: Callable[..., Any], form: str) -> None:
    benchmark(rankings, form=form)


# Blocks.


@pytest.mark.parametrize("order", ["grouped", "shuffled"])
def test_sort(benchmark: Callable[..., Any], order: str) -> None:
    found = rankings(order=order)
    places = [cells(found.groups, shelf) for shelf in shelves(found.groups)]
    scores = found.rows.scores["score"]

    def sort() -> None:
        for place in places:
            sort_block(place, place.take(found.codes, 0), scores, condense=None, settle=None)

    benchmark(sort)


@pytest.mark.parametrize("scores", ["untied", "rounded", "constant"])
@pytest.mark.parametrize("order", ["grouped", "shuffled"])
def test_blocks(benchmark: Callable[..., Any], order: str, scores: str) -> None:
    found = rankings(order=order, scores=scores)
    benchmark(lambda: list(found.map(lambda *_: None)))


# Measures.


@pytest.mark.parametrize("name", MEASURES)
def test_measure(benchmark: Callable[..., Any], name: str) -> None:
    measure = of(name)

    def work() -> None:
        for ranked in blocks("untied"):
            orders.value(measure, ranked.block)

    try:
        work()
    except RankMagicError as error:
        pytest.skip(str(error))
    benchmark(work)


@pytest.mark.parametrize("scores", ["rounded", "constant"])
@pytest.mark.parametrize("name", ["nDCG@10", "nDCG", "ERR@10", "ERR", "AP", "RR", "RBP"])
def test_ties(benchmark: Callable[..., Any], name: str, scores: str) -> None:
    measure = of(name)

    def work() -> None:
        for ranked in blocks(scores):
            orders.value(measure, ranked.block)

    benchmark(work)


# The whole.


@pytest.mark.parametrize("scores", ["untied", "rounded", "constant"])
def test_compute(benchmark: Callable[..., Any], scores: str) -> None:
    found = rankings(scores=scores)
    benchmark(compute, found, [of(name) for name in ("nDCG@10", "ERR@10", "RR", "AP")])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", ["grouped", "shuffled"])
def test_evaluate(benchmark: Callable[..., Any], order: str, form: str) -> None:
    benchmark(rm.evaluate, frame(form, order))


def test_table(benchmark: Callable[..., Any]) -> None:
    evaluation = rm.evaluate(frame())
    benchmark(evaluation.summary)


def test_one_query(benchmark: Callable[..., Any]) -> None:
    few = data.tidy("1x10")
    benchmark(lambda: few.rank.ndcg(k=10))
