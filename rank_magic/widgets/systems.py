"""The systems explorer: two systems query by query, and ranking against ranking."""

from __future__ import annotations

from collections.abc import Hashable
from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets
import pandas as pd

from rank_magic import plots
from rank_magic.errors import RankMagicError
from rank_magic.notes import plain_text
from rank_magic.side_by_side import explained, moves, pair_values
from rank_magic.widgets.explorer import Explorer, dropdown, wrapped
from rank_magic.widgets.live_figure import LiveFigure
from rank_magic.widgets.query_list import QueryList
from rank_magic.widgets.ranking_rows import ranking_rows
from rank_magic.widgets.slopes import slopes

if TYPE_CHECKING:
    from rank_magic.comparison import Comparison

__all__ = ["SystemsExplorer"]

DECIMALS = 4


class SystemsExplorer(Explorer):
    """Two systems query by query: where one wins, by how much, and which documents make it.

    Parameters
    ----------
    comparison : Comparison
        What was compared.

    Attributes
    ----------
    measure : str
        The measure that is looked at.
    system, baseline
        The two systems.
    """

    def __init__(self, comparison: Comparison) -> None:
        super().__init__()
        self._comparison = comparison
        self.measure: str = comparison.names[0]
        self._pair = 0
        self._query: Any = None
        self._make()
        self._fill()
        self._arrange()
        self._wire()
        self.list.step(0)

    @property
    def system(self) -> Hashable:
        """The system that is compared."""
        return self._comparison.systems[self._comparison.pairs[self._pair].system]

    @property
    def baseline(self) -> Hashable:
        """What it is compared with."""
        return self._comparison.systems[self._comparison.pairs[self._pair].baseline]

    def _make(self) -> None:
        comparison = self._comparison
        self.measures = dropdown("Measure", comparison.names)
        pairs = [
            (f"{plain_text(comparison.systems[a])} against {plain_text(comparison.systems[b])}", at)
            for at, (a, b) in enumerate(comparison.pairs)
        ]
        self.pairs = dropdown("Systems", pairs, value=0)
        self.summary, self.heading = ipywidgets.HTML(), ipywidgets.HTML()
        self.rankings = ipywidgets.HTML()
        self.scatter = LiveFigure(plots.scatter(self.values(), self.measure))
        differences = plots.differences(self.values(), self.measure)
        self.differences = LiveFigure(differences, scripted=False)
        self.list = QueryList(self._choose)

    def _arrange(self) -> None:
        self.show(
            wrapped(self.measures, self.pairs),
            self.summary,
            self.scatter,
            self.differences,
            self.list.table,
            self.list.buttons,
            self.heading,
            self.rankings,
        )

    def _wire(self) -> None:
        self.when(self.measures, "value", self._changed)
        self.when(self.pairs, "value", self._changed)
        self.when(self.list.choice, "value", self.list.name_chosen)
        self.when(self.list.table, "selected_rows", self.list.row_chosen)
        self.when_clicked(self.list.before, lambda: self.list.step(-1))
        self.when_clicked(self.list.after, lambda: self.list.step(1))
        self.when_clicked(self.list.more, self._load_all)

    # What is compared.

    def values(self) -> pd.DataFrame:
        """Return the values of every query, of the baseline and of the system."""
        return pair_values(self._comparison, self.measure, self._pair)

    def _changed(self, _: Any) -> None:
        self.measure, self._pair = self.measures.value, self.pairs.value
        self.scatter.draw(plots.scatter(self.values(), self.measure))
        self.differences.draw(plots.differences(self.values(), self.measure))
        self._fill()
        if self._query is not None:
            self._draw()

    def _fill(self) -> None:
        values = self.values()
        difference = values[self.system] - values[self.baseline]
        order = difference.reset_index(drop=True).sort_values(kind="stable").index

        def columns(listed: Any) -> list[tuple[str, Any]]:
            names = [plain_text(query) for query in self._comparison.queries[listed]]
            return [
                ("query", names),
                (plain_text(self.baseline), values[self.baseline].iloc[listed].round(DECIMALS)),
                (plain_text(self.system), values[self.system].iloc[listed].round(DECIMALS)),
                ("difference", difference.iloc[listed].round(DECIMALS)),
            ]

        self.list.fill(order, columns)
        self.summary.value = self._in_words()

    def _in_words(self) -> str:
        row = self._comparison.to_frame().loc[(self.measure, self.system, self.baseline)]
        interval = "" if pd.isna(row["low"]) else f" [{row['low']:+.4f}, {row['high']:+.4f}]"
        return (
            f"<p role='status'>{escape(self.measure)}, {escape(plain_text(self.system))} − "
            f"{escape(plain_text(self.baseline))}: <b>{row['difference']:+.4f}</b>{interval} "
            f"(95 % interval of the mean); {row['wins']:,} wins, {row['ties']:,} ties, "
            f"{row['losses']:,} losses.</p>"
        )

    def _load_all(self) -> None:
        self.list.load_all()
        self._fill()

    # Which query.

    def choose(self, query: Any) -> None:
        """Show the two rankings of a query."""
        self._choose(int(self._comparison.queries.get_loc(query)))

    def _choose(self, number: int) -> None:
        self._query = self._comparison.queries[number]
        self.list.show(number)
        self._draw()

    def _draw(self) -> None:
        try:
            rankings = self._side_by_side()
        except RankMagicError as error:
            rankings = f"<p>{escape(str(error))}</p>"
        # Both at once: nobody is to see one query's name above another one's rankings.
        self.heading.value = f"<h4 style='margin: .6em 0'>{escape(plain_text(self._query))}</h4>"
        self.rankings.value = rankings

    def _side_by_side(self) -> str:
        names = (self.baseline, self.system)
        one, other = (explained(self._comparison, self._query, name) for name in names)
        titles: dict[Any, str] = {}
        for explanation in (one, other):
            numbers = range(len(explanation.ranking))
            rows = ranking_rows(explanation, self.measure, numbers, ())
            if "doc" in explanation.ranking:
                docs = explanation.ranking["doc"]
                titles |= {doc: row["title"] for doc, row in zip(docs, rows, strict=False)}
        table = moves(one, other, self.measure)
        return slopes(table, titles, names, self.measure)

    # Without a kernel.

    def static_html(self) -> str:
        """Return the table of differences, and the two rankings of the query that is chosen."""
        return f"{self._comparison.to_html()}{self.heading.value}{self.rankings.value}"

    def hint(self) -> str:
        """Return how to get the live explorer."""
        return "For the live explorer run comparison.explore() in JupyterLab or Notebook."
