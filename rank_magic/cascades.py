"""Where a reader ends who goes down equal scores: exact expectations over their orders."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.ties import Ties, exclusive_product, sequential_sum

__all__ = ["stops", "sure_stops"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]

# What remains of the reader's attention below this is dropped: 2^-80 of it cannot move the
# last bit of a value.
NEGLIGIBLE = 2.0**-80
CHUNK_CELLS = 1 << 18
# With so many different chances to stop, documents are no longer brought together by chance.
FEW_KINDS = 8


def sure_stops(ties: Ties, stop: NDArray[np.bool_], held: Ints, width: int) -> Floats:
    """Return the probability that a reader ends at each of the first cells.

    Some documents end the reading surely, the others not at all. At the j-th place of a
    group of n that holds m of them the reader stands before one with chance m / (n − j).

    Parameters
    ----------
    stop : array of bool, shape of the block
        Which documents end the reading.
    held : array of int, shape (groups,)
        How many of them each group holds.
    width : int
        How many columns are wanted. Those that nobody reaches are left out.
    """
    width = _reached(ties, stop, held, width)
    hazard = stop[:, :width].astype(np.float64)
    span = ties.span(width)
    chance = span.spread(held) / (span.spread(ties.size) - span.place)
    span.write(hazard, np.minimum(chance, 1.0))
    return hazard * exclusive_product(1.0 - hazard)


def _reached(ties: Ties, stop: NDArray[np.bool_], held: Ints, width: int) -> int:
    """Return how many of the first columns hold all but a negligible part of the endings."""
    column = stop.argmax(axis=1)
    row = np.flatnonzero(stop[np.arange(len(stop)), column])
    first = row * stop.shape[1] + column[row]
    group = np.maximum(np.searchsorted(ties.first, first, side="right") - 1, 0)
    size = ties.size[group]
    tied = (ties.first[group] <= first) & (first < ties.first[group] + size)
    # The chance to find none in j places is at most that of as many draws with replacement.
    missing = np.clip(1.0 - held[group] / size, NEGLIGIBLE, 1.0 - 2.0**-53)
    places = np.minimum(size, 1 + np.ceil(math.log(NEGLIGIBLE) / np.log(missing)))
    end = np.where(tied, ties.column[group] + places, column[row] + 1)
    return min(width, int(end.max(initial=1)))


def stops(ties: Ties, stop: Floats, table: Floats, width: int) -> Floats:
    """Return the probability that a cascade ends at each of the first cells.

    The reader goes down and ends at a document with the probability `stop`. See `_graded`.

    Parameters
    ----------
    stop : array of float, shape of the block
        The probability of each document.
    table : array of float
        The probabilities that there are.
    width : int
        How many columns are wanted.
    """
    kinds = np.unique(table[table > 0])[::-1]
    lowest, highest = stop.ravel()[ties.first + ties.size - 1], stop.ravel()[ties.first]
    reach = exclusive_product(1.0 - stop[:, :width])
    ends = stop[:, :width] * reach
    inside = np.flatnonzero((ties.column < width) & (lowest != highest))
    before = reach[ties.row[inside], ties.column[inside]]
    groups, before = inside[before > 0], before[before > 0]
    order = np.argsort(ties.size[groups], kind="stable")
    groups, before = groups[order], before[order]
    while len(groups):
        cells = ties.size[groups] * np.arange(1, len(groups) + 1)
        end = max(1, int(np.searchsorted(cells, CHUNK_CELLS)))
        _graded(ties, ends, stop.ravel(), kinds, before[:end], groups[:end])
        groups, before = groups[end:], before[end:]
    return ends


def _graded(
    ties: Ties, ends: Floats, stop: Floats, kinds: Floats, before: Floats, groups: Ints
) -> None:
    """Write the expected endings of groups whose documents stop with various chances.

    Let E_i be the mean product of (1 − stop) over i distinct stopping documents of the
    group (an elementary symmetric mean), and let the number i of stopping documents seen
    be a draw without replacement. Then the reader ends at the next place with probability
    reach · Σ_i P(i seen) · (m − i) / (n − j) · (E_i − E_{i+1}). All terms are positive, so
    that nothing cancels. Cost: places · min(m, places, i at which E_i < 2^-80).
    """
    first, size = ties.first[groups], ties.size[groups]
    width = ends.shape[1]
    start = ties.row[groups] * width + ties.column[groups]
    places = np.minimum(size, width - ties.column[groups])
    cell = np.arange(size.max())
    inside = cell < size[:, None]
    chance = np.where(inside, stop[np.where(inside, first[:, None] + cell, 0)], 0.0)
    number = np.count_nonzero(chance > 0, axis=1)
    mean = _means(chance, number, kinds, _useful(chance, number, int(places.max())))
    drop = np.where(mean[:-1] > NEGLIGIBLE, mean[:-1] - mean[1:], 0.0)
    used = int(np.flatnonzero(drop.any(axis=1)).max(initial=0)) + 1
    drop = drop[:used]
    unseen = np.maximum(number - np.arange(used)[:, None], 0)
    seen = np.zeros((used, len(groups)))
    seen[0] = 1.0
    for place in range(int(places.max())):
        left = np.maximum(size - place, 1)
        step = seen * (unseen / left)
        end = sequential_sum((step * drop).T)
        at = place < places
        ends.ravel()[start[at] + place] = before[at] * end[at]
        seen *= np.maximum(left - unseen, 0) / left
        seen[1:] += step[:-1]


def _useful(chance: Floats, number: Ints, places: int) -> int:
    """Return how many stopping documents may be met before no attention is left.

    By Maclaurin's inequality E_i is at most E_1 to the power of i.
    """
    mean = 1.0 - chance.sum(axis=1) / np.maximum(number, 1)
    most = float(mean[number > 0].max(initial=0.0))
    if most <= 0.0:
        return 1
    return min(places, 2 + int(math.log(NEGLIGIBLE) / math.log(most))) if most < 1.0 else places


def _means(chance: Floats, number: Ints, kinds: Floats, longest: int) -> Floats:
    """Return the mean product of (1 − chance) over i distinct stopping documents, for i from 0.

    Parameters
    ----------
    chance : array of float, shape (groups, places)
        What each document of each group stops with.
    number : array of int, shape (groups,)
        How many of them stop at all.
    kinds : array of float
        The chances that there are, the highest first.
    longest : int
        Largest i wanted.

    Returns
    -------
    array of float, shape (min(longest, most) + 2, groups)
        Zero where i exceeds the number of documents that stop.
    """
    if len(kinds) > FEW_KINDS:
        return _symmetric_means(1.0 - (-np.sort(-chance, axis=1)).T, number, longest)
    rows = min(longest, int(number.max(initial=0))) + 2
    mean, together = np.zeros((rows, len(number))), np.zeros(len(number), dtype=np.int64)
    mean[0] = 1.0
    for kind in kinds:
        more = np.count_nonzero(chance == kind, axis=1)
        if more.any():
            mean = _brought_together(mean, together, 1.0 - kind, more)
            together += more
    return mean


def _brought_together(mean: Floats, number: Ints, factor: float, more: Ints) -> Floats:
    """Return the mean products over i of `number` factors and `more` that are all equal.

    How many of i drawn factors are among the equal ones is a draw without replacement.
    """
    of_equal = np.power(factor, np.arange(len(mean)))[:, None]
    merged, drawn = np.zeros_like(mean), np.zeros_like(mean)
    merged[0] = drawn[0] = 1.0
    count = np.arange(len(mean))[:, None]
    for i in range(1, len(mean)):
        left = np.maximum(number + more - (i - 1), 1)
        equal = drawn[:i] * (np.maximum(more - count[:i], 0) / left)
        drawn[:i] *= np.maximum(number - (i - 1) + count[:i], 0) / left
        drawn[1 : i + 1] += equal
        merged[i] = np.add.reduce(drawn[: i + 1] * of_equal[: i + 1] * mean[i::-1], axis=0)
    return merged


def _symmetric_means(factors: Floats, number: Ints, longest: int) -> Floats:
    """Return the mean product over i distinct factors, for i from 0.

    Parameters
    ----------
    factors : array of float, shape (most, groups)
        Factors of each group, the first `number` of them.
    number : array of int, shape (groups,)
        How many factors each group has.
    longest : int
        Largest i wanted.

    Returns
    -------
    array of float, shape (min(longest, most) + 2, groups)
        Zero where i exceeds the number of factors.
    """
    most = int(number.max(initial=0))
    mean = np.zeros((min(longest, most) + 2, len(number)))
    mean[0] = 1.0
    chosen = np.arange(1, len(mean))[:, None]
    for t in range(1, most + 1):
        # The t-th factor is among i chosen out of t with probability i / t.
        share = np.minimum(chosen / t, 1.0)
        grown = mean[1:] * (1.0 - share) + mean[:-1] * (share * factors[t - 1])
        grown[t:] = 0.0
        mean[1:] = np.where(t <= number, grown, mean[1:])
    return mean
