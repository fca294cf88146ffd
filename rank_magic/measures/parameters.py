"""A measure's parameters: declared, checked, and written so that they read back."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rank_magic.conventions import is_number, is_whole
from rank_magic.discounts import discount_name, resolve_discount
from rank_magic.errors import MeasureError, listed
from rank_magic.gains import gain_name, resolve_gain

__all__ = [
    "SMALLEST",
    "check_declared",
    "finite",
    "parameter",
    "plain_value",
    "within",
    "written",
]

# The lower end of parameters that must lie above 0.
SMALLEST = 1e-9


def parameter(
    default: Any,
    doc: str,
    *,
    choices: Sequence[str] = (),
    low: float = -math.inf,
    high: float = math.inf,
    kind: str = "",
) -> Any:
    """Declare a measure's parameter.

    Parameters
    ----------
    default
        Its value when not given. None means that the convention of the same name decides.
    doc : str
        What it is, in a few words.
    choices : sequence of str
        The words it may be, when it is a word.
    low, high : float
        The range it must lie in, both included, when it is a number.
    kind : {"", "whole", "gain", "satisfaction", "discount"}
        A whole number, or one of the kinds that may be names, tables, curves or functions.
    """
    metadata = {"doc": doc, "choices": tuple(choices), "low": low, "high": high, "kind": kind}
    return dataclasses.field(default=default, metadata=metadata)


def within(low: float, high: float) -> str:
    """Return the range of a number in words; empty when there is no limit."""
    least = "above 0" if low == SMALLEST else f"of at least {low:g}" if low > -math.inf else ""
    if high == math.inf:
        return least
    if high == 1 - SMALLEST:
        return f"{least} and below 1"
    return f"{least} and at most {high:g}" if low == SMALLEST else f"from {low:g} to {high:g}"


def check_declared(cls: Any) -> None:
    """Raise when a parameter was not declared by `parameter`."""
    for field in dataclasses.fields(cls):
        if "kind" not in field.metadata:
            raise MeasureError(
                f"Declare {cls.__name__}'s {field.name} so that it can be read and checked: "
                f"{field.name}: {field.type} = rank_magic.parameter({field.default!r}, "
                f"'what it is')."
            )


def plain_value(measure: Any, field: dataclasses.Field[Any], value: Any) -> Any:
    """Return a parameter's value in its plain form, or say what is wrong with it."""
    if value is None and field.default is None:
        return None
    of, about = f"{measure.name}'s {field.name}", field.metadata
    if about["kind"] == "gain":
        resolve_gain(value)
        return _numbers(of, value)
    if about["kind"] == "discount":
        resolve_discount(value)
        return _numbers(of, value)
    if about["kind"] == "satisfaction" and not isinstance(value, str):
        if callable(value) or isinstance(value, Mapping):
            return _numbers(of, value)
        raise MeasureError(f"{of} must be a name, a table or a function, not {value!r}.")
    if about["choices"]:
        if value not in about["choices"]:
            raise MeasureError(f"{of} must be one of {listed(about['choices'])}, not {value!r}.")
        return value
    whole = about["kind"] == "whole"
    inside = finite(value) and about["low"] <= float(value) <= about["high"]
    if not inside or (whole and not is_whole(value)):
        limits = f"{'whole ' if whole else ''}number {within(about['low'], about['high'])}"
        raise MeasureError(f"{of} must be a {limits.strip()}, not {value!r}.")
    return int(value) if is_whole(value) else float(value)


def finite(value: Any) -> bool:
    """Return whether value is a finite number."""
    return is_number(value) and math.isfinite(value)


def _numbers(of: str, value: Any) -> Any:
    """Return a name or function as it is; a table or curve in plain form, if of numbers only."""
    if isinstance(value, str) or callable(value):
        return value
    plain = dict(value) if isinstance(value, Mapping) else tuple(value)
    numbers = [*plain, *plain.values()] if isinstance(plain, dict) else plain
    wrong = [number for number in numbers if not finite(number)]
    if wrong:
        raise MeasureError(f"{of} must consist of numbers, not {wrong[0]!r}.")
    return dict(sorted(plain.items())) if isinstance(plain, dict) else plain


def written(value: Any, kind: str) -> str:
    """Return a parameter's value as it stands in a measure's name."""
    if kind in ("gain", "satisfaction"):
        return gain_name(value)
    if kind == "discount":
        return discount_name(value)
    return str(value)
