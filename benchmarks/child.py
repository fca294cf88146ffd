"""What only a fresh process can tell: peak memory, the first call, the time of an import.

Run by the benchmark as ``python child.py memory|cold|import ...``; prints one line of JSON.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HEAVY = ("plotly", "ipywidgets", "anywidget", "scipy", "itables", "IPython")


def ask(*words: str, **environment: str) -> dict[str, Any]:
    """Run this file in a fresh process and return what it found."""
    variables = {**os.environ, **environment}
    # Without compiled files beside the source, an import would compile every time.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(HERE.parent), *sys.path]))
    done = subprocess.run(
        [sys.executable, __file__, *words],
        env=variables,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def cold(contender: str, size: str) -> float:
    """Return the seconds of a first call in a fresh process that has nothing compiled yet."""
    with tempfile.TemporaryDirectory() as empty:
        return float(ask("cold", contender, size, NUMBA_CACHE_DIR=empty)["seconds"])


# What the fresh process does.


def memory(contender: str, size: str) -> dict[str, Any]:
    """Measure by how much the process grows beyond its data while a contender works."""
    import peers

    import data

    chosen = peers.CONTENDERS[contender]
    frame = data.with_ids(data.tidy(size), chosen.form)
    small = data.with_ids(data.tidy("10x10"), chosen.form)
    chosen.compute(chosen.convert(small))  # what is loaded or compiled at first use is not meant
    frames = frame if isinstance(frame, tuple) else (frame,)
    columns = sum(int(one.memory_usage(index=False, deep=False).sum()) for one in frames)
    del small, frames
    extra = peak(lambda: chosen.compute(chosen.convert(frame)))
    return {"peak": extra, "columns": columns}


def peak(work: Callable[[], Any]) -> int:
    """Return by how many bytes the process grew at most during the work."""
    gc.collect()
    give_back()
    try:
        Path("/proc/self/clear_refs").write_text("5")  # Linux starts its high-water mark anew
        before = from_status("VmRSS")
        kept = work()
        after = from_status("VmHWM")
    except OSError:
        return sampled(work)
    del kept
    return after - before


def give_back() -> None:
    """Return freed memory to the system, so that it is not used again unnoticed."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError, TypeError):
        return


def from_status(name: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {name}")


def sampled(work: Callable[[], Any]) -> int:
    """Do as `peak` where the system keeps no mark: look every millisecond."""
    import psutil

    process, done = psutil.Process(), threading.Event()
    before = process.memory_info().rss
    seen = [before]

    def look() -> None:
        while not done.wait(0.001):
            seen.append(process.memory_info().rss)

    watcher = threading.Thread(target=look)
    watcher.start()
    kept = work()
    done.set()
    watcher.join()
    del kept
    return max(seen) - before


def first_call(contender: str, size: str) -> dict[str, Any]:
    """Time a contender's first call, the import of its package included."""
    import peers

    import data

    chosen = peers.CONTENDERS[contender]
    frame = data.with_ids(data.tidy(size), chosen.form)
    start = time.perf_counter()
    chosen.compute(chosen.convert(frame))
    return {"seconds": time.perf_counter() - start}


def import_() -> dict[str, Any]:
    """Time the import of rank_magic on top of pandas, and tell which heavy packages it loads."""
    import pandas  # noqa: F401, ICN001

    before = set(sys.modules)
    start, busy = time.perf_counter(), time.process_time()
    import rank_magic  # noqa: F401

    seconds, processor = time.perf_counter() - start, time.process_time() - busy
    loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
    return {
        "seconds": seconds,
        "processor": processor,
        "loaded": sorted(loaded.intersection(HEAVY)),
    }


if __name__ == "__main__":
    actions: dict[str, Callable[..., Any]] = {
        "memory": memory,
        "cold": first_call,
        "import": import_,
    }
    print(json.dumps(actions[sys.argv[1]](*sys.argv[2:])))
