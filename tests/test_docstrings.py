"""Every measure explains itself: formula, range, parameters, conventions, source, example."""

from __future__ import annotations

import doctest
import re

import pytest

from cases import shipped
from rank_magic.measures import Measure

EVERY = pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.name)
SECTIONS = ("Parameters", "Raises", "Notes", "References", "Examples")
RANGE = re.compile(r"In [\[({][01][^.\]]*|From 0 upwards|Of either sign|Per query it is")
# Their own names say what they are, and nobody is known to have named them first.
WITHOUT_SOURCE = {
    "P", "R", "Success", "Judged", "Unjudged", "NumRet", "NumRel", "NumRelRet", "SetP", "SetR",
    "SetF",
}  # fmt: skip


def parts(cls: type[Measure]) -> dict[str, str]:
    """Return a docstring's text by heading; what stands before the first under ''."""
    text = re.sub(r"^ {4}", "", cls.__doc__ or "", flags=re.MULTILINE)
    pieces = re.split(r"^(\w+)\n-+\n", text, flags=re.MULTILINE)
    return {"": pieces[0], **dict(zip(pieces[1::2], pieces[2::2], strict=True))}


@EVERY
def test_it_begins_with_one_line_that_ends_in_a_period(cls: type[Measure]) -> None:
    first, second, *_ = (cls.__doc__ or "").split("\n")
    assert first == first.strip()
    assert first[-1] == "."
    assert len(first) < 95
    assert second == ""
    assert cls.summary() == first


@EVERY
def test_a_formula_and_the_range_follow(cls: type[Measure]) -> None:
    text = parts(cls)[""].split("\n", 1)[1]
    assert re.search(r"\S = \S", text), "no formula"
    assert RANGE.search(" ".join(text.split())), "no range"


@EVERY
def test_every_parameter_is_explained_or_is_another_measures(cls: type[Measure]) -> None:
    given = [field.name for field in cls.parameters()] + (["k"] if cls.cutoff else [])
    text = parts(cls).get("Parameters", "")
    heads = re.findall(r"^(\w[\w, ]*?)(?: : |$)", text, flags=re.MULTILINE)
    named = [name for head in heads for name in head.split(", ")]
    assert sorted(named) == sorted(given)


@EVERY
def test_what_must_be_said_about_tied_scores_is_said(cls: type[Measure]) -> None:
    """Where no closed form is known, values are drawn."""
    drawn = "averaged over 1,000 drawn orders" in " ".join((cls.__doc__ or "").split())
    assert drawn == (not cls.closed_form)


@EVERY
def test_sources_are_named(cls: type[Measure]) -> None:
    assert ("References" in parts(cls)) == (cls.name not in WITHOUT_SOURCE)


@EVERY
def test_sections_are_numpydocs_in_its_order(cls: type[Measure]) -> None:
    headings = [heading for heading in parts(cls) if heading]
    assert headings == [name for name in SECTIONS if name in headings]


@EVERY
def test_an_example_runs_for_every_measure_but_trec_evals_own(cls: type[Measure]) -> None:
    examples = doctest.DocTestParser().get_examples(cls.__doc__ or "")
    assert bool(examples) or cls.name.startswith("trec.")


@EVERY
def test_it_has_a_name_in_words(cls: type[Measure]) -> None:
    assert cls.pretty
    assert cls.pretty[-1] != "."
