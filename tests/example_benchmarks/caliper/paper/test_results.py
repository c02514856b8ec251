"""The recorded results: a slice is computed again, and what they claim is asserted on them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pytest_benchcheck import spread
from pytest_benchcheck.example_benchmarks.caliper.simulation import simulate_episodes

pytest.importorskip("mujoco")

RESULTS = Path(__file__).parents[4] / "example_benchmarks" / "caliper" / "results"


def recorded(name: str):
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def test_the_references_of_table_1_come_out_again():
    table = recorded("table-1-clean")
    settings = table["settings"]
    simulated = simulate_episodes(settings["episodes"], settings["seed"])
    state = {
        "true mass and friction": np.column_stack([np.log(simulated.mass), simulated.friction]),
        "true calibration displacements": np.log(simulated.displacements[:, :2]),
    }
    result = spread(
        state,
        np.log(simulated.displacements[:, 2]),
        covariates=simulated.query_speed[:, None],
        roles=dict.fromkeys(state, "candidate"),
        repeats=settings["repeats"],
        seed=settings["seed"],
    )
    again = {row["representation"]: row["r2"] for row in result.rows}
    then = {row["reference"]: row["r2"] for row in table["result"]["references"]}
    for name, r2 in again.items():
        assert r2 == pytest.approx(then[name], abs=1e-6)


def test_all_pieces_have_the_same_settings_at_full_size():
    for path in sorted(RESULTS.glob("*-*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        assert record["settings"]["episodes"] == 2_000, path.name
        assert (record["settings"]["repeats"], record["settings"]["folds"]) == (3, 5)
        assert record["versions"]["mujoco"], path.name


def test_the_clean_scene_cannot_rank_and_the_swap_leaves_nothing():
    table = recorded("table-1-clean")["result"]
    assert table["range"] <= 0.03
    ceiling = max(row["r2"] for row in table["references"] if row["r2"] is not None)
    for row in table["rows"]:
        assert ceiling - row["query_evidence"] <= 0.04, row
        gain = row["query_evidence"] - row["query"]
        assert abs(row["query_swapped"] - row["query"]) <= 0.05 * gain, row
