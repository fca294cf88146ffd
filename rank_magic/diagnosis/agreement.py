"""Whether measures agree: on the order of queries, of systems, and on what is a difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic import statistics
from rank_magic.diagnosis.evidence import Evidence
from rank_magic.diagnosis.finding import Finding
from rank_magic.evaluation import Evaluation
from rank_magic.notes import counted, short

__all__ = ["Agreement", "about_measures"]

Floats = NDArray[np.float64]

# Differences below it are rounding.
SAME = 1e-12
# Kendall's tau over queries from which two measures carry the same information.
ALIKE = 0.9
# Share of decisions on single queries that is worth a word.
MANY = 0.05
# Beyond so many queries, correlations over queries are those of evenly spaced ones.
MOST_QUERIES = 100_000

ORDER = "Measures disagree about which system is better"
POWER = "Measures differ in how well they tell these systems apart"
REDUNDANT = "Some measures carry the same information"


@dataclass(frozen=True, eq=False)
class Agreement:
    """Values of several measures, to be held against each other.

    Attributes
    ----------
    evaluation : Evaluation
        Whose systems.
    names : list of str
        The measures: RR, AP, nDCG@k, ERR@k and those that were evaluated, counts aside.
    values : array of float, shape (systems, measures, queries)
        Of the queries that have something relevant to find.
    weights : array of float, shape (queries,), or None
        What each query counts.
    """

    evaluation: Evaluation
    names: list[str]
    values: Floats
    weights: Floats | None

    @classmethod
    def of(cls, evaluation: Evaluation, seen: Evidence) -> Agreement:
        """Gather the values of the usual measures and of those that were evaluated."""
        columns = {
            "RR": seen.rr,
            "AP": seen.ap,
            f"nDCG@{seen.k}": seen.ndcg,
            f"ERR@{seen.k}": seen.err,
        }
        for number, measure in enumerate(evaluation.measures):
            if measure.aggregate == "mean" and measure.quality:
                columns.setdefault(str(measure), evaluation._ruled[:, number])
        there = np.flatnonzero(seen.relevant > 0)
        values = np.stack(list(columns.values()), axis=1)[:, :, there]
        weights = evaluation._weights
        return cls(evaluation, list(columns), values, None if weights is None else weights[there])

    @cached_property
    def means(self) -> Floats:
        """Means, shape (systems, measures)."""
        return np.array(
            [[statistics.mean(row, self.weights) for row in rows] for rows in self.values]
        ).reshape(self.values.shape[:2])

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of systems."""
        return list(combinations(range(len(self.values)), 2))

    @cached_property
    def tau_systems(self) -> pd.DataFrame:
        """Kendall's tau-b of the systems' means, measure by measure; none for one system."""
        return self._square(lambda one, other: _tau(self.means[:, one], self.means[:, other]))

    @cached_property
    def tau_queries(self) -> pd.DataFrame:
        """Kendall's tau-b of the queries' values, measure by measure, the mean over systems."""
        values = self.values[:, :, :: -(-self.values.shape[2] // MOST_QUERIES) or 1]

        def between(one: int, other: int) -> float:
            taus = [_tau(rows[one], rows[other]) for rows in values]
            return statistics.mean(np.array(taus))

        return self._square(between)

    @cached_property
    def disagreement(self) -> pd.DataFrame:
        """The share of queries and pairs of systems that two measures decide differently.

        Of those that both decide: where both values differ between the two systems.
        """

        def between(one: int, other: int) -> float:
            decided = differently = 0
            for a, b in self.pairs:
                first, second = (
                    _signs(self.values[a, m] - self.values[b, m]) for m in (one, other)
                )
                both = first * second
                decided += int(np.count_nonzero(both))
                differently += int((both < 0).sum())
            return differently / decided if decided else np.nan

        return self._square(between, same=0.0)

    @cached_property
    def different(self) -> NDArray[np.bool_]:
        """Whether a paired t test at 5 %, uncorrected, tells each pair of systems apart.

        Shape (pairs, measures). That is, whether 0 lies outside the 95 % interval of the mean
        difference.
        """
        found = np.zeros((len(self.pairs), len(self.names)), dtype=bool)
        for row, (one, other) in enumerate(self.pairs):
            apart = self.values[one] - self.values[other]
            for measure, differences in enumerate(apart):
                low, high = statistics.interval(differences, weights=self.weights)
                found[row, measure] = low > SAME or high < -SAME
        return found

    @cached_property
    def discriminative_power(self) -> pd.Series[float]:
        """The share of pairs of systems that each measure tells apart at 5 %, uncorrected.

        Paired t tests; see Sakai, Evaluating evaluation metrics based on the bootstrap, SIGIR
        2006. NaN for one system.
        """
        shares = self.different.mean(axis=0) if self.pairs else np.full(len(self.names), np.nan)
        return pd.Series(shares, index=pd.Index(self.names, name="measure"), name="told apart")

    def discordant(self, one: int, other: int) -> list[tuple[int, int]]:
        """Return the pairs of systems whose means two measures put in opposite order."""
        means = self.means
        return [
            (a, b)
            for a, b in self.pairs
            if _signs(means[a, one] - means[b, one]) * _signs(means[a, other] - means[b, other]) < 0
        ]

    def _square(self, between: Any, same: float = 1.0) -> pd.DataFrame:
        """Return a symmetric table of a function of two measures."""
        number = len(self.names)
        table = np.full((number, number), same)
        for one, other in combinations(range(number), 2):
            table[one, other] = table[other, one] = between(one, other)
        index = pd.Index(self.names, name="measure")
        return pd.DataFrame(table, index=index, columns=index.rename(None))


def _signs(differences: Any) -> Any:
    return np.where(np.abs(differences) > SAME, np.sign(differences), 0.0)


def _tau(one: Floats, other: Floats) -> float:
    """Return Kendall's tau-b of the values that both have; NaN where either is constant."""
    from scipy.stats import kendalltau

    there = ~np.isnan(one) & ~np.isnan(other)
    one, other = one[there], other[there]
    if len(one) < 2 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return np.nan
    return float(kendalltau(one, other).statistic)


# What is found.


def about_measures(agreement: Agreement) -> Iterator[Finding]:
    """Yield whether the measures agree."""
    if agreement.pairs and agreement.values.shape[2] > 1:
        yield _order(agreement)
        yield _power(agreement)
    else:
        needed = "two systems" if not agreement.pairs else "two queries"
        evidence = f"It takes {needed} with something to find to see that."
        yield Finding("order", ORDER, evidence, found=False)
    if agreement.values.shape[2] > 1:
        yield _redundant(agreement)


def _order(agreement: Agreement) -> Finding:
    names, systems = agreement.names, agreement.evaluation.systems
    discordant = {pair: agreement.discordant(*pair) for pair in combinations(range(len(names)), 2)}
    rows = [
        (names[one], names[other], systems[a], systems[b])
        if agreement.means[a, one] > agreement.means[b, one]
        else (names[one], names[other], systems[b], systems[a])
        for (one, other), found in discordant.items()
        for a, b in found
    ]
    numbers = pd.DataFrame(rows, columns=["measure", "other", "above", "below by the other"])
    apart = agreement.disagreement.to_numpy()
    one, other = np.unravel_index(int(np.nanargmax(apart)), apart.shape)
    single = (
        f"query by query {names[one]} and {names[other]} part most often, in "
        f"{100 * apart[one, other]:.0f} % of the decisions that both take"
        if apart[one, other] > 0
        else "no two of them decide any query differently"
    )
    if not rows:
        evidence = f"All measures put the systems in one order; {single}."
        return Finding("order", ORDER, evidence, numbers, found=bool(apart[one, other] >= MANY))
    most = max(discordant, key=lambda pair: len(discordant[pair]))
    a, b = discordant[most][0]
    if agreement.means[a, most[0]] < agreement.means[b, most[0]]:
        a, b = b, a
    beyond = [
        bool(agreement.different[agreement.pairs.index((min(a, b), max(a, b))), m]) for m in most
    ]
    chance = {
        (True, True): "both differences are beyond chance at 5 %",
        (False, False): "neither difference is beyond chance at 5 %",
        (True, False): f"only the one by {names[most[0]]} is beyond chance at 5 %",
        (False, True): f"only the one by {names[most[1]]} is beyond chance at 5 %",
    }[beyond[0], beyond[1]]
    evidence = (
        f"{names[most[0]]} puts {short(systems[a])} above {short(systems[b])} and "
        f"{names[most[1]]} below it ({chance}); "
        f"{counted(len(rows), 'such pair', 'such pairs')} of measures and systems in all. "
        f"{single[:1].upper()}{single[1:]}."
    )
    return Finding("order", ORDER, evidence, numbers, found=True)


def _power(agreement: Agreement) -> Finding:
    numbers = agreement.discriminative_power.to_frame()
    counts = agreement.different.sum(axis=0)
    pairs = counted(len(agreement.pairs), "pair", "pairs")
    if counts.min() == counts.max():
        evidence = f"Every measure tells {counts[0]} of {pairs} of systems apart at 5 %."
        return Finding("power", POWER, evidence, numbers, found=False)
    order = np.argsort(-counts, kind="stable")
    listed = ", ".join(f"{agreement.names[place]} {counts[place]}" for place in order)
    evidence = f"Of {pairs} of systems they tell apart at 5 %, without correction: {listed}."
    return Finding("power", POWER, evidence, numbers, found=True)


def _redundant(agreement: Agreement) -> Finding:
    names, taus = agreement.names, agreement.tau_queries.to_numpy()
    rows = []
    for one, other in combinations(range(len(names)), 2):
        gap = np.abs(agreement.values[:, one] - agreement.values[:, other])
        equal = bool((gap[~np.isnan(gap)] <= SAME).all())
        rows.append((names[one], names[other], taus[one, other], equal))
    numbers = pd.DataFrame(rows, columns=["measure", "other", "tau", "equal"])
    alike = numbers[numbers["equal"] | (numbers["tau"] >= ALIKE)]
    if not len(alike):
        if numbers["tau"].isna().all():
            return Finding(
                "redundant", REDUNDANT, "Too few values differ to tell.", numbers, found=False
            )
        most = numbers.loc[numbers["tau"].idxmax()]
        evidence = (
            f"No two of them order the queries alike; nearest are {most['measure']} and "
            f"{most['other']}, Kendall's tau {most['tau']:.2f}."
        )
        return Finding("redundant", REDUNDANT, evidence, numbers, found=False)
    written = [
        f"{row['measure']} and {row['other']} "
        + ("are the same number in every query" if row["equal"] else f"(tau {row['tau']:.2f})")
        for row in alike.to_dict("records")
    ]
    evidence = f"One of each will do, as they order the queries alike: {'; '.join(written)}."
    return Finding("redundant", REDUNDANT, evidence, numbers, found=True)
