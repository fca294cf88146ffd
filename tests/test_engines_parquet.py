"""Parquet files: the same values as in memory to the last bit, however rows lie in files."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
from cases import quick
from engine_frames import IDS, Problem, partitions, problems, values_of
from rank_magic.engines import parquet, streams
from rank_magic.errors import ColumnError, DataError, LibraryError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("duckdb")

FEW = settings(max_examples=max(settings().max_examples // 5, 10))
FILES = [name for name in IDS if name != "truths"]


def write(folder: str | Path, frame: pd.DataFrame, parts: list[slice], rows: int = 3) -> str:
    """Write parts of a frame to files of small row groups, and return a pattern for them."""
    for number, part in enumerate(parts):
        path = Path(folder) / f"part{number:02}.parquet"
        frame.iloc[part].to_parquet(path, index=False, row_group_size=rows)
    return str(Path(folder) / "*.parquet")


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read a few rows at a time, as if files were large."""
    monkeypatch.setattr(parquet, "FEWEST_ROWS", 4)
    monkeypatch.setattr(parquet, "MOST_ROWS", 5)


@given(problems(), st.booleans(), st.randoms(use_true_random=False))
@FEW
def test_values_are_those_in_memory(problem: Problem, grouped: bool, random: Any) -> None:
    frame = problem.frame
    if grouped:
        ids = frame["query_id"].astype(str) + frame.get("other", pd.Series(0, frame.index)).astype(
            str
        )
        frame = frame.iloc[np.argsort(pd.factorize(ids)[0], kind="stable")]
        frame = frame.reset_index(drop=True)
    parts = partitions(len(frame), random)
    with quick(20), pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(parquet, "FEWEST_ROWS", 4)
        patch.setattr(parquet, "MOST_ROWS", random.choice([2, 5, 100]))
        if grouped:  # nothing is sorted then
            patch.setattr(parquet, "sorted_batches", None)
        wanted = Problem(frame, problem.measures, problem.options).in_memory()
        pattern = write(folder, frame, parts, random.choice([1, 3, 100]))
        found = rm.evaluate(pattern, problem.measures, **problem.options)
    assert values_of(found.per_query) == values_of(wanted.per_query)
    assert found.queries.tolist() == wanted.queries.tolist()
    pd.testing.assert_frame_equal(found.summary(), wanted.summary(), check_exact=True)
    pd.testing.assert_frame_equal(found.coverage, wanted.coverage)


def shop(queries: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"query": np.repeat(np.arange(queries), 5)})
    frame["doc"] = rng.permutation(len(frame))
    frame["grade"] = rng.choice([np.nan, 0, 1, 2], len(frame))
    frame["score"] = rng.random(len(frame))
    return frame


def test_a_file_without_rows_may_have_other_types(tmp_path: Path) -> None:
    frame = shop()
    write(tmp_path, frame, [slice(0, 90), slice(90, None)])
    pq.write_table(pa.table({"query": pa.nulls(0), "more": pa.nulls(0)}), tmp_path / "a.parquet")
    found = rm.evaluate(tmp_path, "RR")
    assert values_of(found.per_query) == values_of(rm.evaluate(frame, "RR").per_query)


def test_files_are_read_in_the_order_given(tmp_path: Path) -> None:
    frame = shop()
    write(tmp_path, frame, [slice(0, 90), slice(90, None)])
    first, second = sorted(tmp_path.iterdir())
    turned = pd.concat([frame[90:], frame[:90]])
    wanted = rm.evaluate(turned, "RR", order="rows", query="query")
    for paths in ([second, first], [str(second), str(first)]):
        found = parquet.evaluate(paths, "RR", order="rows", query="query")
        assert values_of(found.per_query) == values_of(wanted.per_query)
    assert len(rm.evaluate(tmp_path, "RR").queries) == 40  # a folder
    assert len(rm.evaluate(first, "RR").queries) == 18


def test_a_query_returns_after_a_long_time(tmp_path: Path) -> None:
    frame = shop()
    frame = pd.concat([frame[2:], frame[:2]])  # the first query ends where the last one did
    found = rm.evaluate(write(tmp_path, frame, [slice(None)]), ["RR", "nDCG"])
    assert values_of(found.per_query) == values_of(rm.evaluate(frame, ["RR", "nDCG"]).per_query)


def test_one_query_may_be_all_there_is(tmp_path: Path) -> None:
    frame = shop(1)
    parts = [slice(0, 1), slice(1, 1), slice(1, 4), slice(4, None)]
    found = rm.evaluate(write(tmp_path, frame, parts, 1), "nDCG")
    assert values_of(found.per_query) == values_of(rm.evaluate(frame, "nDCG").per_query)


def test_the_top_grade_comes_from_statistics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = write(tmp_path, shop(), [slice(0, 90), slice(90, None)])
    reads: list[Any] = []
    read = pq.ParquetFile.read_row_group
    monkeypatch.setattr(
        pq.ParquetFile, "read_row_group", lambda *a, **k: reads.append(a) or read(*a, **k)
    )
    wanted = values_of(rm.evaluate(shop(), "ERR").per_query)
    assert values_of(rm.evaluate(pattern, "ERR").per_query) == wanted
    assert not reads
    negative = shop().assign(grade=np.resize([-1.0, 2.0], 200))  # is there a 0 between?
    pattern = write(tmp_path, negative, [slice(0, 90), slice(90, None)])
    assert values_of(rm.evaluate(pattern, "ERR").per_query) == values_of(
        rm.evaluate(negative, "ERR").per_query
    )
    assert reads


def test_statistics_are_not_needed(tmp_path: Path) -> None:
    table = pa.Table.from_pandas(shop())
    pq.write_table(table, tmp_path / "none.parquet", write_statistics=False)
    found = rm.evaluate(tmp_path, "ERR")
    assert values_of(found.per_query) == values_of(rm.evaluate(shop(), "ERR").per_query)


@pytest.mark.parametrize("kind", ["category", "string", "Int64", "int8", "datetime64[s]"])
def test_ids_of_any_kind(tmp_path: Path, kind: str) -> None:
    frame = shop()
    frame["query"] = (
        frame["query"].astype("str").astype(kind)
        if kind in ("category", "string")
        else frame["query"].astype(kind)
    )
    for rows in (frame, frame.sample(frac=1, random_state=0)):
        found = rm.evaluate(write(tmp_path, rows, [slice(0, 77), slice(77, None)]), "RR")
        assert values_of(found.per_query) == values_of(rm.evaluate(rows, "RR").per_query)


def test_large_whole_scores_with_gaps_stay_apart(tmp_path: Path) -> None:
    table = pa.table({"query": [1, 1, 1], "grade": [0, 1, 0], "score": [2**53, 2**53 + 1, None]})
    pq.write_table(table, tmp_path / "large.parquet")
    assert rm.evaluate(tmp_path, "RR").per_query["RR"].tolist() == [1.0]


def test_names_of_columns_and_files_may_be_awkward(tmp_path: Path) -> None:
    frame = shop().sample(frac=1, random_state=0).rename(columns={"query": 'the "query"'})
    folder = tmp_path / "it's here"
    folder.mkdir()
    pattern = write(folder, frame, [slice(0, 90), slice(90, None)])
    options = {"query": 'the "query"', "ties": "order"}
    found = rm.evaluate(pattern, "RR", **options)
    assert values_of(found.per_query) == values_of(rm.evaluate(frame, "RR", **options).per_query)


# Mistakes.


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no Parquet file at 'nowhere"):
        rm.evaluate("nowhere/*.parquet", "RR")
    write(tmp_path, shop(), [slice(0, 0)])
    with pytest.raises(DataError, match="no rows"):
        rm.evaluate(tmp_path, "RR")
    frame = shop()
    frame.loc[1, "doc"] = frame.loc[0, "doc"]
    with pytest.raises(DataError, match="repeats a document"):
        rm.evaluate(write(tmp_path, frame, [slice(None)]), "RR")
    with pytest.raises(DataError, match="no grade at all"):
        rm.evaluate(write(tmp_path, shop().assign(grade=np.nan), [slice(None)]), "RR")
    missing = shop().astype({"query": "Int64"})
    missing.loc[7, "query"] = pd.NA
    with pytest.raises(DataError, match="1 row has no query id"):
        rm.evaluate(write(tmp_path, missing, [slice(None)]), "RR")


def test_files_of_several_forms_are_refused(tmp_path: Path) -> None:
    shop().to_parquet(tmp_path / "a.parquet")
    shop().astype({"query": str}).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ColumnError, match=r"'query' is .*string in .*b.parquet"):
        rm.evaluate(tmp_path, "RR")
    shop().drop(columns="grade").to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ColumnError, match=r"no column 'grade' in .*b.parquet"):
        rm.evaluate(tmp_path, "RR")


@pytest.mark.parametrize(
    ("memory", "size"),
    [("4GB", 4 * 10**9), ("0.5 gib", 2**29), (10**9, 10**9), ("200MB", 2 * 10**8)],
)
def test_memory_is_a_size(memory: str | int, size: int) -> None:
    assert parquet.size_in_bytes(memory) == size


@pytest.mark.parametrize("memory", ["", "much", "-4GB", "4 XB", "1KB", 0, "nan", "GB", "1e999GB"])
def test_what_is_no_size_is_an_error(memory: str | int) -> None:
    with pytest.raises(DataError, match="not a size of at least 100MB"):
        parquet.size_in_bytes(memory)


def test_grouped_files_do_without_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    assert len(rm.evaluate(write(tmp_path, shop(), [slice(None)]), "RR").queries) == 40
    torn = shop().sample(frac=1, random_state=0)
    with pytest.raises(LibraryError, match=r"pip install 'rank-magic\[parquet\]'"):
        rm.evaluate(write(tmp_path, torn, [slice(None)]), "RR")


# Rows that stream by.


def test_what_waits_keeps_no_more_than_its_own_rows_in_memory() -> None:
    most: list[int] = []
    before, rows = pa.total_allocated_bytes(), 20_000

    def tables() -> Iterator[Any]:
        for number in range(50):  # the last query of each goes on in the next
            queries = np.arange(rows) // 10 + number * (rows // 10 - 1)
            yield pa.table({"query": pa.array(queries.tolist())})
            most.append(pa.total_allocated_bytes() - before)

    found = sum(len(part) for _, part in streams.whole_queries(tables(), ["query"]))
    assert found == 50 * rows
    assert max(most) < 3 * 8 * rows


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), max_size=6))
def test_whole_queries_are_never_cut_and_nothing_is_lost(chunks: list[list[int]]) -> None:
    tables = [pa.table({"query": chunk}) for chunk in chunks]
    found = list(streams.whole_queries(tables, ["query"]))
    rows = [query for chunk in chunks for query in chunk]
    assert sorted(query for _, part in found for query in part["query"]) == sorted(rows)
    # Each run of rows stands in one part, in full; those that straddle may follow one another.
    runs = [len(list(run)) for _, run in groupby(rows)]
    assert sum(number for number, _ in found) == len(runs)
    assert sum(map(len, (part for _, part in found))) == sum(runs)
    for number, part in found:
        assert number >= 1 + int((part["query"].diff().iloc[1:] != 0).sum())
