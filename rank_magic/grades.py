"""Grades as small codes, so that measures look tables up instead of computing with grades."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE, NEGATIVE, UNJUDGED, Scale
from rank_magic.threads import PIECE, in_threads

__all__ = ["grade_codes", "with_levels"]

Floats = NDArray[np.float64]
Codes = NDArray[np.signedinteger[Any]]

# A code of one byte has room for so many whole grades on either side of 0.
MOST = 100
MISSING = -128
# So many first rows and so many grades are tried before all are counted.
FEW, FEW_LEVELS = 1000, 12
# Bytes are looked at in larger pieces: threads that take turns at tiny steps wait for each other.
BYTES = 4 * PIECE
# Each number of one byte, at the place that it has when it is read without a sign.
EVERY = np.arange(256, dtype=np.uint8).view(np.int8)


def grade_codes(grades: NDArray[Any], negative: str) -> tuple[Codes, Scale]:
    """Return the code of every row's grade, and the scale that tells what codes mean.

    Parameters
    ----------
    grades : array of float or int, shape (rows,)
        Grades, NaN where not judged; at least one is there.
    negative : {"unjudged", "nonrelevant"}
        What grades below 0 are.
    """
    small = _small(grades) if len(grades) > FEW else None
    if small is not None:
        levels = _levels(small)
        codes, kept = _codes_of(levels.astype(np.float64), negative)
        return _recoded(small, levels, codes), Scale(kept)
    found = np.unique(grades)
    codes, kept = _codes_of(found[~np.isnan(found)].astype(np.float64), negative)
    if len(codes) < len(found):
        codes = np.append(codes, UNJUDGED)
    kind = np.min_scalar_type(-FIRST_GRADE - len(codes))
    return np.asarray(codes.astype(kind)[np.searchsorted(found, grades)]), Scale(kept)


def _codes_of(levels: Floats, negative: str) -> tuple[Codes, Floats]:
    """Return the code of each distinct grade, and the grades that the scale keeps."""
    below = np.searchsorted(levels, 0)
    kept = levels[below:]
    if negative == "nonrelevant" and below:
        kept = np.union1d(kept, [0.0])
    codes = FIRST_GRADE + np.searchsorted(kept, levels)
    codes[:below] = FIRST_GRADE if negative == "nonrelevant" else NEGATIVE
    return codes, kept


def _small(grades: NDArray[Any]) -> NDArray[np.int8] | None:
    """Return grades as bytes, `MISSING` where there is none; None when they don't fit."""
    small = np.empty(len(grades), dtype=np.int8)
    whole = grades.dtype.kind in "iu"

    def fits(at: int) -> bool:
        piece, found = grades[at : at + PIECE], small[at : at + PIECE]
        if whole:
            np.copyto(found, piece, casting="unsafe")
            return int(piece.min()) >= -MOST and int(piece.max()) <= MOST
        with np.errstate(invalid="ignore"):  # what does not fit a byte is found out below
            np.copyto(found, piece, casting="unsafe")
        same, missing = found == piece, None
        if not same.all():
            missing = np.isnan(piece)
            found[missing] = 0
            same |= missing
        within = int(found.min()) >= -MOST and int(found.max()) <= MOST
        if missing is not None:
            found[missing] = MISSING
        return within and bool(same.all())

    return small if all(in_threads(fits, range(0, len(grades), PIECE))) else None


def _levels(small: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the distinct grades, ascending."""
    there = _occur(small[:FEW])
    usual = EVERY[there][:FEW_LEVELS]

    def others(at: int) -> NDArray[np.bool_] | None:
        # The grades that the first rows hold are looked for one by one, which is far faster
        # than counting all, and mostly there are no others.
        piece = small[at : at + BYTES]
        known = piece == MISSING
        for grade in usual:
            known |= piece == grade
        return None if known.all() else _occur(piece)

    for found in in_threads(others, range(FEW, len(small), BYTES)):
        if found is not None:
            there |= found
    there[MISSING] = False
    return np.sort(EVERY[there])


def _occur(small: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return for each of `EVERY` whether it is there."""
    return np.bincount(small.view(np.uint8), minlength=256) > 0


def _recoded(small: NDArray[np.int8], levels: NDArray[np.int8], codes: Codes) -> Codes:
    """Return the codes of grades that are bytes, in the same memory."""
    table = np.full(256, UNJUDGED, dtype=np.int8)
    table[levels] = codes
    steps = table[levels] - levels

    def recode(at: int) -> None:
        piece = small[at : at + BYTES]
        if len(steps) and (steps == steps[0]).all():
            # The usual grades, each one above the one before: far faster than a look-up.
            missing = piece == MISSING
            piece += steps[0]
            piece[missing] = UNJUDGED
        else:
            piece[:] = table[piece]

    for _ in in_threads(recode, range(0, len(small), BYTES)):
        pass
    return small


def with_levels(codes: Codes, scale: Scale, levels: Floats) -> tuple[Codes, Scale]:
    """Return codes and scale as they would be if the given grades occurred, too."""
    grades = np.union1d(scale.grades, levels)
    if len(grades) == len(scale.grades):
        return codes, scale
    moved = np.arange(scale.codes)
    moved[FIRST_GRADE:] = FIRST_GRADE + np.searchsorted(grades, scale.grades)
    fits = np.promote_types(codes.dtype, np.min_scalar_type(-FIRST_GRADE - len(grades)))
    return moved.astype(fits)[codes], Scale(grades)
