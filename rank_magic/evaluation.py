"""Evaluate rankings: a value per query, honest means, and the facts they rest on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rank_magic import coverage as facts
from rank_magic import statistics
from rank_magic.attach import attach
from rank_magic.conventions import Conventions
from rank_magic.discounts import Discount
from rank_magic.gains import Gain
from rank_magic.measures import Measure, MeasureLike, parse_all
from rank_magic.query_facts import check_segments, weights_of
from rank_magic.questions import Questions
from rank_magic.rankings import Rankings
from rank_magic.shapes import as_run
from rank_magic.showing import Showing
from rank_magic.values import Values, compute
from rank_magic.views import View

if TYPE_CHECKING:
    from rank_magic.explanation import Explanation

__all__ = ["Evaluation", "evaluate"]


def evaluate(
    frame: pd.DataFrame | Mapping[Any, Any],
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    qrels: pd.DataFrame | Mapping[Any, Any] | None = None,
    query: Hashable | Sequence[Hashable] | None = None,
    doc: Hashable | None = None,
    grade: Hashable | None = None,
    score: Hashable | Sequence[Hashable] | None = None,
    rank: Hashable | None = None,
    system: Hashable | None = None,
    subtopic: Hashable | None = None,
    segment: Hashable | Sequence[Hashable] | None = None,
    weight: Hashable | None = None,
    order: str | None = None,
    ties: str = "average",
    unanswered: str = "zero",
    no_relevant: str = "zero",
    unjudged: str = "zero",
    negative: str = "unjudged",
    duplicates: str = "raise",
    depth: int | None = None,
    rel: float = 1.0,
    max_grade: float | None = None,
    gain: Gain = "exp2",
    discount: Discount = "log2",
) -> Evaluation:
    """Evaluate the rankings in a frame by one or more measures.

    Parameters
    ----------
    frame : DataFrame or mapping
        A row per query and document. A missing grade means not judged; a missing score or rank
        means judged but not retrieved. Or a row per query with lists in it, see `from_lists`.
        It is never changed. With `qrels` also ``{query: {doc: score}}``, ``{query: [doc, ...]}``
        with the best document first, and ``{name: run}`` for several systems.
        Or a frame of Polars, Dask or Spark, or the path of Parquet files, such as
        ``"runs/*.parquet"``; see `rank_magic.engines`.
    measures : str, Measure or list of them, optional
        Such as ``"nDCG@10"`` or ``["ERR@10", "AP(rel=2)"]``. By default nDCG@10, ERR@10, RR
        and AP.
    qrels : DataFrame or mapping, optional
        The judgments, where they stand apart: a row per query and document, ``{query: {doc:
        grade}}``, or ``{query: [doc, ...]}`` of the relevant ones. See `attach`, which is called.
    query, doc, grade, score, rank, system, subtopic : column name, optional
        The column of each role, when its name is not a conventional one. ``score`` may be a
        list: a system for each. ``query`` may be a list of columns that name a query together.
    segment : column name or list of them, optional
        What results can be broken down by (`Evaluation.by`), such as the market. The same in
        all rows of a query.
    weight : column name, optional
        What a query counts in means, such as how often it is asked. The same in all rows of a
        query, at least 0. Sums are not weighted.
    order : {"rows"}, optional
        Rows stand in ranked order, so that no score or rank is needed.
    ties, unanswered, no_relevant, unjudged, negative, duplicates, depth, rel, max_grade, gain, \
discount
        Conventions, see `Conventions`.

    Returns
    -------
    Evaluation

    Raises
    ------
    RankMagicError
        If columns, rows, measures or conventions do not allow a right answer. The message says
        what to do.

    Examples
    --------
    >>> import pandas as pd
    >>> import rank_magic as rm
    >>> frame = pd.DataFrame({
    ...     "query": ["a", "a", "a", "b", "b"],
    ...     "doc": ["x", "y", "z", "x", "w"],
    ...     "grade": [0, 3, 1, 2, 0],
    ...     "score": [0.9, 0.8, 0.1, 0.7, 0.2],
    ... })
    >>> rm.evaluate(frame, ["nDCG@10", "RR"]).per_query.round(4)
    measure  nDCG@10   RR
    query
    a         0.6443  0.5
    b         1.0000  1.0
    """
    conventions = Conventions(
        ties=ties,
        unanswered=unanswered,
        no_relevant=no_relevant,
        unjudged=unjudged,
        negative=negative,
        duplicates=duplicates,
        depth=depth,
        rel=rel,
        max_grade=max_grade,
        gain=gain,
        discount=discount,
    )
    chosen = parse_all(measures)
    roles = {"query": query, "doc": doc, "grade": grade, "score": score, "rank": rank}
    roles |= {"system": system, "subtopic": subtopic, "segment": segment, "weight": weight}
    frame = as_run(frame, query=query)
    if qrels is not None:
        frame = attach(
            frame, qrels, query=query, doc=doc, grade=grade, subtopic=subtopic, order=order
        )
        order = None  # ranks say so now
    if not isinstance(frame, pd.DataFrame):
        from rank_magic.engines import evaluate_elsewhere

        return evaluate_elsewhere(frame, chosen, order=order, **roles, **vars(conventions))
    rankings = Rankings.of(frame, conventions, None, order=order, **roles)
    return Evaluation.of(rankings, chosen)


@dataclass(frozen=True, eq=False)
class Evaluation(Questions, Showing):
    """Rankings measured: what `evaluate` returns.

    Shown in a notebook it is a table of means with their 95 % intervals, followed by what they
    rest on.

    Attributes
    ----------
    rankings : Rankings
        What was measured.
    measures : tuple of Measure
        By what.
    view : View
        How it is shown; `shown` changes it.
    weights : Series or None
        What each query counts in means; None when all count the same.
    """

    rankings: Rankings
    measures: tuple[Measure, ...]
    _values: Values
    view: View = field(default_factory=View)
    weights: pd.Series[float] | None = None

    rows_at_hand: ClassVar[bool] = True
    """Whether the rows were kept, which explanations need; those in files and clusters are not."""

    @classmethod
    def of(cls, rankings: Rankings, measures: Sequence[Measure]) -> Evaluation:
        """Measure rankings."""
        check_segments(rankings)
        weights = weights_of(rankings)
        return cls(rankings, tuple(measures), compute(rankings, measures), weights=weights)

    @property
    def conventions(self) -> Conventions:
        """The conventions in force."""
        return self.rankings.conventions

    @property
    def systems(self) -> tuple[Hashable, ...]:
        """The names of the systems, in order."""
        return self.rankings.systems

    @property
    def queries(self) -> pd.Index[Any]:
        """The queries, sorted."""
        return self.rankings.queries

    @property
    def names(self) -> list[str]:
        """The measures' names, in order."""
        return [str(measure) for measure in self.measures]

    @cached_property
    def _ruled(self) -> NDArray[np.float64]:
        """Values under the conventions, shape (systems, measures, queries)."""
        return self._values.ruled(self.conventions)

    @property
    def per_query(self) -> pd.DataFrame:
        """A value for each query (rows, sorted) and measure (columns).

        With several systems the columns are pairs of system and measure. A query without any
        judgment has no value (NaN).
        """
        flat = self._ruled.reshape(-1, len(self.queries)).T
        return pd.DataFrame(flat.copy(), index=self.queries, columns=self._columns())

    def one_per_query(self) -> pd.Series[float]:
        """Return the first column of `per_query`: of one system, the values of one measure."""
        values = self._ruled[0, 0].copy()
        return pd.Series(values, index=self.queries, name=str(self.measures[0]))

    def values_of(self, query: int) -> NDArray[np.float64]:
        """Return the values of the n-th query, shape (systems, measures)."""
        return self._ruled[:, :, query]

    def _columns(self) -> pd.Index[Any]:
        if not self.rankings.rows.several:
            return pd.Index(self.names, name="measure")
        return pd.MultiIndex.from_product([self.systems, self.names], names=["system", "measure"])

    def mean(self) -> pd.Series[Any] | pd.DataFrame:
        """Return the mean over queries of each measure.

        Returns
        -------
        Series or DataFrame
            By measure; with several systems a row for each. Queries without a value do not
            count; `summary` says how many do. Weighted when weights were given.
        """
        means = self.summary()["mean"]
        return (
            means.unstack("measure")[self.names].loc[list(self.systems)]
            if self.rankings.rows.several
            else means
        )

    def summary(self) -> pd.DataFrame:
        """Return means with 95 % intervals and the number of queries behind each.

        Returns
        -------
        DataFrame
            Columns ``mean``, ``low``, ``high`` (the t interval of the mean over queries) and
            ``queries``; a row for each measure, or for each system and measure.

        Notes
        -----
        With weights w the mean is Σ w·x / Σ w, the geometric mean is weighted likewise, and a sum
        is not. The standard error is the jackknife's, from leaving out one query at a time, and
        the t interval has n_eff − 1 degrees of freedom, n_eff = (Σ w)² / Σ w² (Kish). Equal
        weights give what none do. Queries of weight 0 are not counted.

        References
        ----------
        Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapter 11.
        Kish, L. (1965). Survey Sampling. Section 11.2.
        """
        return self._summary.copy()

    @cached_property
    def _summary(self) -> pd.DataFrame:
        index = self._columns()
        rows = self.summary_rows()
        return pd.DataFrame(rows, index=index, columns=["mean", "low", "high", "queries"])

    def summary_rows(
        self, queries: NDArray[np.signedinteger[Any]] | slice = slice(None)
    ) -> list[tuple[float, float, float, int]]:
        """Return the rows of the summary, over the queries with these numbers only."""
        poisoned = self.conventions.no_relevant == "nan"
        lacking = self._values.without_relevant[:, queries] if poisoned else None
        weights = None if self._weights is None else self._weights[queries]
        how = [measure.aggregate for measure in self.measures]
        return statistics.summaries(self._ruled[:, :, queries], how, lacking, weights)

    @property
    def _weights(self) -> NDArray[np.float64] | None:
        return None if self.weights is None else self.weights.to_numpy()

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """The facts about queries, judgments and ties that the means rest on.

        A row for each fact and a column for each system. Shares of what is judged are means
        over queries, weighted like the others.
        """
        return facts.coverage(self.rankings, self.measures, self._values, self._weights)

    @cached_property
    def sensitivity(self) -> pd.DataFrame:
        """What each mean would be if ties, gaps or unjudged documents were treated otherwise.

        A row for each measure, or for each system and measure. Columns: ``mean``;
        ``ties_matter``, the number of queries that the order of equal scores changes, and the
        means in their ``worst`` and ``best`` order; ``unjudged_worthless`` and
        ``unjudged_best``, between which the mean lies whatever the unjudged documents shown are
        (missing where no true bound exists); ``answered`` and ``with_relevant``, the means over
        the queries with results and over those with a relevant document.
        """
        table = facts.sensitivity(self.rankings, self.measures, self._values, self._weights)
        return pd.DataFrame(table, index=self._columns())

    @property
    def drawing_errors(self) -> NDArray[np.float64]:
        """What drawn orders of equal scores leave each mean as a standard error.

        Shape (systems, measures); 0 where no value was averaged over drawn orders.
        """
        counts = np.maximum(np.count_nonzero(~np.isnan(self._ruled), axis=2), 1)
        shares: Any = 1 / counts[:, :, None]
        if self._weights is not None:
            weights = np.where(np.isnan(self._ruled), 0.0, self._weights)
            total = weights.sum(axis=2, keepdims=True)
            shares = weights / np.where(total > 0, total, 1.0)
        return np.sqrt(((self._values.error * shares) ** 2).sum(axis=2))

    def explain(self, query: Any = None, *, system: Hashable | None = None) -> Explanation:
        """Return one ranking, rank by rank, with what each rank adds to each measure.

        Parameters
        ----------
        query
            Which query; may be left out when there is only one.
        system
            Which system; the first by default.
        """
        from rank_magic.explanation import explain

        return explain(self, query, system)

    # How it shows itself.

    def __repr__(self) -> str:
        from rank_magic.tables import evaluation_text

        return evaluation_text(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def shown(self, **changes: Any) -> Evaluation:
        """Return the same evaluation, shown otherwise.

        Parameters
        ----------
        **changes
            ``decimals``, ``sort``, ``worst`` and ``per_query``, see `View`.

        Examples
        --------
        >>> import pandas as pd
        >>> import rank_magic as rm
        >>> frame = pd.DataFrame({"query": "q", "score": [9, 8, 7], "grade": [0, 1, 1]})
        >>> print(rm.evaluate(frame, "AP").shown(decimals=2).to_markdown().splitlines()[2])
        | AP | 0.58 |
        """
        from rank_magic.tables import shown

        return shown(self, **changes)

    def to_html(self) -> str:
        """Return the table of means and what they rest on, as HTML that needs nothing else."""
        from rank_magic.tables import evaluation_html

        return evaluation_html(self)

    def to_markdown(self, *, intervals: bool = True) -> str:
        """Return the table of means and what they rest on, as Markdown."""
        from rank_magic.tables import evaluation_markdown

        return evaluation_markdown(self, intervals=intervals)

    def to_latex(self, *, intervals: bool = True) -> str:
        """Return the table of means as LaTeX (package booktabs), with what they rest on above."""
        from rank_magic.tables import evaluation_latex

        return evaluation_latex(self, intervals=intervals)
