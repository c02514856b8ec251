"""What a clip looks like: fixed in the clean scene, drawn afresh for every clip under nuisance."""

from __future__ import annotations

import colorsys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from pytest_benchcheck.example_benchmarks.caliper.camera import NOMINAL, Camera, sees_workspace
from pytest_benchcheck.example_benchmarks.caliper.draws import appearance_stream

if TYPE_CHECKING:
    import mujoco

__all__ = ["SCENES", "Appearance", "Distractor", "Scene", "draw_appearance", "paint"]

Scene = Literal["clean", "nuisance"]
SCENES: tuple[Scene, ...] = ("clean", "nuisance")
RGB = tuple[float, float, float]

FIELD_OF_VIEW_SCALE = (1.14, 1.30)
"""Times the clean scene's; paper, appendix B."""
# The paper gives no ranges of the pose, but says what keeps the workspace in view: a field of view
# wider by 1.14 to 1.30. The ranges are the widest, in these proportions, from which every pose
# sees the workspace at every such width: the most demanding pose needs 1.14.
AZIMUTH_JITTER = 7.0
ELEVATION_JITTER = 4.1
DISTANCE_JITTER = 0.048
AIM_JITTER = 0.0135
_TILT = np.pi / 3
_LIGHT, _LIGHT_JITTER = 0.6, 0.3
_AMBIENT, _AMBIENT_JITTER = 0.35, 0.15
_FLOOR, _FLOOR_JITTER = 0.55, 0.35

# Behind the box's path, or so far in front of it that the camera looks over a distractor.
_DISTRACTOR_X = (-0.20, 0.28)
_DISTRACTOR_BANDS = ((0.12, 0.24), (-0.24, -0.20))
_DISTRACTOR_HALF_SIZE = (0.015, 0.045)


@dataclass(frozen=True)
class Distractor:
    """An object beside the path that takes no part in the physics.

    Attributes
    ----------
    x, y, yaw
        Pose on the floor, in metres and radians.
    half_size
        Half-extents, or radius twice and half-height, in metres.
    colour
        RGB in 0-1.
    """

    x: float
    y: float
    yaw: float
    half_size: tuple[float, float, float]
    colour: RGB


@dataclass(frozen=True)
class Appearance:
    """Everything about a clip that is not physics; distractors are a box and a cylinder, or none.

    ``light_direction`` is the way the light travels; ``light`` and ``ambient`` are intensities in
    0-1; colours are RGB in 0-1.
    """

    box: RGB
    camera: Camera = NOMINAL
    light_direction: tuple[float, float, float] = (0.0, 0.3, -1.0)
    light: float = _LIGHT
    ambient: float = _AMBIENT
    floor: RGB = (_FLOOR, _FLOOR, _FLOOR)
    distractors: tuple[Distractor, ...] = ()


def draw_appearance(
    scene: Scene, seed: int, episode: int, clip: int, *, strength: float = 1.0
) -> Appearance:
    """Draw what clip number ``clip`` of an episode looks like.

    The box keeps its colour through the clips of an episode, and has the same one in both scenes.
    Ranges of the nuisance scene: camera azimuth +-7 degrees, elevation +-4.1 degrees, distance
    +-4.8 cm, aim +-1.35 cm along each axis, field of view 1.14 to 1.30 times the clean scene's;
    light from up to 60 degrees off the vertical, at 0.3 to 0.9 of full intensity; ambient light
    0.2 to 0.5; floor tint 0.2 to 0.9 per channel; a box and a cylinder beside the path. Every
    camera is checked to see the workspace (paper, appendix B).

    Parameters
    ----------
    scene
        ``"clean"`` or ``"nuisance"``.
    seed, episode, clip
        Address the stream of the draw.
    strength
        Of the nuisance, from 0 (the clean scene) to 1: it multiplies the width of every range, how
        far the field of view and the light's direction leave the clean scene's, and the size of
        the distractors. The same draws underlie every strength.

    Raises
    ------
    ValueError
        If ``strength`` is not in 0-1, or the camera does not see the workspace.
    """
    if not 0 <= strength <= 1:
        raise ValueError(f"the strength of the nuisance must be from 0 to 1, got {strength!r}")
    colour = _vivid(appearance_stream(seed, episode))
    if scene == "clean" or strength == 0:
        return Appearance(box=colour)
    rng = appearance_stream(seed, episode, clip)

    def around(middle: float, width: float) -> float:
        return middle + float(rng.uniform(-width, width)) * strength

    camera = replace(
        NOMINAL,
        azimuth=around(NOMINAL.azimuth, AZIMUTH_JITTER),
        elevation=around(NOMINAL.elevation, ELEVATION_JITTER),
        distance=around(NOMINAL.distance, DISTANCE_JITTER),
        lookat=_triple(around(axis, AIM_JITTER) for axis in NOMINAL.lookat),
        fovy=NOMINAL.fovy * (1 + strength * (float(rng.uniform(*FIELD_OF_VIEW_SCALE)) - 1)),
    )
    if not sees_workspace(camera):
        raise ValueError(
            f"clip {clip} of episode {episode}, seed {seed}: the workspace is not in view of "
            f"{camera}: a camera that crops the slide makes the episode unanswerable"
        )
    tilt, heading = strength * rng.uniform(0, _TILT), rng.uniform(0, 2 * np.pi)
    sideways = np.tan(tilt)
    return Appearance(
        box=colour,
        camera=camera,
        light_direction=(np.cos(heading) * sideways, np.sin(heading) * sideways, -1.0),
        light=around(_LIGHT, _LIGHT_JITTER),
        ambient=around(_AMBIENT, _AMBIENT_JITTER),
        floor=_triple(around(_FLOOR, _FLOOR_JITTER) for _ in range(3)),
        distractors=tuple(_draw_distractor(rng, strength, round_=r) for r in (False, True)),
    )


def _triple(values: Iterable[float]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def _vivid(rng: np.random.Generator) -> RGB:
    return colorsys.hsv_to_rgb(rng.uniform(), rng.uniform(0.6, 1.0), rng.uniform(0.6, 1.0))


def _draw_distractor(rng: np.random.Generator, scale: float, *, round_: bool) -> Distractor:
    width, depth, height = scale * rng.uniform(*_DISTRACTOR_HALF_SIZE, 3)
    band = _DISTRACTOR_BANDS[rng.integers(2)]
    return Distractor(
        x=float(rng.uniform(*_DISTRACTOR_X)),
        y=float(rng.uniform(*band)),
        yaw=float(rng.uniform(0, np.pi)),
        half_size=(float(width), float(width if round_ else depth), float(height)),
        colour=_vivid(rng),
    )


def paint(model: mujoco.MjModel, data: mujoco.MjData, appearance: Appearance) -> None:
    """Write an appearance, except its camera's pose, into the fields of a compiled scene."""
    model.geom("box").rgba[:3] = appearance.box
    model.geom("floor").rgba[:3] = appearance.floor
    direction = np.array(appearance.light_direction)
    model.light("lamp").dir[:] = direction / np.linalg.norm(direction)
    model.light("lamp").diffuse[:] = appearance.light
    model.vis.headlight.ambient[:] = appearance.ambient
    model.vis.global_.fovy = appearance.camera.fovy
    # Mocap poses follow the order of the bodies in the scene: the box, then the cylinder.
    for index, name in enumerate(("distractor_box", "distractor_cylinder")):
        model.geom(name).rgba[3] = 0.0
        if index < len(appearance.distractors):
            distractor = appearance.distractors[index]
            width, depth, height = distractor.half_size
            round_ = name == "distractor_cylinder"
            model.geom(name).size[:] = (width, height, 0) if round_ else (width, depth, height)
            model.geom(name).rgba[:] = (*distractor.colour, 1.0)
            data.mocap_pos[index] = (distractor.x, distractor.y, height)
            half = distractor.yaw / 2
            data.mocap_quat[index] = (np.cos(half), 0.0, 0.0, np.sin(half))
