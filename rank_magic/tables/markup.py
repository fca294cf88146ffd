"""The table of means for papers and issue trackers: LaTeX and Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rank_magic.notes import Note, convention_notes, coverage_notes, sentence
from rank_magic.tables.grid import Cell, Grid, grid, number

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = [
    "escape_latex",
    "escape_markdown",
    "evaluation_latex",
    "evaluation_markdown",
    "means_latex",
    "means_markdown",
]

LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}
MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def evaluation_markdown(evaluation: Evaluation, *, intervals: bool = True) -> str:
    """Return the means as a Markdown table, the best in bold, and the notes below."""
    return means_markdown(grid(evaluation), _notes(evaluation), intervals=intervals)


def evaluation_latex(evaluation: Evaluation, *, intervals: bool = True) -> str:
    """Return the means as a LaTeX table (package booktabs), the best in bold, notes as comments."""
    return means_latex(grid(evaluation), _notes(evaluation), intervals=intervals)


def means_markdown(means: Grid, notes: Sequence[str], *, intervals: bool = True) -> str:
    """Return means as a Markdown table with notes below."""

    def written(cell: Cell, decimals: int) -> str:
        value = number(cell.mean, decimals)
        spread = cell.interval(decimals).replace("[", r"\[").replace("]", r"\]")
        value = f"**{value}**" if cell.best else value
        return f"{value} {spread}" if intervals and spread else value

    rows = _rows(means, written, escape_markdown)
    sides = [":--" if words else "--:" for words in _words(means, rows)]
    lines = [f"| {' | '.join(row)} |" for row in (rows[0], sides, *rows[1:])]
    below = "\n\n".join(map(escape_markdown, notes))
    return "\n".join(lines) + f"\n\n{below}\n"


def means_latex(means: Grid, notes: Sequence[str], *, intervals: bool = True) -> str:
    """Return means as a LaTeX table (package booktabs) with notes above as comments."""

    def written(cell: Cell, decimals: int) -> str:
        value = escape_latex(number(cell.mean, decimals))
        spread = cell.interval(decimals)
        value = rf"\textbf{{{value}}}" if cell.best else value
        return rf"{value} {{\footnotesize {spread}}}" if intervals and spread else value

    cells = _rows(means, written, escape_latex)
    rows = [" & ".join(row) + r" \\" for row in cells]
    columns = "".join("l" if words else "r" for words in _words(means, cells))
    return "\n".join(
        [
            *(f"% {text}" for text in notes),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _rows(
    means: Grid, written: Callable[[Cell, int], str], escaped: Callable[[str], str]
) -> list[list[str]]:
    """Return the head and a row for each system, or for each measure of the only one."""
    if not means.several:
        head = [escaped(means.title), "mean"]
        return [
            head,
            *(
                [escaped(name), written(cell, decimals)]
                for name, cell, decimals in zip(
                    means.measures, means.cells[0], means.decimals, strict=True
                )
            ),
        ]
    names = zip(*(lead.cells for lead in means.lead), strict=True)
    return [
        [*(escaped(lead.name) for lead in means.lead), *map(escaped, means.measures)],
        *(
            [*map(escaped, name), *map(written, row, means.decimals)]
            for name, row in zip(names, means.cells, strict=True)
        ),
    ]


def _words(means: Grid, rows: list[list[str]]) -> list[bool]:
    """Return whether each column holds words, which stand on the left."""
    lead = [column.words for column in means.lead]
    return lead + [False] * (len(rows[0]) - len(lead))


def _notes(evaluation: Evaluation) -> list[str]:
    notes = [Note(grid(evaluation).over()), *coverage_notes(evaluation)]
    return [
        sentence(notes),
        sentence(convention_notes(evaluation), "Conventions:"),
        *evaluation.view.remarks,
    ]


def escape_markdown(text: str) -> str:
    """Return text whose letters mean nothing to Markdown."""
    return MARKDOWN.sub(r"\\\1", text)


def escape_latex(text: str) -> str:
    """Return text whose letters mean nothing to LaTeX."""
    return "".join(LATEX.get(letter, letter) for letter in text)
