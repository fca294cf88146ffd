"""Explanations as text for the terminal and as HTML for the notebook."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    from rank_magic.explanation import Explanation

__all__ = ["explanation_html", "explanation_text"]

DECIMALS = 4
FEWEST_RANKS, MOST_RANKS = 10, 30  # how many ranks are shown; the largest cutoff between them
MOST_TEXTS = 2  # how many columns of text beside the document's id
MOST_LETTERS = 100

# Transparent backgrounds and inherited colours read in light and dark themes. Bars, badges and
# brackets repeat what the text says, so that nothing is lost where styles are taken away.
STYLE = """<style scoped>
.rm-explained {max-width: 100%;}
.rm-explained .rm-scroll {overflow: auto; max-width: 100%; margin: .4em 0;}
.rm-explained table {border-collapse: collapse; border: 0; margin: 0; font-size: .93em;
  font-variant-numeric: tabular-nums;}
.rm-explained tr, .rm-explained tr:nth-child(odd), .rm-explained tr:nth-child(even) {
  background: transparent;}
.rm-explained tbody tr:hover {background: rgba(128, 128, 128, .12);}
.rm-explained th, .rm-explained td {text-align: right; vertical-align: top; white-space: nowrap;
  padding: .3em .5em; border: 0; border-bottom: 1px solid rgba(128, 128, 128, .3);
  background: transparent; color: inherit; max-width: none;}
.rm-explained th {font-weight: normal; vertical-align: bottom;}
.rm-explained thead th {border-bottom: 1px solid rgba(128, 128, 128, .7);}
.rm-explained th.rm-text, .rm-explained td.rm-text {text-align: left; white-space: normal;
  overflow-wrap: anywhere; min-width: 8em; max-width: 30em;}
.rm-explained td.rm-tied {border-left: 3px solid #CC79A7;}
.rm-explained td.rm-tied-0 {border-left-color: #009E73;}
.rm-explained .rm-side {opacity: .75; font-size: .9em;}
.rm-explained .rm-zero {opacity: .6;}
.rm-explained .rm-value {font-weight: bold; font-size: 1.1em;}
.rm-explained .rm-grade {display: inline-block; min-width: 1.2em; padding: 0 .3em;
  text-align: center; border: 1px solid rgba(128, 128, 128, .55); border-radius: .7em;}
.rm-explained .rm-count {white-space: nowrap;}
.rm-explained .rm-open {border-style: dashed;}
.rm-explained .rm-full {position: relative; height: 5px; margin-top: 3px; min-width: 3em;}
.rm-explained .rm-full > div {position: absolute; top: 0; left: 0; height: 5px;}
.rm-explained .rm-ideal {background: rgba(128, 128, 128, .4);}
.rm-explained .rm-real {background: #0072B2;}
.rm-explained p {margin: .3em 0 0 0; max-width: 62em; line-height: 1.4;}
.rm-explained details {margin-top: .3em;}
.rm-explained summary {cursor: pointer;}
</style>"""

ORDERS = {
    "average": "what their ranks add is averaged over every order of them",
    "trec": "they stand in trec_eval's order",
    "order": "they stand in row order",
    "worst": "they stand in their worst order",
    "best": "they stand in their best order",
}


def _number(value: float) -> str:
    """Write a value; a dash where there is none."""
    return "–" if pd.isna(value) else f"{value:.{DECIMALS}f}"


def _grade(grade: float) -> str:
    """Write a grade; a question mark where nobody judged."""
    return "?" if pd.isna(grade) else f"{grade:g}"


def _shown(explanation: Explanation) -> int:
    """Return how many ranks to show: down to the largest cutoff, within reason."""
    cutoffs = [len(part) for part in explanation.parts.values()]
    length = len(explanation.ranking)
    deepest = max((cut for cut in cutoffs if cut < length), default=FEWEST_RANKS)
    shown = min(max(deepest, FEWEST_RANKS), MOST_RANKS)
    return length if length <= shown + 2 else shown  # a rest of one or two is no shorter


def _texts(explanation: Explanation) -> list[Hashable]:
    """Return the columns that say what a document is."""
    ranking, ours = explanation.ranking, {"doc", "grade", "score", "rank given", "tie"}
    texts = [
        name
        for place, name in enumerate(ranking.columns)
        if name not in ours
        and name not in explanation.about
        and not pd.api.types.is_numeric_dtype(ranking.dtypes.iloc[place])
    ]
    return texts[:MOST_TEXTS]


def _short(text: Any) -> str:
    words = "" if pd.api.types.is_scalar(text) and pd.isna(text) else str(text)
    return words if len(words) <= MOST_LETTERS else words[: MOST_LETTERS - 1] + "…"


def _query(explanation: Explanation) -> str:
    query = explanation.query
    return ", ".join(map(str, query)) if isinstance(query, tuple) else str(query)


def _counted(grades: pd.Series[float]) -> Iterator[tuple[float, int]]:
    """Yield each grade, the best first and the unjudged last, and how often it occurs."""
    counts = grades.value_counts(dropna=False).sort_index(ascending=False, na_position="last")
    yield from counts.items()


# Text.


def explanation_text(explanation: Explanation) -> str:
    """Return a ranking, what each rank adds, and each measure's own quantities as text."""
    shown = _shown(explanation)
    words = [str(word) for word in (_query(explanation), *explanation.about.values())]
    title = f"{' · '.join(words)}, ranked by {explanation.system}"
    table = explanation.ranking.head(shown)
    texts = _texts(explanation)
    left = [name for name in ("doc", "grade", "score", "rank given", "tie") if name in table]
    table = pd.concat(
        [
            table[left].assign(grade=table["grade"].map(_grade)),
            explanation.contributions.head(shown).round(DECIMALS),
            table[texts].map(_short),
        ],
        axis=1,
    )
    values = [f"{name} = {_number(value)}" for name, value in explanation.values.items()]
    parts = [title, ", ".join(values), _plain(table)]
    if rest := list(_rest_text(explanation, shown)):
        parts.append("\n".join(rest))
    for value, part in zip(values, explanation.parts.values(), strict=True):
        if len(part.columns) > 1:
            parts += [value, _plain(part.head(max(shown, FEWEST_RANKS)).round(DECIMALS))]
    return "\n\n".join(parts)


def _plain(table: pd.DataFrame) -> str:
    return table.to_string(na_rep="") if len(table) else "(no results)"


def _rest_text(explanation: Explanation, shown: int) -> Iterator[str]:
    for what, grades in _rest(explanation, shown):
        counts = ", ".join(f"{_grade(grade)} × {number:,}" for grade, number in _counted(grades))
        yield f"{what}: grades {counts}"


def _rest(explanation: Explanation, shown: int) -> Iterator[tuple[str, pd.Series[float]]]:
    """Yield what is not shown, in words, and its grades."""
    below = explanation.ranking["grade"].iloc[shown:]
    if len(below):
        yield f"ranks {shown + 1}–{len(explanation.ranking):,}", below
    if len(explanation.missed):
        yield "judged, not retrieved", explanation.missed["grade"]


# HTML.


def explanation_html(explanation: Explanation) -> str:
    """Return a ranking with what each rank adds to each measure as HTML without script."""
    shown = _shown(explanation)
    words = [escape(_short(word)) for word in explanation.about.values()]
    first, *others = [*words, escape(_query(explanation))]
    others.append(f"ranked by {escape(str(explanation.system))}")
    title = f"<b>{first}</b> <span class='rm-side'>· {' · '.join(others)}</span>"
    return (
        f"{STYLE}<div class='rank-magic rm-explained'><p>{title}</p>"
        f"<div class='rm-scroll'><table><thead>{_head(explanation)}</thead>"
        f"<tbody>{''.join(_body(explanation, shown))}</tbody></table></div>"
        f"<p class='rm-side'>{'<br>'.join(_legend(explanation, shown))}</p>"
        f"{''.join(_workings(explanation, shown))}</div>"
    )


def _scored(explanation: Explanation) -> str | None:
    """Return the name of the column that the ranking is sorted by."""
    return next((name for name in ("score", "rank given") if name in explanation.ranking), None)


def _head(explanation: Explanation) -> str:
    scored = _scored(explanation)
    measures = "".join(
        f"<th scope='col'>{escape(name)}<br><span class='rm-value'>{_number(value)}</span></th>"
        for name, value in explanation.values.items()
    )
    score = f"<th scope='col'>{scored}</th>" if scored else ""
    return (
        f"<tr><th scope='col'>rank</th><th scope='col' class='rm-text'>document</th>"
        f"<th scope='col'>grade</th>{score}{measures}</tr>"
    )


def _body(explanation: Explanation, shown: int) -> Iterator[str]:
    ranking, scored = explanation.ranking, _scored(explanation)
    added = explanation.contributions.reindex(ranking.index)
    ideal = explanation.ideal.reindex(ranking.index).fillna(0.0)
    # A full bar is the most that a rank adds, here or in an ideal ranking.
    full = pd.concat([explanation.ideal, added]).max()
    texts = _texts(explanation)
    form = "#.5g" if scored and (ranking[scored] % 1 != 0).any() else ".15g"
    for rank in ranking.index[:shown]:
        row = ranking.loc[rank]
        cells = "".join(
            _cell(added.at[rank, name], ideal.at[rank, name], full[name]) for name in added
        )
        tied = "tie" in row.index and not pd.isna(row["tie"])
        mark = f" class='rm-tied rm-tied-{row['tie'] % 2}' title='equal scores'" if tied else ""
        score = f"<td>{format(row[scored], form)}</td>" if scored else ""
        yield (
            f"<tr><td{mark}>{rank}{' =' if tied else ''}</td>"
            f"<td class='rm-text'>{_document(row, texts)}</td>"
            f"<td>{_badge(row['grade'], explanation.top_grade)}</td>{score}{cells}</tr>"
        )
    for what, grades in _rest(explanation, shown):
        badges = ", ".join(
            f"<span class='rm-count'>{_badge(grade, explanation.top_grade)}"
            f"<span class='rm-side'> × {number:,}</span></span>"
            for grade, number in _counted(grades)
        )
        below = what.startswith("ranks")
        sums = added.iloc[shown:].sum(min_count=1) if below else dict.fromkeys(added)
        cells = "".join(f"<td>{_amount(sums[name])}</td>" for name in added)
        yield (
            f"<tr><td>{what.removeprefix('ranks ') if below else '–'}</td>"
            f"<td class='rm-text' colspan='{3 if scored else 2}'>"
            f"<span class='rm-side'>{'further down' if below else what}: grades</span> "
            f"{badges}</td>{cells}</tr>"
        )


def _document(row: pd.Series[Any], texts: list[Hashable]) -> str:
    lines = [escape(_short(row[name])) for name in texts]
    if "doc" in row.index:
        doc = escape(_short(row["doc"]))
        lines.append(f"<span class='rm-side'>{doc}</span>" if lines else doc)
    return "<br>".join(line for line in lines if line)


def _badge(grade: float, top: float) -> str:
    """Return a grade, the bluer the higher it is on the scale."""
    if pd.isna(grade):
        return "<span class='rm-grade rm-open' title='not judged'>?</span>"
    shade = 0.6 * min(max(grade, 0.0) / top, 1.0) if top > 0 else 0.0
    return (
        f"<span class='rm-grade' style='background: rgba(0, 114, 178, {shade:.2f})'>"
        f"{_grade(grade)}</span>"
    )


def _amount(value: float | None) -> str:
    if value is None or pd.isna(value):
        return ""
    return "<span class='rm-zero'>0</span>" if value == 0 else _number(value)


def _cell(value: float, ideal: float, full: float) -> str:
    """Return what a rank adds with its bar, over what it would add in an ideal ranking."""
    if pd.isna(value):  # beyond the cutoff
        return "<td></td>"
    bar = ""
    if full > 0:
        widths = [100 * min(max(part / full, 0.0), 1.0) for part in (ideal, value)]
        bar = (
            f"<div class='rm-full'><div class='rm-ideal' style='width: {widths[0]:.1f}%'></div>"
            f"<div class='rm-real' style='width: {widths[1]:.1f}%'></div></div>"
        )
    return f"<td>{_amount(value)}{bar}</td>"


def _legend(explanation: Explanation, shown: int) -> Iterator[str]:
    """Yield what the marks mean, those that occur."""
    visible = explanation.ranking.head(shown)
    if visible.empty:
        yield "No results, so nothing is added."
        return
    bars = "Blue bars are what a rank adds, grey ones what it would add in an ideal ranking."
    # They do not where a convention decides the value, such as no_relevant="one".
    sums, values = explanation.contributions.sum(), pd.Series(explanation.values)
    adds_up = bool((values.isna() | ((sums - values).abs() < 1e-9)).all())
    yield f"Each column adds up to the value at its top. {bars}" if adds_up else bars
    if "tie" in visible and visible["tie"].notna().any():
        yield f"= marks equal scores: {ORDERS[explanation.ties]}."
    if visible["grade"].isna().any():
        yield "? marks what nobody judged."


def _workings(explanation: Explanation, shown: int) -> Iterator[str]:
    """Yield how each measure comes to its value, to be unfolded."""
    depth = max(shown, FEWEST_RANKS)  # the ideal may be longer than the ranking
    for name, part in explanation.parts.items():
        if len(part.columns) < 2:
            continue
        head = "".join(f"<th scope='col'>{escape(str(quantity))}</th>" for quantity in part)
        rows = "".join(
            f"<tr><th scope='row'>{rank}</th>"
            + "".join(f"<td>{'' if pd.isna(value) else _number(value)}</td>" for value in row)
            + "</tr>"
            for rank, row in zip(part.index[:depth], part.to_numpy()[:depth], strict=True)
        )
        value = _number(explanation.values[name])
        yield (
            f"<details><summary class='rm-side'>How {escape(name)} comes to {value}</summary>"
            f"<div class='rm-scroll'><table><thead><tr><th scope='col'>rank</th>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div></details>"
        )
