"""How alike two rankings are, against the slow definitions and scipy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

import rank_magic as rm
import reference
from rank_magic.errors import DataError, MeasureError

RANKINGS = st.lists(st.integers(0, 12), unique=True, max_size=10)


@given(RANKINGS, RANKINGS, st.floats(0.05, 0.98))
def test_rbo_is_that_of_the_definition(a: list[int], b: list[int], p: float) -> None:
    assert rm.rbo(a, b, p) == pytest.approx(reference.rbo_ext(a, b, p), abs=1e-9)
    assert rm.rbo(a, b, p) == pytest.approx(rm.rbo(b, a, p), abs=1e-12)


@given(RANKINGS, RANKINGS)
def test_correlations_are_those_of_the_definition(a: list[int], b: list[int]) -> None:
    common = [item for item in a if item in b]
    if len(common) < 2:
        for correlation in (rm.kendall_tau, rm.tau_ap):
            with pytest.raises(DataError, match="at least two"):
                correlation(a, b)
        return
    assert rm.kendall_tau(a, b) == pytest.approx(reference.kendall_tau(a, b), abs=1e-12)
    assert rm.tau_ap(a, b) == pytest.approx(reference.tau_ap(a, b), abs=1e-12)


def test_scores_may_tie_in_tau_b() -> None:
    a = pd.Series({"x": 3.0, "y": 3.0, "z": 1.0, "w": 0.5})
    b = pd.Series({"x": 1.0, "y": 2.0, "z": 2.0, "v": 9.0})
    both = ["x", "y", "z"]
    assert rm.kendall_tau(a, b) == pytest.approx(kendalltau(a[both], b[both]).statistic)


def test_equal_rankings_agree_fully_and_reversed_ones_not_at_all() -> None:
    items = list("abcdef")
    assert rm.rbo(items, items) == pytest.approx(1.0)
    assert rm.kendall_tau(items, items[::-1]) == pytest.approx(-1.0)
    assert rm.tau_ap(items, items[::-1]) == pytest.approx(-1.0)


def test_what_is_no_ranking_is_refused() -> None:
    with pytest.raises(DataError, match="repeat"):
        rm.rbo(["a", "a"], ["a"])
    with pytest.raises(DataError, match="tie"):
        rm.rbo(pd.Series({"a": 1, "b": 1}), ["a"])
    with pytest.raises(MeasureError, match="between 0 and 1"):
        rm.rbo(["a"], ["a"], p=1)


# What can't be compared says why: the same of every function, in either place.

OVERLAPS = (rm.rbo, rm.kendall_tau, rm.tau_ap)
NO_RANKINGS = {
    "a table": (pd.DataFrame({"doc": ["x", "y"], "score": [2, 1]}), "its column names.*set_index"),
    "a dict": ({"x": 1.0, "y": 2.0}, r"its keys.*pd\.Series\(scores\)"),
    "a set": ({"x", "y"}, "in no order"),
    "a text": ("xy", "its letters"),
    "a number": (5, "is no ranking but 5"),
    "nothing": (None, "is no ranking but None"),
    "several rankings": (np.array([[1, 2], [3, 4]]), "at rank 1, a ndarray, which names no item"),
    "lists in it": ([("x", ["y"]), "z"], "at rank 1, a tuple, which names no item"),
    "a missing item": (["x", None, "y"], "no item at rank 2: None"),
    "a NaN": (["x", math.nan, "y"], "no item at rank 2: nan"),
    "a missing label": (pd.Series([2.0, 1.0], index=["x", None]), "no item at rank 2"),
    "an item twice": (["x", "y", "x"], "each item once, but in .* 'x' repeat"),
    "a label twice": (pd.Series([2.0, 1.0, 0.0], index=["x", "y", "x"]), "each item once.* 'x' rep"),
    "items for scores": (pd.Series(["x", "y"]), r"no numbers: 'x', 'y'.*\.tolist\(\)"),
    "text for scores": (pd.Series({"x": "10", "y": "9"}), r"no numbers.*pd\.to_numeric"),
}  # fmt: skip


@pytest.mark.parametrize("overlap", OVERLAPS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("kind", NO_RANKINGS)
def test_what_is_no_ranking_is_refused_with_advice(overlap: Any, kind: str) -> None:
    ranking, says = NO_RANKINGS[kind]
    for other in (["x", "y", "z"], pd.Series({"x": 3.0, "y": 2.0, "z": 1.0})):
        for pair in ((ranking, other), (other, ranking)):
            with pytest.raises(DataError, match=says):
                overlap(*pair)


@pytest.mark.parametrize("correlation", [rm.kendall_tau, rm.tau_ap])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"x": 1.0}, {"y": 1.0}),
        ({"x": 1.0, "y": 2.0}, {"x": 1.0, "z": 2.0}),
        ({"x": 1.0, "y": math.nan}, {"x": 1.0, "y": 2.0}),
        ({}, {}),
    ],
)
def test_scores_of_too_few_shared_items_have_no_correlation(
    correlation: Any, a: dict[str, float], b: dict[str, float]
) -> None:
    given = [pd.Series(scores, dtype="float64") for scores in (a, b)]
    listed = [list(one.dropna().index) for one in given]
    for pair in (given, listed, (given[0], listed[1]), (listed[0], given[1])):
        with pytest.raises(DataError, match="at least two"):
            correlation(*pair)


def test_scores_that_are_all_equal_have_no_tau() -> None:
    level, falling = pd.Series({"x": 1.0, "y": 1.0}), pd.Series({"x": 2.0, "y": 1.0})
    with pytest.raises(DataError, match="all have the score 1 in b"):
        rm.kendall_tau(falling, level)
    with pytest.raises(DataError, match="all have the score 1 in a"):
        rm.kendall_tau(level, ["x", "y"])


def test_items_without_a_score_are_left_out_before_anything_else() -> None:
    some = pd.Series({"a": 2.0, "b": math.nan, "c": math.nan})
    assert rm.rbo(some, ["a"]) == pytest.approx(1)
    more = pd.Series({"a": 2, "b": None, "c": None, "d": 1}, dtype="Int64")
    assert rm.rbo(more, ["a", "d"]) == pytest.approx(1)
    assert rm.kendall_tau(more, ["d", "a", "b"]) == rm.tau_ap(more, ["d", "a", "b"]) == -1


def test_a_list_and_scores_are_compared_as_two_of_a_kind_are() -> None:
    scores = pd.Series({"x": 3.0, "y": 3.0, "z": 1.0, "w": 0.5})
    falling = pd.Series({"z": 4.0, "x": 3.0, "y": 2.0, "v": 1.0})
    assert rm.kendall_tau(scores, list(falling.index)) == rm.kendall_tau(scores, falling)
    for overlap in OVERLAPS[::2]:
        with pytest.raises(DataError, match=r"Scores tie in a.* 'x' and 'y' have 3"):
            overlap(scores, falling)
        assert overlap(falling, ["x", "z"]) == overlap(list(falling.index), ["x", "z"])


@pytest.mark.parametrize("overlap", OVERLAPS, ids=lambda one: one.__name__)
def test_ids_of_two_types_are_an_error_and_not_another_ranking(overlap: Any) -> None:
    with pytest.raises(DataError, match=r"(1|2|'1'|'2') is a (int|str) in one and .*one type"):
        overlap([1, 2, 3], ["1", "2"])
    assert rm.rbo([1, 2], ["a", "b"]) == 0


@pytest.mark.parametrize("p", ["a", None, math.nan, 0, 1, -0.5, 2, True, [0.9]])
def test_a_persistence_that_is_none_says_so(p: Any) -> None:
    with pytest.raises(MeasureError, match="p must be a number between 0 and 1"):
        rm.rbo(["a"], ["a"], p=p)


@pytest.mark.parametrize("p", [5e-324, 1e-300, 1 - 1e-16])
def test_a_persistence_at_the_very_end_has_a_value(p: float) -> None:
    assert rm.rbo(["a", "b"], ["a", "b"], p=p) == pytest.approx(1)
    assert 0 <= rm.rbo(["a", "b"], ["b", "a"], p=p) <= 1
