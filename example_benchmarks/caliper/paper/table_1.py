"""Table 1: query, + calibration, + swapped calibration, and the references."""

from __future__ import annotations

from typing import Any

import numpy as np

from pytest_benchcheck import spread, swap
from pytest_benchcheck.example_benchmarks.caliper.paper.features import CALIBRATION, SceneFeatures

__all__ = ["table_1"]


def table_1(scene: SceneFeatures, *, repeats: int, seed: int) -> dict[str, Any]:
    """Rows of the swap, the range of the column + calibration, and the references."""
    simulated = scene.simulated
    target = np.log(simulated.displacements[:, 2])
    speed = simulated.query_speed[:, None]
    swapped = swap(
        scene.features,
        target,
        evidence=CALIBRATION,
        covariates=speed,
        repeats=repeats,
        seed=seed,
    )
    state = {
        "true mass and friction": np.column_stack([np.log(simulated.mass), simulated.friction]),
        "true calibration displacements": np.log(simulated.displacements[:, :2]),
    }
    judged = spread(
        scene.features,
        target,
        covariates=speed,
        roles=dict.fromkeys(scene.features, "candidate"),
        references=state,
        repeats=repeats,
        seed=seed,
    )
    columns = ("representation", "query", "query_evidence", "query_swapped")
    return {
        "rows": [{key: row[key] for key in columns} for row in swapped.rows],
        "range": judged.estimate,
        "range_interval": judged.interval,
        "references": [dict(row) for row in judged.references],
    }
