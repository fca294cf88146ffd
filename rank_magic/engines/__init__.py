"""The same measures where the data lives: Polars, Parquet files, Dask and Spark.

None of these libraries is imported before it is used. Data is measured in parts that hold whole
queries (`parts`), by one plan for all of them (`plan`), after what every part must know of the
whole was found (`rank_magic.whole`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from rank_magic.errors import DataError
from rank_magic.measures import MeasureLike

__all__ = ["evaluate_elsewhere"]


def evaluate_elsewhere(
    source: Any, measures: MeasureLike | Iterable[MeasureLike] | None = None, **options: Any
) -> Any:
    """Evaluate what is not a pandas frame, by the engine that knows it.

    Parameters
    ----------
    source : path, list of paths, or frame of Polars, Dask or Spark
        What to evaluate.
    measures, **options
        As in `rank_magic.evaluate`.

    Raises
    ------
    DataError
        If no engine knows it.
    """
    return _engine(source)(source, measures, **options)


def _engine(source: Any) -> Callable[..., Any]:
    """Return what evaluates this kind of data."""
    paths = source if isinstance(source, (list, tuple)) and source else [source]
    if all(isinstance(path, (str, os.PathLike)) for path in paths):
        from rank_magic.engines.parquet import evaluate as evaluate_parquet

        return evaluate_parquet
    # By the library's name, so that none is imported to ask.
    library = type(source).__module__.partition(".")[0]
    kind = type(source).__name__
    if library == "polars" and kind in ("DataFrame", "LazyFrame"):
        from rank_magic.engines.polars import evaluate as evaluate_polars

        return evaluate_polars
    if library in ("dask", "dask_expr") and kind == "DataFrame":
        from rank_magic.engines.dask import evaluate as evaluate_dask

        return evaluate_dask
    if library == "pyspark" and kind == "DataFrame":
        from rank_magic.engines.spark import evaluate as evaluate_spark

        return evaluate_spark
    raise DataError(
        f"A DataFrame with a row per query and document is needed, of pandas, Polars, Dask or "
        f"Spark, or the path of Parquet files; not {type(source).__name__}."
    )
