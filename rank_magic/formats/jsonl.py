"""JSON lines: an object for each row, as data sets and BEIR are passed on."""

from __future__ import annotations

from typing import IO, Any

import numpy as np
import pandas as pd

from rank_magic.errors import DataError, listed
from rank_magic.formats.base import DOC, GRADE, QUERY, Format
from rank_magic.formats.delimited import text_column
from rank_magic.formats.files import Stream, wrong
from rank_magic.formats.json_text import dump, entry_text, first_object, records
from rank_magic.formats.named import as_pairs, by_kind, roles_of, shortened
from rank_magic.formats.writing import Pairs, check_ids

__all__ = ["FORMATS"]

BEIR_NAMES = {"query-id": QUERY, "corpus-id": DOC}


def read_jsonl(stream: Stream, kind: str) -> pd.DataFrame:
    """Read one object in each line, or one list of objects."""
    columns: dict[str, list[Any]] = {}
    count = 0
    for count, (line, record) in enumerate(records(stream), 1):
        if set(record) != set(columns):
            if count > 1 and not set(record) <= set(columns):
                extra = sorted(set(record) - set(columns))
                raise wrong(
                    stream.name,
                    line,
                    str(record),
                    f"New names after the first line: {listed(shortened(extra), 3)}",
                )
            columns = columns or {name: [] for name in record}
        for name, cells in columns.items():
            cells.append(record.get(name))
    if not count:
        raise DataError(f"{stream.name} holds no entry.")
    names = {name: BEIR_NAMES.get(name, name) for name in columns}
    if "query-id" in names and kind == "qrels" and "score" in names:
        names["score"] = GRADE
    columns = {names[name]: cells for name, cells in columns.items()}
    roles = roles_of(list(columns), kind, stream)
    made: dict[str, Any] = {}
    for name, cells in columns.items():
        if name in (roles["query"], roles["doc"]):
            made[name] = text_column(
                [[entry_text(cell, f"{stream.name}: a {name}") for cell in cells]]
            )
        else:
            made[name] = _values(cells)
    return as_pairs(pd.DataFrame(made), kind, stream)


def _values(cells: list[Any]) -> Any:
    plain = {type(cell) for cell in cells if cell is not None}
    if plain <= {str}:
        return (
            text_column([cells])
            if None not in cells
            else pd.Series(cells, dtype="str" if plain else "float64")
        )
    if plain == {int} and None not in cells and all(abs(cell) < 2**63 for cell in cells):
        return np.array(cells, dtype=np.int64)
    if plain <= {int, float}:
        return np.array([np.nan if cell is None else float(cell) for cell in cells])
    return pd.Series(cells, dtype=object)


def write_jsonl(pairs: Pairs, file: IO[bytes]) -> None:
    """Write an object for each row."""
    check_ids("JSON", "", (pairs.query, pairs.doc))
    names = [str(name) for name in pairs.frame.columns]
    ids = {pairs.roles["query"]: pairs.query, pairs.roles["doc"]: pairs.doc}
    columns = [
        ids[name] if name in ids else [_plain(cell) for cell in pairs.frame[name].astype(object)]
        for name in pairs.frame.columns
    ]
    for row in zip(*columns, strict=True):
        file.write((dump(dict(zip(names, row, strict=True))) + "\n").encode())


def _plain(cell: Any) -> Any:
    if not isinstance(cell, (list, dict)) and pd.isna(cell):
        return None
    value = cell.item() if isinstance(cell, np.generic) else cell
    if isinstance(value, float) and np.isinf(value):
        raise DataError("JSON has no infinite numbers. Write another format: format='csv'.")
    return value if isinstance(value, (str, int, float, bool, list, dict)) else str(value)


def _looks_jsonl(head: bytes) -> bool:
    if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[":
        return True
    found = first_object(head)
    return found is not None and not all(isinstance(value, dict) for value in found.values())


FORMATS = (
    Format(
        "jsonl",
        'a line for each row: {"query_id": ..., "doc_id": ..., "grade": ...}',
        _looks_jsonl,
        **by_kind(read_jsonl),
        write_run=write_jsonl,
        write_qrels=write_jsonl,
        suffixes=(".jsonl", ".ndjson"),
    ),
)
