"""A line of words, as a person types them: quotes, brackets, a comment, a semicolon."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from IPython.core.error import UsageError

__all__ = ["Words", "last_word", "split_line"]

CLOSING = {"(": ")", "[": "]", "{": "}"}
QUOTES = "'\""


@dataclass(frozen=True)
class Words:
    """The words of a line.

    Attributes
    ----------
    words : list of str
        Without the quotes around them. What stands in brackets is one word, quotes and all:
        ``results["2026-11"]``, ``AP(rel=2, denominator=min)@100``.
    silent : bool
        Whether the line ends in a semicolon.
    """

    words: list[str]
    silent: bool


def split_line(line: str) -> Words:
    """Split a line into words.

    Raises
    ------
    UsageError
        If a quote or a bracket is never closed.
    """
    # IPython's own way to silence a magic, `output_can_be_silenced`, takes the line for Python
    # and fails on lines that aren't.
    lexer = shlex.shlex(_protected(line), posix=True, punctuation_chars=";")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        raise UsageError(
            f"A quote is opened and never closed in: {line.strip()}  Close it, or put a "
            f"backslash before a quote that is part of a name."
        ) from None
    silent = bool(words) and words[-1].strip(";") == ""
    return Words(words[:-1] if silent else words, silent)


def last_word(line: str) -> int:
    """Return where the word begins that is still being typed at the end of a line."""
    start = at = 0
    while at < len(line):
        letter = line[at]
        if letter.isspace():
            at += 1
            start = at
        elif letter == "\\":
            at += 2
        elif letter in QUOTES:
            at = _end_of_quote(line, at)
        elif letter in CLOSING:
            try:
                at = _end_of_bracket(line, at)
            except UsageError:
                return start
        else:
            at += 1
    return start


def _protected(line: str) -> str:
    """Put a backslash before everything in brackets that shlex would act on."""
    text, at = [], 0
    while at < len(line):
        letter = line[at]
        if letter == "#":
            break
        if letter == "\\":
            text.append(line[at : at + 2])
            at += 2
        elif letter in QUOTES:
            end = _end_of_quote(line, at)
            text.append(line[at:end])
            at = end
        elif letter in CLOSING:
            end = _end_of_bracket(line, at)
            text += [f"\\{inner}" for inner in line[at:end]]
            at = end
        else:
            text.append(letter)
            at += 1
    return "".join(text)


def _end_of_quote(line: str, at: int) -> int:
    """Return where a quote that opens here ends; the end of the line when it never does."""
    quote, place = line[at], at + 1
    while place < len(line):
        if line[place] == "\\" and quote == '"':
            place += 1
        elif line[place] == quote:
            return place + 1
        place += 1
    return len(line)


def _end_of_bracket(line: str, at: int) -> int:
    """Return where a bracket that opens here ends."""
    open_, place = [line[at]], at + 1
    while place < len(line) and open_:
        letter = line[place]
        if letter in QUOTES:
            place = _end_of_quote(line, place)
            continue
        if letter in CLOSING:
            open_.append(letter)
        elif letter == CLOSING[open_[-1]]:
            open_.pop()
        place += 1
    if open_:
        raise UsageError(
            f"The bracket {open_[-1]!r} is never closed in: {line.strip()}  Close it, or quote "
            f"the name that it is part of."
        )
    return place
