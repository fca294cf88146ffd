"""Shares and counts that say how much a value rests on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.measures.base import Floats, Measure, ranks
from rank_magic.measures.binary import AP, Binary

__all__ = ["GMAP", "Judged", "NumRel", "NumRelRet", "NumRet", "Unjudged"]


class Judged(Measure):
    """Judged: the share of the documents shown that somebody judged.

    Judged@k = |{r <= k : r is judged}| / min(k, results). In [0, 1]; no value where nothing is
    shown.

    Parameters
    ----------
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    ir_measures' ``Judged@k`` counts negative grades as judged (``negative="nonrelevant"`` here)
    and queries without results as 0. Where only positives were judged (no grade of 0 anywhere)
    it says nothing.

    References
    ----------
    MacAvaney, Macdonald and Ounis, Streamlining evaluation with ir-measures, ECIR 2022.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [0, None]})
    >>> rm.evaluate(frame, "Judged@10").mean().item()
    0.5
    """

    pretty = "judged"
    quality = False
    of_what_is_shown = True

    def terms(self, block: Block) -> NDArray[Any]:
        return block.held(block.scale.judged, self.k)

    def whole(self, block: Block) -> NDArray[Any]:
        return block.shown(self.k)


class Unjudged(Measure):
    """Unjudged: how many of the first k ranks hold a document that nobody judged, over k.

    Unjudged@k = |{r <= k : r is shown and not judged}| / k. In [0, 1].

    Parameters
    ----------
    k : int, optional
        Cutoff, at least 1; all results by default.

    Notes
    -----
    Where at least k documents are shown it is 1 − Judged@k. trec_eval: ``unj_k``.

    References
    ----------
    trec_eval 10, m_unjudged.c.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [0, None]})
    >>> rm.evaluate(frame, "Unjudged@4").mean().item()
    0.25
    """

    pretty = "unjudged"
    quality = False

    def terms(self, block: Block) -> Floats:
        judged = block.expected(block.scale.judged, self.k)
        return (ranks(judged) <= block.shown(self.k)[:, None]) - judged

    def whole(self, block: Block) -> NDArray[Any]:
        return block.shown() if self.k is None else np.full(block.queries, self.k)


class NumRet(Measure):
    """Number retrieved: how many documents a ranking shows.

    NumRet@k = min(k, results). From 0 upwards; over queries, the sum.

    Parameters
    ----------
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    trec_eval: ``num_ret``.

    References
    ----------
    trec_eval 10, m_num_ret.c.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [0, None]})
    >>> rm.evaluate(frame, "NumRet").mean().item()
    2.0
    """

    pretty = "number retrieved"
    quality = False
    aggregate = "sum"
    unit = False

    def contributions(self, block: Block) -> Floats:
        rank = np.arange(1.0, block.width(self.k) + 1.0)
        return (rank <= block.shown(self.k)[:, None]).astype(np.float64)


class NumRelRet(Binary):
    """Number of relevant documents retrieved.

    NumRelRet@k = |{r <= k : l_r >= rel}|. From 0 upwards; over queries, the sum.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    trec_eval: ``num_rel_ret``.

    References
    ----------
    trec_eval 10, m_num_rel_ret.c.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [0, 1]})
    >>> rm.evaluate(frame, "NumRelRet").mean().item()
    1.0
    """

    pretty = "number of relevant retrieved"
    aggregate = "sum"
    unit = False
    monotone = True

    def contributions(self, block: Block) -> Floats:
        return block.expected(self.relevant(block), self.k)


class NumRel(Binary):
    """Number of relevant documents judged, retrieved or not.

    NumRel = |R|. From 0 upwards; over queries, the sum. Not a sum over ranks: none contributes.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    trec_eval: ``num_rel``.

    References
    ----------
    trec_eval 10, m_num_rel.c.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, None], "grade": [0, 1]})
    >>> rm.evaluate(frame, "NumRel").mean().item()
    1.0
    """

    pretty = "number of relevant"
    quality = False
    aggregate = "sum"
    unit = False
    cutoff = False
    additive = False

    def contributions(self, block: Block) -> Floats:
        return np.zeros((block.queries, 1))

    def value(self, block: Block) -> Floats:
        return block.pool.number(self.relevant(block)).astype(np.float64)


class GMAP(AP):
    """Geometric mean average precision: AP, averaged so that the worst queries weigh most.

    GMAP = exp((1 / N) Σ_q ln max(AP_q, 0.00001)). Per query it is AP. In [0.00001, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    denominator : {"relevant", "min"}
        Divide by the number of relevant documents |R|, or by min(|R|, k).
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    trec_eval: ``gm_map``.

    References
    ----------
    Robertson, On GMAP: and other transformations, CIKM 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": ["a", "b", "b"], "score": [1, 9, 8], "grade": [1, 0, 1]})
    >>> round(rm.evaluate(frame, "GMAP").mean().item(), 4)
    0.7071
    """

    pretty = "geometric mean average precision"
    mean_name = ""
    aggregate = "geometric"
