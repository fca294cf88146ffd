"""A long TREC run: read as fast as pandas reads it, in little more memory than it fills."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytestmark = pytest.mark.slow

LINES = 5_000_000
# Each in a process of its own: what was freed before would be used again unnoticed.
MEMORY = """
import sys, threading, time
import psutil
import rank_magic as rm
process = psutil.Process()
rm.read_run(sys.argv[2])  # everything that is imported when it is needed
before = peak = process.memory_info().rss
done = threading.Event()
def watch():
    global peak
    while not done.wait(0.002):
        peak = max(peak, process.memory_info().rss)
watcher = threading.Thread(target=watch)
watcher.start()
frame = rm.read_run(sys.argv[1])
done.set()
watcher.join()
assert len(frame) == int(sys.argv[3])
print((peak - before) / frame.memory_usage(index=False, deep=True).sum())
"""
TIMES = """
import sys, time
import pandas as pd
import rank_magic as rm
names = ["query_id", "q0", "doc_id", "rank", "score", "system"]
types = {"query_id": "str", "doc_id": "str", "system": "category"}
rm.read_run(sys.argv[2])
times = {}
for turn in range(2):
    for name, read in {
        "rank_magic": lambda: rm.read_run(sys.argv[1]),
        "pandas": lambda: pd.read_csv(
            sys.argv[1], sep=" ", names=names, dtype=types, usecols=[0, 2, 3, 4, 5]
        ),
    }.items():
        start = time.process_time()
        read()
        times.setdefault(name, []).append(time.process_time() - start)
print(min(times["rank_magic"]) / min(times["pandas"]))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("long")
    rng = np.random.default_rng(0)
    long, short = folder / "long.run", folder / "short.run"
    with long.open("w") as file:
        for start in range(0, LINES, 100_000):
            ids, scores = rng.integers(0, 10**7, 100_000), 30 * rng.random(100_000)
            file.writelines(
                f"q{at // 1000} Q0 doc{doc:08} {at % 1000 + 1} {score:.6f} bm25\n"
                for at, (doc, score) in enumerate(zip(ids, scores, strict=True), start)
            )
    short.write_text("q1 Q0 d1 1 3.5 bm25\n")
    return long, short


def ask(script: str, files: tuple[Path, Path]) -> float:
    command = [sys.executable, "-c", script, *map(str, files), str(LINES)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def test_it_takes_less_than_twice_the_memory_of_the_frame(files: tuple[Path, Path]) -> None:
    assert ask(MEMORY, files) < 2


def test_it_takes_at_most_one_and_a_half_times_what_pandas_takes(files: tuple[Path, Path]) -> None:
    assert ask(TIMES, files) < 1.5
