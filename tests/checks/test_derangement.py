from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_benchcheck.checks.derangement import derangement, derangement_within
from pytest_benchcheck.checks.errors import InputError

group_lists = st.lists(st.integers(0, 9), min_size=1, max_size=40)


def numbered(labels: list[int]) -> np.ndarray:
    return np.unique(labels, return_inverse=True)[1]


def draws(groups: np.ndarray, count: int) -> Counter[tuple[int, ...]]:
    return Counter(
        tuple(derangement(groups, np.random.default_rng(seed)).tolist()) for seed in range(count)
    )


def allowed(groups: np.ndarray) -> set[tuple[int, ...]]:
    return {
        image
        for image in permutations(range(groups.size))
        if all(groups[i] != groups[j] for i, j in enumerate(image))
    }


@settings(deadline=None, max_examples=200)
@given(labels=group_lists, seed=st.integers(0, 2**32 - 1))
def test_a_swap_is_a_permutation_without_fixed_points_or_pairs_of_one_group(labels, seed):
    groups = numbered(labels)
    assume(2 * np.bincount(groups).max() <= groups.size)
    image = derangement(groups, np.random.default_rng(seed))
    assert sorted(image.tolist()) == list(range(groups.size))
    assert (image != np.arange(groups.size)).all()
    assert (groups[image] != groups).all()


@settings(deadline=None, max_examples=100)
@given(labels=group_lists, seed=st.integers(0, 2**32 - 1))
def test_a_group_larger_than_half_is_refused_with_its_size(labels, seed):
    groups = numbered(labels)
    largest = int(np.bincount(groups).max())
    assume(2 * largest > groups.size)
    with pytest.raises(InputError, match=f"one group holds {largest} of {groups.size} rows"):
        derangement(groups, np.random.default_rng(seed))


def test_a_single_row_cannot_be_swapped():
    with pytest.raises(InputError, match="no swap exists"):
        derangement(np.zeros(1, dtype=int), np.random.default_rng(0))


@pytest.mark.parametrize(
    "labels",
    [[0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 0, 1, 1], [0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]],
)
def test_every_allowed_swap_appears_about_equally_often(labels):
    groups = np.array(labels)
    possible = allowed(groups)
    seen = draws(groups, 25 * len(possible) + 100)
    assert set(seen) == possible
    assert stats.chisquare(list(seen.values())).pvalue > 1e-3


def test_all_nine_derangements_of_four_rows_appear():
    assert len(draws(np.arange(4), 500)) == 9


def test_the_draw_depends_on_nothing_but_the_generator():
    groups = np.repeat(np.arange(5), 4)
    first = derangement(groups, np.random.default_rng(3))
    assert np.array_equal(first, derangement(groups, np.random.default_rng(3)))
    assert not np.array_equal(first, derangement(groups, np.random.default_rng(4)))


def test_groups_are_broken_up_rather_than_moved_whole():
    groups = np.repeat(np.arange(20), 10)
    image = derangement(groups, np.random.default_rng(0))
    sources = [np.unique(groups[image[groups == g]]).size for g in range(20)]
    assert np.mean(sources) > 5


@settings(deadline=None, max_examples=50)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=6, max_size=20),
    parts=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_swap_inside_the_folds_stays_inside_them_wherever_it_can(sizes, parts, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    part_of_row = groups % parts
    rows = [np.flatnonzero(part_of_row == part) for part in range(parts)]
    assume(2 * max(sizes) <= groups.size)
    image = derangement_within(rows, groups, np.random.default_rng(seed))
    assert sorted(image.tolist()) == list(range(groups.size))
    assert (groups[image] != groups).all()
    if all(2 * np.bincount(groups[part]).max() <= part.size for part in rows):
        assert (part_of_row[image] == part_of_row).all()


def test_a_fold_of_one_group_is_deranged_together_with_the_others():
    groups = np.array([0, 0, 0, 1, 1, 2, 2])
    rows = [np.arange(3), np.arange(3, 7)]
    image = derangement_within(rows, groups, np.random.default_rng(0))
    assert (groups[image] != groups).all()
