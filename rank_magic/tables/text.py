"""An evaluation as text, within the terminal's width."""

from __future__ import annotations

import shutil
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rank_magic.notes import Note, convention_notes, coverage_notes, sentence
from rank_magic.tables.grid import Cell, Column, Grid, grid, number
from rank_magic.tables.queries import every_query, worst_queries, worst_title

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["columns_text", "evaluation_text", "means_text"]

SHOWN_QUERIES = 30
LONGEST_NAME = 32
GAP = "  "
BEST = "*"


def evaluation_text(evaluation: Evaluation) -> str:
    """Return the table of means and what they rest on."""
    width = max(shutil.get_terminal_size((100, 24)).columns, 20)
    means = grid(evaluation)
    notes = [
        sentence([Note(means.over(BEST)), *coverage_notes(evaluation)]),
        sentence(convention_notes(evaluation), "Conventions:"),
        *evaluation.view.remarks,
    ]
    below = "\n".join(textwrap.fill(note, width) for note in notes)
    return "\n\n".join([*means_text(means, width), below, *_queries(evaluation, width)])


def means_text(means: Grid, width: int) -> Iterator[str]:
    """Yield the means as one table, or as several below one another when one is too wide."""
    if not means.several:
        rows = [
            [name, number(cell.mean, decimals), cell.interval(decimals)]
            for name, cell, decimals in zip(
                means.measures, means.cells[0], means.decimals, strict=True
            )
        ]
        yield _aligned([[_short(means.title), "mean", "95 % interval"], *rows], "lrr", width)
        return
    lead = [[_short(column.name), *map(_short, column.cells)] for column in means.lead]
    sides = "".join("l" if column.words else "r" for column in means.lead)
    columns = [
        [name, *(_written(row[place], means.decimals[place]) for row in means.cells)]
        for place, name in enumerate(means.measures)
    ]
    taken = sum(max(map(_width, names)) + len(GAP) for names in lead) - len(GAP)
    for some in _fitting(columns, width - taken):
        rows = [list(row) for row in zip(*lead, *some, strict=True)]
        yield _aligned(rows, sides + "l" * len(some), width)


def _written(cell: Cell, decimals: int) -> str:
    mark = BEST if cell.best else " "
    return f"{number(cell.mean, decimals)}{mark}{cell.interval(decimals)}"


def _fitting(columns: Sequence[list[str]], room: int) -> Iterator[list[list[str]]]:
    """Yield columns in groups that fit side by side; a column that never fits stands alone."""
    some: list[list[str]] = []
    for column in columns:
        needed = sum(max(map(_width, one)) + len(GAP) for one in [*some, column])
        if some and needed > room:
            yield some
            some = []
        some.append(column)
    yield some


def _aligned(rows: Sequence[Sequence[str]], sides: str, width: int) -> str:
    """Return rows of cells under one another, cut at the width."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            _padded(cell, size, side) for cell, size, side in zip(row, widths, sides, strict=True)
        ]
        lines.append(_cut(GAP.join(cells).rstrip(), width))
    return "\n".join(lines)


def _queries(evaluation: Evaluation, width: int) -> Iterator[str]:
    """Yield the lists of queries that the view asks for."""
    if evaluation.view.worst:
        columns = worst_queries(evaluation)
        title = textwrap.fill(worst_title(evaluation, len(columns[0].cells)), width)
        yield f"{title}\n{columns_text(columns, width)}"
    if evaluation.view.per_query:
        columns = every_query(evaluation, SHOWN_QUERIES)
        left = len(evaluation.queries) - len(columns[0].cells)
        more = textwrap.fill(f"{left:,} more queries: .per_query has them all.", width)
        yield "\n".join([columns_text(columns, width), *([more] if left else [])])


def columns_text(columns: list[Column], width: int) -> str:
    """Return columns as a table, or as several below one another when it is too wide."""
    first, *others = [[_short(column.name), *map(_short, column.cells)] for column in columns]
    sides = "".join("l" if column.words else "r" for column in columns)
    parts, at = [], 1
    for some in _fitting(others, width - max(map(_width, first))):
        rows = [list(row) for row in zip(first, *some, strict=True)]
        parts.append(_aligned(rows, sides[0] + sides[at : at + len(some)], width))
        at += len(some)
    return "\n\n".join(parts)


def _width(text: str) -> int:
    """Return how many places a text takes in a terminal."""
    return sum(
        0 if unicodedata.combining(letter) else 1 + (unicodedata.east_asian_width(letter) in "WF")
        for letter in text
    )


def _padded(text: str, width: int, side: str) -> str:
    blank = " " * (width - _width(text))
    return blank + text if side == "r" else text + blank


def _short(text: str) -> str:
    return _cut(text, LONGEST_NAME)


def _cut(text: str, width: int) -> str:
    """Return text that takes no more than `width` places."""
    if _width(text) <= width:
        return text
    kept = ""
    for letter in text:
        if _width(kept + letter) > width - 1:
            break
        kept += letter
    return kept + "…"
