"""Shares and counts that say how much a value rests on."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.measures.base import Floats, Measure

__all__ = ["Judged"]


class Judged(Measure):
    """Judged: the share of the documents shown that somebody judged.

    Judged@k = |{r <= k : r is judged}| / min(k, results). In [0, 1]; no value where nothing is
    shown.

    Parameters
    ----------
    k : int, optional
        Cutoff.

    Notes
    -----
    ir_measures divides by k and counts queries without results as 0. Where only positives were
    judged (no grade of 0 anywhere) it says nothing.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [0, None]})
    >>> rm.evaluate(frame, "Judged@10").mean()["Judged@10"]
    0.5
    """

    pretty = "judged"
    of_what_is_shown = True

    def terms(self, block: Block) -> Floats:
        return block.expected(block.scale.judged, self.k)

    def whole(self, block: Block) -> NDArray[Any]:
        return block.shown(self.k)
