"""How alike two rankings are, against the slow definitions and scipy."""

from __future__ import annotations

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
