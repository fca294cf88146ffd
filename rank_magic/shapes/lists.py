"""A row per query with lists in it: how recommenders and retrieval for language models keep it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import plain
from rank_magic.errors import ColumnError, DataError, listed
from rank_magic.roles import conventional
from rank_magic.shapes.flat import Flat, as_ids, flatten
from rank_magic.shapes.list_columns import Lists, holds_lists, is_list, list_column

__all__ = ["from_lists"]

Ints = NDArray[np.int64]

# What a query is given whose list of relevant documents is empty: looked at, nothing found.
NOTHING_RELEVANT = -1.0


def from_lists(
    frame: pd.DataFrame,
    *,
    query: Hashable | None = None,
    retrieved: Hashable | None = None,
    relevant: Hashable | None = None,
    scores: Hashable | None = None,
    grades: Hashable | None = None,
) -> pd.DataFrame:
    """Return a frame of a row per query, with lists in it, as one of a row per document.

    Parameters
    ----------
    frame : DataFrame
        A row per query, or per query and system. It is never changed.
    query : column name, optional
        The query; by default a column of a conventional name, else the index.
    retrieved : column name, optional
        Lists of documents, the best first. May be left out where `grades` are given.
    relevant : column name, optional
        Lists or sets of the relevant documents, which get grade 1, or dicts {doc: grade}. An
        empty list says that nothing is relevant, a missing one that nobody knows.
    scores : column name, optional
        Lists of scores that go with `retrieved`. Without them the order of the lists counts.
    grades : column name, optional
        Lists of grades that go with `retrieved`, instead of `relevant`.

    Returns
    -------
    DataFrame
        Columns: those of `frame` that hold no lists, ``doc``, ``grade``, and ``score`` or
        ``rank``. Retrieved documents that are not among the relevant have no grade: nobody
        judged them one by one. Where the list of relevant documents is empty, they have −1,
        which is in the pool, but worth nothing.

    Raises
    ------
    ColumnError, DataError
        If columns can't be told, or do not hold what they must.

    Notes
    -----
    Columns are found by their names when not given: ``retrieved``, ``retrieved_ids``,
    ``retrieved_docs``, ``results``, ``recommended``, ...; ``relevant``, ``relevant_ids``,
    ``expected``, ``ground_truth``, ``reference_context_ids``, ...; ``scores``; ``grades``.
    `evaluate` calls this by itself when it meets columns that are called so.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> answers = pd.DataFrame(
    ...     {
    ...         "query": ["a", "b"],
    ...         "retrieved": [["x", "y", "z"], ["w"]],
    ...         "relevant": [["y", "v"], ["w"]],
    ...     }
    ... )
    >>> rm.from_lists(answers)
      query doc  grade  rank
    0     a   x    NaN   1.0
    1     a   y    1.0   2.0
    2     a   z    NaN   3.0
    3     a   v    1.0   NaN
    4     b   w    1.0   1.0
    >>> rm.evaluate(answers, ["RR", "R@3"]).mean().tolist()
    [0.75, 0.75]
    """
    given = {"retrieved": retrieved, "relevant": relevant, "scores": scores, "grades": grades}
    lists = Lists.of(frame, {role: list_column(frame, role, name) for role, name in given.items()})
    if ("relevant" in lists.values) == ("grades" in lists.values):
        raise ColumnError(
            f"Relevance comes either from lists of relevant documents or from lists of grades "
            f"that go with what was retrieved. Columns are {listed(frame.columns)}. Name one of "
            f"them: relevant='...' or grades='...'."
        )
    if "grades" in lists.values:
        rows, columns = _graded(lists)
    elif "retrieved" in lists.values:
        rows, columns = _matched(lists)
    else:
        raise ColumnError(
            f"No column holds what was retrieved. Columns are {listed(frame.columns)}. Say which "
            f"one: retrieved='...'."
        )
    lists.check_every_row(rows)
    labels = _labels(frame, query, set(lists.names.values()))
    _check_single(labels, query)
    return pd.concat([labels.take(rows).reset_index(drop=True), pd.DataFrame(columns)], axis=1)


def _labels(frame: pd.DataFrame, query: Hashable | None, used: set[Hashable]) -> pd.DataFrame:
    """Return the columns that are repeated for every document; the query is one of them."""
    kept = [
        place
        for place, name in enumerate(frame.columns)
        if name not in used and not holds_lists(frame.iloc[:, place])
    ]
    labels = frame.iloc[:, kept]
    names = [*labels.columns, *(name for name in frame.index.names if name is not None)]
    if query is None and conventional("query", names) is None:
        # A query that has no name yet stands in the index, such as 0, 1, 2, ...
        labels = labels.copy(deep=False)
        labels.insert(0, "query", frame.index)
    elif any(name is not None for name in frame.index.names):
        labels = labels.reset_index()
    clash = [name for name in ("doc", "grade", "score", "rank") if name in labels.columns]
    if clash:
        raise ColumnError(
            f"The columns {listed(clash)} beside the lists have names that the documents need. "
            f"Rename or drop them: frame.drop(columns={clash!r})."
        )
    return labels


def _check_single(labels: pd.DataFrame, query: Any) -> None:
    """Raise when a query has several rows of a system, whose lists would run into one another."""
    names = list(labels.columns)
    given = query if isinstance(query, list) else [query]
    found = given if query is not None else conventional("query", names) or []
    keys = [*found, *(conventional("system", names) or [])]
    again = labels[keys].duplicated().to_numpy()
    if again.any():
        at = int(again.argmax())
        told = ", ".join(f"{name} {plain(labels[name].iloc[at])!r}" for name in keys)
        raise DataError(
            f"A query has one row of lists, or one for each system, but there are "
            f"{int(again.sum()):,} more, such as {told}. Bring them together, or tell them apart "
            f"by a system column."
        )


def _graded(lists: Lists) -> tuple[Ints, dict[str, Any]]:
    """Return whose the documents are, and their columns, where grades go with them."""
    columns: dict[str, Any] = {}
    first = "retrieved" if "retrieved" in lists.values else "grades"
    flat = lists.flat(first)
    if first == "retrieved":
        lists.check_ids(first, flat)
        columns["doc"] = flat.ids().array
    columns["grade"] = lists.beside("grades", first, flat)
    return flat.owner, columns | lists.order(first, flat)


def _matched(lists: Lists) -> tuple[Ints, dict[str, Any]]:
    """Return whose the documents are, and their columns, where relevant ones are listed apart."""
    docs, wanted = lists.flat("retrieved"), lists.flat("relevant")
    lists.check_ids("retrieved", docs)
    lists.check_ids("relevant", wanted)
    _check_types(docs, wanted)
    ids = as_ids(np.concatenate([docs.items, wanted.items]))
    code, _ = pd.factorize(ids)
    owner = np.concatenate([docs.owner, wanted.owner])
    mine, theirs = np.split(code + (code.max(initial=0) + 1) * owner, [len(docs.items)])
    distinct, first = np.unique(theirs, return_index=True)
    worth = _worth(lists, wanted)
    at = pd.Index(distinct).get_indexer(mine)
    grade = np.append(worth[first], np.nan)[at]
    grade[_known_empty(lists)[docs.owner]] = NOTHING_RELEVANT
    # Relevant documents that were not retrieved stand behind those that were.
    missed = np.sort(first[~np.isin(distinct, mine)])
    owner = np.concatenate([docs.owner, wanted.owner[missed]])
    order = np.argsort(owner, kind="stable")
    rows = np.concatenate([np.arange(len(mine)), len(mine) + missed])[order]
    columns: dict[str, Any] = {
        "doc": ids.take(rows).array,
        "grade": np.concatenate([grade, worth[missed]])[order],
    }
    for name, values in lists.order("retrieved", docs).items():
        columns[name] = np.concatenate([values, np.full(len(missed), np.nan)])[order]
    return owner[order], columns


def _worth(lists: Lists, wanted: Flat) -> NDArray[np.float64]:
    """Return the grades of relevant documents: those of dicts, else 1."""
    relevant = lists.values["relevant"]
    graded = [isinstance(inner, Mapping) for inner in relevant if len(inner)]
    if not any(graded):
        return np.ones(len(wanted.items))
    if not all(graded):
        raise DataError(
            f"{lists.names['relevant']!r} holds dicts {{doc: grade}} in some rows and lists in "
            f"others. Give all of them one form."
        )
    inner = [inner if len(inner) else {} for inner in relevant]
    return lists.numbers("relevant", flatten(inner, values=True))


def _known_empty(lists: Lists) -> NDArray[np.bool_]:
    """Return for each row whether it is known that no document is relevant."""
    relevant = lists.frame[lists.names["relevant"]]
    return np.array([is_list(value) and len(value) == 0 for value in relevant], dtype=bool)


def _check_types(docs: Flat, wanted: Flat) -> None:
    """Raise when retrieved and relevant documents are ids of different types, so none can match."""
    kinds = [pd.api.types.infer_dtype(flat.items) for flat in (docs, wanted)]
    if len(docs.items) and len(wanted.items) and kinds[0] != kinds[1]:
        raise DataError(
            f"Retrieved documents are of type {kinds[0]}, such as {plain(docs.items[0])!r}, but "
            f"relevant ones of type {kinds[1]}, such as {plain(wanted.items[0])!r}: they would "
            f"never match. Make them the same, such as with "
            f"frame['retrieved'].map(lambda ids: [*map(str, ids)])."
        )
