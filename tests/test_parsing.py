"""Measures as text: they print back as they are read, and errors say what there is."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rank_magic as rm
from cases import CASES, DIVERSE, shipped
from measure_strategies import measures_of
from rank_magic.discounts import DISCOUNTS
from rank_magic.errors import MeasureError
from rank_magic.gains import GAINS
from rank_magic.measures import REGISTRY, Measure, find, parse, parse_all, spellings, split
from rank_magic.measures.foreign import IR_MEASURES, WITHOUT
from rank_magic.measures.trec_names import CUT, MISTAKABLE, PLAIN, VALUED, trec_names

MOST = settings().max_examples
EVERY = pytest.mark.parametrize("cls", shipped(), ids=lambda cls: cls.name)
NAMES = sorted({name for cls in shipped() for name in spellings(cls)})


@pytest.fixture
def registries() -> Iterator[None]:
    """Leave the registries as they were found."""
    kept = [(names, dict(names)) for names in (REGISTRY, GAINS, DISCOUNTS)]
    yield
    for names, before in kept:
        names.clear()
        names.update(before)  # type: ignore[arg-type]


# A measure prints back as it is read.


@EVERY
def test_a_measure_with_any_parameters_prints_back_as_it_is_read(cls: type[Measure]) -> None:
    @given(measures_of(cls))
    @settings(max_examples=max(5, MOST // 5))
    def check(measure: Measure) -> None:
        text = str(measure)
        again = parse(text)
        assert type(again) is cls
        assert again == measure
        assert hash(again) == hash(measure)
        assert str(again) == repr(again) == text
        assert parse_all(f"{text}, {text}") == [measure]

    check()


@pytest.mark.parametrize("text", [*CASES, *DIVERSE])
def test_what_is_written_is_what_is_meant(text: str) -> None:
    measure = parse(text)
    assert parse(str(measure)) == measure
    spaced = text.replace("(", " ( ").replace(")", " ) ").replace("@", " @ ").replace(",", " , ")
    assert parse(f"  {spaced}  ") == measure


@pytest.mark.parametrize("name", NAMES)
def test_names_are_read_in_any_letter_case(name: str) -> None:
    plain = parse(name)
    for spelled in (name.upper(), name.lower(), name.swapcase(), name.title()):
        assert parse(spelled) == plain
    assert str(plain) == type(plain).name


@EVERY
def test_every_spelling_and_the_name_of_the_mean_are_the_measure(cls: type[Measure]) -> None:
    for name in spellings(cls):
        assert parse(name) == cls()
        assert find(name) is cls
    assert parse(cls) == cls()
    assert parse(cls()) == cls()


@given(st.sampled_from(NAMES), st.integers(1, 10**9), st.text(" \t", max_size=2))
def test_cutoffs_are_whole_numbers_behind_an_at(name: str, k: int, space: str) -> None:
    cls = find(name)
    text = f"{name}{space}@{space}{k}"
    if cls.cutoff:
        assert parse(text) == cls(k=k) == parse(f"{name}(k={k})") == cls().at(k)
    else:
        with pytest.raises(MeasureError, match=f"takes no cutoff; write {cls.name} without @{k}"):
            parse(text)


def test_values_are_equal_whatever_type_their_numbers_have() -> None:
    assert parse("RBP(p=5e-1)@10.0") == parse("rbp(p=0.50)@10")
    assert parse("AP(rel=2.0)") == parse("AP(rel=2)")
    assert str(parse("AP(rel=2.0)")) == "AP(rel=2)"
    assert parse("nDCG(gain={0: 0, 1.0: 1})") == parse("nDCG(gain={0:0,1:1})")
    assert parse("nDCG(discount=(1, 0.5))") == parse("nDCG(discount=[1, 0.5])")
    assert str(parse("nDCG(gain={ 1 :3.0,0:0 })")) == "nDCG(gain={0: 0, 1: 3})"


def test_gains_and_discounts_of_ones_own_are_named(registries: None) -> None:
    rm.register_gain("mygain", {0: 0, 1: 10})
    rm.register_discount("mycurve", [1, 0.2])
    measure = parse("nDCG(gain=mygain, discount=mycurve)@5")
    assert str(measure) == "nDCG(gain=mygain, discount=mycurve)@5"
    assert measure == REGISTRY["ndcg"](gain="mygain", discount="mycurve", k=5)
    with pytest.raises(MeasureError, match=r"No gain is called 'yours'.*mygain"):
        parse("nDCG(gain=yours)")


def test_several_measures_stand_in_one_string_each_once() -> None:
    text = "ndcg@10, AP(rel=2, denominator=min)@5  MRR\tnDCG(gain={0: 0, 1: 1}) @ 3 nDCG@10"
    found = [str(measure) for measure in parse_all(text)]
    right = ["nDCG@10", "AP(rel=2, denominator=min)@5", "RR", "nDCG(gain={0: 0, 1: 1})@3"]
    assert found == right
    assert [str(m) for m in parse_all([*right, "rr"])] == right
    assert list(split("a(b, c)@1 d")) == ["a(b, c)@1", "d"]
    assert [str(m) for m in parse_all(None)] == ["nDCG@10", "ERR@10", "RR", "AP"]
    with pytest.raises(MeasureError, match="No measure was named"):
        parse_all("  ")


# trec_eval's names.


@pytest.mark.parametrize("name", trec_names())
def test_names_of_trec_eval_are_read_with_its_meaning(name: str) -> None:
    bare = name.removeprefix("trec.")
    measure = parse(f"trec.{bare}")
    for spelled in (name, name.upper(), f"TREC.{bare}"):
        assert parse(spelled) == measure
    assert parse(str(measure)) == measure


def test_numbers_in_names_of_trec_eval_are_cutoffs_and_parameters() -> None:
    assert str(parse("P_5")) == "P@5"
    assert str(parse("ndcg_cut_10")) == "nDCG(gain=linear, discount=log2)@10"
    assert str(parse("map_cut_100")) == "AP@100"
    assert str(parse("iprec_at_recall_0.30")) == "trec.iprec_at_recall(recall=0.3)"
    assert str(parse("Rprec_mult_1.20")) == "trec.Rprec_mult(multiple=1.2)"
    assert str(parse("set_F_4")) == "SetF(beta=2)"
    assert str(parse("success_1")) == "Success@1"
    assert parse("map(rel=2)") == parse("AP(rel=2)")
    with pytest.raises(MeasureError, match="says twice what k is"):
        parse("P_10@5")
    for wrong in ("P_1.5", "ndcg_cut_ten", "trec.nonsense", "trec.P_0"):
        with pytest.raises(MeasureError):
            parse(wrong)


def test_a_bare_name_of_trec_eval_never_hides_one_of_ours() -> None:
    taken = {name.lower() for name in {*PLAIN, *CUT, *VALUED} if name.lower() in REGISTRY}
    ours = {name: REGISTRY[name].name for name in taken}
    meant = {name.lower(): cls.name for name, (cls, _) in PLAIN.items()}
    meant |= {name.lower(): cls.name for name, (cls, _) in CUT.items()}
    mistakable = {name.lower() for name in MISTAKABLE}
    assert {name for name in taken if ours[name] != meant[name]} <= mistakable
    assert {"ndcg", "rbp"} <= taken & mistakable


# Errors.


@EVERY
def test_an_unknown_parameter_names_the_known_ones(cls: type[Measure]) -> None:
    with pytest.raises(MeasureError, match=f"{cls.name} has no parameter 'nonsense'") as error:
        parse(f"{cls.name}(nonsense=1)")
    known = [field.name for field in cls.parameters()]
    assert all(repr(name) in str(error.value) for name in known)
    assert ("'k'" in str(error.value)) == cls.cutoff
    assert known or cls.cutoff or "It takes none" in str(error.value)


@EVERY
def test_a_parameter_out_of_range_names_the_range(cls: type[Measure]) -> None:
    for field in cls.parameters():
        about = field.metadata
        if about["kind"] in ("gain", "discount", "satisfaction"):
            wrong: list[Any] = ["nonsense", {"a": 1}, {0: float("inf")}, 3.5]
        elif about["choices"]:
            wrong = ["nonsense", 3]
        else:
            wrong = ["nonsense", True, float("nan"), float("inf"), about["low"] - 1]
            wrong += [about["high"] + 1] if about["high"] < 1e9 else []
            wrong += [2.5] if about["kind"] == "whole" else []
        for value in wrong:
            with pytest.raises(MeasureError, match=f"{field.name}|gain|discount|satisf") as error:
                cls(**{field.name: value})
            text = str(error.value)
            assert "must" in text or "Known are" in text or "is a name" in text
            assert all(repr(choice) in text for choice in about["choices"] if value == "nonsense")


@pytest.mark.parametrize("k", [0, -1, 2.5, "ten", True, float("inf"), None])
def test_a_cutoff_must_be_a_whole_number_from_one(k: Any) -> None:
    cls = REGISTRY["ndcg"]
    if k is None:
        assert cls(k=k).k is None
        return
    with pytest.raises(MeasureError, match=r"cutoff of nDCG must be a whole number of at least 1"):
        cls(k=k)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("NDGC@3", r"No measure is called 'NDGC'\. Did you mean nDCG"),
        ("nDCG@3@5", "cutoff of nDCG"),
        ("nDCG(gain)", r"'gain' in 'nDCG\(gain\)' can't be read"),
        ("nDCG(gain=)", "can't be read"),
        ("nDCG(", "can't be read as a measure"),
        ("@10", "can't be read as a measure"),
        ("", "can't be read as a measure"),
        ("AP(rel=1, rel=2)", "says twice what rel is"),
        ("AP(k=1)@2", "says twice what k is"),
        ("AP(Rel=1)", r"no parameter 'Rel'.*Did you mean rel"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, what: str) -> None:
    with pytest.raises(MeasureError, match=what):
        parse(text)


def test_other_things_are_no_measures() -> None:
    for thing in (3, None, object(), ["nDCG"], SimpleNamespace(NAME="nDCG", params={})):
        with pytest.raises(MeasureError, match="A measure is written as text"):
            parse(thing)  # type: ignore[arg-type]


# Measures of ir_measures.


def test_objects_of_ir_measures_are_converted_with_their_own_meaning() -> None:
    ir = pytest.importorskip("ir_measures")
    meant = {
        ir.nDCG @ 10: "nDCG(gain=linear, discount=log2)@10",
        ir.nDCG(dcg="exp-log2") @ 10: "nDCG(gain=exp2, discount=log2)@10",
        ir.nDCG(gains={0: 0, 1: 5}): "nDCG(gain={0: 0, 1: 5}, discount=log2)",
        ir.ERR @ 20: "ERR(max_grade=4)@20",
        ir.AP(rel=2) @ 100: "AP(rel=2)@100",
        ir.RR: "RR(rel=1)",
        ir.SetF(beta=4.0): "SetF(rel=1, beta=2)",
        ir.SetP(relative=True): "trec.relative_P(rel=1)",
        ir.SetAP: "trec.set_map(rel=1)",
        ir.NumRet: "NumRet",
        ir.NumRet(rel=2): "NumRelRet(rel=2)",
        ir.IPrec @ 0.1: "trec.iprec_at_recall(rel=1, rounding=up, recall=0.1)",
        ir.Judged @ 10: "Judged@10",
        ir.BPM(max_rel=3, T=2.0) @ 5: "BPM(max_grade=3, horizon=1000, T=2, K=5)",
        ir.INST(max_rel=4): "INST(max_grade=4, horizon=1000)",
        ir.SDCG(max_rel=3) @ 10: "SDCG(max_grade=3, discount=log2)@10",
        ir.RBP(rel=1, p=0.5): "RBP(rel=1, p=0.5)",
        ir.Compat(p=0.8, normalize=False): "Compat(p=0.8, normalize=no)",
        ir.ERR_IA @ 20: "ERR-IA(rel=1, normalize=perfect)@20",
        ir.alpha_nDCG(alpha=0.3) @ 5: "alpha-nDCG(rel=1, alpha=0.3)@5",
    }
    assert {str(theirs): str(parse(theirs)) for theirs in meant} == {
        str(theirs): ours for theirs, ours in meant.items()
    }
    assert [str(measure) for measure in parse_all(list(meant))] == list(meant.values())


def test_every_measure_of_ir_measures_is_converted_or_refused_with_a_reason() -> None:
    ir = pytest.importorskip("ir_measures")
    names = {measure.NAME for measure in ir.measures.registry.values()}
    assert names == {*IR_MEASURES, *WITHOUT, "NumRet"}
    for name in WITHOUT:
        with pytest.raises(MeasureError, match="of ir_measures has no equivalent: it "):
            parse(getattr(ir, name))
    for wrong, what in (
        (ir.P(judged_only=True) @ 5, "unjudged='remove'"),
        (ir.INSQ(min_rel=1, max_rel=3), "min_rel other than 0"),
        (ir.RBP, "RBP without rel"),
        (ir.BPM(max_rel=3), "needs a cutoff"),
        (ir.IPrec, "needs a recall"),
    ):
        with pytest.raises(MeasureError, match=what):
            parse(wrong)


# Measures of one's own.


def test_a_measure_of_ones_own_is_read_and_checked_like_any(registries: None) -> None:
    class Favourite(Measure):
        """Share of the first ranks, by a weight."""

        weight: float = rm.parameter(0.5, "how much", low=0, high=1)
        name = "my.Favourite"
        aliases = ("fav",)

        def contributions(self, block: Any) -> Any:
            return block.expected(block.scale.relevant(1), self.k) * self.weight

    assert str(parse("my.favourite(weight=1)@3")) == "my.Favourite(weight=1)@3"
    assert parse("FAV") == Favourite()
    with pytest.raises(MeasureError, match="weight must be a number from 0 to 1, not 2"):
        parse("fav(weight=2)")
    with pytest.raises(MeasureError, match="'nDCG' is a measure that ships"):

        class Mine(Measure):
            """Not this name."""

            name = "nDCG"

    @rm.measure(name="my.top")
    def top(block: Any, k: int | None = None) -> Any:
        """Gain of the first document."""
        return block.expected(block.scale.table(lambda grades: grades), 1)

    assert str(parse("MY.TOP@5")) == "my.top@5"
    assert parse("my.top").summary() == "Gain of the first document."
    assert inspect.isclass(top)


def test_a_function_is_never_written_as_what_ships_under_its_name(registries: None) -> None:
    def exp2(grade: float) -> float:
        return grade

    def log2(rank: Any) -> Any:
        return 1 / rank

    ours = rm.measures.nDCG(gain=exp2, discount=log2)
    assert str(ours) == "nDCG(gain=<exp2>, discount=<log2>)"
    with pytest.raises(MeasureError, match="No gain is called '<exp2>'"):
        parse(str(ours))
    rm.register_gain("mine", exp2)
    assert str(rm.measures.nDCG(gain="mine")) == "nDCG(gain=mine)"
    assert str(rm.measures.nDCG(gain=GAINS["exp2"])) == "nDCG(gain=exp2)"


def test_a_table_is_the_same_in_any_order() -> None:
    one, other = parse("nDCG(gain={0: 0, 1: 2, 2: 5})"), rm.measures.nDCG(gain={2: 5, 0: 0, 1: 2})
    assert one == other
    assert hash(one) == hash(other)
    assert str(other) == "nDCG(gain={0: 0, 1: 2, 2: 5})"
    assert parse_all([one, other]) == [one]
