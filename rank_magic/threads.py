"""Work on several cores: numpy lets go of Python's lock while it computes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["THREADS", "in_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")

THREADS = min(8, os.cpu_count() or 1)


def in_threads(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Apply a function to items in threads and yield the results in order.

    Only a few results are under way at a time, so that memory stays bounded; and when the
    caller stops, no further item is begun.
    """
    items = list(items)
    if THREADS == 1 or len(items) < 2:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(min(THREADS, len(items))) as pool:
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
