"""A diagnosis as text and as HTML."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

from rank_magic.notes import plain_text
from rank_magic.tables.grid import Column, number
from rank_magic.tables.html import STYLE, columns_table, paragraph
from rank_magic.tables.text import columns_text

if TYPE_CHECKING:
    from rank_magic.diagnosis import Diagnosis, Finding

__all__ = ["diagnosis_html", "diagnosis_text"]

DECIMALS = 3
SHOWN_IN_TEXT = 3
# Columns that hold names, which are not numbers even where they look so.
WORDS = ("system", "query", "grades shown")


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Return the findings, those that the data show first, with examples."""
    width = max(shutil.get_terminal_size((100, 24)).columns, 20)
    parts = []
    for finding in diagnosis.findings:
        mark = "Found" if finding.found else "Not found here"
        parts.append(textwrap.fill(f"{mark}: {finding.claim}. {finding.evidence}", width))
        if finding.found and len(finding.examples):
            columns = _columns(diagnosis, finding.examples.head(SHOWN_IN_TEXT))
            parts.append(textwrap.indent(columns_text(columns, width - 2), "  "))
    return "\n\n".join(parts)


def diagnosis_html(diagnosis: Diagnosis) -> str:
    """Return the findings, examples and the agreement of measures, to be put into a page."""
    parts = [
        f"<p><b>{escape(one.claim)}</b>{'' if one.found else ' – not found here'}.<br>"
        f"{escape(one.evidence)}</p>{_examples(diagnosis, one)}"
        for one in diagnosis.findings
    ]
    return (
        f"{STYLE}<div class='rank-magic rm-means'>{''.join(parts)}"
        f"{''.join(_agreement(diagnosis))}</div>"
    )


def _examples(diagnosis: Diagnosis, finding: Finding) -> str:
    if not finding.found or not len(finding.examples):
        return ""
    table = columns_table(_columns(diagnosis, finding.examples))
    return f"<details class='rm-side'><summary>Examples</summary>{table}</details>"


def _agreement(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield how the measures agree, in tables to be unfolded."""
    tables = {
        "Kendall's tau between measures, over queries": diagnosis.tau_queries,
        "Kendall's tau between measures, over systems": diagnosis.tau_systems,
        "Share of queries and pairs of systems that two measures decide differently": (
            diagnosis.disagreement
        ),
    }
    several = len(diagnosis.evaluation.systems) > 1
    for title, table in tables.items():
        if several or table is tables["Kendall's tau between measures, over queries"]:
            columns = [Column("", [*map(str, table.index)], words=True)]
            columns += [
                Column(str(name), [number(value, DECIMALS) for value in table[name].tolist()])
                for name in table
            ]
            yield (
                f"<details class='rm-side'><summary>{escape(title)}</summary>"
                f"{columns_table(columns)}</details>"
            )
    yield paragraph(
        escape(
            f"Over the queries that have something relevant to find; a reader is taken to look at "
            f"the first {diagnosis.k} results."
        )
    )


def _columns(diagnosis: Diagnosis, table: pd.DataFrame) -> list[Column]:
    """Return examples as columns; the system is left out where there is but one."""
    several = diagnosis.evaluation.rankings.rows.several
    names = [name for name in table if several or name != "system"]
    return [
        Column(
            str(name),
            [plain_text(one) if name in WORDS else _written(one) for one in table[name].tolist()],
            words=name in WORDS,
        )
        for name in names
    ]


def _written(value: Any) -> str:
    return number(value, DECIMALS) if isinstance(value, float) else f"{value:,}"
