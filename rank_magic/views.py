"""What a person chooses about how an evaluation is shown; nothing here is computed."""

from __future__ import annotations

from dataclasses import dataclass

from rank_magic.errors import RankMagicError

__all__ = ["View"]

MOST_DECIMALS = 15


@dataclass(frozen=True, kw_only=True)
class View:
    """How an evaluation is shown.

    Parameters
    ----------
    decimals : int
        Decimals of the numbers, 0 to 15.
    sort : str, optional
        A measure: systems stand from the best to the worst by it, and so do, the other way
        round, queries.
    worst : int
        How many of the worst queries to list below the means.
    per_query : bool
        Whether to list the value of every query.
    remarks : tuple of str
        Sentences for the notes, such as where the measures come from when nobody named them.

    Raises
    ------
    RankMagicError
        If a number is out of range.
    """

    decimals: int = 4
    sort: str | None = None
    worst: int = 0
    per_query: bool = False
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, most in (("decimals", MOST_DECIMALS), ("worst", None)):
            number = getattr(self, name)
            whole = isinstance(number, int) and not isinstance(number, bool)
            if not whole or number < 0 or (most is not None and number > most):
                limits = "of at least 0" if most is None else f"from 0 to {most}"
                raise RankMagicError(f"{name} must be a whole number {limits}, not {number!r}.")
