"""Explorers as people meet them: JupyterLab and Notebook 7 in Chromium, with mouse and keyboard."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, expect

import rank_magic as rm
from browser import PATIENCE, Lab, NotebookPage

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE * 1000)

SHOP = """import rank_magic as rm
shop = rm.datasets.load_electronics()
result = rm.evaluate(shop, score=["bm25", "minilm"])"""
EVIL = "<img src=x onerror=alert(1)>"

# The data of the n-th figure of the page, as lists; None while there are none.
DATA = """number => {
    const plot = document.querySelectorAll(".rm-explorer .js-plotly-plot")[number];
    if (!plot?._fullLayout || !plot.data?.length) return null;
    const list = values => values?._inputArray ? [...values._inputArray] : [...(values ?? [])];
    return {
        traces: plot.data.map(trace => ({
            name: trace.name, x: list(trace.x), y: list(trace.y), visible: trace.visible,
        })),
        x: plot.layout.xaxis.title.text, y: plot.layout.yaxis.title.text,
        type: plot.layout.xaxis.type, width: plot._fullLayout.width, place: plot.clientWidth,
    };
}"""
FITTING = """() => {
    const plots = [...document.querySelectorAll(".rm-explorer .js-plotly-plot")];
    return plots.length > 0 && plots.every(plot => plot.data?.length && plot._fullLayout
        && Math.abs(plot._fullLayout.width - plot.clientWidth) < 3);
}"""
# What is wider than its place and can't be scrolled to.
CUT = """() => [...document.querySelectorAll(".rm-explorer, .rm-explorer *")].filter(node => {
    const style = getComputedStyle(node);
    return node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1
        && ["hidden", "clip"].includes(style.overflowX) && !node.closest("svg, .js-plotly-plot")
        && style.textOverflow !== "ellipsis" && !["SELECT", "INPUT"].includes(node.tagName);
}).map(node => `${node.className}: ${node.innerText?.slice(0, 60)}`)"""
# Milliseconds from a click on the button for the next query until the page shows that query.
NEXT = """() => new Promise(done => {
    const heading = () => document.querySelector(".rm-explorer h4").innerText;
    const before = heading(), start = performance.now();
    const look = () => {
        if (heading() === before) requestAnimationFrame(look);
        else requestAnimationFrame(() => done(performance.now() - start));
    };
    [...document.querySelectorAll(".rm-explorer button")]
        .find(button => button.innerText.trim() === "Next query").click();
    look();
})"""
NAMELESS = re.compile(
    r"^\s*- (button|checkbox|combobox|searchbox|slider|spinbutton|textbox)(?! \")", re.MULTILINE
)


class Explored:
    """The explorer on a page: what can be seen of it, and done to it."""

    def __init__(self, page: NotebookPage) -> None:
        self.page, self.raw = page, page.page
        self.box = self.raw.locator(".rm-explorer")
        self.list = self.box.locator(".rm-list")

    def data(self, figure: int) -> dict[str, Any]:
        """Return what a figure shows, once it shows something."""
        self.raw.wait_for_function(DATA, arg=figure)
        found: dict[str, Any] = self.raw.evaluate(DATA, figure)
        return found

    def sees(self, pattern: str) -> None:
        expect(self.box).to_contain_text(re.compile(pattern))

    def heading(self) -> str:
        return self.box.locator("h4").inner_text()

    def docs(self) -> list[str]:
        """Return the ids of the rows in the list, in order."""
        return self.list.locator("tbody tr").evaluate_all("rows => rows.map(row => row.dataset.id)")

    def values(self, row: str) -> list[str]:
        """Return a row of the table of values."""
        line = self.box.locator(".rm-values tr").filter(has=self.raw.get_by_text(row, exact=True))
        return line.locator("td").all_inner_texts()

    def queries(self) -> Locator:
        return self.box.locator(".dt-container tbody tr")

    def wait_for_docs(self, docs: list[str]) -> None:
        self.raw.wait_for_function(
            """docs => JSON.stringify([...document.querySelectorAll(".rm-list tbody tr")]
                .map(row => row.dataset.id).slice(0, docs.length)) === JSON.stringify(docs)""",
            arg=docs,
        )

    def look(self, name: str, *, height: int) -> None:
        """Take pictures in both themes, wide and narrow, and see that nothing is cut off."""
        for dark in (False, True):
            self.page.set_theme(dark=dark)
            for width in (1280, 800):
                self.raw.set_viewport_size({"width": width, "height": height})
                self.raw.evaluate(
                    "open => window.jupyterapp.shell[open ? 'expandLeft' : 'collapseLeft']()",
                    width > 1000,
                )
                self.raw.wait_for_function(FITTING)
                assert self.raw.evaluate(CUT) == []
                self.page.screenshot(f"{name}-{'dark' if dark else 'light'}-{width}")
        self.raw.set_viewport_size({"width": 1280, "height": 900})


def opened(page: NotebookPage) -> Explored:
    page.run_all()
    page.wait("document.querySelector('.rm-explorer .js-plotly-plot')")
    explored = Explored(page)
    explored.data(0)
    return explored


def clean(page: NotebookPage) -> None:
    assert page.outside_requests == []
    assert page.complaints == []


# Once as it comes, and once where anywidget takes every model for one that took too long.
on_slow_pages_too = pytest.mark.parametrize("hurried", [False, True])


@pytest.fixture(scope="module")
def values() -> pd.DataFrame:
    shop = rm.datasets.load_electronics()
    return rm.evaluate(shop, score=["bm25", "minilm"]).per_query


@on_slow_pages_too
def test_queries_are_brushed_sorted_searched_and_chosen(
    lab: Lab, hurried: bool, values: pd.DataFrame
) -> None:
    page = lab.open(lab.write(SHOP, "result.explore()", name="queries.ipynb"), hurried=hurried)
    it = opened(page)
    bm25 = values["bm25"]
    bars = it.data(0)
    assert sum(bars["traces"][0]["y"]) == 135
    assert bars["x"] == "nDCG@10"
    it.sees("of 135 entries")
    expect(it.queries()).to_have_count(5)
    assert NAMELESS.findall(it.box.aria_snapshot()) == []

    # Brush from about 0.2 to about 0.5 with the mouse.
    area = it.box.locator(".nsewdrag").first.bounding_box()
    assert area
    it.raw.mouse.move(area["x"] + 0.21 * area["width"], area["y"] + area["height"] / 2)
    it.raw.mouse.down()
    it.raw.mouse.move(area["x"] + 0.51 * area["width"], area["y"] + 5, steps=8)
    it.raw.mouse.up()
    it.sees(r"\d+ of 135 queries with a value in this range")
    fields = [it.raw.get_by_label(name, exact=True) for name in ("Values from", "Values to")]
    expect(fields[0]).not_to_have_value("0")
    expect(fields[1]).not_to_have_value("1")
    low, high = (float(field.input_value()) for field in fields)
    assert low == pytest.approx(0.21, abs=0.03)
    assert high == pytest.approx(0.51, abs=0.03)
    count = re.search(r"(\d+) of 135 queries", it.box.inner_text())
    assert count
    between = bm25["nDCG@10"].between(low, high)
    assert int(count[1]) == pytest.approx(between.sum(), abs=2)  # fields round to what they show
    it.raw.get_by_role("button", name="All values").click()
    it.sees("135 of 135 queries")

    # The slider does the same from the keyboard.
    it.raw.get_by_role("slider", name="Values from").focus()
    it.raw.keyboard.press("ArrowRight")
    above = (bm25["nDCG@10"] >= 0.01).sum()
    it.sees(f"{above} of 135 queries with a value")
    it.raw.get_by_role("button", name="All values").click()
    it.sees("135 of 135 queries")

    # Sort by a column, search, choose a row.
    head = it.box.locator("thead th").filter(has_text="minilm AP")
    for order in ("ascending", "descending"):
        head.get_by_role("button").click()
        expect(head).to_have_attribute("aria-sort", order)
    expect(it.queries().first).to_contain_text(f"{values[('minilm', 'AP')].max():.4f}")
    it.box.get_by_role("searchbox").first.fill("laptop")
    it.sees("filtered from 135")
    it.queries().filter(has_text="laptop").first.click()
    expect(it.box.locator("h4")).to_contain_text("laptop")
    query = it.heading().split(" ")[0]
    ndcg = bm25.loc[query, "nDCG@10"]
    expect(it.box.locator(".rm-values")).to_contain_text(f"{ndcg:.4f}")
    it.box.get_by_role("searchbox").first.fill("")

    # Previous and next, and the dropdown, from the keyboard.
    order = bm25["nDCG@10"].sort_values(kind="stable")
    chosen = it.raw.get_by_label("Query", exact=True)
    chosen.select_option(index=60)
    expect(it.box.locator(".rm-values")).to_contain_text(f"{order.iloc[60]:.4f}")
    it.raw.get_by_role("button", name="Next query").focus()
    it.raw.keyboard.press("Enter")
    query = order.index[61]
    expect(it.box.locator("h4")).to_contain_text(query)
    expect(it.box.locator(".rm-values")).to_contain_text(f"{order.iloc[61]:.4f}")
    it.raw.wait_for_function(
        f"""value => Math.abs(({DATA})(1).traces[1].y.reduce((a, b) => a + b, 0) - value) < 1e-9""",
        arg=order.iloc[61],
    )

    # Another measure.
    it.raw.get_by_label("Measure", exact=True).select_option("RR")
    it.raw.wait_for_function(f"({DATA})(0).x === 'RR' && ({DATA})(1).y === 'adds to RR'")
    assert sum(it.data(1)["traces"][1]["y"]) == pytest.approx(bm25.loc[query, "RR"])
    it.look("explorer-queries", height=2700)

    # A page that is loaded again shows the present state.
    page.save()
    page.reload()
    it.raw.wait_for_function(f"({DATA})(0)?.x === 'RR' && ({DATA})(1)?.y === 'adds to RR'")
    assert it.heading().split(" ")[0] == query
    assert sum(it.data(1)["traces"][1]["y"]) == pytest.approx(bm25.loc[query, "RR"])
    assert it.raw.get_by_label("Measure", exact=True).input_value() == "RR"

    # A notebook that is opened another day shows what stands still, and nothing broken.
    page.reopen()
    still = page.cell(1).locator(".rm-static")
    expect(still).to_be_visible()
    expect(still).to_contain_text("result.explore()")
    expect(page.cell(1)).not_to_contain_text("model not found", use_inner_text=True)
    page.screenshot("explorer-reopened")
    clean(page)


@on_slow_pages_too
def test_a_ranking_is_edited_and_every_measure_follows(
    lab: Lab, hurried: bool, values: pd.DataFrame
) -> None:
    page = lab.open(
        lab.write(SHOP, "explorer = result.explore(); explorer.choose('q003'); explorer"),
        hurried=hurried,
    )
    it = opened(page)
    before = values["bm25"].loc["q003"]
    docs = it.docs()
    assert it.values("value") == [f"{value:.4f}" for value in before]

    # Drag the fifth to the first place: what an evaluation of the edited frame would say.
    it.list.locator("tbody tr").nth(4).locator(".rm-rank").drag_to(
        it.list.locator("tbody tr").first.locator(".rm-rank")
    )
    it.wait_for_docs([docs[4], *docs[:4]])
    shop = rm.datasets.load_electronics()
    mine = shop[shop["query_id"] == "q003"].reset_index(drop=True)
    first = mine["bm25"].notna() & (mine.index == int(docs[4]))
    edited = mine.assign(bm25=mine["bm25"].where(~first, mine["bm25"].max() + 1))
    truth = rm.evaluate(edited, score="bm25", max_grade=3).mean()
    assert it.values("before") == [f"{value:.4f}" for value in before]
    assert it.values("now") == [f"{value:.4f}" for value in truth]
    assert it.data(1)["traces"][0]["name"] == "before"
    was, now = (sum(trace["y"]) for trace in it.data(1)["traces"][:2])
    assert (was, now) == pytest.approx((before["nDCG@10"], truth["nDCG@10"]))
    it.look("explorer-what-if", height=2700)

    # By keyboard: down and up again, the button keeps the focus.
    row = it.list.locator("tbody tr").nth(1)
    row.get_by_role("button", name="Move down").focus()
    it.raw.keyboard.press("Enter")
    it.wait_for_docs([docs[4], docs[1], docs[0]])
    it.raw.keyboard.press("Shift+Tab")
    it.raw.keyboard.press("Enter")
    it.wait_for_docs([docs[4], docs[0], docs[1]])

    # Another grade for the first, and back.
    it.raw.get_by_role("button", name="Reset", exact=True).click()
    it.wait_for_docs(docs)
    assert it.values("value") == [f"{value:.4f}" for value in before]
    grade = it.list.get_by_label(re.compile("Grade of rank 1,"))
    other = "0" if grade.input_value() != "0" else "3"
    grade.select_option(other)
    expect(it.box.locator(".rm-values")).to_contain_text("change")
    assert it.list.get_by_label(re.compile("Grade of rank 1,")).input_value() == other
    it.raw.get_by_role("button", name="Reset", exact=True).click()
    expect(it.box.locator(".rm-values")).not_to_contain_text("change")

    # The article's example: RR and AP do not move where nDCG and ERR do.
    it.raw.get_by_label("Example ranking").select_option("grades 3 1 0")
    expect(it.list.locator("tbody tr")).to_have_count(3)
    it.list.locator("tbody tr").nth(1).locator(".rm-rank").drag_to(
        it.list.locator("tbody tr").first.locator(".rm-rank")
    )
    it.wait_for_docs(["1", "0", "2"])
    change = dict(zip(before.index, it.values("change"), strict=True))
    assert change["RR"] == change["AP"] == "does not move"
    assert change["nDCG@10"].startswith("▼")
    assert change["ERR@10"].startswith("▼")
    clean(page)


@on_slow_pages_too
def test_discounts_are_compared_and_taken_over(lab: Lab, hurried: bool) -> None:
    path = lab.write("import rank_magic as rm", "rm.explore_discounts([0.31, 0.17, 0.11])")
    page = lab.open(path, hurried=hurried)
    it = opened(page)
    assert NAMELESS.findall(it.box.aria_snapshot()) == []

    def curve(name: str) -> list[float]:
        return next(t["y"] for t in it.data(0)["traces"] if t["name"].startswith(name))

    assert curve("1 / log2")[:2] == pytest.approx([1, 1 / np.log2(3)])
    assert curve("own curve")[:4] == pytest.approx([1, 17 / 31, 11 / 31, 0])
    slider = it.raw.get_by_role("slider", name="RBP: persistence p")
    slider.focus()
    it.raw.keyboard.press("ArrowRight")
    it.raw.wait_for_function(f"Math.abs(({DATA})(0).traces[3].y[1] - 0.81) < 1e-9")
    field = it.raw.get_by_role("spinbutton", name="RBP: persistence p")
    expect(field).to_have_value("0.81")
    field.fill("0.5")
    field.press("Enter")
    it.raw.wait_for_function(f"Math.abs(({DATA})(0).traces[3].y[1] - 0.5) < 1e-9")
    expect(slider).to_have_value("0.5")

    it.raw.get_by_label("INST on the ranking").check()
    it.raw.wait_for_function(f"({DATA})(0).traces[6].visible === true")
    it.raw.get_by_label("Ranking (grades)").fill("0 3")
    it.raw.keyboard.press("Enter")
    it.raw.wait_for_function(f"Math.abs(({DATA})(0).traces[4].y[2] - 1 / 24) < 1e-9")
    it.raw.get_by_label("Axes", exact=True).select_option("logarithmic")
    it.raw.wait_for_function(f"({DATA})(0).type === 'log'")
    it.look("explorer-discounts", height=1300)
    it.raw.get_by_label("Axes", exact=True).select_option("linear")
    it.raw.get_by_label("View", exact=True).select_option("cumulative")
    it.raw.wait_for_function(f"({DATA})(0).y.startsWith('share')")
    assert curve("1 / r")[-1] == 1

    it.raw.get_by_label("Curve", exact=True).select_option("RBP")
    it.raw.get_by_role("button", name="Take over").click()
    expect(it.raw.get_by_label("Measure", exact=True)).to_have_value("RBP(p=0.5)@10")

    page.save()
    page.reload()
    it.raw.wait_for_function(f"({DATA})(0)?.y.startsWith('share')")
    assert it.raw.get_by_role("spinbutton", name="RBP: persistence p").input_value() == "0.5"
    assert it.data(0)["traces"][6]["visible"] is True
    clean(page)


@on_slow_pages_too
def test_two_systems_are_compared_query_by_query(lab: Lab, hurried: bool) -> None:
    comparing = 'comparison = rm.evaluate(shop, ["nDCG@10", "AP"], score=["bm25", "minilm", "rrf"]).compare()'
    page = lab.open(
        lab.write(f"{SHOP}\n{comparing}", "comparison.explore()", name="systems.ipynb"),
        hurried=hurried,
    )
    it = opened(page)
    shop = rm.datasets.load_electronics()
    wide = rm.evaluate(shop, ["nDCG@10", "AP"], score=["bm25", "minilm", "rrf"]).per_query
    assert NAMELESS.findall(it.box.aria_snapshot()) == []

    def difference(measure: str, system: str) -> pd.Series[float]:
        return wide[(system, measure)] - wide[("bm25", measure)]

    def shows(wanted: pd.Series[float]) -> None:
        signs = [int((np.sign(wanted) == sign).sum()) for sign in (1, 0, -1)]
        it.sees("{:,} wins, {:,} ties, {:,} losses".format(*signs))
        it.raw.wait_for_function(
            f"wanted => JSON.stringify(({DATA})(1)?.traces.map(t => t.x.length)) === wanted",
            arg=str(signs).replace(" ", ""),
        )
        heights = np.concatenate([trace["y"] for trace in it.data(1)["traces"]])
        np.testing.assert_allclose(np.sort(heights), np.sort(wanted), atol=1e-12)

    shows(difference("nDCG@10", "minilm"))
    worst = difference("nDCG@10", "minilm").sort_values(kind="stable").index
    expect(it.box.locator("h4")).to_contain_text(worst[0])
    it.raw.get_by_role("button", name="Next query").click()
    expect(it.box.locator("h4")).to_contain_text(worst[1])
    it.raw.get_by_label("Systems", exact=True).select_option("rrf against bm25")
    shows(difference("nDCG@10", "rrf"))
    it.raw.get_by_label("Measure", exact=True).select_option("AP")
    shows(difference("AP", "rrf"))
    it.box.get_by_role("searchbox").first.fill("q003")
    it.sees("filtered from 135")
    it.queries().filter(has_text="q003").first.click()
    expect(it.box.locator("h4")).to_contain_text("q003")
    it.look("explorer-systems", height=2400)

    page.save()
    page.reload()
    it.raw.wait_for_function(f"({DATA})(1)?.y === 'AP: rrf − bm25'")
    expect(it.box.locator("h4")).to_contain_text("q003")
    page.reopen()
    expect(page.cell(1).locator(".rm-static")).to_contain_text("comparison.explore()")
    clean(page)


@on_slow_pages_too
def test_notebook_7_and_names_that_would_be_markup(lab: Lab, hurried: bool) -> None:
    frame = f"""import pandas as pd, rank_magic as rm
evil = {EVIL!r}
frame = pd.DataFrame({{
    "query": [evil] * 3 + ["plain"], "doc": [evil + "d", "y", "z", "y"], "title": [evil + "t", "b", "c", "d"],
    "image": ["https://example.org/x.png"] * 4, "url": ["javascript:alert(1)"] * 4,
    "grade": [0, 2, None, 1], evil + "1": [3, 2, 2, 1], evil + "2": [1, 2, 3, 1],
}})"""
    page = lab.open(
        lab.write(frame, "frame.rank.explore(score=[evil + '1', evil + '2'])", name="n7.ipynb"),
        notebook7=True,
        hurried=hurried,
    )
    dialogs: list[str] = []
    page.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    it = opened(page)
    it.raw.wait_for_function(FITTING)
    expect(it.list).to_contain_text(f"{EVIL}t")
    expect(it.box.locator("h4")).to_contain_text(EVIL)
    expect(it.queries().first).to_contain_text(EVIL)
    assert it.raw.locator("img[src='x']").count() == 0
    assert it.raw.locator("a[href^=javascript]").count() == 0
    assert it.box.locator("img").count() == 0  # nothing from the web unasked

    it.queries().filter(has_text="plain").click()
    expect(it.box.locator("h4")).to_contain_text("plain")
    it.raw.get_by_role("button", name="Previous query").click()
    expect(it.box.locator("h4")).to_contain_text(EVIL)
    expect(it.list.locator("tbody tr")).to_have_count(3)
    docs = it.docs()
    it.list.locator("tbody tr").nth(1).locator(".rm-rank").drag_to(
        it.list.locator("tbody tr").first.locator(".rm-rank")
    )
    it.wait_for_docs([docs[1], docs[0]])
    it.raw.get_by_label("Measure", exact=True).select_option("AP")
    it.raw.wait_for_function(f"({DATA})(0).x === 'AP'")
    page.screenshot("explorer-notebook7")
    page.save()
    page.reload()
    it.raw.wait_for_function(f"({DATA})(0)?.x === 'AP'")
    it.wait_for_docs([docs[1], docs[0]])
    assert [text for text in dialogs if "leave" not in text.lower() and text] == []
    clean(page)


@pytest.mark.slow
def test_ten_thousand_queries_open_and_change_quickly(
    lab: Lab, capsys: pytest.CaptureFixture[str]
) -> None:
    """A benchmark: the times are printed, and only what is hopeless fails."""
    page = lab.open(
        lab.write(
            "import numpy as np, pandas as pd, rank_magic as rm\n"
            "random = np.random.default_rng(0)\n"
            "frame = pd.DataFrame({'query': np.repeat(np.arange(10_000), 100),\n"
            "    'doc': np.tile(np.arange(100), 10_000), 'grade': random.integers(0, 4, 10**6),\n"
            "    'score': random.random(10**6), 'title': 'a title'})\n"
            "result = rm.evaluate(frame)\nresult.explore().close()",
            "result.explore()",
        )
    )
    page.command("notebook:run-cell-and-select-next")
    page.wait_for_kernel()
    start = time.perf_counter()
    page.run_all()
    it = Explored(page)
    it.raw.wait_for_function(FITTING)
    both = time.perf_counter() - start
    times = []
    client = it.raw.context.new_cdp_session(it.raw)

    def memory() -> tuple[float, float]:
        client.send("HeapProfiler.collectGarbage")
        client.send("Performance.enable")
        found = {m["name"]: m["value"] for m in client.send("Performance.getMetrics")["metrics"]}
        return found["JSHeapUsedSize"] / 2**20, found["Nodes"]

    sizes = []
    for _ in range(3):
        for _ in range(10):
            it.raw.wait_for_timeout(300)  # nobody clicks faster than the page settles
            times += [it.raw.evaluate(NEXT)]
        sizes.append(memory())
    with capsys.disabled():
        print(
            f"\n10,000 queries x 100: measured and opened in {both:.2f} s, a choice takes "
            f"{float(np.median(times)):.0f} ms (median); JavaScript heap after 10, 20, 30 "
            f"choices {', '.join(f'{size:.0f} MB, {nodes:.0f} nodes' for size, nodes in sizes)}"
        )
    assert sizes[2][0] < 1.2 * sizes[0][0] + 5
    assert sizes[2][1] < 1.2 * sizes[0][1]
    assert np.median(times) < 2000
    clean(page)
