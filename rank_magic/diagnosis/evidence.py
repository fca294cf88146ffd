"""What each ranking shows of what a measure does not see: one pass over the blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE, Block
from rank_magic.evaluation import Evaluation
from rank_magic.measures import Measure, parse_all
from rank_magic.rankings import Ranked
from rank_magic.values import compute

__all__ = ["Evidence", "gather"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class Evidence:
    """What was found for each ranking, arrays of shape (systems, queries) if nothing else is said.

    Attributes
    ----------
    k : int
        How far down a reader is taken to look.
    rel : float
        Grade from which a document is relevant.
    rr, ap, ndcg, err : array of float
        RR, AP, nDCG@k and ERR@k.
    usable : array of bool
        Whether the query has a relevant document and the system any result.
    relevant : array of int, shape (queries,)
        Number of relevant documents of each query.
    found : array of int
        Number of them that were retrieved.
    ndcg_low, ndcg_high, err_low, err_high : array of float
        nDCG@k and ERR@k with the first k in their worst and best order that RR and AP take for
        the same: relevant documents change places with relevant ones only, others with others.
    below : array of float
        What AP earns below rank k.
    late : array of float
        What AP would lose without the first relevant document below rank k; NaN where none is.
    """

    k: int
    rel: float
    rr: Floats
    ap: Floats
    ndcg: Floats
    err: Floats
    usable: Bools
    relevant: Ints
    found: Ints
    ndcg_low: Floats
    ndcg_high: Floats
    err_low: Floats
    err_high: Floats
    below: Floats
    late: Floats


def gather(evaluation: Evaluation, k: int) -> Evidence:
    """Look at every ranking of an evaluation."""
    rankings, conventions = evaluation.rankings, evaluation.conventions
    measures = parse_all(["RR", "AP", f"nDCG@{k}", f"ERR@{k}"])
    values = compute(rankings, measures)
    rr, ap, ndcg, err = values.ruled(conventions).transpose(1, 0, 2)
    shape = rr.shape
    floats = {
        name: np.full(shape, np.nan)
        for name in ("ndcg_low", "ndcg_high", "err_low", "err_high", "below", "late")
    }
    relevant, found = np.zeros(shape[1], dtype=np.int64), np.zeros(shape, dtype=np.int64)
    _, precision, gain, cascade = (measure.resolved(conventions.defaults) for measure in measures)

    def look(system: int, ranked: Ranked) -> None:
        block, at = ranked.block, ranked.queries
        table = block.scale.relevant(conventions.rel)
        number = block.pool.number(table)
        relevant[at] = number
        contributions = precision.contributions(block)
        floats["below"][system, at] = contributions[:, k:].sum(axis=1)
        settled = block.settled()
        hit = np.take(table, settled.codes[:, : settled.width()]) > 0
        found[system, at] = hit.sum(axis=1)
        floats["late"][system, at] = _late(hit, number, k)
        for name, measure in (("ndcg", gain), ("err", cascade)):
            low, high = _range(measure, settled, hit, k)
            floats[f"{name}_low"][system, at] = low
            floats[f"{name}_high"][system, at] = high

    for _ in rankings.map(look):
        pass
    usable = (relevant > 0) & values.pooled & values.answered
    usable &= ~np.isnan(rr) & ~np.isnan(ap) & ~np.isnan(ndcg) & ~np.isnan(err)
    return Evidence(k, conventions.rel, rr, ap, ndcg, err, usable, relevant, found, **floats)


def _late(hit: Bools, relevant: Ints, k: int) -> Floats:
    """Return what AP loses when the first relevant document below rank k is not found.

    That document adds hits / rank, and 1 / rank to each relevant document below it.
    """
    rank = np.arange(1.0, hit.shape[1] + 1.0)
    below = hit & (rank > k)
    there = below.any(axis=1)
    first = below.argmax(axis=1)
    rows = np.arange(len(hit))
    hits = np.cumsum(hit, axis=1)[rows, first]
    after = (hit & (rank - 1 > first[:, None])) / rank
    lost = hits / rank[first] + after.sum(axis=1)
    return np.where(there, lost / np.maximum(relevant, 1), np.nan)


def _range(measure: Measure, block: Block, hit: Bools, k: int) -> tuple[Floats, Floats]:
    """Return the lowest and highest value over orders that RR and AP can't tell apart."""
    values = [measure.value(block)]
    for best in (False, True):
        codes = _rearranged(block, hit, min(k, hit.shape[1]), best=best)
        values.append(measure.value(replace(block, codes=codes)))
    return np.minimum.reduce(values), np.maximum.reduce(values)


def _rearranged(block: Block, hit: Bools, k: int, *, best: bool) -> Ints:
    """Return the codes with the relevant among the first k sorted by grade, and so the others."""
    top, codes = block.codes[:, :k], block.codes.copy()
    shown = np.arange(k) < block.length[:, None]
    last = np.iinfo(codes.dtype).max
    for mask in (hit[:, :k], ~hit[:, :k] & shown):
        # Those that are meant stand first, in order; each goes to the next place of its kind.
        in_order = (
            -np.sort(np.where(mask, -top.astype(np.int64), last), axis=1)
            if best
            else np.sort(np.where(mask, top, last), axis=1)
        )
        place = np.maximum(np.cumsum(mask, axis=1) - 1, 0)
        codes[:, :k] = np.where(mask, np.take_along_axis(in_order, place, axis=1), codes[:, :k])
    return codes


def grades_shown(evaluation: Evaluation, system: int, query: int, k: int) -> str:
    """Return the grades of the first k results, best rank first; ? where nobody judged."""
    block = evaluation.rankings.ranked(query, system).block
    codes = block.codes[0, : int(block.shown(k)[0])]
    grades = block.scale.grades
    return " ".join("?" if c < FIRST_GRADE else f"{grades[c - FIRST_GRADE]:g}" for c in codes)
