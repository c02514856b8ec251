"""The script that the performance figures come from, at a small size."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from pytest_benchcheck.checks.derangement import derangement
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.swap import draw_images
from pytest_benchcheck.example_benchmarks.caliper.benchmark import Caliper
from pytest_benchcheck.fixtures.encoders import load_encoders
from pytest_benchcheck.fixtures.features import encode_clips

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def engine() -> ModuleType:
    spec = importlib.util.spec_from_file_location("engine", ROOT / "benchmarks" / "engine.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def largest_difference(engine: ModuleType, blocks, problem) -> float:
    images = draw_images(problem, 0)
    mine = engine.engine_folds(blocks, problem, images)
    exact = {name: x.astype(np.float64) for name, x in blocks.items()}
    return max(
        abs(score - mine[name][i])
        for i, fold in enumerate(problem.folds)
        for name, score in engine.plain_fold(exact, problem, fold, images[fold.repeat]).items()
    )


@pytest.mark.parametrize("scene", ["clean", "nuisance"])
def test_caliper_features_score_as_the_plain_pipeline(engine, scene):
    episodes = Caliper(f"caliper-{scene}", scene=scene).episodes(130, 0)
    encoders = load_encoders(["raw_pixels", "frame_difference"])
    encoded = encode_clips(episodes.clips, encoders, cache=None, key={})
    problem, _ = make_problem(episodes.target, covariates=episodes.covariates, repeats=1)
    for clips in encoded.features.values():
        blocks = dict(zip(engine.BLOCKS, clips.values(), strict=True))
        assert largest_difference(engine, blocks, problem) < 1e-6


def test_random_features_score_as_the_plain_pipeline(engine):
    data, speed, target = engine.table(150, 700, 1)
    problem, _ = make_problem(target, covariates=speed, repeats=2)
    assert largest_difference(engine, data["encoder_0"], problem) < 1e-9


def test_the_comparison_runs_and_its_numbers_hang_together(engine):
    result = engine.compare(rows=130, width=600, count=2, plain_folds=1)
    assert result["ratio"] == pytest.approx(result["pipeline_s"] / result["engine_s"])
    assert result["times_the_floor"] == pytest.approx(result["engine_s"] / result["floor_s"])
    assert result["largest_difference_in_r2"] < 1e-9
    assert result["memory_over_largest_block"] > 0


def test_the_floor_counts_what_no_method_avoids(engine):
    once, twice = (engine.unavoidable_products(100, 1000, count) for count in (1, 2))
    assert twice == pytest.approx(2 * once)
    # Half of each of three Gram matrices, two operations a product and sum.
    assert once > 3 * 100**2 * 1000


def test_growth_is_measured_by_rows(engine, capsys):
    points = engine.growth([40, 80], 600)
    assert [point["rows"] for point in points] == [40, 80]
    assert all(point["seconds"] > 0 for point in points)
    assert "'rows': 80" in capsys.readouterr().out


def test_the_recorded_run_is_the_one_that_the_docs_tell():
    recorded = json.loads((ROOT / "benchmarks/results/engine.json").read_text(encoding="utf-8"))
    told = (ROOT / "docs/performance.md").read_text(encoding="utf-8")
    job = recorded["table_1"]
    assert job["ratio"] >= 50
    assert job["memory_over_largest_block"] <= 1.5
    assert job["largest_difference_in_r2"] < 1e-6
    for number in (
        f"{job['pipeline_s']:,.0f}",
        f"{job['engine_s']:.0f} |",
        f"{job['ratio']:.0f} times",
        f"{job['times_the_floor']:.1f} times",
        f"{job['memory_over_largest_block']:.2f} times",
        recorded["date"],
    ):
        assert number in told, number


def test_a_derangement_of_all_rows_is_no_excuse(engine):
    """The pipeline exchanges features, the engine components: they agree where folds hold it."""
    data, speed, target = engine.table(150, 600, 1)
    problem, _ = make_problem(target, covariates=speed, repeats=1)
    blocks = data["encoder_0"]
    across = [derangement(problem.groups, np.random.default_rng(0))]
    within = draw_images(problem, 0)
    for images, equal in ((within, True), (across, False)):
        mine = engine.engine_folds(blocks, problem, images)["query_swapped"][0]
        exact = {name: x.astype(np.float64) for name, x in blocks.items()}
        plain = engine.plain_fold(exact, problem, problem.folds[0], images[0])["query_swapped"]
        assert (abs(mine - plain) < 1e-9) == equal
