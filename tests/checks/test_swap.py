from __future__ import annotations

import json
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_benchcheck.checks.derangement import derangement_within
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inference import group_sums
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.readout import Condition, cross_validate
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.swap import swap

A, B, NOISE = 0.3, 0.5, 0.2


def episodes(n: int = 300, seed: int = 0) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Target of variance one: shares A from the query, B from the evidence, the rest noise."""
    rng = np.random.default_rng(seed)
    query, evidence = rng.standard_normal((2, n, 2))
    y = np.sqrt(A) * query[:, 0] + np.sqrt(B) * evidence[:, 0]
    return {"query": query, "calibration": evidence}, y + np.sqrt(NOISE) * rng.standard_normal(n)


def only_row(result):
    (row,) = result.rows
    return row


def test_the_four_conditions_are_those_of_the_gaussian_in_closed_form():
    features, y = episodes(4000)
    row = only_row(swap({"model": features}, y, evidence="calibration", repeats=1))
    # Swapped at test, evidence of share B is replaced by an independent copy: its variance counts
    # twice against the prediction, once as lost and once as wrongly added.
    assert row["query"] == pytest.approx(A, abs=0.03)
    assert row["query_evidence"] == pytest.approx(A + B, abs=0.02)
    assert row["query_swapped"] == pytest.approx(A, abs=0.03)
    assert row["query_swapped_at_test"] == pytest.approx(1 - (2 * B + NOISE), abs=0.05)
    assert row["query_swapped_at_test"] == pytest.approx(row["query"] - B, abs=0.05)


def test_evidence_that_is_used_passes():
    features, y = episodes()
    result = swap({"model": features}, y, evidence="calibration")
    row = only_row(result)
    assert result.verdict == row["verdict"] == "pass"
    assert row["gain"] == row["query_evidence"] - row["query"]
    assert row["left"] == row["query_swapped"] - row["query"] == result.estimate
    assert row["share_left"] == row["left"] / row["gain"]
    assert result.interval == row["left_interval"]
    assert result.episodes == 300
    assert "uses the episode's own evidence" in result.summary


def test_noise_as_evidence_gains_nothing():
    features, y = episodes()
    features["calibration"] = np.random.default_rng(9).standard_normal((300, 2))
    result = swap({"model": features}, y, evidence="calibration")
    assert only_row(result)["verdict"] == "no gain"
    assert result.verdict == "undecided"
    assert "no representation is shown to gain" in result.summary
    assert "model is not shown to gain from the evidence" in result.findings[0]


def test_an_answer_leaked_by_the_query_leaves_the_evidence_nothing_to_add():
    features, y = episodes()
    features["query"] = np.column_stack([y, features["query"]])
    result = swap({"model": features}, y, evidence="calibration")
    row = only_row(result)
    assert row["query"] == pytest.approx(1.0, abs=1e-6)
    assert row["verdict"] == "no gain"


def test_a_leaked_scene_id_gains_nothing_once_scenes_are_groups():
    rng = np.random.default_rng(0)
    scene = np.repeat(np.arange(40), 6)
    y = rng.standard_normal(40)[scene] + 0.1 * rng.standard_normal(240)
    leak = np.eye(40)[scene] + 1e-3 * rng.standard_normal((240, 40))
    features = {"query": rng.standard_normal((240, 2)), "calibration": leak}
    call = {"features": {"m": features}, "target": y, "evidence": "calibration"}
    assert only_row(swap(**call))["gain"] > 0.9
    assert only_row(swap(**call, groups=scene))["verdict"] == "no gain"


def test_a_share_of_the_gain_left_fails_and_is_told_in_percent(monkeypatch):
    # A swap that mostly hands every row its own evidence back.
    features, y = episodes()

    def lazy(parts, groups, rng):
        image = np.arange(groups.size)
        image[:30] = np.roll(image[:30], 1)
        return image

    module = import_module("pytest_benchcheck.checks.swap")
    monkeypatch.setattr(module, "derangement_within", lazy)
    result = swap({"model": features}, y, evidence="calibration")
    row = only_row(result)
    assert result.verdict == row["verdict"] == "fail"
    share = f"{100 * row['share_left']:.0f} %"
    assert f"model keeps {share} of its gain with another episode's evidence" in result.summary


def test_what_these_data_cannot_tell_is_undecided():
    features, y = episodes(40)
    result = swap({"model": features}, y, evidence="calibration", at_most=-0.02)
    assert only_row(result)["verdict"] == "undecided"
    assert result.verdict == "undecided"
    assert "cannot tell whether more than -2 % of the gain of model" in result.summary


def test_one_representation_that_gains_is_enough_beside_one_that_does_not():
    features, y = episodes()
    blind = {"query": features["query"], "calibration": np.zeros((300, 2))}
    result = swap({"blind": blind, "model": features}, y, evidence="calibration")
    verdicts = {row["representation"]: row["verdict"] for row in result.rows}
    assert verdicts == {"blind": "no gain", "model": "pass"}
    assert result.verdict == "pass"
    assert "1 of 2 representations" in result.summary
    assert result.estimate == result.rows[1]["left"]


def test_a_gain_too_small_to_be_judged_is_named_and_does_not_hold_up_the_verdict():
    features, y = episodes()
    noise = np.random.default_rng(3).standard_normal((300, 2))
    weak = {"query": features["query"], "calibration": features["calibration"] + 2.0 * noise}
    result = swap({"weak": weak, "model": features}, y, evidence="calibration")
    verdicts = {row["representation"]: row["verdict"] for row in result.rows}
    assert verdicts == {"weak": "undecided", "model": "pass"}
    assert result.verdict == "pass"
    assert result.estimate == result.rows[1]["left"]
    (finding,) = result.findings
    assert finding.startswith(f"weak gains {result.rows[0]['gain']:+.3f}: too little to tell")


def test_the_verdict_waits_for_the_representation_that_gains_most():
    features, y = episodes(60)
    noise = np.random.default_rng(3).standard_normal((60, 2))
    weak = {"query": features["query"], "calibration": features["calibration"] + 0.5 * noise}
    result = swap({"weak": weak, "model": features}, y, evidence="calibration", at_most=0.001)
    assert result.verdict == "undecided"
    assert result.estimate == max(result.rows, key=lambda row: row["gain"])["left"]
    assert "of the gain of model" in result.summary


def test_the_intervals_are_group_t_contrasts_of_the_conditions():
    features, y = episodes(100)
    groups = np.repeat(np.arange(20), 5)
    result = swap({"model": features}, y, evidence="calibration", groups=groups, seed=7)
    problem, _ = make_problem(y, groups=groups, seed=7)
    images = [
        derangement_within(
            [fold.test for fold in problem.folds if fold.repeat == repeat],
            problem.groups,
            np.random.default_rng(child),
        )
        for repeat, child in enumerate(np.random.SeedSequence([7, 1]).spawn(5))
    ]
    blocks = {name: Block(x) for name, x in features.items()}
    conditions = {
        "query": Condition({"query": blocks["query"]}),
        "own": Condition(blocks),
        "swapped": Condition(blocks, ["calibration"], images),
    }
    sums = group_sums(cross_validate(conditions, problem), problem)
    quantile = stats.t.ppf(0.975, 19)
    row = only_row(result)
    assert row["gain_interval"] == pytest.approx(sums.difference("own", "query").bounds(quantile))
    left = sums.difference("swapped", "query").bounds(quantile)
    assert row["left_interval"] == pytest.approx(left)
    assert result.minimum_detectable == pytest.approx((left[1] - left[0]) / 2)


def test_more_representations_widen_every_interval():
    features, y = episodes()
    one = only_row(swap({"model": features}, y, evidence="calibration"))
    two = swap({"model": features, "copy": features}, y, evidence="calibration").rows[0]
    assert two["query_evidence"] == one["query_evidence"]
    assert np.ptp(two["gain_interval"]) > np.ptp(one["gain_interval"])


@pytest.mark.parametrize("value", [0.0, 0.1, 7.7])
@pytest.mark.parametrize("d", [4, 600])
def test_a_frozen_query_clip_is_as_good_as_none(value, d):
    features, y = episodes(100)
    frozen = {"query": np.full((100, d), value), "calibration": features["calibration"]}
    none = {"calibration": features["calibration"]}
    with_frozen, without = (
        only_row(swap({"m": blocks}, y, evidence="calibration", covariates=features["query"]))
        for blocks in (frozen, none)
    )
    for condition in ("query", "query_evidence", "query_swapped", "query_swapped_at_test"):
        assert with_frozen[condition] == pytest.approx(without[condition], abs=1e-9)


def test_everything_may_be_evidence_without_any_covariate():
    features, y = episodes(100)
    row = only_row(swap({"m": features}, y, evidence=["query", "calibration"]))
    assert row["query"] < 0
    assert row["query_evidence"] > 0.6


def test_classes_are_swapped_too():
    features, y = episodes(400)
    labels = np.where(y > 0, "far", "near")
    result = swap({"m": features}, labels, evidence="calibration", at_most=0.5)
    assert result.metric == "accuracy"
    assert result.verdict == "pass"


@pytest.mark.parametrize("groups", [3, 9])
def test_fewer_than_ten_groups_are_shown_and_left_undecided(groups):
    features, y = episodes(groups * 20)
    result = swap(
        {"m": features},
        y,
        evidence="calibration",
        groups=np.repeat(np.arange(groups), 20),
        folds=3,
    )
    assert result.verdict == "undecided"
    assert result.interval is None
    assert result.minimum_detectable is None
    assert only_row(result)["gain"] > 0.2
    assert f"too few groups: {groups} independent groups" in result.findings[-1]


def test_a_group_larger_than_half_cannot_be_swapped():
    features, y = episodes(60)
    groups = np.where(np.arange(60) < 31, 0, np.arange(60))
    with pytest.raises(InputError, match="one group holds 31 of 60 rows"):
        swap({"m": features}, y, evidence="calibration", groups=groups)


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("features", "evidence", "message"),
    [
        ({}, "calibration", "no representations to judge"),
        ({"m": np.zeros((60, 2))}, "calibration", "'m' must be a mapping of block names"),
        ({"m": "all"}, "cal", r"'m' has blocks \['query', 'calibration'\].*\['cal'\] is needed"),
        ({"m": "all"}, [], "at least one block is needed"),
        ({"m": "query"}, "calibration", r"\['calibration'\] is needed"),
    ],
)
def test_evidence_that_is_not_there_is_named(features, evidence, message):
    blocks, y = episodes(60)
    given = {"all": blocks, "query": {"query": blocks["query"]}}
    features = {
        name: given[part] if isinstance(part, str) else part for name, part in features.items()
    }
    with pytest.raises(InputError, match=message):
        swap(features, y, evidence=evidence)


def test_bad_evidence_is_named_with_its_block_and_row():
    features, y = episodes(60)
    features["calibration"][11, 1] = np.nan
    with pytest.raises(InputError, match="'m', block 'calibration': row 11, column 1 is nan"):
        swap({"m": features}, y, evidence="calibration")


@settings(deadline=None, max_examples=8)
@given(seed=st.integers(0, 1000), n=st.sampled_from([16, 60]))
def test_every_result_is_strict_json_and_depends_on_the_seed_alone(seed, n):
    features, y = episodes(n, seed)
    call = {"evidence": "calibration", "folds": 2, "repeats": 2, "seed": seed}
    result = swap({"BaNaNa": features}, y, **call)
    data = result.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["rows"][0]["representation"] == "BaNaNa"
    assert swap({"BaNaNa": features}, y, **call) == result


def many_weak_components(seed: int, *, used: bool, n: int = 200):
    """A query of one cause among 140 weak columns: fewer components of it serve better."""
    rng = np.random.default_rng(seed)
    query, cause = rng.standard_normal((2, n, 1))
    y = query[:, 0] + cause[:, 0] + 0.5 * rng.standard_normal(n)
    seen = cause if used else rng.standard_normal((n, 1))
    blocks = {
        name: np.hstack([part + 0.5 * rng.standard_normal((n, 1)), weak])
        for (name, part), weak in zip(
            {"query": query, "evidence": seen}.items(),
            0.1 * rng.standard_normal((2, n, 140)),
            strict=True,
        )
    }
    return swap({"model": blocks}, y, evidence="evidence")


def test_the_query_at_its_share_is_the_query_with_that_many_components():
    rng = np.random.default_rng(0)
    x, evidence = rng.standard_normal((2, 80, 40))
    y = x[:, 0] + evidence[:, 0] + rng.standard_normal(80)
    row = swap(
        {"m": {"query": x, "evidence": evidence}}, y, evidence="evidence", components=20
    ).rows[0]
    for name, budget in (("query", 20), ("query_at_share", 10)):
        problem, _ = make_problem(y, components=budget)
        alone = cross_validate({name: Condition({"query": Block(x)})}, problem)
        assert row[name] == pytest.approx(alone[name].score, abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_gain_that_fewer_components_bring_is_neither_use_nor_what_is_left(seed):
    noise = many_weak_components(seed, used=False)
    assert noise.rows[0]["query_at_share"] > noise.rows[0]["query"]
    assert noise.verdict == "undecided"
    used = many_weak_components(seed, used=True)
    assert used.rows[0]["gain_interval"][0] > 0
    assert used.verdict != "fail"
