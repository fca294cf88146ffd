"""The randomisation test and the bootstrap, for many pairs of systems on the same resamples.

Every pair and measure meets the same random signs and the same resamples of queries, a block of
them as one matrix product. What a block draws depends on the seed and its number alone, and sums
are exact (see `exact`), so that a pair's p-value depends on the pair, the seed and the number of
resamples: not on the pairs beside it, their order, or threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rank_magic.progress import report
from rank_magic.significance.exact import on_grid
from rank_magic.significance.power import LEVEL
from rank_magic.significance.sample import mean, spread
from rank_magic.threads import in_threads

__all__ = ["Resampled", "beyond", "resample"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Signs are enumerated where that takes no more than so many sums, or than were asked for.
ENUMERATED = 1 << 12
BLOCK_CELLS = 1 << 20  # resamples times queries in a block
CHUNK_CELLS = 1 << 24  # pairs times queries, and pairs times resamples, held at a time
SIGNS, QUERIES = 0, 1  # tell the two streams of random numbers apart
ROUNDING = 1e-9  # relative: statistics that differ by less are the same


@dataclass(frozen=True)
class Resampled:
    """What resampling says of each row of differences.

    Attributes
    ----------
    randomisation, bootstrap : array of float, shape (rows,)
        p-values.
    half : array of float, shape (rows,)
        Half the width of the bootstrap's 95 % interval around the mean; NaN where more than 5 % of
        the resamples have no spread.
    """

    randomisation: Floats
    bootstrap: Floats
    half: Floats


def resample(
    flipped: Floats, drawn: Floats, resamples: int, seed: int, alternative: str
) -> Resampled:
    """Test each row of differences for a mean of 0.

    Parameters
    ----------
    flipped, drawn : array of float, shape (rows, queries)
        The differences, none missing: those whose signs are flipped, and those that are redrawn.
        They are the same unless queries have weights.
    resamples : int
        How many.
    seed : int
        Of the random numbers.
    alternative : {"two-sided", "greater", "less"}
        What the mean is if it is not 0.

    Notes
    -----
    The randomisation test compares the mean with the means under random signs, which every query
    bears alike if the systems do not differ; where all signs of the differences that are not 0 can
    be gone through, they are. The bootstrap compares the t statistic with its own, around the mean
    found, in resamples of queries (Sakai 2006): its interval and its two-sided p-value say the
    same. A random p-value counts what was observed among the resamples, so that it is never 0.

    References
    ----------
    Phipson and Smyth, Permutation p-values should never be zero, Statistical Applications in
    Genetics and Molecular Biology 9, 2010. Sakai, Evaluating evaluation metrics based on the
    bootstrap, SIGIR 2006. Hall, The Bootstrap and Edgeworth Expansion, 1992, chapter 3 (the
    symmetric percentile-t interval).
    """
    rows, queries = flipped.shape
    found = Resampled(*(np.full(rows, np.nan) for _ in range(3)))
    size = max(1, min(rows, CHUNK_CELLS // max(queries, resamples)))
    blocks = _blocks(resamples, queries)
    chunks = [slice(first, first + size) for first in range(0, rows, size)]
    report(more=len(chunks) * resamples)
    for chunk in chunks:
        found.randomisation[chunk] = 0.0
        t = np.empty((len(flipped[chunk]), resamples))
        work = _worked(flipped[chunk], drawn[chunk], blocks, seed, alternative)
        for block, extreme, of_block in work:
            found.randomisation[chunk] += extreme
            t[:, block.start : block.stop] = of_block
            report(done=len(block))
        found.randomisation[chunk] = (found.randomisation[chunk] + 1.0) / (resamples + 1.0)
        _enumerate(flipped[chunk], found.randomisation[chunk], resamples, alternative)
        found.bootstrap[chunk], found.half[chunk] = _studentised(drawn[chunk], t, alternative)
    return found


def _blocks(resamples: int, queries: int) -> list[range]:
    size = max(1, BLOCK_CELLS // queries)
    return [range(first, min(first + size, resamples)) for first in range(0, resamples, size)]


def _worked(
    flipped: Floats, drawn: Floats, blocks: list[range], seed: int, alternative: str
) -> Iterator[tuple[range, Ints, Floats]]:
    """Yield for each block how many of its means are as extreme, and its t statistics."""
    queries = flipped.shape[1]
    whole, _ = on_grid(flipped)
    total = whole.sum(axis=1)
    deviation, unit = on_grid(drawn - np.array([[mean(row)] for row in drawn]))
    square, square_unit = on_grid((deviation * unit[:, None]) ** 2)

    def work(block: range) -> tuple[range, Ints, Floats]:
        signs = _signs(seed, block.start, len(block), queries)
        # With 0 and 1 for the signs a sum is half of what it is with -1 and 1, and of the total.
        sums = 2.0 * (signs @ whole.T) - total
        extreme = np.count_nonzero(beyond(sums, total, alternative, queries), axis=0)
        number = _drawn(seed, block.start, len(block), queries)
        t = _t(number @ deviation.T * unit, number @ square.T * square_unit, queries)
        return block, extreme, t.T

    yield from in_threads(work, blocks, cells=flipped.size * len(blocks))


def beyond(
    sums: Floats, observed: Floats | float, alternative: str, tolerance: float
) -> NDArray[np.bool_]:
    """Return which sums are at least as extreme as the one observed."""
    if alternative == "greater":
        return sums >= observed - tolerance
    if alternative == "less":
        return sums <= observed + tolerance
    return np.abs(sums) >= np.abs(observed) - tolerance


def _signs(seed: int, block: int, resamples: int, queries: int) -> Floats:
    """Return random signs, as 0 and 1."""
    rng = np.random.default_rng([seed, SIGNS, block])
    width = -(-queries // 8)
    drawn = np.frombuffer(rng.bytes(resamples * width), dtype=np.uint8)
    return np.unpackbits(drawn.reshape(resamples, width), axis=1, count=queries).astype(np.float64)


def _drawn(seed: int, block: int, resamples: int, queries: int) -> Floats:
    """Return how often each query is drawn, in resamples of as many queries as there are."""
    rng = np.random.default_rng([seed, QUERIES, block])
    number = np.empty((resamples, queries))
    for row, drawn in zip(number, rng.integers(queries, size=number.shape), strict=True):
        row[:] = np.bincount(drawn, minlength=queries)
    return number


def _t(total: Floats, squares: Floats, queries: int) -> Floats:
    """Return t statistics from sums of deviations and of their squares; infinite without spread."""
    average = total / queries
    around = np.maximum(squares - total * average, 0.0)
    # What is left where all that was drawn is equal is rounding.
    around[around <= ROUNDING * squares] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = average / np.sqrt(around / (queries * max(queries - 1.0, 1.0)))
    t[np.isnan(t)] = 0.0
    return t


def _studentised(drawn: Floats, t: Floats, alternative: str) -> tuple[Floats, Floats]:
    """Return the bootstrap's p-values, and half the width of its intervals."""
    rows, queries = drawn.shape
    p, half = np.full(rows, np.nan), np.full(rows, np.nan)
    resamples = t.shape[1]
    cut = int(LEVEL * (resamples + 1))
    for row, (values, of_row) in enumerate(zip(drawn, t, strict=True)):
        error = spread(values) / math.sqrt(queries)
        if not error > 0:
            continue
        observed = mean(values) / error
        extreme = beyond(of_row, observed, alternative, ROUNDING * abs(observed))
        p[row] = (np.count_nonzero(extreme) + 1.0) / (resamples + 1.0)
        if cut:
            critical = np.partition(np.abs(of_row), resamples - cut)[resamples - cut]
            half[row] = critical * error if np.isfinite(critical) else np.nan
    return p, half


# All signs, where they are few.


def _enumerate(differences: Floats, p: Floats, resamples: int, alternative: str) -> None:
    """Replace the p-values of the rows whose signs can all be gone through."""
    most = max(ENUMERATED, resamples)
    for row, values in enumerate(differences):
        moved = values[values != 0]
        if len(moved) <= 60 and 1 << len(moved) <= most:
            p[row] = enumerated(moved, alternative)


def enumerated(values: Floats, alternative: str) -> float:
    """Return the share of all signs of the values with which their sum is as extreme."""
    if not len(values):
        return 1.0
    whole, _ = on_grid(values[None])
    sums = np.zeros(1)
    for number in whole[0]:
        sums = np.concatenate([sums + number, sums - number])
    return float(np.mean(beyond(sums, sums[:1], alternative, len(values))))
