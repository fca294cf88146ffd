"""Measures of diversity: how well a ranking serves all that a query can mean.

They need a subtopic column: a document is judged for each subtopic of its query. A subtopic
counts when some document is relevant to it, and all subtopics weigh the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.blocks import Block
from rank_magic.discounts import discount_weights
from rank_magic.measures.base import Floats, Measure
from rank_magic.measures.binary import AP, P, Success
from rank_magic.measures.novelty import Diverse, Novelty
from rank_magic.measures.parameters import SMALLEST, parameter

__all__ = [
    "AP_IA",
    "ERR_IA",
    "NRBP",
    "P_IA",
    "StRecall",
    "alpha_DCG",
    "alpha_nDCG",
    "nERR_IA",
    "nNRBP",
]


class alpha_DCG(Novelty):
    """α-DCG: novelty, discounted by rank.

    α-DCG@k = Σ_{r<=k} novelty_r / log2(1 + r), where a document's novelty is Σ over the subtopics
    it is relevant to of (1 − α)^(times seen above). From 0 upwards. Equal scores: exact.

    Parameters
    ----------
    alpha : float
        α, from 0 to 1; 0.5 by default.
    normalize : {"no", "perfect"}
        With ``"perfect"``, divide by what k documents relevant to every subtopic would give, as
        ndeval does under this name.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    References
    ----------
    Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008,
    equation 9.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"doc": list("abc"), "subtopic": list("sst"), "score": [3, 2, 1]})
    >>> round(rm.evaluate(frame.assign(query="q", grade=1), "alpha-DCG").mean().item(), 4)
    1.8155
    """

    normalize: str = parameter("no", "what it is divided by", choices=("no", "perfect"))

    name = "alpha-DCG"
    aliases = ("alpha_DCG",)
    pretty = "α-DCG"
    unit = False

    def weights(self, width: int) -> Floats:
        return discount_weights("log2", width)

    def whole(self, block: Block) -> NDArray[Any]:
        if self.normalize == "no":
            return np.ones(block.queries)
        return self.intents(block) * _perfect(self, block)


def _perfect(measure: Novelty, block: Block) -> Floats:
    """Return what documents relevant to a subtopic would give at all ranks."""
    shown = block.shown() if measure.k is None else np.full(block.queries, measure.k)
    width = int(shown.max(initial=1))
    fall = (1.0 - measure.alpha) ** np.arange(width) * measure.weights(width)
    return np.concatenate([[0.0], np.cumsum(fall)])[shown]


class alpha_nDCG(Novelty):
    """α-nDCG: α-DCG as a share of that of the greedy ideal ranking.

    α-nDCG@k = α-DCG@k / α-DCG@k of the ranking that takes, at each rank, the judged document with
    most novelty. In [0, 1] but for rare queries whose greedy ideal is not the best order.

    Parameters
    ----------
    alpha : float
        α, from 0 to 1; 0.5 by default.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    Which of two equally novel documents the greedy ideal takes first can change what follows:
    the one with the higher grades here, so that ids do not matter; the higher id with
    ``ties="trec"``, as in ndeval. Equal scores: exact.

    References
    ----------
    Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"doc": list("abc"), "subtopic": list("sst"), "score": [3, 2, 1]})
    >>> round(rm.evaluate(frame.assign(query="q", grade=1), "alpha-nDCG").mean().item(), 4)
    0.9652
    """

    name = "alpha-nDCG"
    aliases = ("alpha_nDCG",)
    pretty = "α-nDCG"

    def weights(self, width: int) -> Floats:
        return discount_weights("log2", width)

    def whole(self, block: Block) -> NDArray[Any]:
        return self.ideal(block)


class ERR_IA(Novelty):
    """Intent-aware ERR: ERR for each subtopic, averaged over subtopics.

    ERR-IA@k = (1 / n) Σ over subtopics of ERR@k, where a relevant document satisfies with
    probability α. In [0, 1]. Equal scores: exact.

    Parameters
    ----------
    alpha : float
        Chance that a relevant document satisfies, from 0 to 1; 0.5 by default.
    normalize : {"no", "perfect"}
        With ``"perfect"``, divide by what k documents relevant to every subtopic would give, as
        ndeval does under this name.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    References
    ----------
    Chapelle et al., Intent-based diversification of web search results, Information Retrieval
    14, 2011.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"doc": list("abc"), "subtopic": list("sst"), "score": [3, 2, 1]})
    >>> round(rm.evaluate(frame.assign(query="q", grade=1), "ERR-IA").mean().item(), 4)
    0.3958
    """

    normalize: str = parameter("no", "what it is divided by", choices=("no", "perfect"))

    name = "ERR-IA"
    aliases = ("ERR_IA",)
    pretty = "intent-aware ERR"

    def weights(self, width: int) -> Floats:
        return discount_weights("reciprocal", width)

    def whole(self, block: Block) -> NDArray[Any]:
        if self.normalize == "no":
            # Where nothing ever satisfies, nothing is gained.
            return (
                self.intents(block) / self.alpha if self.alpha else np.full(block.queries, np.inf)
            )
        return self.intents(block) * _perfect(self, block)


class nERR_IA(Novelty):
    """Normalised intent-aware ERR: ERR-IA as a share of that of the greedy ideal ranking.

    nERR-IA@k = ERR-IA@k / ERR-IA@k of the ranking that takes, at each rank, the judged document
    with most novelty. In [0, 1] but for rare queries whose greedy ideal is not the best order.

    Parameters
    ----------
    alpha : float
        Chance that a relevant document satisfies, from 0 to 1; 0.5 by default.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    Notes
    -----
    The greedy ideal is that of α-nDCG. Equal scores: exact.

    References
    ----------
    Chapelle et al., Intent-based diversification of web search results, Information Retrieval
    14, 2011.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"doc": list("abc"), "subtopic": list("sst"), "score": [3, 2, 1]})
    >>> round(rm.evaluate(frame.assign(query="q", grade=1), "nERR-IA").mean().item(), 4)
    0.95
    """

    name = "nERR-IA"
    aliases = ("nERR_IA",)
    pretty = "normalised intent-aware ERR"

    def weights(self, width: int) -> Floats:
        return discount_weights("reciprocal", width)

    def whole(self, block: Block) -> NDArray[Any]:
        return self.ideal(block)


class NRBP(Novelty):
    """Novelty- and rank-biased precision: novelty as met by a reader who goes on with chance β.

    NRBP = ((1 − (1 − α) β) / n) Σ_r β^{r−1} · novelty_r, over n subtopics. In [0, 1]. Equal
    scores: exact.

    Parameters
    ----------
    alpha : float
        How much of a subtopic one document settles, from 0 to 1; 0.5 by default.
    beta : float
        β, above 0 and below 1; 0.5 by default.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    References
    ----------
    Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous and underspecified
    queries, ICTIR 2009, equation 11.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"doc": list("abc"), "subtopic": list("sst"), "score": [3, 2, 1]})
    >>> round(rm.evaluate(frame.assign(query="q", grade=1), "NRBP").mean().item(), 4)
    0.5625
    """

    beta: float = parameter(0.5, "chance of going on", low=SMALLEST, high=1 - SMALLEST)

    pretty = "novelty- and rank-biased precision"

    def weights(self, width: int) -> Floats:
        return np.power(float(self.beta), np.arange(width))

    def whole(self, block: Block) -> NDArray[Any]:
        return self.intents(block) / (1.0 - (1.0 - self.alpha) * self.beta)


class nNRBP(NRBP):
    """Normalised NRBP: NRBP as a share of that of the greedy ideal ranking.

    nNRBP@k = NRBP@k / NRBP@k of the ranking that takes, at each rank, the judged document with
    most novelty. In [0, 1] but for rare queries whose greedy ideal is not the best order.

    Parameters
    ----------
    alpha : float
        How much of a subtopic one document settles, from 0 to 1; 0.5 by default.
    beta : float
        β, above 0 and below 1; 0.5 by default.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    References
    ----------
    Clarke, Kolla and Vechtomova, An effectiveness measure for ambiguous and underspecified
    queries, ICTIR 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"doc": list("abc"), "subtopic": list("sst"), "score": [3, 2, 1]})
    >>> round(rm.evaluate(frame.assign(query="q", grade=1), "nNRBP").mean().item(), 4)
    0.9231
    """

    pretty = "normalised novelty- and rank-biased precision"

    def whole(self, block: Block) -> NDArray[Any]:
        return self.ideal(block)


class IntentAware(Diverse, abstract=True):
    """Base of the measures that are another measure's mean over subtopics."""

    def of_one(self) -> Measure:
        """Return the measure that is averaged."""
        raise NotImplementedError

    def terms(self, block: Block) -> Floats:
        total = np.zeros((block.queries, block.width(self.k)))
        for layer in self.layers(block):
            terms = self.of_one().contributions(layer)
            total[:, : terms.shape[1]] += terms
        return total


class AP_IA(IntentAware):
    """Intent-aware average precision: AP for each subtopic, averaged over subtopics.

    AP-IA@k = (1 / n) Σ over the n subtopics of AP@k. In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"doc": list("abc"), "subtopic": list("sst"), "score": [3, 2, 1]})
    >>> round(rm.evaluate(frame.assign(query="q", grade=1), "AP-IA").mean().item(), 4)
    0.6667
    """

    name = "AP-IA"
    aliases = ("AP_IA", "MAP-IA")
    pretty = "intent-aware average precision"

    def of_one(self) -> Measure:
        return AP(rel=self.rel, denominator="relevant", k=self.k)


class P_IA(IntentAware):
    """Intent-aware precision: P@k for each subtopic, averaged over subtopics.

    P-IA@k = (1 / n) Σ over the n subtopics of P@k. In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong, Diversifying search results, WSDM 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"doc": list("abc"), "subtopic": list("sst"), "score": [3, 2, 1]})
    >>> rm.evaluate(frame.assign(query="q", grade=1), "P-IA@2").mean().item()
    0.5
    """

    name = "P-IA"
    aliases = ("P_IA",)
    pretty = "intent-aware precision"

    def of_one(self) -> Measure:
        return P(rel=self.rel, k=self.k)


class StRecall(IntentAware):
    """Subtopic recall: the share of the subtopics that the first k results cover.

    StRecall@k = |subtopics of the first k results| / n, of n that have a relevant document. In
    [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.
    k : int, optional
        Cutoff, at least 1.

    References
    ----------
    Zhai, Cohen and Lafferty, Beyond independent relevance, SIGIR 2003.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"doc": list("abc"), "subtopic": list("sst"), "score": [3, 2, 1]})
    >>> rm.evaluate(frame.assign(query="q", grade=1), "StRecall@2").mean().item()
    0.5
    """

    aliases = ("SubtopicRecall",)
    pretty = "subtopic recall"

    def of_one(self) -> Measure:
        return Success(rel=self.rel, k=self.k)
