"""CSV, by whatever is usual between columns, and Quepid's exports."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import IO, Any

import numpy as np
import pandas as pd

from rank_magic.columns import numbers
from rank_magic.errors import listed
from rank_magic.formats.base import DOC, GRADE, RANK, SYSTEM, Format, first_line
from rank_magic.formats.delimited import NUMBER, Field, Lines
from rank_magic.formats.files import Piece, Stream, pieces, wrong
from rank_magic.formats.named import by_kind, roles_of, shortened
from rank_magic.formats.writing import Pairs, check_ids
from rank_magic.roles import ROLE_NAMES

__all__ = ["FORMATS"]

DELIMITERS = ",\t;|"
QUEPID_NAMES = {
    "query": "query",
    "query text": "query",
    "docid": DOC,
    "doc id": DOC,
    "rating": GRADE,
    "doc position": RANK,
    "snapshot name": SYSTEM,
}
NAMES = ("query", "doc", "system", "subtopic", "rater")  # further columns that are never numbers


def read_csv(stream: Stream, kind: str, rename: Mapping[str, str] | None = None) -> pd.DataFrame:
    """Read a table below a line of names, with anything between its columns that is usual."""
    parts = pieces(stream)
    first = next(parts, Piece(1, b""))
    header, _, rest = first.data.partition(b"\n")
    try:
        line = header.decode("utf-8").rstrip("\r")
    except UnicodeDecodeError:
        raise wrong(stream.name, 1, header, "Bytes that are not UTF-8") from None
    delimiter = _delimiter(line)
    try:
        names = next(csv.reader([line], delimiter=delimiter, strict=True), [])
    except csv.Error as error:
        raise wrong(stream.name, 1, line, str(error)) from None
    names = [(rename or {}).get(name.strip().lower(), name) for name in names]
    if len(set(names)) < len(names) or not all(names) or "\0" in line:
        raise wrong(stream.name, 1, line, "Columns have the same name, or none")
    roles = roles_of(names, kind, stream)
    lines = Lines(
        [Field(name, _field_kind(name, roles)) for name in names],
        delimiter.encode(),
        gaps=True,
        form=f"as the first line has names: {listed(shortened(names), 6)}",
    )
    parts = chain([Piece(2, rest)], parts)
    for piece in parts:
        if b'"' in piece.data or rename:
            _quoted(lines, stream, chain([piece], parts), delimiter, short=bool(rename))
        else:
            lines.add(stream, piece)
    frame = lines.frame(stream)
    taken = set(roles.values())
    return frame.assign(
        **{str(name): _inferred(frame[name]) for name in names if name not in taken}
    )[names]


def _quoted(
    lines: Lines, stream: Stream, parts: Iterator[Piece], delimiter: str, *, short: bool
) -> None:
    """Read lines in which cells may stand in quotes, and then hold anything."""
    before = 0

    def texts() -> Iterator[str]:
        nonlocal before
        for piece in parts:
            before = before or piece.line
            ended = piece.data.endswith(b"\n")
            data = piece.data.removesuffix(b"\n").split(b"\n")
            for at, line in enumerate(data):
                if b"\0" in line:
                    raise wrong(stream.name, piece.line + at, line, "A NUL byte, which no text has")
                try:
                    text = line.decode("utf-8")
                except UnicodeDecodeError:
                    raise wrong(
                        stream.name, piece.line + at, line, "Bytes that are not UTF-8"
                    ) from None
                yield text + ("\n" if ended or at < len(data) - 1 else "")

    reader = csv.reader(texts(), delimiter=delimiter, strict=True)
    rows = []
    try:
        for cells in reader:
            if not cells or (short and len(cells) == 1 and cells[0]):
                continue  # an empty line, or Quepid's way to name a query without ratings
            line = before + reader.line_num - 1
            rows.append(lines.values(stream.name, line, cells, delimiter.join(cells)))
    except csv.Error as error:
        raise wrong(stream.name, before + reader.line_num - 1, None, str(error)) from None
    lines.add_rows(rows)


def _delimiter(line: str) -> str:
    return max(DELIMITERS, key=lambda one: (line.count(one), -DELIMITERS.index(one)))


def _field_kind(name: str, roles: dict[str, str]) -> str:
    role = next((role for role, column in roles.items() if column == name), "")
    kinds = {"query": "id", "doc": "id", "grade": "whole", "rank": "whole", "score": "number"}
    return kinds.get(role, "text")


def _inferred(values: pd.Series[Any]) -> Any:
    """Return a further column: as numbers when it holds nothing else, else as text with gaps."""
    if str(values.name).lower() in NAMES:
        return values
    texts = values.astype(object)
    there = texts != ""
    if not there.any():
        return pd.Series(np.nan, index=values.index)
    if texts[there].map(NUMBER.fullmatch).notna().all():
        as_numbers = pd.to_numeric(texts.where(there, None), errors="coerce")
        plain = texts[there].str.fullmatch(r"[+-]?[0-9]{1,18}").all() and there.all()
        return as_numbers.astype("int64" if plain else "float64")
    return values.where(there) if not there.all() else values


def write_csv(pairs: Pairs, file: IO[bytes]) -> None:
    """Write all columns below their names."""
    check_ids("CSV", "", (pairs.query, pairs.doc))
    _write_csv([str(name) for name in pairs.frame.columns], _csv_columns(pairs), file)


def _csv_columns(pairs: Pairs) -> list[list[str]]:
    ids = {pairs.roles["query"]: pairs.query, pairs.roles["doc"]: pairs.doc}
    columns = []
    for name in pairs.frame.columns:
        values = pairs.frame[name]
        if name in ids:
            columns.append(ids[name])
        elif pd.api.types.is_bool_dtype(values.dtype) or not pd.api.types.is_numeric_dtype(
            values.dtype
        ):
            columns.append(
                ["" if pd.isna(value) else str(value) for value in values.astype(object)]
            )
        else:
            missing = values.isna().to_numpy()
            whole = pd.api.types.is_integer_dtype(values.dtype) and not missing.any()
            numbers_ = (
                values.to_numpy(dtype=np.int64).tolist()
                if whole
                else numbers(values, "score").tolist()
            )
            columns.append(
                ["" if gap else repr(v) for v, gap in zip(numbers_, missing, strict=True)]
            )
    return columns


def _write_csv(names: list[str], columns: list[list[str]], file: IO[bytes]) -> None:
    class Encoded:
        def write(self, text: str) -> int:
            return file.write(text.encode())

    writer = csv.writer(Encoded(), lineterminator="\n")
    writer.writerow(names)
    writer.writerows(zip(*columns, strict=True))


def _looks_csv(head: bytes) -> bool:
    line = first_line(head)
    names = [name.strip(' "').lower() for name in line.split(_delimiter(line))]
    known = {role: {n for names in ROLE_NAMES[role] for n in names} for role in ("query", "doc")}
    return len(names) > 1 and all(bool(known[role] & set(names)) for role in known)


def _looks_quepid(head: bytes) -> bool:
    names = {name.strip(' "').lower() for name in first_line(head).split(",")}
    return (names >= {"query", "docid", "rating"} and len(names) == 3) or names >= {
        "query text",
        "doc id",
    }


def write_quepid(pairs: Pairs, file: IO[bytes], kind: str) -> None:
    """Write ratings or a snapshot as Quepid takes them in."""
    check_ids("CSV", "", (pairs.query, pairs.doc))
    if kind == "qrels":
        _write_csv(["query", "docid", "rating"], [pairs.query, pairs.doc, pairs.grades], file)
        return
    _write_csv(
        ["Query Text", "Doc ID", "Doc Position"], [pairs.query, pairs.doc, pairs.ranks], file
    )


FORMATS = (
    Format(
        "quepid",
        "query,docid,rating or Query Text,Doc ID,Doc Position, with that header",
        _looks_quepid,
        **by_kind(read_csv, QUEPID_NAMES),
        write_run=lambda pairs, file: write_quepid(pairs, file, "run"),
        write_qrels=lambda pairs, file: write_quepid(pairs, file, "qrels"),
    ),
    Format(
        "csv",
        "a header with names such as query_id, doc_id and grade or score, then a line for each row",
        _looks_csv,
        **by_kind(read_csv),
        write_run=write_csv,
        write_qrels=write_csv,
        suffixes=(".csv", ".tsv"),
    ),
)
