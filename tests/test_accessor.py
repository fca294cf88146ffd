"""`df.rank`: every measure as a method, and measures as they are written, one's own among them."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.discounts import DISCOUNTS
from rank_magic.errors import MeasureError
from rank_magic.gains import GAINS
from rank_magic.measures import REGISTRY, Measure, known, spellings

LOG3 = math.log2(3)


@pytest.fixture
def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "query": ["a", "a", "a", "b", "b"],
            "doc": ["x", "y", "z", "x", "w"],
            "grade": [0, 3, 1, 2, 0],
            "score": [0.9, 0.8, 0.1, 0.7, 0.2],
            "other": [0.1, 0.2, np.nan, 0.1, 0.9],
        }
    )


@pytest.fixture
def registry() -> Iterator[None]:
    """Leave the registries as they were found."""
    kept = [(known_names, dict(known_names)) for known_names in (REGISTRY, GAINS, DISCOUNTS)]
    yield
    for known_names, before in kept:
        known_names.clear()
        known_names.update(before)  # type: ignore[arg-type]


def ranking(grades: Sequence[float]) -> pd.DataFrame:
    """Return a ranking of these grades, best first."""
    return pd.DataFrame({"query": "q", "grade": grades, "score": np.arange(len(grades), 0, -1.0)})


def value(frame: pd.DataFrame, measure: Any, **options: Any) -> float:
    return float(rm.evaluate(frame, measure, **options).per_query.iloc[0, 0])


# Methods.


def test_a_measure_gives_a_series_of_its_name_by_query(frame: pd.DataFrame) -> None:
    values = frame.rank.ndcg(k=10)
    assert isinstance(values, pd.Series)
    assert values.name == "nDCG@10"
    assert values.index.tolist() == ["a", "b"]
    assert values.index.name == "query"
    ideal = 7 + 1 / LOG3
    assert values.tolist() == pytest.approx([(7 / LOG3 + 1 / 2) / ideal, 1.0])
    assert frame.rank.ndcg(10).equals(values)
    assert frame.rank.nDCG(k=10).equals(values)


def test_several_systems_give_a_frame_with_a_column_for_each(frame: pd.DataFrame) -> None:
    table = frame.rank.rr(k=2, score=["score", "other"])
    assert isinstance(table, pd.DataFrame)
    assert table.columns.tolist() == ["score", "other"]
    assert table.loc["a"].tolist() == [0.5, 1.0]
    assert table.loc["b"].tolist() == [1.0, 0.5]
    by_row = frame.drop(columns="other").assign(system=["s", "t", "s", "s", "t"])
    assert by_row.rank.p(k=1).to_dict("list") == {"s": [0.0, 1.0], "t": [1.0, 0.0]}


@pytest.mark.parametrize(("mean", "measure"), [("mrr", "rr"), ("map", "ap"), ("MRR", "rr")])
def test_names_of_means_give_the_number(frame: pd.DataFrame, mean: str, measure: str) -> None:
    number = getattr(frame.rank, mean)()
    assert isinstance(number, float)
    assert number == getattr(frame.rank, measure)().mean()
    assert getattr(frame.rank, mean)(k=1) == getattr(frame.rank, measure)(k=1).mean()
    several = getattr(frame.rank, mean)(score=["other", "score"])
    assert several.index.tolist() == ["other", "score"]
    assert several["score"] == number


def test_a_measures_parameters_and_all_options_are_keywords(frame: pd.DataFrame) -> None:
    assert frame.rank.err(max_grade=4).name == "ERR(max_grade=4)"
    assert frame.rank.rr(rel=3, ties="worst").tolist() == [0.5, 0.0]
    assert frame.rank.ap(k=1, denominator="min").name == "AP(denominator=min)@1"
    assert frame.rank.ndcg(k=3, gain="linear").name == "nDCG(gain=linear)@3"
    renamed = frame.rename(columns={"grade": "stars"})
    assert renamed.rank.rr(grade="stars", no_relevant="skip").tolist() == [0.5, 1.0]


@pytest.mark.parametrize("name", ["rr", "ap", "err", "dcg", "ndcg", "p", "r", "success", "judged"])
def test_methods_have_a_name_a_signature_and_the_measures_docstring(
    frame: pd.DataFrame, name: str
) -> None:
    for door in (frame.rank, frame.rank.using(ties="worst"), frame.groupby("query").rank):
        method = getattr(door, name)
        cls = REGISTRY[name]
        assert method.__name__ == name
        assert method.__doc__ == cls.__doc__
        parameters = inspect.signature(method).parameters
        own = [field.name for field in cls.parameters()]
        assert list(parameters)[: 1 + len(own)] == ["k", *own]
        assert {"query", "grade", "score", "ties", "unjudged", "depth"} <= set(parameters)
        assert name in dir(door)


def test_the_accessor_lists_its_methods_beside_pandas_own(frame: pd.DataFrame) -> None:
    names = dir(frame.rank)
    assert {"evaluate", "explain", "using", "ndcg", "mrr", "map", "__call__"} <= set(names)
    assert all(name.isidentifier() for name in names)
    assert {"evaluate", "explain", "using", "ndcg"} <= set(dir(frame.rank.using()))
    assert "RankMagic" not in repr(frame.rank)


def test_evaluate_and_explain_are_the_functions_of_the_package(frame: pd.DataFrame) -> None:
    options = {"score": ["other", "score"], "ties": "worst"}
    ours = frame.rank.evaluate(["ERR@2", "AP"], **options)
    right = rm.evaluate(frame, ["ERR@2", "AP"], **options)
    pd.testing.assert_frame_equal(ours.per_query, right.per_query)
    mine = frame.rank.explain("b", "AP", system="score", **options)
    assert mine.query == "b"
    assert mine.system == "score"
    theirs = right.explain("b", system="score")
    assert mine.values == {"AP": theirs.values["AP"]}
    pd.testing.assert_frame_equal(mine.parts["AP"], theirs.parts["AP"])
    assert list(frame.rank.explain("a").values) == ["nDCG@10", "ERR@10", "RR", "AP"]


def test_using_sets_roles_and_conventions_for_several_calls(frame: pd.DataFrame) -> None:
    strange = frame.rename(columns={"query": "who", "grade": "stars", "score": "bm25"})
    shop = strange.rank.using(query="who", grade="stars", score="bm25")
    assert shop.rr().tolist() == [0.5, 1.0]
    assert shop.mrr() == 0.75
    assert shop.rr(score="other").tolist() == [1.0, 0.5]
    assert shop.using(unanswered="skip", rel=3).rr().tolist() == [0.5, 0.0]
    assert shop.rr().tolist() == [0.5, 1.0]
    assert shop.evaluate("P@1", rel=2).mean().tolist() == [0.5]
    assert shop.explain("a", "RR").values == {"RR": 0.5}


def test_using_says_which_options_there_are(frame: pd.DataFrame) -> None:
    with pytest.raises(MeasureError, match=r"no parameter 'graed'.*grade, score"):
        frame.rank.using(graed="stars")
    with pytest.raises(MeasureError, match=r"rr\(\) has no parameter 'gain_'.*rel.*query"):
        frame.rank.rr(gain_="linear")


def test_grouped_frames_have_it_too(frame: pd.DataFrame) -> None:
    grouped = frame.groupby("query")
    pd.testing.assert_series_equal(grouped.rank.ndcg(k=2), frame.rank.ndcg(k=2))
    assert grouped.rank.map() == frame.rank.map()
    assert grouped.rank.evaluate("RR").mean()["RR"] == 0.75
    assert grouped.rank.explain("b", "RR").values == {"RR": 1.0}
    assert grouped.rank.using(rel=3).rr().tolist() == [0.5, 0.0]
    assert grouped.rank()["score"].tolist() == [3, 2, 1, 2, 1]


# Measures as they are written.


def variants(cls: type[Measure]) -> Iterator[Measure]:
    """Yield a measure as it is, cut, and with each of its parameters set to something else."""
    yield cls()
    if cls.cutoff:
        yield cls(k=7)
    samples: dict[str, list[Any]] = {
        "gain": ["linear", {0: 0, 1: 0.5, 2.5: 3}],
        "discount": ["log10", "geometric0.85", [1, 0.5, 0.25]],
    }
    for field in cls.parameters():
        meta = field.metadata
        given = [*samples.get(meta["kind"], []), *meta["choices"]]
        if not given:
            given = [n for n in (2, 0.5, 1, 0.25, 3) if meta["low"] <= n <= meta["high"]]
        for sample in given:
            try:
                measure = cls(**{field.name: sample})
            except MeasureError:  # not on its own, or not this
                continue
            yield measure
            if cls.cutoff:
                yield measure.at(20)


@pytest.mark.parametrize("cls", known(), ids=lambda cls: cls.name)
def test_measures_print_back_as_they_parse(cls: type[Measure]) -> None:
    for measure in variants(cls):
        text = str(measure)
        assert rm.parse(text) == measure
        assert str(rm.parse(text)) == repr(measure) == text
        assert hash(rm.parse(text)) == hash(measure)
        name, bracket, rest = text.partition("(" if "(" in text else "@")
        for spelt in {name.lower(), name.upper(), name.title()}:
            assert rm.parse(f" {spelt}{bracket}{rest} ") == measure
    for spelling in spellings(cls):
        assert type(rm.parse(spelling)) is cls
    assert cls.summary()
    assert len(cls.summary()) < 100


def test_spaces_and_an_order_of_ones_own_are_read() -> None:
    right = rm.parse("AP(rel=2, denominator=min)@100")
    assert rm.parse(" ap ( denominator=min ,rel = 2.0 ) @ 100 ") == right
    assert str(right) == "AP(rel=2, denominator=min)@100"
    assert rm.parse("Precision@5") == rm.parse("P@5")
    assert rm.parse("nDCG(gain=exp2)") != rm.parse("nDCG")
    assert rm.parse(right) is right


def test_measures_by_default_by_text_by_object_and_each_once() -> None:
    frame = ranking([1, 0])
    assert rm.evaluate(frame).names == ["nDCG@10", "ERR@10", "RR", "AP"]
    named = ["ndcg@10 MRR, map", ["nDCG@10", "RR", rm.parse("AP"), "mrr"]]
    for measures in named:
        assert rm.evaluate(frame, measures).names == ["nDCG@10", "RR", "AP"]


GAIN = {"exp2": 7, "linear": 3, "binary": 1}


@pytest.mark.parametrize("name", GAIN)
def test_gains_by_name(name: str) -> None:
    assert value(ranking([3]), f"DCG(gain={name})") == GAIN[name]
    assert value(ranking([3]), "DCG", gain=name) == GAIN[name]


def test_gains_as_tables_and_functions() -> None:
    frame = ranking([0.5, 3])
    assert value(frame, "DCG", gain={0.5: 1, 3: 10}) == pytest.approx(1 + 10 / LOG3)
    assert value(frame, "DCG(gain={0.5: 1, 3: 10})") == pytest.approx(1 + 10 / LOG3)
    assert value(frame, "DCG", gain=lambda grade: grade**2) == pytest.approx(0.25 + 9 / LOG3)
    assert value(frame, "DCG(gain=linear)", gain={}) == pytest.approx(0.5 + 3 / LOG3)


def test_a_gain_table_needs_the_grades_that_occur_and_no_others() -> None:
    assert value(ranking([4, 1]), "DCG@1", gain={1: 1, 4: 10}) == 10
    assert value(ranking([4, -1]), "DCG", gain={4: 10}) == 10
    asked: list[float] = []
    value(ranking([7, 1, 7]), "DCG", gain=lambda grade: asked.append(grade) or grade)
    assert set(asked) <= {0, 1, 7}  # 0 is what the unjudged would be worth


@pytest.mark.parametrize(
    ("discount", "at_5"),
    [
        ("log2", 1 / math.log2(6)),
        ("log10", math.log(10) / math.log(6)),
        ("reciprocal", 1 / 5),
        ("geometric0.5", 1 / 16),
        ("none", 1.0),
        ("jarvelin", 1 / math.log2(5)),
        ("jarvelin3", 1 / math.log(5, 3)),
        ([1, 0.5, 0.25], 0.0),
        ((1, 0.5, 0.25, 0.2, 0.1, 0), 0.1),
        (np.array([1, 1, 1, 1, 0.5]), 0.5),
        (lambda rank: 1 / rank**2, 1 / 25),
    ],
)
def test_discounts_by_name_as_curves_and_as_functions(discount: Any, at_5: float) -> None:
    frame = ranking([0, 0, 0, 0, 1])
    assert value(frame, "DCG", discount=discount) == pytest.approx(at_5, rel=1e-15)
    if isinstance(discount, (str, list)):
        assert value(frame, f"DCG(discount={discount})") == value(frame, "DCG", discount=discount)


def test_functions_that_are_written_alike_need_names() -> None:
    one, two = (REGISTRY["dcg"](gain=gain) for gain in (lambda grade: grade, lambda grade: 2))
    with pytest.raises(MeasureError, match=r"written DCG\(gain=<lambda>\).*register_gain"):
        rm.evaluate(ranking([1]), [one, two])
    assert rm.evaluate(ranking([1]), [one, one]).names == ["DCG(gain=<lambda>)"]


def test_registered_gains_and_discounts_are_named(registry: None) -> None:
    rm.register_gain("shopgain", {0: 0, 1: 1, 3: 10})
    rm.register_discount("shopclicks", [0.5, 0.25])
    measure = rm.parse("nDCG(gain=shopgain, discount=shopclicks)@2")
    assert str(measure) == "nDCG(gain=shopgain, discount=shopclicks)@2"
    assert value(ranking([1, 3]), measure) == (0.5 + 2.5) / (5 + 0.25)
    with pytest.raises(MeasureError, match="ships"):
        rm.register_gain("exp2", {})
    with pytest.raises(MeasureError, match="ships"):
        rm.register_discount("log10", [1])
    with pytest.raises(MeasureError, match="identifier"):
        rm.register_gain("my gain", {})


# Measures of one's own.


@pytest.fixture
def biased(registry: None) -> type[Measure]:
    class RankBiased(rm.Measure):
        """A reader who goes on with the same probability everywhere."""

        p: float = rm.parameter(0.8, "persistence", low=0, high=1)
        aliases = ("RkB",)
        closed_form = True

        def contributions(self, block: Any) -> Any:
            relevant = block.expected(block.scale.relevant(1), self.k)
            return relevant * (1 - self.p) * self.p ** np.arange(relevant.shape[1])

    return RankBiased


def test_a_subclass_is_a_measure_everywhere(frame: pd.DataFrame, biased: type[Measure]) -> None:
    measure = rm.parse("rankbiased(p=0.5)@2")
    assert measure == biased(p=0.5, k=2) == rm.parse("RKB(p=0.5)@2")
    assert str(measure) == "RankBiased(p=0.5)@2"
    assert frame.rank.rankbiased(p=0.5).tolist() == [0.25 + 0.125, 0.5]
    assert frame.rank.rkb(p=0.5, k=2).name == "RankBiased(p=0.5)@2"
    assert list(inspect.signature(frame.rank.rankbiased).parameters)[:2] == ["k", "p"]
    assert "rankbiased" in dir(frame.rank)
    explained = frame.rank.explain("a", "RankBiased(p=0.5)")
    assert explained.parts["RankBiased(p=0.5)"]["contribution"].tolist() == [0, 0.25, 0.125]
    assert "RankBiased" in repr(frame.rank.evaluate("RankBiased"))
    with pytest.raises(MeasureError, match=r"RankBiased's p must be a number from 0 to 1, not 2"):
        rm.parse("RankBiased(p=2)")
    with pytest.raises(MeasureError, match=r"'RankBaised'.*RankBiased"):
        rm.parse("RankBaised")


def test_a_subclass_is_averaged_over_tied_orders(biased: type[Measure]) -> None:
    frame = ranking([1, 0]).assign(score=1.0)
    assert value(frame, biased(p=0.5)) == pytest.approx((0.5 + 0.25) / 2)


def test_a_decorated_function_is_a_measure_everywhere(frame: pd.DataFrame, registry: None) -> None:
    @rm.measure
    def top_grade(block: Any, k: int | None = None) -> Any:
        """Grade of the first document."""
        return block.expected(block.scale.table(lambda grades: grades), 1)

    @rm.measure(name="Graded")
    def any_name(block: Any, k: int | None = None) -> Any:
        """Sum of the grades shown."""
        return block.expected(block.scale.table(lambda grades: grades), k)

    assert str(rm.parse("TOP_GRADE")) == "top_grade"
    assert frame.rank.top_grade().tolist() == [0, 2]
    assert frame.rank.graded(k=2).tolist() == [3, 2]
    assert frame.rank.graded().name == "Graded"
    assert frame.rank.top_grade.__doc__ == "Grade of the first document."
    assert frame.rank.explain("a", "Graded").parts["Graded"]["contribution"].tolist() == [0, 3, 1]
    assert rm.evaluate(frame, top_grade).mean().tolist() == [1.0]


def test_a_name_is_given_once_but_a_cell_may_run_twice(registry: None) -> None:
    def define() -> type[Measure]:
        @rm.measure
        def my_own(block: Any, k: int | None = None) -> Any:
            """Nothing."""
            return np.zeros((block.queries, 1))

        return my_own

    first, second = define(), define()
    assert first is not second
    assert type(rm.parse("my_own")) is second
    with pytest.raises(MeasureError, match=r"'nDCG' is .*measure.*; give .* another name"):

        @rm.measure(name="nDCG")
        def another(block: Any, k: int | None = None) -> Any:
            """Nothing."""

    assert type(rm.parse("nDCG")).__module__ == "rank_magic.measures.gain"


def test_a_measure_without_contributions_says_so(registry: None) -> None:
    class Unfinished(rm.Measure):
        """Nothing yet."""

    with pytest.raises(NotImplementedError, match=r"Unfinished must define contributions"):
        value(ranking([1]), Unfinished)
