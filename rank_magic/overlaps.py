"""How alike two rankings are: functions of two rankings, not measures of one.

References
----------
Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010.
Yilmaz, Aslam and Robertson, A new rank correlation coefficient for information retrieval,
SIGIR 2008. Kendall, The treatment of ties in ranking problems, Biometrika 33, 1945.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from rank_magic.errors import DataError, MeasureError, listed

__all__ = ["kendall_tau", "rbo", "tau_ap"]

Ranking: TypeAlias = Sequence[Hashable] | pd.Series


def _items(ranking: Ranking) -> list[Any]:
    """Return a ranking's items, best first, each once."""
    if isinstance(ranking, pd.Series):
        if ranking.duplicated().any():
            raise DataError(
                "Scores tie, so there is no one ranking. Give the items as a list in ranked order."
            )
        ranking = ranking.dropna().sort_values(ascending=False).index
    items = list(ranking)
    repeated = pd.Index(items)[pd.Index(items).duplicated()] if items else []
    if len(repeated):
        raise DataError(f"A ranking holds each item once, but {listed(repeated, 3)} repeat.")
    return items


def rbo(a: Ranking, b: Ranking, p: float = 0.9) -> float:
    """Return the rank-biased overlap of two rankings, extrapolated beyond their ends.

    ``RBO = (1 − p) Σ_d p^{d−1} · |a_{1..d} ∩ b_{1..d}| / d``, where the agreement at the last ranks
    is taken to go on. In [0, 1].

    Parameters
    ----------
    a, b : sequence of items, best first, or Series of scores by item
        The rankings; they may differ in length.
    p : float
        Persistence, in (0, 1): how far down the reader looks.

    Returns
    -------
    float

    References
    ----------
    Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010,
    equation 32.

    Examples
    --------
    >>> import rank_magic as rm
    >>> rm.rbo(["a", "b", "c"], ["a", "b", "c"])
    1.0
    >>> round(rm.rbo(["a", "b", "c"], ["b", "a", "d"]), 4)
    0.63
    """
    if not 0 < p < 1:
        raise MeasureError(f"p must lie between 0 and 1, both excluded; it is {p!r}.")
    short, long = sorted((_items(a), _items(b)), key=len)
    few, many = len(short), len(long)
    if few == 0:
        return 0.0 if many else 1.0
    place = {item: rank for rank, item in enumerate(long, 1)}
    enters = [max(rank, place[item]) for rank, item in enumerate(short, 1) if item in place]
    shared = np.cumsum(np.bincount(enters, minlength=many + 1))[: many + 1]
    depth = np.arange(1.0, many + 1.0)
    agreement = shared[1:] / depth
    # Below its end the shorter ranking is taken to agree as it did at its end.
    beyond = np.maximum(depth - few, 0.0)
    agreement = agreement + shared[few] * beyond / (few * depth)
    seen = math.fsum(agreement * np.power(p, depth))
    last = (shared[many] - shared[few]) / many + shared[few] / few
    return float((1 - p) / p * seen + last * p**many)


def _common(a: Ranking, b: Ranking) -> tuple[list[int], list[int]]:
    """Return the places in a and in b of the items that both rank, in a's order."""
    place = {item: rank for rank, item in enumerate(_items(b))}
    ranks = [(rank, place[item]) for rank, item in enumerate(_items(a)) if item in place]
    if len(ranks) < 2:
        raise DataError(f"The rankings share {len(ranks)} items; a correlation needs at least two.")
    first, second = zip(*ranks, strict=True)
    return list(first), list(second)


def kendall_tau(a: Ranking, b: Ranking) -> float:
    """Return Kendall's tau over the items that both rankings hold.

    (concordant − discordant) / pairs, corrected for ties (tau-b) when scores are given. In
    [−1, 1].

    Parameters
    ----------
    a, b : sequence of items, best first, or Series of scores by item
        The rankings. As Series they may have ties.

    Returns
    -------
    float

    Examples
    --------
    >>> import rank_magic as rm
    >>> round(rm.kendall_tau(["a", "b", "c"], ["a", "c", "b"]), 4)
    0.3333
    """
    from scipy.stats import kendalltau

    if isinstance(a, pd.Series) and isinstance(b, pd.Series):
        both = a.dropna().index.intersection(b.dropna().index)
        return float(kendalltau(a[both], b[both]).statistic)
    return float(kendalltau(*_common(a, b)).statistic)


def tau_ap(a: Ranking, truth: Ranking) -> float:
    """Return the AP correlation: Kendall's tau in which errors at the top weigh most.

    τ_AP = (2 / (n − 1)) Σ_{i=2..n} C(i) / (i − 1) − 1, where C(i) counts the items above rank i
    of `a` that `truth` ranks above that item too. In [−1, 1]; not symmetric.

    Parameters
    ----------
    a, truth : sequence of items, best first, or Series of scores by item
        The rankings. Ties are an error.

    Returns
    -------
    float

    References
    ----------
    Yilmaz, Aslam and Robertson, A new rank correlation coefficient for information retrieval,
    SIGIR 2008.

    Examples
    --------
    >>> import rank_magic as rm
    >>> rm.tau_ap(["b", "a", "c"], ["a", "b", "c"])
    0.0
    """
    _, place = _common(a, truth)
    above = [sum(other < here for other in place[:i]) / i for i, here in enumerate(place) if i]
    return 2.0 * math.fsum(above) / len(above) - 1.0
