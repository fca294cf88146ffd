"""save() and load(): what comes back is what was saved, to the last bit, and nothing is executed."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rank_magic as rm
from rank_magic.errors import DataError, RankMagicError
from rank_magic.records import record_of

SYSTEMS = ["bm25", "rrf"]


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    frame = rm.datasets.load_electronics()
    return frame[frame["query_id"] <= "q040"]


def there_and_back(evaluation: rm.Evaluation, folder: Path) -> rm.Record:
    evaluation.save(folder / "release.zip")
    return rm.load(folder / "release.zip")


def small(queries: object, **options: object) -> rm.Evaluation:
    frame = pd.DataFrame({"grade": [1, 0, 1], "score": [0.3, 0.2, 0.1]})
    frame["query"], frame["doc"] = queries, ["x", "y", "z"]
    return rm.evaluate(frame, "P@1 RR", query="query", **options)


def test_values_come_back_to_the_last_bit(shop: pd.DataFrame, tmp_path: Path) -> None:
    evaluation = rm.evaluate(shop, "nDCG@10 AP GMAP NumRel", score=SYSTEMS)
    record = there_and_back(evaluation, tmp_path)
    pd.testing.assert_frame_equal(record.per_query, evaluation.per_query, check_exact=True)
    pd.testing.assert_frame_equal(record.summary(), evaluation.summary(), check_exact=True)
    pd.testing.assert_frame_equal(record.mean(), evaluation.mean(), check_exact=True)
    assert record.systems == evaluation.systems
    assert record.conventions == record_of(evaluation).conventions
    for name, values in record_of(evaluation).otherwise.items():
        np.testing.assert_array_equal(record.otherwise[name], values)


def test_a_single_system_comes_back_as_one(shop: pd.DataFrame, tmp_path: Path) -> None:
    evaluation = rm.evaluate(shop, "nDCG@10 RR", score="rrf")
    record = there_and_back(evaluation, tmp_path)
    pd.testing.assert_series_equal(record.mean(), evaluation.mean(), check_exact=True)
    pd.testing.assert_frame_equal(record.per_query, evaluation.per_query, check_exact=True)
    assert "nDCG@10" in repr(record)
    assert "Saved means over 40 queries" in repr(record)


def test_a_comparison_with_what_was_saved_is_that_with_the_evaluation(
    shop: pd.DataFrame, tmp_path: Path
) -> None:
    before, after = (rm.evaluate(shop, "nDCG@10 AP", score=name) for name in SYSTEMS)
    saved = rm.compare(there_and_back(before, tmp_path), after, resamples=500)
    direct = rm.compare(before, after, resamples=500)
    pd.testing.assert_frame_equal(saved.to_frame(), direct.to_frame(), check_exact=True)
    pd.testing.assert_frame_equal(saved.sensitivity, direct.sensitivity, check_exact=True)
    assert saved.warnings() == direct.warnings()
    assert repr(saved) == repr(direct)


def test_a_saved_evaluation_of_several_systems_compares_them(
    shop: pd.DataFrame, tmp_path: Path
) -> None:
    evaluation = rm.evaluate(shop, "nDCG@10", score=SYSTEMS)
    record = there_and_back(evaluation, tmp_path)
    expected = evaluation.compare(resamples=200).to_frame()
    pd.testing.assert_frame_equal(record.compare(resamples=200).to_frame(), expected)


def test_every_convention_is_kept(tmp_path: Path) -> None:
    options = {"ties": "worst", "unanswered": "skip", "no_relevant": "one", "unjudged": "remove"}
    options |= {"negative": "nonrelevant", "duplicates": "first", "depth": 7, "rel": 2}
    options |= {
        "doc": "doc",
        "max_grade": 4,
        "gain": {0: 0, 1: 2.5},
        "discount": lambda rank: 1 / rank,
    }
    record = there_and_back(small(["a", "b", "c"], **options), tmp_path)
    found = record.conventions
    assert {name: found[name] for name in options if name not in ("gain", "discount", "doc")} == {
        name: value for name, value in options.items() if name not in ("gain", "discount", "doc")
    }
    assert found["gain"] == "{0: 0, 1: 2.5}"
    assert found["discount"].startswith("<lambda>: 1, 0.5, 0.3333333333333333, 0.25, 0.2")
    assert set(rm.Conventions.names()) <= set(found)


QUERIES = [
    [1, 2, 3],
    [1.5, 2.5, -0.0],
    ["a", "é\n", "日本"],
    [True, False, True],
    pd.array([1, 2, 2**62], dtype="Int64"),
    pd.array(["a", "b", "c"], dtype="string"),
    pd.Categorical(["b", "a", "c"]),
    pd.to_datetime(["2026-01-01 00:00", "2026-01-02 03:04", "2027-01-01 00:00"]),
    pd.to_datetime(["2026-01-01", "2026-01-02", "2027-01-01"]).tz_localize("Europe/Berlin"),
    np.array([1, 2, 3], dtype="uint8"),
]


@pytest.mark.parametrize("queries", QUERIES, ids=lambda queries: str(pd.Series(queries).dtype))
def test_queries_of_every_type_come_back(queries: object, tmp_path: Path) -> None:
    evaluation = small(queries)
    record = there_and_back(evaluation, tmp_path)
    assert record.queries.tolist() == evaluation.queries.tolist()
    assert record.queries.name == "query"
    assert [type(one) for one in record.queries] == [type(one) for one in evaluation.queries]
    if not isinstance(queries, pd.Categorical):
        assert record.queries.dtype == evaluation.queries.dtype
    rm.compare(record, evaluation, resamples=0)


def test_queries_of_several_columns_come_back(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"day": [1, 1, 2], "who": list("aba"), "grade": 1, "score": [0.1, 0.2, 0.3]}
    )
    evaluation = rm.evaluate(frame, "P@1", query=["day", "who"])
    record = there_and_back(evaluation, tmp_path)
    pd.testing.assert_index_equal(record.queries, evaluation.queries)


def test_weights_come_back(tmp_path: Path) -> None:
    frame = pd.DataFrame({"query": list("abc"), "grade": [1, 0, 1], "score": 1.0, "n": [1, 2, 0.1]})
    evaluation = rm.evaluate(frame, "P@1", weight="n")
    record = there_and_back(evaluation, tmp_path)
    pd.testing.assert_frame_equal(record.summary(), evaluation.summary(), check_exact=True)
    assert record.weights is not None
    assert record.weights.tolist() == [1, 2, 0.1]


@given(
    systems=st.lists(
        st.one_of(st.text(min_size=1), st.integers()), min_size=1, max_size=3, unique_by=str
    )
)
def test_systems_of_every_name_come_back(
    tmp_path_factory: pytest.TempPathFactory, systems: list[object]
) -> None:
    frame = pd.DataFrame({"query_id": ["x", "y"], "grade": [1, 0]})
    for number, name in enumerate(systems):
        frame[name] = [number, 1.0]
    if len(frame.columns) < 2 + len(systems):
        return  # a system called query_id
    evaluation = rm.evaluate(frame, "P@1", score=list(systems), query="query_id", grade="grade")
    record = there_and_back(evaluation, tmp_path_factory.mktemp("x"))
    assert record.systems == evaluation.systems
    assert [type(name) for name in record.systems] == [type(name) for name in evaluation.systems]


def test_the_same_evaluation_makes_the_same_file(shop: pd.DataFrame, tmp_path: Path) -> None:
    evaluation = rm.evaluate(shop, "nDCG@10", score=SYSTEMS)
    evaluation.save(tmp_path / "a.zip")
    there_and_back(evaluation, tmp_path)
    rm.evaluate(shop.sample(frac=1, random_state=0), "nDCG@10", score=SYSTEMS).save(
        tmp_path / "b.zip"
    )
    first = (tmp_path / "a.zip").read_bytes()
    assert (tmp_path / "release.zip").read_bytes() == first
    assert (tmp_path / "b.zip").read_bytes() == first


def test_a_record_can_be_saved_again(shop: pd.DataFrame, tmp_path: Path) -> None:
    from rank_magic.saving import save

    record = there_and_back(rm.evaluate(shop, "nDCG@10", score=SYSTEMS), tmp_path)
    save(record, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (tmp_path / "release.zip").read_bytes()


def test_nothing_in_the_file_is_executed(tmp_path: Path) -> None:
    small(["a", "b", "c"]).save(tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as parts:
        names = parts.namelist()
        contents = {name: parts.read(name) for name in names}
    assert json.loads(contents["record.json"])["format"] == 1
    evil = np.array([Evil()], dtype=object)
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as parts:
        for name in names:
            if name == "values/value.npy":
                with parts.open(name, "w") as file:
                    np.lib.format.write_array(file, evil, allow_pickle=True)
            else:
                parts.writestr(name, contents[name])
    with pytest.raises(DataError, match=r"is not a file that evaluation.save"):
        rm.load(tmp_path / "evil.zip")
    assert not EXECUTED


EXECUTED: list[str] = []


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return EXECUTED.append, ("pickled code ran",)


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"There is no file"):
        rm.load(tmp_path / "none.zip")
    path = tmp_path / "x.zip"
    path.write_bytes(pickle.dumps([1]))
    with pytest.raises(DataError, match=r"is not a file that evaluation.save"):
        rm.load(path)
    small(["a", "b", "c"]).save(path)
    whole = path.read_bytes()
    for end in (10, len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:end])
        with pytest.raises(DataError, match="or it is damaged"):
            rm.load(path)
    with zipfile.ZipFile(path, "w") as parts:
        parts.writestr("record.json", json.dumps({"format": 99}))
    with pytest.raises(DataError, match="written in format 99, this rank_magic reads 1"):
        rm.load(path)


def test_what_can_not_be_saved_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(RankMagicError, match="There is no folder"):
        small(["a", "b", "c"]).save(tmp_path / "nowhere" / "x.zip")
    odd = small(pd.array([pd.Period("2026-01", "M")] * 3))
    with pytest.raises(RankMagicError, match=r"Period\) can't be saved.*astype\(str\)"):
        odd.save(tmp_path / "x.zip")
    assert list(tmp_path.iterdir()) == []


def test_it_is_done_without_pyarrow(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import pandas as pd, rank_magic as rm\n"
        "frame = pd.DataFrame({'query': ['a', 'b'], 'grade': [1, 0], 'score': [0.9, 0.8]})\n"
        f"rm.evaluate(frame, 'P@1').save({str(tmp_path / 'x.zip')!r})\n"
        f"print(rm.load({str(tmp_path / 'x.zip')!r}).mean()['P@1'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0.5"
    assert rm.load(tmp_path / "x.zip").queries.tolist() == ["a", "b"]
