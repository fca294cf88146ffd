"""What every rank of a ranking adds to a measure, beside what the ideal ranking would get there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from rank_magic.browsing import measure_name
from rank_magic.plots.style import COLOURS, GREY, figure, label

if TYPE_CHECKING:
    from rank_magic.explanation import Explanation
    from rank_magic.measures import MeasureLike

__all__ = ["contributions"]

MOST_RANKS = 1000
MOST_TICKS = 20
STEPS = (1, 2, 5, 10, 20, 50)
HOVER = "rank %{x}: %{y:.4f}"


def contributions(
    explanation: Explanation,
    measure: MeasureLike | None = None,
    *,
    before: Explanation | None = None,
) -> go.Figure:
    """Return a bar for each rank, and a mark for what the ideal ranking would get there.

    Parameters
    ----------
    explanation : Explanation
        The ranking.
    measure : str, optional
        The measure's name; the first by default.
    before : Explanation, optional
        The same ranking before it was edited, to be shown beside it.
    """
    name = measure_name(list(explanation.values), measure)
    now = _by_rank(explanation.contributions[name])
    was = _by_rank(before.contributions[name] if before is not None else now.iloc[:0])
    ideal = _by_rank(explanation.ideal[name])
    # With a single rank plotly would show fractions of it.
    deepest = max(len(now), len(was), len(ideal), 5)
    whole = figure(x="rank", y=f"adds to {label(name)}", bargap=0.25)
    whole.add_trace(
        go.Bar(
            x=was.index,
            y=was,
            name="before",
            marker={
                "color": "rgba(0, 0, 0, 0)",
                "line": {"color": COLOURS[1], "width": 1},
                "pattern": {"shape": "/", "fgcolor": COLOURS[1], "size": 6},
            },
            showlegend=before is not None,
            hovertemplate=HOVER,
        )
    )
    whole.add_trace(
        go.Bar(
            x=now.index,
            y=now,
            name="this ranking" if before is None else "now",
            marker={"color": COLOURS[0]},
            hovertemplate=HOVER,
        )
    )
    whole.add_trace(
        go.Scatter(
            x=ideal.index,
            y=ideal,
            name="ideal ranking",
            mode="markers",
            marker={"symbol": "line-ew-open", "size": 12, "color": GREY, "line": {"width": 3}},
            hovertemplate=HOVER,
        )
    )
    step = next(step for step in STEPS if deepest <= MOST_TICKS * step)
    whole.update_xaxes(range=[0.4, deepest + 0.6], tick0=0, dtick=step)
    whole.update_yaxes(rangemode="tozero")
    return whole


def _by_rank(values: pd.Series[float]) -> pd.Series[float]:
    """Return the values that are there, down to a depth that can be drawn."""
    values = values.dropna().iloc[:MOST_RANKS]
    return pd.Series(values.to_numpy(np.float64), index=values.index.to_numpy(np.int64))
