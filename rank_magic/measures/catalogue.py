"""The table of all measures, made from the measures themselves.

``python -m rank_magic.measures.catalogue MEASURES.md`` writes it anew.
"""

from __future__ import annotations

import dataclasses
import math
import sys
from collections.abc import Iterator
from pathlib import Path

from rank_magic.measures import known
from rank_magic.measures.base import SHIPPED, SMALLEST, Measure
from rank_magic.measures.foreign import IR_MEASURES
from rank_magic.measures.trec_names import CUT, PLAIN, VALUED

__all__ = ["HEADINGS", "catalogue", "markdown"]

HEADINGS = ("measure", "what it is", "parameters", "tied scores", "trec_eval", "ir_measures")
# Spellings that ir_measures has too, with another meaning unless its parameters are given.
OTHERWISE = {
    "nDCG": "linear gain there",
    "ERR": "max_grade=4 there",
    "ERR-IA": "normalised there",
    "alpha-DCG": "normalised there",
    "SetF": "beta is the square root there",
    "IPrec": "recall is rounded there",
    "INST": "1,000 ranks there",
    "INSQ": "1,000 ranks there",
    "BPM": "1,000 ranks there",
}


def catalogue() -> Iterator[tuple[str, ...]]:
    """Yield a row for each measure that ships, under the headings of `HEADINGS`."""
    for cls in known():
        if cls.name.lower() in SHIPPED:
            yield (
                _names(cls),
                cls.summary(),
                ", ".join(_parameters(cls)),
                "exact" if cls.closed_form else "1,000 drawn orders",
                ", ".join(_of_trec(cls)),
                ", ".join(_of_ir_measures(cls)),
            )


def markdown() -> str:
    """Return the table as Markdown, with a line of what its columns mean."""
    rows = [HEADINGS, tuple("---" for _ in HEADINGS), *catalogue()]
    table = "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows
    )
    return (
        "# All measures\n\n"
        "Made from the code by `python -m rank_magic.measures.catalogue MEASURES.md`. Parameters "
        "stand with their defaults; one without is set by the convention of that name. trec_eval's "
        "names are read as they stand, or with `trec.` in front; objects of ir_measures are "
        "converted with their own meaning, and where a spelling means something else there the "
        f"table says so.\n\n{table}\n"
    )


def _names(cls: type[Measure]) -> str:
    other = [name for name in (cls.mean_name, *cls.aliases) if name]
    cut = "@k" if cls.cutoff else ""
    return f"`{cls.name}{cut}`" + (f" ({', '.join(other)})" if other else "")


def _parameters(cls: type[Measure]) -> Iterator[str]:
    for field in cls.parameters():
        yield f"`{field.name}{_default(field)}`{_range(field)}"


def _default(field: dataclasses.Field[object]) -> str:
    return "" if field.default is None else f"={field.default}"


def _range(field: dataclasses.Field[object]) -> str:
    low, high = field.metadata["low"], field.metadata["high"]
    if choices := field.metadata["choices"]:
        return f" ({', '.join(choices)})"
    if low == -math.inf and high == math.inf:
        return ""
    lowest = "above 0" if low == SMALLEST else f"from {low:g}"
    if high == math.inf:
        return f" ({lowest})"
    return f" ({lowest}, {'below 1' if high == 1 - SMALLEST else f'to {high:g}'})"


def _of_trec(cls: type[Measure]) -> Iterator[str]:
    for name, (measure, parameters) in PLAIN.items():
        if measure is cls:
            yield f"`{name}`" + _with(parameters)
    for name, (measure, parameters) in CUT.items():
        if measure is cls:
            yield f"`{name}_k`" + _with(parameters)
    for name, (measure, *_) in VALUED.items():
        if measure is cls:
            yield f"`{name}_x`"


def _with(parameters: dict[str, object]) -> str:
    text = ", ".join(f"{name}={value}" for name, value in parameters.items())
    return f" ({text})" if text else ""


def _of_ir_measures(cls: type[Measure]) -> Iterator[str]:
    for name, (ours, _, _) in IR_MEASURES.items():
        if ours.lower() == cls.name.lower():
            note = OTHERWISE.get(cls.name)
            yield f"`{name}`" + (f" ({note})" if note else "")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(markdown())
