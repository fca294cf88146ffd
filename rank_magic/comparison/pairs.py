"""Which systems are compared with which."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import NamedTuple

from rank_magic.comparison.together import Together
from rank_magic.errors import RankMagicError, did_you_mean, listed

__all__ = ["Pair", "pairs_of"]


class Pair(NamedTuple):
    """A system and what it is compared with, by their places."""

    system: int
    baseline: int


def pairs_of(side: Together, baseline: Hashable | None) -> list[Pair]:
    """Return the pairs to compare.

    With a baseline, every other system with it. Without one: of a single evaluation all pairs,
    the later with the earlier; of several the systems of the later with those of the first,
    each with its namesake if there is one, otherwise with all.
    """
    number = len(side.systems)
    if number < 2:
        raise RankMagicError(
            f"A comparison needs two systems, this evaluation has one, {side.systems[0]!r}. Give "
            f"several scores (score=[...]) or a system column, or compare two evaluations: "
            f"rank_magic.compare(before, after)."
        )
    if baseline is not None:
        at = _place(baseline, side.systems)
        return [Pair(place, at) for place in range(number) if place != at]
    first, *others = side.members
    if not others:
        return [Pair(later, earlier) for earlier, later in combinations(range(number), 2)]
    names = [name for record in side.records for name in record.systems]
    every = [Pair(place, at) for members in others for place in members for at in first]
    namesakes = [pair for pair in every if names[pair.system] == names[pair.baseline]]
    return namesakes or every


def _place(baseline: Hashable, systems: Sequence[Hashable]) -> int:
    if baseline not in systems:
        raise RankMagicError(
            f"There is no system {baseline!r} to be the baseline. Systems are {listed(systems)}."
            f"{did_you_mean(str(baseline), [str(name) for name in systems])}"
        )
    return list(systems).index(baseline)
