from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.folds import Fold, group_index, repeated_group_folds


@settings(deadline=None, max_examples=60)
@given(
    labels=st.lists(st.integers(0, 12), min_size=10, max_size=60),
    folds=st.integers(2, 5),
    repeats=st.integers(1, 3),
    seed=st.integers(0, 2**31 - 1),
)
def test_folds_partition_the_rows_and_keep_groups_whole(labels, folds, repeats, seed):
    groups = group_index(np.array(labels), len(labels))
    if groups.max() + 1 < folds:
        with pytest.raises(InputError, match="independent groups"):
            repeated_group_folds(groups, folds=folds, repeats=repeats, seed=seed)
        return
    result = repeated_group_folds(groups, folds=folds, repeats=repeats, seed=seed)
    assert [(fold.repeat, fold.number) for fold in result] == [
        (repeat, number) for repeat in range(repeats) for number in range(folds)
    ]
    for repeat in range(repeats):
        tests = np.concatenate([fold.test for fold in result if fold.repeat == repeat])
        assert sorted(tests.tolist()) == list(range(groups.size))
    for fold in result:
        assert sorted([*fold.train, *fold.test]) == list(range(groups.size))
        assert not set(groups[fold.train]) & set(groups[fold.test])
        assert (np.diff(fold.train) > 0).all()
        assert (np.diff(fold.test) > 0).all()


def test_the_seed_alone_decides_the_folds():
    groups = np.arange(30)
    first, again, other = (repeated_group_folds(groups, seed=seed) for seed in (4, 4, 5))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a.test, b.test) for a, b in zip(first, other, strict=True))


def test_repeats_are_different_partitions():
    folds = repeated_group_folds(np.arange(30), repeats=5)
    partitions = {
        frozenset(frozenset(f.test.tolist()) for f in folds if f.repeat == repeat)
        for repeat in range(5)
    }
    assert len(partitions) == 5


def test_more_repeats_keep_the_earlier_ones():
    few, many = (repeated_group_folds(np.arange(20), repeats=r) for r in (2, 5))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(few, many[: len(few)], strict=True))


def test_row_folds_differ_in_size_by_at_most_one():
    sizes = [fold.test.size for fold in repeated_group_folds(np.arange(23))]
    assert set(sizes) == {4, 5}


def test_classes_keep_their_proportion_in_every_fold():
    classes = np.repeat([0, 1], [80, 20])
    for fold in repeated_group_folds(np.arange(100), classes=classes):
        assert classes[fold.test].sum() == 4


@settings(deadline=None, max_examples=60)
@given(
    sizes=st.lists(st.integers(1, 5), min_size=6, max_size=12),
    seed=st.integers(0, 2**31 - 1),
)
def test_no_fold_of_classes_is_empty(sizes, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    classes = np.random.default_rng(seed).permutation(np.arange(groups.size) % 2)
    result = repeated_group_folds(groups, folds=2, repeats=2, seed=seed, classes=classes)
    assert all(fold.test.size and fold.train.size for fold in result)


def test_a_class_with_fewer_rows_than_folds_is_split_in_silence():
    classes = np.array([0] * 30 + [1] * 29 + [2])
    folds = repeated_group_folds(np.arange(60), classes=classes)
    assert len(folds) == 25


def test_classes_that_are_all_rarer_than_the_folds_are_refused():
    with pytest.raises(InputError, match="the largest has 2"):
        repeated_group_folds(np.arange(8), classes=np.repeat(np.arange(4), 2))


@pytest.mark.parametrize(("folds", "repeats"), [(1, 5), (0, 5), (5, 0)])
def test_degenerate_schemes_are_refused(folds, repeats):
    with pytest.raises(InputError, match="folds >= 2 and repeats >= 1"):
        repeated_group_folds(np.arange(20), folds=folds, repeats=repeats)


@pytest.mark.parametrize("n_groups", [2, 3, 4])
def test_more_folds_than_groups_is_an_error_that_counts_both(n_groups):
    groups = np.repeat(np.arange(n_groups), 10)
    with pytest.raises(InputError, match=f"5 folds need .* have {n_groups}"):
        repeated_group_folds(groups)


def test_a_fold_names_itself():
    assert str(Fold(1, 2, np.arange(3), np.arange(3, 5))) == "repeat 1, fold 2"


def test_without_groups_every_row_is_its_own():
    assert group_index(None, 4).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "a", "c"],
        [True, False, True, False],
        [1.5, 0.5, 1.5, 2.5],
        np.array(["x", "y", "x", "z"], dtype=object),
        np.array([3, 1, 3, 2], dtype=object),
        np.array(["2020-01-01", "2020-01-02", "2020-01-01", "2020-01-03"], dtype="datetime64[D]"),
    ],
)
def test_labels_of_any_kind_number_the_groups(labels):
    index = group_index(labels, 4)
    assert index[0] == index[2]
    assert index[0] != index[1]
    assert sorted(set(index.tolist())) == list(range(index.max() + 1))


def test_groups_of_another_length_are_refused():
    with pytest.raises(InputError, match=r"shape \(5,\) like the data, got \(4,\)"):
        group_index(["a", "b", "c", "d"], 5)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1.0, np.nan, 2.0]),
        np.array(["a", None, "b"], dtype=object),
        np.array(["a", float("nan"), "b"], dtype=object),
        np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="datetime64[D]"),
    ],
)
def test_a_missing_group_label_is_named_and_never_a_group(labels):
    with pytest.raises(InputError, match=r"groups: row 1 is .*Every row needs a label"):
        group_index(labels, 3)
