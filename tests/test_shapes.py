"""Data as it lies in memory elsewhere: dicts, lists and arrays give what a tidy frame gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rank_magic as rm
from rank_magic.errors import ColumnError, DataError
from rank_magic.shapes import as_qrels, as_run, from_arrays, from_lists

MEASURES = ["nDCG@3", "RR", "AP", "R@2", "P@2"]
RUN = {"q1": {"a": 0.9, "b": 0.8, "c": 0.1}, "q2": {"a": 2, "d": 3}}
QRELS = {"q1": {"b": 2, "e": 1}, "q2": {"d": 0, "a": 1}}


def rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return a frame's rows as tuples, what is missing as None."""
    return [
        tuple(None if isinstance(value, float) and math.isnan(value) else value for value in row)
        for row in frame.itertuples(index=False)
    ]


# Dicts.


def test_a_dict_of_dicts_is_a_row_per_query_and_document() -> None:
    frame = as_run(RUN)
    assert list(frame) == ["query", "doc", "score"]
    assert rows(frame) == [(q, d, float(s)) for q, inner in RUN.items() for d, s in inner.items()]
    assert rows(as_qrels(QRELS)) == [
        (q, d, float(g)) for q, inner in QRELS.items() for d, g in inner.items()
    ]


@given(
    st.dictionaries(
        st.integers(-5, 5),
        st.dictionaries(st.integers(0, 9), st.floats(allow_nan=False), max_size=5),
        min_size=1,
    )
)
def test_every_number_of_a_dict_arrives(run: dict[int, dict[int, float]]) -> None:
    if not any(run.values()):
        with pytest.raises(DataError, match="A dict must be"):
            as_run(run)
        return
    frame = as_run(run)
    assert rows(frame) == [(q, d, s) for q, inner in run.items() for d, s in inner.items()]
    assert frame["query"].dtype == frame["doc"].dtype == np.int64


def test_ids_stay_what_they_are() -> None:
    frame = as_run({("a", 1): {("x", 2): 1.0, "y": 0.5}, "b": {3: 1.0}})
    assert frame["query"].tolist() == [("a", 1), ("a", 1), "b"]
    assert frame["doc"].tolist() == [("x", 2), "y", 3]


def test_a_dict_of_lists_is_ranked_and_judged_lists_are_relevant() -> None:
    assert rows(as_run({"q": ["b", "a"], "r": ["c"]})) == [
        ("q", "b", 1),
        ("q", "a", 2),
        ("r", "c", 1),
    ]
    assert rows(as_qrels({"q": ["b", "a", "b"]})) == [("q", "b", 1.0), ("q", "a", 1.0)]
    assert sorted(rows(as_qrels({"q": {"b", "a"}}))) == [("q", "a", 1.0), ("q", "b", 1.0)]


def test_missing_numbers_of_a_dict_stay_missing() -> None:
    frame = as_qrels({"q": {"a": None, "b": 1, "c": np.float32(2), "d": True}})
    assert frame["grade"].tolist()[1:] == [1.0, 2.0, 1.0]
    assert np.isnan(frame["grade"][0])


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({}, "here it is empty"),
        ({"q": {}}, "A dict must be"),
        ({"q": {"d": "3"}}, r"'3' \(document 'd' of query 'q'\)"),
        ({"q": {"d": 1}, "r": ["d"]}, "Query 'r' holds list"),
        ({"q": ["d"], "r": {"d": 1}}, "Query 'r' holds dict"),
        ({"q": ["d"], "r": "d"}, "Query 'r' holds str"),
        ({"q": 3}, "'q' holds 3"),
        ({"q": "text"}, "'q' holds 'text'"),
        ({"query": ["q"], "doc": ["d"], "score": [1]}, r"pass pd\.DataFrame\(\.\.\.\)"),
        ({"one": {"q": {"d": 1}}, "two": 5}, "'two' holds int"),
        ({"one": {"q": {"d": 1}}, "two": {"q": ["d"]}}, "do not have the same columns: 'two'"),
    ],
)
def test_wrong_dicts_are_refused_with_what_was_found(run: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        as_run(run)


def test_judgments_of_several_systems_are_refused() -> None:
    with pytest.raises(DataError, match=r"\{query: \{doc: grade\}\}"):
        as_qrels({"bm25": {"q": {"d": 1}}})


def test_ranked_sets_are_refused() -> None:
    with pytest.raises(DataError, match="Query 'q' holds set"):
        as_run({"q": {"a", "b"}})


# Several runs.


def judged(run: dict[str, dict[str, float]]) -> pd.DataFrame:
    frame = as_run(run)
    grade = [QRELS[q].get(d) for q, d in zip(frame["query"], frame["doc"], strict=True)]
    return frame.assign(grade=np.array(grade, dtype=float))


def test_runs_by_name_are_systems_in_their_order() -> None:
    other = {"q1": {"b": 5.0, "e": 4.0}, "q2": {"a": 1.0}}
    both = {"zeta": judged(RUN), "alpha": judged(other)}
    evaluation = rm.evaluate(both, MEASURES)
    assert evaluation.systems == ("zeta", "alpha")
    joined = pd.concat([frame.assign(system=name) for name, frame in both.items()])
    right = rm.evaluate(joined, MEASURES).per_query
    for name in both:
        pd.testing.assert_frame_equal(evaluation.per_query[name], right[name])


def test_runs_may_call_their_columns_otherwise() -> None:
    first = judged(RUN)
    second = first.rename(columns={"query": "qid", "doc": "docno", "score": "prediction"})
    frame = as_run({"one": first, "two": second.set_index("qid")})
    assert list(frame) == ["query", "doc", "score", "grade", "system"]
    assert frame["system"].tolist() == ["one"] * len(first) + ["two"] * len(first)


def test_a_run_with_its_own_system_column_goes_by_its_name_in_the_dict() -> None:
    first = judged(RUN).assign(run="tag")
    assert as_run({"mine": first})["system"].unique().tolist() == ["mine"]
    two = pd.concat([first, first.assign(run="other")])
    with pytest.raises(DataError, match="'mine' holds several systems by its column 'run'"):
        as_run({"mine": two})


# List columns.


@pytest.fixture
def answers() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "question": ["How?", "Why?", "Who?"],
            "retrieved": [["x", "y", "z"], ["w"], []],
            "relevant": [["y", "v", "y"], {"w"}, ["t"]],
        },
        index=[10, 20, 30],
    )


def test_list_columns_are_a_row_per_document(answers: pd.DataFrame) -> None:
    frame = from_lists(answers)
    assert list(frame) == ["query", "question", "doc", "grade", "rank"]
    assert rows(frame.drop(columns="question")) == [
        (10, "x", None, 1.0),
        (10, "y", 1.0, 2.0),
        (10, "z", None, 3.0),
        (10, "v", 1.0, None),
        (20, "w", 1.0, 1.0),
        (30, "t", 1.0, None),
    ]
    assert frame["question"].tolist() == ["How?"] * 4 + ["Why?", "Who?"]


def test_evaluate_takes_list_columns_and_unanswered_queries_count(answers: pd.DataFrame) -> None:
    before = answers.copy(deep=True)
    evaluation = rm.evaluate(answers, ["RR", "R@3", "AP"])
    assert evaluation.per_query["RR"].to_dict() == {10: 0.5, 20: 1.0, 30: 0.0}
    assert evaluation.per_query["R@3"].to_dict() == {10: 0.5, 20: 1.0, 30: 0.0}
    assert answers.rank.rr().to_dict() == {10: 0.5, 20: 1.0, 30: 0.0}
    pd.testing.assert_frame_equal(answers, before)


def test_lists_of_scores_decide_over_their_order(answers: pd.DataFrame) -> None:
    scored = answers.assign(scores=[[0.1, 0.2, 0.3], np.array([1.0]), []])
    assert rm.evaluate(scored, "RR").per_query["RR"].to_dict() == {10: 0.5, 20: 1.0, 30: 0.0}
    assert rm.evaluate(scored, "RR").explain(10).ranking["doc"].tolist() == ["z", "y", "x"]
    assert rm.evaluate(answers, "RR").explain(10).ranking["doc"].tolist() == ["x", "y", "z"]


def test_relevant_documents_may_have_grades(answers: pd.DataFrame) -> None:
    graded = answers.assign(relevant=[{"y": 3, "v": 1}, {"w": 2}, {}])
    frame = from_lists(graded.iloc[:2])
    assert dict(zip(frame["doc"], frame["grade"].fillna(-5), strict=True)) == {
        "x": -5, "y": 3, "z": -5, "v": 1, "w": 2,
    }  # fmt: skip


def test_grades_may_go_with_what_was_retrieved() -> None:
    frame = pd.DataFrame({"qid": ["a", "b"], "grades": [[0, 2, 1], [1, 0]]})
    assert rows(from_lists(frame)) == [
        ("a", 0.0, 1.0), ("a", 2.0, 2.0), ("a", 1.0, 3.0), ("b", 1.0, 1.0), ("b", 0.0, 2.0),
    ]  # fmt: skip
    assert rm.evaluate(frame, "RR").per_query["RR"].to_dict() == {"a": 0.5, "b": 1.0}
    docs = frame.assign(retrieved=[["x", "y", "z"], ["x", "y"]])
    assert from_lists(docs)["doc"].tolist() == ["x", "y", "z", "x", "y"]


def test_an_empty_list_of_relevant_documents_says_that_there_is_none() -> None:
    frame = pd.DataFrame(
        {
            "query": ["none", "unknown", "one"],
            "retrieved": [["a"]] * 3,
            "relevant": [[], None, ["a"]],
        }
    )
    evaluation = rm.evaluate(frame, ["RR", "nDCG@5"])
    assert evaluation.per_query["RR"].fillna(-1).to_dict() == {"none": 0, "unknown": -1, "one": 1}
    assert evaluation.coverage.loc["queries without any judgment"].tolist() == [1]
    assert evaluation.coverage.loc["queries without a relevant document"].tolist() == [1]
    assert "only positives were judged" in repr(evaluation)


def test_a_missing_list_of_results_is_an_unanswered_query() -> None:
    frame = pd.DataFrame({"retrieved": [None, ["a"]], "relevant": [["a"], ["a"]]})
    assert rm.evaluate(frame, "RR").per_query["RR"].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("name", ["retrieved_context_ids", "Results", "doc_ids", "recommended"])
def test_list_columns_are_known_by_their_usual_names(answers: pd.DataFrame, name: str) -> None:
    other = answers.rename(columns={"retrieved": name, "relevant": "ground_truth"})
    pd.testing.assert_frame_equal(from_lists(other), from_lists(answers))
    named = answers.rename(columns={"retrieved": "hits", "relevant": "gold"})
    pd.testing.assert_frame_equal(
        from_lists(named, retrieved="hits", relevant="gold"), from_lists(answers)
    )


def test_arrow_lists_are_lists(answers: pd.DataFrame) -> None:
    pa = pytest.importorskip("pyarrow")
    kind = pd.ArrowDtype(pa.list_(pa.string()))
    lists = answers.assign(relevant=[["y", "v"], ["w"], ["t"]])
    arrow = lists.astype({"retrieved": kind, "relevant": kind})
    assert rows(from_lists(arrow)) == rows(from_lists(lists))
    assert rm.evaluate(arrow, "RR").per_query["RR"].tolist() == [0.5, 1.0, 0.0]


def test_columns_that_hold_no_lists_are_left_to_evaluate() -> None:
    frame = pd.DataFrame({"query": "q", "results": ["x", "y"], "grade": [1, 0], "score": [1, 2]})
    assert as_run(frame) is frame
    tuples = pd.DataFrame({"query": "q", "doc": [(1, 2), (3, 4)], "grade": [1, 0], "score": [1, 2]})
    assert as_run(tuples) is tuples
    assert rm.evaluate(tuples, "RR").mean().item() == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"relevant": ["y", ["w"], ["t"]]}, r"'relevant' \(relevant\) must hold lists.*'y' in row 10"),
        ({"relevant": [["y"], '["w"]', ["t"]]}, r"read it first: frame\['relevant'\].map\(json"),
        ({"retrieved": [["x"], {"w"}, []]}, r"must hold lists.*\{'w'\} in row 20"),
        ({"scores": [[1, 2], [1], []]}, "In 1 row 'scores' is not as long.*row 10 there are 2 for 3"),
        ({"scores": [[1, 2, "3"], [1], []]}, r"A score must be a number.*'3' \(in 'scores' of row 10\)"),
        ({"relevant": [{"y": 1}, ["w"], ["t"]]}, "dicts .* in some rows and lists in others"),
        ({"retrieved": [[1], [2], []]}, "type integer, such as 1.*type string, such as 'y'"),
        ({"retrieved": [[{"id": 1}], ["w"], []]}, r"there is \{'id': 1\} in it"),
        ({"relevant": [["y"], ["w"], []]}, "1 row has neither .* such as row 30"),
        ({"relevant": [["y"], ["w"], None]}, "1 row has neither .* such as row 30"),
    ],
)  # fmt: skip
def test_wrong_lists_are_refused_with_what_was_found(
    answers: pd.DataFrame, change: dict[str, Any], message: str
) -> None:
    wrong = answers.copy()
    for name, values in change.items():
        wrong[name] = pd.Series(values, index=wrong.index, dtype=object)
    with pytest.raises(DataError, match=message):
        from_lists(wrong, relevant="relevant")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"expected": [["y"]] * 3}, "More than one column could be relevant"),
        ({"grades": [[1, 1, 1], [1], []]}, "Relevance comes either from lists"),
        ({"score": [1.0, 2.0, 3.0]}, r"columns 'score' beside the lists"),
    ],
)
def test_columns_that_can_not_be_told_are_refused(
    answers: pd.DataFrame, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(ColumnError, match=message):
        from_lists(
            answers.assign(**{k: pd.Series(v, index=answers.index) for k, v in change.items()})
        )


def test_a_query_has_one_row_of_lists_or_one_for_each_system(answers: pd.DataFrame) -> None:
    """Several would run into one another: two firsts, two seconds."""
    twice = pd.concat([answers, answers.iloc[:1]])
    with pytest.raises(DataError, match="there are 1 more, such as query 10"):
        rm.evaluate(twice, "RR")
    systems = pd.concat([answers.assign(system="a"), answers.assign(system="b")])
    assert rm.evaluate(systems, "RR").mean()["RR"].to_dict() == {"a": 0.5, "b": 0.5}
    named = answers.assign(who=["x", "x", "y"])
    with pytest.raises(DataError, match="such as who 'x'"):
        from_lists(named, query="who")


def test_lists_without_relevance_or_results_are_refused(answers: pd.DataFrame) -> None:
    with pytest.raises(ColumnError, match="Relevance comes either"):
        from_lists(answers.drop(columns="relevant"))
    with pytest.raises(ColumnError, match="No column holds what was retrieved"):
        from_lists(answers.drop(columns="retrieved"))
    with pytest.raises(ColumnError, match="There is no column 'gold'"):
        from_lists(answers, relevant="gold")


DOCS = st.lists(st.integers(0, 6), unique=True, max_size=6)


@given(st.lists(st.tuples(DOCS, DOCS.filter(len)), min_size=1, max_size=6))
def test_list_columns_measure_as_sets_and_lists_do(
    lists: list[tuple[list[int], list[int]]],
) -> None:
    """Recall and reciprocal rank, straight from their definitions."""
    frame = pd.DataFrame(lists, columns=["retrieved", "relevant"])
    found = rm.evaluate(frame, ["R@3", "RR"]).per_query
    for number, (retrieved, relevant) in enumerate(lists):
        hits = [doc in relevant for doc in retrieved]
        assert found["R@3"][number] == pytest.approx(sum(hits[:3]) / len(relevant))
        assert found["RR"][number] == (1 / (1 + hits.index(True)) if any(hits) else 0)


# Arrays.


def test_arrays_with_group_sizes_and_with_queries_are_the_same() -> None:
    grade, score = [0, 2, 1, 0, 1], [0.3, 0.9, 0.2, 0.8, 0.1]
    by_size = from_arrays(grade, score, group=[2, 3])
    by_query = from_arrays(np.array(grade), pd.Series(score), qid=[0, 0, 1, 1, 1])
    pd.testing.assert_frame_equal(by_size, by_query)
    assert rm.evaluate(by_size, "RR").per_query["RR"].tolist() == [1.0, 0.5]


def test_queries_of_arrays_need_not_stand_together() -> None:
    frame = from_arrays(
        [1, 0, 0, 1], [1.0, 2.0, 3.0, 4.0], qid=["b", "a", "b", "a"], doc=list("wxyz")
    )
    assert list(frame) == ["query", "doc", "grade", "score"]
    assert rm.evaluate(frame, "RR").per_query["RR"].to_dict() == {"a": 1.0, "b": 0.5}


def test_two_dimensions_are_a_query_a_row_as_scikit_learn_has_it() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    grade, score = rng.integers(0, 4, (20, 30)), rng.normal(size=(20, 30)).round(1)
    found = rm.evaluate(from_arrays(grade, score), "nDCG(gain=linear)@10").per_query.to_numpy()[
        :, 0
    ]
    right = [metrics.ndcg_score([g], [s], k=10) for g, s in zip(grade, score, strict=True)]
    assert found.tolist() == pytest.approx(right)


def test_padding_is_left_out() -> None:
    grade = np.array([[1.0, 0, np.nan], [2, np.nan, 0]])
    score = np.array([[1.0, 2, np.nan], [np.nan, 3, 4]])
    assert rows(from_arrays(grade, score)) == [
        (0, 1.0, 1.0), (0, 0.0, 2.0), (1, 2.0, None), (1, None, 3.0), (1, 0.0, 4.0),
    ]  # fmt: skip


def test_several_scores_are_several_systems() -> None:
    frame = from_arrays([1, 0], {"one": [2, 1], "two": [1, 2]}, group=[2])
    evaluation = rm.evaluate(frame, "RR", score=["one", "two"])
    assert evaluation.mean()["RR"].to_dict() == {"one": 1.0, "two": 0.5}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"For a single query: group=\[4\]"),
        ({"group": [2, 2], "qid": [1, 1, 2, 2]}, "one way"),
        ({"group": [2, 3]}, "adds up to 5 rows in 2 queries, but there are 4 rows"),
        ({"group": [1, 1, 2, 2]}, r"look like the query of each row: qid="),
        ({"group": [2.0, 2.0]}, "whole numbers"),
        ({"group": [5, -1]}, "whole numbers"),
        ({"group": [4, 0]}, "Query 1 has no rows"),
        ({"qid": [1, 2, 3]}, r"one shape, but they have: 'query' \(3,\)"),
        ({"qid": [1, 1, 2, 2], "doc": ["a"]}, r"'doc' \(1,\)"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_arrays([0, 1, 0, 1], [1, 2, 3, 4], **arguments)


def test_arrays_of_other_shapes_are_refused() -> None:
    with pytest.raises(DataError, match=r"one shape.*\(1, 2\).*\(1, 3\)"):
        from_arrays([[1, 0]], [[1, 2, 3]])
    with pytest.raises(DataError, match="have a query in each row"):
        from_arrays([[1, 0]], [[1, 2]], group=[2])
    with pytest.raises(DataError, match="Row 1 of the arrays is all padding"):
        from_arrays([[1.0], [np.nan]], [[1.0], [np.nan]])
    with pytest.raises(DataError, match=r"not of shape \(1, 1, 1\)"):
        from_arrays([[[1]]], [[[1]]])
    with pytest.raises(DataError, match="dict of scores is empty"):
        from_arrays([1], {}, group=[1])
