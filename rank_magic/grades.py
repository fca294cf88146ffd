"""Grades as small codes, so that measures look tables up instead of computing with grades."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE, NEGATIVE, UNJUDGED, Scale
from rank_magic.threads import in_threads

__all__ = ["grade_codes", "with_levels"]

Floats = NDArray[np.float64]
Codes = NDArray[np.signedinteger[Any]]

# Grades are looked at in pieces that stay in a core's cache.
PIECE = 1 << 18
# Whole grades within so many steps of each other fit a code of one byte.
STEPS = 100


def grade_codes(grades: Floats, negative: str) -> tuple[Codes, Scale]:
    """Return the code of every row's grade, and the scale that tells what codes mean.

    Parameters
    ----------
    grades : array of float, shape (rows,)
        Grades, NaN where not judged; at least one is there.
    negative : {"unjudged", "nonrelevant"}
        What grades below 0 are.
    """
    low, high = float(np.fmin.reduce(grades)), float(np.fmax.reduce(grades))
    whole = _whole(grades, low, high) if high - low < STEPS and low.is_integer() else None
    if whole is None:
        levels, number = np.unique(grades, return_inverse=True)
        levels = np.asarray(levels[~np.isnan(levels)], dtype=np.float64)
        codes: Codes = np.asarray(FIRST_GRADE + number).astype(
            np.int16 if len(levels) < 2**15 - 4 else np.int32
        )
        codes[codes == FIRST_GRADE + len(levels)] = UNJUDGED
    else:
        codes, present = whole
        levels = np.asarray(low + np.flatnonzero(present[FIRST_GRADE:]), dtype=np.float64)
        if len(levels) <= high - low:
            moved = np.arange(len(present))
            moved[FIRST_GRADE:] = FIRST_GRADE - 1 + np.cumsum(present[FIRST_GRADE:])
            codes = moved.astype(codes.dtype)[codes]
    if low >= 0:
        return codes, Scale(levels)
    kept = np.union1d(levels[levels >= 0], [0.0] if negative == "nonrelevant" else [])
    moved = np.arange(FIRST_GRADE + len(levels))
    below = np.searchsorted(levels, 0.0)
    moved[FIRST_GRADE : FIRST_GRADE + below] = (
        FIRST_GRADE if negative == "nonrelevant" else NEGATIVE
    )
    moved[FIRST_GRADE + below :] = FIRST_GRADE + np.searchsorted(kept, levels[below:])
    return moved.astype(codes.dtype)[codes], Scale(kept)


def _whole(grades: Floats, low: float, high: float) -> tuple[Codes, NDArray[np.bool_]] | None:
    """Return the codes of whole grades from `low` to `high`, and which of the codes occur.

    None when some grades are not whole.
    """
    codes = np.empty(len(grades), dtype=np.int8)
    present = np.zeros(FIRST_GRADE + int(high - low) + 1, dtype=bool)

    def fill(at: int) -> bool:
        shifted = grades[at : at + PIECE] + (FIRST_GRADE - low)
        missing = np.isnan(shifted)
        if missing.any():
            shifted[missing] = UNJUDGED
        piece = shifted.astype(np.int8)
        codes[at : at + PIECE] = piece
        if not present[FIRST_GRADE:].all():
            present[piece] = True
        return bool((piece == shifted).all())

    whole = all(in_threads(fill, range(0, len(grades), PIECE)))
    return (codes, present) if whole else None


def with_levels(codes: Codes, scale: Scale, levels: Floats) -> tuple[Codes, Scale]:
    """Return codes and scale as they would be if the given grades occurred, too."""
    grades = np.union1d(scale.grades, levels)
    if len(grades) == len(scale.grades):
        return codes, scale
    moved = np.arange(scale.codes)
    moved[FIRST_GRADE:] = FIRST_GRADE + np.searchsorted(grades, scale.grades)
    fits = np.promote_types(codes.dtype, np.min_scalar_type(-FIRST_GRADE - len(grades)))
    return moved.astype(fits)[codes], Scale(grades)
