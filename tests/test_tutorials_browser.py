"""The tutorials with widgets as a person meets them, in JupyterLab."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from playwright.sync_api import expect

from browser import PATIENCE, REPOSITORY, Lab, NotebookPage

pytestmark = pytest.mark.browser
expect.set_options(timeout=PATIENCE * 1000)

FOLDER = REPOSITORY / "notebooks"
# Each with how many explorers it shows.
EXPLORERS = {
    "02_why_map_and_mrr_fail": 1,
    "03_compare_systems": 2,
    "04_position_discounts": 1,
}
COMPLAINTS = ("model not found", "error displaying widget", "loading widget")


def kinds(page: NotebookPage) -> list[list[str]]:
    """Return the kinds of data under every cell."""
    return [
        sorted(kind for output in page.outputs(n) for kind in output.get("data", {}))
        for n in range(page.cell_count())
    ]


def cells_with(page: NotebookPage, text: str) -> list[int]:
    """Return the numbers of the code cells whose source holds this text."""
    cells = nbformat.read(page.path, as_version=4).cells
    return [n for n, cell in enumerate(cells) if cell.cell_type == "code" and text in cell.source]


def show(page: NotebookPage, number: int) -> Any:
    page.cell(number).scroll_into_view_if_needed()
    return page.cell(number)


@pytest.mark.parametrize("name", EXPLORERS)
def test_a_tutorial_runs_shows_its_explorers_and_survives_saving(lab: Lab, name: str) -> None:
    page = lab.open(FOLDER / f"{name}.ipynb")
    page.run_all()
    explored = cells_with(page, "explore")
    assert len(explored) == EXPLORERS[name]
    for number in explored:
        expect(show(page, number).locator(".rm-explorer .js-plotly-plot").first).to_be_visible()
    for number in cells_with(page, "plot"):
        if any("plotly" in kind for kind in kinds(page)[number]):
            expect(show(page, number).locator(".js-plotly-plot").first).to_be_visible()
            page.screenshot(f"tutorial-{name[:2]}-figure-{number}", cell=number)

    assert page.complaints == []

    before = kinds(page)
    page.save()
    assert "widgets" not in nbformat.read(page.path, as_version=4).metadata
    page.reopen()
    assert kinds(page) == before
    for number in explored:  # what stays when there is no kernel that knows the widget
        expect(show(page, number).locator("table").first).to_be_visible()
    everything = page.page.locator(".jp-Notebook").inner_text().lower()
    assert [complaint for complaint in COMPLAINTS if complaint in everything] == []
    assert page.outside_requests == []
    assert page.complaints == []


def test_the_reader_moves_a_document_and_sees_which_measures_notice(lab: Lab) -> None:
    page = lab.open(FOLDER / "02_why_map_and_mrr_fail.ipynb")
    page.run_all()
    (number,) = cells_with(page, "explore")
    box = show(page, number).locator(".rm-explorer")
    box.get_by_label("Example ranking").select_option(label="grades 3 1 0")
    rows = box.locator(".rm-list tbody tr")
    expect(rows).to_have_count(3)
    rows.nth(0).get_by_role("button", name="Move down").click()
    expect(box.locator(".rm-values")).to_contain_text("change")
    page.screenshot("tutorial-02-what-if", cell=number)

    measures = box.locator(".rm-values thead th").all_inner_texts()
    change = box.locator(".rm-values tr").filter(has=page.page.get_by_text("change", exact=True))
    noticed = dict(zip(measures, change.locator("td").all_inner_texts(), strict=True))
    assert list(noticed) == ["RR", "AP", "nDCG@10", "ERR@10"]
    still = "does not move"
    assert [text == still for text in noticed.values()] == [True, True, False, False]
