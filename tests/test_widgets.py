"""Explorers without a browser: what they hold, what they say, and that nothing is left of them."""

from __future__ import annotations

import gc
import math
import weakref
from collections.abc import Iterator
from html import escape
from typing import Any

import ipywidgets
import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.discounts import DISCOUNTS
from rank_magic.plots.style import COLOURS
from rank_magic.whatif import EXAMPLES, WhatIf
from rank_magic.widgets import DiscountExplorer, Explorer, QueryExplorer
from rank_magic.widgets.explorer import WIDGET_VIEW, _parts
from rank_magic.widgets.live_figure import LiveFigure
from rank_magic.widgets.query_list import FIRST
from rank_magic.widgets.ranking_rows import ranking_notes, ranking_rows
from test_tables import Reader

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def two() -> rm.Evaluation:
    return rm.evaluate(rm.datasets.load_electronics(), score=["bm25", "minilm"])


@pytest.fixture
def explorer(two: rm.Evaluation) -> Iterator[QueryExplorer]:
    explorer = two.explore()
    yield explorer
    explorer.close()


@pytest.fixture
def discounts() -> Iterator[DiscountExplorer]:
    explorer = rm.explore_discounts()
    yield explorer
    explorer.close()


def alive() -> int:
    return len(ipywidgets.widgets.widget._instances)


def figures(explorer: Explorer) -> list[LiveFigure]:
    return [part for part in _parts(explorer) if isinstance(part, LiveFigure)]


# Queries.


def test_queries_are_listed_worst_first_and_the_first_is_shown(
    explorer: QueryExplorer, two: rm.Evaluation
) -> None:
    values = two.per_query[("bm25", "nDCG@10")]
    listed = explorer.list.table.df
    assert listed["bm25 nDCG@10"].tolist() == values.sort_values().round(4).tolist()
    assert len(listed.columns) == 2 + 2 * 4
    first = two.queries[explorer.list.numbers[0]]
    assert explorer.what_if.query == first
    assert listed["query_id"].iloc[0] == first
    assert explorer.list.table.selected_rows == [0]
    # Of the worst, those that could have been better come first.
    assert explorer.what_if.before.ideal["nDCG@10"].sum() > 0


def test_choosing_by_row_by_name_and_by_step_is_the_same(explorer: QueryExplorer) -> None:
    numbers = explorer.list.numbers
    explorer.list.table.selected_rows = [7]
    assert explorer.list.choice.value == numbers[7]
    explorer.list.after.click()
    assert explorer.list.table.selected_rows == [8]
    explorer.list.choice.value = numbers[20]
    assert explorer.list.table.selected_rows == [20]
    explorer.list.before.click()
    query = explorer._evaluation.queries[numbers[19]]
    assert explorer.what_if.query == query
    assert query in explorer.heading.value
    explorer.choose("q001")
    assert explorer.what_if.query == "q001"
    assert explorer.list.choice.value == 0


def test_brushing_lists_what_lies_in_the_range(explorer: QueryExplorer, two: rm.Evaluation) -> None:
    values = two.per_query[("bm25", "nDCG@10")]
    inside = values[(values >= 0.2) & (values <= 0.5)]
    explorer.brush((0.2, 0.5))
    assert sorted(explorer.list.table.df["query_id"]) == sorted(inside.index)
    assert (explorer.low.value, explorer.high.value) == (0.2, 0.5)
    assert f"{len(inside)} of 135 queries" in explorer.counted.value
    bars = explorer.distribution.data[0]
    full = [x for x, colour in zip(bars.x, bars.marker.color, strict=True) if colour == COLOURS[0]]
    assert full == pytest.approx(np.arange(0.225, 0.5, 0.05).tolist())
    explorer.low.value = 0.4
    assert len(explorer.list.table.df) == (values[inside.index] >= 0.4).sum()
    explorer.everything.click()
    assert len(explorer.list.table.df) == 135
    assert (explorer.low.value, explorer.high.value) == (0, 1)
    assert set(explorer.distribution.data[0].marker.color) == {COLOURS[0]}


def test_no_heading_of_the_table_is_markup() -> None:
    frame = pd.DataFrame({"query": [1, 2], "grade": [1, 0], f"{EVIL}</thead>": [1, 2], EVIL: 1})
    explorer = rm.evaluate(frame, "RR", score=list(frame)[2:]).explore()
    for within in (None, (0.5, 1)):
        explorer.brush(within)
        html = explorer.list.table._dt_args["table_html"]
        assert "<img" not in html
        assert html.count(escape(EVIL)) == 4  # above and below
        assert html.count("</thead>") == html.count("</tfoot>") == 1
    explorer.close()


def test_another_measure_or_system_changes_everything(
    explorer: QueryExplorer, two: rm.Evaluation
) -> None:
    explorer.brush((0.2, 0.5))
    explorer.measures.value = "RR"
    assert len(explorer.list.table.df) == 135
    values = two.per_query[("bm25", "RR")]
    assert explorer.list.table.df["bm25 RR"].tolist() == values.sort_values().round(4).tolist()
    assert explorer.distribution.layout.xaxis.title.text == "RR"
    assert explorer.contributions.layout.yaxis.title.text == "adds to RR"
    assert explorer.ranking.heads[3] == "adds to RR"
    explorer.systems.value = 1
    assert explorer.what_if.before.system == "minilm"
    values = two.per_query[("minilm", "RR")]
    assert explorer.list.table.df["minilm RR"].tolist() == values.sort_values().round(4).tolist()


def test_an_edit_shows_old_and_new_values(explorer: QueryExplorer) -> None:
    explorer.choose("q003")
    rows = explorer.what_if.rows
    before = dict(explorer.what_if.before.values)
    explorer.edit(rows[4], "to", 1)
    assert explorer.what_if.rows[0] == rows[4]
    assert explorer.ranking.rows[0]["id"] == str(rows[4])
    now = explorer.what_if.now.values
    assert f"{before['nDCG@10']:.4f}" in explorer.values.value
    assert f"{now['nDCG@10']:.4f}" in explorer.values.value
    was, is_, _ = explorer.contributions.data
    assert sum(was.y) == pytest.approx(before["nDCG@10"])
    assert sum(is_.y) == pytest.approx(now["nDCG@10"])
    explorer.reset.click()
    assert "before" not in explorer.values.value
    assert explorer.what_if.rows == rows
    assert list(explorer.contributions.data[0].y) == []


def test_examples_show_that_rr_and_ap_do_not_move(explorer: QueryExplorer) -> None:
    explorer.choose("q003")
    explorer.examples.value = [one.name for one in EXAMPLES].index("grades 3 1 0")
    assert [row["grade"] for row in explorer.ranking.rows] == ["3", "1", "0"]
    explorer.edit(0, "down")
    assert [row["grade"] for row in explorer.ranking.rows] == ["1", "3", "0"]
    assert explorer.values.value.count("does not move") == 2
    assert explorer.values.value.count("▼") == 2
    explorer.back.click()
    assert explorer.what_if.query == "q003"


def test_a_grade_that_cannot_be_is_told_and_taken_back(two: rm.Evaluation) -> None:
    frame = pd.DataFrame({"query": "a", "grade": [1, 2], "score": [2.0, 1.0]})
    explorer = rm.evaluate(frame, "ERR(max_grade=3)").explore()
    drawn = explorer.ranking.drawn
    explorer.edit(0, "grade", "7")
    assert "max_grade=3" in explorer.message.value
    assert explorer.ranking.drawn > drawn
    assert not explorer.what_if.changed
    explorer.edit(0, "grade", "?")
    assert explorer.message.value == ""
    assert explorer.ranking.rows[0]["grade"] == "?"
    explorer.close()


def test_many_queries_are_loaded_on_request() -> None:
    number = FIRST + 5
    frame = pd.DataFrame({"query": np.arange(number), "grade": 1, "score": 1.0})
    explorer = rm.evaluate(frame, "RR").explore()
    assert len(explorer.list.table.df) == FIRST
    assert explorer.list.more.layout.display is None
    explorer.list.more.click()
    assert len(explorer.list.table.df) == number
    assert explorer.list.more.layout.display == "none"
    explorer.close()


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"query": ["a"], "grade": [1], "score": [1.0]}),
        pd.DataFrame({"query": ["a", "b"], "grade": [1, None], "score": [None, 1.0]}),
        pd.DataFrame({"query": ["a", "a"], "doc": ["x", "y"], "grade": [0, 0], "score": [1, 1]}),
    ],
    ids=["one row", "no results and no judgments", "nothing to find"],
)
def test_small_frames_can_be_explored(frame: pd.DataFrame) -> None:
    explorer = rm.evaluate(frame).explore()
    explorer.list.step(1)
    explorer.list.step(1)
    explorer.measures.value = "AP"
    Reader(explorer._repr_mimebundle_()["text/html"])
    explorer.close()


def test_the_accessor_explores_too() -> None:
    frame = pd.DataFrame({"who": ["a"], "grade": [1], "score": [1.0]})
    for explorer in (
        frame.rank.explore("RR", query="who"),
        frame.rank.using(query="who").explore(),
    ):
        assert isinstance(explorer, QueryExplorer)
        explorer.close()


# A ranking's rows.


def rows_of(**columns: Any) -> list[dict[str, Any]]:
    frame = pd.DataFrame({"query": "a", **columns})
    what_if = WhatIf(rm.evaluate(frame, "nDCG"))
    return ranking_rows(what_if.now, "nDCG", what_if.rows, what_if.missed)


def test_marks_say_what_is_tied_unjudged_and_not_retrieved() -> None:
    frame = pd.DataFrame(
        {"query": "a", "doc": [*"wxyz"], "grade": [1, None, 0, 2], "score": [3, 3, 1, None]}
    )
    what_if = WhatIf(rm.evaluate(frame, "nDCG"))
    rows = ranking_rows(what_if.now, "nDCG", what_if.rows, what_if.missed)
    assert [row["rank"] for row in rows] == ["1 =", "2 =", "3", "not retrieved"]
    assert [row["grade"] for row in rows] == ["1", "?", "0", "2"]
    assert [row["missed"] for row in rows] == [False, False, False, True]
    notes = " ".join(ranking_notes(what_if.now, "nDCG"))
    assert "= marks equal scores" in notes
    assert "? marks what nobody judged" in notes


def test_bars_are_in_proportion_to_contributions() -> None:
    rows = rows_of(grade=[0, 3, 1], score=[3, 2, 1])
    ideal = [7 / 1, 1 / math.log2(3), 0]
    real = [0, 7 / math.log2(3), 1 / 2]
    assert [row["ideal"] for row in rows] == pytest.approx(
        [100 * one / 7 for one in ideal], abs=0.1
    )
    assert [row["real"] for row in rows] == pytest.approx([100 * one / 7 for one in real], abs=0.1)


def test_titles_texts_links_and_pictures_are_told_apart() -> None:
    (row, other) = rows_of(
        doc=["d1", "d2"],
        grade=[1, 0],
        score=[2, 1],
        brand=["Canon", "Nikon"],
        title=["A camera", "Another"],
        url=["https://example.org/1", "javascript:alert(1)"],
        image=["data:image/png;base64,AA", "https://example.org/2.png"],
        price=[12.5, None],
    )
    assert row["title"] == "A camera"
    assert row["texts"] == ["d1", "Canon", "price 12.5"]
    assert row["url"] == "https://example.org/1"
    assert row["image"].startswith("data:image/png")
    assert other["url"] == ""
    assert other["image"] == "https://example.org/2.png"
    assert row["name"] == "rank 1, A camera"


def test_a_ranking_without_documents_has_ranks_for_names() -> None:
    assert [row["title"] for row in rows_of(grade=[1, 0], score=[2, 1])] == ["rank 1", "rank 2"]


# Discounts.


def drawn(explorer: DiscountExplorer) -> dict[str, Any]:
    return {line.name: line for line in explorer.figure.data if line.visible}


def test_sliders_change_their_curves(discounts: DiscountExplorer) -> None:
    assert drawn(discounts)["RBP"].y[1] == pytest.approx(0.8)
    discounts.persistence.value = 0.5
    assert drawn(discounts)["RBP"].y[1] == pytest.approx(0.5)
    discounts.switches["jarvelin"].value = True
    discounts.base.value = 4
    line = drawn(discounts)["1 / max(1, log_b r)"]
    assert list(line.y[:5]) == pytest.approx([1, 1, 1, 1, math.log(4) / math.log(5)])
    discounts.switches["RBP"].value = False
    assert "RBP" not in drawn(discounts)
    discounts.depth.value = 20
    assert len(drawn(discounts)["ERR on the ranking"].x) == 20


def test_a_ranking_of_ones_own_and_a_curve_of_ones_own(discounts: DiscountExplorer) -> None:
    discounts.top.value = 2
    discounts.grades.value = "0 2, 0"
    assert list(drawn(discounts)["ERR on the ranking"].y[:3]) == [1, 0.5, pytest.approx(0.25 / 3)]
    discounts.grades.value = "0 two"
    assert "consists of numbers" in discounts.message.value
    discounts.grades.value = "9"
    assert "max_grade" in discounts.message.value
    discounts.grades.value = "1"
    assert discounts.message.value == ""
    discounts.typed.value = "0.4 0.2 0.1"
    assert list(drawn(discounts)["own curve"].y[:4]) == [1, 0.5, 0.25, 0]


FAMILY = {
    "RBP": "RBP",
    "INSQ": "INSQ",
    "INST": "INST on the ranking",
    "BPM": "BPM on the ranking",
    "IFT": "IFT on the ranking",
}


def test_the_family_is_there_in_all_its_views(discounts: DiscountExplorer) -> None:
    frame = pd.DataFrame({"query": "q", "grade": [3, 2, 0, 1, 0] + [0] * 45})
    for curve, title in FAMILY.items():
        discounts.switches[curve].value = True
        measure = discounts.curve(curve)
        parts = rm.evaluate(frame, measure, order="rows").explain().parts[str(rm.parse(measure))]
        weight = parts["W"] / parts["W"].max()
        wanted = {
            "attention (W)": weight,
            "going on (C)": parts["C"],
            "last rank (L)": parts["L"],
        }
        for view, values in wanted.items():
            discounts.view.value = view
            assert list(drawn(discounts)[title].y) == pytest.approx(values.tolist(), abs=1e-9)
    assert discounts.figure.layout.yaxis.title.text.startswith("chance that it is the last")


def test_sliders_of_the_family_change_its_curves(discounts: DiscountExplorer) -> None:
    discounts.grades.value = "0"
    discounts.view.value = "going on (C)"
    for curve in FAMILY:
        discounts.switches[curve].value = True
    discounts.wanted.value = 2
    for curve in ("INSQ", "INST"):
        assert drawn(discounts)[FAMILY[curve]].y[0] == pytest.approx((4 / 5) ** 2)
    discounts.patience.value = 5
    assert list(drawn(discounts)["BPM on the ranking"].y[:6]) == [1, 1, 1, 1, 0, 0]
    discounts.moved.value = 1  # a document without gain takes half a rank of patience
    assert list(drawn(discounts)["BPM on the ranking"].y[:6]) == [1, 1, 1, 0, 0, 0]
    before = drawn(discounts)["IFT on the ranking"].y[0]
    discounts.rate.value = 0.1
    assert drawn(discounts)["IFT on the ranking"].y[0] > before


def test_only_settings_of_curves_in_sight_are_shown(discounts: DiscountExplorer) -> None:
    def seen() -> set[str]:
        return {one.description for one in discounts.settings if one.layout.display != "none"}

    assert seen() == {"RBP: persistence p", "Highest grade"}
    discounts.switches["BPM"].value = True
    new = {"Wanted T", "BPM: patience K", "BPM: dynamic h"}
    assert seen() == {"RBP: persistence p", "Highest grade", *new}
    for curve in ("BPM", "RBP", "ERR"):
        discounts.switches[curve].value = False
    assert seen() == set()
    for switch in discounts.switches.values():
        switch.value = True
    assert seen() == {one.description for one in discounts.settings}


def test_every_curve_can_be_off_and_what_is_off_stops_nothing(discounts: DiscountExplorer) -> None:
    discounts.grades.value = "9"
    assert "max_grade" in discounts.message.value
    discounts.switches["ERR"].value = False
    assert discounts.message.value == ""
    for switch in discounts.switches.values():
        switch.value = False
    assert drawn(discounts) == {}
    assert discounts.attention.shape == (50, 0)


def test_a_curve_that_rises_has_weights_only(discounts: DiscountExplorer) -> None:
    discounts.typed.value = "0.1 0.4"
    discounts.view.value = "going on (C)"
    assert "rises from 0.1 at rank 1" in discounts.message.value
    discounts.switches["own"].value = False
    assert discounts.message.value == ""
    assert drawn(discounts)["RBP"].y[0] == pytest.approx(0.8)


def test_axes_view_and_cutoff(discounts: DiscountExplorer) -> None:
    discounts.axes.value = "logarithmic"
    assert discounts.figure.layout.xaxis.type == "log"
    discounts.view.value = "cumulative"
    assert all(line.y[-1] == 1 for line in drawn(discounts).values())
    discounts.cutoff.value = 5
    assert discounts.figure.layout.shapes[0].x0 == 5.5
    discounts.cutoff.value = 0
    assert discounts.figure.layout.shapes[0].visible is False


def test_the_articles_values_stand_below(discounts: DiscountExplorer) -> None:
    cells = discounts.table.value
    for rank, *values in [(1, "1.00"), (2, "0.50", "0.63"), (50, "0.02", "0.18")]:
        assert f"<th scope='row'>{rank}</th><td>" + "</td><td>".join(values) in cells


def test_what_is_set_can_be_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(DISCOUNTS, "clicks", raising=False)
    rates = pd.Series(np.linspace(0.1, 0.5, 15), index=range(15, 0, -1))
    explorer = rm.explore_discounts(rates, name="clicks")
    wanted = {
        "log2": "nDCG(discount=log2)@10",
        "jarvelin": "nDCG(discount=jarvelin3)@10",
        "RBP": "RBP(p=0.9)@10",
        "ERR": "ERR(max_grade=3)@10",
        "AP": "AP@10",
        "INSQ": "INSQ(max_grade=3)@10",
        "INST": "INST(max_grade=3)@10",
        "BPM": "BPM(max_grade=3)@10",
        "IFT": "IFT(max_grade=3, T=1)@10",
        "own": "nDCG(discount=clicks)@10",
    }
    explorer.persistence.value = 0.9
    for curve, spelled in wanted.items():
        explorer.choice.value = curve
        explorer.take.click()
        assert explorer.spelled.value == explorer.measure == spelled
        frame = pd.DataFrame({"query": "q", "grade": [0, 1], "score": [2, 1]})
        assert rm.evaluate(frame, spelled).mean().notna().all()
    # A Series is read by position, not by row.
    assert DISCOUNTS["clicks"][:2] == pytest.approx([0.5, 0.5 - 0.4 / 14])
    del DISCOUNTS["clicks"]
    explorer.close()


# Coming and going.


@pytest.mark.parametrize("kind", ["queries", "discounts"])
def test_opening_twenty_times_leaves_nothing(kind: str, two: rm.Evaluation) -> None:
    def opened() -> Explorer:
        return two.explore() if kind == "queries" else rm.explore_discounts()

    opened().close()
    gc.collect()
    before, gone = alive(), []
    for _ in range(20):
        explorer = opened()
        gone += [weakref.ref(part) for part in _parts(explorer)]
        explorer.close()
        del explorer
    gc.collect()
    assert alive() == before
    assert {type(one()) for one in gone} == {type(None)}


def test_a_closed_explorer_hears_nothing(two: rm.Evaluation) -> None:
    explorer = two.explore()
    measures, shown = explorer.measures, explorer.measure
    explorer.close()
    measures.value = "RR"
    assert explorer.measure == shown


def test_at_most_two_figures(explorer: QueryExplorer, discounts: DiscountExplorer) -> None:
    explorer.list.step(1)
    explorer.measures.value = "AP"
    assert len(figures(explorer)) == 2
    assert len(figures(discounts)) == 1


def test_a_page_that_is_loaded_again_gets_the_present_state(explorer: QueryExplorer) -> None:
    explorer.choose("q003")
    explorer.measures.value = "RR"
    for figure in figures(explorer):
        state = figure.get_state()
        assert state["_widget_layout"]["yaxis"] == figure.layout.yaxis.to_plotly_json()
        kept = [trace.get("x") for trace in figure._widget_data]
        for one, trace in zip(kept, figure.data, strict=True):
            np.testing.assert_array_equal(one, trace.x)


# Without a kernel, and with names that would be markup.


def test_the_bundle_holds_a_picture_and_says_how_to_get_the_live_one(
    explorer: QueryExplorer, discounts: DiscountExplorer
) -> None:
    for one, hint in ((explorer, "result.explore()"), (discounts, "explore_discounts()")):
        bundle = one._repr_mimebundle_()
        assert set(bundle) == {"text/plain", "text/html", WIDGET_VIEW}
        assert hint in bundle["text/html"]
        assert hint in bundle["text/plain"]
        read = Reader(bundle["text/html"])
        assert not any(tag == "script" for tag, _ in read.tags)
    assert "0.6281" in explorer._repr_mimebundle_()["text/html"]


def test_no_name_becomes_markup() -> None:
    frame = pd.DataFrame(
        {
            EVIL: [EVIL, EVIL],
            "topic": [EVIL, EVIL],
            "doc": [EVIL, "y"],
            "grade": [1, 0],
            "title": [f"{EVIL}t", "z"],
            f"{EVIL}1": [2, 1],
            f"{EVIL}2": [1, 2],
        }
    )
    explorer = rm.evaluate(
        frame, ["RR", "AP"], query=EVIL, score=[f"{EVIL}1", f"{EVIL}2"]
    ).explore()
    for part in _parts(explorer):
        if isinstance(part, ipywidgets.HTML):
            assert "<img" not in part.value
            Reader(part.value)
        if isinstance(part, LiveFigure):
            assert "<img" not in part.to_json()
    html = explorer._repr_mimebundle_()["text/html"]
    assert "<img" not in html
    Reader(html)
    assert explorer.ranking.rows[0]["title"] == f"{EVIL}t"  # text, which the page sets as text
    explorer.close()


def test_every_control_has_a_name(explorer: QueryExplorer, discounts: DiscountExplorer) -> None:
    for one in (explorer, discounts):
        for part in _parts(one):
            if hasattr(part, "description") and not isinstance(part, ipywidgets.HTML):
                assert part.description, part
