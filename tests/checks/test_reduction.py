from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.decomposition import PCA

from pytest_benchcheck.checks import reduction
from pytest_benchcheck.checks.reduction import Block

# Narrow blocks go by the covariance, wide ones by the Gram matrix; n above and below d for each.
SHAPES = [(40, 6), (40, 120), (60, 512), (60, 513), (60, 700), (530, 515), (12, 4097)]


def features(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scale = np.geomspace(10, 0.1, d)
    return rng.standard_normal((n, d)) * scale + rng.standard_normal(d)


def train_rows(n: int, seed: int = 1) -> np.ndarray:
    return np.sort(np.random.default_rng(seed).choice(n, (4 * n) // 5, replace=False))


def reference(x: np.ndarray, rows: np.ndarray, k: int) -> np.ndarray:
    pca = PCA(n_components=min(k, rows.size - 1, x.shape[1]), svd_solver="full")
    return pca.fit(x[rows].astype(np.float64)).transform(x.astype(np.float64))


def up_to_sign(scores: np.ndarray, expected: np.ndarray) -> np.ndarray:
    return scores * np.sign(np.sum(scores * expected, axis=0))


@pytest.mark.parametrize(("n", "d"), SHAPES)
@pytest.mark.parametrize("k", [3, 30])
def test_scores_are_those_of_a_full_svd(n, d, k):
    x, rows = features(n, d), train_rows(n)
    expected = reference(x, rows, k)
    scores = Block(x).scores(rows, k)
    assert scores.shape == expected.shape
    assert np.allclose(up_to_sign(scores, expected), expected, atol=1e-7)


@pytest.mark.parametrize(("n", "d"), [(40, 120), (60, 700)])
def test_components_are_fitted_on_the_training_rows_alone(n, d):
    x, rows = features(n, d), train_rows(n)
    changed = x.copy()
    held_out = np.setdiff1d(np.arange(n), rows)
    changed[held_out] *= 100
    before, after = (Block(part).scores(rows, 5) for part in (x, changed))
    assert np.allclose(before[rows], up_to_sign(after, before)[rows], atol=1e-7)


@pytest.mark.parametrize(("n", "d"), SHAPES)
def test_training_scores_are_centred_uncorrelated_and_ordered(n, d):
    rows = train_rows(n)
    train = Block(features(n, d)).scores(rows, 10)[rows]
    covariance = train.T @ train
    assert np.allclose(train.mean(axis=0), 0, atol=1e-8)
    assert np.allclose(covariance, np.diag(np.diag(covariance)), atol=1e-6 * covariance[0, 0])
    assert (np.diff(np.diag(covariance)) < 0).all()


@pytest.mark.parametrize("d", [1, 3, 4, 50, 511, 700])
@pytest.mark.parametrize("value", [0.0, 0.1, 7.7, 1e6 + 0.1])
@pytest.mark.parametrize("n", [48, 199])
def test_a_constant_block_has_no_components(d, value, n):
    block = Block(np.full((n, d), value))
    assert block.constant
    assert block.scores(train_rows(n), 10).shape == (n, 0)


@pytest.mark.parametrize("d", [4, 700])
def test_a_block_that_varies_on_test_rows_only_has_no_components(d):
    rows = train_rows(60)
    x = np.full((60, d), 0.1)
    x[np.setdiff1d(np.arange(60), rows)] += np.random.default_rng(0).standard_normal(d)
    block = Block(x)
    assert not block.constant
    assert block.scores(rows, 10).shape == (60, 0)


@pytest.mark.parametrize("d", [4, 700])
@pytest.mark.parametrize("level", [0.1, 1000.0])
def test_a_block_that_varies_by_the_last_digit_only_has_no_components(d, level):
    rng = np.random.default_rng(0)
    x = np.where(rng.random((60, d)) < 0.5, level, np.nextafter(level, 0))
    assert Block(x).scores(train_rows(60), 10).shape == (60, 0)


@pytest.mark.parametrize("d", [20, 600])
def test_columns_of_rounding_size_beside_a_signal_are_not_components(d):
    rng = np.random.default_rng(0)
    x = 1e-17 * rng.standard_normal((60, d))
    x[:, 0] = rng.standard_normal(60)
    assert Block(x).scores(train_rows(60), 10).shape == (60, 1)


@pytest.mark.parametrize("d", [13, 700])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_rank_is_judged_relative_to_the_largest_component(d, dtype):
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((78, 12)) @ rng.standard_normal((12, d))).astype(dtype)
    x[:, -1] = x[:, 0]
    assert Block(x).scores(np.arange(78), 40).shape[1] == 12


@pytest.mark.parametrize("d", [5, 600])
def test_a_large_common_offset_in_float32_costs_no_component(d):
    rng = np.random.default_rng(0)
    # Steps of one eighth survive at 1e6 in float32 without rounding.
    signal = np.round(8 * rng.standard_normal((60, d))) / 8
    shifted = (signal + 1e6).astype(np.float32)
    rows = train_rows(60)
    expected, scores = (Block(part).scores(rows, 5) for part in (signal, shifted))
    assert np.allclose(up_to_sign(scores, expected), expected, atol=1e-5)


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 1000),
    exponent=st.integers(-30, 30),
    wide=st.booleans(),
)
def test_scaling_by_a_power_of_two_scales_the_scores_exactly(seed, exponent, wide):
    x, rows = features(20, 600 if wide else 5, seed), train_rows(20, seed)
    scores, scaled = (Block(part).scores(rows, 4) for part in (x, 2.0**exponent * x))
    assert np.allclose(up_to_sign(scaled, scores), 2.0**exponent * scores, rtol=1e-9, atol=0)


@pytest.mark.parametrize("d", [6, 700])
def test_fewer_components_are_the_leading_ones_whatever_was_asked_first(d):
    x, rows = features(60, d), train_rows(60)
    shared = Block(x)
    five = shared.scores(rows, 5)
    many = shared.scores(rows, 20)
    again = shared.scores(rows, 5)
    fresh = Block(x).scores(rows, 5)
    assert np.array_equal(five, fresh)
    assert np.allclose(up_to_sign(again, fresh), fresh, atol=1e-9)
    assert np.array_equal(many[:, :5], again)


@pytest.mark.parametrize("rows", [np.array([3]), np.array([0, 7])])
def test_few_training_rows_give_at_most_one_component_less(rows):
    assert Block(features(10, 6)).scores(rows, 5).shape == (10, rows.size - 1)


def test_a_stalled_iteration_falls_back_to_the_whole_decomposition(monkeypatch):
    def stall(*args: object, **kwargs: object) -> None:
        raise ArpackNoConvergence("no convergence", np.zeros(0), np.zeros((0, 0)))

    x, rows = features(60, 700), train_rows(60)
    expected = Block(x).scores(rows, 3)
    monkeypatch.setattr(reduction, "eigsh", stall)
    scores = Block(x).scores(rows, 3)
    assert np.allclose(up_to_sign(scores, expected), expected, atol=1e-8)


def test_duplicated_and_one_hot_rows_do_not_stall_the_reduction():
    x = np.eye(600)[np.arange(60) % 7]
    scores = Block(x).scores(train_rows(60), 4)
    assert scores.shape == (60, 4)
    assert np.isfinite(scores).all()


def test_integer_pixels_are_not_wrapped_around():
    x = np.random.default_rng(0).integers(0, 256, (30, 20)).astype(np.uint8)
    rows = train_rows(30)
    expected = reference(x, rows, 3)
    assert np.allclose(up_to_sign(Block(x).scores(rows, 3), expected), expected)


def test_the_gram_matrix_of_chunks_is_that_of_all_columns():
    x = features(12, 4097 + 4096)
    centred = x - x.mean(axis=0)
    block = Block(x)
    block.prepare()
    assert np.allclose(block.gram(), centred @ centred.T)
    assert (block.n, block.d) == x.shape
