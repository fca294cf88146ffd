"""Figures: what they show is what was measured, whatever the names in it hold."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import rank_magic as rm
from rank_magic.attention import ARTICLE_RANKS, VIEWS, attention, spelling, weights
from rank_magic.discounts import DISCOUNTS
from rank_magic.errors import DataError, MeasureError
from rank_magic.plots import binned, contributions, differences
from rank_magic.plots.style import COLOURS, GREY

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def two() -> rm.Evaluation:
    shop = rm.datasets.load_electronics()
    return rm.evaluate(shop, ["nDCG@10", "RR"], score=["bm25", "minilm"])


# Distributions.


def test_bars_count_every_query_once(two: rm.Evaluation) -> None:
    figure = two.plot.distribution("nDCG@10")
    assert [bars.name for bars in figure.data] == ["bm25", "minilm"]
    for bars in figure.data:
        values = two.per_query[(bars.name, "nDCG@10")]
        for (low, high), count in zip(bars.customdata, bars.y, strict=True):
            last = high == 1.0
            inside = (values >= low) & ((values < high) | (last & (values <= high)))
            assert count == inside.sum()
        assert sum(bars.y) == len(values)


def test_values_without_a_scale_and_values_that_are_missing() -> None:
    bins = binned(np.array([3.0, 5.0, 9.0, math.nan]), unit=False)
    assert (bins.edges[0], bins.edges[-1], bins.counts.sum(), bins.valueless) == (3, 9, 3, 1)
    for odd in ([], [math.nan], [2.0, 2.0]):
        bins = binned(np.array(odd), unit=False)
        assert bins.counts.sum() == len(odd) - bins.valueless
    assert binned(np.array([0.2]), unit=True).edges[[0, -1]].tolist() == [0, 1]


# Contributions.


def test_bars_add_up_to_the_value_and_stand_beside_the_ideal(two: rm.Evaluation) -> None:
    explained = two.explain("q003")
    before, now, ideal = contributions(explained, "nDCG@10").data
    assert list(before.y) == []
    assert sum(now.y) == pytest.approx(explained.values["nDCG@10"])
    assert sum(ideal.y) == pytest.approx(1)
    assert list(now.x) == list(range(1, 11))


@pytest.mark.parametrize(("rows", "step"), [(2, 1), (20, 1), (21, 2), (300, 20), (5000, 50)])
def test_every_tick_is_a_rank(rows: int, step: int) -> None:
    frame = pd.DataFrame({"query": "a", "doc": range(rows), "grade": 1, "score": range(rows)})
    figure = rm.evaluate(frame, "AP").plot.contributions()
    assert (figure.layout.xaxis.tick0, figure.layout.xaxis.dtick) == (0, step)


def test_a_ranking_without_results_can_be_drawn() -> None:
    frame = pd.DataFrame({"query": "a", "doc": ["x"], "grade": [1], "score": [None]})
    figure = rm.evaluate(frame, "nDCG").plot.contributions()
    assert list(figure.data[1].y) == []
    assert list(figure.data[2].y) == [1]


# Differences.


def test_differences_are_sorted_and_counted(two: rm.Evaluation) -> None:
    figure = two.plot.differences("RR")
    wide = two.per_query.xs("RR", axis=1, level="measure")
    truth = (wide["minilm"] - wide["bm25"]).sort_values(ascending=False)
    drawn = pd.Series(
        {x: y for bars in figure.data for x, y in zip(bars.x, bars.y, strict=True)}
    ).sort_index()
    assert drawn.tolist() == truth.tolist()
    assert [bars.name for bars in figure.data] == [
        f"{(truth > 0).sum()} wins", f"{(truth == 0).sum()} ties", f"{(truth < 0).sum()} losses",
    ]  # fmt: skip
    other = two.plot.differences("RR", systems=["minilm", "bm25"])
    assert other.data[0].name == f"{(truth < 0).sum()} wins"


def test_differences_are_of_two(two: rm.Evaluation) -> None:
    with pytest.raises(DataError, match="Two systems are compared here"):
        two.plot.differences(systems=["bm25"])
    with pytest.raises(DataError, match="no system 'bm52'"):
        two.plot.differences(systems=["bm25", "bm52"])
    with pytest.raises(MeasureError, match="ERR was not measured here"):
        two.plot.distribution("ERR")
    assert len(differences(pd.DataFrame({"a": [], "b": []}, dtype=float), "RR").data) == 3


# Attention.


def test_the_articles_table_of_discounts() -> None:
    table = attention(["reciprocal", "log2"], depth=50).loc[list(ARTICLE_RANKS)].round(2)
    assert table["reciprocal"].tolist() == [1, 0.5, 0.2, 0.1, 0.02]
    assert table["log2"].tolist() == [1, 0.63, 0.39, 0.29, 0.18]


def test_weights_of_measures_give_their_values() -> None:
    grades = [2, 0, 3, 0, 1, 0, 0]
    frame = pd.DataFrame({"query": "q", "grade": grades})
    gains = {
        "AP": np.array(grades) >= 1,
        "RBP(p=0.9)": np.array(grades) >= 1,
        "INST(T=2, max_grade=3)": np.array(grades) / 3,
        "INSQ(T=2, max_grade=3)": np.array(grades) / 3,
        "ERR(max_grade=3)": (2.0 ** np.array(grades) - 1) / 8,
        "EBU(max_grade=4)": (2.0 ** np.array(grades) - 1) / 16,
        "RR": np.array(grades) >= 1,
        "RBP(horizon=3)": np.array(grades) >= 1,
        "BPM(T=3, K=4, hb=0.5, hc=1, max_grade=3)": np.array(grades) / 3,
        "IFT(max_grade=3)": np.array(grades) / 3,
        "AP(denominator=min)@2": np.array(grades) >= 1,
        "INST(T=2, max_grade=3)@3": np.array(grades) / 3,
        "ERR(max_grade=3)@3": (2.0 ** np.array(grades) - 1) / 8,
        "DCG@3": 2.0 ** np.array(grades) - 1,
        "DCG(discount=reciprocal)": 2.0 ** np.array(grades) - 1,
    }
    truth = rm.evaluate(frame, list(gains), order="rows").mean()
    for name, gain in gains.items():
        given = weights(name, grades=grades, depth=len(grades))
        assert (given * gain).sum() == pytest.approx(truth[str(rm.parse(name))]), name


FAMILY = [
    "RBP", "RBP(p=0.3, gains=graded)", "RBP(horizon=3)", "RBP@4", "RBP(p=0.00001)", "INSQ(T=2)",
    "INSQ(horizon=3)", "INST(T=2)", "INST(T=2)@3", "BPM(T=1.5, K=4)", "BPM(hb=1, hc=0.5, K=4)",
    "IFT", "IFT(model=goal)", "IFT(model=rate)@5",
]  # fmt: skip
GRADES = [0, 1, 0, 3, 0, 2, 0, 0]


@pytest.mark.parametrize("name", FAMILY)
def test_views_of_the_family_are_those_of_its_explanations(name: str) -> None:
    frame = pd.DataFrame({"query": "q", "grade": GRADES})
    parts = rm.evaluate(frame, name, order="rows").explain().parts[str(rm.parse(name))]
    for view, letter in VIEWS.items():
        seen = weights(name, grades=GRADES, depth=len(GRADES), view=view)
        explained = parts[letter].reindex(range(1, len(GRADES) + 1), fill_value=0)
        assert seen == pytest.approx(explained.to_numpy(), abs=1e-12), view
    # With neither end nor cutoff, one follows from another: L = (1 − C) Π C, W falls as Π C does.
    if "horizon" not in name and "@" not in name:
        weight, going, last = (weights(name, grades=GRADES, depth=8, view=v) for v in VIEWS)
        reach = np.concatenate([[1.0], np.cumprod(going)[:-1]])
        assert last == pytest.approx(reach * (1 - going), abs=1e-12)
        assert weight == pytest.approx(weight[0] * reach, abs=1e-12)


def test_views_of_static_readers_are_their_closed_forms() -> None:
    rank = np.arange(1.0, 31)
    truth = {
        ("RBP(p=0.7)", "weight"): 0.3 * 0.7 ** (rank - 1),
        ("RBP(p=0.7)", "continuation"): np.full(30, 0.7),
        ("RBP(p=0.7)", "last"): 0.3 * 0.7 ** (rank - 1),
        ("INSQ(T=2)", "continuation"): ((rank + 3) / (rank + 4)) ** 2,
        ("INSQ(T=2)", "last"): (4 / (rank + 3)) ** 2 - (4 / (rank + 4)) ** 2,
        ("INST(T=2)", "continuation"): ((rank + 3) / (rank + 4)) ** 2,  # nothing was found
        ("BPM(K=5)", "weight"): (rank <= 5) / 5,
        ("BPM(K=5)", "continuation"): rank < 5,
        ("BPM(K=5)", "last"): rank == 5,
        ("log2", "continuation"): np.log2(rank + 1) / np.log2(rank + 2),
        ("nDCG@3", "last"): (1 / np.log2(rank + 1) - 1 / np.log2(rank + 2)) * (rank <= 3),
        ("reciprocal", "last"): 1 / rank - 1 / (rank + 1),
        ("geometric0.7", "continuation"): np.full(30, 0.7),
        ("none", "last"): np.zeros(30),
        ("EBU", "continuation"): np.full(30, 0.9),
        ("RR", "weight"): 1 / rank,
        ("RR", "last"): np.zeros(30),
    }
    for (name, view), value in truth.items():
        seen = weights(name, depth=30, view=view)
        assert seen == pytest.approx(value.astype(float), abs=1e-12), (name, view)


def test_views_of_readers_who_look_at_the_ranking() -> None:
    grades = [0, 1, 0, 3]
    satisfied = np.array([0, 1 / 8, 0, 7 / 8])
    reach = np.array([1, 1, 7 / 8, 7 / 8])
    for name, going in (("ERR", 1 - satisfied), ("EBU", 0.9 * (1 - satisfied))):
        tired = np.array([1, 1, 1, 1]) if name == "ERR" else 0.9 ** np.arange(4)
        chance = {view: weights(name, grades=grades, depth=4, view=view) for view in VIEWS}
        assert chance["continuation"] == pytest.approx(going)
        assert chance["last"] == pytest.approx(reach * tired * (1 - going))
    assert weights("RR", grades=grades, depth=4, view="last").tolist() == [0, 1, 0, 0]
    assert weights("RR", grades=grades, depth=4).tolist() == [1, 0.5, 0, 0]
    # The reader of AP stops at relevant documents, in proportion to 1 / rank.
    assert weights("AP", grades=grades, depth=4, view="last") == pytest.approx([0, 2 / 3, 0, 1 / 3])
    going = weights("AP", grades=grades, depth=4, view="continuation")
    assert going == pytest.approx([1, 1 / 3, 1, 0])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["AP", "ERR", "INST", "IFT", "BPM(K=3)", "RBP", "log2", "RR"])
def test_how_far_one_looks_changes_nothing_above(name: str, view: str) -> None:
    grades = [1, 0, 2, 0, 0, 3]
    near, far = (weights(name, grades=grades, depth=depth, view=view) for depth in (3, 40))
    assert near == pytest.approx(far[:3], abs=1e-12)


def test_beyond_a_cutoff_and_a_horizon_nothing_counts() -> None:
    named = ["RBP", "INSQ", "INST", "BPM(K=9)", "IFT", "ERR", "RR", "AP", "nDCG", "SDCG", "EBU"]
    for view in VIEWS:
        table = attention([f"{name}@3" for name in named], grades=[0] * 5 + [1], depth=6, view=view)
        assert (table.loc[4:] == 0).all(axis=None)
    table = attention(["RBP(horizon=3)", "INSQ(horizon=3)"], depth=6)
    assert table["RBP(horizon=3)"].tolist() == pytest.approx([1, 0.8, 0.64, 0, 0, 0])
    assert (table.loc[4:] == 0).all(axis=None)


def test_every_persistence_that_can_be_measured_can_be_drawn() -> None:
    for p in (1e-9, 1e-5, 0.5, 1 - 1e-9):
        name = rm.measures.RBP(p=p)
        assert weights(name, depth=3) == pytest.approx([(1 - p) * p**r for r in range(3)])
        assert attention(name, depth=3).iloc[:, 0].tolist() == pytest.approx([1, p, p**2])


def test_chances_are_drawn_as_they_are() -> None:
    plot = pd.DataFrame().rank.plot
    going = plot.discounts(["RBP(p=0.5)", "log2"], depth=4, view="continuation")
    assert going.data[0].y.tolist() == [0.5] * 4
    assert going.layout.yaxis.title.text == "chance of going on to the next rank"
    last = plot.discounts("RBP(p=0.5)", depth=4, view="last")
    assert last.data[0].y.tolist() == [0.5, 0.25, 0.125, 0.0625]
    assert last.layout.yaxis.title.text == "chance that it is the last rank"
    stopped = plot.discounts("RBP(p=0.5)", depth=4, view="last", cumulative=True)
    assert stopped.data[0].y.tolist() == [0.5, 0.75, 0.875, 0.9375]
    assert stopped.layout.yaxis.title.text == "share of readers who have stopped"


def test_views_that_are_none_say_so() -> None:
    with pytest.raises(
        MeasureError, match=r"'weight' \(W\), 'continuation' \(C\), 'last' \(L\), n"
    ):
        weights("RBP", view="C")
    with pytest.raises(MeasureError, match="can't be added up"):
        attention(view="continuation", cumulative=True)
    for view in ("continuation", "last"):
        with pytest.raises(MeasureError, match=r"rises from 0.1 at rank 1 to 0.4 at rank 2"):
            attention([], own=[0.1, 0.4], view=view)
        with pytest.raises(MeasureError, match="Known are discounts, and AP, BPM, Cascade,"):
            weights("bpref", view=view)
    assert attention([], own=[0, 0], depth=2, view="last")["own"].tolist() == [0, 0]
    assert attention([], own=[0.4, 0.1], depth=3, view="continuation")["own"].tolist() == [
        0.25,
        0,
        0,
    ]


def test_what_is_cumulative_ends_in_everything() -> None:
    table = attention(own=pd.Series([0.1, 0.4], index=[2, 1]), depth=20, cumulative=True)
    assert (table.iloc[-1][["log2", "RBP", "own"]] == 1).all()
    assert table["own"].tolist()[:3] == pytest.approx([0.8, 1, 1])
    assert (table.diff().dropna() >= 0).all(axis=None)


def test_what_can_be_drawn_can_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DISCOUNTS, "clicks", [0.5] * 11)
    assert spelling("log2", 10) == "nDCG(discount=log2)@10"
    assert spelling("jarvelin3") == "nDCG(discount=jarvelin3)"
    assert spelling("ERR(max_grade=4)", 20) == "ERR(max_grade=4)@20"
    assert spelling("own", 5, own=[0.5, 0.25]) == "nDCG(discount=[0.5, 0.25])@5"
    assert spelling("own", own=[0.5] * 11, name="clicks") == "nDCG(discount=clicks)"
    for curve in ("log2", "jarvelin3", "RBP(p=0.9)", "INST", "AP"):
        assert str(rm.parse(spelling(curve, 10))) == spelling(curve, 10)


def test_what_cannot_be_drawn_says_so() -> None:
    with pytest.raises(MeasureError, match="bpref assumes about attention can't be drawn"):
        weights("bpref")
    with pytest.raises(MeasureError, match="No discount is called 'lag2'"):
        weights("lag2")
    with pytest.raises(DataError, match="Grades must be finite"):
        weights("ERR", grades=[1, -1])
    with pytest.raises(DataError, match="depth must be at least 1"):
        weights("log2", depth=0)
    with pytest.raises(DataError, match=r"whole number of ranks, not 2\.5"):
        weights("log2", depth=2.5)
    with pytest.raises(DataError, match=r"Grades must be finite numbers.*not 'a'"):
        weights("ERR", grades=[1, "a"])


def test_every_curve_differs_by_more_than_its_colour() -> None:
    figure = pd.DataFrame().rank.plot.discounts(own=[1, 0.5], grades=[3, 2], depth=10, cutoff=3)
    looks = [(line.line.dash, line.marker.symbol) for line in figure.data]
    colours = [line.line.color for line in figure.data]
    assert len(set(zip(colours, looks, strict=True))) == len(looks)
    assert all(one[0] != other[0] for one, other in itertools.pairwise(looks))
    assert figure.layout.shapes[0].x0 == 3.5


def test_logarithmic_axes_leave_zeros_out() -> None:
    figure = pd.DataFrame().rank.plot.discounts([], own=[1, 0], depth=3, logarithmic=True)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    assert np.isnan(figure.data[0].y).tolist() == [False, True, True]


# All of them.


def every_figure() -> list[go.Figure]:
    frame = pd.DataFrame(
        {
            EVIL: [EVIL] * 2 + ["b"] * 2,
            "doc": [EVIL, "y", EVIL, "y"],
            "grade": [1, 0, 0, 1],
            f"{EVIL}1": [2, 1, 2, 1],
            f"{EVIL}2": [1, 2, 1, 2],
        }
    )
    roles = {"query": EVIL, "score": [f"{EVIL}1", f"{EVIL}2"]}
    plot = frame.rank.using(**roles).plot
    return [
        plot.distribution("RR"),
        plot.contributions(EVIL, "RR"),
        plot.differences("RR"),
        plot.discounts(grades=[1, 0]),
    ]


def test_names_are_never_markup() -> None:
    for figure in every_figure():
        assert "<img" not in figure.to_json()


def test_backgrounds_are_transparent_and_colours_are_seen_on_white_and_on_dark() -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    for colour in (*COLOURS, GREY):
        assert 1.05 / (luminance(colour) + 0.05) >= 3 - 0.12, colour
        assert (luminance(colour) + 0.05) / (luminance("#111111") + 0.05) >= 3, colour
    for figure in every_figure():
        assert figure.layout.paper_bgcolor == figure.layout.plot_bgcolor == "rgba(0, 0, 0, 0)"
        assert figure.layout.font.color == GREY


def test_figures_can_be_saved(two: rm.Evaluation, tmp_path: Path) -> None:
    two.plot.distribution().write_html(tmp_path / "f.html")
    assert "nDCG@10" in (tmp_path / "f.html").read_text()
    json.loads(two.plot.distribution().to_json())
