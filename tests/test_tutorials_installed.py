"""The tutorials as somebody has them who only installed the package, and as pages to pass on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Route, sync_playwright

from browser import ARTIFACTS, CHROMIUM_FLAGS, REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.browser]

NOTEBOOKS = sorted((REPOSITORY / "notebooks").glob("*.ipynb"))
FIGURE, LIVE = "application/vnd.plotly.v1+json", "application/vnd.jupyter.widget-view+json"
# Each code cell that shows something: how high that is on the page.
HEIGHTS = """() => [...document.querySelectorAll(".jp-CodeCell")]
    .map(cell => cell.querySelector(".jp-Cell-outputWrapper"))
    .filter(place => place?.querySelector(".jp-OutputArea-output"))
    .map(place => place.getBoundingClientRect().height)
    .filter(height => height > 0)"""


def has_something(output: Any) -> bool:
    """Return whether an output is more than what a progress bar leaves."""
    return "text" in output or any(output.get("data", {}).values())


@pytest.fixture(scope="module")
def plain(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing but `pip install rank-magic[tutorials]`."""
    folder = tmp_path_factory.mktemp("plain")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    install = [folder / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet"]
    subprocess.run([*install, f"rank-magic[tutorials] @ {wheel.as_uri()}"], check=True)
    return folder / "venv"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_from_a_plain_installation_and_its_page_needs_no_kernel(
    path: Path, plain: Path, chromium: str, tmp_path: Path
) -> None:
    (tmp_path / path.name).write_bytes(path.read_bytes())
    home = {name: str(tmp_path / name) for name in ("IPYTHONDIR", "JUPYTER_DATA_DIR")}
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | home
    for words in (["--execute", "--inplace", "--to", "notebook"], ["--to", "html"]):
        convert = [plain / "bin" / "jupyter", "nbconvert", *words, path.name]
        done = subprocess.run(
            convert, cwd=tmp_path, env=clean, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-3000:]

    cells = nbformat.read(tmp_path / path.name, as_version=4).cells
    shown = [
        cell.outputs
        for cell in cells
        if cell.cell_type == "code" and any(map(has_something, cell.outputs))
    ]
    kinds = [output.get("data", {}).keys() for outputs in shown for output in outputs]
    assert shown
    (script,) = plain.glob("lib/python*/site-packages/plotly/package_data/plotly.min.js")

    def plotly(route: Route) -> None:
        allowed: dict[str, Any] = {"Access-Control-Allow-Origin": "*"}
        route.fulfill(path=script, content_type="text/javascript", headers=allowed)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.route("https://cdn.plot.ly/**", plotly)  # all that comes from elsewhere
        page.goto((tmp_path / f"{path.stem}.html").as_uri())
        figures = page.locator(".js-plotly-plot .main-svg")
        page.wait_for_function(
            "wanted => document.querySelectorAll('.js-plotly-plot').length === wanted",
            arg=sum(FIGURE in kind for kind in kinds),
        )
        assert all(box and box["height"] > 100 for box in (f.bounding_box() for f in figures.all()))
        heights = page.evaluate(HEIGHTS)
        explorers = page.locator(".rm-static:visible").count()
        ARTIFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTIFACTS / f"page-{path.stem}.png", full_page=True)
        browser.close()
    assert len(heights) == len(shown)
    assert min(heights) > 10, "a cell shows nothing"
    assert explorers == sum(LIVE in kind for kind in kinds)
