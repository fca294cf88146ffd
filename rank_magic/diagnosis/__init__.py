"""What the chosen measures hide on this data: each claim with its evidence, or its refutation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rank_magic.conventions import is_whole
from rank_magic.diagnosis.agreement import Agreement, about_measures
from rank_magic.diagnosis.evidence import gather
from rank_magic.diagnosis.finding import Finding
from rank_magic.diagnosis.rankings import about_rankings
from rank_magic.errors import DataError, MeasureError, RankMagicError, did_you_mean, listed
from rank_magic.evaluation import Evaluation

__all__ = ["Diagnosis", "Finding", "diagnose"]


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Mapping[str, Finding]):
    """What measures hide on the data at hand: what `Evaluation.diagnose` returns.

    As a mapping it gives each finding by its name.

    Attributes
    ----------
    evaluation : Evaluation
        What was looked at.
    findings : tuple of Finding
        Those that the data show first.
    k : int
        How far down a reader is taken to look.
    """

    evaluation: Evaluation
    findings: tuple[Finding, ...]
    k: int
    _agreement: Agreement

    def __getitem__(self, name: str) -> Finding:
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise RankMagicError(
            f"There is no finding {name!r}. They are {listed(self)}.{did_you_mean(name, self)}"
        )

    def get(self, name: str, default: Any = None) -> Any:
        """Return the finding of that name; the default where there is none."""
        if name not in self:
            return default
        return self[name]

    def __contains__(self, name: object) -> bool:
        return any(finding.name == name for finding in self.findings)

    def __iter__(self) -> Iterator[str]:
        return (finding.name for finding in self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def tau_systems(self) -> pd.DataFrame:
        """Kendall's tau-b between measures over the systems' means; empty of numbers for one."""
        return self._agreement.tau_systems.copy()

    @property
    def tau_queries(self) -> pd.DataFrame:
        """Kendall's tau-b between measures over queries, the mean over systems."""
        return self._agreement.tau_queries.copy()

    @property
    def disagreement(self) -> pd.DataFrame:
        """The share of queries and pairs of systems that two measures decide differently."""
        return self._agreement.disagreement.copy()

    @property
    def discriminative_power(self) -> pd.Series[float]:
        """The share of pairs of systems that each measure tells apart at 5 %, uncorrected."""
        return self._agreement.discriminative_power.copy()

    def to_frame(self) -> pd.DataFrame:
        """Return the findings as a table: claim, whether it is found, evidence and examples.

        Returns
        -------
        DataFrame
            A row for each finding, by its name. ``queries`` are those of the examples; numbers
            and examples in full are those of each finding, ``diagnosis["grades"].numbers``.
        """
        rows = [
            (one.claim, one.found, one.evidence, tuple(one.examples.get("query", ())))
            for one in self.findings
        ]
        index = pd.Index(list(self), name="finding")
        return pd.DataFrame(rows, index=index, columns=["claim", "found", "evidence", "queries"])

    def __repr__(self) -> str:
        from rank_magic.tables import diagnosis_text

        return diagnosis_text(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Return the findings as HTML that needs nothing else."""
        from rank_magic.tables import diagnosis_html

        return diagnosis_html(self)


def diagnose(evaluation: Evaluation, k: int = 10) -> Diagnosis:
    """Say what measures hide on the data of an evaluation; see `Evaluation.diagnose`."""
    if not is_whole(k) or k < 1:
        raise MeasureError(f"k must be a whole number of at least 1, not {k!r}.")
    if not evaluation.rows_at_hand:
        raise DataError(
            "The rows were not kept, so the rankings can't be looked at. Load some of them, or "
            "all, into a pandas DataFrame and diagnose that."
        )
    seen = gather(evaluation, int(k))
    agreement = Agreement.of(evaluation, seen)
    findings = [*about_rankings(evaluation, seen), *about_measures(agreement)]
    findings.sort(key=lambda finding: not finding.found)
    return Diagnosis(evaluation, tuple(findings), int(k), agreement)
