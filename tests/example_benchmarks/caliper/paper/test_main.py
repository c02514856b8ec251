"""The command computes what is asked for, once."""

from __future__ import annotations

import json

import pytest

from pytest_benchcheck.example_benchmarks.caliper.paper import __main__ as command

pytest.importorskip("mujoco")
pytest.importorskip("torch")


def test_pieces_are_computed_for_both_scenes_and_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "ENCODERS", ("raw_pixels", "frame_difference"))
    arguments = [
        "table-1",
        "figure-3",
        "--episodes=100",
        f"--results={tmp_path}",
        f"--cache={tmp_path / 'cache'}",
    ]
    monkeypatch.setattr(
        command,
        "scene_features",
        lambda *a, **k: _scene_features(*a, **k, encoders=("raw_pixels", "frame_difference")),
    )
    assert command.main(arguments) == 0
    assert capsys.readouterr().out.count("table-1") == 2
    table = json.loads((tmp_path / "table-1-clean.json").read_text(encoding="utf-8"))
    assert [row["representation"] for row in table["result"]["rows"]] == [
        "raw_pixels",
        "frame_difference",
    ]
    assert table["settings"]["episodes"] == 100
    curve = json.loads((tmp_path / "figure-3-nuisance.json").read_text(encoding="utf-8"))
    assert {row["training_episodes"] for row in curve["result"]} == {75}
    monkeypatch.setattr(command, "scene_features", None)
    assert command.main(arguments) == 0


def test_an_unknown_piece_is_refused(capsys):
    with pytest.raises(SystemExit):
        command.main(["table-9"])
    assert "unknown pieces ['table-9']" in capsys.readouterr().err


_scene_features = command.scene_features
