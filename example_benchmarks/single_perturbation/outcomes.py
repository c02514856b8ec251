"""What the tasks score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import mujoco

__all__ = ["distance", "height", "horizontal_distance"]


def distance(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Distance of the object's centre from the site ``goal``, in m."""
    return float(np.linalg.norm(data.body("object").xpos - data.site("goal").xpos))


def horizontal_distance(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """The same without the vertical."""
    return float(np.linalg.norm((data.body("object").xpos - data.site("goal").xpos)[:2]))


def height(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Height of the object's centre above the table, in m."""
    return float(data.body("object").xpos[2])
