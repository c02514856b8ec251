"""False alarms and power of the spread's intervals, on six representations with fitted readouts."""

from __future__ import annotations

import numpy as np

from pytest_benchcheck.checks.inference import Differences, group_sums
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.nadeau_bengio import fold_differences
from pytest_benchcheck.checks.range_bounds import best_minus_trivial_bounds, range_bounds
from pytest_benchcheck.checks.readout import Condition, cross_validate
from pytest_benchcheck.checks.reduction import Block

NAMES = ["raw_pixels", "a", "b", "c", "d", "e"]
# Noise on the causes of the target that a representation carries.
EQUAL = 0.6


def decisions(rng: np.random.Generator, design, levels: list[float]) -> dict[str, bool]:
    causes = design.normal(rng, 3)
    y = causes.sum(axis=1) / np.sqrt(3) + 0.5 * design.residual(rng)
    blocks = {
        name: Block(design.features(rng, causes + level * design.normal(rng, 3)))
        for name, level in zip(NAMES, levels, strict=True)
    }
    problem, _ = make_problem(y, groups=design.groups, components=design.components)
    scores = cross_validate({n: Condition({"x": block}) for n, block in blocks.items()}, problem)
    found = {}
    for method, differences in {
        "group t": group_sums(scores, problem),
        "Nadeau-Bengio": fold_differences(scores, problem),
    }.items():
        found |= {f"{method}, {k}": v for k, v in _decided(differences).items()}
    return found


def _decided(differences: Differences) -> dict[str, bool]:
    def ranked(names: list[str]) -> bool:
        bounds = range_bounds(differences, names, 0.95)
        assert bounds is not None
        return bounds.interval[0] > 0

    def beaten(candidates: list[str]) -> bool:
        bounds = best_minus_trivial_bounds(differences, candidates, NAMES[:1], 0.95)
        assert bounds is not None
        return bounds[0] > 0

    return {
        "range of two": ranked([NAMES[0], NAMES[-1]]),
        "range of six": ranked(NAMES),
        "one against trivial": beaten(NAMES[-1:]),
        "five against trivial": beaten(NAMES[1:]),
    }


def test_spread_of_equal_representations(design, simulation):
    simulation.run(lambda rng: decisions(rng, design, [EQUAL] * 6))
    for question in ("range of two", "range of six", "one against trivial", "five against trivial"):
        simulation.assert_at_most(f"group t, {question}", 0.05)


def test_spread_of_unequal_representations(power_design, simulation):
    # So much that neither method finds all or nothing: independent rows say more than grouped ones.
    step = 0.15 if power_design.icc else 0.06
    simulation.run(
        lambda rng: decisions(rng, power_design, [EQUAL + step, *[EQUAL] * 4, EQUAL - step])
    )
    for question in ("range of two", "five against trivial"):
        # Twice what chance would find; how it compares with Nadeau-Bengio's is in the docs.
        assert simulation.rate(f"group t, {question}") > 0.1
