"""How much of the searcher's attention each rank gets, by what a discount or measure assumes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.discounts import Discount, discount_weights
from rank_magic.errors import DataError, MeasureError, listed
from rank_magic.evaluation import evaluate
from rank_magic.measures import AP, DCG, RR, Cascade, Measure, make, nDCG, parse
from rank_magic.measures.base import REGISTRY
from rank_magic.measures.persistence import RBP, Continuing

__all__ = [
    "ARTICLE_RANKS",
    "CURVES",
    "OWN",
    "CurveLike",
    "attention",
    "fits_in_a_name",
    "own_curve",
    "spelling",
    "weights",
]

Floats = NDArray[np.float64]
CurveLike: TypeAlias = str | Measure

CURVES = ("reciprocal", "log2", "jarvelin3", "RBP", "ERR", "AP", "INST")
# What the article tabulates.
ARTICLE_RANKS = (1, 2, 5, 10, 50)
OWN = "own"
FEW_WEIGHTS = 10  # a curve as long as this can stand in a measure's name


def attention(
    curves: CurveLike | Sequence[CurveLike] | None = None,
    *,
    own: Discount | None = None,
    grades: Sequence[float] = (),
    depth: int = 50,
    cumulative: bool = False,
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
        `depth` ranks get.

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
    """
    chosen = CURVES if curves is None else [curves] if isinstance(curves, CurveLike) else curves
    found = {str(curve): weights(curve, grades=grades, depth=depth) for curve in chosen}
    if own is not None:
        found[OWN] = discount_weights(own_curve(own), depth)
    table = pd.DataFrame(found, index=pd.RangeIndex(1, depth + 1, name="rank"))
    if cumulative:
        table = table.cumsum()
    # A curve that is 0 everywhere stays so.
    most = table.max()
    return table / most.where(most > 0, 1.0)


def weights(curve: CurveLike, *, grades: Sequence[float] = (), depth: int = 50) -> Floats:
    """Return what a discount or a measure gives each rank, as it stands in its formula.

    Parameters
    ----------
    curve : str or Measure
        The name of a discount, or a measure: the discount of DCG and its kin; W of the C/W/L
        family and of AP, whose sum of W times relevance is the value; for the cascade 1 / r
        times the chance that the reader gets to the rank, so that the sum of it times R is ERR.
    grades : sequence of float
        A ranking, best rank first; grade 0 behind its end.
    depth : int
        How many ranks.

    References
    ----------
    W of AP: Moffat, Thomas and Scholer, Users versus models: what observation tells us about
    effectiveness metrics, CIKM 2013, section 3.
    """
    _check(grades, depth)
    if isinstance(curve, str) and curve.partition("(")[0].partition("@")[0].lower() not in REGISTRY:
        return discount_weights(curve, depth)
    measure = parse(curve)
    padded = np.zeros(depth)
    padded[: len(grades)] = np.asarray(grades, dtype=np.float64)[:depth]
    if isinstance(measure, AP):
        return _of_average_precision(padded >= (measure.rel or 1.0))
    if isinstance(measure, RR):
        return discount_weights("reciprocal", depth)
    if isinstance(measure, RBP):
        return (1.0 - measure.p) * discount_weights(f"geometric{measure.p}", depth)
    if isinstance(measure, DCG):
        return discount_weights(measure.discount or "log2", depth)
    if isinstance(measure, Continuing):
        return _parts(measure, padded)["W"].to_numpy()
    if isinstance(measure, Cascade):
        reach = _parts(measure, padded)["reach"].to_numpy()
        going = np.power(float(measure.persistence), np.arange(depth))
        return reach * going * discount_weights(measure.discount, depth)
    raise MeasureError(
        f"What {measure} assumes about attention can't be drawn. Known are discounts, and RR, AP, "
        f"RBP, INST, INSQ, ERR and its kin, DCG and its kin."
    )


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
    elif isinstance(curve, str) and curve.partition("(")[0].lower() not in REGISTRY:
        measure = parse(f"nDCG(discount={curve})")
    else:
        measure = parse(curve)
    return str(measure.at(cutoff))


def _check(grades: Sequence[float], depth: int) -> None:
    if depth < 1:
        raise DataError(f"depth must be at least 1, not {depth!r}.")
    wrong = [grade for grade in grades if not (np.isfinite(grade) and grade >= 0)]
    if wrong:
        raise DataError(f"Grades must be finite numbers of at least 0, not {listed(wrong)}.")


def _of_average_precision(relevant: NDArray[np.bool_]) -> Floats:
    """Return W of AP: the sum over relevant ranks from here on of 1 / rank, by their number."""
    shares = relevant / np.arange(1.0, len(relevant) + 1.0)
    return np.cumsum(shares[::-1])[::-1] / max(int(relevant.sum()), 1)


def _parts(measure: Measure, grades: Floats) -> pd.DataFrame:
    """Return the quantities that explain a measure of a ranking."""
    frame = pd.DataFrame({"query": "own", "grade": grades})
    explanation = evaluate(frame, measure.at(None), order="rows").explain()
    return next(iter(explanation.parts.values()))
