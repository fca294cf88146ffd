"""A profile of an evaluation set, for the terminal and the notebook."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from rank_magic.notes import plain_text, short
from rank_magic.tables.grid import NOTHING, Column, number
from rank_magic.tables.html import STYLE, columns_table, paragraph
from rank_magic.tables.text import columns_text

if TYPE_CHECKING:
    from rank_magic.profiling import Profile

__all__ = ["profile_html", "profile_text"]

RANKS = (1, 2, 3, 5, 10, 20, 50, 100)
SHOWN_GRADES = 30
MARKS = {"wrong": "✗", "doubtful": "?", "note": "·"}


def profile_text(profile: Profile) -> str:
    """Return what is in an evaluation set and what looks wrong with it."""
    width = max(shutil.get_terminal_size((100, 24)).columns, 20)
    found = [
        textwrap.fill(f"{MARKS[severity]} {text}", width, subsequent_indent="  ")
        for severity, text in _findings(profile)
    ]
    tables = [f"{title}\n{columns_text(columns, width)}" for title, columns in _tables(profile)]
    parts = [
        textwrap.fill(_counts(profile), width),
        "\n".join([_verdict(profile), *found]),
        *tables,
    ]
    return "\n\n".join(parts)


def profile_html(profile: Profile) -> str:
    """Return what is in an evaluation set and what looks wrong with it, to be put into a page."""
    found = "".join(
        f"<tr><td>{MARKS[severity]}&nbsp;{severity}</td>"
        f"<td class='rm-text'>{escape(text)}</td></tr>"
        for severity, text in _findings(profile)
    )
    tables = "".join(
        f"<p><b>{escape(title)}</b></p>{columns_table(columns, small=True)}"
        for title, columns in _tables(profile)
    )
    return (
        f"{STYLE}<style scoped>.rm-found td.rm-text {{max-width: 60em;}}</style>"
        f"<div class='rank-magic rm-means'><p>{escape(_counts(profile))}</p>"
        f"<p><b>{escape(_verdict(profile))}</b></p>"
        f"<div class='rm-scroll'><table class='rm-found'><tbody>{found}</tbody></table></div>"
        f"{tables}{paragraph('.findings, .queries, .unjudged and the others hold it all.')}</div>"
    )


def _counts(profile: Profile) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in profile.counts.items())


def _verdict(profile: Profile) -> str:
    found = profile.findings["severity"].value_counts()
    wrong, doubtful = int(found.get("wrong", 0)), int(found.get("doubtful", 0))
    if not wrong + doubtful:
        return "Nothing looks wrong."
    return f"{wrong} wrong, {doubtful} doubtful."


def _findings(profile: Profile) -> Iterator[tuple[str, str]]:
    """Yield the severity of each finding, and its sentences."""
    for row in profile.findings.to_dict("records"):
        examples = ", ".join(_quoted(example) for example in row["examples"])
        yield row["severity"], row["text"] + (f" Such as {examples}." if examples else "")


def _quoted(example: Any) -> str:
    return short(repr(example))


def _tables(profile: Profile) -> Iterator[tuple[str, list[Column]]]:
    sizes = profile.sizes
    yield (
        "Documents of a query",
        [
            Column("", [plain_text(name) for name in sizes.index], words=True),
            *(Column(name, [_size(value) for value in sizes[name]]) for name in sizes),
        ],
    )
    grades = profile.grades.iloc[:SHOWN_GRADES]
    if len(grades):
        total = profile.grades.sum()
        more = len(profile.grades) - len(grades)
        yield (
            "Grades" + (f" ({more:,} more: .grades)" if more else ""),
            [
                Column("grade", [f"{grade:g}" for grade in grades.index]),
                Column("documents", [f"{count:,}" for count in grades]),
                Column("share", [f"{100 * count / total:.1f} %" for count in grades]),
            ],
        )
    shares = profile.unjudged.loc[profile.unjudged.index.isin(RANKS)]
    if len(shares):
        yield (
            "Unjudged at rank",
            [
                Column("rank", [f"{rank:,}" for rank in shares.index]),
                *(Column(plain_text(name), [*map(_share, shares[name])]) for name in shares),
            ],
        )


def _size(value: float) -> str:
    return number(value, 0 if float(value).is_integer() else 1)


def _share(value: float) -> str:
    return NOTHING if math.isnan(value) else f"{100 * value:.1f} %"
