"""Measures of graded gain that only trec_eval has, with the meaning they have in version 10."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.measures.base import Floats, Measure, per, ranks
from rank_magic.measures.parameters import SMALLEST, parameter
from rank_magic.ties import sequential_sum

__all__ = ["TrecG", "TrecNdcgRel", "TrecRbp", "TrecRndcg"]


class Linear(Measure, abstract=True):
    """Base of trec_eval's measures whose gain is the grade."""

    cutoff = False
    closed_form = False

    @staticmethod
    def grades(block: Block) -> Floats:
        """Return the grade of each code."""
        return block.scale.table(lambda grades: grades)

    def findable(self, block: Block) -> NDArray[np.bool_]:
        return block.pool.number(self.grades(block) > 0) > 0

    def gained(self, block: Block) -> Floats:
        """Return the gain at each rank."""
        return block.expected(self.grades(block))

    def possible(self, block: Block, width: int) -> Floats:
        """Return the gain at each rank of the ideal ranking, 0 behind its end."""
        ideal = block.ideal(self.grades(block)).expected(self.grades(block))[:, :width]
        return np.pad(ideal, ((0, 0), (0, width - ideal.shape[1])))

    def number(self, block: Block) -> NDArray[Any]:
        """Return how many documents with a positive grade each query has."""
        return block.pool.number(self.grades(block) > 0)


def dcg(gain: Floats) -> Floats:
    """Return the running DCG of linear gains."""
    return np.cumsum(gain / np.log2(1.0 + ranks(gain)), axis=1)


class TrecG(Linear):
    """G: gain, discounted by how far its cost runs ahead of what was found.

    G = Σ_r g_r / log2(2 + Σ_{i<=r} max(1, g*_i) − Σ_{i<=r} g_i) / Σ g*, with g the grades of the
    ranking and g* those of the ideal one. In [0, 1].

    Notes
    -----
    A better document may lower it. Equal scores: no closed form; averaged over 1,000 drawn orders.

    References
    ----------
    trec_eval 10, m_G.c.
    """

    name = "trec.G"
    pretty = "G"

    def terms(self, block: Block) -> Floats:
        gain = self.gained(block)
        cost = np.cumsum(np.maximum(self.possible(block, gain.shape[1]), 1.0), axis=1)
        ahead = np.where(gain > 0, cost - np.cumsum(gain, axis=1), 0.0)
        return gain / np.log2(2.0 + ahead)

    def whole(self, block: Block) -> Floats:
        return sequential_sum(self.possible(block, block.pool.codes.shape[1]))


class TrecNdcgRel(Linear):
    """nDCG averaged over the ranks of the documents with gain.

    ndcg_rel = (1 / n) Σ over the n documents with a positive grade of nDCG@r, r their rank. One
    that was not retrieved takes the DCG of the whole ranking over the full ideal. In [0, 1].

    Notes
    -----
    Equal scores: no closed form; averaged over 1,000 drawn orders.

    References
    ----------
    trec_eval 10, m_ndcg_rel.c.
    """

    name = "trec.ndcg_rel"
    pretty = "nDCG averaged over relevant documents"

    def terms(self, block: Block) -> Floats:
        gain = self.gained(block)
        rows = np.arange(block.queries)
        possible = self.possible(block, max(gain.shape[1], block.pool.codes.shape[1]))
        reached, best = dcg(gain), dcg(possible)
        share = np.where(gain > 0, reached / np.maximum(best[:, : gain.shape[1]], 1e-300), 0.0)
        missing = self.number(block) - np.count_nonzero(gain, axis=1)
        last = np.maximum(block.shown() - 1, 0)
        final = reached[rows, last] / np.where(best[:, -1] > 0, best[:, -1], np.inf)
        share[rows, last] += missing * final
        return share

    def whole(self, block: Block) -> NDArray[Any]:
        return self.number(block)


class TrecRndcg(Linear):
    """nDCG averaged over the ranks where the ideal ranking's gain changes.

    Rndcg = the mean of nDCG@n over those ranks n, which are the numbers of documents judged with
    at least each positive grade; the end of the results is one more when it lies more than one
    rank below the last of them. 0 when nothing is relevant at ``rel``. In [0, 1]. Not a sum over
    ranks: its one contribution is the value.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    Equal scores: no closed form; averaged over 1,000 drawn orders.

    References
    ----------
    trec_eval 10, m_Rndcg.c.
    """

    rel: float = parameter(None, "grade from which a document is relevant", low=SMALLEST)

    name = "trec.Rndcg"
    pretty = "nDCG averaged over changes of gain"
    additive = False

    def contributions(self, block: Block) -> Floats:
        return self.value(block)[:, None]

    def value(self, block: Block) -> Floats:
        rows = np.arange(block.queries)
        width = max(block.codes.shape[1], block.pool.codes.shape[1])
        gain = self.gained(block)
        gain = np.pad(gain, ((0, 0), (0, width - gain.shape[1])))
        reached, best = dcg(gain), dcg(self.possible(block, width))
        total, points = np.zeros(block.queries), np.zeros(block.queries)
        end = np.zeros(block.queries, dtype=np.int64)
        grades = self.grades(block)
        for code in np.flatnonzero(grades > 0)[::-1]:
            here = block.pool.number(np.arange(len(grades)) == code)
            end = end + here
            at = np.maximum(end - 1, 0)
            share = reached[rows, at] / np.where(best[rows, at] > 0, best[rows, at], np.inf)
            total += np.where(here > 0, share, 0.0)
            points += here > 0
        further = (block.shown() > end + 1) & (points > 0)
        last = np.maximum(block.shown() - 1, 0)
        full = np.where(best[rows, last] > 0, best[rows, last], np.inf)
        total += np.where(further, reached[rows, last] / full, 0.0)
        relevant = block.pool.number(block.scale.relevant(self.rel)) > 0
        return np.where(relevant, per(total[:, None], points + further)[:, 0], 0.0)


class TrecRbp(Linear):
    """trec_eval's rank-biased precision, scaled by the highest grade of each query.

    rbp = (1 − p) Σ_r p^{r−1} · g_r / s, with g the grades and s the highest judged in the query,
    if above 1. In [0, 1].

    Parameters
    ----------
    p : float
        Persistence, from 0 to 1; 0.9 by default.

    Notes
    -----
    Queries are scaled differently, so that their values can't be compared: use `RBP`.

    References
    ----------
    trec_eval 10, m_rbp.c.
    """

    p: float = parameter(0.9, "chance of going on", low=0, high=1)

    name = "trec.rbp"
    pretty = "rank-biased precision, trec_eval's scaling"
    closed_form = True

    def contributions(self, block: Block) -> Floats:
        gain = self.gained(block)
        top = np.maximum(self.possible(block, 1)[:, 0], 1.0)
        return (1.0 - self.p) * np.power(self.p, ranks(gain) - 1.0) * gain / top[:, None]
