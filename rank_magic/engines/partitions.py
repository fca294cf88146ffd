"""What is done with a partition of rows where it lies: laid out, and measured."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rank_magic.columns import plain
from rank_magic.engines.parts import Facts, Part
from rank_magic.engines.plan import ROW, Plan
from rank_magic.errors import DataError, listed
from rank_magic.memory import kept
from rank_magic.threads import alone
from rank_magic.whole import Whole

__all__ = [
    "Alone",
    "Bound",
    "Layout",
    "bounds",
    "facts_of",
    "laid_out",
    "measured",
    "measured_alone",
    "measured_facts",
    "merged_alone",
    "merged_facts",
    "merged_parts",
]

# Rows are numbered by partition and place; a partition has fewer than this.
PARTITION_ROWS = 1 << 40


class Bound(NamedTuple):
    """Between which ids a partition of known divisions lies."""

    key: Hashable
    low: Any
    high: Any
    last: bool  # the last partition holds its upper end, too


@dataclass(frozen=True)
class Layout:
    """How the rows of every partition are laid out, so that they can be moved and measured.

    Attributes
    ----------
    used : tuple of column names
        The columns; one may come as the index.
    kinds : dict
        The type of each column that names the query.
    numbered : bool
        Whether rows are numbered, since their order matters.
    """

    used: tuple[Hashable, ...]
    kinds: dict[Hashable, Any]
    numbered: bool

    @classmethod
    def of_plan(cls, plan: Plan, schema: pd.DataFrame) -> Layout:
        """Return the layout of the rows that a plan needs."""
        kinds = {name: schema[name].dtype for name in plan.roles.query}
        return cls(tuple(plan.roles.columns()), kinds, plan.by_order)

    def of(self, rows: pd.DataFrame, place: int = 0) -> pd.DataFrame:
        """Return the rows of the partition that stands at a place, their queries of one type."""
        if any(name not in rows.columns for name in self.used):
            rows = rows.reset_index()
        if len(rows.columns) > len(self.used):
            rows = rows[list(self.used)]
        changed: dict[Hashable, Any] = {}
        for name, kind in self.kinds.items():
            given = rows[name]
            alike = _hashed_alike(given, kind)
            if alike is not given:
                changed[name] = alike
        if self.numbered:
            changed[ROW] = place * PARTITION_ROWS + np.arange(len(rows))
        if changed:
            rows = rows.copy(deep=False)  # what is given stays as it was
        for name, values in changed.items():
            rows[name] = values
        return rows


def _hashed_alike(ids: pd.Series[Any], kind: Any) -> pd.Series[Any]:
    """Return query ids that are hashed alike where they are equal."""
    if isinstance(ids.dtype, pd.CategoricalDtype):
        ids = ids.astype(ids.cat.categories.dtype)
    elif ids.dtype != kind:
        ids = ids.astype(kind)
    if ids.dtype == object:
        found = pd.api.types.infer_dtype(ids, skipna=True)
        if found not in ("string", "bytes", "empty"):
            raise DataError(
                f"The query ids in {ids.name!r} are objects ({found}), of which equal ones may "
                f"end up apart. Convert them: ddf.astype({{{ids.name!r}: str}})."
            )
    if pd.api.types.is_float_dtype(ids.dtype):
        ids = ids + 0.0  # −0.0 equals 0.0, and must be hashed like it
    return ids


def laid_out(
    rows: pd.DataFrame, layout: Layout, partition_info: dict[str, Any] | None = None
) -> pd.DataFrame:
    """Return the rows of a partition that Dask numbers, laid out."""
    return layout.of(rows, 0 if partition_info is None else partition_info["number"])


def measured(
    plan: Plan, rows: pd.DataFrame, layout: Layout | None, place: int, bound: Bound | None
) -> Part | None:
    """Measure a partition, which holds whole queries; None when it is empty."""
    if not len(rows):
        return None
    with alone(), kept():
        rows = rows if layout is None else layout.of(rows, place)
        if bound is not None:
            _check_divisions(rows[bound.key], bound)
        if ROW in rows:
            rows = rows.sort_values(ROW)
        return Part.of(plan, rows.reset_index(drop=True))


def measured_facts(plan: Plan, *partition: Any) -> Facts | None:
    """Measure a partition, and return its facts only."""
    return facts_of(measured(plan, *partition))


class Alone(NamedTuple):
    """Partitions that were measured by what each knows itself, which is the same."""

    facts: Facts
    numbers: tuple[int, ...]


def measured_alone(
    plan: Plan, rows: pd.DataFrame, layout: Layout | None, place: int, bound: Bound | None
) -> dict[Whole, Alone]:
    """Measure a partition by what it knows itself; nothing when it is empty."""
    whole = Whole.of(rows, plan.roles)
    known = plan.knowing(whole) if whole.grades else plan
    facts = measured_facts(known, rows, layout, place, bound)
    return {} if facts is None else {whole: Alone(facts, (place,))}


def merged_alone(groups: Iterable[dict[Whole, Alone]]) -> dict[Whole, Alone]:
    """Return partitions that knew the same together."""
    found: dict[Whole, list[Alone]] = {}
    for whole, group in (item for one in groups for item in one.items()):
        found.setdefault(whole, []).append(group)
    return {
        whole: Alone(
            Facts.merged([group.facts for group in same]),
            tuple(number for group in same for number in group.numbers),
        )
        for whole, same in found.items()
    }


def _check_divisions(ids: pd.Series[Any], bound: Bound) -> None:
    _, low, high, last = bound
    first, most = ids.min(), ids.max()
    if first >= low and (most <= high if last else most < high):
        return
    beyond = ids[(ids < low) | (ids > high if last else ids >= high)]
    if len(beyond):
        examples = listed(map(plain, beyond.unique()[:3]))
        raise DataError(
            f"The divisions of the frame are wrong: a partition from {low!r} to {high!r} holds "
            f"{examples}. Set them by ddf.set_index(..., sorted=True)."
        )


def facts_of(part: Part | None) -> Facts | None:
    """Return the facts of a partition; None when it is empty."""
    return None if part is None else part.facts()


def merged_facts(parts: Iterable[Facts | None]) -> Facts | None:
    """Return the facts of partitions together; None when all are empty."""
    there = [part for part in parts if part is not None]
    return Facts.merged(there) if there else None


def merged_parts(parts: Iterable[Part | None]) -> Part | None:
    """Return the queries of partitions together; None when all are empty."""
    there = [part for part in parts if part is not None]
    return Part.merged(there) if there else None


def bounds(key: Hashable, divisions: Sequence[Any]) -> list[Bound]:
    """Return between which ids each partition lies."""
    last = len(divisions) - 2
    return [Bound(key, divisions[at], divisions[at + 1], at == last) for at in range(last + 1)]
