"""Rows of Parquet files sorted by query, out of core, by DuckDB."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from rank_magic.engines.needs import need

__all__ = ["sorted_batches"]


def sorted_batches(
    files: Sequence[str],
    used: Sequence[str],
    query: Sequence[Hashable],
    rows: int,
    memory: int,
    *,
    ordered: bool,
) -> Iterator[Any]:
    """Yield the rows of all files by query, in Arrow's batches.

    Parameters
    ----------
    files : sequence of str
    used : sequence of str
        The columns to be read.
    query : sequence of column names
        What names a query.
    rows : int
        How many rows to yield at once.
    memory : int
        How many bytes of memory sorting may take; beyond them it goes to disk.
    ordered : bool
        Whether a query's rows must stay in the order of files, and of rows within them.
    """
    duckdb = need("duckdb")
    columns, keys = ", ".join(map(_quoted, used)), ", ".join(_quoted(str(name)) for name in query)
    if ordered:
        # Each file gets a number, since its name may not sort as it was given.
        sources = " UNION ALL ".join(
            f"SELECT {columns}, {place} AS _file, file_row_number AS _row "
            f"FROM read_parquet({_text(path)}, file_row_number = true)"
            for place, path in enumerate(files)
        )
        sql = f"SELECT {columns} FROM ({sources}) ORDER BY {keys}, _file, _row"
    else:
        paths = ", ".join(map(_text, files))
        sql = f"SELECT {columns} FROM read_parquet([{paths}]) ORDER BY {keys}"
    with (
        tempfile.TemporaryDirectory(prefix="rank_magic") as folder,
        duckdb.connect() as connection,
    ):
        connection.execute(f"SET memory_limit = '{memory}B'")
        connection.execute(f"SET temp_directory = {_text(folder)}")
        found = connection.sql(sql)
        # Older versions of DuckDB call it otherwise.
        read = getattr(found, "to_arrow_reader", None) or found.fetch_arrow_reader
        yield from read(rows)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
