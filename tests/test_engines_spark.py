"""Spark frames: the same values as pandas' to the last bit, however rows are partitioned.

Starting Spark and its workers takes far longer than measuring, so that few and large frames are
tried, with all measures and ids of every kind.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from cases import CASES, DIVERSE
from conftest import IN_CI
from engine_frames import check_summary, values_of, values_of_rows
from rank_magic.engines import spark as engine
from rank_magic.errors import DataError, RankMagicError

pytest.importorskip("pyspark")
pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
]

# Those that are averaged over 1,000 drawn orders take long, so that few of them are tried.
DRAWN = [name for name in CASES if not rm.parse(name).closed_form]


def java() -> str | None:
    """Return what Spark can run on: JAVA_HOME or the java on the path, from version 17."""
    home = os.environ.get("JAVA_HOME")
    path = shutil.which("java", path=str(Path(home) / "bin") if home else None)
    if path is None:
        return None
    said = subprocess.run([path, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', said)
    return path if version and int(version[1]) >= 17 else None


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """Return a local session of two workers; without Java it is skipped, but in CI it fails."""
    if java() is None:
        (pytest.fail if IN_CI else pytest.skip)(
            "No Java 17. Install it (Debian: apt-get install openjdk-17-jre-headless) or set "
            "JAVA_HOME=/path/to/it."
        )
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Workers import rank_magic from where it is being tested.
    here = str(Path(rm.__file__).resolve().parents[1])
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [here, str(Path(__file__).parent), os.environ.get("PYTHONPATH")])
    )
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
        "spark.sql.session.timeZone": "UTC",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure few rows at a time, so that queries straddle the steps."""
    monkeypatch.setattr(engine, "ROWS", 60)


def rows(queries: int = 25, *, most: int = 12) -> pd.DataFrame:
    """Return judged rankings, ragged, with gaps and ties, the last a giant, in any order."""
    rng = np.random.default_rng(queries)
    length = rng.integers(1, most, queries)
    length[-1] = 150
    frame = pd.DataFrame({"query": np.repeat(np.arange(queries), length)})
    frame["doc"] = [f"d{at}" for at in rng.permutation(len(frame))]
    frame["grade"] = rng.choice([np.nan, -1, 0, 0.5, 1, 2, 3], len(frame))
    frame["score"] = rng.choice([np.nan, 0.1, 0.2, 0.3, 0.1 + 0.2, 5, math.inf], len(frame))
    frame = frame.sample(frac=1, random_state=0).reset_index(drop=True)
    return frame.assign(line=np.arange(len(frame)))


def sent(spark: Any, frame: pd.DataFrame, partitions: int = 4) -> Any:
    """Return a Spark frame whose rows lie in partitions by chance, some of which may be empty."""
    import pyarrow as pa

    table = pa.Table.from_pandas(frame, preserve_index=False)
    return spark.createDataFrame(table).repartition(partitions)


def collected(evaluation: Any, ids: int) -> dict[tuple[str, ...], list[str]]:
    return values_of_rows([tuple(row) for row in evaluation.per_query.collect()], ids)


def check(
    spark: Any, frame: pd.DataFrame, measures: list[str], ids: int = 1, **options: Any
) -> Any:
    """Check that Spark and pandas say the same, and return what Spark said."""
    given = {"order_by": options.pop("order_by")} if "order_by" in options else {}
    wanted = rm.evaluate(frame, measures, **options)
    found = engine.evaluate(sent(spark, frame), measures, **given, **options)
    assert collected(found, ids) == values_of(wanted.per_query)
    check_summary(found.summary(), wanted.summary())
    pd.testing.assert_frame_equal(found.coverage, wanted.coverage)
    found.unpersist()
    return found


def test_all_measures_are_those_of_pandas(spark: Any) -> None:
    measures = [name for name in CASES if name not in DRAWN]
    found = check(spark, rows(), measures)
    assert "top grade 3" in repr(found)
    check(spark, rows(4, most=4).query("query < 3"), DRAWN[::9])
    subtopics = rows().assign(subtopic=[f"t{at % 3}" for at in range(len(rows()))])
    check(spark, subtopics, list(DIVERSE))


def test_conventions_that_need_the_order_of_rows(spark: Any) -> None:
    frame = rows()
    with pytest.raises(DataError, match=r"no order in Spark.*order_by="):
        rm.evaluate(sent(spark, frame), "RR", ties="order")
    check(spark, frame, ["nDCG", "ERR"], ties="order", order_by="line")
    frame["doc"] = frame["doc"].str[:2]  # many stand twice
    frame["grade"] = frame["doc"].str[1].astype(float) % 3
    for duplicates in ("first", "best"):
        check(spark, frame, ["nDCG", "ERR"], duplicates=duplicates, order_by="line")


def test_systems_and_ids_of_every_kind(spark: Any) -> None:
    frame = rows()
    frame["system"] = [f"s{at % 3}" for at in range(len(frame))]
    check(spark, frame, ["nDCG@10", "RR"], 2, no_relevant="nan")
    frame["other"] = frame["score"].sample(frac=1, random_state=1).to_numpy()
    plain = frame.drop(columns="system")
    check(spark, plain, ["nDCG@10", "RR"], 2, score=["score", "other"], unjudged="remove")
    plain["day"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(plain["query"], unit="D")
    plain["text"] = plain["query"].map("q{:03}".format)
    check(spark, plain, ["RR"], 2, query=["day", "text"], score="score")


def test_mistakes_are_told_as_ever(spark: Any) -> None:
    frame = rows()
    twice = pd.concat([frame, frame[:1]])
    with pytest.raises(DataError, match="1 row repeats a document"):
        rm.evaluate(sent(spark, twice), "RR")
    with pytest.raises(DataError, match="must hold numbers, but it is string"):
        rm.evaluate(sent(spark, frame.astype({"grade": str})), "RR")
    with pytest.raises(DataError, match="no grade at all"):
        rm.evaluate(sent(spark, frame.assign(grade=np.nan)), "RR")
    with pytest.raises(RankMagicError, match="No column for the grade"):
        rm.evaluate(sent(spark, frame.drop(columns="grade")), "RR")
