"""TREC's runs and qrels: columns with blanks between them."""

from __future__ import annotations

from typing import IO

import pandas as pd

from rank_magic.errors import DataError
from rank_magic.formats.base import (
    DOC,
    GRADE,
    QUERY,
    RANK,
    SCORE,
    SUBTOPIC,
    SYSTEM,
    Format,
    first_line,
)
from rank_magic.formats.delimited import Field, Lines, number, read_lines
from rank_magic.formats.files import Stream
from rank_magic.formats.writing import Pairs, check_ids, write_lines

__all__ = ["FORMATS"]

RUN = "query Q0 doc rank score system"
QRELS = "query 0 doc grade; with subtopics, query subtopic doc grade"


def read_run(stream: Stream) -> pd.DataFrame:
    """Read a run of six columns. The second, ``Q0``, says nothing."""
    _check_kind(stream, run=True)
    fields = [
        Field(QUERY),
        Field(None),
        Field(DOC),
        Field(RANK, "whole"),
        Field(SCORE, "number"),
        Field(SYSTEM, "name"),
    ]
    return read_lines(stream, Lines(fields, comments=True, form=f"a TREC run: {RUN}"))


def read_qrels(stream: Stream) -> pd.DataFrame:
    """Read qrels of four columns; the second is a subtopic when it is not 0 throughout."""
    frame = read_subtopics(stream)
    if set(frame[SUBTOPIC].unique()) <= {"0", "Q0", "q0"}:
        return frame.drop(columns=SUBTOPIC)
    return frame


def read_subtopics(stream: Stream) -> pd.DataFrame:
    """Read qrels of four columns, the second of them a subtopic whatever it says."""
    _check_kind(stream, run=False)
    fields = [Field(QUERY), Field(SUBTOPIC, "name"), Field(DOC), Field(GRADE, "whole")]
    frame = read_lines(stream, Lines(fields, comments=True, form=f"TREC qrels: {QRELS}"))
    topics = frame[SUBTOPIC]
    text = pd.Series(topics.cat.categories).take(topics.cat.codes).reset_index(drop=True)
    return frame.assign(**{SUBTOPIC: text})[[QUERY, DOC, SUBTOPIC, GRADE]]


def write_run(pairs: Pairs, file: IO[bytes]) -> None:
    """Write a run of six columns."""
    check_ids("TREC's columns", " \t\r\n", (pairs.query, pairs.doc, pairs.system), "#")
    columns = [pairs.query, ["Q0"] * len(pairs), pairs.doc, pairs.ranks, pairs.scores, pairs.system]
    write_lines(file, columns, " ")


def write_qrels(pairs: Pairs, file: IO[bytes]) -> None:
    """Write qrels of four columns."""
    topics = pairs.subtopic or ["0"] * len(pairs)
    check_ids("TREC's columns", " \t\r\n", (pairs.query, pairs.doc, topics), "#")
    write_lines(file, [pairs.query, topics, pairs.doc, pairs.grades], " ")


def looks(head: bytes) -> bool:
    """Tell by the number of columns, and numbers where they must be."""
    cells = first_line(head).split()
    if len(cells) == 4:
        return number(cells[3]) is not None
    return len(cells) == 6 and number(cells[4], infinite=True) is not None


def _check_kind(stream: Stream, *, run: bool) -> None:
    """Raise when qrels are read as a run, or a run as qrels."""
    line = first_line(stream.head())
    if looks(stream.head()) and (len(line.split()) == 6) != run:
        found = "qrels" if run else "run"
        raise DataError(
            f"{stream.name} is {'TREC qrels' if run else 'a TREC run'}, by its first line "
            f"{line[:80]!r}. Read it with rm.read_{found}(...)."
        )


FORMATS = (
    Format(
        "trec",
        f"{RUN} (a run); {QRELS} (qrels)",
        looks,
        read_run,
        read_qrels,
        write_run,
        write_qrels,
        (".run", ".trec", ".qrels", ".txt"),
    ),
    Format(
        "trec_subtopics",
        "query subtopic doc grade",
        lambda _: False,
        None,
        read_subtopics,
        None,
        write_qrels,
    ),
)
