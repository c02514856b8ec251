"""One strike: the puck meets the box at a commanded speed, and the box slides to rest."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import mujoco
    from jaxtyping import Float

__all__ = ["FRAME_INTERVAL", "SLIDE_FRAMES", "STEPS_PER_FRAME", "Strike", "at_rest", "strike"]

STEPS_PER_FRAME = 66
FRAME_INTERVAL = 0.033
"""Seconds between two recorded states: 30 frames/s on the simulator's 0.5 ms grid."""
SLIDE_FRAMES = 22
"""Recorded states, contact included: 0.69 s, when the longest accepted slide has ended."""

_SETTLING_STEPS = 200
_AT_REST = 1e-4
_MOST_FRAMES = 60
_PARKED = -0.5


@dataclass(frozen=True)
class Strike:
    """What a strike did.

    Attributes
    ----------
    displacement
        Distance the box slid along x, in metres.
    states
        ``(SLIDE_FRAMES, 8)``: ``qpos`` at every ``FRAME_INTERVAL`` from first contact on.
    """

    displacement: float
    states: Float[np.ndarray, "frames 8"]


def at_rest(model: mujoco.MjModel) -> mujoco.MjData:
    """Let the box settle on the floor with the puck parked out of reach.

    Without this the first milliseconds of a slide would run on a normal force that is still
    building up.
    """
    import mujoco

    data = mujoco.MjData(model)
    data.qpos[0] = _PARKED
    mujoco.mj_step(model, data, _SETTLING_STEPS)
    data.qpos[0] = 0.0
    data.qvel[:] = 0.0
    return data


def strike(model: mujoco.MjModel, rest: mujoco.MjData, speed: float) -> Strike:
    """Strike the resting box with the puck and follow both until they stop.

    A launcher carries the puck at the commanded speed and lets go of it at first contact, where
    the simulation takes over. The impact speed is therefore the commanded one, and no strike's
    outcome depends on where between two integration steps the contact falls.

    Parameters
    ----------
    model
        From :func:`~pytest_benchcheck.example_benchmarks.caliper.scene.build_scene`.
    rest
        From :func:`at_rest`; left as it is.
    speed
        Commanded speed of the puck in m/s.

    Raises
    ------
    RuntimeError
        If the simulator warned of a bad state, or the box did not come to rest in two seconds.
    """
    import mujoco

    data = copy(rest)
    start = float(data.qpos[1])
    data.qvel[0] = speed
    states = np.empty((SLIDE_FRAMES, model.nq))
    states[0] = data.qpos
    for frame in range(1, _MOST_FRAMES):
        mujoco.mj_step(model, data, STEPS_PER_FRAME)
        stopped = abs(data.qvel[:2]).max() < _AT_REST
        if frame < SLIDE_FRAMES:
            states[frame] = data.qpos
        if stopped:
            states[frame:] = data.qpos
            break
    else:
        raise RuntimeError(
            f"the box still moves at {data.qvel[1]:.3g} m/s, {data.time:.2f} s after a strike at "
            f"{speed:.3g} m/s"
        )
    raised = [int(warning.number) for warning in data.warning]
    if any(raised):
        raise RuntimeError(f"MuJoCo warned during a strike at {speed:.3g} m/s: counts {raised}")
    return Strike(float(data.qpos[1]) - start, states)
