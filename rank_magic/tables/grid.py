"""Means as a grid of systems and measures: what every form of the table is written from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rank_magic.notes import plain_text

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["Cell", "Column", "Grid", "decimals", "grid", "number"]

NOTHING = "–"
INTERVAL_DECIMALS = 3  # the last digit of an interval says little


class Column(NamedTuple):
    """A column of a table as it is shown."""

    name: str
    cells: list[str]
    words: bool = False
    """Whether it holds words, which stand on the left; numbers stand on the right."""


@dataclass(frozen=True)
class Cell:
    """One mean, its interval, and how many queries it is over."""

    mean: float
    low: float
    high: float
    queries: int
    best: bool

    def interval(self, decimals: int) -> str:
        """Return the interval in brackets; nothing where there is none."""
        if math.isnan(self.low):
            return ""
        decimals = min(decimals, INTERVAL_DECIMALS)
        return f"[{number(self.low, decimals)}, {number(self.high, decimals)}]"


@dataclass(frozen=True)
class Grid:
    """The means of an evaluation in the order in which they are shown.

    Attributes
    ----------
    lead : list of Column
        What stands before the means: whose they are.
    measures : list of str
        Names, fit to be printed.
    several : bool
        Whether the systems are to be told apart.
    cells : list of list of Cell
        By row, then measure.
    decimals : list of int
        By measure.
    full : list of float
        By measure: the value of a full bar; NaN where a bar would say nothing.
    sums : list of str
        The measures of which it is not means but sums.
    weighted : bool
        Whether queries have weights.
    """

    lead: list[Column]
    measures: list[str]
    several: bool
    cells: list[list[Cell]]
    decimals: list[int]
    full: list[float]
    sums: list[str]
    weighted: bool = False

    @property
    def title(self) -> str:
        """The name of the only system."""
        return self.lead[0].cells[0]

    @property
    def marked(self) -> bool:
        """Whether any mean is marked as the best."""
        return any(cell.best for row in self.cells for cell in row)

    def over(self, mark: str = "") -> str:
        """Return what the numbers are, and over how many queries, in words."""
        found = sorted({cell.queries for row in self.cells for cell in row})
        least, most = found[0], found[-1]
        queries = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        noun = "query" if most == 1 else "queries"
        sums = f" (sums of {', '.join(self.sums)})" if self.sums else ""
        best = f"; {mark} best" if mark and self.marked else ""
        means = "weighted means" if self.weighted else "means"
        return f"{means}{sums} over {queries} {noun} with 95 % intervals{best}"


def grid(evaluation: Evaluation, rows: NDArray[np.float64] | None = None) -> Grid:
    """Return the means of an evaluation, sorted as its view says.

    Parameters
    ----------
    evaluation : Evaluation
        Whose means.
    rows : array of float, optional
        The rows of another summary, such as that of a part of the queries.
    """
    measures, systems = evaluation.names, list(evaluation.systems)
    if rows is None:
        summary = evaluation.summary()[["mean", "low", "high", "queries"]]
        rows = summary.to_numpy(dtype=np.float64)
    table = rows.reshape(len(systems), len(measures), -1)
    means = table[:, :, 0]
    if evaluation.view.sort is not None:
        by = np.nan_to_num(means[:, measures.index(evaluation.view.sort)], nan=-math.inf)
        order = np.argsort(-by, kind="stable")
        table, means = table[order], means[order]
        systems = [systems[place] for place in order]
    best = _best(means)
    best[:, [not measure.quality for measure in evaluation.measures]] = False
    cells = [
        [
            Cell(mean, low, high, int(queries), mark)
            for (mean, low, high, queries), mark in zip(row, marks, strict=True)
        ]
        for row, marks in zip(table.tolist(), best.tolist(), strict=True)
    ]
    several = evaluation.rankings.rows.several
    return Grid(
        lead=[Column("", [plain_text(name) for name in systems], words=True)],
        measures=measures,
        several=several,
        cells=cells,
        decimals=decimals(evaluation),
        full=[
            1.0 if measure.unit else _highest(means[:, place]) if several else math.nan
            for place, measure in enumerate(evaluation.measures)
        ],
        sums=[str(measure) for measure in evaluation.measures if measure.aggregate == "sum"],
        weighted=evaluation.weights is not None,
    )


def decimals(evaluation: Evaluation) -> list[int]:
    """Return how many decimals each measure's numbers have; none where all are whole counts."""
    values = evaluation._ruled
    return [
        0
        if measure.aggregate == "sum" and (np.nan_to_num(values[:, place]) % 1 == 0).all()
        else evaluation.view.decimals
        for place, measure in enumerate(evaluation.measures)
    ]


def _best(means: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each mean is the best of its measure; none is when all are equal."""
    top = np.fmax.reduce(means, axis=0)
    differ = top > np.fmin.reduce(means, axis=0)
    return (means == top) & differ


def _highest(values: NDArray[np.float64]) -> float:
    there = values[~np.isnan(values)]
    return float(there.max()) if len(there) and there.max() > 0 else math.nan


def number(value: float, decimals: int) -> str:
    """Write a number; a dash where there is none."""
    if math.isnan(value):
        return NOTHING
    text = f"{value:,.{decimals}f}"
    # Rounded to nothing, a number has no sign.
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text
