"""Parquet files larger than memory: streamed where they are grouped by query, else sorted first.

The top grade is found from the statistics that Parquet keeps, or from the grade column alone. Then
rows stream by, so many at a time as the memory allows, and whole queries are measured as soon as
their last row is there. Files in which a query's rows stand apart are sorted by DuckDB, which does
it out of core. In memory is never more than `memory`, the largest query, and the results: 8 bytes
for each query and measure, and about 30 more for each query.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from rank_magic.engines.arrow import frame_of
from rank_magic.engines.gathered import Gathered
from rank_magic.engines.needs import need
from rank_magic.engines.parts import Part
from rank_magic.engines.plan import Plan
from rank_magic.engines.sorting import sorted_batches
from rank_magic.engines.streams import tables, whole_queries
from rank_magic.errors import ColumnError, DataError, listed
from rank_magic.measures import MeasureLike
from rank_magic.threads import THREADS, alone, one_ahead
from rank_magic.whole import Whole

__all__ = ["evaluate"]

MEMORY = "2GB"
LEAST = 10**8
UNITS = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS |= {"KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
# How often rows are there while they are worked on: read, held back, read ahead, measured.
COPIES = 6
# More rows at once are no faster, and fewer are slow.
MOST_ROWS, FEWEST_ROWS = 1 << 21, 1 << 14


def evaluate(
    paths: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    memory: str | int = MEMORY,
    **options: Any,
) -> Gathered:
    """Evaluate the rankings in Parquet files, however large they are.

    Parameters
    ----------
    paths : path, or list of paths
        Files, folders of them, or patterns such as ``"runs/*.parquet"``, with a row per query and
        document. A query's rows may be in several files.
    measures, **options
        As in `rank_magic.evaluate`.
    memory : str or int
        About how much memory rows may take, such as ``"4GB"``; a number is bytes. A query is never
        split, so the largest must fit.

    Returns
    -------
    Gathered
        An `Evaluation`; but since no rows are kept, it explains no single ranking.

    Raises
    ------
    LibraryError
        If pyarrow is missing, or DuckDB where files are not grouped by query.
    """
    pq = need("pyarrow.parquet")
    files = [path for path in _files(paths) if pq.read_metadata(path).num_rows]
    if not files:
        raise DataError("The files have no rows, so there is nothing to evaluate.")
    schema = pq.read_schema(files[0])
    plan = Plan.of(schema.empty_table().to_pandas(), measures, **options)
    used = [str(name) for name in plan.roles.columns()]
    _check_schemas(files, schema, used)
    budget = size_in_bytes(memory)
    rows = _rows_at_once(files, used, budget // COPIES)
    plan = plan.knowing(Whole.merged(_wholes(files, plan)))
    part = _measured(plan, tables(_batches(files, used, rows), rows // 2))
    if part is None:
        ordered = plan.by_order
        batches = sorted_batches(files, used, plan.roles.query, rows, budget // 2, ordered=ordered)
        part = _measured(plan, tables(batches, rows // 2))
    if part is None:
        raise DataError(
            f"After sorting by {listed(plan.roles.query)} some ids still stand apart: they are "
            f"equal here and differ in DuckDB. Convert them to text or to whole numbers."
        )
    return Gathered.of_part(part)


def size_in_bytes(memory: str | int) -> int:
    """Return a size such as ``"4GB"`` in bytes."""
    text = str(memory).strip().upper().replace(" ", "")
    number = text.rstrip("BKMGTI")
    unit = text[len(number) :]
    try:
        size = int(float(number) * UNITS[unit])
    except (KeyError, OverflowError, ValueError):
        size = 0
    if size < LEAST:
        raise DataError(
            f"memory={memory!r} is not a size of at least 100MB. Write it as '4GB' or '500MB'."
        )
    return size


def _files(paths: Any) -> list[str]:
    """Return the files that paths, folders and patterns name, in their order."""
    found: list[str] = []
    for path in paths if isinstance(paths, (list, tuple)) else [paths]:
        text = os.fspath(path)
        if Path(text).is_dir():
            here = sorted(map(str, Path(text).rglob("*.parquet")))
        elif Path(text).exists():
            here = [text]
        else:
            here = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (may start at the root)
        if not here:
            raise DataError(
                f"There is no Parquet file at {text!r}, seen from {str(Path.cwd())!r}. A "
                f"{type(path).__name__} names Parquet files; of any other file make a DataFrame "
                f"with a row per query and document, such as with rm.read_run or pd.read_csv."
            )
        found += here
    return found


def _check_schemas(files: Sequence[str], schema: Any, used: Sequence[str]) -> None:
    """Raise when a file lacks a column or has it of another type."""
    pq = need("pyarrow.parquet")
    for path in files[1:]:
        other = pq.read_schema(path)
        for name in used:
            if name not in other.names:
                raise ColumnError(f"There is no column {name!r} in {path!r}, as in {files[0]!r}.")
            kind, first = other.field(name).type, schema.field(name).type
            if kind != first:
                raise ColumnError(
                    f"The column {name!r} is {kind} in {path!r} and {first} in {files[0]!r}. "
                    f"Write it as the same type everywhere."
                )


# What must be known of all rows.


def _wholes(files: Sequence[str], plan: Plan) -> Iterator[Whole]:
    """Yield what must be known of each row group, from its statistics where they say enough."""
    pq = need("pyarrow.parquet")
    roles = plan.roles
    needed = [str(name) for name in (roles.grade, roles.system) if name is not None]
    for path in files:
        with pq.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                whole = None
                if roles.system is None:
                    whole = _from_statistics(file.metadata.row_group(number), needed[0])
                if whole is None:
                    table = file.read_row_group(number, columns=needed)
                    whole = Whole.of(frame_of(table), roles)
                yield whole


def _from_statistics(group: Any, name: str) -> Whole | None:
    """Return what the statistics of a row group say of its grades; None when it is not enough."""
    chunks = (group.column(place) for place in range(group.num_columns))
    chunk = next(chunk for chunk in chunks if chunk.path_in_schema == name)
    known = chunk.statistics
    if known is None or chunk.physical_type not in ("INT32", "INT64", "FLOAT", "DOUBLE"):
        return None
    if not known.has_min_max:
        nothing = known.has_null_count and known.null_count == chunk.num_values
        return Whole() if nothing else None
    low, high = known.min, known.max
    if not isinstance(low, (int, float)) or np.isnan(low) or np.isnan(high):
        return None
    if low < 0 < high:  # whether 0 occurs is not known
        return None
    return Whole.merged([Whole((float(low),)), Whole((float(high),))])


# The rows, so many at a time.


def _rows_at_once(files: Sequence[str], used: Sequence[str], budget: int) -> int:
    """Return how many rows are read at once."""
    pq = need("pyarrow.parquet")
    size = rows = 0
    for path in files:
        metadata = pq.read_metadata(path)
        rows += metadata.num_rows
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            chunks = (group.column(place) for place in range(group.num_columns))
            size += sum(
                max(chunk.total_uncompressed_size, 8 * group.num_rows)
                for chunk in chunks
                if chunk.path_in_schema in used
            )
    return int(min(max(budget * rows // size, FEWEST_ROWS), MOST_ROWS))


def _batches(files: Sequence[str], used: Sequence[str], rows: int) -> Iterator[Any]:
    """Yield the rows of all files in order."""
    pq = need("pyarrow.parquet")
    for path in files:
        with pq.ParquetFile(path) as file:
            yield from file.iter_batches(batch_size=rows, columns=list(used))


def _measured(plan: Plan, chunks: Iterable[Any]) -> Part | None:
    """Measure rows that stream by; None when the rows of a query stand apart."""
    parts: list[Part] = []
    patience = 1
    for runs, rows in one_ahead(whole_queries(chunks, plan.roles.query)):
        # Of two cores the other one reads meanwhile.
        with alone() if THREADS <= 2 else nullcontext():
            part = Part.of(plan, rows)
        if runs > len(part.queries):
            return None
        parts.append(part)
        # Looked at ever more rarely, so that looking stays cheap.
        if len(parts) >= patience:
            parts, patience = [Part.merged(parts)], 2 * patience
            if not parts[0].queries.is_unique:
                return None
    whole = Part.merged(parts)
    return whole if whole.queries.is_unique else None
