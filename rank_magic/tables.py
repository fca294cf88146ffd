"""Evaluations and explanations as text for the terminal and as HTML for the notebook."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import pandas as pd

from rank_magic.notes import convention_notes, coverage_notes

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation
    from rank_magic.explanation import Explanation

__all__ = ["evaluation_html", "evaluation_text", "explanation_html", "explanation_text"]

DECIMALS = 4
SHOWN_RANKS = 30

# Transparent backgrounds and inherited colours: the same table reads in light and dark themes.
STYLE = """<style scoped>
.rank-magic table {border-collapse: collapse; font-variant-numeric: tabular-nums;}
.rank-magic th, .rank-magic td {text-align: right; padding: .3em .8em; border: 0;
  border-bottom: 1px solid rgba(128, 128, 128, .3); background: transparent; color: inherit;}
.rank-magic th.rm-name, .rank-magic td.rm-text {text-align: left;}
.rank-magic .rm-bar {height: 3px; margin-top: 2px; background: rgba(128, 128, 128, .22);}
.rank-magic .rm-bar > div {height: 3px; background: #0072B2;}
.rank-magic .rm-side, .rank-magic .rm-note {color: #767676; font-size: .85em;}
.rank-magic .rm-best {font-weight: bold;}
.rank-magic p.rm-note {margin: .5em 0 0 0; max-width: 60em;}
</style>"""


def number(value: float, decimals: int = DECIMALS) -> str:
    """Write a value; a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:.{decimals}f}"


def _spread(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"[{number(low, 3)}, {number(high, 3)}]"


def _rows(evaluation: Evaluation) -> list[tuple[str, list[pd.Series]]]:
    """Return the summary of each system, a row for each measure."""
    summary = evaluation.summary()
    if not evaluation.rankings.rows.several:
        return [("mean", [summary.loc[name] for name in evaluation.names])]
    return [
        (str(system), [summary.loc[(system, name)] for name in evaluation.names])
        for system in evaluation.systems
    ]


def _best(rows: list[tuple[str, list[pd.Series]]]) -> list[float]:
    """Return the best mean of each measure, where there is more than one system."""
    if len(rows) < 2:
        return [math.nan] * len(rows[0][1])
    columns = zip(*(cells for _, cells in rows), strict=True)
    return [max((cell["mean"] for cell in cells), default=math.nan) for cells in columns]


def evaluation_text(evaluation: Evaluation) -> str:
    """Return the table of means and its notes as text, within the terminal's width."""
    width = shutil.get_terminal_size((100, 24)).columns
    rows = _rows(evaluation)
    best = _best(rows)
    table = {
        name: [
            f"{number(cells[place]['mean'])}{'*' if cells[place]['mean'] == best[place] else ' '}"
            f"{_spread(cells[place]['low'], cells[place]['high'])}"
            for _, cells in rows
        ]
        for place, name in enumerate(evaluation.names)
    }
    frame = pd.DataFrame(table, index=[name for name, _ in rows])
    text = frame.to_string()
    if max(map(len, text.splitlines())) > width:
        text = frame.T.to_string()
    if max(map(len, text.splitlines())) > width:
        text = frame.T.stack().to_string()
    counts = sorted({int(cell["queries"]) for _, cells in rows for cell in cells})
    over = f"means and 95 % intervals over {' to '.join(f'{count:,}' for count in counts[:1] + counts[1:][-1:])} queries"
    legend = "; * best" if len(rows) > 1 else ""
    notes = [over + legend, *coverage_notes(evaluation)]
    return (
        f"{text}\n{_wrapped(notes, width)}\n{_wrapped(list(convention_notes(evaluation)), width)}"
    )


def _wrapped(notes: Sequence[str], width: int) -> str:
    import textwrap

    return textwrap.fill("; ".join(notes) + ".", width)


def evaluation_html(evaluation: Evaluation) -> str:
    """Return the table of means and its notes as HTML without script or outside request."""
    rows = _rows(evaluation)
    best = _best(rows)
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in evaluation.names)
    body = []
    for name, cells in rows:
        row = "".join(
            _cell(cell, measure.unit, cell["mean"] == top)
            for cell, measure, top in zip(cells, evaluation.measures, best, strict=True)
        )
        body.append(f"<tr><th scope='row' class='rm-name'>{escape(name)}</th>{row}</tr>")
    notes = escape("; ".join(coverage_notes(evaluation)))
    chosen = escape("; ".join(convention_notes(evaluation)))
    legend = "▲ best. " if len(rows) > 1 else ""
    return (
        f"{STYLE}<div class='rank-magic'><table><thead><tr><th class='rm-name'></th>{head}</tr>"
        f"</thead><tbody>{''.join(body)}</tbody></table>"
        f"<p class='rm-note'>{legend}Means with 95 % intervals. {_first_upper(notes)}.</p>"
        f"<details class='rm-note'><summary>Conventions</summary>{_first_upper(chosen)}.</details>"
        f"</div>"
    )


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cell(cell: pd.Series, unit: bool, best: bool) -> str:
    mark = " rm-best" if best else ""
    bar = ""
    if unit and not math.isnan(cell["mean"]):
        share = 100 * min(max(cell["mean"], 0.0), 1.0)
        bar = f"<div class='rm-bar'><div style='width:{share:.1f}%'></div></div>"
    title = f"over {int(cell['queries']):,} queries"
    return (
        f"<td title='{title}'><span class='rm-value{mark}'>{number(cell['mean'])}"
        f"{' ▲' if best else ''}</span> "
        f"<span class='rm-side'>{_spread(cell['low'], cell['high'])}</span>{bar}</td>"
    )


def explanation_text(explanation: Explanation) -> str:
    """Return a ranking and each measure's table as text."""
    parts = [_title(explanation), _ranks(explanation.ranking).to_string()]
    for name, table in explanation.parts.items():
        parts.append(f"{name} = {number(explanation.values[name])}")
        parts.append(_ranks(table).to_string())
    return "\n\n".join(parts)


def explanation_html(explanation: Explanation) -> str:
    """Return a ranking with each measure's quantities beside it as one HTML table."""
    table = _ranks(explanation.to_frame())
    table.columns = pd.MultiIndex.from_tuples(
        [
            (f"{name} = {number(explanation.values[name])}" if name else "", quantity)
            for name, quantity in table.columns
        ]
    )
    html = table.to_html(escape=True, na_rep="", float_format=number, border=0)
    left = len(explanation.ranking) - SHOWN_RANKS
    more = f"<p class='rm-note'>{left:,} more ranks: .to_frame()</p>" if left > 0 else ""
    title = f"<p><b>{escape(_title(explanation))}</b></p>"
    return f"{STYLE}<div class='rank-magic'>{title}{html}{more}</div>"


def _title(explanation: Explanation) -> str:
    return f"query {explanation.query!r}, system {explanation.system!r}"


def _ranks(table: pd.DataFrame) -> pd.DataFrame:
    """Return the first ranks, rounded, with gaps instead of NaN."""
    return table.head(SHOWN_RANKS).round(DECIMALS)
