"""The reference is itself checked: against worked examples, trec_eval's outputs and live peers.

Where a peer differs, a test shows both values; tests/DISAGREEMENTS.md tells them in prose.
"""

import importlib
import json
import math
import random
import statistics
import subprocess
import sys
import warnings
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

HERE = Path(__file__).parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

import reference as ref  # noqa: E402  (found beside this file however pytest imports it)
from reference import Query, value  # noqa: E402

TREC = HERE / "data" / "trec_eval_test"
REPORTS = json.loads((HERE / "data" / "reports.json").read_text())
CHORUS = HERE.parents[1] / "shared" / "data" / "chorus_electronics"


def ranked(*grades, missing=(), **options):
    """A query whose ranking has these grades, and unretrieved judged documents with others."""
    docs = [f"d{i}" for i in range(len(grades))]
    judged = {d: g for d, g in zip(docs, grades, strict=True) if g is not None}
    judged |= {f"m{i}": g for i, g in enumerate(missing)}
    return Query(docs, judged or {"none": -1}, **options)


def peer(name):
    """A module that may not be installed; what it warns of while loading is its own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(name)
        return importlib.import_module(name)


# --------------------------------------------------------------------------- the article's examples


def test_article_1_first_relevant_second_is_half():
    assert value("RR", ranked(0, 1)) == 0.5


def test_article_2_ap_of_rnrnr():
    assert value("AP", ranked(1, 0, 1, 0, 1)) == pytest.approx((1 + 2 / 3 + 3 / 5) / 3, abs=1e-15)
    assert round(value("AP", ranked(1, 0, 1, 0, 1)), 4) == 0.7556


def test_article_3_binary_measures_do_not_see_that_two_grades_were_swapped():
    a, b = ranked(3, 1, 0), ranked(1, 3, 0)
    for name in ("RR", "AP", "P", "R", "Success", "RPrec", "bpref"):
        assert value(name, a, k=3) == value(name, b, k=3)
    for name in ("ERR", "nDCG", "DCG"):
        assert value(name, a) > value(name, b)


@pytest.mark.parametrize(("rank", "ap"), [(1, 1.0), (3, 1 / 3), (30, 1 / 30)])
def test_article_4_ap_of_one_relevant_item_is_one_over_its_rank(rank, ap):
    assert value("AP", ranked(*[0] * (rank - 1), 1)) == ap


def test_article_5_err_of_2_3_0():
    q = ranked(2, 3, 0, max_grade=3)
    chances = [ref.cascade.satisfied(g, 3) for g in (2, 3, 0)]
    assert chances == [Fraction(3, 8), Fraction(7, 8), 0]
    assert value("ERR", q) == 0.6484375
    assert value("ERR", q, k=1) == 0.375
    assert value("ERR", q, k=2) - value("ERR", q, k=1) == 0.2734375
    assert value("RR", q) == 1


def test_article_6_err_on_a_long_scale():
    assert round(float(ref.cascade.satisfied(4, 8)), 4) == 0.0586
    assert round(float(ref.cascade.satisfied(8, 8)), 4) == 0.9961
    first = value("ERR", ranked(8, 4, 4, 4, 4, max_grade=8))
    last = value("ERR", ranked(4, 4, 4, 4, 8, max_grade=8))
    assert (round(first, 4), round(last, 4)) == (0.9964, 0.2722)
    own = last - value("ERR", ranked(4, 4, 4, 4, 8, max_grade=8), k=4)
    assert round(own, 4) == 0.1565
    assert round(float(ref.cascade.satisfied(8, 8)) / own, 2) == 6.37


@pytest.mark.parametrize(
    ("grades", "dcg", "ndcg"),
    [((3, 2, 1), 9.393, 1.0), ((2, 3, 1), 7.917, 0.8428), ((2, 1, 3), 7.131, 0.7592)],
)
def test_article_7_ndcg(grades, dcg, ndcg):
    assert round(value("DCG", ranked(*grades)), 3) == dcg
    assert round(value("nDCG", ranked(*grades)), 4) == ndcg
    # what the article prints as [2, 1, 3] (7.92, 0.84) is [2, 3, 1]


def test_article_8_discounts():
    ranks = (1, 2, 5, 10, 50)
    reciprocal = [round(ref.gain.discount_at(r, "reciprocal"), 2) for r in ranks]
    log = [round(ref.gain.discount_at(r, "log2"), 2) for r in ranks]
    assert reciprocal == [1, 0.50, 0.20, 0.10, 0.02]
    assert log == [1, 0.63, 0.39, 0.29, 0.18]


# ----------------------------------------------------------------------------------- users' reports


def report(name):
    return next(r for r in REPORTS if r["report"].startswith(name))


@pytest.mark.parametrize("name", ["recommenders-team/recommenders#1749", "spiceai/spiceai#12277"])
def test_reports_of_ideals_that_were_too_small(name):
    case = report(name)
    missing = list(case["grades_judged"])
    for g in case["grades_retrieved"]:
        missing.remove(g)
    q = ranked(*case["grades_retrieved"], missing=missing)
    for spelled, wanted in case["values"].items():
        gain = "linear" if "linear" in spelled else "exp2"
        got = value("nDCG", q, k=int(spelled.partition("@")[2]), gain=gain)
        assert got == pytest.approx(wanted, abs=1e-12)


def test_reports_of_repeated_documents():
    case = report("garrytan/gbrain#4630")
    q = Query(list(dict.fromkeys(case["ranking"])), case["judged"])
    for spelled, wanted in case["values_if_first_kept"].items():
        name, _, k = spelled.partition("@")
        assert value(name, q, k=int(k)) == pytest.approx(wanted, abs=1e-12)
    case = report("future-agi/future-agi#1613")
    q = Query(list(dict.fromkeys(case["ranking"])), case["judged"])
    assert value("AP", q) == case["values_if_first_kept"]["AP"]


def test_report_of_one_relevant_document_at_ranks_1_2_3():
    for (_, wanted), rank in zip(report("OpenAgentHQ")["values"].items(), (1, 2, 3), strict=True):
        assert value("nDCG", ranked(*[0] * (rank - 1), 1), k=10) == pytest.approx(wanted)


def test_report_of_ap_with_fewer_places_than_relevant_documents():
    q = ranked(*[1] * 5, missing=[1] * 5)
    wanted = report("joaopalotti/trectools#36")["values"]
    assert value("AP", q, k=5) == wanted["AP@5"]
    assert value("AP", q, k=5, denominator="min") == wanted["AP(denominator=min)@5"]


def test_report_of_bpref_without_a_judged_nonrelevant_document_retrieved():
    wanted = report("AmenRa/ranx#66")["values"]["bpref"]
    assert value("bpref", ranked(None, 1, None, missing=[0, 0])) == wanted
    assert value("bpref", ranked(1)) == wanted


def test_report_of_two_queries_one_without_results():
    unanswered = Query([], {"d": 1})
    for name in ref.BY_GRADES:
        if name in ("NumRel", "YAAP", "RBP_residual"):  # not shares of anything
            continue
        assert value(name, unanswered, k=5) == (None if name == "Judged" else 0), name
    assert value("nDCG", Query(["d"], {})) is None  # no judgment at all: no value


def test_report_of_huge_and_of_only_negative_grades():
    assert value("AP", ranked(0, 1_000_000)) == 0.5
    assert value("nDCG", ranked(0, 1_000_000), gain="linear") == pytest.approx(1 / math.log2(3))
    for name in ("AP", "nDCG", "ERR", "RBP", "bpref", "infAP"):
        assert value(name, ranked(-1, -2)) == 0


def test_report_of_two_tied_relevant_documents():
    q = Query(["a", "b"], {"a": 1, "b": 1}, {"a": 1, "b": 1})
    assert value("nDCG", q) == report("evidentlyai")["values"]["nDCG"]


def test_every_report_is_used_or_about_something_else():
    elsewhere = {"AmenRa/ranx (seen on 0.3.21)", "terrierteam/ir_measures#50 and gdeval"}
    assert len(REPORTS) == 12
    assert elsewhere <= {r["report"] for r in REPORTS}  # dtypes; ids (see the gdeval tests below)


# ------------------------------------------------------------------ trec_eval's own regression test


def read_qrels(path):
    grades = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, doc, grade = line.split()
        grades[query][doc] = int(grade)
    return grades


def read_run(path):
    scores = defaultdict(dict)
    for line in path.read_text().splitlines():
        query, _, doc, _, score, *_ = line.split()
        scores[query][doc] = float(score)
    return scores


OUTPUTS = {  # file: qrels, run, -l, -M
    "out.test.aq": ("qrels.test", "results.test", 1, None),
    "out.test.aql": ("qrels.rel_level", "results.test", 2, None),
    "out.test.aqc": ("qrels.test", "results.trunc", 1, None),
    "out.test.aqcM": ("qrels.test", "results.trunc", 1, 100),
}


def printed(name, number):
    if isinstance(number, str):
        return number
    return f"{number:.0f}" if name.startswith("num_") else f"{number:.4f}"


@pytest.mark.parametrize("output", OUTPUTS)
def test_trec_eval_prints_these_numbers(output):
    qrels, run, rel, depth = OUTPUTS[output]
    grades, scores = read_qrels(TREC / qrels), read_run(TREC / run)
    queries = {
        q: Query(list(scores.get(q, {})), grades[q], scores.get(q, {}), depth=depth) for q in grades
    }
    rows = [line.split("\t") for line in (TREC / output).read_text().splitlines()]
    values, wrong, compared = defaultdict(dict), [], 0
    for label, query, wanted in rows:
        name = label.strip()
        if query != "all":
            values[name][query] = ref.trec_value(name, queries[query], rel=rel)
            got = printed(name, values[name][query])
        elif name in ("runid", "num_q"):
            continue
        elif name in ref.trec.SUMS:
            got = printed(name, sum(values[name].values()))
        elif name in ref.trec.AVERAGES:
            got = printed(name, ref.geometric_mean(values[ref.trec.AVERAGES[name]].values()))
        else:
            got = printed(name, ref.arithmetic_mean(values[name].values()))
        compared += 1
        if got != wanted:
            wrong.append((name, query, wanted, got))
    assert compared == 385  # every row but runid and num_q
    assert wrong == []


def test_trec_eval_10_rounds_recall_points_to_the_nearest_document_and_9_up():
    # 77 relevant: recall 0.6 is 46.2 documents. 301 of aq: 474 relevant, recall 0.1 is 47.4
    q = ranked(*[1] * 46, *[0] * 54, *[1] * 31)
    name = "iprec_at_recall_0.60"
    assert ref.trec_value(name, q) == 1.0
    assert ref.trec_value(name, q, add=0.9) == pytest.approx(77 / 131)
    assert value("IPrec", q, recall=0.6) == pytest.approx(77 / 131)  # the definition: 47 are needed


@pytest.mark.skipif(not CHORUS.exists(), reason="needs ../shared beside the repository")
@pytest.mark.parametrize(
    ("run", "wanted"),
    [
        ("bm25", (0.6338, 0.5853, 0.7167, 0.5947, 0.740)),
        ("minilm", (0.5091, 0.4278, 0.6353, 0.5407, 0.390)),
        ("rrf", (0.6508, 0.5838, 0.7467, 0.6286, 0.565)),
        ("tfidf_title", (0.4957, 0.4064, 0.6197, 0.5197, 0.599)),
    ],
)
def test_known_right_answers_of_the_shop(run, wanted):
    grades = read_qrels(CHORUS / "qrels.txt")
    scores = read_run(CHORUS / "runs" / f"{run}.run")
    measures = [
        ("nDCG", 10, {"gain": "linear"}),
        ("AP", None, {}),
        ("RR", None, {}),
        ("ERR", 10, {}),
        ("Judged", 10, {}),
    ]
    for (name, k, params), answer in zip(measures, wanted, strict=True):
        values = [
            value(
                name,
                Query(list(scores.get(q, {})), grades[q], scores.get(q, {}), max_grade=3),
                "trec",
                k,
                **params,
            )
            for q in grades
        ]
        mean = statistics.fmean(v for v in values if v is not None)
        assert round(mean, 3 if name == "Judged" else 4) == answer


# --------------------------------------------------------------------------------------------- ties


def test_orders_are_all_the_orders_of_equals():
    q = Query(["a", "b", "c", "d"], {"a": 1}, {"a": 2, "b": 1, "c": 2, "d": 1})
    assert {"".join(o) for o in ref.orders(q)} == {"acbd", "acdb", "cabd", "cadb"}
    assert ref.one_order(q, "order") == ["a", "c", "b", "d"]
    assert ref.one_order(q, "trec") == ["c", "a", "d", "b"]
    assert ref.one_order(q, "worst")[:2] == ["c", "a"]
    assert ref.one_order(q, "best")[:2] == ["a", "c"]


def test_expected_values_by_hand():
    q = Query(["a", "b"], {"a": 1, "b": 0}, {"a": 1, "b": 1})
    assert value("RR", q) == value("AP", q) == 0.75
    assert value("P", q, k=1) == 0.5
    assert value("nDCG", q) == pytest.approx((1 + 1 / math.log2(3)) / 2)
    assert (ref.worst("RR", q), ref.best("RR", q)) == (0.5, 1)


def test_unjudged_sorts_below_any_grade_and_nan_is_not_retrieved():
    q = Query(["a", "b", "c", "d"], {"a": 0, "c": 2}, dict.fromkeys("abc", 1) | {"d": math.nan})
    assert ref.one_order(q, "worst") == ["b", "a", "c"]
    assert ref.one_order(q, "best") == ["c", "a", "b"]


def test_expected_err_of_a_tie_group_from_elementary_symmetric_means():
    """DESIGN.md's closed form: place j contributes reach · (E_{j−1} − E_j) / rank."""
    rng = random.Random(11)
    for _ in range(50):
        grades = [rng.choice([0, 1, 2, 3]) for _ in range(rng.randint(1, 7))]
        scores = [rng.randint(0, 2) for _ in grades]
        docs = [f"d{i}" for i in range(len(grades))]
        q = Query(
            docs,
            dict(zip(docs, grades, strict=True)),
            dict(zip(docs, scores, strict=True)),
            max_grade=3,
        )
        k = rng.choice([None, 1, 2, 4])
        total, reach, rank = Fraction(0), Fraction(1), 0
        for group in q.tie_groups():
            unhappy = [1 - ref.cascade.satisfied(q.grade(d), 3) for d in group]
            sums = [Fraction(1)] + [Fraction(0)] * len(group)  # elementary symmetric sums
            for x in unhappy:
                for j in range(len(group), 0, -1):
                    sums[j] += x * sums[j - 1]
            means = [s / math.comb(len(group), j) for j, s in enumerate(sums)]
            for j in range(1, len(group) + 1):
                rank += 1
                if k is None or rank <= k:
                    total += reach * (means[j - 1] - means[j]) / rank
            reach *= means[-1]
        assert value("ERR", q, k=k) == pytest.approx(float(total), abs=1e-12)


# ----------------------------------------------------------------------- what unjudged could change


@pytest.mark.parametrize("seed", range(30))
def test_bounds_that_the_design_claims_hold_the_whole_range(seed):
    rng = random.Random(seed)
    shown = [rng.choice([None, None, 0, 1, 2]) for _ in range(rng.randint(1, 5))]
    q = ranked(*shown, missing=[rng.randint(0, 2) for _ in range(3)], max_grade=2)
    scale = [0, 1, 2]
    none = ranked(*[0 if g is None else g for g in shown], max_grade=2)
    all_best = ranked(*[2 if g is None else g for g in shown], max_grade=2)
    for name, k in [("RR", 3), ("P", 3), ("RBP", None), ("DCG", 3), ("ERR", 3)]:
        low, high = ref.unjudged_range(name, q, scale, k=k)
        assert low == pytest.approx(value(name, none, k=k), abs=1e-12)
        assert high == pytest.approx(value(name, all_best, k=k), abs=1e-12)
    judged = list(q.grades.values())
    opened = judged + [2] * shown.count(None)
    low, high = ref.unjudged_range("nDCG", q, scale, k=3)
    dcg_none, dcg_all = value("DCG", none, k=3), value("DCG", all_best, k=3)
    ideal = ref.gain.DCG(ref.gain.ideal_grades(judged), judged, 3)
    ideal_all = ref.gain.DCG(ref.gain.ideal_grades(opened), opened, 3)
    if ideal:
        assert low >= dcg_none / ideal_all - 1e-12
        assert high <= min(1, dcg_all / ideal) + 1e-12


# --------------------------------------------------------------------------------------- identities


@pytest.mark.parametrize("seed", range(40))
def test_identities_between_measures(seed):
    rng = random.Random(seed)
    grades = [rng.choice([None, -1, 0, 1, 2, 3]) for _ in range(rng.randint(1, 9))]
    q = ranked(*grades, missing=[rng.choice([-1, 0, 1, 3]) for _ in range(4)], max_grade=3)
    near = pytest.approx
    assert value("Q", q, beta=0) == near(value("AP", q))
    assert value("Cascade", q) == value("ERR", q)
    assert value("EBU", q, persistence=Fraction(4, 5)) == near(
        value("Cascade", q, persistence=Fraction(4, 5), discount="none")
    )
    one = value("ERR", q, satisfaction=lambda g, top: int(g >= 1))
    assert one == value("RR", q)
    assert value("IPrec", q, recall=0) >= value("RR", q)
    assert value("SetAP", q) == near(value("SetP", q) * value("SetR", q))
    assert value("F1", q, k=3) <= max(value("P", q, k=3), value("R", q, k=3)) + 1e-12
    assert value("CG", q, gain="linear") == near(value("DCG", q, gain="linear", discount=[1] * 9))
    assert value("BPM", q, T=math.inf, K=4, rel=1) == near(value("P", q, k=4))
    assert value("BPM", q, T=1, K=10**4, rel=1) == near(value("RR", q), abs=2e-4)
    assert value("BPM_dynamic", q, hb=0, hc=0) == value("BPM", q)
    if len(grades) >= 3:
        assert value("Judged", q, k=3) == near(1 - value("Unjudged", q, k=3))
    assert ref.trec_value("ndcg", q) == near(value("nDCG", q, gain="linear"))
    assert ref.trec_value("yaap", q) == near(value("YAAP", q))


def test_cwl_views_agree_with_themselves_and_with_the_measures():
    gains = [1.0, 0.0, 0.5, 0.0]
    for name in ("P", "SDCG", "RBP", "INSQ", "INST", "BPM", "BPM_dynamic", "IFT"):
        seen = ref.persistence.cwl(name, gains, k=3)
        assert seen["W"][0] == pytest.approx(1 / seen["looked"])
        for i in range(3):
            assert seen["W"][i + 1] == pytest.approx(seen["W"][i] * float(seen["C"][i]))
        assert sum(map(float, seen["L"])) <= 1 + 1e-12
    assert ref.persistence.cwl("RR", gains)["L"] == [1, 0, 0, 0]
    # INSQ's weights, as the paper writes them for T = 1: 1 / (S (i + 1)²), S = π²/6 − 1
    weights = ref.persistence.cwl("INSQ", gains, T=1)["W"]
    closed = [1 / ((math.pi**2 / 6 - 1) * (i + 1) ** 2) for i in (1, 2, 3, 4)]
    assert weights == pytest.approx(closed, abs=1e-14)


def test_rbo_is_between_its_bounds_and_equal_lists_agree():
    same = list("abcde")
    assert ref.rbo(same, same, 0.9) == pytest.approx(1)
    assert ref.rbo_max(same, same, 0.9) == pytest.approx(1)
    rng = random.Random(3)
    for _ in range(200):
        a, b = (rng.sample("abcdefghij", rng.randint(1, 8)) for _ in range(2))
        p = rng.choice([0.5, 0.8, 0.9, 0.98])
        low, mid, high = (f(a, b, p) for f in (ref.rbo_min, ref.rbo_ext, ref.rbo_max))
        assert low - 1e-12 <= mid <= high + 1e-12
        # Webber et al. 2010, eq. 30: the residual in closed form
        s, n = sorted((len(a), len(b)))
        common = len(set(a) & set(b))
        f = n + s - common

        def part(start, stop, p=p):
            return math.fsum(p**d / d for d in range(start, stop + 1))

        residual = p**s + p**n - p**f
        residual -= (1 - p) / p * (s * part(s + 1, f) + n * part(n + 1, f))
        residual -= (1 - p) / p * common * (-math.log(1 - p) - part(1, f))
        assert high - low == pytest.approx(residual, abs=1e-9)


def test_tau_ap_weighs_the_top():
    truth = list("abcde")
    assert ref.tau_ap(truth, truth) == 1
    assert ref.tau_ap(truth[::-1], truth) == -1
    assert ref.tau_ap(list("bacde"), truth) < ref.tau_ap(list("abced"), truth)
    assert ref.kendall_tau(list("bacde"), truth) == ref.kendall_tau(list("abced"), truth)


# -------------------------------------------------------------------------------- live: trec_eval 9


def collection(rng, *, negative=True, ties=True, largest=25):
    """Row order, grades and scores of a random query; scores are whole, so 32 bits hold them."""
    n = rng.randint(1, largest)
    pool = [f"d{i:02}" for i in range(rng.randint(n, n + 15))]
    docs = rng.sample(pool, n)
    scale = [0, 0, 0, 1, 1, 2, 3] + ([-1] if negative else [])
    grades = {d: rng.choice(scale) for d in rng.sample(pool, rng.randint(1, len(pool)))}
    scores = {d: float(rng.randint(0, n) if ties else n - i) for i, d in enumerate(docs)}
    return docs, grades, scores


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(10))
def test_pytrec_eval_computes_the_same_to_nine_digits(seed):
    pytrec_eval = peer("pytrec_eval")
    rng = random.Random(seed)
    names = set(pytrec_eval.supported_measures) - {
        "runid",
        "num_q",
        "gm_map",
        "gm_bpref",
        "relstring",
    }
    compared = 0
    for _ in range(30):
        docs, grades, scores = collection(rng)
        if max(grades.values()) < 0:
            continue  # it crashes: see below
        q = Query(docs, grades, scores)
        condensed = Query(docs, grades, scores, unjudged="remove")
        for rel in (1, 2):
            for flag, query in ((False, q), (True, condensed)):
                if flag and not query.shown(docs):
                    continue  # nothing is left: it divides by zero
                tool = pytrec_eval.RelevanceEvaluator({"q": grades}, names, rel, flag)
                for name, theirs in tool.evaluate({"q": scores})["q"].items():
                    ours = ref.trec_value(name, query, rel=rel, add=0.9)
                    assert ours == pytest.approx(theirs, abs=1e-9), (
                        name,
                        rel,
                        flag,
                        grades,
                        scores,
                    )
                    compared += 1
    assert compared > 5000


# ------------------------------------------------------------------------------- live: scikit-learn


@pytest.mark.oracle
def test_scikit_learn_averages_over_ties_as_enumeration_does():
    metrics = peer("sklearn.metrics")
    rng = random.Random(7)
    for _ in range(200):
        n = rng.randint(2, 6)
        grades = [rng.choice([0, 1, 2, 3, 0.5]) for _ in range(n)]
        scores = [rng.randint(0, 3) for _ in range(n)]
        docs = list(range(n))
        q = Query(docs, dict(enumerate(grades)), dict(enumerate(scores)))
        k = rng.choice([None, 1, 2, 3, 5])
        theirs = metrics.ndcg_score([grades], [scores], k=k)
        assert value("nDCG", q, k=k, gain="linear") == pytest.approx(theirs, abs=1e-12)
        exp2 = [2**g - 1 for g in grades]
        theirs = metrics.ndcg_score([exp2], [scores], k=k)
        assert value("nDCG", q, k=k) == pytest.approx(theirs, abs=1e-12)
        theirs = metrics.dcg_score([grades], [scores], k=k, log_base=3)
        ours = value("DCG", q, k=k, gain="linear", discount=("log", 3))
        assert ours == pytest.approx(theirs, abs=1e-12)
        # ties ignored: equals in an order that depends on numpy's sort and the processor
        apart = [x + i / 10 for i, x in enumerate(scores)]
        alone = Query(docs, q.grades, dict(enumerate(apart)))
        theirs = metrics.ndcg_score([grades], [apart], k=k, ignore_ties=True)
        assert value("nDCG", alone, k=k, gain="linear") == pytest.approx(theirs, abs=1e-12)


# -------------------------------------------------------------------------------- live: ir_measures


def ir_value(ir, provider, measure, grades, scores):
    tool = ir.providers.registry[provider]
    found = list(tool.evaluator([measure], {"1": grades}).iter_calc({"1": scores}))
    return found[0].value if found else None


def ir_cases(ir):
    """provider, measure there, name here, k, parameters, in which order it takes equals."""
    trec, up, rows = "desc", "asc", "rows"
    gains = {0: 0, 1: 1, 2: 5, 3: 10}
    yield from [
        ("pytrec_eval", ir.nDCG @ 5, "nDCG", 5, {"gain": "linear"}, trec),
        ("pytrec_eval", ir.nDCG, "nDCG", None, {"gain": "linear"}, trec),
        ("pytrec_eval", ir.nDCG(gains=gains) @ 5, "nDCG", 5, {"gain": gains}, trec),
        ("pytrec_eval", ir.AP @ 5, "AP", 5, {}, trec),
        ("pytrec_eval", ir.AP(rel=2), "AP", None, {"rel": 2}, trec),
        ("pytrec_eval", ir.RR, "RR", None, {}, trec),
        ("pytrec_eval", ir.P(rel=2) @ 4, "P", 4, {"rel": 2}, trec),
        ("pytrec_eval", ir.R(rel=2) @ 4, "R", 4, {"rel": 2}, trec),
        ("pytrec_eval", ir.Rprec, "RPrec", None, {}, trec),
        ("pytrec_eval", ir.Bpref(rel=2), "bpref", None, {"rel": 2}, trec),
        ("pytrec_eval", ir.infAP, "infAP", None, {}, trec),
        ("pytrec_eval", ir.SetP, "SetP", None, {}, trec),
        ("pytrec_eval", ir.SetP(relative=True), "SetP", None, {"relative": True}, trec),
        ("pytrec_eval", ir.SetR, "SetR", None, {}, trec),
        ("pytrec_eval", ir.SetF, "SetF", None, {}, trec),
        ("pytrec_eval", ir.SetF(beta=4.0), "SetF", None, {"beta": 2}, trec),  # theirs is β²
        ("pytrec_eval", ir.SetAP, "SetAP", None, {}, trec),
        ("pytrec_eval", ir.Success @ 3, "Success", 3, {}, trec),
        ("pytrec_eval", ir.NumRel, "NumRel", None, {}, trec),
        ("pytrec_eval", ir.NumRet, "NumRet", None, {}, trec),
        ("pytrec_eval", ir.NumRet(rel=2), "NumRelRet", None, {"rel": 2}, trec),
        ("msmarco", ir.RR @ 3, "RR", 3, {}, up),
        ("judged", ir.Judged @ 4, "Judged", 4, {}, up),
        ("compat", ir.Compat(p=0.8), "Compat", None, {"p": 0.8}, up),
        (
            "compat",
            ir.Compat(p=0.8, normalize=False),
            "Compat",
            None,
            {"p": 0.8, "normalize": False},
            up,
        ),
        ("cwl_eval", ir.P(rel=1) @ 5, "P", 5, {}, rows),
        ("cwl_eval", ir.RR, "RR", None, {}, rows),
        ("cwl_eval", ir.RBP(rel=2, p=0.7), "RBP", None, {"rel": 2, "p": 0.7}, rows),
        ("cwl_eval", ir.SDCG(max_rel=3) @ 5, "SDCG", 5, {}, rows),
        ("cwl_eval", ir.SDCG(max_rel=3, min_rel=1) @ 5, "SDCG", 5, {"min_grade": 1}, rows),
        ("cwl_eval", ir.NERR8(max_rel=3) @ 5, "NERR8", 5, {}, rows),
        ("cwl_eval", ir.NERR9(max_rel=3) @ 5, "NERR9", 5, {}, rows),
        ("cwl_eval", ir.NERR10(max_rel=3, p=0.8), "NERR10", None, {"p": 0.8}, rows),
    ]
    for T in (0.7, 1.0, 2.0):  # cwl_eval looks at 1,000 ranks
        for measure, name in ((ir.INST, "INST"), (ir.INSQ, "INSQ"), (ir.NERR11, "NERR11")):
            yield "cwl_eval", measure(T=T, max_rel=3), name, None, {"T": T, "depth": 1000}, rows
    # BPM with a scale of 4, whose quarters are exact in binary: thirds are not (see below)
    for T in (0.5, 1.0, 2.0):
        bpm = ir.BPM(T=T, max_rel=4) @ 6
        yield "cwl_eval", bpm, "BPM", None, {"T": T, "K": 6, "max_grade": 4}, rows


@pytest.mark.oracle
def test_ir_measures_agrees_once_ties_are_in_its_order(caplog):
    caplog.set_level("CRITICAL")
    ir = peer("ir_measures")
    peer("cwl.cwl_eval")
    rng = random.Random(13)
    for turn in range(40):
        docs, grades, scores = collection(rng, negative=False, ties=turn % 2 == 0, largest=12)
        for provider, measure, name, k, params, equals in ir_cases(ir):
            rows = {"rows": docs, "asc": sorted(docs), "desc": sorted(docs, reverse=True)}[equals]
            if name == "Compat" and turn % 2 == 0:
                continue  # among equal grades and scores its ideal follows the order of the qrels
            q = Query(rows, grades, scores, max_grade=3)
            ours = value(name, q, "order", k=k, **params)
            theirs = ir_value(ir, provider, measure, grades, scores)
            assert ours == pytest.approx(float(theirs), abs=1e-9), (measure, grades, scores, docs)


@pytest.mark.oracle
def test_gdeval_agrees_to_its_five_digits():
    ir = peer("ir_measures")
    rng = random.Random(17)
    for _ in range(8):
        docs, grades, scores = collection(rng, largest=12)
        if max(grades.values()) <= 0:
            continue  # it prints nothing
        q = Query(docs, grades, scores)
        for k in (3, 10):
            theirs = ir_value(ir, "gdeval", ir.ERR @ k, grades, scores)
            assert value("ERR", q, "trec", k=k, max_grade=4) == pytest.approx(theirs, abs=5.1e-6)
            theirs = ir_value(ir, "gdeval", ir.nDCG(dcg="exp-log2") @ k, grades, scores)
            assert value("nDCG", q, "trec", k=k) == pytest.approx(theirs, abs=5.1e-6)


# ----------------------------------------------------------------------------------- live: cwl_eval


@pytest.mark.oracle
def test_cwl_eval_agrees_on_its_first_thousand_ranks():
    numpy, ruler = peer("numpy"), peer("cwl.ruler.cwl_ruler")
    rng = random.Random(19)
    for _ in range(80):
        n = rng.randint(1, 12)
        grades = [rng.choice([None, 0, 0, 1, 2, 4]) for _ in range(n)]
        gains = numpy.array([math.nan if g is None else g / 4 for g in grades])
        ranking = ruler.Ranking("1", gains, numpy.ones(n))
        q = ranked(*grades, max_grade=4)
        T, K, hb = rng.choice([0.5, 1, 2]), rng.choice([3, 5, 10]), rng.choice([0, 0.5, 1])
        foraging = {
            "T": T,
            "b1": rng.choice([0.1, 0.9]),
            "R1": rng.choice([1.0, 10.0, 100.0]),
            "A": 0.25,
            "b2": rng.choice([0.3, 0.9]),
            "R2": rng.choice([1.0, 10.0, 100.0]),
        }
        goal = {p: foraging[p] for p in ("T", "b1", "R1")}
        rate = {p: foraging[p] for p in ("A", "b2", "R2")}
        deep = {"depth": 1000}
        dynamic = {"T": T, "K": K, "hb": hb, "median": 0.5}
        for theirs, name, params in [
            (ruler.RBPCWLMetric(0.9), "RBP", {"rel": None, "p": 0.9}),
            (ruler.INSTCWLMetric(T), "INST", {"T": T} | deep),
            (ruler.INSQCWLMetric(T), "INSQ", {"T": T} | deep),
            (ruler.BPMCWLMetric(T, K), "BPM", {"T": T, "K": K}),
            (
                ruler.BPMDCWLMetric(hc=0, gain_med=0.5, T=T, K=K, hb=hb),
                "BPM_dynamic",
                dynamic | {"hc": 0},
            ),
            (ruler.IFTGoalCWLMetric(**goal), "IFT", {"model": "goal"} | goal | deep),
            (ruler.IFTRateCWLMetric(**rate), "IFT", {"model": "rate"} | rate | deep),
            (ruler.IFTGoalRateCWLMetric(**foraging), "IFT", foraging | deep),
        ]:
            ours = value(name, q, **params)
            assert ours == pytest.approx(float(theirs.measure(ranking)), abs=1e-9), (name, params)


@pytest.mark.oracle
def test_cwl_eval_has_the_same_continuations_weights_and_last_ranks():
    numpy, ruler = peer("numpy"), peer("cwl.ruler.cwl_ruler")
    gains = [0.5, 0.0, 1.0, 0.25]
    ranking = ruler.Ranking("1", numpy.array(gains), numpy.ones(4), max_n=100_000)
    for theirs, name, params in [
        (ruler.RBPCWLMetric(0.8), "RBP", {}),
        (ruler.INSTCWLMetric(2.0), "INST", {"T": 2.0}),
        (ruler.INSQCWLMetric(2.0), "INSQ", {"T": 2.0}),
        (ruler.BPMCWLMetric(1.0, 10), "BPM", {}),
        (ruler.NDCGCWLMetric(3), "SDCG", {"k": 3}),
        (ruler.PrecisionCWLMetric(3), "P", {"k": 3}),
        (ruler.RRCWLMetric(), "RR", {}),
    ]:
        ours = ref.persistence.cwl(name, gains, **params)
        close = 1e-4 if name in ("INST", "INSQ") else 1e-12  # 100,000 ranks are not all ranks
        for key, vector in (("C", "c_vector"), ("W", "w_vector"), ("L", "l_vector")):
            wanted = [float(x) for x in getattr(theirs, vector)(ranking)[:4]]
            assert [float(x) for x in ours[key]] == pytest.approx(wanted, abs=close), (name, key)


# ----------------------------------------------------------------------------------- live: pyndeval


NDEVAL = {  # name there: name here, parameters
    "ERR-IA": ("ERR_IA", {"norm": "ideal-ideal"}, "alpha"),
    "nERR-IA": ("nERR_IA", {}, "alpha"),
    "alpha-DCG": ("alpha_DCG", {"norm": "ideal-ideal"}, "alpha"),
    "alpha-nDCG": ("alpha_nDCG", {}, "alpha"),
    "P-IA": ("P_IA", {}, ""),
    "strec": ("StRecall", {}, ""),
    "NRBP": ("NRBP", {}, "alpha beta"),
    "nNRBP": ("nNRBP", {}, "alpha beta"),
    "MAP-IA": ("AP_IA", {}, ""),
}


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(4))
def test_pyndeval_agrees_below_rank_one(seed):
    pyndeval = peer("pyndeval")
    rng = random.Random(seed)
    cut = ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec")
    names = [f"{m}@{k}" for m in cut for k in (2, 5, 20)]
    names += ["nERR-IA@1", "alpha-nDCG@1", "P-IA@1", "strec@1", "NRBP", "nNRBP", "MAP-IA"]
    for turn in range(50):
        n = rng.randint(1, 22)
        pool = [f"d{i:02}" for i in range(rng.randint(n, 30))]
        docs, topics = rng.sample(pool, n), [f"t{i}" for i in range(rng.randint(1, 5))]
        subtopics = {
            d: {
                t: rng.choice([0, 0, 1, 1, 2])
                for t in rng.sample(topics, rng.randint(1, len(topics)))
            }
            for d in rng.sample(pool, rng.randint(1, len(pool)))
        }
        scores = {d: float(rng.randint(0, n) if turn % 2 else n - i) for i, d in enumerate(docs)}
        qrels = [("1", t, d, g) for d, topics in subtopics.items() for t, g in topics.items()]
        q = Query(sorted(docs), scores=scores, subtopics=subtopics)  # equals by id ascending
        for alpha, beta, rel in ((0.5, 0.5, 1), (0.25, 0.75, 2), (0.3, 0.6, 1)):
            tool = pyndeval.RelevanceEvaluator(qrels, names, rel, alpha, beta)
            run = [("1", d, s) for d, s in scores.items()]
            for spelled, theirs in tool.evaluate(run)["1"].items():
                name, _, k = spelled.partition("@")
                ours, params, wants = NDEVAL[name]
                extra = {p: v for p, v in (("alpha", alpha), ("beta", beta)) if p in wants.split()}
                got = value(ours, q, "order", k=int(k) if k else None, rel=rel, **params, **extra)
                if math.isnan(theirs):
                    assert (name, got) == ("nNRBP", 0)  # no relevant document: it divides 0 by 0
                else:
                    assert got == pytest.approx(theirs, abs=1e-9), (spelled, subtopics, scores)


# -------------------------------------------------------------------- live: when they are installed


@pytest.mark.oracle
def test_scipy_agrees_on_kendalls_tau_and_the_trigamma_function():
    stats, special = peer("scipy.stats"), peer("scipy.special")
    rng = random.Random(23)
    for _ in range(100):
        a = {i: rng.randint(0, 4) for i in range(8)}
        b = {i: rng.randint(0, 4) for i in range(8)}
        theirs = stats.kendalltau(list(a.values()), list(b.values())).statistic
        if math.isnan(theirs):
            assert ref.kendall_tau(a, b) is None
        else:
            assert ref.kendall_tau(a, b) == pytest.approx(theirs, abs=1e-12)
        x = rng.uniform(0.05, 80)
        assert ref.persistence.trigamma(x) == pytest.approx(special.polygamma(1, x), rel=1e-13)


@pytest.mark.oracle
def test_rbo_and_tau_ap_packages_agree():
    rbo, tau = peer("rbo"), peer("tau_ap")
    rng = random.Random(29)
    for _ in range(100):
        a, b = (rng.sample("abcdefghij", rng.randint(1, 8)) for _ in range(2))
        theirs = rbo.RankingSimilarity(a, b).rbo_ext(0.9)
        assert ref.rbo_ext(a, b, 0.9) == pytest.approx(theirs, abs=1e-9)
        a, b = (rng.sample("abcdefghij", 10) for _ in range(2))
        assert ref.tau_ap(a, b) == pytest.approx(tau.tau_ap(range(10), [b.index(i) for i in a]))


@pytest.mark.oracle
def test_ntcireval_agrees_on_q_measure_nerr_and_the_original_ndcg():
    theirs = peer("pyNTCIREVAL.metrics")
    ndcg = peer("pyNTCIREVAL.metrics.ndcg").nDCG
    nerr = peer("pyNTCIREVAL.metrics.nerr").nERR
    rng = random.Random(31)
    for _ in range(100):
        shown = [rng.choice([None, 0, 1, 2, 3]) for _ in range(rng.randint(1, 8))]
        missing = [rng.randint(0, 3) for _ in range(rng.randint(0, 4))]
        judged = [g for g in shown if g is not None] + missing
        if not any(judged):
            continue  # it divides by zero
        levels, gains = [judged.count(level) for level in range(4)], [1, 3, 7]
        rows, k = list(enumerate(shown)), rng.choice([1, 2, 3, 5, 10])
        q = ranked(*shown, missing=missing, max_grade=3)
        for tool, name, params in [
            (theirs.QMeasure(levels, gains, 1.0, k), "Q", {"gain": "exp2", "denominator": "min"}),
            (theirs.AP(levels, gains, k), "AP", {"denominator": "min"}),
            (theirs.MSnDCG(levels, gains, k), "nDCG", {}),
            (ndcg(levels, gains, 2, k), "nDCG", {"discount": ("jk", 2)}),
            (ndcg(levels, gains, 3, k), "nDCG", {"discount": ("jk", 3)}),
            (nerr(levels, gains, k), "nERR", {}),
        ]:
            got = value(name, q, k=k, **params)
            assert got == pytest.approx(float(tool.compute(rows)), abs=1e-12), name


# ---------------------------------------------------------------------- where peers differ, and why


def test_trec_eval_rbp_scales_by_each_querys_own_top_grade():
    q = ranked(2, missing=[0], max_grade=3)
    assert ref.trec_value("rbp", q) == pytest.approx(0.1)  # 2 is the highest grade judged here
    assert value("RBP", q, p=0.9, rel=None) == pytest.approx(0.1 * 2 / 3)
    assert value("RBP", q, p=0.9) == pytest.approx(0.1)  # binary


def test_trec_eval_rbp_resid_forgets_the_tail_when_all_shown_is_judged():
    assert ref.trec_value("rbp_resid", ranked(1, 0)) == 0
    assert value("RBP_residual", ranked(1, 0), p=0.9) == pytest.approx(0.81)
    assert ref.trec_value("rbp_resid", ranked(1, None)) == pytest.approx(0.81 + 0.09)


def test_trec_eval_rndcg_leaves_out_the_end_one_rank_below_the_last_relevant():
    assert ref.trec_value("Rndcg", ranked(0, 1)) == 0  # measured at rank 1 only
    assert ref.trec_value("Rndcg", ranked(0, 1, 0)) == pytest.approx(1 / math.log2(3) / 2)


def test_infap_is_ap_only_to_five_digits():
    q = ranked(0, 1, 1, missing=[1])
    assert value("infAP", q) != value("AP", q)
    assert value("infAP", q) == pytest.approx(value("AP", q), abs=1e-4)


@pytest.mark.oracle
def test_pytrec_eval_ties_scores_that_only_64_bits_tell_apart():
    pytrec_eval = peer("pytrec_eval")
    grades, scores = {"a": 1}, {"a": 16777217.0, "b": 16777216.0}
    theirs = pytrec_eval.RelevanceEvaluator({"q": grades}, {"recip_rank"}).evaluate({"q": scores})
    assert theirs["q"]["recip_rank"] == 0.5
    assert ref.trec_value("recip_rank", Query(["a", "b"], grades, scores)) == 1


@pytest.mark.oracle
def test_pytrec_eval_ranks_a_score_that_is_not_a_number():
    pytrec_eval = peer("pytrec_eval")
    grades, scores = {"a": 1}, {"a": math.nan, "b": 1.0}
    tool = pytrec_eval.RelevanceEvaluator({"q": grades}, {"num_ret"})
    assert tool.evaluate({"q": scores})["q"]["num_ret"] == 2
    assert ref.trec_value("num_ret", Query(["a", "b"], grades, scores)) == 1


@pytest.mark.oracle
@pytest.mark.parametrize("grade", [-1, 1])
def test_pytrec_eval_crashes_on_only_negative_grades_and_on_an_empty_result(grade):
    """Memory is read that was never set; computing every measure at once shows it."""
    peer("pytrec_eval")
    grades, scores = {"a": grade}, {} if grade == 1 else {"a": 1.0}
    code = f"""if True:
        import pytrec_eval as p
        p.RelevanceEvaluator({{"q": {grades}}}, p.supported_measures).evaluate({{"q": {scores}}})
    """
    crashed = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True)
    q = Query(list(scores), grades, scores)
    assert value("AP", q) == value("nDCG", q) == 0
    if crashed.returncode == 0:
        pytest.skip("on this machine it happens to survive")


@pytest.mark.oracle
def test_pytrec_eval_does_not_answer_when_a_grade_is_a_million():
    peer("pytrec_eval")
    code = """if True:
        import pytrec_eval as p
        p.RelevanceEvaluator({"q": {"a": 1_000_000}}, {"ndcg"}).evaluate({"q": {"a": 1.0}})
    """
    with pytest.raises(subprocess.TimeoutExpired):  # its time grows with the square of the grade
        subprocess.run([sys.executable, "-c", code], check=False, timeout=4)
    assert ref.trec_value("ndcg", ranked(1_000_000)) == 1


@pytest.mark.oracle
def test_scikit_learn_average_precision_takes_equals_as_one_step():
    metrics = peer("sklearn.metrics")
    q = Query(["a", "b"], {"a": 1, "b": 0}, {"a": 1, "b": 1})
    assert metrics.average_precision_score([1, 0], [1, 1]) == 0.5
    assert value("AP", q) == 0.75


@pytest.mark.oracle
def test_ir_measures_orders_equals_one_way_for_rr_and_the_other_for_rr_at_k():
    ir = peer("ir_measures")
    grades, scores = {"a": 1}, {"a": 1.0, "b": 1.0}
    both = ir.calc_aggregate([ir.RR, ir.RR @ 10], {"1": grades}, {"1": scores})
    assert (both[ir.RR], both[ir.RR @ 10]) == (0.5, 1.0)
    q = Query(["a", "b"], grades, scores)
    assert value("RR", q) == value("RR", q, k=10) == 0.75
    assert value("RR", q, "trec") == value("RR", q, "trec", k=10) == 0.5


@pytest.mark.oracle
def test_ir_measures_set_f_means_beta_squared():
    ir = peer("ir_measures")
    grades, scores = {"a": 1, "b": 1, "c": 1, "d": 1}, {"a": 1.0}
    theirs = ir_value(ir, "pytrec_eval", ir.SetF(beta=2.0), grades, scores)
    q = Query(["a"], grades, scores)
    assert theirs == pytest.approx(3 * 0.25 / (0.25 + 2))  # 1/3
    assert value("SetF", q, beta=2) == pytest.approx(5 * 0.25 / (4 + 0.25))  # 0.2941


@pytest.mark.oracle
def test_ir_measures_interpolated_precision_rounds_a_tenth_away():
    ir = peer("ir_measures")
    grades = {f"d{i:03}": 1 for i in range(77)}
    # 24 relevant are 0.3117 of 77; 23 are 0.2987 and do not reach recall 0.3
    docs = [f"d{i:03}" for i in range(23)] + ["x1", "x2"] + [f"d{i:03}" for i in range(23, 77)]
    scores = {d: float(len(docs) - i) for i, d in enumerate(docs)}
    theirs = ir_value(ir, "pytrec_eval", ir.IPrec @ 0.3, grades, scores)
    assert theirs == 1.0  # 0.3 · 77 + 0.9 is 23.999999999999996 in binary
    assert value("IPrec", Query(docs, grades, scores), recall=0.3) == pytest.approx(77 / 79)


@pytest.mark.oracle
def test_ir_measures_counts_negative_grades_as_judged():
    ir = peer("ir_measures")
    grades, scores = {"a": -1, "b": 1}, {"a": 2.0, "b": 1.0}
    assert ir_value(ir, "judged", ir.Judged @ 2, grades, scores) == 1.0
    assert value("Judged", Query(["a", "b"], grades, scores), k=2) == 0.5
    assert value("Judged", Query(["a", "b"], grades, scores, negative="nonrelevant"), k=2) == 1.0


@pytest.mark.oracle
def test_ir_measures_compat_with_negative_scores_puts_the_unretrieved_first():
    ir = peer("ir_measures")
    grades, scores = {"a": 1, "z": 1}, {"a": -1.0, "b": -2.0}
    theirs = ir_value(ir, "compat", ir.Compat(p=0.5), grades, scores)
    assert theirs == pytest.approx(1 / 6)  # its ideal is z a: z's missing score counts as 0
    assert value("Compat", Query(["a", "b"], grades, scores), p=0.5) == pytest.approx(5 / 6)


@pytest.mark.oracle
def test_ir_measures_gives_zero_for_a_second_alpha_in_one_call():
    ir = peer("ir_measures")
    peer("pyndeval")
    qrels = [ir.Qrel("1", "d1", 1, "t1"), ir.Qrel("1", "d2", 1, "t2")]
    run = [ir.ScoredDoc("1", "d1", 2.0), ir.ScoredDoc("1", "d2", 1.0)]
    one, other = ir.alpha_nDCG @ 5, ir.alpha_nDCG(alpha=0.3) @ 5
    assert ir.calc_aggregate([other], qrels, run)[other] == 1.0
    together = ir.calc_aggregate([one, other], qrels, run)
    assert sorted(together.values()) == [0.0, 1.0]  # whoever came first read the run up
    q = Query(["d1", "d2"], subtopics={"d1": {"t1": 1}, "d2": {"t2": 1}})
    assert value("alpha_nDCG", q, k=5, alpha=0.3) == 1


@pytest.mark.oracle
def test_gdeval_merges_query_ids_and_refuses_others():
    ir = peer("ir_measures")
    tool = ir.providers.registry["gdeval"]
    measure = ir.ERR @ 10
    qrels = {"economics-8": {"a": 1}, "history-8": {"b": 1}}
    run = {"economics-8": {"a": 2.0}, "history-8": {"b": 1.0}}
    theirs = list(tool.evaluator([measure], qrels).iter_calc(run))
    alone = value("ERR", Query(["a"], {"a": 1}), max_grade=4)
    assert alone == 0.0625
    assert [m.value for m in theirs if m.query_id == "economics-8"] != [alone]
    with pytest.raises(subprocess.CalledProcessError):
        list(tool.evaluator([measure], {"q01": {"a": 1}}).iter_calc({"q01": {"a": 1.0}}))


@pytest.mark.oracle
def test_gdeval_has_a_fixed_top_grade_of_four():
    ir = peer("ir_measures")
    grades, scores = {"a": 1}, {"a": 1.0}
    assert ir_value(ir, "gdeval", ir.ERR @ 10, grades, scores) == 0.0625
    assert value("ERR", Query(["a"], grades, scores), k=10) == 0.5  # the scale is 0-1
    with pytest.raises(subprocess.CalledProcessError):
        ir_value(ir, "gdeval", ir.ERR @ 10, {"a": 5}, scores)


@pytest.mark.oracle
def test_cwl_eval_ap_divides_by_the_relevant_retrieved():
    ir = peer("ir_measures")
    peer("cwl.cwl_eval")
    grades, scores = {"a": 1, "m": 1}, {"a": 1.0}
    theirs = ir_value(ir, "cwl_eval", ir.AP, grades, scores)
    assert theirs == pytest.approx(ref.persistence.AP_cwl([1])) == 1.0
    assert ir_value(ir, "pytrec_eval", ir.AP, grades, scores) == 0.5
    assert value("AP", Query(["a"], grades, scores)) == 0.5


@pytest.mark.oracle
def test_cwl_eval_dynamic_bpm_never_moves_k():
    numpy, ruler = peer("numpy"), peer("cwl.ruler.cwl_ruler")
    gains = [0.25, 0.0, 0.0, 0.5]
    ranking = ruler.Ranking("1", numpy.array(gains), numpy.ones(4))
    theirs = ruler.BPMDCWLMetric(T=2, K=5, hb=0, hc=1, gain_med=0.5).measure(ranking)
    q = ranked(1, 0, 0, 2, max_grade=4)
    without = value("BPM_dynamic", q, T=2, K=5, hb=0, hc=0)
    with_it = value("BPM_dynamic", q, T=2, K=5, hb=0, hc=1)
    assert (float(theirs), without, with_it) == pytest.approx((0.15, 0.15, 0.1875))


@pytest.mark.oracle
def test_cwl_eval_bpm_reads_past_a_goal_that_thirds_have_reached():
    numpy, ruler = peer("numpy"), peer("cwl.ruler.cwl_ruler")
    grades = [3, 2, 1, 0]  # on 0-3: 1 + 2/3 + 1/3 is 2, but 1.9999999999999998 in binary
    ranking = ruler.Ranking("1", numpy.array([g / 3 for g in grades]), numpy.ones(4))
    theirs = ruler.BPMCWLMetric(2.0, 10).measure(ranking)
    assert float(theirs) == pytest.approx(0.2)  # on to rank 10
    assert value("BPM", ranked(*grades, max_grade=3), T=2) == pytest.approx(2 / 3)


@pytest.mark.oracle
def test_cwl_eval_insq_and_inst_end_at_rank_1000():
    numpy, ruler = peer("numpy"), peer("cwl.ruler.cwl_ruler")
    ranking = ruler.Ranking("1", numpy.array([1.0]), numpy.ones(1))
    q = ranked(1)
    closed = 1 / (4 * (math.pi**2 / 6 - 1))
    assert value("INSQ", q) == pytest.approx(closed, abs=1e-12)  # 0.387645
    theirs = float(ruler.INSQCWLMetric(1.0).measure(ranking))
    assert round(theirs, 6) == 0.388238
    assert value("INSQ", q, depth=1000) == pytest.approx(theirs, abs=1e-12)
    assert value("INST", q) != pytest.approx(
        float(ruler.INSTCWLMetric(1.0).measure(ranking)), abs=1e-4
    )


@pytest.mark.oracle
def test_pyndeval_does_not_normalise_at_rank_one():
    pyndeval = peer("pyndeval")
    qrels = [("1", t, "d1", 1) for t in ("t1", "t2", "t3", "t4")]
    names = ["ERR-IA@1", "alpha-DCG@1", "ERR-IA@2", "alpha-DCG@2"]
    theirs = pyndeval.RelevanceEvaluator(qrels, names).evaluate([("1", "d1", 1.0)])["1"]
    assert (theirs["ERR-IA@1"], theirs["alpha-DCG@1"]) == (4, 4)
    q = Query(["d1"], subtopics={"d1": dict.fromkeys(["t1", "t2", "t3", "t4"], 1)})
    for name in ("ERR_IA", "alpha_DCG"):
        assert value(name, q, k=1, norm="ideal-ideal") == 1
    assert theirs["ERR-IA@2"] == value("ERR_IA", q, k=2, norm="ideal-ideal") == 0.8
    assert theirs["alpha-DCG@2"] == pytest.approx(0.760187533)  # 4 / (4 (1 + 1/2 / log2 3))
    assert value("ERR_IA", q, k=2) == 0.5  # Chapelle et al.: the mean of four ERRs of 1/2
    assert value("alpha_DCG", q, k=2) == 4  # Clarke et al.: not normalised


def test_the_greedy_ideal_depends_on_document_ids():
    """All three documents add two subtopics at rank 1; whoever goes first decides what is left."""
    ideals = {}
    for middle in ("x", "z"):  # ndeval takes the last id first
        ends = [d for d in "xyz" if d != middle]
        subtopics = {
            ends[0]: {"t1": 1, "t2": 1},
            middle: {"t2": 1, "t3": 1},
            ends[1]: {"t3": 1, "t4": 1},
        }
        ideal = ref.diversity.greedy_ideal(subtopics)
        ideals[middle] = value("alpha_DCG", Query(ideal, subtopics=subtopics))
    assert ideals["x"] == pytest.approx(2 + 2 / math.log2(3) + 1 / 2)  # the best there is
    assert ideals["z"] == pytest.approx(2 + 1.5 / math.log2(3) + 1.5 / 2)  # 1.7 % less
