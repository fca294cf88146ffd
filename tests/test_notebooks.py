"""The notebooks are the manual: each runs as it is, and what its text says holds.

Notebooks with widgets are driven in a real JupyterLab besides (test_*_browser.py).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from nbclient import NotebookClient

import rank_magic as rm

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
QUICKSTART = FOLDER / "01_quickstart.ipynb"
SECONDS = 300

# What a number typed into text looks like; `code` and measures' names are taken out first.
CODE = re.compile(r"`[^`]*`")
NUMBER = re.compile(r"\d+\.\d+|\d\s*%|\b\d{2,}\b")

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def test_there_are_notebooks() -> None:
    assert QUICKSTART in NOTEBOOKS


@every_notebook
def test_it_runs_without_error_and_without_warning(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An empty folder, and none of the person's own settings: nothing but the package is there.
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    place = tmp_path / "elsewhere"
    place.mkdir()
    notebook = read(path)
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": str(place)}},
    )
    client.execute()  # a cell that fails, fails the test with its traceback
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    outputs = [output for cell in code for output in cell.outputs]
    complaints = [output.text for output in outputs if output.get("name") == "stderr"]
    assert complaints == []
    assert [output for output in outputs if output.output_type == "error"] == []
    assert list(place.iterdir()) == [], "a notebook leaves nothing behind"


@every_notebook
def test_it_is_kept_clean(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor >= 5) == (4, True), "cells need ids"
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in notebook.cells:
        assert cell.source.strip(), f"cell {cell.id} is empty"
        assert cell.metadata == {}, f"cell {cell.id} has metadata: strip it (nbstripout)"
        if cell.cell_type == "code":
            assert cell.outputs == [], f"cell {cell.id} has outputs: strip them (nbstripout)"
            assert cell.execution_count is None
    # Widget state would hide here, megabytes of it.
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.kernelspec.language == "python"


@every_notebook
def test_it_begins_with_its_title(path: Path) -> None:
    first, *others = read(path).cells
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")
    headings = [
        line
        for cell in others
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
        if line.startswith("#")
    ]
    assert all(re.match(r"#{2,3} \S", heading) for heading in headings), headings


# The quickstart's text.


def test_the_quickstarts_numbers_come_from_its_cells() -> None:
    text = [
        CODE.sub("", cell.source) for cell in read(QUICKSTART).cells if cell.cell_type != "code"
    ]
    assert [found for part in text for found in NUMBER.findall(part)] == []


@pytest.fixture(scope="module")
def shop() -> Any:
    return rm.datasets.load_electronics()


@pytest.fixture(scope="module")
def result(shop: Any) -> rm.Evaluation:
    return shop.rank.evaluate(["ndcg@10", "err@10", "mrr", "map"], score=["bm25", "minilm"])


def test_the_winner_changes_without_the_unjudged(shop: Any, result: rm.Evaluation) -> None:
    judged = rm.evaluate(shop, result.measures, score=["bm25", "minilm"], unjudged="remove")
    before, after = result.mean(), judged.mean()
    assert (before.loc["bm25"] > before.loc["minilm"]).all()
    leads = after.loc["minilm"] > after.loc["bm25"]
    assert leads.to_dict() == {"nDCG@10": True, "ERR@10": True, "RR": True, "AP": False}
    assert result.coverage.at["Judged@10", "minilm"] < 0.5  # "most of what MiniLM shows"


def test_rr_sees_the_most_draws_and_ap_contradicts_ndcg(result: rm.Evaluation) -> None:
    difference = (result.per_query["bm25"] - result.per_query["minilm"]).round(9)
    assert (difference == 0).sum().idxmax() == "RR"
    assert ((difference["AP"] * difference["nDCG@10"]) < 0).any()


def test_who_looks_for_a_video_camera_gets_cables(shop: Any, result: rm.Evaluation) -> None:
    bm25 = result.per_query["bm25"]
    binary, graded = bm25[["RR", "AP"]].mean(axis=1), bm25[["nDCG@10", "ERR@10"]].mean(axis=1)
    worst = (binary - graded).idxmax()
    explained = result.explain(worst, system="bm25")
    assert explained.about == {"query": "video camera"}
    page = explained.ranking.head(10)
    assert page["title"].iloc[:2].str.contains("cable").all()
    assert page["grade"].iloc[0] == 1
    assert explained.values["RR"] == 1
    assert explained.values["AP"] > 0.5
    assert max(explained.values["nDCG@10"], explained.values["ERR@10"]) < 0.25
    # "One stands further down, one was not retrieved at all."
    assert page["grade"].max() < 3
    assert (explained.ranking["grade"] == 3).sum() == 1
    assert (explained.missed["grade"] == 3).sum() == 1


def test_the_best_television_stands_second() -> None:
    tv = pd.DataFrame({"query": "tv", "grade": [1, 3, 0], "score": [0.9, 0.7, 0.4]})
    means = tv.rank.evaluate(["RR", "AP", "nDCG@10", "ERR@10"]).mean()
    assert means["RR"] == means["AP"] == 1
    assert max(means["nDCG@10"], means["ERR@10"]) < 1
