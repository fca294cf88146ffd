"""The report: one page that holds everything, needs nothing, and shows names as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import RankMagicError
from rank_magic.report import report_html

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    shop = rm.datasets.load_electronics()
    path = tmp_path_factory.mktemp("report") / "report.html"
    rm.evaluate(shop, ["nDCG@10", "RR"], score=["bm25", "minilm"]).report(path)
    return path.read_text(encoding="utf-8")


def without_scripts(page: str) -> str:
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def test_it_holds_means_coverage_conventions_distributions_and_the_worst(page: str) -> None:
    shop = rm.datasets.load_electronics()
    text = without_scripts(page)
    evaluation = rm.evaluate(shop, ["nDCG@10", "RR"], score=["bm25", "minilm"])
    for mean in evaluation.mean().to_numpy().ravel():
        assert f"{mean:.4f}" in text
    for word in ("queries unanswered", "Judged@10", "Every convention", "gain exp2"):
        assert word in text
    assert page.count("Plotly.newPlot(") >= 2
    values = evaluation.per_query[("minilm", "nDCG@10")]
    relevant = shop[shop["grade"] > 0]["query_id"].unique()
    worst = values[values.index.isin(relevant)].nsmallest(5, keep="first")
    for query, value in worst.items():
        assert re.search(rf"<summary>{query} · [\w ]+: {value:.4f}</summary>", text)
    assert "Philips shaving heads" in text or "rm-explained" in text


def test_it_asks_for_nothing(page: str) -> None:
    assert not re.search(r"<script[^>]+src=", page)
    assert not re.search(r"<link", without_scripts(page))
    assert "url(http" not in page
    assert "@import" not in without_scripts(page)
    assert page.count("plotly.js v") == 1  # in the page, once


def test_names_are_never_markup() -> None:
    frame = pd.DataFrame(
        {
            "query": [EVIL, EVIL],
            "doc": [EVIL, "y"],
            "title": [f"{EVIL}t", "z"],
            "grade": [0, 1],
            EVIL: [2, 1],
            f"{EVIL}2": [1, 2],
        }
    )
    html = report_html(rm.evaluate(frame, "RR", score=[EVIL, f"{EVIL}2"]))
    assert "<img src=x" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;t" in html


def test_other_files_and_folders_that_are_not_there(tmp_path: Path) -> None:
    frame = pd.DataFrame({"query": ["a"], "grade": [1], "score": [1.0]})
    evaluation = rm.evaluate(frame)
    with pytest.raises(RankMagicError, match=r"must end in \.html"):
        evaluation.report(tmp_path / "report.csv")
    with pytest.raises(RankMagicError, match="There is no folder"):
        evaluation.report(tmp_path / "nowhere" / "report.html")
