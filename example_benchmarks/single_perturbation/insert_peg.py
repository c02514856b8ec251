"""Insert a peg into a hole.

As published, the peg is released upright above a wide hole and falls; the distance of its centre
from the bottom is scored after it has come to rest, which is half its length.

Mended, the hole is narrow and its bottom gives way on a spring, the peg arrives tilted and with a
sideways speed, and the distance from full insertion is scored while it is on its way.
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

__all__ = ["mended", "published"]

NAME = "insert_peg"
FRICTION = 0.4
HEAD = f"""
<mujoco model="{NAME}">
  <option timestep="0.002" cone="elliptic"/>
  <worldbody>
    <geom name="table" type="plane" size="1 1 .1" friction=".3 .005 .0001"/>
"""
PUBLISHED_XML = f"""{HEAD}
    <geom name="left" type="box" size=".004 .03 .02" pos="-.028 0 .02"/>
    <geom name="right" type="box" size=".004 .03 .02" pos=".028 0 .02"/>
    <geom name="front" type="box" size=".024 .004 .02" pos="0 -.028 .02"/>
    <geom name="back" type="box" size=".024 .004 .02" pos="0 .028 .02"/>
    <body name="object" pos="0 0 .2">
      <freejoint/>
      <geom name="object" type="box" size=".015 .015 .05" mass=".2"
            friction="{FRICTION} .005 .0001"/>
    </body>
    <site name="goal" pos="0 0 0"/>
  </worldbody>
</mujoco>
"""
# The walls have no friction of their own, so that the peg's holds.
MENDED_XML = f"""{HEAD}
    <geom name="left" type="box" size=".004 .03 .03" pos="-.025 0 .07" friction="0 .005 .0001"/>
    <geom name="right" type="box" size=".004 .03 .03" pos=".025 0 .07" friction="0 .005 .0001"/>
    <geom name="front" type="box" size=".021 .004 .03" pos="0 -.025 .07" friction="0 .005 .0001"/>
    <geom name="back" type="box" size=".021 .004 .03" pos="0 .025 .07" friction="0 .005 .0001"/>
    <body name="bottom" pos="0 0 .04">
      <joint name="spring" type="slide" axis="0 0 1" stiffness="100" damping="1"/>
      <geom name="bottom" type="box" size=".015 .015 .005" mass=".05"/>
    </body>
    <body name="object" pos="0 0 .2">
      <freejoint/>
      <geom name="object" type="box" size=".015 .015 .05" mass=".2"
            friction="{FRICTION} .005 .0001"/>
    </body>
    <site name="goal" pos="0 0 .09"/>
  </worldbody>
</mujoco>
"""


def published() -> MujocoTask:
    """The task that drops the peg in."""

    def scattered(model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        data.qpos[:2] += rng.uniform(-0.001, 0.001, 2)

    return MujocoTask(
        NAME,
        PUBLISHED_XML,
        steps=500,
        outcome=distance,
        perturbations=published_properties(FRICTION),
        prepare=scattered,
        unit="m",
    )


def mended() -> MujocoTask:
    """The task that jams."""

    def tilted(model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        half = rng.uniform(0.03, 0.08) / 2
        # Degree of freedom 0 is the spring's.
        data.qpos[4:8] = (np.cos(half), 0.0, np.sin(half), 0.0)
        data.qvel[1] = rng.uniform(0.05, 0.15)

    return MujocoTask(
        NAME,
        MENDED_XML,
        steps=180,
        outcome=distance,
        perturbations=mended_properties(FRICTION, lift=0.03, size=1.1),
        prepare=tilted,
        unit="m",
    )
