"""False alarms and power of the group t on fitted readouts, on data sets with a fixed seed.

The designs are those of the statistics page: 200 rows, independent, or in 20 scenes of ten with an
intraclass correlation of 0.7; representations of one distribution, so that none is better.
"""

from __future__ import annotations

import numpy as np
import pytest

from pytest_benchcheck.checks.inference import GroupSums, group_sums
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.range_bounds import best_minus_trivial_bounds, range_bounds
from pytest_benchcheck.checks.readout import Condition, cross_validate
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.spread import spread

N = 200
NAMES = ["raw_pixels", "a", "b", "c", "d", "e"]
DESIGNS = {"independent rows": (200, 0.0), "20 scenes of 10": (20, 0.7)}


def data_set(
    seed: int, design: str, names: list[str], worst: float = 1.0, best: float = 1.0
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Representations that see the three causes of the target through noise of their own."""
    n_groups, icc = DESIGNS[design]
    rng = np.random.default_rng(seed)
    groups = np.arange(N) // (N // n_groups)

    def normal(columns: int) -> np.ndarray:
        shared = rng.standard_normal((n_groups, columns))[groups]
        return np.sqrt(icc) * shared + np.sqrt(1 - icc) * rng.standard_normal((N, columns))

    causes = normal(3)
    y = causes.sum(axis=1) / np.sqrt(3) + 0.5 * normal(1)[:, 0]
    noise = dict.fromkeys(names, 1.0) | {names[0]: worst, names[-1]: best}
    features = {
        name: np.hstack([causes + level * normal(3), normal(3)]) for name, level in noise.items()
    }
    return features, y, groups


def fitted(features: dict[str, np.ndarray], y: np.ndarray, groups: np.ndarray) -> GroupSums:
    problem, _ = make_problem(y, groups=groups)
    conditions = {name: Condition({"x": Block(x)}) for name, x in features.items()}
    return group_sums(cross_validate(conditions, problem), problem)


@pytest.mark.parametrize("design", DESIGNS)
def test_exchangeable_representations_are_rarely_told_apart(design):
    sets = 100
    alarms = dict.fromkeys(["pair", "range of six", "one against trivial", "five against"], 0)
    for seed in range(sets):
        sums = fitted(*data_set(seed, design, NAMES))
        alarms["pair"] += range_bounds(sums, NAMES[:2], 0.95).interval[0] > 0
        alarms["range of six"] += range_bounds(sums, NAMES, 0.95).interval[0] > 0
        for name, candidates in (("one against trivial", NAMES[1:2]), ("five against", NAMES[1:])):
            bounds = best_minus_trivial_bounds(sums, candidates, NAMES[:1], 0.95)
            alarms[name] += bounds[0] > 0
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / sets)
    assert all(count / sets <= limit for count in alarms.values()), alarms


@pytest.mark.parametrize(("design", "least"), [("independent rows", 0.9), ("20 scenes of 10", 0.5)])
def test_a_planted_difference_is_found(design, least):
    sets, found, beaten = 16, 0, 0
    for seed in range(sets):
        features, y, groups = data_set(seed, design, ["raw_pixels", "model"], 1.5, 0.4)
        result = spread(features, y, groups=groups, bar=0.0)
        found += result.verdict == "pass"
        beaten += result.best_minus_trivial_interval[0] > 0
    assert found / sets >= least
    assert beaten / sets >= least
