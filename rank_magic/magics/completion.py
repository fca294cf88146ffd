"""What may come next on the line, for the Tab key."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import pandas as pd
from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from IPython.core.error import UsageError

from rank_magic.discounts import DISCOUNTS
from rank_magic.errors import MeasureError
from rank_magic.gains import GAINS
from rank_magic.magics.frames import frame_names, is_rankings, look_up
from rank_magic.magics.options import Option, options
from rank_magic.magics.reading import plain_words
from rank_magic.magics.splitting import last_word, split_line
from rank_magic.measures import DEFAULT_MEASURES, Measure, find, known, spellings

__all__ = ["make_matcher"]

# "%rankeval ...", also behind "result = "; "rankeval ..." works where IPython's automagic does.
LINE = re.compile(r"\s*(?:[\w.]+\s*=\s*%|%{0,2})rankeval\s+(?P<rest>.*)", re.DOTALL)
USUAL_CUTOFFS = (5, 10, 20)
CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000)
MOST_ITEMS = 50
# Roles whose column holds numbers.
NUMBERS = ("grade", "score", "rank", "weight")


def make_matcher(magics: Any) -> Callable[[CompletionContext], SimpleMatcherResult]:
    """Return the function that completes the lines of the magics for IPython."""

    @context_matcher(identifier="rank_magic", priority=100)  # type: ignore[untyped-decorator]
    def rank_magic_matcher(context: CompletionContext) -> SimpleMatcherResult:
        match = LINE.fullmatch(context.text_until_cursor)
        if match is None:
            return {"completions": []}
        rest = match["rest"]
        fragment = rest[last_word(rest) :]
        body = "\n".join(context.full_text.splitlines()[context.cursor_line + 1 :])
        cell = body if "%%" in context.text_until_cursor else None
        found = list(_next(magics, rest[: len(rest) - len(fragment)], fragment, cell))
        # Where we know what belongs there, Python's names would only be in the way.
        return {
            "completions": [SimpleCompletion(text=text, type=kind) for text, kind in found],
            "matched_fragment": fragment,
            "ordered": True,
            "suppress": bool(found),
        }

    return rank_magic_matcher


def _next(magics: Any, before: str, fragment: str, cell: str | None) -> Iterator[tuple[str, str]]:
    """Yield what the fragment may become, and what kind of thing that is."""
    namespace = magics.shell.user_ns
    try:
        words = split_line(before).words
    except UsageError:
        return
    option = _option(words[-1]) if words else None
    prefix = ""
    if fragment.startswith("--") and "=" in fragment:
        flag, _, fragment = fragment.partition("=")
        option, prefix = _option(flag), f"{flag}="
    plain = plain_words(words)
    if option is not None and option.kind == "frame":
        yield from _starting(((name, "frame") for name in _frame_expressions(namespace)), fragment)
    elif option is not None and option.kind:
        values = _values(option, magics, _frames(plain, namespace, cell))
        yield from ((prefix + text, kind) for text, kind in _starting(values, fragment))
    elif fragment.startswith("-"):
        flags = [flag for option in options() for flag in reversed(option.flags)]
        yield from ((flag, "option") for flag in [*flags, "--help"] if flag.startswith(fragment))
    elif cell is None and not plain:
        yield from _starting(((name, "frame") for name in _frame_expressions(namespace)), fragment)
    else:
        yield from ((text, "measure") for text in _measures(fragment, magics.cutoffs))


def _option(word: str) -> Option | None:
    return next((option for option in options() if word in option.flags), None)


def _starting(values: Iterable[tuple[str, str]], fragment: str) -> Iterator[tuple[str, str]]:
    """Yield values that begin as the fragment does, quoted where they must be."""
    typed = fragment.lstrip("'\"").lower()
    for text, kind in values:
        if text.lower().startswith(typed):
            yield (text if kind == "frame" else _quoted(text, fragment)), kind


def _quoted(text: str, fragment: str) -> str:
    """Return a value as it is typed, in the quotes that were opened if any were."""
    quote = fragment[:1]
    if quote in ("'", '"') and quote not in text and "\\" not in text:
        return f"{quote}{text}{quote}"
    needed = any(letter in text for letter in "([{")  # brackets have a meaning of their own
    return f"'{text}'" if needed and "'" not in text else shlex.quote(text)


# Values of options.


def _values(option: Option, magics: Any, frames: list[pd.DataFrame]) -> Iterator[tuple[str, str]]:
    if option.choices:
        yield from ((word, "value") for word in option.choices)
    elif option.kind in ("column", "system"):  # a system is named by its column, as a rule
        columns = dict.fromkeys(
            str(name)
            for frame in frames
            for name in _columns(frame, numbers=option.name in NUMBERS)
        )
        yield from ((name, "column") for name in columns)
    elif option.kind in ("gain", "discount"):
        names = GAINS if option.kind == "gain" else DISCOUNTS
        yield from ((name, "value") for name in names)
    elif option.kind == "measure":
        yield from ((text, "measure") for text in _measures("", magics.cutoffs))
    elif option.kind == "cutoffs":
        yield from ((text, "value") for text in ("10", "5,10", "5,10,20", "1,3,5,10"))


def _frames(plain: list[str], namespace: Mapping[str, Any], cell: str | None) -> list[Any]:
    """Return the frame that the line or the end of the cell names; else every frame there is."""
    lines = [line.strip() for line in (cell or "").splitlines() if line.strip()]
    named = lines[-1] if lines else plain[0] if plain and cell is None else ""
    try:
        found = look_up(named.rstrip("; "), namespace) if named else None
    except Exception:
        # Looking up may run a property of the person's own; completing must not fail with it.
        found = None
    candidates = [found] if is_rankings(found) else [namespace[n] for n in frame_names(namespace)]
    return [
        getattr(frame, "obj", frame)
        for one in candidates
        for frame in (one.values() if isinstance(one, Mapping) else [one])
    ]


def _columns(frame: pd.DataFrame, *, numbers: bool) -> Iterator[Any]:
    for place, name in enumerate(frame.columns):
        if not numbers or pd.api.types.is_numeric_dtype(frame.dtypes.iloc[place]):
            yield name
    if not numbers:
        yield from (name for name in frame.index.names if name is not None)


def _frame_expressions(namespace: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of frames, and the items of dicts that are frames."""
    yield from frame_names(namespace)
    for name, value in namespace.items():
        if isinstance(value, dict) and not name.startswith("_"):
            for key in list(value)[:MOST_ITEMS]:
                if isinstance(key, (str, int)) and isinstance(value[key], pd.DataFrame):
                    yield f"{name}[{key!r}]" if isinstance(key, int) else f'{name}["{key}"]'


# Measures.


def _measures(fragment: str, cutoffs: Iterable[int] | None) -> Iterator[str]:
    """Yield measures that begin as the fragment does, letter case aside."""
    if "(" in fragment and not fragment.partition("(")[2].count(")"):
        yield from _parameters(fragment)
        return
    typed, at, number = fragment.partition("@")
    if at:
        name = _as_written(typed)
        yield from (f"{name}@{k}" for k in CUTOFFS if str(k).startswith(number))
        return
    if not fragment:
        yield from DEFAULT_MEASURES
    for cls in known():
        names = [name for name in (cls.name, cls.mean_name) if name]
        names = [name for name in names if name.lower().startswith(typed.lower())] or [
            name for name in spellings(cls) if typed and name.lower().startswith(typed.lower())
        ]
        for name in names:
            yield name
            if cls.cutoff and typed:
                yield from (f"{name}@{k}" for k in cutoffs or USUAL_CUTOFFS)


def _as_written(typed: str) -> str:
    """Return a measure's name in its own letters, if it is one."""
    name, bracket, rest = typed.partition("(")
    try:
        cls = find(name)
    except MeasureError:
        return typed
    own = next((one for one in spellings(cls) if one.lower() == name.lower()), name)
    return f"{own}{bracket}{rest}"


def _parameters(fragment: str) -> Iterator[str]:
    """Yield the parameters of the measure whose bracket is open, or the values of the last."""
    head, _, last = _as_written(fragment).rpartition("," if "," in fragment else "(")
    head += fragment[len(head)]
    try:
        cls: type[Measure] = find(fragment.partition("(")[0])
    except MeasureError:
        return
    blank = last[: len(last) - len(last.lstrip())]
    name, equals, value = last.strip().partition("=")
    for field in cls.parameters():
        if not equals and field.name.startswith(name):
            yield f"{head}{blank}{field.name}="
        elif equals and field.name == name:
            kinds: dict[str, Iterable[str]] = {"gain": GAINS, "discount": DISCOUNTS}
            choices = field.metadata["choices"] or kinds.get(field.metadata["kind"], ())
            yield from (f"{head}{blank}{name}={c})" for c in choices if str(c).startswith(value))
