"""LightGBM's example data, and what the notebook on learning to rank says about them."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

import rank_magic as rm

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "05_learning_to_rank.ipynb"
BOOK = nbformat.read(NOTEBOOK, as_version=4)
NUMBER = re.compile(r"\d+\.\d+|\d\s*%|\b\d{2,}\b")


@pytest.fixture(scope="module")
def letor() -> pd.DataFrame:
    return rm.datasets.load_letor()


def test_the_data_are_the_sources_to_the_last_digit(letor: pd.DataFrame) -> None:
    # sha256sum of rank.train and rank.test themselves: their lines are written anew here.
    digests = {
        "train": "a0c7201c89120879c14a5059e091f441cbf2a29b8aaef363885ccb1a530448df",
        "test": "3b1219ce117a0a36d2f76c02de7e7831c1d79af0d40f5195c03178bbe26c824b",
    }
    names = [name for name in letor if re.fullmatch(r"f\d+", name)]
    assert names == [f"f{place}" for place in range(301)]
    for split, digest in digests.items():
        rows = letor[letor["split"] == split]
        lines = []
        for grade, values in zip(rows["grade"], rows[names].to_numpy(), strict=True):
            there = np.flatnonzero(values)
            pairs = "".join(f" {place}:{values[place]:.2f}" for place in there)
            lines.append(f"{grade}{pairs}\n")
        assert hashlib.sha256("".join(lines).encode()).hexdigest() == digest


def test_rows_of_a_query_stand_together(letor: pd.DataFrame) -> None:
    assert letor["query"].is_monotonic_increasing
    sizes = letor.groupby(["split", "query"]).size()
    assert sizes.loc["train"].iloc[:5].tolist() == [1, 13, 5, 8, 19]
    assert sizes.loc["test"].iloc[:5].tolist() == [12, 19, 18, 10, 15]
    assert letor["doc"].is_unique


def test_the_licence_lies_beside_the_data() -> None:
    licence = files("rank_magic.datasets") / "letor_example" / "LICENSE"
    assert "Copyright (c) Microsoft Corporation" in licence.read_text(encoding="utf-8")


def test_no_number_is_typed_into_the_text() -> None:
    text = [re.sub(r"`[^`]*`", "", cell.source) for cell in BOOK.cells if cell.cell_type != "code"]
    assert [found for part in text for found in NUMBER.findall(part)] == []


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the notebook's cells define."""
    pytest.importorskip("lightgbm")
    found: dict[str, Any] = {}
    for cell in BOOK.cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, cell.id, "exec"), found)
    return found


def test_both_models_beat_the_single_feature_and_not_each_other(names: dict[str, Any]) -> None:
    means = names["result"].mean()["nDCG@10"]
    assert means[["regression", "LambdaMART"]].min() > means["single"]
    between = names["result"].compare(baseline="regression").to_frame()
    both = between.xs("LambdaMART", level="system")
    assert (both["p_t_corrected"] > 0.05).all()  # "can hardly be told apart"
    assert both["queries_needed"].notna().any()


def test_curves_are_evaluates_values(names: dict[str, Any]) -> None:
    model, valid = names["models"]["LambdaMART"], names["valid"]
    predicted = valid[["query", "grade"]].assign(
        score=model.predict(valid[names["features"]], num_iteration=10)
    )
    means = rm.evaluate(predicted, ["nDCG@10", "ERR@10", "AP", "RR"], max_grade=4).mean()
    assert names["curves"]["LambdaMART"].iloc[9].to_dict() == means.to_dict()


def test_no_query_is_torn_apart(names: dict[str, Any]) -> None:
    parts = [set(names[part]["query"]) for part in ("fit", "valid", "test")]
    assert sum(map(len, parts)) == len(set().union(*parts)) == 251


def test_most_documents_have_a_grade_of_one_or_more(names: dict[str, Any]) -> None:
    assert (names["test"]["grade"] >= 1).mean() > 0.5
    higher, all_grades = names["higher"].mean(), names["result"].mean()
    assert (higher["AP"] < all_grades["AP"]).all()


def test_models_put_better_documents_first_than_chance(names: dict[str, Any]) -> None:
    table = names["table"]
    assert (table.loc[1, ["single", "regression", "LambdaMART"]] > table.loc[1, "chance"]).all()


def test_features_with_equal_scores_are_the_rule(names: dict[str, Any]) -> None:
    tied = names["result"].coverage.loc["queries with tied scores"]
    assert tied["single"] > tied["LambdaMART"]
