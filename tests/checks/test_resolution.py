from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pytest_benchcheck.checks.inference import student_quantile, tukey_quantile
from pytest_benchcheck.checks.resolution import resolution
from pytest_benchcheck.checks.spread import spread


def episodes(n: int, seed: int = 0):
    """Speed explains half of the target; the rest is the state's."""
    rng = np.random.default_rng(seed)
    speed, state = rng.standard_normal((2, n))
    return speed[:, None], state[:, None], speed + state + 0.3 * rng.standard_normal(n)


def test_the_planned_half_width_is_that_of_representations_that_err_independently():
    speed, _state, y = episodes(2000)
    found = resolution(y[:200], covariates=speed[:200], episodes=2000)
    planned = found.half_width("covariates alone", representations=2, confidence=0.95)
    # Two representations, each blind to half of the target of its own: what they miss is
    # independent, and as much as what the covariates miss.
    rng = np.random.default_rng(1)
    first, second = rng.standard_normal((2, 2000))
    target = first + second
    result = spread({"raw_pixels": first[:, None], "model": second[:, None]}, target)
    assert result.minimum_detectable == pytest.approx(planned, rel=0.25)


def test_standard_errors_shrink_with_the_square_root_of_the_episodes():
    speed, state, y = episodes(200)
    references = {"state": np.hstack([speed, state])}
    few, many = (
        resolution(y, covariates=speed, references=references, episodes=n) for n in (500, 2000)
    )
    for name in ("covariates alone", "state"):
        assert few.standard_errors[name] == pytest.approx(2 * many.standard_errors[name])
    assert few.standard_errors["state"] < 0.3 * few.standard_errors["covariates alone"]
    assert few.scores["state"] > 0.9 > few.scores["covariates alone"]


def test_the_standard_error_is_that_of_a_mean_of_independent_losses():
    speed, _, y = episodes(400)
    found = resolution(y, covariates=speed, episodes=400)
    residual = stats.linregress(speed[:, 0], y)
    loss = (y - residual.intercept - residual.slope * speed[:, 0]) ** 2
    expected = np.sqrt(2 * 400) * loss.std(ddof=1) / np.sum((y - y.mean()) ** 2)
    assert found.standard_errors["covariates alone"] == pytest.approx(expected, rel=0.03)


def test_quantiles_are_those_that_the_checks_use():
    speed, _, y = episodes(200)
    found = resolution(y, covariates=speed, episodes=200)
    error = found.standard_errors["covariates alone"]
    assert found.half_width("covariates alone", representations=4, confidence=0.9) == pytest.approx(
        tukey_quantile(0.9, 4, 199) * error
    )
    assert found.half_width_of_one(
        "covariates alone", comparisons=3, confidence=0.9
    ) == pytest.approx(student_quantile(0.9, 199, 3) * error)


def test_rows_of_one_group_count_once():
    speed, _, y = episodes(50)
    repeated = resolution(
        np.repeat(y, 4),
        covariates=np.repeat(speed, 4, axis=0),
        groups=np.arange(200) // 4,
        episodes=200,
    )
    alone = resolution(y, covariates=speed, episodes=50)
    assert repeated.groups == alone.groups == 50
    assert repeated.standard_errors["covariates alone"] == pytest.approx(
        alone.standard_errors["covariates alone"], rel=0.05
    )


def test_classes_are_planned_as_accuracies():
    speed, _state, y = episodes(200)
    found = resolution(y > 0, covariates=speed, episodes=400)
    assert found.metric == "accuracy"
    assert 0.6 < found.scores["covariates alone"] < 0.9


def test_a_probe_of_few_groups_plans_nothing():
    speed, _, y = episodes(45)
    assert resolution(y, covariates=speed, groups=np.arange(45) // 5, episodes=2000) is None
