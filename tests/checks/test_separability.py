from __future__ import annotations

from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_benchcheck.checks.inference import group_sums_of_scores
from pytest_benchcheck.checks.separability import separability
from pytest_benchcheck.checks.spread import spread


def sums_of(means: list[float], noise: float = 1.0, n: int = 40, seed: int = 0):
    rng = np.random.default_rng(seed)
    shared = rng.standard_normal(n)
    scores = {
        f"m{i}": shared + mean + noise * rng.standard_normal(n) for i, mean in enumerate(means)
    }
    return group_sums_of_scores(scores, np.arange(n)), scores


def test_pairs_have_the_intervals_of_tukeys_paired_comparisons():
    sums, scores = sums_of([0.0, 0.4, 1.1])
    found = separability(sums, list(scores), 0.95)
    critical = stats.studentized_range.ppf(0.95, 3, 39) / np.sqrt(2)
    for pair in found.pairs:
        d = scores[pair["higher"]] - scores[pair["lower"]]
        half = critical * d.std(ddof=1) / np.sqrt(40)
        assert pair["difference"] == pytest.approx(d.mean())
        assert pair["difference"] >= 0
        assert pair["interval"] == pytest.approx((d.mean() - half, d.mean() + half))
        assert pair["separated"] == (d.mean() > half)
    assert len(found.pairs) == 3


def test_clear_steps_are_as_many_ranks_and_ties_are_one():
    sums, scores = sums_of([0, 0, 0, 3, 3, 9], noise=0.3)
    found = separability(sums, list(scores), 0.95)
    assert found.ranks == 3
    assert found.rank_intervals["m5"] == (1, 1)
    assert found.rank_intervals["m3"] == found.rank_intervals["m4"] == (2, 3)
    assert {found.rank_intervals[f"m{i}"] for i in range(3)} == {(4, 6)}


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1), min_size=2, max_size=6), st.integers(0, 20))
def test_ranks_are_the_longest_chain_of_separated_pairs(means, seed):
    sums, scores = sums_of(means, noise=0.5, seed=seed)
    found = separability(sums, list(scores), 0.95)
    separated = {(p["higher"], p["lower"]) for p in found.pairs if p["separated"]}
    chains = [
        len(chain)
        for k in range(1, len(means) + 1)
        for subset in combinations(scores, k)
        for chain in permutations(subset)
        if all(step in separated for step in pairwise(chain))
    ]
    assert found.ranks == max(chains)
    for name, (best, worst) in found.rank_intervals.items():
        own = 1 + sum(sums.scores[other] > sums.scores[name] for other in scores)
        assert 1 <= best <= own
        assert best <= worst <= len(means)


@settings(deadline=None)
@given(st.permutations(range(4)), st.floats(-5, 5))
def test_order_of_names_and_a_common_shift_change_nothing(order, shift):
    _, scores = sums_of([0.0, 0.2, 0.9, 1.0])
    names = [f"m{i}" for i in order]
    moved = group_sums_of_scores({n: scores[n] + shift for n in names}, np.arange(40))
    one = separability(group_sums_of_scores(scores, np.arange(40)), list(scores), 0.95)
    two = separability(moved, names, 0.95)
    assert (one.ranks, dict(one.rank_intervals)) == (two.ranks, dict(two.rank_intervals))


def test_too_few_groups_separate_nothing():
    sums, scores = sums_of([0.0, 5.0], n=9)
    assert separability(sums, list(scores), 0.95) is None


def test_a_spread_says_how_many_ranks_its_leaderboard_may_claim():
    _, scores = sums_of([0, 0, 6], noise=0.3)
    result = spread(scores)
    assert result.distinguishable_ranks == 2
    assert [row["rank_interval"] for row in result.rows] == [(2, 3), (2, 3), (1, 1)]
    assert sum(pair["separated"] for pair in result.separability) == 2
    assert result.to_dict()["distinguishable_ranks"] == 2


def test_published_scores_have_no_ranks_to_claim():
    result = spread({"raw_pixels": 0.5, "model": 0.9})
    assert result.distinguishable_ranks is None
    assert result.separability == ()
