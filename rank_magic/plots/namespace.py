"""`evaluation.plot` and `df.rank.plot`: every figure, one call each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from rank_magic.attention import CurveLike, attention
from rank_magic.browsing import measure_name, two_systems
from rank_magic.discounts import Discount
from rank_magic.measures import MeasureLike
from rank_magic.plots.attention import discounts
from rank_magic.plots.contributions import contributions
from rank_magic.plots.differences import differences
from rank_magic.plots.distribution import distribution

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["EvaluationPlots", "FramePlots"]


class EvaluationPlots:
    """Figures of an evaluation; what ``evaluation.plot`` is."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def distribution(
        self, measure: MeasureLike | None = None, *, system: Hashable | None = None
    ) -> go.Figure:
        """Return how many queries have which values of a measure.

        Parameters
        ----------
        measure : str or Measure, optional
            One of those measured; the first by default.
        system
            Only this one; by default each has bars of its own.

        Returns
        -------
        plotly Figure
        """
        return distribution(self._evaluation, measure, system=system)

    def contributions(
        self,
        query: Any = None,
        measure: MeasureLike | None = None,
        *,
        system: Hashable | None = None,
    ) -> go.Figure:
        """Return what each rank of a ranking adds to a measure, beside the ideal ranking.

        Parameters
        ----------
        query
            Which query; may be left out when there is only one.
        measure : str or Measure, optional
            One of those measured; the first by default.
        system
            Which system; the first by default.

        Returns
        -------
        plotly Figure
        """
        return contributions(self._evaluation.explain(query, system=system), measure)

    def differences(
        self, measure: MeasureLike | None = None, *, systems: Sequence[Hashable] | None = None
    ) -> go.Figure:
        """Return the sorted differences between two systems, a bar for each query.

        Parameters
        ----------
        measure : str or Measure, optional
            One of those measured; the first by default.
        systems : pair of system names, optional
            Whose; by default the first two. A bar above 0 is a win of the second.

        Returns
        -------
        plotly Figure
        """
        name = measure_name(self._evaluation.names, measure)
        return differences(two_systems(self._evaluation, name, systems), name)


class FramePlots:
    """Figures of the rankings in a frame; what ``df.rank.plot`` is.

    The methods take what those of ``evaluation.plot`` do, and besides the columns and
    conventions of `rank_magic.evaluate`.
    """

    def __init__(self, evaluate: Callable[..., Evaluation]) -> None:
        self._evaluate = evaluate

    def distribution(self, measure: MeasureLike = "nDCG@10", **options: Any) -> go.Figure:
        """Return how many queries have which values of a measure.

        Parameters
        ----------
        measure : str or Measure
            What to measure.
        **options
            Roles and conventions, as in `rank_magic.evaluate`.

        Returns
        -------
        plotly Figure
        """
        return distribution(self._evaluate(measure, **options))

    def contributions(
        self,
        query: Any = None,
        measure: MeasureLike = "nDCG@10",
        *,
        system: Hashable | None = None,
        **options: Any,
    ) -> go.Figure:
        """Return what each rank of a ranking adds to a measure, beside the ideal ranking.

        Parameters
        ----------
        query
            Which query, by its id; may be left out when there is only one.
        measure : str or Measure
            What to measure.
        system
            Which system, when there are several; the first by default.
        **options
            Roles and conventions, as in `rank_magic.evaluate`.

        Returns
        -------
        plotly Figure
        """
        return contributions(self._evaluate(measure, **options).explain(query, system=system))

    def differences(
        self,
        measure: MeasureLike = "nDCG@10",
        *,
        systems: Sequence[Hashable] | None = None,
        **options: Any,
    ) -> go.Figure:
        """Return the sorted differences between two systems, a bar for each query.

        Parameters
        ----------
        measure : str or Measure
            What to measure.
        systems : pair of system names, optional
            Whose; by default the first two. A bar above 0 is a win of the second.
        **options
            Roles and conventions, as in `rank_magic.evaluate`.

        Returns
        -------
        plotly Figure
        """
        return EvaluationPlots(self._evaluate(measure, **options)).differences(systems=systems)

    def discounts(
        self,
        curves: CurveLike | Sequence[CurveLike] | None = None,
        *,
        own: Discount | None = None,
        grades: Sequence[float] = (),
        depth: int = 50,
        cutoff: int | None = None,
        logarithmic: bool = False,
        cumulative: bool = False,
        view: str = "weight",
    ) -> go.Figure:
        """Return how much attention each rank gets, by discounts and measures.

        Attention has three views: the weight W_r of a rank, the reader's chance C_r of going on
        from it, and the chance L_r = (1 − C_r) Π_{i<r} C_i that it is the last one looked at. Of
        the C/W/L family (RBP, INSQ, INST, BPM, IFT) they are those of `explain`; of ERR, RR and
        their kin C_r = γ (1 − R_r), with R_r the chance that rank r satisfies; of AP, DCG and its
        kin, and discounts, C_r = W_{r+1} / W_r. Beyond a measure's cutoff or ``horizon`` nothing
        counts, and each is 0.

        Parameters
        ----------
        curves : str or Measure, or list of them, optional
            Discounts (``"log2"``, ``"reciprocal"``, ``"geometric0.8"``) and measures
            (``"RBP(p=0.9)"``, ``"ERR"``, ``"AP"``, ``"INST(T=2)"``, ``"BPM(T=2, K=5)"``).
        own : sequence of float or callable, optional
            A curve of your own, such as click-through rates by position.
        grades : sequence of float
            A ranking, best rank first, for the measures whose attention depends on it.
        depth : int
            How many ranks.
        cutoff : int, optional
            Where to draw a line.
        logarithmic : bool
            Whether both axes are logarithmic.
        cumulative : bool
            Whether to show how much lies in the top ranks; of ``view="last"`` how many readers
            have stopped.
        view : {"weight", "continuation", "last"}
            W, as a share of the rank that gets most; or C or L, as they are.

        Returns
        -------
        plotly Figure

        Raises
        ------
        MeasureError
            If a measure says nothing about attention, or if C or L is asked for of a discount
            that rises, or a sum of chances of going on.

        References
        ----------
        Moffat, Thomas and Scholer, Users versus models: what observation tells us about
        effectiveness metrics, CIKM 2013.

        Examples
        --------
        >>> import pandas as pd
        >>> import rank_magic as rm
        >>> plot = pd.DataFrame().rank.plot
        >>> plot.discounts("RBP(p=0.5)", depth=4, view="last").data[0].y.tolist()
        [0.5, 0.25, 0.125, 0.0625]
        """
        table = attention(
            curves, own=own, grades=grades, depth=depth, cumulative=cumulative, view=view
        )
        return discounts(
            table, cutoff=cutoff, logarithmic=logarithmic, cumulative=cumulative, view=view
        )
