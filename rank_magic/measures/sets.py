"""Measures of a result set, whatever its order."""

from __future__ import annotations

from rank_magic.measures.binary import F1, P, R

__all__ = ["SetF", "SetP", "SetR"]


class SetP(P):
    """Set precision: the share of all results that is relevant.

    SetP = |relevant retrieved| / |retrieved|. In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    trec_eval: ``set_P``; ir_measures: ``SetP(rel=1)``.

    References
    ----------
    van Rijsbergen, Information Retrieval, 2nd edition, 1979, chapter 7.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8], "grade": [1, 0]})
    >>> rm.evaluate(frame, "SetP").mean().item()
    0.5
    """

    pretty = "set precision"
    aliases = ()
    cutoff = False


class SetR(R):
    """Set recall: the share of the relevant documents that was retrieved.

    SetR = |relevant retrieved| / |relevant|. In [0, 1].

    Parameters
    ----------
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    trec_eval: ``set_recall``; ir_measures: ``SetR(rel=1)``.

    References
    ----------
    van Rijsbergen, Information Retrieval, 2nd edition, 1979, chapter 7.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, None], "grade": [1, 1]})
    >>> rm.evaluate(frame, "SetR").mean().item()
    0.5
    """

    pretty = "set recall"
    aliases = ()
    cutoff = False


class SetF(F1):
    """Set F measure: the weighted harmonic mean of set precision and set recall.

    SetF = (1 + β²) · SetP · SetR / (β² · SetP + SetR). In [0, 1].

    Parameters
    ----------
    beta : float
        How much recall weighs against precision, at least 0; 1 by default.
    rel : float, optional
        Grade from which a document is relevant, above 0; the convention ``rel`` by default.

    Notes
    -----
    trec_eval's ``set_F`` has β² where this has β; ir_measures: ``SetF(rel=1, beta=1)``.

    References
    ----------
    van Rijsbergen, Information Retrieval, 2nd edition, 1979, chapter 7.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, None], "grade": [1, 0, 1]})
    >>> rm.evaluate(frame, "SetF").mean().item()
    0.5
    """

    pretty = "set F measure"
    aliases = ()
    cutoff = False
