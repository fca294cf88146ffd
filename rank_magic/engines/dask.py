"""Dask frames: lazy, one shuffle by query at most, facts brought together in a tree.

Every partition is measured on its own. What it must know of the whole is found before, by a light
pass over the grades; for means and coverage it is first taken to know enough, and measured again
if it lacks a grade at the ends of the scale. Before that rows are shuffled by query, unless the
frame's known divisions are those of the query: ``ddf.set_index("query", sorted=True)`` makes such
a frame of sorted data without a shuffle.

What a run costs, with r rows, s bytes a row of the columns used (8 for each number), p partitions
and workers of t threads: the shuffle moves r·s bytes, r·s/p a partition; a worker needs about
(2 + x)·t·r·s/p bytes: a partition as it comes and as it is shuffled, and x of it, about a quarter,
to measure it; and the results take 8 bytes for each query and measure. `notebooks/07_scale.ipynb`
measures the constants, `benchmarks/engines.py` whole runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd

from rank_magic.engines.gathered import Gathered, Summary
from rank_magic.engines.needs import need
from rank_magic.engines.partitions import (
    Layout,
    bounds,
    facts_of,
    laid_out,
    measured,
    measured_alone,
    measured_facts,
    merged_alone,
    merged_facts,
    merged_parts,
)
from rank_magic.engines.parts import Facts, Part
from rank_magic.engines.plan import Plan
from rank_magic.errors import DataError
from rank_magic.measures import MeasureLike
from rank_magic.whole import Whole

__all__ = ["DaskEvaluation", "evaluate"]

# How many results a step of a tree reduction brings together.
FAN_IN = 32
# What stands for the frame where partitions become something else.
NO_FRAME = pd.Series(dtype=object)


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
    index = frame._meta.index.name
    schema = frame._meta if index is None else frame._meta.reset_index()
    plan = Plan.of(schema, measures, **options)
    divided = frame.known_divisions and index in plan.roles.query
    if plan.roles.system is not None:
        plan = _knowing_whole(plan, frame).compute()
    layout = Layout.of_plan(plan, schema)
    rows = frame[[name for name in frame.columns if name in layout.used]]
    if list(rows.columns) == list(frame.columns):
        rows = frame  # a step less for every partition
    moved = not divided and rows.npartitions > 1
    if moved:
        meta = layout.of(rows._meta)
        rows = rows.map_partitions(laid_out, layout, meta=meta, clear_divisions=True)
        rows = rows.shuffle(on=list(plan.roles.query))
    within = bounds(index, frame.divisions) if divided else [None] * rows.npartitions
    partitions = [
        (partition, None if moved else layout, number, bound)
        for number, (partition, bound) in enumerate(zip(_partitions(rows), within, strict=True))
    ]
    queries = layout.of(schema)[list(plan.roles.query)]
    return DaskEvaluation(plan, frame, partitions, _meta(plan, queries))


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

    def __init__(
        self, plan: Plan, frame: Any, partitions: Sequence[tuple[Any, ...]], meta: pd.DataFrame
    ) -> None:
        self._plan, self._frame, self._partitions, self._meta = plan, frame, partitions, meta

    @cached_property
    def _known(self) -> Any:
        """The plan with what is known of all rows, lazily."""
        if self._plan.roles.system is not None:  # found out before
            return need("dask").delayed(self._plan)
        return _knowing_whole(self._plan, self._frame)

    @cached_property
    def _parts(self) -> list[Any]:
        """Every partition measured, lazily."""
        return self._of_each(measured, self._known)

    def _of_each(self, function: Callable[..., Any], plan: Any, numbers: Any = None) -> list[Any]:
        """Return what the function makes of a plan and each partition, or of some, lazily."""
        work = need("dask").delayed(function)
        chosen = range(len(self._partitions)) if numbers is None else numbers
        return [work(plan, *self._partitions[number]) for number in chosen]

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
        if "_parts" in vars(self):  # asked for, or kept by `persist`
            facts = [need("dask").delayed(facts_of)(part) for part in self._parts]
        else:
            facts = self._of_each(measured_facts, self._known)  # a step less for every partition
        return _in_tree(facts, merged_facts)

    def _plan_and_facts(self) -> tuple[Plan, Facts | None]:
        """Return what is known of all rows, and what `lazy_facts` gives, computed.

        A partition mostly has the grades at the ends of the scale, and need not know of the others
        before it is measured. Those that turn out to lack some are measured again.
        """
        dask = need("dask")
        if "_parts" in vars(self) or self._plan.roles.system is not None:
            return dask.compute(self._known, self.lazy_facts)
        alone = self._of_each(measured_alone, dask.delayed(self._plan))
        found = _in_tree(alone, merged_alone).compute()
        plan = self._plan.knowing(Whole.merged(found))
        negative = plan.conventions.negative
        levels = set(plan.whole.levels(negative))
        enough = [group for whole, group in found.items() if levels <= {*whole.levels(negative)}]
        facts = [group.facts for group in enough]
        again = set(range(len(self._partitions))).difference(*(group.numbers for group in enough))
        if again:
            others = self._of_each(measured_facts, dask.delayed(plan), sorted(again))
            facts.append(_in_tree(others, merged_facts).compute())
        return plan, merged_facts(facts)

    @cached_property
    def collected(self) -> Summary:
        """Means, intervals and coverage, computed; the values of queries stay where they are."""
        plan, facts = self._plan_and_facts()
        return Summary.of_facts(plan, _there(facts), partial(getattr, self, "per_query"))

    def compute(self, **options: Any) -> Gathered:
        """Compute everything and return it in this process, the values of all queries included.

        Parameters
        ----------
        **options
            As in Dask's ``compute``.
        """
        part = need("dask").delayed(merged_parts)(self._parts)
        return Gathered.of_part(_there(part.compute(**options)))

    def persist(self, **options: Any) -> DaskEvaluation:
        """Compute the values of all queries and keep them in the workers' memory."""
        kept = DaskEvaluation(self._plan, self._frame, self._partitions, self._meta)
        kept._parts = list(need("dask").persist(*self._parts, **options))
        return kept

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
            f"{', '.join(self._plan.names)} over {len(self._partitions):,} partitions, not "
            f"computed yet.\n.summary() computes means, .per_query is a lazy frame of every "
            f"query's values, .compute() brings everything here."
        )

    def _repr_html_(self) -> str | None:
        return self.collected._repr_html_() if "collected" in vars(self) else None


def _partitions(rows: Any) -> list[Any]:
    """Return the partitions of a frame, each lazily, or as a future where it is kept by one."""
    partitions = rows.to_delayed()
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return partitions
    # Dask hands out another name for a partition that is kept, which is a step more each time.
    kept_by = {future.key: future for future in distributed.futures_of(rows)}
    names = [getattr(part.dask.get(part.key), "target", None) for part in partitions]
    return [kept_by.get(name, part) for name, part in zip(names, partitions, strict=True)]


def _knowing_whole(plan: Plan, frame: Any) -> Any:
    """Return the plan with what is known of all rows, lazily."""
    roles = plan.roles
    rows = frame[[name for name in frame.columns if name in (roles.grade, roles.system)]]
    # One step for every partition; what comes of it is no frame.
    wholes = rows.map_partitions(Whole.of, roles, meta=NO_FRAME, enforce_metadata=False)
    return _in_tree(wholes.to_delayed(), Whole.merged, partial(_knowing, plan))


# These functions run on the workers, too.


def _knowing(plan: Plan, wholes: Iterable[Whole]) -> Plan:
    return plan.knowing(Whole.merged(wholes))


def _table(part: Part | None, meta: pd.DataFrame) -> pd.DataFrame:
    return meta if part is None else part.frame()


def _there(found: Any) -> Any:
    if found is None:
        raise DataError("The frame has no rows, so there is nothing to evaluate.")
    return found


def _mean(plan: Plan, facts: Facts | None) -> Any:
    summary = Summary.of_facts(plan, _there(facts), lambda: None)
    means = summary.mean()
    name = plan.names[0]
    return means[name] if plan.several else float(means[name])


def _in_tree(
    parts: Sequence[Any],
    merge: Callable[[Iterable[Any]], Any],
    last: Callable[[Iterable[Any]], Any] | None = None,
) -> Any:
    """Return the Delayed that brings parts together, a few at a time, the last ones by `last`."""
    delayed = need("dask").delayed
    parts = list(parts)
    while len(parts) > FAN_IN:
        steps = range(0, len(parts), FAN_IN)
        parts = [delayed(merge)(parts[at : at + FAN_IN]) for at in steps]
    return delayed(last or merge)(parts)


def _meta(plan: Plan, queries: pd.DataFrame) -> pd.DataFrame:
    """Return an empty table of values."""
    index = (
        pd.MultiIndex.from_frame(queries)
        if len(queries.columns) > 1
        else pd.Index(queries.iloc[:, 0])
    )
    return pd.DataFrame(np.empty((0, len(plan.columns()))), index=index, columns=plan.columns())
