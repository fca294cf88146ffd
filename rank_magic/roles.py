"""Which column plays which role."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from rank_magic.errors import ColumnError, DataError, did_you_mean, listed

__all__ = [
    "ROLE_NAMES",
    "Roles",
    "conventional",
    "find_given",
    "find_roles",
    "names_of",
]

# Conventional names by role: those in the first tuple win over those in the second.
ROLE_NAMES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "query": (("query_id", "qid", "q_id", "topic_id", "search_id"), ("query", "topic")),
    "doc": (
        ("doc_id", "docid", "docno", "item_id", "product_id"),
        ("doc", "document", "item", "product"),
    ),
    "grade": ((), ("grade", "relevance", "rel", "label", "rating", "judgment", "judgement")),
    "score": ((), ("score", "prediction")),
    "rank": ((), ("rank", "position")),
    "system": ((), ("system", "run")),
    "subtopic": ((), ("subtopic",)),
    # Said by keyword only: a product has a weight, too, and so may a segment be anything's.
    "segment": ((), ()),
    "weight": ((), ()),
}
NEEDED = ("query", "grade")
APART = " If judgments stand in a table of their own, give it: qrels=judgments."
SEVERAL = ("query", "score", "segment")
# What has these roles may have another one, too, such as the system.
SHARED = ("query", "segment")


@dataclass(frozen=True, kw_only=True)
class Roles:
    """The columns that play each role.

    Attributes
    ----------
    query : tuple of column names
        One column, or several that name a query together.
    grade : column name
    score : tuple of column names
        One column per system; empty when rows are ordered otherwise.
    doc, rank, system, subtopic : column name or None
    segment : tuple of column names
        What results are broken down by; the same in all rows of a query.
    weight : column name or None
        What a query counts in means; the same in all rows of a query.
    by_rows : bool
        Whether rows stand in ranked order, so that neither score nor rank is needed.
    """

    query: tuple[Hashable, ...]
    grade: Hashable
    score: tuple[Hashable, ...] = ()
    doc: Hashable | None = None
    rank: Hashable | None = None
    system: Hashable | None = None
    subtopic: Hashable | None = None
    segment: tuple[Hashable, ...] = ()
    weight: Hashable | None = None
    by_rows: bool = False

    def columns(self) -> list[Hashable]:
        """Return every column used, each once."""
        used: list[Hashable] = []
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name != "by_rows":
                used += value if isinstance(value, tuple) else [value]
        return list(dict.fromkeys(name for name in used if name is not None))


def find_roles(
    frame: pd.DataFrame,
    *,
    order: str | None = None,
    **given: Hashable | Sequence[Hashable] | None,
) -> Roles:
    """Find the column of each role by the names given, else by conventional names.

    Parameters
    ----------
    frame : DataFrame
        The rows. A named index level counts as a column.
    order : {"rows"}, optional
        Rows stand in ranked order; no score or rank is looked for.
    **given
        Column names by role. ``query``, ``score`` and ``segment`` may be lists.

    Returns
    -------
    Roles

    Raises
    ------
    ColumnError
        If a needed role has no column, several candidates, or one that does not exist.
    """
    _check_frame(frame)
    if order not in (None, "rows"):
        raise ColumnError(f"order={order!r} is not a choice. The only one is order='rows'.")
    if order == "rows" and (given.get("score") is not None or given.get("rank") is not None):
        raise ColumnError(
            "order='rows' says that rows stand in ranked order; a score or a rank says otherwise. "
            "Give one of them only."
        )
    unknown = given.keys() - ROLE_NAMES.keys()
    if unknown:
        raise TypeError(f"There is no role {listed(unknown)}; roles are {listed(ROLE_NAMES)}.")
    columns, levels = names_of(frame.columns), _levels(frame)
    names = [*columns, *levels]
    said = {
        role: _given(role, chosen, names) for role, chosen in given.items() if chosen is not None
    }
    if said:
        roles = _settled(columns, levels, order, **said)
    else:
        roles = _settled_by_names(columns, levels, order)
    if not (roles.score or roles.rank is not None or roles.by_rows):
        _no_order(frame, roles)
    return roles


def _settled(
    columns: tuple[Hashable, ...],
    levels: tuple[Hashable, ...],
    order: str | None,
    **said: list[Hashable],
) -> Roles:
    """Return what is said of some roles with the others by conventional names."""
    names, by_rows = [*columns, *levels], order == "rows"
    found: dict[str, Any] = dict(said)
    # A score in a column called "system" is a score, and does not say whose it is.
    claimed = [name for role in said if role not in SHARED for name in said[role]]
    free = [name for name in names if name not in claimed] if claimed else names
    for role in ROLE_NAMES:
        if role not in found and not (by_rows and role in ("score", "rank")):
            found[role] = conventional(role, names if role in NEEDED else free)
            if found[role] is None and role in NEEDED:
                raise ColumnError(
                    f"No column for the {role}. Columns are {listed(names)}. "
                    f"Say which one: {role}={names[0]!r}." + (APART if role == "grade" else "")
                )
    for role, chosen in found.items():
        _check_single(role, chosen or (), columns, levels)
    single: dict[str, Any] = {role: (chosen or [None])[0] for role, chosen in found.items()}
    single.update({role: tuple(found.get(role) or ()) for role in SEVERAL})
    return Roles(by_rows=by_rows, **single)


@lru_cache(maxsize=64)  # frames of the same columns are evaluated again and again
def _settled_by_names(
    columns: tuple[Hashable, ...], levels: tuple[Hashable, ...], order: str | None
) -> Roles:
    return _settled(columns, levels, order)


def find_given(
    frame: pd.DataFrame, role: str, chosen: Hashable | Sequence[Hashable]
) -> list[Hashable]:
    """Return the columns given for one role, each of them checked to be there, and once."""
    columns, levels = names_of(frame.columns), _levels(frame)
    found = _given(role, chosen, [*columns, *levels])
    _check_single(role, found, columns, levels)
    return found


class _Names:
    """The names of columns as a tuple; those that were asked for last are at hand."""

    def __init__(self) -> None:
        self._last: tuple[Callable[[], Any], tuple[Hashable, ...]] = (lambda: None, ())

    def __call__(self, columns: pd.Index[Any]) -> tuple[Hashable, ...]:
        of, names = self._last
        if of() is not columns:  # an Index never changes
            names = tuple(columns)
            self._last = (weakref.ref(columns), names)
        return names


names_of = _Names()


def _levels(frame: pd.DataFrame) -> tuple[Hashable, ...]:
    """Return the names of the index levels that have one."""
    return tuple(name for name in frame.index.names if name is not None)


def _check_single(
    role: str,
    chosen: Iterable[Hashable],
    columns: Sequence[Hashable],
    levels: Sequence[Hashable],
) -> None:
    for name in chosen:
        number = columns.count(name)
        # set_index(..., drop=False) leaves one thing in two places; the column is read.
        if number > 1 or (number == 0 and levels.count(name) > 1):
            raise ColumnError(
                f"There are {number + levels.count(name)} columns called {name!r}, which is the "
                f"{role}. Rename or drop all but one."
            )


def _given(
    role: str, chosen: Hashable | Sequence[Hashable], names: Sequence[Hashable]
) -> list[Hashable]:
    """Return the columns given for a role, checked to exist."""
    if isinstance(chosen, (pd.Index, pd.Series, np.ndarray)):
        chosen = list(chosen)
    if not isinstance(chosen, (list, tuple)) or (isinstance(chosen, tuple) and chosen in names):
        return [_existing(chosen, role, names)]
    several = [_existing(name, role, names) for name in chosen]
    if role not in SEVERAL:
        raise ColumnError(f"The {role} is one column, not {listed(several)}.")
    if not several:
        raise ColumnError(f"The list of columns for the {role} is empty.")
    return several


def _check_frame(frame: Any) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise DataError(
            f"A pandas DataFrame with a row per query and document is needed, not "
            f"{type(frame).__name__}."
        )
    if isinstance(frame.columns, pd.MultiIndex):
        raise ColumnError(
            f"The columns are a MultiIndex with {frame.columns.nlevels} levels. Flatten them: "
            f"frame.columns = ['_'.join(map(str, names)) for names in frame.columns]."
        )
    if len(frame) == 0:
        raise DataError("The frame has no rows, so there is nothing to evaluate.")


def _existing(name: Hashable, role: str, names: Sequence[Hashable]) -> Hashable:
    if name not in names:
        raise ColumnError(
            f"There is no column {name!r} for the {role}. Columns are {listed(names)}."
            f"{did_you_mean(str(name), map(str, names))}"
        )
    return name


def conventional(role: str, names: Sequence[Hashable]) -> list[Hashable] | None:
    """Return the one column whose name is conventional for a role; None when there is none."""
    found = _conventional(role, tuple(names))
    return None if found is None else list(found)


@lru_cache(maxsize=256)  # the same columns are asked about nine times, and again in the next call
def _conventional(role: str, names: tuple[Hashable, ...]) -> list[Hashable] | None:
    for standing in ROLE_NAMES[role]:
        candidates = [name for name in names if str(name).lower() in standing]
        distinct = list(dict.fromkeys(candidates))
        if len(distinct) > 1:
            raise ColumnError(
                f"More than one column could be the {role}: {listed(distinct)}. "
                f"Say which one: {role}={distinct[0]!r}."
            )
        if distinct:
            return distinct
    return None


def _no_order(frame: pd.DataFrame, roles: Roles) -> None:
    taken = roles.columns()
    numeric = [
        name
        for place, name in enumerate(frame.columns)
        if name not in taken and pd.api.types.is_numeric_dtype(frame.dtypes.iloc[place])
    ]
    raise ColumnError(
        "No score and no rank, so there is no ranking. "
        + (
            f"Numeric columns are {listed(numeric)}. Say which one: score={numeric[0]!r}; "
            f"several are several systems: score=[...]."
            if numeric
            else f"Columns are {listed(frame.columns)}, none of them numeric and free."
        )
        + " If rows stand in ranked order, say order='rows'."
    )
