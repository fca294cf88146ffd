"""A slider with a number field beside it."""

from __future__ import annotations

import traitlets

from rank_magic.widgets.live_widget import LiveWidget, script

__all__ = ["Slider"]


class Slider(LiveWidget):
    """A slider and a number field that say the same, both with a name.

    ipywidgets' own sliders have none that a screen reader finds.
    """

    _esm = script("slider.js")

    description = traitlets.Unicode().tag(sync=True)
    value = traitlets.Float().tag(sync=True)
    min = traitlets.Float(0.0).tag(sync=True)
    max = traitlets.Float(1.0).tag(sync=True)
    step = traitlets.Float(0.1).tag(sync=True)
    disabled = traitlets.Bool(default_value=False).tag(sync=True)

    @traitlets.validate("value")
    def _inside(self, proposal: dict[str, float]) -> float:
        return min(max(proposal["value"], self.min), self.max)
