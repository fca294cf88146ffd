"""What remains of an evaluation when its rankings are gone: values, and what they rest on."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic import statistics
from rank_magic.conventions import Conventions
from rank_magic.coverage import positives_only, treatments
from rank_magic.discounts import SHIPPED as SHIPPED_DISCOUNTS
from rank_magic.discounts import discount_name, discount_weights
from rank_magic.gains import gain_name, gain_table, plain
from rank_magic.measures import Measure
from rank_magic.values import Values, compute

if TYPE_CHECKING:
    from rank_magic.comparison import Comparison
    from rank_magic.evaluation import Evaluation

__all__ = ["Record", "record_of"]

Floats = NDArray[np.float64]

SHIPPED_GAINS = ("exp2", "linear", "binary")
# Of a discount of one's own so many weights say which it is.
WEIGHTS_KEPT = 100


@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """An evaluation without its rankings: what `load` returns.

    It has means and the values of queries, and can be compared; it can't explain a ranking.

    Attributes
    ----------
    systems : tuple
        The names of the systems, in order.
    names : list of str
        The measures' names, in order.
    queries : Index
        The queries, sorted.
    conventions : dict
        Every convention by name, in plain values, and the meaning of every gain and discount that
        does not ship.
    several : bool
        Whether the systems are to be told apart.
    aggregates : list of str
        By measure, how values become one: "mean", "geometric" or "sum".
    judged : dict of list of float
        Judged@k by system, where there is such a thing.
    """

    systems: tuple[Hashable, ...]
    names: list[str]
    queries: pd.Index[Any]
    conventions: dict[str, Any]
    several: bool
    aggregates: list[str]
    judged: dict[str, list[float]]
    values: Values
    _weights: Floats | None
    _saved: dict[str, Floats] | None = None
    source: Evaluation | None = None

    @property
    def ruled(self) -> Floats:
        """Values under the conventions, shape (systems, measures, queries)."""
        return self.values.ruled(self.rules)

    @property
    def rules(self) -> Conventions:
        """The conventions for queries without results or without a relevant document."""
        names = ("unanswered", "no_relevant")
        return Conventions(**{name: self.conventions[name] for name in names})

    @property
    def weights(self) -> pd.Series[float] | None:
        """What each query counts in means; None when all count the same."""
        return None if self._weights is None else pd.Series(self._weights, index=self.queries)

    @cached_property
    def otherwise(self) -> dict[str, Floats]:
        """Each query's value under other treatments of ties and unjudged documents.

        See `rank_magic.coverage.treatments`; and ``removed``, without the unjudged documents.
        """
        if self.source is None:
            return self._saved or {}
        return _otherwise(self.source) if self.source.rows_at_hand else {}

    @property
    def per_query(self) -> pd.DataFrame:
        """A value for each query and measure, as in `Evaluation.per_query`."""
        flat = self.ruled.reshape(-1, len(self.queries)).T
        return pd.DataFrame(flat.copy(), index=self.queries, columns=self._columns())

    def summary(self) -> pd.DataFrame:
        """Return means with 95 % intervals, as `Evaluation.summary` does."""
        poisoned = self.conventions["no_relevant"] == "nan"
        lacking = self.values.without_relevant if poisoned else None
        rows = statistics.summaries(self.ruled, self.aggregates, lacking, self._weights)
        table = pd.DataFrame(
            rows, index=self._columns(), columns=["mean", "low", "high", "queries"]
        )
        return table.astype({"queries": np.int64})

    def mean(self) -> pd.Series[Any] | pd.DataFrame:
        """Return the mean of each measure, as `Evaluation.mean` does."""
        means = self.summary()["mean"]
        if not self.several:
            return means
        return means.unstack("measure")[self.names].loc[list(self.systems)]

    def compare(self, **options: Any) -> Comparison:
        """Compare the systems with one another; see `Evaluation.compare`."""
        from rank_magic.comparison import compare

        return compare(self, **options)

    def _columns(self) -> pd.Index[Any]:
        if not self.several:
            return pd.Index(self.names, name="measure")
        return pd.MultiIndex.from_product([self.systems, self.names], names=["system", "measure"])

    def __repr__(self) -> str:
        return (
            f"{self.mean().round(4).to_string()}\n\n"
            f"Saved means over {len(self.queries):,} queries; .summary() has their intervals, "
            f".conventions how they were made, and rank_magic.compare() compares them."
        )


def record_of(evaluation: Evaluation | Record) -> Record:
    """Return what is to be kept of an evaluation."""
    if isinstance(evaluation, Record):
        return evaluation
    shares = [name for name in evaluation.coverage.index if str(name).startswith("Judged")]
    return Record(
        systems=evaluation.systems,
        names=evaluation.names,
        queries=evaluation.queries,
        conventions=_described(evaluation),
        several=evaluation.rankings.rows.several,
        aggregates=[measure.aggregate for measure in evaluation.measures],
        judged={str(name): evaluation.coverage.loc[name].astype(float).tolist() for name in shares},
        values=evaluation._values,
        _weights=None if evaluation.weights is None else evaluation.weights.to_numpy(),
        source=evaluation,
    )


def _otherwise(evaluation: Evaluation) -> dict[str, Floats]:
    rankings, measures, values = evaluation.rankings, evaluation.measures, evaluation._values
    found = treatments(rankings, measures, values)
    if rankings.conventions.unjudged == "zero" and not positives_only(rankings):
        without = rankings.under(unjudged="remove")
        found["removed"] = compute(without, measures).ruled(without.conventions)
    return found


# Conventions in plain values, so that they can be kept and compared.


def _described(evaluation: Evaluation) -> dict[str, Any]:
    """Return what every convention is, in values that a file can hold."""
    conventions, scale = evaluation.conventions, evaluation.rankings.scale
    plainly = {
        name: getattr(conventions, name)
        for name in Conventions.names()
        if name not in ("gain", "discount")
    }
    plainly = {name: _number(value) for name, value in plainly.items()}
    plainly["gain"] = _meaning("gain", conventions.gain, scale.grades)
    plainly["discount"] = _meaning("discount", conventions.discount, scale.grades)
    if conventions.max_grade is None and any(_asks_for_top(one) for one in evaluation.measures):
        plainly["max_grade"] = float(scale.top)  # the highest in the frame
    for measure in evaluation.measures:
        for field in dataclasses.fields(measure):
            value, kind = getattr(measure, field.name), field.metadata["kind"]
            if kind in ("gain", "satisfaction", "discount") and value is not None:
                meaning = _meaning(kind, value, scale.grades)
                if meaning != value:  # its name does not say it all
                    plainly[f"{field.name} of {measure}"] = meaning
    return plainly


def _asks_for_top(measure: Measure) -> bool:
    return getattr(measure, "max_grade", 0) is None


def _number(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int) else float(value)


def _meaning(kind: str, worth: Any, grades: Floats) -> Any:
    """Return the name of a gain or discount that ships; of another what it comes to, in words."""
    if kind == "discount":
        if isinstance(worth, str) and (worth in SHIPPED_DISCOUNTS or any(map(str.isdigit, worth))):
            return worth
        weights = discount_weights(worth, WEIGHTS_KEPT).tolist()
        return f"{discount_name(worth)}: {', '.join(map(plain, weights))}"
    if isinstance(worth, str) and (worth in SHIPPED_GAINS or kind == "satisfaction"):
        return worth
    if kind == "satisfaction" and not isinstance(worth, Mapping):
        return gain_name(worth)
    judged = grades[grades >= 0]
    table = dict(zip(judged.tolist(), gain_table(worth, judged).tolist(), strict=True))
    pairs = (f"{plain(grade)}: {plain(gain)}" for grade, gain in table.items())
    name = gain_name(worth)
    return f"{'' if name.startswith('{') else name}{{{', '.join(pairs)}}}"
