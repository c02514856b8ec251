"""Simulate episodes without rendering: labels, simulator state and the poses to render later."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from pytest_benchcheck.example_benchmarks.caliper.draws import (
    Physics,
    draw_half_extents,
    draw_physics,
    geometry_stream,
    physics_stream,
)
from pytest_benchcheck.example_benchmarks.caliper.scene import build_scene
from pytest_benchcheck.example_benchmarks.caliper.strikes import at_rest, strike

if TYPE_CHECKING:
    from jaxtyping import Float, Int

__all__ = [
    "CALIBRATION_SPEEDS",
    "DISPLACEMENT_RANGE",
    "Episode",
    "Simulated",
    "simulate_episode",
    "simulate_episodes",
]

CALIBRATION_SPEEDS = (0.45, 0.75)
DISPLACEMENT_RANGE = (0.012, 0.280)
_MOST_ATTEMPTS = 1000


@dataclass(frozen=True)
class Episode:
    """One accepted episode: two calibration strikes and the query strike on one box.

    Attributes
    ----------
    physics
        Mass, friction and query speed.
    half_extents
        ``(3,)`` half-extents of the box in metres.
    displacements
        ``(3,)`` metres: slow calibration, fast calibration, query.
    states
        ``(2, SLIDE_FRAMES, 8)``: recorded ``qpos`` of the two calibration strikes. Of the query
        nothing after first contact is kept, so no clip can show it.
    attempts
        Draws of the physics until all three displacements were in range.
    """

    physics: Physics
    half_extents: Float[np.ndarray, "3"]
    displacements: Float[np.ndarray, "3"]
    states: Float[np.ndarray, "2 frames 8"]
    attempts: int


@dataclass(frozen=True)
class Simulated:
    """Episodes as arrays over their index; units and meanings as in :class:`Episode`."""

    mass: Float[np.ndarray, " n"]
    friction: Float[np.ndarray, " n"]
    query_speed: Float[np.ndarray, " n"]
    half_extents: Float[np.ndarray, "n 3"]
    displacements: Float[np.ndarray, "n 3"]
    states: Float[np.ndarray, "n 2 frames 8"]
    attempts: Int[np.ndarray, " n"]

    def __len__(self) -> int:
        return int(self.mass.size)

    @property
    def acceptance(self) -> float:
        """Share of the drawn physics whose three displacements were in range."""
        return len(self) / float(self.attempts.sum())


def simulate_episode(seed: int, index: int) -> Episode:
    """Draw the physics of episode ``index`` until its three slides are all visible and in view.

    Raises
    ------
    RuntimeError
        If no draw is accepted, or a simulation breaks.
    """
    half_extents = draw_half_extents(geometry_stream(seed, index))
    rng = physics_stream(seed, index)
    low, high = DISPLACEMENT_RANGE
    for attempt in count(1):
        physics = draw_physics(rng)
        model = build_scene(half_extents, physics.mass, physics.friction)
        rest = at_rest(model)
        slides = [
            strike(model, rest, speed) for speed in (*CALIBRATION_SPEEDS, physics.query_speed)
        ]
        displacements = np.array([slide.displacement for slide in slides])
        if np.all((low <= displacements) & (displacements <= high)):
            states = np.stack([slide.states for slide in slides[:2]])
            return Episode(physics, half_extents, displacements, states, attempt)
        if attempt == _MOST_ATTEMPTS:
            break
    raise RuntimeError(
        f"episode {index} of seed {seed}: none of {_MOST_ATTEMPTS} draws of mass, friction and "
        f"speed slid between {low} and {high} m in all three strikes"
    )


@lru_cache(maxsize=8)
def simulate_episodes(n: int, seed: int, workers: int | None = None) -> Simulated:
    """Simulate episodes 0 to ``n - 1`` of ``seed``; the last few results are kept in memory.

    Parameters
    ----------
    n
        Number of episodes.
    seed
        Any non-negative integer. Equal seeds give bit-equal arrays, whatever ``workers`` is.
    workers
        Threads; MuJoCo runs outside Python's lock. None: one per core.
    """
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        episodes = list(pool.map(partial(simulate_episode, seed), range(n)))
    arrays = Simulated(
        mass=np.array([e.physics.mass for e in episodes]),
        friction=np.array([e.physics.friction for e in episodes]),
        query_speed=np.array([e.physics.query_speed for e in episodes]),
        half_extents=np.stack([e.half_extents for e in episodes]),
        displacements=np.stack([e.displacements for e in episodes]),
        states=np.stack([e.states for e in episodes]),
        attempts=np.array([e.attempts for e in episodes]),
    )
    for array in vars(arrays).values():
        array.flags.writeable = False
    return arrays
