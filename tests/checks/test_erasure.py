from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import r2_score

from pytest_benchcheck.checks.erasure import erasure
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.nullspace import erase_property, project_out
from pytest_benchcheck.checks.readout import reduced_design
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.ridge import fit_ridge

SHARES = {"mass": 0.6, "friction": 0.3}


def physics(n: int = 400, seed: int = 0, width: int = 12):
    """Rotated features that carry mass, friction and a colour; the target uses the first two."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n, width))
    latents = {"mass": z[:, 0], "friction": z[:, 1], "colour": z[:, 2]}
    y = sum(np.sqrt(share) * latents[name] for name, share in SHARES.items())
    rotation = np.linalg.qr(rng.standard_normal((width, width)))[0]
    return z @ rotation, y + np.sqrt(0.1) * rng.standard_normal(n), latents


def by_property(result):
    return {row["property"]: row for row in result.rows}


def test_erasing_a_latent_costs_its_share_of_the_targets_variance():
    x, y, latents = physics(3000)
    result = erasure({"model": x}, y, latents=latents, repeats=1)
    rows = by_property(result)
    for name, share in (SHARES | {"colour": 0.0}).items():
        row = rows[name]
        assert row["cost"] == pytest.approx(share, abs=0.03), name
        assert row["probe_r2"] == pytest.approx(1.0, abs=1e-3)
        assert row["probe_r2_after"] == pytest.approx(0.0, abs=0.02)
        assert row["directions"] == pytest.approx(1.0, abs=0.5)
        # r random directions of twelve take r twelfths of what is read.
        control = 0.9 * row["directions"] / 12
        assert row["random_control_cost"] == pytest.approx(control, abs=0.06)
        assert row["excess_cost"] == pytest.approx(row["cost"] - row["random_control_cost"])
        assert row["before"] - row["after"] == pytest.approx(row["cost"])
    assert result.verdict == "pass"
    assert result.estimate == rows["mass"]["excess_cost"]
    assert result.interval == rows["mass"]["interval"]
    assert result.summary.startswith(f"erasing mass from model costs {rows['mass']['cost']:.3f}")


def test_a_property_that_is_decodable_but_not_used_fails_and_is_named():
    x, y, latents = physics(1500, width=40)
    result = erasure({"model": x}, y, latents={"colour": latents["colour"]}, repeats=2)
    assert result.verdict == "fail"
    assert "nothing shows that it is used" in result.summary
    assert "colour is decodable from model (probe R2 1.000)" in result.findings[0]


def test_a_property_that_is_not_carried_costs_nothing_and_takes_nothing_out():
    x, y, _ = physics()
    absent = np.random.default_rng(5).standard_normal(400)
    row = erasure({"model": x}, y, latents={"absent": absent}).rows[0]
    assert row["probe_r2"] < 0.05
    assert row["directions"] < 1
    assert row["cost"] == pytest.approx(0.0, abs=0.05)


def test_erasing_the_target_itself_leaves_nothing():
    x, y, _ = physics()
    row = erasure({"model": x}, y, latents={"target": y}).rows[0]
    assert row["after"] == pytest.approx(0.0, abs=0.05)
    assert row["cost"] == pytest.approx(0.9, abs=0.06)


def test_what_the_covariates_carry_is_never_erased():
    x, y, latents = physics()
    row = erasure(
        {"model": x}, y, latents={"mass": latents["mass"]}, covariates=latents["mass"]
    ).rows[0]
    assert row["cost"] == pytest.approx(0.0, abs=0.03)


def test_redundant_carriers_in_two_blocks_are_erased_together():
    x, y, latents = physics()
    row = erasure({"m": {"a": x, "b": x[:, ::-1]}}, y, latents={"mass": latents["mass"]}).rows[0]
    assert row["cost"] == pytest.approx(0.6, abs=0.08)


def test_a_fold_is_erased_by_directions_fitted_on_its_training_rows():
    x, y, latents = physics(120)
    result = erasure({"model": x}, y, latents={"mass": latents["mass"]}, seed=3)
    problem, _ = make_problem(y, seed=3)
    before, after, probes = [], [], []
    for fold in problem.folds:
        design = reduced_design({"x": Block(x)}, fold.train, 96)["x"]
        groups = problem.groups[fold.train]
        erased = erase_property(design[fold.train], latents["mass"][fold.train], groups)
        for part, scores in ((design, before), (project_out(design, erased.directions), after)):
            fit = fit_ridge(part[fold.train], y[fold.train], groups)
            scores.append(r2_score(y[fold.test], fit.predict(part[fold.test])))
            probe = fit_ridge(part[fold.train], latents["mass"][fold.train], groups)
            held_out = probe.predict(part[fold.test])
            probes.append(r2_score(latents["mass"][fold.test], held_out))
    row = result.rows[0]
    assert row["before"] == pytest.approx(np.mean(before))
    assert row["after"] == pytest.approx(np.mean(after))
    assert row["probe_r2"] == pytest.approx(np.mean(probes[::2]))
    assert row["probe_r2_after"] == pytest.approx(np.mean(probes[1::2]))


def test_latents_may_have_any_name():
    x, y, latents = physics(120)
    values = latents["mass"]
    names = ["before", "after", "control 0", "mass"]
    result = erasure({"before": x}, y, latents=dict.fromkeys(names, values), control_draws=2)
    rows = by_property(result)
    for name in names:
        assert rows[name]["cost"] == pytest.approx(rows["mass"]["cost"])
        assert rows[name]["random_control_cost"] == pytest.approx(
            rows["mass"]["random_control_cost"], abs=0.15
        )
        assert rows[name]["before"] - rows[name]["after"] == pytest.approx(rows[name]["cost"])


def test_more_rows_widen_every_interval():
    x, y, latents = physics()
    mass = {"mass": latents["mass"]}
    one = erasure({"model": x}, y, latents=mass).rows[0]
    two = erasure({"model": x, "copy": x}, y, latents=mass).rows[0]
    assert two["cost"] == one["cost"]
    width = np.ptp(one["interval"])
    factor = stats.t.ppf(1 - 0.05 / 4, 399) / stats.t.ppf(1 - 0.05 / 2, 399)
    assert np.ptp(two["interval"]) == pytest.approx(width * factor, rel=0.1)


def test_what_these_data_cannot_tell_is_undecided():
    x, y, latents = physics(40)
    result = erasure({"model": x}, y, latents={"friction": latents["friction"]}, bar=0.2)
    assert result.verdict == "undecided"
    assert "cannot tell whether that exceeds 0.2" in result.summary


def test_classes_are_scored_by_accuracy():
    x, y, latents = physics()
    result = erasure({"model": x}, np.where(y > 0, "far", "near"), latents=latents, repeats=2)
    assert result.metric == "accuracy"
    assert by_property(result)["mass"]["cost"] > 0.1


@pytest.mark.parametrize("groups", [3, 9])
def test_fewer_than_ten_groups_are_shown_and_left_undecided(groups):
    x, y, latents = physics(groups * 20)
    result = erasure(
        {"model": x}, y, latents=latents, groups=np.repeat(np.arange(groups), 20), folds=3
    )
    assert result.verdict == "undecided"
    assert result.interval is None
    assert result.minimum_detectable is None
    assert by_property(result)["mass"]["cost"] > 0.3
    assert f"too few groups: {groups} independent groups" in result.findings[0]


@pytest.mark.parametrize("d", [4, 600])
def test_a_frozen_block_beside_the_features_changes_nothing(d):
    x, y, latents = physics(100)
    mass = {"mass": latents["mass"]}
    both = erasure({"m": {"x": x, "still": np.full((100, d), 0.1)}}, y, latents=mass)
    alone = erasure({"m": x}, y, latents=mass)
    assert both.rows[0]["cost"] == pytest.approx(alone.rows[0]["cost"], abs=1e-9)
    assert both.rows[0]["probe_r2"] == pytest.approx(alone.rows[0]["probe_r2"], abs=1e-9)


def test_features_that_vary_on_few_rows_only_can_be_without_components():
    x = np.zeros((60, 2))
    x[0] = 1.0
    rng = np.random.default_rng(0)
    result = erasure({"m": x}, rng.standard_normal(60), latents={"z": rng.standard_normal(60)})
    assert result.rows[0]["directions"] == 0.0
    assert result.rows[0]["cost"] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": {}}, "no representations to judge"),
        ({"latents": {}}, "no latents to erase"),
        ({"latents": {"z": np.zeros(39)}}, r"latent 'z' must have shape \(40,\), got \(39,\)"),
        ({"latents": {"z": np.zeros((40, 1))}}, r"latent 'z' must have shape \(40,\)"),
        ({"latents": {"z": np.full(40, 0.1)}}, "latent 'z' is constant"),
        ({"latents": {"z": [np.nan] + [1.0] * 39}}, "latent 'z': row 0 is nan"),
        ({"latents": {"z": ["heavy"] * 40}}, "latent 'z' must hold real numbers, got dtype <U5"),
        ({"latents": {"z": 1j * np.arange(40)}}, "latent 'z' must hold real numbers, got dtype c"),
        ({"control_draws": 0}, "control_draws must be at least 1, got 0"),
        ({"bar": float("nan")}, "bar must be a finite number"),
    ],
)
def test_what_cannot_be_erased_is_refused(options, message):
    x, y, latents = physics(40)
    call = {"features": {"m": x}, "target": y, "latents": latents} | options
    with pytest.raises(InputError, match=message):
        erasure(**call)


def test_binary_properties_can_be_erased():
    x, y, latents = physics()
    row = erasure({"m": x}, y, latents={"heavy": latents["mass"] > 0}).rows[0]
    assert row["probe_r2_after"] < 0.05


def test_results_are_strict_json_and_depend_on_the_seed_alone():
    x, y, latents = physics(30)
    call = {"latents": {"BaNaNa": latents["mass"]}, "folds": 2, "repeats": 2}
    first, again, other = (erasure({"m": x}, y, **call, seed=s) for s in (1, 1, 2))
    assert first == again
    assert first.estimate != other.estimate
    data = first.to_dict()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["rows"][0]["property"] == "BaNaNa"


def covariance_eraser(design, latent):
    """What LEACE is for uncorrelated columns of unit variance: the covariance is taken out."""
    direction = (design - design.mean(axis=0)).T @ (latent - latent.mean())
    direction /= np.linalg.norm(direction)
    return lambda rows: rows - np.outer(rows @ direction, direction)


def test_another_eraser_may_take_the_property_out():
    x, y, latents = physics(2000)
    both = [
        erasure({"model": x}, y, latents=latents, repeats=1, eraser=eraser)
        for eraser in (None, covariance_eraser)
    ]
    for row, other in zip(both[0].rows, both[1].rows, strict=True):
        assert other["directions"] == 1
        assert other["before"] == row["before"]
        # One direction is enough for a linear probe, and it costs about what nullspaces cost.
        assert other["probe_r2_after"] < 0.05
        assert other["cost"] == pytest.approx(row["cost"], abs=0.03)


@pytest.mark.parametrize(
    "eraser",
    [
        lambda design, latent: lambda rows: rows[:, :1],
        lambda design, latent: lambda rows: rows * np.nan,
    ],
)
def test_an_eraser_that_returns_something_else_is_refused(eraser):
    x, y, latents = physics()
    with pytest.raises(InputError, match="the eraser returned shape"):
        erasure({"model": x}, y, latents=latents, eraser=eraser)
