from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GroupKFold

from pytest_benchcheck.checks.ridge import PENALTIES, fit_ridge


def planted(n: int = 40, p: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, p))
    return x, x @ rng.standard_normal(p) + 2 * rng.standard_normal(n) + 5


def rows_left_out(x: np.ndarray, y: np.ndarray, penalty: float) -> np.ndarray:
    errors = np.empty(y.size)
    for i in range(y.size):
        rest = np.arange(y.size) != i
        model = Ridge(alpha=penalty, solver="svd").fit(x[rest], y[rest])
        errors[i] = y[i] - model.predict(x[i : i + 1])[0]
    return errors


def test_the_penalties_are_the_papers():
    assert np.array_equal(PENALTIES, np.logspace(-3, 5, 17))


@pytest.mark.parametrize(("n", "p"), [(40, 6), (12, 30), (15, 14)])
def test_the_penalty_is_that_of_leave_one_out_by_brute_force(n, p):
    x, y = planted(n, p)
    losses = [np.mean(rows_left_out(x, y, penalty) ** 2) for penalty in PENALTIES]
    fit = fit_ridge(x, y, np.arange(n))
    best = int(np.argmin(losses))
    assert fit.penalty == PENALTIES[best]
    assert fit.validation_r2 == pytest.approx(1 - losses[best] / np.var(y), abs=1e-9)


@settings(deadline=None, max_examples=40)
@given(
    n=st.integers(5, 40),
    p=st.integers(1, 50),
    seed=st.integers(0, 10_000),
    penalty=st.sampled_from(PENALTIES.tolist()),
)
def test_coefficients_solve_the_penalised_normal_equations(n, p, seed, penalty):
    x, y = planted(n, p, seed)
    fit = fit_ridge(x, y, np.arange(n), np.array([penalty]))
    model = Ridge(alpha=penalty, solver="svd").fit(x, y)
    assert fit.penalty == penalty
    assert np.allclose(fit.coefficients, model.coef_, atol=1e-7 * (1 + abs(model.coef_).max()))
    assert np.allclose(fit.predict(x), model.predict(x), atol=1e-7)


@pytest.mark.parametrize("sizes", [[4] * 10, [1, 2, 3, 4, 5, 6, 7], [20, 20], [39, 1]])
def test_groups_of_several_rows_are_left_out_whole(sizes):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    x, y = planted(groups.size, 6)
    x, y = x + groups[:, None], y + 3 * groups
    splits = list(GroupKFold(min(5, len(sizes))).split(x, y, groups))
    losses = []
    for penalty in PENALTIES:
        errors = np.empty(y.size)
        for train, test in splits:
            model = Ridge(alpha=penalty, solver="svd").fit(x[train], y[train])
            errors[test] = y[test] - model.predict(x[test])
        losses.append(np.mean(errors**2))
    fit = fit_ridge(x, y, groups)
    assert fit.penalty == PENALTIES[int(np.argmin(losses))]
    assert fit.validation_r2 == pytest.approx(1 - min(losses) / np.var(y), abs=1e-9)


def test_a_single_group_falls_back_to_its_rows():
    x, y = planted()
    one, own = fit_ridge(x, y, np.zeros(40, dtype=int)), fit_ridge(x, y, np.arange(40))
    assert one.penalty == own.penalty
    assert np.array_equal(one.coefficients, own.coefficients)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_rotation_translation_and_duplicate_constants_change_no_prediction(seed):
    x, y = planted(30, 5, seed)
    rotation = np.linalg.qr(np.random.default_rng(seed).standard_normal((5, 5)))[0]
    fit = fit_ridge(x, y, np.arange(30))
    for other in (x @ rotation, x + 100.0, np.hstack([x, np.full((30, 2), 0.1)])):
        changed = fit_ridge(other, y, np.arange(30))
        assert changed.penalty == fit.penalty
        assert np.allclose(changed.predict(other), fit.predict(x), atol=1e-6)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), grouped=st.booleans())
def test_the_order_of_the_rows_changes_nothing(seed, grouped):
    x, y = planted(30, 5, seed)
    groups = np.arange(30) // (3 if grouped else 1)
    order = np.random.default_rng(seed).permutation(30 // 3)
    # Groups keep their numbers, so the unshuffled inner folds hold the same groups.
    rows = np.concatenate([np.arange(3 * g, 3 * g + 3) for g in order])
    fit, moved = fit_ridge(x, y, groups), fit_ridge(x[rows], y[rows], groups[rows])
    assert np.allclose(fit.coefficients, moved.coefficients, atol=1e-9)
    assert fit.penalty == moved.penalty


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000), factor=st.floats(1e-3, 1e3), shift=st.floats(-1e3, 1e3))
def test_the_target_may_be_scaled_and_shifted(seed, factor, shift):
    x, y = planted(30, 5, seed)
    fit, moved = fit_ridge(x, y, np.arange(30)), fit_ridge(x, factor * y + shift, np.arange(30))
    assert moved.penalty == fit.penalty
    assert moved.validation_r2 == pytest.approx(fit.validation_r2, abs=1e-6)


@pytest.mark.parametrize("unit", [1e-9, 1e-3, 1.0, 1e3, 1e5, 1e7, 1e9])
def test_a_covariate_in_any_unit_leaves_the_features_readable(unit):
    x, y = planted(70, 5)
    covariate = unit * np.random.default_rng(1).standard_normal((70, 1))
    design, train, test = np.hstack([x, covariate]), np.arange(50), np.arange(50, 70)
    losses = [np.mean(rows_left_out(design[train], y[train], p) ** 2) for p in PENALTIES]
    fit = fit_ridge(design[train], y[train], train)
    assert fit.penalty == PENALTIES[int(np.argmin(losses))]
    model = Ridge(alpha=fit.penalty, solver="svd").fit(design[train], y[train])
    assert np.allclose(fit.predict(design[test]), model.predict(design[test]), atol=1e-6)
    assert r2_score(y[test], fit.predict(design[test])) > 0.1


@pytest.mark.parametrize("value", [0.0, 0.1, 1e6 + 0.1])
def test_a_constant_covariate_changes_no_prediction(value):
    x, y = planted()
    fit = fit_ridge(x, y, np.arange(40))
    design = np.hstack([x, np.full((40, 1), value)])
    with_constant = fit_ridge(design, y, np.arange(40))
    assert with_constant.penalty == fit.penalty
    assert np.allclose(with_constant.predict(design), fit.predict(x), atol=1e-6)


def test_a_row_that_alone_varies_in_a_covariate_does_not_decide_the_penalty():
    x, y = planted()
    alone = np.zeros((40, 1))
    alone[7] = 1e9
    rest = np.arange(40) != 7
    fit = fit_ridge(np.hstack([x, alone]), y, np.arange(40))
    assert fit.penalty == fit_ridge(x[rest], y[rest], np.arange(39)).penalty


def test_without_columns_the_mean_is_predicted():
    y = np.array([1.0, 2.0, 6.0])
    fit = fit_ridge(np.zeros((3, 0)), y, np.arange(3))
    assert np.allclose(fit.predict(np.zeros((2, 0))), 3.0)
    # Leave-one-out of a mean is below chance by (n / (n - 1))^2, which is no fault.
    assert fit.validation_r2 == pytest.approx(1 - (3 / 2) ** 2)


def test_the_r2_of_a_target_without_variance_is_unknown():
    x, _ = planted()
    fit = fit_ridge(x, np.full(40, 2.0), np.arange(40))
    assert np.isnan(fit.validation_r2)
    assert np.allclose(fit.predict(x), 2.0)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_groups_are_left_out_whole_also_where_units_differ_widely(unit):
    groups = np.repeat(np.arange(10), 4)
    x, y = planted(40, 4)
    x[:, 0] *= unit
    errors = np.empty((40, PENALTIES.size))
    for train, test in GroupKFold(5).split(x, y, groups):
        for i, penalty in enumerate(PENALTIES):
            model = Ridge(alpha=penalty, solver="svd").fit(x[train], y[train])
            errors[test, i] = y[test] - model.predict(x[test])
    losses = np.mean(errors**2, axis=0)
    fit = fit_ridge(x, y, groups)
    assert fit.penalty == PENALTIES[int(np.argmin(losses))]
    assert fit.validation_r2 == pytest.approx(1 - losses.min() / np.var(y), abs=1e-9)
