"""Every measure explains itself: formula, range, parameters, conventions, source, example."""

from __future__ import annotations

import dataclasses
import doctest
import re
from collections.abc import Iterator
from typing import Any

import pytest

from cases import shipped
from rank_magic.measures import Measure
from rank_magic.measures.parameters import within

EVERY = pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.name)
SECTIONS = ("Parameters", "Raises", "Notes", "References", "Examples")
RANGE = re.compile(r"In [\[({][01][^.\]]*|From 0 upwards|Of either sign|Per query it is")


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


def fields(cls: type[Measure]) -> list[dataclasses.Field[Any]]:
    """Return the parameters that a measure takes, the cutoff if there is one among them."""
    return [field for field in dataclasses.fields(cls) if field.name != "k" or cls.cutoff]


def entries(cls: type[Measure]) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the type and the text of each parameter's entry."""
    pieces = re.split(r"^(\S.*)\n", parts(cls).get("Parameters", ""), flags=re.MULTILINE)
    for head, text in zip(pieces[1::2], pieces[2::2], strict=True):
        names, _, type_ = head.partition(" : ")
        for name in names.split(", "):
            yield name, type_, " ".join(text.split())


def type_of(field: dataclasses.Field[Any]) -> str:
    """Return how a parameter's type is written."""
    about = field.metadata
    optional = ", optional" if field.default is None else ""
    if about["kind"] in ("gain", "satisfaction"):
        return f"str, mapping or callable{optional}"
    if about["kind"] == "discount":
        return f"str, sequence or callable{optional}"
    if about["choices"]:
        return "{" + ", ".join(f'"{choice}"' for choice in about["choices"]) + "}"
    return ("int" if about["kind"] == "whole" or field.name == "k" else "float") + optional


@EVERY
def test_every_parameter_is_explained_once_and_no_other(cls: type[Measure]) -> None:
    named = [name for name, _, _ in entries(cls)]
    assert sorted(named) == sorted(field.name for field in fields(cls))


@EVERY
def test_every_parameters_type_is_stated_as_it_is_declared(cls: type[Measure]) -> None:
    stated = {name: type_ for name, type_, _ in entries(cls)}
    assert stated == {field.name: type_of(field) for field in fields(cls)}


@EVERY
def test_every_parameters_range_is_stated_as_it_is_declared(cls: type[Measure]) -> None:
    """In the words that errors use; where it may be a name, every name."""
    stated = {name: text for name, _, text in entries(cls)}
    for field in fields(cls):
        about, text = field.metadata, stated[field.name]
        assert within(about["low"], about["high"]).removeprefix("of ") in text, field.name
        if about["kind"] == "satisfaction":
            assert all(f'``"{name}"``' in text for name in about["choices"])
        assert not re.match(r"As for", text), "refers to another measure"


@EVERY
def test_what_must_be_said_about_tied_scores_is_said(cls: type[Measure]) -> None:
    """Where no closed form is known, values are drawn."""
    drawn = "averaged over 1,000 drawn orders" in " ".join((cls.__doc__ or "").split())
    assert drawn == (not cls.closed_form)


@EVERY
def test_a_source_is_named_with_its_year_and_trec_evals_own_by_file(cls: type[Measure]) -> None:
    source = parts(cls)["References"]
    file = re.search(r"trec_eval 10, m_\w+\.c", source)
    assert file or re.search(r"\b(19|20)\d\d\b", source)
    assert file or not cls.name.startswith("trec.")


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
