"""Dicts of dicts as JSON: what pytrec_eval and ranx keep, ``{query: {doc: number}}``."""

from __future__ import annotations

from typing import IO, Any

import numpy as np
import pandas as pd

from rank_magic.errors import DataError
from rank_magic.formats.base import DOC, GRADE, QUERY, SCORE, Format
from rank_magic.formats.delimited import text_column
from rank_magic.formats.files import Stream
from rank_magic.formats.json_text import dump, entry_number, entry_text, parsed
from rank_magic.formats.writing import Pairs, check_ids

__all__ = ["FORMATS", "frame_of"]


def frame_of(rows: list[tuple[Any, ...]], names: list[str], stream: Stream) -> pd.DataFrame:
    """Return rows as a frame: ids as text, numbers as such, scores as floats."""
    if not rows:
        raise DataError(f"{stream.name} holds no document for any query.")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    numeric = {GRADE, SCORE, "rank"}
    return pd.DataFrame(
        {
            name: np.array(cells, dtype=float if name == SCORE else _kind(cells))
            if name in numeric
            else text_column([list(cells)])
            for name, cells in columns.items()
        }
    )


def _kind(cells: tuple[Any, ...]) -> type:
    whole = all(isinstance(cell, int) and abs(cell) < 2**63 for cell in cells)
    return int if whole else float


def _reader(name: str) -> Any:
    def read(stream: Stream) -> pd.DataFrame:
        data = parsed(stream)
        if not isinstance(data, dict):
            raise DataError(f"{stream.name}: {{query: {{doc: {name}}}}} is needed.")
        rows = []
        for query, docs in data.items():
            where = f"{stream.name}, query {query[:80]!r}"
            if not isinstance(docs, dict):
                raise DataError(f"{where}: {{doc: {name}}} is needed, not {str(docs)[:40]!r}.")
            entry_text(query, f"{stream.name}: a query")
            for doc, value in docs.items():
                what = f"{where}: the {name} of document {doc[:80]!r}"
                entry_text(doc, f"{where}: a document")
                rows.append((query, doc, entry_number(value, what, infinite=name == SCORE)))
        return frame_of(rows, [QUERY, DOC, name], stream)

    read.__doc__ = f"Read ``{{query: {{doc: {name}}}}}``."
    return read


def _writer(role: str) -> Any:
    def write(pairs: Pairs, file: IO[bytes]) -> None:
        check_ids("JSON", "", (pairs.query, pairs.doc))
        if len(set(pairs.system)) > 1 or pairs.subtopic is not None:
            raise DataError(
                "A dict of dicts holds one number for each query and document, so neither several "
                "systems nor subtopics. Write one file each, or another format: format='csv'."
            )
        by_query: dict[str, dict[str, Any]] = {}
        values = pairs.values(role) if role in pairs.roles else [-v for v in pairs.rank_values]
        for query, doc, value in zip(pairs.query, pairs.doc, values, strict=True):
            docs = by_query.setdefault(query, {})
            if doc in docs:
                raise DataError(f"Document {doc!r} stands twice in query {query!r}.")
            docs[doc] = value
        file.write(dump(by_query).encode())

    write.__doc__ = f"Write ``{{query: {{doc: {role}}}}}``."
    return write


def looks(head: bytes) -> bool:
    """Tell by an object in an object at the very beginning, whose first entry is a number."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return text[:1] == b"{"


FORMATS = (
    Format(
        "json",
        '{"query": {"doc": number}}, as pytrec_eval and ranx keep them',
        looks,
        _reader(SCORE),
        _reader(GRADE),
        _writer(SCORE),
        _writer(GRADE),
        (".json",),
    ),
)
