"""`%rankeval` and `%%rankeval` in a real InteractiveShell, a fresh one for each test."""

from __future__ import annotations

import inspect
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import nbformat
import numpy as np
import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from traitlets.config import Config
from traitlets.config.loader import DeferredConfigString

import rank_magic as rm
from rank_magic import progress
from rank_magic.conventions import CHOICES
from rank_magic.magics.options import options
from rank_magic.measures import REGISTRY

if TYPE_CHECKING:
    from browser import Lab

FRAME = pd.DataFrame(
    {
        "query": ["a", "a", "a", "a", "b", "b", "b", "c", "c"],
        "doc": ["x", "y", "z", "w", "x", "v", "u", "x", "y"],
        "grade": [0, 3, 1, None, 2, 0, 1, 0, 0],
        "score": [0.9, 0.8, 0.8, 0.4, 0.7, 0.2, 0.1, 0.9, 0.3],
        "other": [0.1, 0.9, 0.5, 0.2, 0.1, 0.8, 0.3, 0.2, 0.5],
    }
)


class Shell:
    """A shell with the magics loaded, and what it wrote."""

    def __init__(self, ip: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
        self.ip, self._capsys = ip, capsys
        self.out = self.err = ""

    def run(self, cell: str) -> ExecutionResult:
        """Run a cell as a person does; `out` and `err` are then what was written."""
        self._capsys.readouterr()
        result = self.ip.run_cell(cell, store_history=True)
        self.out, self.err = self._capsys.readouterr()
        return result

    def value(self, cell: str) -> Any:
        """Return what a cell results in; it must not fail."""
        result = self.run(cell)
        assert result.success, self.out + self.err
        return result.result

    def complaint(self, cell: str) -> str:
        """Return the one line that a cell fails with; the namespace must stay as it was."""
        before = self.names()
        result = self.run(cell)
        assert not result.success
        assert result.result is None
        lines = [line for line in (self.out + self.err).splitlines() if line.strip()]
        assert len(lines) == 1, lines
        assert self.names() == before
        return lines[0]

    def names(self) -> dict[str, int]:
        """Return the person's own names and what they stand for."""
        return {
            name: id(value)
            for name, value in self.ip.user_ns.items()
            if not re.fullmatch(r"_.*|In|Out|exit|quit|get_ipython", name)
        }

    def completions(self, text: str, *, body: str = "") -> list[str]:
        """Return what the line may become, in full, when Tab is pressed at its end."""
        cell = f"{text}\n{body}" if body else text
        with provisionalcompleter():
            found = list(self.ip.Completer.completions(cell, len(text)))
        return [text[: one.start] + one.text for one in found]


def make_shell() -> InteractiveShell:
    return InteractiveShell(
        config=Config(
            {
                "HistoryManager": {"enabled": False},
                "InteractiveShell": {"colors": "nocolor"},
                "Completer": {"use_jedi": False},
                "IPCompleter": {"use_jedi": False},
            }
        )
    )


@pytest.fixture
def ip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A bare shell; what a shell changes in Python itself is put back."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(sys, "displayhook", sys.displayhook)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    shell = make_shell()
    yield shell
    shell.restore_sys_module_state()


@pytest.fixture
def shell(
    ip: InteractiveShell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    """A shell with the magics and two frames: `frame`, and `shop`, which says nothing of roles."""
    # Doctests of the same process leave a builtin `_` behind, and IPython then sets none of its own.
    monkeypatch.delattr("builtins._", raising=False)
    ip.user_ns["frame"] = FRAME.copy()
    ip.user_ns["shop"] = FRAME.rename(
        columns={"query": "query text", "doc": "sku", "grade": "stars", "score": "bm25"}
    )
    ip.run_line_magic("load_ext", "rank_magic")
    capsys.readouterr()
    return Shell(ip, capsys)


SHOP = "--query 'query text' --doc sku --grade stars --score bm25"


def offered(shell: Shell, line: str) -> list[str]:
    """Return what our own completer has to say, without IPython's."""
    matcher = shell.ip.Completer.custom_matchers[0]
    context = SimpleNamespace(text_until_cursor=line, full_text=line, cursor_line=0)
    return [completion.text for completion in matcher(context)["completions"]]


def means(evaluation: Any) -> dict[str, float]:
    return dict(evaluation.summary()["mean"])


# The two forms.


def test_a_line_gives_the_evaluation_that_evaluate_gives(shell: Shell) -> None:
    found = shell.value("%rankeval frame ndcg@10 rr")
    wanted = rm.evaluate(FRAME, ["nDCG@10", "RR"])
    pd.testing.assert_frame_equal(found.per_query, wanted.per_query)
    assert "nDCG@10" in shell.out


def test_a_cell_measures_what_its_body_ends_in(shell: Shell) -> None:
    found = shell.value("%%rankeval rr\nfew = frame[frame['query'] != 'c']\nfew")
    assert list(found.queries) == ["a", "b"]
    assert len(shell.ip.user_ns["few"]) == 7


def test_a_line_may_be_assigned(shell: Shell) -> None:
    shell.value("best = %rankeval frame rr")
    assert isinstance(shell.ip.user_ns["best"], rm.Evaluation)
    assert shell.out == ""


def test_measures_may_be_anywhere_and_have_parameters(shell: Shell) -> None:
    found = shell.value(
        "%rankeval frame AP(rel=2, denominator=min)@5 --ties best 'P@2' rr, ndcg --depth 3"
    )
    assert found.names == ["AP(rel=2, denominator=min)@5", "P@2", "RR", "nDCG"]
    assert (found.conventions.ties, found.conventions.depth) == ("best", 3)


def test_without_measures_the_usual_ones_are_taken_and_it_says_so(shell: Shell) -> None:
    found = shell.value("%rankeval frame")
    assert found.names == ["nDCG@10", "ERR@10", "RR", "AP"]
    assert "No measure was named" in shell.out
    assert "No measure was named" in found._repr_html_()


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("ndcg rr@3 -k 5,10", ["nDCG@5", "nDCG@10", "RR@3"]),
        ("ndcg --cutoffs '5, 10'", ["nDCG@5", "nDCG@10"]),
        ("ndcg -k 5 -k 10", ["nDCG@5", "nDCG@10"]),
        ("-k 3", ["nDCG@3", "ERR@3", "RR", "AP"]),
        ("rr rr RR", ["RR"]),
    ],
)
def test_cutoffs_go_to_the_measures_that_name_none(
    shell: Shell, words: str, names: list[str]
) -> None:
    assert shell.value(f"%rankeval frame {words}").names == names


def test_cutoffs_that_change_nothing_are_reported(shell: Shell) -> None:
    shell.value("%rankeval frame ndcg@3 -k 5")
    assert "-k changes nothing" in shell.out


# What the frame may be.


@pytest.mark.parametrize(
    "expression",
    [
        "frame",
        "runs.best",
        'runs.by_month["2026-11"]',
        "runs.by_month['2026-11']",
        "runs.by_month[\"a [b] 'c'\"]",
        "runs.all[-1]",
        "runs.pairs[1, 2]",
        "nested['x']['y z']",
    ],
)
def test_names_attributes_and_items_are_looked_up(shell: Shell, expression: str) -> None:
    frame = FRAME.copy()
    shell.ip.user_ns["runs"] = SimpleNamespace(
        best=frame,
        by_month={"2026-11": frame, "a [b] 'c'": frame},
        all=[frame],
        pairs={(1, 2): frame},
    )
    shell.ip.user_ns["nested"] = {"x": {"y z": frame}}
    assert means(shell.value(f"%rankeval {expression} rr")) == means(rm.evaluate(FRAME, "RR"))


def test_the_last_result_has_a_name(shell: Shell) -> None:
    shell.run("frame.head(4)")
    assert list(shell.value("%rankeval _ rr").queries) == ["a"]


def test_a_grouped_frame_is_measured_by_its_keys(shell: Shell) -> None:
    found = shell.value("%%rankeval rr\nframe.groupby('query')")
    assert list(found.queries) == ["a", "b", "c"]


def test_a_dict_of_frames_is_a_system_each_in_its_order(shell: Shell) -> None:
    found = shell.value(
        "%%rankeval rr p@1\n"
        "{'new': frame.drop(columns='other'),\n"
        " 'base': frame.drop(columns='score').rename(columns={'other': 'prediction'})}"
    )
    assert list(found.systems) == ["new", "base"]
    wanted = rm.evaluate(FRAME, ["RR", "P@1"], score=["score", "other"])
    np.testing.assert_array_equal(found.per_query.to_numpy(), wanted.per_query.to_numpy())


def test_judgments_are_pooled_over_the_frames_of_a_dict(shell: Shell) -> None:
    shell.ip.user_ns["runs"] = {
        "one": FRAME[FRAME["doc"] != "y"].assign(system="mine"),
        "two": FRAME[FRAME["query"] != "b"],
    }
    found = shell.value("%rankeval runs r")
    per_query = found.per_query
    assert per_query.loc["a", ("one", "R")] == 0.5  # y, relevant, is known from the other
    assert per_query.loc["b", ("two", "R")] == 0  # unanswered


def test_frames_of_a_dict_may_name_their_columns_differently(shell: Shell) -> None:
    shell.ip.user_ns["runs"] = {
        "one": FRAME.drop(columns="other"),
        "two": FRAME.drop(columns="other").rename(
            columns={"query": "qid", "doc": "doc_id", "grade": "rating", "score": "prediction"}
        ),
    }
    found = shell.value("%rankeval runs rr")
    assert found.per_query["one"].equals(found.per_query["two"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("{}", "without a frame"),
        ("{'a': frame, 'b': [1]}", "'b' is a list"),
        ("[1, 2]", "ends in a list, not a DataFrame"),
        ("None", "ends in None"),
        ("frame['grade']", "ends in a Series"),
    ],
)
def test_a_body_that_ends_in_something_else_is_told(shell: Shell, body: str, words: str) -> None:
    assert words in shell.complaint(f"%%rankeval rr\n{body}")


def test_columns_that_are_not_text_can_be_named(shell: Shell) -> None:
    shell.ip.user_ns["numbered"] = FRAME.set_axis([0, 1, 2, 3, 4], axis=1)
    found = shell.value("%rankeval numbered rr --query 0 --doc 1 --grade 2 --score 3 --score 4")
    assert list(found.systems) == [3, 4]


# Options.


@pytest.mark.parametrize(
    "words",
    [
        SHOP,
        "-q 'query text' -d sku -g stars -s bm25",
        '--query="query text" --doc=sku --grade=stars --score=bm25',
        r"--query query\ text -dsku -gstars -sbm25",
    ],
)
def test_columns_are_named_in_long_and_in_short(shell: Shell, words: str) -> None:
    found = shell.value(f"%rankeval shop rr {words}")
    assert means(found) == means(rm.evaluate(FRAME, "RR"))


def test_several_scores_are_several_systems(shell: Shell) -> None:
    assert list(shell.value("%rankeval frame rr --score score -s other").systems) == [
        "score",
        "other",
    ]


def test_rank_system_and_row_order(shell: Shell) -> None:
    ranked = FRAME.assign(place=FRAME.groupby("query").cumcount() + 1, engine="e")
    shell.ip.user_ns["ranked"] = ranked.drop(columns="score")
    assert shell.value("%rankeval ranked rr --rank place").names == ["RR"]
    assert list(shell.value("%rankeval ranked rr -r place --system engine").systems) == ["e"]
    assert shell.value("%rankeval ranked rr --order rows").names == ["RR"]


CONVENTIONS = [
    *(
        (name, choice)
        for name, choices in CHOICES.items()
        for choice in choices
        if (name, choice) != ("unjudged", "raise")
    ),
    ("depth", 2),
    ("rel", 2),
    ("rel", 1.5),
    ("max_grade", 4),
    ("gain", "linear"),
    ("discount", "reciprocal"),
    ("discount", "log10"),
]


@pytest.mark.parametrize(("name", "value"), CONVENTIONS)
def test_every_convention_is_an_option(shell: Shell, name: str, value: Any) -> None:
    found = shell.value(f"%rankeval frame ndcg err rr --{name.replace('_', '-')} {value}")
    assert getattr(found.conventions, name) == value
    wanted = rm.evaluate(FRAME, ["nDCG", "ERR", "RR"], **{name: value})
    pd.testing.assert_frame_equal(found.per_query, wanted.per_query)


def test_everything_that_evaluate_takes_is_an_option() -> None:
    keywords = [
        parameter.name
        for parameter in inspect.signature(rm.evaluate).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
    assert [option.name for option in options() if option.engine] == sorted(
        keywords, key=[option.name for option in options()].index
    )
    assert {field.name for field in fields(rm.Conventions)} <= set(keywords)
    flags = [flag for option in options() for flag in option.flags]
    assert len(flags) == len(set(flags))


def test_gains_and_discounts_of_ones_own(shell: Shell) -> None:
    shell.ip.user_ns.update(worth={0: 0, 1: 1, 2: 5, 3: 9}, curve=[1, 0.5, 0.1])
    found = shell.value("%rankeval frame dcg --gain worth --discount curve")
    assert found.conventions.gain == {0: 0, 1: 1, 2: 5, 3: 9}
    assert found.conventions.discount == [1, 0.5, 0.1]
    found = shell.value("%rankeval frame dcg --gain {0: 0, 1: 1, 2: 5, 3: 9} --discount [1,0.5]")
    assert found.conventions.gain == {0: 0, 1: 1, 2: 5, 3: 9}
    assert found.conventions.discount == [1, 0.5]


def test_the_worst_queries_stand_below_the_means(shell: Shell) -> None:
    found = shell.value("%rankeval frame rr ndcg --worst 1 --sort ndcg")
    assert "The worst query by nDCG" in shell.out
    assert found.view.worst == 1
    assert "The worst query by nDCG" in found._repr_html_()


def test_every_query_can_be_listed(shell: Shell) -> None:
    shell.value("%rankeval frame rr --per-query")
    assert re.search(r"^b +1\.0000$", shell.out, re.MULTILINE)
    shell.value("%rankeval frame rr -p --decimals 2")
    assert re.search(r"^b +1\.00$", shell.out, re.MULTILINE)


def test_systems_are_sorted_by_a_measure(shell: Shell) -> None:
    shell.value("%rankeval frame p@1 rr -s score -s other --sort rr")
    by_rr = sorted(
        ["score", "other"], key=lambda s: -rm.evaluate(FRAME, "RR", score=s).mean()["RR"]
    )
    rows = re.findall(r"^(score|other)", shell.out, re.MULTILINE)
    assert rows == by_rr


def test_the_result_is_assigned_and_shown(shell: Shell) -> None:
    found = shell.value("%rankeval frame rr --out result")
    assert shell.ip.user_ns["result"] is found
    assert "RR" in shell.out
    shell.value("%%rankeval rr -o second\nframe")
    assert isinstance(shell.ip.user_ns["second"], rm.Evaluation)


@pytest.mark.parametrize("suffix", [".html", ".md", ".tex", ".csv", ".parquet"])
def test_what_is_shown_is_written_to_a_file(shell: Shell, suffix: str, tmp_path: Path) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"my table{suffix}"
    shell.value(f"%rankeval frame rr p@1 --to '{path}'")
    assert path.stat().st_size > 50
    assert "RR" in shell.out


def test_a_file_that_can_t_be_written_is_told(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "folder.md").mkdir()
    complaint = shell.complaint("%rankeval frame rr --to folder.md --out x")
    assert complaint.startswith("UsageError: folder.md can't be written")


@pytest.mark.parametrize(
    "cell",
    [
        "%rankeval frame rr --out x;",
        "%rankeval frame rr --out x ;  # quiet",
        "%%rankeval rr --out x\nframe;",
        "%%rankeval rr --out x;\nframe",
    ],
)
def test_a_semicolon_silences(shell: Shell, cell: str) -> None:
    assert shell.value(cell) is None
    assert shell.out == ""
    assert isinstance(shell.ip.user_ns["x"], rm.Evaluation)


def test_a_comment_on_the_line_is_left_out(shell: Shell) -> None:
    assert shell.value("%rankeval frame rr # it's the usual one --ties best").names == ["RR"]


@pytest.mark.parametrize("words", ["--help", "-h", "nonsense --help"])
def test_help_lists_every_option_and_measure(shell: Shell, words: str) -> None:
    assert shell.value(f"%rankeval {words}") is None
    for option in options():
        assert option.flag in shell.out
        assert option.help, option.name
        assert option.example or not option.kind, option.name
    for cls in REGISTRY.values():
        assert cls.name in shell.out
    assert max(map(len, shell.out.splitlines())) <= 100


def test_the_docstring_is_the_help(shell: Shell) -> None:
    shell.run("%%rankeval?")
    assert "--no-relevant" in shell.out
    assert "%rankeval shop ndcg@10" in shell.out


# Mistakes: one line that says what to do, and the namespace as it was.


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("%rankeval", r"Name a frame: %rankeval frame ndcg@10. Frames here: frame, shop"),
        ("%rankeval ndcg@10 rr", r"The frame comes first: %rankeval frame ndcg@10 rr"),
        ("%rankeval fram rr", r"nothing called 'fram'. Did you mean frame\?"),
        ("%rankeval frame.head() rr", r"more than a name.*%%rankeval"),
        ("%rankeval frame[frame.grade>1] rr", r"more than a name"),
        ("%rankeval frame.foo rr", r"frame has no attribute 'foo'"),
        ("%rankeval frame['foo'] rr", r"frame\['foo'\] can't be had: KeyError"),
        ("%rankeval numbers rr", r"nothing called 'numbers'"),
        ("%rankeval 1+ rr", r"'1\+' is not a name"),
        ("%rankeval frame rrr", r"No measure is called 'rrr'. Did you mean"),
        ("%rankeval frame frame rr", r"frame is a frame, not a measure"),
        ("%%rankeval frame rr\nframe", r"frame is a frame, not a measure"),
        ("%rankeval frame rr@0", r"at least 1, not 0"),
        ("%rankeval frame ndcg@-1", r"at least 1, not -1"),
        ("%rankeval frame ndcg@2.5", r"at least 1, not 2.5"),
        ("%rankeval frame AP(rel=-1)", r"AP's rel must be"),
        ("%rankeval frame rr --scor other", r"no option --scor. Did you mean --score"),
        ("%rankeval frame rr --sco=other", r"no option --sco. Did you mean --score"),
        ("%rankeval frame rr -x", r"no option -x."),
        ("%rankeval frame rr --score", r"--score needs a value, such as --score"),
        ("%rankeval frame rr --score --ties trec", r"--score needs a value"),
        ("%rankeval frame rr --per-query=yes", r"--per-query takes no value"),
        ("%rankeval frame rr --ties trek", r"--ties trek is not a choice.*Did you mean trec"),
        ("%rankeval frame rr --depth few", r"-D/--depth needs a whole number, such as --depth 100"),
        ("%rankeval frame rr --depth 2.5", r"needs a whole number"),
        ("%rankeval frame rr --depth -1", r"depth must be a whole number from 1, not -1"),
        ("%rankeval frame rr --rel -1", r"rel must be a number above 0, not -1"),
        ("%rankeval frame rr --rel high", r"--rel needs a number"),
        ("%rankeval frame rr -k five", r"-k/--cutoffs needs a whole number"),
        ("%rankeval frame rr -k 0", r"at least 1, not 0"),
        ("%rankeval frame rr -w -2", r"worst must be a whole number of at least 0"),
        ("%rankeval frame rr --decimals 99", r"decimals must be a whole number from 0 to 15"),
        ("%rankeval frame rr --sort ap", r"--sort ap is not among the measures"),
        ("%rankeval frame rr --gain linaer", r"No gain is called 'linaer'.*Did you mean linear"),
        ("%rankeval frame rr --gain {0: 1", r"bracket '\{' is never closed"),
        ("%rankeval frame rr --gain {0:}", r"--gain \{0:\} can't be read"),
        ("%rankeval frame rr --out 2nd", r"--out needs a name.*not '2nd'"),
        ("%rankeval frame rr --out class", r"--out needs a name"),
        ("%rankeval frame rr --to table.docx", r"End it in one of '.html'"),
        ("%rankeval frame rr --to no/such/t.md", r"no folder 'no/such'"),
        ("%rankeval frame 'rr", r"quote is opened and never closed"),
        ("%rankeval frame[ rr", r"bracket '\[' is never closed"),
        ("%%rankeval rr\nx = 2\nx2 = 3", r"ends in an assignment.*Add a last line: x2"),
        ("%%rankeval rr\nimport os", r"must end in an expression"),
        ("%%rankeval rr\n# nothing", r"The body is empty"),
        ("%%rankeval rr\nawait thing\nframe", r"can't await"),
        ("%%rankeval rr\nx = 1\nasync with thing:\n    pass\nframe", r"can't await"),
        ("%%rankeval nope\nx = 1\nframe", r"No measure is called 'nope'"),
        ("%%rankeval rr --nope\nx = 1\nframe", r"no option --nope"),
        ("%%rankeval rr", r"cell body is empty"),
    ],
)
def test_a_mistake_on_the_line_is_one_line(shell: Shell, cell: str, words: str) -> None:
    complaint = shell.complaint(cell)
    assert complaint.startswith("UsageError: ")
    assert re.search(words, complaint), complaint


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("rr", "--query 'query text'"),
        (SHOP.replace("stars", "starz"), "no column 'starz' for the grade"),
        (SHOP.replace("bm25", "sku"), "must hold numbers"),
        (f"{SHOP} --unjudged raise", "--unjudged zero or --unjudged remove"),
    ],
)
def test_mistakes_in_the_data_are_one_line_in_words_of_the_line(
    shell: Shell, words: str, advice: str
) -> None:
    complaint = shell.complaint(f"%rankeval shop {words} --out x")
    assert re.match(r"(Column|Data)Error: ", complaint)
    assert advice in complaint
    assert "='" not in complaint


def test_there_is_advice_for_systems(shell: Shell) -> None:
    shell.ip.user_ns["bare"] = FRAME.rename(columns={"score": "bm25"})
    complaint = shell.complaint("%rankeval bare rr")
    assert "--score bm25" in complaint
    assert "--score A --score B" in complaint
    assert "--order rows" in complaint


def test_an_item_that_is_not_there_is_told_with_those_that_are(shell: Shell) -> None:
    shell.ip.user_ns["runs"] = {"2026-11": FRAME, "2026-12": FRAME}
    complaint = shell.complaint('%rankeval runs["2026-13"] rr')
    assert "runs has no item '2026-13'. Did you mean 2026-1" in complaint


def test_the_bodys_own_names_stay_as_in_any_cell(shell: Shell) -> None:
    assert not shell.run("%%rankeval rr\nx = 1\n1 / 0\nframe").success
    assert shell.ip.user_ns["x"] == 1


# What goes wrong in the body is the person's own, and shown as theirs.


OURS = re.compile(r"rank_magic|rankeval\(|run_cell_magic|interactiveshell|body\.py")


@pytest.mark.parametrize(
    ("body", "kind", "line"),
    [
        ("x = 1\n1 / 0\nframe", "ZeroDivisionError", 3),
        ("\n\n1 / 0\nframe", "ZeroDivisionError", 4),
        ("frame['nope']", "KeyError", 2),
        ("raise KeyboardInterrupt\nframe", "KeyboardInterrupt", 2),
        ("def f():\n    return 1 / 0\nf()\nframe", "ZeroDivisionError", 4),
        (
            "try:\n    1 / 0\nexcept Exception as e:\n    raise ValueError from e\nframe",
            "ValueError",
            5,
        ),
    ],
)
def test_an_exception_in_the_body_shows_the_persons_own_lines(
    shell: Shell, body: str, kind: str, line: int
) -> None:
    result = shell.run(f"%%rankeval rr\n{body}")
    assert type(result.error_in_exec).__name__ == kind
    assert re.search(rf"(ipython-input-|In\[){result.execution_count}\b", shell.out), shell.out
    assert re.search(rf"-+> {line} ", shell.out), shell.out
    assert not OURS.search(shell.out), shell.out


def test_an_error_that_shows_itself_may(shell: Shell) -> None:
    shell.ip.user_ns["rm"] = rm
    assert shell.complaint("%%rankeval rr\nrm.parse('nope')\nframe").startswith("MeasureError: ")


@pytest.mark.parametrize(
    ("body", "line", "text"),
    [
        ("y = = 2\nframe", 2, "y = = 2"),
        ("x = 1\n\ny = = 2\nframe", 4, "y = = 2"),
        ("\n\ny = = 2\nframe", 4, "y = = 2"),
        ("x = 1\nreturn x\nframe", 3, "return x"),
    ],
)
def test_a_syntax_error_in_the_body_names_its_line(
    shell: Shell, body: str, line: int, text: str
) -> None:
    before = shell.names()
    result = shell.run(f"%%rankeval rr\n{body}")
    assert not result.success
    assert re.search(rf"(:{line}\n|line {line}\n)", shell.out), shell.out
    assert text in shell.out
    assert "SyntaxError: " in shell.out
    assert not OURS.search(shell.out), shell.out
    assert shell.names() == before


def test_a_syntax_error_in_code_that_the_body_runs_shows_both(shell: Shell) -> None:
    shell.run("%%rankeval rr\nexec('a = = b')\nframe")
    assert "exec('a = = b')" in shell.out
    assert "SyntaxError: invalid syntax" in shell.out
    assert not OURS.search(shell.out), shell.out


def test_the_body_may_hold_magics(shell: Shell) -> None:
    found = shell.value("%%rankeval rr\ninner = %rankeval frame p@1\nframe")
    assert found.names == ["RR"]
    assert shell.ip.user_ns["inner"].names == ["P@1"]


# Long work.


def test_an_interrupt_stops_in_one_line_and_assigns_nothing(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rank_magic.magics.rankeval.evaluate", interrupted)
    assert shell.complaint("%rankeval frame rr --out x").startswith("KeyboardInterrupt: stopped")


def test_an_interrupt_while_measuring_stops(shell: Shell) -> None:
    class Interrupted(rm.Measure):
        """Interrupted."""

        def contributions(self, block: Any) -> Any:
            raise KeyboardInterrupt

    try:
        assert "stopped" in shell.complaint("%rankeval frame interrupted --out x")
    finally:
        del REGISTRY["interrupted"]


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every report of progress come two seconds after the one before."""
    clock = iter(range(0, 10_000, 2))
    monkeypatch.setattr("rank_magic.watching.time", SimpleNamespace(monotonic=lambda: next(clock)))


@pytest.mark.usefixtures("slow")
def test_work_that_lasts_shows_a_bar_in_the_terminal(shell: Shell) -> None:
    shell.value("%rankeval frame rr")
    assert "rankings" in shell.err
    assert shell.err.split("\r")[-1].strip() == ""


@pytest.mark.usefixtures("slow")
def test_work_that_lasts_shows_a_bar_in_the_notebook(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[dict[str, str]] = []

    class Handle:
        def update(self, forms: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(forms)

    def display(forms: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        shown.append(forms)
        return Handle()

    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr(type(shell.ip), "kernel", object(), raising=False)
    shell.value("%rankeval frame rr")
    assert any("<progress" in forms["text/html"] for forms in shown)
    assert any("left" in forms["text/plain"] for forms in shown)
    assert set(shown[-1].values()) == {""}, "nothing of it stays, in no form"
    assert shell.err == ""


def test_quick_work_shows_no_bar(shell: Shell) -> None:
    shell.value("%rankeval frame rr")
    assert shell.err == ""


def test_progress_is_reported_to_who_watches() -> None:
    reports: list[dict[str, int]] = []
    with progress.watched(lambda **report: reports.append(report)):
        rm.evaluate(FRAME, "RR", score=["score", "other"])
    assert sum(report["more"] for report in reports) == 6
    assert sum(report["done"] for report in reports) == 6
    before = len(reports)
    rm.evaluate(FRAME, "RR")
    assert len(reports) == before


# Completion.


def test_frames_come_first(shell: Shell) -> None:
    shell.ip.user_ns["runs"] = {"2026-11": FRAME, "note": "text"}
    found = shell.completions("%rankeval ")
    assert [text.removeprefix("%rankeval ") for text in found] == [
        "frame",
        "shop",
        'runs["2026-11"]',
    ]
    assert shell.completions("%rankeval fr") == ["%rankeval frame"]
    assert shell.completions("x = %rankeval fr") == ["x = %rankeval frame"]


def test_measures_are_completed_with_their_cutoffs(shell: Shell) -> None:
    found = shell.completions("%rankeval frame nd")
    assert found[:3] == [f"%rankeval frame {name}" for name in ("nDCG", "nDCG@5", "nDCG@10")]
    assert shell.completions("%rankeval frame ndcg@1")[:2] == [
        "%rankeval frame nDCG@1",
        "%rankeval frame nDCG@10",
    ]
    assert "%%rankeval MAP" in shell.completions("%%rankeval ma")
    assert "%rankeval frame rr nDCG@10" in shell.completions("%rankeval frame rr ")


def test_a_measure_of_ones_own_is_completed(shell: Shell) -> None:
    class Weird(rm.Measure):
        """Weird."""

    try:
        assert "%rankeval frame Weird@10" in shell.completions("%rankeval frame wei")
    finally:
        del REGISTRY["weird"]


def test_session_cutoffs_are_offered(shell: Shell) -> None:
    shell.run("%config RankMagics.cutoffs = 7")
    assert shell.completions("%rankeval frame ndcg") == [
        "%rankeval frame nDCG",
        "%rankeval frame nDCG@7",
    ]


def test_parameters_of_measures_are_completed(shell: Shell) -> None:
    assert "%rankeval frame AP(denominator=" in shell.completions("%rankeval frame ap(")
    assert shell.completions("%rankeval frame AP(rel=2, den") == [
        "%rankeval frame AP(rel=2, denominator="
    ]
    assert shell.completions("%rankeval frame AP(denominator=m") == [
        "%rankeval frame AP(denominator=min)"
    ]
    assert "%rankeval frame nDCG(gain=linear)" in shell.completions("%rankeval frame ndcg(gain=")
    assert not offered(shell, "%rankeval frame nope(")


def test_options_are_completed(shell: Shell) -> None:
    found = shell.completions("%rankeval frame --")
    assert {f"%rankeval frame {option.flag}" for option in options()} <= set(found)
    assert shell.completions("%rankeval frame --un") == [
        "%rankeval frame --unanswered",
        "%rankeval frame --unjudged",
    ]
    assert shell.completions("%rankeval frame rr -") != []


def test_values_of_options_are_completed(shell: Shell) -> None:
    assert shell.completions("%rankeval frame rr --ties ") == [
        f"%rankeval frame rr --ties {word}" for word in CHOICES["ties"]
    ]
    assert shell.completions("%rankeval frame rr --ties=tr") == ["%rankeval frame rr --ties=trec"]
    assert shell.completions("%rankeval frame rr -t tr") == ["%rankeval frame rr -t trec"]
    assert "%rankeval frame rr --gain linear" in shell.completions("%rankeval frame rr --gain li")
    assert shell.completions("%rankeval frame rr --sort ap")[0] == "%rankeval frame rr --sort AP"


def test_columns_of_the_frame_on_the_line_are_completed(shell: Shell) -> None:
    assert shell.completions("%rankeval shop --query ")[:1] == [
        "%rankeval shop --query 'query text'"
    ]
    assert shell.completions('%rankeval shop --query "que') == [
        '%rankeval shop --query "query text"'
    ]
    assert shell.completions("%rankeval shop rr --score bm25 --score ") == [
        f"%rankeval shop rr --score bm25 --score {name}" for name in ("stars", "bm25", "other")
    ]
    assert shell.completions("%rankeval frame -g gr") == ["%rankeval frame -g grade"]


def test_columns_are_completed_in_a_cell(shell: Shell) -> None:
    line = "%%rankeval rr --doc "
    assert shell.completions(line, body="x = 1\nshop")[1:2] == [f"{line}sku"]
    assert f"{line}doc" in shell.completions(line, body="frame.head(3)")


@pytest.mark.parametrize(
    "line", ["frame.he", "%time fr", "rankevals = fr", "%rankeval 'unclosed fr"]
)
def test_other_lines_are_left_alone(shell: Shell, line: str) -> None:
    assert not offered(shell, line)


def test_completion_survives_what_the_line_names(shell: Shell) -> None:
    class Trap:
        @property
        def frame(self) -> None:
            raise RuntimeError("not now")

    shell.ip.user_ns["trap"] = Trap()
    assert shell.completions("%rankeval trap.frame --doc sk") == ["%rankeval trap.frame --doc sku"]


# Defaults of the session.


def test_every_default_of_the_session_is_listed(shell: Shell) -> None:
    shell.run("%config RankMagics")
    for name in ("measures", *(option.name for option in options() if option.session)):
        assert f"RankMagics.{name}=" in shell.out
    assert "RankMagics.out" not in shell.out


@pytest.mark.parametrize(
    ("name", "value", "check"),
    [
        ("measures", "['ndcg@3', 'rr']", lambda e: e.names == ["nDCG@3", "RR"]),
        ("measures", "'ndcg@3 rr'", lambda e: e.names == ["nDCG@3", "RR"]),
        ("cutoffs", "5, 7", lambda e: e.names[:2] == ["nDCG@5", "nDCG@7"]),
        ("cutoffs", "5", lambda e: e.names[0] == "nDCG@5"),
        ("ties", "'trec'", lambda e: e.conventions.ties == "trec"),
        ("depth", "2", lambda e: e.conventions.depth == 2),
        ("gain", "{0: 0, 1: 1, 2: 2, 3: 3}", lambda e: e.conventions.gain[3] == 3),
        ("decimals", "2", lambda e: e.view.decimals == 2),
        ("score", "'other'", lambda e: e.systems == ("other",)),
        ("score", "['other', 'score']", lambda e: e.systems == ("other", "score")),
        ("query", "['query', 'doc']", lambda e: ("a", "x") in e.queries),
        ("order", "'rows'", lambda e: e.systems == ("rows",)),
    ],
)
def test_a_default_of_the_session_counts_and_is_shown(
    shell: Shell, name: str, value: str, check: Callable[[Any], bool]
) -> None:
    shell.value(f"%config RankMagics.{name} = {value}")
    found = shell.value("%rankeval frame")
    assert check(found)
    assert "From %config RankMagics:" in shell.out
    assert f"{name}=" in shell.out
    shell.value("%reload_ext rank_magic")
    assert check(shell.value("%rankeval frame")), "it is gone after a reload"


def test_the_line_has_the_last_word(shell: Shell) -> None:
    shell.value("%config RankMagics.ties = 'trec'")
    shell.value("%config RankMagics.measures = 'ap'")
    found = shell.value("%rankeval frame rr --ties best")
    assert (found.names, found.conventions.ties) == (["RR"], "best")
    assert "%config" not in shell.out
    shell.value("%config RankMagics.ties = 'average'")
    shell.value("%rankeval frame rr")
    assert "%config" not in shell.out


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("ties", "'trek'", "Did you mean trec"),
        ("measures", "'nope'", "No measure is called 'nope'"),
        ("cutoffs", "[0]", "at least 1"),
        ("cutoffs", "'five'", "at least 1"),
        ("decimals", "-1", "from 0 to 15"),
        ("depth", "0", "depth must be"),
        ("rel", "'high'", "rel must be"),
        ("gain", "'nope'", "No gain is called 'nope'"),
        ("doc", "['a', 'b']", "one column"),
        ("order", "'random'", "not a choice"),
        ("query", "{1: 2}", "must name a column"),
    ],
)
def test_a_bad_default_is_refused_and_does_no_harm(
    shell: Shell, caplog: pytest.LogCaptureFixture, name: str, value: str, words: str
) -> None:
    before = getattr(shell.ip.magics_manager.registry["RankMagics"], name)
    shell.run(f"%config RankMagics.{name} = {value}")
    assert words in caplog.text
    assert getattr(shell.ip.magics_manager.registry["RankMagics"], name) == before
    assert shell.value("%rankeval frame rr").names == ["RR"]
    # IPython keeps what was refused, and would hand it out again.
    with pytest.warns(UserWarning, match=re.escape(words)):
        shell.value("%reload_ext rank_magic")
    shell.value("%reload_ext rank_magic")
    assert shell.value("%rankeval frame rr").names == ["RR"]


def test_errors_name_the_defaults_of_the_session(shell: Shell) -> None:
    shell.value("%config RankMagics.query = 'qid'")
    complaint = shell.complaint("%rankeval frame rr")
    assert "no column 'qid' for the query" in complaint
    assert "From %config RankMagics: query='qid'" in complaint


def test_defaults_may_come_from_the_command_line(
    ip: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    ip.config.RankMagics.depth = DeferredConfigString("2")
    ip.config.RankMagics.ties = DeferredConfigString("trec")
    ip.user_ns["frame"] = FRAME
    ip.run_line_magic("load_ext", "rank_magic")
    found = Shell(ip, capsys).value("%rankeval frame rr")
    assert (found.conventions.depth, found.conventions.ties) == (2, "trec")


def test_a_convention_of_a_profile_counts_from_the_start(
    ip: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    ip.config.RankMagics.ties = "worst"
    ip.user_ns["frame"] = FRAME
    ip.run_line_magic("load_ext", "rank_magic")
    assert Shell(ip, capsys).value("%rankeval frame rr").conventions.ties == "worst"


# Coming and going.


def state(ip: InteractiveShell) -> tuple[Any, ...]:
    manager = ip.magics_manager
    return (
        {kind: sorted(table) for kind, table in manager.magics.items()},
        sorted(manager.registry),
        sorted(type(one).__name__ for one in ip.configurables),
        list(ip.Completer.custom_matchers),
        {name for name in ip.user_ns if not name.startswith("_")},
    )


def test_loading_prints_nothing_and_unloading_leaves_no_trace(
    ip: InteractiveShell, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(ip, capsys)
    shell.value("%unload_ext rank_magic")  # IPython loads its own magics when first used
    before = state(ip)
    shell.value("%load_ext rank_magic")
    assert shell.out + shell.err == ""
    assert state(ip) != before
    shell.value("%unload_ext rank_magic")
    assert shell.out + shell.err == ""
    assert state(ip) == before
    assert "not found" in shell.complaint("%rankeval frame rr")
    assert hasattr(FRAME.rank, "ndcg"), "the accessor belongs to the import"


def test_loading_again_doubles_nothing(shell: Shell) -> None:
    once = state(shell.ip)[:3]
    for line in ("%load_ext rank_magic", "%reload_ext rank_magic", "%reload_ext rank_magic"):
        shell.run(line)
        assert state(shell.ip)[:3] == once
        assert len(shell.ip.Completer.custom_matchers) == 1
    rm.load_ipython_extension(shell.ip)
    assert state(shell.ip)[:3] == once
    assert len(shell.ip.Completer.custom_matchers) == 1
    assert shell.value("%rankeval frame rr").names == ["RR"]
    assert shell.completions("%rankeval fr") == ["%rankeval frame"]


def test_unloading_what_is_not_loaded_does_nothing(ip: InteractiveShell) -> None:
    before = state(ip)
    rm.unload_ipython_extension(ip)
    assert state(ip) == before


def test_matchers_and_magics_of_others_stay(shell: Shell) -> None:
    def other(text: str) -> list[str]:
        return []

    shell.ip.Completer.custom_matchers.append(other)
    shell.ip.register_magic_function(lambda line: "other", "line", "other")
    shell.value("%unload_ext rank_magic")
    assert shell.ip.Completer.custom_matchers == [other]
    assert shell.value("%other") == "other"


# Speed.


def test_from_line_to_shown_result_takes_a_moment(shell: Shell) -> None:
    shell.ip.user_ns["electronics"] = rm.datasets.load_electronics()
    line = "%rankeval electronics ndcg@10 err@10 mrr map --score bm25 --score minilm"
    times = []
    for _ in range(8):
        start = time.perf_counter()
        found = shell.value(line)
        found._repr_html_()
        times.append(time.perf_counter() - start)
    # The aim is 0.15 s; machines that run tests are slow and busy.
    assert min(times) < 0.45, times


# In a real JupyterLab.


SETUP = "import rank_magic as rm\n%load_ext rank_magic\nshop = rm.datasets.load_electronics()"
FOUR = "--score bm25 --score minilm --score rrf --score tfidf_title"


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_table_is_legible_in_a_notebook_and_when_it_reopens(lab: Lab, dark: bool) -> None:
    path = lab.write(
        SETUP,
        f"%rankeval shop ndcg@10 err@10 mrr map {FOUR} --worst 5",
        "%%rankeval ndcg@10 mrr dcg@10 --score bm25 --ties trec\nshop[shop['query'] != 'laptop']",
        "%rankeval shop ndgc",
        "%rankeval shop ndcg",
        "%%rankeval ndcg\nx = 1\n1 / 0\nshop",
        "%%rankeval ndcg\nx = 1\ny = = 2\nshop",
        name="magics.ipynb",
    )
    book = nbformat.read(path, as_version=4)
    for cell in book.cells[3:]:
        cell.metadata.tags = ["raises-exception"]  # the cells below it run all the same
    nbformat.write(book, path)
    page = lab.open(path, dark=dark)
    page.run_all(allow_errors=True)
    assert "0.6478" in page.text(1)
    assert "The 5 worst queries by nDCG@10" in page.text(1)
    assert page.outputs(1)[0]["output_type"] == "execute_result"
    assert page.text(3).startswith("UsageError: No measure is called 'ndgc'.")
    assert page.text(4).startswith("ColumnError: No score and no rank")
    assert "----> 3 1 / 0" in page.text(5)
    assert "line 3" in page.text(6)
    for number in (5, 6):
        assert "rank_magic" not in page.text(number)
    theme = "dark" if dark else "light"
    page.screenshot(f"magics-{theme}", cell=1)
    for number in (2, 6):
        page.cell(number).scroll_into_view_if_needed()
        page.screenshot(f"magics-{number}-{theme}")
    page.page.set_viewport_size({"width": 800, "height": 900})
    page.screenshot(f"magics-narrow-{theme}", cell=1)
    page.cell(1).locator("summary").click()
    assert "tied scores, worst to best order" in page.text(1)
    page.screenshot(f"magics-details-{theme}", cell=1)
    assert page.errors == []
    assert page.outside_requests == []

    page.save()
    page.reopen()
    assert "0.6478" in page.text(1)
    assert "model not found" not in page.page.content().lower()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("%rankeval shop nd", {"nDCG", "nDCG@10"}),
        ("%rankeval shop rr --score ", {"bm25", "minilm", "rrf", "tfidf_title"}),
        ("%%rankeval rr --ties ", {"average", "trec"}),
        ("%rankeval ", {"shop"}),
    ],
)
def test_tab_offers_what_may_come_next(lab: Lab, typed: str, offered: set[str]) -> None:
    page = lab.open(lab.write(SETUP, "", name="completion.ipynb"))
    page.run_all()
    page.cell(1).locator(".cm-content").click()
    page.page.keyboard.type(typed)
    page.page.keyboard.press("Tab")
    items = page.page.locator(".jp-Completer-match")
    items.first.wait_for()
    assert offered <= set(items.all_inner_texts())
    page.screenshot(f"completion-{typed.strip().rpartition(' ')[2].strip('-%')}")
