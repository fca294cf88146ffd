"""Measures made for judgments that are known to be incomplete."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import UNJUDGED, Block
from rank_magic.measures.base import Floats, ranks
from rank_magic.measures.binary import Binary
from rank_magic.ties import running_sum

__all__ = ["bpref", "infAP"]

EPSILON = 1e-5


class bpref(Binary):
    """Binary preference: how rarely judged irrelevant documents stand above relevant ones.

    bpref = (1 / |R|) Σ over relevant retrieved of 1 − min(n, |R|) / min(|N|, |R|), where n is the
    number of judged irrelevant documents above it and |N| that of all of them. In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    Unjudged documents are passed over. A relevant document with nothing irrelevant above it
    adds 1, also when nothing irrelevant was judged. Equal scores: exact, since a relevant
    document stands below each number of its irrelevant equals with the same chance. The
    formula is that of trec_eval 8 and later.

    References
    ----------
    Buckley and Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [0, 1, 1]})
    >>> rm.evaluate(frame, "bpref").mean().item()
    0.0
    """

    pretty = "binary preference"
    cutoff = False

    def exact_over_ties(self, block: Block) -> bool:
        # A depth may cut through a tie group.
        return self.closed_form and block.depth is None

    def terms(self, block: Block) -> Floats:
        relevant = self.relevant(block)
        irrelevant = block.scale.judged - relevant
        found = block.expected(relevant)
        number = block.pool.number(relevant)[:, None]
        most = np.minimum(number, block.pool.number(irrelevant)[:, None])
        here = block.expected(irrelevant) if block.ties is None else self._held(block, irrelevant)
        above = running_sum(block.settled().expected(irrelevant) > 0) - here
        if block.ties is not None:
            above = self._above(block, above)
            # Of u irrelevant equals, 0 to u stand above with the same chance.
            below = np.clip(number - above, 0, here + 1)
            least = below * above + below * (below - 1) / 2 + (here + 1 - below) * number
            counted = least / (here + 1)
        else:
            counted = np.minimum(above, number)
        lost = np.divide(counted, most, out=np.zeros(found.shape), where=most > 0)
        return found * (1.0 - lost)

    def whole(self, block: Block) -> NDArray[Any]:
        return block.pool.number(self.relevant(block))

    @staticmethod
    def _held(block: Block, table: Floats) -> Floats:
        """Return for each cell how many documents of its group are in the table."""
        inside = block.settled().expected(table)
        if block.ties is not None:
            span = block.ties.span(inside.shape[1])
            span.write(inside, span.spread(block.ties.total(inside)))
        return inside

    @staticmethod
    def _above(block: Block, above: Floats) -> Floats:
        """Give every cell of a group the number above the group."""
        if block.ties is not None:
            span = block.ties.span(above.shape[1])
            last = block.ties.first + block.ties.size - 1
            span.write(above, span.spread(above.ravel()[last]))
        return above


class infAP(Binary):
    """Inferred average precision: AP estimated when only a sample of the pool was judged.

    infAP = (1 / |R|) Σ over relevant at rank r of 1/r + ((r − 1)/r) · (p / (r − 1)) ·
    (h + ε) / (j + 2ε), where of the r − 1 documents above p are in the pool, j are judged, h are
    relevant, and ε = 0.00001. In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    A negative grade means in the pool but not judged. Such a document counts for the relevant ones
    below it, so that a better document moved above it may lower the value. Equal scores: no
    closed form; averaged over 1,000 drawn orders. trec_eval: ``infAP``.

    References
    ----------
    Yilmaz and Aslam, Estimating average precision with incomplete and imperfect judgments,
    CIKM 2006, equation 3.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [1, 0]})
    >>> rm.evaluate(frame, "infAP").mean().item()
    1.0
    """

    pretty = "inferred average precision"
    cutoff = False
    closed_form = False

    def terms(self, block: Block) -> Floats:
        relevant = self.relevant(block)
        found = block.expected(relevant)
        rank = ranks(found)
        hits = running_sum(found > 0) - found
        judged_here = block.expected(block.scale.judged)
        judged = running_sum(judged_here > 0) - judged_here
        pooled_here = block.codes[:, : found.shape[1]] > UNJUDGED
        pooled = running_sum(pooled_here) - pooled_here
        chance = (hits + EPSILON) / (judged + 2 * EPSILON)
        above = np.maximum(rank - 1, 1)
        inferred = 1 / rank + (rank - 1) / rank * (pooled / above) * chance
        return found * np.where(rank == 1, 1.0, inferred)

    def whole(self, block: Block) -> NDArray[Any]:
        return block.pool.number(self.relevant(block))
