"""What a rank is worth: how much of the searcher's attention reaches it.

A discount gives every rank, counted from 1, a weight. Measures and plots share these. It is
given by name, as a curve (a sequence of weights for rank 1, 2, ...; beyond its end nothing is
seen), or as a function that maps an array of ranks to weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rank_magic.errors import MeasureError, did_you_mean, listed
from rank_magic.gains import name_of, plain

__all__ = ["DISCOUNTS", "Discount", "discount_name", "discount_weights", "register_discount"]

Curve: TypeAlias = Callable[[NDArray[np.float64]], NDArray[np.float64]]
Discount: TypeAlias = str | Sequence[float] | Curve


def log2(rank: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / log2(1 + rank): 1, 0.63, 0.5, 0.43, ... (Burges et al. 2005)."""
    return 1.0 / np.log2(1.0 + rank)


def log(rank: NDArray[np.float64], base: float) -> NDArray[np.float64]:
    """Return 1 / log_b(1 + rank): `log2` times a constant, which no normalised measure sees."""
    return math.log(base) / np.log(1.0 + rank)


def jarvelin(rank: NDArray[np.float64], base: float = 2.0) -> NDArray[np.float64]:
    """Return 1 / max(1, log_b(rank)): ranks up to b are not discounted.

    References
    ----------
    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques,
    ACM TOIS 20(4), 2002, equation 2.
    """
    return 1.0 / np.maximum(1.0, np.log(rank) / math.log(base))


def reciprocal(rank: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / rank: 1, 0.5, 0.33, ..., the decay inside RR, AP and ERR."""
    return 1.0 / rank


def geometric(rank: NDArray[np.float64], p: float) -> NDArray[np.float64]:
    """Return p^(rank − 1): a reader who goes on with probability p (Moffat & Zobel 2008)."""
    return np.power(p, rank - 1.0)


def none(rank: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 at every rank: no discount."""
    return np.ones_like(rank)


DISCOUNTS: dict[str, Discount] = {
    "log2": log2,
    "reciprocal": reciprocal,
    "none": none,
    "jarvelin": jarvelin,
}
SHIPPED = frozenset(DISCOUNTS)
USUAL = 1000  # the weights of so many first ranks are kept
# Names that carry a number, such as log10, jarvelin3 and geometric0.8: what the number is, and
# the range that it must lie in.
FAMILIES: dict[str, tuple[Callable[..., NDArray[np.float64]], str, float, float]] = {
    "log": (log, "base", 1.0, math.inf),
    "jarvelin": (jarvelin, "base", 1.0, math.inf),
    "geometric": (geometric, "p", 0.0, 1.0),
}


def register_discount(name: str, discount: Discount) -> None:
    """Give a discount of your own a name, so that it can be written in a measure's name.

    Parameters
    ----------
    name : str
        An identifier, such as ``"clicks"``. The names that ship can't be replaced.
    discount : sequence of float or callable
        Weights for rank 1, 2, ... (nothing is seen beyond the end), or a function from an
        array of ranks to an array of weights.

    Examples
    --------
    >>> import rank_magic as rm
    >>> rm.register_discount("clicks", [0.31, 0.17, 0.11, 0.08, 0.06])
    >>> rm.parse("nDCG(discount=clicks)@5")
    nDCG(discount=clicks)@5
    """
    if not name.isidentifier():
        raise MeasureError(f"A discount's name must be an identifier, not {name!r}.")
    if name in SHIPPED or _family(name) is not None:
        raise MeasureError(f"{name!r} is a discount that ships; choose another name for yours.")
    DISCOUNTS[name] = discount


def discount_name(discount: Discount) -> str:
    """Return how a discount is written in a measure's name."""
    if isinstance(discount, str):
        return discount
    if callable(discount):
        return name_of(discount, DISCOUNTS)
    return "[" + ", ".join(plain(weight) for weight in discount) + "]"


def _family(name: str) -> Curve | None:
    """Read a name such as log10 or geometric0.8; None when it is not of that form."""
    match = re.fullmatch(r"([a-z]+?)(\d+(?:\.\d+)?)", name)
    if match is None or match[1] not in FAMILIES:
        return None
    function, parameter, low, high = FAMILIES[match[1]]
    value = float(match[2])
    if not low < value < high:
        raise MeasureError(
            f"The {parameter} of the discount {name!r} must lie between {low:g} and {high:g}, "
            f"both excluded; it is {value:g}."
        )
    return lambda rank: function(rank, value)


def resolve_discount(discount: Discount) -> Curve | Sequence[float]:
    """Return the curve or function behind a discount, looking a name up."""
    if isinstance(discount, str):
        if discount in DISCOUNTS:
            return resolve_discount(DISCOUNTS[discount])
        family = _family(discount)
        if family is None:
            raise MeasureError(
                f"No discount is called {discount!r}. Known are {listed(DISCOUNTS)}, families "
                f"with a number behind their name (log10, jarvelin3, geometric0.8), a sequence "
                f"of weights or a function.{did_you_mean(discount, DISCOUNTS)}"
            )
        return family
    if callable(discount) or np.ndim(discount) == 1:
        return discount
    raise MeasureError(
        f"A discount is a name ({listed(DISCOUNTS)}), a sequence of weights for rank 1, 2, ... "
        f"or a function of an array of ranks, not {type(discount).__name__}."
    )


def discount_weights(discount: Discount, width: int) -> NDArray[np.float64]:
    """Return the weights of the ranks 1 to `width`.

    Parameters
    ----------
    discount : str, sequence of float or callable
        The discount.
    width : int
        How many ranks.

    Returns
    -------
    array of float, shape (width,)

    Raises
    ------
    MeasureError
        If a weight is negative, missing or infinite, or a function returns another shape.
    """
    if width <= USUAL and isinstance(discount, str) and discount in SHIPPED:
        return _usual(discount)[:width]
    return _weights(discount, width)


@cache  # what ships never changes
def _usual(name: str) -> NDArray[np.float64]:
    weights = _weights(name, USUAL)
    weights.setflags(write=False)
    return weights


def rising_weights(discount: Discount, k: int | None, width: int) -> NDArray[np.float64] | None:
    """Return the weights of all ranks within reach where one is worth more than one above it.

    Parameters
    ----------
    discount : str, sequence of float or callable
        The discount.
    k : int or None
        Ranks beyond it are out of reach, as are those beyond the end of a sequence.
    width : int
        How many ranks there are.

    Returns
    -------
    array of float, or None
        None where no rank is worth more than one above it; no discount that ships is.

    Raises
    ------
    MeasureError
        If weights rise and no rank is out of reach.
    """
    if isinstance(discount, str) and (discount in SHIPPED or _family(discount) is not None):
        return None
    curve = resolve_discount(discount)
    ends = [k] if callable(curve) else [k, len(curve)]
    reach = min((end for end in ends if end is not None), default=None)
    weights = discount_weights(discount, width if reach is None else reach)
    if (weights[1:] <= weights[:-1]).all():
        return None
    if reach is None:
        raise MeasureError(
            f"The discount {discount_name(discount)!r} rises with rank, so that without a cutoff "
            f"there is no best ranking to compare with. Give one, such as @10."
        )
    return weights


def _computed(discount: Discount, curve: Any, rank: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what somebody's function gives for an array of ranks."""
    try:
        return np.asarray(curve(rank), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise MeasureError(
            f"The discount {discount_name(discount)!r} gives no weights for an array of ranks: "
            f"{error}. It must take the array and return a weight for each; "
            f"numpy.vectorize(function) makes one that does."
        ) from error


def _weights(discount: Discount, width: int) -> NDArray[np.float64]:
    """Work weights out, and check them."""
    curve: Any = resolve_discount(discount)
    if callable(curve):
        weights = _computed(discount, curve, np.arange(1.0, width + 1.0))
        if weights.shape != (width,):
            raise MeasureError(
                f"The discount {discount_name(discount)!r} returned an array of shape "
                f"{weights.shape} for {width} ranks; it must return a weight for each rank."
            )
    else:
        weights = np.zeros(width)
        given = np.asarray(curve, dtype=np.float64)[:width]
        weights[: len(given)] = given
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        rank = int(np.flatnonzero(wrong)[0])
        raise MeasureError(
            f"The discount {discount_name(discount)!r} of rank {rank + 1} is {weights[rank]:g}; "
            f"a weight must be a finite number of at least 0."
        )
    return weights
