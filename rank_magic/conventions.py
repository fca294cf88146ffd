"""The questions on which ranking tools disagree in silence, and the answer chosen for each."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rank_magic.discounts import Discount, discount_name, resolve_discount
from rank_magic.errors import ConventionError, did_you_mean, listed
from rank_magic.gains import Gain, gain_name, resolve_gain

__all__ = ["Conventions"]

CHOICES: dict[str, dict[str, str]] = {
    "ties": {
        "average": "tied scores averaged over every order of the equals",
        "trec": "tied scores in trec_eval's order (doc id descending, as text)",
        "order": "tied scores in row order",
        "worst": "tied scores in their worst order",
        "best": "tied scores in their best order",
    },
    "unanswered": {
        "zero": "unanswered queries score 0",
        "skip": "unanswered queries left out",
    },
    "no_relevant": {
        "zero": "queries without a relevant document score 0",
        "skip": "queries without a relevant document left out",
        "one": "queries without a relevant document score 1",
        "nan": "queries without a relevant document have no value, nor has a mean over them",
    },
    "unjudged": {
        "zero": "unjudged documents count as grade 0",
        "remove": "unjudged documents removed from the rankings",
        "raise": "no unjudged document allowed in a ranking",
    },
    "negative": {
        "unjudged": "negative grades count as pooled, not judged",
        "nonrelevant": "negative grades count as judged junk, grade 0",
    },
    "duplicates": {
        "raise": "no document twice in a query",
        "first": "of a repeated document the first row kept",
        "best": "of a repeated document the best ranked row kept",
    },
}


@dataclass(frozen=True, kw_only=True)
class Conventions:
    """How ties, gaps and odd grades are treated; every field can be changed by keyword.

    Parameters
    ----------
    ties : {"average", "trec", "order", "worst", "best"}
        Order of documents with equal scores. ``"average"`` is the exact expectation over all
        orders of the equals, ``"trec"`` trec_eval's rule (document id descending, as text),
        ``"order"`` the order of rows; ``"worst"`` and ``"best"`` put equals in ascending and
        descending order of their grades.
    unanswered : {"zero", "skip"}
        What a query scores that is judged but has no results.
    no_relevant : {"zero", "skip", "one", "nan"}
        What a query scores that has no relevant document. With ``"skip"`` it has no value and
        is not in the mean, with ``"nan"`` it has no value and neither has the mean.
    unjudged : {"zero", "remove", "raise"}
        Documents in a ranking that nobody judged: grade 0, taken out, or an error.
    negative : {"unjudged", "nonrelevant"}
        Grades below 0: pooled but not judged, as in trec_eval, or judged junk. Worth 0 either
        way.
    duplicates : {"raise", "first", "best"}
        The same document twice in a query.
    depth : int, optional
        Look at the first `depth` results only (trec_eval's ``-M``).
    rel : float
        Grade from which a document is relevant, where a measure does not say itself.
    max_grade : float, optional
        Highest grade of the scale, for measures that do not say themselves; the highest grade
        in the whole frame when not given.
    gain : str, mapping or callable
        What a grade is worth, where a measure does not say itself.
    discount : str, sequence of float or callable
        What a rank is worth, where a measure does not say itself.

    Raises
    ------
    ConventionError
        For a setting that does not exist.
    """

    ties: str = "average"
    unanswered: str = "zero"
    no_relevant: str = "zero"
    unjudged: str = "zero"
    negative: str = "unjudged"
    duplicates: str = "raise"
    depth: int | None = None
    rel: float = 1.0
    max_grade: float | None = None
    gain: Gain = "exp2"
    discount: Discount = "log2"

    def __post_init__(self) -> None:
        for field, choices in CHOICES.items():
            chosen = getattr(self, field)
            if not isinstance(chosen, str) or chosen not in choices:
                raise ConventionError(
                    f"{field}={chosen!r} is not a choice. Choose one of {listed(choices)}."
                    f"{did_you_mean(str(chosen), choices)}"
                )
        if self.depth is not None and not (is_whole(self.depth) and self.depth >= 1):
            raise ConventionError(f"depth must be a whole number from 1, not {self.depth!r}.")
        for field in ("rel", "max_grade"):
            number = getattr(self, field)
            if number is None and field == "max_grade":
                continue
            if not (is_number(number) and 0 < number < math.inf):
                raise ConventionError(f"{field} must be a number above 0, not {number!r}.")
        resolve_gain(self.gain)
        resolve_discount(self.discount)

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of all conventions."""
        return tuple(field.name for field in dataclasses.fields(cls))

    @property
    def defaults(self) -> dict[str, Any]:
        """What measures inherit that do not set it themselves."""
        names = ("rel", "max_grade", "gain", "discount")
        return {name: getattr(self, name) for name in names}

    def changed(self) -> dict[str, Any]:
        """Return the conventions that differ from the defaults."""
        return {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        }

    def sentences(self) -> Iterator[str]:
        """Yield each convention in words."""
        for field, choices in CHOICES.items():
            yield choices[getattr(self, field)]
        if self.depth is not None:
            yield f"only the first {self.depth:,} results looked at"
        yield f"relevant from grade {self.rel:g}"
        yield f"gain {gain_name(self.gain)}, discount {discount_name(self.discount)}"


def is_whole(value: object) -> bool:
    """Return whether value is a whole number (a bool is not)."""
    return is_number(value) and float(value).is_integer()  # type: ignore[arg-type]


def is_number(value: object) -> bool:
    """Return whether value is a finite or infinite number (a bool or NaN is not)."""
    if isinstance(value, bool) or not hasattr(value, "__float__") or isinstance(value, str):
        return False
    return not math.isnan(float(value))
