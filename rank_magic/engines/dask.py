"""Dask frames: lazy, one shuffle by query at most, facts brought together in a tree.

Two passes: a light one over the grades finds what every partition must know of the whole, then
every partition is measured on its own. Rows are shuffled by query in between, unless the frame's
known divisions are those of the query: ``ddf.set_index("query", sorted=True)`` makes such a frame
of sorted data without a shuffle.

What a run costs, with r rows, s bytes a row of the columns used (8 for each number), p partitions
and workers of t threads: the shuffle moves r·s bytes, r·s/p a partition; a worker needs about
(2 + x)·t·r·s/p bytes: a partition as it comes and as it is shuffled, and x of it, about a quarter,
to measure it; and the results take 8 bytes for each query and measure. `notebooks/07_scale.ipynb`
measures the constants, `benchmarks/engines.py` whole runs. Dask has its workers give memory back
to the system at once, which makes measuring take twice as long; where memory is plenty, start the
cluster with ``{"distributed.nanny.pre-spawn-environ": {"MALLOC_TRIM_THRESHOLD_": "67108864"}}``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from rank_magic.columns import plain
from rank_magic.engines.gathered import Gathered, Summary
from rank_magic.engines.needs import need
from rank_magic.engines.parts import Facts, Part
from rank_magic.engines.plan import ROW, Plan
from rank_magic.errors import DataError, listed
from rank_magic.measures import MeasureLike
from rank_magic.memory import kept
from rank_magic.threads import alone
from rank_magic.whole import Whole

__all__ = ["DaskEvaluation", "evaluate"]

# How many results a step of a tree reduction brings together.
FAN_IN = 16
# Rows are numbered by partition and place; a partition has fewer than this.
PARTITION_ROWS = 1 << 40


def evaluate(
    frame: Any, measures: MeasureLike | Iterable[MeasureLike] | None = None, **options: Any
) -> DaskEvaluation:
    """Evaluate the rankings in a Dask DataFrame, lazily.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        A row per query and document. Where its divisions are known and its index names the
        query, nothing is shuffled.
    measures, **options
        As in `rank_magic.evaluate`.

    Returns
    -------
    DaskEvaluation

    Notes
    -----
    Nothing is computed, but for the names of systems that stand in rows: they name columns.
    Rows are in the order of partitions, and of rows within them.
    """
    columns = list(frame.columns)
    index = frame._meta.index.name
    schema = frame._meta if index is None else frame._meta.reset_index()
    plan = Plan.of(schema, measures, **options)
    used = plan.roles.columns()
    divided = frame.known_divisions and index in plan.roles.query
    if index is not None and index in used and index not in columns:
        rows = frame[[name for name in used if name != index]].reset_index()
    else:
        rows = frame[used]
    whole = _whole(rows, plan)
    if plan.roles.system is not None:
        whole = whole.compute()
        plan = plan.knowing(whole)
    bounds = _bounds(frame.divisions) if divided else [None] * rows.npartitions
    rows = _conforming(rows[used], plan)
    if not divided and rows.npartitions > 1:
        rows = rows.shuffle(on=list(plan.roles.query))
        bounds = [None] * rows.npartitions
    delayed = need("dask").delayed
    known = delayed(Plan.knowing)(plan, whole)
    key = index if divided else None
    parts = [
        delayed(_measured)(known, partition, key, bound)
        for partition, bound in zip(rows.to_delayed(), bounds, strict=True)
    ]
    queries = rows._meta[list(plan.roles.query)]
    return DaskEvaluation(plan, known, parts, _meta(plan, queries))


class DaskEvaluation:
    """A lazy evaluation of a Dask frame.

    Means, intervals and coverage are computed when they are asked for, by a tree reduction, and
    kept; ``with dask.diagnostics.ProgressBar():`` or the dashboard shows how far it is. What is
    not said here is as in `rank_magic.Evaluation`.

    Attributes
    ----------
    per_query : dask.dataframe.DataFrame
        The value of each query, as in `Evaluation.per_query`; sorted within each partition.
    """

    def __init__(self, plan: Plan, known: Any, parts: Sequence[Any], meta: pd.DataFrame) -> None:
        self._plan, self._known, self._parts, self._meta = plan, known, list(parts), meta

    @cached_property
    def per_query(self) -> Any:
        """The value of each query: a lazy Dask DataFrame."""
        delayed = need("dask").delayed
        frames = [delayed(_table)(part, self._meta) for part in self._parts]
        from_delayed = need("dask.dataframe").from_delayed
        return from_delayed(frames, meta=self._meta, verify_meta=False)

    @property
    def lazy_facts(self) -> Any:
        """What means and coverage are made of, brought together in a tree; a Delayed."""
        delayed = need("dask").delayed
        facts = [delayed(_facts)(part) for part in self._parts]
        return _in_tree(facts, _merged_facts)

    @cached_property
    def collected(self) -> Summary:
        """Means, intervals and coverage, computed; the values of queries stay where they are."""
        plan, facts = need("dask").compute(self._known, self.lazy_facts)
        return Summary.of_facts(plan, _there(facts), self.per_query)

    def compute(self, **options: Any) -> Gathered:
        """Compute everything and return it in this process, the values of all queries included.

        Parameters
        ----------
        **options
            As in Dask's ``compute``.
        """
        part = need("dask").delayed(_merged_parts)(self._parts)
        return Gathered.of_part(_there(part.compute(**options)))

    def persist(self, **options: Any) -> DaskEvaluation:
        """Compute the values of all queries and keep them in the workers' memory."""
        parts = need("dask").persist(*self._parts, **options)
        return DaskEvaluation(self._plan, self._known, parts, self._meta)

    def only(self, *, mean: bool) -> Any:
        """Return the first measure's values or, where `mean` is asked for, its mean; lazily."""
        name, several = self._plan.names[0], self._plan.several
        if mean:
            return need("dask").delayed(_mean)(self._known, self.lazy_facts)
        if not several:
            return self.per_query[name]
        return self.per_query.map_partitions(
            pd.DataFrame.xs,
            name,
            axis=1,
            level="measure",
            meta=self._meta.xs(name, axis=1, level="measure"),
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.collected, name)

    def __dir__(self) -> Iterable[str]:
        return {*super().__dir__(), *dir(Summary)}

    def __repr__(self) -> str:
        if "collected" in vars(self):
            return repr(self.collected)
        return (
            f"{', '.join(self._plan.names)} over {len(self._parts):,} partitions, not computed "
            f"yet.\n.summary() computes means, .per_query is a lazy frame of every query's "
            f"values, .compute() brings everything here."
        )

    def _repr_html_(self) -> str | None:
        return self.collected._repr_html_() if "collected" in vars(self) else None


# What happens to a partition. These functions run on the workers.


def _whole(rows: Any, plan: Plan) -> Any:
    """Return what must be known of all rows; a Delayed."""
    roles = plan.roles
    delayed = need("dask").delayed
    needed = [name for name in (roles.grade, roles.system) if name is not None]
    parts = [delayed(Whole.of)(part, roles) for part in rows[needed].to_delayed()]
    return _in_tree(parts, Whole.merged)


def _conforming(rows: Any, plan: Plan) -> Any:
    """Return rows whose query ids are of one type, numbered where their order matters."""
    kinds = dict(rows._meta.dtypes[list(plan.roles.query)])
    meta = _conform(rows._meta, kinds, number=plan.by_order)
    return rows.map_partitions(_conform, kinds, number=plan.by_order, meta=meta)


def _conform(
    rows: pd.DataFrame,
    kinds: dict[Any, Any],
    *,
    number: bool,
    partition_info: dict[str, Any] | None = None,
) -> pd.DataFrame:
    """Return a partition whose query ids are hashed alike where they are equal."""
    rows = rows.copy(deep=False)
    for name, kind in kinds.items():
        values = rows[name]
        if isinstance(values.dtype, pd.CategoricalDtype):
            values = values.astype(values.cat.categories.dtype)
        elif values.dtype != kind:
            values = values.astype(kind)
        if values.dtype == object:
            found = pd.api.types.infer_dtype(values, skipna=True)
            if found not in ("string", "bytes", "empty"):
                raise DataError(
                    f"The query ids in {name!r} are objects ({found}), of which equal ones may "
                    f"end up apart. Convert them: ddf.astype({{{name!r}: str}})."
                )
        if pd.api.types.is_float_dtype(values.dtype):
            values = values + 0.0  # −0.0 equals 0.0, and must be hashed like it
        rows[name] = values
    if number:
        place = 0 if partition_info is None else partition_info["number"]
        rows[ROW] = place * PARTITION_ROWS + np.arange(len(rows))
    return rows


def _measured(plan: Plan, rows: pd.DataFrame, key: Any, bound: Any) -> Part | None:
    """Measure a partition, which holds whole queries; None when it is empty."""
    if not len(rows):
        return None
    if bound is not None:
        _check_divisions(rows[key], bound)
    if ROW in rows:
        rows = rows.sort_values(ROW)
    with alone(), kept():
        return Part.of(plan, rows.reset_index(drop=True))


def _check_divisions(ids: pd.Series[Any], bound: tuple[Any, Any, bool]) -> None:
    low, high, last = bound
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


def _table(part: Part | None, meta: pd.DataFrame) -> pd.DataFrame:
    return meta if part is None else part.frame()


def _facts(part: Part | None) -> Facts | None:
    return None if part is None else part.facts()


def _merged_facts(parts: Iterable[Facts | None]) -> Facts | None:
    there = [part for part in parts if part is not None]
    return Facts.merged(there) if there else None


def _merged_parts(parts: Iterable[Part | None]) -> Part | None:
    there = [part for part in parts if part is not None]
    return Part.merged(there) if there else None


def _there(found: Any) -> Any:
    if found is None:
        raise DataError("The frame has no rows, so there is nothing to evaluate.")
    return found


def _mean(plan: Plan, facts: Facts | None) -> Any:
    summary = Summary.of_facts(plan, _there(facts), None)
    means = summary.mean()
    name = plan.names[0]
    return means[name] if plan.several else float(means[name])


def _in_tree(parts: Sequence[Any], merge: Callable[[Iterable[Any]], Any]) -> Any:
    """Return the Delayed that brings parts together, a few at a time."""
    delayed = need("dask").delayed
    parts = list(parts)
    while len(parts) > 1:
        steps = range(0, len(parts), FAN_IN)
        parts = [delayed(merge)(parts[at : at + FAN_IN]) for at in steps]
    return parts[0] if parts else delayed(merge)([])


def _bounds(divisions: Sequence[Any]) -> list[tuple[Any, Any, bool]]:
    """Return the lowest and highest id of each partition, and whether it is the last."""
    last = len(divisions) - 2
    return [(divisions[at], divisions[at + 1], at == last) for at in range(last + 1)]


def _meta(plan: Plan, queries: pd.DataFrame) -> pd.DataFrame:
    """Return an empty table of values."""
    index = (
        pd.MultiIndex.from_frame(queries)
        if len(queries.columns) > 1
        else pd.Index(queries.iloc[:, 0])
    )
    return pd.DataFrame(np.empty((0, len(plan.columns()))), index=index, columns=plan.columns())
