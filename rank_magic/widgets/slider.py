"""A slider with a number field beside it."""

from __future__ import annotations

from pathlib import Path

import anywidget
import traitlets

__all__ = ["Slider"]

STATIC = Path(__file__).parent / "static"


class Slider(anywidget.AnyWidget):
    """A slider and a number field that say the same, both with a name.

    ipywidgets' own sliders have none that a screen reader finds.
    """

    # As text: anywidget watches files, and never lets go of a widget whose script is in one.
    _esm = (STATIC / "slider.js").read_text(encoding="utf-8")

    description = traitlets.Unicode().tag(sync=True)
    value = traitlets.Float().tag(sync=True)
    min = traitlets.Float(0.0).tag(sync=True)
    max = traitlets.Float(1.0).tag(sync=True)
    step = traitlets.Float(0.1).tag(sync=True)
    disabled = traitlets.Bool(default_value=False).tag(sync=True)

    @traitlets.validate("value")
    def _inside(self, proposal: dict[str, float]) -> float:
        return min(max(proposal["value"], self.min), self.max)
