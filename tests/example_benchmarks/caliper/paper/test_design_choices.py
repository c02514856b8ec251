"""Appendix B: what the paper says of forces, spheres and slides, measured."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_benchcheck.example_benchmarks.caliper.paper.design_choices import (
    GRAVITY,
    PUSH_SECONDS,
    forces_and_collisions,
    pushed_distance,
    slide_frames,
    spheres_and_boxes,
)
from pytest_benchcheck.example_benchmarks.caliper.simulation import simulate_episodes

pytest.importorskip("mujoco")


def test_a_force_below_the_threshold_moves_nothing():
    assert pushed_distance(0.5, 0.2, 0.2 * 0.5 * GRAVITY) == 0
    assert pushed_distance(0.5, 0.2, 0.2 * 0.5 * GRAVITY * 1.5) > 0


def test_a_pushed_distance_is_that_of_the_equations_of_motion():
    mass, friction, force, step = 0.4, 0.2, 2.0, 1e-5
    position = speed = 0.0
    time = 0.0
    while time < PUSH_SECONDS or speed > 0:
        push = force if time < PUSH_SECONDS else 0.0
        speed = max(speed + (push / mass - friction * GRAVITY) * step, 0.0)
        position += speed * step
        time += step
    assert pushed_distance(mass, friction, force) == pytest.approx(position, rel=1e-3)


def test_collisions_are_accepted_far_more_often_than_forces():
    shares = forces_and_collisions(40, 0)
    assert shares["collision"] > 0.7
    assert shares["force"] < 0.2


def test_spheres_roll_on_and_do_not_tell_friction():
    found = spheres_and_boxes(30, 0, seconds=(0.7, 1.5))
    ratios = [row["ratio"] for row in found["spheres"]]
    assert ratios[1] > ratios[0] > 2
    assert found["corr_friction_box"] < -0.1
    assert all(row["corr_friction_sphere"] > found["corr_friction_box"] for row in found["spheres"])


def test_a_slide_is_several_frames_long():
    frames = slide_frames(simulate_episodes(30, 0))
    assert 4 < frames["median"] < 22
    assert np.isfinite(frames["mean"])
