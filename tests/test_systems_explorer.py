"""The systems explorer without a browser."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.widgets import SystemsExplorer
from rank_magic.widgets.explorer import _parts
from rank_magic.widgets.live_figure import LiveFigure
from test_tables import Reader
from test_widgets import EVIL, alive


@pytest.fixture(scope="module")
def three() -> rm.Evaluation:
    shop = rm.datasets.load_electronics()
    return rm.evaluate(shop, ["nDCG@10", "AP"], score=["bm25", "minilm", "rrf"])


@pytest.fixture
def explorer(three: rm.Evaluation) -> Iterator[SystemsExplorer]:
    explorer = three.compare(resamples=0).explore()
    yield explorer
    explorer.close()


def test_it_shows_every_query_once_and_counts_wins_ties_and_losses(
    explorer: SystemsExplorer, three: rm.Evaluation
) -> None:
    wide = three.per_query.xs("nDCG@10", axis=1, level="measure")
    assert (explorer.system, explorer.baseline) == ("minilm", "bm25")
    difference = wide["minilm"] - wide["bm25"]
    wins, ties, losses = (int(n) for n in ((difference > 0).sum(), (difference == 0).sum(), (difference < 0).sum()))  # fmt: skip
    assert f"{wins:,} wins, {ties:,} ties, {losses:,} losses" in explorer.summary.value
    assert f"{difference.mean():+.4f}" in explorer.summary.value
    _, *points = explorer.scatter.data
    assert [len(trace.x) for trace in points] == [wins, ties, losses]
    assert [len(trace.x) for trace in explorer.differences.data] == [wins, ties, losses]
    assert (
        explorer.list.table.df["difference"].tolist() == difference.sort_values().round(4).tolist()
    )


def test_another_pair_and_another_measure(explorer: SystemsExplorer, three: rm.Evaluation) -> None:
    explorer.pairs.value = 1
    explorer.measures.value = "AP"
    assert (explorer.system, explorer.baseline) == ("rrf", "bm25")
    wide = three.per_query.xs("AP", axis=1, level="measure")
    assert f"{(wide['rrf'] - wide['bm25']).mean():+.4f}" in explorer.summary.value
    assert explorer.differences.layout.yaxis.title.text == "AP: rrf − bm25"


def test_a_query_shows_ranking_against_ranking(
    explorer: SystemsExplorer, three: rm.Evaluation
) -> None:
    explorer.choose("q003")
    first = three.explain("q003", system="minilm").ranking.iloc[0]
    assert first["title"].split()[0] in explorer.rankings.value
    values = three.per_query.loc["q003"]
    change = values["minilm", "nDCG@10"] - values["bm25", "nDCG@10"]
    assert f"All moves together: {change:+.4f}" in explorer.rankings.value
    explorer.list.after.click()
    assert "q003" not in explorer.heading.value
    Reader(explorer.rankings.value)


def test_values_that_were_loaded_are_compared_without_rankings(
    three: rm.Evaluation, tmp_path: object
) -> None:
    path = tmp_path / "old.zip"  # type: ignore[operator]
    three.save(path)
    explorer = rm.compare(rm.load(path), three, names=["old", "new"], resamples=0).explore()
    assert "not at hand" in explorer.rankings.value
    assert "135 ties" in explorer.summary.value
    explorer.close()


def test_nothing_is_left_and_nothing_is_markup(three: rm.Evaluation) -> None:
    gc.collect()
    before = alive()
    for _ in range(5):
        explorer = three.compare(resamples=0).explore()
        gone = [weakref.ref(part) for part in _parts(explorer)]
        assert sum(isinstance(part, LiveFigure) for part in _parts(explorer)) == 2
        explorer.close()
        del explorer
        gc.collect()
        assert {type(one()) for one in gone} == {type(None)}
    assert alive() == before
    frame = pd.DataFrame(
        {"query": [EVIL] * 2, "doc": [EVIL, "y"], "title": [EVIL, "t"], "grade": [0, 1],
         EVIL: [2, 1], f"{EVIL}2": [1, 2]}
    )  # fmt: skip
    explorer = rm.evaluate(frame, "RR", score=[EVIL, f"{EVIL}2"]).compare(resamples=0).explore()
    html = explorer._repr_mimebundle_()["text/html"]
    assert "<img" not in html
    Reader(html)
    assert "comparison.explore()" in html
    explorer.close()
