"""One thing that a measure hides, or does not, on the data at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.diagnosis.evidence import grades_shown
from rank_magic.evaluation import Evaluation

__all__ = ["Finding", "examples"]

MOST_EXAMPLES = 5


@dataclass(frozen=True, eq=False)
class Finding:
    """A claim about measures, and what these data say about it.

    Attributes
    ----------
    name : str
        A word for it.
    claim : str
        What is claimed.
    evidence : str
        What the data show, in words and numbers.
    numbers : DataFrame
        The numbers behind it.
    examples : DataFrame
        The rankings that show it most: system, query, values and the grades shown.
    found : bool
        Whether the data bear the claim out.
    """

    name: str
    claim: str
    evidence: str
    numbers: pd.DataFrame = field(default_factory=pd.DataFrame)
    examples: pd.DataFrame = field(default_factory=pd.DataFrame)
    found: bool = field(kw_only=True)


def examples(
    evaluation: Evaluation,
    strength: NDArray[np.float64],
    columns: dict[str, NDArray[Any]],
    *,
    k: int,
) -> pd.DataFrame:
    """Return the rankings of the largest strength, a few, each of another query.

    Parameters
    ----------
    evaluation : Evaluation
        Whose rankings.
    strength : array of float, shape (systems, queries)
        How much a ranking shows it; NaN where it does not.
    columns : dict of str to array, shape (systems, queries)
        The numbers to show.
    k : int
        How many grades of each to show.
    """
    there = np.nan_to_num(strength, nan=-np.inf)
    most = there.max(axis=0)
    order = np.argsort(-most, kind="stable")[:MOST_EXAMPLES]
    rows: list[dict[str, Any]] = []
    for query in order[most[order] > -np.inf].tolist():
        system = int(there[:, query].argmax())
        rows.append(
            {
                "system": evaluation.systems[system],
                "query": evaluation.queries[query],
                **{name: values[system, query] for name, values in columns.items()},
                "grades shown": grades_shown(evaluation, system, query, k),
            }
        )
    names: Sequence[str] = ["system", "query", *columns, "grades shown"]
    return pd.DataFrame(rows, columns=list(names))
