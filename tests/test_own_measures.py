"""Measures of one's own: as right as those that ship, and told when they can't be."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import MeasureError
from rank_magic.measures import REGISTRY


@pytest.fixture(autouse=True)
def registry() -> Iterator[None]:
    before = dict(REGISTRY)
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def tied(*grades: float | None, score: float | None = 1.0) -> pd.DataFrame:
    scores = range(len(grades), 0, -1) if score is None else score
    return pd.DataFrame({"query": "q", "grade": list(grades), "score": scores}).astype(
        {"grade": float}
    )


def both(block: Any, k: int | None = None) -> Any:
    """Whether both of the first two documents are relevant."""
    relevant = block.expected(block.scale.relevant(1), 2)
    found = np.zeros(relevant.shape)
    found[:, -1] = (relevant >= 1).all(axis=1)
    return found


# Equal scores.


def test_equal_scores_are_averaged_over_orders_unless_a_measure_says_that_it_is_exact() -> None:
    measure = rm.measure(both)
    evaluation = rm.evaluate(tied(1, 1, 0), measure)
    error = float(evaluation.drawing_errors[0, 0])
    assert 0 < error < 0.02
    assert evaluation.mean().item() == pytest.approx(1 / 3, abs=5 * error)
    again = rm.evaluate(tied(1, 0, 1), measure)
    assert again.mean().item() == evaluation.mean().item()  # nor does the order of rows matter
    assert "drawn" in repr(evaluation)
    explained = evaluation.explain("q").parts["both"]["contribution"]
    assert explained.sum() == pytest.approx(evaluation.mean().item())
    # Where no scores are equal nothing is drawn.
    assert rm.evaluate(tied(1, 1, 0, score=None), measure).mean().item() == 1.0
    assert rm.evaluate(tied(1, 1, 0, score=None), measure).drawing_errors[0, 0] == 0


def test_what_says_that_it_is_exact_is_taken_at_its_word() -> None:
    @rm.measure(closed_form=True)
    def share(block: Any, k: int | None = None) -> Any:
        """Half the relevant ones among the first two."""
        return block.expected(block.scale.relevant(1), 2) / 2

    class Share(rm.Measure):
        """The same."""

        name = "share2"
        closed_form = True

        def contributions(self, block: Any) -> Any:
            return block.expected(block.scale.relevant(1), 2) / 2

    frame = tied(1, 1, 0, 0, 0)
    orders = [sum(order[:2]) / 2 for order in itertools.permutations(frame["grade"])]
    evaluation = rm.evaluate(frame, [share, Share()])
    assert evaluation.mean().tolist() == [pytest.approx(np.mean(orders))] * 2
    assert not evaluation.drawing_errors.any()


def test_who_changes_a_measure_that_ships_is_not_exact_by_inheritance() -> None:
    class First(rm.measures.nDCG):
        """nDCG, where the second document counts only behind a relevant one."""

        name = "mine"

        def terms(self, block: Any) -> Any:
            terms = super().terms(block)
            terms[:, 1:2] *= terms[:, :1] > 0
            return terms

    class Renamed(rm.measures.nDCG):
        """nDCG under another name."""

        name = "mine.too"

    class Bpref(rm.measures.bpref):
        """Something else than bpref."""

        name = "mine.three"

        def terms(self, block: Any) -> Any:
            return super().terms(block) ** 2

    assert not First.closed_form
    assert Renamed.closed_form
    errors = rm.evaluate(tied(0, 1, 2), [First(), Renamed(), Bpref()]).drawing_errors[0]
    assert (errors > 0).tolist() == [True, False, True]


# What can't be a value.


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (3.0, r"gave 3\.0"),
        (None, "gave None"),
        ([[1.0, 0.0]], r"gave \[\[1\.0, 0\.0\]\]"),
        (np.zeros(2), r"gave an array of shape \(2,\)"),
        (np.zeros((2, 2)), r"gave an array of shape \(2, 2\)"),
        (np.zeros((1, 50)), r"gave an array of shape \(1, 50\)"),
    ],
    ids=str,
)
def test_what_is_no_array_of_ranks_is_refused(given: Any, told: str) -> None:
    @rm.measure
    def odd(block: Any, k: int | None = None) -> Any:
        """Odd."""
        return given

    with pytest.raises(MeasureError, match=rf"odd must give an array.*\(1, 2\).*{told}"):
        rm.evaluate(tied(1, 0, score=None), odd)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("score", [None, 1.0])
def test_what_is_no_number_is_refused(number: float, score: float | None) -> None:
    @rm.measure
    def odd(block: Any, k: int | None = None) -> Any:
        """Odd."""
        return np.full((block.queries, 1), number)

    with pytest.raises(MeasureError, match=rf"odd gave {number} .*finite numbers"):
        rm.evaluate(tied(1, 0, score=score), odd)


def test_a_function_must_take_a_block_and_a_cutoff() -> None:
    with pytest.raises(MeasureError, match=r"short must take a block and the keyword k"):

        @rm.measure
        def short(block: Any) -> Any:
            """Too short."""


def test_parameters_are_declared() -> None:
    with pytest.raises(MeasureError, match=r"weight: int = rank_magic\.parameter\(3, "):

        class Plain(rm.Measure):
            """A parameter that nobody can check."""

            weight: int = 3


@pytest.mark.parametrize("name", ["my measure", "a,b", "x@y", " ", "(x)", "é="])
def test_a_name_must_be_read_as_one(name: str) -> None:
    with pytest.raises(MeasureError, match=r"can't be called"):
        type("Mine", (rm.Measure,), {"__doc__": "Mine.", "aliases": (name,)})


@pytest.mark.parametrize("name", ["P_10", "trec.map", "map_cut_5", "recip_rank", "NDCG", "hit"])
def test_names_that_mean_something_are_not_given_away(name: str) -> None:
    with pytest.raises(MeasureError, match="is a measure that ships"):
        rm.measure(both, name=name)
    assert "both" not in REGISTRY


def test_it_is_explored_like_any() -> None:
    explorer = rm.evaluate(tied(0, 1, 1, score=None), ["nDCG@10", rm.measure(both)]).explore()
    explorer.measures.value = "both"
    assert explorer.measure == "both"
    what_if = explorer.what_if
    what_if.move(what_if.rows[0], 3)
    assert what_if.table().loc["both"].tolist() == [0.0, 1.0, 1.0]
