"""An evaluation as HTML: no script, no outside request, legible where styles are taken away."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from rank_magic.notes import (
    Note,
    convention_notes,
    coverage_notes,
    plain_text,
    sentence,
    worth_working_out,
)
from rank_magic.tables.grid import NOTHING, Cell, Column, Grid, decimals, grid, number
from rank_magic.tables.queries import every_query, worst_queries, worst_title

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = [
    "by_system",
    "columns_table",
    "conventions_html",
    "evaluation_html",
    "evaluation_page",
    "means_html",
    "page",
    "paragraph",
    "worst_html",
]

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
    return page(", ".join(evaluation.names), evaluation_html(evaluation))


def page(title: str, body: str) -> str:
    """Return HTML as a page of its own."""
    return PAGE.format(title=escape(title), body=body)


def evaluation_html(evaluation: Evaluation) -> str:
    """Return the table of means and what they rest on, to be put into a page."""
    means = grid(evaluation)
    table = by_system(means, evaluation) if means.several else _by_measure(means, evaluation)
    notes = [Note(means.over(BEST)), *coverage_notes(evaluation)]
    below = [
        paragraph(escape(sentence(notes))),
        paragraph(f"Conventions: {conventions_html(convention_notes(evaluation))}."),
        *(paragraph(escape(remark)) for remark in evaluation.view.remarks),
    ]
    return (
        f"{STYLE}<div class='rank-magic rm-means'><div class='rm-scroll'>{table}</div>"
        f"{''.join(below)}{''.join(_queries(evaluation))}{_details(evaluation)}</div>"
    )


def means_html(evaluation: Evaluation) -> str:
    """Return the table of means alone, with what it is over, as HTML."""
    means = grid(evaluation)
    table = by_system(means, evaluation) if means.several else _by_measure(means, evaluation)
    over = paragraph(escape(sentence([Note(means.over(BEST))])))
    scrolled = f"<div class='rm-scroll'>{table}</div>"
    return f"{STYLE}<div class='rank-magic rm-means'>{scrolled}{over}</div>"


def worst_html(evaluation: Evaluation, number: int) -> str:
    """Return the worst queries, so many of them, as an HTML table."""
    lists = "".join(_queries(evaluation.shown(worst=number, per_query=False)))
    return f"{STYLE}<div class='rank-magic rm-means'>{lists}</div>"


def paragraph(html: str) -> str:
    """Return a paragraph that stands beside the matter."""
    return f"<p class='rm-side'>{html}</p>"


def conventions_html(notes: Iterable[Note]) -> str:
    """Return conventions as a list, those in bold that were chosen."""
    return "; ".join(
        f"<b>{escape(note.text)}</b>" if note.chosen else escape(note.text) for note in notes
    )


# The means.


def by_system(means: Grid, evaluation: Evaluation) -> str:
    """Return a table with a row for each system and two columns for each measure."""
    first = "".join(
        f"<th scope='col'{_side(lead)}>{escape(lead.name)}</th>" if lead.name else "<td></td>"
        for lead in means.lead
    )
    head = first + "".join(
        f"<th scope='colgroup' colspan='2' class='rm-over'{_tooltip(measure.pretty)}>"
        f"{escape(name)}</th>"
        for name, measure in zip(means.measures, evaluation.measures, strict=True)
    )
    written = zip(*(_lead_cells(lead) for lead in means.lead), strict=True)
    rows = "".join(
        f"<tr>{''.join(names)}"
        + "".join(
            _mean(cell, full, places)
            for cell, full, places in zip(row, means.full, means.decimals, strict=True)
        )
        + "</tr>"
        for names, row in zip(written, means.cells, strict=True)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _lead_cells(lead: Column) -> list[str]:
    """Return what stands before the means: names are the heads of their rows."""
    head, side = ("th scope='row'", _side(lead)) if lead.words else ("td", "")
    return [f"<{head}{side}>{escape(cell)}</{head[:2]}>" for cell in lead.cells]


def _side(column: Column) -> str:
    return " class='rm-text'" if column.words else ""


def _by_measure(means: Grid, evaluation: Evaluation) -> str:
    """Return a table with a row for each measure, for a single system."""
    rows = "".join(
        f"<tr><th scope='row' class='rm-text'{_tooltip(measure.pretty)}>{escape(name)}</th>"
        f"{_mean(cell, full, places)}</tr>"
        for name, cell, full, places, measure in zip(
            means.measures,
            means.cells[0],
            means.full,
            means.decimals,
            evaluation.measures,
            strict=True,
        )
    )
    return (
        f"<table><thead><tr><th scope='col' class='rm-text'>{escape(means.title)}</th>"
        f"<th scope='col'>mean</th><th scope='col' class='rm-over'>95 % interval</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _tooltip(text: str) -> str:
    return f" title='{escape(text)}'" if text else ""


def _mean(cell: Cell, full: float, places: int) -> str:
    """Return two cells, so that the number can be copied alone: the mean, and its interval."""
    value = number(cell.mean, places)
    over = f" title='over {cell.queries:,} queries'"
    if cell.best:
        value = f"<b>{value}</b>"
    mark = f"{BEST} " if cell.best else ""
    return (
        f"<td class='rm-mean'{over}>{value}</td>"
        f"<td{over}><span class='rm-side'>{mark}{cell.interval(places)}</span>"
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
        columns = worst_queries(evaluation)
        title = worst_title(evaluation, len(columns[0].cells))
        yield f"<p><b>{escape(title)}</b></p>{columns_table(columns)}"
    if evaluation.view.per_query:
        columns = every_query(evaluation, SHOWN_QUERIES)
        left = len(evaluation.queries) - len(columns[0].cells)
        more = paragraph(f"{left:,} more queries: .per_query has them all.") if left else ""
        yield f"<p><b>Every query</b></p>{columns_table(columns)}{more}"


def columns_table(columns: list[Column], *, small: bool = False) -> str:
    """Return columns as a table; a small one may have its heads wrapped."""
    sides = [_side(column) for column in columns]
    head = "".join(
        f"<th scope='col'{side}>{escape(column.name)}</th>"
        for column, side in zip(columns, sides, strict=True)
    )
    written = [
        [f"<td{side}>{escape(cell)}</td>" for cell in column.cells]
        for column, side in zip(columns, sides, strict=True)
    ]
    rows = "".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*written, strict=True))
    tall = " rm-tall" if len(columns[0].cells) > TALL else ""
    return (
        f"<div class='rm-scroll{tall}'><table{' class=rm-small' if small else ''}>"
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _details(evaluation: Evaluation) -> str:
    """Return what other choices would change, the facts, and every convention, folded."""
    every = conventions_html(convention_notes(evaluation, every=True))
    return (
        f"<details class='rm-side'><summary>How far other choices would move these means</summary>"
        f"{_sensitivity(evaluation)}<p>What they rest on:</p>{_facts(evaluation)}"
        f"<p>Every convention: {every}.</p></details>"
    )


def _facts(evaluation: Evaluation) -> str:
    facts, several = evaluation.coverage, evaluation.rankings.rows.several
    columns = [Column("", [str(name) for name in facts.index], words=True)]
    for name, values in zip(facts.columns, facts.to_numpy().T, strict=True):
        columns.append(Column(plain_text(name) if several else "", [*map(_fact, values)]))
    return columns_table(columns, small=True)


def _fact(value: Any) -> str:
    if not isinstance(value, float):
        return f"{value:,}"
    return NOTHING if math.isnan(value) else f"{100 * value:.1f} %"


def _sensitivity(evaluation: Evaluation) -> str:
    if not worth_working_out(evaluation):
        return "<p>Not worked out unasked for so many rows: <code>.sensitivity</code> does it.</p>"
    table = evaluation.sensitivity
    places = decimals(evaluation) * len(evaluation.systems)
    found = {name: table[name].tolist() for name in table}

    def written(name: str) -> list[str]:
        return [number(value, n) for value, n in zip(found[name], places, strict=True)]

    def span(low: str, high: str) -> list[str]:
        pairs = zip(written(low), written(high), strict=True)
        return [" to ".join(dict.fromkeys(ends)) for ends in pairs]

    columns = [Column("measure", evaluation.names * len(evaluation.systems), words=True)]
    if evaluation.rankings.rows.several:
        gaps = [""] * (len(evaluation.names) - 1)
        names = [one for name in evaluation.systems for one in (plain_text(name), *gaps)]
        columns.insert(0, Column("system", names, words=True))
    columns += [
        Column("mean", written("mean")),
        Column("tied scores, worst to best order", span("worst", "best")),
        Column("queries where that matters", [f"{n:,.0f}" for n in found["ties_matter"]]),
        Column("unjudged, all worthless to all best", span("unjudged_worthless", "unjudged_best")),
        Column("answered queries only", written("answered")),
        Column("only queries with a relevant document", written("with_relevant")),
    ]
    return columns_table(columns, small=True)
