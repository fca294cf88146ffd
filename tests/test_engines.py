"""Parts of the data measured apart: the same bits as the whole, whatever the parts."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
from cases import quick
from engine_frames import Problem, check_summary, problems, values_of
from rank_magic.engines.gathered import Gathered, Summary
from rank_magic.engines.moments import Moments
from rank_magic.engines.needs import EXTRA, need
from rank_magic.engines.parts import Facts, Part
from rank_magic.engines.plan import Plan
from rank_magic.errors import ColumnError, DataError, LibraryError, RankMagicError
from rank_magic.statistics import aggregate, interval
from rank_magic.whole import Whole

FEW = settings(max_examples=max(settings().max_examples // 5, 10))


def parts_of(problem: Problem, number: int) -> tuple[Plan, list[Part]]:
    """Measure a problem in parts, the queries dealt out to them."""
    plan = Plan.of(problem.frame, problem.measures, **problem.options)
    query = problem.frame[list(plan.roles.query)].astype(str).agg("".join, axis=1)
    turn = pd.factorize(query)[0] % number
    pieces = [problem.frame[turn == place] for place in range(number) if (turn == place).any()]
    # Rows of one query may be anywhere when the facts about all rows are found.
    halves = problem.frame.iloc[::2], problem.frame.iloc[1::2]
    plan = plan.knowing(Whole.merged(Whole.of(half, plan.roles) for half in halves))
    return plan, [Part.of(plan, piece) for piece in pieces]


@given(problems(), st.integers(1, 4))
@FEW
def test_parts_give_the_same_bits(problem: Problem, number: int) -> None:
    with quick(20):
        wanted = problem.in_memory()
        plan, parts = parts_of(problem, number)
        gathered = Gathered.of_part(Part.merged(parts))
        assert values_of(gathered.per_query) == values_of(wanted.per_query)
        assert gathered.queries.equals(wanted.queries)
        pd.testing.assert_frame_equal(gathered.summary(), wanted.summary(), check_exact=True)
        pd.testing.assert_frame_equal(gathered.coverage, wanted.coverage)
        facts = pickle.loads(pickle.dumps([part.facts() for part in parts]))
        halves = [Facts.merged(half) for half in (facts[:2], facts[2:]) if half]
        summary = Summary.of_facts(plan, Facts.merged(halves), None)
        check_summary(summary.summary(), wanted.summary())
        pd.testing.assert_frame_equal(summary.coverage, wanted.coverage)
        np.testing.assert_allclose(summary.drawing_errors, wanted.drawing_errors, rtol=1e-12)


def test_the_top_grade_is_that_of_all_parts() -> None:
    frame = pd.DataFrame({"query": ["a", "b"], "grade": [1.0, 3.0], "score": [1.0, 1.0]})
    problem = Problem(frame, ["ERR", "RBP(gains=graded)", "SDCG"], {})
    _, parts = parts_of(problem, 2)
    assert parts[0].frame().loc["a", "ERR"] == 1 / 8
    assert values_of(Part.merged(parts).frame()) == values_of(problem.in_memory().per_query)


def test_a_part_may_have_one_row_of_one_of_the_systems() -> None:
    rows = [("a", "x", "first", 1.0, 1.0), ("b", "x", "second", 1.0, 1.0)]
    frame = pd.DataFrame(rows, columns=["query", "doc", "system", "grade", "score"])
    problem = Problem(frame, ["RR"], {})
    _, parts = parts_of(problem, 2)
    assert values_of(Part.merged(parts).frame()) == values_of(problem.in_memory().per_query)


def test_judgments_of_positives_only_are_recognised_over_all_parts() -> None:
    frame = pd.DataFrame({"query": ["a", "b"], "grade": [1.0, 0.0], "score": [1.0, 1.0]})
    _, parts = parts_of(Problem(frame, ["P@1"], {}), 2)
    assert "Judged@1" in Gathered.of_part(Part.merged(parts)).coverage.index
    frame["grade"] = [1.0, 2.0]
    _, parts = parts_of(Problem(frame, ["P@1"], {}), 2)
    assert "Judged@1" not in Gathered.of_part(Part.merged(parts)).coverage.index


def test_a_part_without_any_judgment_is_no_error_but_a_whole_without_is() -> None:
    frame = pd.DataFrame({"query": ["a", "b"], "grade": [math.nan, 1.0], "score": [1.0, 1.0]})
    _, parts = parts_of(Problem(frame, ["RR"], {}), 2)
    assert values_of(Part.merged(parts).frame()) == {("a",): ["nan"], ("b",): [(1.0).hex()]}
    frame["grade"] = math.nan
    with pytest.raises(DataError, match="no grade at all"):
        parts_of(Problem(frame, ["RR"], {}), 2)


# Means.

FLOATS = st.floats(-1e3, 1e3) | st.floats(0, 1) | st.just(math.nan)


@given(st.lists(st.lists(FLOATS, max_size=20), max_size=6))
def test_moments_of_parts_are_those_of_the_whole(lists: list[list[float]]) -> None:
    arrays = [np.array(values, dtype=float) for values in lists]
    whole = np.concatenate([np.zeros(0), *arrays])
    for how in ("mean", "geometric", "sum"):
        found = Moments.merged(Moments.of(values, how) for values in arrays).row(how)
        wanted = (aggregate(whole, how), *interval(whole, how))
        np.testing.assert_allclose(found[:3], wanted, rtol=1e-12, atol=1e-12)
        if how != "geometric":  # whose logarithms are rounded
            np.testing.assert_allclose(found[0], wanted[0], rtol=1e-15, atol=0)


def test_a_large_mean_with_a_small_spread_keeps_its_interval() -> None:
    # One pass with ordinary sums would lose it all to cancellation.
    values = 1e9 + np.random.default_rng(0).random(1000)
    found = Moments.merged(Moments.of(part) for part in np.split(values, 10))
    np.testing.assert_allclose(found.row()[1:3], interval(values), rtol=1e-15)
    assert found.standard_error == pytest.approx(values.std(ddof=1) / math.sqrt(1000), rel=1e-9)


# What can't be done.


def test_what_needs_the_rows_says_so() -> None:
    frame = pd.DataFrame({"query": ["a", "b"], "grade": [1.0, 2.0], "score": [1.0, 1.0]})
    _, parts = parts_of(Problem(frame, ["RR"], {}), 2)
    gathered = Gathered.of_part(Part.merged(parts))
    with pytest.raises(DataError, match=r"rows were not kept.*max_grade=2"):
        gathered.explain("a")
    with pytest.raises(DataError, match="ties='worst'"):
        _ = gathered.sensitivity
    for text in (repr(gathered), gathered.to_html(), gathered.to_markdown(), gathered.to_latex()):
        assert "RR" in text


def test_values_that_are_here_can_be_compared_and_kept(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"query": np.repeat(np.arange(20), 5), "grade": rng.integers(0, 3, 100)})
    frame = frame.assign(first=rng.random(100), second=rng.random(100))
    problem = Problem(frame, ["nDCG", "RR"], {"score": ["first", "second"]})
    plan, parts = parts_of(problem, 3)
    gathered = Gathered.of_part(Part.merged(parts))
    wanted = problem.in_memory().compare().to_frame()
    pd.testing.assert_frame_equal(gathered.compare().to_frame(), wanted)
    gathered.save(tmp_path / "kept.zip")
    pd.testing.assert_frame_equal(rm.compare(rm.load(tmp_path / "kept.zip")).to_frame(), wanted)
    # Where the values stay in a cluster, nothing is made of none.
    summary = Summary.of_facts(plan, Facts.merged(part.facts() for part in parts), None)
    assert "RR" in repr(summary)
    for mistake in (
        summary.compare,
        lambda: summary.save(tmp_path / "nothing.zip"),
        lambda: summary.plot,
        summary.explore,
        lambda: repr(summary.shown(per_query=True)),
    ):
        with pytest.raises(DataError, match="stay in the engine's own frame"):
            mistake()


@pytest.mark.parametrize("options", [{"weight": "w"}, {"segment": "w"}])
def test_weights_and_segments_are_refused(options: dict[str, str]) -> None:
    frame = pd.DataFrame({"query": ["a"], "grade": [1.0], "score": [1.0], "w": [1]})
    with pytest.raises(ColumnError, match="need all queries in one place"):
        Plan.of(frame, ["RR"], **options)


@pytest.mark.parametrize(
    ("measures", "options", "message"),
    [
        ("nDCG@0", {}, "cutoff"),
        ("alpha-nDCG", {}, "subtopic"),
        ("RR", {"ties": "trec"}, "doc column"),
        ("RR", {"duplicates": "first"}, "doc column"),
        ("RR", {"ties": "no"}, "not a choice"),
        ("RR", {"grade": "stars"}, "no column 'stars'"),
    ],
)
def test_mistakes_are_told_before_any_work(measures: str, options: dict, message: str) -> None:
    schema = pd.DataFrame({"query": ["a"], "grade": [1.0], "score": [1.0]}).iloc[:0]
    with pytest.raises(RankMagicError, match=message):
        Plan.of(schema, measures, **options)


def test_what_no_engine_knows_is_an_error() -> None:
    with pytest.raises(DataError, match="not int"):
        rm.evaluate(3, "RR")


@pytest.mark.parametrize("library", sorted(EXTRA))
def test_a_missing_library_gives_the_command_that_installs_it(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [_Without(library), *sys.meta_path])
    with pytest.raises(LibraryError, match=rf"pip install 'rank-magic\[{EXTRA[library]}\]'"):
        need(f"{library}.anything")


class _Without:
    def __init__(self, library: str) -> None:
        self.library = library

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name.partition(".")[0] == self.library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


# What is imported, and when.


def run(code: str) -> None:
    """Run code in a fresh interpreter in which warnings are errors."""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_engine_is_imported_before_it_is_used() -> None:
    run(
        "import sys, rank_magic\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "assert not loaded & {'polars', 'dask', 'pyspark', 'duckdb'}, loaded"
    )
