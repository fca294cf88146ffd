"""The worked examples of the article that the software carries, with the recomputed values.

*Why MAP and MRR fail for search ranking, and what to use instead*. Where its own figures slip, the
right ones stand here, and a comment says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm


def listing(grades: Sequence[float], query: str = "q") -> pd.DataFrame:
    """Return a ranking whose documents have these grades, the first one best."""
    number = len(grades)
    return pd.DataFrame(
        {
            "query": query,
            "doc": [f"d{place}" for place in range(1, number + 1)],
            "grade": grades,
            "score": np.arange(number, 0, -1.0),
        }
    )


def value(grades: Sequence[float], measure: str, **options: object) -> float:
    return float(rm.evaluate(listing(grades), measure, **options).per_query.iloc[0, 0])


def part(grades: Sequence[float], measure: str, **options: object) -> pd.DataFrame:
    """Return what df.rank.explain() shows for one measure."""
    parts = listing(grades).rank.explain(measures=measure, **options).parts
    assert list(parts) == [measure]
    return parts[measure]


def test_reciprocal_rank_of_a_first_hit_in_second_place_is_one_half() -> None:
    assert value([0, 1, 0], "RR") == 0.5


def test_mrr_is_the_mean_of_reciprocal_ranks_not_of_ranks() -> None:
    both = pd.concat([listing([1, 0, 0], "a"), listing([0, 0, 1], "b")])
    assert both.rank.mrr() == pytest.approx((1 + 1 / 3) / 2)


def test_average_precision_of_three_hits_among_five() -> None:
    assert value([1, 0, 1, 0, 1], "AP") == pytest.approx((1 + 2 / 3 + 3 / 5) / 3, abs=1e-15)
    assert round(value([1, 0, 1, 0, 1], "AP"), 4) == 0.7556


def test_average_precision_is_explained_by_precision_at_each_rank() -> None:
    table = part([1, 0, 1, 0, 1], "AP")
    assert table.index.tolist() == [1, 2, 3, 4, 5]
    assert table.index.name == "rank"
    assert table["relevant"].tolist() == [1, 0, 1, 0, 1]
    np.testing.assert_allclose(table["precision"], [1, 1 / 2, 2 / 3, 2 / 4, 3 / 5])
    np.testing.assert_allclose(table["contribution"], [1 / 3, 0, 2 / 9, 0, 1 / 5])


def test_a_relevant_document_never_retrieved_adds_nothing_and_counts() -> None:
    frame = listing([1, 0, 1])
    missed = pd.DataFrame({"query": ["q"], "doc": ["away"], "grade": [1], "score": [np.nan]})
    frame = pd.concat([frame, missed])
    assert frame.rank.ap()["q"] == pytest.approx((1 + 2 / 3) / 3)


@pytest.mark.parametrize("measure", ["RR", "AP", "P@3", "Success@1"])
def test_binary_measures_do_not_see_two_relevant_grades_change_places(measure: str) -> None:
    assert value([3, 1, 0], measure) == value([1, 3, 0], measure)


@pytest.mark.parametrize("measure", ["nDCG", "DCG", "ERR"])
def test_graded_measures_see_two_relevant_grades_change_places(measure: str) -> None:
    assert value([3, 1, 0], measure) > value([1, 3, 0], measure)


# The article calls this decay linear; it is hyperbolic, 1/r.
@pytest.mark.parametrize(("rank", "shown"), [(1, 1.0), (3, 0.333), (30, 0.033)])
def test_average_precision_of_a_single_hit_decays_as_one_over_rank(rank: int, shown: float) -> None:
    grades = [int(place == rank) for place in range(1, 31)]
    assert value(grades, "AP") == pytest.approx(1 / rank, abs=1e-15)
    assert round(value(grades, "AP"), 3) == shown


# The article's expanded line leaves out the factor (1 − R_1); its result includes it.
def test_err_of_grades_2_3_0() -> None:
    assert value([2, 3, 0], "ERR", max_grade=3) == pytest.approx(3 / 8 + 7 / 8 * 5 / 8 / 2)
    assert round(value([2, 3, 0], "ERR(max_grade=3)"), 4) == 0.6484
    assert value([2, 3, 0], "ERR") == value([2, 3, 0], "ERR(max_grade=3)")


def test_err_is_explained_by_satisfaction_and_the_chance_of_still_reading() -> None:
    table = part([2, 3, 0], "ERR", max_grade=3)
    assert table["R"].tolist() == [3 / 8, 7 / 8, 0]
    np.testing.assert_allclose(table["reach"], [1, 5 / 8, 5 / 64])
    np.testing.assert_allclose(table["contribution"], [0.375, 0.2734375, 0])


def test_reciprocal_rank_calls_the_list_perfect_that_err_does_not() -> None:
    assert value([2, 3, 0], "RR") == 1.0
    assert value([2, 3, 0], "ERR") < 0.65


def test_err_satisfaction_on_a_scale_to_8() -> None:
    table = part([8, 4, 4, 4, 4], "ERR(max_grade=8)")
    assert table["R"].tolist() == [255 / 256] + [15 / 256] * 4
    assert table["R"].round(4).tolist() == [0.9961] + [0.0586] * 4


def test_err_devalues_what_follows_a_good_document() -> None:
    first, last = [8, 4, 4, 4, 4], [4, 4, 4, 4, 8]
    assert round(value(first, "ERR(max_grade=8)"), 4) == 0.9964
    assert round(value(last, "ERR(max_grade=8)"), 4) == 0.2722
    top = part(first, "ERR(max_grade=8)").loc[1, "contribution"]
    bottom = part(last, "ERR(max_grade=8)").loc[5, "contribution"]
    assert top == pytest.approx(255 / 256)
    assert bottom == pytest.approx((241 / 256) ** 4 * 255 / 256 / 5)
    assert (round(top, 4), round(bottom, 4)) == (0.9961, 0.1565)
    assert round(top / bottom, 2) == 6.37  # 1/r alone would give 5


# The article's B is printed as [2, 1, 3], but its table is that of [2, 3, 1].
@pytest.mark.parametrize(
    ("grades", "dcg", "ndcg"),
    [([3, 2, 1], 9.393, 1.0), ([2, 3, 1], 7.917, 0.8428), ([2, 1, 3], 7.131, 0.7592)],
)
def test_dcg_and_ndcg_of_three_documents(grades: list[int], dcg: float, ndcg: float) -> None:
    assert round(value(grades, "DCG"), 3) == dcg
    assert round(value(grades, "nDCG"), 4) == ndcg
    assert value(grades, "DCG@3") == value(grades, "DCG")


def test_a_perfect_order_has_ndcg_of_exactly_one() -> None:
    assert value([3, 2, 1], "nDCG") == 1.0


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@3"])
def test_ndcg_is_explained_by_gain_discount_and_ideal(measure: str) -> None:
    table = part([2, 3, 1], measure)
    log3 = math.log2(3)
    ideal = 7 + 3 / log3 + 1 / 2
    assert table["gain"].tolist() == [3, 7, 1]
    np.testing.assert_allclose(table["discount"], [1, 1 / log3, 1 / 2])
    np.testing.assert_allclose(table["ideal"], [7, 3 / log3, 1 / 2])
    np.testing.assert_allclose(table["contribution"], np.array([3, 7 / log3, 1 / 2]) / ideal)


def test_dcg_is_explained_by_the_articles_table() -> None:
    table = part([2, 3, 1], "DCG")
    assert table["contribution"].round(2).tolist() == [3.00, 4.42, 0.50]
    assert round(table["contribution"].sum(), 2) == 7.92


def test_the_ideal_ranking_knows_documents_that_were_not_retrieved() -> None:
    frame = listing([2, 1])
    frame.loc[2] = ["q", "away", 3, np.nan]
    explained = frame.rank.explain(measures="nDCG@10")
    assert explained.parts["nDCG@10"]["ideal"].round(4).tolist() == [7.0, 1.8928, 0.5]
    assert explained.values["nDCG@10"] == pytest.approx((3 + 1 / math.log2(3)) / 9.392789260714371)


@pytest.mark.parametrize(
    ("discount", "shown"),
    [
        ("reciprocal", [1, 0.50, 0.20, 0.10, 0.02]),
        ("log2", [1, 0.63, 0.39, 0.29, 0.18]),
    ],
)
def test_the_table_of_discounts(discount: str, shown: list[float]) -> None:
    table = part([1] * 50, f"DCG(discount={discount})")
    assert table.loc[[1, 2, 5, 10, 50], "discount"].round(2).tolist() == shown


def test_the_logarithmic_discount_is_convex_steep_first_then_flat() -> None:
    steps = np.diff(part([1] * 50, "DCG")["discount"])
    assert (steps < 0).all()
    assert (np.diff(steps) > 0).all()
    assert -steps[0] > -steps[9:].sum()  # rank 1 → 2 loses more than 10 → 50


def test_an_explanation_prints_the_articles_tables() -> None:
    explained = listing([2, 3, 1]).rank.explain(measures=["AP", "ERR(max_grade=3)", "nDCG"])
    text, html = repr(explained), explained._repr_html_()
    for shown in ("precision", "reach", "gain", "discount", "ideal", "contribution", "0.8428"):
        assert shown in text
        assert shown in html
    for name in ("AP", "ERR(max_grade=3)", "nDCG"):
        assert f"{name} = {explained.values[name]:.4f}" in text


# What the article claims, as things to be checked on any data.


def test_mrr_is_blind_after_the_first_relevant_result() -> None:
    assert value([1, 0, 0, 3, 3, 3], "RR") == value([1, 3, 3, 3, 0, 0], "RR") == 1.0
    assert value([1, 0, 0, 3, 3, 3], "nDCG") < value([1, 3, 3, 3, 0, 0], "nDCG")


def test_average_precision_rewards_documents_where_nobody_looks() -> None:
    table = part([1] + [0] * 29 + [1] * 30, "AP")
    deep = table.loc[11:, "contribution"].sum() / table["contribution"].sum()
    assert deep > 0.9


def test_measures_disagree_about_which_system_is_better() -> None:
    frame = listing([1, 0, 3, 3])
    frame["other"] = [1.0, 0.9, 4.0, 0.8]  # puts a 3 first, then the 1, the 0 and the other 3
    frame["score"] = [4.0, 1.0, 3.0, 2.0]  # puts the 1 first, then both 3s
    means = rm.evaluate(frame, ["AP", "ERR@10"], score=["score", "other"]).mean()
    assert means.loc["score", "AP"] > means.loc["other", "AP"]
    assert means.loc["score", "ERR@10"] < means.loc["other", "ERR@10"]
