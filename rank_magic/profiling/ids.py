"""Ids that look as if they came from two places, or through a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from rank_magic.columns import plain
from rank_magic.profiling.findings import Finding

__all__ = ["suspicious_ids"]

UNSEEN = r"[\x00-\x1f\x7f\u00a0\u200b-\u200f\u2028\u2029\ufeff]"
MISSING = {"", "nan", "none", "null", "na", "n/a", "<na>"}
SHOWN = 3


def suspicious_ids(distinct: pd.Index[Any], role: str) -> Iterator[Finding]:
    """Yield what is odd about the distinct ids of a column."""
    kinds = (
        {type(plain(value)).__name__ for value in distinct} if distinct.dtype == object else set()
    )
    if pd.api.types.is_float_dtype(distinct.dtype):
        yield _found(
            "note", f"{role} ids are floats", distinct,
            f"The {role} ids are floating-point numbers, as whole numbers become when some are "
            f"missing. They match whole numbers, but no text.",
        )  # fmt: skip
    if len(kinds) > 1:
        yield from _mixed(distinct, kinds, role)
    if pd.api.types.is_numeric_dtype(distinct.dtype):
        return
    texts = pd.Series(distinct, dtype=object)
    texts = texts[[isinstance(value, str) for value in distinct]].astype(str)
    yield from _texts(texts, role)


def _texts(texts: pd.Series[str], role: str) -> Iterator[Finding]:
    """Yield what is odd about ids that are text."""
    bare = texts.str.strip()
    outer = texts[texts != bare]
    if len(outer):
        yield _found(
            "doubtful", f"{role} ids with outer spaces", outer,
            f"{_ids(len(outer), role)} begin or end in a space, so that they match nothing "
            f"without one. Strip them: frame[...].str.strip().",
        )  # fmt: skip
    unseen = texts[texts.str.contains(UNSEEN, regex=True)]
    if len(unseen):
        yield _found(
            "doubtful", f"{role} ids with unseen characters", unseen,
            f"{_ids(len(unseen), role)} contain characters that can't be seen, such as a tab, a "
            f"no-break space or a byte-order mark.",
        )  # fmt: skip
    lower = bare.str.lower()
    absent = texts[lower.isin(MISSING)]
    if len(absent):
        yield _found(
            "doubtful", f"{role} ids that say missing", absent,
            f"{_ids(len(absent), role)} read like a missing value that became text.",
        )  # fmt: skip
    alike = texts[lower.duplicated(keep=False)].iloc[lower[lower.duplicated(keep=False)].argsort()]
    if len(alike):
        yield _found(
            "doubtful", f"{role} ids alike but for case or spaces", alike,
            f"{_ids(len(alike), role)} differ from another one by letter case or outer spaces "
            f"only. Are they the same?",
        )  # fmt: skip
    decimal = texts[bare.str.fullmatch(r"-?\d+\.0")]
    if len(decimal):
        yield _found(
            "doubtful", f"{role} ids that end in .0", decimal,
            f"{_ids(len(decimal), role)} look like whole numbers that went through floats, so "
            f"that '7.0' no longer matches '7'. Read ids as text in the first place.",
        )  # fmt: skip


def _mixed(distinct: pd.Index[Any], kinds: set[str], role: str) -> Iterator[Finding]:
    """Yield what is odd about ids of several types."""
    examples = [
        next(v for v in distinct if type(plain(v)).__name__ == kind) for kind in sorted(kinds)
    ]
    yield Finding(
        "doubtful", f"{role} ids of several types", len(distinct),
        f"The {role} ids are of several types: {', '.join(sorted(kinds))}. An id in one type never "
        f"matches the same id in another. Make them one: frame[...].astype(str).",
        [plain(value) for value in examples],
    )  # fmt: skip
    whole = {value for value in distinct if isinstance(value, (int, np.integer))}
    twins = [
        value
        for value in distinct
        if isinstance(value, str) and value.strip().isdecimal() and int(value) in whole
    ]
    if twins:
        yield _found(
            "wrong", f"{role} ids as text and as numbers", pd.Series(twins, dtype=object),
            f"{_ids(len(twins), role)} stand there as text and as a number, such as "
            f"{twins[0]!r} and {int(twins[0])}, and count as two.",
        )  # fmt: skip


def _found(severity: str, kind: str, values: Any, text: str) -> Finding:
    examples = [plain(value) for value in list(values[:SHOWN])]
    return Finding(severity, kind, len(values), text, examples)


def _ids(number: int, role: str) -> str:
    return f"{number:,} {role} id{'s' if number != 1 else ''}"
