"""trec_eval's measures under its own names, with the meaning they have in version 10.

With ``ties="trec"`` they print trec_eval's numbers to the last digit. Most are measures that have
a name of their own here, with other parameters; the rest are defined below.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.measures.base import Floats, Measure, parameter, per, ranks
from rank_magic.measures.binary import AP, RR, Binary, P, R, RPrec, Success
from rank_magic.measures.counts import GMAP, NumRel, NumRelRet, NumRet, Unjudged
from rank_magic.measures.gain import nDCG
from rank_magic.measures.incomplete import bpref, infAP
from rank_magic.measures.recall import interpolated
from rank_magic.measures.sets import SetF, SetP, SetR
from rank_magic.ties import running_sum, sequential_sum

__all__ = ["trec_measure", "trec_names"]


class TrecIPrec(Binary):
    """trec_eval's interpolated precision: recall is rounded to a number of documents.

    The highest precision at or below the rank where int(recall · |R| + 0.5) relevant documents
    are found; the product is a binary floating-point number. In [0, 1].

    Parameters
    ----------
    recall : float
        The recall, in [0, 1].
    rel : float, optional
        Grade from which a document is relevant.

    Notes
    -----
    trec_eval 9 adds 0.9 instead of 0.5.
    """

    recall: float = parameter(0, "recall from which precision counts", low=0, high=1)

    name = "trec.iprec_at_recall"
    pretty = "interpolated precision, trec_eval's rounding"
    cutoff = False
    closed_form = False

    def contributions(self, block: Block) -> Floats:
        relevant = self.relevant(block)
        return interpolated(block, relevant, wanted(self.recall, block.pool.number(relevant)))


def wanted(recall: float, number: NDArray[Any]) -> Floats:
    """Return how many documents trec_eval 10 takes a recall to be."""
    return np.floor(recall * number + 0.5)


class Trec11pt(Binary):
    """trec_eval's eleven-point average, with its rounding of recall. In [0, 1]."""

    name = "trec.11pt_avg"
    pretty = "eleven-point average precision, trec_eval's rounding"
    cutoff = False
    closed_form = False

    def terms(self, block: Block) -> Floats:
        relevant = self.relevant(block)
        number = block.pool.number(relevant)
        points = [interpolated(block, relevant, wanted(i / 10, number)) for i in range(11)]
        return np.sum(points, axis=0)

    def whole(self, block: Block) -> Floats:
        return np.full(block.queries, 11.0)


class TrecRprecMult(Binary):
    """Precision at a multiple of |R|: at rank int(multiple · |R| + 0.9). In [0, 1].

    Parameters
    ----------
    multiple : float
        The multiple.
    rel : float, optional
        Grade from which a document is relevant.
    """

    multiple: float = parameter(1, "multiple of the number of relevant documents", low=0)

    name = "trec.Rprec_mult"
    pretty = "precision at a multiple of R"
    cutoff = False

    def terms(self, block: Block) -> Floats:
        cut = self.whole(block)
        found = block.expected(self.relevant(block), max(1, int(cut.max(initial=1))))
        return found * (ranks(found) <= cut[:, None])

    def whole(self, block: Block) -> Floats:
        return np.floor(self.multiple * block.pool.number(self.relevant(block)) + 0.9)


class TrecRelativeP(Binary):
    """Precision relative to the best possible: relevant in the first k / min(k, |R|). In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant.
    k : int, optional
        Cutoff; all results by default.
    """

    name = "trec.relative_P"
    pretty = "relative precision"

    def terms(self, block: Block) -> Floats:
        return block.expected(self.relevant(block), self.k)

    def whole(self, block: Block) -> NDArray[Any]:
        shown = block.shown() if self.k is None else np.full(block.queries, self.k)
        return np.minimum(shown, block.pool.number(self.relevant(block)))


class TrecSetMap(Binary):
    """Set precision times set recall. In [0, 1]."""

    name = "trec.set_map"
    pretty = "set precision times set recall"
    cutoff = False

    def terms(self, block: Block) -> Floats:
        found = block.expected(self.relevant(block))
        return found * sequential_sum(found)[:, None]

    def exact_over_ties(self, block: Block) -> bool:
        # Of a group that a depth cuts through, a varying number is shown.
        return block.depth is None

    def whole(self, block: Block) -> NDArray[Any]:
        return block.shown() * block.pool.number(self.relevant(block))


class TrecUtility(Binary):
    """Linear utility: relevant documents retrieved less the others. Of either sign."""

    name = "trec.utility"
    pretty = "utility"
    cutoff = False
    unit = False

    def contributions(self, block: Block) -> Floats:
        found = block.expected(self.relevant(block))
        return np.where(ranks(found) <= block.shown()[:, None], 2.0 * found - 1.0, 0.0)


class TrecNonrelevantRetrieved(Binary):
    """Number of judged irrelevant documents retrieved; over queries, the sum."""

    name = "trec.num_nonrel_judged_ret"
    pretty = "number of judged irrelevant retrieved"
    cutoff = False
    unit = False
    aggregate = "sum"

    def contributions(self, block: Block) -> Floats:
        return block.expected(block.scale.judged - self.relevant(block))


class TrecBinG(Binary):
    """binG: relevant documents, discounted by the others above them. In [0, 1].

    (1 / |R|) Σ over relevant retrieved of 1 / log2(2 + other documents above it).
    """

    name = "trec.binG"
    pretty = "binary G"
    cutoff = False
    closed_form = False

    def terms(self, block: Block) -> Floats:
        found = block.expected(self.relevant(block))
        others = ranks(found) - running_sum(found > 0)
        return found / np.log2(2.0 + np.maximum(others, 0.0))

    def whole(self, block: Block) -> NDArray[Any]:
        return block.pool.number(self.relevant(block))


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
    """G: gain, discounted by how far its cost runs ahead of what was found. In [0, 1].

    Σ_r g_r / log2(2 + Σ_{i<=r} max(1, g*_i) − Σ_{i<=r} g_i), over all gain there is.
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
    """Mean nDCG at the ranks of the documents with gain. In [0, 1].

    A document that was not retrieved takes the DCG of the whole ranking over the full ideal.
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
    """nDCG averaged over the ranks where the ideal ranking's gain changes. In [0, 1].

    Those ranks are the numbers of documents judged with at least each positive grade; the end of
    the results is one more when it lies more than one rank below the last of them. 0 when
    nothing is relevant at ``rel``.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant.
    """

    rel: float = parameter(None, "grade from which a document is relevant", low=0)

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
    """trec_eval's RBP: (1 − p) Σ p^{r−1} g_r / s, s the query's highest grade if above 1.

    Parameters
    ----------
    p : float
        Persistence, 0.9 by default.
    """

    p: float = parameter(0.9, "chance of going on", low=0, high=1)

    name = "trec.rbp"
    pretty = "rank-biased precision, trec_eval's scaling"
    closed_form = True

    def contributions(self, block: Block) -> Floats:
        gain = self.gained(block)
        top = np.maximum(self.possible(block, 1)[:, 0], 1.0)
        return (1.0 - self.p) * np.power(self.p, ranks(gain) - 1.0) * gain / top[:, None]


class TrecRbpResidual(Measure):
    """trec_eval's residual of RBP, 0 when all that was retrieved is judged. In [0, 1].

    Parameters
    ----------
    p : float
        Persistence, 0.9 by default.
    """

    p: float = parameter(0.9, "chance of going on", low=0, high=1)

    name = "trec.rbp_resid"
    pretty = "residual of rank-biased precision, trec_eval's"
    cutoff = False

    def exact_over_ties(self, block: Block) -> bool:
        return block.depth is None

    def contributions(self, block: Block) -> Floats:
        judged = block.expected(block.scale.judged)
        rank, shown = ranks(judged), block.shown()[:, None]
        open_ = np.where(rank <= shown, 1.0 - judged, 0.0)
        weight = (1.0 - self.p) * np.power(self.p, rank - 1.0)
        any_open = np.asarray((open_ > 0).any(axis=1))[:, None]
        behind = np.where((rank == shown) & any_open, np.power(self.p, shown), 0.0)
        return open_ * weight + behind


class TrecGmBpref(bpref):
    """Geometric mean of bpref over queries, as trec_eval's ``gm_bpref``."""

    name = "trec.gm_bpref"
    pretty = "geometric mean of bpref"
    aggregate = "geometric"


LINEAR = {"gain": "linear"}

# Names as trec_eval writes them, and what they are here, with parameters.
PLAIN: dict[str, tuple[type[Measure], dict[str, Any]]] = {
    "num_ret": (NumRet, {}),
    "num_rel": (NumRel, {}),
    "num_rel_ret": (NumRelRet, {}),
    "num_nonrel_judged_ret": (TrecNonrelevantRetrieved, {}),
    "map": (AP, {}),
    "gm_map": (GMAP, {}),
    "Rprec": (RPrec, {}),
    "bpref": (bpref, {}),
    "gm_bpref": (TrecGmBpref, {}),
    "recip_rank": (RR, {}),
    "infAP": (infAP, {}),
    "11pt_avg": (Trec11pt, {}),
    "set_P": (SetP, {}),
    "set_recall": (SetR, {}),
    "set_map": (TrecSetMap, {}),
    "set_F": (SetF, {}),
    "set_relative_P": (TrecRelativeP, {}),
    "utility": (TrecUtility, {}),
    "binG": (TrecBinG, {}),
    "G": (TrecG, {}),
    "Rndcg": (TrecRndcg, {}),
    "ndcg": (nDCG, LINEAR),
    "ndcg_rel": (TrecNdcgRel, {}),
    "rbp": (TrecRbp, {}),
    "rbp_resid": (TrecRbpResidual, {}),
}
# Names that are followed by a cutoff, such as P_10.
CUT: dict[str, tuple[type[Measure], dict[str, Any]]] = {
    "P": (P, {}),
    "recall": (R, {}),
    "map_cut": (AP, {}),
    "ndcg_cut": (nDCG, LINEAR),
    "success": (Success, {}),
    "relative_P": (TrecRelativeP, {}),
    "unj": (Unjudged, {}),
}
# Names that are followed by the value of a parameter, and what trec_eval means by it.
VALUED: dict[str, tuple[type[Measure], str, Callable[[float], float]]] = {
    "iprec_at_recall": (TrecIPrec, "recall", float),
    "Rprec_mult": (TrecRprecMult, "multiple", float),
    "set_F": (SetF, "beta", math.sqrt),
}
# Without "trec." in front these would be taken for something else.
MISTAKABLE = {"utility", "binG", "G", "Rndcg", "ndcg", "ndcg_rel", "rbp", "rbp_resid"}


def trec_names() -> list[str]:
    """Return trec_eval's names, those that carry a number with an example of it."""
    cut = [f"{name}_10" for name in CUT]
    return [*PLAIN, *cut, "iprec_at_recall_0.10", "Rprec_mult_0.20", "set_F_1"]


def trec_measure(text: str) -> tuple[type[Measure], dict[str, Any]] | None:
    """Return what trec_eval calls by this name; None when it has no such name.

    Parameters
    ----------
    text : str
        A name such as ``ndcg_cut_10`` or ``trec.ndcg``, letter case aside. Without ``trec.`` in
        front only the names are read that can't be mistaken.

    Returns
    -------
    pair of type of Measure and dict, or None
        The measure and its parameters.
    """
    name = text.lower().removeprefix("trec.")
    bare = name == text.lower()
    for known, found in PLAIN.items():
        if known.lower() == name and not (bare and known in MISTAKABLE):
            return found
    number = re.fullmatch(r"(\w+?)_(\d+(?:\.\d+)?)", name)
    if number is None:
        return None
    for known, (cls, parameters) in CUT.items():
        if known.lower() == number[1] and number[2].isdigit():
            return cls, {**parameters, "k": int(number[2])}
    for known, (cls, parameter_, meant) in VALUED.items():
        if known.lower() == number[1]:
            return cls, {parameter_: meant(float(number[2]))}
    return None
