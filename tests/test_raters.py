"""Judgments of several people: combined, compared with each other, and left out one by one."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rank_magic as rm
from rank_magic.errors import ColumnError, ConventionError, DataError

SYSTEMS = ["bm25", "minilm", "rrf", "tfidf_title"]


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    return rm.datasets.load_electronics()


@pytest.fixture(scope="module")
def ratings() -> pd.DataFrame:
    return rm.datasets.load_electronics_ratings()


def rated(*documents: list[float | None]) -> pd.DataFrame:
    """Return ratings: a list of grades for each document, one by each rater."""
    rows = [
        ("q", f"d{number}", f"r{rater}", grade)
        for number, grades in enumerate(documents)
        for rater, grade in enumerate(grades)
    ]
    frame = pd.DataFrame(rows, columns=["query", "doc", "rater", "grade"])
    return frame.astype({"grade": float})


def one(grades: list[float | None], how: str, **options: Any) -> float:
    found = rm.combine_raters(rated(grades, [1.0]), how, **options)
    return float(found.set_index("doc")["grade"].get("d0", math.nan))


# Combining.


@pytest.mark.parametrize(
    ("grades", "mean", "middle", "majority"),
    [
        ([2.0], 2, 2, 2),
        ([0, 3, 3], 2, 3, 3),
        ([0, 1, 1, 3], 1.25, 1, 1),
        ([None, 3, 3, None, 0], 2, 3, 3),
        ([0.5, 0.5, 2], 1, 0.5, 0.5),
        ([-1, -1, 2], 0, -1, -1),
    ],
)
def test_mean_median_and_majority(
    grades: list[float | None], mean: float, middle: float, majority: float
) -> None:
    assert one(grades, "mean") == mean
    assert one(grades, "median") == middle
    assert one(grades, "majority") == majority


def test_the_median_of_an_even_number_is_half_way() -> None:
    assert one([0, 3], "median") == 1.5
    assert one([0, 1, 2, 3], "median") == 1.5


@pytest.mark.parametrize(
    ("ties", "right"), [("lower", 0), ("higher", 3), ("median", 1), ("unjudged", math.nan)]
)
def test_tied_votes_go_by_the_rule(ties: str, right: float) -> None:
    assert one([0, 0, 1, 3, 3], "majority", ties=ties) == pytest.approx(right, nan_ok=True)
    assert one([1, 1, 3], "majority", ties=ties) == 1


def test_tied_votes_are_an_error_that_shows_one() -> None:
    with pytest.raises(DataError, match="1 document has no majority, such as document 'd0' of query 'q' with 0, 1, 3"):  # fmt: skip
        rm.combine_raters(rated([3, 0, 1], [1.0, 1, 2]), "majority")


@given(
    st.lists(st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=1, max_size=6), min_size=1)
    .filter(lambda documents: any(grade is not None for grades in documents for grade in grades)),
    st.sampled_from(["lower", "higher"]),
)  # fmt: skip
def test_combining_is_what_counting_by_hand_gives(
    documents: list[list[float | None]], ties: str
) -> None:
    frame = rated(*documents).sample(frac=1, random_state=0)
    for how in ("mean", "median", "majority"):
        found = rm.combine_raters(frame, how, ties=ties).set_index("doc")["grade"].to_dict()
        right = {}
        for number, grades in enumerate(documents):
            there = [grade for grade in grades if grade is not None]
            if not there:
                continue
            votes = Counter(there)
            most = [grade for grade, count in votes.items() if count == max(votes.values())]
            choose = min if ties == "lower" else max
            right[f"d{number}"] = {
                "mean": sum(there) / len(there), "median": median(there), "majority": choose(most),
            }[how]  # fmt: skip
        assert found == pytest.approx(right)


def test_the_frame_keeps_its_names_and_types_and_is_not_changed() -> None:
    frame = pd.DataFrame(
        {
            "qid": np.array([7, 7, 3], dtype=np.int32),
            "docno": pd.Categorical(["b", "b", "a"]),
            "judge": [1, 2, 1],
            "label": [0, 2, 1],
        }
    )
    before = frame.copy(deep=True)
    found = rm.combine_raters(frame, "mean")
    pd.testing.assert_frame_equal(frame, before)
    assert list(found) == ["qid", "docno", "label"]
    assert found["qid"].tolist() == [3, 7]
    assert found["qid"].dtype == np.int32
    assert found["label"].tolist() == [1.0, 1.0]
    named = frame.set_axis(["a", "b", "c", "d"], axis=1)
    other = rm.combine_raters(named, "mean", query="a", doc="b", rater="c", grade="d")
    assert other["d"].tolist() == [1.0, 1.0]


def test_combined_judgments_attach_to_a_run(shop: pd.DataFrame, ratings: pd.DataFrame) -> None:
    qrels = rm.combine_raters(ratings)
    run = shop.drop(columns="grade")
    evaluation = rm.evaluate(rm.attach(run, qrels), "nDCG@10", score="bm25")
    assert evaluation.coverage.loc["documents judged"].tolist() == [3188]


def test_the_shops_raters(ratings: pd.DataFrame) -> None:
    """What load_electronics_ratings says of them, counted another way."""
    spread = ratings.groupby(["query_id", "doc_id"])["grade"].agg(["median", "mean", "nunique"])
    medians = rm.combine_raters(ratings).set_index(["query_id", "doc_id"])["grade"]
    means = rm.combine_raters(ratings, "mean").set_index(["query_id", "doc_id"])["grade"]
    assert (medians == spread["median"]).all()
    assert np.allclose(means, spread["mean"], rtol=1e-15)
    with pytest.raises(DataError, match="124 documents have no majority"):
        rm.combine_raters(ratings, "majority")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda f: f.drop(columns="rater"), ColumnError, "No column for the rater. Columns are"),
        (lambda f: f.assign(annotator=1), ColumnError, r"More than one column \('rater', 'annotator'\)"),
        (lambda f: f.assign(grade=np.nan), DataError, "holds no grade at all"),
        (lambda f: f.assign(grade=np.inf), DataError, "infinite grade"),
        (lambda f: f.assign(grade="good"), DataError, "must hold numbers"),
        (lambda f: f.assign(rater=[None, "a", "b"]), DataError, "1 row has no rater id"),
        (lambda f: f.assign(doc=[None, "a", "b"]), DataError, "1 row has no doc id"),
        (lambda f: f.assign(rater="me", doc="d"), DataError, "2 rows repeat a rating: 'me' judged document 'd' of query 'q' more"),
        (list, DataError, "not list"),
    ],
)  # fmt: skip
def test_ratings_that_can_not_be_read_are_refused(change: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        rm.combine_raters(change(rated([0, 1, 2])))


def test_unknown_choices_are_refused() -> None:
    frame = rated([0, 1])
    with pytest.raises(ConventionError, match=r"how='modus' is not a choice.*'majority'"):
        rm.combine_raters(frame, "modus")
    with pytest.raises(ConventionError, match=r"ties='low'.*'lower'"):
        rm.combine_raters(frame, ties="low")
    with pytest.raises(ConventionError, match="level='ratio'"):
        rm.rater_agreement(frame, level="ratio")


# Agreement.


def matrix(seed: int, raters: int = 4, documents: int = 60, missing: float = 0.3) -> np.ndarray:
    """Return grades that agree more than chance would make them, some of them missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, documents)
    noise = rng.integers(-1, 2, (raters, documents))
    grades = np.clip(truth + noise, 0, 3).astype(float)
    grades[rng.random(grades.shape) < missing] = np.nan
    return grades


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(4))
def test_kappas_are_scikit_learns(seed: int) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    grades = matrix(seed)
    table = rm.rater_agreement(rated(*grades.T.tolist()))
    for first, second in combinations(range(4), 2):
        both = ~np.isnan(grades[first]) & ~np.isnan(grades[second])
        x, y = grades[first][both].astype(int), grades[second][both].astype(int)
        row = table.loc[(f"r{first}", f"r{second}")]
        assert row["documents"] == both.sum()
        assert row["agreement"] == pytest.approx((x == y).mean())
        assert row["kappa"] == pytest.approx(metrics.cohen_kappa_score(x, y))
        # By the differences of grades, so with all grades in between.
        weighted = metrics.cohen_kappa_score(x, y, weights="quadratic", labels=range(4))
        assert row["weighted_kappa"] == pytest.approx(weighted)
    last = table.loc[("all", "")]
    assert last[["kappa", "weighted_kappa"]].tolist() == pytest.approx(
        table[["kappa", "weighted_kappa"]].iloc[:-1].mean().tolist()
    )


@pytest.mark.oracle
@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(4))
def test_alpha_is_the_librarys(seed: int, level: str) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    grades = matrix(seed)
    grades[:, :3] = np.nan
    grades[seed % 4, :2] = 2.0  # judged by one, or by nobody
    table = rm.rater_agreement(rated(*grades.T.tolist()), level=level)
    right = krippendorff.alpha(reliability_data=grades, level_of_measurement=level)
    assert table.loc[("all", ""), "alpha"] == pytest.approx(right, rel=1e-12)
    for first, second in combinations(range(4), 2):
        two = krippendorff.alpha(
            reliability_data=grades[[first, second]], level_of_measurement=level
        )
        found = table.loc[(f"r{first}", f"r{second}"), "alpha"]
        assert found == pytest.approx(two, rel=1e-12)


@pytest.mark.parametrize(
    ("level", "right"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_krippendorffs_own_example(level: str, right: float) -> None:
    """Computing Krippendorff's alpha-reliability, 2011, section C: four observers, twelve units."""
    nan = math.nan
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
    frame = rated(*(list(unit) for unit in zip(*observers, strict=True)))
    alpha = rm.rater_agreement(frame, level=level).loc[("all", ""), "alpha"]
    assert alpha == pytest.approx(right, abs=0.0005)


def test_perfect_agreement_is_one_and_agreement_by_necessity_nothing() -> None:
    perfect = rm.rater_agreement(rated([0, 0], [1, 1], [3, 3]))
    assert (perfect[["agreement", "kappa", "weighted_kappa", "alpha"]] == 1).all(axis=None)
    for grade in (2.0, 0.1):
        same = rm.rater_agreement(rated([grade] * 3, [grade] * 3), level="interval")
        assert (same["agreement"] == 1).all()
        assert same[["kappa", "weighted_kappa", "alpha"]].isna().all(axis=None)


def test_the_shops_raters_agree_on_2278_of_3188(ratings: pd.DataFrame) -> None:
    table = rm.rater_agreement(ratings)
    assert table["documents"].tolist() == [3188] * 4
    wide = ratings.pivot(index=["query_id", "doc_id"], columns="rater", values="grade")
    assert (wide.nunique(axis=1) == 1).sum() == 2278
    assert (
        table.loc[("agent_1", "agent_2"), "agreement"]
        == (wide["agent_1"] == wide["agent_2"]).mean()
    )
    assert table.loc[("all", ""), "agreement"] == pytest.approx(table["agreement"].iloc[:3].mean())


def test_raters_who_judged_nothing_in_common_are_not_compared() -> None:
    frame = rated([0, 1, None], [None, 2, 2])
    table = rm.rater_agreement(frame)
    assert table.index.tolist() == [("r0", "r1"), ("r1", "r2"), ("all", "")]
    with pytest.raises(DataError, match="No document was judged by two raters"):
        rm.rater_agreement(rated([0, None], [None, 1]))


# Leaving one out.


def test_leaving_out_a_rater_is_evaluating_the_others(
    shop: pd.DataFrame, ratings: pd.DataFrame
) -> None:
    measures = ["nDCG@10", "RR(rel=2)"]
    for how in ("mean", "median"):
        table = rm.leave_one_rater_out(shop, ratings, measures, how=how, score=SYSTEMS)
        run = shop.drop(columns="grade")
        raters = ["agent_1", "agent_2", "agent_3"]
        for left_out in [None, *raters]:
            some = ratings[ratings["rater"] != left_out]
            frame = rm.attach(run, rm.combine_raters(some, how))
            right = rm.evaluate(frame, measures, score=SYSTEMS).mean()
            name = "all raters" if left_out is None else f"without {left_out}"
            for measure in measures:
                assert table.loc[measure, name].to_dict() == right[measure].to_dict()
        others = table[[f"without {rater}" for rater in raters]]
        moves = others.sub(table["all raters"], axis=0)
        assert table["largest move"].abs().tolist() == moves.abs().max(axis=1).tolist()


def test_one_system_and_a_dict_will_do() -> None:
    run = {"q": {"d0": 3.0, "d1": 2.0, "new": 1.0}}
    table = rm.leave_one_rater_out(run, rated([0, 0], [1, 3]), "RR(rel=2)", how="mean")
    assert table.index.tolist() == [("RR(rel=2)", "score")]
    assert table.loc[("RR(rel=2)", "score")].tolist() == [0.5, 0.5, 0.0, -0.5]


def test_a_document_that_only_the_one_left_out_judged_is_unjudged() -> None:
    run = {"q": {"d0": 3.0, "d1": 2.0}}
    ratings = rated([None, 3], [2, 1])
    table = rm.leave_one_rater_out(run, ratings, "RR")
    assert table.iloc[0].tolist() == [1.0, 1.0, 0.5, -0.5]


def test_votes_that_are_tied_without_a_rater_go_by_the_median() -> None:
    run = {"q": {"d0": 3.0, "d1": 2.0}}
    table = rm.leave_one_rater_out(
        run, rated([0, 2, 2], [1, 1, 1]), "CG(gain=linear)@1", how="majority"
    )
    assert table.iloc[0].tolist() == [2.0, 2.0, 1.0, 1.0, -1.0]


def test_a_single_rater_can_not_be_left_out() -> None:
    with pytest.raises(DataError, match="There is one rater only, 'r0'"):
        rm.leave_one_rater_out({"q": {"d0": 1}}, rated([1.0]))


@pytest.mark.slow
def test_millions_of_ratings_take_seconds() -> None:
    rng = np.random.default_rng(0)
    documents = 1_000_000
    frame = pd.DataFrame(
        {
            "query": np.repeat(np.arange(documents) // 100, 3),
            "doc": np.repeat(np.arange(documents), 3),
            "rater": (rng.integers(0, 50, documents)[:, None] + [0, 1, 2]).ravel(),
            "grade": rng.integers(0, 4, 3 * documents),
        }
    )
    found = rm.combine_raters(frame, "majority", ties="median")
    assert len(found) == documents
    assert len(rm.rater_agreement(frame)) > 50
