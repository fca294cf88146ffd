"""Evaluations brought together from parts: like any other, but their rows stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.blocks import NEGATIVE, Scale
from rank_magic.engines.parts import Facts, Part
from rank_magic.engines.plan import Plan
from rank_magic.errors import DataError
from rank_magic.evaluation import Evaluation
from rank_magic.grouping import Groups
from rank_magic.rankings import Rankings

__all__ = ["Gathered", "Summary"]

SUMMARY = ["mean", "low", "high", "queries"]


@dataclass(frozen=True, eq=False, repr=False)
class Gathered(Evaluation):
    """An evaluation of data whose rows were not kept.

    It has everything that an `Evaluation` has but what needs the rows again: explanations, and
    the means under other choices.
    """

    rows_at_hand: ClassVar[bool] = False

    part: Part = field(kw_only=True)

    @classmethod
    def of_part(cls, part: Part) -> Gathered:
        """Return the evaluation of a part that is the whole."""
        rankings = _rowless(part.plan, part.queries)
        return cls(rankings, part.plan.measures, part.values, part=part)

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """The facts about queries, judgments and ties that the means rest on."""
        return self.part.coverage()

    @property
    def sensitivity(self) -> NoReturn:
        """Not here: it needs the rows again."""
        raise DataError(
            "The rows were not kept, so the means under other choices can't be worked out here. "
            "Evaluate again with ties='worst' and ties='best', or with unjudged='remove'."
        )

    def explain(self, query: Any = None, *, system: Hashable | None = None) -> NoReturn:
        """Not here: it needs the rows again."""
        top = self.rankings.scale.top
        which = "the query" if query is None else f"query {query!r}"
        asked = "" if system is None else f"system={system!r}, "
        raise DataError(
            f"The rows were not kept, so there is no ranking to show. Load those of {which} into "
            f"a pandas DataFrame and explain that: frame.rank.explain({asked}max_grade={top:g})."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Summary(Gathered):
    """An evaluation whose values stay where they are, too."""

    facts: Facts = field(kw_only=True)
    table: Callable[[], Any] = field(kw_only=True)

    @property
    def per_query(self) -> Any:
        """The value of each query, in a frame of the engine's own."""
        return self.table()

    @classmethod
    def of_facts(cls, plan: Plan, facts: Facts, table: Callable[[], Any]) -> Summary:
        """Return the evaluation that some facts are about."""
        part = Part.of(plan, plan.made_up())
        nothing = part.taken(np.zeros(0, dtype=np.int64))
        rankings = _rowless(plan, nothing.queries)
        given = (rankings, plan.measures, nothing.values)
        return cls(*given, part=nothing, facts=facts, table=table)

    @property
    def queries(self) -> NoReturn:
        """Not here: they stay with their values."""
        raise self._elsewhere()

    @property
    def plot(self) -> NoReturn:
        """Not here: it needs the values of queries."""
        raise self._elsewhere()

    def _elsewhere(self) -> DataError:
        return DataError(
            "The values of queries stay in the engine's own frame, which is per_query; means, "
            "intervals and coverage are here. On Dask, compute() brings all values here."
        )

    @cached_property
    def _summary(self) -> pd.DataFrame:
        rows = self.facts.summary(self.measures)
        table = pd.DataFrame(rows, index=self._columns(), columns=SUMMARY)
        return table.astype({"queries": np.int64})

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """The facts about queries, judgments and ties that the means rest on."""
        return self.facts.coverage()

    @property
    def drawing_errors(self) -> NDArray[np.float64]:
        """What drawn orders of equal scores leave each mean as a standard error."""
        counts = self._summary["queries"].to_numpy().reshape(self.facts.squared_errors.shape)
        return np.sqrt(self.facts.squared_errors) / np.maximum(counts, 1)


def _rowless(plan: Plan, queries: pd.Index[Any]) -> Rankings:
    """Return rankings of which only the queries, the systems and the scale are known."""
    rankings = plan.rankings(plan.made_up())
    nowhere, nothing = np.zeros(len(queries), dtype=np.int64), np.zeros(0)
    rows = replace(rankings.rows, grade=nothing, scores=dict.fromkeys(rankings.systems, nothing))
    negative = [NEGATIVE] if plan.whole.grades[0] < 0 else []
    kept = plan.conventions.negative == "unjudged"
    return replace(
        rankings,
        rows=rows,
        groups=Groups(queries, nowhere, nowhere, None),
        codes=np.array(negative if kept else [], dtype=np.int8),
        scale=Scale(plan.whole.levels(plan.conventions.negative)),
    )
