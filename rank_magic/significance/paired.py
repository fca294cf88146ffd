"""Two systems on the same queries: what the differences say, by four tests.

References
----------
Smucker, Allan and Carterette, A comparison of statistical significance tests for information
retrieval evaluation, CIKM 2007. Sakai, Laboratory Experiments in Information Retrieval, 2018.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rank_magic.significance.exact import on_grid
from rank_magic.significance.power import LEVEL, queries_needed
from rank_magic.significance.resampling import enumerated, resample
from rank_magic.significance.sample import Sample

__all__ = ["ALTERNATIVES", "TESTS", "Paired", "differences_of", "paired", "t_test"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TESTS = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "randomisation": "randomisation test",
    "bootstrap": "bootstrap test",
}
ALTERNATIVES = ("two-sided", "greater", "less")

SAME = 1e-12  # relative: values that differ by less are the same, but for rounding
# Without ties Wilcoxon's distribution is known for any number of queries, with ties from all signs.
EXACT_RANKS = 50
ENUMERATED_RANKS = 12

NO_QUERY = "no query has a value for both"
ONE_QUERY = "one query can't tell a difference from chance"
SAME_EVERYWHERE = "no query differs"
CONSTANT = "every query differs by the same amount, which leaves t no spread to go by"
ONE_WEIGHT = "all the weight lies on one query"
LEVEL_MEANS = "the means are level, and no number of queries shows no difference"
TOO_SMALL = "the difference is too small to be shown by any number of queries"
FEW_DIFFER = "so few queries differ that many resamples hold none"


@dataclass(frozen=True)
class Paired:
    """What is found for each row of differences.

    Attributes
    ----------
    queries, wins, ties, losses : array of int, shape (rows,)
        Number of queries with a difference, and with one above, at and below 0.
    difference, low, high : array of float, shape (rows,)
        The mean difference and its 95 % t interval.
    bootstrap_low, bootstrap_high : array of float, shape (rows,)
        The bootstrap's.
    effect : array of float, shape (rows,)
        The mean difference over the standard deviation of differences.
    needed : array of float, shape (rows,)
        Number of queries with which a t test sees such an effect in four samples of five.
    p : dict of array of float, shape (rows,)
        By test, see `TESTS`. Those that need resamples are there when some were asked for,
        Wilcoxon's when queries have no weights.
    reasons : list of str
        Why numbers are missing in a row, or what is odd about it; empty where nothing is.
    """

    queries: Ints
    wins: Ints
    ties: Ints
    losses: Ints
    difference: Floats
    low: Floats
    high: Floats
    bootstrap_low: Floats
    bootstrap_high: Floats
    effect: Floats
    needed: Floats
    p: dict[str, Floats]
    reasons: list[str]


def differences_of(values: Floats, baseline: Floats) -> Floats:
    """Return how far values lie above the baseline's; 0 where only rounding tells them apart."""
    with np.errstate(invalid="ignore"):
        difference = values - baseline
        size = np.maximum(np.maximum(np.abs(values), np.abs(baseline)), 1.0)
        return np.where(np.abs(difference) <= SAME * size, 0.0, difference)


def paired(
    differences: Floats,
    *,
    resamples: int,
    seed: int,
    alternative: str = "two-sided",
    weights: Floats | None = None,
) -> Paired:
    """Test each row of differences for a mean of 0.

    Parameters
    ----------
    differences : array of float, shape (rows, queries)
        As `differences_of` returns them; NaN where a query has no value for both.
    resamples : int
        How many; 0 leaves out the tests that need them.
    seed : int
        Of the random numbers.
    alternative : {"two-sided", "greater", "less"}
        What the mean is if it is not 0.
    weights : array of float, shape (queries,), optional
        What each query counts. t has the jackknife's standard error and the degrees of freedom of
        the effective number of queries (see `rank_magic.weighting`), signs are flipped of weighted
        differences, and the bootstrap redraws what each query pulls the mean by.
    """
    samples = [Sample.of(row, weights) for row in differences]
    p = {"t": _each(samples, lambda one: t_test(one, alternative))}
    if weights is None:
        p["wilcoxon"] = _each(samples, lambda one: _wilcoxon(one.values, alternative))
    around = np.full(len(samples), np.nan)
    if resamples:
        p["randomisation"], p["bootstrap"] = np.full((2, len(samples)), np.nan)
        for alike in _with_the_same_queries(differences, weights):
            found = resample(
                np.array([samples[row].flipped for row in alike]),
                np.array([samples[row].pulls for row in alike]),
                resamples,
                seed,
                alternative,
            )
            p["randomisation"][alike], p["bootstrap"][alike] = found.randomisation, found.bootstrap
            around[alike] = found.half
        same = np.array([one.nothing for one in samples], dtype=bool)
        p["bootstrap"][same], around[same] = 1.0, 0.0
    centre, half = _each(samples, lambda one: one.centre), _each(samples, _half)
    effect = _each(samples, lambda one: one.effect)
    lost = _each(samples, lambda one: len(one) / one.worth if len(one) else math.nan)
    needed = np.ceil(queries_needed(effect) * lost)
    missing = np.isnan(around) & bool(resamples)
    return Paired(
        queries=_count(samples, np.isfinite),
        wins=_count(samples, lambda values: values > 0),
        ties=_count(samples, lambda values: values == 0),
        losses=_count(samples, lambda values: values < 0),
        difference=centre,
        low=centre - half,
        high=centre + half,
        bootstrap_low=centre - around,
        bootstrap_high=centre + around,
        effect=effect,
        needed=needed,
        p=p,
        reasons=[
            _reason(*of_row)
            for of_row in zip(samples, missing.tolist(), np.isnan(needed).tolist(), strict=True)
        ],
    )


def _each(samples: Sequence[Sample], number: Callable[[Sample], float]) -> Floats:
    return np.array([number(one) for one in samples], dtype=np.float64)


def _count(samples: Sequence[Sample], which: Callable[[Floats], NDArray[np.bool_]]) -> Ints:
    return np.array([np.count_nonzero(which(one.values)) for one in samples], dtype=np.int64)


def _reason(sample: Sample, no_bootstrap: bool, no_number: bool) -> str:  # noqa: FBT001
    """Return why a number is missing; nothing where none is."""
    reasons = {
        NO_QUERY: not len(sample),
        SAME_EVERYWHERE: sample.nothing,
        ONE_QUERY: len(sample) == 1,
        CONSTANT: sample.constant,
        ONE_WEIGHT: len(sample) > 1 and not sample.error > 0,
        FEW_DIFFER: no_bootstrap,
        LEVEL_MEANS: sample.centre == 0.0,
        TOO_SMALL: no_number,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _half(sample: Sample) -> float:
    """Return half the width of the t interval."""
    from scipy.special import stdtrit

    if sample.nothing:
        return 0.0
    if not sample.error > 0:
        return math.nan
    return float(stdtrit(sample.worth - 1, 1 - LEVEL / 2)) * sample.error


def t_test(sample: Sample, alternative: str, around: float = 0.0) -> float:
    """Return the p-value of the t test for a mean that is not `around`."""
    from scipy.special import stdtr

    if sample.nothing and around == 0.0:
        return 1.0
    if not sample.error > 0:
        return math.nan
    t = (sample.centre - around) / sample.error
    if alternative == "two-sided":
        return float(2 * stdtr(sample.worth - 1, -abs(t)))
    return float(stdtr(sample.worth - 1, -t if alternative == "greater" else t))


def _wilcoxon(values: Floats, alternative: str) -> float:
    """Return Wilcoxon's p-value; differences of 0 are left out, as he did."""
    from scipy.stats import rankdata, wilcoxon

    # On the grid those are tied that only rounding tells apart.
    moved = on_grid(values[values != 0][None])[0][0]
    if not len(values):
        return math.nan
    if not len(moved):
        return 1.0
    size = np.abs(moved)
    if len(moved) <= EXACT_RANKS and len(np.unique(size)) == len(moved):
        return float(wilcoxon(moved, alternative=alternative, method="exact").pvalue)
    if len(moved) <= ENUMERATED_RANKS:
        return enumerated(np.sign(moved) * rankdata(size), alternative)
    return float(wilcoxon(moved, alternative=alternative, method="approx").pvalue)


def _with_the_same_queries(differences: Floats, weights: Floats | None) -> Iterator[list[int]]:
    """Yield the rows that have values for the same queries, together; rows without any never."""
    there = ~np.isnan(differences)
    if weights is not None:
        there &= weights > 0
    groups: dict[bytes, list[int]] = {}
    for row, has in enumerate(there):
        if has.any():
            groups.setdefault(np.packbits(has).tobytes(), []).append(row)
    yield from groups.values()
