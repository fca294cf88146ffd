"""A table as a file: what kind is told by its suffix."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from rank_magic.comparison import Comparison
from rank_magic.errors import RankMagicError, listed
from rank_magic.segments import Segments
from rank_magic.tables.html import page

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["SUFFIXES", "checked_path", "write"]


def write(result: Evaluation | Segments | Comparison, path: Path | str) -> None:
    """Write the table that is shown to a file.

    HTML, Markdown and LaTeX hold the table as it is shown. CSV and Parquet hold numbers in full:
    a row for each system and measure, for each segment, system and measure, for each measure and
    pair of a comparison or, when the view lists every query, for each system, measure and query.

    Raises
    ------
    RankMagicError
        If the suffix is none of those known, or the folder does not exist.
    """
    path = checked_path(path)
    _WRITERS[path.suffix.lower()](result, path)


def checked_path(path: Path | str) -> Path:
    """Return a path that can be written to, or say what is wrong with it."""
    path = Path(path).expanduser()
    if path.suffix.lower() not in SUFFIXES:
        raise RankMagicError(
            f"{str(path)!r} does not tell what kind of file to write. End it in one of "
            f"{listed(SUFFIXES)}."
        )
    if not path.parent.is_dir():
        raise RankMagicError(f"There is no folder {str(path.parent)!r} to write {path.name!r} to.")
    return path


def _numbers(result: Evaluation | Segments | Comparison) -> pd.DataFrame:
    """Return what is shown as plain columns, one row for each number."""
    if isinstance(result, Comparison):
        return result.to_frame().reset_index()
    if isinstance(result, Segments) or not result.view.per_query:
        return result.summary().reset_index()
    values = result.per_query
    levels = list(range(values.columns.nlevels))
    index = [name or f"query_{place}" for place, name in enumerate(values.index.names)]
    values.index.names = index
    tidy = values.stack(levels, future_stack=True).rename("value").reset_index()
    return tidy[[*values.columns.names, *index, "value"]]


def _page(result: Evaluation | Segments | Comparison) -> str:
    evaluation = result.evaluation if isinstance(result, Segments) else result
    return page(", ".join(evaluation.names), result.to_html())


def _write_text(form: Callable[[Any], str]) -> Callable[[Any, Path], None]:
    def writer(result: Evaluation | Segments | Comparison, path: Path) -> None:
        path.write_text(form(result), encoding="utf-8")

    return writer


def _write_csv(result: Evaluation | Segments | Comparison, path: Path) -> None:
    _numbers(result).to_csv(path, index=False)


def _write_parquet(result: Evaluation | Segments | Comparison, path: Path) -> None:
    try:
        import pyarrow  # noqa: F401, ICN001
    except ImportError:
        raise RankMagicError(
            "Parquet files need pyarrow, which is not installed: pip install 'rank-magic[parquet]'."
        ) from None
    table = _numbers(result)
    for name in table.columns:
        kinds = {type(value) for value in table[name]} if table[name].dtype == object else set()
        if len(kinds) > 1:  # a column of a Parquet file has one type
            table[name] = table[name].astype(str)
    table.to_parquet(path, index=False)


_WRITERS: dict[str, Callable[[Any, Path], None]] = {
    ".html": _write_text(_page),
    ".md": _write_text(lambda result: result.to_markdown()),
    ".tex": _write_text(lambda result: result.to_latex()),
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
SUFFIXES = tuple(_WRITERS)
