"""LETOR, libsvm and MSLR: a grade, the query, features, and perhaps the document in a comment."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd

from rank_magic.errors import DataError
from rank_magic.formats.base import DOC, GRADE, QUERY, Format, first_line
from rank_magic.formats.delimited import number, text_column
from rank_magic.formats.files import Stream, opened, pieces, wrong
from rank_magic.formats.writing import Pairs, check_ids, write_lines

__all__ = ["FORMATS"]

FORM = "grade qid:query 1:value 2:value ... # docid = doc"
FIRST = re.compile(r"\S+(\s+qid:\S+)?(\s+[0-9]+:\S+)+\s*(#.*)?|\S+\s+qid:\S+\s*(#.*)?")
COMMENT_DOC = re.compile(r"doc_?id\s*[=:]\s*(\S+)", re.IGNORECASE)
SIDE_FILES = (".query", ".group")
MOST_CELLS = 1 << 31
MOST_SHOWN = 4096
BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())
FEATURE = "feature_"


def read_qrels(stream: Stream) -> pd.DataFrame:
    """Read grades and features, a row for each line.

    Features that a line leaves out are 0. Without ``qid:`` the queries are numbered from 1, their
    sizes taken from a file beside this one (``.query`` or ``.group``) or from ``groups=``.
    """
    rows = _Rows(stream.name)
    for piece in pieces(stream):
        for line, data in enumerate(piece.data.split(b"\n"), piece.line):
            if data.strip() and not data.lstrip().startswith(b"#"):
                rows.add(line, data)
    if not rows.grades:
        raise DataError(f"{stream.name} holds no line of data ({FORM}).")
    if not rows.queries:
        rows.queries = _by_groups(stream, len(rows.grades))
    return rows.frame()


class _Rows:
    """The lines read so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.grades: list[int | float] = []
        self.queries: list[str] = []
        self.docs: list[str] = []
        self.places: list[tuple[int, ...]] = []
        self.values: list[list[float]] = []
        self._known: dict[tuple[str, ...], tuple[int, ...]] = {}

    def add(self, line: int, data: bytes) -> None:
        """Read a line."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            raise wrong(self.name, line, data, "Bytes that are not UTF-8") from None
        if "\0" in text:
            raise wrong(self.name, line, text, "A NUL byte, which no text has")
        body, _, comment = text.partition("#")
        if not body.split():
            raise wrong(self.name, line, text, "A line needs a grade")
        grade, *cells = body.split()
        value = number(grade)
        if value is None:
            raise wrong(self.name, line, text, f"The grade must be a number, but is {grade[:40]!r}")
        query = cells.pop(0)[4:] if cells and cells[0].startswith("qid:") else None
        doc = COMMENT_DOC.search(comment)
        if query == "":
            raise wrong(self.name, line, text, "The query is empty")
        if self.grades and (query is None) == bool(self.queries):
            raise wrong(self.name, line, text, "Some lines have qid: and some do not")
        if self.grades and (doc is None) == bool(self.docs):
            raise wrong(self.name, line, text, "Some lines name their document and some do not")
        self.grades.append(value)
        if query is not None:
            self.queries.append(query)
        if doc is not None:
            self.docs.append(doc[1])
        self._features(line, text, cells)

    def _features(self, line: int, text: str, cells: list[str]) -> None:
        pairs = [cell.partition(":") for cell in cells]
        key = tuple(pair[0] for pair in pairs)
        places = self._known.get(key)
        if places is None:
            places = self._places(line, text, key)
            if len(self._known) < 1000:
                self._known[key] = places
        try:
            values = [float(pair[2]) for pair in pairs]
        except ValueError:
            values = [float("nan")]
        if not np.isfinite(values).all() or "_" in text.partition("#")[0]:
            for cell, _, value in pairs:
                if number(value) is None:
                    raise wrong(
                        self.name,
                        line,
                        text,
                        f"Feature {cell} must be a number, but is {value[:40]!r}",
                    )
        self.places.append(places)
        self.values.append(values)

    def _places(self, line: int, text: str, key: tuple[str, ...]) -> tuple[int, ...]:
        """Return the numbers of features, which ascend."""
        for cell in key:
            if not (cell.isascii() and cell.isdigit() and len(cell) < 10):
                raise wrong(
                    self.name, line, text, f"A feature must be number:value, but is {cell[:40]!r}"
                )
        places = tuple(map(int, key))
        if len(set(places)) < len(places):
            raise wrong(self.name, line, text, "A feature stands there twice")
        return places

    def frame(self) -> pd.DataFrame:
        """Return all rows, with a column for every feature that occurs."""
        length = [len(places) for places in self.places]
        place = np.fromiter(chain.from_iterable(self.places), np.int64, sum(length))
        value = np.fromiter(chain.from_iterable(self.values), np.float64, sum(length))
        known, at = np.unique(place, return_inverse=True)
        if len(known) * len(length) > MOST_CELLS:
            raise DataError(
                f"{self.name} has {len(known):,} different features in {len(length):,} lines: too "
                f"many for a frame. Load them as a sparse matrix, such as by scikit-learn's "
                f"load_svmlight_file, and give rank_magic the grades, queries and scores only."
            )
        table = np.zeros((len(known), len(length)))
        table[at, np.repeat(np.arange(len(length)), length)] = value
        columns: dict[str, Any] = {QUERY: text_column([self.queries])}
        if self.docs:
            columns[DOC] = text_column([self.docs])
        columns[GRADE] = np.array(self.grades)
        columns |= {
            f"{FEATURE}{name}": row for name, row in zip(known.tolist(), table, strict=True)
        }
        return pd.DataFrame(columns)


def _by_groups(stream: Stream, rows: int) -> list[str]:
    """Return a query for each row, as the file of group sizes says."""
    bases = [stream.path, stream.path.with_suffix("")] if stream.path else []
    beside = [Path(f"{base}{suffix}") for base in bases for suffix in SIDE_FILES]
    beside = [path for path in beside if path.is_file()]
    source = stream.groups if stream.groups is not None else next(iter(beside), None)
    if source is None:
        raise DataError(
            f"{stream.name} has no qid:, and there is no file of group sizes beside it "
            f"({stream.name}.query or .group). Say where it is: groups='path'."
        )
    sizes = []
    with opened(source) as groups:
        for line, text in enumerate(groups.whole().split("\n"), 1):
            for cell in text.split():
                size = number(cell)
                if not isinstance(size, int) or size < 0:
                    raise wrong(groups.name, line, text, "A group's size must be a whole number")
                sizes.append(size)
        if sum(sizes) != rows:
            raise DataError(
                f"{groups.name} says {len(sizes):,} groups of {sum(sizes):,} rows in all, but "
                f"{stream.name} has {rows:,} rows."
            )
    return [str(query) for query, size in enumerate(sizes, 1) for _ in range(size)]


def write_qrels(pairs: Pairs, file: IO[bytes]) -> None:
    """Write grades, queries, features and documents."""
    check_ids("LETOR's lines", BLANKS + "#", (pairs.query, pairs.doc))
    names = [name for name in pairs.frame.columns if str(name).startswith(FEATURE)]
    columns = [pairs.grades, [f"qid:{query}" for query in pairs.query]]
    for name in names:
        values = pairs.frame[name].to_numpy(dtype=np.float64).tolist()
        columns.append([f"{str(name).removeprefix(FEATURE)}:{value!r}" for value in values])
    columns.append([f"# docid = {doc}" for doc in pairs.doc])
    write_lines(file, columns, " ")


def looks(head: bytes) -> bool:
    """Tell by ``qid:`` and by features, each with its number."""
    line = first_line(head)
    if len(line) >= MOST_SHOWN:
        shown = line[:MOST_SHOWN]
        whole = shown.rpartition(" ")[0]  # the last feature may be cut, which an id may be too
        line = whole if " " in whole else shown
    return FIRST.fullmatch(line) is not None


FORMATS = (
    Format(
        "letor",
        FORM,
        looks,
        None,
        read_qrels,
        None,
        write_qrels,
        (".letor", ".libsvm", ".svmlight", ".svm"),
    ),
)
