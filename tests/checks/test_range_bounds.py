from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck.checks.inference import (
    GroupSums,
    dunnett_quantile,
    group_sums_of_scores,
    tukey_quantile,
)
from pytest_benchcheck.checks.range_bounds import (
    best_minus_trivial_bounds,
    range_bounds,
    verdict_against,
)

NAMES = ["a", "b", "c", "d"]


def items(n: int = 30, seed: int = 0, shifts: tuple[float, ...] = (0, 0, 0, 0)) -> GroupSums:
    rng = np.random.default_rng(seed)
    values = {
        name: shift + rng.standard_normal(n) for name, shift in zip(NAMES, shifts, strict=True)
    }
    return group_sums_of_scores(values, np.arange(n))


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_the_range_is_bounded_by_its_pairs(seed):
    sums = items(seed=seed)
    bounds = range_bounds(sums, NAMES, 0.95)
    q = tukey_quantile(0.95, 4, 29)
    pairs = [sums.difference(i, j) for i, j in combinations(NAMES, 2)]
    halves = [q * pair.standard_error for pair in pairs]
    sizes = [abs(pair.estimate) for pair in pairs]
    assert bounds.interval[0] == pytest.approx(
        max(0, *(s - h for s, h in zip(sizes, halves, strict=True)))
    )
    assert bounds.interval[1] == pytest.approx(
        max(s + h for s, h in zip(sizes, halves, strict=True))
    )
    assert bounds.half_width == pytest.approx(max(halves))
    assert bounds.interval[0] <= np.ptp(list(sums.scores.values())) <= bounds.interval[1]


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), order=st.permutations(NAMES))
def test_the_order_of_the_representations_changes_no_bound(seed, order):
    sums = items(seed=seed)
    assert range_bounds(sums, order, 0.95) == range_bounds(sums, NAMES, 0.95)


def test_the_range_of_equal_representations_is_rarely_called_positive():
    excluded = sum(range_bounds(items(seed=s), NAMES, 0.95).interval[0] > 0 for s in range(400))
    assert excluded / 400 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_the_interval_of_the_range_covers_a_planted_range():
    covered = 0
    for seed in range(400):
        low, high = range_bounds(items(seed=seed, shifts=(0, 0.5, 1, 1.5)), NAMES, 0.95).interval
        covered += low <= 1.5 <= high
    assert covered / 400 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 400)


def test_best_minus_trivial_is_bounded_below_by_dunnett_and_above_by_tukey():
    sums = items(seed=3)
    low, high = best_minus_trivial_bounds(sums, ["a", "b"], ["c", "d"], 0.95)
    dunnett, tukey = dunnett_quantile(0.95, 2, 29), tukey_quantile(0.95, 4, 29)

    def against(baseline: str, sign: int, quantile: float) -> float:
        pairs = [sums.difference(name, baseline) for name in "ab"]
        return max(pair.estimate + sign * quantile * pair.standard_error for pair in pairs)

    assert low == pytest.approx(min(against("c", -1, dunnett), against("d", -1, dunnett)))
    assert high == pytest.approx(min(against("c", 1, tukey), against("d", 1, tukey)))
    assert low <= max(sums.scores[n] for n in "ab") - max(sums.scores[n] for n in "cd") <= high


@pytest.mark.parametrize("trivial", [["d"], ["c", "d"]])
def test_the_lower_bound_of_best_minus_trivial_errs_rarely_and_the_upper_one_too(trivial):
    shifts, truth = (0.0, 0.3, 0.1, 0.1), 0.2
    below = above = 0
    for seed in range(400):
        sums = items(seed=seed, shifts=shifts)
        low, high = best_minus_trivial_bounds(sums, ["a", "b"], trivial, 0.95)
        below, above = below + (low > truth), above + (high < truth)
    limit = 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert below / 400 <= limit
    assert above / 400 <= limit


def test_a_constant_difference_has_no_width():
    values = np.random.default_rng(0).standard_normal(20)
    sums = group_sums_of_scores({"a": values, "b": values + 0.25}, np.arange(20))
    assert range_bounds(sums, ["a", "b"], 0.95).interval == pytest.approx((0.25, 0.25))


@pytest.mark.parametrize("n", [2, 9])
def test_fewer_than_ten_groups_bound_nothing(n):
    sums = items(n=n)
    assert range_bounds(sums, NAMES, 0.95) is None
    assert best_minus_trivial_bounds(sums, ["a"], ["b"], 0.95) is None


def test_ten_groups_are_enough():
    assert range_bounds(items(n=10), NAMES, 0.95) is not None
    assert best_minus_trivial_bounds(items(n=10), ["a"], ["b"], 0.95) is not None


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        (None, "undecided"),
        ((0.06, 0.07), "pass"),
        ((0.05, 0.07), "undecided"),
        ((0.04, 0.06), "undecided"),
        ((0.0, 0.05), "undecided"),
        ((0.0, 0.04), "fail"),
    ],
)
def test_a_verdict_needs_the_whole_interval_on_one_side_of_the_bar(interval, verdict):
    assert verdict_against(interval, 0.05) == verdict
