"""The Q-measure, which blends precision with graded gain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.gains import Gain, gain_table
from rank_magic.measures.base import Floats, ranks
from rank_magic.measures.binary import Binary
from rank_magic.measures.parameters import parameter
from rank_magic.ties import running_sum

__all__ = ["Q"]


class Q(Binary):
    """Q-measure: average precision whose precision also counts graded gain.

    Q = (1 / |R|) Σ_r [l_r >= rel] · (C(r) + β · cg(r)) / (r + β · cg*(r)), with C the relevant
    documents so far, cg the gain so far and cg* that of the ideal ranking. In [0, 1]; β = 0 is AP.

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    gain : str, mapping or callable
        What a grade is worth; ``"linear"`` by default.
    beta : float
        How much gain weighs, at least 0; 1 by default.
    denominator : {"relevant", "min"}
        Divide by |R|, or by min(|R|, k) as NTCIREVAL does.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    A better document may lower it: one whose grade lies below ``rel`` is a gain only for those
    below it. Equal scores: no closed form; averaged over 1,000 drawn orders.

    References
    ----------
    Sakai, New performance metrics based on multigrade relevance: their application to question
    answering, NTCIR-4, 2004.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [3, 1]})
    >>> rm.evaluate(frame, "Q").mean().item()
    1.0
    """

    gain: Gain = parameter("linear", "what a grade is worth", kind="gain")
    beta: float = parameter(1, "weight of gain", low=0)
    denominator: str = parameter(
        "relevant", "what the sum is divided by", choices=("relevant", "min")
    )

    pretty = "Q-measure"
    aliases = ("Q-measure", "QMeasure")
    closed_form = False

    def terms(self, block: Block) -> Floats:
        relevant = self.relevant(block)
        table = block.scale.table(lambda grades: gain_table(self.gain, grades))
        found = block.expected(relevant, self.k)
        rank = ranks(found)
        gained = np.cumsum(block.expected(table, self.k), axis=1)
        ideal = block.ideal(table, self.k)
        possible = np.cumsum(ideal.expected(table, self.k), axis=1)[:, : found.shape[1]]
        missing = found.shape[1] - possible.shape[1]
        possible = np.pad(possible, ((0, 0), (0, missing)), mode="edge")
        blended = (running_sum(found > 0) + self.beta * gained) / (rank + self.beta * possible)
        return found * blended

    def whole(self, block: Block) -> NDArray[Any]:
        number = block.pool.number(self.relevant(block))
        if self.denominator == "min" and self.k is not None:
            return np.minimum(number, self.k)
        return number
