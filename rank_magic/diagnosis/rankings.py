"""What RR and AP do not see in single rankings: the findings about one measure at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.diagnosis.evidence import Evidence
from rank_magic.diagnosis.finding import Finding, examples
from rank_magic.evaluation import Evaluation
from rank_magic.notes import NAMED_SYSTEMS, by_system, short

__all__ = ["about_rankings"]

Floats = NDArray[np.float64]

# From what a movement of a value is worth a word.
SEEN = 1e-9
# nDCG below it is poor.
POOR = 0.5
# A share of AP, and a single item's cost, that are worth a word.
MUCH, COSTLY = 0.1, 0.01

GRADES = "RR and AP do not see grades"
FIRST = "RR is blind after the first relevant result"
DEPTH = "AP is earned where few look"
RECALL = "AP pays for single documents that nobody sees"


def about_rankings(evaluation: Evaluation, seen: Evidence) -> Iterator[Finding]:
    """Yield what RR and AP do not see."""
    if not seen.usable.any():
        yield Finding(
            "nothing",
            "RR and AP hide something",
            "No answered query has anything relevant to find.",
            found=False,
        )
    elif seen.relevant.max() == 1:
        yield Finding(
            "single",
            "RR and AP are blind to what follows the first relevant result",
            "Every query has one relevant document at most, so that RR says all there is to say "
            "of its rank, and AP is the same number: both are fine here.",
            found=False,
        )
    else:
        yield _grades(evaluation, seen)
        yield _first(evaluation, seen)
        yield _depth(evaluation, seen)
        yield _recall(evaluation, seen)


def _grades(evaluation: Evaluation, seen: Evidence) -> Finding:
    span = np.where(seen.usable, seen.ndcg_high - seen.ndcg_low, np.nan)
    cascade = np.where(seen.usable, seen.err_high - seen.err_low, np.nan)
    hidden = np.fmax(span, cascade) > SEEN
    name, k = f"nDCG@{seen.k}", seen.k
    if not hidden.any():
        levels = evaluation.rankings.scale.grades
        relevant = levels[levels >= seen.rel]
        others = levels[(levels > 0) & (levels < seen.rel)]
        binary = len(relevant) == 1 and not len(others)
        why = (
            f"Grades are binary here: {relevant[0]:g} is the only one above 0"
            if binary
            else f"No first {k} results hold documents of different grades that RR and AP take "
            f"for alike"
        )
        return Finding(
            "grades", GRADES, f"{why}, so that RR and AP miss none of them.", found=False
        )
    numbers = _by_system(
        evaluation,
        {
            "queries": seen.usable.sum(axis=1),
            "queries with grades not seen": hidden.sum(axis=1),
            f"mean movement of {name}": _means(np.where(hidden, span, np.nan)),
            f"mean movement of ERR@{k}": _means(np.where(hidden, cascade, np.nan)),
        },
    )
    columns = {
        "RR": seen.rr,
        "AP": seen.ap,
        f"{name} worst": seen.ndcg_low,
        f"{name} best": seen.ndcg_high,
    }
    shown = examples(evaluation, np.where(hidden, span, np.nan), columns, k=k)
    move = by_system(dict(numbers[f"mean movement of {name}"].dropna()), "{:.3f}")
    evidence = (
        f"In {_of(numbers, 'queries with grades not seen')} queries the first {k} results hold "
        f"documents that RR and AP take for alike though their grades differ. Between the worst "
        f"and the best order of these, RR and AP stay what they are and {name} moves by {move} on "
        f"average, at most from {shown.iloc[0][f'{name} worst']:.3f} to "
        f"{shown.iloc[0][f'{name} best']:.3f} ({_whose(evaluation, shown)})."
    )
    return Finding("grades", GRADES, evidence, numbers, shown, found=True)


def _first(evaluation: Evaluation, seen: Evidence) -> Finding:
    perfect = seen.usable & (seen.rr == 1.0)
    name = f"nDCG@{seen.k}"
    if not perfect.any():
        return Finding("first", FIRST, "RR is 1 nowhere, so that it hides nothing so.", found=False)
    poor = perfect & (seen.ndcg < POOR)
    if not poor.any():
        lowest = float(seen.ndcg[perfect].min())
        evidence = f"Wherever RR is 1, {name} is at least {lowest:.3f}."
        return Finding("first", FIRST, evidence, found=False)
    numbers = _by_system(
        evaluation,
        {
            "queries": seen.usable.sum(axis=1),
            "queries with RR = 1": perfect.sum(axis=1),
            f"of these {name} < {POOR:g}": poor.sum(axis=1),
        },
    )
    columns = {"RR": seen.rr, name: seen.ndcg, f"ERR@{seen.k}": seen.err}
    shown = examples(evaluation, np.where(poor, -seen.ndcg, np.nan), columns, k=seen.k)
    counts = _of(numbers, f"of these {name} < {POOR:g}", "queries with RR = 1")
    evidence = (
        f"In {counts} queries that RR calls perfect (RR = 1), {name} is below {POOR:g}; at the "
        f"lowest it is {shown.iloc[0][name]:.3f} ({_whose(evaluation, shown)})."
    )
    return Finding("first", FIRST, evidence, numbers, shown, found=True)


def _depth(evaluation: Evaluation, seen: Evidence) -> Finding:
    below = np.where(seen.usable, seen.below, 0.0).sum(axis=1)
    total = np.where(seen.usable, seen.ap, 0.0).sum(axis=1)
    share = np.divide(below, total, out=np.zeros(len(total)), where=total > 0)
    numbers = _by_system(evaluation, {f"share of AP below rank {seen.k}": share})
    percent = by_system(dict(zip(evaluation.systems, 100 * share, strict=True)), "{:.0f} %")
    if share.max() < MUCH:
        evidence = f"Of AP only {percent} is earned below rank {seen.k}."
        return Finding("depth", DEPTH, evidence, numbers, found=False)
    there = seen.usable & (seen.ap > 0)
    each = np.divide(seen.below, seen.ap, out=np.full(there.shape, np.nan), where=there)
    columns = {"AP": seen.ap, f"of it below rank {seen.k}": seen.below, f"nDCG@{seen.k}": seen.ndcg}
    # Where much is earned down there, not where next to nothing is all there is.
    shown = examples(evaluation, np.where(each > 0, seen.below, np.nan), columns, k=seen.k)
    most = shown.iloc[0]
    evidence = (
        f"Of AP {percent} is earned below rank {seen.k}, where nDCG@{seen.k} and ERR@{seen.k} do "
        f"not look; most of all {most[f'of it below rank {seen.k}']:.3f} of {most['AP']:.3f} "
        f"({_whose(evaluation, shown)})."
    )
    return Finding("depth", DEPTH, evidence, numbers, shown, found=True)


def _recall(evaluation: Evaluation, seen: Evidence) -> Finding:
    late = np.where(seen.usable, seen.late, np.nan)
    # Where nothing is found, every measure says so.
    lacks = seen.usable & (seen.found > 0) & (seen.found < seen.relevant)
    whole = np.broadcast_to(np.maximum(seen.relevant, 1), lacks.shape)
    absent = np.where(lacks, (seen.relevant - seen.found) / whole, np.nan)
    one = np.where(lacks, 1 / whole, np.nan)
    cost = np.fmax(late, one)
    numbers = _by_system(
        evaluation,
        {
            "queries": seen.usable.sum(axis=1),
            f"queries with a relevant document below rank {seen.k}": (~np.isnan(late)).sum(axis=1),
            "mean cost of the first of these": _means(late),
            "queries that miss some of their relevant documents": lacks.sum(axis=1),
            "mean of AP out of reach": _means(absent),
        },
    )
    if not (cost >= COSTLY).any():
        evidence = (
            f"No single relevant document that is missing or below rank {seen.k} costs AP as much "
            f"as {COSTLY:g}."
        )
        return Finding("recall", RECALL, evidence, numbers, found=False)
    columns = {
        "AP": seen.ap,
        "cost of one late": seen.late,
        "cost of one missing": one,
        "relevant": np.broadcast_to(seen.relevant, one.shape),
        "retrieved": seen.found,
    }
    shown = examples(evaluation, cost, columns, k=seen.k)
    parts = []
    if not np.isnan(late).all():
        system, query = divmod(int(np.nanargmax(late)), late.shape[1])
        name = _name(evaluation, evaluation.systems[system], evaluation.queries[query])
        parts.append(
            f"Without its first relevant document below rank {seen.k} a query's AP would be lower "
            f"by {np.nanmean(late):.3f} on average, by up to {np.nanmax(late):.3f} ({name}), "
            f"while nDCG@{seen.k} and ERR@{seen.k} would not move."
        )
    if lacks.any():
        missing = _of(numbers, "queries that miss some of their relevant documents")
        parts.append(
            f"In {missing} queries some relevant documents were not retrieved, which keeps AP from "
            f"1 by {np.nanmean(absent):.3f} on average, a single one by up to {np.nanmax(one):.3f}."
        )
    return Finding("recall", RECALL, " ".join(parts), numbers, shown, found=True)


# Numbers and words.


def _by_system(evaluation: Evaluation, columns: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(columns, index=pd.Index(evaluation.systems, name="system"))


def _means(values: Floats) -> Floats:
    """Return the mean of each system's values that are there; NaN when none is."""
    there = ~np.isnan(values)
    count = there.sum(axis=1)
    total = np.where(there, values, 0.0).sum(axis=1)
    return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)


def _of(numbers: pd.DataFrame, some: str, all_: str = "queries") -> str:
    """Write counts as shares of others: ``bm25 12 of 112, rrf 9 of 116``."""
    ends = numbers.index
    if len(ends) > NAMED_SYSTEMS:
        ends = pd.Index([numbers[some].idxmin(), numbers[some].idxmax()]).unique()
    written = {
        name: f"{int(numbers.at[name, some]):,} of {int(numbers.at[name, all_]):,}" for name in ends
    }
    text = by_system(written, "{}")
    return text if len(ends) == len(numbers) else f"{text} (least and most)"


def _name(evaluation: Evaluation, system: Any, query: Any) -> str:
    whose = f", {short(system)}" if evaluation.rankings.rows.several else ""
    return f"{short(query)}{whose}"


def _whose(evaluation: Evaluation, shown: pd.DataFrame) -> str:
    return _name(evaluation, shown["system"].iloc[0], shown["query"].iloc[0])
