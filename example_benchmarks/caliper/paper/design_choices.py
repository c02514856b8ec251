"""Appendix B: why collisions and not forces, boxes and not spheres; what a slide looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_benchcheck.example_benchmarks.caliper.draws import (
    draw_half_extents,
    draw_physics,
    geometry_stream,
    physics_stream,
)
from pytest_benchcheck.example_benchmarks.caliper.scene import build_scene
from pytest_benchcheck.example_benchmarks.caliper.simulation import CALIBRATION_SPEEDS
from pytest_benchcheck.example_benchmarks.caliper.strikes import at_rest, strike

if TYPE_CHECKING:
    from collections.abc import Sequence

    import mujoco

    from pytest_benchcheck.example_benchmarks.caliper.simulation import Simulated

__all__ = ["forces_and_collisions", "slide_frames", "spheres_and_boxes"]

WINDOW = (0.01, 0.30)
"""Metres that all three phases must land in; appendix B, "Collisions rather than pushes"."""
FORCES = (0.2, 3.0)
"""Newtons: from where the lightest object on the least friction moves to where nearly all do."""
PUSH_SECONDS = 0.3
GRAVITY = 9.81


def pushed_distance(mass: float, friction: float, force: float) -> float:
    """Metres that a constant force moves a resting box: F/m must exceed mu g.

    It is pushed for ``PUSH_SECONDS`` and then slides to rest: with a = F/m - mu g the distance is
    a t^2 / 2 + (a t)^2 / (2 mu g).
    """
    brake = friction * GRAVITY
    acceleration = force / mass - brake
    if acceleration <= 0:
        return 0.0
    return acceleration * PUSH_SECONDS**2 / 2 + (acceleration * PUSH_SECONDS) ** 2 / (2 * brake)


def forces_and_collisions(draws: int, seed: int) -> dict[str, float]:
    """Share of draws whose three phases all land in the window, by forces and by collisions.

    Forces are drawn independently of the object, one a phase.
    """
    rng = np.random.default_rng([seed, 1])
    by_force = by_collision = 0
    for index in range(draws):
        physics = draw_physics(physics_stream(seed, index))
        forces = rng.uniform(*FORCES, 3)
        pushes = [pushed_distance(physics.mass, physics.friction, force) for force in forces]
        by_force += all(WINDOW[0] <= d <= WINDOW[1] for d in pushes)
        model = build_scene(
            draw_half_extents(geometry_stream(seed, index)), physics.mass, physics.friction
        )
        rest = at_rest(model)
        slides = [
            strike(model, rest, speed).displacement
            for speed in (*CALIBRATION_SPEEDS, physics.query_speed)
        ]
        by_collision += all(WINDOW[0] <= d <= WINDOW[1] for d in slides)
    return {"force": by_force / draws, "collision": by_collision / draws}


def spheres_and_boxes(
    draws: int, seed: int, *, seconds: Sequence[float] = (0.7, 1.5, 4.0)
) -> dict[str, Any]:
    """Distances of spheres and boxes at matched physics, and their relation to friction.

    A sphere rolls on (MuJoCo's default contact has no rolling resistance), so that its distance is
    one of the time at which it is read: the row says it for each of ``seconds``.
    """
    boxes, frictions = [], []
    rolled: list[list[float]] = []
    for index in range(draws):
        physics = draw_physics(physics_stream(seed, index))
        half_extents = draw_half_extents(geometry_stream(seed, index))
        model = build_scene(half_extents, physics.mass, physics.friction)
        boxes.append(strike(model, at_rest(model), physics.query_speed).displacement)
        ball = _with_a_sphere(float(half_extents[2]), physics.mass, physics.friction)
        rolled.append(_rolled(ball, physics.query_speed, seconds))
        frictions.append(physics.friction)
    spheres = np.array(rolled)
    return {
        "median_box_m": float(np.median(boxes)),
        "corr_friction_box": float(np.corrcoef(frictions, boxes)[0, 1]),
        "spheres": [
            {
                "seconds": at,
                "median_sphere_m": float(np.median(distances)),
                "ratio": float(np.median(distances) / np.median(boxes)),
                "corr_friction_sphere": float(np.corrcoef(frictions, distances)[0, 1]),
            }
            for at, distances in zip(seconds, spheres.T, strict=True)
        ],
    }


def _with_a_sphere(radius: float, mass: float, friction: float) -> mujoco.MjModel:
    import mujoco

    model = build_scene(np.array([radius] * 3), mass, friction)
    geom = model.geom("box").id
    model.geom_type[geom] = int(mujoco.mjtGeom.mjGEOM_SPHERE)
    model.geom_size[geom] = (radius, 0, 0)
    model.geom_rbound[geom] = radius
    model.body_inertia[model.body("box").id] = 0.4 * mass * radius**2
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def _rolled(model: mujoco.MjModel, speed: float, seconds: Sequence[float]) -> list[float]:
    import mujoco

    data = at_rest(model)
    start, began = float(data.qpos[1]), float(data.time)
    data.qvel[0] = speed
    distances = []
    for until in seconds:
        left = until - (float(data.time) - began)
        mujoco.mj_step(model, data, round(left / model.opt.timestep))
        distances.append(float(data.qpos[1]) - start)
    return distances


def slide_frames(simulated: Simulated) -> dict[str, float]:
    """Rendered frames in which the box still moves, over all calibration slides."""
    steps = np.abs(np.diff(simulated.states[:, :, :, 1], axis=2))
    moving = (steps > 1e-4).sum(axis=2)
    return {"median": float(np.median(moving)), "mean": float(moving.mean())}
