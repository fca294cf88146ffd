"""The reference is whole: everything public has its page, and Sphinx has nothing to complain of."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rank_magic as rm

ROOT = Path(__file__).resolve().parents[1]
LISTED = set(
    re.findall(
        r"^   ([\w.]+)$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE
    )
)
MODULES = {"datasets", "errors"}


def test_everything_public_has_its_page() -> None:
    assert set(rm.__all__) - MODULES <= LISTED
    assert {f"datasets.{name}" for name in rm.datasets.__all__} <= LISTED


def test_make_docs_takes_warnings_for_errors() -> None:
    makefile = (ROOT / "Makefile").read_text()
    (recipe,) = re.findall(r"^docs:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert "-W" in recipe


@pytest.mark.slow
def test_pages_are_built_without_a_warning_and_their_links_lead_somewhere(tmp_path: Path) -> None:
    pytest.importorskip("myst_nb")
    pytest.importorskip("numpydoc")
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", "docs", tmp_path],
        cwd=ROOT,
        env={**os.environ, "DOCS_EXECUTE": "off"},
        check=True,
    )
    pages = {page: page.read_text(encoding="utf-8") for page in tmp_path.rglob("*.html")}
    assert len(pages) > 30
    for page, text in pages.items():
        for target in re.findall(r'href="([^"#:?]+)(?:#[^"]*)?"', text):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
