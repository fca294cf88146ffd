"""The query explorer: from the means to the queries, to a ranking, to what would change it."""

from __future__ import annotations

from collections.abc import Hashable
from html import escape
from typing import Any

import ipywidgets

from rank_magic import plots
from rank_magic.browsing import query_names, query_words, values, worst_first
from rank_magic.evaluation import Evaluation
from rank_magic.explanation_tables import explanation_html
from rank_magic.notes import plain_text
from rank_magic.plots.style import COLOURS, PALE
from rank_magic.tables import means_html, worst_html
from rank_magic.whatif import EXAMPLES, WhatIf
from rank_magic.widgets.explorer import Explorer, box, button, dropdown, wrapped
from rank_magic.widgets.live_figure import LiveFigure
from rank_magic.widgets.own_doing import OwnDoing
from rank_magic.widgets.query_list import QueryList
from rank_magic.widgets.ranking_list import RankingList
from rank_magic.widgets.slider import Slider
from rank_magic.widgets.value_table import value_table

__all__ = ["QueryExplorer"]

WORST = 10
DECIMALS = 4
NO_EXAMPLE = -1


class QueryExplorer(Explorer):
    """An evaluation to be looked through, query by query, and played with.

    Parameters
    ----------
    evaluation : Evaluation
        What was measured.

    Attributes
    ----------
    measure : str
        The measure that is looked at.
    system
        The system that is looked at.
    what_if : WhatIf
        The ranking that is shown, with what was changed in it.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        super().__init__()
        self._evaluation = evaluation
        self.measure: str = evaluation.view.sort or evaluation.names[0]
        self.system: Hashable = evaluation.systems[0]
        self.within: tuple[float, float] | None = None
        self._number: int | None = None
        self._own_doing = OwnDoing()
        self._make()
        self._fill()
        self._arrange()
        self._wire()
        self._choose(self.list.numbers[0])

    def _make(self) -> None:
        evaluation = self._evaluation
        self.measures = dropdown("Measure", evaluation.names, value=self.measure)
        names = [(plain_text(system), place) for place, system in enumerate(evaluation.systems)]
        self.systems = dropdown("System", names, value=0)
        self.distribution = LiveFigure(self._spread(), {"modeBarButtonsToRemove": ["lasso2d"]})
        (low, high) = self._ends()
        self.low = Slider(description="Values from", min=low, max=high, value=low, step=0.01)
        self.high = Slider(description="Values to", min=low, max=high, value=high, step=0.01)
        self.everything = button("All values", "List queries whatever their value")
        self.counted = ipywidgets.HTML()
        self.list = QueryList(self._choose)
        self.heading = ipywidgets.HTML()
        self.values = ipywidgets.HTML()
        self.message = ipywidgets.HTML()
        self.ranking = RankingList(self._edited)
        self.every_rank = ipywidgets.Checkbox(
            value=False, description="List all ranks", indent=False, layout={"width": "auto"}
        )
        self.images = ipywidgets.Checkbox(
            value=False,
            description="Load images from the web",
            indent=False,
            layout={"width": "auto", "display": "none"},
        )
        self.reset = button("Reset", "Take every change back")
        examples = [(one.name, place) for place, one in enumerate(EXAMPLES)]
        self.examples = dropdown("Example ranking", [("none", NO_EXAMPLE), *examples])
        self.back = button("Back to the query")
        self.contributions: LiveFigure | None = None
        self._below = box()

    def _arrange(self) -> None:
        several = [self.systems] if len(self._evaluation.systems) > 1 else []
        self.show(
            ipywidgets.HTML(means_html(self._evaluation)),
            wrapped(self.measures, *several),
            self.distribution,
            wrapped(self.low, self.high, self.everything, self.counted),
            self.list.table,
            self.list.buttons,
            self._below,
        )

    def _wire(self) -> None:
        for control, handler in (
            (self.measures, self._change_measure),
            (self.systems, self._change_system),
            (self.low, self._change_range),
            (self.high, self._change_range),
            (self.list.choice, self.list.name_chosen),
            (self.every_rank, self._redraw_ranking),
            (self.images, self._redraw_ranking),
            (self.examples, self._choose_example),
        ):
            self.when(control, "value", handler)
        self.when(self.list.table, "selected_rows", self.list.row_chosen)
        self.when_clicked(self.list.before, lambda: self.list.step(-1))
        self.when_clicked(self.list.after, lambda: self.list.step(1))
        self.when_clicked(self.list.more, self._load_all)
        self.when_clicked(self.everything, self._list_all)
        self.when_clicked(self.reset, self._reset)
        self.when_clicked(self.back, self._back)
        self.distribution.when_brushed(self.brush)

    # Which queries.

    def brush(self, within: tuple[float, float] | None) -> None:
        """List only the queries whose value lies in a range; None lists all."""
        if within != self.within:
            self._show_range(within)
            self._look_within(within)

    def _show_range(self, within: tuple[float, float] | None) -> None:
        """Set both sliders, which then have nothing to tell."""
        ends = self._ends()
        with self._own_doing:
            for slider, value in zip((self.low, self.high), within or ends, strict=True):
                with slider.hold_trait_notifications():
                    slider.min, slider.max, slider.value = *ends, value

    def _look_within(self, within: tuple[float, float] | None) -> None:
        self.within = within
        self._draw_distribution()
        self._fill()

    def _fill(self) -> None:
        evaluation = self._evaluation
        found = worst_first(evaluation, self.measure, self.system, self.within)
        self.list.fill(found, self._columns)
        total = len(evaluation.queries)
        where = "" if self.within is None else " with a value in this range"
        self.counted.value = (
            f"<span role='status'>{len(found):,} of {total:,} queries{where}</span>"
        )

    def _columns(self, listed: Any) -> list[tuple[str, Any]]:
        """Return what queries are called, and a column for each system and measure."""
        evaluation, several = self._evaluation, self._evaluation.rankings.rows.several
        names, words = query_names(evaluation, listed), query_words(evaluation, listed)
        heads = [(plain_text(evaluation.rankings.roles.query), names)]
        numbers = [
            (
                f"{plain_text(system)} {name}" if several else name,
                values(evaluation, name, system)[listed].round(DECIMALS),
            )
            for system in evaluation.systems
            for name in evaluation.names
        ]
        return [*heads, *([] if words is None else [words]), *numbers]

    def _spread(self) -> Any:
        figure = plots.distribution(self._evaluation, self.measure, system=self.system)
        figure.update_layout(dragmode="select", selectdirection="h", height=200, margin={"t": 15})
        (low, high), bars = self.within or self._ends(), figure.data[0]
        # Colours of our own: those of plotly's selections change whenever it thinks of one.
        bars.marker.color = [COLOURS[0] if low <= x <= high else PALE for x in bars.x]
        bars.selected.marker.opacity = bars.unselected.marker.opacity = 1
        return figure

    def _draw_distribution(self) -> None:
        self.distribution.draw(self._spread())

    def _ends(self) -> tuple[float, float]:
        edges = plots.binned_values(self._evaluation, self.measure, self.system).edges
        return float(edges[0]), float(edges[-1])

    def _change_measure(self, change: Any) -> None:
        self.measure = change["new"]
        self._start_over()

    def _change_system(self, change: Any) -> None:
        self.system = self._evaluation.systems[change["new"]]
        self._start_over()
        self._choose(self._number)

    def _start_over(self) -> None:
        """Look at all values of another measure or system."""
        self._show_range(None)
        self.distribution.forget_selections()
        self._look_within(None)
        self._draw_ranking()

    def _change_range(self, _: Any) -> None:
        if self._own_doing:
            return
        low, high = sorted((self.low.value, self.high.value))
        self.distribution.forget_selections()
        self._look_within(None if (low, high) == self._ends() else (low, high))

    def _list_all(self) -> None:
        self.distribution.forget_selections()
        self.brush(None)

    def _load_all(self) -> None:
        self.list.load_all()
        self._fill()

    # Which ranking.

    def choose(self, query: Any) -> None:
        """Show the ranking of a query."""
        self._choose(int(self._evaluation.queries.get_loc(query)))

    def _choose(self, number: int | None) -> None:
        if number is None:
            return
        self._number = number
        self.list.show(number)
        query = self._evaluation.queries[number]
        self._take(WhatIf(self._evaluation, query, system=self.system))
        (name,) = query_names(self._evaluation, slice(number, number + 1))
        words = [str(word) for word in self.what_if.before.about.values()]
        self.heading.value = _heading(name, *words, f"ranked by {plain_text(self.system)}")
        self.examples.value = NO_EXAMPLE
        self.back.layout.display = "none"

    def _choose_example(self, change: Any) -> None:
        if change["new"] == NO_EXAMPLE:
            return
        example = EXAMPLES[change["new"]]
        self._take(WhatIf.of_grades(example.grades, self._evaluation.measures, example.max_grade))
        self.heading.value = _heading("example", example.name, f"top grade {example.max_grade:g}")
        self.back.layout.display = None

    def _back(self) -> None:
        self._choose(self._number)

    def _take(self, what_if: WhatIf) -> None:
        self.what_if = what_if
        self._edited("")

    # What if.

    def edit(self, row: int, does: str, value: Any = None) -> None:
        """Move a document "up", "down" or "to" a rank, or give it another "grade"."""
        self.ranking.edit(row, does, value)

    def _edited(self, message: str) -> None:
        self.message.value = f"<p role='alert'>{escape(message)}</p>" if message else ""
        self._draw_ranking()

    def _reset(self) -> None:
        self.what_if.reset()
        self._edited("")

    def _redraw_ranking(self, _: Any) -> None:
        self._draw_ranking()

    def _draw_ranking(self) -> None:
        what_if = self.what_if
        self.values.value = value_table(what_if.table(), changed=what_if.changed)
        self.reset.disabled = not what_if.changed
        before = what_if.before if what_if.changed else None
        figure = plots.contributions(what_if.now, self.measure, before=before)
        figure.update_layout(height=240, margin={"t": 30})
        every, images = self.every_rank.value, self.images.value
        self.ranking.show(what_if, self.measure, every=every, images=images)
        from_web = any(row["image"].startswith("http") for row in self.ranking.rows)
        self.images.layout.display = None if from_web else "none"
        if self.contributions is None:
            self.contributions = LiveFigure(figure, scripted=False)
            self._below.children = [
                self.heading,
                wrapped(self.examples, self.back, self.reset, self.every_rank, self.images),
                self.values,
                self.message,
                self.ranking,
                self.contributions,
            ]
        else:
            self.contributions.draw(figure)

    # Without a kernel.

    def static_html(self) -> str:
        """Return the means, the worst queries and the ranking that is chosen."""
        evaluation = self._evaluation
        return (
            means_html(evaluation)
            + worst_html(evaluation.shown(sort=self.measure), WORST)
            + explanation_html(self.what_if.now)
        )

    def hint(self) -> str:
        """Return how to get the live explorer."""
        return "For the live explorer run this cell in JupyterLab or Notebook: result.explore()."


def _heading(first: str, *others: str) -> str:
    more = " · ".join(escape(one) for one in others)
    return f"<h4 style='margin: .6em 0 0'>{escape(first)} <small>· {more}</small></h4>"
