"""Work on several cores: numpy lets go of Python's lock while it computes."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from rank_magic.memory import kept

__all__ = ["PIECE", "THREADS", "alone", "extremes", "in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")

THREADS = min(8, os.cpu_count() or 1)
WORTH_THREADS = 1 << 17
# Long arrays are worked on in pieces of so many numbers, which stay in a core's cache.
PIECE = 1 << 18

_here = threading.local()


@cache  # starting threads takes as long as evaluating ten thousand rows
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "rank_magic", lambda: setattr(_here, "working", True))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child process has no threads yet


@contextmanager
def alone() -> Iterator[None]:
    """Start no threads while this lasts: others work on other parts at the same time."""
    before = getattr(_here, "working", False)
    _here.working = True
    try:
        yield
    finally:
        _here.working = before


def in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], *, cells: int | None = None
) -> Iterator[Result]:
    """Apply a function to items in threads and yield the results in order.

    Only a few results are under way at a time, so that memory stays bounded; and when the
    caller stops, no further item is begun.

    Parameters
    ----------
    function : callable
        What to do with an item.
    items : iterable
        The items.
    cells : int, optional
        How much there is to do in all. Little is done sooner than threads are started.
    """
    items = list(items)
    if not items or (cells is not None and cells < WORTH_THREADS):
        yield from map(function, items)
        return
    with kept():
        # Who waited in a thread for others of the same pool might wait for ever.
        if len(items) < 2 or THREADS == 1 or getattr(_here, "working", False):
            yield from map(function, items)
        else:
            yield from _in_threads(function, items)


def _in_threads(function: Callable[[Item], Result], items: list[Item]) -> Iterator[Result]:
    pool = _pool(THREADS)
    waiting = deque(pool.submit(function, item) for item in items[: 2 * THREADS])
    try:
        for item in items[2 * THREADS :]:
            result = waiting.popleft().result()
            waiting.append(pool.submit(function, item))
            yield result
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
        wait(waiting)


def extremes(values: NDArray[Any]) -> tuple[Any, Any]:
    """Return the lowest and the highest number, passing over NaN; NaN when there is no other."""

    def ends(at: int) -> tuple[Any, Any]:
        piece = values[at : at + PIECE]
        low, high = piece.min(), piece.max()
        # numpy is far faster when it need not look out for NaN.
        return (low, high) if low == low else (np.fmin.reduce(piece), np.fmax.reduce(piece))

    found = list(in_threads(ends, range(0, len(values), PIECE)))
    low, high = (np.array(side) for side in zip(*found, strict=True))
    return np.fmin.reduce(low), np.fmax.reduce(high)


def one_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items, of which the next is made in a thread while one is worked on."""
    source, end = iter(items), object()
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, source, end)
        while (item := coming.result()) is not end:
            coming = pool.submit(next, source, end)
            yield item  # type: ignore[misc]
