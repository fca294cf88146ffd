"""Everything that may be said on the line.

Columns and conventions are read off `evaluate` and `Conventions`: one that is added there is an
option here, in the help, the completion and ``%config``, without a word in this file.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from rank_magic.conventions import CHOICES, Conventions
from rank_magic.evaluation import evaluate
from rank_magic.roles import ROLE_NAMES
from rank_magic.tables import SUFFIXES

__all__ = ["OPTION_GROUPS", "Option", "either", "options"]

# Letters and values that nothing else tells.
LETTERS = {
    "query": "q",
    "doc": "d",
    "grade": "g",
    "score": "s",
    "rank": "r",
    "ties": "t",
    "unjudged": "u",
    "depth": "D",
    "max_grade": "m",
    "gain": "G",
}
WORDS = {"order": ("rows",)}
EXAMPLES = {
    "query": "'query text'",
    "doc": "sku",
    "grade": "stars",
    "score": "bm25 --score minilm",
    "rank": "place",
    "system": "engine",
    "segment": "market",
    "weight": "traffic",
    "qrels": "judgments",
    "depth": "100",
    "rel": "2",
    "max_grade": "4",
    "gain": "linear",
    "discount": "reciprocal",
}
METAVARS = {"choice": "WORD", "whole": "N", "cutoffs": "5,10,20"}
COLUMNS, CUTOFFS, CONVENTIONS, RESULT = "Columns", "Cutoffs", "Conventions", "Result"
OPTION_GROUPS = (COLUMNS, CUTOFFS, CONVENTIONS, RESULT)


@dataclass(frozen=True, kw_only=True)
class Option:
    """Something that may be said on the line.

    Attributes
    ----------
    name : str
        As a keyword and in ``%config``: ``no_relevant``.
    letter : str
        Its short form, if it has one.
    group : str
        Under which heading the help lists it.
    kind : str
        What its value is: "column", "system", "choice", "whole", "number", "gain", "discount",
        "cutoffs", "measure", "frame", "name" or "file"; nothing for a switch.
    help, example : str
        What it does, and a value.
    several : bool
        Whether it may be given more than once.
    choices : tuple of str
        The values it may have, if they are few.
    engine : bool
        Whether it is a keyword of `evaluate`.
    session : bool
        Whether ``%config`` can set it for the session.
    """

    name: str
    group: str
    kind: str
    help: str
    letter: str = ""
    example: str = ""
    several: bool = False
    choices: tuple[str, ...] = ()
    engine: bool = False
    session: bool = True

    @property
    def flag(self) -> str:
        """How it is written on the line: ``--no-relevant``."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def flags(self) -> list[str]:
        """All of its forms, the short one first."""
        return [f"-{self.letter}", self.flag] if self.letter else [self.flag]

    @property
    def metavar(self) -> str:
        """What stands for its value in the help."""
        return METAVARS.get(self.kind, self.kind.upper())


OURS = (
    Option(
        name="cutoffs",
        letter="k",
        group=CUTOFFS,
        kind="cutoffs",
        several=True,
        help="cutoffs of the measures that name none",
        example="5,10,20",
    ),
    Option(
        name="by",
        letter="b",
        group=RESULT,
        kind="column",
        several=True,
        session=False,
        help="the means by segment: those of the queries that have the same in this column",
        example="market --by device",
    ),
    Option(
        name="baseline",
        group=RESULT,
        kind="system",
        session=False,
        help="compare the other systems with this one: differences, tests, what could turn them",
        example="bm25",
    ),
    Option(
        name="sort",
        group=RESULT,
        kind="measure",
        session=False,
        help="systems from the best to the worst, and queries the other way round, by a measure",
        example="ndcg@10",
    ),
    Option(
        name="worst",
        letter="w",
        group=RESULT,
        kind="whole",
        session=False,
        help="list the worst queries, so many of them, below the means",
        example="10",
    ),
    Option(
        name="per_query",
        letter="p",
        group=RESULT,
        kind="",
        session=False,
        help="list the value of every query below the means",
    ),
    Option(
        name="explore",
        letter="e",
        group=RESULT,
        kind="",
        session=False,
        help="look through the queries and their rankings, in a widget",
    ),
    Option(
        name="decimals",
        group=RESULT,
        kind="whole",
        help="decimals of the numbers",
        example="3",
    ),
    Option(
        name="out",
        letter="o",
        group=RESULT,
        kind="name",
        session=False,
        help="assign the result to a name, and show it all the same",
        example="result",
    ),
    Option(
        name="to",
        group=RESULT,
        kind="file",
        session=False,
        help=f"write what is shown to a file ({', '.join(SUFFIXES)})",
        example="table.html",
    ),
)


@cache
def options() -> tuple[Option, ...]:
    """Return every option, in the order of the help."""
    keywords = [
        parameter
        for parameter in inspect.signature(evaluate).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    engine = [_of_engine(parameter) for parameter in keywords]
    columns = [option for option in engine if option.group == COLUMNS]
    rest = [option for option in engine if option.group != COLUMNS]
    ours = {group: [o for o in OURS if o.group == group] for group in (CUTOFFS, RESULT)}
    return (*columns, *ours[CUTOFFS], *rest, *ours[RESULT])


def _of_engine(parameter: inspect.Parameter) -> Option:
    """Return the option for a keyword of `evaluate`."""
    name, annotation = parameter.name, str(parameter.annotation)
    choices = tuple(CHOICES.get(name, WORDS.get(name, ())))
    if name in ROLE_NAMES:
        group, kind = COLUMNS, "column"
        names = [known for standing in ROLE_NAMES[name] for known in standing]
        text = f"the column of the {name}"
        text += f"; found by itself if called {either(names)}" if names else f": {_about(name)}"
    else:
        group = CONVENTIONS if name in Conventions.names() else COLUMNS
        kind = name if name in ("gain", "discount") else _kind(annotation, choices)
        text = _about(name)
        if len(choices) > 1:
            text += f": {either(choices)}"
        if parameter.default is not None:
            text += f" (by default {_plain(parameter.default)})"
    return Option(
        name=name,
        letter=LETTERS.get(name, ""),
        group=group,
        kind=kind,
        help=text,
        example=EXAMPLES.get(name, choices[:2][-1] if choices else f"my_{name}"),
        several=kind == "column" and "Sequence" in annotation,
        choices=choices,
        engine=True,
        session=kind != "frame",
    )


def _kind(annotation: str, choices: Sequence[str]) -> str:
    if choices:
        return "choice"
    words = set(re.findall(r"\w+", annotation))
    if "DataFrame" in words:
        return "frame"
    return "whole" if "int" in words else "number" if "float" in words else "column"


def _about(name: str) -> str:
    """Return what a keyword is for: the first sentence about it in a docstring."""
    for docstring in (Conventions.__doc__, evaluate.__doc__):
        text = inspect.cleandoc(docstring or "").replace("\\\n", "")
        found = re.search(
            rf"^(?:\w+, )*{name}(?:, \w+)*(?: :[^\n]*)?\n((?:    .*\n|\n)+)", text, re.MULTILINE
        )
        if found:
            sentence = re.match(r"(.+?)[.:](?:\s|$)", " ".join(found[1].split()))
            words = sentence[1].replace("`", "") if sentence else ""
            return words[:1].lower() + words[1:]
    return ""


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def either(words: Sequence[str]) -> str:
    """Write words as a choice: ``a, b or c``."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last
