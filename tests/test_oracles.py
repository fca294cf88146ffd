"""Other people's implementations on random collections: pytrec_eval, scikit-learn, ir_measures.

ir_measures brings gdeval, and calls cwl_eval and pyndeval. Where a peer means something else it is
shown in test_disagreements.py; here such inputs are kept away, and it is said which and why.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rank_magic as rm
from cases import Drawn, diverse_queries, frame_of, queries, quick
from rank_magic.measures import parse
from rank_magic.measures.foreign import IR_MEASURES

pytestmark = pytest.mark.oracle

pytrec_eval = pytest.importorskip("pytrec_eval")
metrics = pytest.importorskip("sklearn.metrics")
ir = pytest.importorskip("ir_measures")
pytest.importorskip("cwl.cwl_eval")
pytest.importorskip("pyndeval")

MOST = settings().max_examples
SOME = settings(max_examples=MOST // 4)
CLOSE, PRINTED = 1e-9, 5.1e-6  # gdeval prints five digits

WHOLE = [None, -1, 0, 0, 1, 1, 2, 3, 4]


@pytest.fixture(autouse=True, scope="module")
def quickly() -> Iterator[None]:
    with quick():
        yield


def collections(**options: Any) -> st.SearchStrategy[list[Drawn]]:
    """Return ragged queries with whole grades, each with results and a grade of at least 0.

    Without those pytrec_eval reads memory that was never set.
    """
    one = queries(grades=WHOLE, answered=True, **options)
    return st.lists(one, min_size=1, max_size=6)


def near(ours: float, theirs: float, tolerance: float = CLOSE) -> bool:
    return abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))


# pytrec_eval: trec_eval 9 in Python.

# Not numbers, or not per query.
NOT_PER_QUERY = {"runid", "num_q", "gm_map", "gm_bpref", "relstring"}
NAMES = set(pytrec_eval.supported_measures) - NOT_PER_QUERY


def as_in_version_9(name: str) -> rm.Measure:
    """Return our measure of that name, which rounded recall up in trec_eval 9."""
    recall = name.startswith(("iprec", "11pt"))
    measure = parse(f"trec.{name}")
    return type(measure)(**{**vars(measure), "rounding": "up"}) if recall else measure


@given(collections(most=20), st.sampled_from([1, 2]), st.booleans())
def test_pytrec_eval_agrees_on_everything_it_computes(
    collection: list[Drawn], rel: int, condensed: bool
) -> None:
    # Where no judged document is retrieved, its condensed list divides by zero.
    assume(not condensed or all({*drawn.scores} & {*_judged(drawn)} for drawn in collection))
    grades = {f"q{at:02}": drawn.grades for at, drawn in enumerate(collection)}
    scores = {f"q{at:02}": drawn.scores for at, drawn in enumerate(collection)}
    theirs = pytrec_eval.RelevanceEvaluator(grades, NAMES, rel, condensed).evaluate(scores)
    measures = {name: as_in_version_9(name) for name in theirs["q00"]}
    ours = rm.evaluate(
        frame_of(collection),
        list(measures.values()),
        ties="trec",
        rel=rel,
        unjudged="remove" if condensed else "zero",
    ).per_query
    wrong = [
        f"{name} of {query}: {found}, there {value}"
        for query, values in theirs.items()
        for name, value in values.items()
        if not near(found := ours.loc[query, str(measures[name])], value)
    ]
    assert not wrong, "\n".join(wrong)
    assert len(measures) > 80


def _judged(drawn: Drawn) -> set[str]:
    return {doc for doc, grade in drawn.grades.items() if grade >= 0}


# scikit-learn.


@given(
    st.integers(2, 9).flatmap(
        lambda width: st.lists(
            st.lists(
                st.tuples(st.sampled_from([0, 0.5, 1, 2, 3, 10]), st.integers(0, 5)),
                min_size=width,
                max_size=width,
            ),
            min_size=1,
            max_size=5,
        )
    ),
    st.sampled_from([None, 1, 2, 5, 20]),
    st.sampled_from(["linear", "exp2"]),
    st.booleans(),
)
def test_scikit_learn_agrees_with_ties_averaged_and_ignored(
    collection: list[list[tuple[float, int]]], k: int | None, gain: str, ignored: bool
) -> None:
    cells = np.array(collection, dtype=float)
    grades, scores = cells[:, :, 0], cells[:, :, 1]
    if ignored:  # equals in an order that depends on the processor: so none are equal
        scores = scores + np.arange(scores.shape[1]) / 16
    frame = pd.DataFrame(
        {
            "query": np.repeat(np.arange(len(grades)), grades.shape[1]),
            "grade": grades.ravel(),
            "score": scores.ravel(),
        }
    )
    worth = np.exp2(grades) - 1 if gain == "exp2" else grades
    cut = "" if k is None else f"@{k}"
    ours = rm.evaluate(frame, [f"nDCG(gain={gain}){cut}", f"DCG(gain={gain}, discount=log3){cut}"])
    theirs = [
        metrics.ndcg_score(worth, scores, k=k, ignore_ties=ignored),
        metrics.dcg_score(worth, scores, k=k, log_base=3, ignore_ties=ignored),
    ]
    assert ours.mean().tolist() == pytest.approx(theirs, rel=1e-12, abs=1e-12)


# ir_measures, whose objects are given to both.

GAINS = {0: 0, 1: 1, 2: 5, 3: 10, 4: 11}
BY_NAME = {
    "AP": [ir.AP, ir.AP(rel=2), ir.AP @ 3],
    "BPM": [ir.BPM(max_rel=4) @ 6, ir.BPM(T=2.0, max_rel=4) @ 3],
    "Bpref": [ir.Bpref, ir.Bpref(rel=2)],
    "Compat": [ir.Compat, ir.Compat(p=0.8), ir.Compat(p=0.5, normalize=False)],
    "ERR": [ir.ERR @ 3, ir.ERR @ 10],
    "INSQ": [ir.INSQ(max_rel=4), ir.INSQ(T=2.0, max_rel=4)],
    "INST": [ir.INST(max_rel=4), ir.INST(T=2.0, max_rel=4), ir.INST(T=0.7, max_rel=4)],
    "IPrec": [ir.IPrec @ 0.1, ir.IPrec @ 0.333, ir.IPrec @ 1.0],
    "Judged": [ir.Judged, ir.Judged @ 4],
    "NumRel": [ir.NumRel],
    "NumRet": [ir.NumRet, ir.NumRet(rel=2)],
    "P": [ir.P @ 5, ir.P(rel=2) @ 3],
    "R": [ir.R @ 5, ir.R(rel=2) @ 3],
    "RBP": [ir.RBP(rel=1), ir.RBP(rel=2, p=0.5), ir.RBP(rel=1, p=0.95)],
    "RR": [ir.RR, ir.RR(rel=2), ir.RR @ 2],
    "Rprec": [ir.Rprec, ir.Rprec(rel=2)],
    "SDCG": [ir.SDCG(max_rel=4) @ 5],
    "SetAP": [ir.SetAP, ir.SetAP(rel=2)],
    "SetF": [ir.SetF, ir.SetF(beta=2.0), ir.SetF(rel=2, beta=0.5)],
    "SetP": [ir.SetP, ir.SetP(rel=2), ir.SetP(relative=True)],
    "SetR": [ir.SetR, ir.SetR(rel=2)],
    "Success": [ir.Success @ 1, ir.Success(rel=2) @ 3],
    "infAP": [ir.infAP, ir.infAP(rel=2)],
    "nDCG": [
        ir.nDCG,
        ir.nDCG @ 5,
        ir.nDCG(gains=GAINS) @ 5,
        ir.nDCG(dcg="exp-log2") @ 3,
        ir.nDCG(dcg="exp-log2") @ 10,
    ],
}
BY_SUBTOPIC = {
    "AP_IA": [ir.AP_IA, ir.AP_IA(rel=2)],
    "ERR_IA": [ir.ERR_IA @ 2, ir.ERR_IA(rel=2) @ 20],  # @1 is not normalised there
    "NRBP": [ir.NRBP, ir.NRBP(alpha=0.3, beta=0.7), ir.NRBP(rel=2)],
    "P_IA": [ir.P_IA @ 1, ir.P_IA(rel=2) @ 5],
    "StRecall": [ir.StRecall @ 1, ir.StRecall(rel=2) @ 3],
    "alpha_DCG": [ir.alpha_DCG @ 2, ir.alpha_DCG(alpha=0.3) @ 10],
    "alpha_nDCG": [ir.alpha_nDCG @ 1, ir.alpha_nDCG(alpha=0.3, rel=2) @ 5],
    "nERR_IA": [ir.nERR_IA @ 1, ir.nERR_IA(rel=2) @ 5],
    "nNRBP": [ir.nNRBP, ir.nNRBP(alpha=0.3, beta=0.7)],
}


def test_every_convertible_measure_of_ir_measures_is_compared() -> None:
    assert {*BY_NAME, *BY_SUBTOPIC} == {*IR_MEASURES, "NumRet"}


# A query without results scores 0 there in all measures, even in NumRel, which asks about
# judgments, and in Judged, which has no value here.
SILENT = Drawn(["s"], {}, {"s": 1}, {"s": {"t0": 1}})


def numbered(query: str) -> str:
    """Return a query's id as a number, which is all that gdeval takes."""
    return query.removeprefix("q") if query != "zz" else "99"


def compare(
    names: dict[str, list[Any]], collection: Sequence[Drawn], *, subtopics: bool = False
) -> None:
    """Check that ir_measures' objects have the same values here and there."""
    measures = [measure for group in names.values() for measure in group]
    frame = frame_of([*collection, SILENT], subtopics=subtopics)
    frame["query"] = frame["query"].map(numbered)
    ours = rm.evaluate(frame, measures, ties="trec").per_query
    frame = frame.set_axis(
        ["query_id", "doc_id", *frame.columns[2:-2], "relevance", "score"], axis=1
    )
    qrels = frame.dropna(subset="relevance").astype({"relevance": int})
    qrels = qrels.rename(columns={"subtopic": "iteration"})
    run = frame.dropna(subset="score").drop_duplicates(["query_id", "doc_id"])
    silent = numbered(f"q{len(collection):02}")
    wrong = []
    # One measure a call: of several that need several passes, the later see no run.
    for measure in measures:
        tolerance = PRINTED if measure.NAME == "ERR" or "exp-log2" in str(measure) else CLOSE
        for found in ir.iter_calc([measure], qrels, run):
            if measure.NAME in ("NumRel", "Judged") and found.query_id == silent:
                continue
            mine = ours.loc[found.query_id, str(parse(measure))]
            theirs = 0.0 if math.isnan(found.value) else found.value  # nNRBP divides 0 by 0
            if not near(mine, theirs, tolerance):
                wrong.append(f"{measure} of {found.query_id}: {mine}, there {theirs}")
    assert not wrong, "\n".join(wrong)


# Backed by trec_eval, and so with its order of equal scores. (RR@k is not: it goes to another
# script, which takes ids the other way round.)
TREC_BACKED = {
    name: [
        measure for measure in group if str(measure) != "RR@2" and "exp-log2" not in str(measure)
    ]
    for name, group in BY_NAME.items()
    if name not in ("BPM", "Compat", "ERR", "INSQ", "INST", "Judged", "RBP", "SDCG")
}


@given(collections(ties=True))
@SOME
def test_ir_measures_agrees_where_trec_eval_orders_equal_scores(collection: list[Drawn]) -> None:
    compare(TREC_BACKED, collection)


@given(collections(ties=False).map(lambda drawn: [*map(without_negatives, drawn)]))
@SOME
def test_ir_measures_agrees_on_every_measure_where_no_scores_are_equal(
    collection: list[Drawn],
) -> None:
    compare(BY_NAME, collection)


def without_negatives(drawn: Drawn) -> Drawn:
    """Return a query without negative grades, which Judged counts as judgments there.

    Scores are above 0, below which Compat ranks what was not retrieved.
    """
    grades = {doc: max(grade, 0) for doc, grade in drawn.grades.items()}
    return Drawn(drawn.docs, {doc: score + 1 for doc, score in drawn.scores.items()}, grades)


@given(st.lists(diverse_queries(most=8, ties=False), min_size=1, max_size=5))
@SOME
def test_ir_measures_agrees_on_subtopics_where_no_scores_are_equal(collection: list[Drawn]) -> None:
    answered = [drawn for drawn in collection if drawn.scores and drawn.subtopics]
    assume(answered)
    compare(BY_SUBTOPIC, answered, subtopics=True)


# cwl_eval itself, for what ir_measures does not ask it.

ruler = pytest.importorskip("cwl.ruler.cwl_ruler")
# On a scale whose quarters are exact in binary; thirds are not, see test_disagreements.py.
QUARTERS = st.lists(st.sampled_from([None, 0, 0, 1, 2, 3, 4]), min_size=1, max_size=12)


def ranking_of(grades: list[int | None], scale: int = 4) -> tuple[pd.DataFrame, Any]:
    """Return a ranking for us and for cwl_eval, best first."""
    frame = pd.DataFrame(
        {"query": "q", "grade": grades, "score": -np.arange(len(grades), dtype=float)}
    )
    judged = pd.DataFrame({"query": ["q", "a"], "grade": [0.0, scale], "score": [np.nan, 1.0]})
    gains = np.array([math.nan if grade is None else grade / scale for grade in grades])
    both = pd.concat([frame.astype({"grade": float}), judged])
    return both, ruler.Ranking("1", gains, np.ones(len(grades)))


@given(
    QUARTERS,
    st.fixed_dictionaries(
        {
            "T": st.sampled_from([0.5, 1, 2]),
            "b1": st.sampled_from([0.1, 0.9]),
            "R1": st.sampled_from([1, 10, 100]),
            "A": st.sampled_from([0.1, 0.25]),
            "b2": st.sampled_from([0.3, 0.9]),
            "R2": st.sampled_from([1, 10, 100]),
        }
    ),
    st.sampled_from([3, 5, 10]),
    st.sampled_from([0, 0.5, 1]),
)
def test_cwl_eval_agrees_on_the_values_of_its_family(
    grades: list[int | None], foraging: dict[str, float], patience: int, moves: float
) -> None:
    frame, ranking = ranking_of(grades)
    goal, rate = (
        {name: foraging[name] for name in names} for names in (["T", "b1", "R1"], ["A", "b2", "R2"])
    )
    wanted = foraging["T"]
    pairs = {
        f"IFT({written(foraging)}horizon=1000)": ruler.IFTGoalRateCWLMetric(**foraging),
        f"IFT(model=goal, {written(goal)}horizon=1000)": ruler.IFTGoalCWLMetric(**goal),
        f"IFT(model=rate, {written(rate)}horizon=1000)": ruler.IFTRateCWLMetric(**rate),
        f"BPM(T={wanted}, K={patience}, hb={moves})": ruler.BPMDCWLMetric(
            hc=0, gain_med=0.5, T=wanted, K=patience, hb=moves
        ),
        f"INST(T={wanted}, horizon=1000)": ruler.INSTCWLMetric(wanted),
        f"INSQ(T={wanted}, horizon=1000)": ruler.INSQCWLMetric(wanted),
        "RBP(gains=graded, p=0.9, horizon=1000)": ruler.RBPCWLMetric(0.9),
    }
    ours = rm.evaluate(frame, list(pairs)).per_query.loc["q"]
    for text, theirs in pairs.items():
        assert ours[str(parse(text))] == pytest.approx(float(theirs.measure(ranking)), abs=CLOSE), (
            text
        )


def written(parameters: dict[str, float]) -> str:
    return "".join(f"{name}={value}, " for name, value in parameters.items())


@given(QUARTERS)
@SOME
def test_cwl_eval_has_the_same_continuations_weights_and_last_ranks(
    grades: list[int | None],
) -> None:
    frame, ranking = ranking_of(grades)
    pairs = {
        "RBP(gains=graded, p=0.9, horizon=1000)": ruler.RBPCWLMetric(0.9),
        "INST(T=2, horizon=1000)": ruler.INSTCWLMetric(2.0),
        "INSQ(T=2, horizon=1000)": ruler.INSQCWLMetric(2.0),
        "BPM(T=1, K=5)": ruler.BPMCWLMetric(1.0, 5),
        "IFT(horizon=1000)": ruler.IFTGoalRateCWLMetric(T=2.0, b1=0.9, R1=10, A=0.2, b2=0.9, R2=10),
    }
    explained = rm.evaluate(frame, list(pairs)).explain("q").parts
    for text, theirs in pairs.items():
        part = explained[str(parse(text))]
        for letter in "CWL":
            vector = getattr(theirs, f"{letter.lower()}_vector")(ranking)
            right = [float(number) for number in vector[: len(grades)]]
            assert part[letter].tolist() == pytest.approx(right, abs=CLOSE), (text, letter)
