"""compare(): what is found, what is warned of, and what is refused."""

from __future__ import annotations

import itertools
import re
import time
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rank_magic as rm
from rank_magic import threads, watching
from rank_magic.comparison.comparison import Comparison, Plan
from rank_magic.comparison.pairs import pairs_of
from rank_magic.comparison.together import together
from rank_magic.errors import ConventionError, DataError, RankMagicError, RegressionError
from rank_magic.progress import watched
from rank_magic.records import record_of

SYSTEMS = ["bm25", "minilm", "rrf", "tfidf_title"]
RESAMPLES = 2000


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    return rm.datasets.load_electronics()


@pytest.fixture(scope="module")
def trec(shop: pd.DataFrame) -> rm.Evaluation:
    return rm.evaluate(shop, "nDCG@10 AP RR", score=SYSTEMS, ties="trec", gain="linear")


@pytest.fixture(scope="module")
def every_pair(trec: rm.Evaluation) -> rm.Comparison:
    return trec.compare(resamples=RESAMPLES)


@pytest.fixture(scope="module")
def to_bm25(trec: rm.Evaluation) -> rm.Comparison:
    return trec.compare(baseline="bm25", resamples=RESAMPLES)


def frame_of(values: dict[str, list[float]], **more: list[object]) -> pd.DataFrame:
    """A frame in which P@1 of each query and system is 1 or 0, as given."""
    queries = len(next(iter(values.values())))
    rows = [
        {"query": f"q{number}", "doc": doc, "grade": int(doc == "good")}
        | {name: float((doc == "good") == bool(row[number])) for name, row in values.items()}
        | {name: row[number] for name, row in more.items()}
        for number in range(queries)
        for doc in ("good", "bad")
    ]
    return pd.DataFrame(rows)


def evaluated(
    values: dict[str, list[float]], measures: str = "P@1", **options: object
) -> rm.Evaluation:
    return rm.evaluate(frame_of(values), measures, score=list(values), **options)


# The shop's facts.


def test_rrf_against_bm25_is_no_evidence(trec: rm.Evaluation) -> None:
    alone = rm.evaluate(
        rm.datasets.load_electronics(), "nDCG@10", score=["bm25", "rrf"], ties="trec", gain="linear"
    )
    row = alone.compare().to_frame().loc[("nDCG@10", "rrf", "bm25")]
    assert row["difference"] == pytest.approx(0.0169, abs=5e-5)
    assert row["p_t"] == pytest.approx(0.23, abs=0.005)
    for test in ("wilcoxon", "randomisation", "bootstrap"):
        assert 0.2 < row[f"p_{test}"] < 0.35
    assert row["queries"] == 135
    assert alone.compare().sentences() == [
        "rrf is 0.017 above bm25 on nDCG@10; with 135 queries that is not evidence, p = 0.23. "
        "About 736 queries would show a difference of this size (80 % power)."
    ]


def test_minilm_against_bm25_is_evidence_until_unjudged_documents_are_removed(
    to_bm25: rm.Comparison,
) -> None:
    row = to_bm25.to_frame().loc[("nDCG@10", "minilm", "bm25")]
    assert row["difference"] == pytest.approx(-0.125, abs=5e-4)
    assert row["p_t"] == pytest.approx(3e-6, rel=0.2)
    other = to_bm25.sensitivity.loc[("nDCG@10", "minilm", "bm25")]
    assert other["unjudged_removed"] == pytest.approx(0.7532 - 0.7014, abs=1e-4)
    assert other["unjudged_low"] < -0.4 < 0.4 < other["unjudged_high"]
    first = to_bm25.warnings()[0]
    assert first.startswith(
        "Unjudged documents decide nDCG@10: as grade 0 they leave minilm 0.125 below bm25, removed "
        "from the rankings they leave it 0.052 above (Judged@10: minilm 39 %, bm25 74 %)."
    )
    assert "between −0.495 and +0.438" in first
    assert first in to_bm25.to_html().replace("&#x27;", "'")
    assert " ".join(first.split()) in " ".join(repr(to_bm25).split())


def test_bounds_are_those_of_the_evaluations(trec: rm.Evaluation, to_bm25: rm.Comparison) -> None:
    of_systems, found = trec.sensitivity, to_bm25.sensitivity
    for measure, system in itertools.product(trec.names, SYSTEMS[1:]):
        of_system, of_bm25 = of_systems.loc[(system, measure)], of_systems.loc[("bm25", measure)]
        row = found.loc[(measure, system, "bm25")]
        ends = [
            ("ties_low", "worst", "best"),
            ("ties_high", "best", "worst"),
            ("unjudged_low", "unjudged_worthless", "unjudged_best"),
            ("unjudged_high", "unjudged_best", "unjudged_worthless"),
        ]
        for column, mine, theirs in ends:
            expected = of_system[mine] - of_bm25[theirs]
            assert row[column] == pytest.approx(expected, abs=1e-12, nan_ok=True)


# What is found.


def test_every_number_is_that_of_the_paired_values(
    trec: rm.Evaluation, every_pair: rm.Comparison
) -> None:
    values, table = trec.per_query, every_pair.to_frame()
    assert len(table) == 3 * 6
    for (measure, system, baseline), row in table.iterrows():
        a, b = values[system][measure], values[baseline][measure]
        oracle = stats.ttest_rel(a, b)
        low, high = oracle.confidence_interval(0.95)
        assert (row["mean"], row["baseline_mean"]) == pytest.approx((a.mean(), b.mean()))
        assert row["difference"] == pytest.approx(a.mean() - b.mean())
        assert row["p_t"] == pytest.approx(oracle.pvalue, rel=1e-9)
        assert (row["low"], row["high"]) == pytest.approx((low, high))
        moved = (a - b)[(a - b).abs() > 1e-12].round(12)
        wilcoxon = stats.wilcoxon(moved, method="approx", correction=False).pvalue
        assert row["p_wilcoxon"] == pytest.approx(wilcoxon, rel=1e-9)
        assert row["wins"] == (moved > 0).sum()
        assert row["losses"] == (moved < 0).sum()
        assert row[["wins", "ties", "losses"]].sum() == row["queries"] == 135
        assert row["effect_size"] == pytest.approx((a - b).mean() / (a - b).std())
        assert row["low"] < row["bootstrap_high"]
        assert row["high"] > row["bootstrap_low"]
    assert not table.drop(columns="note").isna().any(axis=None)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("how", "theirs"), [("holm", "holm"), ("bonferroni",) * 2, ("bh", "fdr_bh")]
)
def test_corrections_are_over_all_measures_and_pairs(
    trec: rm.Evaluation, how: str, theirs: str
) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    table = trec.compare(correction=how, resamples=200).to_frame()
    for test in ("t", "wilcoxon", "randomisation", "bootstrap"):
        expected = multitest.multipletests(table[f"p_{test}"], method=theirs)[1]
        assert table[f"p_{test}_corrected"].to_numpy() == pytest.approx(expected)


def test_tukeys_correction_is_of_all_pairs_at_once(trec: rm.Evaluation) -> None:
    found = trec.compare(correction="tukey", resamples=RESAMPLES)
    table = found.to_frame()
    assert [name for name in table if name.endswith("corrected")] == ["p_randomisation_corrected"]
    assert (table["p_randomisation_corrected"] >= table["p_randomisation"] - 0.02).all()
    assert found.evident.tolist() == (table["p_randomisation_corrected"] < 0.05).tolist()
    assert "Tukey's HSD over 18 comparisons" in repr(found)


@pytest.mark.parametrize("correction", ["holm", "tukey"])
def test_neither_the_order_of_systems_nor_threads_change_a_bit(
    shop: pd.DataFrame, correction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def p_values(systems: list[str]) -> dict[tuple[str, frozenset[str]], dict[str, float]]:
        evaluation = rm.evaluate(shop, "nDCG@5 P@1", score=systems)
        table = evaluation.compare(correction=correction, resamples=500, seed=3).to_frame()
        table = table[[name for name in table if name.startswith("p_")]]
        return {(measure, frozenset(pair)): dict(row) for (measure, *pair), row in table.iterrows()}

    expected = p_values(SYSTEMS)
    monkeypatch.setattr(threads, "THREADS", 3)
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    assert p_values(SYSTEMS[::-1]) == expected
    assert p_values([SYSTEMS[at] for at in (2, 0, 3, 1)]) == expected


def test_the_queries_won_and_lost_are_named(trec: rm.Evaluation, to_bm25: rm.Comparison) -> None:
    values = trec.per_query
    expected = values["rrf"]["AP"] - values["bm25"]["AP"]
    won = to_bm25.wins("ap", system="rrf")
    lost = to_bm25.losses("AP", system="rrf", baseline="bm25")
    assert won.index[0] == expected.idxmax()
    assert won.is_monotonic_decreasing
    assert lost.index[0] == expected.idxmin()
    assert lost.is_monotonic_increasing
    row = to_bm25.to_frame().loc[("AP", "rrf", "bm25")]
    assert [len(won), len(to_bm25.ties("AP", system="rrf")), len(lost)] == row[
        ["wins", "ties", "losses"]
    ].tolist()
    assert to_bm25.wins(system="rrf").name == "nDCG@10"
    assert to_bm25.differences[("AP", "rrf", "bm25")].loc[won.index].tolist() == won.tolist()


def test_a_pair_must_be_named_where_there_are_several(to_bm25: rm.Comparison) -> None:
    with pytest.raises(RankMagicError, match=r"Say which pair: .* fit 3 of the pairs"):
        to_bm25.wins()
    with pytest.raises(RankMagicError, match=r"no system 'bm52'\. .*Did you mean bm25"):
        to_bm25.wins(system="bm52")
    with pytest.raises(RankMagicError, match=r"'nDCG@5' was not compared"):
        to_bm25.wins("nDCG@5", system="rrf")


def test_one_sided_tests(trec: rm.Evaluation) -> None:
    both, greater, less = (
        trec.compare(baseline="bm25", alternative=side, resamples=RESAMPLES).to_frame()
        for side in ("two-sided", "greater", "less")
    )
    assert (greater["p_t"] + less["p_t"]).to_numpy() == pytest.approx(1.0)
    assert both["p_t"].to_numpy() == pytest.approx(2 * np.minimum(greater["p_t"], less["p_t"]))
    for test in ("wilcoxon", "randomisation", "bootstrap"):
        assert (greater[f"p_{test}"] + less[f"p_{test}"]).to_numpy() == pytest.approx(1, abs=0.01)
    assert both["low"].tolist() == greater["low"].tolist()


def test_without_resamples_there_are_no_columns_of_them(trec: rm.Evaluation) -> None:
    table = trec.compare(resamples=0).to_frame()
    assert [name for name in table if "random" in name or "boot" in name] == []
    assert not table.drop(columns="note").isna().any(axis=None)


# Evaluations against each other.


def test_two_evaluations_of_one_system(shop: pd.DataFrame) -> None:
    before, after = (rm.evaluate(shop, "nDCG@10", score=name) for name in ("bm25", "rrf"))
    found = rm.compare(before, after, resamples=200)
    assert found.to_frame().index.tolist() == [("nDCG@10", "rrf", "bm25")]
    together = rm.evaluate(shop, "nDCG@10", score=["bm25", "rrf"]).compare(resamples=200)
    pd.testing.assert_frame_equal(found.to_frame(), together.to_frame())
    pd.testing.assert_frame_equal(found.sensitivity, together.sensitivity)


def test_systems_of_the_same_name_are_told_apart(shop: pd.DataFrame) -> None:
    half = shop[shop["query_id"] < "q068"]
    one, two = (rm.evaluate(half, "P@5", score=SYSTEMS[:2]) for _ in "ab")
    found = rm.compare(one, two, resamples=0).to_frame()
    assert [row[1:] for row in found.index] == [("b: bm25", "a: bm25"), ("b: minilm", "a: minilm")]
    named = rm.compare(one, two, names=["41", "42"], resamples=0)
    assert named.systems == ("41: bm25", "41: minilm", "42: bm25", "42: minilm")
    single = [rm.evaluate(half, "P@5", score="bm25") for _ in "ab"]
    assert rm.compare(*single, names=["old", "new"], resamples=0).rows == [("P@5", "new", "old")]
    assert rm.compare(*single, resamples=0).rows == [("P@5", "b", "a")]
    with pytest.raises(RankMagicError, match="a name for each of the 2 evaluations"):
        rm.compare(one, two, names=["41"])
    with pytest.raises(RankMagicError, match="must tell the evaluations apart"):
        rm.compare(*single, names=["x", "x"])


def test_pairs_are_over_the_union_of_queries_and_say_so(shop: pd.DataFrame) -> None:
    few = shop[shop["query_id"] > "q010"]
    full, part = (
        rm.evaluate(shop, "nDCG@10", score="bm25"),
        rm.evaluate(few, "nDCG@10", score="rrf"),
    )
    found = rm.compare(full, part, resamples=0)
    row = found.to_frame().iloc[0]
    assert row["queries"] == 135
    expected = part.per_query["nDCG@10"].reindex(full.queries, fill_value=0.0)
    assert row["mean"] == pytest.approx(expected.mean())
    assert row["difference"] == pytest.approx((expected - full.per_query["nDCG@10"]).mean())
    text = " ".join(repr(found).split())
    assert "10 of 135 queries are not in the evaluation of rrf, such as 'q001'" in text
    assert "taken as unanswered, they score 0" in text
    skipped = [
        rm.evaluate(frame, "nDCG@10", score=name, unanswered="skip")
        for frame, name in ((shop, "bm25"), (few, "rrf"))
    ]
    left_out = rm.compare(*skipped, resamples=0)
    answered = full._values.answered[0] & (full.queries > "q010")
    assert left_out.to_frame()["queries"].iloc[0] == answered.sum() < 125
    assert "they are left out" in " ".join(repr(left_out).split())


def test_evaluations_with_nothing_in_common_are_refused() -> None:
    one = evaluated({"a": [1, 0]})
    other = rm.evaluate(
        pd.DataFrame({"query": [1, 2], "grade": [1, 0], "score": [1.0, 2.0]}), "P@1"
    )
    with pytest.raises(DataError, match=r"no query in common.*'q0'.*such as 1"):
        rm.compare(one, other)
    with pytest.raises(RankMagicError, match=r"no measure in common: 'P@1' and 'RR'"):
        rm.compare(one, evaluated({"b": [1, 0]}, "RR"))
    with pytest.raises(RankMagicError, match=r"not Series"):
        rm.compare(one, one.per_query["P@1"])  # type: ignore[arg-type]


def test_measures_that_not_all_have_are_left_out_and_named() -> None:
    found = rm.compare(evaluated({"a": [1, 0, 1]}, "P@1 RR"), evaluated({"b": [1, 1, 0]}, "AP RR"))
    assert found.names == ["RR"]
    assert "Not measured by all, and left out: P@1, AP." in found.warnings()


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"ties": "trec"}, "ties is 'average' and 'trec'"),
        ({"gain": "linear"}, "gain is 'exp2' and 'linear'"),
        ({"gain": {0: 0, 1: 5}}, "gain is 'exp2' and '{0: 0, 1: 5}'"),
        ({"discount": [1, 0.5]}, "discount is 'log2' and '"),
        ({"rel": 2}, "rel is 1.0 and 2"),
        ({"depth": 5}, "depth is None and 5"),
        ({"unanswered": "skip", "no_relevant": "one"}, "unanswered is 'zero' and 'skip'; no_rel"),
        ({"max_grade": 4}, "max_grade is 1.0 and 4"),
    ],
)
def test_other_conventions_are_an_error_that_names_them(
    changed: dict[str, object], named: str
) -> None:
    one, other = evaluated({"a": [1, 0]}, "ERR"), evaluated({"b": [1, 0]}, "ERR", **changed)
    with pytest.raises(ConventionError) as error:
        rm.compare(one, other)
    assert named in str(error.value)


def test_the_top_grade_is_a_convention_only_of_measures_that_ask_for_it() -> None:
    frame = frame_of({"a": [1, 0, 1]})
    richer = frame.assign(grade=frame["grade"] * 3)
    both = [rm.evaluate(one, "ERR P@1", score="a") for one in (frame, richer)]
    with pytest.raises(ConventionError, match=r"max_grade is 1\.0 and 3\.0"):
        rm.compare(*both)
    rm.compare(*[rm.evaluate(one, "P@1", score="a") for one in (frame, richer)], resamples=0)
    said = rm.evaluate(frame, "ERR P@1", score="a", max_grade=3)
    rm.compare(both[1], said, resamples=0)


def test_registered_gains_are_compared_by_what_they_mean(
    shop: pd.DataFrame, tmp_path: Path
) -> None:
    made = []
    for top in (10, 11):
        rm.register_gain("till", {0: 0, 1: 1, 2: 3, 3: top})
        rm.evaluate(shop, "nDCG(gain=till)@10 RR", score="bm25").save(tmp_path / "release.zip")
        made.append(rm.load(tmp_path / "release.zip"))
    assert made[0].names == made[1].names
    with pytest.raises(
        ConventionError, match=r"gain of nDCG\(gain=till\)@10 is .*3: 10.* and .*11"
    ):
        rm.compare(*made)


def test_changed_judgments_are_told() -> None:
    frame = frame_of({"a": [1, 0, 1, 1]})
    later = frame.assign(grade=frame["grade"].astype(float))
    later.loc[1, "grade"] = np.nan
    both = [rm.evaluate(one, "P@1", score="a") for one in (frame, later)]
    assert any("judgments changed" in text.lower() for text in rm.compare(*both).warnings())


def test_evaluations_whose_rows_were_not_kept_are_compared_too(
    shop: pd.DataFrame, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    shop.to_parquet(tmp_path / "shop.parquet")
    options = {"measures": "nDCG@10", "score": ["bm25", "rrf"]}
    far = rm.evaluate(str(tmp_path / "shop.parquet"), **options)
    found, expected = (
        far.compare(resamples=200),
        rm.evaluate(shop, **options).compare(resamples=200),
    )
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    assert "rows were not kept" in " ".join(repr(found).split())
    far.save(tmp_path / "far.zip")
    again = rm.compare(rm.load(tmp_path / "far.zip"), resamples=200)
    pd.testing.assert_frame_equal(again.to_frame(), expected.to_frame())
    assert "rows were not kept" in " ".join(again.warnings())


# Little, and oddities.


def nothing_missing_without_reason(found: rm.Comparison) -> None:
    table = found.to_frame()
    missing = table.drop(columns="note").isna().any(axis=1)
    assert (table["note"] != "")[missing].all()
    for form in (repr(found), found.to_html(), found.to_markdown(), found.to_latex()):
        assert not re.search(r"(?<!')\bnan\b", unescape(form))
    for reason in set(table["note"]) - {""}:
        assert reason in " ".join(found.warnings())


def test_one_system_can_not_be_compared() -> None:
    with pytest.raises(RankMagicError, match=r"needs two systems, .* one, 'a'\. .*compare\(before"):
        evaluated({"a": [1, 0]}).compare()


def test_one_query() -> None:
    found = evaluated({"a": [1], "b": [0]}).compare()
    nothing_missing_without_reason(found)
    row = found.to_frame().iloc[0]
    assert row["p_randomisation"] == 1.0
    assert np.isnan(row["p_t"])
    assert found.sentences() == [
        "b is 1.000 below a on P@1; whether that is chance can't be told: one query can't tell a "
        "difference from chance."
    ]


def test_identical_systems() -> None:
    found = evaluated({"a": [1, 0, 1, 0], "b": [1, 0, 1, 0]}).compare()
    nothing_missing_without_reason(found)
    assert found.sentences() == ["b and a score the same on P@1 in each of 4 queries."]
    table = found.to_frame()
    assert (table[[name for name in table if name.startswith("p_")]] == 1.0).all(axis=None)
    assert not found.evident.any()


def test_every_query_differs_alike() -> None:
    found = evaluated({"a": [0] * 6, "b": [1] * 6}).compare()
    nothing_missing_without_reason(found)
    row = found.to_frame().iloc[0]
    assert row["p_randomisation"] == 2 / 2**6
    assert "no spread" in row["note"]


def test_means_that_are_level() -> None:
    found = evaluated({"a": [0, 1, 1, 0], "b": [1, 0, 1, 0]}).compare()
    nothing_missing_without_reason(found)
    assert found.sentences()[0].startswith("b is level with a on P@1; with 4 queries that is not")


def test_queries_without_relevant_documents_that_have_no_value() -> None:
    frame = frame_of({"a": [1, 0, 1, 1], "b": [0, 0, 1, 1]})
    frame.loc[frame["query"] == "q2", "grade"] = 0
    found = rm.evaluate(frame, "RR", score=["a", "b"], no_relevant="nan").compare()
    nothing_missing_without_reason(found)
    assert np.isnan(found.to_frame()["difference"].iloc[0])
    assert "have no value (no_relevant='nan')" in found.sentences()[0]


def test_measures_that_are_no_means() -> None:
    rng = np.random.default_rng(0)
    values = {"a": rng.integers(0, 2, 30).tolist(), "b": rng.integers(0, 2, 30).tolist()}
    found = evaluated(values, "GMAP NumRelRet RR").compare(resamples=200)
    nothing_missing_without_reason(found)
    means = evaluated(values, "GMAP").mean()["GMAP"]
    row = found.to_frame().xs("GMAP").iloc[0]
    assert (row["mean"], row["baseline_mean"]) == pytest.approx((means["b"], means["a"]))
    assert row["difference"] == pytest.approx(np.log(means["b"] / means["a"]))
    assert " % " in found.sentences()[0]
    assert any("of logarithms" in text for text in found.warnings())


def test_weighted_queries() -> None:
    rng = np.random.default_rng(0)
    values = {"a": rng.integers(0, 2, 40).tolist(), "b": rng.integers(0, 2, 40).tolist()}
    frame = frame_of(values, traffic=rng.integers(1, 100, 40).tolist())
    evaluation = rm.evaluate(frame, "P@1", score=["a", "b"], weight="traffic")
    found = evaluation.compare(resamples=500)
    nothing_missing_without_reason(found)
    row, means = found.to_frame().iloc[0], evaluation.mean()["P@1"]
    assert row["difference"] == pytest.approx(means["b"] - means["a"])
    assert "p_wilcoxon" not in row
    with pytest.raises(RankMagicError, match="Wilcoxon's test knows no weights"):
        evaluation.compare(test="wilcoxon")
    with pytest.raises(RankMagicError, match="needs queries without weights"):
        evaluation.compare(correction="tukey")
    with pytest.raises(ConventionError, match="One of these evaluations weights its queries"):
        rm.compare(evaluation, rm.evaluate(frame, "P@1", score="a"))
    other = rm.evaluate(frame.assign(traffic=1), "P@1", score="a", weight="traffic")
    with pytest.raises(ConventionError, match=r"weights of .* queries differ"):
        rm.compare(evaluation, other)


def test_unanswered_queries_that_decide_are_told() -> None:
    frame = frame_of({"a": [1, 1, 0, 1, 0, 1], "b": [1, 0, 0, 1, 0, 1]})
    frame.loc[frame["query"].isin(["q0", "q3", "q5"]), "a"] = np.nan
    found = rm.evaluate(frame, "P@1", score=["a", "b"]).compare()
    assert any(
        text.startswith(
            "Unanswered queries decide P@1: b is 0.333 above a, but 0.333 below it over the 3"
        )
        for text in found.warnings()
    )


def test_the_order_of_equal_scores_that_decides_is_told() -> None:
    frame = frame_of({"a": [1, 1, 0, 1], "b": [1, 1, 0, 0]})
    frame.loc[frame["query"] == "q3", "a"] = 0.5
    frame.loc[frame["query"] == "q2", "b"] = 0.5
    frame.loc[frame["query"] == "q0", "b"] = 0.5
    found = rm.evaluate(frame, "RR", score=["a", "b"]).compare()
    assert any("order of equal scores decides RR" in text for text in found.warnings()) == (
        found.sensitivity["ties_low"].iloc[0] * found.sensitivity["ties_high"].iloc[0] < 0
        and found.found.difference[0] != 0
    )
    assert found.sensitivity["ties_low"].iloc[0] < 0 < found.sensitivity["ties_high"].iloc[0]


def test_too_few_resamples_for_the_family_are_told(trec: rm.Evaluation) -> None:
    found = trec.compare(test="randomisation", resamples=200)
    assert any("no p-value of 18 comparisons can fall below 0.05" in w for w in found.warnings())
    assert not found.evident.any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "bm52"}, r"no system 'bm52' to be the baseline.*Did you mean bm25"),
        ({"correction": "holmes"}, r"correction='holmes' is not a choice.*Did you mean holm"),
        ({"test": "z"}, r"test='z' is not a choice"),
        ({"alternative": "larger"}, r"alternative='larger'"),
        ({"resamples": 50}, r"resamples must be a whole number from 100, or 0"),
        ({"resamples": 1e3 + 0.5}, r"resamples must be"),
        ({"seed": -1}, r"seed must be a whole number of at least 0"),
        ({"seed": None}, r"seed must be"),
        ({"test": "bootstrap", "resamples": 0}, r"bootstrap test needs resamples"),
        ({"correction": "tukey", "test": "t"}, r"needs test='randomisation'"),
        ({"correction": "tukey", "alternative": "less"}, r"needs alternative='two-sided'"),
        ({"correction": "tukey", "resamples": 0}, r"randomisation test needs resamples"),
    ],
)
def test_what_can_not_be_is_refused(
    trec: rm.Evaluation, options: dict[str, object], message: str
) -> None:
    with pytest.raises(RankMagicError, match=message):
        trec.compare(**options)  # type: ignore[arg-type]


def test_nothing_to_compare_is_refused() -> None:
    with pytest.raises(RankMagicError, match="Nothing to compare"):
        rm.compare()


# The guard.


def test_a_check_passes_where_nothing_is_evidently_worse(
    to_bm25: rm.Comparison, shop: pd.DataFrame
) -> None:
    to_bm25.check(ndcg=-0.3, map=-0.3, mrr=-0.3)
    alone = rm.evaluate(shop, "nDCG@10 AP RR", score=["bm25", "rrf"]).compare(resamples=0)
    alone.check({"nDCG@10": 0.0}, ap=-0.01)


def test_a_check_fails_with_a_report(to_bm25: rm.Comparison) -> None:
    with pytest.raises(RegressionError) as error:
        to_bm25.check(ndcg=-0.01, rr=-1)
    report = str(error.value)
    assert report.startswith(
        "2 of 6 checks failed, worse than its baseline by more than its margin:"
    )
    assert (
        "nDCG@10: minilm lies -0.1248 from bm25 (95 % interval -0.1754 to -0.0742, 135 queries: 21 better, 70 worse), allowed is -0.01, p = "
        in report
    )
    assert "rrf" not in report


def test_a_check_is_the_one_sided_t_test_against_the_margin(
    trec: rm.Evaluation, shop: pd.DataFrame
) -> None:
    alone = rm.evaluate(shop, "nDCG@10", score=["bm25", "minilm"], ties="trec", gain="linear")
    found = alone.compare(resamples=0)
    differences = alone.per_query["minilm"]["nDCG@10"] - alone.per_query["bm25"]["nDCG@10"]
    margins = np.linspace(-0.2, -0.02, 40)
    fails = []
    for margin in margins:
        try:
            found.check(ndcg=float(margin))
            fails.append(False)
        except RegressionError:
            fails.append(True)
    expected = [
        stats.ttest_1samp(differences, m, alternative="less").pvalue < 0.05 for m in margins
    ]
    assert fails == expected
    assert any(fails)
    assert not all(fails)


def test_the_burden_of_proof_can_be_turned_round(
    to_bm25: rm.Comparison, shop: pd.DataFrame
) -> None:
    alone = rm.evaluate(shop, "nDCG@10", score=["bm25", "rrf"], ties="trec", gain="linear")
    found = alone.compare(resamples=0)
    found.check(ndcg=-0.01, noninferior=True)  # 0.017 above, and at least 0.0065 below
    with pytest.raises(RegressionError, match="not shown to stay within its margin"):
        found.check(ndcg=0.0, noninferior=True)


@pytest.mark.parametrize(
    ("margins", "message"),
    [
        ({}, r"Say what to check.*check\(ndcg=-0.01\)"),
        ({"err": -0.1}, r"'err' was not compared, so that it can't be checked"),
        ({"ndcg": "a lot"}, r"margin of ndcg must be a number"),
        ({"ndcg": float("nan")}, r"margin of ndcg must be a number"),
    ],
)
def test_a_check_that_can_not_be_made_never_passes(
    to_bm25: rm.Comparison, margins: dict[str, float], message: str
) -> None:
    with pytest.raises(RankMagicError, match=message):
        to_bm25.check(margins)


def test_a_check_needs_something_to_go_by() -> None:
    with pytest.raises(RankMagicError, match=r"b against a on P@1 can't be checked: one query"):
        evaluated({"a": [1], "b": [0]}).compare().check(p=-0.1)
    same = evaluated({"a": [1, 0, 1], "b": [1, 0, 1]}).compare()
    same.check(p=-0.1)
    same.check(p=0, noninferior=True)
    with pytest.raises(RegressionError):
        same.check(p=0.1)
    worse = evaluated({"a": [1, 1, 1], "b": [0, 0, 0]}).compare()
    with pytest.raises(RegressionError):
        worse.check(p=-0.5)


def test_checks_are_corrected_for_how_many_they_are() -> None:
    rng = np.random.default_rng(2)
    values = {"base": [1] * 30 + [0] * 30}
    for number, worse in enumerate([6, 2, 0, 0, 0, 0, 0, 0, 0, 0]):
        row = np.array(values["base"])
        row[rng.permutation(30)[:worse]] = 0
        row[30 + number] = 1 if worse < 6 else 0
        values[f"s{number}"] = row.tolist()
    evaluation = evaluated(values)
    found = evaluation.compare(baseline="base", resamples=0)
    raw = [stats.ttest_1samp(row, 0.0, alternative="less").pvalue for row in found.tested]
    assert 0.05 / 10 < min(raw) < 0.05
    found.check(p=0)
    with pytest.raises(RegressionError, match="1 of 10 checks failed"):
        evaluation.compare(baseline="base", resamples=0, correction="none").check(p=0)


# Speed and progress.


def many(systems: int, queries: int) -> rm.Evaluation:
    rng = np.random.default_rng(0)
    rows = queries * 10
    frame = pd.DataFrame(
        {
            "query": np.repeat(np.arange(queries), 10),
            "doc": np.arange(rows),
            "grade": rng.choice([0, 0, 0, 1, 2, 3], rows),
        }
    )
    good = frame["grade"].to_numpy() + rng.normal(0, 2, rows)
    for number in range(systems):
        frame[f"s{number:02}"] = good + rng.normal(0, 1, rows)
    scores = [f"s{number:02}" for number in range(systems)]
    return rm.evaluate(frame, "nDCG@5 ERR@5 AP RR P@5", score=scores)


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["holm", "tukey"])
def test_twenty_systems_take_less_than_ten_seconds_on_two_cores(correction: str) -> None:
    evaluation = many(20, 1000)
    evaluation.compare(resamples=100)  # scipy is loaded
    before = time.process_time()
    found = evaluation.compare(correction=correction)
    assert len(found.rows) == 190 * 5
    assert (time.process_time() - before) / 2 < 10


def test_progress_is_told() -> None:
    side = together([record_of(many(4, 200))], None)
    told: list[tuple[int, int]] = []

    def watcher(*, more: int = 0, done: int = 0) -> None:
        told.append((more, done))

    with watched(watcher):
        plan = Plan("randomisation", "tukey", "two-sided", 5000, 0)
        Comparison.of(side, pairs_of(side, None), plan)
    total = sum(more for more, _ in told)
    assert total == sum(done for _, done in told) == 10_000
    assert len(told) > 4


def test_a_bar_is_shown_when_it_lasts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(watching, "PATIENCE", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    many(3, 100).compare(resamples=5000)
    assert "resamples" in capsys.readouterr().err
