"""Results by segment: the same numbers as each segment alone, and what is to be seen in them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import ColumnError, DataError, RankMagicError

MEASURES = ["nDCG@10", "ERR@10", "RR", "AP"]
SYSTEMS = ["bm25", "rrf"]
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def shop() -> pd.DataFrame:
    """The shop with a market and a device for every query, and a made-up traffic."""
    shop = rm.datasets.load_electronics()
    number = shop["query_id"].str[1:].astype(int)
    market = number.map(lambda n: ["uk", "de", "fr", "uk"][n % 4])
    device = number.map(lambda n: "app" if n % 3 else "web")
    return shop.assign(market=market, device=device, traffic=1000 / number)


@pytest.fixture(scope="module")
def evaluation(shop: pd.DataFrame) -> rm.Evaluation:
    return rm.evaluate(shop, MEASURES, score=SYSTEMS, segment="market")


@pytest.fixture(scope="module")
def market(shop: pd.DataFrame) -> pd.Series:
    return shop.groupby("query_id")["market"].first()


def flat(table: pd.DataFrame) -> pd.DataFrame:
    return table.reset_index(drop=True)


# The numbers.


def test_means_are_those_of_the_queries_of_each_segment(
    evaluation: rm.Evaluation, market: pd.Series
) -> None:
    by = evaluation.by("market")
    right = evaluation.per_query.groupby(market).mean()
    pd.testing.assert_frame_equal(by.mean(), right, check_names=False, rtol=1e-14)
    assert by.labels.tolist() == list(by) == ["de", "fr", "uk"]
    assert by.queries.to_dict() == market.value_counts().to_dict()
    assert by.summary().index.names == ["market", "system", "measure"]
    pd.testing.assert_frame_equal(by.overall, evaluation.summary())


@pytest.mark.parametrize(("score", "weight"), [("bm25", None), (SYSTEMS, "traffic")])
def test_a_segment_is_what_its_rows_alone_would_give(
    shop: pd.DataFrame, score: Any, weight: str | None
) -> None:
    options: dict[str, Any] = {"score": score, "weight": weight, "max_grade": 3}
    by = rm.evaluate(shop, MEASURES, **options).by("market")
    for name, part in by.items():
        alone = rm.evaluate(shop[shop["market"] == name], MEASURES, **options)
        for found, right in [
            (by.summary().loc[name], alone.summary()),
            (part.summary(), alone.summary()),
            (part.per_query, alone.per_query),
            (part.coverage, alone.coverage),
            (part.sensitivity, alone.sensitivity),
        ]:
            pd.testing.assert_frame_equal(flat(found), flat(right), check_exact=True)
        query = part.queries[3]
        pd.testing.assert_frame_equal(part.explain(query).ranking, alone.explain(query).ranking)


@pytest.mark.parametrize("ties", ["average", "trec", "order", "worst", "best"])
def test_a_segment_keeps_the_order_of_equal_scores(shop: pd.DataFrame, ties: str) -> None:
    """Whatever the order of the rows, which are looked up anew when more is asked of it."""
    mixed = shop.sample(frac=1, random_state=3)
    whole = rm.evaluate(mixed, MEASURES, score="bm25", ties=ties)
    part = whole.by("market")["fr"]
    again = rm.Evaluation.of(part.rankings, part.measures)
    pd.testing.assert_frame_equal(again.per_query, part.per_query, check_exact=True)
    pd.testing.assert_frame_equal(
        part.per_query, whole.per_query.loc[part.queries], check_exact=True
    )


def test_the_scale_of_grades_is_that_of_all_queries() -> None:
    frame = pd.DataFrame(
        {"query": ["a", "b"], "market": ["x", "y"], "grade": [1, 3], "score": [1.0, 1.0]}
    )
    by = rm.evaluate(frame, "ERR").by("market")
    assert by.mean()["ERR"].to_dict() == {"x": 1 / 8, "y": 7 / 8}
    assert by["x"].sensitivity.loc["ERR", "worst"] == 1 / 8


def test_facts_by_segment_are_those_of_each_segment(evaluation: rm.Evaluation) -> None:
    by = evaluation.by()
    for name, part in by.items():
        for system in SYSTEMS:
            facts = by.coverage.loc[(name, system)]
            for fact, value in facts.items():
                assert value == part.coverage.loc[fact, system]
    assert by.coverage["queries"].sum() == 2 * 135


def test_judged_shares_are_left_out_where_only_positives_were_judged() -> None:
    frame = pd.DataFrame({"query": ["a", "b"], "m": [1, 2], "grade": [1, 2], "score": 1.0})
    by = rm.evaluate(frame, "RR").by("m")
    assert not any("Judged" in fact for fact in by.coverage)
    assert by.mean()["RR"].tolist() == [1, 1]


def test_what_a_mean_may_be_missing_for_stays_within_its_segment() -> None:
    frame = pd.DataFrame({"query": list("abc"), "m": [1, 1, 2], "grade": [1, 0, 1], "score": 1.0})
    by = rm.evaluate(frame, "RR", no_relevant="nan").by("m")
    assert by.mean()["RR"].isna().tolist() == [True, False]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "none"])
def test_systems_are_compared_within_segments_and_corrected_over_all(
    evaluation: rm.Evaluation, correction: str
) -> None:
    by = evaluation.by()
    table = by.compare(baseline="bm25", correction=correction, resamples=500)
    assert table.index.names[0] == "market"
    for name, part in by.items():
        alone = part.compare(baseline="bm25", correction="none", resamples=500).to_frame()
        raw = [column for column in alone if not column.endswith("_corrected")]
        pd.testing.assert_frame_equal(table.loc[name][raw], alone[raw])
    p, found = table["p_t"].to_numpy(), table["p_t_corrected"].to_numpy()
    number = len(p)
    assert number == 3 * len(MEASURES)
    steps = np.sort(p) * np.arange(number, 0, -1)
    right = {
        "none": p,
        "bonferroni": np.minimum(p * number, 1),
        "holm": np.minimum(np.maximum.accumulate(steps), 1)[np.argsort(np.argsort(p))],
    }
    assert found == pytest.approx(right[correction])


def test_tukeys_correction_is_of_one_segment() -> None:
    frame = pd.DataFrame({"query": list("ab"), "m": [1, 2], "grade": 1, "score": 1.0, "other": 1.0})
    by = rm.evaluate(frame, "RR", score=["score", "other"]).by("m")
    with pytest.raises(DataError, match=r"correction='tukey' is not a choice.*'holm'"):
        by.compare(correction="tukey")


# How segments are told.


def test_segments_by_column_by_series_by_mapping_and_by_function(
    shop: pd.DataFrame, market: pd.Series
) -> None:
    evaluation = rm.evaluate(shop, MEASURES, score="bm25")
    right = evaluation.by("market").summary()
    ways: list[Any] = [
        ["market"],
        market,
        market.sample(frac=1, random_state=0),
        market.astype("category"),
        pd.concat([market, pd.Series({"elsewhere": "us"})]).rename("market"),
        market.to_dict(),
        lambda query: market[query],
    ]
    for way in ways:
        found = evaluation.by(way).summary()
        pd.testing.assert_frame_equal(found, right, check_names=False, check_index_type=False)
    indexed = rm.evaluate(shop.set_index("market"), MEASURES, score="bm25").by("market")
    pd.testing.assert_frame_equal(indexed.summary(), right)


def test_several_columns_are_crossed(shop: pd.DataFrame) -> None:
    declared = rm.evaluate(shop, "RR", score="bm25", segment=["market", "device"])
    by = declared.by()
    first = shop.groupby("query_id").first()
    right = declared.per_query.groupby([first["market"], first["device"]]).mean()
    pd.testing.assert_frame_equal(by.mean(), right, check_names=False, rtol=1e-14)
    assert by.summary().index.names == ["market", "device", "measure"]
    pd.testing.assert_frame_equal(declared.by(["market", "device"]).summary(), by.summary())
    assert by["de", "web"].queries.equals(
        first.index[(first["market"] == "de") & (first["device"] == "web")]
    )
    assert "de, web" in repr(by)


def test_the_keys_of_a_grouped_frame_are_its_segments(shop: pd.DataFrame) -> None:
    right = rm.evaluate(shop, "RR", score="bm25").by("market").summary()
    for grouped in (shop.groupby("market"), shop.groupby(["market", "query_id"])):
        evaluation = grouped.rank.evaluate("RR", score="bm25")
        assert evaluation.per_query.index.names == ["market", "query_id"]
        pd.testing.assert_frame_equal(evaluation.by().summary(), right)
        pd.testing.assert_frame_equal(evaluation.by("market").summary(), right)
    plain = shop.groupby("query_id").rank.evaluate("RR", score="bm25", segment="market")
    pd.testing.assert_frame_equal(plain.by().summary(), right)


def test_the_same_query_in_two_markets_is_two_queries() -> None:
    frame = pd.DataFrame(
        {
            "query": ["tv"] * 4,
            "market": ["de", "de", "fr", "fr"],
            "grade": [1, 0, 0, 1],
            "score": [2, 1, 2, 1],
        }
    )
    with pytest.raises(DataError, match=r"1 query has several in 'market': 'tv' \('de' and 'fr'\)"):
        rm.evaluate(frame, "RR", segment="market")
    for evaluation in (
        frame.groupby("market").rank.evaluate("RR"),
        rm.evaluate(frame, "RR", query=["market", "query"], segment="market"),
    ):
        assert evaluation.by().mean()["RR"].to_dict() == {"de": 1.0, "fr": 0.5}


def test_segments_stand_in_their_own_order() -> None:
    frame = pd.DataFrame({"query": list("abcd"), "grade": 1, "score": 1.0, "n": [10, 9, 2, 10]})
    frame["size"] = pd.Categorical(["S", "L", "M", "S"], categories=["S", "M", "L", "XL"])
    frame["mixed"] = ["x", 1, "x", 2]
    frame["when"] = pd.to_datetime(["2026-02-01", "2026-01-01", "2026-02-01", "2026-01-01"])
    evaluation = rm.evaluate(frame, "RR")
    assert evaluation.by("n").labels.tolist() == [2, 9, 10]
    assert evaluation.by("size").labels.tolist() == ["S", "M", "L"]
    assert evaluation.by("mixed").labels.tolist() == [1, 2, "x"]
    assert evaluation.by("when").queries.tolist() == [2, 2]
    halves = pd.cut(pd.Series({"a": 1, "b": 5, "c": 7, "d": 9}), [0, 6, 10])
    assert evaluation.by(halves).queries.tolist() == [2, 2]


def test_queries_in_no_segment_are_left_out_and_counted(shop: pd.DataFrame) -> None:
    holed = shop.assign(market=shop["market"].where(shop["market"] != "uk"))
    evaluation = rm.evaluate(holed, "RR", score="bm25", segment="market")
    by = evaluation.by()
    assert by.labels.tolist() == ["de", "fr"]
    assert (
        by.left_out
        == 135 - by.queries.sum()
        == (shop.groupby("query_id")["market"].first() == "uk").sum()
    )
    assert by.overall.loc["RR", "queries"] == by.queries.sum()
    assert f"{by.left_out} queries in no segment left out" in " ".join(repr(by).split())
    nobody = pd.Series({"q001": "x"})
    assert evaluation.by(nobody).left_out == 134


def test_rows_that_lack_a_label_take_that_of_their_query(shop: pd.DataFrame) -> None:
    gaps = shop.assign(market=shop["market"].where(shop["grade"].notna()))
    pd.testing.assert_frame_equal(
        rm.evaluate(gaps, "RR", score="bm25").by("market").summary(),
        rm.evaluate(shop, "RR", score="bm25").by("market").summary(),
    )


def test_systems_in_rows_have_segments_too(shop: pd.DataFrame) -> None:
    wide = rm.evaluate(shop, "RR", score=SYSTEMS).by("market")
    long = shop.melt(
        ["query_id", "doc_id", "grade", "market"], SYSTEMS, var_name="system", value_name="score"
    )
    stacked = rm.evaluate(long, "RR", segment="market")
    pd.testing.assert_frame_equal(stacked.by().summary(), wide.summary())
    part = stacked.by()["de"]
    pd.testing.assert_frame_equal(part.by("market").summary(), wide.summary().loc[["de"]])
    # A pair is kept once when systems are pooled; the rows that are dropped count here.
    other = long.assign(market=long["market"].where(long["system"] == "bm25", "elsewhere"))
    with pytest.raises(DataError, match=r"135 queries have several in 'market'"):
        rm.evaluate(other, "RR").by("market")


# What can't be a segment.


def test_what_can_not_be_a_segment(shop: pd.DataFrame) -> None:
    evaluation = rm.evaluate(shop, "RR", score="bm25")
    wrong: list[tuple[Any, type[RankMagicError], str]] = [
        (None, DataError, r"Say what to break down by: a column, such as by\('query'\)"),
        ("markte", ColumnError, r"no column 'markte' for the segment.*Did you mean market"),
        ([], ColumnError, r"list of columns for the segment is empty"),
        (
            "doc_id",
            DataError,
            r"A query has one segment, but 13\d queries have several in 'doc_id'",
        ),
        (
            pd.Series({"x": 1}),
            DataError,
            r"holds none of the queries. Queries are 'q001'.*holds 'x'",
        ),
        (pd.Series(["a", "b"], index=["q001"] * 2), DataError, r"one for each query"),
        (shop["market"], DataError, r"one for each row.*by\('market'\)"),
        (lambda query: None, DataError, r"No query belongs to a segment"),
    ]
    for by, kind, message in wrong:
        with pytest.raises(kind, match=message):
            evaluation.by(by)
    with pytest.raises(DataError, match=r"There is no segment 'ed'.*Did you mean de"):
        evaluation.by("market")["ed"]
    assert "de" in evaluation.by("market")
    assert evaluation.by("market").get("ed") is None
    with pytest.raises(DataError, match="holds things that can't be compared"):
        rm.evaluate(shop.assign(tags=[["a"]] * len(shop)), "RR", score="bm25", segment="tags")
    twice = pd.concat([shop, shop[["market"]]], axis=1)
    with pytest.raises(ColumnError, match="2 columns called 'market'"):
        rm.evaluate(twice, "RR", score="bm25").by("market")


def test_a_segment_is_found_by_keyword_only(shop: pd.DataFrame) -> None:
    frame = shop.assign(segment=range(len(shop)))  # anything may be called so
    assert rm.evaluate(frame, "RR", score="bm25").rankings.roles.segment == ()


def test_labels_by_row_are_not_taken_for_labels_by_query() -> None:
    """Where queries are numbers from 0, the index of the rows would fit."""
    frame = pd.DataFrame({"query": [0, 0, 1, 1], "m": list("xxyy"), "grade": 1, "score": 1.0})
    with pytest.raises(DataError, match=r"4 labels, one for each row"):
        rm.evaluate(frame, "RR").by(frame["m"])


# Paradoxes.


def reversal_frame(rows: Sequence[tuple[str, str, float | None, float | None]]) -> pd.DataFrame:
    """Return queries (segment, name, RR of a, RR of b) as rankings; None is unanswered."""
    parts = []
    for segment, query, *wanted in rows:
        part = pd.DataFrame({"doc": range(12), "grade": [1] + [0] * 11})
        for system, value in zip("ab", wanted, strict=True):
            rank = np.nan if value is None else round(1 / value)
            scores = [0.0 if value is None else 12.5 - rank, *range(11, 0, -1)]
            part[system] = np.nan if value is None else scores
        parts.append(part.assign(query=query, segment=segment))
    return pd.concat(parts, ignore_index=True)


def test_simpsons_paradox_is_found() -> None:
    """System a answers easy queries, b hard ones; b is better at both."""
    easy = [("easy", f"e{n}", 0.5, 1.0 if n < 2 else None) for n in range(8)]
    hard = [("hard", f"h{n}", 0.1 if n < 2 else None, 0.2) for n in range(8)]
    frame = reversal_frame([*easy, *hard])
    evaluation = rm.evaluate(frame, "RR", score=["a", "b"], unanswered="skip")
    by = evaluation.by("segment")
    means = by.mean()["a"]["RR"], by.mean()["b"]["RR"]
    assert (means[0] < means[1]).all()
    overall = evaluation.mean()["RR"]
    assert overall["a"] == pytest.approx(0.42)
    assert overall["b"] == pytest.approx(0.36)
    found = by.reversals.iloc[0]
    assert found[["measure", "better", "worse", "for", "against"]].tolist() == [
        "RR",
        "a",
        "b",
        0,
        2,
    ]
    assert found["difference"] == pytest.approx(0.06)
    said = (
        "Simpson's paradox: a is above b by RR over all, but above it in no segment and below it "
        "in 2 of 2. They are measured over different queries."
    )
    for text in (repr(by), re.sub("<[^>]*>", "", by.to_html().replace("&#x27;", "'"))):
        assert said in " ".join(text.split())
    # Over the same queries a mean lies between those of its parts.
    counted = rm.evaluate(frame, "RR", score=["a", "b"]).by("segment")
    assert not (counted.reversals["for"] == 0).any()
    assert "Simpson" not in repr(counted)


def test_a_segment_that_decides_alone_is_pointed_out() -> None:
    rows = [("big", f"b{n}", 1.0, 0.1) for n in range(9)]
    rows += [("one", "o", 0.5, 1.0), ("two", "t", 0.5, 1.0)]
    by = rm.evaluate(reversal_frame(rows), "RR", score=["a", "b"]).by("segment")
    assert by.reversals[["better", "worse", "for", "against"]].to_numpy().tolist() == [
        ["a", "b", 1, 2]
    ]
    assert "a is above b by RR over all, but in 2 of 3 segments below it." in " ".join(
        repr(by).split()
    )


def test_as_many_segments_for_as_against_are_no_reversal() -> None:
    rows = [("big", "b", 1.0, 0.1), ("small", "s", 0.5, 1.0)]
    by = rm.evaluate(reversal_frame(rows), "RR", score=["a", "b"]).by("segment")
    assert by.overall["mean"].tolist() == [0.75, 0.55]
    assert by.reversals.empty


def test_no_reversal_is_claimed_without_one(evaluation: rm.Evaluation) -> None:
    means, overall = evaluation.by().mean(), evaluation.mean()
    for measure in MEASURES:
        apart = means[("rrf", measure)] - means[("bm25", measure)]
        over = overall.loc["rrf", measure] - overall.loc["bm25", measure]
        against = int((np.sign(apart) == -np.sign(over)).sum())
        listed = measure in evaluation.by().reversals["measure"].tolist()
        assert listed == (against > len(means) - against)
    same = rm.evaluate(
        reversal_frame([("x", "q", 1.0, 1.0), ("y", "r", 0.5, 0.5)]), "RR", score=["a", "b"]
    )
    assert same.by("segment").reversals.empty


def test_systems_that_weights_turn_around_are_named() -> None:
    rows = [("x", "often", 1.0, 0.5), ("x", "r", 0.5, 1.0), ("x", "s", 0.5, 1.0)]
    frame = reversal_frame(rows).assign(traffic=lambda t: np.where(t["query"] == "often", 9, 1))
    weighted = rm.evaluate(frame, "RR", score=["a", "b"], weight="traffic")
    assert "without weights b above a by RR" in " ".join(repr(weighted).split())
    level = rm.evaluate(frame.assign(traffic=1), "RR", score=["a", "b"], weight="traffic")
    assert "without weights" not in repr(level)


# The table.


def rows_of(html: str) -> list[list[str]]:
    """Return the cells of the first table of a page."""
    found: list[list[str]] = []

    class Reader(HTMLParser):
        inside = False

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            if tag == "tr":
                found.append([])
            self.inside = tag in ("td", "th") or self.inside
            if tag in ("td", "th"):
                found[-1].append("")

        def handle_data(self, data: str) -> None:
            if found and found[-1] and self.inside:
                found[-1][-1] += data

    Reader().feed(html.partition("</table>")[0].partition("<table")[2])
    return found


def test_every_form_of_the_table_holds_the_means(evaluation: rm.Evaluation) -> None:
    by = evaluation.by()
    head, *rows = rows_of(by.to_html())
    assert head == ["market", "system", "queries", *MEASURES]
    assert [row[0] for row in rows] == ["de", "", "fr", "", "uk", "", "all", ""]
    assert [row[1] for row in rows] == SYSTEMS * 4
    written = [f"{value:.4f}" for value in by.summary()["mean"]]
    assert [cell for row in rows[:6] for cell in row[3::2]] == written
    for text in (repr(by), by.to_markdown(), by.to_latex()):
        assert all(number in text for number in written)
        assert "all" in text
    assert r"\begin{tabular}{llrrrrr}" in by.to_latex()
    assert by.to_markdown().splitlines()[1] == "| :-- | :-- | --: | --: | --: | --: | --: |"
    pd.testing.assert_frame_equal(by.to_frame(), by.summary())


def test_one_system_has_a_row_for_each_segment(shop: pd.DataFrame) -> None:
    by = rm.evaluate(shop, "RR", score="bm25").shown(decimals=2).by("market")
    head, *rows = rows_of(by.to_html())
    assert head == ["market", "queries", "RR"]
    assert [row[:3] for row in rows] == [
        [name, str(size), f"{mean:.2f}"]
        for name, size, mean in [
            *zip(by.labels, by.queries, by.mean()["RR"], strict=True),
            ("all", 135, by.overall.loc["RR", "mean"]),
        ]
    ]
    assert "best of its segment" not in repr(by)


def test_the_best_system_of_each_segment_is_marked(evaluation: rm.Evaluation) -> None:
    by = evaluation.by()
    rows = rows_of(by.to_html())[1:]
    for place, (name, part) in enumerate(by.items()):
        best = part.mean()["AP"].idxmax()
        marks = ["▲" in rows[2 * place + at][-1] for at in range(2)]
        assert marks == [system == best for system in SYSTEMS], name


def test_small_segments_are_named_and_large_ones_are_not(shop: pd.DataFrame) -> None:
    sizes = {"q001": "tiny", **{f"q{n:03}": "small" for n in range(2, 12)}}
    by = rm.evaluate(shop, "RR", score="bm25").by(lambda query: sizes.get(query, "large"))
    said = " ".join(repr(by).split())
    assert "fewer than 20 queries says little: tiny (1), small (10)" in said
    assert "fewer than" not in repr(rm.evaluate(shop, "RR", score="bm25").by("market"))
    assert by.summary().loc[("tiny", "RR"), ["low", "high"]].isna().all()


def test_a_segment_is_small_when_its_weight_lies_on_few_queries(shop: pd.DataFrame) -> None:
    by = rm.evaluate(shop, "RR", score="bm25", weight="traffic", segment="market").by()
    for name, part in by.items():
        weights = part.weights
        assert by.effective[name] == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    de = f"the worth of fewer than 20 queries says little: de ({by.effective['de']:.3g})"
    assert de in " ".join(repr(by).split())
    light = shop.assign(traffic=shop["traffic"].where(shop["market"] != "de", 0))
    none = rm.evaluate(light, "RR", score="bm25", weight="traffic").by("market")
    assert none.effective["de"] == 0
    assert none.summary().loc["de"].isna().sum(axis=1).tolist() == [3]
    assert none.summary().loc[("de", "RR"), "queries"] == 0


def test_segments_that_were_judged_unevenly_are_named(shop: pd.DataFrame) -> None:
    evaluation = rm.evaluate(shop, "nDCG@10", score="bm25")
    share = rm.evaluate(shop, "Judged@10", score="bm25").per_query["Judged@10"]
    uneven = evaluation.by(lambda query: "known" if share[query] > 0.7 else "unknown")
    means = share.groupby(share > 0.7).mean()
    assert (
        f"Judged@10: {100 * means[False]:.0f} % (unknown) to {100 * means[True]:.0f} % (known)"
        in " ".join(repr(uneven).split())
    )


def test_names_are_escaped_in_every_form() -> None:
    frame = pd.DataFrame(
        {"query": list("ab"), EVIL: [EVIL, "50% & $5_{x}"], "grade": 1, "score": 1.0}
    )
    by = rm.evaluate(frame, "RR").by(EVIL)
    assert "<img" not in by.to_html()
    assert r"50\% \& \$5\_\{x\}" in by.to_latex()
    assert r"\<img" in by.to_markdown()
    lines = rm.evaluate(frame, "RR").by(lambda query: f"\x1b[31m{query}\n")
    assert "\x1b" not in repr(lines)
    assert "\x1b" not in lines.to_html()


def test_very_many_segments_are_cut_and_counted() -> None:
    frame = pd.DataFrame({"query": range(500), "grade": 1, "score": 1.0})
    by = rm.evaluate(frame, "RR").by(lambda query: query)
    assert len(by) == len(by.to_frame()) == 500
    assert "470 more segments: .to_frame() has them all." in " ".join(repr(by).split())
    assert "300 more segments: .to_frame() has them all." in by.to_html()
    assert len(rows_of(by.to_html())) == 202


def test_the_evaluation_says_what_it_can_be_broken_down_by(evaluation: rm.Evaluation) -> None:
    assert "by() breaks down by market" in " ".join(repr(evaluation).split())
