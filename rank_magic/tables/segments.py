"""Means by segment, in every form, from the same grid as those of an evaluation."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from rank_magic.notes import (
    Note,
    convention_notes,
    counted,
    plain_text,
    sentence,
    short,
    weight_notes,
)
from rank_magic.tables.grid import NOTHING, Column, Grid, grid
from rank_magic.tables.html import STYLE, by_system, columns_table, conventions_html, paragraph
from rank_magic.tables.markup import means_latex, means_markdown
from rank_magic.tables.text import means_text

if TYPE_CHECKING:
    from rank_magic.segments import Segments

__all__ = ["segments_html", "segments_latex", "segments_markdown", "segments_text"]

SHOWN_SEGMENTS, SHOWN_IN_TEXT = 200, 30
# Means over fewer queries than this say little.
FEW_QUERIES = 20
# From how far apart the shares judged of two segments are told.
UNEVEN = 0.1
NAMED = 3


def segments_text(segments: Segments) -> str:
    """Return the table of means by segment and what they rest on."""
    width = max(shutil.get_terminal_size((100, 24)).columns, 20)
    notes = _notes(segments, "*", SHOWN_IN_TEXT)
    below = "\n".join(textwrap.fill(note, width) for note in notes)
    return "\n\n".join([*means_text(_grid(segments, SHOWN_IN_TEXT), width), below])


def segments_html(segments: Segments) -> str:
    """Return the table of means by segment and what they rest on, to be put into a page."""
    evaluation = segments.evaluation
    table = by_system(_grid(segments, SHOWN_SEGMENTS), evaluation)
    tall = " rm-tall" if len(segments) * len(evaluation.systems) > SHOWN_IN_TEXT else ""
    notes = [paragraph(escape(text)) for text in _own_notes(segments, "▲", SHOWN_SEGMENTS)]
    conventions = conventions_html(convention_notes(evaluation))
    facts = columns_table(_facts(segments, SHOWN_SEGMENTS), small=True)
    return (
        f"{STYLE}<div class='rank-magic rm-means'><div class='rm-scroll{tall}'>{table}</div>"
        f"{''.join(notes)}{paragraph(f'Conventions: {conventions}.')}"
        f"{''.join(paragraph(escape(remark)) for remark in evaluation.view.remarks)}"
        f"<details class='rm-side'><summary>What these means rest on</summary>{facts}</details>"
        f"</div>"
    )


def segments_markdown(segments: Segments, *, intervals: bool = True) -> str:
    """Return the means by segment as a Markdown table and the notes below."""
    return means_markdown(_grid(segments), _notes(segments), intervals=intervals)


def segments_latex(segments: Segments, *, intervals: bool = True) -> str:
    """Return the means by segment as a LaTeX table (package booktabs), notes as comments."""
    return means_latex(_grid(segments), _notes(segments), intervals=intervals)


# What the table holds.


def _grid(segments: Segments, limit: int | None = None) -> Grid:
    """Return the means of the first `limit` segments, and below them those over all.

    Within a segment systems stand as in the table of the evaluation.
    """
    evaluation, sizes = segments.evaluation, segments.queries.tolist()
    overall = segments.overall.to_numpy(dtype=np.float64)
    parts = [grid(evaluation, rows) for rows in [*segments.rows[:limit], overall]]
    names = [*map(plain_text, segments.labels[:limit]), "all"]
    counts = [*(f"{size:,}" for size in sizes[:limit]), f"{sum(sizes):,}"]
    gaps = [""] * (len(evaluation.systems) - 1)
    lead = [
        Column(_title(segments), [cell for name in names for cell in (name, *gaps)], words=True),
        Column("queries", [cell for count in counts for cell in (count, *gaps)]),
    ]
    several = evaluation.rankings.rows.several
    if several:
        systems = [name for part in parts for name in part.lead[0].cells]
        lead.insert(1, Column("system", systems, words=True))
    cells = [row for part in parts for row in part.cells]
    return replace(parts[-1], lead=lead, cells=cells, several=True)


def _title(segments: Segments) -> str:
    return ", ".join(map(plain_text, segments.names))


def _facts(segments: Segments, limit: int) -> list[Column]:
    """Return the facts about the first `limit` segments, a row for each system in them."""
    several = segments.evaluation.rankings.rows.several
    facts = segments.coverage.head(limit * len(segments.evaluation.systems))
    labels = [key[:-1] if len(key) > 2 else key[0] for key in facts.index]
    columns = [Column(_title(segments), [*map(plain_text, labels)], words=True)]
    if several:
        columns.append(Column("system", [plain_text(key[-1]) for key in facts.index], words=True))
    return columns + [Column(str(name), [*map(_fact, facts[name].tolist())]) for name in facts]


def _fact(value: Any) -> str:
    if not isinstance(value, float):
        return f"{value:,}"
    return NOTHING if math.isnan(value) else f"{100 * value:.1f} %"


# What stands below it.


def _notes(segments: Segments, mark: str = "", limit: int | None = None) -> list[str]:
    return [
        *_own_notes(segments, mark, limit),
        sentence(convention_notes(segments.evaluation), "Conventions:"),
        *segments.evaluation.view.remarks,
    ]


def _own_notes(segments: Segments, mark: str, limit: int | None) -> list[str]:
    """Return what the means by segment rest on, and what is to be seen in them."""
    notes = chain(_about(segments, mark), weight_notes(segments.evaluation), _cautions(segments))
    hidden = 0 if limit is None else max(len(segments) - limit, 0)
    more = f"{counted(hidden, 'more segment', 'more segments')}: .to_frame() has them all."
    found = [*_reversals(segments), *([more] if hidden else [])]
    return [sentence(notes), *found]


def _about(segments: Segments, mark: str) -> Iterator[Note]:
    total = counted(int(segments.queries.sum()), "query", "queries")
    means = "weighted means" if segments.evaluation.weights is not None else "means"
    several = segments.evaluation.rankings.rows.several
    best = f"; {mark} best of its segment" if mark and several else ""
    number = counted(len(segments), "segment", "segments")
    yield Note(f"{means} over {total} in {number} with 95 % intervals{best}")
    if segments.left_out:
        yield Note(f"{counted(segments.left_out, 'query', 'queries')} in no segment left out")


def _cautions(segments: Segments) -> Iterator[Note]:
    """Yield which segments are small, and how differently they were judged."""
    worth = segments.effective
    small = worth[worth < FEW_QUERIES].sort_values(kind="stable")
    if len(small):
        of_equal = "" if segments.evaluation.weights is None else "the worth of "
        named = [f"{short(name)} ({size:,.3g})" for name, size in small.items()]
        more = f" and {len(named) - NAMED:,} more" if len(named) > NAMED else ""
        yield Note(
            f"{of_equal}fewer than {FEW_QUERIES} queries says little: "
            f"{', '.join(named[:NAMED])}{more}"
        )
    for share in [name for name in segments.coverage if str(name).startswith("Judged")][:1]:
        judged = segments.coverage[share].astype(float).dropna()
        if len(judged) and judged.max() - judged.min() >= UNEVEN:
            ends = [(judged.idxmin(), judged.min()), (judged.idxmax(), judged.max())]
            several = segments.evaluation.rankings.rows.several
            named = [
                f"{100 * value:.0f} % ({short(key if several else key[:-1])})"
                for key, value in ends
            ]
            yield Note(f"{share}: {' to '.join(named)}")


def _reversals(segments: Segments) -> list[str]:
    """Return the sentences on systems whose order over all is not that of the segments."""
    facts = {str(one) for one in segments.evaluation.measures if not one.quality}
    rows = segments.reversals
    # Simpson's paradox first, then the largest differences.
    rows = rows[~rows["measure"].isin(facts)].sort_values(
        ["for", "difference"], ascending=[True, False], kind="stable"
    )
    told = [_reversal(row, len(segments)) for row in rows.head(NAMED).to_dict("records")]
    if len(rows) > NAMED:
        told.append(
            f"{counted(len(rows) - NAMED, 'more such pair', 'more such pairs')}: .reversals"
        )
    return told


def _reversal(row: dict[str, Any], segments: int) -> str:
    pair = f"{short(row['better'])} is above {short(row['worse'])} by {row['measure']} over all"
    if row["for"]:
        return f"{pair}, but in {row['against']} of {segments} segments below it."
    return (
        f"Simpson's paradox: {pair}, but above it in no segment and below it in "
        f"{row['against']} of {segments}. They are measured over different queries."
    )
