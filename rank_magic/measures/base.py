"""What a measure is: a sum over ranks.

A measure implements `Measure.contributions`, what each rank of each ranking adds. Its value is
the sum over ranks. Explanations, bars, what-if edits and plots read the same array.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.conventions import is_whole
from rank_magic.errors import MeasureError
from rank_magic.measures.parameters import check_declared, finite, parameter, plain_value, written
from rank_magic.ties import sequential_sum

__all__ = ["NAME", "REGISTRY", "SHIPPED", "Floats", "Measure", "per", "ranks", "spellings"]

Floats = NDArray[np.float64]
Self = TypeVar("Self", bound="Measure")

# By how much a sum of many terms may miss 1 upwards.
ROUNDING = 1e-12

# What a measure's value is computed by.
DEFINING = frozenset({"contributions", "terms", "whole", "value"})
# What a measure may be called, so that it can be read where it is written.
NAME = r"\w[\w.+-]*"

REGISTRY: dict[str, type[Measure]] = {}
# The names that can't be taken, known once all measures of the package are.
SHIPPED: set[str] = set()


def per(amount: NDArray[Any], whole: NDArray[Any]) -> Floats:
    """Divide each row by its whole, 0 where the whole is 0."""
    # Divided by infinity, a row is 0 without a mask over all its cells.
    return amount / np.where(whole > 0, whole, np.inf)[:, None]


def ranks(values: NDArray[Any]) -> Floats:
    """Return the ranks 1, 2, ... of an array whose columns are ranks."""
    return np.arange(1.0, values.shape[1] + 1.0)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(parameter,))
@dataclasses.dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Measure:
    """Base class of all measures. Subclass it, and the measure is known everywhere.

    A subclass is made a frozen, keyword-only dataclass and registered under its `name`: it can
    then be written in text (``"name(parameter=value)@k"``), called on the accessor and in the
    magics, explained and explored.

    Attributes
    ----------
    k : int, optional
        Cutoff: ranks beyond k count nothing.

    Examples
    --------
    >>> import numpy as np
    >>> import rank_magic as rm
    >>> class FirstTwo(rm.Measure):
    ...     '''Share of the first two ranks that hold a relevant document.'''
    ...
    ...     closed_form = True  # half an expectation is one
    ...
    ...     def contributions(self, block):
    ...         return block.expected(block.scale.relevant(1), 2) / 2
    >>> rm.parse("firsttwo")
    FirstTwo
    """

    k: int | None = parameter(None, "cutoff: ranks beyond it count nothing", low=1)

    name: ClassVar[str] = ""
    """How the measure is written; the class's name by default."""
    pretty: ClassVar[str] = ""
    """Its name in words."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other spellings."""
    mean_name: ClassVar[str] = ""
    """The name that means its mean over queries, such as MAP; an alias too."""
    cutoff: ClassVar[bool] = True
    """Whether it may be cut at k."""
    unit: ClassVar[bool] = True
    """Whether its scale is [0, 1]. A few, which say so, can exceed 1 by a little."""
    additive: ClassVar[bool] = True
    """Whether it is a sum over ranks. Plain counts are not."""
    closed_form: ClassVar[bool] = True
    """Whether contributions are exact expectations when scores tie: sums of what `Block.expected`,
    `Block.hits` and `Block.stops` give, times weights that no order changes. Otherwise they are
    asked for on settled orders only, and averaged over 1,000 of them. True for all that ship but
    those whose docstring says otherwise; False for one of your own unless it says True."""
    aggregate: ClassVar[str] = "mean"
    """How values become one: "mean", "geometric" or "sum"."""
    of_what_is_shown: ClassVar[bool] = False
    """Whether it is a share of the documents shown, with no value where none is."""
    quality: ClassVar[bool] = True
    """Whether more of it is better. Counts of what was shown or judged are facts, no more."""
    monotone: ClassVar[bool] = False
    """Whether a better grade anywhere in the ranking never lowers it, whatever was judged
    besides, so that filling in the unjudged documents bounds it."""

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__
        if any(not hint.startswith(("ClassVar", "typing.ClassVar")) for hint in _own_hints(cls)):
            # Making a dataclass takes a while, and most measures have the parameters of another.
            dataclasses.dataclass(frozen=True, kw_only=True, repr=False, eq=False)(cls)
        check_declared(cls)
        if SHIPPED and "closed_form" not in vars(cls) and not DEFINING.isdisjoint(vars(cls)):
            cls.closed_form = False  # that it is exact nobody has said
        if not abstract:
            register(cls)

    def __post_init__(self) -> None:
        for field in self._fields():
            value = getattr(self, field.name)
            checked = self._cutoff(value) if field.name == "k" else plain_value(self, field, value)
            object.__setattr__(self, field.name, checked)

    # What a measure says about a block of rankings. One of the first two is what it defines.

    def contributions(self, block: Block) -> Floats:
        """Return what each rank adds to each ranking's value.

        Parameters
        ----------
        block : Block
            Rankings side by side.

        Returns
        -------
        array of float, shape (queries, ranks)
            Expected over the orders of equal scores when the block has tie groups. Ranks behind
            the last that adds anything may be left out.
        """
        return per(self.terms(block), self.whole(block))

    def terms(self, block: Block) -> Floats:
        """Return the contributions before they are divided by `whole`.

        A measure that is normalised defines this and `whole` instead of `contributions`, so
        that the sum is divided once and a perfect ranking scores exactly 1.
        """
        raise NotImplementedError(f"{type(self).__name__} must define contributions(block).")

    def whole(self, block: Block) -> NDArray[Any]:
        """Return what each ranking's sum is divided by, shape (queries,); 0 gives 0."""
        raise NotImplementedError(f"{type(self).__name__} defines terms(block) but no whole.")

    def value(self, block: Block) -> Floats:
        """Return each ranking's value, shape (queries,): the sum over its ranks."""
        if type(self).terms is Measure.terms:
            value = sequential_sum(self._by_rank(self.contributions(block), block))
        else:
            terms = self._by_rank(self.terms(block), block)
            value = per(sequential_sum(terms)[:, None], self.whole(block))[:, 0]
        # Thirds that add up to a whole come to 1.0000000000000002.
        rounded_up = (value > 1.0) & (value < 1.0 + ROUNDING)
        return np.where(rounded_up, 1.0, value) if self.unit else value

    def _by_rank(self, found: Any, block: Block) -> NDArray[Any]:
        """Return what contributions or terms gave, or say what is wrong with its shape."""
        array = isinstance(found, np.ndarray)
        most = max(1, block.codes.shape[1])
        if array and found.ndim == 2 and len(found) == block.queries and found.shape[1] <= most:
            return found
        given = f"an array of shape {found.shape}" if array else repr(found)
        raise MeasureError(
            f"{self.name} must give an array of shape (queries, ranks), here ({block.queries:,}, "
            f"{most:,}) with fewer ranks allowed, and gave {given:.200}. Start from "
            f"block.expected(...), which has that shape."
        )

    def exact_over_ties(self, block: Block) -> bool:
        """Return whether the contributions of a block with tie groups are exact expectations."""
        return self.closed_form

    def ideal_contributions(self, block: Block) -> Floats:
        """Return what each rank of the ideal ranking adds: all that is judged, by grade."""
        by_grade = block.scale.table(lambda grades: grades)
        return self.contributions(block.ideal(by_grade, self.k))

    def findable(self, block: Block) -> NDArray[np.bool_]:
        """Return for each query whether anything judged could earn this measure something."""
        return np.ones(block.queries, dtype=bool)

    def bounds(self, block: Block, top: float) -> tuple[Floats, Floats] | None:
        """Return what the unjudged documents shown could make of each value.

        Parameters
        ----------
        block : Block
            Rankings side by side.
        top : float
            The best grade that a document could have.

        Returns
        -------
        pair of arrays of float, shape (queries,), or None
            The value with all of them worthless, and with all of them best; None where the
            measure allows no true bound.
        """
        if not self.monotone:
            return None
        return self.value(block), self.value(block.with_unjudged(top, self.k))

    def workings(self, block: Block) -> dict[str, Floats]:
        """Return the quantities that explain the contributions, by name, each per rank."""
        return {}

    # Names and parameters.

    def resolved(self: Self, defaults: Mapping[str, Any]) -> Self:
        """Return the measure with every parameter that it left open taken from `defaults`."""
        taken = {
            field.name: defaults[field.name]
            for field in self.parameters()
            if getattr(self, field.name) is None and defaults.get(field.name) is not None
        }
        return dataclasses.replace(self, **taken) if taken else self

    def at(self: Self, k: int | None) -> Self:
        """Return the same measure cut at k."""
        return dataclasses.replace(self, k=k)

    @classmethod
    @cache
    def parameters(cls) -> tuple[dataclasses.Field[Any], ...]:
        """Return the declared parameters besides the cutoff."""
        return tuple(field for field in cls._fields() if field.name != "k")

    @classmethod
    @cache
    def _fields(cls) -> tuple[dataclasses.Field[Any], ...]:
        return dataclasses.fields(cls)

    @classmethod
    def summary(cls) -> str:
        """Return the first line of its docstring."""
        return next(iter((cls.__doc__ or "").strip().splitlines()), "")

    def __str__(self) -> str:
        set_ = [
            f"{field.name}={written(getattr(self, field.name), field.metadata['kind'])}"
            for field in self.parameters()
            if getattr(self, field.name) != field.default
        ]
        inside = f"({', '.join(set_)})" if set_ else ""
        return f"{self.name}{inside}" + (f"@{self.k}" if self.k is not None else "")

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = [field.name for field in self._fields()]
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def __hash__(self) -> int:
        # By its text, since a gain may be a table, which has no hash of its own.
        return hash((type(self), str(self)))

    def _cutoff(self, k: Any) -> int | None:
        if k is None:
            return None
        if not self.cutoff:
            raise MeasureError(f"{self.name} takes no cutoff; write {self.name} without @{k}.")
        if finite(k) and is_whole(k) and k >= 1:
            return int(k)
        recall = any(field.name == "recall" for field in self.parameters())
        advice = f" A recall is written {self.name}(recall={k})." if recall else ""
        raise MeasureError(
            f"The cutoff of {self.name} must be a whole number of at least 1, not {k!r}.{advice}"
        )


def _own_hints(cls: type[Measure]) -> list[str]:
    """Return the annotations that a class has itself, as text."""
    return [str(hint) for hint in inspect.get_annotations(cls).values()]


def spellings(cls: type[Measure]) -> tuple[str, ...]:
    """Return every name that a measure answers to."""
    return tuple(name for name in (cls.name, cls.mean_name, *cls.aliases) if name)


def register(cls: type[Measure]) -> None:
    """Make a measure known under its names, letter case aside.

    One's own may be defined again, as when a notebook's cell is run twice.

    Raises
    ------
    MeasureError
        If a measure that ships holds one of the names, or a name can't be read back.
    """
    for name in spellings(cls):
        if re.fullmatch(NAME, name) is None:
            raise MeasureError(
                f"A measure can't be called {name!r}, since that is not read as one name. Letters, "
                f"digits and '_' will do, and behind the first of them '.', '+' and '-'."
            )
        if name.lower() in SHIPPED or (SHIPPED and _is_trec_name(name)):
            raise MeasureError(
                f"{name!r} is a measure that ships; give {cls.__qualname__} another name."
            )
    for name in spellings(cls):
        REGISTRY[name.lower()] = cls


def _is_trec_name(name: str) -> bool:
    from rank_magic.measures.trec_names import trec_measure

    return trec_measure(name) is not None
