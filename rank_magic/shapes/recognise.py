"""What somebody has, told by its form, as a frame of a row per document."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from rank_magic.errors import DataError, listed
from rank_magic.roles import ROLE_NAMES, conventional
from rank_magic.shapes.dicts import from_dicts, from_dicts_of_lists
from rank_magic.shapes.list_columns import has_lists
from rank_magic.shapes.lists import from_lists

__all__ = ["as_qrels", "as_run"]


def as_run(data: Any, *, query: Hashable | None = None) -> Any:
    """Return rankings as a frame of a row per query and document.

    Parameters
    ----------
    data : DataFrame or mapping
        - a frame of a row per document, which is returned as it is;
        - a frame of a row per query with lists in it, see `from_lists`;
        - ``{query: {doc: score}}``, as pytrec_eval and ranx have it;
        - ``{query: [doc, ...]}``, the best document first;
        - ``{name: any of these}``, several systems, which get a ``system`` column.

        Anything else is returned as it is, for those who know what to do with it.
    query : column name, optional
        The query of a frame with lists.
    """
    if isinstance(data, pd.DataFrame):
        # A MultiIndex of columns is for others to refuse.
        lists = not isinstance(data.columns, pd.MultiIndex) and has_lists(data)
        return from_lists(data, query=query) if lists else data
    if isinstance(data, Mapping):
        return _mapping(data, "score")
    return data


def as_qrels(data: Any) -> Any:
    """Return judgments as a frame of a row per query and document.

    Parameters
    ----------
    data : DataFrame or mapping
        A frame, ``{query: {doc: grade}}``, or ``{query: [doc, ...]}`` of the relevant documents.
    """
    return _mapping(data, "grade") if isinstance(data, Mapping) else data


def _mapping(data: Mapping[Any, Any], role: str) -> pd.DataFrame:
    """Return a dict of any known form as a frame."""
    form = _form(data)
    if form == "numbers":
        return from_dicts(data, role)
    if form == "lists":
        return from_dicts_of_lists(data, role)
    if form == "systems" and role == "score":
        return _systems(data)
    wanted = (
        "{query: {doc: score}}, {query: [doc, ...]} with the best first, or {name: run} for "
        "several systems"
        if role == "score"
        else "{query: {doc: grade}} or {query: [doc, ...]} of the relevant ones"
    )
    key = next(iter(data), None)
    example = f"; here {key!r} holds {data[key]!r:.60}" if data else "; here it is empty"
    advice = ""
    if form == "columns":
        advice = " These look like the columns of a frame: pass pd.DataFrame(...) of them."
    raise DataError(
        f"A dict must be {wanted}{example}.{advice} A DataFrame with a row per query and document "
        f"will always do."
    )


def _form(data: Mapping[Any, Any]) -> str:
    """Return what a dict holds, told by its first entry that holds anything."""
    first = next((inner for inner in data.values() if _has_length(inner)), None)
    names = {name for standings in ROLE_NAMES.values() for names in standings for name in names}
    if isinstance(first, pd.DataFrame):
        return "systems"
    if isinstance(first, Mapping):
        inner = next(iter(first.values()))
        nested = isinstance(inner, (Mapping, list, tuple, np.ndarray, set))
        return "systems" if nested else "numbers"
    if isinstance(first, (list, tuple, np.ndarray, set)):
        columns = sum(str(key).lower() in names for key in data) > 1
        return "columns" if columns else "lists"
    return "columns" if isinstance(first, pd.Series) else "unknown"


def _has_length(inner: Any) -> bool:
    return hasattr(inner, "__len__") and len(inner) > 0


def _systems(runs: Mapping[Any, Any]) -> pd.DataFrame:
    """Return several runs below one another, told apart by a system column."""
    frames = {name: as_run(run) for name, run in runs.items()}
    wrong = [name for name, frame in frames.items() if not isinstance(frame, pd.DataFrame)]
    if wrong:
        raise DataError(
            f"A dict of systems must hold a run each, but {wrong[0]!r} holds "
            f"{type(frames[wrong[0]]).__name__}. A run is a frame, {{query: {{doc: score}}}} or "
            f"{{query: [doc, ...]}}."
        )
    first = next(iter(frames.values()))
    parts = [_with_names_of(first, frame, name) for name, frame in frames.items()]
    whole = pd.concat(parts, ignore_index=True)
    length = [len(part) for part in parts]
    codes = np.repeat(np.arange(len(parts)), length)
    return whole.assign(system=pd.Categorical.from_codes(codes, categories=list(frames)))


def _with_names_of(first: pd.DataFrame, frame: pd.DataFrame, name: Hashable) -> pd.DataFrame:
    """Return a run whose columns are called as the first one's are; its name is its system."""
    if any(level is not None for level in frame.index.names):
        frame = frame.reset_index()
    given = conventional("system", list(frame.columns))
    if given is not None:
        if frame[given[0]].nunique(dropna=False) > 1:
            raise DataError(
                f"The run {name!r} holds several systems by its column {given[0]!r}. Give each "
                f"of them its own entry, or pass that frame alone."
            )
        frame = frame.drop(columns=given)
    names = {}
    for role in ROLE_NAMES:
        ours = conventional(role, list(first.columns))
        theirs = conventional(role, list(frame.columns))
        if role != "system" and ours and theirs and ours != theirs:
            names[theirs[0]] = ours[0]
    lacking = {
        role
        for role in ("query", "score", "rank")
        if (conventional(role, list(first.columns)) is None)
        != (conventional(role, list(frame.columns)) is None)
    }
    if lacking:
        raise DataError(
            f"The runs do not have the same columns: {name!r} has {listed(frame.columns)}, the "
            f"first one {listed(first.columns)}. Give all of them a query, a doc and a score, or "
            f"all of them a rank."
        )
    return frame.rename(columns=names)
