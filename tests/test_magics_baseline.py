"""``--baseline`` on the line: what `Evaluation.compare` gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError

import rank_magic as rm
from rank_magic.errors import RankMagicError
from rank_magic.magics.helping import help_text

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "query": np.repeat(list("abcdefghij"), 4),
        "doc": list("wxyz") * 10,
        "grade": RNG.integers(0, 3, 40),
        "old": RNG.random(40),
        "new": RNG.random(40),
        "other one": RNG.random(40),
    }
)


@pytest.fixture
def shell(magic_shell: Any) -> Any:
    magic_shell.user_ns["shop"] = FRAME.copy()
    return magic_shell


def test_a_baseline_shows_the_comparison(shell: Any) -> None:
    line = "shop rr ndcg@3 -s old -s new -s 'other one' --baseline new --out result"
    shown = shell.run_line_magic("rankeval", line)
    assert isinstance(shown, rm.Comparison)
    assert shell.user_ns["result"] is shown
    right = rm.evaluate(FRAME, "RR nDCG@3", score=["old", "new", "other one"])
    expected = right.compare(baseline="new").to_frame()
    pd.testing.assert_frame_equal(shown.to_frame(), expected)
    body = shell.run_cell_magic(
        "rankeval", "rr -s old -s new --baseline old", "shop[shop['query'] > 'c']"
    )
    assert body.rows == [("RR", "new", "old")]
    assert shell.run_line_magic("rankeval", "shop rr -s old -s new --baseline old;") is None


def test_a_baseline_may_be_a_name_that_is_no_text(shell: Any) -> None:
    shell.user_ns["numbered"] = FRAME.rename(columns={"old": 1, "new": 2})
    shown = shell.run_line_magic("rankeval", "numbered rr -s 1 -s 2 --baseline 1")
    assert shown.rows == [("RR", 2, 1)]


def test_systems_that_stand_in_rows_have_names_too(shell: Any) -> None:
    rows = FRAME.melt(["query", "doc", "grade"], ["old", "new"], "system", "score")
    shell.user_ns["long"] = rows
    shown = shell.run_line_magic("rankeval", "long rr --baseline old")
    assert shown.rows == [("RR", "new", "old")]


def test_what_else_the_line_says_is_seen(shell: Any) -> None:
    shown = shell.run_line_magic(
        "rankeval", "shop -s old -s new --baseline old --decimals 2 -t worst"
    )
    text = repr(shown)
    assert "No measure was named, so these are the usual ones." in text
    assert "tied scores in their worst order" in text
    first = text.splitlines()[1].split()
    assert len(first[1].strip("*")) == len("0.12")


@pytest.mark.parametrize("suffix", [".html", ".md", ".tex", ".csv"])
def test_it_can_be_written_to_a_file(shell: Any, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table{suffix}"
    shown = shell.run_line_magic("rankeval", f"shop rr -s old -s new --baseline old --to {path}")
    text = path.read_text(encoding="utf-8")
    if suffix == ".csv":
        table = pd.read_csv(path, keep_default_na=False)
        # pandas' reader of text is not exact to the last bit before 3.0
        assert table["difference"].astype(float).tolist() == pytest.approx(
            shown.to_frame()["difference"].tolist(), rel=1e-12
        )
        assert table.columns[:3].tolist() == ["measure", "system", "baseline"]
    else:
        form = {".html": shown.to_html, ".md": shown.to_markdown, ".tex": shown.to_latex}[suffix]
        assert form() in text


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        (
            "shop rr -s old -s new --baseline odl",
            RankMagicError,
            "There is no system 'odl'.*Did you mean old",
        ),
        ("shop rr -s old --baseline old", RankMagicError, "needs two systems"),
        ("shop rr -s old -s new --baseline old --by doc", UsageError, "which --by has no part in"),
        ("shop rr -s old -s new --baseline old --worst 3", UsageError, "--worst has no part"),
        ("shop rr -s old -s new --baseline old --explore", UsageError, "--explore has no part"),
        ("shop rr -s old -s new --baseline", UsageError, "needs a value, such as --baseline bm25"),
    ],
)
def test_what_can_not_be_is_refused(
    shell: Any, line: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        shell.run_line_magic("rankeval", line)


def test_help_and_completion_know_it(shell: Any) -> None:
    assert "--baseline" in help_text()
    with provisionalcompleter():
        text = "%rankeval shop rr --baseline "
        found = {one.text.strip() for one in shell.Completer.completions(text, len(text))}
    assert {"old", "new"} <= found
