"""What the tutorials say in words holds: every sentence with a relation is computed again.

That they run at all, clean and without warning, is tests/test_notebooks.py. A test names the
sentence that it holds, so that neither is changed without the other.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import rank_magic as rm
from rank_magic.attention import attention
from test_notebooks import CODE, NUMBER

FOLDER = Path(__file__).resolve().parents[1] / "notebooks"
WHY = "02_why_map_and_mrr_fail"
COMPARE = "03_compare_systems"
PEOPLE = "04_position_discounts"
TUTORIALS = [WHY, COMPARE, PEOPLE]
SYSTEMS = ["bm25", "minilm", "rrf", "tfidf_title"]
MEASURES = ["RR", "AP", "nDCG@10", "ERR@10"]
# Five minutes at a calm 250 words a minute.
MOST_WORDS = 1250

every_tutorial = pytest.mark.parametrize("name", TUTORIALS)


def prose(name: str) -> list[str]:
    """Return the text of a tutorial, cell by cell."""
    cells = nbformat.read(FOLDER / f"{name}.ipynb", as_version=nbformat.NO_CONVERT).cells
    return [cell.source for cell in cells if cell.cell_type == "markdown"]


def says(name: str, sentence: str) -> bool:
    return any(sentence in text for text in prose(name))


def measure(grades: list[int], name: str) -> float:
    """Return the value of one ranking, its best rank first."""
    frame = pd.DataFrame({"query": "q", "grade": grades})
    return float(rm.evaluate(frame, name, order="rows").per_query.iloc[0, 0])


@every_tutorial
def test_numbers_come_from_cells(name: str) -> None:
    typed = [number for text in prose(name) for number in NUMBER.findall(CODE.sub("", text))]
    assert typed == []


@every_tutorial
def test_it_is_read_in_five_minutes(name: str) -> None:
    assert len(re.findall(r"\S+", " ".join(prose(name)))) <= MOST_WORDS


@every_tutorial
def test_every_step_has_a_heading_and_every_cell_of_code_a_word_before_it(name: str) -> None:
    cells = nbformat.read(FOLDER / f"{name}.ipynb", as_version=nbformat.NO_CONVERT).cells
    kinds = "".join(cell.cell_type[0] for cell in cells)
    assert "ccc" not in kinds
    assert sum(text.count("\n## ") + text.startswith("## ") for text in prose(name)) >= 5


@pytest.fixture(scope="module")
def shop() -> Any:
    return rm.datasets.load_electronics()


@pytest.fixture(scope="module")
def result(shop: Any) -> rm.Evaluation:
    return shop.rank.evaluate(MEASURES, score=SYSTEMS)


# 02: why MAP and MRR fail.


def test_what_follows_the_first_hit_is_not_looked_at() -> None:
    assert says(WHY, "The second and the last list get the same")
    assert measure([1, 0, 0], "RR") == measure([1, 1, 1], "RR")


def test_mrr_is_not_one_over_the_mean_rank() -> None:
    assert says(WHY, "It is the mean of the reciprocals, which is something else.")
    frame = pd.DataFrame({"query": list("aaabbb"), "grade": [1, 0, 0, 0, 0, 1]})
    assert frame.rank.mrr(order="rows") == pytest.approx((1 + 1 / 3) / 2)
    assert frame.rank.mrr(order="rows") != pytest.approx(1 / 2)


def test_the_articles_slip_in_err_is_what_the_notebook_says() -> None:
    assert says(WHY, "it leaves out the factor for those who are still reading")
    assert measure([2, 3, 0], "ERR(max_grade=3)") == pytest.approx(3 / 8 + 5 / 8 * 7 / 8 / 2)
    assert measure([2, 3, 0], "ERR(max_grade=3)") < 3 / 8 + 7 / 8 / 2
    assert measure([2, 3, 0], "RR") == 1


def test_an_excellent_document_loses_more_than_by_one_over_rank() -> None:
    assert says(WHY, "By `1 / r` alone the excellent document would be worth a fifth at rank 5.")
    explained = [
        pd.DataFrame({"query": "q", "grade": grades}).rank.explain(
            measures="ERR(max_grade=8)", order="rows"
        )
        for grades in ([8, 4, 4, 4, 4], [4, 4, 4, 4, 8])
    ]
    first, last = (one.contributions["ERR(max_grade=8)"] for one in explained)
    assert last[5] < first[1] / 5


def test_the_articles_second_list_has_the_numbers_of_another() -> None:
    assert says(WHY, "prints its second list as 2 1 3, but its numbers are those of 2 3 1")
    assert round(measure([2, 3, 1], "DCG"), 2) == 7.92
    assert measure([2, 1, 3], "nDCG") < measure([2, 3, 1], "nDCG")


def test_the_first_step_of_the_logarithm_costs_more_than_all_late_ones() -> None:
    assert says(WHY, "the step from rank 1 to 2 costs more than all steps from the tenth")
    curves = attention(["reciprocal", "log2"], depth=50)
    assert curves["log2"][1] - curves["log2"][2] > curves["log2"][10] - curves["log2"][50]
    for name in curves:  # "Both curves bend the same way"
        assert (np.diff(curves[name], 2) > 0).all()
    # "Near the cutoff 1 / r has little left to give."
    assert curves["reciprocal"][10] < curves["log2"][10] / 2


def test_the_claims_about_single_rankings_hold_in_the_shop(result: rm.Evaluation) -> None:
    assert says(WHY, "The claims about single rankings hold")
    found = result.diagnose()
    assert all(found[name].found for name in ("grades", "first", "depth", "recall"))
    assert found["depth"].numbers["share of AP below rank 10"].min() > 0.2  # "much of AP"


def test_few_read_on_after_one_good_result(result: rm.Evaluation) -> None:
    assert says(WHY, "the second one, just as good, adds little")
    table = result.explain("q132", system="bm25").parts["ERR@10"]
    assert table["R"][1] == table["R"][2] == table["R"].max()
    assert table["reach"][2] < 0.2
    assert table["contribution"][2] < table["contribution"][1] / 10


def test_measures_order_the_engines_nearly_alike(result: rm.Evaluation) -> None:
    assert says(WHY, "RR orders the engines as nDCG and ERR do. AP differs in one pair")
    orders = result.mean().rank()
    for name in ("nDCG@10", "ERR@10"):
        assert orders["RR"].tolist() == orders[name].tolist()
    moved = orders.index[orders["AP"] != orders["RR"]]
    assert sorted(moved) == ["bm25", "rrf"]
    assert abs(orders["AP"] - orders["RR"]).max() == 1


def test_err_alone_finds_the_pair_beyond_chance_and_barely(result: rm.Evaluation) -> None:
    assert says(WHY, "whose difference is within chance by AP and by nDCG alike")
    assert says(WHY, "ERR alone finds it beyond chance, barely, and before any correction")
    pair = result.compare(baseline="bm25").to_frame().xs("rrf", level="system")["p_t"]
    pair = pair.droplevel("baseline")
    assert pair.index[pair < 0.05].tolist() == ["ERR@10"]
    assert pair["ERR@10"] > 0.04
    corrected = result.compare(baseline="bm25").to_frame().xs("rrf", level="system")
    assert (corrected["p_t_corrected"] > 0.05).all()


def test_one_thing_looked_for_makes_all_measures_order_alike() -> None:
    assert says(WHY, "Then all measures order lists alike")
    lists = [[int(place == rank) for place in range(1, 6)] for rank in range(1, 6)]
    for name in ("RR", "AP", "ERR", "nDCG"):
        values = [measure(grades, name) for grades in lists]
        assert values == sorted(values, reverse=True)
        assert len(set(values)) == len(values)
    assert [measure(one, "RR") for one in lists] == [measure(one, "AP") for one in lists]


def test_only_ap_sees_beyond_the_first_page() -> None:
    assert says(WHY, "nDCG with a cutoff is as blind here as RR.")
    soon, late = [1] * 20 + [0] * 80, [1] * 10 + [0] * 80 + [1] * 10
    for name in ("nDCG@10", "RR"):
        assert measure(soon, name) == measure(late, name)
    assert measure(soon, "AP") > measure(late, "AP")


def test_which_measures_notice_a_swap() -> None:
    start = [3, 1, 0, 0, 2]
    noticed = {name: [] for name in ("RR", "AP", "nDCG", "ERR")}
    for place in range(len(start) - 1):
        swapped = [*start[:place], start[place + 1], start[place], *start[place + 2 :]]
        for name, moved in noticed.items():
            if abs(measure(swapped, name) - measure(start, name)) > 1e-12:
                moved.append(place + 1)
    assert says(WHY, "RR notices nothing at all.")
    assert says(WHY, "AP notices a swap only between relevant and not.")
    assert noticed == {"RR": [], "AP": [2, 4], "nDCG": [1, 2, 4], "ERR": [1, 2, 4]}


# 03: which engine is better.


@pytest.fixture(scope="module")
def compared(result: rm.Evaluation) -> pd.DataFrame:
    """Return the comparison with BM25, a row for each measure and engine."""
    return result.compare(baseline="bm25").to_frame().droplevel("baseline")


def test_rrf_leads_by_three_measures_and_bm25_by_ap(result: rm.Evaluation) -> None:
    assert says(COMPARE, "RRF leads by three measures; by AP it is BM25.")
    first = {"nDCG@10": "rrf", "ERR@10": "rrf", "RR": "rrf", "AP": "bm25"}
    assert result.mean().idxmax().to_dict() == first


def test_what_is_evident_against_bm25(compared: pd.DataFrame) -> None:
    assert says(COMPARE, "TF-IDF is evidently worse by every measure, MiniLM by nDCG and AP.")
    assert says(COMPARE, "RRF is evidently better by none.")
    evident = compared["p_t_corrected"] < 0.05
    named = {
        engine: set(evident.xs(engine, level="system").loc[lambda found: found].index)
        for engine in ("minilm", "rrf", "tfidf_title")
    }
    everything = {"nDCG@10", "ERR@10", "RR", "AP"}
    assert named == {"minilm": {"nDCG@10", "AP"}, "rrf": set(), "tfidf_title": everything}


def test_which_tests_disagree_about_minilm(compared: pd.DataFrame) -> None:
    assert says(COMPARE, "On ERR Wilcoxon's test alone finds evidence")
    assert says(COMPARE, "the randomisation test falls below `0.05` and the others stay just above")
    tests = ["t", "wilcoxon", "randomisation", "bootstrap"]
    p = compared.xs("minilm", level="system")[[f"p_{test}_corrected" for test in tests]]
    below = p.set_axis(tests, axis=1) < 0.05
    found = {name: set(row.index[row]) for name, row in below.iterrows()}
    assert found["nDCG@10"] == found["AP"] == set(tests)  # "On nDCG and AP they agree."
    assert found["ERR@10"] == {"wilcoxon"}
    assert found["RR"] == {"randomisation"}
    assert p.loc["RR"].max() < 0.06


def test_rrf_wins_more_queries_than_it_loses(compared: pd.DataFrame) -> None:
    assert says(COMPARE, "RRF wins more queries than it loses, and loses some of them badly.")
    row = compared.loc[("nDCG@10", "rrf")]
    assert row["wins"] > row["losses"] > 0
    assert row["ties"] > 0  # "A middle where nothing changes"


def test_who_comes_first_when_unjudged_products_are_removed(shop: Any) -> None:
    assert says(COMPARE, "Now MiniLM comes first by RR, nDCG and ERR, and RRF by AP.")
    assert says(COMPARE, "Most of what MiniLM shows was never judged")
    judged = rm.evaluate(shop, MEASURES, score=SYSTEMS, unjudged="remove")
    first = {"RR": "minilm", "AP": "rrf", "nDCG@10": "minilm", "ERR@10": "minilm"}
    assert judged.mean().idxmax().to_dict() == first
    places = shop.groupby("query_id")["minilm"].rank(ascending=False, method="first")
    assert shop.loc[places <= 10, "grade"].isna().mean() > 0.5


def test_leaving_out_a_rater_changes_rrfs_place_by_rr_only(shop: Any) -> None:
    assert says(COMPARE, "nDCG, ERR and AP keep RRF's place. By RR it loses the first place")
    assert says(COMPARE, "moves a mean of nDCG by more than RRF lies above BM25")
    ratings = rm.datasets.load_electronics_ratings()
    without = rm.leave_one_rater_out(shop, ratings, MEASURES, score=SYSTEMS)
    moves = without.pop("largest move")["nDCG@10"].abs()
    means = without.loc["nDCG@10", "all raters"]
    assert moves.max() > means["rrf"] - means["bm25"] > 0
    places = without.groupby("measure").rank(ascending=False).xs("rrf", level="system")
    for name in ("nDCG@10", "ERR@10", "AP"):
        assert places.loc[name].nunique() == 1
    assert sorted(places.loc["RR"]) == [1, 1, 1, 2]
    assert places.loc["RR", "all raters"] == 1


def test_the_discount_does_not_decide(shop: Any) -> None:
    assert says(COMPARE, "from none at all to one that halves at every rank, the order")
    names = ["none", "log2", "jarvelin3", "reciprocal", "geometric0.8", "geometric0.5"]
    means = rm.evaluate(shop, [f"nDCG(discount={name})@10" for name in names], score=SYSTEMS).mean()
    assert len({tuple(column.sort_values().index) for _, column in means.items()}) == 1


# 04: what measures believe about people.


def test_the_curves_cross() -> None:
    assert says(PEOPLE, "RBP with `p=0.8` starts above the logarithm and ends below it")
    curves = attention(["log2", "RBP(p=0.8)"], depth=20)
    above = curves["RBP(p=0.8)"] > curves["log2"]
    assert above[2]
    assert not above[20]
    # "The logarithm starts with a steep step and then hardly falls."
    steps = -np.diff(curves["log2"])
    assert steps[0] > 0.3
    assert steps[9:].max() < 0.02


def test_a_person_of_rbp_looks_at_so_many_results_and_one_of_dcg_never_stops() -> None:
    assert says(PEOPLE, "With RBP the number settles, at `1 / (1 - p)`.")
    assert says(PEOPLE, "DCG without a cutoff believes in people who never stop")
    for p in (0.5, 0.8):
        looked_at = attention(f"RBP(p={p})", depth=1000).sum().item()
        assert looked_at == pytest.approx(1 / (1 - p), rel=1e-9)
    seen = [attention("log2", depth=end).sum().item() for end in (10, 100, 1000, 10_000)]
    assert (np.divide(seen[1:], seen[:-1]) > 3).all()


def test_c_w_and_l_are_those_of_the_package() -> None:
    curve = attention("RBP(p=0.8)", depth=1000)["RBP(p=0.8)"]
    going = curve.shift(-1) / curve
    one = pd.DataFrame({"query": "tv", "grade": [3, 2, 0, 1, 0]})
    parts = one.rank.explain(measures="RBP(p=0.8)", order="rows").parts["RBP"]
    np.testing.assert_allclose(parts["C"], going.head(5))
    np.testing.assert_allclose(parts["W"], (curve / curve.sum()).head(5))
    np.testing.assert_allclose(parts["L"], (curve * (1 - going)).head(5))
    assert says(PEOPLE, "With RBP it is the same everywhere, with the logarithm it rises")
    log2 = attention("log2", depth=50)["log2"]
    assert ((log2.shift(-1) / log2).diff().iloc[1:-1] > 0).all()


def test_people_who_react_leave_after_a_good_result_and_aps_looks_ahead() -> None:
    assert says(PEOPLE, "are gone after a good first result, and read on after a bad one")
    first = attention(["ERR", "INST", "AP"], grades=[3, 2, 0, 1, 0, 0], depth=6)
    last = attention(["ERR", "INST", "AP"], grades=[0, 1, 0, 2, 3, 0], depth=6)
    for name in ("ERR", "INST"):
        assert (first.loc[2:, name] < last.loc[2:, name]).loc[:5].all()
    assert says(PEOPLE, "their attention ends at the last relevant document")
    assert first["AP"].gt(0).tolist() == [True] * 4 + [False] * 2
    assert last["AP"].gt(0).tolist() == [True] * 5 + [False]


def test_the_carousel_shows_no_difference_and_speaks_against_a_steep_fall() -> None:
    assert says(PEOPLE, "For neither policy.")
    assert says(PEOPLE, "The policy that learned seems to show a fall and the random one does not")
    assert says(PEOPLE, "even the lower ends lie above all three curves")
    clicks = rm.datasets.load_bandit_clicks()
    places = clicks.groupby(["policy", "position"])[["impressions", "clicks"]].sum()
    for _, group in places.groupby("policy"):
        table = np.array([group["clicks"], group["impressions"] - group["clicks"]])
        assert stats.chi2_contingency(table).pvalue > 0.1
    rates = places["clicks"] / places["impressions"]
    assert rates["bts"].is_monotonic_decreasing
    assert not rates["random"].is_monotonic_decreasing
    assert rates.max() < 0.01  # "Few impressions in a thousand are clicked"
    (clicked, shown), *others = places.loc["random", ["clicks", "impressions"]].to_numpy()
    curves = attention(["log2", "reciprocal", "RBP(p=0.8)"], depth=3).max(axis=1)
    for place, other in enumerate(others, start=2):
        ratio = stats.contingency.relative_risk(*other, clicked, shown)
        assert ratio.confidence_interval().low > curves[place]


def _simulated(shop: pd.DataFrame) -> pd.DataFrame:
    """Return how far simulated people read and where they click, exactly: without drawing any."""
    found = shop.dropna(subset="bm25").sort_values(["query_id", "bm25"], ascending=[True, False])
    found = found.assign(place=found.groupby("query_id").cumcount() + 1)
    pages = found[found["place"] <= 10].pivot(index="query_id", columns="place", values="grade")
    chance = (2 ** pages.fillna(0) - 1) / 8
    reach = (1 - chance).cumprod(axis=1).shift(1, axis=1, fill_value=1.0)
    people = pd.DataFrame({"looked": reach.mean(), "clicked": (reach * chance).mean()})
    return people / people.iloc[0]


def test_clicks_of_simulated_people_fall_more_steeply_than_their_attention(shop: Any) -> None:
    assert says(PEOPLE, "**simulated**, not real")
    assert says(PEOPLE, "Clicks fall far more steeply than attention.")
    people = _simulated(shop)
    assert (people["clicked"][1:] < people["looked"][1:] / 2).all()
    assert people["looked"][10] > 0.2  # "At the last ranks many still look"
    assert people["clicked"][10] < 0.01


def test_the_order_of_the_engines_stays_with_a_curve_of_ones_own(shop: Any) -> None:
    assert says(PEOPLE, "The order of the engines stays.")
    own = ", ".join(f"{weight:.6f}" for weight in _simulated(shop)["looked"])
    means = rm.evaluate(shop, ["nDCG@10", f"nDCG(discount=[{own}])@10"], score=SYSTEMS).mean()
    orders = {tuple(column.sort_values().index) for _, column in means.items()}
    assert len(orders) == 1
