"""An evaluation's queries as plots and explorers ask for them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.errors import DataError, MeasureError, did_you_mean, listed
from rank_magic.measures import MeasureLike, parse
from rank_magic.notes import plain_text
from rank_magic.roles import ROLE_NAMES

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["measure_name", "query_names", "query_words", "values", "worst_first", "worst_with_hope"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def measure_name(names: Sequence[str], measure: MeasureLike | None) -> str:
    """Return which of the names a measure goes by; the first when it is None.

    Raises
    ------
    MeasureError
        If it is not among them.
    """
    if measure is None:
        return names[0]
    name = str(parse(measure))
    if name not in names:
        raise MeasureError(
            f"{name} was not measured here. Measured were {listed(names)}."
            f"{did_you_mean(name, names)}"
        )
    return name


def system_number(evaluation: Evaluation, system: Hashable | None) -> int:
    """Return the number of a system; that of the first when it is None.

    Raises
    ------
    DataError
        If there is none of that name.
    """
    if system is None:
        return 0
    if system not in evaluation.systems:
        raise DataError(f"There is no system {system!r}. Systems are {listed(evaluation.systems)}.")
    return evaluation.systems.index(system)


def values(evaluation: Evaluation, measure: str, system: Hashable | None = None) -> Floats:
    """Return a measure's value of every query for a system; NaN where there is none."""
    ruled = evaluation._ruled
    return ruled[system_number(evaluation, system), evaluation.names.index(measure)]


def worst_first(
    evaluation: Evaluation,
    measure: str,
    system: Hashable | None = None,
    within: tuple[float, float] | None = None,
) -> Ints:
    """Return the numbers of the queries by a measure, the lowest value first.

    Of those with equal values, the ones that have something to find come first.

    Parameters
    ----------
    evaluation : Evaluation
        What was measured.
    measure : str
        By which of its measures.
    system
        For which system; the first by default.
    within : pair of float, optional
        The lowest and the highest value wanted. Without it, queries that have no value are last.
    """
    value = values(evaluation, measure, system)
    hopeless = ~evaluation._values.findable[evaluation.names.index(measure)]
    order = np.lexsort((hopeless, value))
    if within is None:
        return order
    return order[(value[order] >= within[0]) & (value[order] <= within[1])]


def worst_with_hope(
    evaluation: Evaluation, measure: str, system: Hashable | None = None, *, number: int
) -> Ints:
    """Return the numbers of the worst queries of those that have a value and something to find."""
    value = values(evaluation, measure, system)
    hope = evaluation._values.findable[evaluation.names.index(measure)] & ~np.isnan(value)
    order = worst_first(evaluation, measure, system)
    return order[hope[order]][:number]


def query_names(evaluation: Evaluation, numbers: Ints | slice) -> list[str]:
    """Return what the queries of these numbers are called."""
    return [plain_text(query) for query in evaluation.queries[numbers]]


def query_words(evaluation: Evaluation, numbers: Ints) -> tuple[str, list[str]] | None:
    """Return the column that holds the queries' words beside their ids, and the words.

    None where no other column has one of the conventional names.
    """
    rankings = evaluation.rankings
    frame, taken = rankings.rows.frame, rankings.roles.columns()
    conventional = {name for standing in ROLE_NAMES["query"] for name in standing}
    for place, name in enumerate(frame.columns):
        if name not in taken and str(name).lower() in conventional:
            first = rankings.groups.start[numbers]
            if rankings.groups.order is not None:
                first = rankings.groups.order[first]
            words: Any = frame.iloc[first, place]
            return plain_text(name), ["" if pd.isna(word) else plain_text(word) for word in words]
    return None


def two_systems(
    evaluation: Evaluation, measure: str, systems: Sequence[Hashable] | None = None
) -> pd.DataFrame:
    """Return a measure's value of every query for two systems, a column for each.

    Raises
    ------
    DataError
        If they are not two, or one is unknown.
    """
    chosen = tuple(evaluation.systems[:2] if systems is None else systems)
    if len(set(chosen)) != 2:
        raise DataError(
            f"Two systems are compared here, not {listed(chosen)}. "
            f"Systems are {listed(evaluation.systems)}: systems=[..., ...]."
        )
    columns = {system: values(evaluation, measure, system) for system in chosen}
    return pd.DataFrame(columns, index=evaluation.queries)
