"""The quickstart as a person meets it: in JupyterLab, in both themes, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import nbformat
import pytest

from browser import REPOSITORY, Lab, NotebookPage

pytestmark = pytest.mark.browser

QUICKSTART = REPOSITORY / "notebooks" / "01_quickstart.ipynb"
WIDTHS = (1280, 800)

# What is wider than the place it has, so that a person would have to scroll sideways.
CUT = """cell => [...cell.querySelectorAll(".jp-OutputArea-output, .rm-scroll")]
    .filter(place => place.clientWidth > 0 && place.scrollWidth > place.clientWidth + 1)
    .map(place => `${place.scrollWidth} > ${place.clientWidth}: ${place.innerText.slice(0, 60)}`)
"""


def cell_with(text: str) -> int:
    """Return the number of the code cell whose source holds this text."""
    cells = nbformat.read(QUICKSTART, as_version=4).cells
    (number,) = (
        n for n, cell in enumerate(cells) if cell.cell_type == "code" and text in cell.source
    )
    return number


def look_at_all_of_it(page: NotebookPage, name: str) -> None:
    """Take a picture of the whole notebook, not only of what fits a screen."""
    page.page.evaluate("document.activeElement?.blur()")
    # A window as tall as the notebook: all above it, then its cells from first to last.
    tall = page.page.evaluate(
        """() => {
            const cells = [...document.querySelectorAll(".jp-Notebook .jp-Cell")];
            const [first, last] = [cells[0], cells.at(-1)].map(cell => cell.getBoundingClientRect());
            const panel = document.querySelector(".jp-WindowedPanel-outer");
            return Math.ceil(panel.getBoundingClientRect().top + last.bottom - first.top + 60);
        }"""
    )
    size = page.page.viewport_size
    page.page.set_viewport_size({"width": size["width"], "height": min(tall, 12_000)})
    page.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")
    page.page.wait_for_timeout(300)
    page.screenshot(name)
    page.page.set_viewport_size(size)


def show(page: NotebookPage, *, dark: bool, width: int) -> None:
    """Set the theme and the window's width; a narrow window has no file browser."""
    page.set_theme(dark=dark)
    page.page.set_viewport_size({"width": width, "height": 900})
    page.page.evaluate(
        """open => window.jupyterapp.shell[open ? "expandLeft" : "collapseLeft"]()""", width > 1000
    )


def outline(outputs: Callable[[int], list[dict[str, Any]]], cells: int) -> list[list[str]]:
    """Return the kinds of data under every cell."""
    return [
        sorted(kind for output in outputs(n) for kind in output.get("data", {}))
        for n in range(cells)
    ]


def test_the_quickstart_works_and_can_be_looked_at(lab: Lab) -> None:
    page = lab.open(QUICKSTART)
    page.run_all()
    cells = page.cell_count()
    magic, explained = cell_with("--out result"), cell_with("result.explain")

    # What a person sees.
    table = page.cell(magic).locator(".rank-magic table").first
    assert table.is_visible()
    text = page.text(magic)
    for word in ("nDCG@10", "ERR@10", "RR", "AP", "bm25", "minilm"):
        assert word in text
    page.cell(explained).scroll_into_view_if_needed()
    assert "video camera" in page.text(explained)
    assert "Canon Video Cable" in page.text(explained)
    assert page.cell(explained).locator(".rm-real").first.is_visible()

    for dark in (False, True):
        for width in WIDTHS:
            show(page, dark=dark, width=width)
            look_at_all_of_it(page, f"quickstart-{'dark' if dark else 'light'}-{width}")
            for cell in range(cells) if width > 1000 else (explained,):
                assert page.cell(cell).evaluate(CUT) == []

    # What stays.
    show(page, dark=False, width=1280)
    before = outline(page.outputs, cells)
    page.save()
    saved = nbformat.read(page.path, as_version=4)
    assert "widgets" not in saved.metadata
    page.reopen()
    assert outline(page.outputs, cells) == before
    assert page.cell(magic).locator(".rank-magic table").first.is_visible()
    assert page.text(magic) == text
    everything = page.page.locator(".jp-Notebook").inner_text().lower()
    for complaint in ("model not found", "error displaying widget", "loading widget"):
        assert complaint not in everything

    assert page.outside_requests == []
    assert page.errors == page.raised == []
