"""``df.rank`` on the frames of other libraries, given when such a library is there.

A library that is imported later gets its namespace then; importing rank_magic imports none.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from rank_magic.accessor import check_options, measure_method, method_names
from rank_magic.engines import evaluate_elsewhere
from rank_magic.measures import REGISTRY, MeasureLike

__all__ = ["Namespace", "register"]


class Namespace:
    """What ``df.rank`` is on a frame of Polars or Dask: every measure is a method.

    ``df.rank.ndcg(k=10)``, ``df.rank.err(max_grade=4)``. Names that mean a mean over queries
    (``mrr``, ``map``) give a number, which is lazy in Dask.
    """

    def __init__(self, frame: Any, **options: Any) -> None:
        check_options("using", options)
        self._frame, self._options = frame, options

    def evaluate(
        self, measures: MeasureLike | Iterable[MeasureLike] | None = None, **options: Any
    ) -> Any:
        """Evaluate the rankings in this frame; see `rank_magic.evaluate`.

        Parameters
        ----------
        measures : str, Measure or list of them, optional
            By default nDCG@10, ERR@10, RR and AP.
        **options
            Roles and conventions, as in `rank_magic.evaluate`.
        """
        check_options("evaluate", options)
        return evaluate_elsewhere(self._frame, measures, **{**self._options, **options})

    def using(self, **options: Any) -> Namespace:
        """Return the same with roles and conventions set, for several calls."""
        return Namespace(self._frame, **{**self._options, **options})

    def __getattr__(self, name: str) -> Any:
        cls = REGISTRY.get(name.lower())
        if cls is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return measure_method(self, name, cls, lambda found, mean: found.only(mean=mean))

    def __dir__(self) -> Iterable[str]:
        return {*super().__dir__(), *method_names()}


def _polars(polars: ModuleType) -> None:
    polars.api.register_dataframe_namespace("rank")(Namespace)
    polars.api.register_lazyframe_namespace("rank")(Namespace)


def _dask(dataframe: ModuleType) -> None:
    dataframe.extensions.register_dataframe_accessor("rank")(Namespace)


# What gives each library's frames their namespace, by the module after which it can be done.
REGISTRIES: dict[str, Callable[[ModuleType], None]] = {
    "polars": _polars,
    "dask.dataframe": _dask,
}


def register() -> None:
    """Give frames of the libraries that are imported their namespace, and the others later."""
    for name, give in REGISTRIES.items():
        if name in sys.modules and not hasattr(sys.modules[name].DataFrame, "rank"):
            give(sys.modules[name])
    if not any(isinstance(finder, _Arrivals) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Arrivals())


class _Arrivals:
    """A finder of modules that finds nothing itself, but follows the arrival of those libraries."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        give = REGISTRIES.get(name)
        if give is None:
            return None
        spec = next(
            (
                found
                for finder in sys.meta_path
                if finder is not self and hasattr(finder, "find_spec")
                if (found := finder.find_spec(name, path, target)) is not None
            ),
            None,
        )
        if spec is not None and spec.loader is not None:
            loader, run = spec.loader, spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                del loader.exec_module  # the library's own again
                run(module)
                give(module)

            loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
