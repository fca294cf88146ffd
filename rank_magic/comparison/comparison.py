"""Systems against each other: differences, tests, wins."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic.comparison.checking import check
from rank_magic.comparison.pairs import Pair
from rank_magic.comparison.robustness import COLUMNS, robustness
from rank_magic.comparison.scales import complete, on_their_scale, shared_means, without_mean
from rank_magic.comparison.together import Together
from rank_magic.errors import RankMagicError, did_you_mean, listed
from rank_magic.showing import ComparisonShowing
from rank_magic.significance import (
    LEVEL,
    TESTS,
    Paired,
    corrected,
    differences_of,
    paired,
    tukey_hsd,
)

__all__ = ["Comparison", "Plan"]

Floats = NDArray[np.float64]

NO_VALUE = "queries without a relevant document have no value (no_relevant='nan')"


@dataclass(frozen=True)
class Plan:
    """How systems are compared.

    Attributes
    ----------
    test : str
        The test that decides, see `TESTS`.
    correction, alternative : str
    resamples, seed : int
    """

    test: str
    correction: str
    alternative: str
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(ComparisonShowing):
    """Systems compared, pair by pair and measure by measure: what `compare` returns.

    Shown in a notebook it is a table with what it means in words, and what could change it.

    Attributes
    ----------
    pairs : tuple of Pair
        Which system is compared with which.
    plan : Plan
        By which test, with which correction.
    side : Together
        The systems, side by side.
    tested : array of float, shape (rows, queries)
        The differences that were tested, on the scale on which they are averaged.
    found : Paired
        What the tests found.
    corrected : dict of array of float, shape (rows,)
        p-values by test, for all rows together.
    complete : int
        Number of queries for which every system has a value by every measure.
    """

    side: Together
    pairs: tuple[Pair, ...]
    plan: Plan
    tested: Floats
    found: Paired
    corrected: dict[str, Floats]
    complete: int

    @classmethod
    def of(cls, side: Together, pairs: Sequence[Pair], plan: Plan) -> Comparison:
        """Compare systems."""
        values = on_their_scale(side)
        first, second = (np.array(places) for places in zip(*pairs, strict=True))
        rows = differences_of(values[first], values[second]).transpose(1, 0, 2)
        lacking = without_mean(side)
        rows = np.where(lacking[:, None, None], np.nan, rows).reshape(-1, values.shape[2])
        found = paired(
            rows,
            resamples=plan.resamples,
            seed=plan.seed,
            alternative=plan.alternative,
            weights=side.weights,
        )
        for row in np.flatnonzero(np.repeat(lacking, len(pairs))):
            found.reasons[row] = NO_VALUE
        there = complete(values)
        if plan.correction == "tukey":
            honest = {"randomisation": _tukey(values[:, :, there], pairs, lacking, plan)}
        else:
            honest = {test: corrected(p, plan.correction) for test, p in found.p.items()}
        number = int(np.count_nonzero(there))
        return cls(side, tuple(pairs), plan, rows, found, honest, number)

    # What is compared.

    @property
    def systems(self) -> tuple[Hashable, ...]:
        """The names of the systems, in order."""
        return self.side.systems

    @property
    def names(self) -> list[str]:
        """The measures' names, in order."""
        return self.side.measures

    @property
    def queries(self) -> pd.Index[Any]:
        """The queries of all systems, sorted."""
        return self.side.queries

    @property
    def tests(self) -> list[str]:
        """The tests that were made, see `to_frame`."""
        return [test for test in TESTS if test in self.found.p]

    @property
    def p(self) -> Floats:
        """The p-values that decide, corrected; a row for each row of `to_frame`."""
        return self.corrected[self.plan.test]

    @property
    def evident(self) -> NDArray[np.bool_]:
        """Whether each row is evidence of a difference, at the 5 % level."""
        return self.p < LEVEL  # no number is not below it

    def to_frame(self) -> pd.DataFrame:
        """Return everything that was found, a row for each measure and pair.

        Returns
        -------
        DataFrame
            Index: measure, system, baseline. Columns: ``mean`` and ``baseline_mean``, over the
            queries that have a value for both; their ``difference`` with its 95 % t interval
            ``low`` to ``high``, and ``bootstrap_low`` to ``bootstrap_high``; for each test
            ``p_...`` and, corrected for all rows together, ``p_..._corrected``;
            ``effect_size``, the difference over the standard deviation of differences;
            ``wins``, ``ties``, ``losses`` and all ``queries``; ``queries_needed``, with which a
            t test sees a difference of this size in four samples of five; and ``note``, why a
            number is missing.
        """
        found = self.found
        means = self.means
        table: dict[str, Any] = {
            "mean": means[:, 0],
            "baseline_mean": means[:, 1],
            "difference": found.difference,
            "low": found.low,
            "high": found.high,
        }
        if self.plan.resamples:
            table |= {"bootstrap_low": found.bootstrap_low, "bootstrap_high": found.bootstrap_high}
        for test in self.tests:
            table[f"p_{test}"] = found.p[test]
            if test in self.corrected:
                table[f"p_{test}_corrected"] = self.corrected[test]
        table |= {
            "effect_size": found.effect,
            "wins": found.wins,
            "ties": found.ties,
            "losses": found.losses,
            "queries": found.queries,
            "queries_needed": pd.array(found.needed, dtype="Int64"),
            "note": found.reasons,
        }
        return pd.DataFrame(table, index=self._index)

    @property
    def rows(self) -> list[tuple[str, Hashable, Hashable]]:
        """Measure, system and baseline of each row."""
        return [
            (name, self.systems[pair.system], self.systems[pair.baseline])
            for name in self.names
            for pair in self.pairs
        ]

    @cached_property
    def _index(self) -> pd.MultiIndex:
        return pd.MultiIndex.from_tuples(self.rows, names=["measure", "system", "baseline"])

    @cached_property
    def means(self) -> Floats:
        """The means of system and baseline, shape (rows, 2), over the queries they share."""
        return shared_means(self.side, self.pairs)

    @cached_property
    def _differences(self) -> Floats:
        """The differences of every query, shape (rows, queries)."""
        ruled = self.side.ruled
        return np.array(
            [
                differences_of(ruled[pair.system, place], ruled[pair.baseline, place])
                for place in range(len(self.names))
                for pair in self.pairs
            ]
        )

    @property
    def differences(self) -> pd.DataFrame:
        """The difference of every query: a row for each, and a column for each row of the table."""
        return pd.DataFrame(self._differences.T.copy(), index=self.queries, columns=self._index)

    def wins(
        self,
        measure: str | None = None,
        *,
        system: Hashable | None = None,
        baseline: Hashable | None = None,
    ) -> pd.Series[float]:
        """Return the queries on which a system is better, and by how much, the largest first.

        Parameters
        ----------
        measure : str, optional
            By which measure; the first by default.
        system, baseline : optional
            Which pair; may be left out when they tell nothing apart.
        """
        found = self._of_pair(measure, system, baseline)
        return found[found > 0].sort_values(ascending=False, kind="stable")

    def losses(
        self,
        measure: str | None = None,
        *,
        system: Hashable | None = None,
        baseline: Hashable | None = None,
    ) -> pd.Series[float]:
        """Return the queries on which a system is worse, the largest losses first; see `wins`."""
        found = self._of_pair(measure, system, baseline)
        return found[found < 0].sort_values(kind="stable")

    def ties(
        self,
        measure: str | None = None,
        *,
        system: Hashable | None = None,
        baseline: Hashable | None = None,
    ) -> pd.Series[float]:
        """Return the queries on which two systems are equal; see `wins`."""
        found = self._of_pair(measure, system, baseline)
        return found[found == 0]

    def _of_pair(
        self, measure: str | None, system: Hashable | None, baseline: Hashable | None
    ) -> pd.Series[float]:
        name = self.names[0] if measure is None else self._name(measure)
        for role, given in (("system", system), ("baseline", baseline)):
            if given is not None and given not in self.systems:
                raise RankMagicError(
                    f"There is no {role} {given!r}. Systems are {listed(self.systems)}."
                    f"{did_you_mean(str(given), map(str, self.systems))}"
                )
        fits = [
            place
            for place, pair in enumerate(self.pairs)
            if system in (None, self.systems[pair.system])
            and baseline in (None, self.systems[pair.baseline])
        ]
        if len(fits) != 1:
            known = listed([tuple(self.systems[at] for at in pair) for pair in self.pairs])
            raise RankMagicError(
                f"Say which pair: system=..., baseline=... fit {len(fits)} of the pairs compared, "
                f"{known}."
            )
        row = self.names.index(name) * len(self.pairs) + fits[0]
        of_pair = pd.Series(self._differences[row], index=self.queries, name=name)
        return of_pair.dropna()

    def _name(self, measure: str) -> str:
        known = {name.lower(): name for name in self.names}
        if str(measure).lower() not in known:
            raise RankMagicError(
                f"{str(measure)!r} was not compared. Compared were {listed(self.names)}."
                f"{did_you_mean(str(measure), self.names)}"
            )
        return known[str(measure).lower()]

    # What it is worth.

    @cached_property
    def sensitivity(self) -> pd.DataFrame:
        """What each difference would be if ties, gaps or unjudged documents were treated otherwise.

        A row for each measure and pair. Columns: ``difference``; ``ties_low`` and ``ties_high``,
        with equal scores in the order worst for the system and best for the baseline, and the
        other way round; ``unjudged_low`` and ``unjudged_high``, between which it lies whatever the
        unjudged documents shown are (missing where no true bound exists); ``unjudged_removed``,
        with them taken out of the rankings; ``answered`` and ``with_relevant``, over the queries
        that both answer and over those with a relevant document.
        """
        found = robustness(self.side, self.pairs)
        return pd.DataFrame(found, index=self._index, columns=list(COLUMNS))

    def sentences(self) -> list[str]:
        """Return what was found in plain words, one sentence for each row of the table."""
        from rank_magic.comparison_notes import sentences

        return sentences(self)

    def warnings(self) -> list[str]:
        """Return what could turn a difference round, and what else is to be known before use.

        Works out `sensitivity`.
        """
        from rank_magic.comparison_notes import warnings

        return warnings(self)

    def check(
        self,
        margins: dict[str, float] | None = None,
        *,
        noninferior: bool = False,
        **by_name: float,
    ) -> None:
        """Raise when a system is worse than its baseline by more than a margin; for pipelines.

        Parameters
        ----------
        margins : dict, optional
            By measure, how far a system may lie from its baseline: −0.01 lets it be 0.01 worse.
        noninferior : bool
            By default only evidence raises: a one-sided t test, corrected for all that is checked,
            finds at the 5 % level that the true difference lies below the margin. With
            ``noninferior=True`` the burden of proof is turned round: it raises unless the test
            finds that the difference lies above the margin.
        **by_name
            The same, by the measure's name without its parameters: ``ndcg=-0.01`` is every nDCG
            compared, whatever its cutoff; ``mrr`` and ``map`` are RR and AP.

        Raises
        ------
        RegressionError
            With a report of what failed.
        RankMagicError
            If a measure was not compared, or nothing tells how sure a difference is.

        Examples
        --------
        >>> import rank_magic as rm
        >>> shop = rm.datasets.load_electronics()
        >>> comparison = shop.rank.evaluate("nDCG@10", score=["bm25", "rrf"]).compare()
        >>> comparison.check(ndcg=-0.01)
        """
        __tracebackhide__ = True  # pytest shows the line of the test
        check(self, {**(margins or {}), **by_name}, noninferior=noninferior)

    # How it shows itself.

    def __repr__(self) -> str:
        from rank_magic.tables import comparison_text

        return comparison_text(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Return the table and what it means, as HTML that needs nothing else."""
        from rank_magic.tables import comparison_html

        return comparison_html(self)

    def to_markdown(self) -> str:
        """Return the table and what it means, as Markdown, for a pull request."""
        from rank_magic.tables import comparison_markdown

        return comparison_markdown(self)

    def to_latex(self) -> str:
        """Return the table as LaTeX (package booktabs), with its legend, for a paper."""
        from rank_magic.tables import comparison_latex

        return comparison_latex(self)


def _tukey(values: Floats, pairs: Sequence[Pair], lacking: NDArray[np.bool_], plan: Plan) -> Floats:
    """Return the p-values of Tukey's HSD by row; NaN for measures without values."""
    known = ~lacking & ~np.isnan(values).any(axis=(0, 2))
    p = np.full((len(lacking), len(pairs)), np.nan)
    if values.size and known.any():
        gaps = tukey_hsd(values[:, known], resamples=plan.resamples, seed=plan.seed)
        first, second = zip(*pairs, strict=True)
        p[known] = gaps[list(first), list(second)].T
    return p.ravel()
