"""Tukey's honestly significant differences by randomisation: all pairs of systems at once."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rank_magic.progress import report
from rank_magic.significance.exact import on_grid
from rank_magic.threads import in_threads

__all__ = ["tukey_hsd"]

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

BLOCK_CELLS = 1 << 18  # resamples times queries times systems in a block
PERMUTATIONS = 2  # tells its random numbers from those of the other tests
ROUNDING = 1e-9


def tukey_hsd(values: Floats, *, resamples: int, seed: int) -> Floats:
    """Return the p-value of every pair of systems by every measure, for all of them together.

    If systems do not differ, each query's values may stand under any system. Under random
    permutations of them, query by query, the widest gap between the means of two systems is
    compared with the gap of each pair. With several measures it is the widest gap of any measure,
    each in units of its own spread within queries.

    Parameters
    ----------
    values : array of float, shape (systems, measures, queries)
        None missing.
    resamples : int
        How many permutations.
    seed : int
        Of the random numbers.

    Returns
    -------
    array of float, shape (systems, systems, measures)

    References
    ----------
    Carterette, Multiple testing in statistical analysis of systems-based information retrieval
    experiments, ACM TOIS 30(1), 2012, algorithm 1.
    """
    systems, measures, _ = values.shape
    # The order of systems must not matter: they are taken in the order of their values.
    order = np.lexsort(values.reshape(systems, -1).T[::-1])
    whole, unit = _wholes(values[order])
    means = whole.sum(axis=2) * unit  # shape (systems, measures)
    gaps = np.empty((systems, systems, measures))
    gaps[np.ix_(order, order)] = np.abs(means[:, None] - means[None])
    widest = np.concatenate(list(_widest(whole, unit, resamples, seed)))
    widest.sort()
    below = np.searchsorted(widest, gaps * (1 - ROUNDING), side="left")
    return np.asarray((resamples - below + 1.0) / (resamples + 1.0), dtype=np.float64)


def _wholes(values: Floats) -> tuple[Floats, Floats]:
    """Return values as whole numbers, and by measure the unit in terms of its spread."""
    systems, measures, queries = values.shape
    rows = values.transpose(1, 2, 0).reshape(measures, -1)
    whole, _ = on_grid(rows)
    centred = whole.reshape(measures, queries, systems)
    centred = centred - centred.mean(axis=2, keepdims=True)
    spread = np.sqrt([math.fsum(row) for row in (centred**2).reshape(measures, -1)])
    with np.errstate(divide="ignore"):
        scale = np.where(spread > 0, 1.0 / spread, 0.0)
    return whole.reshape(measures, queries, systems).transpose(2, 0, 1), scale


def _widest(whole: Floats, unit: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield, block by block, the widest gap between two means under each permutation."""
    systems, measures, queries = whole.shape
    flat = np.ascontiguousarray(whole.transpose(1, 2, 0)).reshape(measures, -1)
    size = max(1, BLOCK_CELLS // (queries * systems))

    def work(first: int) -> Floats:
        number = min(size, resamples - first)
        places = _permutations(seed, first, number * queries, systems)
        places = places.reshape(number, queries, systems)
        places += systems * np.arange(queries)[:, None]
        gap = np.zeros(number)
        for of_measure, scale in zip(flat, unit.tolist(), strict=True):
            sums = of_measure[places].sum(axis=1)
            gap = np.maximum(gap, (sums.max(axis=1) - sums.min(axis=1)) * scale)
        return gap

    report(more=resamples)
    for gap in in_threads(work, range(0, resamples, size), cells=resamples * queries * systems):
        report(done=len(gap))
        yield gap


def _permutations(seed: int, block: int, number: int, systems: int) -> Ints:
    """Return random permutations, one in a row (Fisher and Yates, all rows side by side)."""
    rng = np.random.default_rng([seed, PERMUTATIONS, block])
    # Kept transposed, so that a column of places is contiguous.
    places = np.repeat(np.arange(systems, dtype=np.intp)[:, None], number, axis=1)
    each = np.arange(number)
    for last in range(systems - 1, 0, -1):
        other = rng.integers(last + 1, size=number)
        taken = places[other, each]
        places[other, each] = places[last]
        places[last] = taken
    return np.ascontiguousarray(places.T)
