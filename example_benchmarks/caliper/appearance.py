"""What a clip looks like: fixed in the clean scene, drawn afresh for every clip under nuisance."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from pytest_benchcheck.example_benchmarks.caliper.camera import NOMINAL, Camera, widened_to_see
from pytest_benchcheck.example_benchmarks.caliper.draws import appearance_stream

if TYPE_CHECKING:
    import mujoco

__all__ = ["SCENES", "Appearance", "Distractor", "Scene", "draw_appearance", "paint"]

Scene = Literal["clean", "nuisance"]
SCENES: tuple[Scene, ...] = ("clean", "nuisance")
RGB = tuple[float, float, float]

AZIMUTH_JITTER = 5.0
ELEVATION_JITTER = 3.0
DISTANCE_JITTER = 0.035
AIM_JITTER = 0.01
FIELD_OF_VIEW_SCALE = (1.14, 1.30)

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
    light: float = 0.6
    ambient: float = 0.35
    floor: RGB = (0.55, 0.55, 0.55)
    distractors: tuple[Distractor, ...] = ()


def draw_appearance(scene: Scene, seed: int, episode: int, clip: int) -> Appearance:
    """Draw what clip number ``clip`` of an episode looks like.

    The box keeps its colour through the clips of an episode, and has the same one in both scenes.
    Ranges of the nuisance scene: camera azimuth +-5 degrees, elevation +-3 degrees, distance
    +-3.5 cm, aim +-1 cm along each axis, field of view 1.14 to 1.30 times the clean scene's; light
    from up to 60 degrees off the vertical, at 0.3 to 0.9 of full intensity; ambient light 0.2 to
    0.5; floor tint 0.2 to 0.9 per channel. Every camera is checked to see the workspace (paper,
    appendix B).
    """
    colour = _vivid(appearance_stream(seed, episode))
    if scene == "clean":
        return Appearance(box=colour)
    rng = appearance_stream(seed, episode, clip)
    camera = replace(
        NOMINAL,
        azimuth=NOMINAL.azimuth + rng.uniform(-AZIMUTH_JITTER, AZIMUTH_JITTER),
        elevation=NOMINAL.elevation + rng.uniform(-ELEVATION_JITTER, ELEVATION_JITTER),
        distance=NOMINAL.distance + rng.uniform(-DISTANCE_JITTER, DISTANCE_JITTER),
        lookat=_triple(np.array(NOMINAL.lookat) + rng.uniform(-AIM_JITTER, AIM_JITTER, 3)),
    )
    scale = float(rng.uniform(*FIELD_OF_VIEW_SCALE))
    tilt, heading = rng.uniform(0, np.pi / 3), rng.uniform(0, 2 * np.pi)
    sideways = np.tan(tilt)
    direction = np.array([np.cos(heading) * sideways, np.sin(heading) * sideways, -1.0])
    return Appearance(
        box=colour,
        camera=widened_to_see(camera, scale, FIELD_OF_VIEW_SCALE[1]),
        light_direction=_triple(direction),
        light=float(rng.uniform(0.3, 0.9)),
        ambient=float(rng.uniform(0.2, 0.5)),
        floor=_triple(rng.uniform(0.2, 0.9, 3)),
        distractors=(_draw_distractor(rng, round_=False), _draw_distractor(rng, round_=True)),
    )


def _triple(values: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return (x, y, z)


def _vivid(rng: np.random.Generator) -> RGB:
    return colorsys.hsv_to_rgb(rng.uniform(), rng.uniform(0.6, 1.0), rng.uniform(0.6, 1.0))


def _draw_distractor(rng: np.random.Generator, *, round_: bool) -> Distractor:
    width, depth, height = rng.uniform(*_DISTRACTOR_HALF_SIZE, 3)
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
