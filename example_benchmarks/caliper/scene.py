"""The table, the puck on its rail and the box whose mass and friction must be inferred.

Sizes are half-extents in metres, masses in kilograms. The rail holds the puck to the x axis, so
that every strike is head-on, and its brake is stronger than any box's friction: after the
collision the puck always stops behind the box and never pushes it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import mujoco
    import numpy as np
    from jaxtyping import Float

__all__ = ["PUCK_HEIGHT", "PUCK_RADIUS", "TIMESTEP", "build_scene"]

TIMESTEP = 0.0005
GRAVITY = 9.81
PUCK_MASS = 0.55
PUCK_RADIUS = 0.03
PUCK_HEIGHT = 0.04
PUCK_FRICTION = 0.35

# The contact pairs below are the only ones: MuJoCo would otherwise take the larger of two geoms'
# friction coefficients, and the floor's would win over the box's. The strike has no tangential
# friction (condim 1), acts on the box's centre line and so turns it neither sideways nor over.
_XML = f"""
<mujoco model="caliper">
  <option timestep="{TIMESTEP}" gravity="0 0 -{GRAVITY}" cone="elliptic" integrator="implicitfast"/>
  <visual>
    <headlight ambient=".35 .35 .35" diffuse="0 0 0" specular="0 0 0"/>
    <map znear=".01" zfar="20"/>
  </visual>
  <statistic center="0 0 0" extent="1"/>
  <default>
    <geom contype="0" conaffinity="0"/>
  </default>
  <worldbody>
    <light name="lamp" directional="true" dir="0 .3 -1" diffuse=".6 .6 .6" specular="0 0 0"/>
    <geom name="floor" type="plane" size="3 3 .1" rgba=".55 .55 .55 1"/>
    <body name="distractor_box" mocap="true">
      <geom name="distractor_box" type="box" size=".03 .03 .03" rgba="0 0 0 0"/>
    </body>
    <body name="distractor_cylinder" mocap="true">
      <geom name="distractor_cylinder" type="cylinder" size=".03 .03" rgba="0 0 0 0"/>
    </body>
    <body name="puck">
      <joint name="rail" type="slide" axis="1 0 0"
             frictionloss="{PUCK_FRICTION * PUCK_MASS * GRAVITY}"/>
      <geom name="puck" type="cylinder" size="{PUCK_RADIUS} {PUCK_HEIGHT / 2}"
            pos="0 0 {PUCK_HEIGHT / 2}" mass="{PUCK_MASS}" rgba=".1 .1 .12 1"/>
      <geom name="puck_face" type="sphere" size="{PUCK_RADIUS}" mass="0" group="4"/>
    </body>
    <body name="box">
      <freejoint name="box"/>
      <geom name="box" type="box" size=".03 .03 .03" mass=".3" rgba=".8 .2 .2 1"/>
    </body>
  </worldbody>
  <contact>
    <pair name="strike" geom1="puck_face" geom2="box" condim="1" solref=".01 .45"/>
    <pair name="slide" geom1="floor" geom2="box" condim="3"/>
  </contact>
</mujoco>
"""


def build_scene(
    half_extents: Float[np.ndarray, "3"], mass: float, friction: float
) -> mujoco.MjModel:
    """Compile the scene with this box, the puck's face touching it.

    The model is compiled rather than edited, so that the box's inertia follows from its mass and
    size.

    Parameters
    ----------
    half_extents
        ``(3,)`` half-extents of the box in metres; the last is along the vertical.
    mass
        Mass of the box in kg.
    friction
        Coefficient of sliding friction between the box and the floor.

    Returns
    -------
    mujoco.MjModel
        Its ``qpos`` is the puck's x, then the box's position and quaternion. The box's centre
        starts at x = y = 0.
    """
    import mujoco

    spec = mujoco.MjSpec.from_string(_XML)
    half_height = float(half_extents[2])
    box = spec.geom("box")
    box.size = half_extents
    box.mass = mass
    spec.body("box").pos = [0.0, 0.0, half_height]
    spec.body("puck").pos = [-float(half_extents[0]) - PUCK_RADIUS, 0.0, 0.0]
    spec.geom("puck_face").pos = [0.0, 0.0, half_height]
    spec.pair("slide").friction = [friction, friction, 0.005, 0.0001, 0.0001]
    return spec.compile()
