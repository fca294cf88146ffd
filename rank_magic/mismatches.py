"""Why ids of run and qrels do not match: types, spaces, case. With examples and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from rank_magic.columns import plain
from rank_magic.errors import DataError
from rank_magic.fingerprints import decoded, kind_of

__all__ = ["check_kinds", "near_misses", "no_match"]

MOST = 1 << 18  # rows looked at


class Remedy(NamedTuple):
    """A way to make ids alike: what they differ in, how to undo it, and the call that does."""

    differ: str
    undo: Callable[[pd.Series[Any]], pd.Series[Any]]
    call: str


REMEDIES = (
    Remedy("spaces around them", lambda text: text.str.strip(), "str.strip()"),
    Remedy("case", lambda text: text.str.lower(), "str.lower()"),
    Remedy(
        "spaces around them and case",
        lambda text: text.str.strip().str.lower(),
        "str.strip().str.lower()",
    ),
)


def check_kinds(run: pd.Series[Any], qrels: pd.Series[Any], role: str) -> None:
    """Raise when the ids of one table are text and those of the other are numbers."""
    kinds = kind_of(run), kind_of(qrels)
    if set(kinds) != {"text", "numbers"}:
        return
    table, numbers, text = ("run", run, qrels) if kinds[0] == "numbers" else ("qrels", qrels, run)
    other = "qrels" if table == "run" else "run"
    name, sample = numbers.name, decoded(numbers.iloc[:MOST]).dropna()
    whole = "" if pd.api.types.is_integer_dtype(sample.dtype) else ".astype('int64')"
    call = f"{whole}.astype('str')"
    written = (sample.astype("int64") if whole and _is_whole(sample) else sample).astype(str)
    known = set(decoded(text.iloc[:MOST]).dropna().astype(str))
    if not written.isin(known).any():
        # Leading zeros, perhaps: then the text is to become numbers.
        as_numbers = pd.to_numeric(pd.Series(list(known), dtype=object), errors="coerce")
        if as_numbers.isin(set(sample)).any():
            table, name, call = other, text.name, ".astype('int64')"
    raise DataError(
        f"The {role} ids of the run are {kinds[0]} and those of the qrels are {kinds[1]}, such as "
        f"{_example(run)} in {run.name!r} and {_example(qrels)} in {qrels.name!r}, so that none "
        f"would match. Make them alike: {_assign(table, name, call)}."
    )


def no_match(run: list[pd.Series[Any]], qrels: list[pd.Series[Any]], roles: list[str]) -> DataError:
    """Return the error for tables that have no pair of query and document in common."""
    message = "No document of the run is judged: run and qrels have no pair of ids in common. "
    for ours, theirs, role in zip(run, qrels, roles, strict=True):
        ids = [decoded(values).drop_duplicates() for values in (ours, theirs)]
        if not ids[0].astype(object).isin(ids[1].astype(object)).any():
            return DataError(
                message
                + (
                    near_misses([ids[0]], [ids[1]], role)
                    or f"The {role} ids are others altogether, such as {_example(ours)} in "
                    f"{ours.name!r} of the run and {_example(theirs)} in {theirs.name!r} of the "
                    f"qrels. Are these the qrels of this run?"
                )
            )
    return DataError(
        message + "Queries and documents occur in both, but never together. Are these the qrels "
        "of this run?"
    )


def near_misses(run: list[pd.Series[Any]], qrels: list[pd.Series[Any]], role: str) -> str | None:
    """Return advice when ids that found no partner would find one, written otherwise.

    Parameters
    ----------
    run, qrels : list of Series
        The ids of rows without a partner. Those of the last column are compared, where all others
        agree: a document's id is near only to one of the same query.
    role : str
        What the last column is.
    """
    if not (len(run[-1]) and len(qrels[-1])):
        return None
    if {kind_of(run[-1]), kind_of(qrels[-1])} != {"text"}:
        return None
    ours, theirs = ([_plain(values) for values in table] for table in (run, qrels))
    tables = [pd.DataFrame(dict(enumerate(table))) for table in (ours, theirs)]
    others = list(tables[0].columns[:-1])
    for remedy in REMEDIES:
        changed = [remedy.undo(table[len(others)]) for table in tables]
        differ = [
            bool((after != table[len(others)]).any())
            for after, table in zip(changed, tables, strict=True)
        ]
        if not any(differ):
            continue
        pairs = (
            tables[0]
            .assign(key=changed[0])
            .merge(
                tables[1].assign(key=changed[1]), on=[*others, "key"], suffixes=("_run", "_qrels")
            )
        )
        ids = pairs[[f"{len(others)}_run", f"{len(others)}_qrels"]].drop_duplicates()
        if len(ids):
            calls = [
                _assign(name, table[-1].name, f".{remedy.call}")
                for name, table, needed in zip(("run", "qrels"), (run, qrels), differ, strict=True)
                if needed
            ]
            return _advice(ids.to_numpy(), role, remedy, calls)
    return None


def _plain(values: pd.Series[Any]) -> pd.Series[Any]:
    return decoded(values.iloc[:MOST]).astype("str").reset_index(drop=True)


def _advice(pairs: Any, role: str, remedy: Remedy, calls: list[str]) -> str:
    count = "1 id" if len(pairs) == 1 else f"{len(pairs):,} ids"
    examples = " and ".join(f"{str(one)!r} is {str(other)!r} there" for one, other in pairs[:2])
    return (
        f"{count} of the run's {role} column would match the qrels' but for {remedy.differ}: "
        f"{examples}. If they are the same, make them alike: {'; '.join(calls)}."
    )


def _assign(table: str, name: Hashable, call: str) -> str:
    """Return the line that changes a column of a table."""
    column = f"{table}[{name!r}]"
    if isinstance(name, str) and name.isidentifier():
        return f"{table} = {table}.assign({name}={column}{call})"
    return f"{column} = {column}{call}"


def _is_whole(values: pd.Series[Any]) -> bool:
    numbers = values.to_numpy(dtype=float)
    return bool(np.all(np.trunc(numbers) == numbers))


def _example(values: pd.Series[Any]) -> str:
    return repr(plain(decoded(values.iloc[:1]).iloc[0])) if len(values) else "nothing"
