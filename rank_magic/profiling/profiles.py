"""`profile()`: one look at an evaluation set before any mean of it is believed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rank_magic.attach import attach
from rank_magic.columns import plain
from rank_magic.profiling.facts import DEEPEST, Facts
from rank_magic.profiling.findings import SEVERITIES, table
from rank_magic.profiling.looking import look
from rank_magic.roles import conventional, find_roles
from rank_magic.shapes import as_run

__all__ = ["Profile", "profile"]


def profile(
    frame: pd.DataFrame | Mapping[Any, Any],
    *,
    qrels: pd.DataFrame | Mapping[Any, Any] | None = None,
    query: Hashable | Sequence[Hashable] | None = None,
    doc: Hashable | None = None,
    grade: Hashable | None = None,
    score: Hashable | Sequence[Hashable] | None = None,
    rank: Hashable | None = None,
    system: Hashable | None = None,
    subtopic: Hashable | None = None,
    order: str | None = None,
    rel: float = 1.0,
) -> Profile:
    """Look an evaluation set over: what is in it, and what looks wrong with it.

    Nothing is refused that can be looked at: repeated documents, conflicting grades and missing
    ids, which `evaluate` raises an error for, are counted and shown.

    Parameters
    ----------
    frame : DataFrame or mapping
        As `evaluate` takes it; or judgments alone, without a score or rank.
    qrels, query, doc, grade, score, rank, system, subtopic, order
        As in `evaluate`.
    rel : float
        From which grade on a document is relevant.

    Returns
    -------
    Profile

    Raises
    ------
    ColumnError, DataError
        If columns can't be told, or there are no rows.

    Notes
    -----
    Row order that follows the grade is told by neighbouring judged rows of a query that differ:
    by chance the next one has the lower grade in half of the cases. Where scores tie and a tool
    keeps rows in order, such data score too well, or too badly.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame(
    ...     {
    ...         "query": ["a", "a", "a", "b", "b", "b "],
    ...         "doc": ["x", "y", "x", "x", "w", "x"],
    ...         "grade": [2, 1, 2, 0, 0, None],
    ...         "score": [0.9, 0.8, 0.1, 0.7, 0.7, 0.5],
    ...     }
    ... )
    >>> look = rm.profile(frame)
    >>> look.findings[["severity", "kind", "count"]].head(4)
       severity                                   kind  count
    0     wrong                     repeated documents      1
    1  doubtful            query ids with outer spaces      1
    2  doubtful  query ids alike but for case or spaces      2
    3  doubtful                        constant scores      1
    """
    frame = as_run(frame, query=query)
    if qrels is not None:
        frame = attach(
            frame, qrels, query=query, doc=doc, grade=grade, subtopic=subtopic, order=order
        )
        order = None  # ranks say so now
    ranked = order is not None or score is not None or rank is not None
    if not ranked and isinstance(frame, pd.DataFrame):
        ranked = any(conventional(role, list(frame.columns)) for role in ("score", "rank"))
    roles = find_roles(
        frame, order=order if ranked else "rows", query=query, doc=doc, grade=grade, score=score,
        rank=rank, system=system, subtopic=subtopic,
    )  # fmt: skip
    return Profile.of(Facts.of(frame, roles, ranked=ranked), rel)


@dataclass(frozen=True, eq=False)
class Profile:
    """What is in an evaluation set, and what looks wrong with it: what `profile` returns.

    Shown in a notebook it is a table of each; everything in it is a frame, too.

    Attributes
    ----------
    counts : dict of str to int
        How many rows, queries, documents, judged rows, ... there are.
    findings : DataFrame
        What looks wrong, the gravest first: ``severity`` ("wrong", "doubtful" or "note"),
        ``kind`` (words that never change), ``count``, ``text`` and ``examples``.
    grades : Series
        How often each grade was given.
    sizes : DataFrame
        Least, median, mean and most documents of a query: all, judged, relevant, retrieved.
    unjudged : DataFrame
        By rank, down to 100, and system: the share of the documents shown there that nobody
        judged, expected over the orders of equal scores; NaN where no query is that deep.
    queries : DataFrame
        By query: ``documents``, ``judged``, ``relevant``, ``highest`` (grade), and for each system
        how many documents it ``retrieved``, with several systems in columns of pairs.
    """

    counts: dict[str, int]
    findings: pd.DataFrame
    grades: pd.Series[Any]
    sizes: pd.DataFrame
    unjudged: pd.DataFrame
    queries: pd.DataFrame

    @classmethod
    def of(cls, facts: Facts, rel: float) -> Profile:
        """Look facts over."""
        queries = _by_query(facts, rel)
        documents, unjudged, _ = facts.shown
        with np.errstate(invalid="ignore"):
            shares = pd.DataFrame(
                (unjudged / documents).T,
                index=pd.RangeIndex(1, DEEPEST + 1, name="rank"),
                columns=pd.Index(list(facts.scores), name="system"),
            )
        deepest = int(np.count_nonzero(documents.any(axis=0)))
        doc, distinct = facts.doc
        counts = {
            "rows": len(facts.frame) + facts.without_query,
            "queries": len(queries),
            "documents": len(distinct),
            "judged rows": int(facts.grades.sum()),
            "systems": len(facts.scores),
        }
        if doc is None:
            del counts["documents"]
        return cls(
            counts, table(look(facts, queries, rel)), facts.grades, _sizes(queries),
            shares.iloc[:deepest], queries,
        )  # fmt: skip

    @property
    def healthy(self) -> bool:
        """Whether nothing was found but notes."""
        return bool((self.findings["severity"] == SEVERITIES[-1]).all())

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the list of queries in plain Python, as JSON can hold it."""
        findings = self.findings.assign(
            examples=[[_text(one) for one in examples] for examples in self.findings["examples"]]
        )
        shares = {
            str(system): [None if np.isnan(share) else float(share) for share in values]
            for system, values in self.unjudged.items()
        }
        return {
            "counts": dict(self.counts),
            "findings": findings.to_dict("records"),
            "grades": {f"{grade:g}": int(count) for grade, count in self.grades.items()},
            "sizes": {
                name: {key: float(value) for key, value in row.items()}
                for name, row in self.sizes.to_dict("index").items()
            },
            "unjudged": shares,
        }

    def __repr__(self) -> str:
        from rank_magic.tables.profile import profile_text

        return profile_text(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Return it as HTML that needs nothing else."""
        from rank_magic.tables.profile import profile_html

        return profile_html(self)


def _text(example: Any) -> Any:
    example = plain(example)
    return example if isinstance(example, (str, int, float, bool)) else repr(example)


def _by_query(facts: Facts, rel: float) -> pd.DataFrame:
    """Return what each query has."""
    columns: dict[Any, Any] = {
        "documents": facts.groups.length,
        "judged": facts.count(~np.isnan(facts.grade)),
        "relevant": facts.count(facts.grade >= rel),
        "highest": facts.highest,
    }
    for name, number in facts.retrieved.items():
        key = "retrieved" if len(facts.scores) == 1 else f"retrieved by {name}"
        columns[key] = number
    return pd.DataFrame(columns, index=facts.groups.labels)


def _sizes(queries: pd.DataFrame) -> pd.DataFrame:
    """Return how many documents queries have."""
    counted = queries.drop(columns="highest")
    return pd.DataFrame(
        {
            "least": counted.min(),
            "median": counted.median(),
            "mean": counted.mean(),
            "most": counted.max(),
        }
    )
