from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import fields
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck.example_benchmarks.caliper import simulation
from pytest_benchcheck.example_benchmarks.caliper.camera import WORKSPACE
from pytest_benchcheck.example_benchmarks.caliper.draws import (
    HALF_EXTENT_RANGES,
    QUERY_SPEED_RANGE,
)
from pytest_benchcheck.example_benchmarks.caliper.scene import PUCK_RADIUS
from pytest_benchcheck.example_benchmarks.caliper.simulation import (
    CALIBRATION_SPEEDS,
    DISPLACEMENT_RANGE,
    Simulated,
    simulate_episode,
    simulate_episodes,
)
from pytest_benchcheck.example_benchmarks.caliper.strikes import strike


def arrays(simulated: Simulated) -> dict[str, np.ndarray]:
    return {field.name: getattr(simulated, field.name) for field in fields(simulated)}


def fresh(n: int, seed: int, workers: int | None = None) -> Simulated:
    return simulate_episodes.__wrapped__(n, seed, workers)


def digest(simulated: Simulated) -> str:
    return hashlib.sha256(b"".join(a.tobytes() for a in arrays(simulated).values())).hexdigest()


def test_equal_seeds_give_bit_equal_episodes_with_any_number_of_workers():
    one = fresh(6, 11, workers=1)
    for workers in (2, 5, None):
        again = fresh(6, 11, workers)
        for name, array in arrays(one).items():
            assert np.array_equal(getattr(again, name), array), name
    assert digest(fresh(6, 12)) != digest(one)


def test_another_process_simulates_the_same_bits():
    program = f"""
import hashlib
from pytest_benchcheck.example_benchmarks.caliper.simulation import simulate_episodes
arrays = vars(simulate_episodes(4, {2**40})).values()
print(hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest())
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == digest(fresh(4, 2**40))


def test_fewer_episodes_are_the_first_of_more(simulated):
    some = fresh(5, 5)
    for name, array in arrays(some).items():
        assert np.array_equal(array, getattr(simulated, name)[:5]), name


@settings(deadline=None, max_examples=5)
@given(index=st.integers(0, 15))
def test_an_episode_is_the_same_on_its_own(simulated, index):
    episode = simulate_episode(5, index)
    assert episode.physics.mass == simulated.mass[index]
    assert episode.physics.friction == simulated.friction[index]
    assert episode.physics.query_speed == simulated.query_speed[index]
    assert np.array_equal(episode.half_extents, simulated.half_extents[index])
    assert np.array_equal(episode.displacements, simulated.displacements[index])
    assert np.array_equal(episode.states, simulated.states[index])


def test_draws_from_numpys_global_stream_change_nothing():
    before = fresh(2, 0)
    np.random.seed(1)  # noqa: NPY002 the global stream is what is tested
    assert digest(fresh(2, 0)) == digest(before)


def test_every_displacement_is_between_twelve_and_280_millimetres():
    assert DISPLACEMENT_RANGE == (0.012, 0.280)
    simulated = fresh(100, 1)
    assert simulated.displacements.shape == (100, 3)
    assert simulated.displacements.min() >= 0.012
    assert simulated.displacements.max() <= 0.280
    assert len(simulated) == 100
    assert simulated.acceptance > 0.70


def test_draws_outside_the_window_are_drawn_again_and_keep_the_size(monkeypatch, simulated):
    monkeypatch.setattr(simulation, "DISPLACEMENT_RANGE", (0.030, 0.150))
    narrow = fresh(16, 5)
    assert narrow.displacements.min() >= 0.030
    assert narrow.displacements.max() <= 0.150
    assert narrow.acceptance == 16 / narrow.attempts.sum() < 1
    assert np.array_equal(narrow.half_extents, simulated.half_extents)
    first_try = narrow.attempts == 1
    assert 0 < first_try.sum() < 16
    assert np.array_equal(narrow.mass[first_try], simulated.mass[first_try])
    assert not np.isin(narrow.mass[~first_try], simulated.mass).any()


def test_a_window_that_no_draw_meets_is_an_error(monkeypatch):
    monkeypatch.setattr(simulation, "DISPLACEMENT_RANGE", (5.0, 6.0))
    monkeypatch.setattr(simulation, "_MOST_ATTEMPTS", 3)
    with pytest.raises(
        RuntimeError, match=r"episode 4 of seed 9: none of 3 draws .* 5\.0 and 6\.0"
    ):
        simulate_episode(9, 4)


def test_the_recorded_states_end_at_rest_where_the_displacement_says(simulated):
    slid = simulated.states[:, :, -1, 1] - simulated.states[:, :, 0, 1]
    assert np.array_equal(slid, simulated.displacements[:, :2])


def test_both_calibration_strikes_and_the_query_start_from_the_same_rest(simulated):
    assert np.array_equal(simulated.states[:, 0, 0], simulated.states[:, 1, 0])


def test_the_query_is_one_strike_at_its_own_speed(simulated):
    for index in range(4):
        model = simulation.build_scene(
            simulated.half_extents[index], simulated.mass[index], simulated.friction[index]
        )
        rest = simulation.at_rest(model)
        speeds = (*CALIBRATION_SPEEDS, simulated.query_speed[index])
        slid = [strike(model, rest, float(speed)).displacement for speed in speeds]
        assert slid == simulated.displacements[index].tolist()


def test_what_is_recorded_cannot_be_written(simulated):
    for name, array in arrays(simulated).items():
        assert not array.flags.writeable, name
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_puck_and_box_stay_in_the_workspace_that_every_camera_sees():
    low, high = np.array(WORKSPACE).T
    # From the fastest approach of the longest box to its longest slide.
    x = max(bounds for _, bounds in HALF_EXTENT_RANGES[:1])
    start_of_query = -x - 2 * PUCK_RADIUS - 0.15 * QUERY_SPEED_RANGE[1]
    assert low[0] <= start_of_query
    assert high[0] >= DISPLACEMENT_RANGE[1] + x
    for size in product(*HALF_EXTENT_RANGES):
        assert low[1] <= -size[1]
        assert high[1] >= size[1]
        assert high[2] >= 2 * size[2]


def test_recorded_boxes_and_pucks_lie_in_the_workspace(simulated):
    low, high = np.array(WORKSPACE).T
    for index in range(len(simulated)):
        size = simulated.half_extents[index]
        box = simulated.states[index, :, :, 1:4]
        assert np.all(box - size >= low - 1e-3)
        assert np.all(box + size <= high + 1e-3)
        # The puck's coordinate counts from where it touches the box.
        puck = simulated.states[index, :, :, 0] - size[0] - PUCK_RADIUS
        assert np.all(puck - PUCK_RADIUS >= low[0])
        assert np.all(puck + PUCK_RADIUS <= high[0])
