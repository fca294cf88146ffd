"""Every measure against its slow, obvious definition in `reference`, on random rankings."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
import reference
from cases import (
    BY_GREEDY_IDEAL,
    CASES,
    DIVERSE,
    Case,
    Drawn,
    diverse_queries,
    frame_of,
    params_of,
    queries,
    quick,
    shipped,
)
from rank_magic.measures import Measure, orders

MOST = settings().max_examples
SOME, FEW, VERY_FEW = (settings(max_examples=MOST // part) for part in (2, 10, 20))

MEASURES = {text: rm.parse(text) for text in CASES}
DIVERSE_MEASURES = {text: rm.parse(text) for text in DIVERSE}


@pytest.fixture(autouse=True, scope="module")
def quickly() -> Iterator[None]:
    with quick():
        yield


CONVENTIONS = st.fixed_dictionaries(
    {"ties": st.sampled_from(["order", "trec", "worst", "best"])},
    optional={
        "unjudged": st.just("remove"),
        "negative": st.just("nonrelevant"),
        "depth": st.integers(1, 6),
        "rel": st.sampled_from([0.5, 2, 3]),
        "max_grade": st.sampled_from([3, 5]),
        "gain": st.just("linear"),
        "discount": st.just("reciprocal"),
    },
)


def options_of(collection: Sequence[Drawn], conventions: dict[str, Any]) -> dict[str, Any]:
    """Return what `reference.Query` is told of the frame and the conventions."""
    return {
        "max_grade": conventions.get("max_grade") or max(drawn.top for drawn in collection),
        "depth": conventions.get("depth"),
        "unjudged": "remove" if conventions.get("unjudged") == "remove" else "grade0",
        "negative": conventions.get("negative", "unjudged"),
    }


def agree(
    evaluation: rm.Evaluation, right: dict[str, list[float | None]], slack: Any = None
) -> None:
    """Check every query's value of every measure; None is no value."""
    wrong = []
    table = evaluation.per_query
    slack = np.zeros(len(right)) if slack is None else slack
    for place, (text, values) in enumerate(right.items()):
        theirs = np.array([math.nan if value is None else float(value) for value in values])
        ours = table[str(rm.parse(text))].to_numpy()[: len(theirs)]
        near = np.abs(ours - theirs) <= 1e-9 * np.maximum(1.0, np.abs(theirs)) + slack[place]
        bad = np.flatnonzero(~near & ~(np.isnan(ours) & np.isnan(theirs)))
        wrong += [f"{text} of query {at}: {ours[at]}, not {theirs[at]}" for at in bad[:1]]
    assert not wrong, "\n".join(wrong)


def test_every_measure_that_ships_is_in_the_table() -> None:
    tried = {type(measure) for measure in [*MEASURES.values(), *DIVERSE_MEASURES.values()]}
    assert [cls.name for cls in shipped() if cls not in tried] == []


def test_every_parameter_is_tried_with_another_value_than_its_default() -> None:
    tried = {
        (declaring(type(measure), field.name), field.name)
        for measure in [*MEASURES.values(), *DIVERSE_MEASURES.values()]
        for field in measure.parameters()
        if getattr(measure, field.name) != field.default
    }
    untried = [
        f"{cls.name}({field.name})"
        for cls in shipped()
        for field in cls.parameters()
        if (declaring(cls, field.name), field.name) not in tried
    ]
    assert untried == []


def declaring(cls: type, name: str) -> type:
    """Return the class, this one or one that it inherits from, that declares a parameter."""
    return next(part for part in cls.__mro__ if name in inspect.get_annotations(part))


# The order of equals is settled by a rule.


@given(st.lists(queries(), min_size=1, max_size=4), CONVENTIONS)
def test_values_are_those_of_the_definition(
    collection: list[Drawn], conventions: dict[str, Any]
) -> None:
    options = options_of(collection, conventions)
    right = {
        text: [
            reference.value(
                case.name, drawn.query(**options), conventions["ties"], case.k, **params
            )
            for drawn in collection
        ]
        for text, case in CASES.items()
        for params in [params_of(MEASURES[text], case, conventions)]
    }
    agree(rm.evaluate(frame_of(collection), list(CASES), **conventions), right)


@given(
    st.lists(diverse_queries(), min_size=1, max_size=4),
    st.sampled_from([None, 1, 3]),
    st.sampled_from([1, 2]),
)
@SOME
def test_values_by_subtopic_are_those_of_the_definition(
    collection: list[Drawn], depth: int | None, rel: int
) -> None:
    conventions = {"depth": depth, "rel": rel, "ties": "trec"}
    right = {
        text: [
            reference.value(case.name, drawn.query(depth=depth), "trec", case.k, **params)
            for drawn in collection
        ]
        for text, case in DIVERSE.items()
        for params in [params_of(DIVERSE_MEASURES[text], case, conventions)]
    }
    agree(rm.evaluate(frame_of(collection, subtopics=True), list(DIVERSE), **conventions), right)


@given(st.lists(queries(), min_size=1, max_size=3), st.data())
@FEW
def test_each_of_several_systems_has_the_values_it_has_alone(
    collection: list[Drawn], data: st.DataObject
) -> None:
    frame = frame_of(collection)
    new = data.draw(
        st.lists(st.sampled_from([None, 1.0, 2.0, 3.0]), min_size=len(frame), max_size=len(frame))
    )
    frame = frame.assign(other=np.array(new, dtype=float))
    together = rm.evaluate(frame, list(CASES), score=["other", "score"], ties="trec").per_query
    for system in ("other", "score"):
        alone = rm.evaluate(frame, list(CASES), score=system, ties="trec").per_query
        pd.testing.assert_frame_equal(together[system], alone, check_exact=True)


# Equals are averaged over.


def over_orders(
    cases: Mapping[str, Case], measures: Mapping[str, Measure], query: reference.Query
) -> Iterator[tuple[float | None, float]]:
    """Yield each measure's mean and standard deviation over all orders of equals.

    Orders that show the same grades are computed once.
    """
    orders: dict[Any, tuple[list[str], int]] = {}
    for order in reference.orders(query):
        seen = tuple((query.grade(doc), str(query.subtopics.get(doc))) for doc in order)
        orders[seen] = (order, orders.get(seen, (order, 0))[1] + 1)
    count = np.array([number for _, number in orders.values()])
    for text, case in cases.items():
        params = params_of(measures[text], case, {})
        found = [
            reference.on_order(case.name, query, order, case.k, **params)
            for order, _ in orders.values()
        ]
        if found[0] is None:
            yield None, 0.0
            continue
        values = np.array([float(value) for value in found])
        mean = float((values * count).sum() / count.sum())
        yield mean, math.sqrt(float(((values - mean) ** 2 * count).sum() / count.sum()))


def means_of(
    cases: Mapping[str, Case],
    measures: Mapping[str, Measure],
    collection: Sequence[Drawn],
    **options: Any,
) -> tuple[dict[str, list[float | None]], np.ndarray]:
    """Return means by measure, and standard deviations, shape (measures, queries)."""
    found = [list(over_orders(cases, measures, drawn.query(**options))) for drawn in collection]
    by_measure = list(zip(*found, strict=True))
    means = {text: [mean for mean, _ in of] for text, of in zip(cases, by_measure, strict=True)}
    return means, np.array([[spread for _, spread in of] for of in by_measure])


EXACT = {text: case for text, case in CASES.items() if MEASURES[text].closed_form}
DRAWN = {text: case for text, case in CASES.items() if not MEASURES[text].closed_form}
# A depth that cuts through equals leaves these without a closed form.
DEPTH_DRAWS = {"bpref", "trec.gm_bpref", "trec.set_map", "trec.rbp_resid"}


@given(st.lists(queries(most=6, orders=24), min_size=1, max_size=3), st.sampled_from([None, 1, 3]))
@SOME
def test_averages_over_equals_are_exact_where_a_closed_form_is_known(
    collection: list[Drawn], depth: int | None
) -> None:
    cases = {
        text: case
        for text, case in EXACT.items()
        if depth is None or MEASURES[text].name not in DEPTH_DRAWS
    }
    options = options_of(collection, {"depth": depth})
    means, _ = means_of(cases, MEASURES, collection, **options)
    evaluation = rm.evaluate(frame_of(collection), list(cases), depth=depth)
    agree(evaluation, means)
    assert not evaluation._values.error.any()


@given(st.lists(diverse_queries(), min_size=1, max_size=3), st.sampled_from([None, 2]))
@SOME
def test_averages_by_subtopic_are_exact(collection: list[Drawn], depth: int | None) -> None:
    cases = {
        text: case
        for text, case in DIVERSE.items()
        if DIVERSE_MEASURES[text].name not in BY_GREEDY_IDEAL
    }
    means, _ = means_of(cases, DIVERSE_MEASURES, collection, depth=depth)
    agree(rm.evaluate(frame_of(collection, subtopics=True), list(cases), depth=depth), means)


@given(
    st.lists(queries(most=6, orders=6), min_size=8, max_size=12), st.sampled_from([None, None, 3])
)
@VERY_FEW
def test_drawn_averages_lie_within_six_standard_errors_and_carry_the_error(
    collection: list[Drawn], depth: int | None
) -> None:
    cases = DRAWN
    if depth is not None:
        cases = DRAWN | {t: c for t, c in EXACT.items() if MEASURES[t].name in DEPTH_DRAWS}
    means, spread = means_of(
        cases, MEASURES, collection, **options_of(collection, {"depth": depth})
    )
    evaluation = rm.evaluate(frame_of(collection), list(cases), depth=depth)
    right = spread / math.sqrt(orders.ORDERS - 1)
    agree(evaluation, means, 6 * right)
    error = evaluation._values.error[0, :, :-1]
    at = [evaluation.names.index(str(MEASURES[text])) for text in cases]
    assert (np.abs(error[at] - right) <= 0.5 * right + 1e-9).all()


# The greedy ideal may take any of several documents that add as much.


def greedy(drawn: Drawn, rel: float, alpha: Fraction) -> Iterator[list[str]]:
    """Yield every ranking that takes, at each rank, a document with most novelty."""

    def further(ranking: list[str]) -> Iterator[list[str]]:
        left = [doc for doc in drawn.subtopics if doc not in ranking]
        if not left:
            yield ranking
            return
        adds = {
            doc: reference.diversity.novelty([*ranking, doc], drawn.subtopics, rel, alpha)[-1]
            for doc in left
        }
        for doc in left:
            if adds[doc] == max(adds.values()):
                yield from further([*ranking, doc])

    return further([])


@pytest.mark.parametrize(
    ("text", "part"), [("alpha-nDCG", "alpha_DCG"), ("nERR-IA", "ERR_IA"), ("nNRBP", "NRBP")]
)
@given(drawn=diverse_queries(most=4), ties=st.sampled_from(["average", "order"]))
@SOME
def test_diversity_is_a_share_of_what_one_of_the_greedy_rankings_is_worth(
    text: str, part: str, drawn: Drawn, ties: str
) -> None:
    found = rm.evaluate(frame_of([drawn], subtopics=True), f"{text}@3", ties=ties).per_query.iloc[
        0, 0
    ]
    query = drawn.query()
    worth = reference.value(part, query, ties, 3)
    if worth is None:
        assert math.isnan(found)
        return
    ideals = {
        reference.on_order(part, query, order, 3) for order in greedy(drawn, 1, Fraction(1, 2))
    }
    shares = [worth / ideal if ideal else 0.0 for ideal in ideals or {0.0}]
    assert any(found == pytest.approx(share, abs=1e-9) for share in shares)


# Curves that rise.


@pytest.mark.parametrize("grades", [[3], [0, 3], [0, 1, 3], [2, 1, 0, 3, 3]])
@pytest.mark.parametrize("curve", [[0.1, 1.0], [0.2, 0.5, 0.3], [0.5, 0.1, 0.4, 0.4, 0.9]])
@pytest.mark.parametrize("k", [None, 1, 2, 4])
def test_ndcg_is_a_share_of_the_best_order_whatever_the_curve(
    grades: list[float], curve: list[float], k: int | None
) -> None:
    fillers = [None] * (len(curve) - 1)  # a document may stand wherever the curve reaches
    padded = [*grades, *fillers]
    worth = np.array([0.0 if grade is None else 2.0**grade - 1 for grade in padded])
    seen = np.zeros(len(padded))
    seen[: len(curve)] = curve[: len(padded)]
    if k is not None:
        seen[k:] = 0
    # The best sum of products pairs the largest with the largest (Hardy, Littlewood and Polya).
    best = float(np.sort(worth) @ np.sort(seen))
    measure = rm.measures.nDCG(discount=curve, k=k)
    rng = np.random.default_rng(0)
    for order in [rng.permutation(len(padded)) for _ in range(20)]:
        frame = pd.DataFrame({"query": "q", "grade": [padded[at] for at in order]}, dtype=object)
        frame["grade"] = frame["grade"].astype(float)
        found = rm.evaluate(frame, measure, order="rows").mean().item()
        assert found == pytest.approx(float(worth[order] @ seen) / best)
    # The best order itself scores 1, exactly, and no value depends on how long other lists are.
    place = np.empty(len(padded), dtype=int)
    place[np.argsort(-seen, kind="stable")] = np.argsort(-worth, kind="stable")
    ideal = pd.DataFrame({"query": "q", "grade": [padded[at] for at in place]})
    ideal["grade"] = ideal["grade"].astype(float)
    longer = pd.concat([ideal, pd.DataFrame({"query": "r", "grade": np.arange(30.0) % 2})])
    assert rm.evaluate(ideal, measure, order="rows").mean().item() == 1.0
    assert rm.evaluate(longer, measure, order="rows").per_query.loc["q"].item() == 1.0
    explained = rm.evaluate(ideal, measure, order="rows").explain("q")
    assert explained.parts[str(measure)]["contribution"].sum() == pytest.approx(1.0)


def test_a_curve_that_rises_for_ever_has_no_best_order() -> None:
    frame = pd.DataFrame({"query": "q", "grade": [0.0, 1.0], "score": [2.0, 1.0]})
    rising = rm.measures.nDCG(discount=lambda rank: rank)
    with pytest.raises(rm.errors.MeasureError, match=r"rises with rank.*Give one, such as @10"):
        rm.evaluate(frame, rising)
    assert rm.evaluate(frame, rising.at(2)).mean().item() == 1.0
    with pytest.raises(rm.errors.MeasureError, match=r"nERR has no ideal.*never rises"):
        rm.evaluate(frame, rm.measures.nERR(discount=[0.1, 1.0]))
    assert rm.evaluate(frame, rm.measures.nERR(discount=[1.0, 0.1])).mean().item() == 0.1


def test_what_a_function_gives_is_looked_at() -> None:
    frame = pd.DataFrame({"query": "q", "grade": [0.0, 1.0], "score": [2.0, 1.0]})
    for options, told in (
        ({"gain": lambda grade: None}, "must be a number, and is None"),
        ({"gain": lambda: 1.0}, r"can't be worked out.*a function of 1 number"),
        ({"discount": lambda rank: 1 / math.log2(rank + 1)}, r"array of ranks.*numpy\.vectorize"),
        ({"discount": lambda rank: "a"}, r"array of ranks.*numpy\.vectorize"),
    ):
        with pytest.raises(rm.errors.MeasureError, match=told):
            rm.evaluate(frame, "nDCG", **options)
    with pytest.raises(rm.errors.MeasureError, match=r"satisfaction.*a function of 2 numbers"):
        rm.evaluate(frame, rm.measures.ERR(satisfaction=lambda grade: 0.5))
