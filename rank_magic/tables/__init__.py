"""Evaluations as tables: for the terminal, the notebook, a paper, a file.

`grid` and `queries` say what a table holds; `text`, `html` and `markup` write it down; `files`
puts it on disk. What stands under a table comes from `rank_magic.notes`.
"""

from rank_magic.tables.comparisons import (
    comparison_html,
    comparison_latex,
    comparison_markdown,
    comparison_text,
)
from rank_magic.tables.diagnosis import diagnosis_html, diagnosis_text
from rank_magic.tables.files import SUFFIXES, checked_path, write
from rank_magic.tables.html import evaluation_html, evaluation_page, means_html, worst_html
from rank_magic.tables.markup import evaluation_latex, evaluation_markdown
from rank_magic.tables.segments import (
    segments_html,
    segments_latex,
    segments_markdown,
    segments_text,
)
from rank_magic.tables.text import evaluation_text
from rank_magic.tables.viewing import checked_sort, prepare, shown

__all__ = [
    "SUFFIXES",
    "checked_path",
    "checked_sort",
    "comparison_html",
    "comparison_latex",
    "comparison_markdown",
    "comparison_text",
    "diagnosis_html",
    "diagnosis_text",
    "evaluation_html",
    "evaluation_latex",
    "evaluation_markdown",
    "evaluation_page",
    "evaluation_text",
    "means_html",
    "prepare",
    "segments_html",
    "segments_latex",
    "segments_markdown",
    "segments_text",
    "shown",
    "worst_html",
    "write",
]
