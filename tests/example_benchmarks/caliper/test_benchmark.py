from __future__ import annotations

import json

import numpy as np
import pytest

from pytest_benchcheck import Cell, effect_size_audit, spread
from pytest_benchcheck.example_benchmarks.caliper.benchmark import (
    PERTURBATIONS,
    STRIKES,
    Caliper,
)
from pytest_benchcheck.example_benchmarks.caliper.clips import CLIP_NAMES
from pytest_benchcheck.example_benchmarks.caliper.draws import (
    draw_half_extents,
    draw_physics,
    geometry_stream,
    physics_stream,
)
from pytest_benchcheck.example_benchmarks.caliper.scene import build_scene
from pytest_benchcheck.example_benchmarks.caliper.simulation import simulate_episodes
from pytest_benchcheck.example_benchmarks.caliper.strikes import at_rest, strike


def test_a_perturbation_of_mass_or_friction_moves_every_strike_without_any_noise():
    caliper = Caliper("caliper")
    result = effect_size_audit(caliper.simulate, caliper.cells(), seeds=6)
    assert result.verdict == "pass"
    assert result.unit == "m"
    assert [(row["task"], row["property"]) for row in result.rows] == [
        (task, name) for task in STRIKES for name in PERTURBATIONS
    ]
    assert len(result.rows) == 6
    for row in result.rows:
        assert row["noise_floor"] == 0.0
        assert row["share_moved"] == 1.0
        assert not row["inert"]
        assert row["mean_abs_delta"] > 0.001
        assert row["warnings"] == []
    assert result.findings == ()
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False)) == result.to_dict()


@pytest.mark.parametrize("task", STRIKES)
@pytest.mark.parametrize("name", PERTURBATIONS)
def test_a_cell_multiplies_its_own_property_alone(task, name):
    caliper = Caliper("caliper")
    (cell,) = [c for c in caliper.cells() if (c.task, c.property) == (task, name)]
    seed = 3
    physics = draw_physics(physics_stream(seed, 0))
    factor = {"mass": 1.0, "friction": 1.0}
    for run, changed in ((cell.twin, {}), (cell, {name: 1.5})):
        by = factor | changed
        model = build_scene(
            draw_half_extents(geometry_stream(seed, 0)),
            physics.mass * by["mass"],
            physics.friction * by["friction"],
        )
        speed = STRIKES[task] or physics.query_speed
        expected = strike(model, at_rest(model), speed).displacement
        assert caliper.simulate(run, seed).values == expected


def test_every_cell_is_compared_with_the_twin_of_its_own_strike():
    for cell in Caliper("caliper").cells():
        assert cell.twin == Cell(cell.task, "unperturbed")


def test_a_run_without_a_strike_is_an_error():
    with pytest.raises(ValueError, match="ask for the cell's twin"):
        Caliper("caliper").simulate(None, 0)


def test_both_scenes_have_the_same_labels_bit_by_bit():
    clean, nuisance = (Caliper("c", scene=scene).episodes(5, 8) for scene in ("clean", "nuisance"))
    assert np.array_equal(clean.target, nuisance.target)
    assert np.array_equal(clean.covariates, nuisance.covariates)
    for name, latent in clean.latents.items():
        assert np.array_equal(latent, nuisance.latents[name]), name
    assert not np.array_equal(clean.clips["query"][:1], nuisance.clips["query"][:1])


def test_episodes_hold_what_was_simulated():
    simulated = simulate_episodes(5, 8)
    episodes = Caliper("c", frames=2, resolution=16).episodes(5, 8)
    assert np.array_equal(np.exp(episodes.target), np.exp(np.log(simulated.displacements[:, 2])))
    assert np.array_equal(episodes.covariates[:, 0], simulated.query_speed)
    assert np.array_equal(episodes.latents["log_mass"], np.log(simulated.mass))
    assert np.array_equal(episodes.latents["friction"], simulated.friction)
    assert tuple(episodes.clips) == CLIP_NAMES
    assert episodes.evidence == ("calibration_slow", "calibration_fast")
    for clip in episodes.clips.values():
        assert clip[:].shape == (5, 2, 16, 16, 3)


def test_the_query_is_no_evidence_and_no_reference_knows_its_outcome():
    episodes = Caliper("c").episodes(5, 8)
    assert "query" not in episodes.evidence
    for name, reference in episodes.references.items():
        assert not np.isclose(reference, episodes.target[:, None]).any(), name


def test_the_references_score_what_the_paper_reports():
    episodes = Caliper("c").episodes(400, 0)
    result = spread(
        episodes.references,
        episodes.target,
        covariates=episodes.covariates,
        references=episodes.references,
    )
    r2 = {row["reference"]: row["r2"] for row in result.references}
    # The standard error of an R2 of .52 is 2 sqrt(.52) (1 - .52) / sqrt(400) = .035: twice that.
    # Those of the ceilings are .001; the rest is room for a simulation that is not the paper's.
    assert r2["covariates alone"] == pytest.approx(0.524, abs=0.07)
    assert r2["true_mass_and_friction"] == pytest.approx(0.988, abs=0.01)
    assert r2["true_calibration_displacements"] == pytest.approx(0.992, abs=0.008)
    assert simulate_episodes(400, 0).acceptance > 0.70


def test_a_scene_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match=r"hard\.scene must be one of .* got 'dark'"):
        Caliper("hard", scene="dark").episodes(2, 0)
