"""Measures in the training loops of LightGBM and XGBoost are what evaluate says of the model."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import rank_magic as rm
from rank_magic import training
from rank_magic.errors import ConventionError, DataError, MeasureError
from rank_magic.measures import nDCG

DATA = Path(__file__).parent / "data" / "lightgbm_lambdarank"
MEASURES = ["nDCG@5", "ERR(max_grade=4)@10", "AP(rel=2)", "P@3"]
# Two threads at most: others may be at work on this machine.
LIGHTGBM = {
    "objective": "lambdarank",
    "metric": "None",
    "verbosity": -1,
    "num_threads": 1,
    "seed": 1,
}
LIGHTGBM |= {"min_data_in_leaf": 5, "learning_rate": 0.1, "deterministic": True}
XGBOOST = {"objective": "rank:ndcg", "disable_default_eval_metric": True, "nthread": 1, "eta": 0.3}


class Part(NamedTuple):
    """Some queries with features."""

    features: Any
    grade: np.ndarray
    sizes: np.ndarray

    @property
    def qid(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


@pytest.fixture(scope="module")
def parts() -> tuple[Part, Part]:
    """35 queries to learn from and 15 to validate with; one of those has a single document."""
    datasets = pytest.importorskip("sklearn.datasets")
    features, grade = datasets.load_svmlight_file(str(DATA / "rank.test.gz"))
    sizes = np.loadtxt(DATA / "rank.test.query", dtype=np.int64)
    features, cut = features.toarray(), int(sizes[:35].sum())
    assert len(grade) == sizes.sum() == 768
    valid = Part(features[cut:], grade[cut:], np.concatenate([[1, sizes[35] - 1], sizes[36:]]))
    return Part(features[:cut], grade[:cut], sizes[:35]), valid


def means(part: Part, score: Any, measures: Any = MEASURES, **options: Any) -> dict[str, float]:
    frame = rm.from_arrays(part.grade, np.asarray(score, dtype=float), group=part.sizes)
    return dict(rm.evaluate(frame, measures, **options).mean())


# LightGBM.


def lightgbm_sets(lightgbm: Any, parts: tuple[Part, Part]) -> tuple[Any, Any]:
    learn, valid = parts
    first = lightgbm.Dataset(learn.features, learn.grade, group=learn.sizes, free_raw_data=False)
    second = lightgbm.Dataset(valid.features, valid.grade, group=valid.sizes, reference=first)
    return first, second


@pytest.mark.oracle
def test_lightgbm_logs_what_evaluate_finds_in_every_round(parts: tuple[Part, Part]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    learn, valid = lightgbm_sets(lightgbm, parts)
    log: dict[str, dict[str, list[float]]] = {}
    metric = rm.lightgbm_metric(MEASURES)
    model = lightgbm.train(
        LIGHTGBM, learn, 8, valid_sets=[learn, valid], valid_names=["learn", "valid"], feval=metric,
        callbacks=[lightgbm.record_evaluation(log)],
    )  # fmt: skip
    for name, part in zip(("learn", "valid"), parts, strict=True):
        assert list(log[name]) == MEASURES
        for round_ in range(8):
            score = model.predict(part.features, num_iteration=round_ + 1)
            right = means(part, score)
            assert {key: values[round_] for key, values in log[name].items()} == pytest.approx(
                right, rel=1e-12
            )
    assert len({round(value, 6) for value in log["valid"]["nDCG@5"]}) > 2


@pytest.mark.oracle
def test_lightgbms_own_ndcg_is_ours_where_conventions_agree(parts: tuple[Part, Part]) -> None:
    """Equal scores in row order, and queries with nothing to find count 1."""
    lightgbm = pytest.importorskip("lightgbm")
    learn, valid = lightgbm_sets(lightgbm, parts)
    log: dict[str, dict[str, list[float]]] = {}
    metric = rm.lightgbm_metric("nDCG@5", ties="order", no_relevant="one")
    lightgbm.train(
        {**LIGHTGBM, "metric": "ndcg", "eval_at": [5]}, learn, 8, valid_sets=[valid], feval=metric,
        valid_names=["valid"], callbacks=[lightgbm.record_evaluation(log)],
    )  # fmt: skip
    assert log["valid"]["nDCG@5"] == pytest.approx(log["valid"]["ndcg@5"], rel=1e-9)


# Its successors, eval_X and eval_y, are newer than the floor.
@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
@pytest.mark.oracle
def test_lgbm_ranker_takes_the_same_metric(parts: tuple[Part, Part]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    learn, valid = parts
    model = lightgbm.LGBMRanker(
        n_estimators=5, min_child_samples=5, n_jobs=1, verbosity=-1, metric="None"
    )
    model.fit(
        learn.features, learn.grade, group=learn.sizes, eval_set=[(valid.features, valid.grade)],
        eval_group=[valid.sizes], eval_metric=rm.lightgbm_metric(MEASURES),
    )  # fmt: skip
    (log,) = model.evals_result_.values()
    assert {key: values[-1] for key, values in log.items()} == pytest.approx(
        means(valid, model.predict(valid.features)), rel=1e-12
    )


@pytest.mark.oracle
def test_lightgbm_stops_early_at_the_best_round(parts: tuple[Part, Part]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    learn, valid = lightgbm_sets(lightgbm, parts)
    log: dict[str, dict[str, list[float]]] = {}
    model = lightgbm.train(
        LIGHTGBM, learn, 60, valid_sets=[valid], feval=rm.lightgbm_metric("nDCG@5"), valid_names=["valid"],
        callbacks=[lightgbm.early_stopping(3, verbose=False), lightgbm.record_evaluation(log)],
    )  # fmt: skip
    values = log["valid"]["nDCG@5"]
    assert len(values) < 60
    assert model.best_iteration == 1 + int(np.argmax(values))


@pytest.mark.oracle
def test_lightgbm_cross_validates_by_it(parts: tuple[Part, Part]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    learn, _ = lightgbm_sets(lightgbm, parts)
    folds = lightgbm.cv(
        LIGHTGBM, learn, 3, nfold=3, stratified=False, feval=rm.lightgbm_metric("nDCG@5")
    )
    assert len(folds["valid nDCG@5-mean"]) == 3
    assert all(0 < value <= 1 for value in folds["valid nDCG@5-mean"])


def test_lightgbm_asks_a_metric_for_groups_by_its_number_of_parameters() -> None:
    assert len(inspect.signature(rm.lightgbm_metric("RR")).parameters) == 4


def test_lightgbm_data_without_groups_are_refused(parts: tuple[Part, Part]) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    learn, _ = parts
    data = lightgbm.Dataset(learn.features, learn.grade)
    with pytest.raises(DataError, match="The data has no groups"):
        lightgbm.train(
            {**LIGHTGBM, "objective": "regression"}, data, 1, valid_sets=[data], feval=rm.lightgbm_metric("RR")
        )  # fmt: skip


# XGBoost.


@pytest.mark.oracle
def test_xgboost_logs_what_evaluate_finds_in_every_round(parts: tuple[Part, Part]) -> None:
    xgboost = pytest.importorskip("xgboost")
    learn, valid = (xgboost.DMatrix(part.features, part.grade, qid=part.qid) for part in parts)
    log: dict[str, dict[str, list[float]]] = {}
    model = xgboost.train(
        XGBOOST, learn, 6, evals=[(learn, "learn"), (valid, "valid")], evals_result=log,
        custom_metric=rm.xgboost_metric(MEASURES), verbose_eval=False,
    )  # fmt: skip
    for name, part, data in zip(("learn", "valid"), parts, (learn, valid), strict=True):
        for round_ in range(6):
            right = means(part, model.predict(data, iteration_range=(0, round_ + 1)))
            found = {key: values[round_] for key, values in log[name].items()}
            # It writes six decimals.
            assert found == pytest.approx(right, abs=5.1e-7)
    assert len(set(log["valid"]["nDCG@5"])) > 2


@pytest.mark.oracle
def test_xgboost_reads_back_every_measures_name(parts: tuple[Part, Part]) -> None:
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(parts[1].features, parts[1].grade, qid=parts[1].qid)
    measures = [
        "AP(denominator=min, rel=2)@5", "nDCG(discount=log2, gain=linear)@5", "trec.ndcg",
        rm.measure(lambda block, k=None: block.expected(block.scale.judged, 1), name="my_own-measure"),
    ]  # fmt: skip
    measures.append(nDCG(gain={0: 0, 1: 1, 2: 3, 3: 7, 4: 15}, k=5))
    log: dict[str, dict[str, list[float]]] = {}
    xgboost.train(
        XGBOOST, data, 1, evals=[(data, "valid")], evals_result=log, verbose_eval=False,
        custom_metric=rm.xgboost_metric(measures),
    )  # fmt: skip
    assert len(log["valid"]) == len(measures)
    assert "nDCG(gain={0=0,1=1,2=3,3=7,4=15})@5" in log["valid"]


@pytest.mark.oracle
def test_xgboost_stops_early_when_told_that_higher_is_better(parts: tuple[Part, Part]) -> None:
    xgboost = pytest.importorskip("xgboost")
    learn, valid = (xgboost.DMatrix(part.features, part.grade, qid=part.qid) for part in parts)
    log: dict[str, dict[str, list[float]]] = {}
    stop = xgboost.callback.EarlyStopping(
        rounds=3, metric_name="nDCG@5", data_name="valid", maximize=True
    )
    model = xgboost.train(
        XGBOOST, learn, 60, evals=[(valid, "valid")], evals_result=log, verbose_eval=False,
        custom_metric=rm.xgboost_metric("nDCG@5"), callbacks=[stop],
    )  # fmt: skip
    values = log["valid"]["nDCG@5"]
    assert len(values) < 60
    assert model.best_iteration == int(np.argmax(values))


@pytest.mark.oracle
def test_xgb_ranker_takes_a_callback(parts: tuple[Part, Part]) -> None:
    xgboost = pytest.importorskip("xgboost")
    learn, valid = parts
    data = xgboost.DMatrix(valid.features, valid.grade, qid=valid.qid)
    metric = rm.xgboost_metric(MEASURES)
    stop = xgboost.callback.EarlyStopping(
        rounds=3, metric_name="nDCG@5", data_name="held", maximize=True
    )
    model = xgboost.XGBRanker(
        n_estimators=40, n_jobs=1, callbacks=[metric.callback(data, "held"), stop]
    )
    model.fit(
        learn.features, learn.grade, qid=learn.qid, verbose=False,
        eval_set=[(valid.features, valid.grade)], eval_qid=[valid.qid],
    )  # fmt: skip
    log = model.evals_result()["held"]
    assert list(log) == [name.replace(" ", "") for name in MEASURES]
    for round_ in range(len(log["nDCG@5"])):
        score = model.get_booster().predict(data, iteration_range=(0, round_ + 1))
        assert {key: values[round_] for key, values in log.items()} == pytest.approx(
            means(valid, score), rel=1e-12
        )
    assert model.best_iteration == int(np.argmax(log["nDCG@5"]))


@pytest.mark.oracle
def test_xgb_rankers_own_way_would_give_another_mean_and_is_refused(
    parts: tuple[Part, Part],
) -> None:
    xgboost = pytest.importorskip("xgboost")
    learn, valid = parts
    fit: dict[str, Any] = {"qid": learn.qid, "verbose": False, "eval_qid": [valid.qid]}
    fit["eval_set"] = [(valid.features, valid.grade)]

    def ndcg(grade: np.ndarray, score: np.ndarray) -> float:
        frame = pd.DataFrame({"query": 0, "grade": grade, "score": score})
        return rm.evaluate(frame, "nDCG@5").mean().item()

    plain = xgboost.XGBRanker(n_estimators=1, n_jobs=1, eval_metric=ndcg)
    plain.fit(learn.features, learn.grade, **fit)
    theirs = plain.evals_result()["validation_0"]["ndcg"][-1]
    data = xgboost.DMatrix(valid.features, valid.grade, qid=valid.qid)
    assert abs(theirs - means(valid, plain.get_booster().predict(data))["nDCG@5"]) > 1e-3
    wrong = xgboost.XGBRanker(n_estimators=1, n_jobs=1, eval_metric=rm.xgboost_metric("nDCG@5"))
    with pytest.raises(MeasureError, match="calls a metric query by query"):
        wrong.fit(learn.features, learn.grade, **fit)


@pytest.mark.oracle
def test_xgboost_data_without_groups_are_refused(parts: tuple[Part, Part]) -> None:
    xgboost = pytest.importorskip("xgboost")
    data = xgboost.DMatrix(parts[0].features, parts[0].grade)
    with pytest.raises(DataError, match="The DMatrix has no groups"):
        xgboost.train(
            {**XGBOOST, "objective": "reg:squarederror"}, data, 1, evals=[(data, "learn")],
            custom_metric=rm.xgboost_metric("RR"), verbose_eval=False,
        )  # fmt: skip


# The metric itself.


def call(metric: Any, part: Part, score: Any) -> dict[str, float]:
    return {name: value for name, value, _ in metric(part.grade, score, None, part.sizes)}


@pytest.fixture(scope="module")
def made_up() -> Part:
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 30, 40)
    return Part(None, rng.integers(0, 5, sizes.sum()).astype(np.float32), sizes)


@pytest.mark.parametrize(
    "options", [{}, {"ties": "worst"}, {"no_relevant": "skip"}, {"gain": "linear"}]
)
def test_values_are_evaluates_to_the_last_bit(made_up: Part, options: dict[str, Any]) -> None:
    metric = rm.lightgbm_metric(MEASURES, **options)
    rng = np.random.default_rng(4)
    for _ in range(3):
        score = rng.normal(size=len(made_up.grade)).round(1)
        assert call(metric, made_up, score) == means(made_up, score, **options)


def test_groups_are_laid_out_once_for_each_data_set(
    made_up: Part, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out = []
    plain = training.from_arrays
    monkeypatch.setattr(
        training, "from_arrays", lambda *a, **k: laid_out.append(1) or plain(*a, **k)
    )
    metric = rm.lightgbm_metric("nDCG@5")
    other = made_up._replace(grade=made_up.grade[::-1].copy())
    score = np.arange(len(made_up.grade), dtype=float)
    for _ in range(5):
        # XGBoost hands over new arrays every time.
        copy = made_up._replace(grade=made_up.grade.copy(), sizes=made_up.sizes.copy())
        assert call(metric, copy, score) == means(made_up, score, "nDCG@5")
        assert call(metric, other, score) == means(other, score, "nDCG@5")
    assert len(laid_out) == 2


def test_labels_changed_in_place_are_other_labels(made_up: Part) -> None:
    metric, grade = rm.lightgbm_metric("nDCG@5"), made_up.grade.copy()
    score = np.arange(len(grade), dtype=float)
    before = call(metric, made_up._replace(grade=grade), score)
    grade[:] = grade[::-1].copy()
    changed = made_up._replace(grade=grade)
    assert call(metric, changed, score) == means(changed, score, "nDCG@5") != before


def test_more_data_sets_than_are_remembered_are_still_right(made_up: Part) -> None:
    metric = rm.lightgbm_metric("nDCG@5")
    score = np.arange(len(made_up.grade), dtype=float)
    for _ in range(2):
        for shift in range(training.REMEMBERED + 3):
            part = made_up._replace(grade=np.roll(made_up.grade, shift))
            assert call(metric, part, score) == means(part, score, "nDCG@5")
    assert len(metric._layouts) == training.REMEMBERED


def test_predictions_that_can_not_be_ranked_are_refused(made_up: Part) -> None:
    metric, rows = rm.lightgbm_metric("RR"), len(made_up.grade)
    with pytest.raises(DataError, match=f"2 of {rows} predictions are NaN"):
        call(metric, made_up, np.r_[np.nan, np.nan, np.zeros(rows - 2)])
    with pytest.raises(DataError, match=rf"shape \({rows}, 3\) for {rows} labels"):
        call(metric, made_up, np.zeros((rows, 3)))


def test_what_can_not_be_is_refused_before_training() -> None:
    with pytest.raises(MeasureError, match="Did you mean"):
        rm.lightgbm_metric("ndgc@10")
    with pytest.raises(ConventionError):
        rm.xgboost_metric("nDCG", ties="any")


@pytest.mark.slow
def test_a_round_costs_about_what_sorting_does() -> None:
    """A million rows in queries of 100: the layout is not paid for again."""
    from time import perf_counter

    rng = np.random.default_rng(0)
    grade = rng.integers(0, 5, 1_000_000).astype(np.float32)
    sizes, score = np.full(10_000, 100), rng.normal(size=1_000_000)
    metric = rm.lightgbm_metric("nDCG@10")
    metric(grade, score, None, sizes)

    def best(function: Any) -> float:
        times = []
        for _ in range(5):
            start = perf_counter()
            function()
            times.append(perf_counter() - start)
        return min(times)

    assert best(lambda: metric(grade, score, None, sizes)) < 1.5 * best(lambda: np.argsort(score))
