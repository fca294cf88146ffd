"""Changing how an evaluation is shown, and getting ready what showing it needs."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from rank_magic.errors import RankMagicError, did_you_mean, listed
from rank_magic.measures import parse
from rank_magic.notes import worth_working_out

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["prepare", "shown"]


def shown(evaluation: Evaluation, **changes: Any) -> Evaluation:
    """Return the same evaluation, shown otherwise; see `View`."""
    known = [field.name for field in dataclasses.fields(evaluation.view)]
    for name in changes:
        if name not in known:
            raise RankMagicError(
                f"There is nothing called {name!r} to choose about a table. It has "
                f"{listed(known)}.{did_you_mean(name, known)}"
            )
    by = changes.get("sort")
    if by is not None:
        name = str(parse(by))
        if name not in evaluation.names:
            raise RankMagicError(
                f"sort={by!r} is not among the measures. Sort by one of "
                f"{listed(evaluation.names)}.{did_you_mean(name, evaluation.names)}"
            )
        changes = {**changes, "sort": name}
    return dataclasses.replace(evaluation, view=dataclasses.replace(evaluation.view, **changes))


def prepare(evaluation: Evaluation) -> None:
    """Work out what showing an evaluation needs, so that showing it takes no time."""
    _ = evaluation.coverage
    if worth_working_out(evaluation):
        _ = evaluation.sensitivity
