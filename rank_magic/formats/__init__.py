"""Files of runs and of qrels, in every format that is about: read and written.

A format is one small file; `FORMATS` lists them in the order in which they are recognised.
"""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pandas as pd

from rank_magic.errors import DataError, did_you_mean, listed
from rank_magic.formats import csv_tables, dicts, jsonl, letor, parquet, rank_eval, trec, tsv, ubi
from rank_magic.formats.base import Format, first_line
from rank_magic.formats.files import PACKERS, Source, opened
from rank_magic.formats.writing import pairs_of

__all__ = ["FORMATS", "read_qrels", "read_run", "write_qrels", "write_run"]

# Each is asked in turn whether a file is its own: those that are sure come first.
FORMATS: tuple[Format, ...] = (
    *parquet.FORMATS,
    *rank_eval.FORMATS,
    *ubi.FORMATS,
    *jsonl.FORMATS,
    *dicts.FORMATS,
    *letor.FORMATS,
    *tsv.FORMATS,
    *csv_tables.FORMATS,
    *trec.FORMATS,
)


def read_run(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    query: str | None = None,
    doc: str | None = None,
    score: str | None = None,
    rank: str | None = None,
) -> pd.DataFrame:
    r"""Read what a system retrieved, from a file in any usual format.

    Parameters
    ----------
    source : path or binary file
        The file, perhaps packed (.gz, .bz2, .xz, .zst), which is told by its content.
    format : str, optional
        The format, if it is not to be told by the content: ``"trec"``, ``"msmarco"``, ``"json"``
        (of pytrec_eval and ranx), ``"jsonl"``, ``"csv"``, ``"parquet"``, ``"quepid"``,
        ``"rank_eval"`` (a response of Elasticsearch or OpenSearch), ``"ubi"`` (searches).
    query, doc, score, rank : str, optional
        Columns of a CSV, JSONL or Parquet file that have no conventional names.

    Returns
    -------
    DataFrame
        A row per query and document, in the file's order: ``query_id`` and ``doc_id``, always as
        text, ``score`` or ``rank`` or both, ``system`` where the file names it. CSV, JSONL and
        Parquet keep all their columns and the names of them.

    Raises
    ------
    DataError
        If the file can't be read in full: with the file, the line, and what is wrong with it.

    See Also
    --------
    read_qrels : The judgments.
    rank_magic.attach : Brings both together.

    Notes
    -----
    Nothing is guessed, executed, unpickled or fetched, and no line is left out except empty ones
    and, in TREC's and LETOR's files, comments that begin with ``#``.

    Examples
    --------
    >>> import io
    >>> import rank_magic as rm
    >>> rm.read_run(io.BytesIO(b"1 Q0 d7 1 2.5 bm25\n1 Q0 d3 2 1.5 bm25\n"))
      query_id doc_id  rank  score system
    0        1     d7     1    2.5   bm25
    1        1     d3     2    1.5   bm25
    """
    return _read("run", source, format, None, query=query, doc=doc, score=score, rank=rank)


def read_qrels(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002
    groups: Source | None = None,
    query: str | None = None,
    doc: str | None = None,
    grade: str | None = None,
) -> pd.DataFrame:
    r"""Read judgments from a file in any usual format.

    Parameters
    ----------
    source : path or binary file
        The file, perhaps packed (.gz, .bz2, .xz, .zst), which is told by its content.
    format : str, optional
        The format, if it is not to be told by the content: ``"trec"`` (also MS MARCO's),
        ``"trec_subtopics"``, ``"letor"`` (libsvm, MSLR), ``"beir"``, ``"json"`` (of pytrec_eval
        and ranx), ``"jsonl"``, ``"csv"``, ``"parquet"``, ``"quepid"``, ``"rank_eval"`` (of
        Elasticsearch and OpenSearch), ``"ubi"`` (clicks).
    groups : path or binary file, optional
        The file of group sizes that belongs to a LETOR file without ``qid:``. Files beside it
        that are called so with ``.query`` or ``.group`` at the end are found.
    query, doc, grade : str, optional
        Columns of a CSV, JSONL or Parquet file that have no conventional names.

    Returns
    -------
    DataFrame
        A row per query and judged document, in the file's order: ``query_id`` and ``doc_id``,
        always as text, ``grade``, and ``subtopic`` where there are any. LETOR files give their
        features as well, and a ``doc_id`` only where comments name it.

    Raises
    ------
    DataError
        If the file can't be read in full: with the file, the line, and what is wrong with it.

    See Also
    --------
    read_run : What a system retrieved.
    rank_magic.attach : Brings both together.

    Examples
    --------
    >>> import io
    >>> import rank_magic as rm
    >>> rm.read_qrels(io.BytesIO(b"1 0 d3 2\n1 0 d9 0\n"))
      query_id doc_id  grade
    0        1     d3      2
    1        1     d9      0
    >>> rm.read_qrels(io.BytesIO(b"query,docid,rating\ntv stand,A-1,3\n"))
          query doc_id  grade
    0  tv stand    A-1      3
    >>> rm.read_qrels(io.BytesIO(b"1 0 d3 2\n1 0 d9\n"))
    Traceback (most recent call last):
      ...
    rank_magic.errors.DataError: the file, line 2: 4 columns are needed, 3 are there ...
    """
    return _read("qrels", source, format, groups, query=query, doc=doc, grade=grade)


def write_run(
    frame: pd.DataFrame,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    query: Hashable | None = None,
    doc: Hashable | None = None,
    score: Hashable | None = None,
    rank: Hashable | None = None,
    system: Hashable | None = None,
) -> None:
    """Write what systems retrieved to a file, which `read_run` reads back the same.

    Parameters
    ----------
    frame : DataFrame
        A row per query and document. Rows without a score or rank, which were judged and not
        retrieved, are left out.
    path : path
        The file. With .gz, .bz2, .xz or .zst at the end it is packed.
    format : str, optional
        As in `read_run`. By default the path's ending says it: .json, .jsonl, .csv, .parquet,
        and TREC's run for any other.
    query, doc, score, rank, system : column name, optional
        Where the columns are not called by a conventional name.

    Raises
    ------
    DataError
        If the format can't hold an id, or what else the frame has. Nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> run = pd.DataFrame({"query": ["1", "1"], "doc": ["d7", "d3"], "bm25": [2.5, 1.5]})
    >>> path = Path(tempfile.mkdtemp()) / "bm25.run"
    >>> rm.write_run(run, path, score="bm25")
    >>> print(path.read_text())
    1 Q0 d7 1 2.5 rank_magic
    1 Q0 d3 2 1.5 rank_magic
    <BLANKLINE>
    """
    given = {"query": query, "doc": doc, "score": score, "rank": rank, "system": system}
    _write("run", frame, path, format, given)


def write_qrels(
    frame: pd.DataFrame,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    query: Hashable | None = None,
    doc: Hashable | None = None,
    grade: Hashable | None = None,
    subtopic: Hashable | None = None,
) -> None:
    """Write judgments to a file, which `read_qrels` reads back the same.

    Parameters
    ----------
    frame : DataFrame
        A row per query and document. Rows without a grade are left out, and what several systems
        retrieved is written once.
    path : path
        The file. With .gz, .bz2, .xz or .zst at the end it is packed.
    format : str, optional
        As in `read_qrels`. By default the path's ending says it: .json, .jsonl, .csv, .parquet,
        .letor, .libsvm, and TREC's qrels for any other.
    query, doc, grade, subtopic : column name, optional
        Where the columns are not called by a conventional name.

    Raises
    ------
    DataError
        If the format can't hold an id, or what else the frame has. Nothing is written then.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> qrels = pd.DataFrame({"query": ["1", "1"], "doc": ["d3", "d9"], "grade": [2, 0]})
    >>> path = Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> rm.write_qrels(qrels, path)
    >>> print(path.read_text())
    1 0 d3 2
    1 0 d9 0
    <BLANKLINE>
    """
    given = {"query": query, "doc": doc, "grade": grade, "subtopic": subtopic}
    _write("qrels", frame, path, format, given)


def _read(
    kind: str, source: Any, name: str | None, groups: Any, **roles: str | None
) -> pd.DataFrame:
    with opened(source, groups) as stream:
        stream.roles.update({role: column for role, column in roles.items() if column is not None})
        if name is not None:
            chosen = _named(name)
        else:
            head = stream.head()
            if not head.strip():
                raise DataError(f"{stream.name} is empty.")
            found = next((one for one in FORMATS if one.looks(head)), None)
            if found is None:
                raise DataError(
                    f"{stream.name} is in no format that is known, by its first line "
                    f"{first_line(head)[:80]!r}. Formats are:"
                    + "".join(f"\n  {one.name}: {one.about}" for one in FORMATS)
                    + "\nIf it is one of them, say so: format='...'."
                )
            chosen = found
        reader = getattr(chosen, f"read_{kind}")
        if reader is None:
            raise DataError(_other_kind(stream.name, chosen, kind))
        frame: pd.DataFrame = reader(stream)
        return frame


def _other_kind(name: str, chosen: Format, kind: str) -> str:
    other = "qrels" if kind == "run" else "run"
    return (
        f"{name} is in the format {chosen.name!r}, which holds no {kind}. Read it with "
        f"rm.read_{other}(...)."
    )


def _named(name: str) -> Format:
    for one in FORMATS:
        if one.name == name:
            return one
    names = [one.name for one in FORMATS]
    raise DataError(
        f"There is no format {name!r}. Formats are {listed(names, 20)}."
        f"{did_you_mean(str(name), names)}"
    )


def _write(
    kind: str, frame: Any, path: str | Path, name: str | None, given: dict[str, Hashable | None]
) -> None:
    target = Path(path)
    packed = target.suffix in PACKERS
    suffix = (Path(target.stem).suffix if packed else target.suffix).lower()
    if name is not None:
        chosen = _named(name)
    else:
        chosen = next((one for one in FORMATS if suffix in one.suffixes), _named("trec"))
    writer = getattr(chosen, f"write_{kind}")
    if writer is None:
        raise DataError(f"The format {chosen.name!r} holds no {kind}.")
    pairs = pairs_of(frame, kind, given)
    part = target.with_name(f".{target.name}.part")
    try:
        with PACKERS[target.suffix](part) if packed else part.open("wb") as file:
            writer(pairs, file)
        part.replace(target)
    except OSError as error:
        raise DataError(f"{target} can't be written: {error.strerror or error}.") from None
    finally:
        part.unlink(missing_ok=True)
