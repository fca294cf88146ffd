"""Two rankings of a query side by side: which documents moved, and what each move is worth."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import pandas as pd

from rank_magic.errors import DataError
from rank_magic.explanation import Explanation

if TYPE_CHECKING:
    from rank_magic.comparison import Comparison

__all__ = ["explained", "moves", "pair_values"]


def pair_values(comparison: Comparison, measure: str, pair: int) -> pd.DataFrame:
    """Return a measure's value of every query for a pair's baseline and for its system."""
    side, (system, baseline) = comparison.side, comparison.pairs[pair]
    values = side.ruled[:, side.measures.index(measure)]
    columns = {side.systems[place]: values[place] for place in (baseline, system)}
    return pd.DataFrame(columns, index=side.queries)


def explained(comparison: Comparison, query: Any, system: Hashable) -> Explanation:
    """Return a system's ranking of a query, rank by rank.

    Raises
    ------
    DataError
        If the system's rankings are not at hand, as after `load`, or lack the query.
    """
    side = comparison.side
    place = side.systems.index(system)
    for record, places in zip(side.records, side.members, strict=True):
        if place not in places:
            continue
        if record.source is None or not record.source.rows_at_hand:
            raise DataError(
                f"The rankings of {system!r} are not at hand: only values were kept. Evaluate them "
                f"again to see them side by side."
            )
        return record.source.explain(query, system=record.systems[places.index(place)])
    raise DataError(f"No evaluation holds {system!r}.")


def moves(baseline: Explanation, system: Explanation, measure: str) -> pd.DataFrame:
    """Return the documents of two rankings, with where they stand and what they add in each.

    Parameters
    ----------
    baseline, system : Explanation
        Two rankings of the same query.
    measure : str
        The measure whose contributions are compared.

    Returns
    -------
    DataFrame
        A row for each document that either ranks, by the better of its ranks; columns of the
        baseline ``from`` (rank) and ``earned`` (contribution), of the system ``to`` and
        ``earns``; ``change``, what the move cost or earned; and ``grade``. Ranks are missing where
        a document is not retrieved; what it adds is then 0. Changes add up to the difference of
        the two values.

    Raises
    ------
    DataError
        If there are no document ids to know documents again by.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> from rank_magic.side_by_side import moves
    >>> frame = pd.DataFrame(
    ...     {"query": "q", "doc": ["x", "y"], "grade": [0, 1], "old": [2, 1], "new": [1, 2]}
    ... )
    >>> evaluation = rm.evaluate(frame, "RR", score=["old", "new"])
    >>> old, new = (evaluation.explain(system=name) for name in ("old", "new"))
    >>> moves(old, new, "RR")[["from", "to", "change"]]
         from  to  change
    doc
    x       1   2     0.0
    y       2   1     0.5
    """
    one = _ranked(baseline, measure).rename(columns={"rank": "from", "adds": "earned"})
    names = {"rank": "to", "adds": "earns", "grade": "other grade"}
    both = one.join(_ranked(system, measure).rename(columns=names), how="outer")
    both["grade"] = both["grade"].fillna(both.pop("other grade"))
    both[["earned", "earns"]] = both[["earned", "earns"]].fillna(0.0)
    both["change"] = both["earns"] - both["earned"]
    both[["from", "to"]] = both[["from", "to"]].astype("Int64")
    best = both[["from", "to"]].min(axis=1)
    return both.loc[best.sort_values(kind="stable").index]


def _ranked(explanation: Explanation, measure: str) -> pd.DataFrame:
    """Return rank, contribution and grade by document."""
    ranking = explanation.ranking
    if "doc" not in ranking:
        raise DataError(
            "Documents have no ids, so that none can be known again in another ranking. Say which "
            "column has them: doc='...'."
        )
    adds = explanation.contributions[measure].reindex(ranking.index).fillna(0.0)
    docs = pd.Index(ranking["doc"], name="doc")
    columns = {"rank": ranking.index, "adds": adds.to_numpy(), "grade": ranking["grade"].to_numpy()}
    return pd.DataFrame(columns, index=docs)
