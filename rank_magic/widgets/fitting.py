"""What makes figures as wide as their place, and brings the explorers' style sheet."""

from __future__ import annotations

from pathlib import Path

import anywidget

__all__ = ["Fitting"]

STATIC = Path(__file__).parent / "static"


class Fitting(anywidget.AnyWidget):
    """A widget that is not seen: it keeps the figures beside it as wide as they may be."""

    # As text: anywidget watches files, and never lets go of a widget whose script is in one.
    _esm = (STATIC / "fitting.js").read_text(encoding="utf-8")
    _css = (STATIC / "explorer.css").read_text(encoding="utf-8")
