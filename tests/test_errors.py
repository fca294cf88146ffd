"""Bad input gives one clear error, which says what is wrong and what to do, and no number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import ColumnError, ConventionError, DataError, MeasureError, RankMagicError


def good() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "query": ["a", "a", "a", "b", "b"],
            "doc": ["x", "y", "z", "x", "w"],
            "grade": [0.0, 3.0, 1.0, 2.0, 0.0],
            "score": [0.9, 0.8, 0.1, 0.7, 0.2],
        }
    )


@contextmanager
def fails(kind: type[RankMagicError], *said: str) -> Iterator[None]:
    """Expect exactly this kind of error, with all of this in its message."""
    with pytest.raises(kind) as caught:
        yield
    message = str(caught.value)
    assert type(caught.value) is kind
    assert not [words for words in said if words not in message], message


DOORS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "evaluate": lambda frame: rm.evaluate(frame, ["RR", "nDCG@10"]),
    "accessor": lambda frame: frame.rank.ndcg(k=10),
    "mean": lambda frame: frame.rank.mrr(),
    "explain": lambda frame: frame.rank.explain("a"),
    "using": lambda frame: frame.rank.using(ties="worst").ap(),
}


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> Callable[[pd.DataFrame], Any]:
    return DOORS[request.param]


# Columns.


def test_no_query_column(door: Any) -> None:
    with fails(ColumnError, "No column for the query", "'who'", "'doc'", "Say which one: query="):
        door(good().rename(columns={"query": "who"}))


def test_no_grade_column(door: Any) -> None:
    with fails(ColumnError, "No column for the grade", "'stars'", "Say which one: grade="):
        door(good().rename(columns={"grade": "stars"}))


def test_two_candidates_for_the_grade(door: Any) -> None:
    with fails(ColumnError, "could be the grade", "'grade'", "'label'", "Say which one: grade="):
        door(good().assign(label=1))


def test_neither_score_nor_rank_lists_the_numeric_columns(door: Any) -> None:
    frame = good().rename(columns={"score": "bm25"}).assign(minilm=1, title="t")
    with fails(ColumnError, "No score and no rank", "'bm25', 'minilm'", "score=", "order='rows'"):
        door(frame)


def test_neither_score_nor_rank_and_nothing_numeric(door: Any) -> None:
    with fails(ColumnError, "No score and no rank", "none of them numeric", "order='rows'"):
        door(good().drop(columns="score"))


def test_multiindex_columns(door: Any) -> None:
    frame = good()
    frame.columns = pd.MultiIndex.from_product([["top"], frame.columns])
    with fails(ColumnError, "MultiIndex with 2 levels", "Flatten", "frame.columns ="):
        door(frame)


@pytest.mark.parametrize("role", ["query", "doc", "grade", "score"])
def test_a_column_name_twice(door: Any, role: str) -> None:
    frame = pd.concat([good(), good()[[role]]], axis=1)
    with fails(ColumnError, f"2 columns called '{role}'", f"the {role}", "Rename or drop"):
        door(frame)


def test_a_given_column_that_does_not_exist_has_near_ones() -> None:
    with fails(ColumnError, "no column 'scor' for the score", "'score'", "Did you mean score?"):
        rm.evaluate(good(), score="scor")
    with fails(ColumnError, "no column 'bm52'", "Did you mean bm25?"):
        rm.evaluate(good().assign(bm25=1), score=["score", "bm52"])


@pytest.mark.parametrize("role", ["doc", "grade", "rank", "system"])
def test_several_columns_for_a_role_that_takes_one(role: str) -> None:
    with fails(ColumnError, f"The {role} is one column", "'query', 'doc'"):
        rm.evaluate(good(), "RR", **{role: ["query", "doc"]})


@pytest.mark.parametrize("role", ["query", "score"])
def test_an_empty_list_of_columns(role: str) -> None:
    with fails(ColumnError, f"The list of columns for the {role} is empty"):
        rm.evaluate(good(), "RR", **{role: []})


def test_an_unknown_order() -> None:
    with fails(ColumnError, "order='up'", "order='rows'"):
        rm.evaluate(good(), "RR", order="up")


def test_a_role_that_does_not_exist() -> None:
    with pytest.raises(TypeError, match="qid"):
        rm.evaluate(good(), "RR", qid="query")  # type: ignore[call-arg]
    with pytest.raises((TypeError, RankMagicError), match="qid"):
        good().rank.evaluate("RR", qid="query")
    for call in (good().rank.using, good().rank.rr):
        with pytest.raises(RankMagicError, match=r"qid.*query, doc, grade"):
            call(qid="query")


@pytest.mark.parametrize("thing", [[], {}, None, "frame.csv", good()["grade"], np.zeros((2, 2))])
def test_something_that_is_no_frame(thing: Any) -> None:
    with fails(DataError, "DataFrame with a row per query and document", type(thing).__name__):
        rm.evaluate(thing, "RR")


# Rows.


def test_an_empty_frame(door: Any) -> None:
    for frame in (good().iloc[:0], pd.DataFrame()):
        with fails(DataError, "no rows"):
            door(frame)


@pytest.mark.parametrize("role", ["grade", "score"])
@pytest.mark.parametrize("kind", ["object", "str", "category"])
def test_text_for_numbers(door: Any, role: str, kind: str) -> None:
    frame = good()
    frame[role] = pd.Series(["1", "2", "good", "3", None], dtype=kind)
    with fails(DataError, f"The {role} column '{role}' must hold numbers", "pd.to_numeric"):
        door(frame)


def test_a_single_word_among_numbers_is_shown_with_its_row() -> None:
    frame = good().astype({"grade": object}).set_index(pd.Index([*"ABCDE"]))
    frame.loc["C", "grade"] = "relevant"
    with fails(DataError, "1 of its 5 values", "'relevant' in row 'C'", "frame['grade']"):
        rm.evaluate(frame, "RR")


@pytest.mark.parametrize(
    "values",
    [
        pd.to_datetime(["2024-01-01"] * 5),
        pd.to_timedelta([1, 2, 3, 4, 5], unit="D"),
        [1j] * 5,
        [[1]] * 5,
        [b"1"] * 5,
    ],
)
@pytest.mark.parametrize("role", ["grade", "score"])
def test_other_things_than_numbers(role: str, values: Any) -> None:
    frame = good()
    frame[role] = values
    with fails(DataError, f"The {role} column '{role}' must hold numbers"):
        rm.evaluate(frame, "RR")


@pytest.mark.parametrize("kind", ["float64", "Float64", "object", "Int64"])
def test_no_grade_at_all(door: Any, kind: str) -> None:
    frame = good()
    frame["grade"] = pd.Series([None] * 5, dtype=kind)
    with fails(DataError, "grade column 'grade' holds no grade at all"):
        door(frame)


@pytest.mark.parametrize("grade", [math.inf, -math.inf])
def test_an_infinite_grade(door: Any, grade: float) -> None:
    frame = good()
    frame.loc[1, "grade"] = grade
    with fails(DataError, "'grade'", "infinite grade"):
        door(frame)


@pytest.mark.parametrize("role", ["query", "doc"])
@pytest.mark.parametrize("kind", ["object", "str", "category", "float64", "Int64"])
def test_a_missing_id(door: Any, role: str, kind: str) -> None:
    frame = good()
    if kind in ("float64", "Int64"):
        frame[role] = pd.factorize(frame[role])[0] + 1
    frame[role] = frame[role].astype(kind).where([True, True, False, True, True])
    with fails(DataError, f"1 row has no {role} id in '{role}'", "row 2", "dropna"):
        door(frame)


@pytest.mark.parametrize("kind", ["object", "str", "category", "int64"])
@pytest.mark.parametrize("scored", [True, False])
def test_the_same_document_twice_in_a_query(door: Any, kind: str, scored: bool) -> None:
    frame = good()
    frame["doc"] = [7, 8, 7, 7, 9] if kind == "int64" else ["x", "y", "x", "x", "w"]
    frame["doc"] = frame["doc"].astype(kind)
    if not scored:
        frame.loc[2, "score"] = np.nan
    which = "7" if kind == "int64" else "'x'"
    choices = ["duplicates='first'", "duplicates='best'"]
    with fails(DataError, "1 row repeats", f"document {which} in query 'a'", *choices):
        door(frame.sample(frac=1, random_state=3))


def test_repeats_are_found_in_a_large_ragged_frame_and_counted() -> None:
    with fails(DataError, "10 rows repeat a document", "document 'x' in query 'a'"):
        rm.evaluate(pd.concat([good()] * 3), "RR")
    lengths = np.arange(1, 200)
    frame = pd.DataFrame({"query": np.repeat(lengths, lengths), "grade": 1})
    frame["doc"] = frame.groupby("query").cumcount()
    frame["score"] = frame["doc"] * 1.0
    rm.evaluate(frame, "RR")
    last = frame.index[frame["query"] == 150][-1]
    frame.loc[last, "doc"] = 3
    with fails(DataError, "1 row repeats", "document 3 in query 150"):
        rm.evaluate(frame, "RR")


def test_ids_that_floats_can_not_tell_apart_are_told_apart() -> None:
    big = 2**53
    for kind in ("int64", "uint64", "Int64", "object"):
        ids = pd.Series([big, big + 1, big + 2, big + 3], dtype=kind)
        frame = pd.DataFrame({"query": 1, "doc": ids, "grade": [0, 1, 0, 1], "score": [0, 1, 2, 3]})
        assert rm.evaluate(frame, "RR").per_query.loc[1].tolist() == [1.0]
        queries = frame.assign(query=ids, doc=1)
        assert rm.evaluate(queries, "RR").per_query["RR"].tolist() == [0, 1, 0, 1]
        assert rm.evaluate(queries, "RR").queries.tolist() == ids.tolist()


@pytest.mark.parametrize("kind", ["int64", "uint64", "Int64", "UInt64", "int64[pyarrow]"])
def test_whole_scores_that_floats_can_not_tell_apart_do_not_tie(kind: str) -> None:
    top = 2**64 - 1 if kind.lower() == "uint64" else 2**63 - 1
    score = pd.Series([top - 1, top, top - 2], dtype=kind)
    frame = pd.DataFrame({"query": 1, "grade": [0, 1, 0], "score": score})
    evaluation = rm.evaluate(frame, "RR")
    assert evaluation.per_query.loc[1].tolist() == [1.0]
    assert evaluation.coverage.loc["queries with tied scores"].tolist() == [0]


def test_what_needs_documents_says_so() -> None:
    frame = good().drop(columns="doc")
    with fails(ColumnError, "ties='trec'", "doc column is needed", "doc="):
        rm.evaluate(frame, "RR", ties="trec")
    with fails(ColumnError, "doc column is needed", "doc="):
        rm.evaluate(frame, "RR", duplicates="first")


# Measures.


@pytest.mark.parametrize("name", ["ndcg", "rr", "ap", "err", "dcg", "p", "r", "success", "judged"])
@pytest.mark.parametrize("k", [0, -1, 2.5, math.inf, math.nan, True, "10", [10]])
def test_a_cutoff_that_is_no_rank(name: str, k: Any) -> None:
    with fails(MeasureError, "cutoff", rm.parse(name).name, "whole number", repr(k)):
        getattr(good().rank, name)(k=k)


@pytest.mark.parametrize("cutoff", ["0", "-1", "2.5", "x", "1e400", "'3'", "5@6"])
def test_a_cutoff_that_is_no_rank_as_text(cutoff: str) -> None:
    with fails(MeasureError, "nDCG", "whole number"):
        rm.evaluate(good(), f"nDCG@{cutoff}")


@pytest.mark.parametrize(
    ("wrong", "near"),
    [("ncdg", "ndcg"), ("NDGC", "ndcg"), ("presicion", "precision"), ("MPA", "map")],
)
def test_an_unknown_measure_has_near_ones(wrong: str, near: str) -> None:
    for text in (wrong, f"{wrong}@10"):
        with pytest.raises(MeasureError, match=f"No measure is called '{wrong}'") as caught:
            rm.evaluate(good(), text)
        advice = str(caught.value).partition("Did you mean ")[2].lower()
        assert near in advice.strip("?").split(" or ")


def test_a_measure_like_no_other_lists_the_known_ones() -> None:
    with fails(MeasureError, "'zzzzzz'", "Known are", "'AP'"):
        rm.evaluate(good(), "zzzzzz")


def test_an_unknown_measure_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="ncdg"):
        good().rank.ncdg(k=10)
    with pytest.raises(AttributeError, match="ncdg"):
        good().rank.using(ties="best").ncdg(k=10)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nDCG(gian=linear)", ["nDCG has no parameter 'gian'", "'gain'", "Did you mean gain?"]),
        ("AP(max_grade=3)", ["AP has no parameter 'max_grade'", "'rel'", "'denominator'"]),
        ("AP(denominator=max)", ["AP's denominator", "'relevant', 'min'", "'max'"]),
        ("RR(rel=0)", ["RR's rel", "above 0"]),
        ("RR(rel=high)", ["RR's rel", "number", "'high'"]),
        ("ERR(max_grade=-1)", ["ERR's max_grade", "-1"]),
        ("nDCG(gain=cubic)", ["No gain is called 'cubic'", "'exp2', 'linear'"]),
        ("nDCG(discount=lgo2)", ["No discount is called 'lgo2'", "log2"]),
        ("nDCG(discount=geometric1.5)", ["geometric1.5", "between 0 and 1"]),
        ("nDCG(linear)", ["'linear'", "name=value"]),
        ("nDCG(gain=)", ["'gain='", "name=value"]),
        ("nDCG@", ["'nDCG@'", "can't be read"]),
        ("nDCG)10", ["can't be read"]),
        ("", ["No measure was named"]),
    ],
)
def test_a_measure_that_can_not_be_read(text: str, said: list[str]) -> None:
    with fails(MeasureError, *said):
        rm.evaluate(good(), text)


@pytest.mark.parametrize("measures", [[], (), 10, [3.5], [None], {"nDCG": 10}.values()])
def test_measures_that_are_none(measures: Any) -> None:
    with fails(MeasureError):
        rm.evaluate(good(), measures)


def test_a_grade_above_errs_scale() -> None:
    with fails(MeasureError, "ERR has max_grade=2", "grade 3", "Set max_grade"):
        rm.evaluate(good(), "ERR", max_grade=2)


def test_gains_and_discounts_that_make_no_sense() -> None:
    with fails(MeasureError, "no entry for the grades 2.0, 3.0", "add them"):
        rm.evaluate(good(), "nDCG", gain={0: 0, 1: 1})
    with fails(MeasureError, "gain", "grade 2", "at least 0"):
        rm.evaluate(good(), "nDCG", gain=lambda grade: 1 - grade)
    with fails(MeasureError, "rank 2", "at least 0"):
        rm.evaluate(good(), "nDCG", discount=[1, -1])
    with fails(MeasureError, "shape", "for each rank"):
        rm.evaluate(good(), "nDCG", discount=lambda rank: 1.0)
    with fails(MeasureError, "A gain is a name"):
        rm.evaluate(good(), "nDCG", gain=2)
    with fails(MeasureError, "A discount is a name"):
        rm.evaluate(good(), "nDCG", discount=2)
    with fails(MeasureError, "grade 5000", "linear"):
        rm.evaluate(good().assign(grade=5000), "nDCG")


# Conventions.


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"ties": "avarage"}, ["ties='avarage'", "'trec'", "Did you mean average?"]),
        ({"ties": None}, ["ties=None", "'average'"]),
        ({"ties": ["average"]}, ["ties=['average']"]),
        ({"unanswered": "drop"}, ["unanswered='drop'", "'zero', 'skip'"]),
        ({"no_relevant": 0}, ["no_relevant=0", "'one'"]),
        ({"unjudged": "ignore"}, ["unjudged='ignore'", "'remove'"]),
        ({"negative": "zero"}, ["negative='zero'", "'nonrelevant'"]),
        ({"duplicates": "last"}, ["duplicates='last'", "'first', 'best'"]),
        *[({"depth": depth}, ["depth", repr(depth)]) for depth in (0, -1, 2.5, "x", math.inf)],
        *[({"rel": rel}, ["rel", repr(rel)]) for rel in (0, -1, "2", math.nan, math.inf, None)],
        *[({"max_grade": top}, ["max_grade", repr(top)]) for top in (0, -1, "4", math.nan)],
    ],
)  # fmt: skip
def test_an_unknown_convention(setting: dict[str, Any], said: list[str]) -> None:
    with fails(ConventionError, *said):
        rm.evaluate(good(), "RR", **setting)


# Explanations, and how errors look.


def test_an_explanation_of_what_is_not_there() -> None:
    evaluation = rm.evaluate(good(), "RR")
    with fails(DataError, "There is no query 'de'", "('de', 'a')"):
        rm.evaluate(good().assign(m="de"), "RR", query=["m", "query"]).explain("de")
    with fails(DataError, "There are 2 queries", "query='a'"):
        evaluation.explain()
    with fails(DataError, "There is no query 'c'", "'a', 'b'"):
        evaluation.explain("c")
    with fails(DataError, "There is no system 'bm25'", "'score'"):
        evaluation.explain("a", system="bm25")


def test_every_error_is_a_value_error_and_prints_as_one_message_in_a_notebook() -> None:
    for kind in (ColumnError, DataError, MeasureError, ConventionError):
        assert issubclass(kind, RankMagicError)
        assert issubclass(kind, ValueError)
        lines = kind("What is wrong.")._render_traceback_()
        assert lines == [f"{kind.__name__}: What is wrong."]
