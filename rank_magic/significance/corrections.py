"""p-values of many comparisons made together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["CORRECTIONS", "corrected"]

Floats = NDArray[np.float64]


def corrected(p: Floats, how: str) -> Floats:
    """Return p-values that hold for all of them together; those that are missing take no part.

    Parameters
    ----------
    p : array of float
        NaN where there is none.
    how : {"holm", "bonferroni", "bh", "none"}
        What is held at the level: the chance of any false finding, by Holm's stepwise rule or by
        Bonferroni's; or, by Benjamini and Hochberg's, the share of findings that are false.

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6, 1979. Benjamini and Hochberg, Controlling the false discovery rate, Journal of
    the Royal Statistical Society B 57, 1995.
    """
    there = ~np.isnan(p)
    result = np.full(p.shape, np.nan)
    if there.any():
        result[there] = CORRECTIONS[how](p[there])
    return result


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    result = np.empty(len(p))
    result[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return result


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(p * len(p), 1.0)


def _benjamini_hochberg(p: Floats) -> Floats:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p))


def _none(p: Floats) -> Floats:
    return p


CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "bh": _benjamini_hochberg,
    "none": _none,
}
