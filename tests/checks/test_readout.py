from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from sklearn.feature_selection import VarianceThreshold
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import r2_score
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pytest_benchcheck.checks.derangement import derangement_within
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.readout import (
    Condition,
    Problem,
    cross_validate,
    fit_and_score,
    reduced_design,
    stack_design,
)
from pytest_benchcheck.checks.reduction import Block

ALPHAS = np.logspace(-3, 5, 17)


def plain_designs(
    blocks: Mapping[str, np.ndarray], train: np.ndarray, components: int
) -> dict[str, np.ndarray]:
    designs = {}
    for name, x in blocks.items():
        count = min(components // len(blocks), x.shape[1], train.size - 1)
        reduce = make_pipeline(
            PCA(n_components=count, svd_solver="full"),
            VarianceThreshold(1e-20),
            StandardScaler(),
        )
        designs[name] = reduce.fit(x[train]).transform(x)
    return designs


def plain_fold_scores(
    blocks: Mapping[str, np.ndarray],
    problem: Problem,
    *,
    swapped: Sequence[str] = (),
    images: Sequence[np.ndarray] = (),
    swap_training: bool = True,
) -> list[float]:
    """R2 of every fold by scikit-learn's own PCA, scaler and ridge."""
    scores = []
    for fold in problem.folds:
        designs = plain_designs(blocks, fold.train, problem.components)
        exchanged = {
            name: x[images[fold.repeat]] if name in swapped else x for name, x in designs.items()
        }
        own, other = (
            np.hstack([*parts.values(), problem.covariates]) for parts in (designs, exchanged)
        )
        groups = problem.groups[fold.train]
        if np.unique(groups).size == groups.size:
            ridge = RidgeCV(ALPHAS)
        else:
            inner = list(GroupKFold(5).split(groups, groups=groups))
            ridge = RidgeCV(ALPHAS, cv=inner, scoring="neg_mean_squared_error")
        train = other if swap_training else own
        y = problem.target
        ridge.fit(train[fold.train], y[fold.train])
        scores.append(r2_score(y[fold.test], ridge.predict(other[fold.test])))
    return scores


def clips(widths: Mapping[str, int], n: int, seed: int = 0) -> tuple[dict[str, Any], np.ndarray]:
    rng = np.random.default_rng(seed)
    latent = rng.standard_normal((n, 4))
    blocks = {
        name: latent @ rng.standard_normal((4, d)) + rng.standard_normal((n, d)) + 3
        for name, d in widths.items()
    }
    return blocks, latent @ np.array([1.0, -1.0, 0.5, 0.5]) + rng.standard_normal(n)


WIDTHS = {
    "narrow": {"query": 12, "first": 20, "second": 7},
    "narrow, wider than the rows": {"query": 200, "first": 200, "second": 300},
    "wide": {"query": 520, "first": 600, "second": 513},
    "mixed": {"query": 5, "first": 600, "second": 40},
}


@pytest.mark.parametrize("widths", WIDTHS.values(), ids=WIDTHS)
@pytest.mark.parametrize("rows_a_group", [1, 4])
def test_every_condition_scores_as_a_plain_scikit_learn_pipeline(widths, rows_a_group):
    n = 100
    blocks, y = clips(widths, n)
    groups = np.arange(n) // rows_a_group
    speed = np.random.default_rng(5).uniform(0.4, 0.85, (n, 1))
    repeats = 2 if rows_a_group == 1 else 1
    problem, _ = make_problem(
        y, covariates=speed, groups=groups, repeats=repeats, components=24, seed=3
    )
    rng = np.random.default_rng(0)
    images = [
        derangement_within([f.test for f in problem.folds if f.repeat == r], problem.groups, rng)
        for r in range(repeats)
    ]
    evidence = ["first", "second"]
    wrapped = {name: Block(x) for name, x in blocks.items()}
    scores = cross_validate(
        {
            "query": Condition({"query": wrapped["query"]}),
            "query_evidence": Condition(wrapped),
            "query_swapped": Condition(wrapped, evidence, images),
            "query_swapped_at_test": Condition(wrapped, evidence, images, False),
        },
        problem,
    )
    swap: dict[str, Any] = {"swapped": evidence, "images": images}
    expected = {
        "query": plain_fold_scores({"query": blocks["query"]}, problem),
        "query_evidence": plain_fold_scores(blocks, problem),
        "query_swapped": plain_fold_scores(blocks, problem, **swap),
        "query_swapped_at_test": plain_fold_scores(blocks, problem, **swap, swap_training=False),
    }
    for condition, fold_scores in expected.items():
        assert np.allclose(scores[condition].fold_scores, fold_scores, atol=1e-6), condition
        assert scores[condition].score == pytest.approx(np.mean(fold_scores), abs=1e-6)


@pytest.mark.parametrize(("n", "d"), [(530, 515), (60, 4000)])
def test_wide_blocks_score_as_the_plain_pipeline_whichever_side_is_longer(n, d):
    blocks, y = clips({"features": d}, n)
    problem, _ = make_problem(y, repeats=1, components=10)
    score = cross_validate({"all": Condition({"features": Block(blocks["features"])})}, problem)
    assert np.allclose(score["all"].fold_scores, plain_fold_scores(blocks, problem), atol=1e-6)


def test_float32_features_score_as_their_float64_copies():
    blocks, y = clips({"features": 600}, 80)
    problem, _ = make_problem(y, repeats=1, components=10)
    single = blocks["features"].astype(np.float32)
    scores = cross_validate(
        {
            "single": Condition({"features": Block(single)}),
            "double": Condition({"features": Block(single.astype(np.float64))}),
        },
        problem,
    )
    assert scores["single"].score == pytest.approx(scores["double"].score, abs=1e-9)


def test_classes_are_read_by_a_plain_logistic_regression():
    blocks, y = clips({"query": 8, "first": 30}, 90)
    labels = np.array(["low", "mid", "high"])[np.digitize(y, [-0.8, 0.8])]
    problem, _ = make_problem(labels, repeats=2, components=10)
    scores = cross_validate(
        {"all": Condition({name: Block(x) for name, x in blocks.items()})}, problem
    )["all"]
    loss = np.zeros(90)
    for fold, measured in zip(problem.folds, scores.fold_scores, strict=True):
        design = np.hstack(list(plain_designs(blocks, fold.train, 10).values()))
        model = LogisticRegression(max_iter=10_000).fit(design[fold.train], labels[fold.train])
        wrong = model.predict(design[fold.test]) != labels[fold.test]
        loss[fold.test] += wrong / 2
        assert measured == pytest.approx(1 - wrong.mean())
    assert np.allclose(scores.loss, loss)


def test_losses_are_squared_errors_averaged_over_the_repeats():
    blocks, y = clips({"features": 5}, 30)
    problem, _ = make_problem(y, repeats=3)
    scores = cross_validate({"all": Condition({"features": Block(blocks["features"])})}, problem)
    loss, train_losses = np.zeros(30), []
    for fold in problem.folds:
        design = plain_designs(blocks, fold.train, 96)["features"]
        ridge = RidgeCV(ALPHAS).fit(design[fold.train], y[fold.train])
        loss[fold.test] += (ridge.predict(design[fold.test]) - y[fold.test]) ** 2 / 3
        train_losses.append(np.mean((ridge.predict(design[fold.train]) - y[fold.train]) ** 2))
    assert np.allclose(scores["all"].loss, loss, atol=1e-8)
    assert scores["all"].train_loss == pytest.approx(np.mean(train_losses), abs=1e-8)


def one_fold_r2(x: np.ndarray, y: np.ndarray, problem: Problem, rows: np.ndarray) -> float:
    """R2 of the first fold of ``problem`` when the rows lie in the order ``rows``."""
    where = np.argsort(rows)
    fold = problem.folds[0]
    moved = type(fold)(0, 0, np.sort(where[fold.train]), np.sort(where[fold.test]))
    held = Problem(
        y[rows], problem.covariates[rows], problem.groups[rows], [moved], problem.components
    )
    design = stack_design(
        reduced_design({"x": Block(x[rows])}, moved.train, held.components), held.covariates
    )
    return fit_and_score(design[moved.train], design[moved.test], held, moved).score


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    wide=st.booleans(),
    rows_a_group=st.sampled_from([1, 4]),
    factor=st.floats(1e-6, 1e6),
    shift=st.floats(-100, 100),
)
def test_rotating_scaling_shifting_and_reordering_change_no_score(
    seed, wide, rows_a_group, factor, shift
):
    rng = np.random.default_rng(seed)
    n, d = 40, 560 if wide else 8
    latent = rng.standard_normal((n, 6)) * np.array([6, 5, 4, 3, 2, 1])
    x = latent @ np.linalg.qr(rng.standard_normal((d, 6)))[0].T
    y = latent @ rng.standard_normal(6) + 3 * rng.standard_normal(n)
    groups = np.arange(n) // rows_a_group
    problem, _ = make_problem(y, groups=groups, repeats=1, components=5, seed=seed)
    in_order = np.arange(n)
    score = one_fold_r2(x, y, problem, in_order)
    rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
    assert one_fold_r2(x @ rotation, y, problem, in_order) == pytest.approx(score, abs=1e-6)
    assert one_fold_r2(factor * x, y, problem, in_order) == pytest.approx(score, abs=1e-6)
    assert one_fold_r2(x + shift, y, problem, in_order) == pytest.approx(score, abs=1e-6)
    constants = np.hstack([x, np.full((n, 3), 0.1)])
    assert one_fold_r2(constants, y, problem, in_order) == pytest.approx(score, abs=1e-6)
    if rows_a_group == 1:
        shuffled = rng.permutation(n)
        assert one_fold_r2(x, y, problem, shuffled) == pytest.approx(score, abs=1e-6)


@pytest.mark.parametrize("jobs", [1, 2])
def test_scores_do_not_depend_on_the_number_of_threads(jobs):
    blocks, y = clips({"features": 600}, 40)
    problem, _ = make_problem(y, components=8)
    condition = {"all": Condition({"features": Block(blocks["features"])})}
    every_core = cross_validate(condition, problem)["all"]
    condition = {"all": Condition({"features": Block(blocks["features"])})}
    counted = cross_validate(condition, problem, jobs=jobs)["all"]
    assert np.array_equal(every_core.fold_scores, counted.fold_scores)


def test_the_budget_is_shared_so_that_a_block_adds_no_parameters():
    blocks, _ = clips({"a": 50, "b": 50, "c": 50}, 120)
    wrapped = {name: Block(x) for name, x in blocks.items()}
    widths = [
        sum(part.shape[1] for part in reduced_design(part_of, np.arange(100), 24).values())
        for part_of in ({"a": wrapped["a"]}, {n: wrapped[n] for n in "ab"}, wrapped)
    ]
    assert widths == [24, 24, 24]


def test_each_block_keeps_one_component_where_the_budget_is_smaller_than_the_blocks():
    blocks, _ = clips({"a": 5, "b": 5, "c": 5}, 40)
    reduced = reduced_design({n: Block(x) for n, x in blocks.items()}, np.arange(30), 2)
    assert [part.shape[1] for part in reduced.values()] == [1, 1, 1]


@pytest.mark.parametrize("d", [3, 700])
@pytest.mark.parametrize("value", [0.0, 0.1, 7.7])
@pytest.mark.parametrize("digit", [0.0, 1e-17])
def test_a_frozen_clip_is_dropped_and_never_divided_by_nothing(d, value, digit):
    blocks, y = clips({"moving": 6}, 60)
    frozen = value + digit * np.random.default_rng(1).standard_normal((60, d))
    problem, _ = make_problem(y, components=12)
    moving, still = Block(blocks["moving"]), Block(frozen)
    if value == 0.0 and digit:
        # Nothing but the unit tells features of size 1e-17 from none: they stay, as noise.
        assert reduced_design({"still": still}, np.arange(48), 6)["still"].shape[1] > 0
        return
    scores = cross_validate(
        {"both": Condition({"moving": moving, "still": still}), "one": Condition({"m": moving})},
        problem,
    )
    assert np.allclose(scores["both"].fold_scores, scores["one"].fold_scores, atol=1e-9)


def test_covariates_alone_are_a_condition():
    rng = np.random.default_rng(0)
    speed = rng.standard_normal((60, 1))
    y = speed[:, 0] + rng.standard_normal(60)
    problem, _ = make_problem(y, covariates=speed)
    expected = plain_fold_scores({}, problem)
    scores = cross_validate({"floor": Condition({})}, problem)
    assert np.allclose(scores["floor"].fold_scores, expected, atol=1e-9)


@pytest.mark.parametrize("classes", [False, True])
def test_nothing_to_read_from_predicts_the_mean_or_the_majority(classes):
    y = np.random.default_rng(0).standard_normal(60)
    target = np.where(y > 0.5, "high", "low") if classes else y
    problem, _ = make_problem(target, repeats=1)
    score = cross_validate({"nothing": Condition({})}, problem)["nothing"]
    if classes:
        assert score.score == pytest.approx(np.mean(y <= 0.5), abs=0.02)
        return
    expected = [r2_score(y[f.test], np.full(f.test.size, y[f.train].mean())) for f in problem.folds]
    assert np.allclose(score.fold_scores, expected)


def test_selection_happens_inside_the_folds():
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], 30)
    problem, _ = make_problem(labels)
    noise = Block(rng.standard_normal((60, 5000)))
    assert cross_validate({"noise": Condition({"x": noise})}, problem)["noise"].score < 0.7
