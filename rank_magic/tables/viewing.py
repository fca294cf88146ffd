"""Changing how an evaluation is shown, and getting ready what showing it needs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rank_magic.comparison import Comparison
from rank_magic.comparison_notes import looked_into
from rank_magic.errors import RankMagicError, did_you_mean, listed
from rank_magic.measures import MeasureLike, parse
from rank_magic.notes import worth_working_out
from rank_magic.segments import Segments

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["checked_sort", "prepare", "shown"]


def shown(evaluation: Evaluation, **changes: Any) -> Evaluation:
    """Return the same evaluation, shown otherwise; see `View`."""
    known = [field.name for field in dataclasses.fields(evaluation.view)]
    for name in changes:
        if name not in known:
            raise RankMagicError(
                f"There is nothing called {name!r} to choose about a table. It has "
                f"{listed(known)}.{did_you_mean(name, known)}"
            )
    if changes.get("sort") is not None:
        changes = {**changes, "sort": checked_sort(changes["sort"], evaluation.names)}
    return dataclasses.replace(evaluation, view=dataclasses.replace(evaluation.view, **changes))


def checked_sort(by: MeasureLike, names: Sequence[str]) -> str:
    """Return the name of the measure to sort by, as the table has it."""
    name = str(parse(by))
    if name not in names:
        raise RankMagicError(
            f"sort={str(by)!r} is not among the measures. Sort by one of {listed(names)}."
            f"{did_you_mean(name, names)}"
        )
    return name


def prepare(result: Evaluation | Segments | Comparison) -> None:
    """Work out what showing a result needs, so that showing it takes no time."""
    if isinstance(result, Segments):
        _ = result.rows, result.overall, result.coverage
        return
    if isinstance(result, Comparison):
        if looked_into(result):
            _ = result.sensitivity
        return
    evaluation = result
    evaluation.summary()
    _ = evaluation.coverage
    if worth_working_out(evaluation):
        _ = evaluation.sensitivity
