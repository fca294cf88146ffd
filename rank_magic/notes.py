"""The sentences under a table of means: what it rests on, and what was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rank_magic.coverage import positives_only

if TYPE_CHECKING:
    from rank_magic.evaluation import Evaluation

__all__ = ["convention_notes", "coverage_notes"]


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def _by_system(evaluation: Evaluation, fact: str, form: str = "{:,}") -> str:
    """Write a fact of every system: once when it is the same for all."""
    values = evaluation.coverage.loc[fact]
    if len(set(values)) == 1:
        return form.format(values.iloc[0])
    return ", ".join(f"{name} {form.format(value)}" for name, value in values.items())


def coverage_notes(evaluation: Evaluation) -> Iterator[str]:
    """Yield what the means rest on, the most important first."""
    facts = evaluation.coverage
    first: Any = facts.iloc[:, 0]
    judged, lacking = first["queries judged"], first["queries without a relevant document"]
    yield f"{_counted(judged, 'query', 'queries')} judged"
    if first["queries without any judgment"]:
        number = first["queries without any judgment"]
        yield f"{_counted(number, 'query', 'queries')} without any judgment left out"
    if facts.loc["queries unanswered"].sum():
        rule = {"zero": "score 0", "skip": "left out"}[evaluation.conventions.unanswered]
        yield f"unanswered: {_by_system(evaluation, 'queries unanswered')} ({rule})"
    if lacking:
        rule = {"zero": "score 0", "skip": "left out", "one": "score 1", "nan": "no value"}
        yield (
            f"without a relevant document: {lacking:,} ({rule[evaluation.conventions.no_relevant]})"
        )
    shares = [fact for fact in facts.index if str(fact).startswith("Judged")]
    if shares:
        yield f"{shares[0]}: {_by_system(evaluation, shares[0], '{:.0%}')}"
    if positives_only(evaluation.rankings):
        yield "only positives were judged (no grade 0), so unjudged and irrelevant look alike"
    if facts.loc["queries with tied scores"].sum():
        yield from _tie_notes(evaluation)
    if "queries whose rank and score disagree" in facts.index:
        number = first["queries whose rank and score disagree"]
        if number:
            yield (
                f"rank and score disagree in {_counted(number, 'query', 'queries')}; "
                f"the score decided"
            )


def _tie_notes(evaluation: Evaluation) -> Iterator[str]:
    yield f"scores tie in {_by_system(evaluation, 'queries with tied scores')} queries"
    rows = evaluation.sensitivity
    moved = rows[rows["ties_matter"] > 0]
    if len(moved):
        most = (moved["best"] - moved["worst"]).idxmax()
        row = moved.loc[most]
        name = " ".join(map(str, most)) if isinstance(most, tuple) else most
        yield (
            f"the order of equals matters most for {name}: {row['ties_matter']:,.0f} queries, "
            f"mean between {row['worst']:.4f} and {row['best']:.4f}"
        )


def convention_notes(evaluation: Evaluation) -> Iterator[str]:
    """Yield the conventions in force."""
    conventions = evaluation.conventions
    yield from conventions.sentences()
    if any(hasattr(measure, "max_grade") for measure in evaluation.measures):
        top = conventions.max_grade
        yield (
            f"top grade {evaluation.rankings.scale.top:g}, the highest in the frame"
            if top is None
            else f"top grade {top:g}"
        )
