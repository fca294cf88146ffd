"""Ranking evaluation inside the notebook: nDCG, ERR, MAP, MRR and why they are what they are.

Importing it gives every DataFrame ``df.rank.ndcg(k=10)`` and its siblings; ``df.rank(...)``
stays pandas' own. ``%load_ext rank_magic`` adds ``%rankeval`` and ``%%rankeval``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rank_magic import accessor, datasets, errors, namespaces
from rank_magic.attach import attach
from rank_magic.conventions import Conventions
from rank_magic.discounts import Discount, register_discount
from rank_magic.evaluation import Evaluation, evaluate
from rank_magic.gains import register_gain
from rank_magic.measures import Measure, measure, parameter, parse
from rank_magic.overlaps import kendall_tau, rbo, tau_ap
from rank_magic.profiling import Profile, profile
from rank_magic.raters import combine_raters, leave_one_rater_out, rater_agreement
from rank_magic.shapes import from_arrays, from_lists
from rank_magic.training import lightgbm_metric, xgboost_metric

__version__ = "0.1.0"

accessor.register()
namespaces.register()
if TYPE_CHECKING:
    from rank_magic.widgets import DiscountExplorer


__all__ = [
    "Conventions",
    "Evaluation",
    "Measure",
    "Profile",
    "attach",
    "combine_raters",
    "datasets",
    "errors",
    "evaluate",
    "from_arrays",
    "from_lists",
    "kendall_tau",
    "leave_one_rater_out",
    "lightgbm_metric",
    "measure",
    "parameter",
    "parse",
    "profile",
    "rater_agreement",
    "rbo",
    "explore_discounts",
    "register_discount",
    "register_gain",
    "tau_ap",
    "xgboost_metric",
]


def load_ipython_extension(shell: object) -> None:
    """Add the magics: what ``%load_ext rank_magic`` calls."""
    from rank_magic.magics import load

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Take the magics away again, and nothing else: what ``%unload_ext rank_magic`` calls."""
    from rank_magic.magics import unload

    unload(shell)
def explore_discounts(
    own: Discount | None = None, *, name: str = "own", grades: Sequence[float] = (3, 2, 0, 1, 0)
) -> DiscountExplorer:
    """Compare how much attention measures think each rank gets, in the notebook.

    Parameters
    ----------
    own : Series, sequence of float or callable, optional
        A curve of your own: click-through rates by position, or a function of an array of ranks.
    name : str
        The name that it can be used by, once it is taken over.
    grades : sequence of float
        The ranking that ERR, AP and INST look at, best rank first.

    Returns
    -------
    DiscountExplorer
        A widget for JupyterLab and Notebook; elsewhere it shows a table that stands still.
    """
    from rank_magic.widgets import DiscountExplorer

    return DiscountExplorer(own, name=name, grades=grades)


