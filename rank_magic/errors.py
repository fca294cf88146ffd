"""What can go wrong, in few kinds, each saying what is wrong, what was found and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "ColumnError",
    "ConventionError",
    "DataError",
    "LibraryError",
    "MeasureError",
    "RankMagicError",
    "RegressionError",
]


class RankMagicError(ValueError):
    """Base class of every error that rank_magic raises on purpose.

    In a notebook it prints as one message without a traceback: the fault lies in the
    question, not in the code.
    """

    def _render_traceback_(self) -> list[str]:
        # IPython's own hook for exceptions that know how they want to be shown.
        return [f"{type(self).__name__}: {self}"]


class ColumnError(RankMagicError):
    """A role (query, doc, grade, score, ...) has no column, or more than one."""


class DataError(RankMagicError):
    """The rows themselves are wrong: repeated documents, missing ids, text for numbers."""


class MeasureError(RankMagicError):
    """A measure, or one of its parameters, is unknown or out of range."""


class ConventionError(RankMagicError):
    """A convention (ties, unjudged, ...) has no such setting."""


class LibraryError(RankMagicError):
    """A library that is needed here is not installed."""


class RegressionError(RankMagicError):
    """A system is worse than its baseline by more than it may be: `Comparison.check`."""


def listed(items: Iterable[object], limit: int = 12) -> str:
    """Write items as a readable list: the first few, and how many there are beyond them."""
    items = list(items)
    text = ", ".join(repr(item) for item in items[:limit])
    return text + (f" and {len(items) - limit:,} more" if len(items) > limit else "")


def nearest(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Return the known names that look most like `word`, best first, ignoring case."""
    names = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), names, n=count, cutoff=0.5)
    return [names[name] for name in found]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a sentence that proposes the nearest known names; empty when none is near."""
    close = nearest(word, known)
    return f" Did you mean {' or '.join(close)}?" if close else ""
