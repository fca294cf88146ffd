"""Pytest's plumbing, and what several files ask for: a shell, a JupyterLab (see browser.py)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from browser import Lab, LabServer

IN_CI = os.environ.get("CI") == "true"
FAILED = pytest.StashKey[bool]()

# CI draws the same examples every time, so that a failure there belongs to the change at hand;
# at home each run draws new ones. `--hypothesis-profile=long` is `make test-long`.
settings.register_profile("short", deadline=None, derandomize=IN_CI, print_blob=True)
settings.register_profile(
    "long", settings.get_profile("short"), max_examples=200 if IN_CI else 2000
)
settings.load_profile("short")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Remember for the fixtures whether the test failed."""
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture
def magic_shell() -> Iterator[Any]:
    """A shell with the magics."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "rank_magic")
    yield shell
    shell.run_line_magic("unload_ext", "rank_magic")
    InteractiveShell.clear_instance()


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder],
        cwd=Path(__file__).parents[1],
        check=True,
        capture_output=True,
        text=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the browser; without one these tests are skipped, but in CI they fail."""
    from browser import find_chromium

    path = find_chromium()
    if path is None:
        (pytest.fail if IN_CI else pytest.skip)(
            "No Chromium. Install it (Debian: apt-get install chromium) or set CHROMIUM=/path/to/it."
        )
    return path


@pytest.fixture(scope="session")
def lab_server(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[LabServer]:
    """One JupyterLab for all tests of a worker."""
    from browser import LabServer

    server = LabServer(tmp_path_factory.mktemp("lab"))
    yield server
    server.stop()


@pytest.fixture
def lab(lab_server: LabServer, chromium: str, request: pytest.FixtureRequest) -> Iterator[Lab]:
    """JupyterLab in a browser of this test's own; a failure leaves a picture in test-artifacts/
    and prints what was said out of sight.

    Playwright starts and ends with the test, because while it runs, its event loop does, and
    tests that start one (notebooks run by nbclient) would fail beside it.
    """
    from playwright.sync_api import sync_playwright

    from browser import Lab

    with sync_playwright() as playwright:
        lab = Lab(lab_server, playwright, chromium)
        try:
            yield lab
            if request.node.stash.get(FAILED, False):
                name = re.sub(r"\W+", "-", request.node.name).strip("-")
                for number, page in enumerate(lab.pages):
                    page.screenshot(f"failed-{name}-{number}")
                    print("The browser said", page.errors, "and the kernel raised", *page.raised)
        finally:
            lab.close()
