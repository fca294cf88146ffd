"""From a line of text to what it asks for, and from the engine's advice to the line's words."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

from IPython.core.error import UsageError

from rank_magic.errors import did_you_mean
from rank_magic.magics.options import Option, options
from rank_magic.magics.splitting import split_line

__all__ = ["HELP", "Request", "for_the_line", "plain_words", "read_line"]

HELP = "Help: %rankeval --help"


@dataclass(frozen=True)
class Request:
    """What a line asks for.

    Attributes
    ----------
    words : list of str
        What is no option: in a line the frame, and the measures.
    given : dict
        The options that were given, by name.
    silent : bool
        Whether the result is not to be shown.
    help : bool
        Whether the help was asked for.
    """

    words: list[str]
    given: dict[str, Any]
    silent: bool = False
    help: bool = False


def read_line(line: str) -> Request:
    """Read a line.

    Raises
    ------
    UsageError
        If quotes or brackets are left open, an option is unknown, or it lacks a value or has one
        of the wrong kind.
    """
    split = split_line(line)
    try:
        found, unknown = _parser().parse_known_intermixed_args(split.words)
    except argparse.ArgumentError as error:
        raise UsageError(_wrong_argument(error)) from None
    if found.help:
        return Request([], {}, help=True)
    for word in unknown:
        if word.startswith("-"):
            raise UsageError(_unknown_option(word))
    given = {
        option.name: _read(option, getattr(found, option.name))
        for option in options()
        if getattr(found, option.name) is not None
    }
    return Request([*found.words, *unknown], given, split.silent)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}. {HELP}")


@cache
def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%rankeval", add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("words", nargs="*")
    for option in options():
        if option.kind:
            action = "append" if option.several else "store"
            parser.add_argument(*option.flags, dest=option.name, action=action)
        else:
            parser.add_argument(*option.flags, dest=option.name, action="store_true", default=None)
    return parser


def _unknown_option(word: str) -> str:
    known = [flag for option in options() for flag in option.flags if flag.startswith("--")]
    flag = word.partition("=")[0]
    advice = did_you_mean(flag, known)
    return f"There is no option {flag}.{advice} {HELP}"


def _wrong_argument(error: argparse.ArgumentError) -> str:
    for option in options():
        if error.argument_name == "/".join(option.flags):
            if not option.kind:
                return f"{option.flag} takes no value."
            return f"{option.flag} needs a value, such as {option.flag} {option.example}"
    return f"{error}. {HELP}"


# Values.


def _read(option: Option, text: Any) -> Any:
    """Return the value that a text stands for, by the option's kind."""
    if option.kind == "cutoffs":
        return [_number(option, part, int) for part in re.split(r"[,\s]+", ",".join(text)) if part]
    if option.kind == "whole":
        return _number(option, text, int)
    if option.kind == "number":
        return _number(option, text, float)
    if option.several and len(text) == 1:
        return text[0]
    return text


def _number(option: Option, text: str, kind: Callable[[str], float]) -> float:
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise UsageError(
            f"{'/'.join(option.flags)} needs {what}, such as {option.flag} {option.example}, "
            f"not {text!r}."
        ) from None


def for_the_line(message: str) -> str:
    """Return the engine's advice as one types it here: ``grade='stars'`` as ``--grade stars``."""
    names = "|".join(option.name for option in options())
    message = re.sub(r"\bscore=\[\.\.\.\]", "--score A --score B", message)

    def written(found: re.Match[str]) -> str:
        option = next(option for option in options() if option.name == found[1])
        value = found[2]
        if value[0] in "'\"":
            value = shlex.quote(value[1:-1])
        return f"{option.flag} {value}"

    return re.sub(rf"\b({names})=('[^']*'|\"[^\"]*\"|-?[\w.]+\b|\.\.\.)", written, message)


def plain_words(words: list[str]) -> list[str]:
    """Return those of some words that are neither options nor their values."""
    try:
        found, _ = _parser().parse_known_intermixed_args(words)
    except argparse.ArgumentError:  # the last one lacks its value yet
        return plain_words(words[:-1]) if words else []
    plain: list[str] = found.words
    return plain
