"""Tests of paired differences, against scipy, statsmodels, enumeration and simulation."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from rank_magic import significance, statistics, threads
from rank_magic.significance import (
    CORRECTIONS,
    TESTS,
    Paired,
    corrected,
    differences_of,
    paired,
    queries_needed,
    tukey_hsd,
)
from rank_magic.significance import resampling as module
from rank_magic.significance.exact import on_grid

NAN = math.nan
ALTERNATIVES = pytest.mark.parametrize("alternative", significance.ALTERNATIVES)


def skewed(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Scores as rankings have them: many 0, many 1, the rest in between."""
    return np.clip(rng.beta(0.5, 0.7, shape) * 1.4 - 0.2, 0, 1)


def some(rows: int = 6, queries: int = 40, seed: int = 0) -> np.ndarray:
    """Differences, many of them 0 or tied."""
    rng = np.random.default_rng(seed)
    values = np.round(skewed(rng, 2 * rows, queries), 1)
    mixed = np.where(rng.random((rows, queries)) < 0.4, values[:rows], values[rows:])
    return differences_of(mixed, values[rows:])


def one(values: object, **options: object) -> dict[str, float]:
    """The p-values of one row."""
    options = {"resamples": 1000, "seed": 0, **options}
    found = paired(np.atleast_2d(np.asarray(values, dtype=float)), **options)
    return {name: float(p[0]) for name, p in found.p.items()}


# Against scipy.


@ALTERNATIVES
def test_t_is_scipys(alternative: str) -> None:
    rows = some()
    found = paired(rows, resamples=0, seed=0, alternative=alternative)
    oracle = stats.ttest_1samp(rows, 0, axis=1, alternative=alternative)
    assert found.p["t"] == pytest.approx(oracle.pvalue, rel=1e-11)
    both = stats.ttest_1samp(rows, 0, axis=1).confidence_interval(0.95)
    assert found.low == pytest.approx(both.low, rel=1e-11)
    assert found.high == pytest.approx(both.high, rel=1e-11)
    assert found.difference == pytest.approx(rows.mean(axis=1), rel=1e-12)
    assert found.effect == pytest.approx(rows.mean(axis=1) / rows.std(axis=1, ddof=1), rel=1e-12)


@ALTERNATIVES
@pytest.mark.parametrize("queries", [5, 30, 50, 51, 200])
def test_wilcoxon_is_scipys_without_ties(alternative: str, queries: int) -> None:
    values = np.random.default_rng(queries).normal(0.2, 1, queries)
    oracle = stats.wilcoxon(values, alternative=alternative, correction=False)
    assert one(values, resamples=0, alternative=alternative)["wilcoxon"] == oracle.pvalue


@ALTERNATIVES
@pytest.mark.parametrize("queries", [60, 100, 200])
def test_wilcoxon_is_scipys_with_ties_and_zeros(alternative: str, queries: int) -> None:
    values = some(1, queries)[0]
    ties = np.round(values[values != 0], 12)  # rounding would break them, and move p by a tenth
    oracle = stats.wilcoxon(ties, alternative=alternative, method="approx", correction=False)
    assert len(ties) > 12
    found = one(values, resamples=0, alternative=alternative)["wilcoxon"]
    assert found == pytest.approx(oracle.pvalue, rel=1e-12)


@ALTERNATIVES
@settings(max_examples=40)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=6))
def test_wilcoxon_with_few_ties_is_the_enumeration_of_all_signs(
    alternative: str, values: list[int]
) -> None:
    moved = np.array([value for value in values if value], dtype=float)
    ranks = stats.rankdata(np.abs(moved))
    assert one(values, resamples=0, alternative=alternative)["wilcoxon"] == pytest.approx(
        by_enumeration(np.sign(moved) * ranks, alternative)
    )


def by_enumeration(values: np.ndarray, alternative: str) -> float:
    """The randomisation test, as it is defined."""
    observed = math.fsum(values)
    sums = [
        math.fsum(sign * value for sign, value in zip(signs, values, strict=True))
        for signs in itertools.product([1, -1], repeat=len(values))
    ]
    extreme = {
        "two-sided": [abs(total) >= abs(observed) - 1e-12 for total in sums],
        "greater": [total >= observed - 1e-12 for total in sums],
        "less": [total <= observed + 1e-12 for total in sums],
    }
    return sum(extreme[alternative]) / len(sums)


@ALTERNATIVES
@settings(max_examples=40)
@given(st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3, -0.1, -0.3, 1 / 3, -2 / 3]), max_size=7))
def test_the_randomisation_test_is_full_enumeration_with_few_queries(
    alternative: str, values: list[float]
) -> None:
    expected = by_enumeration(np.array(values), alternative) if values else NAN
    found = one(values, resamples=100, alternative=alternative)["randomisation"]
    assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("queries", [10, 11, 12])
def test_twelve_queries_are_enumerated_whatever_the_number_of_resamples(queries: int) -> None:
    values = np.random.default_rng(queries).normal(0.3, 1, queries)
    oracle = stats.permutation_test(
        (values, np.zeros(queries)), lambda a, b: np.mean(a - b), permutation_type="samples"
    )
    for resamples in (100, 20_000):
        assert one(values, resamples=resamples)["randomisation"] == pytest.approx(oracle.pvalue)


def test_zeros_do_not_count_against_enumeration() -> None:
    values = np.zeros(1000)
    values[:5] = 0.2
    assert one(values)["randomisation"] == 2 / 2**5


@ALTERNATIVES
def test_the_randomisation_test_is_scipys_but_for_chance(alternative: str) -> None:
    rows, resamples = some(2, 60), 10_000
    found = paired(rows, resamples=resamples, seed=1, alternative=alternative)
    for values, p in zip(rows, found.p["randomisation"], strict=True):
        oracle = stats.permutation_test(
            (values, np.zeros(len(values))),
            lambda a, b, axis: np.mean(a - b, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=resamples,
            alternative=alternative,
            random_state=np.random.default_rng(2),
        )
        error = math.sqrt(2 * p * (1 - p) / resamples)
        assert abs(p - oracle.pvalue) < 4.5 * error + 2 / resamples


def test_the_bootstrap_is_that_of_scipys_t_statistics_but_for_chance() -> None:
    rows, resamples = some(4, 60), 20_000
    found = paired(rows, resamples=resamples, seed=1)
    for values, p, high in zip(rows, found.p["bootstrap"], found.bootstrap_high, strict=True):

        def t(drawn: np.ndarray, axis: int, values: np.ndarray = values) -> np.ndarray:
            return (drawn.mean(axis=axis) - values.mean()) / stats.sem(drawn, axis=axis)

        drawn = stats.bootstrap(
            (values,),
            t,
            n_resamples=resamples,
            method="percentile",
            random_state=np.random.default_rng(2),
        ).bootstrap_distribution
        observed = stats.ttest_1samp(values, 0).statistic
        oracle = np.mean(np.abs(drawn) >= abs(observed))
        assert abs(p - oracle) < 4.5 * math.sqrt(2 * p * (1 - p) / resamples) + 2 / resamples
        half = np.quantile(np.abs(drawn), 0.95) * stats.sem(values)
        assert high - values.mean() == pytest.approx(half, rel=0.05)


def test_the_bootstraps_interval_holds_zero_when_its_p_says_so() -> None:
    found = paired(some(60, 30), resamples=999, seed=3)
    there = ~np.isnan(found.bootstrap_low)
    outside = (found.bootstrap_low > 0) | (found.bootstrap_high < 0)
    assert there.sum() > 40
    assert (outside == (found.p["bootstrap"] <= 0.05))[there].all()
    assert outside.any()


# Against statsmodels.


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("ours", "theirs"), [("holm", "holm"), ("bonferroni",) * 2, ("bh", "fdr_bh")]
)
def test_corrections_are_statsmodels(ours: str, theirs: str) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(0)
    for number in (1, 2, 7, 40):
        p = np.round(rng.random(number) ** 3, 2)
        assert corrected(p, ours) == pytest.approx(multitest.multipletests(p, method=theirs)[1])


@pytest.mark.oracle
def test_the_number_of_queries_is_statsmodels() -> None:
    power = pytest.importorskip("statsmodels.stats.power").TTestPower()
    effects = np.array([0.02, 0.1, -0.1, 0.25, 0.5, 1.0, 1.7])
    for effect, needed in zip(effects, queries_needed(effects), strict=True):
        theirs = power.solve_power(effect_size=abs(effect), power=0.8, alpha=0.05)
        assert needed == math.ceil(theirs)
        assert (
            power.power(abs(effect), needed, 0.05)
            >= 0.8
            > power.power(abs(effect), needed - 1, 0.05)
        )


def test_the_number_of_queries_needed_gives_80_percent_of_samples() -> None:
    needed = int(queries_needed(np.array([0.4]))[0])
    samples = np.random.default_rng(0).normal(0.4, 1, (20_000, needed))
    found = np.mean(stats.ttest_1samp(samples, 0, axis=1).pvalue < 0.05)
    assert found == pytest.approx(0.8, abs=0.015)


def test_no_number_of_queries_shows_nothing() -> None:
    assert np.isnan(queries_needed(np.array([0.0, NAN, 1e-9]))).all()
    assert queries_needed(np.array([1e3]))[0] == 2


# Corrections.


@pytest.mark.parametrize("how", CORRECTIONS)
def test_missing_values_take_no_part_in_a_correction(how: str) -> None:
    p = np.array([0.01, NAN, 0.04, 0.03, NAN])
    found = corrected(p, how)
    assert np.isnan(found[[1, 4]]).all()
    assert found[[0, 2, 3]] == pytest.approx(corrected(p[[0, 2, 3]], how))
    assert np.isnan(corrected(np.array([NAN]), how)).all()


@given(arrays(float, st.integers(1, 12), elements=st.floats(0, 1)))
def test_a_correction_keeps_the_order_and_lowers_nothing(p: np.ndarray) -> None:
    for how in CORRECTIONS:
        found = corrected(p, how)
        assert (found >= p * (1 - 1e-12)).all()
        assert (found <= 1).all()
        assert (np.diff(found[np.argsort(p, kind="stable")]) >= -1e-12).all()


# The same bits.


def same(a: Paired, b: Paired, rows: object = slice(None), sign: int = 1) -> None:
    for test in TESTS:
        assert a.p[test][rows].tolist() == b.p[test].tolist()
    ends = (a.bootstrap_low, a.bootstrap_high)
    low, high = ends if sign == 1 else (-ends[1], -ends[0])
    assert low[rows].tolist() == b.bootstrap_low.tolist()
    assert high[rows].tolist() == b.bootstrap_high.tolist()


def test_neither_the_order_of_pairs_nor_the_pairs_beside_a_pair_change_a_bit() -> None:
    rows = some(30, 57)
    all_of_them = paired(rows, resamples=3000, seed=5)
    order = np.random.default_rng(0).permutation(30)
    same(all_of_them, paired(rows[order], resamples=3000, seed=5), order)
    for row in (0, 7):
        same(all_of_them, paired(rows[[row]], resamples=3000, seed=5), [row])


def test_the_other_way_round_a_pair_has_the_same_p_to_the_last_bit() -> None:
    rows = some(30, 57)
    same(paired(rows, resamples=2000, seed=5), paired(-rows, resamples=2000, seed=5), sign=-1)


@pytest.mark.parametrize("number", [1, 2, 5])
def test_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    rows = some(20, 500)
    expected = paired(rows, resamples=5000, seed=5)
    values = skewed(np.random.default_rng(1), 4, 2, 60)
    gaps = tukey_hsd(values, resamples=5000, seed=5)
    monkeypatch.setattr(threads, "THREADS", number)
    monkeypatch.setattr(threads, "WORTH_THREADS", 0)
    same(expected, paired(rows, resamples=5000, seed=5))
    assert tukey_hsd(values, resamples=5000, seed=5).tolist() == gaps.tolist()


def test_large_work_is_cut_into_chunks_without_changing_a_bit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = some(11, 40)
    expected = paired(rows, resamples=1000, seed=5)
    monkeypatch.setattr(module, "CHUNK_CELLS", 4000)
    same(expected, paired(rows, resamples=1000, seed=5))


def test_seeds_differ_and_numbers_of_every_version_are_the_same() -> None:
    rows = some(3, 40)
    first, again = (paired(rows, resamples=1000, seed=7) for _ in range(2))
    same(first, again)
    other = paired(rows, resamples=1000, seed=8)
    assert first.p["randomisation"].tolist() != other.p["randomisation"].tolist()
    assert [round(p * 1001) for p in first.p["randomisation"]] == FROZEN["randomisation"]
    assert [round(p * 1001) for p in first.p["bootstrap"]] == FROZEN["bootstrap"]


FROZEN = {"randomisation": [540, 810, 574], "bootstrap": [488, 786, 520]}


def test_a_pair_that_misses_queries_is_tested_on_those_it_has() -> None:
    rows = some(4, 50)
    holes = rows.copy()
    holes[1, ::3] = NAN
    holes[2, 4] = NAN
    found = paired(holes, resamples=1000, seed=5)
    assert found.queries.tolist() == [50, 33, 49, 50]
    for row in range(4):
        there = holes[row][~np.isnan(holes[row])]
        same(found, paired(there[None], resamples=1000, seed=5), [row])


@given(
    arrays(float, st.tuples(st.integers(1, 4), st.integers(1, 30)), elements=st.floats(-1e6, 1e6))
)
def test_sums_of_gridded_numbers_are_exact(rows: np.ndarray) -> None:
    whole, unit = on_grid(rows)
    assert (whole % 1 == 0).all()
    assert np.abs(whole).sum(axis=1).max() <= 2**52
    assert np.abs(whole * unit[:, None] - rows).max() <= unit.max() / 2
    assert (on_grid(-rows)[0] == -whole).all()
    shuffled = whole[:, np.random.default_rng(0).permutation(rows.shape[1])]
    assert (shuffled @ np.ones(rows.shape[1])).tolist() == [math.fsum(row) for row in whole]


# What there is when there is little.


@pytest.mark.parametrize("queries", [1, 2, 5, 40])
def test_nothing_differs(queries: int) -> None:
    found = paired(np.zeros((1, queries)), resamples=100, seed=0)
    assert all(p.tolist() == [1.0] for p in found.p.values())
    assert found.reasons == ["no query differs"]
    for number in (found.difference, found.effect, found.low, found.high, found.bootstrap_high):
        assert number.tolist() == [0.0]
    assert np.isnan(found.needed).all()
    assert found.ties.tolist() == [queries]


@pytest.mark.parametrize(
    ("values", "reason", "missing"),
    [
        ([], "no query has a value for both", set(TESTS)),
        ([NAN, NAN], "no query has a value for both", set(TESTS)),
        ([0.3], "one query can't tell a difference from chance", {"t", "bootstrap"}),
        ([0.3, 0.3, 0.3], "every query differs by the same amount", {"t", "bootstrap"}),
        ([0.3, 0.1, 0.0], "so few queries differ that many resamples hold none", set()),
        ([0.3, 0.1, -0.5, 0.7, 0.2, 0.1, -0.1, 0.4, 0.2], "", set()),
    ],
)
def test_what_is_missing_has_its_reason(
    values: list[float], reason: str, missing: set[str]
) -> None:
    found = paired(np.array([values]).reshape(1, -1), resamples=1000, seed=0)
    assert found.reasons[0].startswith(reason)
    assert bool(found.reasons[0]) == bool(reason)
    assert {test for test, p in found.p.items() if np.isnan(p[0])} == missing
    numbers = [found.low, found.bootstrap_low, found.effect, found.needed]
    assert bool(reason) == any(np.isnan(number[0]) for number in numbers)


def test_rounding_is_no_difference() -> None:
    a = np.array([[0.1 + 0.2, 1e6, 0.5, NAN]])
    b = np.array([[0.3, 1e6 + 1e-7, 0.4, 1.0]])
    found = differences_of(a, b)
    assert found[0, :3].tolist() == [0.0, 0.0, 0.5 - 0.4]
    assert np.isnan(found[0, 3])


# Weights.


def test_equal_weights_change_no_bit() -> None:
    rows = some(4, 40)
    weighted = paired(rows, resamples=500, seed=0, weights=np.full(40, 3.0))
    plain = paired(rows, resamples=500, seed=0)
    assert "wilcoxon" not in weighted.p
    for test, p in weighted.p.items():
        assert p.tolist() == plain.p[test].tolist()
    assert weighted.low.tolist() == plain.low.tolist()


def test_weighted_means_have_their_own_intervals() -> None:
    rows, weights = some(4, 40), np.random.default_rng(0).exponential(size=40)
    found = paired(rows, resamples=2000, seed=0, weights=weights)
    for row, difference, low, high in zip(
        rows, found.difference, found.low, found.high, strict=True
    ):
        assert difference == pytest.approx(np.average(row, weights=weights))
        assert (low, high) == pytest.approx(statistics.interval(row, weights=weights))
    half = (found.high - found.low) / 2
    assert (found.bootstrap_high - found.bootstrap_low) / 2 == pytest.approx(half, rel=0.35)


def test_weighted_signs_are_flipped_of_weighted_differences() -> None:
    values, weights = np.array([0.3, -0.1, 0.4, 0.2, 0.0]), np.array([1.0, 2.0, 0.5, 4.0, 1.0])
    found = paired(values[None], resamples=100, seed=0, weights=weights)
    expected = by_enumeration(values * weights, "two-sided")
    assert found.p["randomisation"][0] == pytest.approx(expected)


def test_queries_of_weight_zero_take_no_part() -> None:
    rows, weights = some(1, 40), np.arange(40.0) % 4
    kept = weights > 0
    found = paired(rows, resamples=500, seed=0, weights=weights)
    alone = paired(rows[:, kept], resamples=500, seed=0, weights=weights[kept])
    for test, p in found.p.items():
        assert p.tolist() == alone.p[test].tolist()
    assert found.queries.tolist() == [30]


# Simulation: how often a test is wrong, and an interval right.


def null_systems(rng: np.random.Generator, queries: int, equal: float) -> np.ndarray:
    """The scores of two systems that do not differ, the same on a share of the queries."""
    base = skewed(rng, queries)
    a, b = (np.clip(base + rng.normal(0, 0.2, queries) * rng.random(queries), 0, 1) for _ in "ab")
    return differences_of(np.where(rng.random(queries) < equal, b, a), b)


def rates(number: int, queries: int, equal: float) -> dict[str, float]:
    rng = np.random.default_rng([queries, round(100 * equal)])
    rows = np.array([null_systems(rng, queries, equal) for _ in range(number)])
    p = paired(rows, resamples=999, seed=0).p
    return {test: float(np.mean(p[test] <= 0.05)) for test in TESTS}


NULL = pytest.mark.parametrize("equal", [0.0, 0.5, 0.9])


@NULL
def test_a_difference_is_found_where_none_is_in_one_sample_of_twenty(equal: float) -> None:
    found = rates(500, 50, equal)
    assert max(found.values()) < 0.05 + 3.3 * math.sqrt(0.05 * 0.95 / 500), found
    if equal < 0.9:  # with five queries that differ, an exact test can't use up its 5 %
        assert min(found.values()) > 0.05 - 3.3 * math.sqrt(0.05 * 0.95 / 500), found


@pytest.mark.slow
@NULL
@pytest.mark.parametrize("queries", [25, 50, 200])
def test_type_one_errors_at_length(equal: float, queries: int) -> None:
    found = rates(8000, queries, equal)
    assert max(found.values()) < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 8000) + 0.004, found


def coverage(number: int, queries: int, draw: Callable[..., np.ndarray]) -> tuple[float, float]:
    """How often the t interval and the bootstrap's hold the true mean difference."""
    rng = np.random.default_rng(queries)
    truth = float(draw(rng, 1, 2_000_000).mean())
    found = paired(draw(rng, number, queries), resamples=999, seed=0)
    holds = [
        (low <= truth) & (truth <= high)
        for low, high in ((found.low, found.high), (found.bootstrap_low, found.bootstrap_high))
    ]
    return float(holds[0].mean()), float(holds[1].mean())


def better(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """A system that is better on some queries, by much on few: differences lean to one side."""
    base = skewed(rng, *shape)
    moved = rng.exponential(0.1, shape) - 0.06 + rng.normal(0, 0.06, shape)
    return np.clip(base + moved, 0, 1) - base


def apart(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Two systems that have little to do with one another."""
    return skewed(rng, *shape) - 0.8 * skewed(rng, *shape)


DRAWS = pytest.mark.parametrize("draw", [skewed, better, apart])


@DRAWS
@pytest.mark.parametrize("queries", [50, 200])
def test_intervals_cover(draw: Callable[..., np.ndarray], queries: int) -> None:
    t, bootstrap = coverage(2000, queries, draw)
    assert 0.93 <= t <= 0.97
    assert 0.93 <= bootstrap <= 0.97


# Tukey's HSD.


def slow_tukey(values: np.ndarray) -> np.ndarray:
    """All permutations of every query's values, as it is defined, for one measure."""
    systems, queries = values.shape
    orders = list(itertools.permutations(range(systems)))
    widest = [
        np.ptp(
            [
                math.fsum(row)
                for row in zip(*(values[list(o), q] for q, o in enumerate(chosen)), strict=True)
            ]
        )
        for chosen in itertools.product(orders, repeat=queries)
    ]
    means = np.array([math.fsum(row) for row in values])
    gaps = np.abs(means[:, None] - means[None])
    return np.array([[np.mean(np.array(widest) >= gap - 1e-12) for gap in row] for row in gaps])


def test_tukeys_hsd_is_the_enumeration_of_all_permutations_but_for_chance() -> None:
    values = np.array([[0.1, 0.5, 0.3, 0.2], [0.4, 0.6, 0.3, 0.9], [0.3, 0.1, 0.0, 0.5]])
    resamples = 20_000
    found = tukey_hsd(values[:, None, :], resamples=resamples, seed=0)[:, :, 0]
    assert found == pytest.approx(slow_tukey(values), abs=4.5 * math.sqrt(0.25 / resamples))
    assert np.diag(found).tolist() == [1.0, 1.0, 1.0]


def test_tukeys_hsd_is_near_the_studentized_range_for_normal_scores() -> None:
    rng = np.random.default_rng(3)
    systems, queries = 5, 120
    values = rng.normal(size=(systems, queries)) + rng.normal(size=queries)
    values += np.array([0.0, 0.1, 0.2, 0.3, 0.45])[:, None]
    found = tukey_hsd(values[:, None, :], resamples=10_000, seed=0)[:, :, 0]
    rest = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    freedom = (systems - 1) * (queries - 1)
    error = math.sqrt((rest**2).sum() / freedom / queries)
    means = values.mean(axis=1)
    q = np.abs(means[:, None] - means[None]) / error
    oracle = stats.studentized_range.sf(q, systems, freedom)
    assert found == pytest.approx(oracle, abs=0.03)
    assert found.min() < 0.05


def test_tukeys_hsd_does_not_depend_on_the_order_of_systems() -> None:
    values = skewed(np.random.default_rng(1), 6, 2, 30)
    values[4] = values[2]
    order = np.array([3, 0, 5, 1, 4, 2])
    p = tukey_hsd(values, resamples=500, seed=0)
    assert tukey_hsd(values[order], resamples=500, seed=0).tolist() == p[order][:, order].tolist()
    assert p.transpose(1, 0, 2).tolist() == p.tolist()


@pytest.mark.parametrize("measures", [1, 3])
def test_tukeys_hsd_finds_something_where_nothing_is_in_one_sample_of_twenty(
    measures: int,
) -> None:
    rng = np.random.default_rng(measures)
    found = 0
    for _ in range(300):
        base = skewed(rng, measures, 40)
        values = np.clip(base + rng.normal(0, 0.15, (5, measures, 40)), 0, 1)
        found += tukey_hsd(values, resamples=199, seed=0).min() <= 0.05
    assert 0.05 - 3 * 0.0126 < found / 300 < 0.05 + 3 * 0.0126


def test_tukeys_hsd_of_equal_systems_finds_nothing() -> None:
    values = np.repeat(np.random.default_rng(0).random((1, 2, 9)), 3, axis=0)
    assert tukey_hsd(values, resamples=100, seed=0).min() == 1.0


def test_nothing_warns_on_the_way() -> None:
    rows = np.array([[0.0] * 6, [1e-300] * 6, [1e150, 0, 0, 0, 0, -1e150], [0, 0, 0, 0, 0, 1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        paired(rows, resamples=200, seed=0)
