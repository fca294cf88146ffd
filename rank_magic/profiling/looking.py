"""Looking an evaluation set over for what makes means wrong, or less than they seem."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.columns import column, numbers, plain
from rank_magic.profiling.facts import Facts
from rank_magic.profiling.findings import Finding
from rank_magic.profiling.ids import suspicious_ids

__all__ = ["look"]

Bools = NDArray[np.bool_]

SHOWN = 3
FIRST = 1_000
# Row order follows the grade when so many of the neighbours that differ stand in its order.
FOLLOWS, ENOUGH = 0.9, 20
# At what rank a share of unjudged documents is told, and from what share on it is doubtful.
TOP, MANY_UNJUDGED = 10, 0.3
FEW_QUERIES = 50  # fewer tell little differences from chance badly
LARGE_GRADE = 50.0  # from here on exp2 gains leave nothing to all other grades


def look(facts: Facts, queries: pd.DataFrame, rel: float) -> Iterator[Finding]:
    """Yield what is to be said about an evaluation set.

    Parameters
    ----------
    facts : Facts
        The set.
    queries : DataFrame
        What each query has.
    rel : float
        From which grade on a document is relevant.
    """
    yield from _rows(facts)
    yield from _ids(facts)
    yield from _grades(facts, queries, rel)
    yield from _queries(queries)
    yield from _order(facts)
    yield from _scores(facts)
    yield from _rankings(facts)


def _rows(facts: Facts) -> Iterator[Finding]:
    """Yield what is wrong with single rows."""
    if facts.without_query:
        yield Finding(
            "wrong", "rows without a query", facts.without_query,
            f"{_rows_have(facts.without_query)} no query id and were left out here.",
        )  # fmt: skip
    doc, _ = facts.doc
    if doc is not None and (lacking := int(np.count_nonzero(doc < 0))):
        yield Finding(
            "wrong", "rows without a document", lacking,
            f"{_rows_have(lacking)} no document id.",
        )  # fmt: skip
    if repeats := int(facts.repeated.sum()):
        at = np.flatnonzero(facts.repeated)
        yield Finding(
            "wrong", "repeated documents", repeats,
            f"{_rows_have(repeats, 'repeats', 'repeat')} a document of the same query, in "
            f"{_number(len(at), 'query', 'queries')}. Drop them, or say which row counts: "
            f"duplicates='first' or duplicates='best'.",
            _labels(facts, at),
        )  # fmt: skip
    if len(facts.conflicting):
        names = [*facts.roles.query, facts.roles.doc]
        rows = facts.conflicting[:SHOWN]
        examples = [tuple(plain(column(facts.frame, n).iloc[row]) for n in names) for row in rows]
        yield Finding(
            "wrong", "conflicting grades", len(facts.conflicting),
            f"{_number(len(facts.conflicting), 'document has', 'documents have')} several "
            f"grades within a query. If several people judged, see combine_raters.",
            examples,
        )  # fmt: skip


def _ids(facts: Facts) -> Iterator[Finding]:
    for name in facts.roles.query:
        values = column(facts.frame, name)
        distinct = facts.groups.labels if len(facts.roles.query) == 1 else pd.Index(values.unique())
        yield from suspicious_ids(distinct, "query")
    doc, distinct = facts.doc
    if doc is not None:
        yield from suspicious_ids(distinct, "doc")


def _grades(facts: Facts, queries: pd.DataFrame, rel: float) -> Iterator[Finding]:
    """Yield what is odd about grades."""
    grades = facts.grades
    if not len(grades):
        yield Finding("wrong", "no grades", len(facts.grade), "Nothing is judged at all.")
        return
    values = grades.index.to_numpy(dtype=np.float64)
    if not (values == 0).any():
        yield Finding(
            "note", "only positives judged", int(grades.sum()),
            "No grade is 0: only positives were judged, so unjudged and irrelevant documents look "
            "alike, and what is judged says nothing about what is shown.",
        )  # fmt: skip
    if np.isinf(values).any():
        number = int(grades[np.isinf(values)].sum())
        yield Finding(
            "wrong", "infinite grades", number,
            f"{_number(number, 'grade is', 'grades are')} infinite, which no measure can use.",
        )  # fmt: skip
    if len(values) == 1:
        yield Finding(
            "doubtful", "one grade only", int(grades.sum()),
            f"Every judged document has grade {values[0]:g}.",
        )  # fmt: skip
    if (values < 0).any():
        number = int(grades[values < 0].sum())
        yield Finding(
            "note", "negative grades", number,
            f"{_number(number, 'grade is', 'grades are')} negative: pooled and not judged, unless "
            f"negative='nonrelevant'.",
        )  # fmt: skip
    fractional = grades[np.isfinite(values) & (values != np.round(values))]
    if len(fractional):
        number = int(fractional.sum())
        yield Finding(
            "note", "fractional grades", number,
            f"{_number(number, 'grade is', 'grades are')} no whole number. They are kept as they "
            f"are.",
            fractional.index[:SHOWN].tolist(),
        )  # fmt: skip
    if values.max() >= LARGE_GRADE:
        yield Finding(
            "doubtful", "large grades", int(grades[values >= LARGE_GRADE].sum()),
            f"Grades go up to {values.max():g}, of which the default gain 2^grade - 1 makes next "
            f"to everything, or more than a float can hold. Use gain='linear', or a table.",
            [float(values.max())],
        )  # fmt: skip
    lacking = np.flatnonzero((queries["judged"] > 0) & (queries["relevant"] == 0))
    if len(lacking):
        yield Finding(
            "note", "queries without a relevant document", len(lacking),
            f"{_number(len(lacking), 'query has', 'queries have')} no document with a grade of at "
            f"least {rel:g}. They score 0, whatever is shown, unless no_relevant= says otherwise.",
            _labels(facts, lacking),
        )  # fmt: skip
    unknown = np.flatnonzero(queries["judged"] == 0)
    if len(unknown):
        yield Finding(
            "note", "queries without any judgment", len(unknown),
            f"{_number(len(unknown), 'query has', 'queries have')} no judgment at all and get no "
            f"value.",
            _labels(facts, unknown),
        )  # fmt: skip


def _queries(queries: pd.DataFrame) -> Iterator[Finding]:
    if len(queries) < FEW_QUERIES:
        yield Finding(
            "note", "few queries", len(queries),
            f"{_number(len(queries), 'query', 'queries')} can tell large differences between "
            f"systems from chance, and small ones hardly.",
        )  # fmt: skip


def _order(facts: Facts) -> Iterator[Finding]:
    """Yield whether the order of the rows gives the grades away."""
    falls, rises = facts.neighbours
    if falls + rises < ENOUGH or (facts.roles.by_rows and facts.ranked):
        return
    share = max(falls, rises) / (falls + rises)
    if share >= FOLLOWS:
        way = "falling" if falls > rises else "rising"
        yield Finding(
            "doubtful", "row order follows the grade", max(falls, rises),
            f"Rows of a query stand by {way} grade: {100 * share:.0f} % of neighbours that differ "
            f"do, where chance would give 50 %. Whoever keeps equal scores in row order "
            f"(ties='order', a stable sort) reads the answer off it. Shuffle the rows.",
        )  # fmt: skip


def _scores(facts: Facts) -> Iterator[Finding]:
    """Yield what is odd about the scores of each system."""
    for name, score in facts.scores.items():
        of = _of(facts, name)
        if _alike(score, facts.grade):
            yield Finding(
                "wrong", "scores are the grades", len(score),
                f"The scores{of} are the grades themselves, in every row.", [plain(name)],
            )  # fmt: skip
        constant = np.flatnonzero(facts.constant(name))
        if len(constant):
            yield Finding(
                "doubtful", "constant scores", len(constant),
                f"In {_number(len(constant), 'query', 'queries')} all documents have one "
                f"score{of}, which is no ranking.",
                _labels(facts, constant),
            )  # fmt: skip
        if infinite := int(np.count_nonzero(np.isinf(score))):
            yield Finding(
                "note", "infinite scores", infinite,
                f"{_number(infinite, 'score is', 'scores are')} infinite{of}, and ordered as such.",
            )  # fmt: skip
        silent = np.flatnonzero(facts.retrieved[name] == 0)
        if len(silent):
            yield Finding(
                "note", "unanswered queries", len(silent),
                f"{_number(len(silent), 'query has', 'queries have')} no results{of}. They score "
                f"0, unless unanswered='skip'.",
                _labels(facts, silent),
            )  # fmt: skip
    for (one, first), (other, second) in combinations(facts.scores.items(), 2):
        if _alike(first, second):
            yield Finding(
                "doubtful", "systems alike", 2,
                f"The systems {plain(one)!r} and {plain(other)!r} have the same score in "
                f"every row.",
                [plain(one), plain(other)],
            )  # fmt: skip
    if facts.ranked and facts.roles.score and facts.roles.rank is not None:
        yield from _disagreement(facts)


def _alike(first: NDArray[np.float64], second: NDArray[np.float64]) -> bool:
    """Return whether two columns hold the same; the first rows tell most that do not."""
    return all(
        np.array_equal(first[rows], second[rows], equal_nan=True)
        for rows in (slice(FIRST), slice(None))
    )


def _disagreement(facts: Facts) -> Iterator[Finding]:
    """Yield where a better score has a worse rank."""
    (score, *others) = facts.scores.values()
    if others:
        return
    rank = numbers(column(facts.frame, facts.roles.rank), "rank")
    both = np.flatnonzero(~np.isnan(score) & ~np.isnan(rank))
    query = facts.groups.number_of_row()[both]
    order = np.lexsort((rank[both], -score[both], query))
    wrong = (np.diff(query[order]) == 0) & (np.diff(rank[both][order]) < 0)
    if wrong.any():
        at = np.unique(query[order][1:][wrong])
        yield Finding(
            "doubtful", "rank and score disagree", len(at),
            f"In {_number(len(at), 'query', 'queries')} a better score has a worse rank. The score "
            f"decides; drop it if the rank should.",
            _labels(facts, at),
        )  # fmt: skip


def _rankings(facts: Facts) -> Iterator[Finding]:
    """Yield what can be said of what is shown: ties, and documents nobody judged."""
    if not facts.ranked or not len(facts.grades):
        return
    documents, unjudged, tied = facts.shown
    positives = not (facts.grades.index == 0).any()
    for number, name in enumerate(facts.scores):
        of = _of(facts, name)
        at = np.flatnonzero(tied[number])
        if len(at):
            yield Finding(
                "note", "tied scores", len(at),
                f"Scores tie in {_number(len(at), 'query', 'queries')}{of}. What stands where is "
                f"anybody's choice; means are taken over every order, unless ties= says otherwise.",
                _labels(facts, at),
            )  # fmt: skip
        shown = documents[number, :TOP].sum()
        share = unjudged[number, :TOP].sum() / shown if shown else 0.0
        if share > 0 and not positives:
            doubtful = share >= MANY_UNJUDGED
            yield Finding(
                "doubtful" if doubtful else "note", "unjudged documents shown",
                round(float(unjudged[number, :TOP].sum())),
                f"{100 * share:.0f} % of the documents in the top {TOP}{of} were never judged and "
                f"count as worthless.",
            )  # fmt: skip


# Words.


def _of(facts: Facts, name: Any) -> str:
    return "" if len(facts.scores) == 1 else f" of {plain(name)!r}"


def _labels(facts: Facts, at: NDArray[Any]) -> list[Any]:
    return [plain(label) for label in facts.groups.labels[at[:SHOWN]]]


def _number(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _rows_have(number: int, one: str = "has", many: str = "have") -> str:
    return _number(number, f"row {one}", f"rows {many}")
