"""Comparisons as tables: one sheet, written as text, HTML, Markdown and LaTeX."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import count, product
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from rank_magic.comparison_notes import (
    by_what,
    conventions,
    looked_into,
    p_text,
    sentences,
    warnings,
)
from rank_magic.notes import plain_text
from rank_magic.tables.grid import NOTHING, Column, number
from rank_magic.tables.html import STYLE, columns_table, paragraph
from rank_magic.tables.markup import escape_latex, escape_markdown
from rank_magic.tables.text import columns_text
from rank_magic.views import View

if TYPE_CHECKING:
    from rank_magic.comparison import Comparison

__all__ = ["comparison_html", "comparison_latex", "comparison_markdown", "comparison_text"]

INTERVAL_DECIMALS = 3
SHOWN_ROWS, SHOWN_IN_TEXT = 300, 40
# With more rows than this they are counted, not put in words.
PUT_IN_WORDS = 6
DAGGER = "†"


@dataclass(frozen=True)
class Sheet:
    """A table: its columns, and what is marked in them by row and column.

    Attributes
    ----------
    columns : list of Column
    best : set of pairs of int
        The best means.
    marks : dict of str
        Marks of significance.
    legend : str
        What they mean.
    """

    columns: list[Column]
    best: set[tuple[int, int]] = field(default_factory=set)
    marks: dict[tuple[int, int], str] = field(default_factory=dict)
    legend: str = ""

    def plain(self, best: str) -> list[Column]:
        """Return columns of plain text, the best with a sign behind them, and marks."""
        return [
            column._replace(
                cells=[
                    f"{cell}{best if (row, place) in self.best else ''}"
                    f"{self._mark(row, place, '{}')}"
                    for row, cell in enumerate(column.cells)
                ]
            )
            for place, column in enumerate(self.columns)
        ]

    def written(self, escaped: Callable[[str], str], best: str, mark: str) -> list[list[str]]:
        """Return head and rows, the best and the marks put into forms such as ``**{}**``."""
        head = [escaped(column.name) for column in self.columns]
        rows = [
            [
                (best.format(escaped(cell)) if (row, place) in self.best else escaped(cell))
                + self._mark(row, place, mark)
                for place, cell in enumerate(cells)
            ]
            for row, cells in enumerate(zip(*(c.cells for c in self.columns), strict=True))
        ]
        return [head, *rows]

    def _mark(self, row: int, place: int, form: str) -> str:
        mark = self.marks.get((row, place))
        return form.format(mark) if mark else ""


# What the tables hold.


def sheets(comparison: Comparison, limit: int | None = None) -> list[Sheet]:
    """Return the means, if there are more systems than two, and the pairs."""
    several = len(comparison.systems) > 2 and _over_all(comparison)
    pairs = _pairs(comparison, limit, means=not several)
    return [_means(comparison), pairs] if several else [pairs]


def _over_all(comparison: Comparison) -> bool:
    """Return whether means are over the same queries in every pair, so that they make a table."""
    one_side = len(comparison.side.records) == 1 or _baseline(comparison) is not None
    found = comparison.found.queries.reshape(len(comparison.names), -1)
    return one_side and bool((found == found[:, :1]).all())


def _view(comparison: Comparison) -> View:
    """Return how the first evaluation is shown."""
    source = comparison.side.records[0].source
    return View() if source is None else source.view


def _baseline(comparison: Comparison) -> int | None:
    """Return the place of the only baseline."""
    places = {pair.baseline for pair in comparison.pairs}
    return places.pop() if len(places) == 1 else None


def _means(comparison: Comparison) -> Sheet:
    """Return systems by measures, with marks for evidence."""
    number_of, baseline = len(comparison.systems), _baseline(comparison)
    decimals = _view(comparison).decimals
    means = _means_by_system(comparison)
    names = [plain_text(name) for name in comparison.systems]
    columns = [Column("", names, words=True)]
    marks: dict[tuple[int, int], str] = {}
    if baseline is None:
        letters = [letter for letter, _ in zip(_letters(), range(number_of), strict=False)]
        columns = [Column("", letters, words=True), Column("system", names, words=True)]
    first = len(columns)
    for place, name in enumerate(comparison.names):
        cells = [number(value, decimals) for value in means[place].tolist()]
        columns.append(Column(name, cells))
    for row, better in _evidence(comparison):
        pair, place = comparison.pairs[row % len(comparison.pairs)], row // len(comparison.pairs)
        if baseline is not None:
            marks[pair.system, first + place] = DAGGER
        else:
            winner, loser = pair if better else pair[::-1]
            at = (winner, first + place)
            marks[at] = "".join(sorted([*marks.get(at, ""), letters[loser]]))
    best = {
        (int(row), first + place)
        for place, of_measure in enumerate(means)
        for row in np.flatnonzero(of_measure == np.nanmax(of_measure, initial=-math.inf))
        if np.nanmin(of_measure, initial=math.inf) < of_measure[row]
    }
    return Sheet(columns, best, marks, _legend(comparison, marks, baseline))


def _legend(comparison: Comparison, marks: dict[tuple[int, int], str], baseline: int | None) -> str:
    evidence = f"p < 0.05, {by_what(comparison)}"
    if not marks:
        return f"No difference is evident ({evidence})."
    if baseline is not None:
        name = plain_text(comparison.systems[baseline])
        return f"{DAGGER} differs from {name} ({evidence})."
    return f"Letters name the systems that one is evidently above ({evidence})."


def _letters() -> Iterator[str]:
    """Yield a, b, ..., z, aa, ab, ..."""
    for length in count(1):
        yield from map("".join, product(ascii_lowercase, repeat=length))


def _means_by_system(comparison: Comparison) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return means of shape (measures, systems), as they stand in the pairs."""
    means = np.full((len(comparison.names), len(comparison.systems)), np.nan)
    for row, two in enumerate(comparison.means):
        pair = comparison.pairs[row % len(comparison.pairs)]
        means[row // len(comparison.pairs), list(pair)] = two
    return means


def _evidence(comparison: Comparison) -> Iterator[tuple[int, bool]]:
    """Yield the rows that are evidence of a difference, and whether it is for the system."""
    for row in np.flatnonzero(comparison.evident):
        yield int(row), bool(comparison.found.difference[row] > 0)


def _pairs(comparison: Comparison, limit: int | None, *, means: bool) -> Sheet:
    """Return a row for each measure and pair, with or without the means."""
    shown = comparison.rows[:limit]
    found, number_of = comparison.found, len(shown)
    names, systems, baselines = (
        [plain_text(label) for label in labels] for labels in zip(*shown, strict=True)
    )
    one, decimals = len(comparison.pairs) == 1, _view(comparison).decimals
    columns = [Column("measure", names, words=True)]
    if not one:
        columns.append(Column("system", systems, words=True))
        columns.append(Column("against", baselines, words=True))
    if means:
        heads = (baselines[0], systems[0]) if one else ("its mean", "mean")
        columns += [
            Column(head, [number(value, decimals) for value in values])
            for head, values in zip(heads, comparison.means[:limit].T.tolist()[::-1], strict=True)
        ]
    first = len(columns)
    difference = [_signed(value, decimals) for value in found.difference[:limit].tolist()]
    ends = zip(found.low[:limit].tolist(), found.high[:limit].tolist(), strict=True)
    counts = zip(*(c[:limit].tolist() for c in (found.wins, found.ties, found.losses)), strict=True)
    columns += [
        Column("difference", difference),
        Column("95 % interval", [_interval(low, high) for low, high in ends]),
        Column("p", [_p(value) for value in comparison.p[:limit].tolist()]),
        Column("effect", [_signed(value, 2) for value in found.effect[:limit].tolist()]),
        Column("better/equal/worse", ["/".join(f"{n:,}" for n in row) for row in counts]),
    ]
    marks = {(row, first): DAGGER for row, _ in _evidence(comparison) if row < number_of}
    better = np.sign(found.difference[:limit])
    best = {
        (row, first - 2 + (sign > 0))
        for row, sign in enumerate(better.tolist())
        if one and abs(sign)
    }
    what = f"{DAGGER} evidence of a difference" if marks else "No difference is evident"
    legend = f"{what} (p < 0.05, {by_what(comparison)}); {_queries_text(comparison)}."
    return Sheet(columns, best, marks, legend)


def _queries_text(comparison: Comparison) -> str:
    numbers = comparison.found.queries
    least, most = int(numbers.min()), int(numbers.max())
    queries = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    weighted = "weighted " if comparison.side.weights is not None else ""
    return f"{weighted}means over {queries} {'query' if most == 1 else 'queries'}"


def _signed(value: float, decimals: int) -> str:
    text = number(value, decimals)
    return f"+{text}" if value > 0 and float(text.replace(",", "")) != 0 else text


def _interval(low: float, high: float) -> str:
    if math.isnan(low):
        return NOTHING
    return f"[{_signed(low, INTERVAL_DECIMALS)}, {_signed(high, INTERVAL_DECIMALS)}]"


def _p(value: float) -> str:
    return NOTHING if math.isnan(value) else p_text(value).replace("< ", "<")


# What stands below them.


def _notes(comparison: Comparison, limit: int | None = None) -> list[str]:
    """Return the findings in words, then what could turn them round."""
    rows = len(comparison.rows)
    found = sentences(comparison) if rows <= PUT_IN_WORDS else [_summary(comparison)]
    hidden = 0 if limit is None else max(rows - limit, 0)
    more = [f"{hidden:,} more rows: .to_frame() has them all."] if hidden else []
    cautions = warnings(comparison, all_known=looked_into(comparison))
    remarks = _view(comparison).remarks
    return [*more, *found, *cautions, conventions(comparison), *remarks]


def _summary(comparison: Comparison) -> str:
    rows, evident = len(comparison.rows), int(comparison.evident.sum())
    return (
        f"{evident:,} of {rows:,} differences are evident; .sentences() puts each in words, "
        f".to_frame() has every test."
    )


# The forms.


def comparison_text(comparison: Comparison) -> str:
    """Return the comparison as text, within the terminal's width."""
    width = max(shutil.get_terminal_size((100, 24)).columns, 20)
    found = sheets(comparison, SHOWN_IN_TEXT)
    parts = [
        f"{columns_text(sheet.plain('*'), width)}\n{textwrap.fill(sheet.legend, width)}"
        for sheet in found
    ]
    notes = _notes(comparison, SHOWN_IN_TEXT)
    return "\n\n".join([*parts, "\n".join(textwrap.fill(note, width) for note in notes)])


def comparison_html(comparison: Comparison) -> str:
    """Return the comparison as HTML, to be put into a page."""
    parts = [
        f"{columns_table(sheet.plain(' ▲'))}{paragraph(escape(sheet.legend))}"
        for sheet in sheets(comparison, SHOWN_ROWS)
    ]
    notes = [paragraph(escape(note)) for note in _notes(comparison, SHOWN_ROWS)]
    return f"{STYLE}<div class='rank-magic rm-means'>{'<br>'.join(parts)}{''.join(notes)}</div>"


def comparison_markdown(comparison: Comparison) -> str:
    """Return the comparison as Markdown, the best in bold."""
    parts = []
    for sheet in sheets(comparison):
        rows = sheet.written(escape_markdown, "**{}**", " <sup>{}</sup>")
        sides = [":--" if column.words else "--:" for column in sheet.columns]
        lines = [f"| {' | '.join(row)} |" for row in (rows[0], sides, *rows[1:])]
        parts.append("\n".join(lines) + f"\n\n{escape_markdown(sheet.legend)}")
    notes = [f"- {escape_markdown(note)}" for note in _notes(comparison)]
    return "\n\n".join([*parts, "\n".join(notes)]) + "\n"


def comparison_latex(comparison: Comparison) -> str:
    """Return the comparison as LaTeX (package booktabs): the first table, with its legend."""
    sheet = sheets(comparison)[0]
    mark = r"$^{{\mathrm{{{}}}}}$"
    rows = sheet.written(escape_latex, r"\textbf{{{}}}", mark)
    lines = [" & ".join(row).replace(r"\mathrm{†}", r"\dagger") + r" \\" for row in rows]
    sides = "".join("l" if column.words else "r" for column in sheet.columns)
    legend = escape_latex(sheet.legend).replace("†", r"$^{\dagger}$")
    over = rf"\multicolumn{{{len(sides)}}}{{l}}{{\footnotesize {legend}}} \\"
    return "\n".join(
        [
            *(f"% {text}" for text in _notes(comparison)),
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            over,
            r"\end{tabular}",
            "",
        ]
    )
