"""trec_eval's own regression test: what its version 10 prints, we compute, to the last digit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

import rank_magic as rm
from rank_magic.errors import MeasureError
from rank_magic.measures.trec_names import CUT, MISTAKABLE, NO_MEASURES, PLAIN, VALUED, trec_names

DATA = Path(__file__).parent / "data" / "trec_eval_test"


class Call(NamedTuple):
    """How trec_eval was called: the files, -l and -M."""

    qrels: str
    run: str
    rel: int = 1
    depth: int | None = None


CALLS = {
    "out.test.aq": Call("qrels.test", "results.test"),
    "out.test.aql": Call("qrels.rel_level", "results.test", rel=2),
    "out.test.aqc": Call("qrels.test", "results.trunc"),
    "out.test.aqcM": Call("qrels.test", "results.trunc", depth=100),
}
EVERY_CALL = pytest.mark.parametrize("output", CALLS)


def read(name: str, columns: list[str], sep: str = "\t") -> pd.DataFrame:
    text = dict.fromkeys(["query", "doc", "name", "printed"], str)
    return pd.read_csv(DATA / name, sep=sep, names=columns, dtype=text, keep_default_na=False)


@cache
def rows(output: str) -> pd.DataFrame:
    """Return what trec_eval printed: name, query and text."""
    table = read(output, ["name", "query", "printed"])
    return table.assign(name=table["name"].str.strip())


@cache
def rankings(output: str) -> pd.DataFrame:
    """Return run and judgments side by side, as anybody would bring them together."""
    call = CALLS[output]
    judged = read(call.qrels, ["query", "zero", "doc", "grade"], sep=" ")
    run = read(call.run, ["query", "Q0", "doc", "rank", "score", "run"])
    return run[["query", "doc", "score"]].merge(
        judged[["query", "doc", "grade"]], on=["query", "doc"], how="outer"
    )


def measured(output: str, prefix: str = "trec.") -> list[str]:
    """Return the names of the rows that are measures, and may be written with this prefix."""
    names = list(rows(output)["name"].unique())
    return [
        name for name in names if not_a_number(name) is None and (prefix or name not in MISTAKABLE)
    ]


def not_a_number(name: str) -> str | None:
    """Return which of the three rows that are no measures it is, if any."""
    return next((other for other in NO_MEASURES if name.startswith(other)), None)


@cache
def evaluation(output: str, prefix: str) -> rm.Evaluation:
    """Return all measures that trec_eval printed."""
    call = CALLS[output]
    names = [f"{prefix}{name}" for name in measured(output, prefix)]
    return rm.evaluate(rankings(output), names, ties="trec", rel=call.rel, depth=call.depth)


def printed(name: str, value: float) -> str:
    """Return a number as trec_eval prints it."""
    return f"{value:.0f}" if name.startswith("num_") else f"{value:.4f}"


def wrong(output: str, prefix: str) -> Iterator[str]:
    """Yield the rows that come out otherwise here."""
    found = evaluation(output, prefix)
    per_query, ends = found.per_query, [found.mean(), found.summary()["mean"]]
    known = set(measured(output, prefix))
    for name, query, right in rows(output).to_numpy():
        if name not in known:
            continue
        ours = str(rm.parse(f"{prefix}{name}"))
        numbers = [end[ours] for end in ends] if query == "all" else [per_query.loc[query, ours]]
        for number in numbers:
            if printed(name, number) != right:
                yield f"{prefix}{name} of {query}: {number}, not {right}"


@EVERY_CALL
def test_every_row_that_trec_eval_prints_under_its_trec_name(output: str) -> None:
    assert list(wrong(output, "trec.")) == []


@EVERY_CALL
def test_every_row_under_its_bare_name_where_that_cannot_be_mistaken(output: str) -> None:
    assert list(wrong(output, "")) == []


@EVERY_CALL
def test_all_rows_are_compared_but_those_that_are_no_measures(output: str) -> None:
    table = rows(output)
    assert table["query"].value_counts().to_dict() == {"301": 96, "302": 96, "303": 96, "all": 99}
    left = table[~table["name"].isin(measured(output))]
    # The name of the run, how many queries there are, and a string for each query.
    assert left["name"].map(not_a_number).value_counts().to_dict() == {
        "runid": 1,
        "num_q": 1,
        "relstring": 3,
    }


@EVERY_CALL
def test_num_q_is_a_fact_of_the_coverage(output: str) -> None:
    table = rows(output).set_index("name")["printed"]
    facts = evaluation(output, "trec.").coverage.iloc[:, 0]
    assert facts["queries judged"] == int(table["num_q"])


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("num_q", r"num_q counts queries: see evaluation\.coverage"),
        ("runid", "runid is the name of the run, not a number"),
        ("relstring", r"relstring is text, not a number: see evaluation\.explain"),
        ("relstring_20", "is text, not a number"),
    ],
)
def test_rows_that_are_no_measures_are_said_to_be_none(name: str, what: str) -> None:
    for spelled in (name, f"trec.{name}", name.upper()):
        with pytest.raises(MeasureError, match=what):
            rm.parse(spelled)


def test_relstring_is_the_grades_that_an_explanation_shows() -> None:
    grades = evaluation("out.test.aq", "trec.").explain("301").ranking["grade"].head(10)
    shown = "".join("-" if pd.isna(grade) else f"{grade:.0f}" for grade in grades)
    table = rows("out.test.aq").set_index(["name", "query"])["printed"]
    assert f"'{shown}'" == table["relstring", "301"]


def test_over_queries_counts_add_up_and_two_means_are_geometric() -> None:
    found = evaluation("out.test.aq", "trec.")
    how = {str(measure): measure.aggregate for measure in found.measures}
    counts = {name for name in measured("out.test.aq") if name.startswith("num_")}
    assert {name for name, kind in how.items() if kind == "sum"} == {
        str(rm.parse(f"trec.{name}")) for name in counts
    }
    assert [name for name, kind in how.items() if kind == "geometric"] == ["GMAP", "trec.gm_bpref"]
    assert found.mean()["NumRet"] == found.per_query["NumRet"].sum() == 1500


@pytest.mark.parametrize("name", sorted(MISTAKABLE))
def test_a_name_that_could_be_mistaken_needs_the_prefix(name: str) -> None:
    assert str(rm.parse(f"trec.{name}")).startswith(("trec.", "nDCG(gain=linear"))
    if name in ("ndcg", "rbp"):  # ours, with another meaning
        assert rm.parse(name) != rm.parse(f"trec.{name}")
    else:
        with pytest.raises(MeasureError, match=rf"trec_eval's is written trec\.{name}"):
            rm.parse(name)


def test_every_name_of_trec_eval_is_in_the_outputs_or_a_variant_of_one() -> None:
    printed_names = set(measured("out.test.aq"))
    bases = {*PLAIN, *CUT, *VALUED}
    assert {name for name in printed_names if name not in PLAIN} == {
        name for name in printed_names if name.rpartition("_")[0] in {*CUT, *VALUED}
    }
    unseen = {base for base in bases if not any(name.startswith(base) for name in printed_names)}
    assert unseen == set()
    assert all(rm.parse(name) for name in trec_names())


def test_trec_evals_parameters_do_not_move_with_the_conventions() -> None:
    frame = rankings("out.test.aq")
    names = ["ndcg_cut_10", "trec.ndcg", "trec.G", "trec.rbp", "trec.Rndcg"]
    usual = rm.evaluate(frame, names, ties="trec").mean()
    other = rm.evaluate(
        frame, names, ties="trec", gain="exp2", discount="reciprocal", max_grade=9
    ).mean()
    pd.testing.assert_series_equal(usual, other)
