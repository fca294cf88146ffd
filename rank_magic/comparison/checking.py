"""A guard for pipelines: whether a system is worse than its baseline by more than it may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from rank_magic.conventions import is_number
from rank_magic.errors import RankMagicError, RegressionError, did_you_mean, listed
from rank_magic.measures import parse
from rank_magic.measures.base import spellings
from rank_magic.significance import LEVEL, corrected
from rank_magic.significance.paired import t_test
from rank_magic.significance.sample import Sample

if TYPE_CHECKING:
    from rank_magic.comparison.comparison import Comparison

__all__ = ["check"]

# Tukey's correction knows no margins; Holm's holds for whatever is checked together.
CORRECTED_BY = {"tukey": "holm"}


def check(comparison: Comparison, margins: Mapping[str, float], *, noninferior: bool) -> None:
    """Raise when a system is worse by more than a margin, see `Comparison.check`."""
    __tracebackhide__ = True
    allowed = _allowed(comparison, margins)
    pairs = len(comparison.pairs)
    rows = [
        (place * pairs + number, margin)
        for place, margin in allowed.items()
        for number in range(pairs)
    ]
    side = "greater" if noninferior else "less"
    p = np.array([_p(comparison, row, margin, side) for row, margin in rows])
    correction = CORRECTED_BY.get(comparison.plan.correction, comparison.plan.correction)
    found = corrected(p, correction) < LEVEL
    failed = found if not noninferior else ~found
    if failed.any():
        lines = [
            _line(comparison, row, margin, float(value))
            for (row, margin), value, fails in zip(
                rows, corrected(p, correction), failed, strict=True
            )
            if fails
        ]
        raise RegressionError(_report(lines, len(rows), noninferior=noninferior))


def _allowed(comparison: Comparison, margins: Mapping[str, float]) -> dict[int, float]:
    """Return the margin of each measure that is checked, by its place."""
    if not margins:
        example = parse(comparison.names[0]).name.lower().rpartition(".")[2]
        raise RankMagicError(
            f"Say what to check, and how far a system may fall: check({example}=-0.01). Compared "
            f"were {listed(comparison.names)}."
        )
    allowed: dict[int, float] = {}
    for name, margin in margins.items():
        if not is_number(margin) or math.isinf(float(margin)):
            raise RankMagicError(
                f"The margin of {name} must be a number, such as {name}=-0.01, not {margin!r}."
            )
        places = [
            place for place, one in enumerate(comparison.names) if name.lower() in _called(one)
        ]
        if not places:
            raise RankMagicError(
                f"{name!r} was not compared, so that it can't be checked. Compared were "
                f"{listed(comparison.names)}.{did_you_mean(name, comparison.names)}"
            )
        allowed |= dict.fromkeys(places, float(margin))
    return allowed


def _called(measure: str) -> set[str]:
    """Return what a measure may be called: its whole name, or that without parameters."""
    bare = measure.partition("@")[0].partition("(")[0]
    names = {measure.lower(), bare.lower()}
    try:
        return names | {one.lower() for one in spellings(type(parse(measure)))}
    except RankMagicError:  # one's own, of another session
        return names


def _p(comparison: Comparison, row: int, margin: float, side: str) -> float:
    """Return the p-value of the one-sided test of a difference against its margin."""
    sample = Sample.of(comparison.tested[row], comparison.side.weights)
    if sample.constant and (len(sample) > 1 or sample.nothing):
        beyond = sample.centre < margin if side == "less" else sample.centre >= margin
        return 0.0 if beyond else 1.0  # every query says the same
    p = t_test(sample, side, margin)
    if math.isnan(p):
        name, system, baseline = comparison.rows[row]
        raise RankMagicError(
            f"{system} against {baseline} on {name} can't be checked: "
            f"{comparison.found.reasons[row] or 'nothing tells how sure the difference is'}."
        )
    return p


def _line(comparison: Comparison, row: int, margin: float, p: float) -> str:
    name, system, baseline = comparison.rows[row]
    found = comparison.found
    return (
        f"{name}: {system} lies {found.difference[row]:+.4f} from {baseline} (95 % interval "
        f"{found.low[row]:+.4f} to {found.high[row]:+.4f}, {found.queries[row]:,} queries: "
        f"{found.wins[row]:,} better, {found.losses[row]:,} worse), allowed is {margin:+g}, "
        f"p = {p:.2g}"
    )


def _report(lines: list[str], checked: int, *, noninferior: bool) -> str:
    what = (
        "not shown to stay within its margin"
        if noninferior
        else "worse than its baseline by more than its margin"
    )
    return f"{len(lines)} of {checked} checks failed, {what}:\n" + "\n".join(
        f"  {line}" for line in lines
    )
