"""Memory of blocks is kept while they are worked on, also where malloc's thresholds are held fixed."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from rank_magic import memory

glibc = pytest.mark.skipif(memory._mallopt() is None, reason="glibc's own thresholds")

CODE = """
import json, re, resource
from pathlib import Path
import numpy as np
from rank_magic.memory import kept

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        np.ones(1 << 17)  # 1 MB, of 256 pages
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

def megabytes():
    return int(re.search("VmRSS:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

found = {"before": faults()}
with kept():
    faults()
    with kept():
        pass
    found["within"] = faults()
with kept():
    found["again"] = faults()
size = megabytes()
pieces = [np.ones(1 << 17) for _ in range(200)]
del pieces[:-1]  # the last one, which may stand at the heap's end, stays
found["left"] = megabytes() - size
print(json.dumps(found))
"""


def faults(**held: str) -> dict[str, float]:
    """Return how many pages a fresh process gets from the system for 50 MB, and what is left."""
    environment = {name: value for name, value in os.environ.items() if "MALLOC_" not in name}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env=environment | held,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@glibc
@pytest.mark.parametrize(
    "held",
    [
        {"MALLOC_TRIM_THRESHOLD_": "65536"},  # as Dask sets it
        {"MALLOC_MMAP_THRESHOLD_": "131072"},
        {"MALLOC_TRIM_THRESHOLD_": "64k"},  # which glibc reads as 64
    ],
    ids=str,
)
def test_thresholds_that_are_held_are_moved_for_as_long_as_blocks_are_worked_on(
    held: dict[str, str],
) -> None:
    found = faults(**held)
    assert found["before"] > 50 * 200
    assert found["within"] < 1000
    assert found["again"] < 1000  # the heap's end was kept
    assert found["left"] < 50  # and large pieces of others are given back one by one, as ever


@glibc
def test_where_nothing_is_held_glibc_is_left_to_itself() -> None:
    found = faults()
    assert found["within"] < 1000
    assert found["again"] < 1000


def test_other_libraries_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    monkeypatch.setattr(memory, "_mallopt", lambda: None)
    memory._held_fixed.cache_clear()
    try:
        assert not memory._held_fixed()
        with memory.kept():
            pass
    finally:
        memory._held_fixed.cache_clear()
