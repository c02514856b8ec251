from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inference import (
    dunnett_quantile,
    group_sums_of_losses,
    tukey_quantile,
)
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.readout import Condition, cross_validate
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.spread import spread


def regression(n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Target of variance 2, half of it read from the first of six features."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 6))
    return x, x[:, 0] + rng.standard_normal(n)


def by_name(result):
    return {row["representation"]: row for row in result.rows}


def test_a_feature_equal_to_the_target_scores_one_and_noise_scores_nothing():
    rng = np.random.default_rng(0)
    y = rng.standard_normal(200)
    result = spread({"raw_pixels": rng.standard_normal((200, 5)), "oracle": y[:, None]}, y)
    rows = by_name(result)
    assert rows["oracle"]["r2"] == pytest.approx(1.0, abs=1e-8)
    assert rows["raw_pixels"]["r2"] == pytest.approx(0.0, abs=0.1)
    assert result.estimate == pytest.approx(1.0, abs=0.1)
    assert result.best_minus_trivial == pytest.approx(result.estimate)
    assert result.verdict == "pass"


def test_planted_shares_of_variance_are_the_scores():
    rng = np.random.default_rng(0)
    z = rng.standard_normal((3000, 3))
    y = z @ np.sqrt([0.5, 0.3, 0.2])
    result = spread({"half": z[:, :1], "most": z[:, :2], "all": z}, y, repeats=1)
    rows = by_name(result)
    assert rows["half"]["r2"] == pytest.approx(0.5, abs=0.03)
    assert rows["most"]["r2"] == pytest.approx(0.8, abs=0.02)
    assert rows["all"]["r2"] == pytest.approx(1.0, abs=1e-6)
    assert result.interval[0] <= 0.5 <= result.interval[1]


def test_equal_representations_have_no_spread_at_all():
    x, y = regression()
    result = spread({"raw_pixels": x, "model": x.copy()}, y)
    assert result.estimate == 0.0
    assert result.interval == (0.0, 0.0)
    assert result.verdict == "fail"
    assert "cannot rank them" in result.summary
    assert "no candidate beats the trivial baselines: model" in result.findings[0]


def test_the_interval_and_verdict_are_those_of_the_pairs():
    x, y = regression()
    problem, _ = make_problem(y)
    parts = {"raw_pixels": x[:, 1:], "a": x, "b": x[:, :2]}
    result = spread(parts, y, bar=0.1)
    sums = group_sums_of_losses(
        cross_validate({n: Condition({"x": Block(p)}) for n, p in parts.items()}, problem),
        y,
        np.arange(120),
    )
    tukey, dunnett = tukey_quantile(0.95, 3, 119), dunnett_quantile(0.95, 2, 119)
    pairs = [sums.difference(i, j) for i, j in (("raw_pixels", "a"), ("raw_pixels", "b"))]
    pairs.append(sums.difference("a", "b"))
    low = max(abs(p.estimate) - tukey * p.standard_error for p in pairs)
    high = max(abs(p.estimate) + tukey * p.standard_error for p in pairs)
    assert result.interval == pytest.approx((low, high))
    assert result.verdict == ("pass" if low > 0.1 else "fail" if high < 0.1 else "undecided")
    best = max(-p.estimate - dunnett * p.standard_error for p in pairs[:2])
    assert result.best_minus_trivial_interval[0] == pytest.approx(best)
    half = max(tukey * p.standard_error for p in pairs)
    assert result.minimum_detectable == pytest.approx(half)
    single = sums.single("a")
    row = by_name(result)["a"]
    margin = stats.t.ppf(0.975, 119) * single.standard_error
    assert row["interval"] == pytest.approx((row["r2"] - margin, row["r2"] + margin))
    assert row["pooled_r2"] == pytest.approx(single.estimate)


def test_scores_do_not_depend_on_what_else_is_compared():
    x, y = regression()
    two = by_name(spread({"a": x, "b": x[:, :2]}, y))
    three = by_name(spread({"c": x[:, 3:], "b": x[:, :2], "a": x}, y))
    assert two["a"]["r2"] == three["a"]["r2"]
    assert two["b"]["r2"] == three["b"]["r2"]


def test_the_result_depends_on_the_seed_alone():
    x, y = regression()
    first, again, other = (spread({"a": x, "b": x[:, :2]}, y, seed=s) for s in (1, 1, 2))
    assert first == again
    assert first.estimate != other.estimate
    assert (first.seed, other.seed) == (1, 2)


def test_blocks_shared_between_checks_give_the_same_result_as_arrays():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((60, 600)), rng.standard_normal(60)
    block, other = Block(x), rng.standard_normal((60, 3))
    first = spread({"a": block, "b": other}, y)
    again = spread({"a": block, "b": other}, y)
    arrays = spread({"a": x, "b": other}, y)
    assert first == again == arrays


def test_a_leaked_id_is_found_out_by_the_groups():
    rng = np.random.default_rng(0)
    scene = np.repeat(np.arange(20), 6)
    y = rng.standard_normal(20)[scene] + 0.1 * rng.standard_normal(120)
    identity = np.eye(20)[scene] + 1e-3 * rng.standard_normal((120, 20))
    scores = {"leak": identity, "noise": rng.standard_normal((120, 4))}
    assert by_name(spread(scores, y))["leak"]["r2"] > 0.9
    assert by_name(spread(scores, y, groups=scene))["leak"]["r2"] < 0.1


def test_random_seeds_enter_as_their_mean_and_never_as_their_best():
    x, y = regression()
    rng = np.random.default_rng(3)
    seeds = {f"random_vit-s{i}": rng.standard_normal((120, 4)) + i * x[:, :1] for i in range(3)}
    result = spread(seeds | {"raw_pixels": x[:, 1:3], "model": x}, y)
    row = by_name(result)["random_vit"]
    assert list(row["members"]) == list(seeds)
    assert row["r2"] == pytest.approx(np.mean(list(row["members"].values())))
    assert len(result.rows) == 3
    assert row["role"] == "random"


def test_a_single_random_network_is_a_row_of_its_own():
    x, y = regression()
    row = spread({"random_vit": x[:, 1:], "model": x}, y).rows[0]
    assert row["representation"] == "random_vit"
    assert "members" not in row


def test_a_candidate_named_like_the_random_mean_stays_apart_from_it():
    x, y = regression()
    result = spread(
        {"random_vit": x, "random_vit-s0": x[:, 1:], "random_vit-s1": x[:, 2:]},
        y,
        roles={"random_vit": "candidate"},
    )
    rows = by_name(result)
    assert set(rows) == {"random_vit", "random_vit (mean of 2)"}
    expected = rows["random_vit"]["r2"] - rows["random_vit (mean of 2)"]["r2"]
    assert result.estimate == pytest.approx(expected)
    assert result.interval[0] <= expected <= result.interval[1]


def test_only_random_representations_cannot_be_compared():
    with pytest.raises(InputError, match="only random representations were given"):
        spread({"random_vit-s0": 0.5, "random_vit-s1": 0.6})


def test_published_scores_are_compared_as_points():
    result = spread({"random_vit": 0.977, "raw_pixels": 0.996, "best": 0.995}, bar=0.05)
    assert result.estimate == pytest.approx(0.019)
    assert result.interval is None
    assert result.verdict == "fail"
    assert result.best_minus_trivial == pytest.approx(-0.001)
    assert result.metric == "score"
    assert any("point comparison only" in finding for finding in result.findings)
    assert result.findings[0].startswith("no candidate beats the trivial baselines")
    assert spread({"raw_pixels": 0.86, "best": 0.97}).verdict == "pass"


def test_per_item_scores_are_judged_by_the_paired_t_of_the_groups():
    rng = np.random.default_rng(0)
    skill = rng.random(200)
    items = {"raw_pixels": skill > 0.4, "model": skill > 0.2}
    result = spread(items, groups=np.arange(200) // 5)
    difference = np.reshape(items["model"].astype(float) - items["raw_pixels"], (40, 5))
    test = stats.ttest_1samp(difference.mean(axis=1), 0).confidence_interval(0.95)
    assert result.estimate == pytest.approx(difference.mean())
    assert result.interval == pytest.approx((test.low, test.high))
    assert result.metric == "score"
    assert result.episodes == 200


def test_identical_items_are_an_effective_sample_of_one():
    result = spread({"raw_pixels": np.full(20, 0.62), "best": np.full(20, 0.58)})
    assert result.interval is None
    assert result.verdict == "undecided"
    assert "the effective sample size is 1" in result.findings[-1]
    assert result.findings[0].startswith("no candidate beats the trivial baselines: best (0.580)")


def test_a_trivial_baseline_that_wins_is_a_finding():
    rng = np.random.default_rng(0)
    skill = rng.random(500)
    result = spread({"raw_pixels": skill < 0.62, "best": skill < 0.58})
    assert result.best_minus_trivial == pytest.approx(-0.04, abs=0.02)
    assert "no candidate beats the trivial baselines" in result.findings[0]


def test_a_candidate_not_shown_to_win_is_a_finding_of_its_own():
    rng = np.random.default_rng(0)
    result = spread({"raw_pixels": rng.random(40), "best": rng.random(40) + 0.05})
    assert result.best_minus_trivial > 0
    assert "no candidate is shown to beat the trivial baselines" in result.findings[0]


def test_without_a_trivial_side_there_is_nothing_to_beat():
    result = spread({"a": 0.5, "b": 0.7})
    assert result.best_minus_trivial is None
    assert len(result.findings) == 1


def test_classes_are_scored_by_accuracy():
    x = regression(200)[0]
    labels = np.where(x[:, 0] > 0, "far", "near")
    result = spread({"raw_pixels": x[:, 1:], "model": x[:, :1]}, labels)
    rows = by_name(result)
    assert result.metric == "accuracy"
    assert rows["model"]["accuracy"] > 0.95
    assert rows["raw_pixels"]["accuracy"] == pytest.approx(0.5, abs=0.12)
    assert "pooled_r2" not in rows["model"]


@pytest.mark.parametrize("rarest", [1, 3])
def test_a_rare_class_is_a_warning_of_the_check_and_not_of_the_library(rarest):
    x, _ = regression(60)
    labels = ["a"] * 30 + ["b"] * (30 - rarest) + ["c"] * rarest
    result = spread({"a": x, "b": x[:, :2]}, labels)
    assert f"class 'c' ({rarest} rows)" in result.warnings[0]


@pytest.mark.parametrize("groups", [3, 7, 9])
def test_fewer_than_ten_groups_are_shown_and_left_undecided(groups):
    x, y = regression(groups * 10)
    result = spread(
        {"raw_pixels": x[:, 1:], "model": x}, y, groups=np.repeat(np.arange(groups), 10), folds=3
    )
    assert result.verdict == "undecided"
    assert result.interval is None
    assert result.minimum_detectable is None
    assert result.best_minus_trivial_interval is None
    assert result.estimate > 0.2
    assert all(row["interval"] is None for row in result.rows)
    assert f"too few groups: {groups} independent groups, intervals need 10." in result.findings


def test_floor_and_ceiling_stand_beside_the_representations():
    x, y = regression(200)
    result = spread(
        {"raw_pixels": x[:, 2:], "model": x[:, :2]},
        y,
        covariates=x[:, 5],
        references={"state": np.column_stack([y, x[:, 0]])},
    )
    kinds = {row["kind"]: row for row in result.references}
    assert kinds["ceiling"]["reference"] == "state"
    assert kinds["ceiling"]["r2"] == pytest.approx(1.0, abs=1e-6)
    assert kinds["floor"]["reference"] == "covariates alone"
    assert kinds["floor"]["r2"] < 0.1
    assert {row["representation"] for row in result.rows} == {"raw_pixels", "model"}


def test_without_covariates_there_is_no_floor():
    x, y = regression()
    assert spread({"a": x, "b": x[:, 1:]}, y).references == ()


def test_a_covariate_is_given_to_every_representation():
    x, y = regression(300)
    rows = by_name(spread({"a": x[:, 1:3], "b": x[:, 3:]}, y, covariates=1e7 * x[:, 0]))
    assert rows["a"]["r2"] == pytest.approx(0.5, abs=0.12)
    assert rows["b"]["r2"] == pytest.approx(0.5, abs=0.12)


def test_a_covariate_in_large_units_leaves_the_features_readable():
    x, y = regression(300)
    large = 1e7 * np.random.default_rng(1).standard_normal(300)
    rows = by_name(spread({"a": x, "b": x[:, 1:]}, y, covariates=large))
    assert rows["a"]["r2"] == pytest.approx(0.5, abs=0.12)


def test_copies_across_folds_fail_the_check_and_are_counted():
    x, y = regression()
    x[100:], y[100:] = x[:20], y[:20]
    result = spread({"raw_pixels": x[:, 1:], "model": x}, y)
    assert result.verdict == "fail"
    assert result.findings[0].startswith("20 rows are copies of rows in other groups (rows 0 = 100")
    assert ", ...)" in result.findings[0]
    assert result.summary == result.findings[0]


def test_copies_of_one_group_are_no_leak():
    x, y = (np.tile(part, (2, 1) if part.ndim == 2 else 2) for part in regression())
    result = spread({"raw_pixels": x[:, 1:], "model": x}, y, groups=np.tile(np.arange(120), 2))
    assert not any("copies" in finding for finding in result.findings)


def test_agreeing_class_rows_are_named_but_decide_nothing():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (100, 2)).astype(float)
    labels = np.where(rng.random(100) < 0.2, 1 - x[:, 0], x[:, 0]).astype(int)
    result = spread({"raw_pixels": x[:, 1:], "model": x}, labels)
    assert "are copies of rows in other groups" in result.findings[0]
    assert result.verdict != "fail"


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ({"a": 0.5}, {}, r"at least two representations, each once, got \['a'\]"),
        ({}, {}, r"at least two representations, each once, got \[\]"),
        ({1: 0.5, "1": 0.6}, {}, r"each once, got \['1', '1'\]"),
        ([0.5, 0.6], {}, "scores must be a mapping .* got list"),
        ({"a": 0.5, "b": np.zeros(5)}, {}, r"'a' is the single number 0\.5"),
        ({"a": 0.5, "b": float("nan")}, {}, "the score of 'b' is nan"),
        ({"a": 0.5, "b": 0.6}, {"bar": None}, "bar must be a finite number"),
        ({"a": 0.5, "b": 0.6}, {"confidence": 95}, "confidence must lie between 0 and 1"),
        ({"a": 0.5, "b": 0.6}, {"roles": {"c": "trivial"}}, r"roles name \['c'\]"),
        ({"a": np.zeros((5, 2)), "b": np.zeros((5, 2))}, {}, "features were meant"),
    ],
)
def test_scores_that_cannot_be_compared_are_refused(scores, options, message):
    with pytest.raises(InputError, match=message):
        spread(scores, **options)


def test_bad_features_are_refused_by_name_before_any_fit():
    x, y = regression()
    bad = x.copy()
    bad[17, 3] = np.inf
    with pytest.raises(InputError, match="'vit', block 'query': row 17, column 3 is inf"):
        spread({"raw": x, "vit": {"query": bad}}, y)
    with pytest.raises(InputError, match="'vit' is constant"):
        spread({"raw": x, "vit": np.zeros((120, 8))}, y)
    with pytest.raises(InputError, match=r"'a' must have shape \(n, d\)"):
        spread({"a": 0.5, "b": x}, y)


def test_huge_offsets_in_float32_change_no_score():
    rng = np.random.default_rng(0)
    signal = np.round(8 * rng.standard_normal((200, 4))) / 8
    y = signal[:, 0] + 0.5 * rng.standard_normal(200)
    rows = by_name(
        spread({"plain": signal, "shifted": (signal + 1e6).astype(np.float32)}, y, repeats=1)
    )
    assert rows["shifted"]["r2"] == pytest.approx(rows["plain"]["r2"], abs=1e-6)


def test_undecided_says_so_and_pass_says_so():
    x, y = regression(40)
    noisy = x[:, :2] + np.random.default_rng(1).standard_normal((40, 2))
    undecided = spread({"raw_pixels": noisy, "model": x[:, :2]}, y, bar=0.05)
    assert undecided.verdict == "undecided"
    assert "cannot tell whether that exceeds 0.05" in undecided.summary
    x, y = regression(400)
    assert "can tell them apart" in spread({"raw_pixels": x[:, 1:], "model": x}, y).summary


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 1000), target=st.booleans(), n=st.sampled_from([8, 40]))
def test_every_result_is_strict_json(seed, target, n):
    rng = np.random.default_rng(seed)
    scores = {"BaNaNa": rng.standard_normal((n, 2)), "raw_pixels": rng.standard_normal((n, 2))}
    y = rng.standard_normal(n)
    result = (
        spread(scores, y, folds=2, repeats=2, covariates=y**2)
        if target
        else spread({name: x[:, 0] for name, x in scores.items()})
    )
    data = result.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert "BaNaNa" in {row["representation"] for row in data["rows"]}


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 10_000))
def test_relabelling_groups_and_moving_the_target_change_no_verdict(seed):
    rng = np.random.default_rng(seed)
    x, y = regression(60, seed)
    groups = np.repeat(np.arange(12), 5)
    names = np.array([f"scene {chr(97 + g)}" for g in range(12)])
    plain = spread({"a": x, "b": x[:, 1:]}, y, groups=groups, repeats=1)
    named = spread({"a": x, "b": x[:, 1:]}, y, groups=names[groups], repeats=1)
    moved = spread({"a": x, "b": x[:, 1:]}, 3 * y - 7, groups=groups, repeats=1)
    rotation = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    rotated = spread({"a": 5 * x @ rotation + 2, "b": x[:, 1:]}, y, groups=groups, repeats=1)
    assert named == plain
    for other in (moved, rotated):
        assert other.estimate == pytest.approx(plain.estimate, abs=1e-7)
        assert other.interval == pytest.approx(plain.interval, abs=1e-7)


ORACLE = {"roles": {"truth": "oracle"}, "bar": 0.05}


@pytest.mark.parametrize("per_item", [False, True])
def test_a_metric_that_marks_the_ground_truth_down_is_broken(per_item):
    scores = {"raw_pixels": 0.3, "model": 0.6, "truth": 0.667}
    if per_item:
        rng = np.random.default_rng(0)
        scores = {name: (rng.random(300) < score).astype(float) for name, score in scores.items()}
    result = spread(scores, **ORACLE)
    assert result.verdict == "fail"
    assert "the metric is broken" in result.summary
    assert "truth scores 0.6" in result.findings[0]
    assert [row["representation"] for row in result.rows] == ["raw_pixels", "model"]


@pytest.mark.parametrize("truth", [1.0, 1.0 - 1e-9])
def test_an_oracle_with_full_marks_changes_nothing(truth):
    scores = {"raw_pixels": 0.3, "model": 0.6}
    result = spread({**scores, "truth": truth}, **ORACLE)
    assert result.to_dict() == spread(scores, bar=0.05).to_dict()


def test_an_oracle_is_no_representation():
    with pytest.raises(InputError, match="at least two representations beside the oracle"):
        spread({"model": 0.6, "truth": 1.0}, **ORACLE)


def test_an_oracle_of_features_is_sent_to_the_references():
    x = np.random.default_rng(0).standard_normal((60, 2))
    with pytest.raises(InputError, match="pass the simulator's state in references="):
        spread({"raw_pixels": x, "model": -x, "truth": x}, x[:, 0], **ORACLE)
