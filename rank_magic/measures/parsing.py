"""Measures written as text: ``nDCG@10``, ``ERR(max_grade=4)@20``, ``RBP(p=0.8)``."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rank_magic.errors import MeasureError, did_you_mean, listed
from rank_magic.measures.base import NAME, REGISTRY, Measure, spellings
from rank_magic.measures.foreign import from_ir_measures, is_foreign
from rank_magic.measures.trec_names import trec_measure, trec_names

__all__ = ["DEFAULT_MEASURES", "MeasureLike", "find", "known", "parse", "parse_all"]

MeasureLike: TypeAlias = str | Measure | type[Measure]

DEFAULT_MEASURES = ("nDCG@10", "ERR@10", "RR", "AP")

SHAPE = re.compile(rf"\s*(?P<name>{NAME})\s*(?:\((?P<inside>.*)\))?\s*(?:@\s*(?P<cutoff>\S+))?\s*")


def known() -> list[type[Measure]]:
    """Return every known measure, in the order of definition."""
    return list(dict.fromkeys(REGISTRY.values()))


def find(name: str) -> type[Measure]:
    """Return the measure of that name, letter case aside.

    Raises
    ------
    MeasureError
        If there is none, naming the nearest.
    """
    try:
        return REGISTRY[name.lower()]
    except KeyError:
        names = [spelling for cls in known() for spelling in spellings(cls)] + trec_names()
        advice = did_you_mean(name, names) or f" Known are {listed(sorted(names), 40)}."
        if trec_measure(f"trec.{name}") is not None:
            advice = f" trec_eval's is written trec.{name}."
        raise MeasureError(f"No measure is called {name!r}.{advice}") from None


def parse(text: MeasureLike) -> Measure:
    """Read one measure.

    Parameters
    ----------
    text : str or Measure
        ``NAME``, ``NAME@CUTOFF`` or ``NAME(PARAMETER=VALUE, ...)@CUTOFF``, letter case aside,
        or a name of trec_eval's. A measure is returned as it is; one of ir_measures is
        converted with its own meaning.

    Returns
    -------
    Measure
        It prints back as it is read: ``parse(str(m)) == m``.

    Raises
    ------
    MeasureError
        If the name or a parameter is unknown, or a value is out of range.

    Examples
    --------
    >>> import rank_magic as rm
    >>> rm.parse("ndcg@10")
    nDCG@10
    >>> rm.parse("AP(rel=2, denominator=min)@100")
    AP(rel=2, denominator=min)@100
    """
    if isinstance(text, Measure):
        return text
    if isinstance(text, type) and issubclass(text, Measure):
        return text()
    if is_foreign(text):
        return make(*from_ir_measures(text))
    if not isinstance(text, str):
        raise MeasureError(f"A measure is written as text, such as 'nDCG@10', not {text!r}.")
    match = SHAPE.fullmatch(text)
    if match is None:
        raise MeasureError(
            f"{text!r} can't be read as a measure. Write NAME, NAME@10 or "
            f"NAME(parameter=value)@10, such as 'nDCG(gain=linear)@10'."
        )
    pairs = list(_arguments(match["inside"], text)) if match["inside"] else []
    if match["cutoff"] is not None:
        pairs.append(("k", _literal(match["cutoff"])))
    cls, meant = _named(match["name"])
    if "k" in meant:
        pairs.append(("k", meant.pop("k")))
    for name, number in Counter(name for name, _ in pairs).items():
        if number > 1:
            raise MeasureError(f"{text!r} says twice what {name} is. Say it once.")
    return make(cls, {**meant, **dict(pairs)})


def _named(name: str) -> tuple[type[Measure], dict[str, Any]]:
    """Return the measure of that name, and the parameters that a name of trec_eval's implies."""
    if name.lower() not in REGISTRY and (of_trec := trec_measure(name)):
        return of_trec[0], dict(of_trec[1])
    return find(name), {}


def make(cls: type[Measure], given: Mapping[str, Any]) -> Measure:
    """Make a measure with parameters, naming the known ones when one is not."""
    names = [field.name for field in dataclasses.fields(cls)]
    for name in given:
        if name not in names:
            takes = listed(name for name in names if name != "k" or cls.cutoff)
            raise MeasureError(
                f"{cls.name} has no parameter {name!r}. "
                + (f"It takes {takes}." if takes else "It takes none.")
                + did_you_mean(name, names)
            )
    return cls(**given)


def parse_all(measures: MeasureLike | Iterable[MeasureLike] | None) -> list[Measure]:
    """Read one measure or several, in order, each once; the default set when None.

    A string may hold several, separated by spaces or commas.
    """
    if isinstance(measures, Measure):
        return [measures]
    if measures is None:
        measures = DEFAULT_MEASURES
    if isinstance(measures, str):
        measures = split(measures)
    elif not isinstance(measures, Iterable):
        measures = [measures]
    found = list(dict.fromkeys(parse(measure) for measure in measures))
    for name, number in Counter(map(str, found)).items():
        if number > 1:
            raise MeasureError(
                f"{number} different measures are all written {name}. Give their gains or "
                f"discounts names: rank_magic.register_gain('mine', ...), gain='mine'."
            )
    if not found:
        raise MeasureError(f"No measure was named. Name some, such as {listed(DEFAULT_MEASURES)}.")
    return found


def split(text: str) -> Sequence[str]:
    """Split text at spaces and commas outside brackets and away from an ``@``."""
    return [part for part in _split(re.sub(r"\s*@\s*", "@", text), ", \t\n") if part]


def _split(text: str, at: str) -> Iterator[str]:
    depth, part = 0, ""
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0 and letter in at:
            yield part
            part = ""
        else:
            part += letter
    yield part


def _arguments(inside: str, text: str) -> Iterator[tuple[str, Any]]:
    for argument in _split(inside, ","):
        name, equals, value = argument.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise MeasureError(
                f"{argument.strip()!r} in {text!r} can't be read. Parameters are written "
                f"name=value, separated by commas, such as 'AP(rel=2, denominator=min)'."
            )
        yield name.strip(), _literal(value.strip())


def _literal(text: str) -> Any:
    """Read a number, a table or a list; anything else is a word."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
