"""Queries in a table to sort, search, filter and choose from, and the same for the keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import itables
import pandas as pd
import traitlets
from itables.javascript import get_itables_extension_arguments
from itables.widget import ITable

from rank_magic.widgets.explorer import button, dropdown, wrapped
from rank_magic.widgets.live_widget import BorrowedWidget
from rank_magic.widgets.own_doing import OwnDoing

__all__ = ["QueryList"]

FIRST = 1000  # how many queries are loaded unasked
TABLE: dict[str, Any] = {
    "showIndex": False,
    "select": "single",
    "maxBytes": 0,
    "column_filters": "footer",
    "pageLength": 5,
    "lengthMenu": [5, 10, 25, 100],
    "style": "width: 100%; max-width: 100%; margin: 0",
    "classes": "display compact",
    "autoWidth": False,
}


class Table(BorrowedWidget, ITable):  # type: ignore[misc]
    """itables' widget, whole from the first that is sent, and let go of when closed.

    See `LiveFigure`, which needs the same.
    """

    _css = str(ITable._css)  # type: ignore[assignment]

    def __init__(self, frame: pd.DataFrame, **options: Any) -> None:
        self._first, self._others = get_itables_extension_arguments(frame, None, **options)
        super().__init__(frame, **options)

    @traitlets.default("_script_name")
    def _first_script_name(self) -> str:
        return f"itables {itables.__version__}"

    @traitlets.default("_script")
    def _first_script(self) -> str:
        return str(ITable._esm)

    @traitlets.default("_dt_args")
    def _first_arguments(self) -> dict[str, Any]:
        return dict(self._first)

    @traitlets.validate("_dt_args")
    def _without_markup(self, proposal: dict[str, Any]) -> dict[str, Any]:
        """Have what is above the columns below them too: there, itables takes names for markup."""
        head, _, rest = proposal["value"]["table_html"].partition("</thead>")
        below = head.partition("<thead>")[2]
        foot = re.sub(
            r"<tfoot>.*</tfoot>", lambda _: f"<tfoot>{below}</tfoot>", rest, flags=re.DOTALL
        )
        return {**proposal["value"], "table_html": f"{head}</thead>{foot}"}

    @traitlets.default("classes")
    def _first_classes(self) -> str:
        return str(self._others["classes"])

    @traitlets.default("_style")
    def _first_style(self) -> str:
        return str(self._others["style"])

    @traitlets.default("selected_rows")
    def _first_rows(self) -> list[int]:
        return list(self._others["selected_rows"] or [])


class QueryList:
    """A table of queries, with a dropdown and buttons that do the same.

    Parameters
    ----------
    chosen : callable
        Called with the number of a query when a person has chosen one.

    Attributes
    ----------
    numbers : list of int
        The queries that are listed, by number, in order.
    """

    def __init__(self, chosen: Callable[[int], None]) -> None:
        self._chosen = chosen
        self.numbers: list[int] = []
        self._every = False
        self._current: int | None = None
        self._own_doing = OwnDoing()
        self.table: Table | None = None
        self.choice = dropdown("Query", [])
        self.before, self.after = button("Previous query"), button("Next query")
        self.more = button("Load all queries")
        self.buttons = wrapped(self.choice, self.before, self.after, self.more)

    def fill(self, found: Any, columns: Callable[[Any], list[tuple[str, Any]]]) -> None:
        """List queries.

        Parameters
        ----------
        found : array of int
            The queries by number, in order.
        columns : callable
            Takes the numbers that are listed and returns pairs of a heading and its values: what
            the queries are called, perhaps their words, numbers.
        """
        listed = found if self._every else found[:FIRST]
        self.numbers = [int(number) for number in listed]
        self.more.layout.display = None if len(listed) < len(found) else "none"
        self.more.description = f"Load all {len(found):,} queries"
        table = columns(listed)
        texts = [column for _, column in table if isinstance(column, list)]
        labels = [" · ".join(filter(None, words)) for words in zip(*texts, strict=True)]
        with self._own_doing:
            if self.table is None:
                # The first that is sent is whole: a page that is slow never learns of the rest.
                self.table = Table(_frame(table), selected_rows=[0][: len(listed)], **TABLE)
            else:
                self.table.update(_frame(table), selected_rows=[], **TABLE)
            self.choice.options = list(zip(labels, self.numbers, strict=True))
            self._mark()

    def load_all(self) -> None:
        """List all queries from now on."""
        self._every = True

    def step(self, by: int) -> None:
        """Choose the query that stands so many places further down the list."""
        if not self.numbers:
            return
        at = self.numbers.index(self._current) + by if self._current in self.numbers else 0
        self._chosen(self.numbers[min(max(at, 0), len(self.numbers) - 1)])

    def show(self, number: int | None) -> None:
        """Mark a query as the one that is chosen."""
        self._current = number
        with self._own_doing:
            self._mark()

    def row_chosen(self, change: Any) -> None:
        """Hear that a row of the table was clicked."""
        if not self._own_doing and change["new"]:
            self._chosen(self.numbers[change["new"][0]])

    def name_chosen(self, change: Any) -> None:
        """Hear that a query was chosen from the dropdown."""
        if not self._own_doing and change["new"] is not None:
            self._chosen(change["new"])

    def _mark(self) -> None:
        there = self._current in self.numbers
        at = self.numbers.index(self._current) if there else None  # type: ignore[arg-type]
        self.choice.index = at
        if self.table is not None:
            self.table.selected_rows = [] if at is None else [at]
        self.before.disabled = not there or at == 0
        self.after.disabled = not self.numbers or at == len(self.numbers) - 1


def _frame(columns: list[tuple[str, Any]]) -> pd.DataFrame:
    """Return a table of columns, which may have the same heading."""
    frame = pd.DataFrame({place: column for place, (_, column) in enumerate(columns)})
    return frame.set_axis([head for head, _ in columns], axis=1)
