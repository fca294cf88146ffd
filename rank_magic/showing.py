"""What an evaluation can be turned into besides tables: figures, explorers, reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rank_magic.plots import EvaluationPlots
    from rank_magic.widgets import QueryExplorer, SystemsExplorer

__all__ = ["ComparisonShowing", "Showing"]


class Showing:
    """The part of `rank_magic.Evaluation` that shows it; each loads what it needs when called."""

    @property
    def plot(self: Any) -> EvaluationPlots:
        """Figures: ``.plot.distribution()``, ``.contributions(query)``, ``.differences()``."""
        from rank_magic.plots import EvaluationPlots

        return EvaluationPlots(self)

    def explore(self: Any) -> QueryExplorer:
        """Look through it in the notebook: queries, their rankings, and what would change them.

        Returns
        -------
        QueryExplorer
            A widget for JupyterLab and Notebook; elsewhere it shows a picture that stands still.
        """
        from rank_magic.widgets import QueryExplorer

        return QueryExplorer(self)

    def report(self: Any, path: Path | str) -> None:
        """Write a page of means, distributions and the worst queries that needs no network.

        Parameters
        ----------
        path : str or Path
            The file, which ends in ``.html``.

        Raises
        ------
        RankMagicError
            If it ends in something else, or there is no such folder.
        """
        from rank_magic.report import write_report

        write_report(self, path)


class ComparisonShowing:
    """The part of `rank_magic.Comparison` that shows it in a widget."""

    def explore(self: Any) -> SystemsExplorer:
        """Look through it in the notebook: query by query, ranking against ranking.

        Returns
        -------
        SystemsExplorer
            A widget for JupyterLab and Notebook; elsewhere it shows a picture that stands still.
        """
        from rank_magic.widgets import SystemsExplorer

        return SystemsExplorer(self)
