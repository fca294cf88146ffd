"""What a value does not depend on: order below the cutoff, names, row order, other queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
from cases import CASES, DIVERSE, Drawn, diverse_queries, frame_of, queries, quick

MOST = settings().max_examples
SOME, FEW = (settings(max_examples=max(2, MOST // part)) for part in (3, 10))

MEASURES = list(dict.fromkeys(rm.parse(text) for text in CASES))
BY_TOPIC = [rm.parse(text) for text in DIVERSE]
ALL_TIES = ["average", "trec", "worst", "best"]


@pytest.fixture(autouse=True, scope="module")
def quickly() -> Iterator[None]:
    with quick(orders=20):
        yield


@dataclass(frozen=True)
class Collection:
    """Queries, judged by subtopic or not."""

    drawn: list[Drawn]
    subtopics: bool

    @property
    def frame(self) -> pd.DataFrame:
        """The rows; the anchor query has the highest grade, so that it alone sets the scale."""
        frame = frame_of(self.drawn, subtopics=self.subtopics)
        return frame.assign(grade=frame["grade"].where(frame["query"] != "zz", 3.0))

    @property
    def measures(self) -> list[rm.Measure]:
        """The measures that take them."""
        return BY_TOPIC if self.subtopics else MEASURES


def collections(**options: Any) -> st.SearchStrategy[Collection]:
    plain = st.lists(queries(orders=24, **options), min_size=1, max_size=4)
    diverse = st.lists(diverse_queries(**options), min_size=1, max_size=4)
    return st.builds(Collection, plain, st.just(False)) | st.builds(
        Collection, diverse, st.just(True)
    )


def values(frame: pd.DataFrame, measures: list[rm.Measure], **options: Any) -> pd.DataFrame:
    return rm.evaluate(frame, measures, **options).per_query


def same(left: pd.DataFrame, right: pd.DataFrame) -> None:
    """Check that two tables hold the same bits."""
    assert list(left.index) == list(right.index)
    differs = (left != right) & ~(left.isna() & right.isna())
    assert list(left.columns[differs.any()]) == []


# The order below the cutoff.


@given(collections(ties=False), st.integers(1, 6), st.randoms(use_true_random=False))
@SOME
def test_the_order_below_the_cutoff_changes_no_bit(
    collection: Collection, k: int, random: Any
) -> None:
    frame, measures = collection.frame, collection.measures
    cut = [measure.at(k) for measure in measures if measure.cutoff]
    cut = list(dict.fromkeys(cut))
    docs = frame.drop_duplicates(["query", "doc"]).sort_values("score", ascending=False)
    below = docs[docs.groupby("query").cumcount() >= k].dropna(subset="score")
    scores = docs.set_index(["query", "doc"])["score"]
    for _, group in below.groupby("query"):
        keys = list(zip(group["query"], group["doc"], strict=True))
        scores[keys] = random.sample(list(group["score"]), len(group))
    keys = pd.MultiIndex.from_frame(frame[["query", "doc"]])
    same(values(frame, cut), values(frame.assign(score=scores.loc[keys].to_numpy()), cut))


def test_which_documents_are_judged_below_the_cutoff_matters_to_shares_of_all() -> None:
    frame = pd.DataFrame({"query": "q", "grade": [1, 0, 2], "score": [3.0, 2.0, 1.0]})
    fewer = frame.assign(grade=[1, 0, np.nan])
    shares = ["nDCG@1", "R@1", "AP@1", "nERR(max_grade=2)@1", "Compat@1", "F1@1", "Q@1"]
    others = [
        "P@1",
        "RR@1",
        "DCG@1",
        "ERR(max_grade=2)@1",
        "RBP@1",
        "Judged@1",
        "SDCG(max_grade=2)@1",
    ]
    before, after = (
        rm.evaluate(rows, shares + others).per_query.loc["q"] for rows in (frame, fewer)
    )
    assert (before[shares] < after[shares]).all()
    assert (before[others] == after[others]).all()


# Names, row order, other queries.


@given(collections(), st.sampled_from(["average", "order", "worst", "best"]))
@SOME
def test_new_names_for_documents_change_no_bit(collection: Collection, ties: str) -> None:
    frame, measures = collection.frame, collection.measures
    names = {doc: f"{(7 * at) % 11}x{at}" for at, doc in enumerate(frame["doc"].unique())}
    same(
        values(frame, measures, ties=ties),
        values(frame.assign(doc=frame["doc"].map(names)), measures, ties=ties),
    )


@given(collections())
@SOME
def test_new_names_for_queries_change_no_bit(collection: Collection) -> None:
    frame, measures = collection.frame, collection.measures
    names = {query: f"{9 - at} of 9" for at, query in enumerate(sorted(frame["query"].unique()))}
    found = values(frame.assign(query=frame["query"].map(names)), measures)
    same(values(frame, measures), found.iloc[::-1].set_axis(sorted(names), axis=0))


@given(collections(), st.sampled_from(ALL_TIES), st.randoms(use_true_random=False))
@SOME
def test_the_order_of_rows_changes_no_bit(collection: Collection, ties: str, random: Any) -> None:
    frame, measures = collection.frame, collection.measures
    rows = list(range(len(frame)))
    random.shuffle(rows)
    same(values(frame, measures, ties=ties), values(frame.iloc[rows], measures, ties=ties))


@given(collections(), st.sampled_from([*ALL_TIES, "order"]))
@SOME
def test_other_queries_change_no_bit(collection: Collection, ties: str) -> None:
    """The anchor holds the highest grade, so that ERR's scale is the same."""
    frame, measures = collection.frame, collection.measures
    if ties == "average":  # drawn orders: see below
        measures = [measure for measure in measures if measure.closed_form]
    together = values(frame, measures, ties=ties)
    for query in together.index.drop("zz"):
        alone = frame[frame["query"].isin([query, "zz"])]
        same(together.loc[[query]], values(alone, measures, ties=ties).loc[[query]])


def test_the_grades_of_other_queries_do_not_change_the_orders_drawn() -> None:
    grades, scores = [0, 1, 2, 0, 1], [1.0] * 5
    frame = pd.DataFrame({"query": "q", "grade": grades, "score": scores}).astype({"grade": float})
    other = pd.DataFrame({"query": ["o"], "grade": [0.5], "score": [1.0]})
    together = values(pd.concat([frame, other]), [rm.parse("infAP"), rm.parse("Q")])
    same(together.loc[["q"]], values(frame, [rm.parse("infAP"), rm.parse("Q")]))


@pytest.mark.parametrize(
    ("measure", "fixed"),
    [
        ("ERR", "ERR(max_grade=3)"),
        ("SDCG@1", "SDCG(max_grade=3)@1"),
        ("RBP(gains=graded)", "RBP(gains=graded, max_grade=3)"),
        ("INSQ", "INSQ(max_grade=3)"),
    ],
)
def test_the_top_grade_of_other_queries_is_the_scale_unless_it_is_set(
    measure: str, fixed: str
) -> None:
    frame = pd.DataFrame({"query": ["a", "b"], "grade": [1, 3], "score": 1.0})

    def value(rows: pd.DataFrame, measure: str) -> float:
        return rm.evaluate(rows, measure).per_query.loc["a"].item()

    assert value(frame, measure) == value(frame[:1], fixed) < value(frame[:1], measure)
