"""Place an object at a goal.

As published, no arm carries anything: the object is released above the table, falls, and its
horizontal distance to the goal is scored. Nothing that is perturbed acts on a free fall, so that
the score is a constant of the geometry.

Mended, a hand accelerates with the object under its grip and lets go in motion: the heavier load is
slower when it is released, and the object slides on after landing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_benchcheck.example_benchmarks.single_perturbation.outcomes import (
    distance,
    horizontal_distance,
)
from pytest_benchcheck.example_benchmarks.single_perturbation.properties import (
    OBJECT,
    mended_properties,
    published_properties,
)
from pytest_benchcheck.fixtures.simulators.mujoco_task import MujocoTask

if TYPE_CHECKING:
    import mujoco
    from jaxtyping import Float

__all__ = ["mended", "published"]

NAME = "pick_and_place"
FRICTION = 0.4
PUBLISHED_XML = f"""
<mujoco model="{NAME}">
  <option timestep="0.002"/>
  <worldbody>
    <geom name="table" type="plane" size="1 1 .1" friction=".3 .005 .0001"/>
    <body name="object" pos="0 0 .2">
      <freejoint/>
      <geom name="object" type="box" size=".03 .03 .03" mass=".2"
            friction="{FRICTION} .005 .0001"/>
    </body>
    <site name="goal" pos=".3 .1 0"/>
  </worldbody>
</mujoco>
"""


def published() -> MujocoTask:
    """The task that falls."""

    def scattered(model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        data.qpos[:2] += rng.uniform(-0.05, 0.05, 2)

    return MujocoTask(
        NAME,
        PUBLISHED_XML,
        steps=500,
        outcome=horizontal_distance,
        perturbations=published_properties(FRICTION),
        prepare=scattered,
        unit="m",
    )


MENDED_FRICTION = 0.2
GRIPPED_STEPS = 200
MENDED_STEPS = 750
# The grip acts through contacts: the hand's margin makes one although the object just touches it.
MENDED_XML = f"""
<mujoco model="{NAME}">
  <option timestep="0.002" cone="elliptic"/>
  <worldbody>
    <geom name="table" type="plane" size="2 2 .1" friction=".1 .005 .0001"/>
    <body name="hand" pos="0 0 .1">
      <joint name="hand" type="slide" axis="1 0 0" damping="1"/>
      <geom name="hand" type="box" size=".04 .04 .01" mass=".5" margin=".002"/>
    </body>
    <body name="object" pos="0 0 .0605">
      <freejoint/>
      <geom name="object" type="box" size=".03 .03 .03" mass=".2"
            friction="{MENDED_FRICTION} .005 .0001"/>
    </body>
    <site name="goal" pos=".4 0 .03"/>
  </worldbody>
  <actuator>
    <motor name="hand" joint="hand"/>
    <adhesion name="grip" body="hand" ctrlrange="0 1" gain="20"/>
  </actuator>
</mujoco>
"""


def mended() -> MujocoTask:
    """The task that carries."""

    def carried(rng: np.random.Generator) -> Float[np.ndarray, "steps 2"]:
        controls = np.zeros((MENDED_STEPS, 2))
        controls[:GRIPPED_STEPS, 0] = rng.uniform(0.95, 1.05)
        controls[:GRIPPED_STEPS, 1] = 1.0
        return controls

    return MujocoTask(
        NAME,
        MENDED_XML,
        steps=MENDED_STEPS,
        outcome=distance,
        perturbations=mended_properties(
            MENDED_FRICTION, lift=0.05, size=1.1, lifted=(OBJECT, "hand")
        ),
        controls=carried,
        unit="m",
    )
