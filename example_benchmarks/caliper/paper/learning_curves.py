"""Figure 3: R2 with the calibration clips against the number of training episodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytest_benchcheck import spread
from pytest_benchcheck.example_benchmarks.caliper.paper.features import SceneFeatures

__all__ = ["TRAINING_SIZES", "learning_curves"]

TRAINING_SIZES = (75, 150, 300, 600, 1_200, 1_600)


def learning_curves(scene: SceneFeatures, *, repeats: int, seed: int) -> list[dict[str, Any]]:
    """One row a representation and size, with every block and the commanded speed.

    The first ``size`` / 0.8 episodes are cross-validated in five folds, so that ``size`` of them
    train. The paper does not say how it chose its subsets.
    """
    rows = []
    simulated = scene.simulated
    target = np.log(simulated.displacements[:, 2])
    for size in TRAINING_SIZES:
        n = round(size / 0.8)
        if n > len(simulated):
            continue
        features = {
            name: {clip: values[:n] for clip, values in clips.items()}
            for name, clips in scene.features.items()
        }
        result = spread(
            features,
            target[:n],
            covariates=simulated.query_speed[:n, None],
            roles=dict.fromkeys(features, "candidate"),
            repeats=repeats,
            seed=seed,
        )
        rows += [
            {"representation": row["representation"], "training_episodes": size, "r2": row["r2"]}
            for row in result.rows
        ]
    return rows
