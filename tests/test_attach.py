"""A run and its qrels become one frame: what pandas' own outer join says, checked and faster."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rank_magic as rm
from rank_magic import matching
from rank_magic.errors import ColumnError, DataError


def run() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "query": ["a", "a", "a", "b", "c"],
            "doc": ["x", "y", "z", "x", "w"],
            "score": [0.9, 0.8, 0.1, 0.7, 0.2],
            "title": ["X", "Y", "Z", "X", "W"],
        }
    )


def qrels() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "query": ["a", "b", "a", "d", "b"],
            "doc": ["x", "x", "v", "x", "u"],
            "grade": [3, 0, 1, 2, 1],
        }
    )


def merged(run: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Return pandas' own outer join, as the independent truth."""
    return run.merge(qrels, on=["query", "doc"], how="outer")


def same_rows(one: pd.DataFrame, other: pd.DataFrame) -> None:
    """Check that two frames hold the same rows, in whatever order."""

    def rows(frame: pd.DataFrame) -> pd.DataFrame:
        plain = frame.astype(object).where(frame.notna(), None)
        return plain.sort_values(list(plain), key=lambda values: values.astype(str)).reset_index(
            drop=True
        )

    pd.testing.assert_frame_equal(rows(one), rows(other), check_dtype=False)


# What comes out.


def test_rows_are_those_of_an_outer_join() -> None:
    same_rows(rm.attach(run(), qrels()), merged(run(), qrels()))


def test_missed_documents_follow_their_query_and_missed_queries_come_last() -> None:
    frame = rm.attach(run(), qrels())
    assert list(zip(frame["query"], frame["doc"], strict=True)) == [
        ("a", "x"), ("a", "y"), ("a", "z"), ("a", "v"), ("b", "x"), ("b", "u"), ("c", "w"),
        ("d", "x"),
    ]  # fmt: skip
    assert frame.index.equals(pd.RangeIndex(8))
    assert list(frame) == ["query", "doc", "score", "title", "grade"]


def test_it_says_how_many_rows_matched() -> None:
    assert rm.attach(run(), qrels()).attrs["attach"] == {
        "rows of the run": 5,
        "of them judged": 2,
        "judgments": 5,
        "judged, not retrieved": 3,
        "judged queries": 3,
        "judged queries that the run lacks": 1,
        "queries that nobody judged": 1,
    }


def test_what_it_says_survives_selections_and_parquet(tmp_path: Any) -> None:
    pytest.importorskip("pyarrow")
    frame = rm.attach(run(), qrels())
    assert frame[frame["score"] > 0].attrs == frame.attrs
    frame.to_parquet(tmp_path / "frame.parquet")
    assert pd.read_parquet(tmp_path / "frame.parquet").attrs == frame.attrs


def test_it_is_ready_to_be_evaluated() -> None:
    frame = rm.attach(run(), qrels())
    assert frame.rank.rr().to_dict() == {
        "a": 1.0,
        "b": 0.0,
        "c": pytest.approx(np.nan, nan_ok=True),
        "d": 0.0,
    }


def test_neither_frame_is_changed() -> None:
    ours, theirs = run(), qrels()
    frame = rm.attach(ours, theirs)
    frame.loc[:, "score"] = -1.0
    frame.loc[:, "grade"] = -1.0
    complete = rm.attach(ours, theirs.iloc[:2])
    complete.loc[:, "score"] = -1.0
    pd.testing.assert_frame_equal(ours, run())
    pd.testing.assert_frame_equal(theirs, qrels())


def test_rows_that_need_not_stand_by_query() -> None:
    mixed = run().sample(frac=1, random_state=3)
    same_rows(rm.attach(mixed, qrels()), merged(run(), qrels()))


def test_columns_that_both_have_are_told_apart() -> None:
    frame = rm.attach(run(), qrels().assign(title="judged title", by="me"))
    assert list(frame) == ["query", "doc", "score", "title", "grade", "title_qrels", "by"]
    assert frame["title"].tolist()[:2] == ["X", "Y"]


def test_columns_are_found_by_name_in_each_frame_or_given() -> None:
    renamed = qrels().rename(columns={"query": "topic_id", "doc": "docno", "grade": "stars"})
    frame = rm.attach(run(), renamed, grade="stars")
    assert list(frame) == ["query", "doc", "score", "title", "stars"]
    odd = rm.attach(run().rename(columns={"query": "who"}), renamed, query="who", grade="stars")
    assert next(iter(odd)) == "who"
    assert odd["stars"].tolist() == pytest.approx(frame["stars"].tolist(), nan_ok=True)


def test_named_index_levels_count_as_columns() -> None:
    frame = rm.attach(run().set_index(["query", "doc"]), qrels().set_index("query"))
    same_rows(frame, merged(run(), qrels()))


def test_a_query_may_be_named_by_several_columns() -> None:
    ours = run().assign(market=["de", "de", "at", "at", "at"])
    theirs = qrels().assign(market=["de", "at", "at", "at", "de"])
    keys = ["market", "query", "doc"]
    frame = rm.attach(ours, theirs, query=["market", "query"])
    same_rows(frame, ours.merge(theirs, on=keys, how="outer"))


# Types.


TYPES = ["str", "object", "category", "string"]


@pytest.mark.parametrize("theirs", TYPES)
@pytest.mark.parametrize("ours", TYPES)
def test_text_of_any_type_matches(ours: str, theirs: str) -> None:
    frame = rm.attach(
        run().astype({"query": ours, "doc": ours}), qrels().astype({"query": theirs, "doc": theirs})
    )
    same_rows(frame, merged(run(), qrels()))
    expected = run().astype({"query": ours}).dtypes["query"]
    assert (
        (frame["query"].dtype == "category")
        if ours == "category"
        else (frame["query"].dtype == expected)
    )


def test_arrow_types_match() -> None:
    pa = pytest.importorskip("pyarrow")
    for dtype in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        arrow = pd.ArrowDtype(dtype)
        frame = rm.attach(run().astype({"query": arrow, "doc": arrow}), qrels())
        same_rows(frame, merged(run(), qrels()))
        same_rows(rm.attach(run(), qrels().astype({"query": arrow, "doc": arrow})), frame)


@pytest.mark.parametrize("theirs", ["int64", "int8", "Int64", "float64", "object", "category"])
@pytest.mark.parametrize("ours", ["int64", "uint16", "Int32", "float64", "object", "category"])
def test_whole_numbers_of_any_type_match(ours: str, theirs: str) -> None:
    number = {"x": 1, "y": 2, "z": 3, "w": 4, "v": 5, "u": 6}
    whole = (
        run().assign(doc=run()["doc"].map(number)),
        qrels().assign(doc=qrels()["doc"].map(number)),
    )
    frame = rm.attach(whole[0].astype({"doc": ours}), whole[1].astype({"doc": theirs}))
    same_rows(frame.astype({"doc": "int64"}), merged(*whole))
    assert ours == "category" or frame["doc"].dtype == ours


def test_whole_numbers_stay_whole_where_none_is_missing() -> None:
    frame = rm.attach(run().assign(rank=[1, 2, 3, 1, 1]), run()[["query", "doc"]].assign(grade=1))
    assert frame["rank"].dtype == "int64"
    assert frame["grade"].dtype == "int64"


def test_large_whole_numbers_are_not_rounded() -> None:
    ours = run().assign(stock=2**60 + np.arange(5))
    frame = rm.attach(ours, qrels())
    assert frame["stock"].dropna().tolist() == (2**60 + np.arange(5)).tolist()


def test_other_columns_of_any_type_come_along() -> None:
    ours = run().assign(
        when=pd.Timestamp("2024-02-29"),
        flag=True,
        kind=pd.Categorical(list("pqpqp")),
        lists=[[1]] * 5,
    )
    frame = rm.attach(ours, qrels().assign(seen=pd.Timestamp("2024-03-01", tz="UTC"), sure=True))
    assert frame["when"].isna().sum() == 3
    assert frame["kind"].dtype == "category"
    assert frame["lists"].iloc[0] == [1]
    assert frame["seen"].notna().sum() == 5
    assert frame["sure"].notna().sum() == 5


# Systems and subtopics.


def test_several_systems_are_judged_together_and_nothing_twice() -> None:
    other = pd.DataFrame({"query": ["a", "d"], "doc": ["v", "q"], "score": [1.0, 2.0]})
    frame = rm.attach({"one": run(), "two": other}, qrels())
    assert list(frame["system"].cat.categories) == ["one", "two"]
    missed = frame[frame["system"].isna()]
    assert list(zip(missed["query"], missed["doc"], strict=True)) == [("b", "u"), ("d", "x")]
    evaluation = rm.evaluate(frame, ["R", "RR"])
    for name, alone in (("one", run()), ("two", other)):
        single = rm.evaluate(rm.attach(alone, qrels()), ["R", "RR"]).per_query
        together = evaluation.per_query[name].loc[["a", "b", "d"]]
        pd.testing.assert_frame_equal(
            together, single.loc[["a", "b", "d"]], check_names=False, check_index_type=False
        )


def test_a_system_column_does_as_well() -> None:
    long = pd.concat([run().assign(system="s"), run().iloc[:2].assign(system="t")])
    frame = rm.attach(long, qrels())
    assert len(frame) == 7 + 3
    assert frame.groupby("system", observed=True)["grade"].count().to_dict() == {"s": 2, "t": 1}


def test_dicts_get_in_as_they_are() -> None:
    frame = rm.attach({"a": {"x": 2.0, "y": 1.0}}, {"a": {"y": 3, "z": 1}})
    assert frame["grade"].tolist() == pytest.approx([np.nan, 3.0, 1.0], nan_ok=True)


def test_with_subtopics_a_document_has_several_rows() -> None:
    topics = pd.DataFrame(
        {
            "query": ["a", "a", "a", "a"],
            "doc": ["x", "x", "v", "v"],
            "subtopic": ["1", "2", "1", "2"],
            "grade": [1, 0, 1, 1],
        }
    )
    frame = rm.attach(run(), topics)
    same_rows(frame, merged(run(), topics))
    assert frame["doc"].tolist()[:6] == ["x", "x", "y", "z", "v", "v"]
    assert rm.evaluate(frame, "alpha_nDCG@10").per_query.loc["a"].iloc[0] > 0


# Row order as ranking.


def test_order_of_rows_becomes_a_rank() -> None:
    ours = run().drop(columns="score")
    with pytest.raises(ColumnError, match=r"no score and no rank.*order='rows'"):
        rm.attach(ours, qrels())
    frame = rm.attach(ours, qrels(), order="rows")
    assert frame["rank"].tolist() == pytest.approx(
        [1, 2, 3, np.nan, 1, np.nan, 1, np.nan], nan_ok=True
    )
    with pytest.raises(ColumnError, match=r"order='rows' says.*'score'"):
        rm.attach(run(), qrels(), order="rows")
    with pytest.raises(ColumnError, match=r"order='up'"):
        rm.attach(run(), qrels(), order="up")


def test_scores_may_have_names_of_their_own() -> None:
    ours = run().rename(columns={"score": "bm25"})
    assert rm.attach(ours, qrels()).rank.rr(score="bm25").loc["a"] == 1


# What is wrong.


def test_numbers_here_and_text_there_are_an_error_with_the_call_that_helps() -> None:
    numbers = run().assign(doc=[1, 2, 3, 1, 4])
    texts = qrels().assign(doc=["1", "1", "5", "1", "6"])
    with pytest.raises(DataError) as caught:
        rm.attach(numbers, texts)
    call = "run = run.assign(doc=run['doc'].astype('str'))"
    assert "doc ids of the run are numbers" in str(caught.value)
    assert "such as 1 in 'doc' and '1' in 'doc'" in str(caught.value)
    assert call in str(caught.value)
    scope: dict[str, Any] = {"run": numbers}
    exec(call, scope)
    assert rm.attach(scope["run"], texts).attrs["attach"]["of them judged"] == 2


def test_leading_zeros_are_taken_from_the_text() -> None:
    numbers = run().assign(doc=[1, 2, 3, 1, 4])
    texts = qrels().assign(doc=["001", "001", "005", "001", "006"])
    with pytest.raises(
        DataError, match=r"qrels = qrels.assign\(doc=qrels\['doc'\].astype\('int64'\)\)"
    ):
        rm.attach(numbers, texts)


def test_floats_lose_their_point_first() -> None:
    numbers = run().assign(doc=[1.0, 2.0, 3.0, 1.0, 4.0])
    texts = qrels().assign(doc=["1", "1", "5", "1", "6"])
    with pytest.raises(DataError) as caught:
        rm.attach(numbers, texts)
    assert "run['doc'].astype('int64').astype('str')" in str(caught.value)


@pytest.mark.parametrize(
    ("spoil", "differ", "call"),
    [
        (lambda ids: ids + " ", "spaces around them", "qrels['doc'].str.strip()"),
        (lambda ids: ids.str.upper(), "case", "qrels['doc'].str.lower()"),
        (
            lambda ids: " " + ids.str.upper(),
            "spaces around them and case",
            "str.strip().str.lower()",
        ),
    ],
)
def test_no_match_at_all_is_an_error_that_knows_why(spoil: Any, differ: str, call: str) -> None:
    with pytest.raises(DataError) as caught:
        rm.attach(run(), qrels().assign(doc=spoil(qrels()["doc"])))
    assert "No document of the run is judged" in str(caught.value)
    assert f"but for {differ}" in str(caught.value)
    assert call in str(caught.value)


def test_some_ids_that_nearly_match_are_a_warning_that_helps() -> None:
    theirs = qrels().assign(doc=["x", "x ", "v", "x", "u"])
    with pytest.warns(UserWarning, match="would match") as caught:
        rm.attach(run(), theirs)
    (message,) = [str(warning.message) for warning in caught]
    assert "1 id of the run's doc column would match the qrels' but for spaces" in message
    assert "'x' is 'x ' there" in message
    call = "qrels = qrels.assign(doc=qrels['doc'].str.strip())"
    assert call in message
    scope = {"qrels": theirs}
    exec(call, scope)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rm.attach(run(), scope["qrels"]).attrs["attach"]["of them judged"] == 2


def test_a_query_that_nearly_matches_is_told() -> None:
    with pytest.warns(
        UserWarning, match="query column would match the qrels' but for case: 'b' is 'B'"
    ):
        rm.attach(run(), qrels().assign(query=["a", "B", "a", "d", "B"]))


def test_ids_that_differ_by_case_on_purpose_are_not_complained_of() -> None:
    ours = run().assign(doc=["x", "X", "z", "x", "w"])
    theirs = qrels().assign(doc=["x", "x", "v", "X", "u"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rm.attach(ours, theirs)


def test_other_qrels_altogether_are_an_error_with_examples() -> None:
    with pytest.raises(DataError, match=r"query ids are others altogether, such as 'a'.*and 'q1'"):
        rm.attach(run(), qrels().assign(query="q1"))
    with pytest.raises(DataError, match=r"doc ids are others altogether, such as 'x'.*and 'k'"):
        rm.attach(run(), qrels().assign(doc="k"))
    with pytest.raises(DataError, match="occur in both, but never together"):
        rm.attach(run(), pd.DataFrame({"query": ["a"], "doc": ["w"], "grade": [1]}))


def test_conflicting_grades_are_an_error_unless_one_counts() -> None:
    theirs = pd.concat([qrels(), qrels().iloc[:1].assign(grade=1)], ignore_index=True)
    with pytest.raises(DataError) as caught:
        rm.attach(run(), theirs)
    assert "1 row grades a document of the qrels otherwise" in str(caught.value)
    assert "document 'x' in query 'a' with 3 and 1" in str(caught.value)
    for way, grade in (("first", 3), ("best", 3)):
        assert rm.attach(run(), theirs, duplicates=way)["grade"].iloc[0] == grade
        assert rm.attach(run(), theirs[::-1], duplicates=way)["grade"].iloc[0] == (
            1 if way == "first" else 3
        )
    with pytest.raises(DataError, match="'raise', 'first' and 'best'"):
        rm.attach(run(), theirs, duplicates="last")


def test_grades_that_agree_are_taken_once() -> None:
    theirs = pd.concat([qrels(), qrels()])
    pd.testing.assert_frame_equal(rm.attach(run(), theirs), rm.attach(run(), qrels()))


def test_judgments_without_a_grade_judge_nothing() -> None:
    theirs = qrels().assign(grade=[np.nan, 0, np.nan, 2, 1])
    frame = rm.attach(run(), theirs)
    same_rows(frame, merged(run(), theirs.dropna()))
    assert frame.attrs["attach"]["judgments"] == 3
    with pytest.raises(DataError, match="holds no grade at all"):
        rm.attach(run(), qrels().assign(grade=np.nan))


@pytest.mark.parametrize("role", ["query", "doc"])
@pytest.mark.parametrize("table", ["run", "qrels"])
def test_missing_ids_are_an_error(table: str, role: str) -> None:
    tables = {"run": run(), "qrels": qrels()}
    tables[table].loc[1, role] = None
    with pytest.raises(DataError, match=f"1 row has no {role} id in '{role}' of the {table}"):
        rm.attach(**tables)


def test_columns_that_can_not_be_told_are_named() -> None:
    with pytest.raises(ColumnError, match=r"No column for the grade in the qrels.*'stars'"):
        rm.attach(run(), qrels().rename(columns={"grade": "stars"}))
    with pytest.raises(ColumnError, match="No column for the doc in the run"):
        rm.attach(run().rename(columns={"doc": "thing"}), qrels())
    with pytest.raises(ColumnError, match="no column 'nix' for the query"):
        rm.attach(run(), qrels(), query="nix")
    with pytest.raises(ColumnError, match="has a column 'grade' already"):
        rm.attach(run().assign(grade=1), qrels())
    with pytest.raises(ColumnError, match="several columns called 'title'"):
        rm.attach(pd.concat([run(), run()[["title"]]], axis=1), qrels())
    with pytest.raises(DataError, match="The qrels has no rows"):
        rm.attach(run(), qrels().iloc[:0])
    with pytest.raises(DataError, match=r"must be a pandas DataFrame.*not int"):
        rm.attach(3, qrels())  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"must be a pandas DataFrame.*not list"):
        rm.attach(run(), [1])  # type: ignore[arg-type]


# At length.

IDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw a run and qrels over a few ids, with one pair in common at least."""
    some = draw(st.lists(IDS, min_size=1, max_size=6, unique=True))
    pair = st.tuples(st.sampled_from(some), st.sampled_from(some))
    ours = draw(st.lists(pair, min_size=1, max_size=30, unique=True))
    theirs = draw(st.lists(pair, min_size=1, max_size=30, unique=True))
    if not set(ours) & set(theirs):
        theirs.append(ours[0])
    frames = [
        pd.DataFrame(pairs, columns=["query", "doc"], dtype="str") for pairs in (ours, theirs)
    ]
    return (
        frames[0].assign(score=np.arange(len(ours), dtype=float)),
        frames[1].assign(grade=np.arange(len(theirs))),
    )


@given(tables(), st.sampled_from(TYPES))
@pytest.mark.filterwarnings("ignore:.*would match the qrels:UserWarning")
def test_any_tables_are_joined_as_pandas_joins_them(
    drawn: tuple[pd.DataFrame, pd.DataFrame], kind: str
) -> None:
    ours, theirs = drawn
    frame = rm.attach(ours.astype({"query": kind, "doc": kind}), theirs)
    same_rows(frame, merged(ours, theirs))
    assert frame["score"].dropna().tolist() == ours["score"].tolist()


def test_many_rows_are_joined_as_pandas_joins_them() -> None:
    random = np.random.default_rng(1)
    pairs = random.permutation(400 * 2000)[:300_000]
    frame = pd.DataFrame(
        {"query": pairs % 400, "doc": pairs // 400, "score": random.random(300_000)}
    )
    frame = frame.sort_values("query", kind="stable", ignore_index=True)
    frame = frame.assign(
        query="q" + frame["query"].astype("str"), doc="d" + frame["doc"].astype("str")
    )
    more = pd.DataFrame({"query": "q1", "doc": [f"n{n}" for n in range(50)]})
    judged = pd.concat([frame.sample(30_000, random_state=2)[["query", "doc"]], more])
    judged = judged.assign(grade=np.arange(len(judged)) % 4)
    for ours in (frame, frame.sample(frac=1, random_state=5)):
        attached = rm.attach(ours, judged)
        expected = merged(ours, judged)
        keys = ["query", "doc"]
        pd.testing.assert_frame_equal(
            attached.sort_values(keys, ignore_index=True),
            expected.sort_values(keys, ignore_index=True),
        )


def test_accidents_of_the_fingerprints_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Different ids with equal numbers are found out by the ids themselves."""
    honest = rm.attach(run(), qrels())
    mixed = matching.mixed
    calls = []

    def clumsy(numbers: Any) -> Any:
        calls.append(1)
        # Before the exact numbers are taken, which stand in fewer bits, everything collides.
        return mixed(numbers) & np.uint64(1) if len(calls) <= 3 else mixed(numbers)

    monkeypatch.setattr(matching, "mixed", clumsy)
    pd.testing.assert_frame_equal(rm.attach(run(), qrels()), honest)
    assert len(calls) > 3
