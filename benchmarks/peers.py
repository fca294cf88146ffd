"""rank_magic and its peers on the same work: per query nDCG@10 (linear gain), AP and RR.

Each contender says in which form it likes its ids best, how a tidy frame becomes what it takes
(`convert`), and how that becomes values per query (`compute`). `table` turns its answer into a
frame for comparison, and is not timed.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

import rank_magic as rm

K = 10
MEASURES = ("nDCG", "AP", "RR")
DISCOUNT = 1.0 / np.log2(np.arange(2, K + 2))


@dataclass(frozen=True)
class Contender:
    """One way to evaluate.

    Attributes
    ----------
    name : str
        As it stands in the tables.
    package : str
        What must be installed.
    form : str
        The form of ids that it is given, see `data.with_ids`.
    convert, compute, table : callable
        From a frame to its input, from its input to its answer, from its answer to a frame.
    compiles : bool
        Whether the first call in a process costs more than the next, and is timed apart.
    """

    name: str
    package: str
    form: str
    convert: Callable[[pd.DataFrame], Any]
    compute: Callable[[Any], Any]
    table: Callable[[Any], pd.DataFrame]
    compiles: bool = False

    @property
    def version(self) -> str | None:
        """The installed version; None where it is not installed."""
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return "working tree" if self.package == "rank-magic" else None


def as_it_is(given: Any) -> Any:
    return given


# rank_magic


def ours(frame: pd.DataFrame) -> pd.DataFrame:
    return rm.evaluate(frame, [f"nDCG(gain=linear)@{K}", "AP", "RR"]).per_query


def attached(tables: tuple[pd.DataFrame, pd.DataFrame]) -> pd.DataFrame:
    return ours(rm.attach(*tables))


def our_table(values: pd.DataFrame) -> pd.DataFrame:
    return values.set_axis(MEASURES, axis=1)


# pytrec_eval and ir_measures: dictionaries of dictionaries


def run_and_qrels(frame: pd.DataFrame) -> tuple[dict[str, Any], dict[str, Any]]:
    # Only relevant documents go into the judgments: these three measures need no others.
    return by_query(frame, "score"), by_query(frame[frame["grade"] > 0], "grade")


def by_query(frame: pd.DataFrame, value: str) -> dict[str, dict[str, Any]]:
    """Return {query: {doc: value}}, the fastest way that we found; rows are grouped."""
    query = frame["query"].to_numpy()
    edges = [0, *(np.flatnonzero(query[1:] != query[:-1]) + 1).tolist(), len(query)]
    docs, values = frame["doc"].tolist(), frame[value].tolist()
    return {
        query[start]: dict(zip(docs[start:end], values[start:end], strict=True))
        for start, end in pairwise(edges)
    }


def pytrec_eval_(tables: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, dict[str, float]]:
    import pytrec_eval

    run, qrels = tables
    measures = {f"ndcg_cut.{K}", "map", "recip_rank"}
    return pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)


def pytrec_eval_table(values: dict[str, dict[str, float]]) -> pd.DataFrame:
    table = pd.DataFrame.from_dict(values, orient="index")
    return table[[f"ndcg_cut_{K}", "map", "recip_rank"]].set_axis(MEASURES, axis=1)


def ir_measures_(tables: tuple[dict[str, Any], dict[str, Any]]) -> list[Any]:
    import ir_measures

    run, qrels = tables
    measures = [ir_measures.nDCG @ K, ir_measures.AP, ir_measures.RR]
    return list(ir_measures.iter_calc(measures, qrels, run))


def ir_measures_table(values: list[Any]) -> pd.DataFrame:
    rows = [(metric.query_id, str(metric.measure), metric.value) for metric in values]
    table = pd.DataFrame(rows, columns=["query", "measure", "value"])
    table = table.pivot_table(index="query", columns="measure", values="value")
    return table[[f"nDCG@{K}", "AP", "RR"]].set_axis(MEASURES, axis=1)


# ranx


def ranx_tables(frame: pd.DataFrame) -> tuple[Any, Any]:
    from ranx import Qrels, Run

    run, qrels = run_and_qrels(frame)
    return Run(run), Qrels(qrels)


def ranx_(tables: tuple[Any, Any]) -> Any:
    import ranx

    run, qrels = tables
    ranx.evaluate(qrels, run, [f"ndcg@{K}", "map", "mrr"], return_mean=False)
    return run


def ranx_table(run: Any) -> pd.DataFrame:
    scores = {name: dict(values) for name, values in run.scores.items()}
    return pd.DataFrame(scores)[[f"ndcg@{K}", "map", "mrr"]].set_axis(MEASURES, axis=1)


# By hand. scikit-learn has no reciprocal rank, and refuses a single document.


def sklearn_(frame: pd.DataFrame) -> dict[int, list[float]]:
    from sklearn.metrics import average_precision_score, ndcg_score

    values = {}
    for query, group in frame.groupby("query"):
        grade, score = group["grade"].to_numpy(), group["score"].to_numpy()
        best = score[grade >= 1].max()
        values[query] = [
            ndcg_score([grade], [score], k=K) if len(grade) > 1 else 1.0,
            average_precision_score(grade >= 1, score),
            1.0 / (1 + np.count_nonzero(score > best)),
        ]
    return values


def groupby_apply(frame: pd.DataFrame) -> pd.DataFrame:
    def values(group: pd.DataFrame) -> pd.Series:
        ranked = group.sort_values("score", ascending=False)["grade"].to_numpy()
        return pd.Series(of_one_ranking(ranked), index=MEASURES)

    return frame.groupby("query")[["grade", "score"]].apply(values)


def columns(frame: pd.DataFrame) -> tuple[np.ndarray, ...]:
    return tuple(frame[name].to_numpy() for name in ("query", "grade", "score"))


def numpy_loop(given: tuple[np.ndarray, ...]) -> dict[int, tuple[float, ...]]:
    """Evaluate query by query; rows are grouped, ids are whole numbers."""
    query, grade, score = given
    edges = [0, *(np.flatnonzero(query[1:] != query[:-1]) + 1).tolist(), len(query)]
    descending = -score
    return {
        int(query[start]): of_one_ranking(grade[start:end][np.argsort(descending[start:end])])
        for start, end in pairwise(edges)
    }


def of_one_ranking(ranked: np.ndarray) -> tuple[float, ...]:
    """Return nDCG@10, AP and RR of grades in ranked order."""
    top, ideal = ranked[:K], np.sort(ranked)[: -K - 1 : -1]
    found = np.flatnonzero(ranked >= 1) + 1.0
    return (
        (top @ DISCOUNT[: len(top)]) / (ideal @ DISCOUNT[: len(ideal)]),
        (np.arange(1, len(found) + 1) / found).mean(),
        1.0 / found[0],
    )


def rows_by_query(values: dict[int, Iterable[float]]) -> pd.DataFrame:
    return pd.DataFrame.from_dict(values, orient="index", columns=MEASURES)


OURS = Contender("rank_magic", "rank-magic", "int", as_it_is, ours, our_table)
OURS_TEXT = Contender("rank_magic, ids as text", "rank-magic", "str", as_it_is, ours, our_table)
OURS_TABLES = Contender(
    "rank_magic, run and qrels", "rank-magic", "tables", as_it_is, attached, our_table
)
LIBRARIES = (
    Contender(
        "pytrec_eval",
        "pytrec-eval-terrier",
        "object",
        run_and_qrels,
        pytrec_eval_,
        pytrec_eval_table,
    ),
    Contender("ranx", "ranx", "object", ranx_tables, ranx_, ranx_table, compiles=True),
    Contender(
        "ir_measures", "ir-measures", "object", run_and_qrels, ir_measures_, ir_measures_table
    ),
)
BY_HAND = (
    Contender("scikit-learn per query", "scikit-learn", "int", as_it_is, sklearn_, rows_by_query),
    Contender("groupby-apply by hand", "pandas", "int", as_it_is, groupby_apply, as_it_is),
    Contender("numpy loop by hand", "numpy", "int", columns, numpy_loop, rows_by_query),
)
PEERS = (*LIBRARIES, *BY_HAND)
US = (OURS, OURS_TEXT, *([OURS_TABLES] if hasattr(rm, "attach") else []))
CONTENDERS = {contender.name: contender for contender in (*US, *PEERS)}


def installed(skip: Iterable[str] = ()) -> list[Contender]:
    """Return the peers that are there, without those whose name holds a word of `skip`."""
    return [
        peer
        for peer in PEERS
        if peer.version is not None and not any(word in peer.name for word in skip)
    ]


def values(contender: Contender, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a contender's values, a row per query in the order of their numbers."""
    table = contender.table(contender.compute(contender.convert(frame)))
    numbers = [int(str(query).lstrip("q")) for query in table.index]
    return table.set_axis(numbers, axis=0).sort_index().astype(np.float64)
