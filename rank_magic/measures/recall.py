"""Precision at given levels of recall, interpolated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.measures.base import Floats, ranks
from rank_magic.measures.binary import Binary
from rank_magic.measures.parameters import parameter
from rank_magic.ties import running_sum

__all__ = ["IPrec", "IPrec11", "interpolated"]

Wanted = NDArray[np.float64]


def interpolated(block: Block, relevant: Floats, wanted: Wanted, k: int | None = None) -> Floats:
    """Return the highest precision at or below the rank where enough is found.

    Parameters
    ----------
    block : Block
        Settled rankings.
    relevant : array of float, shape (codes,)
        1 for relevant codes.
    wanted : array of float, shape (queries,)
        How many relevant documents must have been found.
    k : int, optional
        Cutoff, at least 1.

    Returns
    -------
    array of float, shape (queries, width(k))
        The precision, at the first rank that attains it; 0 elsewhere.
    """
    found = running_sum(block.expected(relevant, k) > 0)
    precision = found / ranks(found)
    enough = (found >= wanted[:, None]) & (ranks(found) <= block.shown(k)[:, None])
    precision = np.where(enough, precision, 0.0)
    at = precision.argmax(axis=1)[:, None]
    credited = np.zeros(precision.shape)
    np.put_along_axis(credited, at, np.take_along_axis(precision, at, axis=1), axis=1)
    return credited


def _reached(recall: float, number: NDArray[np.signedinteger]) -> Wanted:
    """Return how many relevant documents a recall takes; the decimal as it is written."""
    return np.ceil(recall * number - 1e-9 * np.maximum(number, 1))


class IPrec(Binary):
    """Interpolated precision: the highest precision at any rank with at least a given recall.

    IPrec = max{P@r : R@r >= recall}, 0 when that recall is never reached. In [0, 1].

    Parameters
    ----------
    recall : float
        The recall, from 0 to 1; 0 by default.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    The rank that attains the maximum is credited. trec_eval's ``iprec_at_recall_x`` rounds the
    recall to a number of documents (``trec.iprec_at_recall_x`` here); ir_measures writes
    ``IPrec@x``. Equal scores: no closed form; averaged over 1,000 drawn orders.

    References
    ----------
    Salton and McGill, Introduction to Modern Information Retrieval, 1983, chapter 5.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [0, 1, 1]})
    >>> round(rm.evaluate(frame, "IPrec(recall=0.5)").mean().item(), 4)
    0.6667
    """

    recall: float = parameter(0, "recall from which precision counts", low=0, high=1)

    pretty = "interpolated precision"
    closed_form = False

    def contributions(self, block: Block) -> Floats:
        relevant = self.relevant(block)
        wanted = _reached(self.recall, block.pool.number(relevant))
        return interpolated(block, relevant, wanted, self.k)


class IPrec11(Binary):
    """Eleven-point average: the mean interpolated precision at recall 0, 0.1, ..., 1.

    IPrec11 = (1 / 11) Σ over x = 0, 0.1, ..., 1 of max{P@r : R@r >= x}. In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    trec_eval's ``11pt_avg`` rounds each recall to a number of documents (``trec.11pt_avg``
    here). Equal scores: no closed form; averaged over 1,000 drawn orders.

    References
    ----------
    Salton and McGill, Introduction to Modern Information Retrieval, 1983, chapter 5.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [1, 0]})
    >>> rm.evaluate(frame, "IPrec11").mean().item()
    1.0
    """

    pretty = "eleven-point average precision"
    closed_form = False

    def terms(self, block: Block) -> Floats:
        relevant = self.relevant(block)
        number = block.pool.number(relevant)
        return np.sum(
            [
                interpolated(block, relevant, _reached(tenth / 10, number), self.k)
                for tenth in range(11)
            ],
            axis=0,
        )

    def whole(self, block: Block) -> Floats:
        return np.full(block.queries, 11.0)
