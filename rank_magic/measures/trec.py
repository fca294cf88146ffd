"""Measures that only trec_eval has, with the meaning they have in its version 10.

Those of graded gain are in `trec_gain`; what trec_eval shares with everybody is in the other
files. `trec_names` knows all its names.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.measures.base import Floats, Measure, ranks
from rank_magic.measures.binary import Binary
from rank_magic.measures.incomplete import bpref
from rank_magic.measures.parameters import parameter
from rank_magic.measures.recall import interpolated
from rank_magic.ties import running_sum, sequential_sum

__all__ = [
    "Trec11pt",
    "TrecBinG",
    "TrecGmBpref",
    "TrecIPrec",
    "TrecNonrelevantRetrieved",
    "TrecRbpResidual",
    "TrecRelativeP",
    "TrecRprecMult",
    "TrecSetMap",
    "TrecUtility",
]


class Rounding(Binary, abstract=True):
    """Base of the measures that round a recall to a number of documents."""

    rounding: str = parameter(
        "nearest", "how a recall becomes a number of documents", choices=("nearest", "up")
    )

    cutoff = False
    closed_form = False

    def at_recall(self, block: Block, recall: float) -> Floats:
        """Return the interpolated precision at a recall, at the rank that attains it."""
        relevant = self.relevant(block)
        more = {"nearest": 0.5, "up": 0.9}[self.rounding]
        wanted = np.floor(recall * block.pool.number(relevant) + more)
        return interpolated(block, relevant, wanted)


class TrecIPrec(Rounding):
    """trec_eval's interpolated precision: recall is rounded to a number of documents.

    iprec_at_recall_x = max{P@r : int(x · |R| + 0.5) relevant documents are found by rank r}; the
    product is a binary floating-point number. In [0, 1].

    Parameters
    ----------
    recall : float
        The recall x, from 0 to 1; 0 by default.
    rounding : {"nearest", "up"}
        Add 0.5, as trec_eval does since version 10, or 0.9, as version 9 and with it pytrec_eval
        and ir_measures.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    `IPrec` keeps to the definition and rounds nothing. Equal scores: no closed form; averaged
    over 1,000 drawn orders.

    References
    ----------
    trec_eval 10, m_iprec_at_recall.c.
    """

    recall: float = parameter(0, "recall from which precision counts", low=0, high=1)

    name = "trec.iprec_at_recall"
    pretty = "interpolated precision, trec_eval's rounding"

    def contributions(self, block: Block) -> Floats:
        return self.at_recall(block, self.recall)


class Trec11pt(Rounding):
    """trec_eval's eleven-point average, with its rounding of recall.

    11pt_avg = (1 / 11) Σ over x = 0, 0.1, ..., 1 of iprec_at_recall_x. In [0, 1].

    Parameters
    ----------
    rounding : {"nearest", "up"}
        Add 0.5 to a number of documents, as trec_eval does since version 10, or 0.9, as version 9.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    `IPrec11` keeps to the definition and rounds nothing. Equal scores: no closed form; averaged
    over 1,000 drawn orders.

    References
    ----------
    trec_eval 10, m_11pt_avg.c.
    """

    name = "trec.11pt_avg"
    pretty = "eleven-point average precision, trec_eval's rounding"

    def terms(self, block: Block) -> Floats:
        return np.sum([self.at_recall(block, tenth / 10) for tenth in range(11)], axis=0)

    def whole(self, block: Block) -> Floats:
        return np.full(block.queries, 11.0)


class TrecRprecMult(Binary):
    """Precision at a multiple of |R|, the number of relevant documents.

    Rprec_mult_x = P@n with n = int(x · |R| + 0.9). In [0, 1].

    Parameters
    ----------
    multiple : float
        The multiple x, at least 0; 1 by default.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    References
    ----------
    trec_eval 10, m_Rprec_mult.c.
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
    """Precision relative to the best possible.

    relative_P@k = |{r <= k : l_r >= rel}| / min(k, |R|). In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1; all results by default, which is trec_eval's ``set_relative_P``.

    References
    ----------
    trec_eval 10, m_rel_P.c and m_set_rel_P.c.
    """

    name = "trec.relative_P"
    pretty = "relative precision"

    def terms(self, block: Block) -> Floats:
        return block.expected(self.relevant(block), self.k)

    def whole(self, block: Block) -> NDArray[Any]:
        shown = block.shown() if self.k is None else np.full(block.queries, self.k)
        return np.minimum(shown, block.pool.number(self.relevant(block)))


class TrecSetMap(Binary):
    """Set precision times set recall.

    set_map = SetP · SetR = |relevant retrieved|² / (|retrieved| · |R|). In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    ir_measures: ``SetAP``.

    References
    ----------
    trec_eval 10, m_set_map.c.
    """

    name = "trec.set_map"
    pretty = "set precision times set recall"
    cutoff = False

    def terms(self, block: Block) -> Floats:
        found = block.expected(self.relevant(block))
        return found * sequential_sum(found)[:, None]

    def exact_over_ties(self, block: Block) -> bool:
        # Of a group that a depth cuts through, a varying number is shown.
        return self.closed_form and block.depth is None

    def whole(self, block: Block) -> NDArray[Any]:
        return block.shown() * block.pool.number(self.relevant(block))


class TrecUtility(Binary):
    """Linear utility: relevant documents retrieved less the others.

    utility = |relevant retrieved| − |others retrieved|. Of either sign.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    References
    ----------
    Lewis, The TREC-5 filtering track, TREC-5, 1996; trec_eval 10, m_utility.c.
    """

    name = "trec.utility"
    pretty = "utility"
    cutoff = False
    unit = False

    def contributions(self, block: Block) -> Floats:
        found = block.expected(self.relevant(block))
        return np.where(ranks(found) <= block.shown()[:, None], 2.0 * found - 1.0, 0.0)


class TrecNonrelevantRetrieved(Binary):
    """Number of judged irrelevant documents retrieved.

    num_nonrel_judged_ret = |{r : r is judged, l_r < rel}|. From 0 upwards; over queries, the sum.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    References
    ----------
    trec_eval 10, m_num_nonrel_judged_ret.c.
    """

    name = "trec.num_nonrel_judged_ret"
    pretty = "number of judged irrelevant retrieved"
    quality = False
    cutoff = False
    unit = False
    aggregate = "sum"

    def contributions(self, block: Block) -> Floats:
        return block.expected(block.scale.judged - self.relevant(block))


class TrecBinG(Binary):
    """binG: relevant documents, discounted by the others above them.

    binG = (1 / |R|) Σ over relevant retrieved of 1 / log2(2 + other documents above it). In
    [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    Equal scores: no closed form; averaged over 1,000 drawn orders.

    References
    ----------
    trec_eval 10, m_binG.c.
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


class TrecRbpResidual(Measure):
    """trec_eval's residual of rank-biased precision.

    rbp_resid = (1 − p) Σ over unjudged ranks of p^{r−1}, plus p^n behind the last; but 0 when all
    that was retrieved is judged. In [0, 1].

    Parameters
    ----------
    p : float
        Persistence, from 0 to 1; 0.9 by default.

    Notes
    -----
    `RBPResidual` adds p^n always.

    References
    ----------
    trec_eval 10, m_rbp_resid.c.
    """

    p: float = parameter(0.9, "chance of going on", low=0, high=1)

    name = "trec.rbp_resid"
    pretty = "residual of rank-biased precision, trec_eval's"
    quality = False
    cutoff = False

    def exact_over_ties(self, block: Block) -> bool:
        return self.closed_form and block.depth is None

    def contributions(self, block: Block) -> Floats:
        judged = block.expected(block.scale.judged)
        rank, shown = ranks(judged), block.shown()[:, None]
        open_ = np.where(rank <= shown, 1.0 - judged, 0.0)
        # Looked up, as numpy's power of a single whole number has other last bits than of many.
        reach = np.power(self.p, np.arange(len(rank) + 1.0))
        any_open = np.asarray((open_ > 0).any(axis=1))[:, None]
        behind = np.where((rank == shown) & any_open, reach[shown], 0.0)
        return open_ * (1.0 - self.p) * reach[:-1] + behind


class TrecGmBpref(bpref):
    """Geometric mean of bpref, so that the worst queries weigh most.

    gm_bpref = exp((1 / N) Σ_q ln max(bpref_q, 0.00001)). Per query it is bpref. In [0.00001, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    References
    ----------
    Robertson, On GMAP: and other transformations, CIKM 2006; trec_eval 10, m_gm_bpref.c.
    """

    name = "trec.gm_bpref"
    pretty = "geometric mean of bpref"
    aggregate = "geometric"
