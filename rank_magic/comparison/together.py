"""Evaluations side by side: the same measures, made alike, on the union of their queries."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.conventions import Conventions
from rank_magic.errors import ConventionError, DataError, MeasureError, RankMagicError, listed
from rank_magic.records import Record
from rank_magic.values import Values

__all__ = ["Together", "together"]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, eq=False)
class Together:
    """The systems of one or several evaluations, side by side.

    Attributes
    ----------
    systems : tuple
        What the systems are called.
    members : list of list of int
        By evaluation, the places of its systems.
    measures, aggregates : list of str
        What all evaluations measured, and how values become one.
    queries : Index
        Those of any evaluation, sorted.
    rules : Conventions
        For queries without results or without a relevant document.
    values : Values
        Queries that an evaluation lacks are unanswered by its systems.
    weights : array of float, shape (queries,), or None
    judged : dict of list of float
        Judged@k by system.
    remarks : list of str
        What is to be said about how they fit together.
    """

    systems: tuple[Hashable, ...]
    members: list[list[int]]
    measures: list[str]
    aggregates: list[str]
    queries: pd.Index[Any]
    rules: Conventions
    values: Values
    weights: Floats | None
    judged: dict[str, list[float]]
    remarks: list[str]
    records: tuple[Record, ...]

    @property
    def ruled(self) -> Floats:
        """Values under the conventions, shape (systems, measures, queries)."""
        return self.values.ruled(self.rules)

    @property
    def otherwise(self) -> dict[str, Floats]:
        """Values under other treatments, see `Record.otherwise`; those that all records know."""
        ruled = self.ruled
        found = {}
        for name in self.records[0].otherwise:
            if all(name in record.otherwise for record in self.records):
                found[name] = ruled.copy()  # what nobody answered is the same in every treatment
                for record, places in zip(self.records, self.members, strict=True):
                    at = self.queries.get_indexer(record.queries)
                    some = record.otherwise[name][:, _places(record, self.measures)]
                    found[name][np.ix_(places, range(len(self.measures)), at)] = some
        return found


def together(records: Sequence[Record], names: Sequence[Hashable] | None) -> Together:
    """Put evaluations side by side.

    Parameters
    ----------
    records : sequence of Record
        One or more.
    names : sequence, optional
        What they are called, one for each; needed by nobody whose systems have names of their own.

    Raises
    ------
    RankMagicError
        If they were made under other conventions, have no measure or query in common, or count
        queries otherwise.
    """
    for other in records[1:]:
        _check_conventions(records[0], other)
    measures = [name for name in records[0].names if all(name in one.names for one in records)]
    if not measures:
        raise MeasureError(
            f"They have no measure in common: "
            f"{' and '.join(listed(record.names) for record in records)}."
        )
    queries = _union(records)
    systems, firsts = _labels(records, names), _firsts(records)
    members = [
        [first + place for place in range(len(record.systems))]
        for first, record in zip(firsts, records, strict=True)
    ]
    numbers = [_places(record, measures) for record in records]
    values = _merged(records, numbers, queries)
    shares = [name for name in records[0].judged if all(name in r.judged for r in records)]
    return Together(
        systems=systems,
        members=members,
        measures=measures,
        aggregates=[records[0].aggregates[place] for place in numbers[0]],
        queries=queries,
        rules=records[0].rules,
        values=values,
        weights=_weights(records, queries),
        judged={name: [share for r in records for share in r.judged[name]] for name in shares},
        remarks=list(_remarks(records, systems, members, measures, queries)),
        records=tuple(records),
    )


def _places(record: Record, measures: Sequence[str]) -> list[int]:
    return [record.names.index(name) for name in measures]


def _check_conventions(one: Record, other: Record) -> None:
    """Raise when two evaluations were made under other conventions, and name them."""
    names = list(dict.fromkeys([*one.conventions, *other.conventions]))
    missing = "not set"
    pairs = [
        (name, one.conventions.get(name, missing), other.conventions.get(name, missing))
        for name in names
        # A measure that only one of them has is not compared.
        if " of " not in name or {name.partition(" of ")[2]} <= {*one.names} & {*other.names}
    ]
    differ = [f"{name} is {a!r} and {b!r}" for name, a, b in pairs if a != b]
    if differ:
        raise ConventionError(
            f"These evaluations were made under other conventions, so that their values can't be "
            f"compared: {'; '.join(differ)}. Evaluate both under the same."
        )
    if (one.weights is None) != (other.weights is None):
        raise ConventionError(
            "One of these evaluations weights its queries (weight=...), the other does not. "
            "Evaluate both with the same weights, or without."
        )


def _union(records: Sequence[Record]) -> pd.Index[Any]:
    """Return the queries of all evaluations, sorted."""
    first = records[0].queries
    union = first
    for record in records[1:]:
        if record.queries.nlevels != first.nlevels or not first.isin(record.queries).any():
            examples = [next(iter(one.queries), "none at all") for one in (records[0], record)]
            raise DataError(
                f"They have no query in common, so that there is nothing to pair: one has queries "
                f"such as {examples[0]!r}, another such as {examples[1]!r}."
            )
        union = union.union(record.queries)
    return union


def _labels(records: Sequence[Record], names: Sequence[Hashable] | None) -> tuple[Hashable, ...]:
    """Return what the systems are called side by side: by their own names, if these differ."""
    if names is not None and (isinstance(names, str) or len(names) != len(records)):
        raise RankMagicError(
            f"names={names!r} must be a list with a name for each of the {len(records)} "
            f"evaluations."
        )
    own = [system for record in records for system in record.systems]
    if names is None and len(set(own)) == len(own):
        return tuple(own)
    given = list(ascii_lowercase[: len(records)] if names is None else names)
    labels = [
        label if len(record.systems) == 1 else f"{label}: {system}"
        for label, record in zip(given, records, strict=True)
        for system in record.systems
    ]
    if len(set(labels)) < len(labels):
        raise RankMagicError(f"Names must tell the evaluations apart, {names!r} do not.")
    return tuple(labels)


def _merged(
    records: Sequence[Record], numbers: Sequence[list[int]], queries: pd.Index[Any]
) -> Values:
    """Return the values of all systems on all queries."""
    if len(records) == 1:
        return records[0].values
    at = [queries.get_indexer(record.queries) for record in records]
    all_of = list(zip(records, numbers, at, strict=True))

    def of_systems(name: str) -> NDArray[Any]:
        """Arrays of shape (systems, ..., queries), one below the other; 0 where a query lacks."""
        parts = []
        for record, places, to in all_of:
            found = getattr(record.values, name)
            found = found[:, places] if found.ndim == 3 else found
            part = np.zeros((*found.shape[:-1], len(queries)), dtype=found.dtype)
            part[..., to] = found
            parts.append(part)
        return np.concatenate(parts)

    def of_queries(name: str) -> NDArray[Any]:
        """Arrays of shape (..., queries): the largest, which says whether any evaluation does."""
        merged: Any = None
        for record, places, to in all_of:
            found = getattr(record.values, name)
            found = found[places] if found.ndim == 2 else found
            part = np.zeros((*found.shape[:-1], len(queries)), dtype=found.dtype)
            part[..., to] = found
            merged = part if merged is None else np.maximum(merged, part)
        return np.asarray(merged)

    systems = ("value", "error", "retrieved", "tied")
    found = {name: of_systems(name) for name in systems}
    found |= {name: of_queries(name) for name in ("findable", "relevant", "judged", "pooled")}
    shown = records[0].values.of_what_is_shown[numbers[0]]
    merged = Values(**found, of_what_is_shown=shown)
    # A query that was never judged in one evaluation has no value there, wherever it has one.
    for record, to, first in zip(records, at, _firsts(records), strict=True):
        here = slice(first, first + len(record.systems))
        merged.value[here][:, :, to[~record.values.pooled]] = np.nan
    return merged


def _firsts(records: Sequence[Record]) -> list[int]:
    return np.cumsum([0, *(len(record.systems) for record in records[:-1])]).tolist()


def _weights(records: Sequence[Record], queries: pd.Index[Any]) -> Floats | None:
    """Return what each query counts; each evaluation that has a query must say the same."""
    if records[0].weights is None:
        return None
    merged = np.full(len(queries), np.nan)
    for record in records:
        at, weights = queries.get_indexer(record.queries), record.weights
        given = np.asarray(weights, dtype=np.float64)
        differ = ~np.isnan(merged[at]) & (merged[at] != given)
        if differ.any():
            raise ConventionError(
                f"The weights of {np.count_nonzero(differ):,} queries differ between these "
                f"evaluations, such as that of {record.queries[differ][0]!r}. Evaluate both with "
                f"the same weights."
            )
        merged[at] = given
    return merged


def _remarks(
    records: Sequence[Record],
    systems: Sequence[Hashable],
    members: Sequence[Sequence[int]],
    measures: Sequence[str],
    queries: pd.Index[Any],
) -> Iterator[str]:
    """Yield what is to be said about how evaluations fit together."""
    for record, places in zip(records, members, strict=True):
        lacking = len(queries) - len(record.queries)
        if lacking:
            named = ", ".join(str(systems[place]) for place in places)
            rule = {"zero": "they score 0", "skip": "they are left out"}
            first = queries[~queries.isin(record.queries)][0]
            yield (
                f"{lacking:,} of {len(queries):,} queries are not in the evaluation of {named}, "
                f"such as {first!r}: taken as unanswered, {rule[record.rules.unanswered]}"
            )
    dropped = dict.fromkeys(n for r in records for n in r.names if n not in measures)
    if dropped:
        yield f"not measured by all, and left out: {', '.join(dropped)}"
    for other in records[1:]:
        changed = _judged_otherwise(records[0], other)
        if changed:
            yield (
                f"judgments changed between the evaluations in at least {changed:,} queries (the "
                f"number of judged documents), which moves values without any system moving"
            )
            return


def _judged_otherwise(one: Record, other: Record) -> int:
    """Return in how many queries the number of judged documents differs."""
    at = other.queries.get_indexer(one.queries)
    both = at >= 0
    return int(np.count_nonzero(one.values.judged[both] != other.values.judged[at[both]]))
