"""Weights of queries: means, intervals, what else they touch, and what can't be a weight."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import rank_magic as rm
from rank_magic import statistics
from rank_magic.errors import ColumnError, DataError
from rank_magic.weighting import effective_number

MEASURES = ["nDCG@10", "RR", "AP", "P@5"]


def frame_of(weights: dict[str, Any], *, seed: int = 0) -> pd.DataFrame:
    """Return a query for each weight, with six documents of random grades."""
    rng = np.random.default_rng(seed)
    rows = [
        (query, f"d{doc}", int(rng.integers(0, 4)), float(rng.random()), float(rng.random()), w)
        for query, w in weights.items()
        for doc in range(6)
    ]
    return pd.DataFrame(rows, columns=["query", "doc", "grade", "score", "other", "traffic"])


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    """The shop with a made-up traffic: the n-th query is asked 1000 / n times."""
    shop = rm.datasets.load_electronics()
    number = shop["query_id"].str[1:].astype(int)
    return shop.assign(traffic=1000 / number)


def by_leaving_one_out(values: np.ndarray, weights: np.ndarray) -> tuple[float, float, float]:
    """Return the weighted mean and its interval, from the means without each query in turn."""
    mean = np.average(values, weights=weights)
    number = len(values)
    without = [
        np.average(np.delete(values, at), weights=np.delete(weights, at)) for at in range(number)
    ]
    error = math.sqrt((number - 1) / number * sum((one - mean) ** 2 for one in without))
    equal = weights.sum() ** 2 / (weights**2).sum()
    half = special.stdtrit(equal - 1, 0.975) * error
    return mean, mean - half, mean + half


# Means and intervals.


def test_means_and_intervals_are_the_weighted_ones(shop: pd.DataFrame) -> None:
    evaluation = rm.evaluate(shop, MEASURES, score=["bm25", "rrf"], weight="traffic")
    weights = shop.groupby("query_id")["traffic"].first()
    pd.testing.assert_series_equal(evaluation.weights, weights, check_names=False)
    for column, values in evaluation.per_query.items():
        right = by_leaving_one_out(values.to_numpy(), weights.to_numpy())
        found = evaluation.summary().loc[column]
        assert found[["mean", "low", "high"]].tolist() == pytest.approx(right, rel=1e-12)
        assert found["queries"] == 135
    assert evaluation.mean().loc["rrf", "AP"] == evaluation.summary().loc[("rrf", "AP"), "mean"]


def test_whole_weights_give_the_mean_of_queries_repeated_so_often() -> None:
    weights = {f"q{n}": n for n in range(1, 8)}
    frame = frame_of(weights)
    repeated = pd.concat(
        [
            frame[frame["query"] == query].assign(query=f"{query}-{copy}")
            for query, often in weights.items()
            for copy in range(often)
        ]
    )
    weighted = rm.evaluate(frame, [*MEASURES, "GMAP"], weight="traffic").mean()
    assert weighted.tolist() == pytest.approx(rm.evaluate(repeated, [*MEASURES, "GMAP"]).mean())


@pytest.mark.parametrize("weight", [1, 7, 0.1, 1e300, 1e-300])
def test_equal_weights_change_nothing_to_the_last_bit(weight: float) -> None:
    frame = frame_of({f"q{n}": weight for n in range(11)})
    plain, weighted = (rm.evaluate(frame, MEASURES, weight=w) for w in (None, "traffic"))
    pd.testing.assert_frame_equal(plain.summary(), weighted.summary(), check_exact=True)
    pd.testing.assert_frame_equal(plain.sensitivity, weighted.sensitivity, check_exact=True)


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.floats(0, 1e6).filter(lambda w: w == 0 or w > 1e-3)),
        min_size=1,
        max_size=12,
    ).filter(lambda pairs: any(weight for _, weight in pairs))
)
def test_the_weighted_mean_is_exact_and_lies_between_the_values(
    pairs: list[tuple[float, float]],
) -> None:
    values, weights = np.array(pairs).T
    right = sum(Fraction(x) * Fraction(w) for x, w in pairs) / sum(Fraction(w) for _, w in pairs)
    mean = statistics.mean(values, weights)
    assert mean == pytest.approx(float(right), rel=1e-13, abs=1e-15)
    assert statistics.mean(values[::-1], weights[::-1]) == mean
    assert statistics.mean(values, weights * 1024) == mean
    if len(set(weights[weights > 0])) > 1:  # else it is the mean without weights
        assert values[weights > 0].min() <= mean <= values[weights > 0].max()
        assert statistics.mean(np.full(len(values), values[0]), weights) == values[0]


def test_the_effective_number_of_queries() -> None:
    assert effective_number(np.array([3.0, 3.0, 3.0])) == 3
    assert effective_number(np.array([1.0, 0.0, 0.0])) == 1
    assert effective_number(np.array([2.0, 1.0, 1.0])) == pytest.approx(16 / 6)
    assert effective_number(np.array([1e200, 1e200])) == 2


@pytest.mark.parametrize("queries", [50, 200])
@pytest.mark.parametrize("dependent", [False, True])
def test_intervals_cover(queries: int, dependent: bool) -> None:
    """Sets of queries with skewed scores and lognormal weights, as traffic has them."""
    rng, number = np.random.default_rng(queries), 4000

    def draw(*size: int) -> tuple[np.ndarray, np.ndarray]:
        weights = rng.lognormal(0, 1, size)
        values = rng.beta(0.6, 1.2, size) + (0.2 * (weights > 1) if dependent else 0)
        return np.minimum(values, 1), weights

    values, weights = draw(4_000_000)
    truth = np.average(values, weights=weights)
    sets = [statistics.interval(x, weights=w) for x, w in zip(*draw(number, queries), strict=True)]
    covered = np.mean([low <= truth <= high for low, high in sets])
    by_chance = 2 * math.sqrt(0.95 * 0.05 / number)
    assert 0.93 - by_chance <= covered <= 0.97 + by_chance


# Kinds of aggregates.


def test_geometric_means_are_weighted_and_sums_are_not() -> None:
    frame = frame_of({"a": 1, "b": 2, "c": 5})
    weighted = rm.evaluate(frame, ["AP", "GMAP", "NumRelRet"], weight="traffic")
    values, weights = weighted.per_query["AP"].to_numpy(), np.array([1.0, 2, 5])
    summary = weighted.summary()
    logs = by_leaving_one_out(np.log(values), weights)
    assert summary.loc["GMAP", ["mean", "low", "high"]].tolist() == pytest.approx(np.exp(logs))
    assert summary.loc["GMAP", "mean"] == pytest.approx(stats.gmean(values, weights=weights))
    plain = rm.evaluate(frame, "NumRelRet").summary()
    pd.testing.assert_frame_equal(summary.loc[["NumRelRet"]], plain)


# What else follows the weights.


def test_queries_of_weight_zero_have_a_value_and_do_not_count() -> None:
    frame = frame_of({"a": 1, "b": 0, "c": 5, "d": 2})
    with_zero = rm.evaluate(frame, MEASURES, weight="traffic")
    without = rm.evaluate(frame[frame["query"] != "b"], MEASURES, weight="traffic")
    assert with_zero.per_query.loc["b"].notna().all()
    pd.testing.assert_frame_equal(with_zero.summary(), without.summary())
    assert with_zero.summary()["queries"].tolist() == [3] * 4
    assert "1 query of weight 0 left out" in " ".join(repr(with_zero).split())


def test_queries_without_a_value_take_their_weight_with_them() -> None:
    frame = frame_of({"a": 1, "b": 100, "c": 5})
    frame.loc[frame["query"] == "b", "score"] = np.nan
    skipped = rm.evaluate(frame, "AP", weight="traffic", unanswered="skip")
    values = skipped.per_query["AP"]
    assert skipped.mean()["AP"] == pytest.approx((values["a"] + 5 * values["c"]) / 6)
    counted = rm.evaluate(frame, "AP", weight="traffic")
    assert counted.mean()["AP"] == pytest.approx((values["a"] + 5 * values["c"]) / 106)
    assert counted.sensitivity.loc["AP", "answered"] == pytest.approx(skipped.mean()["AP"])


def test_sensitivity_and_the_share_judged_are_weighted(shop: pd.DataFrame) -> None:
    of = {"score": "bm25", "weight": "traffic"}
    evaluation = rm.evaluate(shop, ["RR", "Judged@10"], **of)
    table = evaluation.sensitivity.loc["RR"]
    for ties in ("worst", "best"):
        assert table[ties] == rm.evaluate(shop, "RR", ties=ties, **of).mean()["RR"]
    assert table["mean"] == evaluation.mean()["RR"]
    found = rm.evaluate(shop, "RR", no_relevant="skip", **of).mean()["RR"]
    assert table["with_relevant"] == pytest.approx(found)
    assert evaluation.coverage.loc["Judged@10"].item() == evaluation.mean()["Judged@10"]


def test_one_query_with_all_the_weight_has_a_mean_and_no_interval() -> None:
    for weights in ({"a": 1, "b": 0}, {"a": 1e30, "b": 1}):
        row = rm.evaluate(frame_of(weights), "AP", weight="traffic").summary().loc["AP"]
        alone = rm.evaluate(frame_of({"a": 1}), "AP").mean()["AP"]
        assert row["mean"] == pytest.approx(alone)
        assert row[["low", "high"]].isna().all()


def test_every_door_takes_a_weight() -> None:
    frame = frame_of({"a": 1, "b": 2, "c": 5})
    right = rm.evaluate(frame, "AP", weight="traffic").mean()["AP"]
    assert frame.rank.map(weight="traffic") == right != frame.rank.map()
    assert frame.groupby("query").rank.using(weight="traffic").map() == right
    indexed = frame.set_index(["query", "traffic"])
    assert indexed.rank.map(weight="traffic") == right


def test_systems_in_rows_share_the_weights_of_their_queries() -> None:
    frame = frame_of({"a": 1, "b": 2, "c": 5})
    wide = rm.evaluate(frame, "AP", score=["other", "score"], weight="traffic")
    long = frame.melt(
        ["query", "doc", "grade", "traffic"], ["score", "other"], var_name="system"
    ).rename(columns={"value": "score"})
    stacked = rm.evaluate(long, "AP", weight="traffic")
    pd.testing.assert_frame_equal(stacked.summary(), wide.summary())
    long.loc[(long["query"] == "b") & (long["system"] == "other"), "traffic"] = 3
    with pytest.raises(DataError, match=r"1 query has several in 'traffic': 'b' \(2 and 3\)"):
        rm.evaluate(long, "AP", weight="traffic")


def test_rows_that_lack_a_weight_take_that_of_their_query() -> None:
    """As after an outer join, where judgments know no traffic."""
    frame = frame_of({"a": 1.0, "b": 2.0, "c": 5.0})
    right = rm.evaluate(frame, MEASURES, weight="traffic").summary()
    frame.loc[[0, 7, 8, 17], "traffic"] = np.nan
    pd.testing.assert_frame_equal(rm.evaluate(frame, MEASURES, weight="traffic").summary(), right)


@pytest.mark.parametrize("kind", ["int64", "float32", "Int64", "Float64", "int64[pyarrow]"])
def test_weights_of_any_type_of_number(kind: str) -> None:
    pytest.importorskip("pyarrow")
    frame = frame_of({"a": 1, "b": 2, "c": 5})
    right = rm.evaluate(frame, MEASURES, weight="traffic").summary()
    typed = frame.astype({"traffic": kind})
    pd.testing.assert_frame_equal(rm.evaluate(typed, MEASURES, weight="traffic").summary(), right)


def test_weights_beyond_two_to_the_53_keep_their_size() -> None:
    frame = frame_of({"a": 2**60, "b": 2**61, "c": 2**61})
    small = frame_of({"a": 1, "b": 2, "c": 2})
    assert (
        rm.evaluate(frame, "AP", weight="traffic").mean().tolist()
        == rm.evaluate(small, "AP", weight="traffic").mean().tolist()
    )


def test_the_order_of_rows_does_not_matter(shop: pd.DataFrame) -> None:
    of = {"score": "bm25", "weight": "traffic"}
    shuffled = shop.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(
        rm.evaluate(shuffled, MEASURES, **of).summary(),
        rm.evaluate(shop, MEASURES, **of).summary(),
        check_exact=True,
    )


# What is said.


def test_tables_say_that_means_are_weighted_and_by_what(shop: pd.DataFrame) -> None:
    evaluation = rm.evaluate(shop, "RR", score="bm25", weight="traffic")
    weights = 1 / np.arange(1, 136)
    worth = weights.sum() ** 2 / (weights**2).sum()
    said = f"weighted by traffic, worth {worth:.1f} equal queries"
    heavy = "q001 alone has 18 % of the weight"
    for text in (repr(evaluation), re.sub("<[^>]*>", "", evaluation.to_html())):
        words = " ".join(text.split())
        assert "Weighted means over 135 queries" in words
        assert said in words
        assert heavy not in words
    assert said in evaluation.to_markdown()
    assert said in evaluation.to_latex()
    heavier = rm.evaluate(
        shop.assign(traffic=shop["traffic"] ** 2), "RR", score="bm25", weight="traffic"
    )
    assert "q001 alone has 61 % of the weight" in " ".join(repr(heavier).split())
    assert "weight" not in repr(rm.evaluate(shop, "RR", score="bm25")).lower()


# What can't be a weight.


def test_weights_are_found_by_keyword_only() -> None:
    frame = frame_of({"a": 1, "b": 9}).rename(columns={"traffic": "weight"})
    frame["weight"] = range(12)  # what products weigh
    assert rm.evaluate(frame, "AP").weights is None
    with pytest.raises(
        ColumnError, match=r"no column 'wieght' for the weight.*Did you mean weight"
    ):
        rm.evaluate(frame, "AP", weight="wieght")
    with pytest.raises(ColumnError, match="The weight is one column"):
        rm.evaluate(frame, "AP", weight=["weight", "score"])


def test_a_query_has_one_weight() -> None:
    frame = frame_of(dict.fromkeys("abcde", 1.0))
    frame["traffic"] = [*range(24), *[7] * 6]
    with pytest.raises(DataError) as error:
        rm.evaluate(frame, "AP", weight="traffic")
    assert str(error.value) == (
        "A query has one weight, but 4 queries have several in 'traffic': 'a' (0 and 1), "
        "'b' (6 and 7), 'c' (12 and 13) and 1 more. Make it the same in all rows of a query, or "
        "let both columns name the query: query=[..., 'traffic']."
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (
            [1, -1, 2],
            r"1 query \('b'\) has a weight in 'traffic' that can't be one: -1.0\. Weights",
        ),
        ([1, math.inf, -math.inf], r"2 queries \('b', 'c'\) have a weight .*: inf, -inf\. "),
        ([1, None, 2], r"1 query \('b'\) has no weight in 'traffic'.*0 for those.*fillna\(0\)"),
        ([None, None, None], r"3 queries \('a', 'b', 'c'\) have no weight"),
        ([0, 0, 0], r"Every query has the weight 0 in 'traffic', so nothing counts"),
        (["1", "2", "3"], r"The weight column 'traffic' must hold numbers"),
        ([[1], [2], [3]], r"The weight column 'traffic' holds things that can't be compared"),
    ],
)
def test_what_can_not_be_a_weight(weights: list[Any], message: str) -> None:
    frame = frame_of(dict(zip("abc", weights, strict=True)))
    with pytest.raises(DataError, match=message):
        rm.evaluate(frame, "AP", weight="traffic")
