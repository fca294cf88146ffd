"""Tables whose columns have names: which of them plays which role, and whether it can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from rank_magic.columns import numbers
from rank_magic.errors import DataError, RankMagicError, listed
from rank_magic.formats.delimited import text_column
from rank_magic.formats.files import Stream
from rank_magic.roles import ROLE_NAMES, conventional

__all__ = ["as_pairs", "by_kind", "roles_of", "shortened"]


def shortened(names: Sequence[str]) -> list[str]:
    """Return names that are not too long to be listed in a message."""
    return [name if len(name) <= 40 else f"{name[:40]}..." for name in names]


def roles_of(names: Sequence[str], kind: str, stream: Stream) -> dict[str, str]:
    """Return the columns that play a role, all of those that are needed among them."""
    roles: dict[str, str] = {}
    for role in ROLE_NAMES:
        given = stream.roles.get(role)
        try:
            found = [given] if given is not None else conventional(role, names)
        except RankMagicError as error:
            raise DataError(f"{stream.name}: {error}") from None
        if found:
            roles[role] = str(found[0])
        if given is not None and given not in names:
            raise DataError(
                f"{stream.name} has no column {given!r}, but {listed(shortened(names))}."
            )
    needed = ["query", "doc", "grade" if kind == "qrels" else "score"]
    lacking = [role for role in needed if role not in roles]
    if lacking and not (lacking == ["score"] and "rank" in roles):
        raise DataError(
            f"{stream.name} has no column for the {lacking[0]}. Its columns are "
            f"{listed(shortened(names))}. "
            f"Say which one: {lacking[0]}='...'."
        )
    return roles


def as_pairs(frame: pd.DataFrame, kind: str, stream: Stream) -> pd.DataFrame:
    """Return a table with its ids as text, its numbers checked."""
    if not len(frame):
        raise DataError(f"{stream.name} holds no row.")
    roles = roles_of([str(name) for name in frame.columns], kind, stream)
    changed: dict[str, Any] = {}
    for role, name in roles.items():
        values = frame[name]
        try:
            if role in ("query", "doc"):
                changed[name] = _as_text(values, stream)
            elif role in ("grade", "score", "rank"):
                checked = numbers(values, role)
                if not pd.api.types.is_numeric_dtype(values.dtype):
                    changed[name] = checked
        except RankMagicError as error:
            raise DataError(f"{stream.name}: {error}") from None
    return frame.assign(**changed)


def _as_text(values: pd.Series[Any], stream: Stream) -> Any:
    missing = values.isna().to_numpy()
    if missing.any():
        row = int(np.flatnonzero(missing)[0]) + 1
        raise DataError(f"{stream.name}, row {row:,}: {values.name!r} is empty.")
    if isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(values.cat.categories.dtype)
    if pd.api.types.is_float_dtype(values.dtype):
        if not bool((values % 1 == 0).all()):
            raise DataError(f"{stream.name}: {values.name!r} has ids that are not whole numbers.")
        values = values.astype("int64")
    texts = values.astype(str) if pd.api.types.is_integer_dtype(values.dtype) else values
    cells = texts.tolist()
    wrong_ = next((cell for cell in cells if not isinstance(cell, str) or not cell), None)
    if wrong_ is not None:
        raise DataError(
            f"{stream.name}: {values.name!r} has an id that is no text: {wrong_!r:.60}."
        )
    return text_column([cells])


def by_kind(function: Any, *more: Any) -> dict[str, Any]:
    """Return the same reader for runs and for qrels."""
    return {
        f"read_{kind}": lambda stream, kind=kind: function(stream, kind, *more)
        for kind in ("run", "qrels")
    }
