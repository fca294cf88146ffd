"""Each measure's value before and after an edit, side by side."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

import pandas as pd

__all__ = ["value_table"]

SMALL = 5e-13  # what rounding may leave of no change at all


def value_table(table: pd.DataFrame, *, changed: bool) -> str:
    """Return a column for each measure; after a change with the value before, and by how much.

    Parameters
    ----------
    table : DataFrame
        Columns ``before``, ``now`` and ``change``, a row for each measure.
    changed : bool
        Whether the ranking was changed.
    """
    head = "".join(f"<th scope='col'>{escape(str(name))}</th>" for name in table.index)
    rows = [_row("value", table["now"], _number)]
    if changed:
        rows = [
            _row("before", table["before"], _number),
            _row("now", table["now"], _number),
            _row("change", table["change"], _change),
        ]
    return (
        f"<div class='rm-values' role='status'><table><thead><tr><td></td>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _row(name: str, values: pd.Series[float], written: Callable[[float], str]) -> str:
    cells = "".join(f"<td>{written(value)}</td>" for value in values)
    return f"<tr><th scope='row'>{name}</th>{cells}</tr>"


def _number(value: float) -> str:
    return "–" if pd.isna(value) else f"<b>{value:.4f}</b>"


def _change(change: float) -> str:
    if pd.isna(change):
        return "–"
    if abs(change) < SMALL:
        return "does not move"
    return f"{'▲' if change > 0 else '▼'} {change:+.4f}"
