"""Widgets whose page hears everything that it is told, however long it took to begin."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import anywidget
import traitlets

__all__ = ["BorrowedWidget", "LiveWidget", "script"]

STATIC = Path(__file__).parent / "static"


def script(name: str) -> str:
    """Return one of our scripts, with what makes its widget hear everything before it.

    As text: anywidget watches files, and never lets go of a widget whose script is in one.
    """
    return "\n".join((STATIC / part).read_text(encoding="utf-8") for part in ("live.js", name))


class LiveWidget(anywidget.AnyWidget):
    """A widget that follows even on a page that was slow to begin.

    anywidget drops every message of a model that took more than two seconds to come about. The
    script of this one finds its model by its id, notices that, listens itself, and asks for the
    state that it missed.
    """

    _id = traitlets.Unicode().tag(sync=True)

    @traitlets.default("_id")
    def _new_id(self) -> str:
        return uuid4().hex

    def open(self) -> None:
        """Tell the page of this widget, by the id that it is also told."""
        if self.comm is None:
            self._model_id = self._id
        super().open()


class BorrowedWidget(LiveWidget):
    """A widget whose script is another package's, which the page evaluates once for all of them.

    Of those that are shown together one brings the script, which may have megabytes.
    """

    _esm = script("borrowed.js")
    _script = traitlets.Unicode().tag(sync=True)
    _script_name = traitlets.Unicode().tag(sync=True)
