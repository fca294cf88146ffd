"""Memory of one block of rankings, kept for the next.

glibc gives large pieces of memory back to the system as soon as they are let go, and to get them
again takes longer than the work on them. It keeps them once it has let go of a larger one; but not
where the environment holds its thresholds fixed, as Dask does for its workers. There they are moved
while blocks are worked on, and put back afterwards, when what was kept is given back as ever.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import NamedTuple

import numpy as np

__all__ = ["kept"]

MOST_KEPT = 31 << 20  # bytes; what glibc never keeps begins at 32 MB


class Threshold(NamedTuple):
    """One of glibc's thresholds, in bytes."""

    number: int
    variable: str  # of the environment
    default: int  # where another one is held fixed
    working: int  # while blocks are worked on


THRESHOLDS = (
    Threshold(-1, "MALLOC_TRIM_THRESHOLD_", 128 << 10, 64 << 20),
    Threshold(-3, "MALLOC_MMAP_THRESHOLD_", 128 << 10, 32 << 20),
)


@contextmanager
def kept() -> Iterator[None]:
    """Have glibc keep the memory that is let go while this lasts."""
    if not _held_fixed():
        _let_go_of_a_large_piece()
        yield
        return
    _work.begin()
    try:
        yield
    finally:
        _work.end()


@cache
def _let_go_of_a_large_piece() -> None:
    np.empty(MOST_KEPT, dtype=np.int8)


@cache
def _held_fixed() -> bool:
    """Return whether the environment holds a threshold fixed, and it can be moved."""
    named = any(threshold.variable in os.environ for threshold in THRESHOLDS)
    return named and _mallopt() is not None


@cache
def _mallopt() -> Callable[[int, int], int] | None:
    """Return glibc's function that moves a threshold; None where the library is another one."""
    try:
        return ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return None


class _Work:
    """Who works on blocks: the first one moves the thresholds, the last one puts them back."""

    def __init__(self) -> None:
        self._lock, self._number = threading.Lock(), 0

    def begin(self) -> None:
        with self._lock:
            self._number += 1
            if self._number == 1:
                for threshold in THRESHOLDS:
                    _move(threshold, threshold.working)

    def end(self) -> None:
        with self._lock:
            self._number -= 1
            if self._number == 0:
                for threshold in THRESHOLDS:
                    _move(threshold, _usual(threshold))


_work = _Work()


def _usual(threshold: Threshold) -> int:
    """Return where the environment holds a threshold, read as glibc reads it."""
    said = re.match(r"\s*(\d+)", os.environ.get(threshold.variable, ""))
    return int(said[1]) if said else threshold.default


def _move(threshold: Threshold, to: int) -> None:
    mallopt = _mallopt()
    if mallopt is not None:
        mallopt(threshold.number, to)
