"""Two systems query by query."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from rank_magic.plots.style import COLOURS, GREY, figure, label

__all__ = ["differences", "scatter"]

SIGNS = (("wins", COLOURS[0], ""), ("ties", GREY, "."), ("losses", COLOURS[1], "/"))


def differences(values: pd.DataFrame, measure: str) -> go.Figure:
    """Return the differences of the second column from the first, sorted, a bar for each query.

    Parameters
    ----------
    values : DataFrame
        A row for each query and a column for each of two systems; rows with a gap are left out.
    measure : str
        What the values are.
    """
    first, second = values.columns
    there = values.dropna()
    by_size = (there[second] - there[first]).sort_values(ascending=False, kind="stable")
    whole = figure(
        x="queries, sorted",
        y=f"{label(measure)}: {label(second)} − {label(first)}",
        bargap=0.0,
        barmode="overlay",
    )
    names = np.array([label(query) for query in by_size.index], dtype=object)
    place = np.arange(1, len(by_size) + 1)
    difference = by_size.to_numpy(dtype=np.float64)
    for (name, colour, pattern), mine in zip(SIGNS, _signs(difference), strict=True):
        whole.add_trace(
            go.Bar(
                x=place[mine],
                y=difference[mine],
                customdata=names[mine],
                name=f"{mine.sum():,} {name}",
                marker={"color": colour, "pattern": {"shape": pattern}},
                hovertemplate="%{customdata}: %{y:+.4f}<extra></extra>",
            )
        )
    return whole


def scatter(values: pd.DataFrame, measure: str) -> go.Figure:
    """Return a point for each query: one system's value across, the other's up.

    Parameters
    ----------
    values : DataFrame
        A row for each query and a column for each of two systems; rows with a gap are left out.
    measure : str
        What the values are.
    """
    first, second = values.columns
    there = values.dropna()
    x, y = (there[name].to_numpy(dtype=np.float64) for name in (first, second))
    names = np.array([label(query) for query in there.index], dtype=object)
    whole = figure(
        x=f"{label(measure)}, {label(first)}", y=f"{label(measure)}, {label(second)}", height=380
    )
    ends = [min(0.0, *x, *y), max(*x, *y, 0.0)] if len(x) else [0.0, 1.0]
    whole.add_trace(
        go.Scatter(
            x=ends, y=ends, mode="lines", name="equal", line={"color": GREY, "dash": "dot"},
            hoverinfo="skip",
        )
    )  # fmt: skip
    symbols = ("circle", "square", "x")
    for (name, colour, _), mine, symbol in zip(SIGNS, _signs(y - x), symbols, strict=True):
        whole.add_trace(
            go.Scatter(
                x=x[mine],
                y=y[mine],
                customdata=names[mine],
                mode="markers",
                name=f"{mine.sum():,} {name}",
                marker={"color": colour, "symbol": symbol, "size": 8, "opacity": 0.8},
                hovertemplate="%{customdata}: %{x:.4f}, %{y:.4f}<extra></extra>",
            )
        )
    return whole


def _signs(difference: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[np.ndarray, ...]:
    """Return where a difference is a win, a tie and a loss."""
    return difference > 0, difference == 0, difference < 0
