"""Many small collections laid end to end, and whose each item is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.errors import DataError

__all__ = ["Flat", "as_ids", "flatten", "floats"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NUMBERS = (int, float, np.number, np.bool_)


def as_ids(items: NDArray[np.object_]) -> pd.Series[Any]:
    """Return objects as a column of ids, of the type that they all have."""
    return pd.Series(items).infer_objects()


@dataclass(frozen=True)
class Flat:
    """The items of many collections, end to end.

    Attributes
    ----------
    items : array of object, shape (items,)
    length : array of int, shape (collections,)
        How many items each collection has.
    """

    items: NDArray[np.object_]
    length: Ints

    @property
    def owner(self) -> Ints:
        """The number of the collection that each item comes from."""
        return np.repeat(np.arange(len(self.length)), self.length)

    @property
    def place(self) -> Ints:
        """The place of each item in its collection, from 0."""
        start = np.cumsum(self.length) - self.length
        return np.arange(len(self.items)) - np.repeat(start, self.length)

    def ids(self) -> pd.Series[Any]:
        """Return the items as a column of ids."""
        return as_ids(self.items)


def flatten(collections: Iterable[Collection[Any]], *, values: bool = False) -> Flat:
    """Lay collections end to end; of mappings the keys, or with `values` their values."""
    several = list(collections)
    length = np.fromiter(map(len, several), dtype=np.int64, count=len(several))
    parts: Iterable[Iterable[Any]] = several
    if values:
        parts = (part.values() for part in several if isinstance(part, Mapping))
    items = np.fromiter(chain.from_iterable(parts), dtype=object, count=int(length.sum()))
    return Flat(items, length)


def floats(flat: Flat, role: str, where: Callable[[int], str]) -> Floats:
    """Return items that must be numbers as float64; None is a missing one.

    Parameters
    ----------
    flat : Flat
        The items.
    role : str
        What they are, for the message.
    where : callable
        Takes the number of an item and says where it stands.

    Raises
    ------
    DataError
        If an item is no number, naming the first few.
    """
    kinds = set(map(type, flat.items))
    wrong = [kind for kind in kinds if not issubclass(kind, NUMBERS) and kind is not type(None)]
    if wrong:
        places = np.flatnonzero([type(item) in wrong for item in flat.items])
        examples = "; ".join(f"{flat.items[place]!r} ({where(int(place))})" for place in places[:3])
        raise DataError(
            f"A {role} must be a number, but {len(places):,} of {len(flat.items):,} are not: "
            f"{examples}. Convert them first, such as with float()."
        )
    return flat.items.astype(np.float64)
