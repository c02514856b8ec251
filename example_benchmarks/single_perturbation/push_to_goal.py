"""Push an object over the table to a goal.

As published, the object is dropped and rests before the pusher starts, so that the drop height
cannot act; the rigidity is discarded by the simulator. Mass, friction and size do act.

Mended, the pusher starts when the object is released.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_benchcheck.example_benchmarks.single_perturbation.outcomes import distance
from pytest_benchcheck.example_benchmarks.single_perturbation.properties import (
    mended_properties,
    published_properties,
)
from pytest_benchcheck.fixtures.simulators.mujoco_task import MujocoTask

if TYPE_CHECKING:
    import mujoco
    from jaxtyping import Float

__all__ = ["mended", "published"]

NAME = "push_to_goal"
FRICTION = 0.4
FORCE = 4.0
PUSHED_STEPS = 100
PLATE = 'box" size=".01 .05 .02'
# Edge on edge, MuJoCo 3 makes centimetres of a start that differs by 1e-9; a ball touches once.
BALL = 'sphere" size=".02'
# Without friction of its own, the pusher takes that of what it touches.
XML = """
<mujoco model="push_to_goal">
  <option timestep="0.002" cone="{cone}"/>
  <worldbody>
    <geom name="table" type="plane" size="2 2 .1" friction=".3 .005 .0001"/>
    <body name="object" pos="0 0 .05">
      <freejoint/>
      <geom name="object" type="box" size=".03 .03 .03" mass=".2"
            friction="{friction} .005 .0001"/>
    </body>
    <body name="pusher" pos="-.12 0 .03">
      <joint name="pusher" type="slide" axis="1 0 0" range="-.1 .12" limited="true" damping=".5"/>
      <geom name="pusher" type="{pusher}" mass=".3" friction="0 .005 .0001"/>
    </body>
    <site name="goal" pos=".29 0 .03"/>
  </worldbody>
  <actuator><motor name="pusher" joint="pusher"/></actuator>
</mujoco>
"""


def published() -> MujocoTask:
    """The task that waits until nothing moves."""
    return MujocoTask(
        NAME,
        XML.format(friction=FRICTION, cone="pyramidal", pusher=PLATE),
        steps=1000,
        outcome=distance,
        perturbations=published_properties(FRICTION),
        prepare=_scattered,
        controls=lambda rng: _pushed(rng, first=300, steps=1000),
        unit="m",
    )


def mended() -> MujocoTask:
    """The task that pushes what is still falling."""
    return MujocoTask(
        NAME,
        XML.format(friction=FRICTION, cone="elliptic", pusher=BALL),
        steps=700,
        outcome=distance,
        perturbations=mended_properties(FRICTION, lift=0.05),
        prepare=_scattered,
        controls=lambda rng: _pushed(rng, first=0, steps=700),
        unit="m",
    )


def _scattered(model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
    data.qpos[0] += rng.uniform(-0.01, 0.01)


def _pushed(rng: np.random.Generator, first: int, steps: int) -> Float[np.ndarray, "steps 1"]:
    controls = np.zeros((steps, 1))
    controls[first : first + PUSHED_STEPS] = FORCE * rng.uniform(0.95, 1.05)
    return controls
