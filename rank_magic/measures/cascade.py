"""Measures of a reader who goes down the list until satisfied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.discounts import Discount, discount_name, discount_weights, rising_weights
from rank_magic.errors import MeasureError, listed
from rank_magic.gains import number_from
from rank_magic.measures.base import Floats, Measure, per, ranks
from rank_magic.measures.parameters import SMALLEST, parameter
from rank_magic.ties import sequential_sum

__all__ = ["EBU", "ERR", "Cascade", "nERR"]

# What satisfies: names with their formulas, for a grade l and the top grade m.
SATISFACTIONS = {
    # 2^l / 2^m − 1 / 2^m, as differences of exponents, so that no power overflows.
    "exp2": lambda grades, top: np.exp2(grades - top) - np.exp2(-top),
    "linear": lambda grades, top: grades / top if top > 0 else np.zeros_like(grades),
    "linear1": lambda grades, top: grades / (top + 1.0),
}


class Cascade(Measure):
    """The cascade: a reader goes down, may be satisfied or tire, and rewards where it ends.

    Cascade@k = Σ_{r<=k} d(r) · γ^{r−1} · R_r · Π_{i<r} (1 − R_i), where R is the chance that a
    document satisfies, γ that an unsatisfied reader goes on, and d what satisfaction at a rank is
    worth. In [0, 1] for discounts of at most 1.

    Parameters
    ----------
    max_grade : float, optional
        Highest grade l_m of the scale, above 0. By default the convention ``max_grade``, and when
        that is not set either, the highest grade in the whole frame, never in one query.
    satisfaction : str, mapping or callable
        R of a grade l: ``"exp2"`` is (2^l − 1) / 2^{l_m}, ``"linear"`` l / l_m, ``"linear1"``
        l / (l_m + 1); a table {grade: R}, where grade 0 has 0 unless it says otherwise; a
        function of grade and l_m.
    persistence : float
        γ, above 0 and at most 1; 1 by default.
    discount : str, sequence or callable
        d; 1 / r by default.
    k : int, optional
        Cutoff, at least 1.

    Raises
    ------
    MeasureError
        If a grade lies above ``max_grade``, or R outside [0, 1].

    Notes
    -----
    Equal scores: exact, by elementary symmetric means. With E_j the mean product of (1 − R)
    over j distinct members of a tie group, the j-th place of the group ends the reading with
    probability reach · (E_{j−1} − E_j). The cost for a group of n documents, m of them with
    R > 0, is n · min(m, n, i) where E_i falls below 2^-80.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance,
    CIKM 2009, equation 1 and section 4.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [1, 2]})
    >>> rm.evaluate(frame, "Cascade(discount=none)").mean().item()
    0.8125
    """

    max_grade: float | None = parameter(None, "highest grade of the scale", low=SMALLEST)
    satisfaction: Any = parameter(
        "exp2", "chance that a grade satisfies", kind="satisfaction", choices=tuple(SATISFACTIONS)
    )
    persistence: float = parameter(1, "chance of going on when not satisfied", low=SMALLEST, high=1)
    discount: Discount = parameter(
        "reciprocal", "what satisfaction at a rank is worth", kind="discount"
    )

    pretty = "cascade"
    monotone = False

    def stopping(self, block: Block) -> Floats:
        """Return for each code the probability that its document satisfies the reader."""
        top = block.scale.top if self.max_grade is None else float(self.max_grade)
        if block.scale.top > top:
            raise MeasureError(
                f"{self.name} has max_grade={top:g}, but there is a grade "
                f"{block.scale.top:g}. Set max_grade to the highest grade of the scale."
            )
        chance = block.scale.table(lambda grades: self._satisfied(grades, top))
        if not ((chance >= 0) & (chance <= 1)).all():
            raise MeasureError(
                f"A chance to satisfy must lie in [0, 1]; {self.name}'s satisfaction gives "
                f"{listed(chance[(chance < 0) | (chance > 1)])}."
            )
        return chance

    def _satisfied(self, grades: Floats, top: float) -> Floats:
        how = self.satisfaction
        if isinstance(how, str):
            return np.asarray(SATISFACTIONS[how](grades, top))
        if isinstance(how, Mapping):
            how = {0.0: 0.0, **how}
            lacking = [float(grade) for grade in grades if float(grade) not in how]
            if lacking:
                raise MeasureError(
                    f"The satisfaction table has no entry for the grades {listed(lacking)}. "
                    f"It covers {listed(how)}: add them."
                )
            return np.array([float(how[float(grade)]) for grade in grades])
        return np.array(
            [number_from(f"{self.name}'s satisfaction", how, float(grade), top) for grade in grades]
        )

    def contributions(self, block: Block) -> Floats:
        stops = block.stops(self.stopping(block), self.k)
        weights = discount_weights(self.discount, stops.shape[1])
        if self.persistence < 1:
            weights = weights * np.power(float(self.persistence), ranks(stops) - 1.0)
        return stops * weights

    def findable(self, block: Block) -> NDArray[np.bool_]:
        return block.pool.number(self.stopping(block) > 0) > 0

    def workings(self, block: Block) -> dict[str, Floats]:
        chance = block.expected(self.stopping(block), self.k)
        left = 1.0 - np.cumsum(block.stops(self.stopping(block), self.k), axis=1)
        reach = np.concatenate([np.ones((block.queries, 1)), left[:, :-1]], axis=1)
        return {"R": chance, "reach": reach}


class ERR(Cascade):
    """Expected reciprocal rank: 1 / r, expected over the rank r at which a reader is satisfied.

    ERR@k = Σ_{r<=k} (1 / r) · R_r · Π_{i<r} (1 − R_i), with R_i = (2^{l_i} − 1) / 2^{l_m}, where
    l_m is the highest grade of the scale. In [0, 1) for discounts of at most 1.

    Parameters
    ----------
    max_grade : float, optional
        Highest grade of the scale, l_m, above 0. By default the convention ``max_grade``, and when
        that is not set either, the highest grade in the whole frame, never in one query.
    satisfaction : str, mapping or callable
        R of a grade: ``"exp2"`` by default, ``"linear"``, ``"linear1"``, a table or a function, as
        for `Cascade`.
    persistence : float
        Chance of going on when not satisfied, above 0 and at most 1; 1 by default.
    discount : str, sequence or callable
        What satisfaction at a rank is worth; 1 / r by default.
    k : int, optional
        Cutoff, at least 1.

    Raises
    ------
    MeasureError
        If a grade lies above ``max_grade``.

    Notes
    -----
    Equal scores: exact, see `Cascade`. gdeval's ``err@k`` and ir_measures' ``ERR@k`` have a
    highest grade of 4 whatever the data.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, Expected reciprocal rank for graded relevance,
    CIKM 2009, equations 2 to 4.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [2, 3, 0]})
    >>> round(rm.evaluate(frame, "ERR").mean().item(), 4)
    0.6484
    """

    pretty = "expected reciprocal rank"
    monotone = True

    def bounds(self, block: Block, top: float) -> tuple[Floats, Floats] | None:
        # Without a fixed scale, a new grade would change what every other grade means; and a
        # better document never lowers the value only if those below were worth no more.
        usual = isinstance(self.satisfaction, str) and self.discount == "reciprocal"
        if self.max_grade is None or not usual:
            return None
        return super().bounds(block, float(self.max_grade))


class nERR(Cascade):
    """Normalised expected reciprocal rank: ERR as a share of the ideal ranking's.

    nERR@k = ERR@k / ERR@k of all judged documents, the best first. In [0, 1].

    Parameters
    ----------
    max_grade : float, optional
        Highest grade of the scale, above 0; the convention ``max_grade`` by default, or else the
        highest grade in the whole frame.
    satisfaction : str, mapping or callable
        R of a grade: ``"exp2"`` by default, ``"linear"``, ``"linear1"``, a table or a function, as
        for `Cascade`.
    persistence : float
        Chance of going on when not satisfied, above 0 and at most 1; 1 by default.
    discount : str, sequence or callable
        What satisfaction at a rank is worth; 1 / r by default.
    k : int, optional
        Cutoff of the ranking and of the ideal, at least 1.

    Raises
    ------
    MeasureError
        If a grade lies above ``max_grade``, or the discount rises with rank: the best ranking is
        not the one by grade then.

    References
    ----------
    Sakai and Song, Evaluating diversified search results using per-intent graded relevance,
    SIGIR 2011.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [3, 2]})
    >>> rm.evaluate(frame, "nERR").mean().item()
    1.0
    """

    pretty = "normalised expected reciprocal rank"

    def ideal(self, block: Block) -> Floats:
        """Return what each rank of the ideal ranking adds."""
        if rising_weights(self.discount, self.k, block.codes.shape[1]) is not None:
            raise MeasureError(
                f"With the discount {discount_name(self.discount)!r}, which rises with rank, the "
                f"best ranking is not the one by grade, so {self.name} has no ideal. Use ERR, or "
                f"a discount that never rises."
            )
        return super().contributions(block.ideal(self.stopping(block), self.k))

    def terms(self, block: Block) -> Floats:
        return super().contributions(block)

    def whole(self, block: Block) -> Floats:
        return block.by_pool(lambda one: sequential_sum(self.ideal(one)), self.k)

    def contributions(self, block: Block) -> Floats:
        return per(self.terms(block), self.whole(block))

    def workings(self, block: Block) -> dict[str, Floats]:
        return {**super().workings(block), "ideal": self.ideal(block)}


class EBU(Cascade):
    """Expected browsing utility: how likely a reader who may tire ends satisfied.

    EBU@k = Σ_{r<=k} γ^{r−1} · R_r · Π_{i<r} (1 − R_i): the cascade with a persistence γ below 1
    and satisfaction worth the same at every rank. In [0, 1) for discounts of at most 1.

    Parameters
    ----------
    persistence : float
        γ, above 0 and at most 1; 0.9 by default.
    max_grade : float, optional
        Highest grade of the scale, above 0; the convention ``max_grade`` by default, or else the
        highest grade in the whole frame.
    satisfaction : str, mapping or callable
        R of a grade: ``"exp2"`` by default, ``"linear"``, ``"linear1"``, a table or a function, as
        for `Cascade`.
    discount : str, sequence or callable
        What satisfaction at a rank is worth; the same at every rank by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    The paper also lets a reader skip a document by its snippet, with chances learned from a
    search log; without such a log every document is looked at, as here.

    References
    ----------
    Yilmaz, Shokouhi, Craswell and Robertson, Expected browsing utility for web search
    evaluation, CIKM 2010.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [0, 1]})
    >>> rm.evaluate(frame, "EBU").mean().item()
    0.45
    """

    persistence: float = parameter(
        0.9, "chance of going on when not satisfied", low=SMALLEST, high=1
    )
    discount: Discount = parameter("none", "what satisfaction at a rank is worth", kind="discount")

    pretty = "expected browsing utility"
