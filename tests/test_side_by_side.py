"""Two rankings of a query: what moves are worth adds up to what the systems differ by."""

from __future__ import annotations

import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import DataError
from rank_magic.side_by_side import moves
from rank_magic.widgets.slopes import slopes

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def two() -> rm.Evaluation:
    return rm.evaluate(rm.datasets.load_electronics(), score=["bm25", "minilm"])


@pytest.mark.parametrize("measure", ["nDCG@10", "ERR@10", "RR", "AP"])
def test_changes_add_up_to_the_difference(two: rm.Evaluation, measure: str) -> None:
    for query in ("q001", "q003", "q050", "q135"):
        one, other = (two.explain(query, system=name) for name in two.systems)
        table = moves(one, other, measure)
        difference = other.values[measure] - one.values[measure]
        assert table["change"].sum() == pytest.approx(difference)
        assert (table["earns"] - table["earned"]).equals(table["change"])
        assert set(table.index) == {*one.ranking["doc"], *other.ranking["doc"]}


def test_places_and_what_they_add(two: rm.Evaluation) -> None:
    one, other = (two.explain("q003", system=name) for name in two.systems)
    table = moves(one, other, "nDCG@10")
    for rank, doc in one.ranking["doc"].items():
        assert table.loc[doc, "from"] == rank
    for rank, doc in other.ranking["doc"].items():
        assert table.loc[doc, "to"] == rank
        adds = other.contributions["nDCG@10"].get(rank, 0.0)
        assert table.loc[doc, "earns"] == (adds if adds == adds else 0.0)
    only = set(other.ranking["doc"]) - set(one.ranking["doc"])
    assert table.loc[list(only), "from"].isna().all()
    assert (table.loc[list(only), "earned"] == 0).all()
    best = table[["from", "to"]].min(axis=1)
    assert best.is_monotonic_increasing


def test_without_ids_no_document_is_known_again() -> None:
    frame = pd.DataFrame({"query": "q", "grade": [1, 0], "a": [1, 2], "b": [2, 1]})
    evaluation = rm.evaluate(frame, "RR", score=["a", "b"])
    with pytest.raises(DataError, match="no ids"):
        moves(evaluation.explain(system="a"), evaluation.explain(system="b"), "RR")


def test_the_drawing_says_by_more_than_colour_what_moves_are_worth() -> None:
    frame = pd.DataFrame(
        {
            "query": "q",
            "doc": [EVIL, "y", "z"],
            "grade": [0, 1, None],
            "a": [3, 2, 1],
            "b": [2, 3, 1],
        }
    )
    evaluation = rm.evaluate(frame, "RR", score=["a", "b"])
    table = moves(evaluation.explain(system="a"), evaluation.explain(system="b"), "RR")
    html = slopes(table, {"y": f"{EVIL}t"}, (EVIL, "b"), "RR")
    assert "<img" not in html
    assert "▲ +0.5000" in html
    assert "not judged" in html
    assert html.count("<line") == 3
    dashes = {line.split("stroke-dasharray='")[1].split("'")[0] for line in html.split("<line")[1:]}
    assert len(dashes) == 2  # what earns, and what does neither
    assert "All moves together: +0.5000" in html
