"""What measures hide: each finding where the data show it, and none where they do not."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rank_magic as rm
from rank_magic.diagnosis import Diagnosis
from rank_magic.diagnosis.evidence import gather
from rank_magic.errors import DataError, MeasureError, RankMagicError

SYSTEMS = ["bm25", "minilm", "rrf", "tfidf_title"]
USUAL = ["RR", "AP", "nDCG@10", "ERR@10"]
EVIL = "<img src=x onerror=alert(1)>"
Grades = Sequence[float | None]


def frame_of(
    *rankings: Grades, missed: Grades = (), query: str = "q", system: str = "score"
) -> pd.DataFrame:
    """Return rankings q0, q1, ... of these grades, best first, each with what it misses."""
    parts = []
    for number, grades in enumerate(rankings):
        shown, lost = len(grades), len(missed)
        parts.append(
            pd.DataFrame(
                {
                    "query": f"{query}{number}",
                    "doc": [f"d{place:03}" for place in range(shown + lost)],
                    "grade": np.array([*grades, *missed], dtype=float),
                    system: [*np.arange(shown, 0, -1.0), *[np.nan] * lost],
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def diagnosed(frame: pd.DataFrame, measures: Any = None, k: int = 10, **options: Any) -> Diagnosis:
    return rm.evaluate(frame, measures, **options).diagnose(k=k)


def found(diagnosis: Diagnosis) -> set[str]:
    return {name for name, finding in diagnosis.items() if finding.found}


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    return rm.datasets.load_electronics()


@pytest.fixture(scope="module")
def evaluation(shop: pd.DataFrame) -> rm.Evaluation:
    return rm.evaluate(shop, USUAL, score=SYSTEMS)


@pytest.fixture(scope="module")
def diagnosis(evaluation: rm.Evaluation) -> Diagnosis:
    return evaluation.diagnose()


# The shop's numbers, from other ways to them.


def test_queries_that_rr_calls_perfect_and_ndcg_poor(
    evaluation: rm.Evaluation, diagnosis: Diagnosis
) -> None:
    finding = diagnosis["first"]
    assert finding.found
    for system in SYSTEMS:
        values = evaluation.per_query[system]
        perfect = values["RR"] == 1
        poor = perfect & (values["nDCG@10"] < 0.5)
        assert finding.numbers.loc[system].tolist()[1:] == [perfect.sum(), poor.sum()]
    worst = finding.examples.iloc[0]
    both = evaluation.per_query.swaplevel(axis=1)
    lowest = both["nDCG@10"].where(both["RR"] == 1).min().min()
    assert worst["nDCG@10"] == lowest
    assert (worst["query"], worst["grades shown"]) == ("q001", "1 0 0 0 0 0 ? ? ? ?")
    assert f"at the lowest it is {lowest:.3f} (q001, bm25)" in finding.evidence


def test_the_share_of_ap_earned_below_rank_10(shop: pd.DataFrame, diagnosis: Diagnosis) -> None:
    """By the contributions that explanations show."""
    single = rm.evaluate(shop, "AP", score="bm25")
    below = total = 0.0
    for query in single.queries:
        contributions = single.explain(query).contributions["AP"]
        below += contributions.loc[11:].sum()
        total += contributions.sum()
    share = diagnosis["depth"].numbers.loc["bm25"].item()
    assert share == pytest.approx(below / total, rel=1e-12)
    assert f"bm25 {100 * share:.0f} %" in diagnosis["depth"].evidence
    assert diagnosis["depth"].found


def test_a_late_document_costs_ap_what_it_costs_when_it_is_not_found(shop: pd.DataFrame) -> None:
    """Each first relevant document below rank 10 loses its score, another takes its place."""
    # No ties, so that there is one order.
    untied = shop.assign(score=shop.groupby("query_id")["bm25"].rank(method="first"))
    evaluation = rm.evaluate(untied, USUAL, score="score")
    seen = gather(evaluation, 10)
    by_rank = untied.assign(
        place=untied.groupby("query_id")["score"].rank(ascending=False),
        late=lambda t: (t["place"] > 10) & (t["grade"] >= 1),
    )
    late = by_rank[by_rank["late"]].sort_values("place").groupby("query_id").head(1)
    assert set(late["query_id"]) == set(evaluation.queries[~np.isnan(seen.late[0])])
    without = untied.copy()
    without.loc[late.index, "doc_id"] = "new" + late["doc_id"]
    without.loc[late.index, "grade"] = np.nan
    judged = untied.loc[late.index].assign(score=np.nan)
    after = rm.evaluate(pd.concat([without, judged]), USUAL, score="score").per_query
    moved = evaluation.per_query - after
    np.testing.assert_allclose(moved["AP"], np.nan_to_num(seen.late[0]), atol=1e-12)
    assert (moved[["nDCG@10", "ERR@10"]].abs() < 1e-12).all(axis=None)


@pytest.mark.parametrize("depth", [None, 12])
def test_what_rr_and_ap_take_for_alike_by_trying_every_order(depth: int | None) -> None:
    rng = np.random.default_rng(4)
    frames = [
        frame_of(
            rng.choice([0, 1, 2, 3, np.nan, -1], size=length).tolist(), missed=[3], query=f"{n}-"
        )
        for n, length in enumerate([1, 3, 5, 6, 6, 9])
    ]
    # Rankings that share a block with longer ones end in empty places.
    for n, grades in enumerate([[1, 2, 0, 3], [1, 2, 0, 3, 0], [0, 1, 2, 1], [3, 0, 1, 1, 0]]):
        frames.append(frame_of(grades, missed=[3], query=f"x{n}-"))
    k = 5
    evaluation = rm.evaluate(pd.concat(frames), ["RR", "AP"], depth=depth, max_grade=3, rel=2)
    seen = gather(evaluation, k)
    measures = [f"nDCG@{k}", f"ERR@{k}", "RR", "AP"]
    for place, frame in enumerate(frames):
        shown = frame[frame["score"].notna()]
        size = min(k, len(shown))
        pattern = (shown["grade"] >= 2).tolist()[:size]
        orders = [
            order
            for order in itertools.permutations(range(size))
            if [pattern[at] for at in order] == pattern
        ]
        copies = []
        for number, order in enumerate(orders):
            grades = frame["grade"].to_numpy().copy()
            grades[:size] = grades[list(order)]
            copies.append(frame.assign(grade=grades, query=f"{number}"))
        values = rm.evaluate(pd.concat(copies), measures, depth=depth, max_grade=3, rel=2).per_query
        assert np.ptp(values["RR"]) == np.ptp(values["AP"]) == 0
        right = [
            values[name].agg(how) for name in (f"nDCG@{k}", f"ERR@{k}") for how in ("min", "max")
        ]
        # ERR's highest grade is the frame's; without max_grade= it would be each copy's own.
        ours = [seen.ndcg_low, seen.ndcg_high, seen.err_low, seen.err_high]
        assert [part[0, place] for part in ours] == pytest.approx(right, abs=1e-12)


def test_agreement_of_measures_is_scipys(
    evaluation: rm.Evaluation, diagnosis: Diagnosis, shop: pd.DataFrame
) -> None:
    hopeful = shop.groupby("query_id")["grade"].max() >= 1
    values = evaluation.per_query[hopeful]
    means = values.mean().unstack()
    for one, other in itertools.combinations(USUAL, 2):
        right = stats.kendalltau(means[one], means[other]).statistic
        assert diagnosis.tau_systems.loc[one, other] == pytest.approx(right)
        taus = [stats.kendalltau(values[s, one], values[s, other]).statistic for s in SYSTEMS]
        assert diagnosis.tau_queries.loc[one, other] == pytest.approx(np.mean(taus))
        decided = opposite = 0
        for a, b in itertools.combinations(SYSTEMS, 2):
            signs = [
                np.sign((values[a, name] - values[b, name]).where(lambda d: d.abs() > 1e-12, 0))
                for name in (one, other)
            ]
            decided += int((signs[0] * signs[1] != 0).sum())
            opposite += int((signs[0] * signs[1] < 0).sum())
        assert diagnosis.disagreement.loc[one, other] == pytest.approx(opposite / decided)
    for table in (diagnosis.tau_systems, diagnosis.tau_queries, diagnosis.disagreement):
        assert table.index.tolist() == table.columns.tolist() == USUAL
        np.testing.assert_array_equal(table, table.T)


def test_discriminative_power_is_that_of_paired_t_tests(
    evaluation: rm.Evaluation, diagnosis: Diagnosis, shop: pd.DataFrame
) -> None:
    hopeful = shop.groupby("query_id")["grade"].max() >= 1
    values = evaluation.per_query[hopeful]
    for name in USUAL:
        p = [
            stats.ttest_rel(values[a, name], values[b, name]).pvalue
            for a, b in itertools.combinations(SYSTEMS, 2)
        ]
        assert diagnosis.discriminative_power[name] == np.mean(np.array(p) < 0.05)
    assert diagnosis["power"].found
    assert "Of 6 pairs of systems they tell apart at 5 %" in diagnosis["power"].evidence


def test_the_systems_on_which_measures_disagree(
    evaluation: rm.Evaluation, diagnosis: Diagnosis
) -> None:
    finding, means = diagnosis["order"], evaluation.mean()
    assert finding.found
    for one, other, above, below in finding.numbers.to_numpy():
        assert means.loc[above, one] > means.loc[below, one]
        assert means.loc[above, other] < means.loc[below, other]
    found = {frozenset(row) for row in finding.numbers[["above", "below by the other"]].to_numpy()}
    assert found == {frozenset({"bm25", "rrf"})}
    assert "neither difference is beyond chance" in finding.evidence


def test_every_claim_is_borne_out_on_the_shop_but_redundancy(diagnosis: Diagnosis) -> None:
    assert list(diagnosis) == ["grades", "first", "depth", "recall", "order", "power", "redundant"]
    assert found(diagnosis) == set(diagnosis) - {"redundant"}
    assert "nearest are AP and nDCG@10" in diagnosis["redundant"].evidence


# Where a finding must appear, and where it must not.


def test_grades_that_rr_and_ap_do_not_see() -> None:
    finding = diagnosed(frame_of([1, 3, 0], [3, 1, 0]))["grades"]
    assert finding.found
    assert finding.numbers.iloc[0].tolist()[:2] == [2, 2]
    row = finding.examples.iloc[0]
    assert row["nDCG@10 best"] == 1.0
    assert row["nDCG@10 worst"] == pytest.approx((1 + 7 / np.log2(3)) / (7 + 1 / np.log2(3)))
    assert row["RR"] == row["AP"] == 1.0
    assert row["grades shown"] == "1 3 0"


@pytest.mark.parametrize(
    ("rankings", "options", "why"),
    [
        ([[1, 0, 1], [0, 1, 1]], {}, "Grades are binary here: 1 is the only one above 0"),
        ([[4, 0, 4], [0, None, 4]], {"rel": 3}, "Grades are binary here: 4 is the only one"),
        ([[3, 0, 3], [1, 0, 1]], {}, "No first 10 results hold documents of different grades"),
    ],
)
def test_where_rr_and_ap_miss_no_grade(rankings: Any, options: Any, why: str) -> None:
    finding = diagnosed(frame_of(*rankings), **options)["grades"]
    assert not finding.found
    assert why in finding.evidence
    assert "RR and AP miss none of them" in finding.evidence


def test_grades_below_the_first_k_are_nobodys_business() -> None:
    long = [2] + [0] * 9 + [1, 2]
    assert not diagnosed(frame_of(long, long))["grades"].found
    assert diagnosed(frame_of(long, long), k=11)["grades"].found


def test_rr_is_blind_after_the_first_relevant_result() -> None:
    finding = diagnosed(frame_of([1, 0, 0], [3, 3, 0], missed=[3, 3]))["first"]
    assert finding.found
    assert finding.numbers.iloc[0].tolist() == [2, 2, 1]
    assert finding.examples["query"].tolist() == ["q0"]
    good = diagnosed(frame_of([3, 1, 0], [2, 2, 1]))["first"]
    assert not good.found
    assert good.evidence == "Wherever RR is 1, nDCG@10 is at least 1.000."
    late = diagnosed(frame_of([0, 3, 1], [0, 2, 2]))["first"]
    assert not late.found
    assert "RR is 1 nowhere" in late.evidence


def test_ap_is_earned_below_the_first_k() -> None:
    deep = frame_of([1] + [0] * 9 + [1] * 10)
    finding = diagnosed(deep)["depth"]
    assert finding.found
    above = 1 / 11
    total = (1 + sum((hits + 1) / (hits + 10) for hits in range(1, 11))) / 11
    assert finding.numbers.iloc[0].item() == pytest.approx(1 - above / total)
    assert not diagnosed(deep, k=20)["depth"].found
    shallow = diagnosed(frame_of([1, 1, 0], [0, 1, 1]))["depth"]
    assert not shallow.found
    assert "only 0 % is earned below rank 10" in shallow.evidence


def test_what_one_late_or_missing_document_costs() -> None:
    late = diagnosed(frame_of([1] + [0] * 10 + [1]))["recall"]
    assert late.found
    assert late.examples.iloc[0]["cost of one late"] == pytest.approx(2 / 12 / 2)
    assert "nDCG@10 and ERR@10 would not move" in late.evidence
    missing = diagnosed(frame_of([1, 0], [1, 1], missed=[1]))["recall"]
    assert missing.found
    assert missing.examples["cost of one missing"].tolist() == [1 / 2, 1 / 3]
    assert missing.examples[["relevant", "retrieved"]].to_numpy().tolist() == [[2, 1], [3, 2]]
    assert "would not move" not in missing.evidence
    none = diagnosed(frame_of([1, 1, 0], [0, 1, 1]))["recall"]
    assert not none.found
    # A query whose relevant documents all are missing is worth nothing to any measure.
    nothing = diagnosed(pd.concat([frame_of([1, 1]), frame_of([0], missed=[1, 1], query="z")]))
    assert not nothing["recall"].found


def test_one_relevant_document_a_query_leaves_rr_and_ap_their_place() -> None:
    found_ = diagnosed(frame_of([0, 1, 0], [1, 0, 0], [0, 0, 2]))
    assert "single" in found_
    assert not {"grades", "first", "depth", "recall"} & set(found_)
    assert "both are fine here" in found_["single"].evidence
    redundant = found_["redundant"]
    assert redundant.found
    assert "RR and AP are the same number in every query" in redundant.evidence


def test_nothing_is_claimed_where_nothing_is_to_be_found() -> None:
    empty = diagnosed(frame_of([0, 0], [0, 0]))
    assert found(empty) == set()
    assert "No answered query has anything relevant" in empty["nothing"].evidence
    assert found(diagnosed(frame_of([0, 0], missed=[1, 1]))) == set()
    assert found(diagnosed(frame_of([1]))) == set()


def test_unanswered_and_unjudged_queries_are_not_held_against_a_measure() -> None:
    frame = pd.concat(
        [
            frame_of([3, 1, 0]),
            frame_of([], missed=[3, 1], query="silent"),
            frame_of([None, None], query="unknown"),
        ]
    )
    whole, alone = diagnosed(frame), diagnosed(frame_of([3, 1, 0]))
    for name in ("grades", "first", "recall"):
        assert whole[name].found == alone[name].found
    assert whole["grades"].numbers["queries"].tolist() == [1]


def two_systems(rows: Sequence[tuple[Grades, Grades]]) -> pd.DataFrame:
    """Return queries with the same documents ranked by two systems, a and b."""
    parts = []
    for number, (a, b) in enumerate(rows):
        assert sorted(a) == sorted(b)
        order = sorted(range(len(a)), key=lambda place: -a[place])
        other = sorted(range(len(b)), key=lambda place: -b[place])
        part = pd.DataFrame({"doc": range(len(a)), "grade": sorted(a, reverse=True)})
        parts.append(
            part.assign(
                query=f"q{number}", a=[-place for place in order], b=[-place for place in other]
            )
        )
    return pd.concat(parts, ignore_index=True)


def test_measures_that_disagree_about_which_system_is_better() -> None:
    # a puts the best document first and loses the others; b has middling ones in front.
    rows = [([3, 0, 0, 1, 1], [1, 1, 3, 0, 0])] * 3
    finding = diagnosed(two_systems(rows), ["P@3"], score=["a", "b"])["order"]
    assert finding.found
    assert ["AP", "ERR@10", "b", "a"] in finding.numbers.to_numpy().tolist()
    assert finding.numbers[["measure", "other"]].isin(["P@3"]).any(axis=None)
    agreed = [([3, 1, 0], [0, 1, 3])] * 3
    same = diagnosed(two_systems(agreed), score=["a", "b"])
    assert not same["order"].found
    assert "All measures put the systems in one order; no two of them" in same["order"].evidence
    one = diagnosed(frame_of([1, 0], [0, 1]))
    assert not one["order"].found
    assert "It takes two systems" in one["order"].evidence
    assert "power" not in one
    assert one.discriminative_power.isna().all()


def test_measures_that_agree_overall_and_part_query_by_query() -> None:
    rows = [([3, 0, 0, 1, 1], [1, 1, 3, 0, 0])] + [([3, 1, 0], [0, 1, 3])] * 5
    both = diagnosed(two_systems(rows), score=["a", "b"])["order"]
    assert both.numbers.empty
    assert both.found
    assert "query by query AP and nDCG@10 part most often, in 17 %" in both.evidence


def test_equal_power_is_not_called_a_difference() -> None:
    identical = two_systems([([3, 1, 0], [3, 1, 0])] * 4)
    none = diagnosed(identical, score=["a", "b"])
    assert not none["power"].found
    assert "Every measure tells 0 of 1 pair of systems apart" in none["power"].evidence
    assert (none.discriminative_power == 0).all()


def test_counts_are_not_held_against_measures() -> None:
    measures = ["NumRet", "Judged@5", "nDCG@5", "GMAP", "RBPResidual"]
    found_ = diagnosed(frame_of([1, 0], [0, 1]), measures)
    assert found_.tau_queries.index.tolist() == [*USUAL, "nDCG@5"]


def test_weights_count_in_what_is_a_difference(shop: pd.DataFrame) -> None:
    weighty = shop.assign(traffic=1 / shop["query_id"].str[1:].astype(int))
    evaluation = rm.evaluate(weighty, USUAL, score=SYSTEMS, weight="traffic")
    hopeful = shop.groupby("query_id")["grade"].max() >= 1
    values, weights = evaluation.per_query[hopeful], evaluation.weights[hopeful].to_numpy()
    power = evaluation.diagnose().discriminative_power
    number, freedom = len(weights), weights.sum() ** 2 / (weights**2).sum() - 1
    for name in USUAL:
        apart = []
        for a, b in itertools.combinations(SYSTEMS, 2):
            differences = (values[a, name] - values[b, name]).to_numpy()
            mean = np.average(differences, weights=weights)
            moved = weights * (differences - mean) / (weights.sum() - weights)
            error = np.sqrt((number - 1) / number * (moved**2).sum())
            apart.append(2 * stats.t.sf(abs(mean) / error, freedom) < 0.05)
        assert power[name] == np.mean(apart)


def test_weights_count_in_the_order_of_systems_and_in_power() -> None:
    rows = [([3, 1, 0], [0, 1, 3])] + [([0, 1, 3], [3, 1, 0])] * 2
    frame = two_systems(rows).assign(traffic=lambda t: np.where(t["query"] == "q0", 10.0, 1.0))
    plain = rm.evaluate(frame, score=["a", "b"]).diagnose()
    weighted = rm.evaluate(frame, score=["a", "b"], weight="traffic").diagnose()
    assert plain.evaluation.mean()["RR"].idxmax() == "b"
    assert weighted._agreement.means[:, 0].argmax() == 0
    assert plain._agreement.means[:, 0].argmax() == 1


@pytest.mark.parametrize(
    "options", [{"ties": "trec"}, {"ties": "worst"}, {"unjudged": "remove"}, {"rel": 2}]
)
def test_the_evaluations_conventions_hold(shop: pd.DataFrame, options: dict[str, Any]) -> None:
    found_ = diagnosed(shop, "RR", score="bm25", **options)
    values = rm.evaluate(shop, USUAL, score="bm25", **options).per_query
    perfect = values["RR"] == 1
    right = [perfect.sum(), (perfect & (values["nDCG@10"] < 0.5)).sum()]
    assert found_["first"].numbers.iloc[0].tolist()[1:] == right


# What it looks like.


def test_text_and_html_hold_every_finding(diagnosis: Diagnosis) -> None:
    text = " ".join(repr(diagnosis).split())
    html = re.sub(r"<[^>]*>", " ", diagnosis.to_html()).replace("&#x27;", "'").replace("&lt;", "<")
    for finding in diagnosis.values():
        assert finding.evidence in text
        assert finding.evidence in " ".join(html.split())
        assert finding.claim in text
    assert text.count("Not found here:") == 1
    assert diagnosis._repr_html_() == diagnosis.to_html()
    assert "<script" not in diagnosis.to_html()
    assert "0.033" in html


def test_the_frame_can_be_read_by_a_machine(diagnosis: Diagnosis) -> None:
    table = diagnosis.to_frame()
    assert table.columns.tolist() == ["claim", "found", "evidence", "queries"]
    assert table["found"].tolist() == [True] * 6 + [False]
    for name, row in table.iterrows():
        assert row["evidence"] == diagnosis[str(name)].evidence
        assert list(row["queries"]) == list(diagnosis[str(name)].examples.get("query", []))
    assert len(set(table.loc["grades", "queries"])) == 5


def test_numbers_that_name_a_query_are_written_as_they_are() -> None:
    frame = frame_of([1, 3, 0], [3, 1, 0])
    shown = diagnosed(frame.assign(query=frame["query"].map({"q0": 12345, "q1": 7})))
    assert "12345" in repr(shown)
    assert "12,345" not in repr(shown)
    assert "12,345" not in shown.to_html()


def test_names_are_escaped() -> None:
    frame = frame_of([1, 0, 3], missed=[3], query=EVIL, system=EVIL)
    shown = diagnosed(frame.assign(other=frame[EVIL]), score=[EVIL, "other"])
    assert "<img" not in shown.to_html()
    assert EVIL.replace("<", "&lt;")[:20] in shown.to_html()
    lines = diagnosed(frame_of([1, 0, 3], missed=[3], query="\x1b[31m\n"))
    assert "\x1b" not in repr(lines)
    assert "\x1b" not in lines.to_html()


def test_what_can_not_be_asked(evaluation: rm.Evaluation, diagnosis: Diagnosis) -> None:
    for k in (0, 2.5, -1, "10"):
        with pytest.raises(MeasureError, match="k must be a whole number"):
            evaluation.diagnose(k=k)
    with pytest.raises(RankMagicError, match=r"no finding 'grade'.*Did you mean grades"):
        diagnosis["grade"]
    assert diagnosis.get("grade") is None
    assert diagnosis.get("grades") is diagnosis["grades"]


def test_rankings_that_were_not_kept_can_not_be_looked_at(evaluation: rm.Evaluation) -> None:
    class Rowless(rm.Evaluation):
        rows_at_hand = False

    elsewhere = Rowless.of(evaluation.rankings, evaluation.measures)
    with pytest.raises(DataError, match="The rows were not kept"):
        elsewhere.diagnose()
    with pytest.raises(DataError, match=r"The rows were not kept.*per_query.groupby"):
        elsewhere.by("query")
