"""What must hold on any data: the same bits always, frames untouched, sums, bounds, invariants."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import rank_magic as rm
from rank_magic.sorting import sort_rows

UNIT = [
    "RR", "RR(rel=2)@3", "AP", "AP@4", "AP(denominator=min)@3", "ERR(max_grade=3)", "nDCG",
    "ERR(max_grade=4)@3", "nDCG@3", "nDCG(gain=linear)@5", "nDCG(discount=reciprocal)", "P",
    "P@3", "R@4", "Success@2", "Judged", "Judged@3",
]  # fmt: skip
MEASURES = [rm.parse(text) for text in [*UNIT, "DCG", "DCG(gain=linear)@5"]]
TIES = ["average", "trec", "worst", "best"]
MOST = settings().max_examples
SOME, FEW = settings(max_examples=MOST // 3), settings(max_examples=MOST // 8)

GRADES = st.sampled_from([None, None, -1.0, 0.0, 0.0, 0.5, 1.0, 2.0, 3.0])
# Equal scores, missing ones, and sums that come out otherwise in another order.
SCORES = st.sampled_from([None, 0.1, 0.2, 0.3, 0.1 + 0.2, 1.0, 7.0, math.inf, -math.inf])
QUERY = st.lists(st.tuples(GRADES, SCORES), min_size=1, max_size=40)
OPTIONS = st.fixed_dictionaries(
    {"ties": st.sampled_from(TIES)},
    optional={
        "unjudged": st.just("remove"),
        "negative": st.just("nonrelevant"),
        "no_relevant": st.sampled_from(["skip", "one"]),
        "unanswered": st.just("skip"),
        "depth": st.integers(1, 9),
    },
).filter(
    # Where a depth cuts equals apart, chance decides what is left to be removed: an error.
    lambda options: not {"depth", "unjudged"} <= set(options) or options["ties"] == "trec"
)


@st.composite
def frames(draw: st.DrawFn, most: int = 5) -> pd.DataFrame:
    """Draw judged rankings of several queries; the first query has a grade of 0 and of 3."""
    queries = [[(0.0, None), (3.0, 1.0)], *draw(st.lists(QUERY, max_size=most))]
    frame = pd.DataFrame(
        [
            (f"q{number}", f"d{place * 7 % 41}", grade, score)
            for number, rows in enumerate(queries)
            for place, (grade, score) in enumerate(rows)
        ],
        columns=["query", "doc", "grade", "score"],
    )
    return frame.astype({"grade": float, "score": float})


def values(frame: pd.DataFrame, measures: Any = MEASURES, **options: Any) -> pd.DataFrame:
    return rm.evaluate(frame, measures, **options).per_query


def same(left: pd.DataFrame, right: pd.DataFrame) -> None:
    """Check that two tables hold the same bits, missing values included."""
    assert left.index.tolist() == right.index.tolist()
    assert left.columns.equals(right.columns)
    np.testing.assert_array_equal(left.to_numpy(), right.to_numpy())


# The same bits, always.


@given(frames(), OPTIONS, st.randoms(use_true_random=False))
@SOME
def test_row_order_changes_no_bit(frame: pd.DataFrame, options: dict, random: Any) -> None:
    rows = list(range(len(frame)))
    random.shuffle(rows)
    same(values(frame, **options), values(frame.iloc[rows], **options))


def test_row_order_of_many_equals_changes_no_bit() -> None:
    rng = np.random.default_rng(0)
    grade = np.where(rng.random(400) < 0.2, np.nan, rng.random(400).round(3) * 3)
    frame = pd.DataFrame({"query": rng.integers(0, 3, 400), "grade": grade})
    frame["score"] = rng.integers(0, 4, 400)
    for seed in range(10):
        same(values(frame), values(frame.sample(frac=1, random_state=seed)))


@given(frames(), OPTIONS, st.data())
@SOME
def test_other_queries_change_no_bit(
    frame: pd.DataFrame, options: dict, data: st.DataObject
) -> None:
    everything = values(frame, **options)
    chosen = data.draw(st.sets(st.sampled_from(everything.index.tolist()), min_size=1))
    part = frame[frame["query"].isin(chosen | {"q0"})]
    same(values(part, **options), everything.loc[sorted(chosen | {"q0"})])


def test_a_query_is_the_same_in_a_crowd() -> None:
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 400, 300)
    frame = pd.DataFrame(
        {
            "query": np.repeat(np.arange(300), lengths),
            "grade": rng.choice([np.nan, 0, 1, 2, 3], lengths.sum()),
            "score": rng.integers(0, 50, lengths.sum()) / 7,
        }
    )
    crowd = values(frame)
    for query in (int(np.argmin(lengths)), 17, int(np.argmax(lengths))):
        anchor = pd.DataFrame({"query": [-1, -1], "grade": [0, 3], "score": [1, 2]})
        alone = values(pd.concat([frame[frame["query"] == query], anchor]))
        same(alone.loc[[query]], crowd.loc[[query]])


@contextmanager
def machine(threads: int, cells: int, long: int = 256) -> Iterator[None]:
    """Set how many threads work on blocks of how many cells, and which rankings are long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rank_magic.threads.THREADS", threads)
        patch.setattr("rank_magic.layout.BLOCK_CELLS", cells)
        patch.setattr("rank_magic.sorting.LONG", long)
        yield


@given(
    frames(most=8),
    OPTIONS,
    st.sampled_from([1, 2, 5]),
    st.sampled_from([1, 16, 1 << 18]),
    st.sampled_from([0, 256]),
)
@FEW
def test_threads_sizes_of_blocks_and_ways_to_sort_change_no_bit(
    frame: pd.DataFrame, options: dict, threads: int, cells: int, long: int
) -> None:
    with machine(1, 64):
        plain = rm.evaluate(frame, MEASURES, **options)
        facts = [plain.per_query, plain.coverage, plain.sensitivity]
    with machine(threads, cells, long):
        other = rm.evaluate(frame, MEASURES, **options)
        same(other.per_query, facts[0])
        pd.testing.assert_frame_equal(other.coverage, facts[1], check_exact=True)
        pd.testing.assert_frame_equal(other.sensitivity, facts[2], check_exact=True)


# Neighbours, numbers of all sizes, and what overflows when it is subtracted.
CLOSE = [1.0, np.nextafter(1, 2), 1 + 1e-9, 1e-300, 5e-324, 0.0, -0.0, 2.0**-30]
FAR = [1.7e308, -1.7e308, 1e9, -3.5, 2.0**53]


@given(
    st.lists(
        st.tuples(st.sampled_from([*CLOSE, *FAR, np.nan]), st.sampled_from([0, 1, 3, np.nan])),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from([CLOSE, FAR, CLOSE + FAR]),
    st.sampled_from(["average", "worst", "order"]),
)
@SOME
def test_long_rankings_are_sorted_alike(
    rows: list[tuple[float, float]], kept: list[float], ties: str
) -> None:
    rows = [(score if score in kept else np.nan, grade) for score, grade in rows]
    score, grade = np.array([*rows, (0.5, 2.0)]).T
    frame = pd.DataFrame({"query": "q", "score": score, "grade": grade})
    frame = pd.concat([frame, frame.assign(query="r", score=-frame["score"])])
    with machine(1, 64, long=10**9):
        plain = values(frame, ties=ties)
    with machine(1, 64, long=0):
        same(values(frame, ties=ties), plain)


@given(
    st.integers(1, 1300),
    st.sampled_from([np.uint16, np.uint32, np.int32, np.int64]),
    st.sampled_from([0, 64, 2048]),
    st.integers(0, 2**32 - 1),
)
@SOME
def test_rows_are_sorted_as_numpy_sorts_them(
    width: int, kind: Any, network: int, seed: int
) -> None:
    limits = np.iinfo(kind)
    few = np.random.default_rng(seed).integers(limits.min, limits.max, 50, dtype=kind)
    rows = np.random.default_rng(seed + 1).choice(few, (3, width))
    wanted = np.sort(rows, axis=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rank_magic.sorting.NETWORK", network)
        sort_rows(rows)
    np.testing.assert_array_equal(rows, wanted)


def test_a_long_ranking_stands_as_it_is_sorted_by_hand() -> None:
    random = np.random.default_rng(0)
    score = np.concatenate([random.normal(size=3000), 1 + random.random(3000) * 1e-8])
    assert len(np.unique(score)) == len(score)
    grade = random.integers(0, 4, len(score))
    frame = pd.DataFrame({"query": 1, "score": score, "grade": grade})
    (found,) = rm.evaluate(frame, "nDCG(gain=linear)").per_query["nDCG(gain=linear)"]
    discount = 1 / np.log2(np.arange(2, len(score) + 2))
    dcg = grade[np.argsort(-score)] @ discount
    assert found == pytest.approx(dcg / (np.sort(grade)[::-1] @ discount), rel=1e-13)


@given(frames(), OPTIONS)
@FEW
def test_other_systems_change_no_bit(frame: pd.DataFrame, options: dict) -> None:
    frame = frame.assign(other=frame["score"].where(frame["grade"] != 0) * 2, third=frame["grade"])
    together = values(frame, score=["other", "score", "third"], **options)
    for system in ("score", "other", "third"):
        same(together[system], values(frame, score=system, **options))


@given(frames(), OPTIONS)
@FEW
def test_scores_matter_by_their_order_alone(frame: pd.DataFrame, options: dict) -> None:
    ranks = frame["score"].rank(method="dense").fillna(np.nan)
    same(values(frame, **options), values(frame.assign(score=ranks), **options))
    by_rank = frame.assign(rank=-ranks).drop(columns="score")
    same(values(frame, **options), values(by_rank, **options))


@given(frames(), OPTIONS.filter(lambda options: options["ties"] != "trec"))
@SOME
def test_new_names_for_ids_change_nothing(frame: pd.DataFrame, options: dict) -> None:
    renamed = frame.assign(
        query=frame["query"].map(lambda query: f"z{9 - int(query[1:])}"),
        doc=frame["doc"].map(lambda doc: (doc, hash(doc))),
    )
    back = values(renamed, **options).iloc[::-1]
    np.testing.assert_array_equal(values(frame, **options).to_numpy(), back.to_numpy())


@given(frames(), OPTIONS)
@FEW
def test_the_frames_index_changes_nothing(frame: pd.DataFrame, options: dict) -> None:
    right = values(frame, **options)
    same(right, values(frame.set_axis([0] * len(frame)), **options))
    same(right, values(frame.set_index(["query", "doc"]), **options))


# Kinds of columns.

NUMBERS = ["float64", "float32", "float16", "Float64", "Float32", "Int64", "Int8", "object"]
NUMBERS += ["category", "double[pyarrow]", "float[pyarrow]", "int64[pyarrow]", "uint8[pyarrow]"]
WHOLE = ["int8", "int64", "uint64", "int32", "UInt64", "int16[pyarrow]"]
TEXT = ["str", "object", "category", "string[python]", "string[pyarrow]"]
IDS = ["int64", "int32", "uint16", "uint64", "Int64", "category", "int64[pyarrow]", "float64"]


@pytest.fixture(scope="module")
def plain() -> pd.DataFrame:
    """Rankings whose numbers any type holds exactly; ids sort alike as numbers and as text."""
    rng = np.random.default_rng(5)
    size = 120
    return pd.DataFrame(
        {
            "query": np.sort(rng.integers(10, 18, size)),
            "doc": rng.permutation(np.arange(100, 100 + size)),
            "grade": rng.choice([np.nan, 0, 1, 2, 3], size),
            "score": rng.choice([np.nan, *range(20)], size),
        }
    )


@pytest.mark.parametrize("ties", ["average", "trec"])
@pytest.mark.parametrize("role", ["grade", "score"])
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_any_type_give_the_same_values(
    plain: pd.DataFrame, role: str, kind: str, ties: str
) -> None:
    column = plain[role].astype("Int64") if "int" in kind.lower() else plain[role]
    frame = plain.assign(**{role: column.astype(kind)})
    same(values(plain, ties=ties), values(frame, ties=ties))


@pytest.mark.parametrize("role", ["grade", "score"])
@pytest.mark.parametrize("kind", WHOLE)
def test_whole_numbers_of_any_type_give_the_same_values(
    plain: pd.DataFrame, role: str, kind: str
) -> None:
    full = plain.assign(**{role: plain[role].fillna(0)})
    same(values(full), values(full.astype({role: kind})))


@pytest.mark.parametrize("kind", ["bool", "boolean", "bool[pyarrow]", "object", "int8"])
def test_grades_may_be_yes_or_no(plain: pd.DataFrame, kind: str) -> None:
    yes = plain["grade"] >= 2
    same(values(plain.assign(grade=yes * 1.0)), values(plain.assign(grade=yes.astype(kind))))


def test_numbers_may_be_decimals_or_none(plain: pd.DataFrame) -> None:
    objects = [None if math.isnan(grade) else Decimal(str(grade)) for grade in plain["grade"]]
    same(values(plain), values(plain.assign(grade=pd.Series(objects, dtype=object))))


@pytest.mark.parametrize("role", ["query", "doc"])
@pytest.mark.parametrize("kind", IDS + TEXT)
def test_ids_of_any_type_give_the_same_values(plain: pd.DataFrame, role: str, kind: str) -> None:
    column = plain[role].astype(str) if kind in TEXT else plain[role]
    found = values(plain.assign(**{role: column.astype(kind)}), ties="trec")
    np.testing.assert_array_equal(found.to_numpy(), values(plain, ties="trec").to_numpy())


def test_dates_and_intervals_may_be_ids(plain: pd.DataFrame) -> None:
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(plain["query"], unit="D")
    found = values(plain.assign(query=days))
    assert found.index.dtype == days.dtype
    np.testing.assert_array_equal(found.to_numpy(), values(plain).to_numpy())
    weeks = pd.cut(plain["query"], [0, 13, 20])
    assert values(plain.assign(query=weeks)).shape[0] == 2


# The user's frame.


@given(frames(), OPTIONS)
@FEW
def test_the_frame_is_never_changed(frame: pd.DataFrame, options: dict) -> None:
    frame = frame.set_index("query", append=True).sample(frac=1, random_state=0)
    frame.attrs["from"] = ["here"]
    frame.flags.allows_duplicate_labels = False
    kept, columns, index = frame.copy(), frame.columns, frame.index
    evaluation = frame.rank.evaluate(MEASURES, **options)
    for look in (repr, lambda e: e.to_html(), lambda e: e.explain("q0"), lambda e: e.sensitivity):
        look(evaluation)
    frame.groupby("query").rank.ndcg(k=3)
    pd.testing.assert_frame_equal(frame, kept, check_exact=True)
    assert frame.attrs == {"from": ["here"]}
    assert frame.columns is columns
    assert frame.index is index
    assert frame.flags.allows_duplicate_labels is False


def test_a_later_change_of_the_frame_does_not_reach_the_result() -> None:
    def fresh() -> pd.DataFrame:
        return pd.DataFrame(
            {
                "query": ["a", "a", "b", "b", "b"],
                "doc": ["x", "y", "x", "y", "z"],
                "grade": [0.0, 2.0, 1.0, np.nan, 0.0],
                "score": [1.0, 1.0, 3.0, 2.0, 1.0],
                "rank": [1, 2, 3, 1, 2],
            }
        )

    frame, untouched = fresh(), rm.evaluate(fresh(), MEASURES)
    evaluation = rm.evaluate(frame, MEASURES)
    frame.loc[:, "score"] = [5.0, 4.0, 3.0, 2.0, 1.0]
    frame.loc[0, "grade"] = 3.0
    frame["rank"] = [1, 2, 1, 2, 3]
    frame.loc[:, "doc"] = "gone"
    del frame["doc"]
    pd.testing.assert_frame_equal(evaluation.coverage, untouched.coverage)
    pd.testing.assert_frame_equal(evaluation.sensitivity, untouched.sensitivity)
    same(evaluation.per_query, untouched.per_query)
    for query in ("a", "b"):
        mine, right = evaluation.explain(query), untouched.explain(query)
        pd.testing.assert_frame_equal(mine.to_frame(), right.to_frame())


def test_what_a_result_hands_out_is_the_users_to_change() -> None:
    frame = pd.DataFrame({"query": "q", "grade": [0, 1], "score": [2.0, 1.0]})
    evaluation = rm.evaluate(frame, ["RR", "P"])
    for table in (evaluation.per_query, evaluation.mean(), evaluation.summary()):
        table.iloc[:] = 7.0
    assert evaluation.per_query.loc["q"].tolist() == [0.5, 0.5]
    assert evaluation.mean().tolist() == [0.5, 0.5]


# Arithmetic.


@given(frames(most=2), OPTIONS)
@FEW
def test_contributions_add_up_to_the_value(frame: pd.DataFrame, options: dict) -> None:
    evaluation = rm.evaluate(frame, MEASURES, **{**options, "no_relevant": "zero"})
    for query in evaluation.queries:
        explained = evaluation.explain(query)
        for name in evaluation.names:
            value = evaluation.per_query.loc[query, name]
            assert explained.values[name] == pytest.approx(value, abs=0, rel=0, nan_ok=True)
            if not math.isnan(value):  # as where nothing of the query was judged
                total = math.fsum(explained.parts[name]["contribution"].dropna())
                assert value == pytest.approx(total, rel=1e-12, abs=1e-15)


@given(frames(), OPTIONS)
@SOME
def test_values_lie_in_the_unit_interval(frame: pd.DataFrame, options: dict) -> None:
    found = values(frame, UNIT, **options)
    assert (found.isna() | ((found >= 0) & (found <= 1))).all(axis=None)


GAINS = st.sampled_from(["exp2", "linear", "binary", "{0: 0, 0.5: 0.1, 1: 0.3, 2: 0.7, 3: 0.9}"])
DISCOUNTS = st.sampled_from(["log2", "reciprocal", "log10", "geometric0.8", "none"])
CUTOFFS = st.sampled_from(["", "@1", "@3", "@10", "@100"])


@given(
    st.lists(st.sampled_from([0, 0.5, 1, 2, 3]), min_size=1, max_size=60),
    st.builds("nDCG(gain={}, discount={}){}".format, GAINS, DISCOUNTS, CUTOFFS),
    st.booleans(),
)
@example(
    grades=[0.5] * 6, measure="nDCG(gain={0: 0, 0.5: 0.1, 1: 0.3, 2: 0.7, 3: 0.9})", equals_tie=True
)
@SOME
def test_an_ideal_ranking_has_ndcg_of_exactly_one(
    grades: list[float], measure: str, equals_tie: bool
) -> None:
    frame = pd.DataFrame({"query": "q", "grade": [*grades, 3]})
    frame["score"] = frame["grade"] + (0 if equals_tie else np.linspace(0, 0.1, len(frame)))
    assert values(frame, measure).loc["q"].tolist() == [1.0]


@given(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=2, max_size=12), st.data())
@SOME
def test_a_better_document_moved_up_lowers_nothing(grades: list[int], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(grades) - 2))
    frame = pd.DataFrame({"query": "q", "grade": grades})
    frame["score"] = -frame.index.to_numpy(dtype=float)
    swapped = frame.copy()
    swapped.loc[[at, at + 1], "grade"] = sorted(grades[at : at + 2], reverse=True)
    anchor = pd.DataFrame({"query": ["a"], "grade": [3], "score": [1.0]})
    before, after = (values(pd.concat([part, anchor])).loc["q"] for part in (frame, swapped))
    assert (after >= before - 1e-12).all()


# Bounds.

BOUNDED = ["RR", "P", "Success", "DCG", "ERR(max_grade=3)", "ERR(max_grade=4)", "nDCG"]
BOUNDED += ["nDCG(gain=linear, discount=reciprocal)", "RR(rel=2)"]


@given(frames(most=2), st.sampled_from(["average", "trec"]), st.sampled_from([None, 2, 3, 5]))
@FEW
def test_bounds_contain_whatever_the_unjudged_documents_shown_are(
    frame: pd.DataFrame, ties: str, k: int | None
) -> None:
    measures = [measure.at(k) for measure in map(rm.parse, BOUNDED)]
    evaluation = rm.evaluate(frame, measures, ties=ties)
    bounds = evaluation.sensitivity[["unjudged_worthless", "unjudged_best"]]
    pooled = evaluation.per_query.index[evaluation.per_query["P" + (f"@{k}" if k else "")].notna()]
    if ties == "trec":  # the order of equals is settled, so that those behind k are not shown
        text = frame.dropna(subset=["score"]).assign(doc=lambda rows: rows["doc"].map(str))
        order = text.sort_values(["score", "doc"], ascending=False)
        place = (order.groupby("query").cumcount() + 1).reindex(frame.index)
    else:
        place = frame.groupby("query")["score"].rank(method="min", ascending=False)
    shown = frame["grade"].isna() & (place <= (k or math.inf))
    for guess in ([0.0], [3.0], [0.0, 3.0, 1.0], [2.0, 0.5, 0.0, 0.0]):
        filled = frame.assign(grade=frame["grade"].mask(shown, np.resize(guess, len(frame))))
        means = values(filled, measures, ties=ties).loc[pooled].mean()
        assert (bounds["unjudged_worthless"] - 1e-12 <= means).all()
        assert (means <= bounds["unjudged_best"] + 1e-12).all()


@given(frames(), OPTIONS)
@SOME
def test_unit_measures_have_bounds_in_the_unit_interval(frame: pd.DataFrame, options: dict) -> None:
    table = rm.evaluate(frame, UNIT, **options).sensitivity
    bounds = table[["unjudged_worthless", "unjudged_best"]]
    assert (bounds.isna() | ((bounds >= 0) & (bounds <= 1))).all(axis=None)
