"""How alike two rankings are: functions of two rankings, not measures of one.

References
----------
Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010.
Yilmaz, Aslam and Robertson, A new rank correlation coefficient for information retrieval,
SIGIR 2008. Kendall, The treatment of ties in ranking problems, Biometrika 33, 1945.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from rank_magic.columns import numbers
from rank_magic.conventions import is_number
from rank_magic.errors import DataError, MeasureError, listed

__all__ = ["kendall_tau", "rbo", "tau_ap"]

Ranking: TypeAlias = Sequence[Hashable] | pd.Series

LIST = "Give a list of items, the best first, or a Series of scores by item"
# What can be gone through, and yet is no ranking: what would be ranked by mistake, and what to do.
NO_RANKINGS: tuple[tuple[Any, str, str], ...] = (
    (pd.DataFrame, "its column names", "one column by item, frame.set_index('doc')['score']"),
    (Mapping, "its keys as they were put in", "the scores of a dict as pd.Series(scores)"),
    (Set, "its items in no order", "the items in ranked order"),
    ((str, bytes), "its letters", "a ranking of one item as [item]"),
)


def _scores(ranking: Ranking, which: str) -> dict[Any, float]:
    """Return a score for each item of a ranking: its own, or one that falls along a list.

    Parameters
    ----------
    ranking : sequence of items, best first, or Series of scores by item
        What the caller gave. Items without a score are left out.
    which : str
        What the caller calls it.
    """
    for kind, taken, advice in NO_RANKINGS:
        if isinstance(ranking, kind):
            raise DataError(
                f"{which} is a {type(ranking).__name__}: {taken} would be ranked, "
                f"{listed(ranking, 3)}. {LIST}: {advice}."
            )
    if isinstance(ranking, pd.Series):
        given = _numbers(ranking, which)
        there = ~np.isnan(given)
        items, scores = ranking.index[there].tolist(), given[there].tolist()
    elif isinstance(ranking, Iterable):
        items = list(ranking)
        scores = [-float(rank) for rank in range(len(items))]
    else:
        raise DataError(f"{which} is no ranking but {ranking!r}. {LIST}.")
    _check_items(items, which)
    return dict(zip(items, scores, strict=True))


def _numbers(ranking: pd.Series[Any], which: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return numbers(ranking, "score")
    except DataError:
        raise DataError(
            f"{which} is a Series, which holds scores by item, but its values are no numbers: "
            f"{listed(ranking.dropna(), 3)}. For items in ranked order give {which}.tolist(); "
            f"numbers that are text become some with pd.to_numeric({which})."
        ) from None


def _check_items(items: Sequence[Any], which: str) -> None:
    """Say what is wrong with the items of a ranking."""
    once: set[Any] = set()
    repeated: dict[Any, None] = {}
    for rank, item in enumerate(items, 1):
        if not _hashes(item):
            raise DataError(
                f"{which} holds {item!r} at rank {rank}, a {type(item).__name__}, which names no "
                "item. Give one ranking of ids, such as texts or numbers, not several."
            )
        if item is None or item is pd.NA or item is pd.NaT or item != item:
            raise DataError(
                f"{which} has no item at rank {rank}: {item!r}. Leave missing items out."
            )
        if item in once:
            repeated[item] = None
        once.add(item)
    if repeated:
        raise DataError(
            f"A ranking holds each item once, but in {which} {listed(repeated, 3)} repeat. Keep "
            "one of each, such as by pd.unique(items) or scores.groupby(level=0).max()."
        )


def _hashes(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:  # a tuple that holds a list
        return False
    return True


def _items(ranking: Ranking, which: str) -> list[Any]:
    """Return a ranking's items, best first, each once and none at the place of another."""
    scores = _scores(ranking, which)
    items = sorted(scores, key=scores.__getitem__, reverse=True)
    tied = [(a, b) for a, b in itertools.pairwise(items) if scores[a] == scores[b]]
    if tied:
        one, other = tied[0]
        raise DataError(
            f"Scores tie in {which}, so there is no one ranking: {one!r} and {other!r} have "
            f"{scores[one]:g}. Give the items as a list in ranked order."
        )
    return items


def _shared(a: Iterable[Any], b: Mapping[Any, Any]) -> list[Any]:
    """Return the items of a that b holds, too, in a's order."""
    a = list(a)
    shared = [item for item in a if item in b]
    if not shared:
        written = {str(item): item for item in b}
        same = next((item for item in a if str(item) in written), None)
        if same is not None:
            other = written[str(same)]
            raise DataError(
                f"The rankings share no item, but {same!r} is a {type(same).__name__} in one and "
                f"{other!r} a {type(other).__name__} in the other. Make the ids of one type."
            )
    return shared


def rbo(a: Ranking, b: Ranking, p: float = 0.9) -> float:
    """Return the rank-biased overlap of two rankings, extrapolated beyond their ends.

    ``RBO = (1 − p) Σ_d p^{d−1} · |a_{1..d} ∩ b_{1..d}| / d``, where the agreement at the last ranks
    is taken to go on. In [0, 1].

    Parameters
    ----------
    a, b : sequence of items, best first, or Series of scores by item
        The rankings; they may differ in length. Items without a score are left out; ties are
        an error.
    p : float
        Persistence, in (0, 1): how far down the reader looks.

    Returns
    -------
    float

    Raises
    ------
    DataError
        If one is no ranking: items repeat, scores tie or are no numbers.
    MeasureError
        If p lies outside (0, 1).

    References
    ----------
    Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010,
    equation 32.

    Examples
    --------
    >>> import rank_magic as rm
    >>> rm.rbo(["a", "b", "c"], ["a", "b", "c"])
    1.0
    >>> round(rm.rbo(["a", "b", "c"], ["b", "a", "d"]), 4)
    0.63
    """
    if not (is_number(p) and 0 < p < 1):
        raise MeasureError(
            f"p must be a number between 0 and 1, both excluded; it is {p!r}. At 0.9 the first ten "
            "ranks make up 86 % of the value."
        )
    short, long = sorted((_items(a, "a"), _items(b, "b")), key=len)
    few, many = len(short), len(long)
    if few == 0:
        return 0.0 if many else 1.0
    above = {item: rank for rank, item in enumerate(short, 1)}
    place = {item: rank for rank, item in enumerate(long, 1)}
    enters = [max(above[item], place[item]) for item in _shared(short, place)]
    shared = np.cumsum(np.bincount(enters, minlength=many + 1))[: many + 1]
    depth = np.arange(1.0, many + 1.0)
    agreement = shared[1:] / depth
    # Below its end the shorter ranking is taken to agree as it did at its end.
    beyond = np.maximum(depth - few, 0.0)
    agreement = agreement + shared[few] * beyond / (few * depth)
    seen = math.fsum(agreement * np.power(p, depth - 1.0))
    last = (shared[many] - shared[few]) / many + shared[few] / few
    return float((1 - p) * seen + last * p**many)


def _common(a: Mapping[Any, float], b: Mapping[Any, float]) -> list[Any]:
    """Return the items that both rankings hold, in a's order, at least two."""
    shared = _shared(a, b)
    if len(shared) < 2:
        found = f"{listed(shared)} alone" if shared else "none"
        raise DataError(
            f"A correlation needs at least two items that both rankings hold; of {len(a):,} and "
            f"{len(b):,} items they share {found}. See that the ids are written alike, or take "
            "rm.rbo, which rankings of different items have too."
        )
    return shared


def kendall_tau(a: Ranking, b: Ranking) -> float:
    """Return Kendall's tau over the items that both rankings hold.

    (concordant − discordant) / pairs, corrected for ties (tau-b) when scores are given. In
    [−1, 1].

    Parameters
    ----------
    a, b : sequence of items, best first, or Series of scores by item
        The rankings. As Series they may have ties. Items without a score are left out.

    Returns
    -------
    float

    Raises
    ------
    DataError
        If they share fewer than two items, or all of these tie in one of them.

    Examples
    --------
    >>> import rank_magic as rm
    >>> round(rm.kendall_tau(["a", "b", "c"], ["a", "c", "b"]), 4)
    0.3333
    """
    from scipy.stats import kendalltau

    scores = _scores(a, "a"), _scores(b, "b")
    both = _common(*scores)
    first, second = ([of[item] for item in both] for of in scores)
    for which, values in (("a", first), ("b", second)):
        if min(values) == max(values):
            raise DataError(
                f"The {len(both):,} items that both rankings hold all have the score {values[0]:g} "
                f"in {which}, which ranks none of them above another. Kendall's tau needs two "
                "scores that differ."
            )
    return float(kendalltau(first, second).statistic)


def tau_ap(a: Ranking, truth: Ranking) -> float:
    """Return the AP correlation: Kendall's tau in which errors at the top weigh most.

    τ_AP = (2 / (n − 1)) Σ_{i=2..n} C(i) / (i − 1) − 1, where C(i) counts the items above rank i
    of `a` that `truth` ranks above that item too. In [−1, 1]; not symmetric.

    Parameters
    ----------
    a, truth : sequence of items, best first, or Series of scores by item
        The rankings. Items without a score are left out; ties are an error.

    Returns
    -------
    float

    Raises
    ------
    DataError
        If they share fewer than two items, or one is no ranking.

    References
    ----------
    Yilmaz, Aslam and Robertson, A new rank correlation coefficient for information retrieval,
    SIGIR 2008.

    Examples
    --------
    >>> import rank_magic as rm
    >>> rm.tau_ap(["b", "a", "c"], ["a", "b", "c"])
    0.0
    """
    ranks = [
        {item: float(rank) for rank, item in enumerate(items, 1)}
        for items in (_items(a, "a"), _items(truth, "truth"))
    ]
    place = [ranks[1][item] for item in _common(*ranks)]
    above = [sum(other < here for other in place[:i]) / i for i, here in enumerate(place) if i]
    return 2.0 * math.fsum(above) / len(above) - 1.0
