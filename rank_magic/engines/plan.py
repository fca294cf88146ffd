"""What is to be measured, said once for all parts of the data."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from rank_magic.conventions import Conventions
from rank_magic.discounts import DISCOUNTS, Discount
from rank_magic.errors import ColumnError
from rank_magic.evaluation import Evaluation
from rank_magic.gains import GAINS, Gain
from rank_magic.measures import Measure, MeasureLike, parse_all
from rank_magic.rankings import Rankings
from rank_magic.roles import Roles, find_roles
from rank_magic.whole import Whole

__all__ = ["ROW", "Plan", "split"]

# The column that remembers the order of rows where they are moved.
ROW = "_rank_magic_row"
# Conventions to which the order of rows matters.
UNKNOWN = Whole()
ORDERED = {"ties": ("order",), "duplicates": ("first", "best")}


@dataclass(frozen=True)
class Plan:
    """Measures, conventions and columns. It travels to where the data lives.

    Attributes
    ----------
    measures : tuple of Measure
    conventions : Conventions
    roles : Roles
    whole : Whole
        What is known of all rows together; found after the plan is made.
    gains, discounts : dict
        Those that have names, which other processes do not know if they are the user's own.
    """

    measures: tuple[Measure, ...]
    conventions: Conventions
    roles: Roles
    whole: Whole = UNKNOWN
    gains: Mapping[str, Gain] = field(default_factory=dict)
    discounts: Mapping[str, Discount] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        schema: pd.DataFrame,
        measures: MeasureLike | Iterable[MeasureLike] | None,
        **options: Any,
    ) -> Plan:
        """Make a plan for data with the columns of `schema`, whose rows do not matter.

        Parameters
        ----------
        schema : DataFrame
            Columns and their types.
        measures, **options
            As in `rank_magic.evaluate`.

        Raises
        ------
        RankMagicError
            If columns, measures or conventions do not allow a right answer.
        """
        conventions, given = split(options)
        roles = find_roles(schema.reindex(range(1)), **given)
        if roles.weight is not None or roles.segment:
            raise ColumnError(
                "Weights and segments need all queries in one place. Name none here, and weigh or "
                "break down the per-query values, or let the segment name the query, too: "
                "query=[segment, query]."
            )
        plan = cls(tuple(parse_all(measures)), conventions, roles)
        plan = replace(plan, gains=dict(GAINS), discounts=dict(DISCOUNTS))
        # One made-up row is evaluated, so that what can't be done is said before any work is.
        Evaluation.of(Rankings.of(plan.made_up(), plan.conventions, **plan.given()), plan.measures)
        return plan

    @property
    def names(self) -> list[str]:
        """The measures' names, in order."""
        return [str(measure) for measure in self.measures]

    @property
    def several(self) -> bool:
        """Whether systems are told apart."""
        return self.roles.system is not None or len(self.roles.score) > 1

    @property
    def by_order(self) -> bool:
        """Whether the order of rows matters."""
        return self.roles.by_rows or any(
            getattr(self.conventions, name) in choices for name, choices in ORDERED.items()
        )

    def columns(self) -> pd.Index:
        """Return the columns of a table of values, as `Evaluation.per_query` has them."""
        if not self.several:
            return pd.Index(self.names, name="measure")
        systems = self.whole.systems or self.roles.score
        return pd.MultiIndex.from_product([systems, self.names], names=["system", "measure"])

    def knowing(self, whole: Whole) -> Plan:
        """Return the plan with what is known of all rows.

        Raises
        ------
        DataError
            If nothing is judged at all, or a grade is infinite.
        """
        whole.check(self.roles)
        return replace(self, whole=whole)

    def rankings(self, frame: pd.DataFrame) -> Rankings:
        """Read some rows, all of each of their queries, in row order."""
        # setdefault, since other threads may be here, too.
        for name, gain in self.gains.items():
            GAINS.setdefault(name, gain)
        for name, discount in self.discounts.items():
            DISCOUNTS.setdefault(name, discount)
        return Rankings.of(frame, self.conventions, self.whole, **self.given())

    def given(self) -> dict[str, Any]:
        """Return the roles as they are given to `rank_magic.evaluate`."""
        roles = self.roles
        given = {
            "query": list(roles.query),
            "score": list(roles.score) or None,
            "order": "rows" if roles.by_rows else None,
        }
        single = ("grade", "doc", "rank", "system", "subtopic")
        return given | {name: getattr(roles, name) for name in single}

    def made_up(self) -> pd.DataFrame:
        """Return one made-up row with the columns of the roles, of grade 0."""
        roles = self.roles
        row: dict[Hashable, Any] = dict.fromkeys(roles.columns(), 0.0)
        texts = (*roles.query, roles.doc, roles.subtopic, roles.system)
        row |= dict.fromkeys((name for name in texts if name is not None), "")
        if self.whole.systems:
            row[roles.system] = self.whole.systems[0]
        return pd.DataFrame({name: [value] for name, value in row.items()})


def split(options: Mapping[str, Any]) -> tuple[Conventions, dict[str, Any]]:
    """Return the conventions and the roles among options of `rank_magic.evaluate`."""
    chosen = {name: options[name] for name in Conventions.names() if name in options}
    roles = {name: option for name, option in options.items() if name not in chosen}
    return Conventions(**chosen), roles
