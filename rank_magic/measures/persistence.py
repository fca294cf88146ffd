"""Measures of a reader who goes on with a certain chance after each rank: the C/W/L family.

A measure of this family is told by C_i, the chance of going on from rank i to rank i + 1. From it
follow W_i, the share of the reader's attention that rank i gets, and L_i, the chance that it is
the last rank looked at. The value is Σ W_i g_i: the expected gain per document looked at. The
ranking is taken to go on for ever; what lies behind its last document gains nothing and still
takes attention.

References
----------
Moffat, Thomas and Scholer, Users versus models: what observation tells us about effectiveness
metrics, CIKM 2013. Azzopardi, Thomas and Moffat, cwl_eval: an evaluation tool for information
retrieval, SIGIR 2019.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.measures.base import Floats, Measure, per, ranks
from rank_magic.measures.parameters import SMALLEST, parameter
from rank_magic.ties import exclusive_product, sequential_sum

__all__ = ["INSQ", "INST", "RBP", "Continuing", "RBPResidual"]


class Continuing(Measure, abstract=True):
    """Base of the C/W/L family. A subclass says when the reader goes on, and for how long."""

    gains: str = parameter(
        "graded",
        "whether a document gains its share of the highest grade, or 1 when relevant",
        choices=("graded", "binary"),
    )
    max_grade: float | None = parameter(None, "highest grade of the scale", low=SMALLEST)
    rel: float = parameter(None, "grade from which a document is relevant", low=SMALLEST)
    horizon: int | None = parameter(None, "how many ranks there are in all", low=1, kind="whole")

    def gain(self, block: Block) -> Floats:
        """Return the gain of each code, in [0, 1]."""
        if self.gains == "binary":
            return block.scale.relevant(self.rel)
        return block.scale.shares(self.max_grade)

    def continuation(self, gain: Floats, total: Floats) -> Floats:
        """Return the chance of going on from each rank.

        Parameters
        ----------
        gain, total : array of float, shape (queries, ranks)
            Gain of each rank, and of all ranks down to it.
        """
        raise NotImplementedError

    def beyond(self, length: NDArray[Any], total: Floats, more: Floats) -> Floats:
        """Return the attention behind a ranking, given 1 for the first rank behind it.

        Parameters
        ----------
        length : array of int, shape (queries,)
            Number of documents shown.
        total : array of float, shape (queries,)
            Their gain.
        more : array of float, shape (queries,)
            Number of ranks behind them, at least 1; infinite without a horizon.
        """
        raise NotImplementedError

    @property
    def _deepest(self) -> int | None:
        """The last rank looked at."""
        return min((cut for cut in (self.k, self.horizon) if cut is not None), default=None)

    def view(self, block: Block) -> dict[str, Floats]:
        """Return gain, C, W and L of each rank, shape (queries, ranks)."""
        gain = block.expected(self.gain(block), self._deepest)
        total = np.cumsum(gain, axis=1)
        going = self.continuation(gain, total)
        length = block.shown(self._deepest)
        shown = ranks(gain) <= length[:, None]
        reach = exclusive_product(np.where(shown, going, 1.0))
        after = (reach * going)[np.arange(block.queries), np.maximum(length - 1, 0)]
        looked = sequential_sum(np.where(shown, reach, 0.0))
        deepest = np.inf if self.horizon is None else float(self.horizon)
        more = deepest - length
        behind = self.beyond(length, total[:, -1], np.maximum(more, 1))
        looked = looked + np.where(more > 0, after * behind, 0.0)
        attention = np.where(shown, per(reach, looked), 0.0)
        return {"gain": gain, "C": going, "W": attention, "L": reach * (1.0 - going)}

    def contributions(self, block: Block) -> Floats:
        view = self.view(block)
        return view["W"] * view["gain"]

    def findable(self, block: Block) -> NDArray[np.bool_]:
        return block.pool.number(self.gain(block) > 0) > 0

    def bounds(self, block: Block, top: float) -> tuple[Floats, Floats] | None:
        if self.gains == "graded":
            # Without a fixed scale, a new grade would change what every other grade means.
            if self.max_grade is None:
                return None
            top = float(self.max_grade)
        return super().bounds(block, top)

    def workings(self, block: Block) -> dict[str, Floats]:
        return self.view(block)


def _squares(first: Floats, more: Floats) -> Floats:
    """Return Σ over i from 0, less than `more`, of (first / (first + i))²."""
    from scipy.special import zeta

    return first**2 * (zeta(2, first) - np.where(np.isinf(more), 0.0, zeta(2, first + more)))


class RBP(Continuing):
    """Rank-biased precision: gain as met by a reader who goes on with probability p.

    RBP = (1 − p) Σ_r p^{r−1} · g_r, with g = 1 for relevant documents. C_i = p. In [0, 1].

    Parameters
    ----------
    p : float
        Persistence, above 0 and below 1; 0.8 by default.
    gains : {"binary", "graded"}
        1 for relevant documents, or each grade's share of the highest grade.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    max_grade : float, optional
        Highest grade of the scale, above 0, for graded gains.
    horizon : int, optional
        How many ranks there are in all, at least 1; endlessly many by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    What the unjudged and the unseen could still add is the residual, (1 − p) Σ p^{r−1} over
    unjudged ranks plus p^n behind the last: ``RBPResidual``. A higher grade than ``max_grade``
    counts as ``max_grade``. Equal scores: exact. trec_eval's ``rbp`` differs, see ``trec.rbp``.

    References
    ----------
    Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS
    27(1), 2008.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [1, 0]})
    >>> round(rm.evaluate(frame, "RBP(p=0.5)").mean().item(), 4)
    0.5
    """

    p: float = parameter(0.8, "chance of going on", low=SMALLEST, high=1 - SMALLEST)
    gains: str = parameter(
        "binary",
        "whether a document gains 1 when relevant, or its share of the highest grade",
        choices=("binary", "graded"),
    )

    pretty = "rank-biased precision"
    monotone = True

    def continuation(self, gain: Floats, total: Floats) -> Floats:
        return np.full(gain.shape, self.p)

    def beyond(self, length: NDArray[Any], total: Floats, more: Floats) -> Floats:
        return (1.0 - np.power(self.p, more)) / (1.0 - self.p)

    def contributions(self, block: Block) -> Floats:
        if self.horizon is not None:
            return super().contributions(block)
        gain = block.expected(self.gain(block), self.k)
        return (1.0 - self.p) * np.power(self.p, ranks(gain) - 1.0) * gain


class RBPResidual(Measure):
    """RBP residual: what rank-biased precision could still gain.

    RBPResidual = (1 − p) Σ over unjudged ranks of p^{r−1}, plus p^n for all that lies behind the
    n ranks looked at. In [0, 1].

    Parameters
    ----------
    p : float
        Persistence, above 0 and below 1; 0.8 by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    What lies behind the last rank is credited to it. A ranking without documents has a residual
    of 1. trec_eval's ``rbp_resid`` leaves p^n out when all shown are judged
    (``trec.rbp_resid``).

    References
    ----------
    Moffat and Zobel, Rank-biased precision for measurement of retrieval effectiveness, ACM TOIS
    27(1), 2008, section 5.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [1, None]})
    >>> rm.evaluate(frame, "RBPResidual(p=0.5)").mean().item()
    0.5
    """

    p: float = parameter(0.8, "chance of going on", low=SMALLEST, high=1 - SMALLEST)

    pretty = "residual of rank-biased precision"
    quality = False

    def contributions(self, block: Block) -> Floats:
        judged = block.expected(block.scale.judged, self.k)
        rank, shown = ranks(judged), block.shown(self.k)[:, None]
        # Looked up, as numpy's power of a single whole number has other last bits than of many.
        reach = np.power(self.p, np.arange(len(rank) + 1.0))
        behind = np.where(rank == np.maximum(shown, 1), reach[shown], 0.0)
        weight = (1.0 - self.p) * reach[:-1]
        return np.where(rank <= shown, weight * (1.0 - judged), 0.0) + behind


class INSQ(Continuing):
    """Inverse squares: a reader who, the deeper they are, the surer they go on.

    C_i = ((i + 2T − 1) / (i + 2T))², so that W_i falls as 1 / (i + 2T − 1)². In [0, 1].

    Parameters
    ----------
    T : float
        How many relevant documents the reader wants, above 0; 1 by default.
    gains : {"graded", "binary"}
        Each grade's share of the highest grade, or 1 for relevant documents.
    max_grade, rel : float, optional
        The scale's top grade, and the grade from which a document is relevant; both above 0.
    horizon : int, optional
        How many ranks there are in all, at least 1; endlessly many by default, 1,000 in cwl_eval.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    A higher grade than ``max_grade`` counts as ``max_grade``. Equal scores: exact. cwl_eval looks
    at 1,000 ranks only (``horizon=1000``).

    References
    ----------
    Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user process, ADCS 2012.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9], "grade": [1]})
    >>> round(rm.evaluate(frame, "INSQ(T=1)").mean().item(), 4)
    0.3876
    """

    T: float = parameter(1, "how many relevant documents are wanted", low=SMALLEST)

    pretty = "inverse squares"
    monotone = True

    def continuation(self, gain: Floats, total: Floats) -> Floats:
        place = np.broadcast_to(ranks(gain), gain.shape) + 2.0 * self.T
        return np.square((place - 1.0) / place)

    def beyond(self, length: NDArray[Any], total: Floats, more: Floats) -> Floats:
        return _squares(length + 2.0 * self.T, more)


class INST(Continuing):
    """INST: inverse squares that adapt to what was found.

    C_i = ((i + T + T_i − 1) / (i + T + T_i))² with T_i = T − Σ_{j<=i} g_j, what is still wanted.
    In [0, 1].

    Parameters
    ----------
    T : float
        How many relevant documents the reader wants, at least 0.5, as below that a reader who has
        found enough would go on with a chance above 1; 1 by default.
    gains : {"graded", "binary"}
        Each grade's share of the highest grade, or 1 for relevant documents.
    max_grade, rel : float, optional
        The scale's top grade, and the grade from which a document is relevant; both above 0.
    horizon : int, optional
        How many ranks there are in all, at least 1; endlessly many by default, 1,000 in cwl_eval.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    A higher grade than ``max_grade`` counts as ``max_grade``. Equal scores: no closed form;
    averaged over 1,000 drawn orders.

    References
    ----------
    Bailey, Moffat, Scholer and Thomas, User variability and IR system evaluation, SIGIR 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9], "grade": [1]})
    >>> round(rm.evaluate(frame, "INST(T=2)").mean().item(), 4)
    0.2813
    """

    T: float = parameter(1, "how many relevant documents are wanted", low=0.5)

    pretty = "INST"
    closed_form = False

    def continuation(self, gain: Floats, total: Floats) -> Floats:
        place = ranks(gain) + 2.0 * self.T - total
        return np.square((place - 1.0) / place)

    def beyond(self, length: NDArray[Any], total: Floats, more: Floats) -> Floats:
        return _squares(length + 2.0 * self.T - total, more)
