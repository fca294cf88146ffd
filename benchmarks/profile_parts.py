"""Where the time of an evaluation goes, by function: ``python benchmarks/profile_parts.py``.

Every function of rank_magic is charged with its own time and with that of the numpy and pandas
functions that it calls. One thread, time on the processor, so that other work on the machine
disturbs little. (The file is not called profile.py since that would hide Python's own module.)
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from report import Table  # noqa: E402
from timing import seconds  # noqa: E402

import data  # noqa: E402
import rank_magic as rm  # noqa: E402
from rank_magic import threads  # noqa: E402

# What the profiler knows a function by: file, line, name.
Function: TypeAlias = tuple[str, int, str]
PACKAGE = str(Path(rm.__file__).parent)
DEEPEST = 40


def profiled(work: Callable[[], Any], calls: int) -> pstats.Stats:
    """Return the profile of some calls, after one that loads and fills what is kept."""
    threads.THREADS = 1
    work()
    profile = cProfile.Profile(time.process_time)
    profile.enable()
    for _ in range(calls):
        work()
    profile.disable()
    return pstats.Stats(profile)


def charged(stats: pstats.Stats) -> dict[Function, float]:
    """Return the seconds that each of our functions is answerable for."""
    entries: dict[Function, Any] = stats.stats  # type: ignore[attr-defined]
    shares: dict[Function, dict[Function, float]] = {}

    def share(function: Function, depth: int = 0) -> dict[Function, float]:
        """Return in which parts our functions called another one."""
        if function[0].startswith(PACKAGE) or depth > DEEPEST:
            return {function: 1.0}
        if function not in shares:
            callers = entries[function][4]
            whole = sum(caller[3] for caller in callers.values())
            found: dict[Function, float] = defaultdict(float)
            for caller, (*_, spent) in callers.items():
                for ours, part in share(caller, depth + 1).items():
                    found[ours] += part * spent / whole if whole else 0.0
            shares[function] = found or {function: 1.0}
        return shares[function]

    total: dict[Function, float] = defaultdict(float)
    for function, (_, _, own, _, _) in entries.items():
        for ours, part in share(function).items():
            total[ours] += own * part
    return total


def table(stats: pstats.Stats, calls: int, title: str, most: int) -> Table:
    """Return the functions that cost most, for one call."""
    total = charged(stats)
    whole = sum(total.values())
    entries: Any = stats.stats  # type: ignore[attr-defined]
    rows = []
    for function, spent in sorted(total.items(), key=lambda item: -item[1])[:most]:
        file, number, name = function
        where = f"{Path(file).relative_to(HERE.parent)}:{number}" if PACKAGE in file else ""
        times = f"{entries[function][0] / calls:,.0f}"
        rows.append((name, where, times, seconds(spent / calls), f"{100 * spent / whole:.1f} %"))
    remark = f"{seconds(whole / calls)} a call in all, the profiler's own time included."
    return Table(title, ("function", "", "calls", "time", "share"), rows, (remark,))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", default="1000x1000", help='such as "1000x100" or "ragged"')
    parser.add_argument("--form", default="int", help="int, str, object or category ids")
    parser.add_argument("--shuffled", action="store_true", help="rows in random order")
    parser.add_argument("--tied", action="store_true", help="every score the same")
    parser.add_argument("--one", action="store_true", help="df.rank.ndcg(k=10) of ten documents")
    parser.add_argument("--calls", type=int, help="how often; by default about 2 seconds' worth")
    parser.add_argument("--most", type=int, default=25, help="how many functions to show")
    parser.add_argument("measures", nargs="*", help="nDCG@10, ERR@10, RR and AP by default")
    given = parser.parse_args()
    frame = data.with_ids(data.tidy("1x10" if given.one else given.size), given.form)
    frame = data.shuffled(frame) if given.shuffled else frame
    frame = data.constant(frame) if given.tied else frame
    measures = given.measures or None

    def work() -> None:
        if given.one:
            frame.rank.ndcg(k=10)
        else:
            rm.evaluate(frame, measures)

    threads.THREADS = 1
    work()
    start = time.process_time()
    work()
    calls = given.calls or max(1, int(2 / (time.process_time() - start + 1e-9)))
    title = "df.rank.ndcg(k=10) of ten documents" if given.one else f"evaluate, {given.size}"
    print(table(profiled(work, calls), calls, title, given.most))


if __name__ == "__main__":
    main()
