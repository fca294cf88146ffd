"""What all figures have in common."""

from __future__ import annotations

from html import escape
from typing import Any

from rank_magic.notes import plain_text
from rank_magic.plots.shown import Figure

__all__ = ["COLOURS", "DASHES", "GREY", "PALE", "PATTERNS", "figure", "label"]

# They hold a contrast of 3:1 on white and on dark, and colour-blind people can tell them apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
PALE = "rgba(0, 114, 178, .2)"  # the first, for what is not looked at
GREY = "#767676"
# Colour is never the only sign.
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
PATTERNS = ("", "/", "x", ".", "-", "+")
LONGEST = 40
SOFT = "rgba(128, 128, 128, .25)"


def label(name: object) -> str:
    """Return a name as plotly shows it as it is: what looks like markup is text."""
    text = plain_text(name)
    return escape(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…", quote=False)


def figure(*, x: str, y: str, height: int = 300, **layout: Any) -> Figure:
    """Return an empty figure that reads on light and dark pages.

    Parameters
    ----------
    x, y : str
        Titles of the axes.
    height : int
        In pixels; the width is that of the place.
    **layout
        As in plotly's ``update_layout``.
    """
    axis = {
        "gridcolor": SOFT,
        "zerolinecolor": SOFT,
        "linecolor": GREY,
        "ticks": "outside",
        "tickcolor": SOFT,
        "exponentformat": "power",  # nobody calls 1e-6 "1µ" here
    }
    # In one go: each change of a figure's layout takes plotly ten milliseconds.
    return Figure(
        layout={
            "template": "none",
            "autosize": True,
            "height": height,
            "margin": {"l": 60, "r": 15, "t": 40, "b": 50},
            "paper_bgcolor": "rgba(0, 0, 0, 0)",
            "plot_bgcolor": "rgba(0, 0, 0, 0)",
            "font": {"color": GREY, "size": 12},
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
            "hoverlabel": {"namelength": -1},
            "modebar": {"bgcolor": "rgba(0, 0, 0, 0)", "color": GREY, "activecolor": COLOURS[0]},
            "xaxis": {"title": {"text": x}, **axis},
            "yaxis": {"title": {"text": y}, **axis},
            **layout,
        }
    )
