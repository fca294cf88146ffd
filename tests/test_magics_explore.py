"""``--explore``: the widget in place of the table."""

from __future__ import annotations

from typing import Any

import pytest

import rank_magic as rm
from rank_magic.widgets import QueryExplorer


@pytest.fixture
def shell(magic_shell: Any) -> Any:
    magic_shell.user_ns["shop"] = rm.datasets.load_electronics()
    return magic_shell


def test_explore_shows_the_widget_and_out_keeps_the_evaluation(shell: Any) -> None:
    line = "shop ndcg@10 mrr --score bm25 --sort mrr --explore --out result"
    shown = shell.run_line_magic("rankeval", line)
    assert isinstance(shown, QueryExplorer)
    assert shown.measure == "RR"
    assert isinstance(shell.user_ns["result"], rm.Evaluation)
    shown.close()


def test_a_cell_is_explored_too_and_a_semicolon_still_silences(shell: Any) -> None:
    body = "shop[shop['query'] == 'laptop']"
    shown = shell.run_cell_magic("rankeval", "rr --score bm25 -e", body)
    assert isinstance(shown, QueryExplorer)
    shown.close()
    assert shell.run_line_magic("rankeval", "shop rr --score bm25 --explore;") is None


def test_the_help_knows_it(shell: Any, capsys: pytest.CaptureFixture[str]) -> None:
    shell.run_line_magic("rankeval", "--help")
    assert "--explore" in capsys.readouterr().out
