"""The electronics shop that ships, against numbers that other software computed.

The tables come from pytrec_eval (trec_eval 9.0.8 in C), ERR and Judged from slow definitions on the
same order, the tie averages from 300 random orders a query.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rank_magic as rm

SYSTEMS = ["bm25", "minilm", "rrf", "tfidf_title"]
MEASURES = ["nDCG(gain=linear)@10", "AP", "RR", "ERR(max_grade=3)@10", "Judged@10"]

TREC = {
    "bm25": [0.6338, 0.5853, 0.7167, 0.5947],
    "minilm": [0.5091, 0.4278, 0.6353, 0.5407],
    "rrf": [0.6508, 0.5838, 0.7467, 0.6286],
    "tfidf_title": [0.4957, 0.4064, 0.6197, 0.5197],
}
JUDGED = {"bm25": 0.740, "minilm": 0.390, "rrf": 0.565, "tfidf_title": 0.599}
AVERAGE = {
    "bm25": [0.634, 0.586, 0.722, 0.597],
    "minilm": [0.509, 0.428, 0.635, 0.541],
    "rrf": [0.649, 0.582, 0.743, 0.626],
    "tfidf_title": [0.496, 0.407, 0.621, 0.520],
}
TIED = {"bm25": 124, "minilm": 87, "rrf": 117, "tfidf_title": 105}
UNANSWERED = {"bm25": 4, "minilm": 0, "rrf": 0, "tfidf_title": 8}


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    return rm.datasets.load_electronics()


@pytest.fixture(scope="module")
def trec(shop: pd.DataFrame) -> rm.Evaluation:
    return rm.evaluate(shop, MEASURES, score=SYSTEMS, ties="trec")


@pytest.fixture(scope="module")
def average(shop: pd.DataFrame) -> rm.Evaluation:
    return rm.evaluate(shop, MEASURES, score=SYSTEMS)


def fact(evaluation: rm.Evaluation, name: str) -> dict[str, float]:
    return evaluation.coverage.loc[name].to_dict()


@pytest.mark.parametrize("system", SYSTEMS)
def test_trec_order_gives_trec_evals_means_to_four_decimals(
    trec: rm.Evaluation, system: str
) -> None:
    means = trec.mean().loc[system]
    assert means[MEASURES[:4]].round(4).tolist() == TREC[system]
    assert round(means["Judged@10"], 3) == JUDGED[system]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_tie_average_is_what_simulation_finds(average: rm.Evaluation, system: str) -> None:
    assert average.mean().loc[system, MEASURES[:4]].tolist() == pytest.approx(
        AVERAGE[system], abs=0.001
    )


def test_the_tie_average_is_the_mean_over_shuffled_ties(
    shop: pd.DataFrame, average: rm.Evaluation
) -> None:
    bm25 = shop[shop["query_id"].isin([f"q{n:03}" for n in range(1, 41)])]
    exact = average.per_query["bm25"].loc[bm25["query_id"].unique()].mean()
    rng = np.random.default_rng(0)
    sampled = pd.concat(
        [
            rm.evaluate(
                bm25.iloc[rng.permutation(len(bm25))], MEASURES, score="bm25", ties="order"
            ).mean()
            for _ in range(60)
        ],
        axis=1,
    )
    error = sampled.std(axis=1) / np.sqrt(sampled.shape[1])
    assert ((sampled.mean(axis=1) - exact).abs() <= 4.5 * error + 1e-12).all()


def test_ties_matter_in_most_queries_and_the_result_says_so(average: rm.Evaluation) -> None:
    assert fact(average, "queries with tied scores") == TIED
    assert min(TIED.values()) > 135 / 2
    for text in (repr(average), average.to_html()):
        assert "scores tie in bm25 124, minilm 87, rrf 117, tfidf_title 105 queries" in (
            " ".join(text.split())
        )


def test_queries_answered_and_with_something_to_find(average: rm.Evaluation) -> None:
    assert set(fact(average, "queries").values()) == {135}
    assert set(fact(average, "queries judged").values()) == {135}
    assert set(fact(average, "queries without any judgment").values()) == {0}
    assert fact(average, "queries unanswered") == UNANSWERED
    assert fact(average, "queries answered") == {s: 135 - n for s, n in UNANSWERED.items()}
    assert set(fact(average, "queries without a relevant document").values()) == {19}
    assert set(fact(average, "documents judged").values()) == {3668}
    assert fact(average, "documents retrieved") == {
        "bm25": 10_016,
        "minilm": 13_500,
        "rrf": 13_500,
        "tfidf_title": 8_955,
    }


def test_judged_at_10_is_over_the_queries_that_show_anything(trec: rm.Evaluation) -> None:
    assert {s: round(v, 3) for s, v in fact(trec, "Judged@10").items()} == JUDGED
    per_query = trec.per_query.xs("Judged@10", axis=1, level="measure")
    assert per_query.isna().sum().to_dict() == UNANSWERED
    assert round(per_query["bm25"].fillna(0).mean(), 3) == 0.718  # as ir_measures counts


def test_unanswered_queries_score_zero_and_count(trec: rm.Evaluation) -> None:
    per_query = trec.per_query["bm25"]
    silent = per_query["Judged@10"].isna()
    assert (per_query.loc[silent, MEASURES[:4]] == 0).all(axis=None)
    assert (trec.summary().loc["bm25"].loc[MEASURES, "queries"] == [135, 135, 135, 135, 131]).all()


def test_a_mean_depends_on_its_denominator(shop: pd.DataFrame, trec: rm.Evaluation) -> None:
    row = trec.sensitivity.loc[("bm25", MEASURES[0])]
    assert row["mean"] == trec.mean().loc["bm25", MEASURES[0]]
    assert row[["mean", "answered", "with_relevant"]].round(3).tolist() == [0.634, 0.653, 0.738]
    answered = rm.evaluate(shop, MEASURES[0], score="bm25", ties="trec", unanswered="skip")
    relevant = rm.evaluate(shop, MEASURES[0], score="bm25", ties="trec", no_relevant="skip")
    assert answered.summary().loc[MEASURES[0], "queries"] == 131
    assert relevant.summary().loc[MEASURES[0], "queries"] == 116
    assert answered.mean()[MEASURES[0]] == pytest.approx(row["answered"], abs=1e-15)
    assert relevant.mean()[MEASURES[0]] == pytest.approx(row["with_relevant"], abs=1e-15)


@pytest.mark.parametrize("ties", ["trec", "average"])
def test_worst_and_best_tie_orders_contain_the_mean(
    request: pytest.FixtureRequest, shop: pd.DataFrame, ties: str
) -> None:
    evaluation: rm.Evaluation = request.getfixturevalue(ties)
    table = evaluation.sensitivity
    assert (table["worst"] <= table["mean"] + 1e-12).all()
    assert (table["mean"] <= table["best"] + 1e-12).all()
    for end in ("worst", "best"):
        means = rm.evaluate(shop, MEASURES, score=SYSTEMS, ties=end).mean()
        for system in SYSTEMS:
            assert means.loc[system].tolist() == pytest.approx(table.loc[system][end].tolist())


def test_ties_matter_counts_the_queries_that_they_move(
    shop: pd.DataFrame, average: rm.Evaluation
) -> None:
    worst, best = (
        rm.evaluate(shop, MEASURES, score=SYSTEMS, ties=end).per_query for end in ("worst", "best")
    )
    moved = ((best - worst).abs() > 1e-12).sum()
    assert average.sensitivity["ties_matter"].tolist() == moved.tolist()
    assert (moved <= [TIED[system] for system, _ in moved.index]).all()
    assert moved[("bm25", "AP")] > 50


def test_bounds_contain_the_mean_whatever_the_unjudged_shown_are(
    shop: pd.DataFrame, trec: rm.Evaluation
) -> None:
    bounded = [MEASURES[0], "RR", "ERR(max_grade=3)@10"]
    rng = np.random.default_rng(0)
    for system in SYSTEMS:
        low, high = (
            trec.sensitivity.loc[system].loc[bounded, end]
            for end in ("unjudged_worthless", "unjudged_best")
        )
        order = shop.sort_values([system, "doc_id"], ascending=False)
        rank = order.groupby("query_id").cumcount().reindex(shop.index) + 1
        # RR looks at every rank; to fill in all of them is left to it.
        for measure, gaps in (
            ("RR", shop["grade"].isna() & shop[system].notna()),
            *((m, shop["grade"].isna() & shop[system].notna() & (rank <= 10)) for m in bounded),
        ):
            for guess in (0, 3, rng.integers(0, 4, len(shop)).astype(float)):
                filled = shop.assign(grade=shop["grade"].mask(gaps, guess))
                mean = rm.evaluate(filled, measure, score=system, ties="trec").mean()[measure]
                assert low[measure] - 1e-12 <= mean <= high[measure] + 1e-12


def test_no_bounds_are_claimed_for_average_precision(average: rm.Evaluation) -> None:
    bounds = average.sensitivity.xs("AP", level="measure")[["unjudged_worthless", "unjudged_best"]]
    assert bounds.isna().all(axis=None)


def test_without_unjudged_documents_the_other_system_wins(shop: pd.DataFrame) -> None:
    means = rm.evaluate(
        shop, MEASURES[0], score=["minilm", "bm25"], ties="trec", unjudged="remove"
    ).mean()[MEASURES[0]]
    assert means.round(4).to_dict() == {"minilm": 0.7532, "bm25": 0.7014}


def test_differences_between_systems(trec: rm.Evaluation) -> None:
    ndcg = trec.per_query.xs(MEASURES[0], axis=1, level="measure")
    assert round((ndcg["bm25"] - ndcg["minilm"]).mean(), 3) == 0.125
    assert stats.ttest_rel(ndcg["bm25"], ndcg["minilm"]).pvalue == pytest.approx(3e-6, rel=0.2)
    assert round((ndcg["rrf"] - ndcg["bm25"]).mean(), 4) == 0.0169
    assert round(stats.ttest_rel(ndcg["rrf"], ndcg["bm25"]).pvalue, 2) == 0.23


def test_several_systems_are_evaluated_as_each_alone(
    shop: pd.DataFrame, average: rm.Evaluation
) -> None:
    for system in SYSTEMS:
        alone = rm.evaluate(shop, MEASURES, score=system).per_query
        pd.testing.assert_frame_equal(average.per_query[system], alone, check_exact=True)


def test_queries_are_found_by_their_ids_though_the_frame_has_their_words(
    average: rm.Evaluation,
) -> None:
    assert average.rankings.roles.query == ("query_id",)
    assert average.queries.tolist() == [f"q{n:03}" for n in range(1, 136)]
    assert average.queries.name == "query_id"


def test_a_query_is_explained_with_titles(average: rm.Evaluation) -> None:
    explained = average.explain("q002", system="bm25")
    assert {"doc", "grade", "score", "tie", "title", "query"} <= set(explained.ranking.columns)
    for measure in MEASURES[:4]:
        total = explained.parts[measure]["contribution"].sum()
        assert total == pytest.approx(explained.values[measure])
        assert explained.values[measure] == average.per_query.loc["q002", ("bm25", measure)]
