from __future__ import annotations

import numpy as np
import pytest

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inputs import (
    checked_bar,
    checked_confidence,
    copied_rows,
    feature_blocks,
    is_number,
    item_scores,
    make_problem,
    published_scores,
    reference_blocks,
)
from pytest_benchcheck.checks.reduction import Block

RNG = np.random.default_rng(0)
X = RNG.standard_normal((30, 4))
Y = X[:, 0] + RNG.standard_normal(30)


def with_value(value: float, row: int = 7, column: int = 2, dtype: type = np.float64) -> np.ndarray:
    x = X.astype(dtype)
    x[row, column] = value
    return x


@pytest.mark.untyped
@pytest.mark.parametrize("bar", [float("nan"), float("inf"), "0.05", None, [0.05]])
def test_a_bar_is_a_finite_number(bar):
    with pytest.raises(InputError, match="bar must be a finite number"):
        checked_bar(bar)


@pytest.mark.untyped
@pytest.mark.parametrize("confidence", [0.0, 1.0, 95, -0.5, float("nan"), None, "0.95"])
def test_a_confidence_lies_between_zero_and_one(confidence):
    with pytest.raises(InputError, match="confidence must lie between 0 and 1"):
        checked_confidence(confidence)


@pytest.mark.untyped
def test_valid_terms_come_back_as_floats():
    assert isinstance(checked_bar(np.float32(0.5)), float)
    assert checked_confidence(0.9) == 0.9


@pytest.mark.parametrize("value", [1, 0.5, True, np.float32(1), np.array(2.0)])
def test_one_real_number_is_a_number(value):
    assert is_number(value)


@pytest.mark.parametrize("value", [None, "1", b"1", [1], np.zeros(1), 1j, {"a": 1}, Block(X)])
def test_anything_else_is_no_number(value):
    assert not is_number(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_published_score_that_is_not_finite_is_named(value):
    with pytest.raises(InputError, match=f"the score of 'b' is {value}"):
        published_scores({"a": 0.5, "b": value})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.5, "'b' is the single number 0.5, others are arrays"),
        (X, r"'b' is \(30, 4\), so features were meant, but there is no target"),
        ({"clip": X}, "'b' is a mapping of blocks, so features were meant"),
        (Block(X), "'b' is .*so features were meant"),
        (X[:7, 0], r"lengths {'a': 30, 'b': 7}"),
        (with_value(np.nan)[:, 2], "'b': row 7, column 0 is nan"),
        (with_value(-np.inf)[:, 2], "'b': row 7, column 0 is -inf"),
        (np.array(["x"] * 30), "'b' must hold real numbers, got dtype <U1"),
    ],
)
def test_item_scores_of_another_form_are_named(value, message):
    with pytest.raises(InputError, match=message):
        item_scores({"a": X[:, 0], "b": value})


def test_item_scores_need_items():
    with pytest.raises(InputError, match="there are no items"):
        item_scores({"a": np.zeros(0), "b": np.zeros(0)})


def test_successes_of_booleans_are_scores():
    assert item_scores({"a": [True, False], "b": [0, 1]})["a"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_features_that_are_not_finite_name_representation_block_row_and_column(bad, dtype):
    message = rf"representation 'vit', block 'query': row 7, column 2 is {bad} \(1 of 30 rows"
    with pytest.raises(InputError, match=message):
        feature_blocks("vit", {"query": with_value(bad, dtype=dtype), "other": X}, 30)


@pytest.mark.untyped
def test_a_block_object_is_checked_like_an_array():
    with pytest.raises(InputError, match="representation 'vit', block 'q': row 7, column 2 is nan"):
        feature_blocks("vit", {"q": Block(with_value(np.nan))}, 30)
    with pytest.raises(InputError, match=r"representation 'vit' must have shape \(n, d\)"):
        feature_blocks("vit", Block(X[:, 0]), 30)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (X[:, :0], r"must have shape \(n, d\) with d >= 1, got \(30, 0\)"),
        (X[None], r"must have shape \(n, d\) with d >= 1, got \(1, 30, 4\)"),
        (0.5, r"must have shape \(n, d\) with d >= 1, got \(\)"),
        (X * 1j, "must hold real numbers, got dtype complex128"),
        (X.astype(str), "must hold real numbers, got dtype <U"),
        (X.astype(object), "must hold real numbers, got dtype object"),
        (None, "must hold real numbers, got dtype object"),
        (X[:29], "has 29 rows, the target has 30"),
        ({}, "is an empty mapping"),
        (np.zeros((30, 4)), "is constant: all 30 rows are equal"),
        ({"a": np.full((30, 2), 0.1), "b": np.zeros((30, 700))}, "is constant"),
    ],
)
def test_features_that_cannot_be_read_are_named(value, message):
    with pytest.raises(InputError, match=f"representation 'vit' {message}"):
        feature_blocks("vit", value, 30)


def test_one_frozen_block_beside_a_moving_one_is_fine():
    blocks = feature_blocks("vit", {"query": np.zeros((30, 4)), "calibration": X}, 30)
    assert list(blocks) == ["query", "calibration"]


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64])
def test_integer_and_boolean_features_are_numbers(dtype):
    block = feature_blocks("vit", (3 * (X > 0)).astype(dtype), 30)["features"]
    assert block.features.dtype == np.float64


def test_a_block_is_kept_so_that_checks_share_its_work():
    block = Block(X)
    assert feature_blocks("vit", {"query": block}, 30)["query"] is block


def test_references_are_blocks_too():
    assert reference_blocks(None, 30) == {}
    assert reference_blocks({"mass": X[:, 0]}, 30)["mass"]["features"].d == 1


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (np.full(30, 2.5), r"target is constant: all 30 values are 2\.5"),
        (["a"] * 30, "target is constant: all 30 values are 'a'"),
        ([1.0], r"target is constant: all 1 values are 1\.0"),
        (np.zeros((30, 2)), r"target must have shape \(n,\) with n >= 1, got \(30, 2\)"),
        ([], r"target must have shape \(n,\) with n >= 1, got \(0,\)"),
        (1.5, r"target must have shape \(n,\) with n >= 1, got \(\)"),
        (with_value(np.nan)[:, 2], r"target: row 7 is nan \(1 of 30 not finite\)"),
        (with_value(np.inf)[:, 2], "target: row 7 is inf"),
        (Y * 1j, "target has dtype complex128"),
        (np.array([None, "a"] * 15, dtype=object), "target: row 0 is None"),
        (np.array([1.5, float("nan")] * 15, dtype=object), "target: row 1 is nan"),
    ],
)
def test_a_target_that_cannot_be_predicted_is_named(target, message):
    with pytest.raises(InputError, match=message):
        make_problem(target)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([True, False] * 15),
        np.array(["b", "a"] * 15),
        np.array(["b", "a"] * 15, dtype=object),
        np.array([b"b", b"a"] * 15),
        np.array([7, 3] * 15),
        np.array([7, 3] * 15, dtype=np.uint8),
        np.array([True, False] * 15, dtype=object),
    ],
)
def test_labels_of_any_kind_make_a_classification(labels):
    problem, notes = make_problem(labels)
    assert problem.target.tolist() == [1, 0] * 15
    assert problem.classes.size == 2
    assert notes == []


@pytest.mark.parametrize("dtype", [np.float32, np.float64, object])
def test_floats_are_continuous_whatever_holds_them(dtype):
    problem, _ = make_problem(Y.astype(dtype))
    assert problem.classes is None
    assert problem.target.dtype == np.float64


def test_integers_of_many_values_are_continuous_and_said_to_be():
    problem, notes = make_problem(np.arange(30))
    assert problem.classes is None
    assert "30 distinct values and is treated as a continuous number" in notes[0]


def test_twenty_integers_are_still_classes():
    assert make_problem(np.arange(20).repeat(6))[0].classes.size == 20


def test_a_class_rarer_than_the_folds_is_noted():
    _, notes = make_problem(["a"] * 20 + ["b"] * 20 + ["c"] * 2)
    assert notes == ["fewer rows than the 5 folds in class 'c' (2 rows): folds go without it."]


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariates": X[:29]}, "covariates have 29 rows, the target has 30"),
        ({"covariates": with_value(np.nan)}, "covariates: row 7, column 2 is nan"),
        ({"covariates": X.astype(str)}, "covariates must hold real numbers"),
        ({"groups": np.arange(29)}, r"groups must have shape \(30,\)"),
        ({"groups": np.arange(30) % 4}, "5 folds need at least 5 independent groups"),
        ({"folds": 31}, "31 folds need at least 31 independent groups"),
        ({"folds": 2.5}, r"folds must be an integer, got 2\.5"),
        ({"repeats": "5"}, "repeats must be an integer, got '5'"),
        ({"components": 96.0}, r"components must be an integer, got 96\.0"),
        ({"components": 0}, "components must be at least 1, got 0"),
        ({"folds": 30}, "repeat 0, fold 0: R2 is undefined.*its 1 test row"),
    ],
)
def test_options_that_cannot_work_are_refused_before_any_fit(options, message):
    with pytest.raises(InputError, match=message):
        make_problem(Y, **options)


def test_a_fold_of_one_outcome_is_named():
    groups = np.repeat(np.arange(6), 5)
    with pytest.raises(InputError, match=r"repeat 0, fold \d: R2 is undefined"):
        make_problem(groups.astype(float), groups=groups)


def test_training_rows_of_one_class_are_named_with_the_label():
    groups = np.repeat(np.arange(5), 6)
    labels = np.where(groups == 0, "rare", "common")
    message = r"repeat 0, fold \d: all 24 training rows have target 'common'"
    with pytest.raises(InputError, match=message):
        make_problem(labels, groups=groups)


def test_training_rows_of_one_value_are_named():
    groups = np.repeat(np.arange(5), 6)
    y = np.where(groups == 0, Y, 2.5)
    with pytest.raises(InputError, match=r"fold \d: (R2 is undefined|all 24 training rows)"):
        make_problem(y, groups=groups)


def test_covariates_of_one_column_may_be_flat_and_boolean():
    problem, _ = make_problem(Y, covariates=Y > 0)
    assert problem.covariates.shape == (30, 1)
    assert problem.covariates.dtype == np.float64
    assert make_problem(Y)[0].covariates.shape == (30, 0)


def test_copies_in_other_groups_are_found_by_pair():
    x, y = X.copy(), Y.copy()
    x[20], y[20] = x[3], y[3]
    x[21], y[21] = x[3], y[3]
    problem, _ = make_problem(y)
    blocks = {"a": feature_blocks("a", x, 30)}
    assert copied_rows(blocks, problem) == [(3, 20), (3, 21)]


def test_copies_inside_a_group_leak_nothing():
    x, y = np.repeat(X, 2, axis=0), np.repeat(Y, 2)
    problem, _ = make_problem(y, groups=np.arange(60) // 2)
    assert copied_rows({"a": feature_blocks("a", x, 60)}, problem) == []


@pytest.mark.parametrize("differs", ["target", "covariate", "feature"])
def test_rows_that_differ_anywhere_are_no_copies(differs):
    x, y, c = X.copy(), Y.copy(), Y[:, None].copy()
    x[20], y[20], c[20] = x[3], y[3], c[3]
    {"target": y, "covariate": c[:, 0], "feature": x[:, 1]}[differs][20] += 1
    problem, _ = make_problem(y, covariates=c)
    assert copied_rows({"a": feature_blocks("a", x, 30)}, problem) == []


@pytest.mark.parametrize("scale", [1e200, -1e120, 1e-200, 1e-120])
@pytest.mark.parametrize("width", [3, 700])
def test_values_whose_squares_leave_the_floating_point_range_are_refused(scale, width):
    x = np.random.default_rng(0).standard_normal((30, width))
    with pytest.raises(InputError, match=r"'vit' has values of up to .* in size: their squares"):
        feature_blocks("vit", x * scale, 30)
    with pytest.raises(InputError, match=r"target has values of up to .* in size"):
        make_problem(x[:, 0] * scale)


@pytest.mark.parametrize("scale", [1e90, 1e-90, 0.0])
def test_values_of_any_sensible_size_are_taken(scale):
    x = np.random.default_rng(0).standard_normal((30, 3))
    x[:, 0] = 1.0
    assert feature_blocks("vit", {"zero": x * scale, "other": x}, 30)["zero"].n == 30
