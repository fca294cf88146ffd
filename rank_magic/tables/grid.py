"""Means as a grid of systems and measures: what every form of the table is written from."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rank_magic.notes import plain_text

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["Cell", "Grid", "grid", "number"]

NOTHING = "–"
INTERVAL_DECIMALS = 3  # the last digit of an interval says little


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
    systems, measures : list of str
        Names, fit to be printed.
    several : bool
        Whether the systems are to be told apart.
    cells : list of list of Cell
        By system, then measure.
    full : list of float
        By measure: the value of a full bar; NaN where a bar would say nothing.
    """

    systems: list[str]
    measures: list[str]
    several: bool
    cells: list[list[Cell]]
    full: list[float]

    def over(self) -> str:
        """Return what the numbers are, and over how many queries, in words."""
        found = sorted({cell.queries for row in self.cells for cell in row})
        least, most = found[0], found[-1]
        queries = f"{most:,}" if least == most else f"{least:,} to {most:,}"
        noun = "query" if most == 1 else "queries"
        return f"means over {queries} {noun} with 95 % intervals"


def grid(evaluation: Evaluation) -> Grid:
    """Return the means of an evaluation, sorted as its view says."""
    measures, systems = evaluation.names, list(evaluation.systems)
    table = evaluation.summary().to_numpy(dtype=np.float64)
    table = table.reshape(len(systems), len(measures), -1)
    means = table[:, :, 0]
    if evaluation.view.sort is not None:
        by = np.nan_to_num(means[:, measures.index(evaluation.view.sort)], nan=-math.inf)
        order = np.argsort(-by, kind="stable")
        table, means = table[order], means[order]
        systems = [systems[place] for place in order]
    best = _best(means)
    cells = [
        [
            Cell(*map(float, entry[:3]), queries=int(entry[3]), best=bool(mark))
            for entry, mark in zip(row, marks, strict=True)
        ]
        for row, marks in zip(table, best, strict=True)
    ]
    several = evaluation.rankings.rows.several
    full = [
        1.0 if measure.unit else _highest(table[:, place, 2]) if several else math.nan
        for place, measure in enumerate(evaluation.measures)
    ]
    return Grid([plain_text(name) for name in systems], measures, several, cells, full)


def _best(means: np.ndarray) -> np.ndarray:
    """Return whether each mean is the best of its measure; none is when all are equal."""
    top = np.fmax.reduce(means, axis=0)
    differ = top > np.fmin.reduce(means, axis=0)
    return (means == top) & differ


def _highest(values: np.ndarray) -> float:
    there = values[~np.isnan(values)]
    return float(there.max()) if len(there) and there.max() > 0 else math.nan


def number(value: float, decimals: int) -> str:
    """Write a number; a dash where there is none."""
    if value is None or math.isnan(value):
        return NOTHING
    text = f"{value:,.{decimals}f}"
    # Rounded to nothing, a number has no sign.
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text
