"""Clips that render recorded states when they are sliced."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pytest_benchcheck.example_benchmarks.caliper.appearance import Scene, draw_appearance, paint
from pytest_benchcheck.example_benchmarks.caliper.scene import PUCK_RADIUS, build_scene
from pytest_benchcheck.example_benchmarks.caliper.simulation import Simulated
from pytest_benchcheck.example_benchmarks.caliper.strikes import SLIDE_FRAMES
from pytest_benchcheck.fixtures.simulators.rendering import FrameRenderer

if TYPE_CHECKING:
    import mujoco
    from jaxtyping import Float, UInt8

    from pytest_benchcheck.example_benchmarks.caliper.camera import Camera

__all__ = ["APPROACH", "CLIP_NAMES", "ClipName", "RenderedClips"]

ClipName = Literal["calibration_slow", "calibration_fast", "query"]
CLIP_NAMES: tuple[ClipName, ...] = ("calibration_slow", "calibration_fast", "query")

APPROACH = 0.15
"""Seconds before first contact at which a query clip starts."""

_stages = threading.local()


class RenderedClips:
    """One clip of every episode: uint8 ``(b, T, H, W, 3)`` when sliced, nothing in memory before.

    A calibration clip shows the whole slide, from first contact until the box has come to rest. A
    query clip shows the approach and ends at first contact. The times of the frames are the same
    in all episodes, so that they tell nothing of the outcome.

    Parameters
    ----------
    name
        Which of the three clips.
    simulated
        The episodes.
    scene
        ``"clean"`` or ``"nuisance"``.
    seed
        Seed of the appearance.
    frames
        T, from 2 to ``SLIDE_FRAMES``.
    resolution
        H and W in pixels.
    strength
        Of the nuisance, 0-1; see :func:`draw_appearance`.
    """

    def __init__(
        self,
        name: ClipName,
        simulated: Simulated,
        *,
        scene: Scene,
        seed: int,
        frames: int,
        resolution: int,
        strength: float = 1.0,
    ) -> None:
        if not 2 <= frames <= SLIDE_FRAMES:
            raise ValueError(f"frames must be from 2 to {SLIDE_FRAMES}, got {frames}")
        self._clip = CLIP_NAMES.index(name)
        self._simulated = simulated
        self._scene = scene
        self._seed = seed
        self._frames = frames
        self._resolution = resolution
        self._strength = strength

    def __len__(self) -> int:
        """Number of episodes."""
        return len(self._simulated)

    def __getitem__(self, rows: slice, /) -> UInt8[np.ndarray, "b T H W 3"]:
        """Render the episodes in ``rows``.

        Raises
        ------
        OpenGLUnavailableError
            If there is no OpenGL to render with.
        BlackFrameError
            If a frame came out all black.
        """
        if not isinstance(rows, slice):
            raise TypeError(f"clips are sliced by episodes, e.g. clips[0:8]; got {rows!r}")
        episodes = range(*rows.indices(len(self)))
        shape = (self._frames, self._resolution, self._resolution, 3)
        clips = np.empty((len(episodes), *shape), dtype=np.uint8)
        for row, episode in enumerate(episodes):
            self._render(episode, clips[row])
        return clips

    def states(self, episode: int) -> Float[np.ndarray, "T 8"]:
        """``qpos`` in each frame of the clip."""
        if CLIP_NAMES[self._clip] == "query":
            times = np.linspace(-APPROACH, 0.0, self._frames)
            contact = self._simulated.states[episode, 0, 0]
            states = np.tile(contact, (self._frames, 1))
            states[:, 0] += self._simulated.query_speed[episode] * times
            return states
        shown = np.round(np.linspace(0, SLIDE_FRAMES - 1, self._frames)).astype(int)
        slide: Float[np.ndarray, "T 8"] = self._simulated.states[episode, self._clip, shown]
        return slide

    def _render(self, episode: int, out: UInt8[np.ndarray, "T H W 3"]) -> None:
        stage = _stage(self._resolution)
        half_extents = self._simulated.half_extents[episode]
        appearance = draw_appearance(
            self._scene, self._seed, episode, self._clip, strength=self._strength
        )
        stage.model.geom("box").size[:] = half_extents
        stage.model.body("puck").pos[0] = -half_extents[0] - PUCK_RADIUS
        paint(stage.model, stage.data, appearance)
        camera = _free_camera(appearance.camera)
        for frame, state in enumerate(self.states(episode)):
            stage.data.qpos[:] = state
            out[frame] = stage.renderer.render(stage.data, camera)


class _Stage:
    """One compiled scene and its renderer, whose fields are rewritten for every clip."""

    def __init__(self, resolution: int) -> None:
        import mujoco

        self.model = build_scene(np.full(3, 0.03), mass=0.3, friction=0.2)
        # Poses are given: contacts would only cost time.
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT.value
        self.data = mujoco.MjData(self.model)
        self.renderer = FrameRenderer(self.model, height=resolution, width=resolution)


def _stage(resolution: int) -> _Stage:
    stages: dict[int, _Stage] = vars(_stages).setdefault("by_resolution", {})
    if resolution not in stages:
        stages[resolution] = _Stage(resolution)
    return stages[resolution]


def _free_camera(camera: Camera) -> mujoco.MjvCamera:
    import mujoco

    free: Any = mujoco.MjvCamera()
    free.lookat[:] = camera.lookat
    free.distance = camera.distance
    free.azimuth = camera.azimuth
    free.elevation = camera.elevation
    return free
