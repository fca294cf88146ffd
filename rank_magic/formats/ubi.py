"""User Behavior Insights: what searches showed, and what people clicked."""

from __future__ import annotations

import re
from typing import IO, Any

import pandas as pd

from rank_magic.errors import DataError
from rank_magic.formats.base import DOC, GRADE, QUERY, RANK, Format
from rank_magic.formats.dicts import frame_of
from rank_magic.formats.files import Stream
from rank_magic.formats.json_text import dump, entry_text, records
from rank_magic.formats.writing import Pairs, check_ids

__all__ = ["FORMATS"]

BEGINS = re.compile(rb'"(action_name|query_response_hit_ids)"\s*:')
# What counts as a sign that somebody wanted the document; an impression says it was seen at least.
WANTED = ("click", "add_to_cart", "purchase")
SEEN = "impression"


def read_qrels(stream: Stream) -> pd.DataFrame:
    """Read events: grade 1 where a document was clicked or bought, 0 where it was only shown.

    Other events, and those that belong to no search or to no document, say nothing of relevance.
    """
    grades: dict[tuple[str, str], int] = {}
    for line, record in records(stream):
        event = _source(record)
        where = f"{stream.name}, line {line:,}"
        if "action_name" not in event:
            raise DataError(
                f"{where}: no action_name, so it is no event. A log of searches is read by "
                f"rm.read_run(...)."
            )
        action = str(event["action_name"]).lower()
        wanted = any(word in action for word in WANTED)
        doc = _inner(event, "event_attributes", "object").get("object_id")
        if not (wanted or SEEN in action) or event.get("query_id") is None or doc is None:
            continue
        pair = (
            entry_text(event["query_id"], f"{where}: the query_id"),
            entry_text(doc, f"{where}: the object_id"),
        )
        grades[pair] = max(grades.get(pair, 0), int(wanted))
    return frame_of([(*pair, grade) for pair, grade in grades.items()], [QUERY, DOC, GRADE], stream)


def read_run(stream: Stream) -> pd.DataFrame:
    """Read searches: what each of them showed, in that order."""
    rows = []
    words = False
    for line, record in records(stream):
        search = _source(record)
        where = f"{stream.name}, line {line:,}"
        hits = search.get("query_response_hit_ids")
        if "action_name" in search or not isinstance(hits, (list, type(None))):
            raise DataError(
                f"{where}: no list of query_response_hit_ids, so it is no search. Events are read "
                f"by rm.read_qrels(...)."
            )
        query = entry_text(search.get("query_id"), f"{where}: the query_id")
        text = search.get("user_query")
        words = words or text is not None
        for rank, doc in enumerate(hits or [], 1):
            hit = entry_text(doc, f"{where}: a hit")
            rows.append((query, "" if text is None else str(text), hit, rank))
    frame = frame_of(rows, [QUERY, "query", DOC, RANK], stream)
    return frame if words else frame.drop(columns="query")


def _source(record: dict[str, Any]) -> dict[str, Any]:
    """Return what an index holds of an entry, as it comes out of a search."""
    inner = record.get("_source")
    return inner if isinstance(inner, dict) else record


def _inner(record: dict[str, Any], *names: str) -> dict[str, Any]:
    for name in names:
        value = record.get(name)
        if not isinstance(value, dict):
            return {}
        record = value
    return record


def write_qrels(pairs: Pairs, file: IO[bytes]) -> None:
    """Write a click for grade 1, an impression for grade 0."""
    check_ids("JSON", "", (pairs.query, pairs.doc))
    for query, doc, grade in zip(pairs.query, pairs.doc, pairs.values("grade"), strict=True):
        if grade not in (0, 1):
            raise DataError(f"Events know grades 0 and 1 only, not {grade:g}.")
        event = {
            "action_name": "click" if grade else SEEN,
            "query_id": query,
            "event_attributes": {"object": {"object_id": doc}},
        }
        file.write((dump(event) + "\n").encode())


def write_run(pairs: Pairs, file: IO[bytes]) -> None:
    """Write what each search showed, in the order of ranks."""
    check_ids("JSON", "", (pairs.query, pairs.doc))
    if len(set(pairs.system)) > 1:
        raise DataError("A log of searches holds one system. Write a file for each.")
    texts = (
        pairs.frame["query"] if pairs.roles["query"] != "query" and "query" in pairs.frame else None
    )
    shown: dict[str, list[str]] = {query: [] for query in pairs.query}
    words: dict[str, str] = {}
    for row in sorted(range(len(pairs)), key=pairs.rank_values.__getitem__):
        shown[pairs.query[row]].append(pairs.doc[row])
        if texts is not None:
            words[pairs.query[row]] = str(texts.iloc[row])
    for query, docs in shown.items():
        search: dict[str, Any] = {"query_id": query}
        if query in words:
            search["user_query"] = words[query]
        file.write((dump(search | {"query_response_hit_ids": docs}) + "\n").encode())


FORMATS = (
    Format(
        "ubi",
        "User Behavior Insights: events with action_name, searches with query_response_hit_ids",
        lambda head: (
            head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
            and BEGINS.search(head[:4096]) is not None
        ),
        read_run,
        read_qrels,
        write_run,
        write_qrels,
    ),
)
