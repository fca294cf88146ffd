"""The table of all measures is current, and complete."""

from __future__ import annotations

from pathlib import Path

import pytest

from rank_magic.measures import known
from rank_magic.measures.base import SHIPPED
from rank_magic.measures.catalogue import HEADINGS, catalogue, markdown

MEASURES = Path(__file__).resolve().parents[1] / "MEASURES.md"


def test_the_table_is_current() -> None:
    assert MEASURES.read_text() == markdown(), (
        "MEASURES.md is out of date: python -m rank_magic.measures.catalogue MEASURES.md"
    )


def test_every_measure_that_ships_has_a_row() -> None:
    rows = list(catalogue())
    names = {row[0].partition("`")[2].partition("`")[0].removesuffix("@k") for row in rows}
    assert names == {cls.name for cls in known() if cls.name.lower() in SHIPPED}
    assert all(len(row) == len(HEADINGS) for row in rows)


def test_spellings_that_mean_something_else_elsewhere_are_marked() -> None:
    rows = {row[0]: row[-1] for row in catalogue()}
    assert rows["`nDCG@k`"] == "`nDCG` (linear gain there)"
    assert rows["`ERR@k`"] == "`ERR` (max_grade=4 there)"


@pytest.mark.parametrize("cls", [c for c in known() if c.name.lower() in SHIPPED], ids=str)
def test_every_parameter_is_documented(cls: type) -> None:
    text = cls.__doc__ or ""
    if "As for" in text or "left as they are" in text:
        return
    missing = [field.name for field in cls.parameters() if field.name not in text]
    assert missing == []
