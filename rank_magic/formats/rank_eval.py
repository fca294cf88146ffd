"""Requests and responses of Elasticsearch's and OpenSearch's ``_rank_eval``."""

from __future__ import annotations

import json
import re
from typing import IO, Any

import pandas as pd

from rank_magic.errors import DataError
from rank_magic.formats.base import DOC, GRADE, QUERY, RANK, SCORE, Format
from rank_magic.formats.dicts import frame_of
from rank_magic.formats.files import Stream
from rank_magic.formats.json_text import entry_number, entry_text, parsed
from rank_magic.formats.writing import Pairs, check_ids

__all__ = ["FORMATS"]

INDEX = "index"
BEGINS = re.compile(rb'"requests"\s*:\s*\[|"details"\s*:\s*\{')


def read_qrels(stream: Stream) -> pd.DataFrame:
    """Read the ratings of a request, or those that a response repeats."""
    data = _object(stream)
    rows = []
    if "requests" in data:
        for at, request in enumerate(_list(data["requests"], stream, "requests"), 1):
            where = f"{stream.name}, request {at:,}"
            request = _dict(request, where)  # noqa: PLW2901
            query = entry_text(request.get("id"), f"{where}: its id")
            for rating in _list(request.get("ratings", []), stream, f"ratings of {query!r}"):
                rated = _dict(rating, where)
                rows.append((query, *_doc(rated, where), _rating(rated, where)))
    else:
        for query, where, hit, rating in _hits(data, stream):
            if rating is not None:
                rows.append((query, *_doc(hit, where), _rating({"rating": rating}, where)))
    return _frame(rows, [QUERY, DOC, INDEX, GRADE], stream)


def read_run(stream: Stream) -> pd.DataFrame:
    """Read the results of a response, in their order."""
    data = _object(stream)
    if "requests" in data:
        raise DataError(
            f"{stream.name} is a request: it holds ratings and no results. Read it with "
            f"rm.read_qrels(...), and the response with rm.read_run(...)."
        )
    rows = []
    ranks: dict[str, int] = {}
    for query, where, hit, _ in _hits(data, stream):
        ranks[query] = ranks.get(query, 0) + 1
        score = hit.get("_score")
        value = float("nan") if score is None else entry_number(score, f"{where}: the _score")
        rows.append((query, *_doc(hit, where), ranks[query], value))
    frame = _frame(rows, [QUERY, DOC, INDEX, RANK, SCORE], stream)
    # Sorted by a field, results have no score, and their order is all there is.
    if frame[SCORE].isna().all():
        return frame.drop(columns=SCORE)
    if frame[SCORE].isna().any():
        raise DataError(f"{stream.name}: some results have a _score and some have none.")
    return frame


def _object(stream: Stream) -> dict[str, Any]:
    data = _dict(parsed(stream), stream.name)
    if not {"requests", "details"} & set(data):
        raise DataError(f"{stream.name}: neither requests nor details, so it is no _rank_eval.")
    if data.get("failures"):
        raise DataError(
            f"{stream.name}: the response reports failures, so that results are missing: "
            f"{str(data['failures'])[:200]}."
        )
    return data


def _hits(data: dict[str, Any], stream: Stream) -> Any:
    for query, detail in _dict(data["details"], stream.name).items():
        where = f"{stream.name}, query {query[:80]!r}"
        entry_text(query, f"{stream.name}: a query")
        for hit in _list(_dict(detail, where).get("hits"), stream, f"hits of {query[:80]!r}"):
            entry = _dict(hit, where)
            yield query, where, _dict(entry.get("hit"), where), entry.get("rating")


def _doc(entry: dict[str, Any], where: str) -> tuple[str, str]:
    doc = entry_text(entry.get("_id"), f"{where}: the _id")
    return doc, entry_text(entry.get("_index", "-"), f"{where}: the _index")


def _rating(entry: dict[str, Any], where: str) -> int | float:
    return entry_number(entry.get("rating"), f"{where}: the rating")


def _frame(rows: list[tuple[Any, ...]], names: list[str], stream: Stream) -> pd.DataFrame:
    frame = frame_of(rows, names, stream)
    if frame[INDEX].nunique() == 1:
        return frame.drop(columns=INDEX)
    twice = frame.duplicated([QUERY, DOC]) & ~frame.duplicated([QUERY, DOC, INDEX])
    if twice.any():
        row = frame[twice].iloc[0]
        raise DataError(
            f"{stream.name}: the _id {row[DOC]!r} of query {row[QUERY]!r} stands in several "
            f"indices, so it names no document."
        )
    return frame


def _dict(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise DataError(f"{where}: an object {{...}} is needed, not {str(value)[:40]!r}.")
    return value


def _list(value: Any, stream: Stream, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise DataError(f"{stream.name}: {what} must be a list, but is {str(value)[:40]!r}.")
    return value


def write_qrels(pairs: Pairs, file: IO[bytes]) -> None:
    """Write the ratings as a request; the queries themselves are to be filled in."""
    check_ids("JSON", "", (pairs.query, pairs.doc))
    by_query: dict[str, list[dict[str, Any]]] = {}
    for query, doc, index, grade in zip(
        pairs.query, pairs.doc, _indices(pairs), pairs.values("grade"), strict=True
    ):
        by_query.setdefault(query, []).append({"_index": index, "_id": doc, "rating": grade})
    requests = [
        {"id": query, "request": {"query": {"match_all": {}}}, "ratings": ratings}
        for query, ratings in by_query.items()
    ]
    _write({"requests": requests, "metric": {"dcg": {"k": 10, "normalize": True}}}, file)


def write_run(pairs: Pairs, file: IO[bytes]) -> None:
    """Write results as a response has them."""
    check_ids("JSON", "", (pairs.query, pairs.doc))
    if len(set(pairs.system)) > 1:
        raise DataError("A response holds one system. Write a file for each.")
    scores = pairs.values("score") if "score" in pairs.roles else [None] * len(pairs)
    if not np_finite(scores):
        raise DataError("JSON has no infinite numbers, and some scores are infinite.")
    order = sorted(range(len(pairs)), key=pairs.rank_values.__getitem__)
    details: dict[str, dict[str, Any]] = {query: {"hits": []} for query in pairs.query}
    indices = _indices(pairs)
    for row in order:
        hit = {"_index": indices[row], "_id": pairs.doc[row], "_score": scores[row]}
        details[pairs.query[row]]["hits"].append({"hit": hit, "rating": None})
    _write({"metric_score": 0.0, "details": details, "failures": {}}, file)


def np_finite(values: list[Any]) -> bool:
    """Whether no number is infinite."""
    return all(value is None or abs(value) != float("inf") for value in values)


def _indices(pairs: Pairs) -> list[str]:
    if INDEX in pairs.frame.columns:
        return [str(value) for value in pairs.frame[INDEX]]
    return ["index"] * len(pairs)


def _write(data: Any, file: IO[bytes]) -> None:
    file.write(json.dumps(data, ensure_ascii=False, indent=1).encode())


FORMATS = (
    Format(
        "rank_eval",
        'Elasticsearch\'s {"requests": [{"id", "ratings"}]} or {"details": {query: {"hits"}}}',
        lambda head: (
            head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"
            and BEGINS.search(head) is not None
        ),
        read_run,
        read_qrels,
        write_run,
        write_qrels,
    ),
)
