"""Runs and qrels in files: every format is told by its content, read in full, and written back."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
from rank_magic.errors import ColumnError, DataError
from rank_magic.formats import FORMATS, delimited

DATA = Path(__file__).parent / "data"
TREC = DATA / "trec_eval_test"

BY_NAME = {one.name: one for one in FORMATS}


def qrels(data: str | bytes, **options: Any) -> pd.DataFrame:
    return rm.read_qrels(io.BytesIO(data.encode() if isinstance(data, str) else data), **options)


def run(data: str | bytes, **options: Any) -> pd.DataFrame:
    return rm.read_run(io.BytesIO(data.encode() if isinstance(data, str) else data), **options)


def rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in frame.astype(object).to_numpy()]


# TREC.


def test_trec_evals_own_files_are_read_in_full() -> None:
    judged = rm.read_qrels(TREC / "qrels.test")
    lines = [line.split() for line in (TREC / "qrels.test").read_text().splitlines()]
    assert rows(judged) == [(query, doc, int(grade)) for query, _, doc, grade in lines]
    retrieved = rm.read_run(TREC / "results.test")
    lines = [line.split() for line in (TREC / "results.test").read_text().splitlines()]
    assert rows(retrieved) == [
        (query, doc, int(rank), float(score), system)
        for query, _, doc, rank, score, system in lines
    ]


def test_what_is_read_gives_trec_evals_numbers() -> None:
    frame = rm.attach(rm.read_run(TREC / "results.test"), rm.read_qrels(TREC / "qrels.test"))
    mean = rm.evaluate(frame, ["map", "recip_rank"], ties="trec", system=None).mean()
    printed = {
        name: float(value)
        for name, query, value in (
            line.split() for line in (TREC / "out.test.aq").read_text().splitlines()
        )
        if query == "all" and name in ("map", "recip_rank")
    }
    assert mean.to_numpy().ravel().round(4).tolist() == [printed["map"], printed["recip_rank"]]


@pytest.mark.parametrize(
    "text",
    [
        "1 0 a 2\n1 0 b 0\n",
        "1 0 a 2\n1 0 b 0",
        "1\t0\ta\t2\n1\t0\tb\t0\n",
        "1  0 \t a 2\r\n  1 0 b\t0  \r\n",
        "\ufeff1 0 a 2\n\n   \n1 0 b 0\n\n",
        "# judged in May\n1 0 a 2\n#1 0 c 2\n  # and June\n1 0 b 0\n",
        "1 Q0 a 2\n1 Q0 b 0\n",
    ],
    ids=["plain", "no end", "tabs", "blanks and CRLF", "BOM and empty lines", "comments", "Q0"],
)
def test_trec_qrels_in_every_usual_hand(text: str) -> None:
    assert rows(qrels(text)) == [("1", "a", 2), ("1", "b", 0)]
    assert qrels(text)["grade"].dtype == "int64"


def test_ids_are_text_whatever_they_look_like() -> None:
    frame = qrels("007 0 1e5 1\nNA 0 null 0\ntrue 0 1_0 0\n\u00a0x 0 é\u2003z 1\n")
    assert frame["query_id"].tolist() == ["007", "NA", "true", "\u00a0x"]
    assert frame["doc_id"].tolist() == ["1e5", "null", "1_0", "é\u2003z"]


def test_a_second_column_that_says_something_is_a_subtopic() -> None:
    frame = qrels("1 1 a 1\n1 2 a 0\n")
    assert list(frame) == ["query_id", "doc_id", "subtopic", "grade"]
    assert frame["subtopic"].tolist() == ["1", "2"]
    forced = qrels("1 0 a 1\n", format="trec_subtopics")
    assert forced["subtopic"].tolist() == ["0"]


def test_grades_may_be_fractions_or_negative() -> None:
    frame = qrels("1 0 a 0.5\n1 0 b -1\n1 0 c 1e-3\n1 0 d 1000000\n")
    assert frame["grade"].tolist() == [0.5, -1, 0.001, 1_000_000]


def test_scores_may_be_infinite_and_no_digit_is_lost() -> None:
    scores = ["inf", "-inf", "0.1", "1e-300", "9007199254740993", "3.141592653589793", "+2"]
    frame = run("".join(f"1 Q0 d{n} {n} {score} s\n" for n, score in enumerate(scores)))
    assert frame["score"].tolist() == [float(score) for score in scores]


@pytest.mark.parametrize(
    "spoil", ["0x10", "nan", "1e999", "1,5", "٣", "1_000", "--1", "1.2.3", "."]
)
def test_what_is_no_number_is_refused(spoil: str) -> None:
    with pytest.raises(DataError, match="line 2: The grade must be a number"):
        qrels(f"1 0 a 1\n1 0 b {spoil}\n")


# Each format.

LETOR = "2 qid:10 1:0.5 2:1 # docid = GX1 inc = 1\n0 qid:10 2:3 #docid=GX2\n1 qid:9 1:-1e3 # docid = GX1\n"
REQUEST = {
    "requests": [
        {"id": "tv", "request": {}, "ratings": [{"_index": "i", "_id": "a", "rating": 3}]},
        {"id": "hdmi", "request": {}, "ratings": [{"_index": "i", "_id": "b", "rating": 0}]},
    ],
    "metric": {"dcg": {}},
}
RESPONSE = {
    "metric_score": 0.4,
    "details": {
        "tv": {
            "metric_score": 0.6,
            "unrated_docs": [{"_index": "i", "_id": "b"}],
            "hits": [
                {"hit": {"_index": "i", "_id": "a", "_score": 2.5}, "rating": 3},
                {"hit": {"_index": "i", "_id": "b", "_score": 1}, "rating": None},
            ],
        }
    },
    "failures": {},
}
EVENT = {
    "action_name": "item_click",
    "client_id": "c",
    "query_id": "s1",
    "event_attributes": {
        "object": {"object_id": "a", "object_id_field": "isbn"},
        "position": {"ordinal": 1},
    },
}
SEARCH = {"query_id": "s1", "user_query": "tv", "query_response_hit_ids": ["a", 7]}

QRELS = {
    "trec": ("1 0 a 2\n", [("1", "a", 2)]),
    "beir": ("query-id\tcorpus-id\tscore\n1\ta b\t2\n", [("1", "a b", 2)]),
    "json": ('{"1": {"a": 2, "b": 0}}', [("1", "a", 2), ("1", "b", 0)]),
    "jsonl": ('{"query-id": "1", "corpus-id": 7, "score": 2}\n', [("1", "7", 2)]),
    "csv": ("query;doc;rating\n1;a;2\n", [("1", "a", 2)]),
    "quepid": ('query,docid,rating\n"tv, big",a,2\nradio\n', [("tv, big", "a", 2)]),
    "letor": (LETOR, [("10", "GX1", 2, 0.5, 1), ("10", "GX2", 0, 0, 3), ("9", "GX1", 1, -1000, 0)]),
    "rank_eval": (json.dumps(REQUEST, indent=2), [("tv", "a", 3), ("hdmi", "b", 0)]),
    "ubi": (json.dumps(EVENT) + "\n", [("s1", "a", 1)]),
}
RUNS = {
    "trec": ("1 Q0 a 1 2.5 s\n", [("1", "a", 1, 2.5, "s")]),
    "msmarco": ("1\ta b\t1\n", [("1", "a b", 1)]),
    "json": ('{\n "1": {"a": 2.5}}', [("1", "a", 2.5)]),
    "jsonl": ('[{"qid": 1, "docno": "a", "score": 2}]', [("1", "a", 2)]),
    "csv": ("qid\tdocno\tscore\n1\ta\t2.5\n", [("1", "a", 2.5)]),
    "quepid": (
        "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title\nA,t,8,tv,a,1,TV\n",
        [("A", "t", 8, "tv", "a", 1, "TV")],
    ),
    "rank_eval": (json.dumps(RESPONSE), [("tv", "a", 1, 2.5), ("tv", "b", 2, 1.0)]),
    "ubi": (json.dumps(SEARCH) + "\n", [("s1", "tv", "a", 1), ("s1", "tv", "7", 2)]),
}


@pytest.mark.parametrize("name", QRELS)
def test_qrels_are_told_by_content_and_read(name: str) -> None:
    text, expected = QRELS[name]
    assert rows(qrels(text)) == expected
    assert rows(qrels(text, format=name)) == expected
    assert next(one for one in FORMATS if one.looks(text.encode())).name == name


@pytest.mark.parametrize("name", RUNS)
def test_runs_are_told_by_content_and_read(name: str) -> None:
    text, expected = RUNS[name]
    assert rows(run(text)) == expected
    assert rows(run(text, format=name)) == expected
    assert next(one for one in FORMATS if one.looks(text.encode())).name == name


@pytest.mark.parametrize("name", ["trec", "beir", "csv", "letor", "jsonl"])
def test_line_ends_and_byte_order_marks_change_nothing(name: str) -> None:
    text, expected = QRELS[name]
    assert rows(qrels("\ufeff" + text.replace("\n", "\r\n"))) == expected


def test_ms_marcos_qrels_are_trecs() -> None:
    assert rows(qrels("300674\t0\t7067032\t1\n")) == [("300674", "7067032", 1)]


def test_a_response_gives_its_ratings_too() -> None:
    assert rows(qrels(json.dumps(RESPONSE))) == [("tv", "a", 3)]


def test_results_sorted_by_a_field_have_ranks_only() -> None:
    response = json.loads(
        json.dumps(RESPONSE).replace("2.5", "null").replace('"_score": 1}', '"_score": null}')
    )
    assert list(run(json.dumps(response))) == ["query_id", "doc_id", "rank"]


def test_a_response_with_failures_is_not_taken_for_whole() -> None:
    with pytest.raises(DataError, match="reports failures"):
        run(json.dumps({**RESPONSE, "failures": {"radio": {"error": "timeout"}}}))


def test_clicks_outweigh_impressions_and_other_events_say_nothing() -> None:
    def event(action: str, doc: str | None, query: str | None = "s1") -> str:
        return json.dumps(
            {
                "action_name": action,
                "query_id": query,
                "event_attributes": {"object": {"object_id": doc}},
            }
        )

    log = [
        event("impression", "a"), event("impression", "b"), event("click", "a"), event("click", "a"),
        event("impression", "a"), event("product_hover", "c"), event("login", None), event("click", "a", None),
        event("purchase", "d"), json.dumps({"_index": "ubi_events", "_source": json.loads(event("click", "e"))}),
    ]  # fmt: skip
    frame = qrels("\n".join(log))
    assert rows(frame) == [("s1", "a", 1), ("s1", "b", 0), ("s1", "d", 1), ("s1", "e", 1)]


def test_csv_keeps_all_columns_and_their_names() -> None:
    text = 'qid,docno,label,title,price,note\n1,a,2,"x, ""y""\nz",1.5,\n1,b,,w,2,seen\n'
    frame = qrels(text)
    assert list(frame) == ["qid", "docno", "label", "title", "price", "note"]
    assert frame["title"].tolist() == ['x, "y"\nz', "w"]
    assert frame["price"].tolist() == [1.5, 2.0]
    assert frame["note"].isna().tolist() == [True, False]
    assert frame["label"].isna().tolist() == [False, True]
    assert rm.read_qrels(
        io.BytesIO(b"who,doc,stars\n1,a,2\n"), query="who", grade="stars", format="csv"
    )["stars"].tolist() == [2]


def test_lightgbms_example_is_read_with_its_group_sizes() -> None:
    folder = DATA / "lightgbm_lambdarank"
    frame = rm.read_qrels(folder / "rank.test.gz")
    sizes = [int(size) for size in (folder / "rank.test.query").read_text().split()]
    assert frame.groupby("query_id", sort=False).size().tolist() == sizes
    lines = gzip.decompress((folder / "rank.test.gz").read_bytes()).decode().splitlines()
    assert frame["grade"].tolist() == [int(line.split()[0]) for line in lines]
    number, value = lines[700].split()[-1].split(":")
    assert frame[f"feature_{number}"].iloc[700] == float(value)
    assert (
        sum(len(line.split()) - 1 for line in lines)
        >= (frame.filter(like="feature_") != 0).to_numpy().sum()
    )


def test_group_sizes_are_found_beside_or_given_and_must_add_up(tmp_path: Path) -> None:
    path = tmp_path / "train"
    path.write_text("1 1:2\n0 2:3\n2 1:1\n")
    with pytest.raises(DataError, match=r"no qid:.*train.query or .group.*groups='path'"):
        rm.read_qrels(path)
    (tmp_path / "sizes.txt").write_text("1\n2\n")
    expected = ["1", "2", "2"]
    assert rm.read_qrels(path, groups=tmp_path / "sizes.txt")["query_id"].tolist() == expected
    (tmp_path / "train.group").write_text("1 2\n")
    assert rm.read_qrels(path)["query_id"].tolist() == expected
    (tmp_path / "train.group").write_text("1\n1\n")
    with pytest.raises(DataError, match="2 groups of 2 rows in all, but train has 3 rows"):
        rm.read_qrels(path)


# Packed.

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("suffix", [*PACK, ".zst"])
def test_packed_files_are_unpacked_by_content(suffix: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = qrels("".join(f"q{n % 7} 0 d{n} {n % 4}\n" for n in range(5000)))
    rm.write_qrels(frame, tmp_path / f"qrels.txt{suffix}")
    packed = (tmp_path / f"qrels.txt{suffix}").read_bytes()
    (tmp_path / "plain").write_bytes(packed)
    pd.testing.assert_frame_equal(rm.read_qrels(tmp_path / "plain"), frame)
    for cut in (len(packed) // 2, len(packed) - 1, 12):
        with pytest.raises(DataError, match=r"cut off or damaged|is empty"):
            qrels(packed[:cut])
    spoilt = bytearray(packed)
    spoilt[len(packed) // 2] ^= 0xFF
    with pytest.raises(DataError):
        qrels(bytes(spoilt))


# Round trips.

LETTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff")
ANY = st.one_of(
    st.text(LETTERS, min_size=1, max_size=12),
    st.sampled_from(
        ["007", "1e5", "NA", "null", "a b", 'say "x"', "a,b", "é", "x" * 10_000, "0x1F", "true"]
    ),
)
PLAIN = ANY.map(lambda text: "".join(text.split()).lstrip("#").replace("#", "") or "x")
GRADES = st.one_of(
    st.lists(st.integers(-5, 1_000_000), min_size=8, max_size=8),
    st.lists(st.floats(-10, 10).filter(lambda value: value != int(value)), min_size=8, max_size=8),
)
SCORES = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=8, max_size=8)
ROOMY = {"csv", "jsonl", "parquet", "json", "rank_eval", "ubi", "beir", "msmarco", "quepid"}
LIST = st.data()


def pairs(draw: Any, ids: Any) -> list[tuple[str, str]]:
    """Draw pairs of query and document, query after query."""
    docs = draw(st.lists(ids, min_size=1, max_size=4, unique=True))
    queries = draw(st.lists(ids, min_size=1, max_size=2, unique=True))
    return [(query, doc) for query in queries for doc in docs]


def same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(
        one, other, check_categorical=False, check_column_type=False, check_dtype=False
    )
    for name in ("grade", "score", "rank"):
        if name in one:
            assert one[name].dtype == other[name].dtype


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("formats")


@pytest.mark.parametrize("name", [one.name for one in FORMATS if one.write_qrels])
@given(data=LIST)
@settings(max_examples=25)
def test_qrels_come_back_as_they_were_written(name: str, folder: Path, data: Any) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    ids = pairs(data.draw, ANY if name in ROOMY else PLAIN)
    grades = data.draw(GRADES)
    if name == "ubi":
        grades = [int(grade > 0) for grade in grades]
    frame = pd.DataFrame(
        {
            "query" if name == "quepid" else "query_id": [query for query, _ in ids],
            "doc_id": [doc for _, doc in ids],
            "grade": grades[: len(ids)],
        }
    )
    if name.startswith("trec"):
        topics = data.draw(st.lists(PLAIN, min_size=8, max_size=8))[: len(ids)]
        if name == "trec_subtopics" or not set(topics) <= {"0", "Q0", "q0"}:
            frame.insert(2, "subtopic", topics)
    if name == "letor":
        frame["feature_3"] = data.draw(SCORES)[: len(ids)]
    rm.write_qrels(frame, folder / "file", format=name)
    same(rm.read_qrels(folder / "file", format=name), frame)
    if name not in ("trec_subtopics", "json", "csv", "quepid"):
        same(rm.read_qrels(folder / "file"), frame)


@pytest.mark.parametrize("length", [10, 4085, 4096, 10_000])
def test_letor_files_with_long_ids_are_known_by_their_content(tmp_path: Path, length: int) -> None:
    frame = pd.DataFrame({"query_id": ["x" * length], "grade": [1], "feature_1": [0.5]})
    (tmp_path / "file").write_text(f"1 qid:{'x' * length} 1:0.5\n")
    same(rm.read_qrels(tmp_path / "file"), frame)


@pytest.mark.parametrize("name", [one.name for one in FORMATS if one.write_run])
@given(data=LIST)
@settings(max_examples=25)
def test_runs_come_back_as_they_were_written(name: str, folder: Path, data: Any) -> None:
    if name == "parquet":
        pytest.importorskip("pyarrow")
    ids = pairs(data.draw, ANY if name in ROOMY else PLAIN)
    if name == "msmarco":
        ids = [(query, doc) for query, doc in ids if not query.startswith("#")]
        ids = ids or [("1", "a")]
    counts: dict[str, int] = {}
    ranks = [counts.setdefault(query, 0) or 0 for query, _ in ids]
    for at, (query, _) in enumerate(ids):
        counts[query] += 1
        ranks[at] = counts[query]
    frame = pd.DataFrame(
        {
            "query" if name == "quepid" else "query_id": [query for query, _ in ids],
            "doc_id": [doc for _, doc in ids],
            "rank": ranks,
            "score": data.draw(SCORES)[: len(ids)],
            "system": data.draw(PLAIN),
        }
    )
    kept = {
        "json": ["query_id", "doc_id", "score"],
        "msmarco": ["query_id", "doc_id", "rank", "score"],
        "quepid": ["query", "doc_id", "rank"],
        "rank_eval": ["query_id", "doc_id", "rank", "score"],
        "ubi": ["query_id", "doc_id", "rank"],
    }
    frame = frame[kept.get(name, list(frame))]
    rm.write_run(frame, folder / "file", format=name)
    same(rm.read_run(folder / "file", format=name), frame)


@pytest.mark.parametrize("name", ["trec", "letor", "beir"])
def test_ids_that_a_format_can_not_hold_are_refused_before_anything_is_written(
    name: str, tmp_path: Path
) -> None:
    for odd in ("", "a\tb", "a\nb", "a\0b", "\ud800"):
        frame = pd.DataFrame({"query": ["1"], "doc": pd.Series([odd], dtype=object), "grade": [1]})
        with pytest.raises(DataError, match="can't be written"):
            rm.write_qrels(frame, tmp_path / "file", format=name)
        assert not list(tmp_path.iterdir())


def test_an_attached_frame_is_taken_apart_again(tmp_path: Path) -> None:
    retrieved, judged = rm.read_run(TREC / "results.test"), rm.read_qrels(TREC / "qrels.test")
    frame = rm.attach(retrieved, judged)
    rm.write_run(frame, tmp_path / "run")
    rm.write_qrels(frame, tmp_path / "qrels")
    same(rm.read_run(tmp_path / "run"), retrieved)
    back = rm.read_qrels(tmp_path / "qrels")
    keys = ["query_id", "doc_id"]
    pd.testing.assert_frame_equal(
        back.sort_values(keys, ignore_index=True).astype({"grade": "int64"}),
        judged.sort_values(keys, ignore_index=True),
    )


def test_a_run_without_ranks_gets_them_and_one_without_scores_too(tmp_path: Path) -> None:
    scored = pd.DataFrame(
        {"query": ["1", "1", "1"], "doc": ["a", "b", "c"], "score": [1.0, 3.0, 3.0]}
    )
    rm.write_run(scored, tmp_path / "x.run")
    assert rm.read_run(tmp_path / "x.run")["rank"].tolist() == [3, 1, 2]
    rm.write_run(scored.drop(columns="score").assign(rank=[2, 1, 3]), tmp_path / "y.run")
    assert rm.read_run(tmp_path / "y.run")["score"].tolist() == [-2, -1, -3]


def test_the_ending_says_the_format(tmp_path: Path) -> None:
    frame = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "grade": [1]})
    for ending, begins in {
        "qrels": b"1 0 a", "json": b"{", "jsonl": b'{"query_id"', "csv": b"query_id,", "letor": b"1 qid:1",
    }.items():  # fmt: skip
        rm.write_qrels(frame, tmp_path / f"f.{ending}")
        assert (tmp_path / f"f.{ending}").read_bytes().startswith(begins)
        same(rm.read_qrels(tmp_path / f"f.{ending}"), frame)


def test_without_pyarrow_the_same_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [QRELS[name][0] for name in ("trec", "beir", "csv", "json")]
    expected = [qrels(text) for text in texts]
    retrieved = run(RUNS["trec"][0])
    monkeypatch.setattr(delimited, "find_spec", lambda name: None)
    for text, frame in zip(texts, expected, strict=True):
        same(qrels(text), frame)
    same(run(RUNS["trec"][0]), retrieved)


def test_large_files_are_read_in_pieces_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(
        f"q{n // 9} 0 d{n}{'é' * (n % 5)} {n % 4}{'.5' if n == 900 else ''}\n" for n in range(1000)
    )
    whole = qrels(text)
    from rank_magic.formats import files

    for size in (64, 100, 4096):
        monkeypatch.setattr(files, "PIECE", size)
        pd.testing.assert_frame_equal(qrels(text), whole)
        with pytest.raises(DataError, match=r"line 1,001"):
            qrels(text + "cut\n")


def test_columns_to_write_are_found_or_given(tmp_path: Path) -> None:
    frame = pd.DataFrame({"who": ["1"], "doc": ["a"], "bm25": [1.0]})
    with pytest.raises(ColumnError, match="No column for the query"):
        rm.write_run(frame, tmp_path / "x")
    rm.write_run(frame, tmp_path / "x", query="who", score="bm25")
    assert rows(rm.read_run(tmp_path / "x")) == [("1", "a", 1, 1.0, "rank_magic")]
    with pytest.raises(DataError, match=r"There is no format 'trek'.*Did you mean trec"):
        rm.write_run(frame, tmp_path / "x", format="trek")


def test_numbers_are_written_to_the_last_bit(tmp_path: Path) -> None:
    scores = np.random.default_rng(0).random(1000) * 10.0 ** np.arange(-300, 300, 0.6)[:1000]
    frame = pd.DataFrame({"query": "1", "doc": [f"d{n}" for n in range(1000)], "score": scores})
    rm.write_run(frame, tmp_path / "x")
    assert rm.read_run(tmp_path / "x")["score"].tolist() == scores.tolist()
