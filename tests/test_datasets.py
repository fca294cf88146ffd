"""The data that ships is what its sources say, to the last digit.

The sources themselves are not here. The digests were taken from them with standard tools, e.g.
``awk '{print $1, $3, $5}' bm25.run | LC_ALL=C sort | sha256sum``; ``scripts/make_electronics.py
--check`` compares the shipped tables with the sources where there are any.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from rank_magic.datasets import load_electronics, load_electronics_ratings

TEXT = ["query_id", "query", "doc_id", "title"]
SYSTEMS = ["bm25", "minilm", "rrf", "tfidf_title"]
# The whole of a wheel's data; far below the 1.5 MB that a package may cost its users.
SIZE_LIMIT = 500_000

# Per run: rows, sum of the scores in millionths, digest of its sorted "query doc score" lines.
RUNS = {
    "bm25": (
        10_016,
        32_420_850_217,
        "560c4644aa41e5ef42e38f2387e17f447c27ba81cf7d013edf64d3f2cf81e1d3",
    ),
    "minilm": (
        13_500,
        6_087_066_727,
        "dd4c7a0614832a7a9289b8ff11b005018d03c1abbdc74303d557a502ff8c74fe",
    ),
    "rrf": (
        13_500,
        190_418_839,
        "f65eb3af703900323b8082da31017a6ccd8a269bedfae38b4f8cab2df49c71b4",
    ),
    "tfidf_title": (
        8_955,
        2_710_981_054,
        "a44d13b55d6a5be1b8240b6cd178d2775b7d4a6c1a695ab7d626d72c803e7e0b",
    ),
}
QRELS = "ffd1abb4d21a01f1331c1478b00e03a0b302200938a7e6735e8e2813c1cd3546"


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    return load_electronics()


@pytest.fixture(scope="module")
def ratings() -> pd.DataFrame:
    return load_electronics_ratings()


def digest(lines: pd.Series) -> str:
    """What ``LC_ALL=C sort | sha256sum`` says of these lines."""
    return hashlib.sha256("".join(f"{line}\n" for line in sorted(lines)).encode()).hexdigest()


def trec_order(shop: pd.DataFrame, system: str) -> pd.DataFrame:
    """Each query's results in trec_eval's order, with the rank of each."""
    shown = shop[shop[system].notna()].sort_values(
        ["query_id", system, "doc_id"], ascending=[True, False, False]
    )
    return shown.assign(place=shown.groupby("query_id").cumcount() + 1)


def test_shape_columns_and_types(shop: pd.DataFrame) -> None:
    assert list(shop.columns) == [*TEXT, "grade", *SYSTEMS]
    assert len(shop) == 22_690
    assert shop.index.equals(pd.RangeIndex(22_690))
    assert (shop.dtypes[["grade", *SYSTEMS]] == np.float64).all()


def test_ids_and_words_are_text_and_none_is_missing(shop: pd.DataFrame) -> None:
    for column in TEXT:
        assert shop[column].map(type).eq(str).all()
        assert (shop[column] != "").all()
    assert shop["query_id"].drop_duplicates().tolist() == [f"q{n:03}" for n in range(1, 136)]
    assert shop["query"].nunique() == 135
    assert shop["doc_id"].nunique() == 8_285
    assert shop["doc_id"].str.fullmatch("[1-9][0-9]*").all()


def test_a_query_id_has_one_query_and_a_product_has_one_title(shop: pd.DataFrame) -> None:
    assert (shop.groupby("query_id")["query"].nunique() == 1).all()
    titles = shop.groupby("doc_id")["title"].agg(["nunique", "first"])
    assert (titles["nunique"] == 1).all()
    assert titles["first"].duplicated().sum() == 349


def test_no_product_comes_twice_in_a_query(shop: pd.DataFrame) -> None:
    assert not shop.duplicated(["query_id", "doc_id"]).any()


def test_rows_are_ordered_by_ids_alone(shop: pd.DataFrame) -> None:
    pairs = list(zip(shop["query_id"], shop["doc_id"], strict=True))
    assert pairs == sorted(pairs)


def test_every_row_is_judged_or_in_some_top_100(shop: pd.DataFrame) -> None:
    found = shop[SYSTEMS].notna().any(axis=1)
    judged = shop["grade"].notna()
    assert (found | judged).all()
    assert (judged & ~found).sum() == 1_218


def test_grades_are_the_published_ones(shop: pd.DataFrame) -> None:
    judged = shop[shop["grade"].notna()]
    counts = judged["grade"].value_counts().sort_index().to_dict()
    assert counts == {0.0: 1853, 1.0: 238, 2.0: 105, 3.0: 1472}
    assert judged["query_id"].nunique() == 135
    grades = judged["grade"].map("{:.0f}".format)
    assert digest(judged["query_id"] + " " + judged["doc_id"] + " " + grades) == QRELS


def test_nineteen_queries_have_no_relevant_product(shop: pd.DataFrame) -> None:
    best = shop.groupby("query_id")["grade"].max()
    assert (best == 0).sum() == 19
    assert (best > 0).sum() == 116


@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_are_those_of_the_run_file(shop: pd.DataFrame, system: str) -> None:
    rows, total, lines = RUNS[system]
    run = shop[shop[system].notna()]
    written = run[system].map("{:.6f}".format)
    assert len(run) == rows
    assert written.str.replace(".", "").astype("int64").sum() == total
    assert digest(run["query_id"] + " " + run["doc_id"] + " " + written) == lines
    # The very double that the six decimals name, not one beside it.
    assert (written.map(float) == run[system]).all()


@pytest.mark.parametrize(
    ("system", "unanswered"),
    [
        ("bm25", ["q005", "q051", "q052", "q129"]),
        ("minilm", []),
        ("rrf", []),
        (
            "tfidf_title",
            ["q005", "q038", "q051", "q052", "q110", "q121", "q129", "q134"],
        ),
    ],
)
def test_at_most_100_results_and_the_unanswered_queries(
    shop: pd.DataFrame, system: str, unanswered: list[str]
) -> None:
    results = shop.groupby("query_id")[system].count()
    assert results.max() == 100
    assert results.index[results == 0].tolist() == unanswered


@pytest.mark.parametrize(
    ("system", "queries"), [("bm25", 124), ("minilm", 87), ("rrf", 117), ("tfidf_title", 105)]
)
def test_queries_with_equal_scores(shop: pd.DataFrame, system: str, queries: int) -> None:
    run = shop[shop[system].notna()]
    tied = run.duplicated(["query_id", system])
    assert run.loc[tied, "query_id"].nunique() == queries


@pytest.mark.parametrize(
    ("system", "mrr", "judged"),
    [
        ("bm25", 0.7167, 0.740),
        ("minilm", 0.6353, 0.390),
        ("rrf", 0.7467, 0.565),
        ("tfidf_title", 0.6197, 0.599),
    ],
)
def test_known_means_come_out(shop: pd.DataFrame, system: str, mrr: float, judged: float) -> None:
    run = trec_order(shop, system)
    first = run[run["grade"] > 0].groupby("query_id")["place"].min()
    assert round((1 / first).sum() / 135, 4) == mrr
    top = run[run["place"] <= 10]
    assert round(top["grade"].notna().groupby(top["query_id"]).mean().mean(), 3) == judged


def test_ratings_shape_columns_and_types(ratings: pd.DataFrame) -> None:
    assert list(ratings.columns) == ["query_id", "query", "doc_id", "rater", "grade"]
    assert len(ratings) == 3 * 3_188
    for column in ["query_id", "query", "doc_id", "rater"]:
        assert ratings[column].map(type).eq(str).all()
    assert ratings["grade"].dtype == np.float64
    assert ratings["grade"].isin([0, 1, 2, 3]).all()
    assert ratings["query_id"].nunique() == 135


def test_ratings_have_three_raters_for_every_pair(ratings: pd.DataFrame) -> None:
    assert not ratings.duplicated(["query_id", "doc_id", "rater"]).any()
    rows = list(zip(ratings["query_id"], ratings["doc_id"], ratings["rater"], strict=True))
    assert rows == sorted(rows)
    raters = ratings.groupby("rater")["grade"].agg(["size", "sum"])
    assert raters["size"].to_dict() == {"agent_1": 3188, "agent_2": 3188, "agent_3": 3188}
    assert raters["sum"].to_dict() == {"agent_1": 4591.0, "agent_2": 4714.0, "agent_3": 4521.0}


def test_rated_pairs_are_judged_pairs_but_grades_are_no_vote(
    shop: pd.DataFrame, ratings: pd.DataFrame
) -> None:
    pair = ["query_id", "doc_id"]
    by_pair = ratings.groupby(pair)["grade"].agg(["nunique", "median", "min"]).reset_index()
    joined = by_pair.merge(shop[[*pair, "query", "grade"]], on=pair, how="left")
    assert joined["grade"].notna().all()
    assert joined["nunique"].value_counts().to_dict() == {1: 2278, 2: 786, 3: 124}
    assert (joined["median"] == joined["grade"]).sum() == 2_813
    unanimous = joined["nunique"] == 1
    assert (joined["min"] != joined["grade"])[unanimous].sum() == 95
    given = ratings.merge(shop[[*pair, "grade"]], on=pair, suffixes=("", "_published"))
    hit = (given["grade"] == given["grade_published"]).groupby([given[c] for c in pair]).any()
    assert (~hit).sum() == 188


def test_both_tables_name_queries_alike(shop: pd.DataFrame, ratings: pd.DataFrame) -> None:
    key = ["query_id", "query"]
    assert ratings[key].drop_duplicates().to_numpy().tolist() == (
        shop[key].drop_duplicates().to_numpy().tolist()
    )


@pytest.mark.parametrize("load", [load_electronics, load_electronics_ratings])
def test_every_call_gives_a_frame_of_its_own(load: Callable[[], pd.DataFrame]) -> None:
    first, untouched = load(), load()
    first["grade"] = -1.0
    first.loc[0, "query"] = "spoiled"
    del first["doc_id"]
    pd.testing.assert_frame_equal(load(), untouched)


def test_the_shipped_files_stay_small_and_carry_their_licences() -> None:
    folder = files("rank_magic.datasets") / "electronics"
    sizes = {entry.name: len(entry.read_bytes()) for entry in folder.iterdir()}
    assert sum(sizes.values()) < SIZE_LIMIT
    assert {"LICENSE.md", "LICENSE-Apache-2.0.txt"} <= set(sizes)
    terms = (folder / "LICENSE.md").read_text(encoding="utf-8")
    assert "Database Right data-sheet 2020 Icecat. All rights reserved." in terms
    for name in sizes:
        assert name in terms or name == "LICENSE.md"


def test_importing_datasets_loads_nothing_heavy() -> None:
    code = (
        "import sys, rank_magic.datasets\n"
        "print(sorted({'plotly', 'ipywidgets', 'scipy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
