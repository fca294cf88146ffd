"""The table of all measures is current, and complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rank_magic.measures import REGISTRY, known, parse
from rank_magic.measures.base import SHIPPED
from rank_magic.measures.catalogue import (
    HEADINGS,
    OTHERWISE,
    WITH_PARAMETER,
    catalogue,
    markdown,
)
from rank_magic.measures.foreign import IR_MEASURES

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


def of_ir_measures(measure: str) -> str:
    return {row[0].partition("`")[2].partition("`")[0]: row[5] for row in catalogue()}[measure]


def test_spellings_that_mean_something_else_elsewhere_are_marked() -> None:
    assert of_ir_measures("nDCG@k") == "`nDCG` (linear gain there)"
    assert of_ir_measures("ERR@k") == "`ERR` (max_grade=4 there)"
    assert of_ir_measures("IPrec@k") == "(`IPrec` is `trec.iprec_at_recall` there)"


def test_a_spelling_without_a_mark_means_the_same_to_ir_measures() -> None:
    ir = pytest.importorskip("ir_measures")
    needed = {"cutoff": 5, "recall": 0.1, "max_rel": 3}
    marked = set(OTHERWISE)
    for name in IR_MEASURES:
        theirs = getattr(ir, name)
        given = {key: value for key, value in needed.items() if key in theirs.SUPPORTED_PARAMS}
        if name == "RBP":  # without it nobody computes it there
            given = {"rel": 1}
        meant = parse(theirs(**given))
        # What we read under that name, at the conventions' defaults and with the same scale.
        ours = REGISTRY.get(name.lower())
        scale = {"max_grade": 3, "discount": "log2", "gain": "exp2", "rel": 1}
        same = ours is not None and meant.resolved(scale) == ours(k=meant.k).resolved(scale)
        assert same or name in marked or ours is None, name
        # The same name and parameters: but for negative grades, and for a beta other than 1.
        assert not same or name not in OTHERWISE or name in ("Judged", "SetF"), name


def test_measures_that_others_write_with_a_parameter() -> None:
    ir = pytest.importorskip("ir_measures")
    for name, spelled in WITH_PARAMETER.items():
        assert parse(eval(spelled.strip("`"), vars(ir))).name == name


def test_names_of_trec_eval_are_those_that_are_read() -> None:
    for row in catalogue():
        for name in re.findall(r"`([^`]+)`", row[4]):
            number = {"_k": "_10", "_x": "_0.1"}.get(name[-2:], name[-2:])
            assert f"`{parse(name[:-2] + number).name}" in row[0]
