"""Measures that only see whether a document is relevant."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.measures.base import Floats, Measure, ranks
from rank_magic.measures.parameters import SMALLEST, parameter

__all__ = ["AP", "F1", "RR", "Binary", "P", "R", "RPrec", "Success"]


class Binary(Measure, abstract=True):
    """Base of the measures that only see whether a grade is at least `rel`."""

    rel: float = parameter(None, "grade from which a document is relevant", low=SMALLEST)

    def relevant(self, block: Block) -> Floats:
        """Return 1 for the codes of relevant documents, else 0."""
        return block.scale.relevant(self.rel)

    def findable(self, block: Block) -> NDArray[np.bool_]:
        """Return for each query whether it has a relevant document."""
        return block.pool.number(self.relevant(block)) > 0


class RR(Binary):
    """Reciprocal rank: one divided by the rank of the first relevant document.

    RR = 1 / min{r : l_r >= rel}, and 0 when no relevant document is retrieved (down to k).
    In [0, 1]. Its mean over queries is MRR.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    It assumes a searcher who stops at the first relevant result, and is blind below it. Equal
    scores: the exact expectation (McSherry and Najork 2008, section 3.1). trec_eval:
    ``recip_rank``; ir_measures: ``RR(rel=1)``.

    References
    ----------
    Kantor and Voorhees, The TREC-5 confusion track, Information Retrieval 2, 2000.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [0, 1, 1]})
    >>> rm.evaluate(frame, "RR").mean().item()
    0.5
    """

    pretty = "reciprocal rank"
    mean_name = "MRR"
    monotone = True

    def contributions(self, block: Block) -> Floats:
        stops = block.stops(self.relevant(block), self.k)
        return stops / ranks(stops)


class AP(Binary):
    """Average precision: the mean of the precisions at the ranks of relevant documents.

    AP = (1 / |R|) Σ_r P@r · [l_r >= rel], over ranks r (down to k). In [0, 1]. Its mean over
    queries is MAP. A relevant document that is not retrieved adds nothing and counts in |R|.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    denominator : {"relevant", "min"}
        Divide by the number of relevant documents |R|, as trec_eval does, or by
        min(|R|, k), so that a perfect top k scores 1.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    It assumes a searcher who wants every relevant document. Equal scores: the exact
    expectation (McSherry and Najork 2008, section 3.2). trec_eval: ``map``, ``map_cut_k``;
    ir_measures: ``AP(rel=1)``.

    References
    ----------
    Buckley and Voorhees, Evaluating evaluation measure stability, SIGIR 2000.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7, 6, 5], "grade": [1, 0, 1, 0, 1]})
    >>> round(rm.evaluate(frame, "AP").mean().item(), 4)
    0.7556
    """

    denominator: str = parameter(
        "relevant", "what the sum is divided by", choices=("relevant", "min")
    )

    pretty = "average precision"
    mean_name = "MAP"

    def terms(self, block: Block) -> Floats:
        hits = block.hits(self.relevant(block), self.k)
        # Stored rank by rank, as it is summed.
        return np.divide(hits, ranks(hits), order="F")

    def whole(self, block: Block) -> NDArray[Any]:
        number = block.pool.number(self.relevant(block))
        if self.denominator == "min" and self.k is not None:
            return np.minimum(number, self.k)
        return number

    def workings(self, block: Block) -> dict[str, Floats]:
        relevant = block.expected(self.relevant(block), self.k)
        return {
            "relevant": relevant,
            "precision": np.cumsum(relevant, axis=1) / ranks(relevant),
        }


class P(Binary):
    """Precision: the share of the first k results that is relevant.

    P@k = |{r <= k : l_r >= rel}| / k. Without a cutoff, the share of all results. In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    A list shorter than k is divided by k all the same, as in trec_eval (``P_k``).

    References
    ----------
    van Rijsbergen, Information Retrieval, 2nd edition, 1979, chapter 7.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [1, 0, 1]})
    >>> rm.evaluate(frame, "P@5").mean().item()
    0.4
    """

    pretty = "precision"
    aliases: ClassVar[tuple[str, ...]] = ("Precision",)
    monotone = True

    def terms(self, block: Block) -> Floats:
        return block.expected(self.relevant(block), self.k)

    def whole(self, block: Block) -> NDArray[Any]:
        return block.shown() if self.k is None else np.full(block.queries, self.k)


class R(Binary):
    """Recall: the share of the relevant documents that the first k results hold.

    R@k = |{r <= k : l_r >= rel}| / |R|. In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    trec_eval: ``recall_k``; ir_measures: ``R(rel=1)@k``.

    References
    ----------
    van Rijsbergen, Information Retrieval, 2nd edition, 1979, chapter 7.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, None], "grade": [1, 0, 1]})
    >>> rm.evaluate(frame, "R@2").mean().item()
    0.5
    """

    pretty = "recall"
    aliases: ClassVar[tuple[str, ...]] = ("Recall",)

    def terms(self, block: Block) -> Floats:
        return block.expected(self.relevant(block), self.k)

    def whole(self, block: Block) -> NDArray[Any]:
        return block.pool.number(self.relevant(block))


class Success(Binary):
    """Success: whether the first k results hold a relevant document.

    Success@k = [RR@k > 0]. In {0, 1}; with equal scores, the probability of success.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    Also called hit rate. The rank of the first relevant document is credited. trec_eval:
    ``success_k``.

    References
    ----------
    trec_eval 10, m_success.c.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [0, 0, 1]})
    >>> rm.evaluate(frame, ["Success@1", "Success@3"]).mean().tolist()
    [0.0, 1.0]
    """

    pretty = "success"
    aliases = ("HitRate", "Hit")
    monotone = True

    def contributions(self, block: Block) -> Floats:
        return block.stops(self.relevant(block), self.k)


class F1(Binary):
    """F measure: the weighted harmonic mean of precision and recall of the first k results.

    F_β@k = (1 + β²) · P@k · R@k / (β² · P@k + R@k). In [0, 1].

    Parameters
    ----------
    beta : float
        How much recall weighs against precision, at least 0; 1 by default, which is F1.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1; all results by default.

    Notes
    -----
    With h relevant documents among the first k it is (1 + β²) · h / (β² · |R| + k): a sum over
    ranks, so that ties have a closed form.

    References
    ----------
    van Rijsbergen, Information Retrieval, 2nd edition, 1979, chapter 7.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, None], "grade": [1, 0, 1]})
    >>> rm.evaluate(frame, "F1@2").mean().item()
    0.5
    """

    beta: float = parameter(1, "weight of recall against precision", low=0)

    pretty = "F measure"
    aliases: ClassVar[tuple[str, ...]] = ("F",)

    def terms(self, block: Block) -> Floats:
        return block.expected(self.relevant(block), self.k)

    def whole(self, block: Block) -> NDArray[Any]:
        shown = block.shown() if self.k is None else np.full(block.queries, self.k)
        square = float(self.beta) ** 2
        number = block.pool.number(self.relevant(block))
        return (square * number + shown) / (1.0 + square)


class RPrec(Binary):
    """R-precision: the precision at rank |R|, the number of relevant documents.

    RPrec = |{r <= |R| : l_r >= rel}| / |R|. In [0, 1]; 1 is a perfect ranking.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    trec_eval: ``Rprec``; ir_measures: ``RPrec(rel=1)``.

    References
    ----------
    Buckley and Voorhees, Retrieval system evaluation, in TREC: Experiment and Evaluation in
    Information Retrieval, 2005, chapter 3.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [1, 0, 1]})
    >>> rm.evaluate(frame, "RPrec").mean().item()
    0.5
    """

    pretty = "R-precision"
    aliases = ("RPrecision",)
    cutoff = False

    def terms(self, block: Block) -> Floats:
        number = self.whole(block)
        found = block.expected(self.relevant(block), max(1, int(number.max(initial=1))))
        return found * (ranks(found) <= number[:, None])

    def whole(self, block: Block) -> NDArray[Any]:
        return block.pool.number(self.relevant(block))
