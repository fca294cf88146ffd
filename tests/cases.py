"""Every measure with what it is called in `reference`, and random rankings to try it on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import strategies as st

import reference
from rank_magic.measures import REGISTRY, SHIPPED, Measure


@dataclass(frozen=True)
class Case:
    """A measure in `reference`: its name, cutoff and parameters there."""

    name: str
    k: int | None = None
    params: dict[str, Any] = field(default_factory=dict)


# A scale for all that need one, so that no query's value hangs on the others' grades.
TOP = {"max_grade": 3}
TABLE = {0: 0, 0.5: 1, 1: 2, 1.5: 2, 2: 4, 3: 10}
CHANCES = {0.5: 0.1, 1: 0.2, 1.5: 0.5, 2: 0.6, 3: 1}
EXACT = {grade: Fraction(str(chance)) for grade, chance in {0: 0, **CHANCES}.items()}

CASES = {
    "RR": Case("RR"),
    "RR(rel=2)@3": Case("RR", 3, {"rel": 2}),
    "AP": Case("AP"),
    "AP(rel=0.5)@4": Case("AP", 4, {"rel": 0.5}),
    "AP(denominator=min)@3": Case("AP", 3, {"denominator": "min"}),
    "P": Case("P"),
    "P@3": Case("P", 3),
    "R": Case("R"),
    "R(rel=2)@3": Case("R", 3, {"rel": 2}),
    "Success@2": Case("Success", 2),
    "F1": Case("F"),
    "F1(beta=2)@3": Case("F", 3, {"beta": 2}),
    "F1(beta=0)@3": Case("F", 3, {"beta": 0}),
    "RPrec": Case("RPrec"),
    "RPrec(rel=2)": Case("RPrec", None, {"rel": 2}),
    "ERR": Case("ERR"),
    "ERR(max_grade=3)": Case("ERR", None, TOP),
    "ERR(max_grade=4)@3": Case("ERR", 3, {"max_grade": 4}),
    "ERR(max_grade=3, satisfaction=linear)": Case("ERR", None, {**TOP, "satisfaction": "linear"}),
    "ERR(satisfaction=linear1)@4": Case("ERR", 4, {"satisfaction": "linear1"}),
    f"ERR(satisfaction={CHANCES})": Case("ERR", None, {"satisfaction": EXACT}),
    "nERR": Case("nERR"),
    "nERR(max_grade=3)@3": Case("nERR", 3, TOP),
    "EBU(max_grade=3)": Case("EBU", None, TOP),
    "EBU(persistence=0.5)@3": Case("EBU", 3, {"persistence": Fraction(1, 2)}),
    "EBU(discount=reciprocal)": Case(
        "Cascade", None, {"persistence": Fraction(9, 10), "discount": "reciprocal"}
    ),
    "Cascade(max_grade=3, persistence=0.5)": Case(
        "Cascade", None, {**TOP, "persistence": Fraction(1, 2)}
    ),
    "Cascade(max_grade=3, discount=log2)@4": Case("Cascade", 4, {**TOP, "discount": "log2"}),
    "Judged": Case("Judged"),
    "Judged@3": Case("Judged", 3),
    "Unjudged": Case("Unjudged"),
    "Unjudged@3": Case("Unjudged", 3),
    "NumRet": Case("NumRet"),
    "NumRet@2": Case("NumRet", 2),
    "NumRel": Case("NumRel"),
    "NumRelRet@3": Case("NumRelRet", 3),
    "GMAP": Case("AP"),
    "GMAP(denominator=min)@2": Case("AP", 2, {"denominator": "min"}),
    "CG@3": Case("CG", 3),
    "CG(gain=linear)": Case("CG", None, {"gain": "linear"}),
    "DCG@3": Case("DCG", 3),
    "DCG(discount=log10)": Case("DCG", None, {"discount": ("log", 10)}),
    "DCG(discount=jarvelin)": Case("DCG", None, {"discount": ("jk", 2)}),
    "nDCG": Case("nDCG"),
    "nDCG@3": Case("nDCG", 3),
    "nDCG(gain=linear, discount=reciprocal)": Case(
        "nDCG", None, {"gain": "linear", "discount": "reciprocal"}
    ),
    "nDCG(discount=jarvelin3)@5": Case("nDCG", 5, {"discount": ("jk", 3)}),
    "nDCG(discount=geometric0.8)": Case("nDCG", None, {"discount": ("geometric", 0.8)}),
    "nDCG(discount=[1, 0.5, 0.1])": Case("nDCG", None, {"discount": [1, 0.5, 0.1]}),
    f"nDCG(gain={TABLE})@4": Case("nDCG", 4, {"gain": TABLE}),
    "SDCG(max_grade=3)": Case("SDCG", None, TOP),
    "SDCG@4": Case("SDCG", 4),
    "SDCG(max_grade=2, discount=reciprocal)@4": Case(
        "SDCG", 4, {"max_grade": 2, "discount": "reciprocal"}
    ),
    "Q": Case("Q"),
    "Q(beta=0.5, denominator=min)@3": Case("Q", 3, {"beta": 0.5, "denominator": "min"}),
    "Q(rel=2, gain=exp2)": Case("Q", None, {"rel": 2, "gain": "exp2"}),
    "bpref": Case("bpref"),
    "bpref(rel=2)": Case("bpref", None, {"rel": 2}),
    "infAP": Case("infAP"),
    "IPrec(recall=0.3)": Case("IPrec", None, {"recall": Fraction(3, 10)}),
    "IPrec(recall=1)@4": Case("IPrec", 4, {"recall": 1}),
    "IPrec11": Case("IPrec11"),
    "SetP": Case("SetP"),
    "SetR": Case("SetR"),
    "SetF": Case("SetF"),
    "SetF(beta=2)": Case("SetF", None, {"beta": 2}),
    "RBP": Case("RBP"),
    "RBP(rel=2, p=0.95)@3": Case("RBP", 3, {"rel": 2, "p": 0.95}),
    "RBP(gains=graded, max_grade=3, p=0.5)": Case("RBP", None, {**TOP, "rel": None, "p": 0.5}),
    "RBPResidual": Case("RBP_residual"),
    "RBPResidual(p=0.5)@3": Case("RBP_residual", 3, {"p": 0.5}),
    "INSQ": Case("INSQ"),
    "INSQ(max_grade=3, T=2)@3": Case("INSQ", 3, {**TOP, "T": 2}),
    "INSQ(gains=binary, rel=1, horizon=4)": Case("INSQ", None, {"rel": 1, "depth": 4}),
    "INST(max_grade=3, T=1.5)": Case("INST", None, {**TOP, "T": 1.5}),
    "INST(max_grade=3, T=0.5)": Case("INST", None, {**TOP, "T": 0.5}),
    "INST(gains=binary, rel=1, T=2)@3": Case("INST", 3, {"rel": 1, "T": 2}),
    "BPM": Case("BPM"),
    "BPM(max_grade=3, T=2, K=4)": Case("BPM", None, {**TOP, "T": 2, "K": 4}),
    "BPM(max_grade=3, T=1, K=3, hb=1, hc=1)": Case("BPM_dynamic", None, {**TOP, "T": 1, "K": 3}),
    "BPM(K=4, hb=0.5, median=0.25)": Case(
        "BPM_dynamic", None, {"K": 4, "hb": 0.5, "hc": 0, "median": 0.25}
    ),
    "IFT(max_grade=3)": Case("IFT", None, TOP),
    "IFT(max_grade=3, model=goal, T=1)": Case("IFT", None, {**TOP, "model": "goal", "T": 1}),
    "IFT(model=rate, A=0.5, b2=0.5, R2=5)": Case(
        "IFT", None, {"model": "rate", "A": 0.5, "b2": 0.5, "R2": 5}
    ),
    "IFT(T=1, b1=0.5, R1=5)": Case("IFT", None, {"T": 1, "b1": 0.5, "R1": 5}),
    "Compat(p=0.8)": Case("Compat", None, {"p": 0.8}),
    "Compat(p=0.8, normalize=no)@3": Case("Compat", 3, {"p": 0.8, "normalize": False}),
}
TREC = {
    f"trec.{name}": Case(f"trec.{name}")
    for name in [
        "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "map", "Rprec", "bpref",
        "recip_rank", "infAP", "11pt_avg", "set_P", "set_recall", "set_map", "set_F",
        "set_relative_P", "utility", "binG", "G", "Rndcg", "ndcg", "ndcg_rel", "rbp", "rbp_resid",
        "P_3", "recall_3", "map_cut_3", "ndcg_cut_3", "success_2", "relative_P_3", "unj_3",
        "iprec_at_recall_0.30", "Rprec_mult_0.40", "set_F_2",
    ]
}  # fmt: skip
TREC |= {
    "trec.gm_map": Case("trec.map"),
    "trec.gm_bpref": Case("trec.bpref"),
    "trec.Rndcg(rel=2)": Case("trec.Rndcg", None, {"rel": 2}),
    "trec.rbp_resid(p=0.5)": Case("trec.rbp_resid", None, {"p": 0.5}),
    "trec.rbp(p=0.5)": Case("trec.rbp", None, {"p": 0.5}),
    "trec.iprec_at_recall(recall=0.3, rounding=up)": Case(
        "trec.iprec_at_recall_0.30", None, {"add": 0.9}
    ),
    "trec.11pt_avg(rounding=up)": Case("trec.11pt_avg", None, {"add": 0.9}),
}
CASES |= TREC
DIVERSE = {
    "alpha-DCG": Case("alpha_DCG"),
    "alpha-DCG(alpha=0.3)@3": Case("alpha_DCG", 3, {"alpha": Fraction(3, 10)}),
    "alpha-DCG(alpha=0)": Case("alpha_DCG", None, {"alpha": 0}),
    "alpha-DCG(normalize=perfect)@3": Case("alpha_DCG", 3, {"norm": "ideal-ideal"}),
    "alpha-nDCG": Case("alpha_nDCG"),
    "alpha-nDCG(rel=2)@3": Case("alpha_nDCG", 3, {"rel": 2}),
    "ERR-IA": Case("ERR_IA"),
    "ERR-IA(alpha=0)": Case("ERR_IA", None, {"alpha": 0}),
    "ERR-IA(alpha=1)@3": Case("ERR_IA", 3, {"alpha": 1}),
    "ERR-IA(normalize=perfect)@3": Case("ERR_IA", 3, {"norm": "ideal-ideal"}),
    "nERR-IA(alpha=0.3)@4": Case("nERR_IA", 4, {"alpha": Fraction(3, 10)}),
    "NRBP": Case("NRBP"),
    "NRBP(beta=0.7)@3": Case("NRBP", 3, {"beta": Fraction(7, 10)}),
    "nNRBP(alpha=0.3, beta=0.7)": Case(
        "nNRBP", None, {"alpha": Fraction(3, 10), "beta": Fraction(7, 10)}
    ),
    "AP-IA": Case("AP_IA"),
    "AP-IA(rel=2)@3": Case("AP_IA", 3, {"rel": 2}),
    "P-IA": Case("P_IA"),
    "P-IA@3": Case("P_IA", 3),
    "StRecall": Case("StRecall"),
    "StRecall@2": Case("StRecall", 2),
}
# They divide by the greedy ideal, which may take any of several equally novel documents.
BY_GREEDY_IDEAL = ("alpha-nDCG", "nERR-IA", "nNRBP")


def shipped() -> list[type[Measure]]:
    """Return every measure that ships, whatever other tests have registered."""
    return list(dict.fromkeys(REGISTRY[name] for name in REGISTRY if name in SHIPPED))


def params_of(measure: Measure, case: Case, conventions: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters in `reference`, those that the measure leaves to conventions too."""
    own = {field.name for field in measure.parameters()}
    left = {name: conventions[name] for name in ("gain", "discount", "rel") if name in conventions}
    if getattr(measure, "gains", "binary") == "graded":
        left.pop("rel", None)
    inherited = {
        name: setting
        for name, setting in left.items()
        if name in own and getattr(measure, name) is None
    }
    return {**inherited, **case.params}


# Rankings.


@dataclass(frozen=True)
class Drawn:
    """One query: documents in row order, scores of those retrieved, grades of those judged."""

    docs: list[str]
    scores: dict[str, float]
    grades: dict[str, float]
    subtopics: dict[str, dict[str, float]] = field(default_factory=dict)

    @property
    def top(self) -> float:
        by_topic = [g for grades in self.subtopics.values() for g in grades.values()]
        return max([0, *self.grades.values(), *by_topic])

    def query(self, **options: Any) -> reference.Query:
        shown = [doc for doc in self.docs if doc in self.scores]
        return reference.Query(shown, self.grades, self.scores, subtopics=self.subtopics, **options)


GRADES = [None, -1, 0, 0, 0.5, 1, 1.5, 2, 3]


@st.composite
def queries(
    draw: st.DrawFn,
    *,
    most: int = 8,
    ties: bool = True,
    orders: int | None = None,
    grades: Sequence[float | None] = GRADES,
    answered: bool = False,
) -> Drawn:
    """Draw a ragged query: gaps in judgments and results, ties, documents never retrieved.

    Parameters
    ----------
    most
        The largest number of documents.
    ties
        Whether scores may be equal.
    orders
        The largest number of orders of equals.
    grades
        What grades there are; None is no judgment.
    answered
        Whether something is retrieved and judged with at least 0.
    """
    number = draw(st.integers(1, most))
    docs = draw(st.permutations([f"d{place}" for place in range(number)]))
    graded = [draw(st.sampled_from(grades)) for _ in docs]
    shown = [draw(st.booleans()) or draw(st.booleans()) for _ in docs]
    if answered:
        shown[0] = True
        if all(grade is None or grade < 0 for grade in graded):
            graded[-1] = 0
    values = [
        draw(st.integers(0, 4 if ties else 0)) + (0 if ties else place) for place in range(number)
    ]
    scores = {doc: float(v) for doc, v, there in zip(docs, values, shown, strict=True) if there}
    if orders is not None and number_of_orders(scores) > orders:
        scores = {doc: float(place) for place, doc in enumerate(scores)}
    judged = {doc: g for doc, g in zip(docs, graded, strict=True) if g is not None}
    return Drawn(docs, scores, judged)


@st.composite
def diverse_queries(draw: st.DrawFn, *, most: int = 5, ties: bool = True) -> Drawn:
    """Draw a query whose documents are judged by subtopic."""
    plain = draw(queries(most=most, ties=ties, orders=24))
    topics = [f"t{number}" for number in range(draw(st.integers(1, 4)))]
    judged = st.dictionaries(st.sampled_from(topics), st.sampled_from([-1, 0, 1, 1, 2]))
    subtopics = {doc: grades for doc in plain.docs if (grades := draw(judged))}
    return Drawn(plain.docs, plain.scores, {}, subtopics)


def number_of_orders(scores: dict[str, float]) -> int:
    values = list(scores.values())
    return math.prod(math.factorial(values.count(value)) for value in set(values))


@contextmanager
def quick(orders: int = 200) -> Iterator[None]:
    """Work in one thread, and draw fewer orders than users get where no closed form is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rank_magic.threads.THREADS", 1)
        patch.setattr("rank_magic.measures.orders.ORDERS", orders)
        yield


def rows(query: str, drawn: Drawn) -> Iterator[tuple[Any, ...]]:
    for doc in drawn.docs:
        score = drawn.scores.get(doc, math.nan)
        by_topic = drawn.subtopics.get(doc) or {None: drawn.grades.get(doc, math.nan)}
        for topic, grade in by_topic.items():
            yield query, doc, topic, float(grade), score


def frame_of(collection: Sequence[Drawn], *, subtopics: bool = False) -> pd.DataFrame:
    """Return queries q00, q01, ... as a frame; one more, `zz`, sees to it that all is judged."""
    anchor = Drawn(["x"], {"x": 1.0}, {"x": 0.0}, {"x": {"t0": 0.0}} if subtopics else {})
    names = [*(f"q{number:02}" for number in range(len(collection))), "zz"]
    parts = zip(names, [*collection, anchor], strict=True)
    columns = ["query", "doc", "subtopic", "grade", "score"]
    frame = pd.DataFrame(
        [row for name, drawn in parts for row in rows(name, drawn)], columns=columns
    )
    return frame if subtopics else frame.drop(columns="subtopic")
