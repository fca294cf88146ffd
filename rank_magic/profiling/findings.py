"""What looks wrong with an evaluation set, each with how often and an example."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

__all__ = ["SEVERITIES", "Finding", "table"]

SEVERITIES = ("wrong", "doubtful", "note")


@dataclass(frozen=True)
class Finding:
    """Something that a careful person would want to know before they believe a mean.

    Attributes
    ----------
    severity : {"wrong", "doubtful", "note"}
        Whether it makes means wrong or impossible, may do so, or should be known.
    kind : str
        What it is, in a word or two that never change: ``"repeated documents"``.
    count : int
        How often.
    text : str
        A sentence, with what to do where something can be done.
    examples : list
        The first few ids or values.
    """

    severity: str
    kind: str
    count: int
    text: str
    examples: list[Any] = field(default_factory=list)


def table(findings: Iterable[Finding]) -> pd.DataFrame:
    """Return findings as a frame, the gravest first."""
    ordered = sorted(findings, key=lambda one: SEVERITIES.index(one.severity))
    columns = ["severity", "kind", "count", "text", "examples"]
    return pd.DataFrame(
        [[getattr(one, name) for name in columns] for one in ordered], columns=columns
    )
