"""How much of the searcher's attention each rank gets, by what a measure assumes."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from rank_magic.plots.style import COLOURS, DASHES, GREY, figure, label

__all__ = ["discounts"]

MOST_MARKED = 30  # with more points than this, lines have no marks
SYMBOLS = ("circle", "square", "diamond", "x", "triangle-up", "cross")


def discounts(
    attention: pd.DataFrame,
    *,
    cutoff: int | None = None,
    logarithmic: bool = False,
    cumulative: bool = False,
    hidden: Any = (),
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
    """
    whole = figure(
        x="rank",
        y="share of the attention in the top ranks" if cumulative else "attention (most = 1)",
        height=400,
    )
    for place, name in enumerate(attention):
        values = attention[name]
        drawn = values.where(values > 0) if logarithmic else values
        colour, dash = COLOURS[place % len(COLOURS)], DASHES[place % len(DASHES)]
        whole.add_trace(
            go.Scatter(
                x=attention.index.to_numpy(),
                y=drawn.to_numpy(dtype="float64"),
                name=label(name),
                mode="lines+markers" if len(attention) <= MOST_MARKED else "lines",
                line={"color": colour, "dash": dash, "width": 2},
                marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 6, "color": colour},
                visible=name not in hidden,
                hovertemplate="rank %{x}: %{y:.4f}",
            )
        )
    kind = "log" if logarithmic else "linear"
    whole.update_xaxes(type=kind)
    whole.update_yaxes(type=kind)
    if not logarithmic:
        whole.update_yaxes(rangemode="tozero")
    there = cutoff is not None
    at = 1.0 if cutoff is None else cutoff + 0.5
    whole.update_layout(
        shapes=[
            {
                "type": "line",
                "xref": "x",
                "yref": "paper",
                "x0": at,
                "x1": at,
                "y0": 0,
                "y1": 1,
                "visible": there,
                "line": {"color": GREY, "dash": "dash", "width": 1},
                "label": {
                    "text": f" cutoff {cutoff}",
                    "textposition": "middle",
                    "textangle": 0,
                    "xanchor": "left",
                },
            }
        ]
    )
    return whole
