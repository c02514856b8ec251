"""Table 2: speeds are chosen by what the held-out readout expects, and really executed."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_benchcheck.example_benchmarks.caliper.paper.features import SceneFeatures
from pytest_benchcheck.example_benchmarks.caliper.paper.speed_selection import (
    SPEED_GRID,
    chosen_speeds,
    executed,
    speed_selection,
)
from pytest_benchcheck.example_benchmarks.caliper.simulation import simulate_episodes

pytest.importorskip("mujoco")


@pytest.fixture(scope="module")
def simulated():
    return simulate_episodes(40, 5)


def test_the_grid_is_the_papers():
    assert len(SPEED_GRID) == 451
    assert np.diff(SPEED_GRID) == pytest.approx(0.001)


def test_the_episodes_own_speeds_reach_their_own_displacements(simulated):
    reached = executed(simulated, simulated.query_speed[None])
    np.testing.assert_array_equal(reached[0], simulated.displacements[:, 2])


def test_a_readout_that_knows_the_object_chooses_nearly_the_speed_that_was_used(simulated):
    state = {"state": np.column_stack([np.log(simulated.mass), simulated.friction])}
    knowing, blind = (chosen_speeds(blocks, simulated, repeats=2, seed=0) for blocks in (state, {}))
    assert knowing.shape == (2, 40)
    error = [np.median(np.abs(v - simulated.query_speed)) for v in (knowing, blind)]
    assert error[0] < 0.5 * error[1]
    assert np.isin(knowing, SPEED_GRID).all()


def test_rows_end_with_the_object_known_and_ignored(simulated):
    noise = np.random.default_rng(0).standard_normal((40, 8)).astype(np.float32)
    clips = {"calibration_slow": noise, "calibration_fast": noise[::-1], "query": noise}
    rows = speed_selection(SceneFeatures(simulated, {"noise": clips}), repeats=1, seed=0)
    by_name = {row["representation"]: row for row in rows}
    assert list(by_name) == ["noise", "true mass and friction", "ignore object"]
    known, ignored = by_name["true mass and friction"], by_name["ignore object"]
    assert known["median_miss_mm"] < ignored["median_miss_mm"]
    assert known["within_10mm"] > ignored["within_10mm"]
