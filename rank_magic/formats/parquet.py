"""Parquet, by pyarrow."""

from __future__ import annotations

from typing import IO, Any

import pandas as pd

from rank_magic.errors import DataError
from rank_magic.formats.base import Format
from rank_magic.formats.files import Stream
from rank_magic.formats.named import as_pairs, by_kind
from rank_magic.formats.writing import Pairs

__all__ = ["FORMATS"]


def read_parquet(stream: Stream, kind: str) -> pd.DataFrame:
    """Read a Parquet file."""
    pa, pq = _arrow()
    try:
        table = pq.read_table(pa.BufferReader(stream.read()))
        frame = table.to_pandas(ignore_metadata=True)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError, OverflowError) as error:
        raise DataError(f"{stream.name} is no Parquet file that can be read: {error}.") from None
    if not frame.columns.is_unique:
        raise DataError(f"{stream.name} has several columns of one name.")
    return as_pairs(frame, kind, stream)


def write_parquet(pairs: Pairs, file: IO[bytes]) -> None:
    """Write a Parquet file of all columns."""
    pa, pq = _arrow()
    try:
        pq.write_table(pa.Table.from_pandas(pairs.frame, preserve_index=False), file)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise DataError(f"The frame can't be written as Parquet: {error}.") from None


def _arrow() -> Any:
    try:
        import pyarrow as pa
        from pyarrow import parquet as pq
    except ImportError:
        raise DataError("Parquet needs pyarrow: pip install pyarrow.") from None
    return pa, pq


FORMATS = (
    Format(
        "parquet",
        "a Parquet file with columns such as query_id, doc_id and grade or score",
        lambda head: head.startswith(b"PAR1"),
        **by_kind(read_parquet),
        write_run=write_parquet,
        write_qrels=write_parquet,
        suffixes=(".parquet",),
    ),
)
