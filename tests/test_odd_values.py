"""Huge and odd values: right numbers or a clear error, and no quadratic time."""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import MeasureError

LOG = [1 / math.log2(1 + rank) for rank in range(1, 20)]
USUAL = ["nDCG@10", "ERR@10", "RR", "AP"]


def ranking(grades: Any, scores: Any = None, **columns: Any) -> pd.DataFrame:
    """Return one query's documents, by default the best first."""
    grades = np.asarray(grades, dtype=np.float64)
    scores = -np.arange(len(grades)) if scores is None else scores
    return pd.DataFrame({"query": "q", "grade": grades, "score": scores, **columns})


def value(frame: pd.DataFrame, measure: str, **options: Any) -> float:
    return float(rm.evaluate(frame, measure, **options).per_query.iloc[0, 0])


# Grades.


def test_exp2_gain_of_a_million_is_an_error_that_names_linear() -> None:
    frame = ranking([1_000_000, 0, 500_000])
    for measure in ("nDCG@10", "DCG", "CG"):
        with pytest.raises(MeasureError, match=r"gain 'exp2' of grade .*Use gain='linear'"):
            rm.evaluate(frame, measure)
    with pytest.raises(MeasureError, match="gain='linear'"):
        frame.rank.ndcg(k=10)


def test_linear_gain_of_a_million_is_exact() -> None:
    frame = ranking([500_000, 0, 1_000_000])
    right = (500_000 + 1_000_000 * LOG[2]) / (1_000_000 + 500_000 * LOG[1])
    assert value(frame, "nDCG(gain=linear)@10") == pytest.approx(right, rel=1e-15)
    assert value(frame, "nDCG@10", gain="linear") == pytest.approx(right, rel=1e-15)
    assert value(frame, "trec.ndcg") == pytest.approx(right, rel=1e-15)
    assert value(frame, "RR(rel=1000000)") == 1 / 3
    assert value(frame, "nDCG@10", gain={500_000: 1, 1_000_000: 3}) == pytest.approx(
        (1 + 3 * LOG[2]) / (3 + LOG[1]), rel=1e-15
    )


@pytest.mark.parametrize("top", [1023.0, 1024.0, 1025.0])
def test_where_exp2_gains_end(top: float) -> None:
    """2^1023 is the last power of two that a float holds."""
    frame = ranking([0, top])
    if top < 1024:
        assert value(frame, "nDCG") == pytest.approx(LOG[1], rel=1e-15)
    else:
        with pytest.raises(MeasureError, match="gain='linear'"):
            value(frame, "nDCG")


@pytest.mark.parametrize("top", [50.0, 1000.0, 1023.0, 1024.0, 1_000_000.0])
def test_satisfaction_by_large_grades_is_a_probability(top: float) -> None:
    """R = (2^l - 1) / 2^l_m is next to 1 for the top grade, and next to 0 for half of it."""
    half = 2.0 ** (-top / 2)
    assert value(ranking([top / 2, top, 0]), "ERR") == pytest.approx(
        half + (1 - half) / 2, rel=1e-7
    )
    with pytest.raises(MeasureError, match="Set max_grade to the highest grade"):
        value(ranking([0, top]), "ERR(max_grade=4)")


@pytest.mark.parametrize(
    ("measure", "right"),
    [
        ("nERR@10", 1.0),
        ("Q@10", 1.0),
        ("AP", 1.0),
        ("RBP(p=0.8)", 0.2 + 0.16),
        ("SDCG@3", (1 + 0.5 * LOG[1]) / sum(LOG[:3])),
    ],
)
def test_measures_without_an_exponential_gain_take_a_million(measure: str, right: float) -> None:
    """What counts there is the order of grades, or their share of the highest."""
    assert value(ranking([1_000_000, 500_000, 0]), measure) == pytest.approx(right, rel=1e-12)
    assert value(ranking([0, 500_000, 1_000_000]), measure) < right


def test_fractional_grades_are_kept() -> None:
    grades = [0.1, 2.75, 1e-9, 1.5]
    frame = ranking(grades)
    gains = [2**grade - 1 for grade in grades]
    ideal = sum(g * d for g, d in zip(sorted(gains, reverse=True), LOG, strict=False))
    assert value(frame, "DCG") == pytest.approx(
        sum(g * d for g, d in zip(gains, LOG, strict=False))
    )
    assert value(frame, "nDCG") == pytest.approx(
        sum(g * d for g, d in zip(gains, LOG, strict=False)) / ideal
    )
    assert value(frame, "CG(gain=linear)") == pytest.approx(math.fsum(grades), rel=1e-15)
    assert value(frame, "RR(rel=1.5)") == 0.5
    assert value(frame, "P(rel=0.1)@4") == 0.75


def test_as_many_distinct_grades_as_rows() -> None:
    rng = np.random.default_rng(0)
    grades = rng.random(70_000) * 3
    frame = ranking(grades, rng.normal(size=70_000))
    by_score = grades[np.argsort(-frame["score"].to_numpy())]
    discount = 1 / np.log2(2 + np.arange(70_000))
    right = (by_score * discount).sum() / (np.sort(grades)[::-1] * discount).sum()
    assert value(frame, "nDCG(gain=linear)") == pytest.approx(right, rel=1e-12)


# Scores.


def test_infinite_scores_are_ordered_as_such() -> None:
    scores = [-math.inf, 1e308, math.inf, -1e308, 5e-324]
    frame = ranking([1, 2, 3, 0, 0], scores, doc=list("abcde"))
    found = rm.evaluate(frame, ["DCG", "RR(rel=3)", "NumRet"])
    assert found.per_query.iloc[0].tolist() == pytest.approx(
        [7 + 3 * LOG[1] + LOG[4], 1.0, 5], rel=1e-15
    )
    assert found.explain().ranking["doc"].tolist() == list("cbeda")


def test_several_infinite_scores_are_equal() -> None:
    frame = ranking([0, 1, 1, 0], [math.inf, math.inf, -math.inf, -math.inf])
    assert value(frame, "RR") == 0.75
    assert value(frame, "AP") == pytest.approx(
        np.mean([(1 / first + 2 / second) / 2 for first in (1, 2) for second in (3, 4)])
    )


def test_infinite_and_missing_scores_side_by_side() -> None:
    frame = ranking([1, 1, 0, 1], [math.nan, -math.inf, math.inf, math.nan])
    assert value(frame, "NumRet") == 2
    assert value(frame, "RR") == 0.5
    assert value(frame, "R") == pytest.approx(1 / 3)


def test_neighbouring_scores_beyond_32_bits_are_told_apart() -> None:
    score = 1e16
    frame = ranking([0, 1], [score, np.nextafter(score, math.inf)])
    assert value(frame, "RR") == 1.0
    whole = ranking([0, 1], np.array([2**53, 2**53 + 1]))
    assert value(whole, "RR") == 1.0


# Ids.


@pytest.mark.parametrize("ties", ["average", "trec"])
def test_ids_of_ten_thousand_characters(ties: str) -> None:
    start = "x" * 9_999
    frame = pd.DataFrame(
        {
            "query": [start + "q"] * 3 + [start + "r"] * 2,
            "doc": [start + "a", start + "b", start + "c", start + "a", start + "b"],
            "grade": [0, 1, 0, 0, 1],
            "score": [2, 2, 1, 2, 1],
        }
    )
    right = [0.75, 0.5] if ties == "average" else [1.0, 0.5]
    evaluation = rm.evaluate(frame, "RR", ties=ties)
    assert evaluation.per_query["RR"].tolist() == right
    assert evaluation.queries.tolist() == [start + "q", start + "r"]
    repeated = pd.concat([frame, frame.iloc[:1]])
    with pytest.raises(rm.errors.DataError, match="1 row repeats"):
        rm.evaluate(repeated, "RR")
    run, qrels = frame[["query", "doc", "score"]], frame[["query", "doc", "grade"]]
    assert rm.evaluate(run, "RR", qrels=qrels, ties=ties).per_query["RR"].tolist() == right


# Sizes. Times are held against those of a smaller set, not against a clock.


def seconds(function: Any) -> float:
    start = perf_counter()
    function()
    return perf_counter() - start


def documents(number: int, *, tied: int = 0) -> pd.DataFrame:
    """Return one query of so many documents; `tied` is how many distinct scores there are."""
    rng = np.random.default_rng(0)
    scores = rng.permutation(number) if not tied else rng.integers(0, tied, number)
    return pd.DataFrame(
        {
            "query": np.zeros(number, dtype=np.int64),
            "doc": np.arange(number),
            "grade": rng.integers(0, 4, number),
            "score": scores.astype(np.float64),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("tied", [0, 1, 2, 100, 100_000])
def test_five_million_documents_of_one_query(tied: int) -> None:
    """With no ties, one group of all, and groups in between: never quadratic."""
    small, large = documents(500_000, tied=tied), documents(5_000_000, tied=tied)
    rm.evaluate(documents(1_000, tied=tied), USUAL)
    first = seconds(lambda: rm.evaluate(small, USUAL).mean())
    found: dict[str, float] = {}
    second = seconds(lambda: found.update(rm.evaluate(large, USUAL).mean()))
    assert second < 30 * first + 2, (first, second)
    grades, scores = large["grade"].to_numpy(), large["score"].to_numpy()
    if not tied:
        top = grades[np.argsort(-scores)]
        gains = (2.0**top - 1)[:10]
        assert found["nDCG@10"] == pytest.approx((gains * LOG[:10]).sum() / (7 * sum(LOG[:10])))
        relevant = top >= 1
        precision = np.cumsum(relevant) / np.arange(1, len(top) + 1)
        assert found["AP"] == pytest.approx(precision[relevant].mean(), rel=1e-12)
        assert found["RR"] == 1 / (1 + relevant.argmax())
    elif tied == 1:
        mean = (2.0**grades - 1).mean()
        assert found["nDCG@10"] == pytest.approx(mean / 7, rel=1e-12)
        share = (grades >= 1).mean()
        # With millions of documents each place is as good as an independent draw.
        assert found["RR"] == pytest.approx(-share * math.log(share) / (1 - share), rel=1e-5)
        stop = ((2.0**grades - 1) / 8).mean()
        assert found["ERR@10"] == pytest.approx(
            sum(stop * (1 - stop) ** (rank - 1) / rank for rank in range(1, 11)), rel=1e-5
        )


@pytest.mark.slow
def test_three_million_queries_of_one_document() -> None:
    def queries(number: int) -> pd.DataFrame:
        rng = np.random.default_rng(0)
        return pd.DataFrame(
            {
                "query": rng.permutation(number),
                "doc": 7,
                "grade": rng.integers(0, 4, number),
                "score": rng.normal(size=number),
            }
        )

    small, large = queries(300_000), queries(3_000_000)
    first = seconds(lambda: rm.evaluate(small, USUAL).mean())
    found: list[rm.Evaluation] = []
    second = seconds(lambda: found.append(rm.evaluate(large, USUAL)) or found[0].mean())
    assert second < 30 * first + 2, (first, second)
    grade = large.sort_values("query")["grade"].to_numpy()
    per_query = found[0].per_query
    for measure in ("nDCG@10", "RR", "AP"):
        assert (per_query[measure].to_numpy() == (grade >= 1)).all()
    assert (per_query["ERR@10"].to_numpy() == (2.0**grade - 1) / 8).all()
    assert len(repr(found[0])) < 5_000


@pytest.mark.slow
def test_a_long_query_among_millions_of_short_ones() -> None:
    """Padding follows the rows of a block, not the longest query of all."""
    short = pd.DataFrame({"query": np.arange(1, 1_000_001), "doc": 0, "grade": 1, "score": 1.0})
    both = pd.concat([documents(1_000_000), short], ignore_index=True)
    assert rm.evaluate(both, USUAL).per_query["RR"].iloc[1:].eq(1).all()


@pytest.mark.slow
def test_long_ids_by_the_hundred_thousand() -> None:
    """A gigabyte of ids that differ in their last letters only."""
    start = "x" * 9_990
    frame = documents(100_000).assign(doc=[f"{start}{number:06}" for number in range(100_000)])
    numbered = documents(100_000)
    found = rm.evaluate(frame, USUAL).mean()
    assert found.tolist() == rm.evaluate(numbered, USUAL).mean().tolist()
