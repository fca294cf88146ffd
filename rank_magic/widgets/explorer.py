"""What all explorers are: a box of widgets that tidies up, and shows something without a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

import ipywidgets
from IPython.display import display

from rank_magic.widgets.fitting import Fitting

__all__ = ["Explorer", "box", "button", "dropdown", "text", "wrapped"]

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# JupyterLab does not keep the state of widgets: in a notebook that is opened again they are gone.
# So what needs no kernel stands in an output of its own, which is hidden while the widget lives,
# and which hides the remains of a widget that does not.
STATIC = """<style>
.jp-OutputArea-child:has(.rm-static):has(+ .jp-OutputArea-child .rm-explorer) {{display: none;}}
.jp-OutputArea-child:has(.rm-static) + .jp-OutputArea-child:not(:has(.rm-explorer))
{{display: none;}}
</style><div class='rm-static'>{body}<p><em>This picture stands still. {hint}</em></p></div>"""


class Explorer(ipywidgets.VBox):  # type: ignore[misc]
    """A box of widgets that shows something; closing it removes every trace of it."""

    def __init__(self) -> None:
        super().__init__()
        self.add_class("rm-explorer")
        self.layout.overflow = "visible"
        self._undo: list[Callable[[], None]] = []

    def show(self, *children: Any) -> None:
        """Fill the box."""
        self.children = [Fitting(), *children]

    # What a subclass says about itself.

    def static_html(self) -> str:
        """Return what can be shown without a kernel, as HTML."""
        raise NotImplementedError

    def hint(self) -> str:
        """Return how to get the live explorer, in a sentence."""
        raise NotImplementedError

    # Coming and going.

    def when(self, widget: Any, names: str | Sequence[str], handler: Callable[[Any], None]) -> None:
        """Call a handler when a widget's traits change, until the explorer is closed."""
        widget.observe(handler, names)
        self._undo.append(lambda: widget.unobserve(handler, names))

    def when_clicked(self, button: ipywidgets.Button, handler: Callable[[], None]) -> None:
        """Call a handler when a button is clicked, until the explorer is closed."""

        def clicked(_: Any) -> None:
            handler()

        button.on_click(clicked)
        self._undo.append(lambda: button.on_click(clicked, remove=True))

    def close(self) -> None:
        """Close the explorer with all its parts, and forget every observer."""
        undo = getattr(self, "_undo", [])  # nothing yet when making it failed half-way
        while undo:
            undo.pop()()
        for part in list(_parts(self)):
            if part is not self:
                part.close()
        super().close()

    # Showing itself.

    def _static(self) -> str:
        return STATIC.format(body=self.static_html(), hint=escape(self.hint()))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {
            "text/plain": f"{type(self).__name__}: {self.hint()}",
            "text/html": self._static(),
            WIDGET_VIEW: self._view(),
        }

    def _view(self) -> dict[str, Any]:
        return {"version_major": 2, "version_minor": 0, "model_id": self.model_id}

    def _ipython_display_(self) -> None:
        bundle = self._repr_mimebundle_()
        view = bundle.pop(WIDGET_VIEW)
        display(bundle, raw=True)  # type: ignore[no-untyped-call]
        nothing = {"text/plain": "", "text/html": "<span hidden></span>"}
        display({WIDGET_VIEW: view, **nothing}, raw=True)  # type: ignore[no-untyped-call]


def _parts(widget: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Yield a widget and every other that it holds: children, layouts, styles."""
    seen = set() if seen is None else seen
    if id(widget) in seen:
        return
    seen.add(id(widget))
    yield widget
    for name in widget.trait_names(sync=True):
        held = getattr(widget, name)
        for one in held if isinstance(held, list | tuple) else [held]:
            if isinstance(one, ipywidgets.Widget):
                yield from _parts(one, seen)


# Parts that every explorer needs, each with a name that a screen reader finds.

LABELLED = {"description_width": "initial"}


def dropdown(name: str, options: Sequence[Any], **more: Any) -> ipywidgets.Dropdown:
    """Return a dropdown with its name before it."""
    more = {"layout": {"width": "auto", "max_width": "100%"}, **more}
    return ipywidgets.Dropdown(description=name, options=options, style=LABELLED, **more)


def button(name: str, tooltip: str = "") -> ipywidgets.Button:
    """Return a button as wide as its name."""
    return ipywidgets.Button(description=name, tooltip=tooltip, layout={"width": "auto"})


def text(name: str, value: str = "", **more: Any) -> ipywidgets.Text:
    """Return a field for text with its name before it; it tells when the typing is done."""
    more = {"layout": {"width": "auto", "max_width": "100%"}, **more}
    return ipywidgets.Text(
        description=name, value=value, continuous_update=False, style=LABELLED, **more
    )


def wrapped(*children: Any) -> ipywidgets.HBox:
    """Return widgets beside each other, in as many lines as are needed."""
    layout = {"flex_flow": "row wrap", "align_items": "center", "overflow": "visible"}
    return ipywidgets.HBox(children, layout=layout)


def box(*children: Any) -> ipywidgets.VBox:
    """Return widgets below each other."""
    return ipywidgets.VBox(children, layout={"overflow": "visible"})
