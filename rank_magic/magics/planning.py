"""What is to be done: the line, the session's defaults, and what neither of them said."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from IPython.core.error import UsageError

from rank_magic.conventions import Conventions
from rank_magic.discounts import resolve_discount
from rank_magic.errors import MeasureError, RankMagicError
from rank_magic.gains import resolve_gain
from rank_magic.magics.frames import is_rankings, look_up
from rank_magic.magics.options import options
from rank_magic.magics.reading import Request, for_the_line
from rank_magic.measures import DEFAULT_MEASURES, Measure, parse_all, split
from rank_magic.tables import checked_path, checked_sort
from rank_magic.views import View

__all__ = ["Plan", "make_plan"]

Result = TypeVar("Result")

SESSION = "From %config RankMagics:"
LOOKS = ("decimals", "worst", "per_query")


@dataclass(frozen=True)
class Plan:
    """What is to be done, settled as far as it can be without the frame.

    Attributes
    ----------
    measures : list of Measure
    engine : dict
        Keywords for `evaluate`.
    looks : dict
        How the result is shown, see `View`.
    out : str or None
        The name to assign the result to.
    to : Path or None
        The file to write the result to.
    explore : bool
        Whether to show the query explorer instead of the table.
    by : str, list of str or None
        The columns to break the means down by.
    baseline : str or None
        The system to compare the others with.
    session : str
        What the session's defaults contributed, in words.
    """

    measures: list[Measure]
    engine: dict[str, Any]
    looks: dict[str, Any]
    out: str | None
    to: Path | None
    explore: bool
    by: str | list[str] | None
    baseline: str | None
    session: str


def make_plan(
    request: Request,
    words: Sequence[str],
    session: Mapping[str, Any],
    namespace: Mapping[str, Any],
) -> Plan:
    """Settle what is to be done.

    Parameters
    ----------
    request : Request
        What the line says.
    words : sequence of str
        The measures on the line.
    session : mapping
        The defaults of the session that were changed.
    namespace : mapping
        The person's names, for gains and discounts of their own.

    Raises
    ------
    UsageError
        If a measure, a convention or anything else on the line can't be.
    """
    given = request.given
    used = {name: value for name, value in session.items() if name not in given}
    if words:
        used.pop("measures", None)
    asked = {**used, **given}
    engine = {option.name: asked[option.name] for option in options() if _for_engine(option, asked)}
    for name in ("gain", "discount"):
        if name in given:
            engine[name] = _worth(name, given[name], namespace)
    if "qrels" in given:
        engine["qrels"] = look_up(given["qrels"], namespace)
    try:
        Conventions(**{k: value for k, value in engine.items() if k in Conventions.names()})
        measures, remarks = _measures(words, asked, namespace)
        looks: dict[str, Any] = {
            k: asked[k] for k in ("decimals", "worst", "per_query") if k in asked
        }
        View(**looks)
        if "sort" in asked:
            looks["sort"] = checked_sort(asked["sort"], [str(measure) for measure in measures])
        to = checked_path(given["to"]) if "to" in given else None
    except RankMagicError as error:
        raise UsageError(for_the_line(str(error))) from None
    from_session = ""
    if used:
        from_session = f"{SESSION} {', '.join(f'{k}={v!r}' for k, v in used.items())}."
        remarks.append(from_session)
    looks["remarks"] = tuple(remarks)
    out, explore = _name(given.get("out")), bool(given.get("explore"))
    _check_one_result(given)
    by, baseline = given.get("by"), given.get("baseline")
    return Plan(measures, engine, looks, out, to, explore, by, baseline, from_session)


def _check_one_result(given: Mapping[str, Any]) -> None:
    """Raise when a line asks for two things of which one is shown."""
    if "explore" in given and "by" in given:
        raise UsageError("--by shows a table of segments, --explore a widget of queries: say one.")
    for name in ("by", "explore", "sort", "worst", "per_query"):
        if "baseline" in given and name in given:
            raise UsageError(
                f"--baseline shows a table of differences, which --{name.replace('_', '-')} has no "
                f"part in: say one of them."
            )


def _for_engine(option: Any, asked: Mapping[str, Any]) -> bool:
    return option.engine and option.name in asked


def _worth(name: str, text: str, namespace: Mapping[str, Any]) -> Any:
    """Return a gain or discount: one with that name, else what the text stands for."""
    known: Callable[[Any], Any] = resolve_gain if name == "gain" else resolve_discount
    try:
        known(text)
    except MeasureError:
        if text.isidentifier() and text not in namespace:
            return text  # so that the message names what is near
        if text[:1] in "{[":
            return _table(name, text)
        return look_up(text, namespace)
    return text


def _table(name: str, text: str) -> Any:
    import ast

    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        form = "{0: 0, 1: 1, 2: 3}" if name == "gain" else "[1, 0.6, 0.3]"
        raise UsageError(f"--{name} {text} can't be read. Write {form}.") from None


def _measures(
    words: Sequence[str], asked: Mapping[str, Any], namespace: Mapping[str, Any]
) -> tuple[list[Measure], list[str]]:
    """Return the measures with their cutoffs, and what is to be said about them."""
    remarks = []
    named = list(words) or asked.get("measures")
    if named:
        chosen = _named(named, namespace)
    else:
        chosen = parse_all(DEFAULT_MEASURES)
        remarks.append("No measure was named, so these are the usual ones.")
    cutoffs = asked.get("cutoffs")
    if not cutoffs:
        return chosen, remarks
    measures: list[Measure] = []
    for measure in chosen:
        # In the usual set, those that are cut anywhere are cut as asked.
        takes = measure.cutoff and (measure.k is None if named else measure.k is not None)
        measures += [measure.at(k) for k in cutoffs] if takes else [measure]
    if measures == chosen:
        remarks.append("-k changes nothing: every measure has its own cutoff, or takes none.")
    return list(dict.fromkeys(measures)), remarks


def _named(words: Sequence[str], namespace: Mapping[str, Any]) -> list[Measure]:
    """Return the measures of the words; a frame among them gets a hint where frames go."""
    for word in words:
        try:
            parse_all(split(word))
        except MeasureError:
            if word.isidentifier() and is_rankings(namespace.get(word)):
                raise UsageError(
                    f"{word} is a frame, not a measure. In a line the frame comes first, once: "
                    f"%rankeval {word} ndcg@10. In a cell the body ends in it."
                ) from None
            raise
    return parse_all([measure for word in words for measure in split(word)])


def _name(out: str | None) -> str | None:
    if out is not None and (not out.isidentifier() or keyword.iskeyword(out)):
        raise UsageError(f"--out needs a name to assign to, such as --out result, not {out!r}.")
    return out
