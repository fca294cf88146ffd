"""Ranking evaluation inside the notebook: nDCG, ERR, MAP, MRR and why they are what they are.

Importing it gives every DataFrame ``df.rank.ndcg(k=10)`` and its siblings; ``df.rank(...)``
stays pandas' own. ``%load_ext rank_magic`` adds ``%rankeval`` and ``%%rankeval``.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rank_magic import accessor, datasets, errors, namespaces
from rank_magic.attach import attach
from rank_magic.conventions import Conventions
from rank_magic.discounts import Discount, register_discount
from rank_magic.evaluation import Evaluation, evaluate
from rank_magic.gains import register_gain
from rank_magic.measures import Measure, measure, parameter, parse
from rank_magic.shapes import from_arrays, from_lists

if TYPE_CHECKING:
    from rank_magic.comparison import Comparison, compare
    from rank_magic.formats import read_qrels, read_run, write_qrels, write_run
    from rank_magic.overlaps import kendall_tau, rbo, tau_ap
    from rank_magic.profiling import Profile, profile
    from rank_magic.raters import combine_raters, leave_one_rater_out, rater_agreement
    from rank_magic.records import Record
    from rank_magic.saving import load
    from rank_magic.training import lightgbm_metric, xgboost_metric
    from rank_magic.widgets import DiscountExplorer

__version__ = "0.1.0"

accessor.register()
namespaces.register()

__all__ = [
    "Comparison",
    "Conventions",
    "Evaluation",
    "Measure",
    "Profile",
    "Record",
    "attach",
    "combine_raters",
    "compare",
    "datasets",
    "errors",
    "evaluate",
    "explore_discounts",
    "from_arrays",
    "from_lists",
    "kendall_tau",
    "leave_one_rater_out",
    "lightgbm_metric",
    "load",
    "measure",
    "parameter",
    "parse",
    "profile",
    "rater_agreement",
    "rbo",
    "read_qrels",
    "read_run",
    "register_discount",
    "register_gain",
    "tau_ap",
    "write_qrels",
    "write_run",
    "xgboost_metric",
]


# Loaded when they are asked for: whoever only evaluates need not wait for them.
LATER = {
    "comparison": ["Comparison", "compare"],
    "formats": ["read_qrels", "read_run", "write_qrels", "write_run"],
    "overlaps": ["kendall_tau", "rbo", "tau_ap"],
    "profiling": ["Profile", "profile"],
    "raters": ["combine_raters", "leave_one_rater_out", "rater_agreement"],
    "records": ["Record"],
    "saving": ["load"],
    "training": ["lightgbm_metric", "xgboost_metric"],
}
ROOMS = {name: room for room, names in LATER.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{ROOMS[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


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
        The ranking that ERR, RR, AP, INST, BPM and IFT look at, best rank first.

    Returns
    -------
    DiscountExplorer
        A widget for JupyterLab and Notebook; elsewhere it shows a table that stands still.
    """
    from rank_magic.widgets import DiscountExplorer

    return DiscountExplorer(own, name=name, grades=grades)


def load_ipython_extension(shell: object) -> None:
    """Add the magics: what ``%load_ext rank_magic`` calls."""
    from rank_magic.magics import load

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """Take the magics away again, and nothing else: what ``%unload_ext rank_magic`` calls."""
    from rank_magic.magics import unload

    unload(shell)
