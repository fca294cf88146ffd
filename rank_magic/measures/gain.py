"""Measures that add up what each document is worth, discounted by its rank."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.discounts import Discount, discount_weights, rising_weights
from rank_magic.gains import Gain, gain_table, resolve_gain
from rank_magic.measures.base import Floats, Measure, per
from rank_magic.measures.parameters import SMALLEST, parameter
from rank_magic.ties import sequential_sum

__all__ = ["CG", "DCG", "SDCG", "nDCG"]


class CG(Measure):
    """Cumulative gain: what the documents are worth together, wherever they stand.

    CG@k = Σ_{r<=k} g(l_r). From 0 upwards.

    Parameters
    ----------
    gain : str, mapping or callable, optional
        What a grade is worth; the convention ``gain`` by default.
    k : int, optional
        Cutoff, at least 1.

    References
    ----------
    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4),
    2002, equation 1.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [3, 2, 1]})
    >>> rm.evaluate(frame, "CG@2").mean().item()
    10.0
    """

    gain: Gain = parameter(None, "what a grade is worth", kind="gain")

    pretty = "cumulative gain"
    unit = False
    monotone = True

    def table(self, block: Block) -> Floats:
        """Return the gain of each code."""
        scale, gain = block.scale, self.gain
        key = tuple(gain.items()) if isinstance(gain, Mapping) else gain
        return scale.once(
            ("gain", key), lambda: scale.table(lambda grades: gain_table(gain, grades))
        )

    def contributions(self, block: Block) -> Floats:
        return block.expected(self.table(block), self.k)

    def findable(self, block: Block) -> NDArray[np.bool_]:
        return block.pool.number(self.table(block) > 0) > 0

    def best(self, block: Block, top: float) -> float | None:
        """Return the grade up to `top` that is worth most; None if 0 is not what is worth least.

        With a table or function of one's own it need not be the highest.
        """
        worth = resolve_gain(self.gain)
        known = (
            [grade for grade in worth if 0 <= grade <= top] if isinstance(worth, Mapping) else [top]
        )
        grades = np.union1d(block.scale.grades, [0.0, *known])
        gains = gain_table(self.gain, grades)
        return float(grades[gains.argmax()]) if gains[0] == gains.min() else None

    def bounds(self, block: Block, top: float) -> tuple[Floats, Floats] | None:
        best = self.best(block, top)
        return None if best is None else super().bounds(block, best)


class DCG(CG):
    """Discounted cumulative gain: each document's gain, less the deeper it stands.

    DCG@k = Σ_{r<=k} g(l_r) · d(r), by default with g(l) = 2^l − 1 and d(r) = 1 / log2(1 + r).
    From 0 upwards; not comparable between queries.

    Parameters
    ----------
    gain : str, mapping or callable, optional
        What a grade is worth; the convention ``gain`` by default.
    discount : str, sequence or callable, optional
        What a rank is worth; the convention ``discount`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    Equal scores: a rank holds the mean gain of its tie group, which is the exact expectation
    (McSherry and Najork 2008, section 3.5).

    References
    ----------
    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4),
    2002; gain and discount as in Burges et al., Learning to rank using gradient descent,
    ICML 2005.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [3, 2, 1]})
    >>> round(rm.evaluate(frame, "DCG").mean().item(), 3)
    9.393
    """

    discount: Discount = parameter(None, "what a rank is worth", kind="discount")

    pretty = "discounted cumulative gain"

    def weights(self, block: Block) -> Floats:
        """Return the discount of each rank looked at."""
        width = block.width(self.k)
        return block.scale.once(
            ("discount", self.discount, width), lambda: discount_weights(self.discount, width)
        )

    def contributions(self, block: Block) -> Floats:
        return super().contributions(block) * self.weights(block)

    def workings(self, block: Block) -> dict[str, Floats]:
        gain = block.expected(self.table(block), self.k)
        return {"gain": gain, "discount": np.broadcast_to(self.weights(block), gain.shape)}


class nDCG(DCG):
    """Normalised discounted cumulative gain: DCG as a share of the ideal ranking's.

    nDCG@k = DCG@k / IDCG@k, where IDCG@k is the DCG@k of all judged documents of the query,
    retrieved or not, in their best order: the most valuable first. In [0, 1]; 1 is a perfect order,
    exactly.

    Parameters
    ----------
    gain : str, mapping or callable, optional
        What a grade is worth; the convention ``gain`` by default (2^l − 1).
    discount : str, sequence or callable, optional
        What a rank is worth; the convention ``discount`` by default (1 / log2(1 + r)).
    k : int, optional
        Cutoff of the ranking and of the ideal, at least 1.

    Notes
    -----
    trec_eval's ``ndcg`` and ``ndcg_cut_k``, ir_measures' ``nDCG@k`` and scikit-learn's
    ``ndcg_score`` have a linear gain: ``nDCG(gain=linear)@k`` here. Equal scores: the exact
    expectation, as scikit-learn does. With a curve that rises somewhere, as those of clicks may,
    the most valuable document of the ideal ranking stands at the rank that is worth most, and so
    on; a function that rises needs a cutoff.

    References
    ----------
    Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4),
    2002.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [2, 3, 1]})
    >>> round(rm.evaluate(frame, "nDCG").mean().item(), 4)
    0.8428
    """

    pretty = "normalised discounted cumulative gain"
    unit = True
    monotone = False

    def ideal(self, block: Block) -> Floats:
        """Return what each rank of the ideal ranking adds to its DCG."""
        best = block.ideal(self.table(block), self.k)
        weights = self.rising(block)
        if weights is None:
            return super().contributions(best)
        # The n-th most valuable document stands at the rank with the n-th largest weight.
        gain = best.expected(self.table(block), self.k)[:, : len(weights)]
        at = np.argsort(-weights, kind="stable")[: gain.shape[1]]
        ideal = np.zeros((block.queries, len(weights)))
        ideal[:, at] = gain * weights[at]
        return ideal

    def rising(self, block: Block) -> Floats | None:
        """Return the weights of all ranks where they rise somewhere, see `rising_weights`."""
        width = block.codes.shape[1]
        return block.scale.once(
            ("rising", self.discount, self.k, width),
            lambda: rising_weights(self.discount, self.k, width),
        )

    def terms(self, block: Block) -> Floats:
        return super().contributions(block)

    def whole(self, block: Block) -> Floats:
        return block.by_pool(lambda one: sequential_sum(self.ideal(one)), self.k)

    def contributions(self, block: Block) -> Floats:
        return per(self.terms(block), self.whole(block))

    def bounds(self, block: Block, top: float) -> tuple[Floats, Floats] | None:
        # The unjudged may be worth nothing while others of their kind lengthen the ideal, and
        # the best of them may lift the ranking while the ideal stays as it was judged.
        best = self.best(block, top)
        if best is None or self.rising(block) is not None:
            return None
        filled = block.with_unjudged(best, self.k)
        least, most = sequential_sum(self.terms(block)), sequential_sum(self.terms(filled))
        lowest = per(least[:, None], self.whole(filled))[:, 0]
        highest = np.minimum(per(most[:, None], self.whole(block))[:, 0], 1.0)
        # Where nothing relevant was judged, one good document among the unjudged is perfect.
        return lowest, np.where((self.whole(block) == 0) & (most > 0), 1.0, highest)

    def workings(self, block: Block) -> dict[str, Floats]:
        return {**super().workings(block), "ideal": self.ideal(block)}

    def ideal_contributions(self, block: Block) -> Floats:
        return per(self.ideal(block), self.whole(block))


class SDCG(Measure):
    """Scaled DCG: DCG as a share of what k perfect documents would give.

    SDCG@k = Σ_{r<=k} g_r · d(r) / Σ_{r<=k} d(r), with g = l / l_m, where l_m is the highest grade
    of the scale. In [0, 1]. No ideal ranking is needed, so nothing depends on what was judged.

    Parameters
    ----------
    max_grade : float, optional
        l_m, above 0. By default the convention ``max_grade``, and when that is not set either, the
        highest grade in the whole frame.
    discount : str, sequence or callable, optional
        What a rank is worth; the convention ``discount`` by default.
    k : int, optional
        Cutoff, at least 1; as many ranks as are shown by default.

    Notes
    -----
    A higher grade than ``max_grade`` counts as ``max_grade``. ir_measures: ``SDCG@k``.

    References
    ----------
    Moffat, Thomas and Scholer, Users versus models: what observation tells us about
    effectiveness metrics, CIKM 2013.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [3, 3]})
    >>> round(rm.evaluate(frame, "SDCG@3").mean().item(), 4)
    0.7654
    """

    max_grade: float | None = parameter(None, "highest grade of the scale", low=SMALLEST)
    discount: Discount = parameter(None, "what a rank is worth", kind="discount")

    pretty = "scaled discounted cumulative gain"
    monotone = True

    def terms(self, block: Block) -> Floats:
        worth = block.expected(block.scale.shares(self.max_grade), self.k)
        return worth * discount_weights(self.discount, worth.shape[1])

    def findable(self, block: Block) -> NDArray[np.bool_]:
        return block.pool.number(block.scale.shares(self.max_grade) > 0) > 0

    def bounds(self, block: Block, top: float) -> tuple[Floats, Floats] | None:
        # Without a fixed scale, a new grade would change what every other grade means.
        return None if self.max_grade is None else super().bounds(block, float(self.max_grade))

    def whole(self, block: Block) -> Floats:
        deepest = int(block.shown().max(initial=1)) if self.k is None else self.k
        total = np.concatenate([[0.0], np.cumsum(discount_weights(self.discount, deepest))])
        return total[block.shown() if self.k is None else np.full(block.queries, self.k)]
