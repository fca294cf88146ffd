"""The ranking itself, to be looked at and edited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import traitlets

from rank_magic.errors import RankMagicError
from rank_magic.whatif import WhatIf
from rank_magic.widgets.live_widget import STATIC, LiveWidget, script
from rank_magic.widgets.ranking_rows import ranking_notes, ranking_rows

__all__ = ["RankingList"]

FEW_GRADES = 12  # of more grades than this none is offered: one is typed


class RankingList(LiveWidget):
    """A ranking whose rows can be dragged, moved by buttons, and graded anew.

    It holds only what is seen; a `WhatIf` knows what is so.
    """

    _esm = script("ranking.js")
    _css = (STATIC / "ranking.css").read_text(encoding="utf-8")

    title = traitlets.Unicode().tag(sync=True)
    heads: Any = traitlets.List().tag(sync=True)
    rows: Any = traitlets.List().tag(sync=True)
    notes: Any = traitlets.List().tag(sync=True)
    grades: Any = traitlets.List().tag(sync=True)
    gradable = traitlets.Bool(default_value=True).tag(sync=True)
    images = traitlets.Bool(default_value=False).tag(sync=True)
    drawn = traitlets.Int(0).tag(sync=True)
    """Counts up when all of the above are set, so that the page draws once."""

    def __init__(self, edited: Callable[[str], None]) -> None:
        super().__init__()
        self._edited = edited
        self._what_if: WhatIf | None = None
        self.on_msg(self._told)

    def show(self, what_if: WhatIf, measure: str, *, every: bool, images: bool) -> None:
        """Show a ranking, with bars for what its ranks add to a measure."""
        self._what_if = what_if
        now = what_if.now
        grades = what_if.grades
        with self.hold_sync():
            self.title = f"The ranking of {now.query} by {now.system}"
            self.heads = ["rank", "document", "grade", f"adds to {measure}", "move"]
            self.rows = ranking_rows(now, measure, what_if.rows, what_if.missed, every=every)
            self.notes = [" ".join(ranking_notes(now, measure, every=every))]
            self.grades = _offered(grades) if len(grades) <= FEW_GRADES else []
            self.gradable, self.images = what_if.gradable, images
            self.drawn += 1

    def edit(self, row: int, does: str, value: Any = None) -> None:
        """Do what a person does: move a row "up", "down" or "to" a place, or give it a "grade"."""
        what_if = self._what_if
        if what_if is None:
            return
        rank = what_if.rows.index(row) + 1 if row in what_if.rows else len(what_if.rows) + 1
        try:
            if does == "grade":
                what_if.grade(row, _read(value))
            else:
                to = {"up": rank - 1, "down": rank + 1}.get(does, value)
                what_if.move(row, int(to) if row in what_if.rows else _entered(does, rank, to))
        except RankMagicError as error:
            self._edited(str(error))
            self.drawn += 1  # the page takes back what it shows
        else:
            self._edited("")

    def _told(self, _: Any, content: Any, __: Any) -> None:
        if isinstance(content, dict) and content.get("does") in ("up", "down", "to", "grade"):
            self.edit(int(content["row"]), content["does"], content.get("value"))


def _entered(does: str, last: int, to: Any) -> int:
    """Return the rank that a document gets which was not retrieved: the last, when moved up."""
    return last if does == "up" else int(to)


def _offered(grades: Sequence[float]) -> list[str]:
    return [*(f"{grade:g}" for grade in grades), "?"]


def _read(value: Any) -> float | None:
    """Return a grade as it was chosen or typed; nothing and ? are no grade."""
    return None if value in (None, "", "?") else float(value)
