"""A piece is computed once for its settings, and is on disk whole or not at all."""

from __future__ import annotations

import json

import pytest

from pytest_benchcheck.example_benchmarks.caliper.paper.record import computed_once

pytest.importorskip("torch")


def test_what_is_recorded_is_not_computed_again(tmp_path):
    calls = []

    def compute():
        calls.append(1)
        return {"r2": 0.5}

    path = tmp_path / "results" / "table.json"
    first = computed_once(path, {"seed": 0}, compute)
    assert computed_once(path, {"seed": 0}, compute) == first
    assert len(calls) == 1
    assert first["result"] == {"r2": 0.5}
    assert first["versions"]["mujoco"]


def test_other_settings_are_computed_anew(tmp_path):
    path = tmp_path / "table.json"
    computed_once(path, {"seed": 0}, lambda: 1)
    assert computed_once(path, {"seed": 1}, lambda: 2)["result"] == 2


def test_a_piece_that_breaks_leaves_nothing_behind(tmp_path):
    path = tmp_path / "table.json"
    with pytest.raises(ValueError, match="JSON"):
        computed_once(path, {}, lambda: {"r2": float("nan")})
    assert not path.exists()
    with pytest.raises(KeyError):
        computed_once(path, {}, lambda: {}["missing"])
    assert not path.exists()


def test_the_record_is_strict_json(tmp_path):
    path = tmp_path / "table.json"
    computed_once(path, {"seed": 0}, lambda: [1.5])
    assert json.loads(path.read_text(encoding="utf-8"))["result"] == [1.5]
