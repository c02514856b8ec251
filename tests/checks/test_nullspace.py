from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck.checks.nullspace import (
    AT_CHANCE,
    erase_property,
    project_out,
    random_directions,
)
from pytest_benchcheck.checks.ridge import fit_ridge


def carried(
    n: int, p: int, noise: float, seed: int, copies: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Features whose first ``copies`` columns carry the latent with noise."""
    rng = np.random.default_rng(seed)
    design, latent = rng.standard_normal((n, p)), rng.standard_normal(n)
    design[:, :copies] = latent[:, None] + noise * rng.standard_normal((n, copies))
    return (design - design.mean(axis=0)) / design.std(axis=0), latent


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    noise=st.sampled_from([0.01, 0.3, 1.0]),
    copies=st.integers(1, 4),
    rows_a_group=st.sampled_from([1, 4]),
)
def test_erased_directions_are_orthonormal_and_leave_a_projection(
    seed, noise, copies, rows_a_group
):
    design, latent = carried(120, 10, noise, seed, copies)
    erased = erase_property(design, latent, np.arange(120) // rows_a_group)
    q = erased.directions
    p = np.eye(10) - q @ q.T
    assert q.shape[1] >= 1
    assert np.allclose(q.T @ q, np.eye(q.shape[1]), atol=1e-12)
    assert np.allclose(p @ p, p, atol=1e-12)
    projected = project_out(design, q)
    assert np.allclose(project_out(projected, q), projected, atol=1e-12)
    assert np.allclose(projected @ q, 0, atol=1e-10)
    assert erased.probe_r2 > AT_CHANCE
    assert erased.probe_r2_after <= AT_CHANCE
    probe = fit_ridge(projected, latent, np.arange(120) // rows_a_group)
    assert probe.validation_r2 == pytest.approx(erased.probe_r2_after, abs=1e-9)


def test_one_planted_direction_is_the_one_that_is_taken_out():
    design, latent = carried(4000, 6, 0.2, 0)
    erased = erase_property(design, latent, np.arange(4000))
    assert abs(erased.directions[0, 0]) > 0.99
    assert erased.probe_r2 == pytest.approx(1 / 1.04, abs=0.01)


def test_a_property_carried_by_independent_copies_needs_one_direction():
    # The latent is one direction of the sum of the copies; what remains are their differences.
    design, latent = carried(4000, 6, 0.2, 0, copies=3)
    erased = erase_property(design, latent, np.arange(4000))
    expected = np.array([1, 1, 1, 0, 0, 0]) / np.sqrt(3)
    assert abs(erased.directions[:, 0] @ expected) > 0.99


def test_a_property_that_is_not_carried_costs_no_direction():
    rng = np.random.default_rng(0)
    erased = erase_property(rng.standard_normal((300, 5)), rng.standard_normal(300), np.arange(300))
    assert erased.directions.shape == (5, 0)
    assert erased.probe_r2 == erased.probe_r2_after <= AT_CHANCE


def test_the_space_may_be_used_up():
    design, latent = carried(200, 1, 0.01, 0)
    erased = erase_property(design, latent, np.arange(200))
    assert erased.directions.shape == (1, 1)
    assert np.allclose(project_out(design, erased.directions), 0)
    assert erased.probe_r2_after <= 0


@pytest.mark.parametrize("value", [0.1, 2.0])
def test_a_property_that_is_constant_on_these_rows_takes_little_out(value):
    design, _ = carried(50, 4, 1.0, 0)
    erased = erase_property(design, np.full(50, value), np.arange(50))
    assert np.allclose(
        erased.directions.T @ erased.directions, np.eye(erased.directions.shape[1]), atol=1e-12
    )


def test_without_features_there_is_nothing_to_take_out():
    latent = np.random.default_rng(0).standard_normal(20)
    erased = erase_property(np.zeros((20, 0)), latent, np.arange(20))
    assert erased.directions.shape == (0, 0)


@settings(deadline=None, max_examples=30)
@given(p=st.integers(1, 20), data=st.data())
def test_random_directions_are_orthonormal(p, data):
    count = data.draw(st.integers(0, p))
    basis = random_directions(p, count, np.random.default_rng(0))
    assert basis.shape == (p, count)
    assert np.allclose(basis.T @ basis, np.eye(count), atol=1e-12)


def test_random_directions_take_an_equal_share_of_every_axis_on_average():
    rng = np.random.default_rng(0)
    share = np.mean(
        [np.sum(random_directions(8, 2, rng) ** 2, axis=1) for _ in range(4000)], axis=0
    )
    assert np.allclose(share, 2 / 8, atol=0.02)
