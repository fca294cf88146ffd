"""The README's pictures are of the real thing: taken here, in JupyterLab, from what a cell shows.

``PICTURES=1 make test PYTEST_ARGS='-k pictures'`` renews those in docs/pictures/.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from browser import PATIENCE, Lab

REPOSITORY = Path(__file__).resolve().parents[1]
PICTURES = REPOSITORY / "docs" / "pictures"
LIGHT = 250_000  # bytes
HIGHEST = 1400  # pixels: what does not fit on a screen nobody looks at

SHOP = """import rank_magic as rm
%load_ext rank_magic
shop = rm.datasets.load_electronics()"""
CELLS = {
    "table": "%rankeval shop ndcg@10 err@10 mrr map --score bm25 --score minilm --score rrf",
    "queries": "rm.evaluate(shop, 'ndcg@10 err@10 mrr map', score='bm25').explore()",
    "discounts": "rm.explore_discounts()",
}
DRAWN = """() => {
    const plots = [...document.querySelectorAll(".rm-explorer .js-plotly-plot")];
    return plots.length > 0 && plots.every(plot => plot.data?.length && plot._fullLayout);
}"""


@pytest.mark.browser
@pytest.mark.parametrize("name", CELLS)
def test_what_the_picture_shows_is_there(name: str, lab: Lab) -> None:
    page = lab.open(lab.write(SHOP, CELLS[name]))
    # High, so that all of it is in sight; the table is made for narrow places.
    page.page.set_viewport_size({"width": 1000 if name == "table" else 1280, "height": 2800})
    page.page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.run_all()
    if name == "table":
        # A progress bar may have come and gone before it, on a busy machine.
        what = page.cell(1).locator(".jp-OutputArea-output").filter(has_text="nDCG@10").first
        expect(what).to_be_visible(timeout=PATIENCE * 1000)
    else:
        page.wait(f"({DRAWN})()")
        what = page.page.locator(".rm-explorer").first
        if name == "queries":
            what.get_by_label("Query", exact=True).select_option(label="q034 · video camera")
            expect(what.locator("h4")).to_contain_text("video camera")
            expect(what.locator(".rm-list")).to_contain_text("cable")
        page.page.wait_for_timeout(1000)  # the figure's last animation
    place = what.bounding_box()
    assert place is not None
    taken = page.screenshot(f"readme-{name}")
    page.page.screenshot(path=taken, clip={**place, "height": min(place["height"], HIGHEST)})
    assert 5_000 < taken.stat().st_size < LIGHT
    if os.environ.get("PICTURES"):
        shutil.copy(taken, PICTURES / f"{name}.png")


@pytest.mark.parametrize("name", CELLS)
def test_the_readme_shows_it_with_a_text_for_those_who_cannot_see_it(name: str) -> None:
    picture = PICTURES / f"{name}.png"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < LIGHT
    text = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    (alt,) = [
        part.partition("](")[0].rpartition("![")[2]
        for part in text.split("\n\n")
        if f"](docs/pictures/{name}.png)" in part
    ]
    assert len(alt.split()) > 3
