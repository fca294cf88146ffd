"""The benchmark runs, and times nothing before all contenders agree on the values."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"
sys.path.insert(0, str(ROOT / "scripts"))

import quote_benchmark  # noqa: E402

# Runs the benchmark with a peer whose values are a little off.
WRONG = """
import dataclasses, sys
sys.path.insert(0, sys.argv[1])
import bench, peers
loop = peers.CONTENDERS[bench.LOOP]
off = dataclasses.replace(loop, table=lambda values: loop.table(values) + 1e-6)
peers.PEERS = (off,)
sys.exit(bench.main(["--small"]))
"""


def test_the_readme_quotes_the_results_as_they_are() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text == quote_benchmark.quoted(), "run: python scripts/quote_benchmark.py"
    assert quote_benchmark.SIZE in text
    assert "| pytrec_eval " in text


def run(*words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.fixture(scope="module")
def small() -> subprocess.CompletedProcess[str]:
    # ranx compiles for a minute, so it stays out.
    return run(str(BENCHMARKS / "bench.py"), "--small", "--skip", "ranx")


def test_small_benchmark_runs(small: subprocess.CompletedProcess[str]) -> None:
    assert small.returncode == 0, small.stderr
    assert "## Bounds" in small.stdout
    assert "numpy loop by hand" in small.stdout


def test_all_contenders_agree(small: subprocess.CompletedProcess[str]) -> None:
    assert "## All agree" in small.stdout


def test_small_benchmark_writes_no_results(small: subprocess.CompletedProcess[str]) -> None:
    assert "Written to" not in small.stdout


def test_nothing_is_timed_when_a_peer_disagrees() -> None:
    done = run("-c", WRONG, str(BENCHMARKS))
    assert done.returncode == 1
    assert "numpy loop by hand is 1.0e-06 away" in done.stderr
    assert "## Bounds" not in done.stdout


def test_one_bound_can_be_measured_alone() -> None:
    done = run(str(BENCHMARKS / "bench.py"), "--small", "--only", "ten score columns")
    assert done.returncode == 0, done.stderr
    assert "ten score columns / one" in done.stdout
    assert "All agree" not in done.stdout
    assert "ragged" not in done.stdout


def test_profile_names_functions_of_the_package() -> None:
    done = run(str(BENCHMARKS / "profile_parts.py"), "--size", "50x100", "--calls", "2")
    assert done.returncode == 0, done.stderr
    assert re.search(r"rank_magic/\w+\.py:\d+", done.stdout)
