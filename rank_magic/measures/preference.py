"""Measures that compare a ranking with the ideal ranking most like it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import FIRST_GRADE, Block
from rank_magic.measures.base import Floats, Measure, ranks
from rank_magic.measures.parameters import SMALLEST, parameter
from rank_magic.ties import running_sum, sequential_sum

__all__ = ["Compat"]


class Compat(Measure):
    """Compatibility: how much a ranking overlaps with the ideal ranking that is most like it.

    Compat = RBO(ranking, ideal) / RBO(ideal, ideal), where the ideal ranking holds the documents
    with a positive grade by grade, equals as the ranking has them, those not retrieved last; and
    RBO = Σ_d p^{d−1} · |shared by the first d of both| / d. In [0, 1].

    Parameters
    ----------
    p : float
        Persistence, above 0 and below 1; 0.95 by default.
    normalize : {"ideal", "no"}
        Divide by the ideal's overlap with itself, or by Σ p^{d−1}.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    Depths d go to the longer of ranking and ideal. A document is credited at its rank with all
    depths at which both hold it. Equal scores: no closed form; averaged over 1,000 drawn orders.
    ir_measures: ``Compat(p=0.95)``.

    References
    ----------
    Clarke, Vtyurina and Smucker, Assessing top-k preferences, ACM TOIS 39(3), 2021.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [3, 1, 0]})
    >>> rm.evaluate(frame, "Compat").mean().item()
    1.0
    """

    p: float = parameter(0.95, "persistence", low=SMALLEST, high=1 - SMALLEST)
    normalize: str = parameter("ideal", "what it is divided by", choices=("ideal", "no"))

    pretty = "compatibility"
    aliases = ("Compatibility",)
    closed_form = False

    def terms(self, block: Block) -> Floats:
        codes = block.codes[:, : block.width(self.k)]
        rank = ranks(codes)
        place = np.zeros(codes.shape)
        positive = FIRST_GRADE + np.flatnonzero(block.scale.grades > 0)
        better = np.zeros(block.queries)
        for code in positive[::-1]:
            here = codes == code
            place = np.where(here, better[:, None] + running_sum(here), place)
            better = better + block.pool.number(np.arange(block.scale.codes) == code)
        # Both hold the document from the deeper of its two ranks on.
        shared = np.maximum(rank, place)
        deepest = self._deepest(block)
        total = self._weights(int(deepest.max(initial=1)))
        above = np.clip(shared.astype(np.int64), 1, len(total)) - 1
        credit = total[deepest][:, None] - total[above]
        return np.where(place > 0, np.maximum(credit, 0.0), 0.0)

    def whole(self, block: Block) -> Floats:
        deepest = self._deepest(block)
        most = int(deepest.max(initial=1))
        if self.normalize == "no":
            return np.concatenate([[0.0], np.cumsum(np.power(self.p, np.arange(most)))])[deepest]
        # The ideal ranking's own terms, added as those of a ranking are: a perfect one scores 1.
        number, total = self._number(block), self._weights(most)
        above = np.arange(max(1, int(number.max(initial=1))))
        credit = total[deepest][:, None] - total[above]
        return sequential_sum(np.where(above < number[:, None], credit, 0.0))

    def findable(self, block: Block) -> NDArray[np.bool_]:
        return self._number(block) > 0

    def _weights(self, deepest: int) -> Floats:
        """Return Σ over depths 1 to d of p^{d−1} / d, for d from 0."""
        depth = np.arange(1.0, deepest + 1.0)
        return np.concatenate([[0.0], np.cumsum(np.power(self.p, depth - 1.0) / depth)])

    def _number(self, block: Block) -> NDArray[Any]:
        """Return the number of documents in each query's ideal ranking."""
        return block.pool.number(block.scale.table(lambda grades: (grades > 0).astype(np.float64)))

    def _deepest(self, block: Block) -> NDArray[Any]:
        return np.maximum(block.shown(self.k), self._number(block))
