from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler

from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.learning_curve import learning_curve, smaller_folds
from pytest_benchcheck.checks.readout import Condition, cross_validate, fit_folds
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.spread import spread


def data(n: int = 400):
    rng = np.random.default_rng(0)
    causes = rng.standard_normal((n, 2))
    y = causes.sum(axis=1) + 0.3 * rng.standard_normal(n)
    return {
        "raw_pixels": causes,
        # The same causes among many distractors: equal with enough rows, worse with few.
        "model": np.hstack([causes, rng.standard_normal((n, 60))]),
    }, y


def curve_of(features, y, groups=None, seed=0):
    problem, _ = make_problem(y, groups=groups, seed=seed)
    conditions = {name: Condition({"x": Block(x)}) for name, x in features.items()}
    smaller = smaller_folds(problem, seed)
    folds = [*problem.folds, *(fold for part in smaller for fold in part)]
    return learning_curve(smaller, fit_folds(conditions, problem, folds), problem), problem


def test_points_are_at_a_quarter_half_and_all_of_the_training_rows():
    features, y = data()
    points, problem = curve_of(features, y)
    assert [point.training_rows for point in points] == [80, 160, 320]
    conditions = {name: Condition({"x": Block(x)}) for name, x in features.items()}
    scores = cross_validate(conditions, problem)
    assert points[-1].scores["model"] == pytest.approx(scores["model"].fold_scores[:5].mean())


def test_a_point_is_a_plain_pipeline_fitted_on_that_many_rows():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4000, 2))
    y = x[:, 0] + 0.5 * rng.standard_normal(4000)
    points, problem = curve_of({"raw_pixels": x, "other": -x}, y)
    fold = problem.folds[0]
    train = fold.train[:800]
    scaler = StandardScaler().fit(x[train])
    model = RidgeCV(np.logspace(-3, 5, 17)).fit(scaler.transform(x[train]), y[train])
    expected = r2_score(y[fold.test], model.predict(scaler.transform(x[fold.test])))
    assert points[0].scores["raw_pixels"] == pytest.approx(expected, abs=0.03)


def test_whole_groups_are_left_out():
    features, y = data()
    groups = np.arange(400) // 2
    points, _ = curve_of(features, y, groups)
    assert [point.training_rows for point in points] == [80, 160, 320]
    assert curve_of(features, y, np.arange(400) // 8)[0] == []


def test_the_subsets_follow_the_seed_alone():
    features, y = data()
    assert curve_of(features, y)[0] == curve_of(features, y)[0]
    assert curve_of(features, y)[0] != curve_of(features, y, seed=1)[0]


def test_a_class_that_a_quarter_lacks_leaves_no_curve():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 2))
    labels = np.where(np.arange(200) % 33 == 0, "rare", "common")
    assert curve_of({"raw_pixels": x, "other": -x}, labels)[0] == []


def test_a_spread_that_ranks_sample_efficiency_says_so():
    features, y = data(240)
    result = spread(features, y, bar=0.005)
    rows = [point["training_rows"] for point in result.by_training_rows]
    spreads = [point["spread"] for point in result.by_training_rows]
    assert rows == [48, 96, 192]
    assert spreads == sorted(spreads, reverse=True)
    assert any("the spread falls as training rows are added" in f for f in result.findings)
    assert all(set(point["scores"]) == set(features) for point in result.by_training_rows)
