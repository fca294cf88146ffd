"""Numbers whose sums are exact, so that no order of adding them up changes a bit.

Matrix products add in an order that depends on shapes, on the processor and on threads. Whole
numbers below 2^53 they add exactly; so what is summed is first written as whole multiples of a
power of two. Of a row's largest number the first 40 bits are kept (fewer when there are more than
4,096 to a row), twelve digits.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["on_grid"]

Floats = NDArray[np.float64]

KEPT_BITS = 40
EXACT_BITS = 52  # one less than a float holds, so that sums may be doubled
LEAST_EXPONENT = -900  # units of smaller numbers would themselves be too small for a float


def on_grid(numbers: Floats) -> tuple[Floats, Floats]:
    """Return the rows of numbers as whole multiples of each row's unit, and the units.

    A row depends on nothing but itself, and the negative of a row becomes the negative.

    Parameters
    ----------
    numbers : array of float, shape (rows, columns)
        None of them missing.

    Returns
    -------
    whole : array of float, shape (rows, columns)
        Whole numbers: any sum over a row, with weights that add up to the number of columns, is
        exact.
    unit : array of float, shape (rows,)
        A power of two.
    """
    columns = numbers.shape[1]
    bits = min(KEPT_BITS, EXACT_BITS - math.ceil(math.log2(max(columns, 2))))
    _, exponent = np.frexp(np.abs(numbers).max(axis=1, initial=0.0))
    shift = bits - np.maximum(exponent, LEAST_EXPONENT)
    return np.rint(np.ldexp(numbers, shift[:, None])), np.ldexp(1.0, -shift)
