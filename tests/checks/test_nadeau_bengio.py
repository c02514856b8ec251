from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import r2_score

from pytest_benchcheck.checks.erasure import erasure
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.nadeau_bengio import FoldDifferences, fold_differences
from pytest_benchcheck.checks.readout import Condition, cross_validate
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.spread import spread
from pytest_benchcheck.checks.swap import swap


def data(n: int = 100, level: float = 1.0):
    rng = np.random.default_rng(0)
    causes = rng.standard_normal((n, 3))
    y = causes.sum(axis=1) + 0.5 * rng.standard_normal(n)
    features = {
        "raw_pixels": causes + level * rng.standard_normal((n, 3)),
        "model": causes + 0.2 * rng.standard_normal((n, 3)),
        "other": causes + 0.2 * rng.standard_normal((n, 3)),
    }
    return features, y


def test_the_standard_error_is_the_published_formula():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, 25))
    contrast = FoldDifferences({"a": a, "b": b}, 100, 0.25).difference("a", "b")
    d = a - b
    # Nadeau & Bengio 2003: 5 repeats of 5 folds hold out a fifth, n_test / n_train = 1 / 4.
    expected = np.sqrt((1 / 25 + 1 / 4) * np.sum((d - d.mean()) ** 2) / 24)
    assert contrast.estimate == pytest.approx(d.mean())
    assert contrast.standard_error == pytest.approx(expected)
    assert contrast.df == 24
    plain = stats.ttest_rel(a, b)
    inflation = np.sqrt((1 / 25 + 1 / 4) / (1 / 25))
    assert contrast.estimate / contrast.standard_error == pytest.approx(plain.statistic / inflation)


def test_quantiles_are_bonferronis():
    folds = FoldDifferences({"a": np.zeros(25)}, 100, 0.25)
    assert folds.range_quantile(0.95, 4) == pytest.approx(stats.t.isf(0.05 / 2 / 6, 24))
    assert folds.best_quantile(0.95, 5) == pytest.approx(stats.t.isf(0.05 / 5, 24))


def test_folds_and_their_sizes_are_those_of_the_cross_validation():
    features, y = data()
    problem, _ = make_problem(y)
    scores = cross_validate({n: Condition({"x": Block(x)}) for n, x in features.items()}, problem)
    folds = fold_differences(scores, problem)
    assert folds.test_to_train == pytest.approx(0.25)
    assert folds.groups == 100
    assert all(values.shape == (25,) for values in folds.folds.values())
    assert folds.scores["model"] == pytest.approx(scores["model"].score)
    fold = problem.folds[0]
    assert r2_score(y[fold.test], y[fold.test]) >= folds.folds["model"][0]


def test_a_mean_over_seeds_is_the_mean_of_every_fold():
    folds = FoldDifferences({"s0": np.arange(4.0), "s1": np.ones(4), "x": np.zeros(4)}, 20, 0.25)
    merged = folds.mean_of("random", ["s0", "s1"])
    assert set(merged.folds) == {"random", "x"}
    assert merged.folds["random"] == pytest.approx([0.5, 1.0, 1.5, 2.0])


def test_both_inferences_measure_the_same_range_and_agree_on_what_is_clear():
    features, y = data()
    ours = spread(features, y)
    theirs = spread(features, y, inference="nadeau-bengio")
    assert theirs.estimate == ours.estimate
    assert theirs.verdict == ours.verdict == "pass"
    assert theirs.interval != ours.interval
    assert [row["r2"] for row in theirs.rows] == [row["r2"] for row in ours.rows]
    assert "pooled_r2" not in theirs.rows[0]
    assert theirs.distinguishable_ranks == ours.distinguishable_ranks == 2


def test_too_few_groups_are_undecided_however_they_are_compared():
    features, y = data(90)
    result = spread(features, y, groups=np.arange(90) // 10, inference="nadeau-bengio")
    assert result.verdict == "undecided"
    assert "too few groups" in result.findings[-1]


def test_an_unknown_inference_and_one_without_folds_are_refused():
    features, y = data()
    with pytest.raises(InputError, match="inference must be one of"):
        spread(features, y, inference="bootstrap")
    items = {"a": y, "b": y + 1}
    with pytest.raises(InputError, match="per-item scores have none"):
        spread(items, inference="nadeau-bengio")


@pytest.mark.parametrize("check", ["swap", "erasure"])
def test_swap_and_erasure_can_be_cross_checked(check):
    features, y = data(200)
    blocks = {"model": {"query": features["raw_pixels"], "evidence": features["model"]}}

    def run(inference):
        if check == "swap":
            result = swap(blocks, y, evidence="evidence", inference=inference)
            return result, "gain_interval"
        latents = {"causes": features["model"].sum(axis=1)}
        return erasure(blocks, y, latents=latents, inference=inference), "interval"

    (own, key), (other, _) = run("group-t"), run("nadeau-bengio")
    assert own.verdict == other.verdict == "pass"
    assert own.estimate == pytest.approx(other.estimate, abs=1e-12)
    assert own.rows[0][key] != other.rows[0][key]
    widths = [np.ptp(result.rows[0][key]) for result in (own, other)]
    assert 0.3 < widths[0] / widths[1] < 3


def test_a_contrast_is_that_of_the_folds():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 25))
    folds = FoldDifferences({"a": a, "b": b, "c": c}, 100, 0.25)
    contrast = folds.contrast({"a": 1.0, "b": -0.5, "c": -0.5})
    assert contrast == FoldDifferences({"d": a - b / 2 - c / 2}, 100, 0.25).single("d")


@pytest.mark.untyped
@pytest.mark.parametrize("check", [swap, erasure])
def test_an_unknown_inference_is_refused_by_every_check(check):
    features, y = data()
    other = {"evidence": "e"} if check is swap else {"latents": {"y": y}}
    with pytest.raises(InputError, match=r"inference must be one of .*'group-t'.*got 'bayes'"):
        check(features, y, inference="bayes", **other)


@pytest.mark.untyped
@pytest.mark.parametrize("inference", [None, ["group-t"], 3])
def test_an_inference_that_is_no_name_is_refused(inference):
    features, y = data()
    with pytest.raises(InputError, match="inference must be one of"):
        spread(features, y, inference=inference)
