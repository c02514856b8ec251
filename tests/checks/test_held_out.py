"""Held-out predictions are those of the readout that is scored, at any covariates."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import r2_score

from pytest_benchcheck.checks import InputError, spread
from pytest_benchcheck.checks.held_out import held_out_predictions
from pytest_benchcheck.checks.inputs import make_problem


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    evidence = rng.standard_normal((120, 6))
    speed = rng.uniform(0.4, 0.85, (120, 1))
    target = evidence[:, 0] + 3 * speed[:, 0] + 0.1 * rng.standard_normal(120)
    return {"clip": evidence @ rng.standard_normal((6, 40))}, target, speed


def test_their_r2_is_the_score_of_the_spread(data):
    blocks, target, speed = data
    found = held_out_predictions(blocks, target, covariates=speed, repeats=2)
    problem, _ = make_problem(target, covariates=speed, repeats=2)
    scores = [
        r2_score(target[fold.test], found[fold.repeat, fold.test, 0]) for fold in problem.folds
    ]
    other = {"clip": np.random.default_rng(0).standard_normal((120, 40))}
    result = spread({"a": blocks, "b": other}, target, covariates=speed, repeats=2)
    (row,) = (row for row in result.rows if row["representation"] == "a")
    assert row["r2"] == pytest.approx(np.mean(scores), abs=1e-10)


def test_other_covariates_are_what_the_readout_would_say_of_such_a_row(data):
    blocks, target, speed = data
    own = held_out_predictions(blocks, target, covariates=speed, repeats=1)
    grid = np.linspace(0.4, 0.85, 7)[:, None]
    asked = held_out_predictions(blocks, target, covariates=speed, at=grid, repeats=1)
    assert asked.shape == (1, 120, 7)
    # Linear in the covariate, through the row's own prediction.
    slopes = np.diff(asked[0], axis=1) / np.diff(grid[:, 0])
    np.testing.assert_allclose(slopes, slopes[:, :1] * np.ones((1, 6)), rtol=1e-8)
    at_own = asked[0, :, 0] + slopes[:, 0] * (speed[:, 0] - grid[0, 0])
    np.testing.assert_allclose(at_own, own[0, :, 0], rtol=1e-9)


def test_no_block_is_the_covariates_alone(data):
    _, target, speed = data
    found = held_out_predictions({}, target, covariates=speed, at=speed[:3], repeats=1)
    # Three speeds, one line a fold: every held-out row of a fold is told the same.
    assert found.shape == (1, 120, 3)
    assert len(np.unique(found[0, :, 0])) == 5


def test_every_row_is_predicted_by_a_fit_that_did_not_see_it(data):
    blocks, target, speed = data
    changed = target.copy()
    changed[7] += 100
    before, after = (
        held_out_predictions(blocks, y, covariates=speed, repeats=1)[0, :, 0]
        for y in (target, changed)
    )
    assert after[7] == pytest.approx(before[7])
    assert np.abs(after - before).max() > 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"at": np.zeros((3, 2))}, r"at must have shape \(m, 1\)"),
        ({"at": np.zeros((0, 1))}, r"at must have shape \(m, 1\)"),
        ({"at": np.full((2, 1), np.nan)}, "not finite"),
    ],
)
def test_what_is_asked_for_must_be_covariates(data, options, message):
    blocks, target, speed = data
    with pytest.raises(InputError, match=message):
        held_out_predictions(blocks, target, covariates=speed, **options)


def test_classes_and_other_numbers_of_rows_are_refused(data):
    blocks, target, speed = data
    with pytest.raises(InputError, match="continuous target"):
        held_out_predictions(blocks, target > 0, covariates=speed)
    with pytest.raises(InputError, match="block 'clip' has 100 rows, the target has 120"):
        held_out_predictions({"clip": blocks["clip"][:100]}, target, covariates=speed)
