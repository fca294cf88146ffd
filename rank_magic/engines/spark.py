"""Spark frames: sorted by query within partitions, measured where they are.

Rows are repartitioned by query and sorted within partitions, which is one shuffle, and pass through
``mapInArrow`` in large pieces that hold whole queries. Values stay in a Spark frame; what means,
intervals and coverage are made of is collected, a few kilobytes from each partition.

Versions: Spark 4.0 and later run on Java 17 and Python 3.10 and later. Rows travel as Arrow's, so
that it does not matter whether Spark's own conversions know the pandas version: tried with pyspark
4.3 beside pandas 3.1 and pyarrow 26, and with pyspark 4.0 beside pandas 2.2 and pyarrow 15. The
workers need rank_magic installed, with the driver's versions of numpy and pandas.
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import pandas as pd

from rank_magic.engines.gathered import Summary
from rank_magic.engines.needs import need
from rank_magic.engines.parts import Facts, Part
from rank_magic.engines.plan import ROW, Plan
from rank_magic.engines.streams import tables, whole_queries
from rank_magic.errors import DataError, RankMagicError
from rank_magic.measures import MeasureLike
from rank_magic.memory import kept
from rank_magic.threads import alone
from rank_magic.whole import Whole

__all__ = ["SparkEvaluation", "evaluate"]

# The column in which a partition's last row carries what adds up.
FACTS = "_rank_magic_facts"
# How many rows are measured at once.
ROWS = 1 << 19


def evaluate(
    frame: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    order_by: str | None = None,
    **options: Any,
) -> SparkEvaluation:
    """Evaluate the rankings in a Spark DataFrame.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        A row per query and document.
    measures, **options
        As in `rank_magic.evaluate`.
    order_by : str, optional
        The column that holds the order of rows, where it matters (``order="rows"``,
        ``ties="order"``, ``duplicates="first"`` and ``"best"``): Spark's rows have none.

    Returns
    -------
    SparkEvaluation
        Means, intervals and coverage are there; ``per_query`` is a Spark DataFrame with a row
        for each query, or for each query and system, in no particular order.

    Notes
    -----
    Measures stand in columns of their own names, which Spark wants in backticks:
    ``per_query.select("`nDCG@10`")``. The values of queries are kept in Spark's cache until
    `SparkEvaluation.unpersist` is called.
    """
    functions = need("pyspark.sql.functions")
    plan = Plan.of(_schema(frame), measures, **options)
    if plan.by_order and order_by is None:
        raise DataError(
            "Rows have no order in Spark, but it matters here. Name a column that holds it, or "
            "give a rank: rank_magic.engines.spark.evaluate(..., order_by='...')."
        )
    plan = plan.knowing(_whole(frame, plan))
    used = [functions.col(_quoted(name)) for name in plan.roles.columns()]
    order = [functions.col(_quoted(order_by)).alias(ROW)] if order_by is not None else []
    query = [functions.col(_quoted(name)) for name in plan.roles.query]
    rows = frame.select(*used, *order).repartition(*query)
    rows = rows.sortWithinPartitions(*query, *([ROW] if order else []))
    schema = _table_schema(frame, plan)
    with warnings.catch_warnings():
        # That it does not know pandas 3 yet is not to the point: no frame of pandas' is made.
        warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas")
        table = rows.mapInArrow(_measuring(plan, ROWS), schema).persist()
    facts = functions.col(FACTS)
    found = [pickle.loads(row[0]) for row in table.where(facts.isNotNull()).select(FACTS).collect()]
    for error in found:
        if isinstance(error, Exception):
            table.unpersist()
            raise error
    if not found:
        raise DataError("The frame has no rows, so there is nothing to evaluate.")
    per_query = table.where(facts.isNull()).drop(FACTS)
    return SparkEvaluation.of_table(plan, Facts.merged(found), per_query, table)


@dataclass(frozen=True, eq=False, repr=False)
class SparkEvaluation(Summary):
    """An evaluation of a Spark frame: means, intervals and coverage, and values in Spark."""

    kept: Any = field(kw_only=True, default=None)

    @classmethod
    def of_table(cls, plan: Plan, facts: Facts, per_query: Any, kept: Any) -> SparkEvaluation:
        """Return the evaluation of a table that Spark keeps."""
        summary = Summary.of_facts(plan, facts, lambda: per_query)
        return cls(**vars(summary), kept=kept)

    def unpersist(self) -> None:
        """Let Spark forget the values of queries; they are computed again when asked for."""
        self.kept.unpersist()


def _quoted(name: Any) -> str:
    return "`" + str(name).replace("`", "``") + "`"


def _schema(frame: Any) -> pd.DataFrame:
    """Return the columns of a Spark frame, as numbers or as text."""
    types = need("pyspark.sql.types")
    numeric = (types.NumericType, types.BooleanType)
    return pd.DataFrame(
        {
            column.name: [0.0] if isinstance(column.dataType, numeric) else [""]
            for column in frame.schema.fields
        }
    )


def _whole(frame: Any, plan: Plan) -> Whole:
    """Return what must be known of all rows."""
    functions, types = need("pyspark.sql.functions"), need("pyspark.sql.types")
    name = plan.roles.grade
    kind = frame.schema[name].dataType
    if not isinstance(kind, (types.NumericType, types.BooleanType)):
        raise DataError(
            f"The grade column {name!r} must hold numbers, but it is {kind.simpleString()}. "
            f"Convert it first: frame.withColumn({name!r}, col({name!r}).cast('double'))."
        )
    grade = functions.col(_quoted(name)).cast("double")
    grade = functions.when(~functions.isnan(grade), grade)
    ends = (
        functions.min(grade),
        functions.max(grade),
        functions.max(functions.when(grade == 0, 0.0)),
    )
    found = frame.agg(*(end.alias(str(place)) for place, end in enumerate(ends))).collect()[0]
    systems: list[Any] = []
    if plan.roles.system is not None:
        names = frame.select(functions.col(_quoted(plan.roles.system))).distinct().collect()
        systems = [row[0] for row in names if row[0] is not None]
    parts = [Whole((end,)) for end in found if end is not None]
    return Whole.merged([*parts, Whole(systems=tuple(systems))])


def _table_schema(frame: Any, plan: Plan) -> Any:
    """Return the columns of a table of values, and behind them that of facts."""
    types = need("pyspark.sql.types")
    fields = [
        types.StructField(name, frame.schema[name].dataType, nullable=True)
        for name in plan.roles.query
    ]
    if plan.several:
        fields.append(types.StructField("system", types.StringType(), nullable=True))
    fields += [types.StructField(name, types.DoubleType(), nullable=True) for name in plan.names]
    return types.StructType([*fields, types.StructField(FACTS, types.BinaryType(), nullable=True)])


# What happens to a partition, on the workers.


def _measuring(plan: Plan, rows: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return what turns the rows of a partition into a table of values.

    Parameters
    ----------
    plan : Plan
    rows : int
        How many rows are measured at once.
    """

    def measure(batches: Iterator[Any]) -> Iterator[Any]:
        pa = need("pyarrow")
        chunks = tables(batches, rows)
        first = next(chunks, None)
        if first is None:
            return
        columns = _columns(plan, first.schema)
        nothing = {field.name: pa.nulls(1, field.type) for field in columns}
        last: Any = None
        try:
            facts: list[Facts] = []
            for runs, frame in whole_queries(chain([first], chunks), plan.roles.query):
                part = _part(plan, frame, runs)
                facts.append(part.facts())
                yield from _table(part, columns).to_batches()
            last = Facts.merged(facts)
        except RankMagicError as error:
            last = error  # told by the driver, since Spark would bury it in a Java trace
        row = pa.table({**nothing, FACTS: [pickle.dumps(last)]}, schema=columns)
        yield from row.to_batches()

    return measure


def _columns(plan: Plan, given: Any) -> Any:
    """Return the columns of a table of values as Arrow has them, the ids as they came."""
    pa = need("pyarrow")
    fields = [pa.field(name, given.field(name).type) for name in plan.roles.query]
    if plan.several:
        fields.append(pa.field("system", pa.string()))
    fields += [pa.field(name, pa.float64()) for name in plan.names]
    return pa.schema([*fields, pa.field(FACTS, pa.binary())])


def _part(plan: Plan, rows: pd.DataFrame, runs: int) -> Part:
    with alone(), kept():
        part = Part.of(plan, rows)
    if runs > len(part.queries):
        raise DataError(
            "Some query ids are equal here and differ in Spark, such as 0.0 and -0.0. Convert "
            "them to text or to whole numbers."
        )
    return part


def _table(part: Part, columns: Any) -> Any:
    """Return the values of a part as an Arrow table, without facts."""
    pa = need("pyarrow")
    queries, plan = part.queries, part.plan
    names = plan.roles.query
    ids = [queries.get_level_values(place) for place in range(len(names))]
    systems = [name for name, _ in plan.columns()[:: len(plan.names)]] if plan.several else [None]
    made = []
    for number, system in enumerate(systems):
        table = {
            name: pa.array(level, type=columns.field(name).type, from_pandas=True)
            for name, level in zip(names, ids, strict=True)
        }
        if plan.several:
            table["system"] = pa.array([str(system)] * len(queries), type=pa.string())
        values = zip(plan.names, part.ruled[number], strict=False)
        table |= {name: pa.array(row, type=pa.float64()) for name, row in values}
        table[FACTS] = pa.nulls(len(queries), pa.binary())
        made.append(pa.table(table, schema=columns))
    return pa.concat_tables(made)
