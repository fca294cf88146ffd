"""All code in the README runs and shows what it says; what it names is there."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from rank_magic.conventions import CHOICES, Conventions
from rank_magic.measures import REGISTRY, parse_all

README = Path(__file__).resolve().parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_the_code_in_the_readme_shows_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)  # it writes files
    before = dict(REGISTRY)
    try:
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        found = doctest.testfile(
            str(README), module_relative=False, optionflags=flags, encoding="utf-8"
        )
    finally:
        REGISTRY.clear()
        REGISTRY.update(before)
    assert found.attempted > 5
    assert found.failed == 0


def test_the_cells_in_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    shop = "import rank_magic as rm\nshop = rm.datasets.load_electronics()"
    book = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code) for code in (shop, *blocks("ipython"))]
    )
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(book, timeout=120, kernel_name="python3", resources=resources).execute()
    assert len(book.cells) > 2
    for cell in book.cells[1:]:
        shown = [output.data.get("text/html", "") for output in cell.outputs]
        assert "DCG" in "".join(shown), cell.source


def test_the_readme_names_the_two_commands() -> None:
    targets = (README.parent / "Makefile").read_text()
    for target in ("lab", "test"):
        assert f"    make {target} " in TEXT
        assert re.search(rf"^{target}:", targets, re.MULTILINE)


def test_every_convention_stands_in_the_readmes_table() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| ")]
    for name in Conventions.names():
        (row,) = (row for row in rows if f"`{name}=" in row)
        words = set(re.findall(r'"(\w+)"', row))
        if name in CHOICES:
            assert words | {getattr(Conventions(), name)} == set(CHOICES[name])
        for word in re.findall(rf'`{name}="(\w+)"', row):
            Conventions(**{name: word})


def test_every_measure_in_the_readmes_table_is_one() -> None:
    (table,) = re.findall(r"^\| family .*?\n\n", TEXT, re.MULTILINE | re.DOTALL)
    named = re.findall(r"`([^`]+)`", table)
    assert len(named) > 20
    parse_all(named)


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert target.startswith("https://") or (README.parent / target).exists(), target
    headings = {
        re.sub(r"[^\w -]", "", line.lstrip("# ")).lower().replace(" ", "-")
        for line in TEXT.splitlines()
        if line.startswith("#")
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", TEXT)) <= headings
