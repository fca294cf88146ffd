"""How many queries it takes to see a difference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEVEL", "POWER", "queries_needed"]

Floats = NDArray[np.float64]

LEVEL = 0.05
POWER = 0.8
# Nobody judges so many queries; beyond it the difference is nothing one could look for.
MOST_QUERIES = 1 << 40


def queries_needed(effect: Floats) -> Floats:
    """Return the number of queries with which a paired t test sees an effect of this size.

    "Sees" is: at the 5 % level, on both sides, in 80 % of all samples of so many queries.

    Parameters
    ----------
    effect : array of float
        Standardised: the mean difference over the standard deviation of differences.

    Returns
    -------
    array of float
        Whole numbers from 2; NaN where the effect is 0 or missing, or smaller than any number of
        queries could show.
    """
    size = np.abs(effect)
    needed = np.full(effect.shape, np.nan)
    known = np.isfinite(size) & (size > 0)
    known[known] = _power(size[known], np.full(int(known.sum()), float(MOST_QUERIES))) >= POWER
    size = size[known]
    low, high = np.ones(len(size)), np.full(len(size), float(MOST_QUERIES))
    while (high - low > 1).any():  # power grows with the number of queries
        middle = np.floor((low + high) / 2)
        enough = _power(size, np.maximum(middle, 2.0)) >= POWER
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    needed[known] = np.maximum(high, 2.0)
    return needed


def _power(size: Floats, queries: Floats) -> Floats:
    """Return the power of the two-sided t test: the noncentral t beyond the critical values."""
    from scipy.special import stdtrit
    from scipy.stats import nct, norm

    freedom = queries - 1.0
    critical = stdtrit(freedom, 1.0 - LEVEL / 2)
    shift = size * np.sqrt(queries)
    # With so many queries t is normal; so far out, power is near 1 whatever it is.
    plain = (queries > 1e6) | (shift > 30.0)
    power = norm.sf(critical - shift) + norm.cdf(-critical - shift)
    if not plain.all():
        t = nct(freedom[~plain], shift[~plain])
        with np.errstate(all="ignore"):
            upper, lower = t.sf(critical[~plain]), t.cdf(-critical[~plain])
        # Far out scipy may know no number: there the lower tail is nothing, the upper the normal's.
        upper = np.where(np.isnan(upper), power[~plain], upper)
        power[~plain] = upper + np.nan_to_num(lower)
    return np.asarray(power)
