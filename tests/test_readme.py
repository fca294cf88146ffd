"""All code in the README runs and shows what it says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from rank_magic.measures import REGISTRY

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_code_in_the_readme_shows_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    before = dict(REGISTRY)
    try:
        flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
        found = doctest.testfile(str(README), module_relative=False, optionflags=flags)
    finally:
        REGISTRY.clear()
        REGISTRY.update(before)
    assert found.attempted > 5
    assert found.failed == 0


def test_the_readme_names_the_two_commands() -> None:
    text = README.read_text()
    assert "make lab" in text
    assert "make test" in text
