"""How much the systems' scores hang on each rater."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from rank_magic.attach import attach
from rank_magic.errors import DataError
from rank_magic.evaluation import evaluate
from rank_magic.measures import MeasureLike
from rank_magic.raters.combining import HOW, TIES, combined
from rank_magic.raters.ratings import check_choice, read_ratings
from rank_magic.roles import conventional
from rank_magic.shapes import as_run

__all__ = ["leave_one_rater_out"]

RATED = "number of the rated document"


def leave_one_rater_out(
    run: pd.DataFrame | Mapping[Any, Any],
    ratings: pd.DataFrame,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    how: str = "median",
    votes: str = "median",
    query: Hashable | None = None,
    doc: Hashable | None = None,
    rater: Hashable | None = None,
    grade: Hashable | None = None,
    **options: Any,
) -> pd.DataFrame:
    """Return the systems' means with every rater's judgments, and with each rater left out.

    Parameters
    ----------
    run : DataFrame or mapping
        What the systems retrieved, as `attach` takes it. A grade column in it is not looked at.
    ratings : DataFrame
        A row per query, document and rater.
    measures : str, Measure or list of them, optional
        By default nDCG@10, ERR@10, RR and AP.
    how : {"median", "mean", "majority"}
        How the grades become one, see `combine_raters`.
    votes : {"median", "lower", "higher", "unjudged", "raise"}
        What the majority is where votes are tied, as they often are when a rater is missing.
    query, doc, rater, grade : column name, optional
        The columns of `ratings`; see `combine_raters`. A query or doc column that is named here
        has the same name in `run`.
    **options
        Roles and conventions, as in `evaluate`.

    Returns
    -------
    DataFrame
        A row for each measure and system. Columns: ``all raters``; one for each rater, the means
        without this rater; ``largest move``, the difference from the first that is the farthest
        from 0.

    Raises
    ------
    RankMagicError
        If there are fewer than two raters, or what `combine_raters`, `attach` and `evaluate` say.

    See Also
    --------
    rater_agreement : How far raters agree.

    Examples
    --------
    >>> import rank_magic as rm
    >>> shop = rm.datasets.load_electronics()
    >>> ratings = rm.datasets.load_electronics_ratings()
    >>> systems = ["bm25", "minilm", "rrf", "tfidf_title"]
    >>> rm.leave_one_rater_out(shop, ratings, "nDCG@10", score=systems).loc["nDCG@10"].T.round(3)
    system            bm25  minilm    rrf  tfidf_title
    all raters       0.622   0.500  0.630        0.470
    without agent_1  0.648   0.515  0.656        0.479
    without agent_2  0.627   0.505  0.638        0.467
    without agent_3  0.628   0.504  0.637        0.481
    largest move     0.026   0.015  0.026        0.010
    """
    check_choice("how", how, HOW)
    check_choice("votes", votes, TIES)
    read = read_ratings(ratings, query=query, doc=doc, rater=rater, grade=grade)
    if len(read.raters) < 2:
        raise DataError(
            f"There is one rater only, {read.raters[0]!r}; without it nothing would be judged."
        )
    grades = {"all raters": combined(read, how, votes)}
    for number, name in enumerate(read.raters):
        grades[f"without {name}"] = combined(read.without(number), how, votes)
    frame = _joined(run, read.documents, query, doc)
    # A document nobody rated stands beyond the last one.
    place = frame[RATED].fillna(len(read.documents)).to_numpy(dtype=np.int64)
    table = pd.DataFrame(
        {
            name: _means(
                frame.assign(**{RATED: np.append(given, np.nan)[place]}), measures, options
            )
            for name, given in grades.items()
        }
    )
    moves = table.iloc[:, 1:].sub(table["all raters"], axis=0).to_numpy()
    table["largest move"] = moves[np.arange(len(moves)), np.abs(moves).argmax(axis=1)]
    return table


def _joined(
    run: Any, documents: pd.DataFrame, query: Hashable | None, doc: Hashable | None
) -> pd.DataFrame:
    """Return the run with the number of each rated document, and those that were not retrieved."""
    frame = as_run(run, query=query)
    if isinstance(frame, pd.DataFrame):
        frame = frame.drop(columns=conventional("grade", list(frame.columns)) or [])
    qrels = documents.assign(**{RATED: np.arange(len(documents), dtype=np.float64)})
    return attach(frame, qrels, query=query, doc=doc, grade=RATED)


def _means(
    frame: pd.DataFrame,
    measures: MeasureLike | Iterable[MeasureLike] | None,
    options: Mapping[str, Any],
) -> pd.Series[Any]:
    """Return the mean of each measure and system."""
    evaluation = evaluate(frame, measures, **{**options, "grade": RATED})
    means = evaluation.mean()
    if isinstance(means, pd.Series):
        means = means.to_frame(evaluation.systems[0]).T
    return means.unstack().rename_axis(["measure", "system"])
