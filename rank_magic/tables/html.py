"""An evaluation as HTML: no script, no outside request, legible where styles are taken away."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from rank_magic.notes import (
    Note,
    convention_notes,
    coverage_notes,
    plain_text,
    sentence,
    worth_working_out,
)
from rank_magic.tables.grid import Cell, Grid, grid, number
from rank_magic.tables.queries import query_rows, worst_queries, worst_title

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["evaluation_html", "evaluation_page"]

SHOWN_QUERIES = 200
TALL = 16  # longer tables below the means get a scroll bar
BEST = "▲"

# Transparent backgrounds and inherited colours: the same table reads in light and dark themes.
# Bars and weights only repeat what the text says, so that a plain table says it all.
STYLE = """<style scoped>
.rm-means {max-width: 100%;}
.rm-means .rm-scroll {overflow: auto; max-width: 100%;}
.rm-means .rm-tall {max-height: 28em;}
.rm-means table {border-collapse: collapse; border: 0; margin: 0; font-size: 1em;
  font-variant-numeric: tabular-nums;}
.rm-means tr, .rm-means tr:nth-child(odd), .rm-means tr:nth-child(even) {background: transparent;}
.rm-means tbody tr:hover {background: rgba(128, 128, 128, .12);}
.rm-means th, .rm-means td {text-align: right; vertical-align: middle; white-space: nowrap;
  padding: .3em .4em; border: 0; border-bottom: 1px solid rgba(128, 128, 128, .3);
  background: transparent; color: inherit; max-width: none;}
.rm-means thead th {border-bottom: 1px solid rgba(128, 128, 128, .7); vertical-align: bottom;}
.rm-means th.rm-over {text-align: center;}
.rm-means th.rm-text, .rm-means td.rm-text {text-align: left; white-space: normal;
  overflow-wrap: anywhere; min-width: 6em; max-width: 24em;}
.rm-means td.rm-mean {padding-right: 0; padding-left: 1em;}
.rm-means .rm-small th {white-space: normal; font-weight: normal; max-width: 9em;}
.rm-means .rm-side {opacity: .75; font-size: .9em;}
.rm-means .rm-bar {position: relative; height: 4px; min-width: 5em; margin-top: 3px;
  background: rgba(128, 128, 128, .25);}
.rm-means .rm-bar div {position: absolute; top: 0; height: 4px; background: #0072B2;}
.rm-means .rm-bar .rm-spread {top: -1px; height: 6px; box-sizing: border-box;
  background: rgba(128, 128, 128, .3); border: solid currentColor; border-width: 0 1px;}
.rm-means p, .rm-means details {margin: .5em 0 0 0; max-width: 62em; line-height: 1.4;}
.rm-means summary {cursor: pointer;}
</style>"""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>:root {{color-scheme: light dark;}} body {{font-family: system-ui, sans-serif;
font-size: 14px; margin: 2em;}}</style></head>
<body>{body}</body></html>
"""


def evaluation_page(evaluation: Evaluation) -> str:
    """Return the table as an HTML page of its own."""
    title = escape(", ".join(evaluation.names))
    return PAGE.format(title=title, body=evaluation_html(evaluation))


def evaluation_html(evaluation: Evaluation) -> str:
    """Return the table of means and what they rest on, to be put into a page."""
    means = grid(evaluation)
    table = _by_system(means, evaluation) if means.several else _by_measure(means, evaluation)
    best = f"; {BEST} best" if any(cell.best for row in means.cells for cell in row) else ""
    notes = [Note(f"{means.over()}{best}"), *coverage_notes(evaluation)]
    below = [
        _paragraph(escape(sentence(notes))),
        _paragraph(f"Conventions: {_conventions(convention_notes(evaluation))}."),
        *(_paragraph(escape(remark)) for remark in evaluation.view.remarks),
    ]
    return (
        f"{STYLE}<div class='rank-magic rm-means'><div class='rm-scroll'>{table}</div>"
        f"{''.join(_queries(evaluation))}{''.join(below)}{_details(evaluation)}</div>"
    )


def _paragraph(html: str) -> str:
    return f"<p class='rm-side'>{html}</p>"


def _conventions(notes: Iterable[Note]) -> str:
    return "; ".join(
        f"<b>{escape(note.text)}</b>" if note.chosen else escape(note.text) for note in notes
    )


# The means.


def _by_system(means: Grid, evaluation: Evaluation) -> str:
    """Return a table with a row for each system and two columns for each measure."""
    head = "".join(
        f"<th scope='colgroup' colspan='2' class='rm-over'{_tooltip(measure.pretty)}>"
        f"{escape(name)}</th>"
        for name, measure in zip(means.measures, evaluation.measures, strict=True)
    )
    rows = "".join(
        f"<tr><th scope='row' class='rm-text'>{escape(name)}</th>"
        + "".join(
            _mean(cell, full, evaluation.view.decimals)
            for cell, full in zip(row, means.full, strict=True)
        )
        + "</tr>"
        for name, row in zip(means.systems, means.cells, strict=True)
    )
    return f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _by_measure(means: Grid, evaluation: Evaluation) -> str:
    """Return a table with a row for each measure, for a single system."""
    rows = "".join(
        f"<tr><th scope='row' class='rm-text'{_tooltip(measure.pretty)}>{escape(name)}</th>"
        f"{_mean(cell, full, evaluation.view.decimals)}</tr>"
        for name, cell, full, measure in zip(
            means.measures, means.cells[0], means.full, evaluation.measures, strict=True
        )
    )
    return (
        f"<table><thead><tr><th scope='col' class='rm-text'>{escape(means.systems[0])}</th>"
        f"<th scope='col'>mean</th><th scope='col' class='rm-over'>95 % interval</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _tooltip(text: str) -> str:
    return f" title='{escape(text)}'" if text else ""


def _mean(cell: Cell, full: float, decimals: int) -> str:
    """Return two cells, so that the number can be copied alone: the mean, and its interval."""
    value = number(cell.mean, decimals)
    over = f" title='over {cell.queries:,} queries'"
    if cell.best:
        value = f"<b>{value}</b>"
    mark = f"{BEST} " if cell.best else ""
    return (
        f"<td class='rm-mean'{over}>{value}</td>"
        f"<td{over}><span class='rm-side'>{mark}{cell.interval(decimals)}</span>"
        f"{_bar(cell, full)}</td>"
    )


def _bar(cell: Cell, full: float) -> str:
    """Return a bar as long as the mean, with the interval across its end."""
    if math.isnan(cell.mean) or math.isnan(full):
        return ""
    mean, low, high = (
        100 * min(max(value / full, 0.0), 1.0) for value in (cell.mean, cell.low, cell.high)
    )
    spread = ""
    if not math.isnan(cell.low):
        spread = f"<div class='rm-spread' style='left:{low:.1f}%;width:{high - low:.1f}%'></div>"
    return f"<div class='rm-bar'><div style='left:0;width:{mean:.1f}%'></div>{spread}</div>"


# What may stand below them.


def _queries(evaluation: Evaluation) -> Iterator[str]:
    """Yield the lists of queries that the view asks for."""
    if evaluation.view.worst:
        table = worst_queries(evaluation)
        title = worst_title(evaluation, len(table))
        yield f"<p><b>{escape(title)}</b></p>{_frame(table, evaluation)}"
    if evaluation.view.per_query:
        table = query_rows(evaluation, SHOWN_QUERIES)
        left = len(evaluation.queries) - len(table)
        more = _paragraph(f"{left:,} more queries: .per_query has them all.") if left else ""
        yield f"<p><b>Every query</b></p>{_frame(table, evaluation)}{more}"


def _frame(table: pd.DataFrame, evaluation: Evaluation, *, small: bool = False) -> str:
    """Return a frame of text and numbers as a table; small ones may have their heads wrapped."""
    decimals = evaluation.view.decimals
    kinds = [_kind(table.iloc[:, place]) for place in range(table.shape[1])]
    head = "".join(
        f"<th scope='col'{_left(kind)}>{escape(str(name))}</th>"
        for name, kind in zip(table.columns, kinds, strict=True)
    )
    columns = [
        [
            f"<td{_left(kind)}>{_value(value, kind, decimals)}</td>"
            for value in table.iloc[:, place].tolist()
        ]
        for place, kind in enumerate(kinds)
    ]
    rows = "".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*columns, strict=True))
    tall = " rm-tall" if len(table) > TALL else ""
    return (
        f"<div class='rm-scroll{tall}'><table{' class=rm-small' if small else ''}>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _kind(column: pd.Series[Any]) -> str:
    """Return what a column holds: text, words that stand for numbers, floats or whole numbers."""
    if not pd.api.types.is_numeric_dtype(column.dtype):
        return "words" if isinstance(column.dtype, pd.CategoricalDtype) else "text"
    return "float" if pd.api.types.is_float_dtype(column.dtype) else "whole"


def _left(kind: str) -> str:
    return " class='rm-text'" if kind == "text" else ""


def _value(value: object, kind: str, decimals: int) -> str:
    if kind in ("text", "words"):
        return escape(str(value))
    return number(value, decimals if kind == "float" else 0)  # type: ignore[arg-type]


def _details(evaluation: Evaluation) -> str:
    """Return what other choices would change, the facts, and every convention, folded."""
    every = _conventions(convention_notes(evaluation, every=True))
    return (
        f"<details class='rm-side'><summary>How far other choices would move these means</summary>"
        f"{_sensitivity(evaluation)}<p>What they rest on:</p>{_facts(evaluation)}"
        f"<p>Every convention: {every}.</p></details>"
    )


def _facts(evaluation: Evaluation) -> str:
    facts = evaluation.coverage
    table = pd.DataFrame({"": [str(name) for name in facts.index]})
    for place, name in enumerate(facts.columns):
        column = plain_text(name) if evaluation.rankings.rows.several else " "
        words = [_fact(value) for value in facts.iloc[:, place]]
        table.insert(place + 1, column, pd.Categorical(words), allow_duplicates=True)
    return _frame(table, evaluation, small=True)


def _fact(value: Any) -> str:
    return f"{100 * value:.1f} %" if isinstance(value, float) else f"{value:,}"


def _sensitivity(evaluation: Evaluation) -> str:
    if not worth_working_out(evaluation):
        return "<p>Not worked out unasked for so many rows: <code>.sensitivity</code> does it.</p>"
    given = evaluation.sensitivity.reset_index()
    table = pd.DataFrame(index=given.index)
    if "system" in given.columns:
        first = ~given["system"].duplicated()
        table["system"] = given["system"].map(plain_text).where(first, "")
    table["measure"] = given["measure"].astype(str)
    table["mean"] = given["mean"]
    table["tied scores, worst to best order"] = _span(given, "worst", "best", evaluation)
    table["queries where that matters"] = given["ties_matter"].astype(int)
    table["unjudged, all worthless to all best"] = _span(
        given, "unjudged_worthless", "unjudged_best", evaluation
    )
    table["answered queries only"] = given["answered"]
    table["only queries with a relevant document"] = given["with_relevant"]
    return _frame(table, evaluation, small=True)


def _span(given: pd.DataFrame, low: str, high: str, evaluation: Evaluation) -> pd.Categorical:
    """Return two columns as one: from one number to the other, or the only one."""
    words = []
    for pair in zip(given[low], given[high], strict=True):
        ends = dict.fromkeys(number(value, evaluation.view.decimals) for value in pair)
        words.append(" to ".join(ends))
    return pd.Categorical(words)
