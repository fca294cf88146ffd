"""Pictures: functions from what was measured to plotly figures.

Figures have transparent backgrounds and colours that read on white and on dark; lines differ by
their dashes and bars by their patterns too. ``figure.write_html(path)`` saves one, as does
``figure.write_image(path)`` where the package kaleido is installed.
"""

from rank_magic.plots.attention import discounts
from rank_magic.plots.contributions import contributions
from rank_magic.plots.differences import differences, scatter
from rank_magic.plots.distribution import Bins, binned, binned_values, distribution
from rank_magic.plots.namespace import EvaluationPlots, FramePlots

__all__ = [
    "Bins",
    "EvaluationPlots",
    "FramePlots",
    "binned",
    "binned_values",
    "contributions",
    "differences",
    "discounts",
    "distribution",
    "scatter",
]
