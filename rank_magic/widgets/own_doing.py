"""Telling a person's changes of a widget from our own."""

from __future__ import annotations

__all__ = ["OwnDoing"]


class OwnDoing:
    """A context in which widgets are changed by us; it is true as long as it lasts."""

    def __init__(self) -> None:
        self._depth = 0

    def __enter__(self) -> None:
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1

    def __bool__(self) -> bool:
        return self._depth > 0
