"""A ranking as the rows that the explorers list: texts, badges and bars, nothing of it markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from rank_magic.explanation import Explanation
from rank_magic.notes import plain_text, short

__all__ = ["ranking_notes", "ranking_rows"]

FEW_RANKS, MOST_RANKS = 30, 500
MOST_MISSED = 10
MOST_TEXTS, MOST_LETTERS = 4, 120
OURS = ("doc", "grade", "score", "rank given", "tie")
TITLES = ("title", "name", "product_title", "product_name", "heading", "headline")
LINK = re.compile(r"https?://", re.IGNORECASE)
PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp|avif|svg\+xml)[;,]", re.IGNORECASE)
PICTURE_NAME = re.compile(r"image|img|thumbnail|picture|photo", re.IGNORECASE)


def ranking_rows(
    explanation: Explanation,
    measure: str,
    rows: Sequence[int],
    missed: Sequence[int],
    *,
    every: bool = False,
) -> list[dict[str, Any]]:
    """Return what the list shows of each document.

    Parameters
    ----------
    explanation : Explanation
        The ranking.
    measure : str
        Whose contributions the bars show.
    rows, missed : sequence of int
        By which number each document is known, of the ranking and of those it misses.
    every : bool
        Whether to list all ranks.
    """
    added = explanation.contributions[measure]
    ideal = explanation.ideal[measure]
    full = max(added.max(), ideal.max()) if len(added) or len(ideal) else 0.0
    shown = explanation.ranking.head(MOST_RANKS if every else FEW_RANKS)
    listed = []
    for rank, record, number in zip(shown.index, _records(shown), rows, strict=False):
        tied = not pd.isna(record.get("tie", None))
        listed.append(
            {
                "id": str(number),
                "rank": f"{rank} =" if tied else str(rank),
                "added": _amount(added.get(rank)),
                "real": _share(added.get(rank), full),
                "ideal": _share(ideal.get(rank), full),
                "first": rank == 1,
                "last": rank == len(explanation.ranking),
                "missed": False,
                **_document(record, explanation, f"rank {rank}"),
            }
        )
    head = explanation.missed.head(MOST_MISSED)
    for record, number in zip(_records(head), missed, strict=False):
        listed.append(
            {
                "id": str(number),
                "rank": "not retrieved",
                "added": "",
                "real": 0.0,
                "ideal": 0.0,
                "first": False,
                "last": True,
                "missed": True,
                **_document(record, explanation, "not retrieved"),
            }
        )
    return listed


def ranking_notes(explanation: Explanation, measure: str, *, every: bool = False) -> list[str]:
    """Return what the marks in the list mean, and what it leaves out."""
    shown = explanation.ranking.head(MOST_RANKS if every else FEW_RANKS)
    notes = [
        f"Blue bars are what a rank adds to {measure}, grey ones what the ideal ranking would get "
        f"there."
    ]
    if "tie" in shown and shown["tie"].notna().any():
        notes.append("= marks equal scores.")
    if shown["grade"].isna().any():
        notes.append("? marks what nobody judged.")
    if explanation.ranking.empty:
        notes.append("The ranking has no results.")
    if (left := len(explanation.ranking) - len(shown)) > 0:
        notes.append(f"{left:,} more ranks are not listed.")
    if (left := len(explanation.missed) - MOST_MISSED) > 0:
        notes.append(f"{left:,} more judged documents were not retrieved.")
    return notes


def _records(table: pd.DataFrame) -> Iterator[dict[Any, Any]]:
    """Yield rows by column; of columns with the same name the last."""
    columns = [table.iloc[:, place].tolist() for place in range(table.shape[1])]
    for values in zip(*columns, strict=True):
        yield dict(zip(table.columns, values, strict=True))


def _document(record: dict[Any, Any], explanation: Explanation, where: str) -> dict[str, Any]:
    """Return what a document is: its title, further texts, a link, a picture, a grade."""
    doc = "" if "doc" not in record else short(record["doc"], MOST_LETTERS)
    title, texts, url, image = "", [doc] if doc else [], "", ""
    for name, value in record.items():
        if name in OURS or name in explanation.about or _missing(value):
            continue
        whole = str(value)
        if PICTURE.match(whole) or (LINK.match(whole) and PICTURE_NAME.search(str(name))):
            image = image or whole
        elif LINK.match(whole):
            url = url or whole
        elif isinstance(value, str) and (not title or str(name).lower() in TITLES):
            texts += [title] if title else []
            title = short(value, MOST_LETTERS)
        elif isinstance(value, str):
            texts.append(short(value, MOST_LETTERS))
        else:
            written = f"{value:.6g}" if _real(value) else value
            texts.append(f"{plain_text(name)} {short(written, MOST_LETTERS)}")
    grade = record["grade"]
    if not title:
        title, texts = (texts[0], texts[1:]) if texts else (where, [])
    share = 0.0
    if not pd.isna(grade) and explanation.top_grade > 0:
        share = min(max(grade / explanation.top_grade, 0.0), 1.0)
    return {
        "title": title,
        "texts": [one for one in texts if one][:MOST_TEXTS],
        "url": url,
        "image": image,
        "grade": "?" if pd.isna(grade) else f"{grade:g}",
        "shade": round(0.6 * share, 2),
        "name": title if title == where else f"{where}, {title}",
    }


def _missing(value: Any) -> bool:
    return bool(pd.api.types.is_scalar(value) and pd.isna(value)) or value == ""


def _real(value: Any) -> bool:
    return isinstance(value, float)


def _amount(value: float | None) -> str:
    if value is None or pd.isna(value):
        return ""
    return f"{value:.4f}" if value else "0"


def _share(value: float | None, full: float) -> float:
    """Return a bar's length in percent."""
    if value is None or pd.isna(value) or not full > 0:
        return 0.0
    return round(100 * min(max(value / full, 0.0), 1.0), 1)
