"""Other people's implementations on random collections: pytrec_eval, scikit-learn, ir_measures.

ir_measures brings gdeval, and calls cwl_eval and pyndeval. Where a peer means something else it is
shown in test_disagreements.py; here such inputs are kept away, and it is said which and why.
"""

from __future__ import annotations

import math
import random
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

# Hundreds of random collections for each peer, whatever is usual elsewhere.
MOST = settings().max_examples
HUNDREDS = settings(max_examples=max(200, MOST))
# Where a call costs a peer more than a query does, four collections are put to it at once.
TOGETHER = 4
CALLS = settings(max_examples=max(50, MOST // 8))
CLOSE, PRINTED = 1e-9, 5.1e-6  # gdeval prints five digits

WHOLE = [None, -1, 0, 0, 1, 1, 2, 3, 4]


@pytest.fixture(autouse=True, scope="module")
def quickly() -> Iterator[None]:
    with quick():
        yield


def answered(**options: Any) -> st.SearchStrategy[Drawn]:
    """Return queries with whole grades, each with results and a grade of at least 0.

    Without those pytrec_eval reads memory that was never set.
    """
    return queries(grades=WHOLE, answered=True, **options)


def collections(**options: Any) -> st.SearchStrategy[list[Drawn]]:
    """Return collections of ragged queries."""
    return st.lists(answered(**options), min_size=1, max_size=6)


def near(ours: float, theirs: float, tolerance: float = CLOSE) -> bool:
    return abs(ours - theirs) <= tolerance * max(1.0, abs(theirs))


# pytrec_eval: trec_eval 9 in Python.

# Not numbers, or of no query.
NO_VALUES = {"runid", "num_q", "relstring"}
CUT = ["P", "map_cut", "ndcg_cut", "recall", "relative_P", "success"]
AT_RECALL, OF_R, BY_BETA = "iprec_at_recall", "Rprec_mult", "set_F"
LEAST = 1e-5  # what trec_eval's geometric means take 0 for

HUNDREDTHS = st.integers(0, 100).map(lambda hundredths: f"{hundredths / 100:.2f}")


@st.composite
def trec_names(draw: st.DrawFn) -> set[str]:
    """Draw names for everything that pytrec_eval computes, with its own cutoffs or others."""
    names = set(pytrec_eval.supported_measures) - NO_VALUES
    if draw(st.booleans()):
        return names

    def some(values: st.SearchStrategy[Any]) -> str:
        return ",".join(str(value) for value in draw(st.sets(values, min_size=1, max_size=3)))

    given = {name: some(st.integers(1, 30)) for name in CUT}
    given |= {AT_RECALL: some(HUNDREDTHS), OF_R: some(HUNDREDTHS.filter(lambda x: x != "0.00"))}
    given |= {BY_BETA: draw(st.sampled_from(["0.5", "2.0", "3.0"]))}
    return {f"{name}.{given[name]}" if name in given else name for name in names}


def as_in_version_9(name: str, asked: set[str]) -> rm.Measure:
    """Return our measure of that name, which rounded recall up in trec_eval 9."""
    if name == BY_BETA:  # its answer does not repeat the parameter
        name = next(one for one in asked if one.startswith(BY_BETA)).replace(".", "_", 1)
    recall = name.startswith(("iprec", "11pt"))
    measure = parse(f"trec.{name}")
    return type(measure)(**{**vars(measure), "rounding": "up"}) if recall else measure


# What pytrec_eval leaves out of its answer: queries that are not in the run, and not judged.
UNANSWERED = queries(grades=[-1, 0, 1, 2]).map(lambda drawn: Drawn(drawn.docs, {}, drawn.grades))
UNKNOWN = queries(grades=[None]).filter(lambda drawn: bool(drawn.scores))


@given(
    st.lists(answered(most=20), min_size=1, max_size=6),
    st.lists(UNANSWERED | UNKNOWN, max_size=2),
    st.randoms(use_true_random=False),
    trec_names(),
    st.sampled_from([1, 2]),
    st.booleans(),
    st.sampled_from(["zero", "skip"]),
)
@HUNDREDS
def test_pytrec_eval_agrees_on_everything_it_computes(
    there: list[Drawn],
    elsewhere: list[Drawn],
    random: random.Random,
    names: set[str],
    rel: int,
    condensed: bool,
    unanswered: str,
) -> None:
    """By query, those it leaves out apart, and as trec_eval's mean with and without -c."""
    # Where no judged document is retrieved, its condensed list divides by zero.
    assume(not condensed or all({*drawn.scores} & {*_judged(drawn)} for drawn in there))
    collection = [*there, *elsewhere]
    random.shuffle(collection)
    frame = frame_of(collection)  # has a query of its own besides
    named = {f"q{at:02}": drawn for at, drawn in enumerate(collection)}
    grades = {name: drawn.grades for name, drawn in named.items()} | {"zz": {"x": 0}}
    scores = {name: drawn.scores for name, drawn in named.items()} | {"zz": {"x": 1.0}}
    shown = {name: values for name, values in scores.items() if values}
    theirs = pytrec_eval.RelevanceEvaluator(grades, names, rel, condensed).evaluate(shown)
    assert {*theirs} == {name for name in shown if grades[name]}
    measures = {name: as_in_version_9(name, names) for name in theirs["zz"]}
    assert len(measures) >= len(names)
    ours = rm.evaluate(
        frame,
        list(measures.values()),
        ties="trec",
        rel=rel,
        unjudged="remove" if condensed else "zero",
        unanswered=unanswered,
    )
    silent = [name for name in grades if grades[name] and name not in shown]
    means, wrong = ours.mean(), []
    for name, measure in measures.items():
        values = {query: by_name[name] for query, by_name in theirs.items()}
        # trec_eval's logarithms, whose mean is a geometric one; the convention is 0 for the silent.
        form = _logarithm if name.startswith("gm_") else float
        if unanswered == "zero":
            values |= {query: form(_silent(name, grades[query], rel)) for query in silent}
        found = ours.per_query[str(measure)].to_dict()
        wrong += [
            f"{name} of {query}: {form(found[query])}, there {value}"
            for query, value in values.items()
            if not near(form(found[query]), value)
        ]
        assert {query for query in grades if not math.isnan(found[query])} == {*values}
        mean = pytrec_eval.compute_aggregated_measure(name, [*values.values()])
        if not near(means[str(measure)], mean):
            wrong.append(f"mean {name}: {means[str(measure)]}, there {mean}")
    assert not wrong, "\n".join(wrong)


def _logarithm(value: float) -> float:
    return math.log(max(value, LEAST))


def _silent(name: str, grades: dict[str, float], rel: int) -> float:
    """Return the value of a query that was judged and not answered."""
    return sum(grade >= rel for grade in grades.values()) if name == "num_rel" else 0.0


def _judged(drawn: Drawn) -> set[str]:
    return {doc for doc, grade in drawn.grades.items() if grade >= 0}


# scikit-learn.


@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from([0, 0.5, 1, 2, 3, 10]), st.integers(0, 5)),
            min_size=2,  # a single document has no nDCG there
            max_size=9,
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([None, 1, 2, 5, 20]),
    st.sampled_from(["linear", "exp2"]),
    st.sampled_from([1.5, 2, 2.5, 3, 10]),
    st.booleans(),
)
@HUNDREDS
def test_scikit_learn_agrees_with_ties_averaged_and_ignored(
    collection: list[list[tuple[float, int]]],
    k: int | None,
    gain: str,
    base: float,
    ignored: bool,
) -> None:
    """Query by query, since it returns no more than a mean, and of lists of one length only."""
    parts, theirs = [], []
    for at, cells in enumerate(collection):
        grades, scores = np.array(cells, dtype=float).T
        if ignored:  # equals in an order that depends on the processor: so none are equal
            scores = scores + np.arange(len(scores)) / 16
        parts.append(pd.DataFrame({"query": at, "grade": grades, "score": scores}))
        worth = np.exp2(grades) - 1 if gain == "exp2" else grades
        options: dict[str, Any] = {"k": k, "ignore_ties": ignored}
        theirs.append(
            [
                metrics.ndcg_score([worth], [scores], **options),
                metrics.dcg_score([worth], [scores], **options),
                metrics.dcg_score([worth], [scores], log_base=base, **options),
            ]
        )
    cut = "" if k is None else f"@{k}"
    measures = [
        f"nDCG(gain={gain}){cut}",
        f"DCG(gain={gain}){cut}",
        f"DCG(gain={gain}, discount=log{base}){cut}",
    ]
    ours = rm.evaluate(pd.concat(parts), measures)
    for measure, values in zip(measures, np.transpose(theirs), strict=True):
        name = str(parse(measure))
        assert ours.per_query[name].tolist() == pytest.approx(values.tolist(), rel=1e-12, abs=1e-12)
        assert ours.mean()[name] == pytest.approx(values.mean(), rel=1e-12, abs=1e-12)


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


def numbered(query: str, collection: int) -> str:
    """Return a query's id as a number, which is all that gdeval takes: 100, 101, ..., 199."""
    return f"{collection + 1}{'99' if query == 'zz' else query.removeprefix('q')}"


def compare(
    names: dict[str, list[Any]], collections: Sequence[Sequence[Drawn]], *, subtopics: bool = False
) -> None:
    """Check that ir_measures' objects have the same values here and there.

    Here each collection is evaluated by itself, there all are at once.
    """
    measures = [measure for group in names.values() for measure in group]
    frames, silent = [], set()
    for at, collection in enumerate(collections):
        frame = frame_of([*collection, SILENT], subtopics=subtopics)
        frames.append(frame.assign(query=[numbered(query, at) for query in frame["query"]]))
        silent.add(numbered(f"q{len(collection):02}", at))
    ours = pd.concat([rm.evaluate(one, measures, ties="trec").per_query for one in frames])
    rows = pd.concat(frames).reindex(columns=["query", "doc", "grade", "subtopic", "score"])
    judged = rows.dropna(subset="grade").astype({"grade": int}).drop(columns="score")
    qrels = [ir.Qrel(*row) for row in judged.itertuples(index=False)]
    shown = rows.dropna(subset="score").drop_duplicates(["query", "doc"])
    run = [ir.ScoredDoc(*row) for row in shown[["query", "doc", "score"]].itertuples(index=False)]
    wrong = []
    # One measure a call: of several that need several passes, the later see no run.
    for measure in measures:
        tolerance = PRINTED if measure.NAME == "ERR" or "exp-log2" in str(measure) else CLOSE
        theirs = {one.query_id: one.value for one in ir.iter_calc([measure], qrels, run)}
        assert {*theirs} == {*judged["query"]}
        here = ours[str(parse(measure))].to_dict()
        for query, value in theirs.items():
            if measure.NAME in ("NumRel", "Judged") and query in silent:
                continue
            mine = here[query]
            right = 0.0 if math.isnan(value) else value  # nNRBP divides 0 by 0
            if not near(mine, right, tolerance):
                wrong.append(f"{measure} of {query}: {mine}, there {right}")
    assert not wrong, "\n".join(wrong)


def together(one: st.SearchStrategy[list[Drawn]]) -> st.SearchStrategy[list[list[Drawn]]]:
    return st.lists(one, min_size=TOGETHER, max_size=TOGETHER)


# Backed by trec_eval, and so with its order of equal scores. (RR@k is not: it goes to another
# script, which takes ids the other way round.)
TREC_BACKED = {
    name: [
        measure for measure in group if str(measure) != "RR@2" and "exp-log2" not in str(measure)
    ]
    for name, group in BY_NAME.items()
    if name not in ("BPM", "Compat", "ERR", "INSQ", "INST", "Judged", "RBP", "SDCG")
}


@given(together(collections(ties=True)))
@CALLS
def test_ir_measures_agrees_where_trec_eval_orders_equal_scores(
    collections: list[list[Drawn]],
) -> None:
    compare(TREC_BACKED, collections)


@given(together(collections(ties=False)))
@CALLS
def test_ir_measures_agrees_on_every_measure_where_no_scores_are_equal(
    collections: list[list[Drawn]],
) -> None:
    compare(BY_NAME, [[*map(without_negatives, one)] for one in collections])


def without_negatives(drawn: Drawn) -> Drawn:
    """Return a query without negative grades, which Judged counts as judgments there.

    Scores are above 0, below which Compat ranks what was not retrieved.
    """
    grades = {doc: max(grade, 0) for doc, grade in drawn.grades.items()}
    return Drawn(drawn.docs, {doc: score + 1 for doc, score in drawn.scores.items()}, grades)


def diverse_collections() -> st.SearchStrategy[list[Drawn]]:
    """Return collections by subtopic of queries with results and judgments."""
    one = diverse_queries(most=8, ties=False)
    known = one.filter(lambda drawn: bool(drawn.scores and drawn.subtopics))
    return st.lists(known, min_size=1, max_size=5)


@given(together(diverse_collections()))
@CALLS
def test_ir_measures_agrees_on_subtopics_where_no_scores_are_equal(
    collections: list[list[Drawn]],
) -> None:
    compare(BY_SUBTOPIC, collections, subtopics=True)


# cwl_eval itself, for what ir_measures does not ask it.

ruler = pytest.importorskip("cwl.ruler.cwl_ruler")
# On a scale whose eighths are exact in binary; thirds are not, see test_disagreements.py.
EIGHTHS = st.lists(st.sampled_from([None, 0, 0, 0.5, 1, 2, 3, 4]), min_size=1, max_size=12)


def ranking_of(grades: list[float | None], scale: int = 4) -> tuple[pd.DataFrame, Any]:
    """Return a ranking for us and for cwl_eval, best first."""
    frame = pd.DataFrame(
        {"query": "q", "grade": grades, "score": -np.arange(len(grades), dtype=float)}
    )
    judged = pd.DataFrame({"query": ["q", "a"], "grade": [0.0, scale], "score": [np.nan, 1.0]})
    gains = np.array([math.nan if grade is None else grade / scale for grade in grades])
    both = pd.concat([frame.astype({"grade": float}), judged])
    return both, ruler.Ranking("1", gains, np.ones(len(grades)))


@given(
    EIGHTHS,
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
@HUNDREDS
def test_cwl_eval_agrees_on_the_values_of_its_family(
    grades: list[float | None], foraging: dict[str, float], patience: int, moves: float
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


@given(EIGHTHS, st.integers(1, 15), st.sampled_from([1, 2]))
@HUNDREDS
def test_cwl_eval_agrees_on_what_is_no_reader_of_its_own(
    grades: list[float | None], k: int, rel: int
) -> None:
    """Its nDCG is scaled by perfect documents at all k ranks, not by an ideal: our SDCG."""
    frame, ranking = ranking_of(grades)
    relevant = [float(grade is not None and grade >= rel) for grade in grades]
    binary = ruler.Ranking("1", np.array(relevant), np.ones(len(relevant)))
    average = ruler.TrAPCWLMetric()
    average.residuals = False  # which it forgets to set
    right = {
        f"P(rel={rel})@{k}": ruler.PrecisionCWLMetric(k).measure(binary),
        f"RR(rel={rel})": ruler.RRCWLMetric().measure(binary),
        f"AP(rel={rel})": average.measure(binary),
        f"SDCG(discount=none)@{k}": ruler.PrecisionCWLMetric(k).measure(ranking),
        f"SDCG@{k}": ruler.NDCGCWLMetric(k).measure(ranking),
    }
    ours = rm.evaluate(frame, list(right)).per_query.loc["q"]
    assert ours.tolist() == pytest.approx([float(value) for value in right.values()], abs=CLOSE)


@given(EIGHTHS)
@HUNDREDS
def test_cwl_eval_has_the_same_continuations_weights_and_last_ranks(
    grades: list[float | None],
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
