"""Ids of two tables as whole numbers that are equal where the ids are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import ids, plain
from rank_magic.errors import DataError, listed
from rank_magic.threads import PIECE, in_threads

__all__ = [
    "Numbered",
    "changes",
    "decoded",
    "kind_of",
    "mixed",
    "number_ids",
    "numbers_of_ids",
    "refuse_missing",
]

Ints = NDArray[np.signedinteger[Any]]
Words = NDArray[np.uint64]

ODD = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: spreads neighbours far apart
LENGTHS = np.uint64(0xC2B2AE3D27D4EB4F)
SHIFT = np.uint64(29)
WORD = 8  # bytes
# Which bits of a word count, by how many of its bytes belong to the text.
COUNTED = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)


class Numbered(NamedTuple):
    """The ids of one column as numbers.

    Attributes
    ----------
    take : callable
        Returns the numbers of some rows, given as a slice or by their numbers, as uint64.
    fresh : callable
        Returns for each row but the first whether its id differs from that of the row before.
    """

    take: Callable[[slice | Ints], Words]
    fresh: Callable[[], NDArray[np.bool_]]


def kind_of(values: pd.Series[Any]) -> str:
    """Return what ids are: "text", "numbers", or pandas' word for anything else."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return kind_of(pd.Series(dtype.categories))
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_numeric_dtype(dtype):
        return "numbers"
    if pd.api.types.is_object_dtype(dtype):
        found = pd.api.types.infer_dtype(values, skipna=True)
        whole = {"integer", "floating", "mixed-integer-float", "decimal", "boolean"}
        return "text" if found == "string" else "numbers" if found in whole else found
    found = pd.api.types.infer_dtype(values.iloc[:1000], skipna=True)
    return "text" if found in ("string", "empty") else found


def number_ids(
    values: pd.Series[Any], among: pd.Series[Any], *, exact: bool = False
) -> tuple[Numbered, Numbered]:
    """Return the ids of two columns as numbers, so that equal ids have equal numbers.

    Parameters
    ----------
    values, among : Series
        The ids. Those of `values` that `among` does not hold may share a number.
    exact : bool, default=False
        Whether different ids must have different numbers. If not, they have in practice.

    Returns
    -------
    tuple of Numbered
        One for each column.
    """
    if not exact:
        for read in (_whole, _texts):
            pair = read(values), read(among)
            if pair[0] is not None and pair[1] is not None:
                return pair[0], pair[1]
    known = pd.Index(pd.unique(decoded(among).astype(object)), dtype=object)
    return _coded(known, values), _coded(known, among)


def numbers_of_ids(values: pd.Series[Any], role: str) -> Ints:
    """Return whole numbers that are equal where the ids are; others are equal in no practice.

    Raises
    ------
    DataError
        If an id is missing.
    """
    read = _read(values)
    if read is None:
        return ids(values, role)
    numbers = np.empty(len(values), dtype=np.uint64)

    def fill(at: int) -> None:
        numbers[at : at + PIECE] = read.take(slice(at, at + PIECE))

    for _ in in_threads(fill, range(0, len(values), PIECE)):
        pass
    return numbers.view(np.int64)


def changes(values: pd.Series[Any]) -> NDArray[np.bool_] | None:
    """Return for each row but the first whether its id differs from that of the row before.

    None when that can't be told without numbering all ids.
    """
    read = _read(values)
    return None if read is None else read.fresh()


def _read(values: pd.Series[Any]) -> Numbered | None:
    """Return text by its fingerprints, categories by theirs; None for other or missing ids."""
    if isinstance(values.dtype, np.dtype) and values.dtype.kind in "iub":
        return None  # they are numbers already
    if values.isna().any():
        return None
    whole = isinstance(values.dtype, pd.CategoricalDtype) and _whole(values)
    return whole or _texts(values)


def mixed(numbers: Sequence[Words]) -> Words:
    """Return one number for each row from several of it, spread over all 64 bits."""
    key = numbers[0] * ODD
    for more in numbers[1:]:
        key ^= key >> SHIFT
        key += more
        key *= ODD
    key ^= key >> SHIFT
    key *= LENGTHS
    return key


def refuse_missing(values: pd.Series[Any], role: str, table: str) -> None:
    """Raise when an id is missing."""
    missing = np.flatnonzero(values.isna().to_numpy())
    if len(missing):
        rows = [plain(values.index[place]) for place in missing[:3]]
        number = "1 row has" if len(missing) == 1 else f"{len(missing):,} rows have"
        raise DataError(
            f"{number} no {role} id in {values.name!r} of the {table}, such as row "
            f"{listed(rows)}. Drop such rows: {table} = {table}.dropna(subset=[{values.name!r}])."
        )


def _whole(values: pd.Series[Any]) -> Numbered | None:
    """Return whole numbers as they are; None when the column holds something else."""
    dtype = values.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _by_category(values, _whole)
    if pd.api.types.is_bool_dtype(dtype) or pd.api.types.is_integer_dtype(dtype):
        unsigned = "u" in str(dtype).lower()
        return _given(values.to_numpy(dtype=np.uint64 if unsigned else np.int64))
    if pd.api.types.is_float_dtype(dtype):
        # Where an id was missing once, pandas made the others floats.
        floats = values.to_numpy(dtype=np.float64)
        if bool(np.all((np.abs(floats) < 2.0**53) & (np.trunc(floats) == floats))):
            return _given(floats.astype(np.int64))
    return None


def _given(codes: NDArray[np.integer[Any]]) -> Numbered:
    words = codes.view(np.uint64)
    return Numbered(words.__getitem__, lambda: words[1:] != words[:-1])


def _by_category(
    values: pd.Series[Any], read: Callable[[pd.Series[Any]], Numbered | None]
) -> Numbered | None:
    """Return a categorical column by the numbers of its categories."""
    numbered = read(pd.Series(values.cat.categories))
    if numbered is None:
        return None
    table, codes = numbered.take(slice(None)), values.cat.codes.to_numpy()
    return Numbered(lambda rows: table[codes[rows]], lambda: codes[1:] != codes[:-1])


def _coded(known: pd.Index[Any], values: pd.Series[Any]) -> Numbered:
    """Return ids by the places that they have among the known ones."""
    return _given(known.get_indexer(decoded(values).astype(object)).astype(np.int64))


def decoded(values: pd.Series[Any]) -> pd.Series[Any]:
    """Return a categorical column as a plain one."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return values.astype(values.cat.categories.dtype)
    return values


def _texts(values: pd.Series[Any]) -> Numbered | None:
    """Return text by its fingerprints; None when the column holds something else."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return _by_category(values, _texts)
    if pd.api.types.is_numeric_dtype(values.dtype) or find_spec("pyarrow") is None:
        return None
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        array = pa.array(values.array, type=pa.large_string())
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        array = array.cast(pa.large_string())  # where it was a dictionary
    except (pa.ArrowException, TypeError, ValueError):  # not text, or not only
        return None
    _, where, data = array.buffers()
    end = np.frombuffer(where, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    # Words are read at every byte, so some bytes must follow the last one.
    size = int(end[-1]) if len(end) else 0
    text = memoryview(data if data is not None else b"")
    if len(text) < size + WORD:
        text = memoryview(bytes(text[:size]) + bytes(WORD))
    words = np.ndarray((size + 1,), dtype="<u8", buffer=text, strides=(1,))

    def fresh() -> NDArray[np.bool_]:
        differ = pc.not_equal(array.slice(1), array.slice(0, max(len(array) - 1, 0)))
        return differ.to_numpy(zero_copy_only=False)

    return Numbered(lambda rows: _fingerprints(words, end[:-1][rows], end[1:][rows]), fresh)


def _fingerprints(words: Words, start: Ints, end: Ints) -> Words:
    """Return a number for each text: its length and its bytes, eight at a time, mixed."""
    length = end - start
    key = length.astype(np.uint64) * LENGTHS
    shortest = int(length.min()) if len(length) else 0
    for done in range(0, int(length.max(initial=0)), WORD):
        rows: Any = slice(None) if done < shortest else np.flatnonzero(length > done)
        word = words[start[rows] + done]
        if done + WORD > shortest:
            word &= COUNTED[np.minimum(length[rows] - done, WORD)]
        word ^= key[rows]
        word *= ODD
        word ^= word >> SHIFT
        key[rows] = word
    return key
