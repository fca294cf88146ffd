"""An evaluation as one page that needs neither a kernel nor a network."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from rank_magic.browsing import query_names, query_words, values, worst_with_hope
from rank_magic.errors import RankMagicError
from rank_magic.explanation_tables import explanation_html
from rank_magic.notes import plain_text
from rank_magic.tables import checked_path, evaluation_html

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["report_html", "write_report"]

WORST = 5
MOST_SYSTEMS = 8  # of more systems than this only the first are shown in single queries

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>:root {{color-scheme: light dark;}}
body {{font-family: system-ui, sans-serif; font-size: 14px; margin: 2em auto; padding: 0 1em;
max-width: 72em;}} h2 {{margin: 1.6em 0 .4em;}} h3 {{margin: 1.2em 0 .3em;}}
details.rm-query {{margin: .3em 0;}} details.rm-query > summary {{cursor: pointer;}}</style>
</head><body><h1>{title}</h1>{body}</body></html>
"""


def write_report(evaluation: Evaluation, path: Path | str) -> None:
    """Write the report to a file; see `Evaluation.report`."""
    path = checked_path(path)
    if path.suffix.lower() != ".html":
        raise RankMagicError(f"A report is a page: its name must end in .html, not {path.name!r}.")
    path.write_text(report_html(evaluation), encoding="utf-8")


def report_html(evaluation: Evaluation) -> str:
    """Return means with what they rest on, distributions, and the worst queries, as a page."""
    title = escape(f"Ranking evaluation: {', '.join(evaluation.names)}")
    body = [
        "<h2>Means, what they rest on, and the conventions used</h2>",
        evaluation_html(evaluation),
        "<h2>How values are spread over queries</h2>",
        *_distributions(evaluation),
        "<h2>The worst queries</h2>",
        *_worst(evaluation),
    ]
    return PAGE.format(title=title, body="".join(body))


def _distributions(evaluation: Evaluation) -> Iterator[str]:
    from plotly.io import to_html

    from rank_magic.plots import distribution

    for place, name in enumerate(evaluation.names):
        figure = distribution(evaluation, name)
        # The script is in the page once, whole.
        script = place == 0
        config = {"displaylogo": False, "responsive": True}
        yield f"<h3>{escape(name)}</h3>"
        yield to_html(figure, config, full_html=False, include_plotlyjs=script)


def _worst(evaluation: Evaluation) -> Iterator[str]:
    name = evaluation.view.sort or evaluation.names[0]
    yield f"<p>By {escape(name)}, of those that have something relevant to find.</p>"
    for system in evaluation.systems[:MOST_SYSTEMS]:
        if evaluation.rankings.rows.several:
            yield f"<h3>{escape(plain_text(system))}</h3>"
        yield from _worst_of(evaluation, name, system)
    if (left := len(evaluation.systems) - MOST_SYSTEMS) > 0:
        yield f"<p>{left:,} more systems are not listed.</p>"


def _worst_of(evaluation: Evaluation, name: str, system: Hashable) -> Iterator[str]:
    numbers = worst_with_hope(evaluation, name, system, number=WORST)
    found = values(evaluation, name, system)[numbers]
    words = query_words(evaluation, numbers)
    for place, called in enumerate(query_names(evaluation, numbers)):
        said = f" · {words[1][place]}" if words is not None else ""
        explanation = evaluation.explain(evaluation.queries[numbers[place]], system=system)
        yield (
            f"<details class='rm-query'><summary>{escape(called + said)}: "
            f"{found[place]:.4f}</summary>{explanation_html(explanation)}</details>"
        )
