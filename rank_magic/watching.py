"""A progress bar for work that takes more than a moment."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from rank_magic.progress import watched

__all__ = ["progress_bar"]

PATIENCE = 1.0  # seconds of work without a bar


class _Watch:
    """Opens a bar when work lasts; is told of progress by the engine."""

    def __init__(self, shell: Any, of: str) -> None:
        self._shell, self._of, self._start = shell, of, time.monotonic()
        self._total = self._done = 0
        self._bar: Any = None

    def __call__(self, *, more: int = 0, done: int = 0) -> None:
        self._total += more
        self._done += done
        if self._bar is None and time.monotonic() - self._start > PATIENCE:
            self._bar = _bar(self._shell, self._total, self._done, self._of)
        elif self._bar is not None:
            self._bar.total = self._total
            self._bar.update(self._done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


@contextmanager
def progress_bar(shell: Any, of: str = "rankings") -> Iterator[None]:
    """Show how far the work inside is, once it has taken a second; nothing of it stays.

    Parameters
    ----------
    shell : InteractiveShell or None
        Where it is shown. Without one on the terminal, if there is one.
    of : str
        What the work is counted in.
    """
    watch = _Watch(shell, of)
    try:
        with watched(watch):
            yield
    finally:
        watch.close()


def _bar(shell: Any, total: int, done: int, of: str) -> Any:
    """Return a tqdm bar for where the shell runs."""
    from tqdm.std import tqdm

    looks = {"total": total, "initial": done, "unit": f" {of}", "unit_scale": True}
    if getattr(shell, "kernel", None) is None:
        # None leaves it out where nobody looks on: errors go to a file.
        return tqdm(leave=False, disable=False if shell is not None else None, **looks)

    # tqdm.notebook would leave a widget behind, which a reopened notebook can't show.
    from IPython.display import display

    class NotebookBar(tqdm):  # type: ignore[misc]
        monitor_interval = 0

        def display(self, msg: str | None = None, pos: int | None = None) -> None:  # noqa: ARG002
            shown = {"text/html": "", "text/plain": ""} if msg == "" else self._forms()
            if getattr(self, "_handle", None) is None:
                self._handle: Any = display(shown, raw=True, display_id=True)  # type: ignore[no-untyped-call]
            else:
                self._handle.update(shown, raw=True)

        def _forms(self) -> dict[str, str]:
            text = self.format_meter(
                **{
                    **self.format_dict,
                    "bar_format": "{n_fmt} of {total_fmt}{unit}, {remaining} left",
                }
            )
            share = f"value='{self.n}' max='{max(self.total, 1)}'"
            html = f"<progress {share}></progress> {escape(text)}"
            return {"text/html": html, "text/plain": text}

    return NotebookBar(file=io.StringIO(), leave=False, **looks)
