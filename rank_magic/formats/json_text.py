"""JSON with what goes wrong in it told: broken text, depth, names that stand twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rank_magic.errors import DataError
from rank_magic.formats.delimited import number
from rank_magic.formats.files import Piece, Stream, pieces, wrong

__all__ = ["dump", "entry_number", "entry_text", "first_object", "parsed", "records"]


def parsed(stream: Stream) -> Any:
    """Return what a file of JSON holds."""
    text = stream.whole()
    try:
        return _loads(text)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1]
        raise wrong(stream.name, error.lineno, line, f"This is not JSON: {error.msg}") from None
    except RecursionError:
        raise DataError(f"{stream.name}, line 1: JSON that is nested too deep.") from None
    except ValueError as error:
        raise DataError(f"{stream.name}: {error}.") from None


def records(stream: Stream) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file with one in each line, or with one list of them."""
    if stream.head().removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"[":
        listed = parsed(stream)
        for at, record in enumerate(listed, 1):
            if not isinstance(record, dict):
                raise DataError(f"{stream.name}, entry {at:,}: An object {{...}} is needed.")
            yield at, record
        return
    for piece in pieces(stream):
        yield from _objects(stream.name, piece)


def _objects(name: str, piece: Piece) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, data in enumerate(piece.data.split(b"\n"), piece.line):
        if not data.strip():
            continue
        try:
            record = _loads(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise wrong(name, line, data, "Bytes that are not UTF-8") from None
        except json.JSONDecodeError as error:
            raise wrong(name, line, data, f"This is not JSON: {error.msg}") from None
        except RecursionError:
            raise wrong(name, line, data, "JSON that is nested too deep") from None
        except ValueError as error:
            raise wrong(name, line, data, str(error)) from None
        if not isinstance(record, dict):
            raise wrong(name, line, data, "An object {...} is needed")
        yield line, record


def _loads(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_object, parse_int=_whole, parse_float=_float)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"The name {twice[:80]!r} stands twice in one object")
    return found


def _whole(text: str) -> int | float:
    value = number(text)
    if value is None:
        raise ValueError(f"The number {text[:40]} is too large")
    return value


def _float(text: str) -> float:
    return float(_whole(text))


def first_object(head: bytes) -> dict[str, Any] | None:
    """Return the object with which a file begins, if its first line holds it whole."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    line = (
        text.split(b"\n", 1)[0].strip().removeprefix(b"[").removesuffix(b"]").strip().rstrip(b",")
    )
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def entry_number(value: Any, what: str, *, infinite: bool = False) -> int | float:
    """Return a number that an entry holds.

    Raises
    ------
    DataError
        If it is something else.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DataError(f"{what} must be a number, but is {str(value)[:40]!r}.")
    if value != value or (abs(value) == float("inf") and not infinite):
        raise DataError(f"{what} must be a number, but is {value}.")
    return value


def entry_text(value: Any, what: str) -> str:
    """Return an id that an entry holds: text, or a whole number as text.

    Raises
    ------
    DataError
        If it is something else, or empty.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise DataError(f"{what} must be an id, but is {str(value)[:40]!r}.")
    text = str(value)
    if "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise DataError(f"{what} is no valid text: {text[:40]!r}.")
    return text


def dump(value: Any) -> str:
    """Return a value as JSON."""
    return json.dumps(value, ensure_ascii=False)
