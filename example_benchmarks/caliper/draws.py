"""Random draws of the physics, each from a stream of its own.

Streams are children of the seed, addressed by purpose and episode. Episode i is therefore the same
however many episodes are asked for, in whatever order and by how many workers they are simulated,
and drawing another appearance cannot move a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Float

__all__ = [
    "FRICTION_RANGE",
    "HALF_EXTENT_RANGES",
    "MASS_RANGE",
    "QUERY_SPEED_RANGE",
    "Physics",
    "appearance_stream",
    "draw_half_extents",
    "draw_physics",
    "geometry_stream",
    "physics_stream",
]

MASS_RANGE = (0.15, 0.75)
FRICTION_RANGE = (0.12, 0.32)
QUERY_SPEED_RANGE = (0.40, 0.85)
HALF_EXTENT_RANGES = ((0.025, 0.045), (0.025, 0.045), (0.020, 0.035))

_PHYSICS, _GEOMETRY, _APPEARANCE = range(3)


@dataclass(frozen=True)
class Physics:
    """The hidden properties of a box and the speed of its query strike.

    Attributes
    ----------
    mass
        In kg.
    friction
        Coefficient of sliding friction.
    query_speed
        In m/s.
    """

    mass: float
    friction: float
    query_speed: float


def physics_stream(seed: int, episode: int) -> np.random.Generator:
    """The stream of an episode's mass, friction and query speed."""
    return _stream(seed, _PHYSICS, episode)


def geometry_stream(seed: int, episode: int) -> np.random.Generator:
    """The stream of an episode's half-extents."""
    return _stream(seed, _GEOMETRY, episode)


def appearance_stream(seed: int, episode: int, *clip: int) -> np.random.Generator:
    """The stream of what an episode, or one of its clips, looks like."""
    return _stream(seed, _APPEARANCE, episode, *clip)


def _stream(seed: int, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def draw_physics(rng: np.random.Generator) -> Physics:
    """Mass log-uniform, friction and query speed uniform in their ranges (paper, section 3)."""
    low, high = np.log(MASS_RANGE)
    return Physics(
        mass=float(np.exp(rng.uniform(low, high))),
        friction=float(rng.uniform(*FRICTION_RANGE)),
        query_speed=float(rng.uniform(*QUERY_SPEED_RANGE)),
    )


def draw_half_extents(rng: np.random.Generator) -> Float[np.ndarray, "3"]:
    """Half-extents in metres, each uniform in its range: size and aspect tell nothing of mass."""
    return np.array([rng.uniform(low, high) for low, high in HALF_EXTENT_RANGES])
