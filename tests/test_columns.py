"""Which column plays which role: found by name, given, in the index, several, or by system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import ColumnError, DataError
from rank_magic.roles import find_roles


def frame_of(**names: str) -> pd.DataFrame:
    """Return two judged rankings, with columns called as said instead of query, doc, ..."""
    frame = pd.DataFrame(
        {
            "query": ["a", "a", "a", "b", "b"],
            "doc": ["x", "y", "z", "x", "w"],
            "grade": [0, 3, 1, 2, 0],
            "score": [0.9, 0.8, 0.1, 0.7, 0.2],
        }
    )
    return frame.rename(columns=names)


def rr(frame: pd.DataFrame, **options: Any) -> list[float]:
    return rm.evaluate(frame, "RR", **options).per_query["RR"].tolist()


RIGHT = [0.5, 1.0]


@pytest.mark.parametrize(
    ("role", "name"),
    [
        *[
            ("query", name)
            for name in ("query_id", "qid", "q_id", "topic_id", "search_id", "topic")
        ],
        *[("doc", name) for name in ("doc_id", "docid", "docno", "item_id", "product_id")],
        *[("doc", name) for name in ("document", "item", "product")],
        *[("grade", name) for name in ("relevance", "rel", "label", "rating", "judgment")],
        ("grade", "judgement"),
        ("score", "prediction"),
    ],
)
@pytest.mark.parametrize("case", [str, str.upper, str.title])
def test_conventional_names_are_found_in_any_case(role: str, name: str, case: Any) -> None:
    evaluation = rm.evaluate(frame_of(**{role: case(name)}), "RR")
    assert evaluation.per_query["RR"].tolist() == RIGHT
    found = getattr(evaluation.rankings.roles, role)
    assert found in (case(name), (case(name),))


@pytest.mark.parametrize("name", ["rank", "position"])
def test_a_rank_orders_from_one_upwards(name: str) -> None:
    frame = frame_of().drop(columns="score")
    assert rr(frame.assign(**{name: [1, 2, 3, 1, 2]})) == RIGHT
    assert rr(frame.assign(**{name: [3, 1, 2, 2, 1]})) == [1.0, 0.5]


def test_a_missing_rank_means_not_retrieved() -> None:
    frame = frame_of().drop(columns="score").assign(rank=[1, None, 2, None, None])
    evaluation = rm.evaluate(frame, ["RR", "R"])
    assert evaluation.per_query["RR"].tolist() == [0.5, 0.0]
    assert evaluation.per_query["R"].tolist() == [0.5, 0.0]
    assert evaluation.coverage.loc["queries unanswered"].tolist() == [1]


def test_an_id_wins_over_a_bare_name() -> None:
    frame = frame_of(query="query_id", doc="doc_id")
    frame["query"] = "the same words"
    frame["item"] = "the same thing"
    assert rr(frame) == RIGHT
    assert rm.evaluate(frame, "RR").queries.name == "query_id"


@pytest.mark.parametrize(
    ("role", "names"),
    [
        ("query", ["qid", "query_id"]),
        ("query", ["query", "topic"]),
        ("doc", ["docno", "item_id"]),
        ("grade", ["grade", "label"]),
        ("score", ["score", "prediction"]),
        ("rank", ["rank", "position"]),
        ("system", ["system", "run"]),
    ],
)
def test_two_candidates_are_named_and_a_word_settles_it(role: str, names: list[str]) -> None:
    original = {"rank": [1, 2, 3, 1, 2], "system": ["s"] * 5}
    frame = frame_of().assign(**original)
    values = frame[role]
    frame = frame.drop(columns=role).assign(**dict.fromkeys(names, values))
    with pytest.raises(ColumnError) as caught:
        rm.evaluate(frame, "RR")
    assert f"More than one column could be the {role}" in str(caught.value)
    assert all(repr(name) in str(caught.value) for name in names)
    assert f"{role}={names[0]!r}" in str(caught.value) or f"{role}={names[1]!r}" in str(
        caught.value
    )
    rm.evaluate(frame, "RR", **{role: names[1]})


def test_given_columns_win_over_conventional_ones() -> None:
    frame = frame_of().assign(stars=[5, 0, 0, 0, 5], bm25=[1.0, 2.0, 3.0, 1.0, 2.0])
    assert rr(frame, grade="stars") == [1.0, 0.5]
    assert rr(frame, score="bm25") == [1.0, 0.5]
    assert rr(frame, query="doc", doc="query") == [0.0, 0.5, 1.0, 1.0]


def test_column_names_need_not_be_text() -> None:
    frame = frame_of().set_axis([0, 1, 2, 3], axis=1)
    assert rr(frame, query=0, doc=1, grade=2, score=3) == RIGHT
    tuples = frame_of().set_axis(
        pd.Index([("q", 1), "doc", "grade", "score"], tupleize_cols=False), axis=1
    )
    assert rr(tuples, query=("q", 1)) == RIGHT


def test_named_index_levels_count_as_columns() -> None:
    frame = frame_of()
    for levels in (
        ["query"],
        ["query", "doc"],
        ["doc"],
        ["grade"],
        ["score"],
        list(frame.columns)[:3],
    ):
        assert rr(frame.set_index(levels)) == RIGHT
    assert rr(frame_of(query="who").set_index("who"), query="who") == RIGHT
    kept = rm.evaluate(frame.set_index("query", drop=False), "RR")
    assert kept.per_query["RR"].tolist() == RIGHT


def test_an_index_level_may_be_one_candidate_too_many() -> None:
    with pytest.raises(ColumnError, match="More than one column could be the query"):
        rr(frame_of().assign(qid=1).set_index(frame_of()["query"].rename("query_id")))


def test_several_columns_may_name_a_query_together() -> None:
    frame = frame_of().assign(market=["de", "de", "at", "at", "at"])
    evaluation = rm.evaluate(frame, "RR", query=["market", "query"])
    assert evaluation.per_query.index.names == ["market", "query"]
    assert evaluation.per_query["RR"].to_dict() == {
        ("at", "a"): 1,
        ("at", "b"): 1,
        ("de", "a"): 0.5,
    }


def test_doc_is_optional() -> None:
    assert rr(frame_of().drop(columns="doc")) == RIGHT
    assert rr(frame_of(doc="sku")) == RIGHT


def test_rows_in_ranked_order_need_no_score() -> None:
    frame = frame_of().drop(columns="score")
    assert rr(frame, order="rows") == RIGHT
    assert rr(frame.iloc[::-1], order="rows") == [1.0, 0.5]
    assert rr(frame.iloc[[1, 3, 0, 4, 2]], order="rows") == [1.0, 1.0]


def test_rows_in_ranked_order_pay_no_heed_to_a_score() -> None:
    assert rr(frame_of().assign(score=[1, 2, 3, 4, 5]), order="rows") == RIGHT


def test_a_column_called_rank_leaves_the_accessor_alone() -> None:
    frame = frame_of().assign(rank=[1, 2, 3, 1, 2])
    assert frame.rank.rr().tolist() == RIGHT
    assert frame["rank"].tolist() == [1, 2, 3, 1, 2]
    assert frame.rank(numeric_only=True)["score"].tolist() == [5, 4, 1, 3, 2]


def test_ids_of_two_types_are_not_the_same_id() -> None:
    frame = pd.DataFrame({"query": 1, "doc": [1, "1", 1.5], "grade": [0, 0, 1], "score": [3, 2, 1]})
    assert rm.evaluate(frame, "RR").mean().tolist() == [1 / 3]


# Score and rank.


def test_score_decides_and_a_disagreeing_rank_is_reported() -> None:
    agreeing = rm.evaluate(frame_of().assign(rank=[1, 2, 3, 1, 2]), "RR")
    assert agreeing.coverage.loc["queries whose rank and score disagree"].tolist() == [0]
    assert "disagree" not in repr(agreeing)
    evaluation = rm.evaluate(frame_of().assign(rank=[2, 1, 3, 1, 2]), "RR")
    assert evaluation.per_query["RR"].tolist() == RIGHT
    assert evaluation.coverage.loc["queries whose rank and score disagree"].tolist() == [1]
    for shown in (repr(evaluation), evaluation.to_html()):
        assert "rank and score disagree in 1 query" in " ".join(shown.split())


@pytest.mark.parametrize("rank", [[1, 2, 3, 2, 1], [1, 2, None, 1, 2], [0, 10, 20, 5, 6]])
def test_ranks_that_settle_ties_or_have_gaps_do_not_disagree(rank: Sequence[float]) -> None:
    frame = frame_of().assign(score=[0.9, 0.8, 0.1, 0.7, 0.7], rank=rank)
    assert (
        rm.evaluate(frame, "RR").coverage.loc["queries whose rank and score disagree"].item() == 0
    )


def test_a_disagreeing_rank_is_reported_with_a_system_column_too() -> None:
    frame = pd.concat(
        [
            frame_of().assign(rank=[2, 1, 3, 1, 2], system="wrong"),
            frame_of().assign(rank=[1, 2, 3, 1, 2], system="right"),
        ]
    )
    evaluation = rm.evaluate(frame, "RR")
    assert evaluation.coverage.loc["queries whose rank and score disagree"].to_dict() == {
        "right": 0,
        "wrong": 1,
    }
    assert "disagree" in repr(evaluation)


# Several systems.


@pytest.mark.parametrize("kind", [list, tuple, pd.Index])
def test_several_score_columns_are_several_systems(kind: Any) -> None:
    frame = frame_of(score="bm25").assign(minilm=[0.1, 0.9, 0.5, np.nan, np.nan])
    evaluation = rm.evaluate(frame, ["RR", "P@1"], score=kind(["minilm", "bm25"]))
    assert evaluation.systems == ("minilm", "bm25")
    assert evaluation.per_query.columns.names == ["system", "measure"]
    assert evaluation.per_query[("bm25", "RR")].tolist() == RIGHT
    assert evaluation.per_query[("minilm", "RR")].tolist() == [1.0, 0.0]
    assert evaluation.mean().loc["minilm"].tolist() == [0.5, 0.5]


def test_one_score_column_in_a_list_is_one_system() -> None:
    evaluation = rm.evaluate(frame_of(score="bm25"), "RR", score=["bm25"])
    assert evaluation.per_query["RR"].tolist() == RIGHT


def runs(*rows: tuple[str, str, str, float | None, float | None]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["system", "query", "doc", "grade", "score"])


def test_judgments_are_pooled_over_the_systems_of_a_system_column() -> None:
    frame = runs(
        ("one", "q", "x", 0, 0.9),
        ("one", "q", "y", 3, 0.5),
        ("two", "q", "y", None, 0.9),  # judged only where the other system shows it
        ("two", "q", "z", 1, 0.8),
    )
    evaluation = rm.evaluate(frame, ["RR", "AP", "R", "Judged"])
    assert evaluation.systems == ("one", "two")
    assert evaluation.per_query.loc["q", "one"].tolist() == [0.5, 0.25, 0.5, 1.0]
    assert evaluation.per_query.loc["q", "two"].tolist() == [1.0, 1.0, 1.0, 1.0]
    assert evaluation.coverage.loc["documents judged"].tolist() == [3, 3]
    assert evaluation.coverage.loc["documents retrieved"].tolist() == [2, 2]


def test_a_system_column_is_the_same_as_a_score_column_for_each() -> None:
    shop = rm.datasets.load_electronics()[lambda all_: all_["query_id"] < "q020"]
    measures = ["nDCG@10", "AP", "ERR@10", "Judged@10"]
    wide = rm.evaluate(shop, measures, score=["bm25", "minilm"])
    long = shop.melt(
        ["query_id", "doc_id", "grade"], ["minilm", "bm25"], var_name="system", value_name="score"
    )
    for frame in (long, long.sample(frac=1, random_state=1)):
        narrow = rm.evaluate(frame, measures)
        pd.testing.assert_frame_equal(narrow.per_query, wide.per_query, check_exact=True)
        pd.testing.assert_frame_equal(narrow.coverage, wide.coverage)


def test_row_order_settles_ties_as_each_systems_rows_stand() -> None:
    frame = runs(
        ("one", "q", "x", 1, 0.5),
        ("one", "q", "y", 0, 0.5),
        ("two", "q", "y", 0, 0.5),
        ("two", "q", "x", 1, 0.5),
    )
    assert rm.evaluate(frame, "RR", ties="order").per_query.loc["q"].tolist() == [1.0, 0.5]
    rows = rm.evaluate(frame.drop(columns="score"), "RR", order="rows")
    assert rows.per_query.loc["q"].tolist() == [1.0, 0.5]


def test_a_system_that_does_not_answer_a_query_scores_zero_there() -> None:
    frame = runs(("one", "q", "x", 1, 1.0), ("two", "q", "y", 0, 1.0), ("one", "p", "x", 1, 1.0))
    evaluation = rm.evaluate(frame, "RR")
    assert evaluation.per_query[("two", "RR")].tolist() == [0.0, 0.0]
    assert evaluation.coverage.loc["queries unanswered"].tolist() == [0, 1]


def test_one_name_in_a_system_column_is_still_a_system() -> None:
    evaluation = rm.evaluate(frame_of().assign(run="mine"), "RR")
    assert evaluation.per_query[("mine", "RR")].tolist() == RIGHT


def test_a_system_column_may_hold_ranks() -> None:
    frame = runs(("one", "q", "x", 0, 1), ("one", "q", "y", 1, 2), ("two", "q", "y", 1, 1))
    evaluation = rm.evaluate(frame.rename(columns={"score": "rank"}), "RR")
    assert evaluation.per_query.loc["q"].tolist() == [0.5, 1.0]


def test_systems_that_disagree_about_a_grade_are_an_error() -> None:
    frame = runs(("one", "q", "x", 1, 1.0), ("two", "q", "x", 2, 1.0), ("two", "p", "x", 0, 1.0))
    with pytest.raises(DataError, match=r"document 'x' in query 'q' with 1 and 2.*Settle on one"):
        rm.evaluate(frame, "RR")


def test_a_document_twice_in_one_system_is_an_error_in_two_it_is_not() -> None:
    frame = runs(("one", "q", "x", 1, 1.0), ("two", "q", "x", 1, 2.0))
    assert rm.evaluate(frame, "RR").per_query.loc["q"].tolist() == [1.0, 1.0]
    twice = pd.concat([frame, runs(("two", "q", "x", 1, 0.5))])
    with pytest.raises(DataError, match=r"document 'x' in query 'q'.*duplicates='first'"):
        rm.evaluate(twice, "RR")


def test_systems_in_rows_need_documents_names_and_one_score() -> None:
    frame = runs(("one", "q", "x", 1, 1.0), ("two", "q", "x", 1, 2.0))
    with pytest.raises(ColumnError, match="doc column is needed"):
        rm.evaluate(frame.drop(columns="doc"), "RR")
    with pytest.raises(ColumnError, match="not by both"):
        rm.evaluate(frame.assign(other=1.0), "RR", score=["score", "other"])
    with pytest.raises(DataError, match=r"1 rows? ha(ve|s) no system"):
        rm.evaluate(frame.assign(system=["one", None]), "RR")


# Grouped frames.


def test_a_query_key_is_the_query() -> None:
    frame = frame_of()
    for grouped in (
        frame.groupby("query"),
        frame.groupby(["query"], sort=False),
        frame.groupby("query", as_index=False)[["grade", "score"]],
        frame.set_index("query").groupby(level="query"),
        frame.set_index("query").groupby(level=0),
    ):
        assert grouped.rank.rr().to_dict() == {"a": 0.5, "b": 1.0}


def test_other_keys_are_segments_of_the_query_column() -> None:
    frame = frame_of().assign(device=["web", "web", "app", "app", "app"])
    values = frame.groupby("device").rank.rr()
    assert values.index.names == ["device", "query"]
    assert values.to_dict() == {("app", "a"): 1.0, ("app", "b"): 1.0, ("web", "a"): 0.5}
    by_both = frame.groupby(["device", "query"]).rank.rr()
    pd.testing.assert_series_equal(by_both, values)
    given = frame.rename(columns={"query": "who"}).groupby("device").rank.rr(query="who")
    assert given.tolist() == values.tolist()
    levels = frame.set_index(["device", "query"]).groupby(level=["device", "query"])
    pd.testing.assert_series_equal(levels.rank.rr(), values)


def test_keys_are_the_query_when_there_is_no_query_column() -> None:
    frame = frame_of(query="who")
    assert frame.groupby("who").rank.rr().to_dict() == {"a": 0.5, "b": 1.0}
    several = frame.assign(week=[1, 1, 1, 1, 1]).groupby(["who", "week"]).rank.rr()
    assert several.to_dict() == {("a", 1): 0.5, ("b", 1): 1.0}


@pytest.mark.parametrize("by", [[0, 0, 0, 1, 1], lambda row: row % 2, pd.Series([0, 0, 0, 1, 1])])
def test_keys_without_a_name_are_an_error(by: Any) -> None:
    with pytest.raises(ColumnError, match=r"Group by columns or named index levels"):
        frame_of().groupby(by).rank.rr()


def test_other_columns_of_any_kind_and_name_do_not_disturb() -> None:
    frame = frame_of().assign(title="t", when=pd.Timestamp("2024-01-01"), facets=[["a"]] * 5)
    frame = pd.concat([frame, frame[["title"]]], axis=1)
    evaluation = rm.evaluate(frame, ["RR", "AP"])
    assert evaluation.per_query["RR"].tolist() == RIGHT
    assert len(evaluation.explain("a").ranking) == 3
    assert "RR" in evaluation.explain("a")._repr_html_()


def test_a_column_given_as_one_role_is_no_other_by_its_name() -> None:
    frame = pd.DataFrame(
        {"query": ["x", "x", "y"], "grade": [0, 1, 1], "SYSTEM": [2.0, 1.0, 1.0], "rank": [9, 8, 7]}
    )
    assert find_roles(frame, score="SYSTEM").system is None
    assert find_roles(frame, score=["SYSTEM", "rank"]).rank is None
    assert find_roles(frame, score="rank").system == "SYSTEM"
    assert rm.evaluate(frame, "RR", score="SYSTEM").per_query["RR"].tolist() == [0.5, 1.0]
    # Systems may be segments, and a part of what names a query.
    both = frame.assign(doc=["a", "b", "a"])
    assert find_roles(both, score="rank", segment="SYSTEM").system == "SYSTEM"
    assert find_roles(both, score="rank", query=["query", "SYSTEM"]).system == "SYSTEM"
