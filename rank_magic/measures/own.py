"""A measure made of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from rank_magic.blocks import Block
from rank_magic.errors import MeasureError
from rank_magic.measures.base import Floats, Measure

__all__ = ["measure"]


def measure(
    function: Callable[[Block], Floats] | None = None,
    *,
    name: str = "",
    closed_form: bool = False,
) -> Any:
    """Turn a function of a block into a measure.

    Parameters
    ----------
    function : callable
        Takes a `Block` and the keyword ``k`` and returns contributions, an array of shape
        (queries, ranks).
    name : str, optional
        How the measure is written; the function's name by default.
    closed_form : bool, default=False
        Whether what the function returns is an exact expectation where scores tie, see
        `Measure`. If not, it is averaged over 1,000 drawn orders of the equals.

    Returns
    -------
    type of Measure

    Examples
    --------
    >>> import rank_magic as rm
    >>> @rm.measure(closed_form=True)
    ... def top_grade(block, k=None):
    ...     '''Gain of the first document.'''
    ...     return block.expected(block.scale.table(lambda grades: grades), 1)
    >>> rm.parse("top_grade")
    top_grade
    """

    def make(function: Callable[..., Floats]) -> type[Measure]:
        _check_signature(function)
        body = {
            "__doc__": function.__doc__,
            "__module__": function.__module__,
            "__qualname__": function.__qualname__,
            "name": name or function.__name__,
            "unit": False,
            "closed_form": closed_form,
            "contributions": lambda self, block: function(block, k=self.k),
        }
        return type(function.__name__, (Measure,), body)

    return make(function) if function is not None else make


def _check_signature(function: Callable[..., Any]) -> None:
    """Raise when a function can't be called with a block and a cutoff."""
    try:
        inspect.signature(function).bind(None, k=None)
    except TypeError as error:
        raise MeasureError(
            f"{function.__name__} must take a block and the keyword k, such as "
            f"def {function.__name__}(block, k=None); {error}."
        ) from None
