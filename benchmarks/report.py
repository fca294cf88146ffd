"""Tables that read well as text and as Markdown, and the machine that they come from."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import os
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

PACKAGES = ("numpy", "pandas", "pyarrow")
# Beyond this much other work on the machine, times are not to be trusted.
QUIET = 0.5


@dataclass(frozen=True)
class Table:
    """A part of the report: a title, rows under their headings, and remarks."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        every = [self.headings, *self.rows]
        widths = [max(len(row[place]) for row in every) for place in range(len(self.headings))]
        rule = [f"{'-' * (width - 1)}{':' if place else '-'}" for place, width in enumerate(widths)]
        lines = [line(row, widths) for row in (self.headings, rule, *self.rows)]
        return "\n".join([f"## {self.title}", "", *lines, *(f"\n{text}" for text in self.remarks)])


def line(cells: Iterable[str], widths: Iterable[int]) -> str:
    """Return a line of a table, its first cell to the left, the others to the right."""
    padded = [
        cell.rjust(width) if place else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return f"| {' | '.join(padded)} |"


def head(packages: Iterable[str]) -> str:
    """Return where and when this was measured, in Markdown."""
    versions = {name: version(name) for name in (*PACKAGES, *packages)}
    there = ", ".join(f"{name} {found}" for name, found in versions.items() if found)
    lacking = ", ".join(name for name, found in versions.items() if not found)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    cores = os.cpu_count() or 1
    busy = (
        f"\n\n**The machine was busy (load {load:.1f} on {cores} cores): times are too long, and "
        f"ratios shaky.**"
        if load > QUIET * cores
        else ""
    )
    return (
        "# Benchmark\n\n"
        f"{dt.datetime.now(tz=dt.UTC):%Y-%m-%d}, {cores} cores ({processor()}), "
        f"{memory():.0f} GB, {platform.system()}, Python {platform.python_version()}, {there}."
        + (f" Not installed: {lacking}." if lacking else "")
        + busy
    )


def version(package: str) -> str | None:
    """Return the installed version of a package; None where it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def processor() -> str:
    """Return the processor's name and the widest of its instructions that numpy uses."""
    info = Path("/proc/cpuinfo")
    names = info.read_text().split("model name") if info.exists() else []
    name = names[1].partition(":")[2].partition("\n")[0].strip() if names[1:] else ""
    return f"{name or platform.machine()}, {widest()}"


def widest() -> str:
    """Return the widest vector instructions that numpy finds here; its sorts live on them."""
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    there = {*simd.get("baseline", ()), *simd.get("found", ())}
    for wide in ("AVX512_SKX", "X86_V4", "AVX2", "X86_V3", "ASIMD"):
        if wide in there:
            return wide
    return "no vector instructions that numpy uses"


def memory() -> float:
    """Return the machine's memory in GB; 0 where the system does not tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (AttributeError, OSError, ValueError):
        return 0.0
