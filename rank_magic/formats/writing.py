"""What writers write: a frame's pairs of query and document as plain lists, checked."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import IO, Any

import numpy as np
import pandas as pd

from rank_magic.columns import ids, numbers
from rank_magic.errors import ColumnError, DataError, listed
from rank_magic.roles import conventional, find_given

__all__ = ["Pairs", "check_ids", "pairs_of", "write_lines"]

AT_A_TIME = 100_000


@dataclass(frozen=True)
class Pairs:
    """The rows that are to be written.

    Attributes
    ----------
    frame : DataFrame
        The rows with all their columns.
    roles : dict of role to column name
        Which column is what.
    query, doc : list of str
        The ids.
    system, subtopic : list of str or None
        What else names a row.
    """

    frame: pd.DataFrame
    roles: dict[str, Hashable]
    query: list[str]
    doc: list[str]
    system: list[str]
    subtopic: list[str] | None

    def __len__(self) -> int:
        return len(self.query)

    def values(self, role: str) -> list[int | float]:
        """Return the numbers of a role: whole ones as such, others as floats."""
        column = self.frame[self.roles[role]]
        if pd.api.types.is_integer_dtype(column.dtype):
            return column.to_numpy(dtype=np.int64).tolist()
        return numbers(column, role).tolist()

    @property
    def grades(self) -> list[str]:
        """The grades, as they are written."""
        return [repr(value) for value in self.values("grade")]

    @property
    def scores(self) -> list[str]:
        """The scores, as they are written; from ranks where there are none."""
        if "score" in self.roles:
            return [repr(float(value)) for value in self.values("score")]
        return [repr(-float(value)) for value in self.values("rank")]

    @property
    def rank_values(self) -> list[int | float]:
        """The ranks; by descending score, and then as rows stand, where there are none."""
        if "rank" in self.roles:
            values = self.values("rank")
            return [int(value) if float(value).is_integer() else value for value in values]
        score = numbers(self.frame[self.roles["score"]], "score")
        table = pd.DataFrame({"query": self.query, "system": self.system, "score": -score})
        return (
            table.groupby(["query", "system"], sort=False)["score"]
            .rank(method="first")
            .astype("int64")
            .tolist()
        )

    @property
    def ranks(self) -> list[str]:
        """The ranks, as they are written."""
        return [repr(value) for value in self.rank_values]


def pairs_of(frame: Any, kind: str, given: dict[str, Hashable | None]) -> Pairs:
    """Return the rows of a frame that are a run, or qrels.

    Parameters
    ----------
    frame : DataFrame
        The rows. Those without a score and rank are not of the run, those without a grade not of
        the qrels.
    kind : {"run", "qrels"}
        Which.
    given : dict of role to column name
        Columns by role; those that are None are found by name.
    """
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"A DataFrame is needed to write, not {type(frame).__name__}.")
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    roles: dict[str, Hashable] = {}
    for role, name in given.items():
        found = conventional(role, list(frame.columns)) if name is None else None
        chosen = find_given(frame, role, name) if name is not None else found
        if chosen:
            roles[role] = chosen[0]
    needed = ["query", "doc", *(["grade"] if kind == "qrels" else [])]
    lacking = [role for role in needed if role not in roles]
    if kind == "run" and not {"score", "rank"} & set(roles):
        lacking.append("score")
    if lacking:
        raise ColumnError(
            f"No column for the {lacking[0]}. Columns are {listed(frame.columns)}. Say which one: "
            f"{lacking[0]}={frame.columns[0]!r}."
        )
    telling = (
        ["grade"] if kind == "qrels" else [role for role in ("score", "rank") if role in roles]
    )
    frame = _told(frame, roles, telling)
    texts: dict[str, list[str]] = {
        role: _texts(frame[roles[role]], role)
        for role in ("query", "doc", "system", "subtopic")
        if role in roles
    }
    if kind == "qrels":
        first = _first_of_each(frame, roles, texts)
        if not first.all():
            frame = frame[first].reset_index(drop=True)
            texts = {role: list(compress(text, first)) for role, text in texts.items()}
    return Pairs(
        frame,
        roles,
        texts["query"],
        texts["doc"],
        texts.get("system", ["rank_magic"] * len(frame)),
        texts.get("subtopic"),
    )


def _told(frame: pd.DataFrame, roles: dict[str, Hashable], telling: Sequence[str]) -> pd.DataFrame:
    """Return the rows that have the numbers which make them rows of a run, or of qrels."""
    there = frame[roles[telling[0]]].notna().to_numpy()
    for role in telling[1:]:
        if (there != frame[roles[role]].notna().to_numpy()).any():
            raise DataError(
                f"Some rows have one of {roles[telling[0]]!r} and {roles[role]!r} but not both, so "
                f"that it is not clear what was retrieved. Drop one of the columns."
            )
    if not there.any():
        raise DataError(f"No row has a {telling[0]} in {roles[telling[0]]!r}: nothing to write.")
    return frame if there.all() else frame[there].reset_index(drop=True)


def _first_of_each(
    frame: pd.DataFrame, roles: dict[str, Hashable], texts: dict[str, list[str]]
) -> Any:
    """Return which rows are the first of their judgment, since several systems may repeat it."""
    keys = pd.DataFrame({role: texts[role] for role in texts if role != "system"})
    pair = keys.groupby(list(keys), sort=False).ngroup().to_numpy()
    first = ~pd.Series(pair).duplicated().to_numpy()
    grade = numbers(frame[roles["grade"]], "grade")
    differ = np.flatnonzero(grade != grade[first][pair])
    if len(differ):
        row = int(differ[0])
        raise DataError(
            f"A document has several grades, such as {texts['doc'][row]!r} in query "
            f"{texts['query'][row]!r}. Settle on one before it is written."
        )
    return first


def _texts(values: pd.Series[Any], role: str) -> list[str]:
    """Return ids as text."""
    ids(values, role)  # refuses missing ones
    if pd.api.types.is_float_dtype(values.dtype):
        if (values % 1 != 0).any():
            raise DataError(f"The {role} ids in {values.name!r} are not whole numbers.")
        values = values.astype("int64")
    texts = [str(value) for value in values.tolist()]
    wrong = next((text for text in texts if not _encodes(text)), None)
    if wrong is not None:
        raise DataError(f"The {role} id {wrong!r} can't be written: it is no valid Unicode.")
    return texts


def check_ids(what: str, forbidden: str, columns: Iterable[Sequence[str]], start: str = "") -> None:
    """Raise when an id can't be written so that it reads back the same.

    Parameters
    ----------
    what : str
        What can't hold it.
    forbidden : str
        The characters that it can't have.
    columns : iterable of list of str
        The ids.
    start : str
        What the first of the columns can't begin with.
    """
    bad = set(forbidden) | {"\0"}
    for at, column in enumerate(columns):
        for text in set(column):
            reason = ""
            if not text:
                reason = "it is empty"
            elif bad & set(text):
                reason = f"it has {sorted(bad & set(text))[0]!r} in it"
            elif text.startswith("\ufeff") or (start and at == 0 and text.startswith(start)):
                reason = f"it begins with {text[0]!r}"
            if reason:
                raise DataError(
                    f"The id {text[:80]!r} can't be written: {reason}, which {what} can't hold. "
                    f"Rename it, or write another format: format='csv' or format='parquet'."
                )


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def write_lines(file: IO[bytes], columns: Sequence[Sequence[str]], separator: str) -> None:
    """Write columns of text as lines, some at a time."""
    for at in range(0, len(columns[0]), AT_A_TIME):
        rows = zip(*(column[at : at + AT_A_TIME] for column in columns), strict=True)
        file.write(("\n".join(map(separator.join, rows)) + "\n").encode())
