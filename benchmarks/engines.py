"""Engines beside one call in memory: time a row, peak memory, and what a shuffle costs.

    python benchmarks/engines.py parquet --rows 100_000_000
    python benchmarks/engines.py dask --rows 20_000_000
    python benchmarks/engines.py spark --rows 20_000_000

Every piece of work runs in a process of its own, so that its peak memory can be told, and is
checked against the values that the call in memory gives. Run it on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

MEASURES = ["nDCG@10", "ERR@10", "AP", "RR"]
DEPTH = 1_000  # documents a query
PIECE = 10_000_000  # rows made at a time
CALLS, LONG = 7, 10  # how often a work is done, and after how many seconds not again
MEMORY = "2GB"


# The rows: the same for the same number, in files of PIECE rows.


def piece(number: int, rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(number)
    at = np.arange(number * PIECE, number * PIECE + rows)
    return pd.DataFrame(
        {
            "query": at // DEPTH,
            "doc": at * 7_919 % 1_000_003,
            "grade": rng.choice([0.0, 1, 2, 3, 4], rows, p=[0.75, 0.13, 0.07, 0.04, 0.01]),
            "score": rng.random(rows),
        }
    )


def pieces(rows: int) -> list[tuple[int, int]]:
    return [(at, min(PIECE, rows - at * PIECE)) for at in range(-(-rows // PIECE))]


def make(folder: Path, rows: int, *, torn: bool) -> None:
    folder.mkdir()
    for number, size in pieces(rows):
        frame = piece(number, size)
        if torn:
            frame = frame.sample(frac=1, random_state=0)
        frame.to_parquet(folder / f"{number:04}.parquet", index=False)


def timed(call: Callable[[], pd.Series]) -> dict[str, Any]:
    """Return the median time of a few calls, of one where it takes long, and the means."""
    taken: list[float] = []
    while len(taken) < CALLS and sum(taken) < LONG:
        start = time.perf_counter()
        means = call()
        taken.append(time.perf_counter() - start)
    return {"seconds": statistics.median(taken), "means": means.tolist()}


# The works: each gets a folder and returns the seconds it took and the means.


def in_memory(folder: Path) -> dict[str, Any]:
    import rank_magic as rm

    rm.evaluate(piece(0, DEPTH), MEASURES).mean()  # imports what it needs
    start = time.perf_counter()
    frame = pd.read_parquet(folder)
    read = time.perf_counter() - start
    return {**timed(lambda: rm.evaluate(frame, MEASURES).mean()), "read": read}


def parquet(folder: Path) -> dict[str, Any]:
    import rank_magic as rm
    from rank_magic.engines import parquet

    rm.evaluate(piece(0, DEPTH), MEASURES).mean()  # imports what it needs
    return timed(lambda: parquet.evaluate(folder, MEASURES, memory=MEMORY).mean())


def on_dask(folder: Path, *, divided: bool) -> dict[str, Any]:
    import dask
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    import rank_magic  # noqa: F401  (gives the accessor)

    dask.config.set(
        {
            "distributed.worker.memory.target": 0.9,
        }
    )
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        lazy = dd.read_parquet(folder, split_row_groups=1)
        if divided:
            lazy = lazy.set_index("query", sorted=True)
        lazy = lazy.persist()
        from distributed import wait

        wait(lazy)
        small = dd.from_pandas(piece(0, 20 * DEPTH).set_index("query"), npartitions=10)
        small.persist().rank.evaluate(MEASURES).mean()  # both workers import what they need
        return timed(lambda: lazy.rank.evaluate(MEASURES).mean())


def on_spark(folder: Path) -> dict[str, Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    import rank_magic as rm

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.memory", "6g").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    frame = spark.read.parquet(str(folder))
    rm.evaluate(frame.where("query < 10"), "RR")  # workers have imported what they need
    found = timed(lambda: rm.evaluate(frame, MEASURES).mean())
    spark.stop()
    return found


WORKS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "in memory": in_memory,
    "parquet": parquet,
    "dask, divided": lambda folder: on_dask(folder, divided=True),
    "dask, shuffled": lambda folder: on_dask(folder, divided=False),
    "spark": on_spark,
}
# Which works stand in each table, on rows grouped by query or torn apart.
TABLES = {
    "parquet": [("in memory", False), ("parquet", False), ("parquet", True)],
    "dask": [("in memory", False), ("dask, divided", False), ("dask, shuffled", True)],
    "spark": [("in memory", False), ("spark", True)],
}


def ask(work: str, folder: Path) -> dict[str, Any]:
    """Do a piece of work in a fresh process."""
    command = [sys.executable, __file__, "--work", work, "--folder", str(folder)]
    here = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def peak() -> float:
    """Return the most memory that this process had, in GB; where it had workers, of the largest."""
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(one).ru_maxrss for one in who) * 1024 / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", nargs="?", choices=TABLES)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--work", choices=WORKS)
    given = parser.parse_args()
    if given.work:
        print(json.dumps({**WORKS[given.work](given.folder), "peak": peak()}))
        return
    if given.table is None:
        parser.error("say which: parquet, dask or spark")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        print(f"{given.rows:,} rows, {DEPTH:,} a query, {', '.join(MEASURES)}\n")
        print("| work | rows of a query | seconds | ns a row | to memory | peak memory |")
        print("|---|---|---|---|---|---|")
        wanted: list[float] = []
        base = 0.0
        for work, torn in TABLES[given.table]:
            place = Path(folder) / ("torn" if torn else "grouped")
            if not place.exists():
                make(place, given.rows, torn=torn)
            found = ask(work, place)
            wanted, base = wanted or found["means"], base or found["seconds"]
            # Rows torn apart within files are the same rows, and so are the means.
            np.testing.assert_allclose(found["means"], wanted, rtol=1e-12)
            read = f" (and {found['read']:.1f} to read)" if "read" in found else ""
            seconds = found["seconds"]
            print(
                f"| {work} | {'apart' if torn else 'together'} | {seconds:.1f}{read} | "
                f"{1e9 * seconds / given.rows:.0f} | {seconds / base:.2f} x | "
                f"{found['peak']:.2f} GB |",
                flush=True,
            )


if __name__ == "__main__":
    main()
