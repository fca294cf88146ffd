"""Equal scores: the average is what enumeration of all orders finds, and every rule its order."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
import reference
from rank_magic.errors import ConventionError
from rank_magic.measures import known

TABLE = {0: 0, 0.5: 1, 1: 2, 1.5: 2, 2: 4, 3: 10}

# What each measure is called in the slow reference, its cutoff and its parameters there.
MEASURES: dict[str, tuple[str, int | None, dict[str, Any]]] = {
    "RR": ("RR", None, {}),
    "RR@2": ("RR", 2, {}),
    "RR(rel=2)": ("RR", None, {"rel": 2}),
    "AP": ("AP", None, {}),
    "AP@3": ("AP", 3, {}),
    "AP(rel=0.5)@4": ("AP", 4, {"rel": 0.5}),
    "AP(denominator=min)": ("AP", None, {"denominator": "min"}),
    "AP(denominator=min)@2": ("AP", 2, {"denominator": "min"}),
    "ERR(max_grade=3)": ("ERR", None, {"max_grade": 3}),
    "ERR(max_grade=3)@1": ("ERR", 1, {"max_grade": 3}),
    "ERR(max_grade=4)@3": ("ERR", 3, {"max_grade": 4}),
    "ERR(max_grade=8)@5": ("ERR", 5, {"max_grade": 8}),
    "DCG": ("DCG", None, {}),
    "DCG@3": ("DCG", 3, {}),
    "DCG(discount=reciprocal)@4": ("DCG", 4, {"discount": "reciprocal"}),
    "nDCG": ("nDCG", None, {}),
    "nDCG@1": ("nDCG", 1, {}),
    "nDCG@3": ("nDCG", 3, {}),
    "nDCG(gain=linear)@5": ("nDCG", 5, {"gain": "linear"}),
    "nDCG(gain=binary)@5": ("nDCG", 5, {"gain": lambda grade: int(grade >= 1)}),
    "nDCG(discount=none)@2": ("nDCG", 2, {"discount": lambda rank: 1.0}),
    "nDCG(discount=geometric0.8)": ("nDCG", None, {"discount": ("geometric", 0.8)}),
    "nDCG(discount=jarvelin3)": ("nDCG", None, {"discount": ("jk", 3)}),
    "nDCG(discount=[1, 0.5, 0.5, 0.1])": ("nDCG", None, {"discount": [1, 0.5, 0.5, 0.1]}),
    f"nDCG(gain={TABLE})@3": ("nDCG", 3, {"gain": TABLE}),
    "P": ("P", None, {}),
    "P@3": ("P", 3, {}),
    "P(rel=3)@10": ("P", 10, {"rel": 3}),
    "R": ("R", None, {}),
    "R@2": ("R", 2, {}),
    "Success": ("Success", None, {}),
    "Success@2": ("Success", 2, {}),
    "Judged": ("Judged", None, {}),
    "Judged@2": ("Judged", 2, {}),
}  # fmt: skip
CHOSEN = [rm.parse(text) for text in MEASURES]

# A share of the examples that the profile asks for: each of them enumerates a lot.
FEW = settings(max_examples=settings().max_examples // 4)

# Ids that sort otherwise as numbers or in another alphabet than as text by code point.
IDS = ["9", "10", "100", "a", "B", "é", "Z", "zoë", "漢", "🂡"]
GRADES = st.sampled_from([None, -1, 0, 0.5, 1, 1.5, 2, 3])
ROWS = st.lists(
    st.tuples(GRADES, st.sampled_from([None, 1.0, 2.0, 2.0, 2.0, -0.5])), min_size=1, max_size=7
)


def query_of(rows: Sequence[tuple[float | None, float | None]], **options: Any) -> reference.Query:
    docs = IDS[: len(rows)]
    return reference.Query(
        docs,
        {doc: grade for doc, (grade, _) in zip(docs, rows, strict=True)},
        {doc: score for doc, (_, score) in zip(docs, rows, strict=True)},
        **options,
    )


def frame_of(rows: Sequence[tuple[float | None, float | None]]) -> pd.DataFrame:
    """Return the rows as a query, beside another one, which sees to it that something is judged."""
    grades, scores = zip(*rows, (3, 1.0), strict=True)
    return pd.DataFrame(
        {
            "query": ["q"] * len(rows) + ["other"],
            "doc": [*IDS[: len(rows)], "x"],
            "grade": np.array(grades, dtype=float),
            "score": np.array(scores, dtype=float),
        }
    )


def found(frame: pd.DataFrame, **options: Any) -> list[float]:
    evaluation = rm.evaluate(frame, CHOSEN, **options)
    return evaluation.per_query.loc["q"].tolist()


def enumerated(query: reference.Query) -> list[float]:
    """Return the mean of every measure over every order, orders that look alike counted once."""
    alike: dict[tuple[float | None, ...], tuple[list[str], int]] = {}
    for order in reference.orders(query):
        label = tuple(query.grade(doc) for doc in order)
        alike[label] = (order, alike.get(label, (order, 0))[1] + 1)
    number = sum(count for _, count in alike.values())
    means = []
    for name, k, params in MEASURES.values():
        values = [
            (reference.on_order(name, query, order, k, **params), count)
            for order, count in alike.values()
        ]
        missing = any(value is None for value, _ in values)
        means.append(
            math.nan if missing else math.fsum(value * count for value, count in values) / number
        )
    return means


def agree(ours: Sequence[float], theirs: Sequence[float]) -> None:
    wrong = [
        f"{text}: {mine}, not {right}"
        for text, mine, right in zip(MEASURES, ours, theirs, strict=True)
        if mine != pytest.approx(right, rel=1e-11, abs=1e-13, nan_ok=True)
    ]
    assert not wrong, "\n".join(wrong)


ORDERS = [(0, *middle, 5) for middle in itertools.permutations([1, 2, 3, 4])]


def in_every_order(orders: Sequence[Sequence[int]], *, topics: bool) -> pd.DataFrame:
    """Return a query of six documents, four of them equals, once for each order of its rows."""
    scores = [2.0, 1.0, 1.0, 1.0, 1.0, 0.5, None, None, None]
    grades = {"s": [0, 2, None, 1, 0, 3, 2, -1, None], "t": [1, 0, None, 2, None, 0, 1, 1, 0]}
    table = [
        (number, f"d{doc}", grades[topic][doc], scores[doc], topic)
        for number, order in enumerate(orders)
        for doc in [*order, 6, 7, 8]
        for topic in (grades if topics else "s")
    ]
    frame = pd.DataFrame(table, columns=["query", "doc", "grade", "score", "subtopic"])
    return frame.astype({"grade": float, "score": float}).iloc[:, : 5 if topics else 4]


@pytest.mark.parametrize("k", [None, 2, 4])
@pytest.mark.parametrize("cls", known(), ids=lambda cls: cls.name)
def test_every_known_measure_is_averaged_over_all_orders(
    cls: type[rm.Measure], k: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if k is not None and not cls.cutoff:
        return
    # Measures without a closed form draw orders: fewer here than they do for users.
    monkeypatch.setattr("rank_magic.measures.orders.ORDERS", 100)
    one, all_ = (
        in_every_order(orders, topics=cls.__module__.endswith("diversity"))
        for orders in ([range(6)], ORDERS)
    )
    found = rm.evaluate(one, cls(k=k)).per_query.iloc[0, 0]
    each = rm.evaluate(all_, cls(k=k), ties="order").per_query.iloc[:, 0]
    drawn = 0.0 if cls.closed_form else 5 * each.std() / 10
    assert abs(found - each.mean()) <= drawn + 1e-13


@given(ROWS, st.sampled_from(["zero", "remove"]), st.sampled_from(["unjudged", "nonrelevant"]))
@FEW
def test_average_is_the_mean_over_all_orders(rows: list, unjudged: str, negative: str) -> None:
    query = query_of(rows, unjudged="grade0" if unjudged == "zero" else "remove", negative=negative)
    agree(found(frame_of(rows), unjudged=unjudged, negative=negative), enumerated(query))


@pytest.mark.parametrize(
    "grades",
    [
        [3, 2, 1, 0, 0, 1, 2],
        [0, 0, 0, 0, 0, 0, 1],
        [3, 3, 3, 3, 3, 3, 3],
        [None, None, 2, None, 0, None, None],
        [0.5, 1.5, 0.5, 1.5, 0, 3, -1],
    ],
)
def test_average_of_seven_equals(grades: list[float | None]) -> None:
    rows = [(grade, 1.0) for grade in grades]
    agree(found(frame_of(rows)), enumerated(query_of(rows)))


@given(ROWS, st.integers(1, 6))
@FEW
def test_average_with_a_depth_that_may_cut_equals_apart(rows: list, depth: int) -> None:
    agree(found(frame_of(rows), depth=depth), enumerated(query_of(rows, depth=depth)))


@given(ROWS, st.integers(1, 6), st.sampled_from(["trec", "best"]))
@FEW
def test_a_depth_is_counted_before_unjudged_documents_are_removed(
    rows: list, depth: int, ties: str
) -> None:
    query = query_of(rows, depth=depth, unjudged="remove")
    theirs = [
        reference.value(name, query, ties, k, **params) for name, k, params in MEASURES.values()
    ]
    ours = found(frame_of(rows), depth=depth, unjudged="remove", ties=ties)
    agree(ours, [math.nan if value is None else value for value in theirs])


def test_chance_does_not_decide_which_documents_are_removed() -> None:
    frame = frame_of([(None, 1.0), (1, 1.0), (0, 0.5)])
    with pytest.raises(ConventionError, match=r"depth=1 cuts through equal scores.*ties='trec'"):
        rm.evaluate(frame, "RR", unjudged="remove", depth=1)
    assert rm.evaluate(frame, "RR", unjudged="remove", depth=2).per_query.loc["q", "RR"] == 1.0


@given(ROWS, st.sampled_from(["order", "trec", "worst", "best"]), st.randoms())
@FEW
def test_a_rule_for_ties_is_the_plain_measure_on_its_order(
    rows: list, ties: str, random: Any
) -> None:
    frame, query = frame_of(rows), query_of(rows)
    ours = found(frame, ties=ties)
    theirs = [
        reference.value(name, query, ties, k, **params) for name, k, params in MEASURES.values()
    ]
    agree(ours, [math.nan if value is None else value for value in theirs])
    # The same to the last bit when the rows stand in that order and are simply read.
    order = reference.one_order(query, ties)
    shown = frame.set_index("doc").loc[order].assign(score=-np.arange(len(order), dtype=float))
    rest = frame.set_index("doc").drop(index=order)
    plain = pd.concat([shown, rest]).reset_index()
    np.testing.assert_array_equal(ours, found(plain, ties=random.choice(["average", "trec"])))


@pytest.mark.parametrize("kind", ["str", "object", "int64", "category", "string[pyarrow]"])
def test_trec_order_is_document_ids_descending_as_text(kind: str) -> None:
    docs = [9, 10, 100, 2] if kind == "int64" else ["9", "10", "100", "2"]
    frame = pd.DataFrame(
        {
            "query": "q",
            "doc": pd.Series(docs).astype("category" if kind == "category" else kind),
            "grade": [1, 0, 0, 0],
            "score": 1.0,
        }
    )
    for hit, doc in enumerate(["9", "2", "100", "10"], 1):
        frame["grade"] = (frame["doc"].astype(str) == doc).astype(int)
        assert rm.evaluate(frame, "RR", ties="trec").per_query.loc["q", "RR"] == 1 / hit


def test_trec_order_is_by_code_point_in_any_alphabet() -> None:
    docs = ["b", "a", "Z", "é", "z", "ab", "漢", "🂡", "ﬁ", "A1", "A10", "A9"]
    order = sorted(docs, key=lambda doc: doc.encode(), reverse=True)
    for rank, hit in enumerate(order, 1):
        frame = pd.DataFrame(
            {"query": "q", "doc": docs, "grade": [int(doc == hit) for doc in docs], "score": 0.5}
        )
        assert rm.evaluate(frame, "RR", ties="trec").per_query.loc["q", "RR"] == 1 / rank


def test_worst_order_puts_unjudged_documents_below_any_grade() -> None:
    frame = pd.DataFrame({"query": "q", "grade": [0, np.nan, 2, -1], "score": 1.0})
    assert rm.evaluate(frame, "Judged@1", ties="worst").mean().tolist() == [0.0]
    assert rm.evaluate(frame, "Judged@1", ties="best").mean().tolist() == [1.0]
    assert frame.rank.explain(measures="RR", ties="worst").ranking["grade"].tolist()[2:] == [0, 2]


@given(ROWS)
@FEW
def test_the_average_lies_between_worst_and_best(rows: list) -> None:
    frame = frame_of(rows)
    worst, mean, best = (np.array(found(frame, ties=t)) for t in ("worst", "average", "best"))
    there = ~np.isnan(mean)
    assert (worst[there] <= mean[there] + 1e-12).all()
    assert (mean[there] <= best[there] + 1e-12).all()


# Larger groups, by exact fractions.


def group_of(grades: Sequence[float], above: Sequence[float] = ()) -> pd.DataFrame:
    """Return a ranking of a few settled documents above one large group of equals."""
    scores = [*np.arange(len(above), 0, -1.0) + 10, *[1.0] * len(grades)]
    return pd.DataFrame({"query": "q", "grade": [*above, *grades], "score": scores})


def mean_of(frame: pd.DataFrame, measure: str) -> float:
    return float(rm.evaluate(frame, measure).per_query.iloc[0, 0])


@pytest.mark.parametrize(("number", "relevant"), [(50, 1), (50, 7), (60, 59), (300, 20)])
@pytest.mark.parametrize("k", [None, 1, 10, 55])
def test_binary_measures_of_a_large_group_are_hypergeometric(
    number: int, relevant: int, k: int | None
) -> None:
    frame = group_of([1] * relevant + [0] * (number - relevant))
    cut = "" if k is None else f"@{k}"
    places = range(1, min(number, k or number) + 1)
    orders = math.comb(number, relevant)
    first = {j: Fraction(math.comb(number - j, relevant - 1), orders) for j in places}
    rr = sum(chance / j for j, chance in first.items())
    assert mean_of(frame, f"RR{cut}") == pytest.approx(float(rr), rel=1e-13)
    assert mean_of(frame, f"Success{cut}") == pytest.approx(float(sum(first.values())), rel=1e-13)
    ap = Fraction(0)
    for j in places:
        for hits in range(min(relevant, j)):  # hits above, and one at j
            above = math.comb(relevant, hits) * math.comb(number - relevant, j - 1 - hits)
            chance = (
                Fraction(above, math.comb(number, j - 1)) * (relevant - hits) / (number - j + 1)
            )
            ap += chance * (hits + 1) / j / relevant
    assert mean_of(frame, f"AP{cut}") == pytest.approx(float(ap), rel=1e-13)
    recall = Fraction(len(places), number)
    assert mean_of(frame, f"R{cut}") == pytest.approx(float(recall), rel=1e-13)


def exact_err(
    grades: Sequence[int], top: int, above: Sequence[int] = (), k: int | None = None
) -> float:
    """Return ERR by elementary symmetric means of (1 − R), all in whole numbers."""
    scale = 2**top
    polynomial = [1]  # coefficients: sums of products over distinct members, times scale^j
    for grade in sorted(set(grades)):
        count, rest = grades.count(grade), scale - 2**grade + 1
        factor = [math.comb(count, i) * rest**i for i in range(count + 1)]
        longer = [0] * (len(polynomial) + count)
        for i, a in enumerate(polynomial):
            for j, b in enumerate(factor):
                longer[i + j] += a * b
        polynomial = longer
    total, reach = Fraction(0), Fraction(1)
    for rank, grade in enumerate(above, 1):
        chance = Fraction(2**grade - 1, scale)
        total += reach * chance / rank
        reach *= 1 - chance
    means = [
        Fraction(coefficient, scale**j * math.comb(len(grades), j))
        for j, coefficient in enumerate(polynomial)
    ]
    for j in range(1, len(means)):
        if k is None or len(above) + j <= k:
            total += reach * (means[j - 1] - means[j]) / (len(above) + j)
    return float(total)


@pytest.mark.parametrize(
    ("grades", "top"),
    [
        ([0] * 120 + [1] * 60 + [2] * 20, 2),
        ([1] * 100 + [2] * 70 + [3] * 30, 3),
        ([0] * 195 + [1, 2, 2, 3, 4], 4),
        ([1] * 200, 8),
        ([4] * 150 + [0] * 50, 4),
    ],
)
@pytest.mark.parametrize(("above", "k"), [((), None), ((), 10), ((1, 0, 2), 20), ((1, 0, 2), None)])
def test_err_of_a_large_group_is_exact(
    grades: list[int], top: int, above: tuple[int, ...], k: int | None
) -> None:
    text = f"ERR(max_grade={top})" + ("" if k is None else f"@{k}")
    right = exact_err(grades, top, above, k)
    assert mean_of(group_of(grades, above), text) == pytest.approx(right, rel=1e-12)


def test_an_average_over_a_middling_group_is_what_sampling_finds() -> None:
    rng = np.random.default_rng(3)
    grades = rng.choice([np.nan, 0, 1, 2, 3], size=40)
    frame = pd.DataFrame({"query": "q", "grade": grades, "score": [2.0] * 5 + [1.0] * 35})
    exact = rm.evaluate(frame, CHOSEN, depth=30).per_query.loc["q"]
    shuffled = [frame.sample(frac=1, random_state=n).assign(query=n) for n in range(1500)]
    sampled = rm.evaluate(pd.concat(shuffled), CHOSEN, ties="order", depth=30).per_query
    error = sampled.std() / np.sqrt(len(sampled))
    assert ((sampled.mean() - exact).abs() <= 4.5 * error + 1e-12).all()


@pytest.mark.parametrize("grades", [[0, 1, 2, 3], [0, 0, 0, 1], [1], np.linspace(0, 4, 1001)])
def test_a_group_of_20_000_equals_is_averaged_in_a_moment(grades: Sequence[float]) -> None:
    frame = group_of(np.resize(grades, 20_000))
    began = time.process_time()
    value = rm.evaluate(frame, ["ERR(max_grade=4)", "ERR(max_grade=8)@10", "AP", "RR", "nDCG"])
    assert time.process_time() - began < 10
    assert value.per_query.loc["q"].between(0.001, 1 + 1e-12).all()
