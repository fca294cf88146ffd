"""Dicts by query, as pytrec_eval and ranx take them, and dicts of plain lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from rank_magic.errors import DataError
from rank_magic.shapes.flat import Flat, as_ids, flatten, floats

__all__ = ["from_dicts", "from_dicts_of_lists"]


def from_dicts(by_query: Mapping[Any, Any], role: str) -> pd.DataFrame:
    """Return ``{query: {doc: number}}`` as a frame of a row per query and document.

    Parameters
    ----------
    by_query : mapping of mappings
        Numbers by query and document.
    role : {"score", "grade"}
        What the numbers are, and what their column is called.
    """
    _check(by_query, Mapping, f"{{query: {{doc: {role}}}}}")
    docs = flatten(by_query.values())
    numbers = flatten(by_query.values(), values=True)
    queries = list(by_query)

    def where(item: int) -> str:
        return f"document {docs.items[item]!r} of query {queries[docs.owner[item]]!r}"

    return _frame(by_query, docs, {role: floats(numbers, role, where)})


def from_dicts_of_lists(by_query: Mapping[Any, Any], role: str) -> pd.DataFrame:
    """Return ``{query: [doc, ...]}`` as a frame of a row per query and document.

    Parameters
    ----------
    by_query : mapping of lists
        Documents by query: of a run the best first, of judgments those that are relevant.
    role : {"score", "grade"}
        Whether they are a run, which gets ranks, or judgments, which get grade 1.
    """
    kinds = (list, tuple, np.ndarray) if role == "score" else (list, tuple, np.ndarray, set)
    _check(by_query, kinds, "{query: [doc, ...]}")
    docs = flatten(by_query.values())
    if role == "score":
        return _frame(by_query, docs, {"rank": docs.place + 1})
    return _frame(by_query, docs, {"grade": np.ones(len(docs.items))}).drop_duplicates(
        ignore_index=True
    )


def _check(by_query: Mapping[Any, Any], kinds: Any, form: str) -> None:
    """Raise when what stands under some query is not what stands under the others."""
    wrong = [query for query, inner in by_query.items() if not isinstance(inner, kinds)]
    if wrong:
        found = type(by_query[wrong[0]]).__name__
        raise DataError(
            f"Query {wrong[0]!r} holds {found}, where others hold what {form} says. Give every "
            f"query the same."
        )


def _frame(by_query: Mapping[Any, Any], docs: Flat, numbers: dict[str, Any]) -> pd.DataFrame:
    if not len(docs.items):
        raise DataError("The dict holds no document for any query, so there is nothing to read.")
    queries = np.fromiter(by_query, dtype=object, count=len(by_query))
    query = as_ids(queries).take(docs.owner)
    return pd.DataFrame({"query": query.array, "doc": docs.ids().array, **numbers})
