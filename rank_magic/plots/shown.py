"""Figures that are seen wherever a notebook is."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go
import plotly.io as pio
from IPython.display import display

__all__ = ["Figure"]

ONLY_LIVE = "plotly_mimetype"  # plotly's choice in a kernel: nbconvert's pages have nothing of it


class Figure(go.Figure):  # type: ignore[misc]
    """A plotly figure that exported pages show, too.

    In a notebook plotly hands over data that JupyterLab, Notebook 7 and VS Code draw. Here, HTML
    comes with it for those that draw nothing, which fetches plotly's script when it is looked
    at. Another renderer that was chosen (``plotly.io.renderers.default``) is left alone.
    """

    def _ipython_display_(self) -> None:
        if pio.renderers.default == ONLY_LIVE and pio.renderers.render_on_display:
            display(self._repr_mimebundle_(), raw=True)  # type: ignore[no-untyped-call]
        else:
            super()._ipython_display_()

    def _repr_mimebundle_(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        bundle: dict[str, Any] = super()._repr_mimebundle_(*args, **kwargs)
        if pio.renderers.default == ONLY_LIVE:
            bundle["text/html"] = self.to_html(
                full_html=False,
                include_plotlyjs="cdn",
                include_mathjax=False,
                default_height=self.layout.height or 450,
            )
        return bundle
