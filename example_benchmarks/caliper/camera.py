"""The camera: where it stands, and whether it sees the whole workspace."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jaxtyping import Float

__all__ = ["NOMINAL", "WORKSPACE", "Camera", "sees_workspace"]

WORKSPACE = ((-0.24, 0.33), (-0.05, 0.05), (0.0, 0.08))
"""Lowest and highest x, y and z in metres that the puck and the box can occupy in any clip."""


@dataclass(frozen=True)
class Camera:
    """A camera that looks at a point from a distance.

    Attributes
    ----------
    lookat
        The point in metres.
    distance
        From the point, in metres.
    azimuth, elevation
        Direction of view in degrees: 90 looks along +y, a negative elevation looks down.
    fovy
        Field of view in degrees; frames are square.
    """

    lookat: tuple[float, float, float]
    distance: float
    azimuth: float
    elevation: float
    fovy: float

    def axes(self) -> Float[np.ndarray, "3 3"]:
        """Unit vectors to the right, up and forward, one a row."""
        azimuth, elevation = np.deg2rad([self.azimuth, self.elevation])
        forward = np.array(
            [
                np.cos(elevation) * np.cos(azimuth),
                np.cos(elevation) * np.sin(azimuth),
                np.sin(elevation),
            ]
        )
        right = np.array([np.sin(azimuth), -np.cos(azimuth), 0.0])
        return np.stack([right, np.cross(right, forward), forward])

    def position(self) -> Float[np.ndarray, "3"]:
        """Where the camera stands, in metres."""
        position: Float[np.ndarray, "3"] = np.array(self.lookat) - self.distance * self.axes()[2]
        return position

    def project(self, points: Float[np.ndarray, "k 3"]) -> Float[np.ndarray, "k 2"]:
        """Image coordinates of points in front of the camera; the frame is [-1, 1] squared."""
        right_up_depth = (points - self.position()) @ self.axes().T
        half_width = right_up_depth[:, 2:] * np.tan(np.deg2rad(self.fovy) / 2)
        projected: Float[np.ndarray, "k 2"] = right_up_depth[:, :2] / half_width
        return projected


NOMINAL = Camera(
    lookat=(0.045, 0.0, 0.02), distance=0.775, azimuth=90.0, elevation=-35.0, fovy=45.0
)


def sees_workspace(camera: Camera) -> bool:
    """Whether every corner of the workspace is in front of the camera and in the frame."""
    corners = np.array(list(product(*WORKSPACE)))
    depth = (corners - camera.position()) @ camera.axes()[2]
    return bool(depth.min() > 0 and np.abs(camera.project(corners)).max() <= 1.0)
