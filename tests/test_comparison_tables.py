"""Comparisons as tables: the same facts as text, HTML, Markdown and LaTeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.tables.comparisons import sheets

SYSTEMS = ["bm25", "minilm", "rrf", "tfidf_title"]
FORMS = pytest.mark.parametrize("form", ["text", "html", "markdown", "latex"])


@pytest.fixture(scope="module")
def evaluation() -> rm.Evaluation:
    shop = rm.datasets.load_electronics()
    return rm.evaluate(shop, "nDCG@10 AP", score=SYSTEMS, ties="trec", gain="linear")


@pytest.fixture(scope="module")
def every_pair(evaluation: rm.Evaluation) -> rm.Comparison:
    return evaluation.compare(resamples=0)


@pytest.fixture(scope="module")
def to_bm25(evaluation: rm.Evaluation) -> rm.Comparison:
    return evaluation.compare(resamples=0, baseline="bm25")


@pytest.fixture(scope="module")
def one_pair() -> rm.Comparison:
    shop = rm.datasets.load_electronics()
    evaluation = rm.evaluate(
        shop, "nDCG@10 AP", score=["bm25", "minilm"], ties="trec", gain="linear"
    )
    return evaluation.compare(resamples=0)


def written(comparison: rm.Comparison, form: str) -> str:
    return repr(comparison) if form == "text" else getattr(comparison, f"to_{form}")()


class Cells(HTMLParser):
    """The text of the cells of every table, row by row."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self._open = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._open = True
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._open = False

    def handle_data(self, data: str) -> None:
        if self._open:
            self.tables[-1][-1][-1] += data


def test_means_carry_the_letters_of_the_systems_they_are_above(every_pair: rm.Comparison) -> None:
    means, pairs = sheets(every_pair)
    assert means.columns[0].cells == ["a", "b", "c", "d"]
    assert means.columns[1].cells == SYSTEMS
    table = every_pair.to_frame()
    for place, measure in enumerate(every_pair.names):
        for row, system in enumerate(SYSTEMS):
            below = {
                "abcd"[SYSTEMS.index(two[1] if two[0] == system else two[0])]
                for two, found in table.loc[measure].iterrows()
                if system in two
                and found["p_t_corrected"] < 0.05
                and (found["difference"] > 0) == (two[0] == system)
            }
            assert set(means.marks.get((row, 2 + place), "")) == below
    assert len(pairs.columns[0].cells) == 12


def test_means_that_differ_from_the_baseline_are_marked(to_bm25: rm.Comparison) -> None:
    means = sheets(to_bm25)[0]
    marked = {
        (means.columns[0].cells[row], means.columns[place].name) for row, place in means.marks
    }
    assert marked == {(s, m) for s in ("minilm", "tfidf_title") for m in ("nDCG@10", "AP")}
    assert means.legend == (
        "† differs from bm25 (p < 0.05, paired t test, Holm's correction over 6 comparisons)."
    )


def test_the_best_mean_is_marked(every_pair: rm.Comparison) -> None:
    means = sheets(every_pair)[0]
    assert {(SYSTEMS[row], means.columns[place].name) for row, place in means.best} == {
        ("rrf", "nDCG@10"),
        ("bm25", "AP"),
    }


@FORMS
def test_every_form_says_the_same(one_pair: rm.Comparison, form: str) -> None:
    text = " ".join(written(one_pair, form).split())
    for fact in ("0.6338", "0.5091", "-0.1248", "-0.175", "-0.074", "-0.42", "21/44/70"):
        assert fact in text
    assert "evidence of a difference" in text
    assert "as grade 0 they leave minilm 0.125 below bm25" in text
    assert "trec" in text.lower()  # the conventions


def test_html_holds_the_table_and_no_script(every_pair: rm.Comparison) -> None:
    html = every_pair.to_html()
    means, pairs = Cells(html).tables
    assert means[0] == ["", "system", "nDCG@10", "AP"]
    assert means[3] == ["c", "rrf", "0.6508 ▲bd", "0.5838bd"]
    assert pairs[1][:5] == ["nDCG@10", "minilm", "bm25", "-0.1248†", "[-0.175, -0.074]"]
    assert "<script" not in html
    assert "http" not in html
    assert every_pair._repr_html_() == html


def test_names_are_escaped_everywhere() -> None:
    odd = ["<b>a&b</b>", "100%_$x|y*"]
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"query": np.repeat(np.arange(9), 3), "grade": rng.integers(0, 3, 27)})
    for name in odd:
        frame[name] = rng.random(27)
    found = rm.evaluate(frame, "nDCG@3", score=odd).compare(resamples=0)
    assert "<b>a" not in found.to_html()
    assert "&lt;b&gt;a&amp;b&lt;/b&gt;" in found.to_html()
    head = found.to_markdown().splitlines()[0]
    assert head.count(" | ") == 7
    assert r"100%\_$x\|y\*" in head
    assert r"100\%\_\$x\textbar{}y*" in found.to_latex()


def test_markdown_is_a_table_with_the_best_in_bold(every_pair: rm.Comparison) -> None:
    lines = every_pair.to_markdown().splitlines()
    assert lines[:3] == [
        "|  | system | nDCG@10 | AP |",
        "| :-- | :-- | --: | --: |",
        "| a | bm25 | 0.6338 <sup>bd</sup> | **0.5853** <sup>bd</sup> |",
    ]
    assert all(line.count("|") == 5 for line in lines[:6])
    assert any(line.startswith("- Unjudged documents decide") for line in lines)


def test_latex_has_marks_and_their_legend(to_bm25: rm.Comparison) -> None:
    text = to_bm25.to_latex()
    rows = [line for line in text.splitlines() if not line.startswith("%")]
    assert rows[0] == r"\begin{tabular}{lrr}"
    assert rows[1:4:2] == [r"\toprule", r"\midrule"]
    assert r"minilm & 0.5091$^{\dagger}$ & 0.4278$^{\dagger}$ \\" in rows
    assert r"rrf & \textbf{0.6508} & 0.5838 \\" in rows
    assert rows[-2].startswith(r"\multicolumn{3}{l}{\footnotesize $^{\dagger}$ differs from bm25")
    assert "†" not in "".join(rows)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_compiles(every_pair: rm.Comparison, tmp_path: Path) -> None:
    page = (
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}\n"
        f"\\begin{{document}}\n{every_pair.to_latex()}\n\\end{{document}}\n"
    )
    (tmp_path / "x.tex").write_text(page, encoding="utf-8")
    subprocess.run(
        ["pdflatex", "-interaction=batchmode", "-halt-on-error", "x.tex"], cwd=tmp_path, check=True
    )


@pytest.mark.parametrize("width", [40, 80, 200])
def test_text_keeps_to_the_terminals_width(
    every_pair: rm.Comparison, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert max(map(len, repr(every_pair).splitlines())) <= width


def test_many_pairs_are_counted_and_the_first_shown() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"query": np.repeat(np.arange(30), 4), "grade": rng.integers(0, 2, 120)})
    systems = [f"system {number}" for number in range(28)]
    for name in systems:
        frame[name] = rng.random(120)
    found = rm.evaluate(frame, "P@1", score=systems).compare(resamples=0)
    text = repr(found)
    assert "338 more rows: .to_frame() has them all." in text
    assert re.search(r"\d+ of 378 differences are evident", text)
    assert "378" not in found.to_markdown().split("\n\n")[0]
    assert [row.split()[0] for row in text.splitlines()[1:29]][-2:] == ["aa", "ab"]
    assert len(Cells(found.to_html()).tables[1]) == 301


def test_a_comparison_of_releases_shows_pairs_alone(evaluation: rm.Evaluation) -> None:
    found = rm.compare(evaluation, evaluation, names=["41", "42"], resamples=0)
    (pairs,) = sheets(found)
    assert [column.name for column in pairs.columns][:5] == [
        "measure",
        "system",
        "against",
        "its mean",
        "mean",
    ]
    assert pairs.columns[1].cells[0] == "42: bm25"


def test_large_work_is_not_done_unasked(
    evaluation: rm.Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rank_magic.notes.WORKED_OUT_CELLS", 10)
    shop = rm.datasets.load_electronics()
    found = rm.evaluate(shop, "P@5", score=["bm25", "rrf"]).compare(resamples=0)
    assert "not worked out unasked for so many rows" in " ".join(repr(found).split())
    assert "sensitivity" not in vars(found)
    found.warnings()
    assert "not worked out" not in " ".join(repr(found).split())


def test_importing_and_comparing_loads_nothing_heavy_at_import() -> None:
    import sys

    code = "import sys, rank_magic; print([m for m in ('scipy', 'tqdm', 'IPython') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
