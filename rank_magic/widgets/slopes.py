"""Two rankings side by side, with lines from where a document stands to where it stands."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

import pandas as pd

from rank_magic.notes import plain_text

__all__ = ["slopes"]

FEW_RANKS = 15
ROW = 40  # pixels
MIDDLE = 120
SMALL = 5e-13
# By sign of what a move is worth: colour, dashes and sign, so that colour is not the only one.
LOOKS = {1: ("#0072B2", "", "▲"), 0: ("#767676", "2 4", "="), -1: ("#D55E00", "7 4", "▼")}

STYLE = f"""<style scoped>
.rm-slopes {{display: grid; grid-template-columns: minmax(0, 1fr) {MIDDLE}px minmax(0, 1fr);
max-width: 75em; font-variant-numeric: tabular-nums; line-height: 1.25;}}
.rm-slopes h5 {{margin: 0; height: 28px; font-size: 1em;}}
.rm-slopes ol {{list-style: none; margin: 0; padding: 0;}}
.rm-slopes li {{height: {ROW}px; box-sizing: border-box; overflow: hidden; padding: 2px 4px;
border-bottom: 1px solid rgba(128, 128, 128, .3);}}
.rm-slopes li > * {{display: block; overflow: hidden; white-space: nowrap;
text-overflow: ellipsis;}}
.rm-slopes .rm-side {{opacity: .8; font-size: .92em;}}
</style>"""


def slopes(
    moves: pd.DataFrame, titles: dict[Any, str], names: tuple[object, object], measure: str
) -> str:
    """Return two rankings beside each other as HTML without script.

    Parameters
    ----------
    moves : DataFrame
        As `rank_magic.moves.moves` returns it.
    titles : dict
        What documents are called, by id; the id where there is nothing.
    names : pair
        The baseline's and the system's name.
    measure : str
        What the changes are of.
    """
    left, right = (_side(moves, titles, column) for column in ("from", "to"))
    rows = max(len(left), len(right), 1)
    lines = "".join(_lines(moves, rows))
    heads = [f"<h5>{escape(plain_text(name))}</h5>" for name in names]
    total = moves["change"].sum()
    return (
        f"{STYLE}<div class='rm-slopes'>{heads[0]}<h5></h5>{heads[1]}<ol>{''.join(left)}</ol>"
        f"<svg width='{MIDDLE}' height='{rows * ROW}' role='img' "
        f"aria-label='Lines between the places of each document'>{lines}</svg>"
        f"<ol>{''.join(right)}</ol></div><p>▲ and whole lines: the move earns {escape(measure)}; "
        f"▼ and dashed lines: it costs; dotted: neither. All moves together: {total:+.4f}.</p>"
    )


def _side(moves: pd.DataFrame, titles: dict[Any, str], column: str) -> list[str]:
    """Return the first ranks of one ranking, as list items."""
    other = "to" if column == "from" else "from"
    ranked = moves[moves[column].notna()].sort_values(column).head(FEW_RANKS)
    items = []
    records = zip(ranked.index, ranked[column], ranked[other], ranked["grade"], ranked["change"],
                  strict=True)  # fmt: skip
    for doc, rank, elsewhere, grade, change in records:
        sign = _sign(change)
        called = escape(titles.get(doc) or plain_text(doc))
        graded = "not judged" if pd.isna(grade) else f"grade {grade:g}"
        worth = LOOKS[sign][2] + (f" {change:+.4f}" if sign else "")
        there = "not retrieved" if pd.isna(elsewhere) else f"rank {elsewhere}"
        items.append(
            f"<li title='{called}'><span>{rank}. {called}</span>"
            f"<span class='rm-side'>{graded} · {worth} · {there} there</span></li>"
        )
    return items


def _lines(moves: pd.DataFrame, rows: int) -> Iterator[str]:
    """Yield a line for each document that either side lists; to the edge if the other does not."""
    for start, end, change in zip(moves["from"], moves["to"], moves["change"], strict=True):
        places = [rows + 1 if pd.isna(rank) else min(int(rank), rows + 1) for rank in (start, end)]
        if min(places) > min(rows, FEW_RANKS):
            continue
        y = [min((place - 0.5) * ROW, rows * ROW) for place in places]
        colour, dashes, _ = LOOKS[_sign(change)]
        yield (
            f"<line x1='4' x2='{MIDDLE - 4}' y1='{y[0]:.0f}' y2='{y[1]:.0f}' stroke='{colour}' "
            f"stroke-width='2' stroke-dasharray='{dashes}'/>"
        )


def _sign(change: float) -> int:
    return 0 if abs(change) < SMALL else 1 if change > 0 else -1
