"""Table 2: choose the push speed whose predicted displacement is the goal; execute it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_benchcheck import held_out_predictions
from pytest_benchcheck.example_benchmarks.caliper.paper.features import CALIBRATION, SceneFeatures
from pytest_benchcheck.example_benchmarks.caliper.scene import build_scene
from pytest_benchcheck.example_benchmarks.caliper.strikes import at_rest, strike

if TYPE_CHECKING:
    from jaxtyping import Float

    from pytest_benchcheck.example_benchmarks.caliper.simulation import Simulated

__all__ = ["SPEED_GRID", "chosen_speeds", "executed", "speed_selection"]

SPEED_GRID = np.linspace(0.40, 0.85, 451)
"""m/s; appendix B, "Readout details"."""

TOLERANCE = 0.010


def chosen_speeds(
    blocks: Mapping[str, Float[np.ndarray, "n d"]],
    simulated: Simulated,
    *,
    repeats: int,
    seed: int,
) -> Float[np.ndarray, "repeats n"]:
    """Speeds that the held-out readout expects to reach each episode's own query displacement.

    Parameters
    ----------
    blocks
        Name -> features that the readout has beside the commanded speed; may be empty.
    simulated
        The episodes. Their goals are their own query displacements, so that every goal is
        reachable (paper, table 2).
    repeats, seed
        Of the cross-validation.
    """
    predicted = held_out_predictions(
        blocks,
        np.log(simulated.displacements[:, 2]),
        covariates=simulated.query_speed[:, None],
        at=SPEED_GRID[:, None],
        repeats=repeats,
        seed=seed,
    )
    goals = simulated.displacements[:, 2]
    nearest = np.argmin(np.abs(np.exp(predicted) - goals[None, :, None]), axis=2)
    return np.asarray(SPEED_GRID[nearest])


def executed(
    simulated: Simulated, speeds: Float[np.ndarray, "repeats n"]
) -> Float[np.ndarray, "repeats n"]:
    """Displacements in metres of the chosen strikes, with the episodes' true physics."""

    def strikes(index: int) -> list[float]:
        model = build_scene(
            simulated.half_extents[index],
            float(simulated.mass[index]),
            float(simulated.friction[index]),
        )
        rest = at_rest(model)
        return [strike(model, rest, float(v)).displacement for v in speeds[:, index]]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return np.array(list(pool.map(strikes, range(len(simulated))))).T


def speed_selection(scene: SceneFeatures, *, repeats: int, seed: int) -> list[dict[str, Any]]:
    """One row a representation: median miss in mm and share within 10 mm.

    The last two rows are the true mass and friction, and the commanded speed alone.
    """
    simulated = scene.simulated
    choices: dict[str, Mapping[str, Any]] = {
        name: {clip: clips[clip] for clip in CALIBRATION} for name, clips in scene.features.items()
    }
    state = np.column_stack([np.log(simulated.mass), simulated.friction])
    choices |= {"true mass and friction": {"state": state}, "ignore object": {}}
    rows = []
    for name, blocks in choices.items():
        speeds = chosen_speeds(blocks, simulated, repeats=repeats, seed=seed)
        miss = np.abs(executed(simulated, speeds) - simulated.displacements[None, :, 2])
        rows.append(
            {
                "representation": name,
                "median_miss_mm": 1e3 * float(np.median(miss)),
                "within_10mm": float(np.mean(miss <= TOLERANCE)),
            }
        )
    return rows
