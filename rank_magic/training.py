"""Measures inside the training loops of LightGBM and XGBoost."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rank_magic.conventions import Conventions
from rank_magic.errors import DataError, MeasureError
from rank_magic.evaluation import Evaluation
from rank_magic.measures import MeasureLike, parse_all
from rank_magic.rankings import Rankings
from rank_magic.shapes import from_arrays

__all__ = ["lightgbm_metric", "xgboost_metric"]

# Training and validation sets of the folds of a cross-validation, and some.
REMEMBERED = 16


def lightgbm_metric(
    measures: MeasureLike | Iterable[MeasureLike], **conventions: Any
) -> LightGBMMetric:
    """Return measures as a metric that LightGBM evaluates in every round.

    Parameters
    ----------
    measures : str, Measure or list of them
        Such as ``"nDCG@10"``. Several are worked out together.
    **conventions
        How ties and gaps are treated, see `Conventions`.

    Returns
    -------
    callable
        For ``lightgbm.train(..., feval=metric)`` and ``lightgbm.cv``, and for
        ``LGBMRanker.fit(..., eval_metric=metric)``. Every measure is named as it prints and is the
        higher, the better.

    Raises
    ------
    RankMagicError
        At once if a measure or a convention can't be; in training if there are no groups or a
        prediction is missing.

    See Also
    --------
    xgboost_metric : The same for XGBoost.

    Notes
    -----
    Values are `evaluate`'s, to the last bit: of all documents of a group, each query counting
    the same whatever the weights of its rows. LightGBM's own ``ndcg`` orders equal scores by
    where they stand, and gives a query without a relevant document 1. To stop early by this
    metric and not by LightGBM's own, set ``metric="None"`` in the parameters. Labels, which
    LightGBM holds in 32 bits, are the grades.

    Examples
    --------
    >>> import rank_magic as rm
    >>> metric = rm.lightgbm_metric(["nDCG@10", "ERR@10"], max_grade=4)
    >>> metric
    lightgbm_metric(['nDCG@10', 'ERR@10'], max_grade=4)

    In a script: ``lightgbm.train({"objective": "lambdarank", "metric": "None"}, train,
    valid_sets=[valid], feval=metric, callbacks=[lightgbm.early_stopping(20)])``. What it is given
    and what it returns:

    >>> metric([0, 2, 1, 0], [0.3, 0.9, 0.2, 0.8], None, [2, 2])
    [('nDCG@10', 0.8154648767857288, True), ('ERR@10', 0.109375, True)]
    """
    return LightGBMMetric(measures, conventions)


def xgboost_metric(
    measures: MeasureLike | Iterable[MeasureLike], **conventions: Any
) -> XGBoostMetric:
    """Return measures as a metric that XGBoost evaluates in every round.

    Parameters
    ----------
    measures : str, Measure or list of them
        Such as ``"nDCG@10"``. Several are worked out together.
    **conventions
        How ties and gaps are treated, see `Conventions`.

    Returns
    -------
    callable
        For ``xgboost.train(..., custom_metric=metric)`` and ``xgboost.cv``. For ``XGBRanker``
        it makes a callback: ``XGBRanker(callbacks=[metric.callback(valid, "valid")])``, where
        `valid` is a DMatrix.

    Raises
    ------
    RankMagicError
        At once if a measure or a convention can't be; in training if there are no groups or a
        prediction is missing.

    See Also
    --------
    lightgbm_metric : The same for LightGBM.

    Notes
    -----
    Values are `evaluate`'s, each query counting the same; XGBoost rounds them to six decimals.
    XGBoost takes a metric that it does not know for one that is better when lower, so that
    early stopping must be told:
    ``xgboost.callback.EarlyStopping(rounds=20, metric_name="nDCG@10", maximize=True)``.

    ``XGBRanker(eval_metric=metric)`` is refused: it calls a metric query by query, gives those
    of one document 1, and weights the others by their number of documents, so that its mean
    would not be `evaluate`'s.

    Examples
    --------
    >>> import rank_magic as rm
    >>> rm.xgboost_metric("nDCG@10", ties="worst")
    xgboost_metric(['nDCG@10'], ties='worst')
    """
    return XGBoostMetric(measures, conventions)


@dataclass(frozen=True)
class _Layout:
    """Judged groups, ready to be measured with any scores."""

    grade: NDArray[Any]
    sizes: NDArray[Any]
    rankings: Rankings

    def fits(self, grade: NDArray[Any], sizes: NDArray[Any]) -> bool:
        """Return whether these are the same groups and grades, looked at anew every time."""
        return np.array_equal(self.sizes, sizes) and np.array_equal(self.grade, grade)


class _Metric:
    """Means of measures over groups; what is known before the scores is worked out once."""

    name = ""

    def __init__(
        self, measures: MeasureLike | Iterable[MeasureLike], conventions: dict[str, Any]
    ) -> None:
        self.measures = parse_all(measures)
        self.conventions = Conventions(**conventions)
        self.__name__ = ",".join(self._names())
        self._layouts: list[_Layout] = []

    def __repr__(self) -> str:
        names = [str(measure) for measure in self.measures]
        chosen = "".join(f", {key}={value!r}" for key, value in self.conventions.changed().items())
        return f"{self.name}({names}{chosen})"

    def _names(self) -> list[str]:
        return [str(measure) for measure in self.measures]

    def _means(self, grade: Any, sizes: Any, score: Any) -> list[float]:
        """Return the mean of each measure."""
        scores = np.asarray(score, dtype=np.float64)
        layout = self._layout(np.asarray(grade), np.asarray(sizes))
        if scores.shape != layout.grade.shape:
            raise DataError(
                f"There are predictions of shape {scores.shape} for {len(layout.grade):,} labels. "
                f"One number for each row is needed; objectives with several classes have none."
            )
        missing = np.count_nonzero(np.isnan(scores))
        if missing:
            raise DataError(
                f"{missing:,} of {len(scores):,} predictions are NaN: training has diverged, and "
                f"there is no ranking to measure."
            )
        rows = replace(layout.rankings.rows, scores={"score": scores})
        evaluation = Evaluation.of(replace(layout.rankings, rows=rows), self.measures)
        return [float(value) for value in evaluation.mean()]

    def _layout(self, grade: NDArray[Any], sizes: NDArray[Any]) -> _Layout:
        """Return the groups of a data set, as they were laid out when it was first seen."""
        for place, known in enumerate(self._layouts):
            if known.fits(grade, sizes):
                self._layouts.append(self._layouts.pop(place))
                return known
        frame = from_arrays(grade, np.zeros(len(grade)), group=sizes)
        new = _Layout(grade.copy(), sizes.copy(), Rankings.of(frame, self.conventions))
        self._layouts = [*self._layouts[1 - REMEMBERED :], new]
        return new


class LightGBMMetric(_Metric):
    """Made by `lightgbm_metric`."""

    name = "lightgbm_metric"

    # LightGBM's wrapper for scikit-learn counts these parameters to know what to hand over.
    def __call__(
        self,
        predictions: Any,
        data: Any,
        weight: Any = None,  # noqa: ARG002
        group: Any = None,
    ) -> list[tuple[str, float, bool]]:
        """Return a name, a value and whether higher is better, for each measure.

        Parameters
        ----------
        predictions, data
            The scores and the Dataset, as ``lightgbm.train`` gives them; or the labels, the
            scores, weights and group sizes, as ``LGBMRanker`` does.
        """
        if hasattr(data, "get_label"):
            grade, score, sizes = data.get_label(), predictions, data.get_group()
        else:
            grade, score, sizes = predictions, data, group
        if sizes is None:
            raise DataError(
                "The data has no groups, so nobody knows whose a row is. Give them: "
                "lightgbm.Dataset(..., group=[...]), or fit(..., eval_group=[[...]])."
            )
        means = self._means(grade, sizes, score)
        return [(name, mean, True) for name, mean in zip(self._names(), means, strict=True)]


class XGBoostMetric(_Metric):
    """Made by `xgboost_metric`."""

    name = "xgboost_metric"

    def _names(self) -> list[str]:
        # XGBoost writes results as text and reads them back: by blanks, then by colons.
        return [name.replace(" ", "").replace(":", "=") for name in super()._names()]

    def __call__(self, predictions: Any, data: Any) -> list[tuple[str, float]]:
        """Return a name and a value for each measure.

        Parameters
        ----------
        predictions : array of shape (rows,)
            The scores.
        data : DMatrix
            With labels and groups.
        """
        if not hasattr(data, "get_label"):
            raise MeasureError(
                "XGBRanker calls a metric query by query and weights their values, which would "
                "not give rank_magic's means. Train with xgboost.train(..., custom_metric=metric), "
                "or with XGBRanker(callbacks=[metric.callback(dmatrix, 'valid')])."
            )
        sizes = np.diff(data.get_uint_info("group_ptr"))
        if not len(sizes):
            raise DataError(
                "The DMatrix has no groups, so nobody knows whose a row is. Give them: "
                "xgboost.DMatrix(..., qid=[...]) or .set_group([...])."
            )
        means = self._means(data.get_label(), sizes, predictions)
        return list(zip(self._names(), means, strict=True))

    def callback(self, data: Any, name: Hashable = "valid") -> Any:
        """Return a callback that puts the measures into the log of every round.

        Parameters
        ----------
        data : DMatrix
            With labels and groups.
        name : str
            What the data is called in the log. Callbacks that stop early by it come after this
            one.
        """
        from xgboost.callback import TrainingCallback

        metric = self

        class Measured(TrainingCallback):
            def after_iteration(self, model: Any, epoch: int, evals_log: Any) -> bool:  # noqa: ARG002
                log = evals_log.setdefault(name, {})
                for measure, mean in metric(model.predict(data), data):
                    log.setdefault(measure, []).append(mean)
                return False

        return Measured()
