"""CALIPER as a benchmark that can be audited: cells, matched pairs and episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pytest_benchcheck import Benchmark, Cell, Episodes, Outcome
from pytest_benchcheck.example_benchmarks.caliper.appearance import SCENES, Scene
from pytest_benchcheck.example_benchmarks.caliper.clips import CLIP_NAMES, RenderedClips
from pytest_benchcheck.example_benchmarks.caliper.draws import (
    draw_half_extents,
    draw_physics,
    geometry_stream,
    physics_stream,
)
from pytest_benchcheck.example_benchmarks.caliper.scene import build_scene
from pytest_benchcheck.example_benchmarks.caliper.simulation import (
    CALIBRATION_SPEEDS,
    simulate_episodes,
)
from pytest_benchcheck.example_benchmarks.caliper.strikes import at_rest, strike

__all__ = ["Caliper"]

STRIKES: Mapping[str, float | None] = {
    "calibration_slow": CALIBRATION_SPEEDS[0],
    "calibration_fast": CALIBRATION_SPEEDS[1],
    "query": None,
}
"""Task of the effect-size audit -> speed of the strike in m/s; None: the episode's own."""

PERTURBATIONS: Mapping[str, float] = {"mass": 1.5, "friction": 1.5}
"""Property -> the factor that its perturbation multiplies it by."""


class Caliper(Benchmark):
    """Calibrate, then predict: how far will a box slide whose mass and friction no image shows?

    An episode strikes one box twice at known speeds (the calibration clips) and once more at a
    speed of its own (the query clip, which ends at first contact). The target is the logarithm of
    the query's displacement in metres; the commanded query speed is known to every readout. Needs
    the extra ``mujoco``, and an OpenGL library to render.

    Attributes
    ----------
    scene
        ``"clean"``: camera, light and floor are fixed, the table is empty. ``"nuisance"``: camera,
        light, floor tint and two distractors are drawn afresh for every clip.
    frames
        Frames per clip, from 2 to 22.
    resolution
        Height and width of a frame in pixels.
    strength
        Of the nuisance, from 0 (looks like the clean scene) to 1.

    References
    ----------
    CALIPER, arXiv 2609.08250, section 3 and appendix B.
    """

    scene: Scene = "clean"
    frames: int = 4
    resolution: int = 64
    strength: float = 1.0
    default_episodes = 2000

    def cells(self) -> Sequence[Cell]:
        """Mass and friction, each in every one of the episode's three strikes."""
        return [
            Cell(task, name, {"factor": factor}, twin=Cell(task, "unperturbed"))
            for task in STRIKES
            for name, factor in PERTURBATIONS.items()
        ]

    def simulate(self, cell: Cell | None, seed: int) -> Outcome:
        """Displacement in metres after one strike on the box that ``seed`` draws."""
        if cell is None:
            raise ValueError("CALIPER has a twin for each strike: ask for the cell's twin")
        physics = draw_physics(physics_stream(seed, 0))
        factor = {cell.property: float(cell.parameters.get("factor", 1.0))}
        model = build_scene(
            draw_half_extents(geometry_stream(seed, 0)),
            mass=physics.mass * factor.get("mass", 1.0),
            friction=physics.friction * factor.get("friction", 1.0),
        )
        speed = STRIKES[cell.task]
        slide = strike(model, at_rest(model), physics.query_speed if speed is None else speed)
        return Outcome(slide.displacement, unit="m")

    def episodes(self, n: int, seed: int) -> Episodes:
        """``n`` accepted episodes; both scenes show the same ones. Frames render when sliced.

        Raises
        ------
        ValueError
            If ``scene`` is none of the two, or ``strength`` is not in 0-1.
        """
        if self.scene not in SCENES:
            raise ValueError(f"{self.name}.scene must be one of {SCENES}, got {self.scene!r}")
        if not 0 <= self.strength <= 1:
            raise ValueError(f"{self.name}.strength must be from 0 to 1, got {self.strength!r}")
        simulated = simulate_episodes(n, seed)
        log_mass = np.log(simulated.mass)
        return Episodes(
            target=np.log(simulated.displacements[:, 2]),
            clips={
                name: RenderedClips(
                    name,
                    simulated,
                    scene=self.scene,
                    seed=seed,
                    frames=self.frames,
                    resolution=self.resolution,
                    strength=self.strength,
                )
                for name in CLIP_NAMES
            },
            covariates=simulated.query_speed[:, None],
            latents={"log_mass": log_mass, "friction": simulated.friction},
            evidence=CLIP_NAMES[:2],
            references={
                "true_mass_and_friction": np.column_stack([log_mass, simulated.friction]),
                "true_calibration_displacements": np.log(simulated.displacements[:, :2]),
            },
        )
