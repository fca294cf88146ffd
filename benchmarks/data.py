"""Judged and scored documents to measure on: the same rows on every machine."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

SEED = 20_240_601
# Documents come from a collection of so many. It is prime, so that equal steps through it meet
# no document twice within a query.
COLLECTION = 1_000_003
LONGEST = 5_000
# The shape of the Pareto distribution: with it, 20,000 queries have about 5.5 million documents.
SHAPE = 0.2
RAGGED = {"ragged": 20_000, "ragged-small": 300}
# Grades 0 to 4 for 75, 13, 7, 4 and 1 % of the documents, as quantiles of the normal distribution.
STEPS = (0.674, 1.175, 1.645, 2.326)


def lengths(size: str) -> np.ndarray:
    """Return how many documents each query of a size has: "1000x100", or "ragged"."""
    if size in RAGGED:
        chance = np.random.default_rng(SEED).random(RAGGED[size])
        return ((1 - chance * (1 - LONGEST**-SHAPE)) ** (-1 / SHAPE)).astype(np.int64)
    queries, documents = map(int, size.split("x"))
    return np.full(queries, documents)


def shape(size: str) -> tuple[int, int]:
    """Return the numbers of queries and of rows."""
    length = lengths(size)
    return len(length), int(length.sum())


def costs(size: str) -> tuple[float, float, float]:
    """Return what work may grow with: queries, rows, and pairs of documents of a query."""
    length = lengths(size).astype(float)
    return len(length), float(length.sum()), float((length**2).sum())


def title(size: str) -> str:
    """Return a size in words."""
    queries, rows = shape(size)
    if size in RAGGED:
        return f"ragged: {queries:,} queries of 1 to {LONGEST:,} documents, {rows:,} rows"
    return f"{queries:,} queries x {rows // queries:,} documents"


@lru_cache(maxsize=3)
def tidy(size: str) -> pd.DataFrame:
    """Return one row per query and document: whole ids, rows by query, no scores tied.

    Every query has a document that is relevant, and every document a grade, so that the peers'
    definitions agree.
    """
    random = np.random.default_rng(SEED + 1)
    length = lengths(size)
    start = np.cumsum(length) - length
    query = np.repeat(np.arange(len(length)), length)
    place = np.arange(len(query)) - start[query]
    first = random.integers(0, COLLECTION, len(length))
    step = random.integers(1, COLLECTION, len(length))
    doc = (first[query] + step[query] * place) % COLLECTION
    quality = random.standard_normal(len(query))
    grade = np.searchsorted(STEPS, quality)
    grade[start] = np.maximum(grade[start], 1)
    score = quality + random.standard_normal(len(query))
    return pd.DataFrame({"query": query, "doc": doc, "grade": grade, "score": score})


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows in random order."""
    order = np.random.default_rng(SEED + 2).permutation(len(frame))
    return frame.take(order).reset_index(drop=True)


def separated(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with scores that 32 bits tell apart, since trec_eval reads such."""
    return frame.assign(score=frame.groupby("query")["score"].rank())


def with_ids(frame: pd.DataFrame, form: str) -> Any:
    """Return the frame in another form.

    Parameters
    ----------
    frame : DataFrame
        As `tidy` returns it.
    form : {"int", "str", "object", "category", "tables"}
        The type of its ids; "tables" are run and qrels as two frames, their ids as text.
    """
    if form == "int":
        return frame
    if form == "tables":
        return run_and_qrels(frame, frame["grade"] > 0)
    return frame.assign(
        **{role: texts_of(frame[role].to_numpy(), role[0], form) for role in ("query", "doc")}
    )


@lru_cache(maxsize=4)
def texts(letter: str, number: int) -> np.ndarray:
    """Return ids as text, all of one width: ranx compiles itself anew for every width."""
    return np.array([f"{letter}{n:07}" for n in range(number)], dtype=object)


def texts_of(ids: np.ndarray, letter: str, form: str) -> pd.Categorical | pd.Series:
    names = texts(letter, COLLECTION if letter == "d" else int(ids.max()) + 1)
    if form == "category":
        return pd.Categorical.from_codes(ids, categories=names)
    column = pd.Series(names[ids], dtype="str")
    # As objects, every cell is a string of its own, as a file's reader leaves them.
    return column.astype(object) if form == "object" else column


def run_and_qrels(frame: pd.DataFrame, judged: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the two usual tables: every document scored, the chosen rows judged."""
    rows = with_ids(frame, "str")
    return rows[["query", "doc", "score"]], rows.loc[judged, ["query", "doc", "grade"]]


def constant(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame as a scorer leaves it that can't tell documents apart."""
    return frame.assign(score=1.0)


def systems(frame: pd.DataFrame, number: int) -> pd.DataFrame:
    """Return the frame with the score columns of several systems, ``s0``, ``s1``, ..."""
    random = np.random.default_rng(SEED + 4)
    scores = {f"s{n}": frame["score"] + random.standard_normal(len(frame)) for n in range(number)}
    return frame[["query", "doc", "grade"]].assign(**scores)
