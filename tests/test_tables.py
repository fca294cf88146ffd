"""Evaluations as tables: what they say, in every form, whatever the names in them hold."""

from __future__ import annotations

import dataclasses
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.notes import convention_notes, coverage_notes
from rank_magic.tables import SUFFIXES, checked_path, write
from rank_magic.tables.text import _width

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    return rm.datasets.load_electronics()


@pytest.fixture(scope="module")
def four(shop: pd.DataFrame) -> rm.Evaluation:
    return rm.evaluate(shop, score=["bm25", "minilm", "rrf", "tfidf_title"])


@pytest.fixture(scope="module")
def one(shop: pd.DataFrame) -> rm.Evaluation:
    return rm.evaluate(shop, ["nDCG@10", "RR"], score="bm25")


@pytest.fixture(scope="module")
def bad_names() -> rm.Evaluation:
    """Names that would be markup, a terminal's orders or TeX if they were let."""
    frame = pd.DataFrame(
        {
            "query": [EVIL, EVIL, "a|b*c_d", "a|b*c_d"],
            "topic": ["<b>bold</b>", "<b>bold</b>", "\x1b[31mred\nline", "\x1b[31mred\nline"],
            "doc": ["x", "y", "x", "y"],
            "grade": [1, 0, 0, 1],
            EVIL: [2, 1, 2, 1],
            "50% & $5_{x}\\~": [1, 2, 1, 2],
            "\x1b[31m|`pipe`\n% \\evil": [3, 2, 1, 2],
        }
    )
    return rm.evaluate(frame, ["RR", "P@1"], query="query", score=list(frame.columns[4:]))


class Reader(HTMLParser):
    """Reads HTML as a browser does; checks that tags are closed and collects what there is."""

    VOID = ("br", "meta", "hr", "img")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)


def cells(html: str) -> list[list[str]]:
    """Return the text of each row of the first table, tags and styles taken away."""
    table = re.search(r"<table.*?</table>", html, re.DOTALL)
    assert table
    return [
        [
            re.sub(r"<[^>]*>", "", cell).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in re.findall(r"<tr>(.*?)</tr>", table[0], re.DOTALL)
    ]


# What the table says.


def test_the_table_holds_the_means_and_intervals(four: rm.Evaluation) -> None:
    head, *rows = cells(four.to_html())
    assert head == ["", *four.names]
    summary = four.summary()
    for system, row in zip(four.systems, rows, strict=True):
        assert row[0] == system
        for place, name in enumerate(four.names):
            entry = summary.loc[(system, name)]
            assert row[1 + 2 * place] == f"{entry['mean']:.4f}"
            assert row[2 + 2 * place].endswith(f"[{entry['low']:.3f}, {entry['high']:.3f}]")


def test_a_number_stands_alone_in_its_cell_so_that_it_can_be_copied(four: rm.Evaluation) -> None:
    for row in cells(four.to_html())[1:]:
        assert all(float(cell) <= 1 for cell in row[1::2])


def test_the_best_is_marked_by_more_than_colour(four: rm.Evaluation) -> None:
    best = four.mean().idxmax()
    for row in cells(four.to_html())[1:]:
        for place, name in enumerate(four.names):
            assert ("▲" in row[2 + 2 * place]) == (best[name] == row[0])
    assert "▲ best" in four.to_html()
    marked = re.findall(r"^(\w+) .*\*\[", repr(four), re.MULTILINE)
    assert set(marked) == set(best)


def test_equals_are_all_best_and_when_all_are_none_is(shop: pd.DataFrame) -> None:
    twins = shop.assign(twin=shop["bm25"])
    html = rm.evaluate(twins, "RR", score=["bm25", "twin", "minilm"]).to_html()
    assert [("▲" in row[2]) for row in cells(html)[1:]] == [True, True, False]
    assert "▲" not in rm.evaluate(twins, "RR", score=["bm25", "twin"]).to_html()


def test_facts_about_data_are_not_marked_as_best(shop: pd.DataFrame) -> None:
    found = rm.evaluate(shop, ["Judged@10", "NumRet", "RR"], score=["bm25", "minilm"])
    for row in cells(found.to_html())[1:]:
        assert "▲" not in row[2] + row[4]
    assert ["▲" in row[6] for row in cells(found.to_html())[1:]] == [True, False]


def test_counts_have_no_decimals(shop: pd.DataFrame) -> None:
    found = rm.evaluate(shop, ["NumRet", "RR"], score="bm25")
    assert cells(found.to_html())[1][1] == "10,016"
    assert re.search(r"NumRet +10,016$", repr(found), re.MULTILINE)
    assert "sums of NumRet" in repr(found)


def test_one_system_has_a_row_for_each_measure(one: rm.Evaluation) -> None:
    head, *rows = cells(one.to_html())
    assert head == ["bm25", "mean", "95 % interval"]
    assert [row[0] for row in rows] == ["nDCG@10", "RR"]
    assert "▲" not in one.to_html()


def test_systems_are_sorted_from_the_best_to_the_worst(four: rm.Evaluation) -> None:
    html = four.shown(sort="map").to_html()
    wanted = four.mean()["AP"].sort_values(ascending=False).index
    assert [row[0] for row in cells(html)[1:]] == list(wanted)
    assert list(four.shown(sort="map").systems) == list(four.systems)


def test_a_mean_that_is_not_there_is_a_dash() -> None:
    frame = pd.DataFrame({"query": "q", "score": [2, 1], "grade": [0, 0]})
    found = rm.evaluate(frame, "RR", no_relevant="nan")
    assert cells(found.to_html())[1][1] == "–"
    assert "–" in repr(found)
    assert "–" in found.to_markdown()
    assert "--" in found.to_latex()


def test_a_single_query_has_no_interval() -> None:
    frame = pd.DataFrame({"query": "q", "score": [2, 1], "grade": [1, 0]})
    found = rm.evaluate(frame, "RR")
    assert cells(found.to_html())[1][1:] == ["1.0000", ""]
    assert "Means over 1 query " in repr(found)


@pytest.mark.parametrize("decimals", [0, 1, 2, 6])
def test_decimals_are_chosen(four: rm.Evaluation, decimals: int) -> None:
    found = four.shown(decimals=decimals)
    wanted = f"{four.mean().loc['bm25', 'AP']:.{decimals}f}"
    for text in (found.to_html(), repr(found), found.to_markdown(), found.to_latex()):
        assert wanted in text
        if 1 < decimals < 4:
            assert not re.search(rf"\d\.\d{{{decimals + 1}}}", re.sub(r"<details.*", "", text))


def test_the_view_changes_nothing_that_was_measured(four: rm.Evaluation) -> None:
    other = four.shown(decimals=1, sort="rr", worst=3, per_query=True)
    pd.testing.assert_frame_equal(other.per_query, four.per_query)
    assert four.view == rm.views.View()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"decimals": -1}, "decimals must be a whole number from 0 to 15, not -1"),
        ({"decimals": True}, "not True"),
        ({"worst": 1.5}, "worst must be a whole number of at least 0, not 1.5"),
        ({"sort": "ndcg@7"}, "sort='ndcg@7' is not among the measures. Sort by one of 'nDCG@10'"),
        ({"sort": "nope"}, "No measure is called 'nope'"),
        ({"decimal": 3}, "nothing called 'decimal'.*Did you mean decimals"),
    ],
)
def test_a_view_that_can_t_be_is_told(four: rm.Evaluation, changes: Any, words: str) -> None:
    with pytest.raises(rm.errors.RankMagicError, match=words):
        four.shown(**changes)


# Single queries.


def test_the_worst_queries_are_those_that_could_be_better(one: rm.Evaluation) -> None:
    text = repr(one.shown(worst=4))
    listed = re.findall(r"^(q\d+) ", text, re.MULTILINE)
    hopeful = one.per_query["nDCG@10"][one._values.findable[0]]
    assert listed == list(hopeful.sort_values(kind="stable").index[:4])
    assert "The 4 worst queries by nDCG@10" in text
    assert "head set" in text  # the words of q018


def test_the_worst_of_several_systems_are_so_on_average(four: rm.Evaluation) -> None:
    by = four.per_query.xs("RR", axis=1, level="measure").mean(axis=1)
    hopeful = by[four._values.findable[2]].sort_values(kind="stable")
    html = four.shown(worst=5, sort="rr").to_html()
    assert re.findall(r"<td class='rm-text'>(q\d+)</td>", html)[:5] == list(hopeful.index[:5])


def test_it_says_who_had_no_results(four: rm.Evaluation) -> None:
    text = repr(four.shown(worst=100))
    assert re.search(r"no results: (bm25, )?tfidf_title", text)


def test_more_worst_queries_than_there_are_is_all_of_them(one: rm.Evaluation) -> None:
    assert "The 116 worst queries" in repr(one.shown(worst=10**6))


def test_every_query_is_listed_up_to_a_limit(four: rm.Evaluation, one: rm.Evaluation) -> None:
    assert (
        len(re.findall(r"<td class='rm-text'>q\d+</td>", one.shown(per_query=True).to_html()))
        == 135
    )
    assert "105 more queries: .per_query" in repr(one.shown(per_query=True))
    text = repr(four.shown(per_query=True, sort="rr"))
    assert "bm25 RR" in text


def test_several_columns_that_name_a_query_are_told_together() -> None:
    frame = pd.DataFrame(
        {"lang": ["de", "de", "en"], "query": ["a", "b", "a"], "score": [1, 2, 3], "grade": 1}
    )
    text = repr(rm.evaluate(frame, "RR", query=["lang", "query"]).shown(per_query=True))
    assert "lang, query" in text
    assert re.search(r"^de, b +1\.0000$", text, re.MULTILINE)


# What stands below.


def notes(evaluation: rm.Evaluation) -> str:
    return "; ".join(note.text for note in coverage_notes(evaluation))


def test_the_means_come_with_what_they_rest_on(four: rm.Evaluation) -> None:
    assert notes(four) == (
        "19 queries have no relevant document (score 0); "
        "unanswered: bm25 4, minilm 0, rrf 0, tfidf_title 8 (score 0); "
        "Judged@10: bm25 74 %, minilm 39 %, rrf 56 %, tfidf_title 60 %; "
        "scores tie in bm25 124, minilm 87, rrf 117, tfidf_title 105 queries, which matters most "
        "for bm25 RR: 12 queries, mean between 0.7127 and 0.7305; "
        "rows without a score (not retrieved): bm25 12,674, minilm 9,190, rrf 9,190, "
        "tfidf_title 13,735"
    )


@pytest.mark.parametrize(
    ("frame", "options", "words"),
    [
        ({"query": ["q", "p"], "grade": [1, None]}, {}, "1 query without any judgment left out"),
        ({"grade": [1, 2]}, {}, "only positives were judged"),
        (
            {"grade": [1, 0], "score": [1, 1]},
            {},
            "scores tie in 1 query, which matters most for RR: 1 query,",
        ),
        ({"grade": [1, 1], "score": [1, 1]}, {}, "which changes no value here"),
        ({"rank": [2, 1]}, {}, "rank and score disagree in 1 query; the score decided"),
        ({"grade": [0, 0]}, {"no_relevant": "one"}, "1 query has no relevant document (score 1)"),
        ({"score": [2, None]}, {}, "rows without a score (not retrieved): 1"),
        (
            {"grade": [1, 0], "score": [1, 1]},
            {"measures": "Q"},
            "for Q equal scores stand in 1,000",
        ),
    ],
)
def test_whatever_a_mean_rests_on_is_said(
    frame: dict[str, Any], options: dict[str, Any], words: str
) -> None:
    whole = pd.DataFrame({"query": "q", "doc": ["a", "b"], "grade": [1, 0], "score": [2.0, 1.0]})
    found = rm.evaluate(whole.assign(**frame), options.pop("measures", "RR"), **options)
    assert words in notes(found)


def test_many_systems_are_told_by_their_ends(shop: pd.DataFrame) -> None:
    frame = shop.assign(**{f"s{i}": shop["bm25"] for i in range(4)})
    found = rm.evaluate(frame, "RR", score=["minilm", "bm25", "s0", "s1", "s2", "s3"])
    assert "unanswered: 0 (minilm) to 4 (bm25)" in notes(found)


def test_conventions_that_were_chosen_stand_first(shop: pd.DataFrame) -> None:
    found = rm.evaluate(shop, "RR", score="bm25", unjudged="remove", depth=100)
    first, second, *rest = convention_notes(found)
    assert first.chosen
    assert second.chosen
    assert {first.text, second.text} == {
        "unjudged documents removed from the rankings",
        "only the first 100 results looked at",
    }
    assert not any(note.chosen for note in rest)
    assert "<b>unjudged documents removed from the rankings</b>" in found.to_html()


def test_only_conventions_that_bear_on_the_means_are_shown(shop: pd.DataFrame) -> None:
    found = rm.evaluate(shop, "RR", score="bm25")
    shown = "; ".join(note.text for note in convention_notes(found))
    every = "; ".join(note.text for note in convention_notes(found, every=True))
    assert "relevant from grade 1" in shown
    for words in ("gain", "negative", "top grade", "no document twice"):
        assert words not in shown
        assert words in every
    assert every.replace("'", "&#x27;") in found.to_html()
    plain = shop.dropna().drop_duplicates(["query_id", "bm25"])
    assert "tied" not in "".join(
        n.text for n in convention_notes(rm.evaluate(plain, "RR", score="bm25"))
    )


def test_details_say_how_far_other_choices_move_the_means(four: rm.Evaluation) -> None:
    details = four.to_html().partition("<details")[2]
    rows = cells(details)
    assert len(rows) == 1 + 16
    line = four.sensitivity.loc[("bm25", "nDCG@10")]
    assert rows[1] == [
        "bm25",
        "nDCG@10",
        f"{line['mean']:.4f}",
        f"{line['worst']:.4f} to {line['best']:.4f}",
        f"{line['ties_matter']:.0f}",
        f"{line['unjudged_worthless']:.4f} to {line['unjudged_best']:.4f}",
        f"{line['answered']:.4f}",
        f"{line['with_relevant']:.4f}",
    ]
    assert rows[2][0] == ""  # the same system


def test_large_work_is_not_done_unasked(
    shop: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rank_magic.notes.WORKED_OUT_CELLS", 1000)
    found = rm.evaluate(shop, "RR", score="bm25")
    assert "scores tie in 124 queries;" in repr(found)
    assert "Not worked out unasked" in found.to_html()
    assert "sensitivity" not in vars(found)
    _ = found.sensitivity  # asked for, it is shown
    assert "which matters most for RR" in repr(found)
    assert "Not worked out unasked" not in found.to_html()


def test_remarks_stand_in_every_form(one: rm.Evaluation) -> None:
    found = dataclasses.replace(one, view=dataclasses.replace(one.view, remarks=("Mind <this>.",)))
    assert "Mind &lt;this&gt;." in found.to_html()
    assert "Mind <this>." in repr(found)
    assert r"Mind \<this\>." in found.to_markdown()
    assert "% Mind <this>." in found.to_latex()


# HTML.


def test_html_has_no_script_and_asks_for_nothing(four: rm.Evaluation) -> None:
    html = four.shown(worst=3, per_query=True).to_html()
    reader = Reader(html)
    assert {tag for tag, _ in reader.tags} <= {
        *("style", "div", "table", "thead", "tbody", "tr", "th", "td"),
        *("span", "b", "p", "details", "summary", "code"),
    }
    for _, attributes in reader.tags:
        assert not {name for name in attributes if name.startswith("on")}
        assert not {"src", "href"} & set(attributes)
    assert not re.search(r"url\(|@import|http|javascript", html)


def test_html_reads_without_styles(four: rm.Evaluation) -> None:
    html = four.to_html()
    bare = re.sub(r"<style.*?</style>", "", html, flags=re.DOTALL)
    bare = re.sub(r" (style|class)=('[^']*'|[\w-]+)", "", bare)
    assert cells(bare) == cells(html)
    assert "▲ [0.581, 0.714]" in bare


def test_every_rule_is_about_our_own_table(four: rm.Evaluation) -> None:
    style = re.search(r"<style scoped>(.*?)</style>", four.to_html(), re.DOTALL)
    assert style
    for rule in re.findall(r"([^{}]+)\{", style[1]):
        assert all(part.strip().startswith(".rm-means") for part in rule.split(",")), rule


def test_colours_are_those_of_the_theme(four: rm.Evaluation) -> None:
    html = four.to_html()
    assert set(re.findall(r"#[0-9a-fA-F]{3,6}\b", html)) == {"#0072B2"}
    assert not re.search(r"\b(color|background): *(white|black)", html)


def test_names_are_escaped_everywhere(bad_names: rm.Evaluation) -> None:
    html = bad_names.shown(worst=2, per_query=True).to_html()
    reader = Reader(html)
    assert "img" not in {tag for tag, _ in reader.tags}
    assert "<b>bold</b>" not in html
    assert EVIL in "".join(reader.text)
    assert "\x1b" not in html


def test_bars_are_as_long_as_the_means(one: rm.Evaluation) -> None:
    widths = re.findall(r"class='rm-bar'><div style='left:0;width:([\d.]+)%'", one.to_html())
    assert [float(width) for width in widths] == pytest.approx(100 * one.mean(), abs=0.05)


def test_bars_of_open_scales_are_shares_of_the_best(shop: pd.DataFrame) -> None:
    found = rm.evaluate(shop, "DCG@10", score=["bm25", "minilm"])
    widths = re.findall(r"class='rm-bar'><div style='left:0;width:([\d.]+)%'", found.to_html())
    assert widths[0] == "100.0"
    assert "rm-bar'><div" not in rm.evaluate(shop, "DCG@10", score="bm25").to_html()


# Text.


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
def test_text_stays_within_the_terminal(
    four: rm.Evaluation,
    one: rm.Evaluation,
    bad_names: rm.Evaluation,
    monkeypatch: pytest.MonkeyPatch,
    width: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for evaluation in (four, one, bad_names):
        text = repr(evaluation.shown(worst=3, per_query=True))
        assert max(map(_width, text.splitlines())) <= width
        assert all(line == line.rstrip() for line in text.splitlines())


def test_a_wide_table_is_cut_into_several(
    four: rm.Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    text = repr(four)
    assert text.count("tfidf_title  ") == 2
    for name in four.names:
        assert name in text


def test_text_gives_the_terminal_no_orders(bad_names: rm.Evaluation) -> None:
    text = repr(bad_names.shown(worst=2, per_query=True))
    assert "\x1b" not in text
    assert r"\x1b[31mred\nline" in text


def test_wide_letters_stand_in_line() -> None:
    frame = pd.DataFrame(
        {"query": ["電脳", "ab"], "doc": ["x", "x"], "grade": [1, 1], "score": [1, 1]}
    )
    lines = repr(rm.evaluate(frame, "RR").shown(per_query=True)).splitlines()
    ends = [_width(line) for line in lines if line.startswith(("電脳", "ab"))]
    assert len(set(ends)) == 1


# Markdown and LaTeX.


def test_markdown_is_a_table_with_the_best_in_bold(four: rm.Evaluation) -> None:
    lines = four.to_markdown(intervals=False).splitlines()
    assert lines[0] == "|  | nDCG@10 | ERR@10 | RR | AP |"
    assert lines[1] == "| :-- | --: | --: | --: | --: |"
    assert lines[4] == "| rrf | **0.6478** | **0.6254** | **0.7432** | 0.5820 |"
    assert lines[5].startswith(r"| tfidf\_title |")
    assert r"\[0.560, 0.696\]" in four.to_markdown()


def test_markdown_escapes_names(bad_names: rm.Evaluation) -> None:
    text = bad_names.to_markdown()
    for line in text.splitlines()[:5]:
        assert len(re.findall(r"(?<!\\)\|", line)) == 4, line
    assert r"\<img src=x onerror=alert(1)\>" in text


def test_latex_is_a_table_with_the_best_in_bold(four: rm.Evaluation) -> None:
    text = four.to_latex(intervals=False)
    assert r"\begin{tabular}{lrrrr}" in text
    assert r"rrf & \textbf{0.6478} & \textbf{0.6254} & \textbf{0.7432} & 0.5820 \\" in text
    assert r"tfidf\_title & " in text
    assert r"{\footnotesize [0.560, 0.696]}" in four.to_latex()
    assert text.startswith("% Means over 135 queries")


def test_latex_escapes_names(bad_names: rm.Evaluation) -> None:
    text = bad_names.to_latex()
    body = [line for line in text.splitlines() if not line.startswith("%")]
    assert r"50\% \& \$5\_\{x\}\textbackslash{}\textasciitilde{}" in text
    assert all(len(re.findall(r"(?<!\\)&", line)) == 2 for line in body[2:-2] if "&" in line)
    assert not any(r"\evil" in line for line in body)


# Files.


def test_html_files_are_whole_pages(four: rm.Evaluation, tmp_path: Path) -> None:
    write(four, tmp_path / "table.html")
    html = (tmp_path / "table.html").read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert "color-scheme: light dark" in html
    assert four.to_html() in html


def test_csv_holds_the_means_in_full(four: rm.Evaluation, tmp_path: Path) -> None:
    write(four, tmp_path / "table.csv")
    table = pd.read_csv(tmp_path / "table.csv", index_col=["system", "measure"])
    pd.testing.assert_frame_equal(
        table, four.summary(), check_index_type=False, check_column_type=False, rtol=1e-15
    )


def test_csv_holds_every_query_when_they_are_shown(
    four: rm.Evaluation, one: rm.Evaluation, tmp_path: Path
) -> None:
    write(four.shown(per_query=True), tmp_path / "table.csv")
    table = pd.read_csv(tmp_path / "table.csv")
    assert list(table.columns) == ["system", "measure", "query_id", "value"]
    assert len(table) == 135 * 16
    value = table.set_index(["system", "measure", "query_id"])["value"]
    assert value["rrf", "AP", "q003"] == four.per_query.loc["q003", ("rrf", "AP")]
    write(one.shown(per_query=True), tmp_path / "one.csv")
    assert list(pd.read_csv(tmp_path / "one.csv").columns) == ["measure", "query_id", "value"]


@pytest.mark.parametrize("per_query", [False, True])
def test_parquet_holds_the_same(four: rm.Evaluation, tmp_path: Path, per_query: bool) -> None:
    pytest.importorskip("pyarrow")
    for suffix in (".csv", ".parquet"):
        write(four.shown(per_query=per_query), tmp_path / f"table{suffix}")
    csv, parquet = pd.read_csv(tmp_path / "table.csv"), pd.read_parquet(tmp_path / "table.parquet")
    pd.testing.assert_frame_equal(csv, parquet, check_dtype=False, rtol=1e-15)


def test_systems_of_several_types_can_be_written(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"query": "q", "grade": [1, 0], 1: [1, 2], "two": [2, 1]})
    write(rm.evaluate(frame, "RR", score=[1, "two"]), tmp_path / "table.parquet")
    assert list(pd.read_parquet(tmp_path / "table.parquet")["system"]) == ["1", "two"]


def test_a_path_is_checked(tmp_path: Path) -> None:
    with pytest.raises(rm.errors.RankMagicError, match="what kind of file"):
        checked_path(tmp_path / "table")
    with pytest.raises(rm.errors.RankMagicError, match="no folder"):
        checked_path(tmp_path / "no" / "table.md")
    assert checked_path(tmp_path / "TABLE.MD").suffix == ".MD"
    assert {".html", ".md", ".tex", ".csv", ".parquet"} <= set(SUFFIXES)


# Size.


def test_a_large_evaluation_is_rendered_fast() -> None:
    rng = np.random.default_rng(0)
    queries, docs, systems = 10_000, 5, 20
    frame = pd.DataFrame(
        {
            "query": np.repeat(np.arange(queries), docs),
            "doc": np.tile(np.arange(docs), queries),
            "grade": rng.integers(0, 3, queries * docs),
            **{f"s{i:02}": rng.random(queries * docs).round(2) for i in range(systems)},
        }
    )
    found = rm.evaluate(frame, score=[f"s{i:02}" for i in range(systems)]).shown(per_query=True)
    _ = found.coverage, found.sensitivity
    start = time.perf_counter()
    html, text = found.to_html(), repr(found)
    taken = time.perf_counter() - start
    assert len(html) < 2_000_000
    assert "9,800 more queries" in html
    assert text.count("\n") < 1_000
    assert taken < 2.0
