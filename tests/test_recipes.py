"""What the recipes say holds, and the other tools' code that stands in their text gives our numbers."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

import rank_magic as rm

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "06_recipes.ipynb"
CELLS = {cell.id: cell.source for cell in nbformat.read(NOTEBOOK, as_version=4).cells}

CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
NUMBER = re.compile(r"\d+\.\d+|\d\s*%|\b\d{2,}\b")


def run(cell: str, names: dict[str, Any]) -> Any:
    """Run a cell without its magics, and return the value of its last expression."""
    source = "\n".join(line for line in CELLS[cell].splitlines() if not line.startswith("%"))
    return run_code(source, names)


def run_code(source: str, names: dict[str, Any]) -> Any:
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    if last is not None:
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    return None


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the cells before those of other tools define."""
    found: dict[str, Any] = {}
    for cell in ("load", "lists", "recommender", "segments", "weights", "dicts"):
        run(cell, found)
    return found


def test_no_number_is_typed_into_the_text() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)
    text = [CODE.sub("", cell.source) for cell in book.cells if cell.cell_type == "markdown"]
    assert [found for part in text for found in NUMBER.findall(part)] == []


def test_lists_give_the_numbers_of_the_frame_they_were_folded_from(names: dict[str, Any]) -> None:
    of_lists = rm.evaluate(names["log"], ["Success@5", "R@5"]).mean()
    rows = names["best_first"].assign(place=range(len(names["best_first"])))
    first = rows[rows.groupby("query").cumcount() < 5]
    shown = rm.attach(
        first[["query", "doc_id", "minilm"]].rename(columns={"minilm": "score"}),
        names["judged"][["query", "doc_id", "grade"]],
    )
    of_rows = rm.evaluate(shown, ["Success@5", "R@5"], ties="order").mean()
    assert np.allclose(of_lists, of_rows, atol=1e-12)
    nothing = names["log"]["relevant"].map(len) == 0
    assert nothing.sum() == 19  # "an empty list says that nothing is relevant"


def test_success_cannot_tell_a_list_from_its_mirror_image(names: dict[str, Any]) -> None:
    means = rm.evaluate(names["recommended"], "ndcg@5 err@5 success@5").mean()
    assert means.at["as it is", "Success@5"] == means.at["turned round", "Success@5"]
    graded = ["nDCG@5", "ERR@5"]
    assert (means.loc["as it is", graded] > means.loc["turned round", graded]).all()


def test_the_last_segment_is_small_and_judged_shares_differ(names: dict[str, Any]) -> None:
    coverage = names["result"].by("words").coverage
    counts = coverage["queries"].xs("bm25", level="system")
    assert counts.idxmin() == 3
    bm25 = coverage["Judged@10"].xs("bm25", level="system")
    assert bm25.max() - bm25.min() > 0.1


def test_traffic_widens_the_intervals(names: dict[str, Any]) -> None:
    def width(evaluation: rm.Evaluation) -> pd.Series[float]:
        summary = evaluation.summary()
        return summary["high"] - summary["low"]

    assert (width(names["weighted"]) > width(names["result"])).all()


def test_the_guard_lets_one_through_and_stops_the_other(
    capsys: pytest.CaptureFixture[str], names: dict[str, Any]
) -> None:
    here = dict(names)
    for cell in ("guard-save", "guard"):  # raises nothing
        run(cell, here)
    assert capsys.readouterr().out == ""
    run("guard-fails", here)
    report = capsys.readouterr().out
    assert report.startswith("2 of 2 checks failed")
    assert "tfidf_title lies -0.1367 from release-1" in report


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("text", "code", "library", "same"),
    [
        (
            "pytrec-text",
            "pytrec",
            "pytrec_eval",
            {"map": "AP", "recip_rank": "RR", "ndcg_cut_10": "nDCG(gain=linear, discount=log2)@10"},
        ),
        (
            "irm-text",
            "irm",
            "ir_measures",
            {"nDCG@10": "nDCG(gain=linear)@10", "AP": "AP", "RR": "RR", "P@5": "P@5"},
        ),
    ],
)
def test_the_other_tools_give_the_same(
    text: str, code: str, library: str, same: dict[str, str], names: dict[str, Any]
) -> None:
    pytest.importorskip(library)
    theirs = peer(text, names)
    ours = run(code, names)
    assert len(ours) == len(same)
    for name, measure in same.items():
        assert theirs[name] == pytest.approx(ours[measure], abs=1e-9), name


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore:unsafe cast from uint64")  # numba of its own code
def test_ranx_differs_by_its_order_of_equals_alone(names: dict[str, Any]) -> None:
    pytest.importorskip("ranx", exc_type=ImportError)
    theirs = peer("ranx-text", names)
    ours = {
        ties: rm.evaluate(
            names["run"],
            ["nDCG(gain=linear)@10", "AP", "RR", "P@5"],
            qrels=names["qrels"],
            ties=ties,
        ).mean()
        for ties in ("worst", "best")
    }
    pairs = zip(("ndcg@10", "map", "mrr", "precision@5"), ours["best"].index, strict=True)
    for name, measure in pairs:
        assert ours["worst"][measure] - 1e-9 <= theirs[name] <= ours["best"][measure] + 1e-9, name


def peer(text: str, names: dict[str, Any]) -> dict[str, float]:
    """Run the code that stands in the text."""
    (code,) = re.findall(r"```python\n(.*?)```", CELLS[text], re.DOTALL)
    here = dict(names)
    run_code(code, here)
    return {str(name): float(value) for name, value in dict(here["values"]).items()}


def test_scikit_learn_gives_the_same() -> None:
    pytest.importorskip("sklearn")
    theirs, ours = run("sklearn", {"np": np, "rm": rm})
    assert theirs == pytest.approx(ours, abs=1e-12)


def test_label_ranking_average_precision_is_ap_without_ties() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(1)
    grades = generator.integers(0, 2, size=(30, 8))
    grades[:, 0] = 1
    scores = generator.permuted(np.tile(np.arange(8.0), (30, 1)), axis=1)
    theirs = metrics.label_ranking_average_precision_score(grades, scores)
    ours = rm.evaluate(rm.from_arrays(grades, scores), "AP").mean()["AP"]
    assert theirs == pytest.approx(ours, abs=1e-12)


def test_each_choice_moves_some_mean(names: dict[str, Any]) -> None:
    table = run("differ", names)
    defaults = table.iloc[0]
    moved = (table.iloc[1:] != defaults).any(axis="columns")
    assert moved.all(), moved[~moved].index.tolist()
