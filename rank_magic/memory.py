"""Memory of one block of rankings, kept for the next.

glibc gives large pieces of memory back to the system as soon as they are let go, and to get them
again takes longer than the work on them. It keeps them once it has let go of a larger one; but not
where the environment holds its thresholds fixed, as Dask does for its workers. There large pieces
come from the heap while blocks are worked on, and of the heap's end so much is kept as a few blocks
need; what others take by the large piece meanwhile and afterwards is given back as ever.
"""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np

__all__ = ["kept"]

MOST_KEPT = 31 << 20  # bytes; what glibc never keeps begins at 32 MB


# glibc's thresholds by number: from how much free memory at the heap's end is given back, and from
# which size a piece is got from the system by itself. The most that they are moved to, in bytes.
TRIM, MMAP = -1, -3
END_KEPT, FROM_HEAP = 32 << 20, 32 << 20
# Where the environment holds them, and where glibc has them when only the other one is held.
TRIM_HELD, MMAP_HELD = "MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_"
USUAL = 128 << 10


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
    return (TRIM_HELD in os.environ or MMAP_HELD in os.environ) and _mallopt() is not None


@cache
def _mallopt() -> Callable[[int, int], int] | None:
    """Return glibc's function that moves a threshold; None where the library is another one."""
    try:
        return ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return None


class _Work:
    """Who works on blocks: the first one has pieces come from the heap, the last one ends it."""

    def __init__(self) -> None:
        self._lock, self._number = threading.Lock(), 0

    def begin(self) -> None:
        with self._lock:
            self._number += 1
            if self._number == 1:
                _move(TRIM, max(END_KEPT, _held(TRIM_HELD)))
                _move(MMAP, max(FROM_HEAP, _held(MMAP_HELD)))

    def end(self) -> None:
        with self._lock:
            self._number -= 1
            if self._number == 0:
                _move(MMAP, _held(MMAP_HELD))


_work = _Work()


def _held(variable: str) -> int:
    """Return where the environment holds a threshold, read as glibc reads it."""
    said = re.match(r"\s*(\d+)", os.environ.get(variable, ""))
    return int(said[1]) if said else USUAL


def _move(threshold: int, to: int) -> None:
    mallopt = _mallopt()
    if mallopt is not None:
        mallopt(threshold, to)
