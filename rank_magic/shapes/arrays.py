"""Grades and scores as arrays, as LightGBM, XGBoost and scikit-learn have them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.errors import DataError

__all__ = ["from_arrays"]

Ints = NDArray[np.int64]


def from_arrays(
    grade: Any,
    score: Any,
    *,
    group: Any = None,
    qid: Any = None,
    doc: Any = None,
) -> pd.DataFrame:
    """Return grades and scores that stand in arrays as a frame of a row per document.

    Parameters
    ----------
    grade : array of shape (rows,) or (queries, places)
        What others call y_true or labels. In two dimensions every row is a query; a cell where
        both grade and score are missing is padding and left out.
    score : array like `grade`, or dict of name to such an array
        What others call y_score or predictions. A dict holds a system for each name.
    group : array of int, shape (queries,), optional
        How many rows each query has, as LightGBM and XGBoost have it: the first query's rows
        come first. Queries are numbered from 0.
    qid : array of shape (rows,), optional
        The query of each row.
    doc : array of shape (rows,), optional
        The document of each row. Without it nobody can tell whether one stands twice in a query.

    Returns
    -------
    DataFrame
        Columns ``query``, ``doc`` if given, ``grade``, and ``score`` or one for each system.

    Raises
    ------
    DataError
        If lengths do not fit, or neither `group` nor `qid` says whose a row is.

    Examples
    --------
    >>> import rank_magic as rm
    >>> frame = rm.from_arrays([0, 2, 1, 0], [0.3, 0.9, 0.2, 0.8], group=[2, 2])
    >>> frame
       query  grade  score
    0      0      0    0.3
    1      0      2    0.9
    2      1      1    0.2
    3      1      0    0.8
    >>> rm.evaluate(frame, "RR").per_query["RR"].tolist()
    [1.0, 0.5]
    """
    systems = dict(score) if isinstance(score, Mapping) else {"score": score}
    if not systems:
        raise DataError("The dict of scores is empty: give {name: scores} for each system.")
    columns = {"grade": _array("grade", grade)}
    columns |= {name: _array(name, values) for name, values in systems.items()}
    if columns["grade"].ndim == 2:
        if group is not None or qid is not None or doc is not None:
            raise DataError(
                "Arrays of two dimensions have a query in each row, so that group, qid and doc "
                "are out of place. Flatten them with .ravel(), or leave those out."
            )
        return _unpadded(columns)
    columns = {"query": _queries(len(columns["grade"]), group, qid), **columns}
    if doc is not None:
        columns = {"query": columns.pop("query"), "doc": _array("doc", doc), **columns}
    _same_shape(columns)
    return pd.DataFrame(columns)


def _array(name: Hashable, values: Any) -> Any:
    """Return something like an array as one that a frame takes as it is."""
    if isinstance(values, pd.Series):
        return values.array
    array = np.asarray(values)
    if array.ndim not in (1, 2) or (array.ndim == 2 and name == "doc"):
        raise DataError(
            f"{name!r} must be an array of one dimension, or of two with a query in each row, "
            f"not of shape {array.shape}."
        )
    return array


def _same_shape(columns: Mapping[Any, Any]) -> None:
    shapes = {name: tuple(values.shape) for name, values in columns.items()}
    if len(set(shapes.values())) > 1:
        found = ", ".join(f"{name!r} {shape}" for name, shape in shapes.items())
        raise DataError(f"The arrays must have one shape, but they have: {found}.")


def _queries(rows: int, group: Any, qid: Any) -> Any:
    """Return the query of each row."""
    if (group is None) == (qid is None):
        raise DataError(
            "Say whose the rows are, one way: group=[...], how many rows each query has, or "
            f"qid=[...], the query of each row. For a single query: group=[{rows}]."
        )
    if qid is not None:
        return _array("qid", qid)
    sizes = np.asarray(group)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (len(sizes) and sizes.min() < 0):
        raise DataError(
            "group must be a list of whole numbers, how many rows each query has, not "
            f"{group!r:.100}."
        )
    if sizes.sum() != rows:
        hint = " These look like the query of each row: qid=..." if len(sizes) == rows else ""
        raise DataError(
            f"group adds up to {int(sizes.sum()):,} rows in {len(sizes):,} queries, but there "
            f"are {rows:,} rows.{hint}"
        )
    if len(sizes) and sizes.min() == 0:
        raise DataError(
            f"Query {int(sizes.argmin())} has no rows according to group, so there is nothing to "
            f"evaluate it by. Take it out."
        )
    return np.repeat(np.arange(len(sizes)), sizes)


def _unpadded(columns: Mapping[Any, Any]) -> pd.DataFrame:
    """Return arrays with a query in each row as rows, without their padding."""
    _same_shape(columns)
    queries, places = columns["grade"].shape
    flat = {name: pd.Series(values.ravel()) for name, values in columns.items()}
    there = ~np.logical_and.reduce([values.isna().to_numpy() for values in flat.values()])
    lacking = np.flatnonzero(~there.reshape(queries, places).any(axis=1))
    if len(lacking):
        raise DataError(
            f"Row {int(lacking[0])} of the arrays is all padding, so there is nothing to evaluate "
            f"that query by. Take it out."
        )
    query = np.repeat(np.arange(queries), places)
    return pd.DataFrame({"query": query, **flat})[there].reset_index(drop=True)
