"""The discount explorer: how much attention each rank gets, by what measures assume."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

import ipywidgets
import pandas as pd

from rank_magic import plots
from rank_magic.attention import ARTICLE_RANKS, OWN, attention, fits_in_a_name, own_curve, spelling
from rank_magic.discounts import Discount, register_discount
from rank_magic.errors import DataError, RankMagicError
from rank_magic.widgets.explorer import Explorer, box, button, dropdown, text, wrapped
from rank_magic.widgets.live_figure import LiveFigure
from rank_magic.widgets.slider import Slider

__all__ = ["DiscountExplorer"]

SHOWN = ("reciprocal", "log2", "RBP", "ERR")
MOST_RANKS = 1000


class DiscountExplorer(Explorer):
    """Curves of attention by rank, each to be switched on and off, with their parameters.

    Parameters
    ----------
    own : sequence of float or callable, optional
        A curve of your own, such as click-through rates by position.
    name : str
        What it is registered as when it is taken over and too long for a measure's name.
    grades : sequence of float
        The ranking that ERR, AP, INST, BPM and IFT look at, best rank first.

    Attributes
    ----------
    attention : DataFrame
        What is drawn: a row for each rank, a column for each curve that is switched on.
    measure : str
        What was taken over: a measure as it is written in the magics.
    """

    def __init__(
        self,
        own: Discount | None = None,
        *,
        name: str = OWN,
        grades: Sequence[float] = (3, 2, 0, 1, 0),
    ) -> None:
        super().__init__()
        self._own = None if own is None else own_curve(own)
        self._name = name
        self.measure = ""
        self._make(grades)
        self._look()
        self.figure = LiveFigure(self._drawn())
        self.show(
            wrapped(*self.switches.values()),
            wrapped(*self.settings),
            wrapped(self.grades, self.typed),
            wrapped(self.cutoff, self.depth, self.axes, self.view),
            self.message,
            self.figure,
            self.table,
            box(
                wrapped(self.choice, self.take, self.spelled),
                ipywidgets.HTML(
                    "Another base of 1 / log(1 + r) is the same curve times a constant, which no "
                    "normalised measure sees; the base tells where 1 / max(1, log r) is taken."
                ),
            ),
        )
        self._wire()

    def _make(self, grades: Sequence[float]) -> None:
        self._make_settings()
        self.grades = text("Ranking (grades)", " ".join(f"{grade:g}" for grade in grades))
        self.typed = text("Own curve (weights)", placeholder="0.31 0.17 0.11 0.08")
        self.cutoff = Slider(description="Cutoff k", min=0, max=100, value=10, step=1)
        self.depth = Slider(description="Ranks", min=2, max=MOST_RANKS, value=50, step=1)
        self.axes = dropdown("Axes", ["linear", "logarithmic"])
        self.view = dropdown("View", list(VIEWS))
        self.message, self.table = ipywidgets.HTML(), ipywidgets.HTML()
        self.switches = {
            curve: ipywidgets.Checkbox(
                curve in SHOWN or curve == OWN,
                description=label,
                indent=False,
                layout={"width": "auto"},
            )
            for curve, label in LABELS.items()
        }
        self.choice = dropdown("Curve", [(label, curve) for curve, label in LABELS.items()])
        self.take = button("Take over", "Write the measure that has this curve")
        self.spelled = text("Measure")

    def _make_settings(self) -> None:
        self.base = Slider(description="Base b", min=1.5, max=20, value=3, step=0.5)
        self.persistence = Slider(
            description="RBP: persistence p", min=0.01, max=0.99, value=0.8, step=0.01
        )
        self.wanted = Slider(description="Wanted T", min=0.5, max=20, value=1, step=0.5)
        self.patience = Slider(description="BPM: patience K", min=1, max=100, value=10, step=1)
        self.moved = Slider(description="BPM: dynamic h", min=0, max=2, value=0, step=0.1)
        self.rate = Slider(description="IFT: rate A", min=0.05, max=1, value=0.2, step=0.05)
        self.top = Slider(description="Highest grade", min=1, max=10, value=3, step=1)
        # Which curves they change: with none of them in sight, neither is the setting.
        self.settings = {
            self.base: ("jarvelin",),
            self.persistence: ("RBP",),
            self.wanted: ("INSQ", "INST", "BPM", "IFT"),
            self.patience: ("BPM",),
            self.moved: ("BPM",),
            self.rate: ("IFT",),
            self.top: ("ERR", "INST", "BPM", "IFT"),
        }

    def _wire(self) -> None:
        parts = (*self.settings, self.grades, self.typed)
        views = (self.cutoff, self.depth, self.axes, self.view)
        for control in (*parts, *views, *self.switches.values()):
            self.when(control, "value", self._changed)
        self.when_clicked(self.take, self.take_over)

    # What is looked at.

    def curve(self, name: str) -> str:
        """Return a curve with its parameters as they are set, as `attention` writes it."""
        wanted, moved = f"T={self.wanted.value:g}", f"{self.moved.value:g}"
        top = f"max_grade={self.top.value:g}"
        return {
            "jarvelin": f"jarvelin{self.base.value:g}",
            "RBP": f"RBP(p={self.persistence.value:g})",
            "ERR": f"ERR({top})",
            "INSQ": f"INSQ({wanted}, {top})",
            "INST": f"INST({wanted}, {top})",
            "BPM": f"BPM({wanted}, K={self.patience.value:g}, hb={moved}, hc={moved}, {top})",
            "IFT": f"IFT({wanted}, A={self.rate.value:g}, {top})",
        }.get(name, name)

    def own(self) -> Discount | None:
        """Return the curve of one's own: the one typed, or the one given."""
        return _numbers(self.typed.value, "own curve") or self._own

    def _look(self) -> None:
        own = self.own()
        _display(self.switches[OWN], shown=own is not None)
        on = [
            name
            for name, switch in self.switches.items()
            if switch.value and (name != OWN or own is not None)
        ]
        for setting, curves in self.settings.items():
            _display(setting, shown=not {*on}.isdisjoint(curves))
        view, cumulative = VIEWS[self.view.value]
        table = attention(
            [self.curve(name) for name in on if name != OWN],
            own=own if OWN in on else None,
            grades=_numbers(self.grades.value, "ranking"),
            depth=int(self.depth.value),
            cumulative=cumulative,
            view=view,
        )
        self.attention = table.set_axis([LABELS[name] for name in on], axis=1)
        self.table.value = _table(self.attention)

    def _drawn(self) -> Any:
        view, cumulative = VIEWS[self.view.value]
        # A line for every curve, so that each keeps its colour.
        return plots.discounts(
            self.attention.reindex(columns=list(LABELS.values())),
            cutoff=int(self.cutoff.value) or None,
            logarithmic=self.axes.value == "logarithmic",
            cumulative=cumulative,
            hidden=set(LABELS.values()) - set(self.attention),
            view=view,
        )

    def _changed(self, _: Any) -> None:
        try:
            self._look()
        except RankMagicError as error:
            self.message.value = f"<p role='alert'>{escape(str(error))}</p>"
            return
        self.message.value = ""
        self.figure.draw(self._drawn())

    def take_over(self) -> None:
        """Write the measure that has the chosen curve, and make one of one's own known by name."""
        name, own = self.choice.value, self.own()
        if name == OWN and own is None:
            self.message.value = (
                "<p role='alert'>There is no curve of your own: type its weights.</p>"
            )
            return
        if name == OWN and own is not None and not fits_in_a_name(own):
            register_discount(self._name, own)
        cutoff = int(self.cutoff.value) or None
        written = spelling(self.curve(name), cutoff, own=own, name=self._name)
        self.measure = self.spelled.value = written

    # Without a kernel.

    def static_html(self) -> str:
        """Return the table of values."""
        return self.table.value

    def hint(self) -> str:
        """Return how to get the live explorer."""
        return "For the live explorer run rank_magic.explore_discounts() in JupyterLab or Notebook."


LABELS = {
    "reciprocal": "1 / r (RR, AP, ERR)",
    "log2": "1 / log2(1 + r) (DCG)",
    "jarvelin": "1 / max(1, log_b r)",
    "RBP": "RBP",
    "ERR": "ERR on the ranking",
    "AP": "AP on the ranking",
    "INST": "INST on the ranking",
    "INSQ": "INSQ",
    "BPM": "BPM on the ranking",
    "IFT": "IFT on the ranking",
    OWN: "own curve",
}
# How attention is looked at: which view of it, and whether added up.
VIEWS = {
    "attention (W)": ("weight", False),
    "cumulative": ("weight", True),
    "going on (C)": ("continuation", False),
    "last rank (L)": ("last", False),
}


def _display(widget: Any, *, shown: bool) -> None:
    widget.layout.display = None if shown else "none"


def _numbers(typed: str, what: str) -> list[float]:
    """Read numbers as a person types them, between spaces, commas or semicolons."""
    words = [word for word in re.split(r"[\s,;]+", typed) if word]
    try:
        return [float(word) for word in words]
    except ValueError:
        raise DataError(
            f"The {what} consists of numbers, such as 3 2 0 1, not {typed!r}."
        ) from None


def _table(attention: pd.DataFrame) -> str:
    """Return the values at the ranks that the article tabulates."""
    ranks = [rank for rank in ARTICLE_RANKS if rank in attention.index]
    head = "".join(f"<th scope='col'>{escape(str(name))}</th>" for name in attention)
    rows = "".join(
        f"<tr><th scope='row'>{rank}</th>"
        + "".join(f"<td>{value:.2f}</td>" for value in attention.loc[rank])
        + "</tr>"
        for rank in ranks
    )
    return (
        f"<div class='rm-values'><table><thead><tr><th scope='col'>rank</th>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )
