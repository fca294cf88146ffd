"""Whatever is wrong with a file is said once: the file, the line, its text; nothing is left out."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import pickle
import random
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import DataError
from rank_magic.formats import FORMATS, files
from test_formats import QRELS, REQUEST, RESPONSE, RUNS, qrels, run

READERS = {"qrels": rm.read_qrels, "run": rm.read_run}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 0 a 1\n1 0 b\n", ["line 2", "4 columns are needed, 3 are there", "'1 0 b'"]),
        ("1 0 a 1\n1 0 b c 1\n", ["line 2", "5 are there", "'1 0 b c 1'"]),
        ("1 0 a 1\n\n# x\n1 0 b x\n", ["line 4", "grade must be a number, but is 'x'"]),
        ("1 0 a 1\n1 0 b 2\0\n", ["line 2", "NUL byte"]),
        ("1 0 a 1\n1 0 \udcff 2\n", ["line 2", "not UTF-8"]),
        ("1 0 a 1\nquery,doc,grade\n1,b,2\n", ["line 2", "1 are there", "'query,doc,grade'"]),
        ("1 0 a 1\r1 0 b 1\n", ["in no format that is known", "1 0 a 1"]),
        ("", ["is empty"]),
        ("\n \n", ["is empty"]),
        ("# nothing\n", ["in no format that is known"]),
        ("a b\n", ["in no format that is known", "'a b'", "trec:", "msmarco:", "format='...'"]),
        ("1 Q0 a 1 2.5 s\n", ["is a TREC run", "rm.read_run"]),
        ("query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\n", ["line 3", "3 columns", "2 are there"]),
        ("query-id\tcorpus-id\tscore\n1\t\t2\n", ["line 2", "doc_id is empty"]),
        ("query,doc,grade\n1,a,2\n1,b\n", ["line 3", "3 columns are needed, 2 are there", "'1,b'"]),
        ("query,doc,grade\n1,a,2\n,b,1\n", ["line 3", "query is empty"]),
        ('query,doc,grade\n1,"a,2\n', ["line 2", "unexpected end of data"]),
        ('query,doc,grade\n1,"a\nb",2\n1,c,x\n', ["line 4", "must be a number, but is 'x'"]),
        ("query,doc,doc,grade\n1,a,b,2\n", ["line 1", "same name"]),
        ("query,doc,price\n1,a,2\n", ["no column for the grade", "'price'"]),
        ("query,doc,label,rel\n1,a,2,1\n", ["More than one column could be the grade"]),
        ("1 qid:1 1:2\n1 1:2\n", ["line 2", "Some lines have qid:"]),
        ("1 qid:1 1:2\nx qid:1 1:2\n", ["line 2", "grade must be a number"]),
        ("1 qid:1 1:2\n1 qid:1 1:x\n", ["line 2", "Feature 1 must be a number, but is 'x'"]),
        ("1 qid:1 1:2\n1 qid:1 1:2 1:3\n", ["line 2", "stands there twice"]),
        ("1 qid:1 1:2\n1 qid:1 7\n", ["line 2"]),
        ("1 qid:1 1:2 # docid = a\n1 qid:1 1:2\n", ["line 2", "Some lines name their document"]),
        ('{"1": {"a": 1, "a": 2}}', ["'a' stands twice"]),
        ('{"1": {"a": "x"}}', ["the grade of document 'a' must be a number, but is 'x'"]),
        ('{"1": {"a": NaN}}', ["must be a number, but is nan"]),
        ('{"1": {"a": true}}', ["must be a number, but is 'True'"]),
        ('{"1": {"a": 1e999}}', ["too large"]),
        ('{"1": ["a"]}', ["no column for the query"]),
        ('{\n"1": {"a": 1},\n"2": {"b": }}', ["line 3", "not JSON", '"2": {"b": }}']),
        ('{"1": {}}', ["no document for any query"]),
        ('{"query": "1", "doc": "a", "grade": 1}\n{"query": "1"\n', ["line 2", "not JSON"]),
        ('{"query": "1", "doc": "a", "grade": 1}\n{"query": "1", "b": 2}\n', ["line 2", "New names"]),
        ('{"query": "1", "doc": null, "grade": 1}\n', ["must be an id, but is 'None'"]),
        ('{"_id": "1", "text": "words"}\n', ["no column for the query", "'_id'"]),
        ('{"a":' * 100_000, ["JSON"]),
        ("[" * 100_000, ["JSON"]),
        (json.dumps(REQUEST).replace('"rating": 3', '"rating": "high"'), ["rating must be a number"]),
        (json.dumps(REQUEST).replace('"ratings": [{', '"ratings": {"x": [{', 1), ["JSON"]),
        ('{"action_name": "click", "query_id": 1.5, "event_attributes": {"object": {"object_id": "a"}}}', ["line 1: the query_id must be an id"]),
        ('{"action_name": "login"}\n', ["no document for any query"]),
        ("PK\x03\x04...", ["zip archive"]),
        ("PAR1....", ["no Parquet file that can be read"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_qrels_is_said(text: str, said: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        qrels(text.encode("utf-8", "surrogateescape"))
    assert not [words for words in said if words not in str(caught.value)], str(caught.value)
    assert len(str(caught.value)) < 1500


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 Q0 a 1 2.5 s\n1 Q0 b 2 s\n", ["line 2", "6 columns are needed, 5 are there"]),
        ("1 Q0 a 1 2.5 s\n1 Q0 b 2 nan s\n", ["line 2", "score must be a number, but is 'nan'"]),
        ("1 Q0 a 1 2.5 s\n1 Q0 b second 1 s\n", ["line 2", "rank must be a number"]),
        ("1 0 a 2\n", ["is TREC qrels", "rm.read_qrels"]),
        ("1 qid:1 1:2\n", ["'letor', which holds no run", "rm.read_qrels"]),
        (json.dumps(REQUEST), ["is a request", "rm.read_qrels"]),
        (json.dumps(RESPONSE).replace('"_score": 1', '"_score": null'), ["some have none"]),
        (json.dumps(RESPONSE).replace('"_id": "b", "_score"', '"_score"'), ["_id must be an id"]),
        ("1\ta\t1\n1\tb\n", ["line 2", "3 columns", "2 are there"]),
        ('{"query_id": "1", "query_response_hit_ids": [null]}', ["a hit must be an id"]),
    ],
)
def test_what_is_wrong_with_runs_is_said(text: str, said: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        run(text)
    assert not [words for words in said if words not in str(caught.value)], str(caught.value)


def test_the_file_is_named_and_long_lines_are_shortened(tmp_path: Path) -> None:
    path = tmp_path / "judged.txt"
    path.write_text("1 0 a 1\n1 0 " + "b " * 5000 + "\n")
    with pytest.raises(DataError, match=r"judged.txt, line 2: 4 columns are needed") as caught:
        rm.read_qrels(path)
    assert len(str(caught.value)) < 400


def test_lines_far_into_a_large_file_are_counted_right() -> None:
    text = "".join(f"q{n} 0 d{n} 1\n" for n in range(300_000))
    with pytest.raises(DataError, match=r"line 300,001: .*'cut 0 d'"):
        qrels(text + "cut 0 d\n")


def test_one_endless_line_is_refused_before_memory_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 1 << 20)
    monkeypatch.setattr(files, "PIECE", 1 << 18)

    class Endless(io.RawIOBase):
        given = 0

        def read(self, size: int = -1) -> bytes:
            self.given += size
            return b"x" * size

    endless = Endless()
    with pytest.raises(DataError, match="line 1: More than 1 MB in one line"):
        rm.read_qrels(endless, format="trec")  # type: ignore[arg-type]
    assert endless.given < 1 << 22


def test_nothing_is_fetched_unpickled_or_unpacked_elsewhere(tmp_path: Path) -> None:
    for address in ("https://example.org/qrels.txt", "s3://bucket/run", "file:///etc/passwd"):
        with pytest.raises(DataError, match="Nothing is fetched"):
            rm.read_qrels(address)
    frame = pd.DataFrame({"query": ["1"], "doc": ["a"], "grade": [1]})
    with pytest.raises(DataError, match="pickle"):
        qrels(pickle.dumps(frame))
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("../../outside", "1 0 a 1\n")
    with pytest.raises(DataError, match="zip archive"):
        rm.read_qrels(tmp_path / "x.zip")
    with pytest.raises(DataError, match="can't be read: No such file"):
        rm.read_qrels(tmp_path / "nowhere")
    with pytest.raises(DataError, match="can't be read"):
        rm.read_qrels(tmp_path)
    with pytest.raises(DataError, match="A path or a file"):
        rm.read_qrels(3)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="open for text"):
        rm.read_qrels(io.StringIO("1 0 a 1"))  # type: ignore[arg-type]


# Fuzzing.

GOOD = [text.encode() for text, _ in [*QRELS.values(), *RUNS.values()]]
BITS = [
    b"\0", b"\xff", b"\n", b"\r", b"\t", b" ", b",", b'"', b"{", b"}", b"[", b"]", b":", b"#", b"qid:", b"nan",
    b"1e999", b"-", b"\xef\xbb\xbf", b"x" * 300, "é".encode(), b"null", b"0x1", b"\x1f\x8b\x08", b"BZh9",
    b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"PAR1", b"requests", b"details", b"\xed\xa0\x80", b"1" * 400, b'"_id"',
    b"\x0b", b"\x1c", b"\\ud800", b"\\u0000", b"[" * 3000, b'{"a":' * 2000,
]  # fmt: skip


def spoilt(chance: random.Random) -> bytes:
    """Return a good file with something done to it, or to two of them."""
    data = bytearray(chance.choice(GOOD))
    for _ in range(chance.choice([1, 1, 2, 4])):
        at = chance.randint(0, len(data))
        way = chance.randrange(6)
        if way == 0:
            data = data[:at]
        elif way == 1:
            data[at:at] = chance.choice(BITS)
        elif way == 2 and at < len(data):
            data[at] = chance.randrange(256)
        elif way == 3:
            other = chance.choice(GOOD)
            data[at:] = other[chance.randint(0, len(other)) :]
        elif way == 4:
            del data[at : at + chance.randint(1, 9)]
        else:
            data *= 2
    if chance.random() < 0.1:
        packed = bytearray(gzip.compress(bytes(data), mtime=0))
        packed[chance.randrange(len(packed))] ^= 1 << chance.randrange(8)
        data = packed
    return bytes(data)


def fuzz(times: int, seed: int) -> int:
    """Read spoilt files by every reader; return how many were read."""
    chance = random.Random(seed)
    read = 0
    names: list[Any] = [None, *(one.name for one in FORMATS)]
    for _ in range(times):
        data = spoilt(chance)
        for reader in READERS.values():
            name = chance.choice(names) if chance.random() < 0.2 else None
            try:
                frame = reader(io.BytesIO(data), format=name)
            except DataError as error:
                said = str(error)
            else:
                read, said = read + 1, "read"
                assert len(frame)
                assert frame.columns.is_unique
            assert 0 < len(said) < 3000
    return read


def test_spoilt_files_are_read_or_refused() -> None:
    assert fuzz(400, seed=1) > 40


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_spoilt_files_are_read_or_refused_at_length(seed: int) -> None:
    assert fuzz(6_000, seed=100 + seed) > 500


def test_spoilt_parquet_is_refused_or_read() -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"query": ["1", "1"], "doc": ["a", "b"], "grade": [1, 2]})
    file = io.BytesIO()
    frame.to_parquet(file)
    good, chance = file.getvalue(), random.Random(3)
    for _ in range(300):
        data = bytearray(good)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        with contextlib.suppress(DataError):
            assert len(qrels(bytes(data)))
