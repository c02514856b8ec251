"""False alarms and power of the erasure's verdict: a property that is used, and one that is not."""

from __future__ import annotations

import numpy as np

from pytest_benchcheck.checks.erasure import erasure


def verdicts(rng: np.random.Generator, design, *, used: bool) -> dict[str, bool]:
    speed, cause, other = (design.normal(rng, 1) for _ in range(3))
    y = speed[:, 0] + cause[:, 0] + 0.5 * design.residual(rng)
    seen = np.hstack([cause, other]) + 0.3 * design.normal(rng, 2)
    result = erasure(
        {"model": design.features(rng, seen)},
        y,
        latents={"property": (cause if used else other)[:, 0]},
        covariates=speed,
        groups=design.groups,
        components=design.components,
        bar=0.0,
    )
    return {"pass": result.verdict == "pass", "fail": result.verdict == "fail"}


def test_erasure_of_a_property_that_is_not_used(narrow_design, simulation):
    simulation.run(lambda rng: verdicts(rng, narrow_design, used=False))
    simulation.assert_at_most("pass", 0.05)


def test_erasure_of_a_property_that_is_used(power_design, simulation):
    simulation.run(lambda rng: verdicts(rng, power_design, used=True))
    assert simulation.rate("pass") > 0.25
    assert simulation.rate("fail") < 0.01
