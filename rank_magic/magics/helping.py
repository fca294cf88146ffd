"""The help of the magic: what may be said, each with a line and an example."""

from __future__ import annotations

import textwrap

from rank_magic.magics.options import OPTION_GROUPS, Option, options
from rank_magic.measures import DEFAULT_MEASURES, Measure, known

__all__ = ["help_text"]

WIDTH = 100
INDENT = 30

USAGE = """\
%rankeval FRAME MEASURE... [options]
%%rankeval MEASURE... [options]      and below it Python that ends in the frame

Measure rankings. The frame has a row for each query and document; on the line it is a name, an
attribute or an item, such as results["2026-11"]. A cell may also end in a dict of frames, one for
each system. Measures are written ndcg@10 or AP(rel=2)@100; without any, {measures}.

    %rankeval shop ndcg@10 err@10 mrr map --score bm25 --score minilm
    %rankeval shop ndcg err -k 5,10,20 --ties trec --worst 10 --out result

    %%rankeval ndcg@10 --query 'query text'
    shop[shop["title"].notna()]

A semicolon at the end shows nothing. %config RankMagics lists what can be set for the session."""


def help_text() -> str:
    """Return the help."""
    parts = [USAGE.format(measures=" ".join(DEFAULT_MEASURES))]
    for group in OPTION_GROUPS:
        lines = [_option(option) for option in options() if option.group == group]
        parts.append("\n".join([group, *lines]))
    parts.append("\n".join(["Measures, letter case aside", *map(_measure, known())]))
    return "\n\n".join(parts) + "\n"


def _option(option: Option) -> str:
    form = f"{', '.join(option.flags)} {option.metavar}".rstrip()
    again = "; may be repeated" if option.several else ""
    example = f", e.g. {option.flag} {option.example}" if option.example else ""
    return _entry(form, f"{option.help}{again}{example}")


def _measure(cls: type[Measure]) -> str:
    return _entry(" or ".join(filter(None, (cls.name, cls.mean_name))), cls.summary())


def _entry(name: str, text: str) -> str:
    lines = textwrap.wrap(text, WIDTH - INDENT) or [""]
    return textwrap.indent("\n".join(lines), " " * INDENT).replace(
        " " * INDENT, f"  {name:<{INDENT - 2}}", 1
    )
