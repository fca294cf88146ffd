"""Known disagreements with peers (DISAGREEMENTS.md): both values, and why they differ."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import MeasureError

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
        lambda: round(ours(ir.Compat(p=0.5), {"b": 1}, EQUAL), 1), 0.6,  # drawn orders
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
    "scikit-learn's DCG takes a negative grade for a loss; here it is worth nothing": (
        lambda: metrics.dcg_score([[-1, 1]], [[2, 1]]), -1 + 1 / LOG3,
        lambda: ours("DCG(gain=linear)", *ranked(-1, 1)), 1 / LOG3,
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
        lambda: by("pytrec_eval", ir.SetF(beta=2.0), *SET), 1 / 3,
        lambda: ours("SetF(beta=2)", *SET), 5 * 0.25 / (4 + 0.25),
    ),
    "infAP is smoothed, so that it is AP to five digits only": (
        lambda: round(trec("infAP", *ranked(0, 1, 1, missing=1)), 7), 0.3888906,
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
    "cwl_eval's nDCG is scaled by k perfect documents, not by an ideal ranking": (
        lambda: cwl(ruler.NDCGCWLMetric(2), [0.0, 0.5]), 0.5 / LOG3 / (1 + 1 / LOG3),
        lambda: ours("nDCG@2", *ranked(0, 2)), 1 / LOG3,
    ),
    "which is our SDCG": (
        lambda: cwl(ruler.NDCGCWLMetric(2), [0.0, 0.5]), 0.5 / LOG3 / (1 + 1 / LOG3),
        lambda: ours("SDCG(max_grade=4)@2", *ranked(0, 2)), 0.5 / LOG3 / (1 + 1 / LOG3),
    ),
    "cwl_eval's RR stops at the first gain, however small, and is worth that gain": (
        lambda: cwl(ruler.RRCWLMetric(), [0.0, 0.25, 1.0]), 0.125,
        lambda: ours("RR", *ranked(0, 1, 4)), 0.5,
    ),
    "cwl_eval's P is the mean gain of k documents": (
        lambda: cwl(ruler.PrecisionCWLMetric(2), [0.5, 0.0]), 0.25,
        lambda: ours("P@2", *ranked(2, 0)), 0.5,
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
        lambda: round(cwl(ruler.IFTGoalCWLMetric(T=3.0, b1=0.9, R1=10.0), [1.0]), 8), 0.001,
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
        ("measured at ranks 1 and 3", "trec.Rndcg", 1 / LOG3 / 2,
         "nDCG", 1 / LOG3, ranked(0, 1, 0)),
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


# What is more than two numbers.


def survives(names: str, grades: Numbers, scores: Numbers) -> bool:
    """Return whether pytrec_eval ends well; a crash or no answer in three seconds is none."""
    code = f"""if True:
        import pytrec_eval as p
        p.RelevanceEvaluator({{"q": {grades}}}, {names}).evaluate({{"q": {scores}}})
    """
    try:
        done = subprocess.run([sys.executable, "-c", code], check=False, timeout=3)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


@pytest.mark.parametrize(("grade", "scores"), [(-1, {"a": 1.0}), (1, {})])
def test_pytrec_eval_reads_memory_that_was_never_set_where_we_have_zero(
    grade: int, scores: dict[str, float]
) -> None:
    """Its array of grade levels has length highest grade + 1 = 0; or nothing is retrieved."""
    names = ["trec.map", "trec.ndcg", "trec.bpref", "trec.G", "ERR", "RBP", "nDCG@10"]
    assert [ours(name, {"a": grade}, scores) for name in names] == [0.0] * len(names)
    if survives("p.supported_measures", {"a": grade}, scores):
        pytest.skip("on this machine it happens to survive")


def test_pytrec_eval_takes_time_by_the_square_of_the_grade() -> None:
    assert not survives("{'ndcg'}", {"a": 1_000_000}, {"a": 1.0})
    assert ours("trec.ndcg", {"a": 1_000_000}, {"a": 1.0}) == 1.0


def test_pytrec_eval_takes_whole_grades_only_where_we_keep_fractions() -> None:
    with pytest.raises(TypeError):
        trec("ndcg", {"a": 0.5}, {"a": 1.0})
    assert ours("trec.ndcg", *ranked(0.5, 1)) == pytest.approx((0.5 + 1 / LOG3) / (1 + 0.5 / LOG3))


def test_scikit_learn_without_ties_takes_equals_in_some_order_where_we_average() -> None:
    grades, scores = [3.0, 0.0, 1.0], [1.0, 1.0, 1.0]
    there = metrics.ndcg_score([grades], [scores], ignore_ties=True)
    frame = pd.DataFrame({"query": "q", "grade": grades, "score": scores})
    worst, best = (
        rm.evaluate(frame, "nDCG(gain=linear)", ties=t).mean().item() for t in ("worst", "best")
    )
    assert worst - 1e-12 <= there <= best + 1e-12
    average = rm.evaluate(frame, "nDCG(gain=linear)").mean().item()
    assert average == pytest.approx(metrics.ndcg_score([grades], [scores]), abs=1e-12)


def test_scikit_learn_has_no_ndcg_of_negative_grades_where_they_are_worth_nothing_here() -> None:
    with pytest.raises(ValueError, match="negative"):
        metrics.ndcg_score([[-1, 1]], [[2, 1]])
    assert ours("nDCG", *ranked(-1, 1)) == pytest.approx(1 / LOG3)


def test_pytrec_eval_leaves_a_query_out_that_was_not_answered_where_it_counts_0_here() -> None:
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    tool = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank", "num_rel"})
    assert tool.evaluate({"1": {"a": 1.0}}) == {"1": {"recip_rank": 1.0, "num_rel": 1.0}}
    frame = pd.DataFrame({"query": ["1", "2"], "doc": "a", "grade": 1, "score": [1.0, np.nan]})
    measures = ["RR", "NumRel"]
    assert rm.evaluate(frame, measures).mean().tolist() == [0.5, 2.0]
    assert rm.evaluate(frame, measures, unanswered="skip").mean().tolist() == [1.0, 1.0]


def test_ir_measures_compat_follows_the_rows_of_the_judgments_where_we_do_not() -> None:
    """Among equal scores and grades its ideal stands in their order, its ranking by id."""
    there = {by("compat", ir.Compat(p=0.5), dict.fromkeys(docs, 1), EQUAL) for docs in ("ab", "ba")}
    assert sorted(there) == pytest.approx([1 / 3, 1.0])
    here = {ours(ir.Compat(p=0.5), dict.fromkeys(docs, 1), EQUAL) for docs in ("ab", "ba")}
    assert here == {1.0}


def test_ir_measures_reads_the_run_up_before_a_second_alpha() -> None:
    qrels = [ir.Qrel("1", "d1", 1, "t1"), ir.Qrel("1", "d2", 1, "t2")]
    run = [ir.ScoredDoc("1", "d1", 2.0), ir.ScoredDoc("1", "d2", 1.0)]
    pair = [ir.alpha_nDCG @ 5, ir.alpha_nDCG(alpha=0.3) @ 5]
    there = ir.calc_aggregate(pair, qrels, run)
    assert sorted(there.values()) == [0.0, 1.0]
    topics = {"d1": {"t1": 1}, "d2": {"t2": 1}}
    assert [ours_by_topic(one, topics, {"d1": 2.0, "d2": 1.0}) for one in pair] == [1.0, 1.0]


def test_gdeval_merges_query_ids_that_end_alike_and_takes_numbers_only() -> None:
    """It keeps what follows the last hyphen."""
    measure, tool = ir.ERR @ 10, ir.providers.registry["gdeval"]
    qrels = {"economics-8": {"a": 1}, "history-8": {"b": 1}}
    run = {"economics-8": {"a": 2.0}, "history-8": {"b": 1.0}}
    there = list(tool.evaluator([measure], qrels).iter_calc(run))
    assert [m.value for m in there if m.query_id == "economics-8"] != [0.0625]
    with pytest.raises(subprocess.CalledProcessError):
        list(tool.evaluator([measure], {"q01": {"a": 1}}).iter_calc({"q01": {"a": 1.0}}))
    rows = [("economics-8", "a", 1, 2.0), ("history-8", "b", 1, 1.0), ("q01", "a", 1, 1.0)]
    frame = pd.DataFrame(rows, columns=["query", "doc", "grade", "score"])
    assert rm.evaluate(frame, measure).per_query[str(rm.parse(measure))].tolist() == [0.0625] * 3


def test_a_grade_above_gdevals_scale_is_an_error_there_and_here() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        by("gdeval", ir.ERR @ 10, {"a": 5}, {"a": 1.0})
    with pytest.raises(MeasureError, match="max_grade=4, but there is a grade 5"):
        ours(ir.ERR @ 10, {"a": 5}, {"a": 1.0})


@pytest.mark.parametrize(("measure", "here"), [(ir.NumRel(rel=2), 1.0), (ir.ERR, 0.1875)])
def test_measures_that_ir_measures_knows_and_nobody_computes(measure: Any, here: float) -> None:
    with pytest.raises(ValueError, match="Unsupported"):
        ir.calc_aggregate([measure], {"1": {"a": 1, "b": 2}}, {"1": {"a": 1.0, "b": 2.0}})
    assert ours(measure, {"a": 1, "b": 2}, {"b": 2.0}) == here


def test_a_query_without_results_counts_zero_there_in_everything() -> None:
    """NumRel asks about judgments, and a share of what is shown has no value where nothing is."""
    qrels = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "relevance": [1]})
    run = pd.DataFrame({"query_id": ["2"], "doc_id": ["a"], "score": [1.0]})
    there = {str(m.measure): m.value for m in ir.iter_calc([ir.NumRel, ir.Judged @ 5], qrels, run)}
    assert there == {"NumRel": 0, "Judged@5": 0}
    assert ours("NumRel", {"a": 1}, {}) == 1.0
    assert math.isnan(ours("Judged@5", {"a": 1}, {}))


def test_ndeval_takes_cutoffs_to_20_only() -> None:
    with pytest.raises(AssertionError):
        ndeval("alpha-nDCG@21", ALL_FOUR, ONE)
    assert ours_by_topic("alpha-nDCG@21", ALL_FOUR, ONE) == 1.0


def test_the_greedy_ideal_hangs_on_ids_there_and_on_none_here() -> None:
    """All three documents add two subtopics; which goes first decides what is left to add."""

    def values(names: str) -> tuple[float, float, float]:
        first, middle, last = names
        topics = {first: {"t1": 1, "t2": 1}, middle: {"t2": 1, "t3": 1}, last: {"t3": 1, "t4": 1}}
        scores = {middle: 3.0, first: 2.0, last: 1.0}
        return (
            ndeval("alpha-nDCG@3", topics, scores),
            ours_by_topic("alpha-nDCG@3", topics, scores),
            ours_by_topic("alpha-nDCG@3", topics, scores, ties="trec"),
        )

    best, greedy = 2 + 2 / LOG3 + 1 / 2, 2 + 1.5 / LOG3 + 1.5 / 2
    middle_last, middle_first = values("xzy"), values("yxz")
    assert middle_last == pytest.approx((1.0, greedy / best, 1.0), abs=1e-9)
    assert middle_first == pytest.approx((greedy / best,) * 3, abs=1e-9)
