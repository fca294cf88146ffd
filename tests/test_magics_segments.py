"""``--by``, ``--segment`` and ``--weight`` on the line: what the calls of the same names give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError

import rank_magic as rm
from rank_magic.errors import ColumnError, DataError
from rank_magic.magics.helping import help_text
from rank_magic.segments import Segments

FRAME = pd.DataFrame(
    {
        "query": ["a", "a", "b", "b", "c", "c"],
        "market": ["de", "de", "fr", "fr", "de", "de"],
        "device": ["app", "app", "app", "app", "web", "web"],
        "traffic": [9, 9, 1, 1, 4, 4],
        "doc": ["x", "y"] * 3,
        "grade": [0, 1, 1, 0, 2, 1],
        "score": [0.9, 0.5] * 3,
        "other": [0.1, 0.5] * 3,
    }
)


@pytest.fixture
def shell(magic_shell: Any) -> Any:
    magic_shell.user_ns["shop"] = FRAME.copy()
    return magic_shell


def test_by_shows_the_means_by_segment(shell: Any) -> None:
    right = rm.evaluate(FRAME, ["RR", "AP"])
    shown = shell.run_line_magic("rankeval", "shop rr map --by market --out result")
    assert isinstance(shown, Segments)
    assert shell.user_ns["result"] is shown
    pd.testing.assert_frame_equal(shown.summary(), right.by("market").summary())
    pd.testing.assert_frame_equal(shown.evaluation.per_query, right.per_query)
    crossed = shell.run_line_magic("rankeval", "shop rr map -b market -b device")
    pd.testing.assert_frame_equal(crossed.summary(), right.by(["market", "device"]).summary())
    body = shell.run_cell_magic("rankeval", "rr --by market", "shop[shop['query'] != 'c']")
    assert body.queries.to_dict() == {"de": 1, "fr": 1}
    assert shell.run_line_magic("rankeval", "shop rr --by market;") is None


def test_by_takes_what_the_line_says_about_looks(shell: Any) -> None:
    line = "shop rr --by market --score score --score other --sort rr --decimals 2"
    shown = shell.run_line_magic("rankeval", line)
    right = rm.evaluate(FRAME, "RR", score=["score", "other"]).shown(sort="RR", decimals=2)
    assert repr(shown) == repr(right.by("market"))


def test_weight_and_segment_are_keywords_of_evaluate(shell: Any) -> None:
    shown = shell.run_line_magic("rankeval", "shop rr --weight traffic --segment market")
    right = rm.evaluate(FRAME, "RR", weight="traffic", segment="market")
    pd.testing.assert_frame_equal(shown.summary(), right.summary())
    assert shown.mean()["RR"] == (9 / 2 + 1 + 4) / 14
    pd.testing.assert_frame_equal(shown.by().summary(), right.by("market").summary())
    weighted = shell.run_line_magic("rankeval", "shop rr --weight traffic --by market")
    assert weighted.mean()["RR"].to_dict() == {"de": (9 / 2 + 4) / 13, "fr": 1.0}


def test_a_weight_can_be_set_for_the_session(shell: Any) -> None:
    shell.run_line_magic("config", "RankMagics.weight = 'traffic'")
    shown = shell.run_line_magic("rankeval", "shop rr")
    assert shown.mean()["RR"] == (9 / 2 + 1 + 4) / 14
    assert "weight='traffic'" in repr(shown)


def test_grouped_frames_and_dicts_of_frames_have_segments(shell: Any) -> None:
    grouped = shell.run_cell_magic("rankeval", "rr --by market", "shop.groupby('market')")
    assert grouped.mean()["RR"].to_dict() == {"de": 0.75, "fr": 1.0}
    body = "{'one': shop, 'two': shop.assign(score=shop['other'])}"
    systems = shell.run_cell_magic("rankeval", "rr --by market --weight traffic", body)
    assert systems.evaluation.systems == ("one", "two")
    assert systems.labels.tolist() == ["de", "fr"]


def test_columns_that_are_not_called_by_text_are_found(shell: Any) -> None:
    shell.user_ns["odd"] = FRAME.rename(columns={"market": 7})
    assert shell.run_line_magic("rankeval", "odd rr --by 7").labels.tolist() == ["de", "fr"]


@pytest.mark.parametrize("suffix", ["html", "md", "tex", "csv", "parquet"])
def test_the_table_by_segment_is_written_to_a_file(shell: Any, tmp_path: Path, suffix: str) -> None:
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"table.{suffix}"
    shown = shell.run_line_magic("rankeval", f"shop rr --by market --to {path}")
    forms = {"md": shown.to_markdown(), "tex": shown.to_latex()}
    if suffix in ("csv", "parquet"):
        table = pd.read_csv(path) if suffix == "csv" else pd.read_parquet(path)
        right = shown.summary().reset_index()
        pd.testing.assert_frame_equal(table, right, check_dtype=False)
    elif suffix == "html":
        text = path.read_text()
        assert text.startswith("<!doctype html>")
        assert shown.to_html() in text
        assert "<title>RR</title>" in text
    else:
        assert path.read_text() == forms[suffix]


def test_what_is_wrong_is_said_in_the_words_of_the_line(shell: Any) -> None:
    with pytest.raises(ColumnError, match=r"no column 'markte' for the segment.*market"):
        shell.run_line_magic("rankeval", "shop rr --by markte")
    with pytest.raises(DataError, match="A query has one segment"):
        shell.run_line_magic("rankeval", "shop rr --by doc")
    with pytest.raises(UsageError, match="--by needs a value, such as --by market"):
        shell.run_line_magic("rankeval", "shop rr --by")
    with pytest.raises(UsageError, match=r"--by shows .* --explore .*: say one"):
        shell.run_line_magic("rankeval", "shop rr --by market --explore")


def test_the_help_and_the_tab_key_know_them(shell: Any) -> None:
    text = " ".join(help_text().split())
    assert "--weight COLUMN the column of the weight: what a query counts in means" in text
    assert "--by COLUMN the means by segment" in text
    for line, right in [
        ("%rankeval shop rr --by ", {"market", "device", "query"}),
        ("%rankeval shop rr --weight ", {"traffic"}),
    ]:
        with provisionalcompleter():
            found = {one.text for one in shell.Completer.completions(line, len(line))}
        assert right <= found
    with provisionalcompleter():
        numbers = {one.text for one in shell.Completer.completions(line, len(line))}
    assert "market" not in numbers
