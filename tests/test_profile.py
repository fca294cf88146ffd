"""The health check of an evaluation set: what is planted is found, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import ColumnError, DataError


def healthy(queries: int = 60, docs: int = 12, seed: int = 0) -> pd.DataFrame:
    """Return an evaluation set with nothing wrong in it."""
    rng = np.random.default_rng(seed)
    rows = queries * docs
    return pd.DataFrame(
        {
            "query": np.repeat([f"q{number:03}" for number in range(queries)], docs),
            "doc": np.tile([f"d{number:02}" for number in range(docs)], queries),
            "grade": np.concatenate([rng.permutation([3, 2, 1, *[0] * (docs - 3)]) for _ in range(queries)]),
            "score": rng.normal(size=rows),
        }
    )  # fmt: skip


def kinds(found: Any, *, grave: bool = True) -> dict[str, int]:
    """Return the kinds of findings and their counts, notes aside."""
    table = found.findings
    table = table[table["severity"] != "note"] if grave else table
    return dict(zip(table["kind"], table["count"], strict=True))


def planted(frame: pd.DataFrame, **options: Any) -> dict[str, int]:
    return kinds(rm.profile(frame, **options))


# What is found.


def test_nothing_looks_wrong_with_a_healthy_set() -> None:
    found = rm.profile(healthy())
    assert kinds(found, grave=False) == {}
    assert found.healthy
    assert "Nothing looks wrong." in repr(found)
    assert found.counts == {
        "rows": 720, "queries": 60, "documents": 12, "judged rows": 720, "systems": 1,
    }  # fmt: skip


def test_repeated_documents_are_counted_by_query() -> None:
    frame = pd.concat([healthy(), healthy().iloc[[0, 1, 13]]])
    found = rm.profile(frame.sample(frac=1, random_state=0))
    assert kinds(found) == {"repeated documents": 3}
    assert found.findings["examples"][0] == ["q000", "q001"]
    with pytest.raises(DataError, match="3 rows repeat"):
        rm.evaluate(frame, "RR")


def test_the_same_document_of_several_systems_is_no_repeat() -> None:
    first, second = healthy().assign(system="a"), healthy(seed=1).assign(system="b")
    second["grade"] = first["grade"]
    assert planted(pd.concat([first, second])) == {}
    assert planted(pd.concat([first, second, second.iloc[:2]])) == {"repeated documents": 2}


def test_the_same_document_of_several_subtopics_is_no_repeat() -> None:
    one = healthy()
    both = pd.concat([one.assign(subtopic=1), one.assign(subtopic=2)])
    assert planted(both) == {}


def test_conflicting_grades_are_told() -> None:
    frame = healthy()
    frame = pd.concat([frame, frame.iloc[:2].assign(grade=[4, 4])])
    found = rm.profile(frame)
    assert kinds(found) == {"repeated documents": 2, "conflicting grades": 2}
    row = found.findings.set_index("kind").loc["conflicting grades"]
    assert row["examples"] == [("q000", "d00"), ("q000", "d01")]


def test_missing_ids_are_counted_and_the_rest_looked_at() -> None:
    frame = healthy()
    frame.loc[[0, 5], "query"] = None
    frame.loc[7, "doc"] = None
    found = rm.profile(frame)
    assert kinds(found) == {"rows without a query": 2, "rows without a document": 1}
    assert found.counts["rows"] == 720
    assert found.queries.loc["q000", "documents"] == 10


ODD = {
    "query ids with outer spaces": ("query", {"q001": "q001 ", "q002": " q002"}, 2),
    "doc ids with outer spaces": ("doc", {"d01": "d01\t"}, 1),
    "doc ids with unseen characters": ("doc", {"d03": "d\u200b03", "d04": "d\u00a004", "d05": "\ufeffd05"}, 3),
    "query ids that say missing": ("query", {"q003": "nan", "q004": "None"}, 2),
    "doc ids that end in .0": ("doc", {"d01": "7.0", "d02": "12.0"}, 2),
}  # fmt: skip


@pytest.mark.parametrize("kind", ODD)
def test_suspicious_ids_are_found(kind: str) -> None:
    name, change, count = ODD[kind]
    frame = healthy()
    frame[name] = frame[name].replace(change)
    assert planted(frame).pop(kind) == count
    categories = frame.assign(**{name: frame[name].astype("category")})
    assert planted(categories)[kind] == count


def test_ids_that_differ_by_case_or_spaces_only_are_pairs() -> None:
    frame = healthy()
    frame.loc[:5, "query"] = "Q000"
    found = rm.profile(frame)
    assert kinds(found) == {"query ids alike but for case or spaces": 2}
    assert sorted(found.findings["examples"][0]) == ["Q000", "q000"]


def test_digits_as_text_beside_numbers_are_wrong() -> None:
    frame = healthy()
    frame["doc"] = [
        int(doc[1:]) if place % 2 else doc[1:] for place, doc in enumerate(frame["doc"])
    ]
    found = planted(frame)
    assert found == {"doc ids of several types": 12}
    frame.loc[0, "doc"] = "1"
    assert planted(frame)["doc ids as text and as numbers"] == 1


def test_rows_in_the_order_of_the_grade_give_it_away() -> None:
    frame = healthy()
    falling = frame.sort_values(["query", "grade"], ascending=[True, False], kind="stable")
    rising = frame.sort_values(["query", "grade"], kind="stable")
    for leaky, way in ((falling, "falling"), (rising, "rising")):
        found = rm.profile(leaky)
        assert kinds(found) == {"row order follows the grade": 3 * 60}
        assert f"by {way} grade: 100 %" in found.findings["text"][0]
    mixed = falling.assign(grade=falling["grade"].where(np.arange(720) % 5 != 4))
    assert "row order follows the grade" in planted(mixed)
    by_score = frame.assign(score=frame["grade"] + frame["score"]).sort_values(
        ["query", "score"], ascending=[True, False]
    )
    assert planted(by_score) == {}


def test_scores_that_say_nothing_or_too_much_are_told() -> None:
    frame = healthy()
    flat = frame.assign(score=frame["score"].where(frame["query"] > "q003", 1.0))
    assert planted(flat) == {"constant scores": 4}
    assert planted(frame.assign(score=frame["grade"])) == {"scores are the grades": 720}
    twice = frame.assign(other=frame["score"])
    assert planted(twice, score=["score", "other"]) == {"systems alike": 2}
    single = frame.groupby("query").head(1)
    assert "constant scores" not in planted(single)


def test_ranks_that_disagree_with_scores_are_told() -> None:
    frame = healthy()
    rank = frame.groupby("query")["score"].rank(ascending=False)
    assert planted(frame.assign(rank=rank)) == {}
    rank[:12] = rank[:12].to_numpy()[::-1]
    assert planted(frame.assign(rank=rank)) == {"rank and score disagree": 1}


def test_grades_that_are_odd_are_told() -> None:
    frame = healthy()
    assert planted(frame.assign(grade=frame["grade"] * 500_000)) == {"large grades": 60 * 2 + 60}
    assert planted(frame.assign(grade=1))["one grade only"] == 720
    assert planted(frame.assign(grade=frame["grade"].replace(3, np.inf)))["infinite grades"] == 60
    assert planted(frame.assign(grade=np.nan)) == {"no grades": 720}
    notes = kinds(
        rm.profile(frame.assign(grade=frame["grade"].replace({0: -1, 3: 2.5}))), grave=False
    )
    assert notes["negative grades"] == 540
    assert notes["fractional grades"] == 60
    assert notes["only positives judged"] == 720


def test_many_unjudged_documents_are_doubtful_and_few_a_note() -> None:
    frame = healthy()
    best = frame.groupby("query")["score"].rank(ascending=False)
    frame["grade"] = frame["grade"].astype(float)
    few = frame.assign(grade=frame["grade"].where(best > 1))
    many = frame.assign(grade=frame["grade"].where(best > 5))
    assert kinds(rm.profile(few), grave=False)["unjudged documents shown"] == 60
    assert rm.profile(few).healthy
    assert planted(many) == {"unjudged documents shown": 300}
    shares = rm.profile(many).unjudged["score"]
    assert shares.tolist() == [1.0] * 5 + [0.0] * 7


# What is counted.


def test_the_unjudged_by_rank_are_expected_over_tied_orders() -> None:
    frame = pd.DataFrame(
        {"query": "q", "doc": list("abcd"), "grade": [None, 1, 0, None], "score": [3.0, 3, 1, 1]}
    )
    assert rm.profile(frame).unjudged["score"].tolist() == [0.5] * 4
    assert rm.profile(frame.iloc[::-1]).unjudged["score"].tolist() == [0.5] * 4


def test_the_unjudged_of_the_shop_are_one_less_judged_at_10() -> None:
    shop = rm.datasets.load_electronics()
    systems = ["bm25", "minilm", "rrf", "tfidf_title"]
    found = rm.profile(shop, score=systems)
    judged = rm.evaluate(shop, "P@1", score=systems).coverage.loc["Judged@1"]
    assert found.unjudged.loc[1].to_dict() == pytest.approx((1 - judged.astype(float)).to_dict())
    assert found.grades.to_dict() == {0: 1853, 1: 238, 2: 105, 3: 1472}
    facts = rm.evaluate(shop, "RR", score=systems).coverage
    rows = found.findings.set_index("kind")
    assert rows.loc["queries without a relevant document", "count"] == 19
    assert sorted(rows.loc["tied scores", "count"]) == sorted(facts.loc["queries with tied scores"])
    assert sorted(rows.loc["unanswered queries", "count"]) == [4, 8]


def test_a_grade_on_another_systems_row_counts_as_judged() -> None:
    rows = [("q", "x", "a", 1.0, 2.0), ("q", "x", "b", np.nan, 1.0), ("q", "y", "b", 0.0, 3.0)]
    frame = pd.DataFrame(rows, columns=["query", "doc", "system", "grade", "score"])
    assert rm.profile(frame).unjudged["b"].tolist() == [0.0, 0.0]


def test_sizes_and_queries() -> None:
    frame = pd.DataFrame(
        {
            "query": ["b", "a", "a", "a"],
            "doc": ["x", "x", "y", "z"],
            "grade": [0, 2, None, 1],
            "score": [1, None, 3, 4],
        }
    )
    found = rm.profile(frame, rel=2)
    assert found.queries.to_dict("index") == {
        "a": {"documents": 3, "judged": 2, "relevant": 1, "highest": 2.0, "retrieved": 2},
        "b": {"documents": 1, "judged": 1, "relevant": 0, "highest": 0.0, "retrieved": 1},
    }
    assert found.sizes.loc["documents"].to_dict() == {"least": 1, "median": 2, "mean": 2, "most": 3}


def test_rows_may_stand_in_any_order_and_queries_be_named_by_several_columns() -> None:
    frame = healthy()
    shuffled = frame.sample(frac=1, random_state=1)
    one, other = rm.profile(frame), rm.profile(shuffled)
    pd.testing.assert_frame_equal(one.queries, other.queries)
    pd.testing.assert_frame_equal(one.unjudged, other.unjudged)
    both = frame.assign(market="de")
    found = rm.profile(both, query=["market", "query"])
    assert found.queries.to_numpy().tolist() == one.queries.to_numpy().tolist()


def test_judgments_alone_and_runs_with_judgments_apart() -> None:
    frame = healthy()
    alone = rm.profile(frame.drop(columns="score"))
    assert alone.counts["systems"] == 0
    assert len(alone.unjudged) == 0
    assert kinds(alone) == {}
    apart = rm.profile(frame[["query", "doc", "score"]], qrels=frame[["query", "doc", "grade"]])
    pd.testing.assert_frame_equal(apart.unjudged, rm.profile(frame).unjudged)
    dicts = rm.profile({"q": {"a": 1.0, "b": 0.5}}, qrels={"q": {"b": 1, "c": 0}})
    assert dicts.counts["judged rows"] == 2


def test_the_frame_is_not_changed() -> None:
    frame = healthy()
    before = frame.copy(deep=True)
    rm.profile(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_what_can_not_be_told_is_refused() -> None:
    with pytest.raises(ColumnError, match="No column for the grade"):
        rm.profile(healthy().drop(columns="grade"))
    with pytest.raises(DataError, match="No row has a query"):
        rm.profile(healthy().assign(query=None))
    with pytest.raises(DataError, match="not list"):
        rm.profile([1])
    with pytest.raises(DataError, match="no rows"):
        rm.profile(healthy().iloc[:0])


# How it is shown.


def test_ids_can_not_break_the_page_or_the_terminal() -> None:
    frame = healthy()
    frame["query"] = frame["query"].replace({"q000": "<script>alert(1)</script> \x1b[31m"})
    frame = pd.concat([frame, frame.iloc[:1]]).rename(columns={"score": "<b>score</b>"})
    found = rm.profile(frame, score="<b>score</b>")
    page = found.to_html()
    assert "<script" not in page
    assert "<b>score" not in page
    assert "&lt;script&gt;" in page
    assert "\x1b" not in page + repr(found)
    assert found._repr_html_() == page


def test_the_text_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for width in (40, 80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        text = repr(rm.profile(rm.datasets.load_electronics(), score=["bm25", "minilm"]))
        assert max(map(len, text.splitlines())) <= width
        assert "2 doubtful" in text


def test_all_of_it_is_plain_data() -> None:
    frame = pd.concat([healthy(), healthy().iloc[:1]])
    told = json.loads(json.dumps(rm.profile(frame).to_dict(), allow_nan=False))
    assert told["counts"]["queries"] == 60
    assert told["findings"][0] | {"text": ""} == {
        "severity": "wrong", "kind": "repeated documents", "count": 1, "text": "", "examples": ["q000"],
    }  # fmt: skip
    counts = frame["grade"].value_counts()
    assert told["grades"] == {f"{grade}": counts[grade] for grade in range(4)}
    assert told["sizes"]["documents"]["most"] == 13
    gaps = rm.profile(frame.assign(grade=np.where(frame["doc"] == "d00", np.nan, 1))).to_dict()
    json.dumps(gaps, allow_nan=False)


@pytest.mark.slow
@pytest.mark.parametrize("text", [False, True])
def test_thirty_million_rows_take_seconds(text: bool) -> None:
    """Bounded by sorting the scores, which any look at rankings has to do."""
    from time import perf_counter

    rows = 30_000_000 if not text else 10_000_000
    rng = np.random.default_rng(0)
    doc: Any = np.tile(np.arange(1000) * 977, rows // 1000)
    if text:
        doc = pd.Categorical.from_codes(
            doc // 977, [f"d{number}" for number in range(1000)]
        ).astype(str)
    frame = pd.DataFrame(
        {
            "query": np.repeat(np.arange(rows // 1000), 1000),
            "doc": doc,
            "grade": rng.integers(0, 5, rows, dtype=np.int8),
            "score": rng.random(rows),
        }
    )
    start = perf_counter()
    np.argsort(frame["score"].to_numpy())
    sorting = perf_counter() - start
    start = perf_counter()
    found = rm.profile(frame)
    assert perf_counter() - start < 4 * sorting + 2
    assert found.counts["rows"] == rows
