"""Measures of a reader who goes down the list until satisfied."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.errors import MeasureError
from rank_magic.measures.base import SMALLEST, Floats, Measure, parameter, ranks

__all__ = ["ERR"]


class ERR(Measure):
    """Expected reciprocal rank: 1 / r, expected over the rank r at which a reader is satisfied.

    ERR@k = Σ_{r<=k} (1 / r) · R_r · Π_{i<r} (1 − R_i), with R_i = (2^{l_i} − 1) / 2^{l_m}, where
    l_m is the highest grade of the scale. In [0, 1).

    Parameters
    ----------
    max_grade : float, optional
        Highest grade of the scale, l_m. By default the convention ``max_grade``, and when that
        is not set either, the highest grade in the whole frame, never in one query.
    k : int, optional
        Cutoff.

    Raises
    ------
    MeasureError
        If a grade lies above ``max_grade``.

    Notes
    -----
    Equal scores: exact, by elementary symmetric means. With E_j the mean product of (1 − R)
    over j distinct members of a tie group, the j-th place of the group contributes
    reach · (E_{j−1} − E_j) / rank. The cost for a group of n documents, m of them relevant, is
    n · min(m, n, i) where E_i falls below 2^-80. gdeval: ``err@k`` with the highest grade of
    4; ir_measures: ``ERR@k``.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance,
    CIKM 2009, equations 2 to 4.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [2, 3, 0]})
    >>> round(rm.evaluate(frame, "ERR").mean()["ERR"], 4)
    0.6484
    """

    max_grade: float | None = parameter(None, "highest grade of the scale", low=SMALLEST)

    pretty = "expected reciprocal rank"
    monotone = True

    def satisfaction(self, block: Block) -> Floats:
        """Return for each code the probability that its document satisfies the reader."""
        top = block.scale.top if self.max_grade is None else self.max_grade
        if block.scale.top > top:
            raise MeasureError(
                f"{self.name} has max_grade={top:g}, but there is a grade "
                f"{block.scale.top:g}. Set max_grade to the highest grade of the scale."
            )
        # 2^l / 2^m − 1 / 2^m, as differences of exponents, so that no power overflows.
        return block.scale.table(lambda grades: np.exp2(grades - top) - np.exp2(-top))

    def contributions(self, block: Block) -> Floats:
        stops = block.stops(self.satisfaction(block), self.k)
        return stops / ranks(stops)

    def findable(self, block: Block) -> NDArray[np.bool_]:
        return block.pool.number(self.satisfaction(block) > 0) > 0

    def bounds(self, block: Block, top: float) -> tuple[Floats, Floats] | None:
        # Without a fixed scale, a new grade would change what every other grade means.
        return None if self.max_grade is None else super().bounds(block, self.max_grade)

    def workings(self, block: Block) -> dict[str, Floats]:
        chance = block.expected(self.satisfaction(block), self.k)
        left = 1.0 - np.cumsum(block.stops(self.satisfaction(block), self.k), axis=1)
        reach = np.concatenate([np.ones((block.queries, 1)), left[:, :-1]], axis=1)
        return {"R": chance, "reach": reach}
