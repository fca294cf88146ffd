"""A column's values as plain arrays: numbers, and ids as whole numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.errors import DataError, listed

__all__ = ["column", "combined", "ids", "numbers", "plain", "stored_numbers"]


def column(frame: pd.DataFrame, name: Hashable) -> pd.Series[Any]:
    """Return a column, or a named index level, as a Series."""
    if name in frame.columns:
        return frame[name]
    return frame.index.get_level_values(name).to_series(index=frame.index)


def stored_numbers(values: pd.Series[Any], role: str) -> NDArray[Any]:
    """Return a column's numbers, whole ones as they are stored, others as `numbers` does."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iu":
        return values.to_numpy()
    return numbers(values, role)


def numbers(values: pd.Series[Any], role: str) -> NDArray[np.float64]:
    """Return a column's numbers as float64, missing ones as NaN, sharing memory if possible.

    Raises
    ------
    DataError
        If the column holds text, dates or anything else that is not a number.
    """
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind == "f":
        return values.to_numpy().astype(np.float64, copy=False)
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        return _exact(values.to_numpy(), role)
    if isinstance(dtype, np.dtype) and dtype.kind == "b":
        return values.to_numpy().astype(np.float64)
    if pd.api.types.is_bool_dtype(dtype) or (
        pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype)
    ):
        if pd.api.types.is_integer_dtype(dtype):
            kind = np.uint64 if "u" in str(dtype).lower() else np.int64
            there = values.notna().to_numpy()
            whole = np.full(len(values), np.nan)
            whole[there] = _exact(values[there].to_numpy(dtype=kind), role)
            return whole
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return _from_objects(values, role)


def _exact(whole: NDArray[np.integer[Any]], role: str) -> NDArray[np.float64]:
    """Return whole numbers as float64 in the same order, none of them merged.

    Beyond 2^53 floats can't tell neighbours apart: such numbers are replaced by their standing,
    which is all that counts of a score or rank. A grade and a weight keep their size.
    """
    large = role not in ("grade", "weight") and whole.dtype.itemsize > 4 and len(whole) > 0
    if large and max(abs(int(whole.min())), abs(int(whole.max()))) > 2**53:
        return np.unique(whole, return_inverse=True)[1].astype(np.float64)
    return whole.astype(np.float64)


def _from_objects(values: pd.Series[Any], role: str) -> NDArray[np.float64]:
    """Read a column of objects or categories that are all numbers."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        categories = numbers(pd.Series(values.cat.categories, name=values.name), role)
        return np.append(categories, np.nan)[values.cat.codes.to_numpy()]
    objects = values.to_numpy(dtype=object)
    missing = pd.isna(objects)
    wrong = [
        place
        for place in np.flatnonzero(~missing)
        if isinstance(objects[place], (str, bytes)) or not hasattr(objects[place], "__float__")
    ]
    if wrong:
        examples = [
            f"{objects[place]!r} in row {plain(values.index[place])!r}" for place in wrong[:3]
        ]
        raise DataError(
            f"The {role} column {values.name!r} must hold numbers, but {len(wrong):,} of its "
            f"{len(values):,} values are not: {', '.join(examples)}. Convert it first, such as "
            f"with pd.to_numeric(frame[{values.name!r}])."
        )
    numbers_ = np.full(len(objects), np.nan)
    numbers_[~missing] = [float(value) for value in objects[~missing]]
    return numbers_


def ids(values: pd.Series[Any], role: str) -> NDArray[np.int64]:
    """Return whole numbers that are equal where the ids are, and only there.

    Whole-number columns are returned as they are; others are numbered by first appearance.

    Raises
    ------
    DataError
        If an id is missing.
    """
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "iub":
        whole = values.to_numpy()
        return whole.view(np.int64) if dtype == np.uint64 else whole.astype(np.int64, copy=False)
    if isinstance(dtype, pd.CategoricalDtype):
        codes = values.cat.codes.to_numpy().astype(np.int64)
    else:
        codes = np.asarray(pd.factorize(values)[0], dtype=np.int64)
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        rows = [plain(values.index[place]) for place in missing[:3]]
        number = "1 row has" if len(missing) == 1 else f"{len(missing):,} rows have"
        raise DataError(
            f"{number} no {role} id in {values.name!r}, such as row {listed(rows)}. Drop such "
            f"rows: frame.dropna(subset=[{values.name!r}])."
        )
    return codes


def plain(value: Any) -> Any:
    """Return a numpy scalar as Python's own, which prints as it was written."""
    return value.item() if isinstance(value, np.generic) else value


def combined(codes: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return whole numbers that are equal where all of the given ones are."""
    first, *others = codes
    for other in others:
        dense = [np.asarray(pd.factorize(part)[0], dtype=np.int64) for part in (first, other)]
        first = dense[0] * (int(dense[1].max(initial=0)) + 1) + dense[1]
    return first
