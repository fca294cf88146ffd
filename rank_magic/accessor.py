"""`df.rank`: pandas' own method, and every measure beside it.

``df.rank(...)`` ranks values as ever. ``df.rank.ndcg(k=10)`` evaluates the ranking that the
frame's rows hold; on ``df.groupby("query")`` the keys name the query.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.core.groupby.generic import DataFrameGroupBy

from rank_magic._patch import MethodAccessor, install, uninstall
from rank_magic.errors import ColumnError, MeasureError, did_you_mean
from rank_magic.evaluation import Evaluation, evaluate
from rank_magic.explanation import Explanation
from rank_magic.measures import REGISTRY, Measure, MeasureLike, make
from rank_magic.roles import ROLE_NAMES, conventional

if TYPE_CHECKING:
    from rank_magic.plots import FramePlots
    from rank_magic.widgets import QueryExplorer

__all__ = ["RankAccessor", "register", "unregister"]

OPTIONS = tuple(
    parameter
    for parameter in inspect.signature(evaluate).parameters.values()
    if parameter.kind is parameter.KEYWORD_ONLY
)
OPTION_NAMES = tuple(option.name for option in OPTIONS)


class Looks:
    """What `RankAccessor` and `Using` show beside numbers."""

    if TYPE_CHECKING:  # no annotation, which would stand for the method's own

        def evaluate(self, measures: Any = None, **options: Any) -> Evaluation: ...

    @property
    def plot(self) -> FramePlots:
        """Figures: ``.plot.distribution()``, ``.contributions(query)``, ``.discounts()``."""
        from rank_magic.plots import FramePlots

        return FramePlots(self.evaluate)

    def explore(
        self, measures: MeasureLike | Iterable[MeasureLike] | None = None, **options: Any
    ) -> QueryExplorer:
        """Look through the rankings of this frame in the notebook; see `Evaluation.explore`.

        Parameters
        ----------
        measures : str, Measure or list of them, optional
            By default nDCG@10, ERR@10, RR and AP.
        **options
            Roles and conventions, as in `rank_magic.evaluate`.

        Returns
        -------
        QueryExplorer
        """
        return self.evaluate(measures, **options).explore()


class RankAccessor(Looks, MethodAccessor):
    """What ``df.rank`` is: pandas' own method, with evaluation beside it.

    Every measure is a method: ``df.rank.ndcg(k=10)``, ``df.rank.err(max_grade=4)``. Names that
    mean a mean over queries (``mrr``, ``map``) give a number.
    """

    def evaluate(
        self, measures: MeasureLike | Iterable[MeasureLike] | None = None, **options: Any
    ) -> Evaluation:
        """Evaluate the rankings in this frame; see `rank_magic.evaluate`.

        Parameters
        ----------
        measures : str, Measure or list of them, optional
            By default nDCG@10, ERR@10, RR and AP.
        **options
            Roles and conventions, as in `rank_magic.evaluate`.

        Returns
        -------
        Evaluation

        Examples
        --------
        >>> import pandas as pd
        >>> import rank_magic as rm
        >>> frame = pd.DataFrame(
        ...     {"qid": [1, 1, 2, 2], "grade": [0, 2, 1, 0], "score": [0.9, 0.1, 0.8, 0.3]}
        ... )
        >>> frame.rank.evaluate(["RR", "P@1"]).mean().tolist()
        [0.75, 0.5]
        """
        check_options("evaluate", options)
        frame, keys = _frame_and_keys(self._obj, options.get("query"))
        if options.get("segment") is not None:
            keys.pop("segment", None)  # what is said outright wins
        return evaluate(frame, measures, **{**options, **keys})

    def explain(
        self,
        query: Any = None,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        *,
        system: Hashable | None = None,
        **options: Any,
    ) -> Explanation:
        """Show one ranking, rank by rank, with what each rank adds to each measure.

        Parameters
        ----------
        query
            Which query, by its id; may be left out when there is only one. (To say which
            *column* holds the query, use ``using(query=...)``.)
        measures : str, Measure or list of them, optional
            By default nDCG@10, ERR@10, RR and AP.
        system
            Which system, when there are several; the first by default.
        **options
            Roles and conventions, as in `rank_magic.evaluate`.

        Returns
        -------
        Explanation
        """
        return self.evaluate(measures, **options).explain(query, system=system)

    def using(self, **options: Any) -> Using:
        """Return the accessor with roles and conventions set, for several calls.

        Parameters
        ----------
        **options
            As in `rank_magic.evaluate`.

        Returns
        -------
        Using
            With the same methods.

        Examples
        --------
        >>> import pandas as pd
        >>> import rank_magic as rm
        >>> frame = pd.DataFrame({"who": "a", "stars": [5, 0], "score": [0.1, 0.9]})
        >>> shop = frame.rank.using(query="who", grade="stars")
        >>> shop.rr().tolist()
        [0.5]
        """
        return Using(self, options)

    def __getattr__(self, name: str) -> Any:
        cls = REGISTRY.get(name.lower())
        return super().__getattr__(name) if cls is None else measure_method(self, name, cls)

    def __dir__(self) -> Iterable[str]:
        return {*super().__dir__(), *method_names()}


class Using(Looks):
    """``df.rank`` with roles and conventions set; made by ``df.rank.using(...)``."""

    def __init__(self, accessor: RankAccessor, options: dict[str, Any]) -> None:
        check_options("using", options)
        self._accessor, self._options = accessor, options

    def using(self, **options: Any) -> Using:
        """Return the same with further roles and conventions set."""
        return Using(self._accessor, {**self._options, **options})

    def evaluate(
        self, measures: MeasureLike | Iterable[MeasureLike] | None = None, **options: Any
    ) -> Evaluation:
        """Evaluate; see `RankAccessor.evaluate`."""
        return self._accessor.evaluate(measures, **{**self._options, **options})

    def explain(
        self,
        query: Any = None,
        measures: MeasureLike | Iterable[MeasureLike] | None = None,
        *,
        system: Hashable | None = None,
        **options: Any,
    ) -> Explanation:
        """Show one ranking, rank by rank; see `RankAccessor.explain`."""
        return self.evaluate(measures, **options).explain(query, system=system)

    def __getattr__(self, name: str) -> Any:
        cls = REGISTRY.get(name.lower())
        if cls is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return measure_method(self, name, cls)

    def __dir__(self) -> Iterable[str]:
        return {*super().__dir__(), *method_names()}


def method_names() -> list[str]:
    """Return the measures' names as methods: in lower case, those that are identifiers."""
    return [name for name in REGISTRY if name.isidentifier()]


def measure_method(
    accessor: Any, name: str, cls: type[Measure], plain: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Return the method that evaluates one measure.

    Parameters
    ----------
    accessor
        Whose method ``evaluate`` does it.
    name : str
        The method's name.
    cls : type of Measure
    plain : callable, optional
        Makes an evaluation and ``mean=`` what the method returns; pandas' Series by default.
    """
    own = {field.name for field in cls.parameters()} | {"k"}
    means = name.lower() == cls.mean_name.lower()

    def method(k: int | None = None, **given: Any) -> Any:
        parameters = {key: value for key, value in given.items() if key in own}
        options = {key: value for key, value in given.items() if key not in own}
        check_options(name, options, own)
        measure = make(cls, parameters if k is None else {**parameters, "k": k})
        evaluation = accessor.evaluate(measure, **options)
        return (plain or _plain)(evaluation, mean=means)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = cls.__doc__
    method.__signature__ = _signature(cls)  # type: ignore[attr-defined,arg-type]
    return method


def check_options(name: str, options: Iterable[str], own: Iterable[str] = ()) -> None:
    """Raise for an option that nobody knows, naming the nearest and all."""
    for option in options:
        if option not in OPTION_NAMES:
            takes = f"It takes {', '.join(sorted(own))} and the options " if own else "Options are "
            raise MeasureError(
                f"{name}() has no parameter {option!r}. {takes}{', '.join(OPTION_NAMES)}."
                f"{did_you_mean(option, [*own, *OPTION_NAMES])}"
            )


def _plain(evaluation: Evaluation, *, mean: bool) -> Any:
    """Return one measure's values: a Series, with several systems a DataFrame; or its means."""
    several = evaluation.rankings.rows.several
    if not (mean or several):
        return evaluation.one_per_query()
    name = evaluation.names[0]
    if mean:
        means = evaluation.mean()
        return means[name] if several else float(means[name])
    return evaluation.per_query.xs(name, axis=1, level="measure")


@cache
def _signature(cls: type[Measure]) -> inspect.Signature:
    """Return the method's signature: the cutoff, the measure's parameters, then all options."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("k", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)]
    if not cls.cutoff:
        parameters = []
    own = [
        inspect.Parameter(field.name, keyword, default=field.default) for field in cls.parameters()
    ]
    names = {parameter.name for parameter in own}
    rest = [option for option in OPTIONS if option.name not in names]
    return inspect.Signature([*parameters, *own, *rest])


def _frame_and_keys(obj: Any, query: Any) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the frame behind a frame or a grouped frame, and what its keys say of the query.

    A key that is a query name is the query. When keys are something else and the frame has a
    query column, they are segments, and a query is named by both; when it has none, the keys
    are the query. `Evaluation.by` breaks down by segments.
    """
    if not isinstance(obj, DataFrameGroupBy):
        return obj, {}
    frame = obj.obj
    keys = obj.keys if obj.level is None else obj.level
    names = [_level(frame, obj, key) for key in (keys if isinstance(keys, list) else [keys])]
    if any(not isinstance(name, Hashable) or name not in _names(frame) for name in names):
        raise ColumnError(
            "Group by columns or named index levels, so that the query has a name: "
            "df.groupby('query').rank.ndcg(k=10)."
        )
    if query is not None:
        given = list(query) if isinstance(query, (list, tuple)) else [query]
    else:
        known = {name for standing in ROLE_NAMES["query"] for name in standing}
        given = [name for name in names if str(name).lower() in known]
        given = given or conventional("query", _names(frame)) or names
    roles = {"query": list(dict.fromkeys([*names, *given]))}
    segments = [name for name in names if name not in given]
    return frame, {**roles, "segment": segments} if segments else roles


def _level(frame: pd.DataFrame, grouped: Any, key: Any) -> Any:
    """Return the name of a key; that of an index level may be given by its number."""
    return frame.index.names[key] if grouped.level is not None and isinstance(key, int) else key


def _names(frame: pd.DataFrame) -> list[Hashable]:
    return [*frame.columns, *(name for name in frame.index.names if name is not None)]


def register() -> None:
    """Give DataFrame and DataFrameGroupBy the accessor. Doing it again changes nothing."""
    install(RankAccessor, pd.DataFrame, "rank")
    install(RankAccessor, DataFrameGroupBy, "rank")


def unregister() -> None:
    """Give pandas its own methods back."""
    uninstall(pd.DataFrame, "rank")
    uninstall(DataFrameGroupBy, "rank")
