"""How the values of a measure are spread over queries."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from rank_magic.browsing import measure_name, values
from rank_magic.plots.shown import Figure
from rank_magic.plots.style import COLOURS, GREY, PATTERNS, figure, label

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation
    from rank_magic.measures import MeasureLike

__all__ = ["Bins", "binned", "binned_values", "distribution"]

BINS = 20


class Bins(NamedTuple):
    """How many queries have values from one edge up to the next; the last edge belongs too."""

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    valueless: int


def binned(found: NDArray[np.float64], *, unit: bool) -> Bins:
    """Count values in equal bins.

    Parameters
    ----------
    found : array of float
        NaN where there is no value.
    unit : bool
        Whether the scale is [0, 1]; otherwise the bins reach as far as the values do.
    """
    there = found[np.isfinite(found)]
    low, high = (float(there.min()), float(there.max())) if len(there) else (0.0, 1.0)
    if unit and low >= 0:
        low, high = 0.0, max(high, 1.0)
    counts, edges = np.histogram(there, BINS, (low, high if high > low else low + 1.0))
    return Bins(edges, counts, len(found) - len(there))


def binned_values(evaluation: Evaluation, measure: str, system: Hashable | None = None) -> Bins:
    """Count the values of a measure over queries, for one system."""
    unit = evaluation.measures[evaluation.names.index(measure)].unit
    return binned(values(evaluation, measure, system), unit=unit)


def distribution(
    evaluation: Evaluation, measure: MeasureLike | None = None, *, system: Hashable | None = None
) -> go.Figure:
    """Return how many queries have which values of a measure, a row of bars for each system.

    Parameters
    ----------
    evaluation : Evaluation
        What was measured.
    measure : str, optional
        Its name; the first by default.
    system
        Only this one; all by default.
    """
    name = measure_name(evaluation.names, measure)
    systems = evaluation.systems if system is None else (system,)
    whole = figure(x=label(name), y="queries", height=90 + 190 * len(systems))
    if len(systems) > 1:
        grid = make_subplots(
            rows=len(systems), cols=1, shared_xaxes=True, shared_yaxes="all", vertical_spacing=0.04
        )
        whole = _styled(grid, whole, name)
    for place, one in enumerate(systems):
        bars = _bars(binned_values(evaluation, name, one), label(one), place)
        at = {"row": place + 1, "col": 1} if len(systems) > 1 else {}
        whole.add_trace(bars, **at)
    whole.update_layout(bargap=0.05, showlegend=len(systems) > 1)
    return whole


def _bars(bins: Bins, name: str, place: int) -> go.Bar:
    left, right = bins.edges[:-1], bins.edges[1:]
    return go.Bar(
        x=(left + right) / 2,
        y=bins.counts,
        width=right - left,
        customdata=np.stack([left, right], axis=1),
        name=name,
        marker={
            "color": COLOURS[place % len(COLOURS)],
            "pattern": {"shape": PATTERNS[place % len(PATTERNS)]},
        },
        hovertemplate="%{customdata[0]:.3g} to %{customdata[1]:.3g}: %{y} queries<extra></extra>",
    )


def _styled(grid: Any, like: go.Figure, name: str) -> go.Figure:
    """Give every plot of a grid the look of another figure."""
    grid.update_layout(like.layout.to_plotly_json())
    x, y = like.layout.xaxis.to_plotly_json(), like.layout.yaxis.to_plotly_json()
    grid.update_xaxes({key: value for key, value in x.items() if key != "title"})
    grid.update_yaxes(y)
    axes = [axis for axis in grid.layout if axis.startswith("xaxis")]
    for axis in axes:
        grid.layout[axis].title = None
    grid.layout[axes[-1]].title = {"text": label(name), "font": {"color": GREY}}
    return Figure(grid)
