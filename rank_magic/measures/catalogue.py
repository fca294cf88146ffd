"""The table of all measures, made from the measures themselves.

``python -m rank_magic.measures.catalogue MEASURES.md`` writes it anew.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from pathlib import Path

from rank_magic.measures import known
from rank_magic.measures.base import SHIPPED, Measure, spellings
from rank_magic.measures.foreign import IR_MEASURES
from rank_magic.measures.parameters import within
from rank_magic.measures.trec_names import CUT, MISTAKABLE, PLAIN, VALUED

__all__ = ["HEADINGS", "catalogue", "markdown"]

HEADINGS = (
    "measure",
    "what it is",
    "parameters",
    "tied scores",
    "trec_eval",
    "ir_measures",
    "gdeval",
)
# Spellings that ir_measures has too, and what is another thing there.
OTHERWISE = {
    "nDCG": "linear gain there",
    "ERR": "max_grade=4 there",
    "ERR_IA": "normalize=perfect there",
    "alpha_DCG": "normalize=perfect there",
    "IPrec": "rounding=up there",
    "SetF": "beta there is the square of beta here",
    "INST": "horizon=1000 there",
    "INSQ": "horizon=1000 there",
    "BPM": "k there is K here, and horizon=1000",
    "Judged": "negative grades are judgments there",
}
# What ir_measures writes with a parameter where we have a measure of its own.
WITH_PARAMETER = {
    "NumRet": "`NumRet`",
    "NumRelRet": "`NumRet(rel=1)`",
    "trec.relative_P": "`SetP(relative=True)`",
}
GDEVAL = {"nDCG": "`ndcg@k`", "ERR": "`err@k` (max_grade=4 there)"}


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
                GDEVAL.get(cls.name, ""),
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
        "stand with their defaults; one without is set by the convention of that name (`horizon`: "
        "endless). trec_eval's names are read as they stand here, all of them also with `trec.` in "
        "front. Objects of ir_measures are converted with their own meaning (`rel` is 1 there, "
        "unless said); where the same spelling is another thing there, the table says "
        f"so.\n\n{table}\n"
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
    if choices := field.metadata["choices"]:
        return f" ({', '.join(choices)})"
    limits = within(field.metadata["low"], field.metadata["high"])
    return f" ({limits.removeprefix('of ')})" if limits else ""


def _of_trec(cls: type[Measure]) -> Iterator[str]:
    for name, (measure, parameters) in PLAIN.items():
        if measure is cls:
            front = "trec." if name in MISTAKABLE else ""
            yield f"`{front}{name}`" + _with(parameters)
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
    if cls.name in WITH_PARAMETER:
        yield WITH_PARAMETER[cls.name]
    own = {name.lower() for name in spellings(cls)}
    for name, (ours, _, _) in IR_MEASURES.items():
        if ours.lower() == cls.name.lower():
            note = OTHERWISE.get(name)
            yield f"`{name}`" + (f" ({note})" if note else "")
        elif name.lower() in own:
            yield f"(`{name}` is `{ours}` there)"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(markdown())
