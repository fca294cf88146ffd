"""How much of the searcher's attention each rank gets, by what a measure assumes."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from rank_magic.plots.style import COLOURS, DASHES, GREY, figure, label

__all__ = ["discounts"]

MOST_MARKED = 30  # with more points than this, lines have no marks
SYMBOLS = ("circle", "square", "diamond", "x", "triangle-up", "cross")
# What the axis says: of each view as it is, and added up.
TITLES = {
    "weight": ("attention (most = 1)", "share of the attention in the top ranks"),
    "continuation": ("chance of going on to the next rank", ""),
    "last": ("chance that it is the last rank", "share of readers who have stopped"),
}


def discounts(
    attention: pd.DataFrame,
    *,
    cutoff: int | None = None,
    logarithmic: bool = False,
    cumulative: bool = False,
    hidden: Any = (),
    view: str = "weight",
) -> go.Figure:
    """Return a line for each column of a table of attention by rank.

    Parameters
    ----------
    attention : DataFrame
        A row for each rank and a column for each curve, see `rank_magic.attention`.
    cutoff : int, optional
        Where to draw a line.
    logarithmic : bool
        Whether both axes are logarithmic.
    cumulative : bool
        Whether the table says how much lies in the top ranks, as shares.
    hidden : collection of str
        Columns that are not drawn.
    view : {"weight", "continuation", "last"}
        What the table says of each rank.
    """
    kind = "log" if logarithmic else "linear"
    whole = figure(x="rank", y=TITLES[view][cumulative], height=400)
    lines = [
        _line(place, attention.index.to_numpy(), attention[name], logarithmic=logarithmic)
        for place, name in enumerate(attention)
    ]
    for line, name in zip(lines, attention, strict=True):
        line["visible"] = name not in hidden
    whole.add_traces(lines)
    whole.update_layout(
        xaxis_type=kind,
        yaxis_type=kind,
        yaxis_rangemode="normal" if logarithmic else "tozero",
        shapes=[_cut(cutoff)],
    )
    return whole


def _line(
    place: int, ranks: NDArray[Any], values: pd.Series[float], *, logarithmic: bool
) -> dict[str, Any]:
    """Return a curve as plotly takes it, without its checking it twice as it does a `Scatter`."""
    drawn = values.where(values > 0) if logarithmic else values
    colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
    return {
        "type": "scatter",
        "x": ranks,
        "y": drawn.to_numpy(dtype="float64"),
        "name": label(values.name),
        "mode": "lines+markers" if len(ranks) <= MOST_MARKED else "lines",
        "line": {"color": colour, "dash": dash, "width": 2},
        "marker": {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 6, "color": colour},
        "hovertemplate": "rank %{x}: %{y:.4f}",
    }


def _cut(cutoff: int | None) -> dict[str, Any]:
    """Return the line at a cutoff; without one it is there and not seen."""
    at = 1.0 if cutoff is None else cutoff + 0.5
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": at,
        "x1": at,
        "y0": 0,
        "y1": 1,
        "visible": cutoff is not None,
        "line": {"color": GREY, "dash": "dash", "width": 1},
        "label": {
            "text": f" cutoff {cutoff}",
            "textposition": "middle",
            "textangle": 0,
            "xanchor": "left",
        },
    }
