"""The table of means for papers and issue trackers: LaTeX and Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from rank_magic.notes import Note, convention_notes, coverage_notes, sentence
from rank_magic.tables.grid import Cell, Grid, grid, number

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["evaluation_latex", "evaluation_markdown"]

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

    def written(cell: Cell, decimals: int) -> str:
        value = number(cell.mean, decimals)
        spread = cell.interval(decimals).replace("[", r"\[").replace("]", r"\]")
        value = f"**{value}**" if cell.best else value
        return f"{value} {spread}" if intervals and spread else value

    rows = _rows(grid(evaluation), written, _markdown)
    sides = [":--", *["--:"] * (len(rows[0]) - 1)]
    lines = [f"| {' | '.join(row)} |" for row in (rows[0], sides, *rows[1:])]
    notes = "\n\n".join(_markdown(text) for text in _notes(evaluation))
    return "\n".join(lines) + f"\n\n{notes}\n"


def evaluation_latex(evaluation: Evaluation, *, intervals: bool = True) -> str:
    """Return the means as a LaTeX table (package booktabs), the best in bold, notes as comments."""

    def written(cell: Cell, decimals: int) -> str:
        value = _latex(number(cell.mean, decimals))
        spread = cell.interval(decimals)
        value = rf"\textbf{{{value}}}" if cell.best else value
        return rf"{value} {{\footnotesize {spread}}}" if intervals and spread else value

    rows = [" & ".join(row) + r" \\" for row in _rows(grid(evaluation), written, _latex)]
    columns = "l" + "r" * rows[0].count(" & ")
    notes = "\n".join(f"% {text}" for text in _notes(evaluation))
    return "\n".join(
        [
            notes,
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
        head = [escaped(means.systems[0]), "mean"]
        return [
            head,
            *(
                [escaped(name), written(cell, decimals)]
                for name, cell, decimals in zip(
                    means.measures, means.cells[0], means.decimals, strict=True
                )
            ),
        ]
    return [
        ["", *map(escaped, means.measures)],
        *(
            [escaped(name), *map(written, row, means.decimals)]
            for name, row in zip(means.systems, means.cells, strict=True)
        ),
    ]


def _notes(evaluation: Evaluation) -> list[str]:
    notes = [Note(grid(evaluation).over()), *coverage_notes(evaluation)]
    return [
        sentence(notes),
        sentence(convention_notes(evaluation), "Conventions:"),
        *evaluation.view.remarks,
    ]


def _markdown(text: str) -> str:
    return MARKDOWN.sub(r"\\\1", text)


def _latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)
