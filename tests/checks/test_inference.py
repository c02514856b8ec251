from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_benchcheck.checks.inference import (
    MIN_GROUPS,
    GroupSums,
    dunnett_quantile,
    group_sums,
    group_sums_of_errors,
    group_sums_of_losses,
    group_sums_of_scores,
    student_quantile,
    tukey_quantile,
)
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.readout import Condition, Scores, cross_validate
from pytest_benchcheck.checks.reduction import Block


def scored(n: int, seed: int, count: int = 3) -> tuple[dict[str, Scores], np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.standard_normal(n)
    scores = {
        f"r{j}": Scores(
            loss=rng.gamma(1.0, 0.5, n),
            train_loss=float(rng.uniform(0.1, 0.6)),
            fold_scores=np.zeros(25),
        )
        for j in range(count)
    }
    return scores, y


def literal_pair(
    first: Scores, second: Scores, y: np.ndarray, groups: np.ndarray
) -> tuple[float, float, int]:
    """Steps 2 and 3 of the design's group t, row by row and group by group."""
    n, labels = len(y), sorted(set(groups.tolist()))
    count = len(labels)
    mean_y = sum(y) / n
    sst = sum((value - mean_y) ** 2 for value in y)

    def optimism(score: Scores) -> float:
        held_out = sum(score.loss) / n
        return 2 * held_out / (held_out + score.train_loss)

    def group_sum(score: Scores, label: int) -> float:
        return optimism(score) * sum(score.loss[i] for i in range(n) if groups[i] == label)

    difference = (1 - sum(first.loss) / sst) - (1 - sum(second.loss) / sst)
    d = {g: group_sum(second, g) - group_sum(first, g) for g in labels}
    total = sum(d.values())
    residuals = [d[g] - sum(groups == g) * total / n for g in labels]
    se = math.sqrt(count / (count - 1) * sum(r**2 for r in residuals)) / sst
    return difference, se, count - 1


@pytest.mark.parametrize("sizes", [[1] * 40, [4] * 10, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]])
@pytest.mark.parametrize("seed", range(3))
def test_a_pair_is_judged_by_the_design_written_out_literally(sizes, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    scores, y = scored(groups.size, seed)
    # The design's factor lies in [1, 2] of itself only where fitting is optimistic.
    scores = {
        name: Scores(s.loss, min(s.train_loss, s.loss.mean()), s.fold_scores)
        for name, s in scores.items()
    }
    contrast = group_sums_of_losses(scores, y, groups).difference("r0", "r2")
    estimate, se, df = literal_pair(scores["r0"], scores["r2"], y, groups)
    assert contrast.estimate == pytest.approx(estimate, abs=1e-12)
    assert contrast.standard_error == pytest.approx(se, rel=1e-10)
    assert contrast.df == df


def test_a_fitted_pair_is_judged_by_the_design_written_out_literally():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((60, 8)), rng.standard_normal(60)
    y = y + x[:, 0]
    problem, _ = make_problem(y, groups=np.arange(60) // 4)
    scores = cross_validate(
        {"a": Condition({"x": Block(x)}), "b": Condition({"x": Block(x[:, :3])})}, problem
    )
    contrast = group_sums(scores, problem).difference("a", "b")
    estimate, se, df = literal_pair(scores["a"], scores["b"], y, problem.groups)
    assert contrast.estimate == pytest.approx(estimate, abs=1e-12)
    assert contrast.standard_error == pytest.approx(se, rel=1e-10)
    assert contrast.df == df == 14


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10_000), train=st.floats(0, 10), level=st.floats(1e-6, 10))
def test_the_optimism_factor_stays_between_one_and_two(seed, train, level):
    rng = np.random.default_rng(seed)
    loss = level * rng.gamma(1.0, 1.0, 30)
    y = rng.standard_normal(30)
    score = {"a": Scores(loss, train, np.zeros(5))}
    sst = np.sum((y - y.mean()) ** 2)
    pull = -group_sums_of_losses(score, y, np.arange(30)).influence["a"] * sst / loss
    assert np.allclose(pull, pull[0])
    assert 1.0 - 1e-12 <= pull[0] <= 2.0 + 1e-12


def test_a_readout_without_error_has_no_optimism_to_correct():
    y = np.arange(20.0)
    score = {"a": Scores(np.zeros(20), 0.0, np.ones(5))}
    sums = group_sums_of_losses(score, y, np.arange(20))
    assert sums.scores["a"] == 1.0
    assert not sums.influence["a"].any()


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_the_group_t_of_single_rows_without_optimism_is_the_paired_t(seed):
    rng = np.random.default_rng(seed)
    items = {"a": rng.standard_normal(25), "b": rng.standard_normal(25) + 0.3}
    sums = group_sums_of_scores(items, np.arange(25))
    contrast = sums.difference("a", "b")
    expected = stats.ttest_rel(items["a"], items["b"])
    low, high = contrast.bounds(student_quantile(0.95, contrast.df))
    interval = expected.confidence_interval(0.95)
    assert contrast.estimate / contrast.standard_error == pytest.approx(expected.statistic)
    assert (low, high) == pytest.approx((interval.low, interval.high))


def test_equal_groups_are_judged_by_their_means():
    rng = np.random.default_rng(0)
    values = rng.standard_normal(48)
    sums = group_sums_of_scores({"a": values, "b": np.zeros(48)}, np.repeat(np.arange(12), 4))
    means = values.reshape(12, 4).mean(axis=1)
    contrast = sums.difference("a", "b")
    assert contrast.standard_error == pytest.approx(stats.sem(means))


def test_errors_of_classes_count_with_the_largest_pull():
    rng = np.random.default_rng(0)
    loss = (rng.random(40) < 0.3).astype(float)
    score = {"a": Scores(loss, 0.1, np.zeros(5))}
    sums = group_sums_of_errors(score, np.repeat(np.arange(10), 4))
    assert sums.scores["a"] == pytest.approx(1 - loss.mean())
    assert np.allclose(sums.influence["a"], -2 * loss.reshape(10, 4).sum(axis=1) / 40)


def test_group_sums_follow_what_the_problem_is_scored_by():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((60, 3)), rng.standard_normal(60)
    for target, metric in ((y, group_sums_of_losses), (np.where(y > 0, "a", "b"), None)):
        problem, _ = make_problem(target)
        scores = cross_validate({"x": Condition({"x": Block(x)})}, problem)
        expected = (
            group_sums_of_errors(scores, problem.groups)
            if metric is None
            else metric(scores, problem.target, problem.groups)
        )
        assert group_sums(scores, problem).scores == expected.scores


def test_the_mean_of_members_is_their_contrast_with_equal_weights():
    scores, y = scored(40, 0, 4)
    groups = np.repeat(np.arange(10), 4)
    sums = group_sums_of_losses(scores, y, groups)
    averaged = sums.mean_of("mean", ["r0", "r1", "r2"])
    assert list(averaged.scores) == ["r3", "mean"]
    expected = sums.contrast({"r0": 1 / 3, "r1": 1 / 3, "r2": 1 / 3, "r3": -1.0})
    contrast = averaged.difference("mean", "r3")
    assert contrast.estimate == pytest.approx(expected.estimate)
    assert contrast.standard_error == pytest.approx(expected.standard_error)


def test_a_single_score_carries_the_sampling_error_of_its_denominator():
    # Against simulation: pooled R2 of a fixed predictor, y = x + e, over many samples of rows.
    rng = np.random.default_rng(0)
    estimates, errors = [], []
    for _ in range(400):
        x, e = rng.standard_normal((2, 200))
        score = {"a": Scores(e**2, float(np.mean(e**2)), np.zeros(5))}
        single = group_sums_of_losses(score, x + e, np.arange(200)).single("a")
        estimates.append(single.estimate)
        errors.append(single.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(estimates), rel=0.1)


def test_one_group_alone_gives_an_estimate_and_no_error():
    sums = GroupSums({"a": 1.0}, {"a": np.array([1.0])}, np.array([3.0]), np.zeros(1))
    assert sums.contrast({"a": 1.0}).estimate == 1.0
    assert sums.groups < MIN_GROUPS


@pytest.mark.parametrize("df", [9, 19, 199])
@pytest.mark.parametrize("comparisons", [1, 4])
def test_students_quantile_is_two_sided_and_bonferroni_corrected(df, comparisons):
    quantile = student_quantile(0.95, df, comparisons)
    assert 2 * comparisons * stats.t.sf(quantile, df) == pytest.approx(0.05)


@pytest.mark.parametrize("df", [9, 19, 199])
def test_two_representations_have_students_quantile(df):
    assert tukey_quantile(0.95, 2, df) == pytest.approx(student_quantile(0.95, df), rel=1e-6)


@pytest.mark.parametrize(
    ("k", "df", "table"),
    [
        (3, 10, 3.877),
        (4, 10, 4.327),
        (6, 10, 4.912),
        (3, 20, 3.578),
        (6, 20, 4.445),
        (5, 60, 3.977),
    ],
)
def test_tukeys_quantile_is_the_published_studentised_range(k, df, table):
    assert tukey_quantile(0.95, k, df) * math.sqrt(2) == pytest.approx(table, abs=0.002)


def test_tukeys_intervals_are_scipys():
    rng = np.random.default_rng(0)
    samples = rng.standard_normal((4, 8))
    interval = stats.tukey_hsd(*samples).confidence_interval(0.95)
    half = (interval.high[0, 1] - interval.low[0, 1]) / 2
    pooled = math.sqrt(np.mean(samples.var(axis=1, ddof=1)))
    expected = tukey_quantile(0.95, 4, 28) * pooled * math.sqrt(2 / 8)
    assert half == pytest.approx(expected, rel=1e-6)


# Dunnett (1955), table 1a: one-sided, joint confidence 0.95, treatments against one control.
TABLE_1A = {
    5: {1: 2.02, 2: 2.44, 3: 2.68, 4: 2.85, 5: 2.98, 9: 3.30},
    10: {1: 1.81, 2: 2.15, 3: 2.34, 4: 2.47, 5: 2.56, 9: 2.81},
    20: {1: 1.72, 2: 2.03, 3: 2.19, 4: 2.30, 5: 2.39, 9: 2.60},
    60: {1: 1.67, 2: 1.95, 3: 2.10, 4: 2.21, 5: 2.28, 9: 2.48},
}


@pytest.mark.parametrize(("df", "row"), TABLE_1A.items())
def test_dunnetts_quantile_is_the_published_table(df, row):
    for k, published in row.items():
        assert dunnett_quantile(0.95, k, df) == pytest.approx(published, abs=0.0051), k


@pytest.mark.parametrize(("k", "df"), [(2, 9), (5, 10), (8, 199)])
def test_dunnetts_and_tukeys_quantiles_agree_with_simulation(k, df):
    rng = np.random.default_rng(0)
    z = rng.standard_normal((400_000, k + 1))
    s = np.sqrt(rng.chisquare(df, 400_000) / df)
    best = (z[:, 1:].max(axis=1) - z[:, 0]) / (np.sqrt(2) * s)
    spread = np.ptp(z, axis=1) / (np.sqrt(2) * s)
    # Monte-Carlo error of a coverage of 95 % over 400,000 draws: 0.034 %.
    assert np.mean(best <= dunnett_quantile(0.95, k, df)) == pytest.approx(0.95, abs=0.0014)
    assert np.mean(spread <= tukey_quantile(0.95, k + 1, df)) == pytest.approx(0.95, abs=0.0014)


@settings(deadline=None, max_examples=15)
@given(k=st.integers(2, 8), df=st.integers(9, 300), confidence=st.sampled_from([0.8, 0.95, 0.99]))
def test_dunnetts_quantile_lies_between_students_and_bonferronis(k, df, confidence):
    quantile = dunnett_quantile(confidence, k, df)
    assert stats.t.ppf(confidence, df) < quantile
    assert quantile < stats.t.ppf(1 - (1 - confidence) / k, df)


def test_the_standard_error_is_the_jackknifes_by_brute_force():
    # Least squares and leave-one-out, where both are known: docs/statistics.md, "Where the factor
    # comes from".
    rng = np.random.default_rng(0)
    n, p = 120, 12
    y = rng.standard_normal(n)
    designs = {name: rng.standard_normal((n, p)) + 0.3 * y[:, None] for name in ("a", "b")}

    def left_out(x, target):
        hat = x @ np.linalg.pinv(x)
        residual = target - hat @ target
        return residual / (1 - np.diag(hat)), residual

    def difference(rows):
        losses = {n: np.sum(left_out(x[rows], y[rows])[0] ** 2) for n, x in designs.items()}
        return losses["b"] - losses["a"]

    whole = difference(np.arange(n))
    values = np.array([whole - difference(np.delete(np.arange(n), row)) for row in range(n)])
    jackknife = np.sqrt(n / (n - 1) * np.sum((values - values.mean()) ** 2))
    scores = {}
    for name, x in designs.items():
        outside, inside = left_out(x, y)
        scores[name] = Scores(
            loss=outside**2, train_loss=float(np.mean(inside**2)), fold_scores=np.zeros(1)
        )
    sums = group_sums_of_losses(scores, y, np.arange(n))
    sst = float(np.sum((y - y.mean()) ** 2))
    assert sst * sums.difference("a", "b").standard_error == pytest.approx(jackknife, rel=0.05)
    plain = {n: replace(score, train_loss=score.loss.mean()) for n, score in scores.items()}
    uncorrected = group_sums_of_losses(plain, y, np.arange(n)).difference("a", "b")
    assert sst * uncorrected.standard_error < 0.95 * jackknife
