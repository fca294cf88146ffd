"""One ranking edited: its values are those of a frame that was edited likewise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
from rank_magic.errors import DataError, MeasureError
from rank_magic.whatif import EXAMPLES, WhatIf

MEASURES = ["nDCG@3", "nDCG", "ERR", "RR", "AP", "RBP", "Judged@3", "bpref", "SDCG"]


def edited_frame(frame: pd.DataFrame, query: str, order: list[str]) -> pd.DataFrame:
    """Return the frame with one query's documents scored in this order, the first highest."""
    scores = {doc: -float(place) for place, doc in enumerate(order)}
    mine = frame["query"] == query
    moved = frame.copy()
    moved.loc[mine, "score"] = moved.loc[mine, "doc"].map(scores)
    return moved


def docs(what_if: WhatIf) -> list[str]:
    return what_if.now.ranking["doc"].tolist()


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    rows = []
    for query in "ab":
        number = draw(st.integers(1, 6))
        for doc in range(number):
            grade = draw(st.sampled_from([0.0, 1.0, 2.0, 4.0, math.nan]))
            score = draw(st.sampled_from([1.0, 2.0, 3.0, math.nan]))
            rows.append({"query": query, "doc": f"d{doc}", "grade": grade, "score": score})
    rows.append({"query": "c", "doc": "x", "grade": 1.0, "score": 1.0})
    return pd.DataFrame(rows)


def same(now: dict[str, float], frame: pd.DataFrame, options: dict[str, Any]) -> None:
    truth = rm.evaluate(frame, MEASURES, **options).per_query.loc["a"]
    np.testing.assert_array_equal(pd.Series(now).to_numpy(), truth.to_numpy())


@settings(max_examples=20)
@given(frames(), st.data(), st.sampled_from(["average", "trec", "worst"]))
def test_values_are_those_of_the_edited_frame(
    frame: pd.DataFrame, data: st.DataObject, ties: str
) -> None:
    options = {"ties": ties, "unjudged": data.draw(st.sampled_from(["zero", "remove"]))}
    what_if = WhatIf(rm.evaluate(frame, MEASURES, **options), "a")
    same(what_if.now.values, frame, options)

    # Grades change, scores stay, ties too.
    known = [*what_if.rows, *what_if.missed]
    if known:
        row = data.draw(st.sampled_from(known))
        grade = data.draw(st.sampled_from([0.0, 2.0, 5.0, None]))
        what_if.grade(row, grade)
        frame = frame.copy()
        frame.loc[frame.index[frame["query"] == "a"][row], "grade"] = (
            math.nan if grade is None else grade
        )
        same(what_if.now.values, frame, options)

    what_if.reset()
    assert what_if.now is what_if.before


@settings(max_examples=15)
@given(st.permutations(range(6)), st.data())
def test_any_order_can_be_reached_by_moves(order: list[int], data: st.DataObject) -> None:
    frame = pd.DataFrame(
        {
            "query": ["a"] * 6 + ["b"],
            "doc": [*"uvwxyz", "u"],
            "grade": [0, 3, 1, None, 2, 0, 4],
            "score": data.draw(st.lists(st.sampled_from([1.0, 2.0, 3.0]), min_size=7, max_size=7)),
        }
    )
    what_if = WhatIf(rm.evaluate(frame, MEASURES), "a")
    for place, row in enumerate(order):
        what_if.move(row, place + 1)
    wanted = ["uvwxyz"[row] for row in order]
    assert what_if.rows == order or not what_if.changed
    if what_if.changed:
        assert docs(what_if) == wanted
    loose = "tie" in what_if.now.ranking and what_if.now.ranking["tie"].notna().any()
    if not loose:
        same(what_if.now.values, edited_frame(frame, "a", wanted), {})


def test_moving_one_of_equals_leaves_the_others_equal() -> None:
    frame = pd.DataFrame(
        {"query": "a", "doc": list("wxyz"), "grade": [0, 3, 1, 2], "score": [1.0, 1.0, 1.0, 0.5]}
    )
    what_if = WhatIf(rm.evaluate(frame, MEASURES), "a")
    what_if.move(0, 1)
    scores = {"w": 9.0, "x": 5.0, "y": 5.0, "z": 1.0}
    same(what_if.now.values, frame.assign(score=frame["doc"].map(scores)), {})
    assert what_if.now.ranking["tie"].notna().sum() == 2


def test_the_scale_is_that_of_the_whole_edited_frame() -> None:
    frame = pd.DataFrame(
        {"query": list("aab"), "doc": list("xyx"), "grade": [4, 1, 2], "score": [2.0, 1.0, 1.0]}
    )
    what_if = WhatIf(rm.evaluate(frame, ["ERR"]), "a")
    for grade in (1, 2, 3, 5):
        what_if.grade(0, grade)
        truth = rm.evaluate(frame.assign(grade=[grade, 1, 2]), "ERR").per_query.loc["a", "ERR"]
        assert what_if.now.values["ERR"] == truth


def test_a_document_that_was_missed_can_be_put_in() -> None:
    frame = pd.DataFrame(
        {"query": "a", "doc": list("xyz"), "grade": [0, 1, 3], "score": [2.0, 1.0, None]}
    )
    what_if = WhatIf(rm.evaluate(frame, MEASURES))
    (missed,) = what_if.missed
    what_if.move(missed, 1)
    assert docs(what_if) == ["z", "x", "y"]
    assert what_if.missed == []
    same(what_if.now.values, edited_frame(frame, "a", ["z", "x", "y"]), {})


def test_removed_documents_keep_their_place_between_the_others() -> None:
    frame = pd.DataFrame(
        {
            "query": "a",
            "doc": list("uvwxyz"),
            "grade": [None, 0, None, 2, 1, 3],
            "score": [6.0, 5.0, 4.0, 3.0, 2.0, 1.0],
        }
    )
    options = {"unjudged": "remove", "depth": 4}
    what_if = WhatIf(rm.evaluate(frame, ["nDCG", "AP"], **options))
    assert what_if.rows == [1, 3]
    what_if.move(5, 1)
    truth = rm.evaluate(edited_frame(frame, "a", list("uzvwxy")), ["nDCG", "AP"], **options)
    assert list(what_if.now.values.values()) == truth.per_query.loc["a"].tolist()


def test_taking_a_move_back_by_hand_is_as_good_as_reset() -> None:
    frame = pd.DataFrame({"query": "a", "grade": [1, 2, 3], "score": [3.0, 2.0, 2.0]})
    what_if = WhatIf(rm.evaluate(frame, MEASURES))
    first = what_if.rows
    what_if.move(first[0], 3)
    assert what_if.changed
    what_if.move(first[0], 1)
    assert not what_if.changed
    assert what_if.rows == first


def test_what_cannot_be_measured_is_an_error_and_changes_nothing() -> None:
    frame = pd.DataFrame({"query": "a", "grade": [1, 2], "score": [2.0, 1.0]})
    what_if = WhatIf(rm.evaluate(frame, "ERR(max_grade=3)"))
    what_if.move(0, 2)
    before = what_if.now
    with pytest.raises(MeasureError, match="max_grade=3"):
        what_if.grade(0, 4)
    with pytest.raises(DataError, match="no document number 7"):
        what_if.move(7, 1)
    with pytest.raises(DataError, match="finite number"):
        what_if.grade(0, math.inf)
    what_if.grade(0, None)
    with pytest.raises(DataError, match="must be judged"):
        what_if.grade(1, None)
    what_if.grade(0, 1)
    assert what_if.now.values == before.values


def test_systems_and_subtopics_in_rows_can_be_edited() -> None:
    frame = pd.DataFrame(
        {
            "query": "a",
            "doc": ["x", "x", "y", "z"],
            "subtopic": [1, 2, 1, 2],
            "grade": [1, 0, 0, 1],
            "score": [3.0, 3.0, 2.0, 1.0],
        }
    )
    measures = ["alpha-nDCG", "ERR-IA", "RR"]
    what_if = WhatIf(rm.evaluate(frame, measures))
    assert not what_if.gradable
    what_if.move(what_if.rows[0], 3)
    truth = rm.evaluate(frame.assign(score=[0.0, 0.0, 2.0, 1.0]), measures)
    assert list(what_if.now.values.values()) == truth.per_query.loc["a"].tolist()
    with pytest.raises(DataError, match="for each subtopic"):
        what_if.grade(0, 1)


def test_the_frame_is_never_changed() -> None:
    frame = pd.DataFrame({"query": "a", "grade": [1.0, 2.0], "score": [2.0, 1.0]})
    kept = frame.copy()
    what_if = WhatIf(rm.evaluate(frame))
    what_if.grade(0, 0)
    what_if.move(0, 2)
    pd.testing.assert_frame_equal(frame, kept)


# What the article says; see tests/test_article.py for its numbers.


def example(name: str) -> WhatIf:
    (found,) = [one for one in EXAMPLES if one.name.startswith(name)]
    measures = [rm.parse(name) for name in ("nDCG", "ERR", "RR", "AP")]
    return WhatIf.of_grades(found.grades, measures, found.max_grade)


def test_the_articles_examples_have_the_articles_numbers() -> None:
    assert example("first relevant").now.values["RR"] == 0.5
    assert example("relevant, not").now.values["AP"] == pytest.approx(0.7556, abs=5e-5)
    assert example("grades 2 3 0").now.values["ERR"] == pytest.approx(0.6484, abs=5e-5)
    assert example("the best first").now.values["ERR"] == pytest.approx(0.9964, abs=5e-5)
    assert example("the best last").now.values["ERR"] == pytest.approx(0.2722, abs=5e-5)
    assert example("grades 2 3 1").now.values["nDCG"] == pytest.approx(0.8428, abs=5e-5)
    assert example("grades 2 1 3").now.values["nDCG"] == pytest.approx(0.7592, abs=5e-5)
    assert example("one relevant item at rank 30").now.values["AP"] == pytest.approx(1 / 30)


def test_swapping_two_grades_moves_ndcg_and_err_but_neither_rr_nor_ap() -> None:
    what_if = example("grades 3 1 0")
    what_if.move(what_if.rows[1], 1)
    change = what_if.table()["change"]
    assert change["RR"] == change["AP"] == 0
    assert change["nDCG"] < 0
    assert change["ERR"] < 0


def test_many_documents_have_letters_for_names() -> None:
    what_if = WhatIf.of_grades([0] * 27 + [1], [rm.parse("RR")])
    assert docs(what_if)[25:] == ["Z", "AA", "AB"]
