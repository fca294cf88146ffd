"""Polars frames: measured as they are, answered in kind.

Columns of numbers without gaps are shared with Polars, not copied; only the columns that play a
role are looked at, unless an explanation shows the others.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

import pandas as pd

from rank_magic.engines.arrow import frame_of
from rank_magic.engines.needs import need
from rank_magic.engines.plan import split
from rank_magic.evaluation import Evaluation
from rank_magic.evaluation import evaluate as evaluate_pandas
from rank_magic.explanation import Explanation
from rank_magic.measures import MeasureLike
from rank_magic.roles import find_roles

__all__ = ["PolarsEvaluation", "evaluate"]


def evaluate(
    frame: Any, measures: MeasureLike | Iterable[MeasureLike] | None = None, **options: Any
) -> PolarsEvaluation:
    """Evaluate the rankings in a Polars frame.

    Parameters
    ----------
    frame : polars.DataFrame or polars.LazyFrame
        A row per query and document. A LazyFrame is collected, in the columns that are used.
    measures, **options
        As in `rank_magic.evaluate`.

    Returns
    -------
    PolarsEvaluation
        An `Evaluation` whose tables are Polars frames.
    """
    pl = need("polars")
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    _, roles = split(options)
    schema = pd.DataFrame({name: _example(pl, kind) for name, kind in frame.schema.items()})
    used = find_roles(schema, **roles).columns() if frame.height else []
    rows = _as_pandas(frame.select(used) if used else frame)
    return PolarsEvaluation(evaluate_pandas(rows, measures, **options), frame)


class PolarsEvaluation:
    """An evaluation of a Polars frame; what is not said here is as in `rank_magic.Evaluation`.

    Attributes
    ----------
    evaluation : Evaluation
        The same with pandas' tables.
    """

    def __init__(self, evaluation: Evaluation, frame: Any) -> None:
        self.evaluation, self._frame = evaluation, frame

    @cached_property
    def per_query(self) -> Any:
        """A row for each query, sorted, and a column for each measure.

        With several systems a row for each query and system.
        """
        evaluation = self.evaluation
        queries = self._queries()
        if not evaluation.rankings.rows.several:
            return queries.with_columns(self._columns(0))
        pl = need("polars")
        tables = [
            queries.with_columns(pl.lit(str(system)).alias("system"), *self._columns(number))
            for number, system in enumerate(evaluation.systems)
        ]
        return pl.concat(tables).sort(queries.columns, maintain_order=True)

    def only(self, *, mean: bool) -> Any:
        """Return the first measure's values or, where `mean` is asked for, its means.

        A row for each query, and for several systems a column for each; one mean is a number.
        """
        name = self.evaluation.names[0]
        several = self.evaluation.rankings.rows.several
        if mean:
            means = self.evaluation.mean()[name]
            return self._from_pandas(means.reset_index()) if several else float(means)
        if not several:
            return self.per_query
        values = self.evaluation.per_query.xs(name, axis=1, level="measure")
        pl = need("polars")
        columns = [pl.Series(str(system), values[system].to_numpy()) for system in values.columns]
        return self._queries().with_columns(columns)

    def mean(self) -> Any:
        """Return the mean over queries of each measure, in a row for each system."""
        means = self.evaluation.mean()
        one = isinstance(means, pd.Series)
        return self._from_pandas(means.to_frame().T if one else means.reset_index())

    def summary(self) -> Any:
        """Return means with 95 % intervals and the number of queries behind each."""
        return self._from_pandas(self.evaluation.summary().reset_index())

    @property
    def coverage(self) -> Any:
        """The facts that the means rest on: a row for each, a column for each system."""
        return self._from_pandas(self.evaluation.coverage.astype(float).reset_index(names="fact"))

    @property
    def sensitivity(self) -> Any:
        """What each mean would be under other choices, see `Evaluation.sensitivity`."""
        return self._from_pandas(self.evaluation.sensitivity.reset_index())

    def explain(self, query: Any = None, *, system: Hashable | None = None) -> Explanation:
        """Return one ranking, rank by rank, with all columns of the frame."""
        rankings = self.evaluation.rankings
        rows = rankings.rows
        shown = _as_pandas(self._frame[rows.frame.index.to_numpy()])
        with_all = replace(rankings, rows=replace(rows, frame=shown))
        return replace(self.evaluation, rankings=with_all).explain(query, system=system)

    def shown(self, **changes: Any) -> PolarsEvaluation:
        """Return the same evaluation, shown otherwise; see `Evaluation.shown`."""
        return PolarsEvaluation(self.evaluation.shown(**changes), self._frame)

    def _queries(self) -> Any:
        """Return the queries, sorted, in columns of their own types."""
        rankings = self.evaluation.rankings
        groups, rows = rankings.groups, rankings.rows.frame.index.to_numpy()
        first = groups.start if groups.order is None else groups.order[groups.start]
        return self._frame[rows[first]].select(rankings.roles.query)

    def _columns(self, system: int) -> list[Any]:
        pl = need("polars")
        values = self.evaluation._ruled[system]
        names = self.evaluation.names
        return [pl.Series(name, row.copy()) for name, row in zip(names, values, strict=True)]

    def _from_pandas(self, table: pd.DataFrame) -> Any:
        return need("polars").DataFrame(
            {
                str(name): (column.astype(str) if column.dtype == object else column).to_list()
                for name, column in table.items()
            }
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.evaluation, name)

    def __dir__(self) -> Iterable[str]:
        return {*super().__dir__(), *dir(self.evaluation)}

    def __repr__(self) -> str:
        return repr(self.evaluation)

    def _repr_html_(self) -> str:
        return self.evaluation._repr_html_()


def _example(pl: Any, kind: Any) -> list[Any]:
    """Return one value of a column's type, number or text, which is all that roles ask."""
    return [0.0] if kind.is_numeric() or kind == pl.Boolean else [""]


def _as_pandas(frame: Any) -> pd.DataFrame:
    """Return a Polars frame as a pandas one, sharing what can be shared."""
    pl = need("polars")
    columns = {}
    for series in frame.get_columns():
        kind = series.dtype
        if kind == pl.Object:
            columns[series.name] = pd.Series(series.to_list(), dtype=object)
        elif kind.is_numeric() and not kind.is_decimal() and not series.null_count():
            columns[series.name] = pd.Series(series.to_numpy(), copy=False)
        else:
            columns.update(frame_of(series.to_frame().to_arrow()))
    return pd.DataFrame(columns, index=pd.RangeIndex(frame.height), copy=False)
