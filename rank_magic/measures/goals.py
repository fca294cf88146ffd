"""Measures of a reader with a goal: the C/W/L family's players and foragers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.measures.base import Floats, ranks
from rank_magic.measures.parameters import SMALLEST, parameter
from rank_magic.measures.persistence import Continuing

__all__ = ["BPM", "IFT"]

# Ranks after which an attention that does not die out is given up.
FAR = 100_000
# Log odds of going on from which a reader never stops: the chance to stop is no number any more.
NEVER = 700.0


class BPM(Continuing):
    """Bejeweled player: a reader who stops when gained enough, or when patience ends.

    BPM = (1 / s) Σ_{i<=s} g_i, the mean gain of the documents looked at, where C_i = 1 while the
    gain so far is below T and i is below K, and s is the first rank at which it is 0. With ``hb``
    or ``hc`` above 0, T and K move with each document by h · (g − median): the dynamic form. In
    [0, 1].

    Parameters
    ----------
    T : float
        Gain wanted, above 0; 1 by default.
    K : float
        Documents the reader is willing to look at, at least 1; 10 by default.
    hb, hc : float
        How far a document moves T and K, at least 0; 0 is the static form.
    median : float
        The gain that moves nothing, from 0 to 1; 0.5 by default.
    gains : {"graded", "binary"}
        Each grade's share of the highest grade, or 1 for relevant documents.
    max_grade, rel : float, optional
        The scale's top grade, and the grade from which a document is relevant; both above 0.
    horizon : int, optional
        How many ranks there are in all, at least 1; endlessly many by default, 1,000 in cwl_eval.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    Gains that add up to T within 1e-9 reach it, so that three thirds are one. A higher grade than
    ``max_grade`` counts as ``max_grade``. Equal scores: no closed form; averaged over 1,000 drawn
    orders. A better document may lower it. The dynamic form follows cwl_eval's documentation,
    whose code leaves ``hc`` out.

    References
    ----------
    Zhang, Liu, Li, Zhang, Xu and Ma, Evaluating web search with a Bejeweled player model,
    SIGIR 2017.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [0, 1]})
    >>> rm.evaluate(frame, "BPM").mean().item()
    0.5
    """

    T: float = parameter(1, "gain wanted", low=SMALLEST)
    K: float = parameter(10, "documents the reader is willing to look at", low=1)
    hb: float = parameter(0, "how far a document moves T", low=0)
    hc: float = parameter(0, "how far a document moves K", low=0)
    median: float = parameter(0.5, "gain that moves nothing", low=0, high=1)

    pretty = "Bejeweled player model"
    closed_form = False

    def continuation(self, gain: Floats, total: Floats) -> Floats:
        rank = ranks(gain)
        moved = (total - gain) - (rank - 1.0) * self.median
        wanted, patience = self.T + self.hb * moved, self.K + self.hc * moved
        return ((total < wanted - SMALLEST) & (rank < patience - SMALLEST)).astype(np.float64)

    def beyond(self, length: NDArray[Any], total: Floats, more: Floats) -> Floats:
        # Nothing more is gained, so that both limits only fall: one for each rank looked at.
        ends = (self.K - SMALLEST + self.hc * (total + self.median)) / (1 + self.hc * self.median)
        falls = self.hb * self.median
        left = self.T - SMALLEST + self.hb * total - total
        goal = left / falls + 1.0 if falls > 0 else np.where(left > 0, np.inf, 0.0)
        ends = np.minimum(ends, goal)
        return np.minimum(1.0 + np.maximum(np.ceil(ends) - 1.0 - length, 0.0), more)


class IFT(Continuing):
    """Information foraging: a reader who stops when the goal is met or the yield gets poor.

    C_i = C1_i · C2_i, with C1_i = 1 − 1 / (1 + b1 · e^{(T − G_i) R1}) for the goal and
    C2_i = 1 / (1 + b2 · e^{(A − G_i / i) R2}) for the rate, where G_i is the gain down to rank i.
    In [0, 1].

    Parameters
    ----------
    model : {"goal-rate", "goal", "rate"}
        Which of the two decides.
    T, b1, R1 : float
        The goal, and how rational the reader is about it; each above 0.
    A, b2, R2 : float
        The rate below which it is not worth going on, and how rational the reader is about it;
        each above 0.
    gains : {"graded", "binary"}
        Each grade's share of the highest grade, or 1 for relevant documents.
    max_grade, rel : float, optional
        The scale's top grade, and the grade from which a document is relevant; both above 0.
    horizon : int, optional
        How many ranks there are in all, at least 1; endlessly many by default, 1,000 in cwl_eval.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    A higher grade than ``max_grade`` counts as ``max_grade``. Equal scores: no closed form;
    averaged over 1,000 drawn orders. A better document may lower it.

    References
    ----------
    Azzopardi, Thomas and Craswell, Measuring the utility of search engine result pages: an
    information foraging based measure, SIGIR 2018.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [1, 1]})
    >>> round(rm.evaluate(frame, "IFT").mean().item(), 4)
    0.6985
    """

    model: str = parameter(
        "goal-rate", "what decides whether to go on", choices=("goal-rate", "goal", "rate")
    )
    T: float = parameter(2, "gain wanted", low=SMALLEST)
    b1: float = parameter(0.9, "rationality about the goal", low=SMALLEST)
    R1: float = parameter(10, "sensitivity to the goal", low=SMALLEST)
    A: float = parameter(0.2, "rate wanted", low=SMALLEST)
    b2: float = parameter(0.9, "rationality about the rate", low=SMALLEST)
    R2: float = parameter(10, "sensitivity to the rate", low=SMALLEST)

    pretty = "information foraging"
    closed_form = False

    def continuation(self, gain: Floats, total: Floats) -> Floats:
        return self._going(total, ranks(gain))

    def _going(self, total: Floats, rank: Floats) -> Floats:
        from scipy.special import expit

        goal = expit(self._towards_goal(total))
        rate = expit((total / rank - self.A) * self.R2 - math.log(self.b2))
        return {"goal": goal, "rate": rate, "goal-rate": goal * rate}[self.model]

    def _towards_goal(self, total: Floats) -> Floats:
        """Return the log odds of going on for the goal."""
        return (self.T - total) * self.R1 + math.log(self.b1)

    def beyond(self, length: NDArray[Any], total: Floats, more: Floats) -> Floats:
        if self.model == "goal":
            from scipy.special import expit, log_expit

            # The same chance at every rank, as nothing more is gained.
            odds = self._towards_goal(total)
            stop, ever = expit(-odds), odds < NEVER
            looked = -np.expm1(more * np.where(ever, log_expit(odds), -1.0))
            return np.where(ever, looked / np.where(ever, stop, 1.0), more)
        reach, looked = np.ones(len(total)), np.zeros(len(total))
        for step in range(1, FAR):
            looked += np.where(step <= more, reach, 0.0)
            reach = reach * self._going(total, length + float(step))
            if reach.max(initial=0.0) < 1e-18:
                break
        return looked
