"""Table 3: probes, two erasers, and what an exact erasure must cost."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_benchcheck.example_benchmarks.caliper.paper.encoding_and_use import (
    erasures,
    exact_cost,
    leace,
    probes,
)
from pytest_benchcheck.example_benchmarks.caliper.paper.features import CALIBRATION, SceneFeatures
from pytest_benchcheck.example_benchmarks.caliper.simulation import simulate_episodes

pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def scene() -> SceneFeatures:
    """The true displacements, tangled, stand for an encoder that sees the slides."""
    simulated = simulate_episodes(300, 5)
    rng = np.random.default_rng(0)
    seen = np.log(simulated.displacements[:, :2])
    clips = {
        name: seen[:, [i]] @ rng.standard_normal((1, 6)) + 0.001 * rng.standard_normal((300, 6))
        for i, name in enumerate(CALIBRATION)
    }
    clips["query"] = rng.standard_normal((300, 6))
    return SceneFeatures(simulated, {"slides": clips})


def test_probes_and_prediction_stand_side_by_side(scene):
    other = {name: clip[:, :1] for name, clip in scene.features["slides"].items()}
    both = SceneFeatures(scene.simulated, {**scene.features, "one column": other})
    rows = probes(both, repeats=1, seed=0)
    assert [row["representation"] for row in rows] == ["slides", "one column"]
    assert rows[0]["mass"] > 0.8
    assert rows[0]["prediction"] > 0.9


def test_the_exact_cost_of_mass_is_its_share_of_the_targets_variance(scene):
    cost = exact_cost(scene, repeats=1, seed=0)
    simulated = scene.simulated
    target = np.log(simulated.displacements[:, 2])
    share = np.corrcoef(np.log(simulated.mass), target)[0, 1] ** 2
    assert cost["mass"] == pytest.approx(share, abs=0.06)
    assert 0 < cost["friction"] < cost["mass"]


def test_leace_leaves_no_linear_trace_on_the_rows_that_it_was_fitted_on():
    pytest.importorskip("concept_erasure")
    rng = np.random.default_rng(1)
    x = rng.standard_normal((200, 5)) @ rng.standard_normal((5, 5))
    z = x[:, 0] + 0.3 * rng.standard_normal(200)
    erased = leace(x, z)(x)
    centred = erased - erased.mean(axis=0)
    assert np.abs(centred.T @ (z - z.mean())).max() < 1e-8 * np.abs(x.T @ z).max()
    # And changes as little as possible: one direction.
    assert np.linalg.matrix_rank(x - erased - (x - erased).mean(axis=0)) == 1


def test_both_erasers_leave_mass_unreadable_and_cost_prediction(scene):
    pytest.importorskip("concept_erasure")
    for eraser in (None, leace):
        rows = erasures(scene, repeats=1, seed=0, eraser=eraser)
        (mass,) = (row for row in rows if row["property"] == "mass")
        assert mass["probe_r2"] > 0.8
        assert mass["probe_r2_after"] < 0.05
        assert mass["cost"] > 0.1
        assert abs(mass["random_control_cost"]) < 0.3
