"""Who wants to know how far the work is, and how the work tells them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

__all__ = ["Watcher", "report", "watched"]


class Watcher(Protocol):
    """What is told of progress."""

    def __call__(self, *, more: int = 0, done: int = 0) -> None:
        """Take note that there is more to do, or that some of it is done."""


_WATCHER: ContextVar[Watcher | None] = ContextVar("rank_magic_watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Let `watcher` know of everything that is reported while this lasts."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def report(*, more: int = 0, done: int = 0) -> None:
    """Report that so many rankings more are to be measured, or that so many have been."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(more=more, done=done)
