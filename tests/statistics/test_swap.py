"""False alarms and power of the swap's verdict, with evidence that is noise and that is used."""

from __future__ import annotations

import numpy as np

from pytest_benchcheck.checks.swap import swap


def verdicts(rng: np.random.Generator, design, *, used: bool) -> dict[str, bool]:
    speed, causes = design.normal(rng, 1), design.normal(rng, 2)
    y = speed[:, 0] + causes.sum(axis=1) / np.sqrt(2) + 0.5 * design.residual(rng)
    seen = causes if used else design.normal(rng, 2)
    features = {
        "model": {
            "query": design.features(rng, speed + 0.5 * design.normal(rng, 1)),
            "evidence": design.features(rng, seen + 0.5 * design.normal(rng, 2)),
        }
    }
    result = swap(
        features,
        y,
        evidence="evidence",
        covariates=speed,
        groups=design.groups,
        components=design.components,
    )
    row = result.rows[0]
    return {
        "pass": result.verdict == "pass",
        "fail": result.verdict == "fail",
        "a gain is shown": row["gain_interval"][0] > 0,
        "something is left": row["left_interval"][0] > 0,
    }


def test_swap_of_evidence_that_is_noise(typical_design, simulation):
    simulation.run(lambda rng: verdicts(rng, typical_design, used=False))
    simulation.assert_at_most("pass", 0.05)


def test_swap_of_evidence_that_is_used(typical_design, simulation):
    simulation.run(lambda rng: verdicts(rng, typical_design, used=True))
    simulation.assert_at_most("fail", 0.05)
