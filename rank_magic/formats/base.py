"""What a format is: how it is recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

import pandas as pd

from rank_magic.formats.files import Stream

__all__ = [
    "DOC",
    "GRADE",
    "QUERY",
    "RANK",
    "SCORE",
    "SUBTOPIC",
    "SYSTEM",
    "Format",
    "Reader",
    "Writer",
]

# What readers call the columns.
QUERY, DOC, GRADE, SUBTOPIC = "query_id", "doc_id", "grade", "subtopic"
SCORE, RANK, SYSTEM = "score", "rank", "system"

Reader = Callable[[Stream], pd.DataFrame]
Writer = Callable[[Any, IO[bytes]], None]


@dataclass(frozen=True)
class Format:
    """A way to keep runs or qrels in a file.

    Attributes
    ----------
    name : str
        What ``format=`` calls it.
    about : str
        What a line or entry looks like, for messages.
    looks : callable
        Takes the first bytes of a file, and tells whether they are of this format.
    read_run, read_qrels, write_run, write_qrels : callable or None
        None where the format does not hold such things.
    suffixes : tuple of str
        How files to be written in it are called.
    """

    name: str
    about: str
    looks: Callable[[bytes], bool]
    read_run: Reader | None = None
    read_qrels: Reader | None = None
    write_run: Writer | None = None
    write_qrels: Writer | None = None
    suffixes: tuple[str, ...] = ()


def first_line(head: bytes) -> str:
    """Return the first line that is neither empty nor a comment, without a byte-order mark."""
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    good = (line for line in lines if line.strip() and not line.lstrip().startswith(b"#"))
    return next(good, b"").decode("utf-8", "replace").rstrip("\r")
