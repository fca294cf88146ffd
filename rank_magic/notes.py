"""The sentences under a table of means: what it rests on, and what was chosen."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rank_magic.blocks import NEGATIVE
from rank_magic.conventions import CHOICES, Conventions
from rank_magic.coverage import positives_only
from rank_magic.discounts import discount_name
from rank_magic.gains import gain_name
from rank_magic.measures.orders import ORDERS
from rank_magic.weighting import effective_number

if TYPE_CHECKING:
    import pandas as pd

    from rank_magic.evaluation import Evaluation

__all__ = [
    "Note",
    "convention_notes",
    "counted",
    "coverage_notes",
    "plain_text",
    "sentence",
    "short",
    "weight_notes",
    "worth_working_out",
]

# With more systems than this a fact is told by its lowest and highest.
NAMED_SYSTEMS = 4
NAME_LETTERS = 30
NAMED_PAIRS = 3
# Rows times systems beyond which the means under other choices are worked out on request only:
# below it they take about a second.
WORKED_OUT_CELLS = 2_000_000
# The share of all weight from which a single query is named.
HEAVY = 0.2


class Note(NamedTuple):
    """A sentence, and whether it tells of something that was chosen against the default."""

    text: str
    chosen: bool = False


def worth_working_out(evaluation: Evaluation) -> bool:
    """Return whether the means under other choices are shown unasked; large work is not done."""
    if "sensitivity" in vars(evaluation):
        return True
    cells = len(evaluation.rankings.rows.grade) * len(evaluation.systems)
    return evaluation.rows_at_hand and cells <= WORKED_OUT_CELLS


def sentence(notes: Iterable[Note], lead: str = "") -> str:
    """Join notes to one sentence, behind a lead such as ``Conventions:``."""
    text = f"{lead} {'; '.join(note.text for note in notes)}".strip()
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def counted(number: int, one: str, many: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {one if number == 1 else many}"


def plain_text(name: object) -> str:
    """Write a name on one line, without characters that a terminal or a file would obey."""
    text = ", ".join(map(str, name)) if isinstance(name, tuple) else str(name)
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def short(name: object, most: int = NAME_LETTERS) -> str:
    """Write a name on one line, cut when it has more than so many letters."""
    text = plain_text(name)
    return text if len(text) <= most else text[: most - 1] + "…"


def by_system(facts: dict[Hashable, Any], form: str = "{:,}") -> str:
    """Write a fact of every system: once when it is the same for all, by its ends when many."""
    written = {name: form.format(value) for name, value in facts.items()}
    if len(set(written.values())) == 1:
        return next(iter(written.values()))
    if len(written) > NAMED_SYSTEMS:
        ends = (min(facts, key=facts.__getitem__), max(facts, key=facts.__getitem__))
        return " to ".join(f"{written[name]} ({short(name)})" for name in ends)
    return ", ".join(f"{short(name)} {value}" for name, value in written.items())


# What the means rest on.


def weight_notes(evaluation: Evaluation) -> Iterator[Note]:
    """Yield what the queries count, where they do not all count the same."""
    if evaluation.weights is not None:
        yield Note(_weights_in_words(evaluation, evaluation.weights))
        if turned := _turned_by_weights(evaluation):
            yield Note(turned)


def _query_notes(evaluation: Evaluation) -> Iterator[Note]:
    """Yield what the queries count, and what they can be broken down by."""
    yield from weight_notes(evaluation)
    if segments := evaluation.rankings.roles.segment:
        yield Note(f"by() breaks down by {', '.join(map(short, segments))}")


def _weights_in_words(evaluation: Evaluation, given: pd.Series[float]) -> str:
    weights = given.to_numpy()
    worth = f"{effective_number(weights):.1f}".removesuffix(".0")
    equal = "query" if worth == "1" else "queries"
    text = f"weighted by {short(given.name)}, worth {worth} equal {equal}"
    if nothing := int(np.count_nonzero(weights == 0)):
        text += f"; {counted(nothing, 'query', 'queries')} of weight 0 left out"
    share = float(weights.max() / weights.sum())
    if share >= HEAVY:
        heaviest = short(evaluation.queries[int(weights.argmax())])
        text += f"; {heaviest} alone has {100 * share:.0f} % of the weight"
    return text


def _turned_by_weights(evaluation: Evaluation) -> str:
    """Return which systems would stand the other way round if all queries counted the same."""
    shape = (len(evaluation.systems), len(evaluation.measures))
    weighted = evaluation.summary()["mean"].to_numpy().reshape(shape)
    plain = replace(evaluation, weights=None).summary()["mean"].to_numpy().reshape(shape)
    turned = [
        f"{short(evaluation.systems[one])} above {short(evaluation.systems[other])} by {name}"
        for place, name in enumerate(evaluation.names)
        for one, other in np.argwhere(plain[:, None, place] > plain[None, :, place])
        if weighted[one, place] < weighted[other, place]
    ]
    if not turned:
        return ""
    more = f" and {len(turned) - NAMED_PAIRS} more" if len(turned) > NAMED_PAIRS else ""
    return f"without weights {', '.join(turned[:NAMED_PAIRS])}{more}"


def coverage_notes(evaluation: Evaluation) -> Iterator[Note]:
    """Yield what the means rest on, the most important first."""
    facts, conventions = evaluation.coverage, evaluation.conventions
    yield from _query_notes(evaluation)
    first: Any = facts.iloc[:, 0]
    if silent := first["queries without any judgment"]:
        yield Note(f"{counted(silent, 'query', 'queries')} without any judgment left out")
    if lacking := first["queries without a relevant document"]:
        rule = {"zero": "score 0", "skip": "left out", "one": "score 1", "nan": "no value"}
        treated = rule[conventions.no_relevant]
        have = counted(lacking, "query has", "queries have")
        yield Note(f"{have} no relevant document ({treated})")
    if facts.loc["queries unanswered"].sum():
        rule = {"zero": "score 0", "skip": "left out"}
        unanswered = by_system(dict(facts.loc["queries unanswered"]))
        yield Note(f"unanswered: {unanswered} ({rule[conventions.unanswered]})")
    shares = [fact for fact in facts.index if str(fact).startswith("Judged")]
    if shares:
        percent = dict(100 * facts.loc[shares[0]].astype(float).fillna(0))
        yield Note(f"{shares[0]}: {by_system(percent, '{:.0f} %')}")
    if positives_only(evaluation.rankings):
        yield Note("only positives were judged (no grade 0): unjudged and irrelevant look alike")
    if facts.loc["queries with tied scores"].sum():
        yield _tie_note(evaluation)
    if drawn := _drawn(evaluation):
        yield Note(drawn)
    if unscored := _unscored(evaluation):
        yield Note(f"rows without a score (not retrieved): {unscored}")
    if "queries whose rank and score disagree" in facts.index:
        where = dict(facts.loc["queries whose rank and score disagree"])
        if any(where.values()):
            noun = "query" if set(where.values()) == {1} else "queries"
            yield Note(f"rank and score disagree in {by_system(where)} {noun}; the score decided")


def _tie_note(evaluation: Evaluation) -> Note:
    tied = dict(evaluation.coverage.loc["queries with tied scores"])
    noun = "query" if set(tied.values()) == {1} else "queries"
    text = f"scores tie in {by_system(tied)} {noun}"
    if not worth_working_out(evaluation):
        return Note(text)
    rows = evaluation.sensitivity
    moved = rows[rows["ties_matter"] > 0]
    if not len(moved):
        return Note(f"{text}, which changes no value here")
    most: Any = (moved["best"] - moved["worst"]).idxmax()
    row, decimals = moved.loc[most], evaluation.view.decimals
    name = " ".join(map(short, most)) if isinstance(most, tuple) else most
    return Note(
        f"{text}, which matters most for {name}: "
        f"{counted(int(row['ties_matter']), 'query', 'queries')}, mean between "
        f"{row['worst']:.{decimals}f} and {row['best']:.{decimals}f}"
    )


def _drawn(evaluation: Evaluation) -> str:
    """Return how exact the values are that were averaged over drawn orders of equal scores."""
    errors = evaluation.drawing_errors
    drawn = [name for place, name in enumerate(evaluation.names) if errors[:, place].any()]
    if not drawn:
        return ""
    return (
        f"for {', '.join(drawn)} equal scores stand in {ORDERS:,} drawn orders, which leaves the "
        f"mean a standard error of up to {errors.max():.1g}"
    )


def _unscored(evaluation: Evaluation) -> str:
    """Return how many rows each system has no score in; nothing when it is not in the data."""
    rankings = evaluation.rankings
    if rankings.roles.system is not None:  # rows of other systems are not gaps in the data
        return ""
    missing = dict(evaluation.coverage.loc["rows without a score"])
    return by_system(missing) if any(missing.values()) else ""


# What was chosen.


def convention_notes(evaluation: Evaluation, *, every: bool = False) -> Iterator[Note]:
    """Yield the conventions that touch this evaluation, those that were changed first.

    Parameters
    ----------
    evaluation : Evaluation
        What was measured.
    every : bool
        Whether to yield also the conventions that make no difference to it.
    """
    conventions = evaluation.conventions
    changed = conventions.changed()
    notes = {name: _in_words(evaluation, name) for name in Conventions.names()}
    touched = {name for name in notes if name in changed or every or _touches(evaluation, name)}
    for name in sorted(touched, key=lambda name: (name not in changed, list(notes).index(name))):
        if notes[name]:
            yield Note(notes[name], name in changed)


def _in_words(evaluation: Evaluation, name: str) -> str:
    """Return a convention in words; nothing where it says nothing."""
    value = getattr(evaluation.conventions, name)
    if name in CHOICES:
        return CHOICES[name][value]
    if name == "depth":
        return "" if value is None else f"only the first {value:,} results looked at"
    if name == "rel":
        return f"relevant from grade {value:g}"
    if name == "max_grade":
        top = evaluation.rankings.scale.top
        return (
            f"top grade {top:g}, the highest in the frame"
            if value is None
            else f"top grade {value:g}"
        )
    if name == "gain":
        return f"gain {gain_name(value)}"
    if name == "discount":
        return f"discount {discount_name(value)}"
    return f"{name} {value}"


def _touches(evaluation: Evaluation, name: str) -> bool:
    """Return whether a convention, left as it is by default, bears on these means.

    What unanswered queries and those without a relevant document score stands with their number.
    """
    if name == "ties":
        return bool(evaluation.coverage.loc["queries with tied scores"].sum())
    if name == "unjudged":
        return True
    if name == "negative":
        return bool((evaluation.rankings.codes == NEGATIVE).any())
    # The others are defaults for measures that don't say themselves.
    return any(getattr(measure, name, "") is None for measure in evaluation.measures)
