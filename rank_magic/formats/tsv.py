"""Tables of tabs: MS MARCO's runs, and BEIR's qrels with their header."""

from __future__ import annotations

from typing import IO

import pandas as pd

from rank_magic.formats.base import DOC, GRADE, QUERY, RANK, SCORE, Format, first_line
from rank_magic.formats.delimited import Field, Lines, number, read_lines
from rank_magic.formats.files import Stream
from rank_magic.formats.writing import Pairs, check_ids, write_lines

__all__ = ["FORMATS"]

BEIR = "query-id\tcorpus-id\tscore"


def read_msmarco(stream: Stream) -> pd.DataFrame:
    """Read a run of query, document and rank, and perhaps a score."""
    fields = [Field(QUERY), Field(DOC), Field(RANK, "whole")]
    if len(first_line(stream.head()).split("\t")) == 4:
        fields.append(Field(SCORE, "number"))
    form = "an MS MARCO run: query, doc and rank with tabs between them"
    return read_lines(stream, Lines(fields, b"\t", form=form))


def write_msmarco(pairs: Pairs, file: IO[bytes]) -> None:
    """Write a run of query, document and rank, and the score if there is one."""
    check_ids("a table of tabs", "\t\r\n", (pairs.query, pairs.doc), "#")
    columns = [pairs.query, pairs.doc, pairs.ranks]
    write_lines(file, [*columns, pairs.scores] if "score" in pairs.roles else columns, "\t")


def read_beir(stream: Stream) -> pd.DataFrame:
    """Read qrels below the header that BEIR gives them; its score is the grade."""
    fields = [Field(QUERY), Field(DOC), Field(GRADE, "whole")]
    lines = Lines(fields, b"\t", form="BEIR qrels: query-id, corpus-id and score")
    return read_lines(stream, lines, skip=1)


def write_beir(pairs: Pairs, file: IO[bytes]) -> None:
    """Write qrels as BEIR has them."""
    check_ids("a table of tabs", "\t\r\n", (pairs.query, pairs.doc))
    file.write(f"{BEIR}\n".encode())
    write_lines(file, [pairs.query, pairs.doc, pairs.grades], "\t")


def _looks_msmarco(head: bytes) -> bool:
    cells = first_line(head).split("\t")
    whole = len(cells) in (3, 4) and (cells[2].isascii() and cells[2].isdigit())
    if len(cells) == 4:
        # TREC's qrels with tabs have a grade there, which is a whole number.
        score = number(cells[3], infinite=True)
        return whole and score is not None and not cells[3].lstrip("-").isdigit()
    return whole


FORMATS = (
    Format(
        "beir",
        "query-id corpus-id score, with that header and tabs",
        lambda head: first_line(head) == BEIR,
        None,
        read_beir,
        None,
        write_beir,
    ),
    Format(
        "msmarco",
        "query doc rank, with tabs, a run (its qrels are TREC's)",
        _looks_msmarco,
        read_msmarco,
        None,
        write_msmarco,
        None,
    ),
)
