"""Stack an object on another.

As published, the final height of the upper object is scored, which the geometry fixes once the
stack settles: mass and friction change how deep the soft contacts give way, and nothing else.

Mended, the object arrives with a sideways speed and its distance from the place right on top is
scored: bounce, slip, and how far the lower object is dragged along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_benchcheck.example_benchmarks.single_perturbation.outcomes import distance, height
from pytest_benchcheck.example_benchmarks.single_perturbation.properties import (
    mended_properties,
    published_properties,
)
from pytest_benchcheck.fixtures.simulators.mujoco_task import MujocoTask

if TYPE_CHECKING:
    import mujoco

__all__ = ["mended", "published"]

NAME = "stack_two"
FRICTION = 0.9
MENDED_FRICTION = 0.2
XML = """
<mujoco model="stack_two">
  <option timestep="0.002" cone="{cone}"/>
  <worldbody>
    <geom name="table" type="plane" size="1 1 .1" friction=".1 .005 .0001"/>
    <body name="lower" pos="0 0 .0125">
      <freejoint/>
      <geom name="lower" type="box" size=".05 .05 .0125" mass=".1"
            friction="{lower_friction} .005 .0001"/>
    </body>
    <body name="object" pos="{start}">
      <freejoint/>
      <geom name="object" type="box" size=".03 .03 .05" mass=".2"
            friction="{friction} .005 .0001"/>
    </body>
    <site name="goal" pos="0 0 .075"/>
  </worldbody>
</mujoco>
"""


def published() -> MujocoTask:
    """The task that settles."""

    def scattered(model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        data.qpos[7:9] += rng.uniform(-0.01, 0.01, 2)

    return MujocoTask(
        NAME,
        XML.format(cone="pyramidal", friction=FRICTION, lower_friction=FRICTION, start="0 0 .12"),
        steps=750,
        outcome=height,
        perturbations=published_properties(FRICTION),
        prepare=scattered,
        unit="m",
    )


def mended() -> MujocoTask:
    """The task that slips."""

    def arriving(model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        data.qpos[7:9] += rng.uniform(-0.003, 0.003, 2)
        data.qvel[6] = rng.uniform(0.4, 0.5)

    return MujocoTask(
        NAME,
        # The table holds the lower object less than the upper one does: it is dragged along.
        XML.format(
            cone="elliptic", friction=MENDED_FRICTION, lower_friction=0.05, start="-.035 0 .087"
        ),
        steps=750,
        outcome=distance,
        perturbations=mended_properties(MENDED_FRICTION, lift=0.01, size=1.1),
        prepare=arriving,
        unit="m",
    )
