"""A comparison in plain words: what was found, what could turn it round, what it rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rank_magic.conventions import CHOICES, Conventions, is_number
from rank_magic.errors import RankMagicError
from rank_magic.measures import parse
from rank_magic.notes import Note, counted, sentence, short, worth_working_out
from rank_magic.significance import LEVEL, TESTS

if TYPE_CHECKING:
    from rank_magic.comparison import Comparison
    from rank_magic.records import Record

__all__ = ["by_what", "conventions", "looked_into", "p_text", "sentences", "warnings"]

CORRECTED_BY = {
    "holm": "Holm's correction",
    "bonferroni": "Bonferroni's correction",
    "bh": "Benjamini and Hochberg's correction",
    "tukey": "Tukey's HSD",
    "none": "no correction",
}
# From how far apart the shares judged of two systems are told.
UNEVEN = 0.1
NAMED = 3
ROUNDING = 1e-12
# The conventions that are told even where they are the usual ones.
TOLD = ("ties", "unanswered", "no_relevant", "unjudged", "gain", "discount")


def by_what(comparison: Comparison) -> str:
    """Return by which test evidence was found, and for how many comparisons together."""
    plan, number = comparison.plan, len(comparison.p)
    side = "" if plan.alternative == "two-sided" else f", one-sided ({plan.alternative})"
    if number == 1:
        return f"{TESTS[plan.test]}{side}"
    how = CORRECTED_BY[plan.correction]
    if plan.correction == "none":
        return f"{TESTS[plan.test]}{side}, not corrected for {number:,} comparisons"
    return f"{TESTS[plan.test]}{side}, {how} over {number:,} comparisons"


def p_text(p: float) -> str:
    """Write a p-value with two digits, three where two would move it across the level."""
    if p < 0.001:
        return "< 0.001"
    text = f"{p:.2g}"
    return text if (float(text) < LEVEL) == (p < LEVEL) else f"{p:.4g}"


def amount(difference: float) -> str:
    """Write the size of a difference with three decimals, with more where they would be 0."""
    size = abs(difference)
    return f"{size:.3f}" if size >= 0.0005 else f"{size:.1g}"


def signed(difference: float) -> str:
    """Write a difference with its sign."""
    return f"{'−' if difference < 0 else '+'}{amount(difference)}"


def above(difference: float) -> str:
    """Return on which side a difference lies, in words."""
    return f"{amount(difference)} {'above' if difference > 0 else 'below'}"


def conventions(comparison: Comparison) -> str:
    """Return the conventions under which the values were made, those that were changed first."""
    made, usual = comparison.side.records[0].conventions, Conventions()
    notes = []
    for name, value in made.items():
        chosen = value != getattr(usual, name, None)
        if name in CHOICES:
            text = CHOICES[name][value]
        elif name == "rel":
            text = f"relevant from grade {value:g}"
        else:
            text = f"{name.replace('_', ' ')} {f'{value:g}' if is_number(value) else value}"
        if chosen or name in TOLD:
            notes.append(Note(text, chosen))
    notes.sort(key=lambda note: not note.chosen)
    return sentence(notes, "Conventions:")


# What was found.


def sentences(comparison: Comparison) -> list[str]:
    """Return a sentence for each row of the table."""
    return [_sentence(comparison, row) for row in range(len(comparison.rows))]


def _sentence(comparison: Comparison, row: int) -> str:
    name, system, baseline = comparison.rows[row]
    found, p = comparison.found, float(comparison.p[row])
    first, second = short(system), short(baseline)
    number = counted(int(found.queries[row]), "query", "queries")
    if math.isnan(found.difference[row]):
        return f"{first} and {second} can't be compared on {name}: {found.reasons[row]}."
    if not found.wins[row] + found.losses[row]:
        return f"{first} and {second} score the same on {name} in each of {number}."
    apart = _apart(comparison, row)
    head = f"{first} is {apart} {second} on {name}"
    if math.isnan(p):
        return f"{head}; whether that is chance can't be told: {found.reasons[row]}."
    corrected = (
        " corrected" if len(comparison.p) > 1 and comparison.plan.correction != "none" else ""
    )
    written = p_text(p)
    chance = f"p {written if written[0] == '<' else f'= {written}'}{corrected}"
    if p < LEVEL:
        return f"{head}; over {number} that is evidence of a difference, {chance}."
    needed = found.needed[row]
    more = (
        ""
        if math.isnan(needed)
        else f" About {needed:,.0f} queries would show a difference of this size (80 % power)."
    )
    return f"{head}; with {number} that is not evidence, {chance}.{more}"


def _apart(comparison: Comparison, row: int) -> str:
    difference = float(comparison.found.difference[row])
    if difference == 0:
        return "level with"
    if comparison.side.aggregates[row // len(comparison.pairs)] == "geometric":
        share = 100 * math.expm1(abs(difference))
        return f"{share:.3g} % {'above' if difference > 0 else 'below'}"
    return above(difference)


# What could turn it round.


def looked_into(comparison: Comparison) -> bool:
    """Return whether what could turn differences round is shown unasked; large work is not done."""
    return "sensitivity" in vars(comparison) or all(
        not _rows_at_hand(record) or record.source is None or worth_working_out(record.source)
        for record in comparison.side.records
    )


def warnings(comparison: Comparison, *, all_known: bool = True) -> list[str]:
    """Return what could turn differences round, and what else is to be known.

    Parameters
    ----------
    comparison : Comparison
        What was compared.
    all_known : bool
        Whether to work out what other treatments would make of the differences.
    """
    found: list[str] = []
    if all_known:
        table = comparison.sensitivity
        told: set[int] = set()
        for kind in (_removed, _bounds, _ties, _answered, _with_relevant):
            lines = [(row, line) for row, line in kind(comparison, table) if row not in told]
            if kind is _removed:
                told |= {row for row, _ in lines}
            found += _first([line for _, line in lines])
    else:
        found.append(
            "What ties and unjudged documents could change is not worked out unasked for so many "
            "rows: .warnings() does it."
        )
    if not all(map(_rows_at_hand, comparison.side.records)):
        found.append(
            "What ties and unjudged documents could change is not known: rows were not kept."
        )
    found += [f"{text[:1].upper()}{text[1:]}." for text in comparison.side.remarks]
    return [*found, *_about_tests(comparison), *_missing(comparison)]


def _rows_at_hand(record: Record) -> bool:
    """Return whether values under other treatments are known, or can be worked out."""
    if record.source is not None:
        return record.source.rows_at_hand
    return bool(record.otherwise)


def _first(lines: Sequence[str]) -> list[str]:
    more = len(lines) - NAMED
    rest = [f"{counted(more, 'more pair', 'more pairs')} like these: .sensitivity."]
    return [*lines[:NAMED], *(rest if more > 0 else [])]


def _largest_first(
    comparison: Comparison, table: pd.DataFrame, turned: pd.Series[bool]
) -> list[int]:
    """Return the rows that may turn, those that matter most first: evidence, then size."""
    size = table["difference"].abs().to_numpy()
    rows = np.flatnonzero(turned.to_numpy())
    order = np.lexsort((-size[rows], ~comparison.evident[rows]))
    return [int(row) for row in rows[order]]


def _turned(table: pd.DataFrame, other: pd.Series[float]) -> pd.Series[bool]:
    """Return where a difference has the other sign."""
    return (other * np.sign(table["difference"])) < -ROUNDING


def _names(comparison: Comparison, row: int) -> tuple[str, str, str]:
    name, system, baseline = comparison.rows[row]
    return name, short(system), short(baseline)


def _judged(comparison: Comparison, row: int) -> tuple[float, str]:
    """Return how far apart the shares judged of a pair are, and both in words."""
    name = comparison.rows[row][0]
    pair = comparison.pairs[row % len(comparison.pairs)]
    shares = comparison.side.judged
    share = _share_of(name, shares)
    if share is None:
        return 0.0, ""
    two = [shares[share][place] for place in pair]
    if any(map(math.isnan, two)):
        return 0.0, ""
    told = ", ".join(
        f"{short(comparison.systems[place])} {100 * value:.0f} %"
        for place, value in zip(pair, two, strict=True)
    )
    return abs(two[0] - two[1]), f"{share}: {told}"


def _share_of(measure: str, shares: dict[str, list[float]]) -> str | None:
    """Return the share judged that goes with a measure: that at its cutoff."""
    try:
        k = parse(measure).k
    except RankMagicError:  # one's own, of another session
        k = None
    name = "Judged" if k is None else f"Judged@{k}"
    return name if name in shares else None


def _range(table: pd.DataFrame, row: int, low: str, high: str) -> str:
    least, most = float(table[low].iloc[row]), float(table[high].iloc[row])
    return f"between {signed(least)} and {signed(most)}"


def _removed(comparison: Comparison, table: pd.DataFrame) -> Iterator[tuple[int, str]]:
    for row in _largest_first(comparison, table, _turned(table, table["unjudged_removed"])):
        name, system, baseline = _names(comparison, row)
        without = float(table["unjudged_removed"].iloc[row])
        judged = _judged(comparison, row)[1]
        bounds = (
            f" Whatever they are worth, it lies "
            f"{_range(table, row, 'unjudged_low', 'unjudged_high')}."
            if not math.isnan(table["unjudged_low"].iloc[row])
            else ""
        )
        yield (
            row,
            f"Unjudged documents decide {name}: as grade 0 they leave {system} "
            f"{above(float(table['difference'].iloc[row]))} {baseline}, removed from the rankings "
            f"they leave it {above(without)}{f' ({judged})' if judged else ''}.{bounds}",
        )


def _bounds(comparison: Comparison, table: pd.DataFrame) -> Iterator[tuple[int, str]]:
    could = _turned(table, table["unjudged_low"]) | _turned(table, table["unjudged_high"])
    for row in _largest_first(comparison, table, could):
        apart, judged = _judged(comparison, row)
        if apart >= UNEVEN:
            name, system, baseline = _names(comparison, row)
            yield (
                row,
                f"Unjudged documents could turn {name} of {system} and {baseline} round "
                f"({judged}): whatever they are worth, the difference lies "
                f"{_range(table, row, 'unjudged_low', 'unjudged_high')}; with them removed it is "
                f"{signed(float(table['unjudged_removed'].iloc[row]))}.",
            )


def _ties(comparison: Comparison, table: pd.DataFrame) -> Iterator[tuple[int, str]]:
    could = _turned(table, table["ties_low"]) | _turned(table, table["ties_high"])
    for row in _largest_first(comparison, table, could):
        name, system, baseline = _names(comparison, row)
        yield (
            row,
            f"The order of equal scores decides {name} of {system} and {baseline}: the difference "
            f"lies {_range(table, row, 'ties_low', 'ties_high')}.",
        )


def _answered(comparison: Comparison, table: pd.DataFrame) -> Iterator[tuple[int, str]]:
    answered = comparison.side.values.answered
    for row in _largest_first(comparison, table, _turned(table, table["answered"])):
        name, system, baseline = _names(comparison, row)
        pair = comparison.pairs[row % len(comparison.pairs)]
        both = int(np.count_nonzero(answered[pair.system] & answered[pair.baseline]))
        yield (
            row,
            f"Unanswered queries decide {name}: {system} is "
            f"{above(float(table['difference'].iloc[row]))} {baseline}, but "
            f"{above(float(table['answered'].iloc[row]))} it over the "
            f"{counted(both, 'query', 'queries')} that both answer.",
        )


def _with_relevant(comparison: Comparison, table: pd.DataFrame) -> Iterator[tuple[int, str]]:
    for row in _largest_first(comparison, table, _turned(table, table["with_relevant"])):
        name, system, baseline = _names(comparison, row)
        yield (
            row,
            f"Queries without a relevant document decide {name}: {system} is "
            f"{above(float(table['difference'].iloc[row]))} {baseline}, but "
            f"{above(float(table['with_relevant'].iloc[row]))} it over the others.",
        )


# What tests can't do.


def _about_tests(comparison: Comparison) -> Iterator[str]:
    plan, number = comparison.plan, len(comparison.p)
    if plan.resamples and plan.test in ("randomisation", "bootstrap"):
        least = number / (plan.resamples + 1)
        if plan.correction in ("holm", "bonferroni") and least >= LEVEL:
            yield (
                f"With {plan.resamples:,} resamples no p-value of {number:,} comparisons can fall "
                f"below 0.05 after {CORRECTED_BY[plan.correction]}: "
                f"resamples={math.ceil(number / LEVEL) * 2:,} or correction='tukey'."
            )
    if plan.correction == "tukey" and comparison.complete < len(comparison.queries):
        yield (
            f"Tukey's HSD is over the {counted(comparison.complete, 'query', 'queries')} in which "
            f"every system has a value by every measure."
        )
    logs = [
        name
        for name, how in zip(comparison.names, comparison.side.aggregates, strict=True)
        if how == "geometric"
    ]
    if logs:
        yield (
            f"For {', '.join(logs)} the difference and its interval are of logarithms, and the "
            f"tests, too."
        )
    sums = [
        name
        for name, how in zip(comparison.names, comparison.side.aggregates, strict=True)
        if how == "sum"
    ]
    if sums:
        yield f"{', '.join(sums)}: compared by the mean over queries, not by the sum."
    if comparison.side.weights is not None:
        yield "Queries are weighted; Wilcoxon's test, which knows no weights, is left out."


def _missing(comparison: Comparison) -> Iterator[str]:
    """Yield why numbers are missing, with how many rows each reason is for."""
    reasons: dict[str, list[int]] = {}
    for row, reason in enumerate(comparison.found.reasons):
        if reason:
            reasons.setdefault(reason, []).append(row)
    for reason, rows in reasons.items():
        name, system, baseline = _names(comparison, rows[0])
        others = f" and {len(rows) - 1:,} more" if len(rows) > 1 else ""
        yield f"Numbers are missing for {name} of {system} and {baseline}{others}: {reason}."
