"""What a grade is worth.

A gain turns a grade into the value of the document that carries it. It is given by name, as a
table ``{grade: gain}``, or as a function of one grade. Gains are evaluated once per distinct
grade, never per document, so that a plain Python function costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rank_magic.errors import MeasureError, did_you_mean, listed

__all__ = ["GAINS", "Gain", "gain_name", "gain_table", "register_gain"]

Gain: TypeAlias = str | Mapping[float, float] | Callable[[float], float]


def exp2(grade: float) -> float:
    """Return 2^grade − 1, the gain of web search: each grade outweighs all below it.

    References
    ----------
    Burges et al., Learning to rank using gradient descent, ICML 2005, section 6.
    """
    try:
        return math.exp2(grade) - 1.0
    except OverflowError:
        return math.inf


def linear(grade: float) -> float:
    """Return the grade itself, as Järvelin and Kekäläinen (2002) and trec_eval do."""
    return grade


def binary(grade: float) -> float:
    """Return 1 for every grade of 1 or more, else 0."""
    return 1.0 if grade >= 1 else 0.0


GAINS: dict[str, Gain] = {"exp2": exp2, "linear": linear, "binary": binary}


def register_gain(name: str, gain: Gain) -> None:
    """Give a gain of your own a name, so that it can be written as ``nDCG(gain=name)@10``.

    Parameters
    ----------
    name : str
        An identifier, such as ``"shop"``. The names that ship can't be replaced.
    gain : mapping or callable
        A table ``{grade: gain}`` or a function of one grade.

    Examples
    --------
    >>> import rank_magic as rm
    >>> rm.register_gain("shop", {0: 0, 1: 1, 2: 3, 3: 10})
    >>> rm.parse("nDCG(gain=shop)@10")
    nDCG(gain=shop)@10
    """
    if not name.isidentifier():
        raise MeasureError(f"A gain's name must be an identifier, not {name!r}.")
    if name in ("exp2", "linear", "binary"):
        raise MeasureError(f"{name!r} is a gain that ships; choose another name for yours.")
    GAINS[name] = gain


def gain_name(gain: Gain) -> str:
    """Return how a gain is written in a measure's name."""
    if isinstance(gain, str):
        return gain
    if isinstance(gain, Mapping):
        pairs = (f"{plain(key)}: {plain(value)}" for key, value in gain.items())
        return "{" + ", ".join(pairs) + "}"
    return name_of(gain, GAINS)


def name_of(function: Callable[..., Any], named: Mapping[str, Any]) -> str:
    """Return a function's name, in brackets where something else is called so."""
    name = getattr(function, "__name__", repr(function))
    return name if named.get(name, function) is function else f"<{name}>"


def plain(number: float) -> str:
    """Write a number so that it reads back as the same number, without a needless '.0'."""
    return f"{number:g}" if float(f"{number:g}") == number else repr(float(number))


def resolve_gain(gain: Gain) -> Mapping[float, float] | Callable[[float], float]:
    """Return the table or function behind a gain, looking a name up."""
    if isinstance(gain, str):
        if gain not in GAINS:
            raise MeasureError(
                f"No gain is called {gain!r}. Known are {listed(GAINS)}; a table "
                f"{{grade: gain}} or a function will do too.{did_you_mean(gain, GAINS)}"
            )
        return resolve_gain(GAINS[gain])
    if isinstance(gain, Mapping) or callable(gain):
        return gain
    raise MeasureError(
        f"A gain is a name ({listed(GAINS)}), a table {{grade: gain}} or a function, "
        f"not {type(gain).__name__}."
    )


def number_from(what: str, function: Callable[..., Any], *given: float) -> float:
    """Return the number that somebody's function gives, or say what it gives instead."""
    call = f"{what} of {listed(given)}"
    try:
        found = function(*given)
    except TypeError as error:
        raise MeasureError(
            f"{call} can't be worked out: {error}. It must be a function of {len(given)} "
            f"{'number' if len(given) == 1 else 'numbers'}."
        ) from error
    try:
        return float(found)
    except (TypeError, ValueError):
        raise MeasureError(f"{call} must be a number, and is {found!r}.") from None


def gain_table(gain: Gain, grades: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each of the given grades is worth.

    Parameters
    ----------
    gain : str, mapping or callable
        The gain. A table without an entry for grade 0 has 0 there.
    grades : array of float, shape (n,)
        Distinct grades, none missing.

    Returns
    -------
    array of float, shape (n,)

    Raises
    ------
    MeasureError
        If a table lacks a grade, or a gain is negative, missing or too large for a float.
    """
    worth = resolve_gain(gain)
    if isinstance(worth, Mapping):
        worth = {0.0: 0.0, **worth}
        lacking = [float(grade) for grade in grades if float(grade) not in worth]
        if lacking:
            raise MeasureError(
                f"The gain table has no entry for the grades {listed(lacking)}. "
                f"It covers {listed(worth)}: add them."
            )
        values = [float(worth[float(grade)]) for grade in grades]
    else:
        values = [
            number_from(f"The gain {gain_name(gain)!r}", worth, float(grade)) for grade in grades
        ]
    table = np.array(values, dtype=np.float64)
    wrong = ~(np.isfinite(table) & (table >= 0))
    if wrong.any():
        grade = float(grades[wrong][0])
        advice = " Use gain='linear' for grades as large as these." if gain == "exp2" else ""
        raise MeasureError(
            f"The gain {gain_name(gain)!r} of grade {grade:g} is {table[wrong][0]:g}; "
            f"a gain must be a finite number of at least 0.{advice}"
        )
    return table
