"""Lines of columns, read fast where they are plain and with care where they are not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rank_magic.errors import DataError
from rank_magic.formats.files import Piece, Stream, pieces, wrong

__all__ = ["Field", "Lines", "number", "read_lines", "text_column"]

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,9})?")
INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
BLANKS = re.compile(r"[ \t]+")
COW = int(pd.__version__.split(".")[0]) >= 3


class Field(NamedTuple):
    """A column of a file.

    Attributes
    ----------
    name : str or None
        What it is called; None when it is not wanted.
    kind : {"id", "name", "whole", "number", "text"}
        An id, which is text and never empty; a name, which is the same in many lines; whole
        numbers, unless a point makes them others; numbers, perhaps infinite; or any text.
    """

    name: str | None
    kind: str = "id"


@dataclass
class Lines:
    """How lines are read.

    Attributes
    ----------
    fields : sequence of Field
        The columns, in order.
    separator : bytes
        What stands between them; ``b" "`` for any number of spaces and tabs.
    comments : bool
        Whether lines that begin with ``#`` are no data.
    gaps : bool
        Whether numbers may be missing.
    form : str
        What the columns are, for messages.
    """

    fields: Sequence[Field]
    separator: bytes = b" "
    comments: bool = False
    gaps: bool = False
    form: str = ""
    parts: dict[int, list[Any]] = field(default_factory=dict)
    _whole: bool = True

    def add(self, stream: Stream, piece: Piece) -> None:
        """Read some lines."""
        columns = self._fast(piece.data)
        if columns is None:
            columns = self._careful(stream, piece)
        for at, column in columns.items():
            self.parts.setdefault(at, []).append(column)

    def frame(self, stream: Stream) -> pd.DataFrame:
        """Return all that was read."""
        if not any(len(part) for parts in self.parts.values() for part in parts):
            raise DataError(f"{stream.name} holds no line of data. {self.form}".strip())
        columns = {}
        for at, (name, kind) in enumerate(self.fields):
            if name is not None:
                columns[name] = _column(kind, self.parts.pop(at))
                _give_back()
        return pd.DataFrame(columns, copy=False)

    @property
    def wanted(self) -> list[int]:
        """The places of the columns that are wanted."""
        return [at for at, one in enumerate(self.fields) if one.name is not None]

    def _fast(self, data: bytes) -> dict[int, Any] | None:
        """Read plain lines with pyarrow; None when they need care, or it is not there."""
        if find_spec("pyarrow") is None or b"\0" in data:
            return None
        plain = self._plain(data)
        if plain is None or self.separator + b"0x" in plain or self.separator + b"0X" in plain:
            return None  # pyarrow would read 0x10 as 16
        for whole in [True, False] if self._whole else [False]:
            found = self._by_arrow(plain, whole=whole)
            if found is not None:
                self._whole = whole
                return found
            if not any(one.kind == "whole" for one in self.fields):
                break
        return None

    def _plain(self, data: bytes) -> bytes | None:
        """Return lines with one separator between columns; None when they can't be made so."""
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
            data = data.removesuffix(b"\r")
            if b"\r" in data:
                return None
        if self.comments and (data.startswith(b"#") or b"\n#" in data):
            data = re.sub(rb"(?m)^#[^\n]*\n?", b"", data)
        if self.separator == b" ":
            if b"\t" in data:
                data = data.translate(TABS_TO_SPACES)
            if b"  " in data:
                data = re.sub(rb" {2,}", b" ", data)
            if b"\n " in data or b" \n" in data:
                data = re.sub(rb" ?\n ?", b"\n", data)
            data = data.strip(b" ")
            if self.comments and b"\n#" in data:
                return None  # was indented
        return data

    def _by_arrow(self, data: bytes, *, whole: bool) -> dict[int, Any] | None:
        import pyarrow as pa
        from pyarrow import csv

        types = {
            "id": pa.large_string(),
            "text": pa.large_string(),
            "name": pa.dictionary(pa.int32(), pa.string()),
            "whole": pa.int64() if whole else pa.float64(),
            "number": pa.float64(),
        }
        names = [str(at) for at in range(len(self.fields))]
        wanted = self.wanted
        if not data.strip(b"\n"):
            return {at: np.zeros(0) if self._numeric(at) else [] for at in wanted}
        try:
            table = csv.read_csv(
                pa.BufferReader(data),
                read_options=csv.ReadOptions(column_names=names),
                parse_options=csv.ParseOptions(
                    delimiter=self.separator.decode(),
                    quote_char=False,
                    double_quote=False,
                    escape_char=False,
                ),
                convert_options=csv.ConvertOptions(
                    column_types={str(at): types[self.fields[at].kind] for at in wanted},
                    include_columns=[str(at) for at in wanted],
                    null_values=[""] if self.gaps else [],
                    strings_can_be_null=False,
                ),
            )
        except pa.ArrowException:
            return None
        columns = {}
        for at in wanted:
            column = table.column(str(at))
            if self._numeric(at):
                columns[at] = column.to_numpy()
                holes = column.null_count
                if np.count_nonzero(~np.isfinite(columns[at])) > holes:
                    return None  # infinite or too large: which of them, care will tell
            elif self.fields[at].kind != "text" and _has_empty(column):
                return None
            else:
                # Put together at once: the pieces that pyarrow reads have room to spare.
                columns[at] = pa.chunked_array([column.combine_chunks()])
        return columns

    def _numeric(self, at: int) -> bool:
        return self.fields[at].kind in ("whole", "number")

    def _careful(self, stream: Stream, piece: Piece) -> dict[int, Any]:
        """Read line by line, and say which line is wrong."""
        return self._columns(
            [
                self.values(stream.name, line, cells, text)
                for line, text, cells in self._cells(stream.name, piece)
            ]
        )

    def add_rows(self, rows: list[list[Any]]) -> None:
        """Take the values of lines that were read elsewhere."""
        for at, column in self._columns(rows).items():
            self.parts.setdefault(at, []).append(column)

    def _columns(self, rows: list[list[Any]]) -> dict[int, Any]:
        columns = list(zip(*rows, strict=True)) or [()] * len(self.fields)
        return {
            at: np.array(columns[at], dtype=_number_type(columns[at]))
            if self._numeric(at)
            else list(columns[at])
            for at in self.wanted
        }

    def _cells(self, name: str, piece: Piece) -> Iterator[tuple[int, str, list[str]]]:
        """Yield lines with their numbers and their cells."""
        for line, data in enumerate(piece.data.split(b"\n"), piece.line):
            if b"\0" in data:
                raise wrong(name, line, data, "A NUL byte, which no text has")
            try:
                text = data.decode("utf-8").removesuffix("\r")
            except UnicodeDecodeError:
                raise wrong(name, line, data, "Bytes that are not UTF-8") from None
            bare = text.strip(" \t")
            if not bare or (self.comments and bare.startswith("#")):
                continue
            blank = self.separator == b" "
            yield line, text, BLANKS.split(bare) if blank else text.split(self.separator.decode())

    def values(self, name: str, line: int, cells: Sequence[str], text: str) -> list[Any]:
        """Return the values of a line's cells.

        Raises
        ------
        DataError
            If there are too few or too many, an id is empty, or a number is none.
        """
        if len(cells) != len(self.fields):
            raise wrong(
                name,
                line,
                text,
                f"{len(self.fields)} columns are needed, {len(cells)} are there"
                + (f" ({self.form})" if self.form else ""),
            )
        values: list[Any] = []
        for (title, kind), cell in zip(self.fields, cells, strict=True):
            if title is None:
                values.append(None)
            elif kind in ("whole", "number"):
                if self.gaps and not cell:
                    values.append(np.nan)
                    continue
                value = number(cell, infinite=kind == "number")
                if value is None:
                    raise wrong(
                        name, line, text, f"The {title} must be a number, but is {_short(cell)}"
                    )
                values.append(value if kind == "whole" else float(value))
            else:
                if not cell and kind != "text":
                    raise wrong(name, line, text, f"The {title} is empty")
                values.append(cell)
        return values


TABS_TO_SPACES = bytes.maketrans(b"\t", b" ")


def read_lines(stream: Stream, lines: Lines, *, skip: int = 0) -> pd.DataFrame:
    """Read a file of columns, without its first lines if so many are to be skipped."""
    for piece in pieces(stream):
        if skip:
            head = piece.data.split(b"\n", skip)
            piece = Piece(piece.line + skip, head[-1] if len(head) > skip else b"")  # noqa: PLW2901
            skip = 0
        lines.add(stream, piece)
    return lines.frame(stream)


def number(cell: str, *, infinite: bool = False) -> int | float | None:
    """Return the number that a cell says; None when it says none, or none that a float holds."""
    if NUMBER.fullmatch(cell):
        if len(cell) < 19 and cell.lstrip("+-").isdigit():
            return int(cell)
        value = float(cell)
        return None if np.isinf(value) else value
    return float(cell) if infinite and INFINITE.fullmatch(cell) else None


def text_column(parts: Iterable[Any]) -> Any:
    """Return text in several parts, of pyarrow's or as lists, as one column."""
    parts = list(parts)
    if find_spec("pyarrow") is None:
        return pd.Series([cell for part in parts for cell in part], dtype="str" if COW else object)
    import pyarrow as pa

    chunks: list[Any] = []
    for part in parts:
        if isinstance(part, pa.ChunkedArray):
            chunks += part.chunks
        else:
            chunks.append(pa.array(part, type=pa.large_string()))
    # One piece, so that whoever goes through the column later need not join them every time.
    whole = pa.chunked_array([pa.chunked_array(chunks, type=pa.large_string()).combine_chunks()])
    if COW:
        return pd.Series(pd.StringDtype("pyarrow", na_value=np.nan).__from_arrow__(whole))
    return pd.Series(whole.to_numpy(), dtype=object)


def _column(kind: str, parts: list[Any]) -> Any:
    if kind in ("whole", "number"):
        return np.concatenate(parts)
    if kind in ("id", "text"):
        return text_column(parts)
    return _names(parts)


def _give_back() -> None:
    """Have pyarrow return what it no longer needs, or it adds up column by column."""
    if find_spec("pyarrow") is not None:
        import pyarrow as pa

        pa.default_memory_pool().release_unused()


def _names(parts: list[Any]) -> Any:
    """Return names that repeat as a categorical column."""
    if find_spec("pyarrow") is None:
        return pd.Categorical([cell for part in parts for cell in part])
    import pyarrow as pa

    chunks: list[Any] = []
    for part in parts:
        if isinstance(part, pa.ChunkedArray):
            chunks += part.chunks
        else:
            chunks.append(pa.array(part, type=pa.string()).dictionary_encode())
    type_ = pa.dictionary(pa.int32(), pa.string())
    whole = pa.chunked_array([chunk.cast(type_) for chunk in chunks], type=type_)
    whole = whole.unify_dictionaries()
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in whole.chunks])
    words = next(
        (chunk.dictionary for chunk in whole.chunks if len(chunk)), pa.array([], pa.string())
    )
    categories = pd.Index(text_column([words.to_pylist()]))
    return pd.Categorical.from_codes(codes, categories=categories)


def _has_empty(column: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    for chunk in column.chunks:
        words = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
        if len(words) and pc.min(pc.binary_length(words)).as_py() == 0:
            return True
    return False


def _number_type(values: Sequence[Any]) -> type:
    return np.int64 if all(type(value) is int for value in values) else np.float64


def _short(cell: str) -> str:
    return repr(cell if len(cell) <= 40 else cell[:40] + "...")
