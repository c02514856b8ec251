"""Table 3: what a probe decodes, and what prediction loses when it is erased."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from pytest_benchcheck import erasure, spread
from pytest_benchcheck.example_benchmarks.caliper.paper.features import CALIBRATION, SceneFeatures

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jaxtyping import Float

__all__ = ["erasures", "exact_cost", "leace", "probes"]


def probes(scene: SceneFeatures, *, repeats: int, seed: int) -> list[dict[str, Any]]:
    """R2 of linear probes for log mass and friction, and of the prediction, on the same folds.

    A network's rows come twice, with its frames averaged and concatenated: how they are put
    together moves a probe, and need not move the prediction.
    """
    simulated = scene.simulated
    calibration = _calibration(scene)
    asked = {
        "mass": (np.log(simulated.mass), None),
        "friction": (simulated.friction, None),
        "prediction": (np.log(simulated.displacements[:, 2]), simulated.query_speed[:, None]),
    }
    found: dict[str, dict[str, Any]] = {name: {"representation": name} for name in calibration}
    for key, (target, covariates) in asked.items():
        roles = dict.fromkeys(calibration, "candidate")
        result = spread(
            calibration, target, covariates=covariates, roles=roles, repeats=repeats, seed=seed
        )
        for row in result.rows:
            found[row["representation"]][key] = row["r2"]
    return list(found.values())


def erasures(
    scene: SceneFeatures,
    *,
    repeats: int,
    seed: int,
    eraser: Callable[..., Any] | None = None,
) -> list[dict[str, Any]]:
    """Rows of :func:`pytest_benchcheck.erasure` for log mass and friction."""
    simulated = scene.simulated
    result = erasure(
        scene.features,
        np.log(simulated.displacements[:, 2]),
        latents={"mass": np.log(simulated.mass), "friction": simulated.friction},
        covariates=simulated.query_speed[:, None],
        repeats=repeats,
        seed=seed,
        eraser=eraser,
    )
    return [dict(row) for row in result.rows]


def exact_cost(scene: SceneFeatures, *, repeats: int, seed: int) -> dict[str, float]:
    """What a property's exact erasure must cost: its share of the target's variance.

    Mass, friction and the commanded speed are drawn independently, so that a readout without the
    one cannot make up for it by the others.
    """
    simulated = scene.simulated
    state = {"mass": np.log(simulated.mass), "friction": simulated.friction}
    without = {
        "everything": np.column_stack(list(state.values())),
        "mass": state["friction"][:, None],
        "friction": state["mass"][:, None],
    }
    result = spread(
        without,
        np.log(simulated.displacements[:, 2]),
        covariates=simulated.query_speed[:, None],
        roles=dict.fromkeys(without, "candidate"),
        repeats=repeats,
        seed=seed,
    )
    r2 = {row["representation"]: row["r2"] for row in result.rows}
    return {name: r2["everything"] - r2[name] for name in ("mass", "friction")}


def leace(
    design: Float[np.ndarray, "train p"], latent: Float[np.ndarray, " train"]
) -> Callable[[Float[np.ndarray, "m p"]], Float[np.ndarray, "m p"]]:
    """A LEACE eraser of the ``concept-erasure`` package, in float64 and without shrinkage.

    References
    ----------
    Belrose et al. 2023, "LEACE: Perfect linear concept erasure in closed form".
    """
    with warnings.catch_warnings():
        # The package compiles some of its functions with a torch feature that is going away.
        warnings.simplefilter("ignore", FutureWarning)
        import torch
        from concept_erasure import LeaceFitter
    fitter = LeaceFitter(design.shape[1], 1, dtype=torch.float64, shrinkage=False)
    fitter.update(torch.from_numpy(design), torch.from_numpy(latent[:, None]))
    eraser = fitter.eraser
    return lambda rows: eraser(torch.from_numpy(rows)).numpy()


def _calibration(scene: SceneFeatures) -> Mapping[str, Mapping[str, Any]]:
    return {
        name: {clip: clips[clip] for clip in CALIBRATION} for name, clips in scene.features.items()
    }
