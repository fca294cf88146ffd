"""What names on the line stand for, and frames of every form as the one that is measured."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
from IPython.core.error import UsageError
from pandas.core.groupby.generic import DataFrameGroupBy

from rank_magic.errors import did_you_mean, listed
from rank_magic.roles import ROLE_NAMES, Roles, find_roles

__all__ = ["as_columns", "frame_names", "is_rankings", "look_up", "one_frame"]


def look_up(text: str, namespace: Mapping[str, Any]) -> Any:
    """Return what an expression of names, attributes and items stands for; nothing is called.

    Raises
    ------
    UsageError
        If it is anything else, or stands for nothing.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise UsageError(
            f"{text!r} is not a name. The line takes a name, an attribute or an item, such as "
            f'shop, runs.best or runs["best"].'
        ) from None
    return _value(tree, namespace)


def _value(node: ast.expr, namespace: Mapping[str, Any]) -> Any:
    written = ast.unparse(node)
    if isinstance(node, ast.Name):
        if node.id in namespace:
            return namespace[node.id]
        frames = frame_names(namespace)
        known = f" Frames here: {', '.join(frames)}." if frames else ""
        raise UsageError(
            f"There is nothing called {node.id!r}.{did_you_mean(node.id, namespace)}{known}"
        )
    if isinstance(node, ast.Attribute):
        owner = _value(node.value, namespace)
        try:
            return getattr(owner, node.attr)
        except AttributeError:
            raise UsageError(
                f"{ast.unparse(node.value)} has no attribute {node.attr!r}."
                f"{did_you_mean(node.attr, dir(owner))}"
            ) from None
    if isinstance(node, ast.Subscript):
        owner = _value(node.value, namespace)
        try:
            key = ast.literal_eval(node.slice)
        except ValueError:
            raise _too_much(written) from None
        try:
            return owner[key]
        except (LookupError, TypeError) as error:
            raise UsageError(_no_item(ast.unparse(node.value), owner, key, error)) from None
    raise _too_much(written)


def _too_much(written: str) -> UsageError:
    return UsageError(
        f"{written} is more than a name, an attribute or an item. Put it into the body of a "
        f"cell: %%rankeval, and below it the expression."
    )


def _no_item(written: str, owner: Any, key: Any, error: Exception) -> str:
    if not isinstance(owner, Mapping):
        return f"{written}[{key!r}] can't be had: {type(error).__name__}: {error}"
    known = [name for name in owner if isinstance(name, str)]
    advice = did_you_mean(str(key), known)
    return f"{written} has no item {key!r}.{advice} It has {listed(owner)}."


def is_rankings(value: Any) -> bool:
    """Return whether something may be measured as it is."""
    if isinstance(value, dict):
        return bool(value) and all(isinstance(frame, pd.DataFrame) for frame in value.values())
    return isinstance(value, (pd.DataFrame, DataFrameGroupBy))


def frame_names(namespace: Mapping[str, Any]) -> list[str]:
    """Return the names that stand for frames, hidden ones aside."""
    return [
        name for name, value in namespace.items() if not name.startswith("_") and is_rankings(value)
    ]


def one_frame(found: Any, options: dict[str, Any], where: str) -> tuple[Any, dict[str, Any]]:
    """Return what was named as one frame, and the options that go with it.

    A dict of frames becomes a frame with a system column.

    Raises
    ------
    UsageError
        If it is no frame.
    """
    if isinstance(found, Mapping) and options.get("qrels") is not None:
        return found, options  # runs, brought together when the judgments are attached
    if isinstance(found, Mapping):
        return _together(found, options, where)
    if not isinstance(found, (pd.DataFrame, DataFrameGroupBy)):
        what = "None" if found is None else f"a {type(found).__name__}"
        raise UsageError(f"{where} {what}, not a DataFrame with a row per query and document.")
    return found, options


def _together(
    frames: Mapping[Hashable, Any], options: dict[str, Any], where: str
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return frames below one another, a system column naming each."""
    for name, frame in frames.items():
        if not isinstance(frame, pd.DataFrame):
            raise UsageError(
                f"{where} a dict of frames, but {name!r} is a {type(frame).__name__}. Each must "
                f"be a DataFrame."
            )
    if not frames:
        raise UsageError(f"{where} a dict without a frame in it. Give it one for each system.")
    if options.get("system") is not None:
        raise UsageError(
            "The names in the dict are the systems, so there is nothing for --system to name."
        )
    first, *others = frames
    target = find_roles(frames[first], **as_columns(frames[first], _roles(options)))
    parts = [frames[first]]
    for name in others:
        found = find_roles(frames[name], **as_columns(frames[name], _roles(options)))
        parts.append(_renamed(frames[name], found, target))
    column = "system"
    while any(column in part.columns or column in part.index.names for part in parts):
        column = f"{column}_"
    # As categories, so that systems stand in the order of the dict.
    names = list(frames)
    parts = [
        part.assign(**{column: pd.Categorical([name] * len(part), categories=names)})
        for name, part in zip(names, parts, strict=True)
    ]
    unnamed = all(part.index.names == [None] for part in parts)
    together = pd.concat(parts, ignore_index=unnamed)
    roles = {
        role: value
        for role in ROLE_NAMES
        if role != "system" and (value := _plain(getattr(target, role))) is not None
    }
    return together, {**options, **roles, "system": column}


def _roles(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in (*ROLE_NAMES, "order")}


def _plain(value: Any) -> Any:
    """Return the columns of a role as one gives them: one by itself, several as a list."""
    if isinstance(value, tuple):
        return list(value) if len(value) > 1 else value[0] if value else None
    return value


def _renamed(frame: pd.DataFrame, found: Roles, target: Roles) -> pd.DataFrame:
    """Return a frame whose columns are called as those of the same role in the first frame."""
    pairs = [
        pair
        for role in ROLE_NAMES
        for pair in zip(_tuple(getattr(found, role)), _tuple(getattr(target, role)), strict=False)
    ]
    names = {mine: theirs for mine, theirs in pairs if mine != theirs and mine in frame.columns}
    clash = [name for name in names.values() if name in frame.columns and name not in names]
    return frame.drop(columns=clash).rename(columns=names)


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else () if value is None else (value,)


def as_columns(frame: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return options with columns that are not called by text told by how they are written."""
    if isinstance(frame, Mapping):
        return options
    columns = getattr(frame, "obj", frame).columns
    if all(isinstance(name, str) for name in columns):
        return options
    by_text = {str(name): name for name in columns}

    def column(name: Any) -> Any:
        return name if name in columns else by_text.get(name, name)

    return {
        name: [column(part) for part in value]
        if isinstance(value, list)
        else column(value)
        if isinstance(value, str)
        else value
        for name, value in options.items()
    }
