"""What makes figures as wide as their place, and brings the explorers' style sheet."""

from __future__ import annotations

from rank_magic.widgets.live_widget import STATIC, LiveWidget, script

__all__ = ["Fitting"]


class Fitting(LiveWidget):
    """A widget that is not seen: it keeps the figures beside it as wide as they may be."""

    _esm = script("fitting.js")
    _css = (STATIC / "explorer.css").read_text(encoding="utf-8")
