"""How much of the searcher's attention each rank gets, by what a discount or measure assumes.

It can be seen in three ways, which the C/W/L framework names: the weight W of a rank, the chance C
of going on from it to the next, and the chance L that it is the last one looked at.

References
----------
Moffat, Thomas and Scholer, Users versus models: what observation tells us about effectiveness
metrics, CIKM 2013. Moffat, Bailey, Scholer and Thomas, Incorporating user expectations and behavior
into the measurement of search effectiveness, ACM TOIS 35(3), 2017.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.conventions import is_number, is_whole
from rank_magic.discounts import Discount, discount_name, discount_weights
from rank_magic.errors import DataError, MeasureError, did_you_mean, listed
from rank_magic.evaluation import evaluate
from rank_magic.measures import AP, DCG, RR, SDCG, Cascade, Measure, make, nDCG, parse
from rank_magic.measures.base import REGISTRY
from rank_magic.measures.persistence import Continuing
from rank_magic.ties import exclusive_product

__all__ = [
    "ARTICLE_RANKS",
    "CURVES",
    "OWN",
    "VIEWS",
    "CurveLike",
    "attention",
    "fits_in_a_name",
    "own_curve",
    "spelling",
    "weights",
]

Floats = NDArray[np.float64]
CurveLike: TypeAlias = str | Measure
Parts: TypeAlias = Mapping[str, pd.DataFrame]

CURVES = ("reciprocal", "log2", "jarvelin3", "RBP", "ERR", "AP", "INST")
# What the article tabulates.
ARTICLE_RANKS = (1, 2, 5, 10, 50)
OWN = "own"
FEW_WEIGHTS = 10  # a curve as long as this can stand in a measure's name
# What can be looked at, and what the framework and explanations call it.
VIEWS = {"weight": "W", "continuation": "C", "last": "L"}
# The measures that say what gets attention.
DISCOUNTED = (DCG, SDCG)
DRAWN = (RR, AP, Continuing, Cascade, *DISCOUNTED)
ROUNDING = 1e-12  # by how much a curve that stays level may seem to rise


def attention(
    curves: CurveLike | Sequence[CurveLike] | None = None,
    *,
    own: Discount | None = None,
    grades: Sequence[float] = (),
    depth: int = 50,
    cumulative: bool = False,
    view: str = "weight",
) -> pd.DataFrame:
    """Return how much attention each rank gets, the rank that gets most having 1.

    Parameters
    ----------
    curves : str or Measure, or list of them, optional
        Discounts and measures; by default those that the article compares, and a few more.
    own : sequence of float or callable, optional
        A curve of your own, such as click-through rates by position.
    grades : sequence of float
        A ranking, best rank first, for measures whose attention depends on what was seen.
    depth : int
        How many ranks.
    cumulative : bool
        Whether to return how much of it lies in the top ranks instead, as a share of what all
        `depth` ranks get; of ``view="last"`` the chance that the reader has stopped.
    view : {"weight", "continuation", "last"}
        The attention W, or the reader's chances C and L as they are: see `weights`.

    Returns
    -------
    DataFrame
        A row for each rank, a column for each curve.

    Examples
    --------
    >>> from rank_magic.attention import attention
    >>> attention(["reciprocal", "log2"], depth=3).round(2)
          reciprocal  log2
    rank
    1           1.00  1.00
    2           0.50  0.63
    3           0.33  0.50
    >>> attention(["log2", "RBP(p=0.8)"], depth=3, view="continuation").round(2)
          log2  RBP(p=0.8)
    rank
    1     0.63         0.8
    2     0.79         0.8
    3     0.86         0.8
    """
    chosen = CURVES if curves is None else [curves] if isinstance(curves, CurveLike) else curves
    read: dict[str, Measure | Discount] = {str(curve): _read(curve) for curve in chosen}
    if own is not None:
        read[OWN] = own_curve(own)
    if cumulative and view == "continuation":
        raise MeasureError(
            "Chances of going on can't be added up. Leave cumulative out, or see by "
            "view='last' how many readers have stopped."
        )
    table = pd.DataFrame(
        _seen(read, grades, depth, view), index=pd.RangeIndex(1, depth + 1, name="rank")
    )
    if cumulative:
        table = table.cumsum()
    if view != "weight":  # chances are on one scale already
        return table
    # A curve that is 0 everywhere stays so.
    most = table.max()
    return table / most.where(most > 0, 1.0)


def weights(
    curve: CurveLike, *, grades: Sequence[float] = (), depth: int = 50, view: str = "weight"
) -> Floats:
    """Return what a discount or a measure gives each rank, as it stands in its formula.

    The weight W_r: the discount of DCG and its kin; W of the C/W/L family and of AP, whose sum of
    W times relevance is the value; for RR and the cascade d(r) γ^{r−1} times the chance that the
    reader is not satisfied above the rank, so that the sum of it times R is ERR.

    The continuation C_r, the chance of going on from a rank to the next, and the last rank L_r, the
    chance that it is the last one looked at, with L_r = (1 − C_r) Π_{i<r} C_i: of the C/W/L family
    its own, as in `explain`; for the cascade C_r = γ (1 − R_r), and RR is the cascade whose reader
    every relevant document satisfies. Of AP and of discounts, those of the reader whose attention
    is W: C_r = W_{r+1} / W_r and L_r = (W_r − W_{r+1}) / W_1.

    Beyond a cutoff, and beyond a ``horizon``, nothing counts: all three are 0 there.

    Parameters
    ----------
    curve : str or Measure
        The name of a discount, or a measure.
    grades : sequence of float
        A ranking, best rank first; grade 0 behind its end.
    depth : int
        How many ranks.
    view : {"weight", "continuation", "last"}
        W, C or L.

    Returns
    -------
    array of float, shape (depth,)

    Raises
    ------
    MeasureError
        If a measure says nothing about attention, or a discount rises and C or L is asked for.

    Notes
    -----
    Of the C/W/L family, C, W and L are those of `explain`: its reader, like the cascade's, goes on
    below a cutoff, where nothing is counted any more.

    References
    ----------
    W of AP: Moffat, Thomas and Scholer, Users versus models: what observation tells us about
    effectiveness metrics, CIKM 2013, section 3.

    Examples
    --------
    >>> from rank_magic.attention import weights
    >>> weights("RBP(p=0.5)", depth=4, view="last").tolist()
    [0.5, 0.25, 0.125, 0.0625]
    >>> weights("RR", grades=[0, 1], depth=4, view="continuation").tolist()
    [1.0, 0.0, 1.0, 1.0]
    """
    return _seen({"": _read(curve)}, grades, depth, view)[""]


def own_curve(given: Discount) -> Discount:
    """Return a curve of one's own in plain form; the index of a Series is the position."""
    if isinstance(given, pd.Series):
        return [float(value) for value in given.sort_index()]
    return given


def fits_in_a_name(own: Discount) -> bool:
    """Return whether a curve of one's own can be written out in a measure's name."""
    return not (callable(own) or isinstance(own, str)) and len(own) <= FEW_WEIGHTS


def spelling(
    curve: CurveLike, cutoff: int | None = None, *, own: Discount | None = None, name: str = OWN
) -> str:
    """Return the measure that has this curve, as it is written in the magics.

    Parameters
    ----------
    curve : str or Measure
        A curve of `attention`; ``"own"`` for the one of your own.
    cutoff : int, optional
        The measure's cutoff.
    own : sequence of float or callable, optional
        The curve of your own.
    name : str
        What it is registered as, where it does not fit into a measure's name.

    Raises
    ------
    MeasureError
        If it does not fit, and nothing is registered under that name.
    """
    if curve == OWN and own is not None:
        discount: Any = own if fits_in_a_name(own) else name
        measure = make(nDCG, {"discount": discount})
    else:
        read = _read(curve)
        measure = read if isinstance(read, Measure) else parse(f"nDCG(discount={curve})")
    return str(measure.at(cutoff))


def _read(curve: CurveLike) -> Measure | Discount:
    """Return the measure that is meant, or the name of the discount."""
    if isinstance(curve, str) and curve.partition("(")[0].partition("@")[0].lower() not in REGISTRY:
        return curve
    return parse(curve)


def _check(grades: Sequence[float], depth: int, view: str) -> None:
    if not is_whole(depth) or depth < 1:
        raise DataError(f"depth must be at least 1, a whole number of ranks, not {depth!r}.")
    wrong = [g for g in grades if not (is_number(g) and np.isfinite(g) and g >= 0)]
    if wrong:
        raise DataError(f"Grades must be finite numbers of at least 0, not {listed(wrong)}.")
    if view not in VIEWS:
        named = ", ".join(f"{name!r} ({letter})" for name, letter in VIEWS.items())
        raise MeasureError(
            f"view must be one of {named}, not {view!r}.{did_you_mean(str(view), VIEWS)}"
        )


def _seen(
    curves: Mapping[str, Measure | Discount], grades: Sequence[float], depth: int, view: str
) -> dict[str, Floats]:
    """Return one view of discounts and measures by rank, all measures of them measured at once."""
    _check(grades, depth, view)
    # All of the ranking, since what lies below may count above. And a rank behind the last: whether
    # the reader goes on to it tells how the last one is left.
    ranking = np.zeros(max(int(depth), len(grades)) + 1)
    ranking[: len(grades)] = np.asarray(grades, dtype=np.float64)
    parts = _parts([one for one in curves.values() if isinstance(one, Measure)], ranking)
    return {
        name: (
            _of_measure(curve, parts, ranking, view)
            if isinstance(curve, Measure)
            else _of_discount(curve, len(ranking), view)
        )[: int(depth)]
        for name, curve in curves.items()
    }


def _parts(measures: Sequence[Measure], ranking: Floats) -> Parts:
    """Return the quantities that explain measures of a ranking, by the measure's name."""
    without = [measure for measure in measures if not isinstance(measure, DRAWN)]
    if without:
        known = sorted({cls.name for cls in REGISTRY.values() if issubclass(cls, DRAWN)})
        raise MeasureError(
            f"What {without[0]} assumes about attention can't be drawn. Known are discounts, and "
            f"{', '.join(known)}."
        )
    readers = {str(one): one for one in measures if isinstance(one, Continuing | Cascade)}
    if not readers:
        return {}
    frame = pd.DataFrame({"query": "own", "grade": ranking})
    return evaluate(frame, list(readers.values()), order="rows").explain().parts


def _of_measure(measure: Measure, parts: Parts, ranking: Floats, view: str) -> Floats:
    """Return what a measure gives each rank; beyond its cutoff it gives nothing."""
    relevant = ranking >= (getattr(measure, "rel", None) or 1.0)
    ranks = len(ranking)
    if isinstance(measure, Continuing):
        seen = _padded(parts[str(measure)][VIEWS[view]], ranks)
    elif isinstance(measure, Cascade):
        satisfied = _padded(parts[str(measure)]["R"], ranks)
        seen = _of_cascade(satisfied, float(measure.persistence), measure.discount, view)
    elif isinstance(measure, RR):
        seen = _of_cascade(relevant.astype(np.float64), 1.0, "reciprocal", view)
    elif isinstance(measure, AP):
        seen = _of_weights(_of_average_precision(measure, relevant), view)
    else:
        seen = _of_discount(getattr(measure, "discount", None) or "log2", ranks, view)
    within = np.arange(ranks) < (ranks if measure.k is None else measure.k)
    return np.where(within, seen, 0.0)


def _padded(part: pd.Series[float], ranks: int) -> Floats:
    """Return a quantity of an explanation with 0 at the ranks that it does not go down to."""
    return np.pad(part.to_numpy(dtype=np.float64), (0, ranks - len(part)))


def _of_discount(discount: Discount, ranks: int, view: str) -> Floats:
    given = discount_weights(discount, ranks)
    rises = np.flatnonzero(given[1:] > given[:-1] * (1 + ROUNDING))
    if view != "weight" and len(rises):
        rank = int(rises[0]) + 1
        raise MeasureError(
            f"The discount {discount_name(discount)} rises from {given[rank - 1]:g} at rank {rank} "
            f"to {given[rank]:g} at rank {rank + 1}, and nobody goes on with a chance above 1. "
            "Look at its weight (view='weight'), or leave it out here."
        )
    return _of_weights(given, view)


def _of_weights(given: Floats, view: str) -> Floats:
    """Return W, C or L of the reader whose attention falls as these weights do."""
    after = np.append(given[1:], 0.0)
    if view == "weight":
        return given
    if view == "continuation":
        return np.minimum(after / np.where(given > 0, given, np.inf), 1.0)
    return np.maximum(given - after, 0.0) / (given[0] if given[0] > 0 else np.inf)


def _of_cascade(satisfied: Floats, persistence: float, discount: Discount, view: str) -> Floats:
    """Return W, C or L of the reader who ends where satisfied or tired."""
    going = persistence * (1.0 - satisfied)
    if view == "continuation":
        return going
    reach = exclusive_product(going[None, :])[0]
    if view == "last":
        return reach * (1.0 - going)
    return reach * discount_weights(discount, len(reach))


def _of_average_precision(measure: AP, relevant: NDArray[np.bool_]) -> Floats:
    """Return W of AP: the sum over relevant ranks from here on of 1 / rank, by their number."""
    ranks = np.arange(1.0, len(relevant) + 1.0)
    number, deepest = int(relevant.sum()), len(relevant) if measure.k is None else measure.k
    if measure.denominator == "min":
        number = min(number, deepest)
    shares = np.where(ranks <= deepest, relevant / ranks, 0.0)
    return np.cumsum(shares[::-1])[::-1] / max(number, 1)
