"""Values of measures that have no closed form over tied orders: averages over drawn orders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from rank_magic.blocks import Block
from rank_magic.errors import MeasureError
from rank_magic.measures.base import Floats, Measure

__all__ = ["ORDERS", "contributions", "value"]

ORDERS = 1000


def value(measure: Measure, block: Block) -> tuple[Floats, Floats | None]:
    """Return each ranking's value, and the standard error of those that were drawn.

    Parameters
    ----------
    measure : Measure
        The measure.
    block : Block
        Rankings side by side.

    Returns
    -------
    value : array of float, shape (queries,)
    error : array of float, shape (queries,), or None
        None when every value is exact.
    """
    value = partial(_finite, measure)
    if block.ties is None or measure.exact_over_ties(block):
        return value(block), None
    found, error = value(block.settled()), np.zeros(block.queries)
    at = np.flatnonzero(block.mixed())
    if len(at):
        found[at], error[at] = _over_orders(value, block.take(at))
    return found, error


def _finite(measure: Measure, block: Block) -> Floats:
    """Return each ranking's value, or say which is none."""
    found = measure.value(block)
    if not np.isfinite(found).all():
        raise MeasureError(
            f"{measure} gave {found[~np.isfinite(found)][0]} for a ranking, which is no value. "
            f"Contributions must be finite numbers, 0 where a rank adds nothing."
        )
    return found


def contributions(measure: Measure, block: Block) -> Floats:
    """Return each rank's contribution, averaged over drawn orders where no closed form is."""
    if block.ties is None or measure.exact_over_ties(block):
        return measure.contributions(block)
    width = block.width(measure.k)

    def padded(settled: Block) -> Floats:
        given = measure.contributions(settled)
        return np.pad(given, ((0, 0), (0, max(0, width - given.shape[1]))))

    return _over_orders(padded, block)[0]


def _over_orders(function: Callable[[Block], Floats], block: Block) -> tuple[Floats, Floats]:
    """Return the mean of a function of settled blocks over drawn orders, and its error."""
    first = function(block.shuffled(0))
    total, squares = np.zeros_like(first), np.zeros_like(first)
    for number in range(ORDERS):
        # Differences from the first order: a function that does not vary stays exact.
        difference = function(block.shuffled(number)) - first
        total += difference
        squares += difference**2
    mean = total / ORDERS
    variance = np.maximum(squares / ORDERS - mean**2, 0.0) / (ORDERS - 1)
    return first + mean, np.sqrt(variance)
