"""Files as streams of bytes: opened, unpacked, cut at line ends; whatever goes wrong is told."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from rank_magic.errors import DataError

__all__ = ["PACKERS", "Piece", "Source", "Stream", "opened", "pieces", "wrong"]

Source = str | os.PathLike[str] | IO[bytes]

HEAD = 1 << 16
PIECE = 1 << 23
LONGEST_LINE = 1 << 26
SHOWN = 80
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")

# How packed files begin.
MAGIC = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
FOREIGN = {
    b"PK\x03\x04": "a zip archive",
    b"Rar!": "a rar archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
    b"\x80\x04": "a pickle, which could run anything",
    b"\x04\x22\x4d\x18": "packed by lz4",
}


@dataclass
class Stream:
    """The unpacked bytes of a file.

    Attributes
    ----------
    name : str
        What the file is called in messages.
    raw : binary file
        Where the bytes come from.
    path : Path or None
        Where the file lies, if it does.
    groups : source or None
        A file of group sizes that belongs to it.
    roles : dict of role to column name
        What columns are called that have no conventional names.
    """

    name: str
    raw: Any
    path: Path | None = None
    groups: Source | None = None
    roles: dict[str, str] = field(default_factory=dict)
    _head: bytes = b""

    def head(self) -> bytes:
        """Return the first bytes, which are not used up by it."""
        if not self._head:
            self._head = self._read(HEAD)
        return self._head

    def read(self, size: int = -1) -> bytes:
        """Read on, at most so many bytes; all of them by default."""
        head, self._head = self._head, b""
        if size < 0:
            return head + self._read(-1)
        if len(head) >= size:
            head, self._head = head[:size], head[size:]
            return head
        return head + self._read(size - len(head))

    def whole(self) -> str:
        """Return everything as text."""
        data = self.read()
        if b"\0" in data:
            line = data.count(b"\n", 0, data.index(b"\0")) + 1
            raise wrong(self.name, line, None, "A NUL byte, which no text has")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise wrong(
                self.name, line, data.split(b"\n")[line - 1], "Bytes that are not UTF-8"
            ) from None

    def _read(self, size: int) -> bytes:
        try:
            if size >= 0:
                return bytes(self.raw.read(size) or b"")
            return b"".join(iter(lambda: bytes(self.raw.read(PIECE) or b""), b""))
        except (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError) as error:
            raise DataError(
                f"{self.name}: the packed file is cut off or damaged ({error}). Nothing of it was "
                f"read. Get it again, or unpack what is left of it by hand."
            ) from None


@dataclass(frozen=True)
class Piece:
    """Whole lines of a file.

    Attributes
    ----------
    line : int
        The number of the first of them.
    data : bytes
        The lines.
    """

    line: int
    data: bytes


def wrong(name: str, line: int, text: bytes | str | None, what: str) -> DataError:
    """Return the error about a line of a file, which is shown."""
    shown = ""
    if text is not None:
        plain = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        plain = plain.rstrip("\r\n")
        cut = plain[:SHOWN] + "..." if len(plain) > SHOWN else plain
        shown = f" The line is {cut!r}."
    return DataError(f"{name}, line {line:,}: {what}.{shown}")


def pieces(stream: Stream) -> Iterator[Piece]:
    """Yield a file in pieces of whole lines, without a byte-order mark."""
    line, rest = 1, b""
    first = True
    while True:
        more = stream.read(PIECE)
        if first:
            more, first = more.removeprefix(b"\xef\xbb\xbf"), False
        if not more:
            break
        end = more.rfind(b"\n") + 1
        if not end:
            rest += more
            if len(rest) > LONGEST_LINE:
                raise wrong(
                    stream.name,
                    line,
                    rest[: SHOWN * 4],
                    f"More than {LONGEST_LINE >> 20} MB in one line",
                )
            continue
        data = rest + more[:end]
        yield Piece(line, data)
        line += data.count(b"\n")
        rest = more[end:]
    if rest:
        yield Piece(line, rest)


@contextmanager
def opened(source: Source, groups: Source | None = None) -> Iterator[Stream]:
    """Open a file, or take one that is open, and unpack it if it is packed.

    Raises
    ------
    DataError
        If it is not there, is of another kind, or can't be unpacked.
    """
    if hasattr(source, "read"):
        name = str(getattr(source, "name", "the file"))
        yield _unpacked(source, name, None, groups)
        return
    path = _path(source)
    try:
        file = path.open("rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{path} can't be read: {reason}.") from None
    with file:
        yield _unpacked(file, path.name, path, groups)


def _path(source: Any) -> Path:
    if not isinstance(source, (str, os.PathLike)):
        raise DataError(
            f"A path or a file that is open for reading bytes is needed, not "
            f"{type(source).__name__}."
        )
    if isinstance(source, str) and ADDRESS.match(source):
        raise DataError(f"{source!r} is an address. Nothing is fetched: save it to a file first.")
    return Path(source)


def _unpacked(file: Any, name: str, path: Path | None, groups: Source | None) -> Stream:
    if isinstance(file, io.TextIOBase):
        raise DataError(f"{name} is open for text. Open it for bytes: open(path, 'rb').")
    raw = Stream(name, file, path, groups)
    head = raw.head()
    for start, kind in FOREIGN.items():
        if head.startswith(start):
            raise DataError(f"{name} is {kind}. Unpack or convert it to plain text first.")
    for start, kind in MAGIC.items():
        if head.startswith(start):
            return Stream(name, UNPACKERS[kind](_Raw(raw)), path, groups)
    if not head.strip():
        raise DataError(f"{name} is empty.")
    return raw


class _Raw(io.RawIOBase):
    """A stream in the form that decompressors read from."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seekable(self) -> bool:
        return False


def _zstd(raw: Any) -> Any:
    if find_spec("pyarrow") is None:
        raise DataError("Files packed by zstd need pyarrow: pip install pyarrow.")
    import pyarrow as pa

    return pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), "zstd")


# Whoever asks for one of these closes it.
UNPACKERS: dict[str, Callable[[Any], Any]] = {
    "gz": lambda raw: gzip.GzipFile(fileobj=io.BufferedReader(raw, 1 << 20)),
    "bz2": lambda raw: bz2.BZ2File(io.BufferedReader(raw, 1 << 20)),
    "xz": lambda raw: lzma.LZMAFile(io.BufferedReader(raw, 1 << 20)),  # noqa: SIM115
    "zst": _zstd,
}


def _zstd_writer(path: Path) -> Any:
    if find_spec("pyarrow") is None:
        raise DataError("Files packed by zstd need pyarrow: pip install pyarrow.")
    import pyarrow as pa

    return pa.CompressedOutputStream(str(path), "zstd")


PACKERS: dict[str, Callable[[Path], Any]] = {
    ".gz": lambda path: gzip.GzipFile(path, "wb", mtime=0),
    ".bz2": lambda path: bz2.BZ2File(path, "wb"),
    ".xz": lambda path: lzma.LZMAFile(path, "wb"),  # noqa: SIM115
    ".zst": _zstd_writer,
}
