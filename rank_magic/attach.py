"""The two usual tables, a run and its judgments, as the one frame that is evaluated."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.errors import DataError
from rank_magic.joining import Plan, Tables, joined, settled
from rank_magic.matching import Matches, match
from rank_magic.mismatches import MOST, near_misses, no_match
from rank_magic.shapes import as_qrels, as_run

__all__ = ["attach"]

Ints = NDArray[np.signedinteger[Any]]


def attach(
    run: pd.DataFrame | Mapping[Any, Any],
    qrels: pd.DataFrame | Mapping[Any, Any],
    *,
    query: Hashable | Sequence[Hashable] | None = None,
    doc: Hashable | None = None,
    grade: Hashable | None = None,
    subtopic: Hashable | None = None,
    order: str | None = None,
    duplicates: str = "raise",
) -> pd.DataFrame:
    """Attach judgments to a run: one frame with scores and grades, ready to be evaluated.

    An outer join on query and document. Where a document was retrieved and nobody judged it, the
    grade is missing; where it was judged and not retrieved, score and rank are.

    Parameters
    ----------
    run : DataFrame or mapping
        A row per query and retrieved document. With a system column it holds several systems.
        Also ``{query: {doc: score}}``, ``{query: [doc, ...]}`` with the best first, and
        ``{name: run}`` for several systems, whose names make a system column.
    qrels : DataFrame or mapping
        A row per query and judged document (and subtopic, if there are any), or
        ``{query: {doc: grade}}``.
    query, doc, grade, subtopic : column name, optional
        Where the columns are not called by a conventional name. ``query`` may be a list. A name
        that only one of the frames has is meant for that one.
    order : {"rows"}, optional
        The run's rows stand in ranked order: they get a ``rank`` column that says so.
    duplicates : {"raise", "first", "best"}, default="raise"
        What to do when the qrels grade a document of a query more than once, and differently.
        Grades that agree are taken once.

    Returns
    -------
    DataFrame
        The run's columns, then those of the qrels. The run's rows keep their order; documents
        that no system retrieved follow the last row of their query, and queries that the run
        lacks come at the end. The index counts the rows from 0; named levels of the run's index
        become columns. Columns keep their types, except that missing numbers make whole numbers
        floats. ``frame.attrs["attach"]`` says how many rows matched.

    Raises
    ------
    ColumnError
        If a column can't be told, or the run has no order.
    DataError
        If an id is missing, ids are text here and numbers there, nothing at all matches, or
        grades conflict.

    Warns
    -----
    UserWarning
        If ids that found no partner would find one but for spaces or case.

    See Also
    --------
    rank_magic.read_run, rank_magic.read_qrels : The two tables from files.
    rank_magic.evaluate : What comes next.

    Notes
    -----
    Ids are compared as they are. A document that no system retrieved has one row, without a
    system: judgments are pooled over systems, so it belongs to the ideal ranking of each.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> run = pd.DataFrame(
    ...     {"query": ["tv", "tv", "hdmi"], "doc": ["a", "b", "c"], "score": [2.5, 1.5, 0.5]}
    ... )
    >>> qrels = pd.DataFrame(
    ...     {"query": ["tv", "tv", "hdmi"], "doc": ["b", "x", "c"], "grade": [3, 2, 1]}
    ... )
    >>> frame = rm.attach(run, qrels)
    >>> frame
      query doc  score  grade
    0    tv   a    2.5    NaN
    1    tv   b    1.5    3.0
    2    tv   x    NaN    2.0
    3  hdmi   c    0.5    1.0
    >>> frame.attrs["attach"]["of them judged"]
    2
    >>> frame.rank.ndcg(k=10)
    query
    hdmi    1.000000
    tv      0.496639
    Name: nDCG@10, dtype: float64
    """
    if duplicates not in ("raise", "first", "best"):
        raise DataError(
            f"duplicates={duplicates!r} is not a choice. They are 'raise', 'first' and 'best'."
        )
    tables = Tables.of(
        as_run(run, query=query),
        as_qrels(qrels),
        query=query,
        doc=doc,
        grade=grade,
        subtopic=subtopic,
    ).ranked(order)
    tables.check_ids()
    ours, theirs = tables.keys("run"), tables.keys("qrels")
    found = match(ours, theirs)
    if not len(found.rows):
        raise no_match(ours.columns, theirs.columns, tables.roles)
    used = settled(tables, found, duplicates)
    plan = Plan.of(found, used, len(tables.run))
    advice = _near_misses(tables, found, plan.by)
    if advice:
        warnings.warn(advice, UserWarning, stacklevel=2)
    frame = joined(tables, plan)
    frame.attrs["attach"] = _report(tables, found, used, plan)
    return frame


def _near_misses(tables: Tables, found: Matches, missed: Ints) -> str | None:
    """Return advice about ids of judgments that found no partner in the run and nearly had one."""
    if not len(missed):
        return None
    ours, theirs = tables.keys("run"), tables.keys("qrels")
    strange = found.starts[found.spans < 0]
    lonely = missed[~found.known[found.query_of[missed]]]
    if len(strange) and len(lonely):
        for query, judged in zip(ours.query, theirs.query, strict=True):
            own, other = (
                query.iloc[strange].drop_duplicates(),
                judged.iloc[lonely].drop_duplicates(),
            )
            # Of several columns that name a query together, some may be known.
            own = own[~own.isin(judged)]
            advice = near_misses([own], [other[~other.isin(query)]], "query")
            if advice:
                return advice
    unjudged = np.ones(len(tables.run), dtype=bool)
    unjudged[found.rows] = False
    rows = np.flatnonzero(unjudged)[:MOST]
    looked_at = np.isin(theirs.query[0].iloc[missed], ours.query[0].iloc[rows].unique())
    return near_misses(
        [column.iloc[rows] for column in ours.columns],
        [column.iloc[missed[looked_at]] for column in theirs.columns],
        "doc",
    )


def _report(tables: Tables, found: Matches, used: Ints, plan: Plan) -> dict[str, int]:
    """Return how many rows matched, as plain numbers, which every file format can keep."""
    strange = tables.run[tables.run_keys[:-1]].iloc[found.starts[found.spans < 0]]
    judged = np.unique(found.query_of[used])
    return {
        "rows of the run": len(tables.run),
        "of them judged": plan.judged,
        "judgments": len(used),
        "judged, not retrieved": len(plan.by),
        "judged queries": len(judged),
        "judged queries that the run lacks": int(np.count_nonzero(~found.known[judged])),
        "queries that nobody judged": len(strange.drop_duplicates()),
    }
