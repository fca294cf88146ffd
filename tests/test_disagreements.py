"""Known disagreements with peers (DISAGREEMENTS.md): both values, and why they differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm

pytestmark = pytest.mark.oracle

pytrec_eval = pytest.importorskip("pytrec_eval")
metrics = pytest.importorskip("sklearn.metrics")
ir = pytest.importorskip("ir_measures")
ruler = pytest.importorskip("cwl.ruler.cwl_ruler")
pyndeval = pytest.importorskip("pyndeval")

Numbers = Mapping[str, float]
Topics = Mapping[str, Mapping[str, float]]
LOG3 = math.log2(3)


def ours(measure: Any, grades: Numbers, scores: Numbers, **options: Any) -> float:
    """Return our value of one query, its documents in the order of the scores given."""
    docs = list(dict.fromkeys([*scores, *grades]))
    frame = pd.DataFrame({"query": "1", "doc": docs})
    columns = {"grade": grades, "score": scores}
    frame = frame.assign(
        **{name: frame["doc"].map(of).astype(float) for name, of in columns.items()}
    )
    return float(rm.evaluate(frame, measure, **options).per_query.iloc[0, 0])


def ours_by_topic(measure: Any, topics: Topics, scores: Numbers, **options: Any) -> float:
    rows = [("1", d, t, g, scores.get(d)) for d, by in topics.items() for t, g in by.items()]
    frame = pd.DataFrame(rows, columns=["query", "doc", "subtopic", "grade", "score"])
    return float(rm.evaluate(frame, measure, **options).per_query.iloc[0, 0])


def trec(name: str, grades: Numbers, scores: Numbers) -> float:
    tool = pytrec_eval.RelevanceEvaluator({"1": grades}, {name})
    return tool.evaluate({"1": scores})["1"][name]


def by(provider: str, measure: Any, grades: Numbers, scores: Numbers) -> float:
    """Return the value that one of ir_measures' providers has."""
    tool = ir.providers.registry[provider].evaluator([measure], {"1": grades})
    return float(next(iter(tool.iter_calc({"1": scores}))).value)


def ndeval(name: str, topics: Topics, scores: Numbers) -> float:
    qrels = [("1", t, d, g) for d, by_topic in topics.items() for t, g in by_topic.items()]
    run = [("1", doc, score) for doc, score in scores.items()]
    return pyndeval.RelevanceEvaluator(qrels, [name]).evaluate(run)["1"][name]


def cwl(metric: Any, gains: list[float]) -> float:
    return float(metric.measure(ruler.Ranking("1", np.array(gains), np.ones(len(gains)))))


def ranked(*grades: float | None, missing: int = 0) -> tuple[dict[str, float], dict[str, float]]:
    """Return grades and scores of a ranking, best first, and of relevant documents not in it."""
    docs = [f"d{place:03}" for place in range(len(grades))]
    given = {doc: grade for doc, grade in zip(docs, grades, strict=True) if grade is not None}
    unseen = {f"x{number}": 1 for number in range(missing)}
    return {**given, **unseen}, {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


EQUAL = {"a": 1.0, "b": 1.0}
ALL_FOUR = {"d1": dict.fromkeys(["t1", "t2", "t3", "t4"], 1)}
ONE = {"d1": 1.0}
SET = ({"a": 1, "b": 1, "c": 1, "d": 1}, {"a": 1.0})
PAST_RECALL = ranked(*[1] * 23, 0, 0, *[1] * 54)
ROUNDED = ranked(*[1] * 46, *[0] * 54, *[1] * 31)

# Why: what is computed there, the value there; what is computed here, the value here.
PAIRS: dict[str, tuple[Callable[[], float], float, Callable[[], float], float]] = {
    "of equal scores trec_eval takes one order, ids descending; we average over both": (
        lambda: trec("recip_rank", {"a": 1}, EQUAL), 0.5,
        lambda: ours("RR", {"a": 1}, EQUAL), 0.75,
    ),
    "so with ties=trec we have its value": (
        lambda: trec("recip_rank", {"a": 1}, EQUAL), 0.5,
        lambda: ours("RR", {"a": 1}, EQUAL, ties="trec"), 0.5,
    ),
    "ir_measures' RR@k goes to another tool than its RR, which takes ids ascending": (
        lambda: by("msmarco", ir.RR @ 10, {"a": 1}, EQUAL), 1.0,
        lambda: ours(ir.RR @ 10, {"a": 1}, EQUAL), 0.75,
    ),
    "gdeval takes ids descending": (
        lambda: by("gdeval", ir.ERR @ 2, {"a": 4}, EQUAL), 0.46875,
        lambda: ours(ir.ERR @ 2, {"a": 4}, EQUAL), 0.75 * 15 / 16,
    ),
    "ir_measures' Judged takes ids ascending": (
        lambda: by("judged", ir.Judged @ 1, {"a": 1}, EQUAL), 1.0,
        lambda: ours(ir.Judged @ 1, {"a": 1}, EQUAL), 0.5,
    ),
    "ir_measures' Compat takes ids ascending": (
        lambda: by("compat", ir.Compat(p=0.5), {"b": 1}, EQUAL), 0.2,
        lambda: ours(ir.Compat(p=0.5), {"b": 1}, EQUAL), 0.6,
    ),
    "cwl_eval takes the order of the rows, so that a comes first": (
        lambda: by("cwl_eval", ir.RBP(rel=1, p=0.5), {"a": 1}, {"a": 1.0, "b": 1.0}), 0.5,
        lambda: ours(ir.RBP(rel=1, p=0.5), {"a": 1}, {"a": 1.0, "b": 1.0}), 0.375,
    ),
    "and with the rows turned round, second": (
        lambda: by("cwl_eval", ir.RBP(rel=1, p=0.5), {"a": 1}, {"b": 1.0, "a": 1.0}), 0.25,
        lambda: ours(ir.RBP(rel=1, p=0.5), {"a": 1}, {"b": 1.0, "a": 1.0}), 0.375,
    ),
    "ndeval takes ids ascending in the run": (
        lambda: ndeval("strec@1", {"b": {"t": 1}}, EQUAL), 0.0,
        lambda: ours_by_topic("StRecall@1", {"a": {"t": 0}, "b": {"t": 1}}, EQUAL), 0.5,
    ),
    "scikit-learn's average precision takes equals as one step of the curve": (
        lambda: metrics.average_precision_score([1, 0], [1, 1]), 0.5,
        lambda: ours("AP", {"a": 1, "b": 0}, EQUAL), 0.75,
    ),
    "pytrec_eval holds scores in 32 bits, where these are equal": (
        lambda: trec("recip_rank", {"a": 1}, {"a": 16777217.0, "b": 16777216.0}), 0.5,
        lambda: ours("RR", {"a": 1}, {"a": 16777217.0, "b": 16777216.0}, ties="trec"), 1.0,
    ),
    "a score that is not a number means not retrieved; pytrec_eval ranks it": (
        lambda: trec("num_ret", {"a": 1}, {"a": math.nan, "b": 1.0}), 2.0,
        lambda: ours("NumRet", {"a": 1}, {"a": math.nan, "b": 1.0}), 1.0,
    ),
    "trec_eval 9 rounds a recall of 46.2 of 77 documents up, as the definition does": (
        lambda: trec("iprec_at_recall_0.60", *ROUNDED), 77 / 131,
        lambda: ours("IPrec(recall=0.6)", *ROUNDED), 77 / 131,
    ),
    "and version 10 to the nearest, 46": (
        lambda: trec("iprec_at_recall_0.60", *ROUNDED), 77 / 131,
        lambda: ours("trec.iprec_at_recall_0.60", *ROUNDED), 1.0,
    ),
    "0.3 * 77 + 0.9 is 23.999999999999996 in binary: 23 of 77 pass for a recall of 0.3": (
        lambda: by("pytrec_eval", ir.IPrec @ 0.3, *PAST_RECALL), 1.0,
        lambda: ours("IPrec(recall=0.3)", *PAST_RECALL), 77 / 79,
    ),
    "set_F's x stands where the formula has the square of beta": (
        lambda: trec("set_F_2", *SET) if False else by("pytrec_eval", ir.SetF(beta=2.0), *SET), 1 / 3,
        lambda: ours("SetF(beta=2)", *SET), 5 * 0.25 / (4 + 0.25),
    ),
    "infAP is smoothed, so that it is AP to five digits only": (
        lambda: round(trec("infAP", *ranked(0, 1, 1, missing=1)), 7), 0.3888917,
        lambda: round(ours("AP", *ranked(0, 1, 1, missing=1)), 7), 0.3888889,
    ),
    "ir_measures counts negative grades as judged": (
        lambda: by("judged", ir.Judged @ 2, {"a": -1, "b": 1}, {"a": 2.0, "b": 1.0}), 1.0,
        lambda: ours("Judged@2", {"a": -1, "b": 1}, {"a": 2.0, "b": 1.0}), 0.5,
    ),
    "which is negative=nonrelevant": (
        lambda: by("judged", ir.Judged @ 2, {"a": -1, "b": 1}, {"a": 2.0, "b": 1.0}), 1.0,
        lambda: ours(
            "Judged@2", {"a": -1, "b": 1}, {"a": 2.0, "b": 1.0}, negative="nonrelevant"
        ), 1.0,
    ),
    "Compat there gives what was not retrieved a score of 0, above negative ones": (
        lambda: by("compat", ir.Compat(p=0.5), {"a": 1, "z": 1}, {"a": -1.0, "b": -2.0}), 1 / 6,
        lambda: ours("Compat(p=0.5)", {"a": 1, "z": 1}, {"a": -1.0, "b": -2.0}), 5 / 6,
    ),
    "gdeval's top grade is 4 whatever the data": (
        lambda: by("gdeval", ir.ERR @ 10, {"a": 1}, {"a": 1.0}), 0.0625,
        lambda: ours("ERR@10", {"a": 1}, {"a": 1.0}), 0.5,
    ),
    "so its object has it here": (
        lambda: by("gdeval", ir.ERR @ 10, {"a": 1}, {"a": 1.0}), 0.0625,
        lambda: ours(ir.ERR @ 10, {"a": 1}, {"a": 1.0}), 0.0625,
    ),
    "ir_measures' nDCG has a linear gain, our string 2^grade - 1": (
        lambda: by("pytrec_eval", ir.nDCG @ 2, *ranked(1, 3)), (1 + 3 / LOG3) / (3 + 1 / LOG3),
        lambda: ours("nDCG@2", *ranked(1, 3)), (1 + 7 / LOG3) / (7 + 1 / LOG3),
    ),
    "AP as C/W/L divides by the relevant retrieved, as weights can't know the others": (
        lambda: by("cwl_eval", ir.AP, {"a": 1, "m": 1}, {"a": 1.0}), 1.0,
        lambda: ours("AP", {"a": 1, "m": 1}, {"a": 1.0}), 0.5,
    ),
    "cwl_eval's dynamic BPM moves T where it means K, so that hc has no effect": (
        lambda: cwl(ruler.BPMDCWLMetric(T=2, K=5, hb=0, hc=1, gain_med=0.5), [0.25, 0, 0, 0.5]),
        0.15,
        lambda: ours("BPM(T=2, K=5, hc=1, max_grade=4)", *ranked(1, 0, 0, 2)), 0.1875,
    ),
    "1 + 2/3 + 1/3 is below 2 in binary, so that the reader goes on to rank 10": (
        lambda: cwl(ruler.BPMCWLMetric(2.0, 10), [1, 2 / 3, 1 / 3, 0]), 0.2,
        lambda: ours("BPM(T=2, K=10)", *ranked(3, 2, 1, 0)), 2 / 3,
    ),
    "cwl_eval looks at 1,000 ranks, the paper at all (INSQ)": (
        lambda: round(cwl(ruler.INSQCWLMetric(1.0), [1.0]), 6), 0.388238,
        lambda: ours("INSQ", *ranked(1)), 1 / (4 * (math.pi**2 / 6 - 1)),
    ),
    "cwl_eval looks at 1,000 ranks, the paper at all (INST)": (
        lambda: round(cwl(ruler.INSTCWLMetric(1.0), [1.0]), 6), 0.608297,
        lambda: ours("INST", *ranked(1)), 6 / math.pi**2,
    ),
    "who never stops has looked at 1,000 ranks there, at all of them here (IFT)": (
        lambda: cwl(ruler.IFTGoalCWLMetric(T=3.0, b1=0.9, R1=10.0), [1.0]), 0.001,
        lambda: round(ours("IFT(model=goal, T=3)", *ranked(1)), 10), 2.3e-9,
    ),
    "ndeval's normalisation starts at the second rank (ERR-IA)": (
        lambda: ndeval("ERR-IA@1", ALL_FOUR, ONE), 4.0,
        lambda: ours_by_topic("ERR-IA(normalize=perfect)@1", ALL_FOUR, ONE), 1.0,
    ),
    "ndeval's normalisation starts at the second rank (alpha-DCG)": (
        lambda: ndeval("alpha-DCG@1", ALL_FOUR, ONE), 4.0,
        lambda: ours_by_topic("alpha-DCG(normalize=perfect)@1", ALL_FOUR, ONE), 1.0,
    ),
    "ndeval's ERR-IA@k is divided by a perfect list's, the paper's is a mean of ERRs": (
        lambda: ndeval("ERR-IA@2", ALL_FOUR, ONE), 0.8,
        lambda: ours_by_topic("ERR-IA@2", ALL_FOUR, ONE), 0.5,
    ),
    "ndeval's alpha-DCG@k is divided by a perfect list's, the paper's by nothing": (
        lambda: round(ndeval("alpha-DCG@2", ALL_FOUR, ONE), 9), 0.760187533,
        lambda: ours_by_topic("alpha-DCG@2", ALL_FOUR, ONE), 4.0,
    ),
    "ndeval divides 0 by 0 where nothing is relevant": (
        lambda: ndeval("nNRBP", {"d1": {"t": 0}}, ONE), math.nan,
        lambda: ours_by_topic("nNRBP", {"d1": {"t": 0}}, ONE), 0.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("why", PAIRS)
def test_both_values(why: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("CRITICAL")
    there, its_value, here, our_value = PAIRS[why]
    assert there() == pytest.approx(its_value, abs=1e-9, nan_ok=True)
    assert here() == pytest.approx(our_value, abs=1e-9)


# trec_eval 10 against the definitions; that its numbers are these is shown by test_trec.py.


@pytest.mark.parametrize(
    ("why", "trec_name", "its_value", "measure", "our_value", "ranking"),
    [
        ("scaled by each query's top grade, not by the scale's", "trec.rbp", 0.1,
         "RBP(p=0.9, gains=graded, max_grade=3)", 0.1 * 2 / 3, ranked(2)),
        ("the tail is forgotten when all that is shown is judged", "trec.rbp_resid", 0.0,
         "RBPResidual(p=0.9)", 0.81, ranked(1, 0)),
        ("measured at rank 1 only: the end lies one rank below the last gain", "trec.Rndcg", 0.0,
         "nDCG", 1 / LOG3, ranked(0, 1)),
        ("measured at ranks 1 and 3", "trec.Rndcg", 1 / LOG3 / 2, "nDCG", 1 / LOG3, ranked(0, 1, 0)),
        ("rank r itself counts in its cost and gain", "trec.G", 1.0, "nDCG", 1.0, ranked(1)),
        ("ranks that are not there count as judged", "trec.unj_4", 0.25, "Judged@4", 0.5,
         ranked(1, None)),
        ("0.4 * 3 is 1.2 documents: rounded up from 0.1 on", "trec.Rprec_mult_0.40", 0.5,
         "RPrec", 1 / 3, ranked(0, 1, 0, missing=2)),
    ],
)  # fmt: skip
def test_trec_eval_and_the_definition(
    why: str, trec_name: str, its_value: float, measure: str, our_value: float, ranking: Any
) -> None:
    assert ours(trec_name, *ranking) == pytest.approx(its_value, abs=1e-12), why
    assert ours(measure, *ranking) == pytest.approx(our_value, abs=1e-12), why
