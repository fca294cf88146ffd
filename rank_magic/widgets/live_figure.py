"""A figure in a widget, which is drawn anew in place."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any
from uuid import uuid4

import plotly
import plotly.graph_objects as go
import traitlets
from plotly.basedatatypes import Undefined

from rank_magic.widgets.live_widget import BorrowedWidget

__all__ = ["LiveFigure"]

CONFIG = {"displaylogo": False, "responsive": True}


class LiveFigure(BorrowedWidget, go.FigureWidget):  # type: ignore[misc]
    """A figure in a widget, which is updated, not made anew.

    Parameters
    ----------
    figure : plotly Figure
        What it shows first.
    config : dict, optional
        As in plotly, such as which buttons its bar has.
    scripted : bool
        Whether it brings plotly's script, several megabytes, to the page: of the figures that are
        shown together one does.
    """

    _js2py_traceDeltas = traitlets.Any().tag(sync=True, echo_update=False)

    def __init__(
        self, figure: go.Figure, config: dict[str, Any] | None = None, *, scripted: bool = True
    ) -> None:
        for trace in figure.data:
            trace.uid = str(uuid4())
        # plotly's own constructor sends an empty figure first, and a page that is quick enough, or
        # too slow, never learns of the rest: so the first that is sent is whole.
        self._shown = figure
        self._settings = {**CONFIG, **(config or {})}
        self._scripted = scripted
        super().__init__(figure)

    @traitlets.default("_widget_data")
    def _first_data(self) -> list[Any]:
        return [deepcopy(trace._props) for trace in self._shown.data]

    @traitlets.default("_widget_layout")
    def _first_layout(self) -> dict[str, Any]:
        return deepcopy(self._shown.layout._props)

    @traitlets.default("_script_name")
    def _first_script_name(self) -> str:
        return f"plotly {plotly.__version__}"

    @traitlets.default("_script")
    def _first_script(self) -> str:
        return str(go.FigureWidget._esm) if self._scripted else ""

    @traitlets.default("_config")
    def _first_config(self) -> dict[str, Any]:
        return self._settings

    @traitlets.validate("_config")
    def _with_settings(self, proposal: dict[str, Any]) -> dict[str, Any]:
        return {**proposal["value"], **self._settings}  # plotly's constructor sets none

    @traitlets.observe("_js2py_traceDeltas")
    def _handler_js2py_traceDeltas(self, _: Any) -> None:
        """Take in nothing that a page fills in: plotly would drop our data for it, or fail."""

    def draw(self, figure: go.Figure) -> None:
        """Show another figure that has as many traces of the same kinds."""
        shown, self._shown = self._shown, figure
        pairs = zip(self.data, shown.data, figure.data, strict=True)
        with self.batch_update():  # of what differs: whatever is said again takes plotly long
            for mine, old, new in pairs:
                mine.update(_different(old, new), overwrite=False)
            self.layout.update(_different(shown.layout, figure.layout))
        self.keep()

    def keep(self) -> None:
        """Make the present state the one that a page gets when it is loaded again.

        plotly tells pages what changed, but keeps for new pages what the figure was made with
        (plotly 5 to 7); what it keeps it in is private, so it may be gone one day.
        """
        for kept, now in (("_widget_data", "_data"), ("_widget_layout", "_layout")):
            if hasattr(self, kept) and hasattr(self, now):
                setattr(self, kept, _said(getattr(self, now)))

    def forget_selections(self) -> None:
        """Take away the rectangles that were brushed."""
        # Assigned to the layout it would change nothing: that never hears of a page's selections.
        self.plotly_relayout({"selections": []})
        self.keep()

    def when_brushed(self, handler: Callable[[tuple[float, float] | None], None]) -> None:
        """Call a handler with the range of x that is selected; with None when it no longer is."""
        trace = self.data[0]

        def selected(_: Any, __: Any, selector: Any) -> None:
            if selector is not None and getattr(selector, "xrange", None):
                low, high = sorted(selector.xrange)
                handler((float(low), float(high)))

        trace.on_selection(selected)
        trace.on_deselect(lambda *_: handler(None))


def _said(state: Any) -> Any:
    """Return a copy of a figure's state without what the page left undefined.

    plotly knows that by one object, of which a copy is another that can't be sent.
    """
    if isinstance(state, dict):
        return {name: _said(part) for name, part in state.items() if part is not Undefined}
    if isinstance(state, list | tuple):
        return [_said(part) for part in state if part is not Undefined]
    return deepcopy(state)


def _different(old: Any, new: Any) -> dict[str, Any]:
    """Return the properties of a trace or layout that another one has otherwise."""
    before, after = old.to_plotly_json(), new.to_plotly_json()
    return {name: part for name, part in after.items() if not _same(before.get(name), part)}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if hasattr(one, "shape") and hasattr(other, "shape"):
        return one.shape == other.shape and bool((one == other).all())
    return type(one) is type(other) and bool(one == other)
