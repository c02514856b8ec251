"""The page on simulators: its benchmark runs as printed, and gives the verdict that it tells."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pytest_benchcheck.fixtures import simulators

pytest.importorskip("mujoco")

PAGE = (Path(__file__).parents[2] / "docs" / "simulators.md").read_text("utf-8")


def test_the_benchmark_of_the_page_has_one_inert_cell_with_its_reason(pytester):
    (name, code) = re.findall(r"```python\n# (\S+\.py)\n(.*?)```", PAGE, re.DOTALL)[0]
    (pytester.path / name).write_text(code, encoding="utf-8")
    result = pytester.runpytest_subprocess("--benchcheck", "--benchcheck-json=report.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    report = json.loads((pytester.path / "report.json").read_text("utf-8"))
    (check, *_) = report["benchmarks"][0]["checks"]
    inert = {row["property"]: row["inert"] for row in check["rows"]}
    assert inert == {"mass": True, "friction": False, "size": False}
    assert "and the outcome does not follow" in check["rows"][0]["reason"]
    assert not (pytester.path / "MUJOCO_LOG.TXT").exists()


def test_the_environment_of_the_page_runs_with_both_kinds_of_actions(pytester):
    pytest.importorskip("gymnasium.envs.mujoco.mujoco_env")
    (name, code) = re.findall(r"```python\n# (\S+\.py)\n(.*?)```", PAGE, re.DOTALL)[1]
    (pytester.path / name).write_text(code, encoding="utf-8")
    pytester.runpytest_subprocess("--benchcheck", "--benchcheck-json=report.json")
    report = json.loads((pytester.path / "report.json").read_text("utf-8"))
    (check, *_) = report["benchmarks"][0]["checks"]
    assert [(row["task"], row["error"]) for row in check["rows"]] == [
        (f"hopper, {actions}", None) for actions in ("replay", "replay", "policy", "policy")
    ]
    assert check["episodes"] == 8


def test_every_perturbation_of_the_page_exists():
    table = PAGE.split("## Perturbations")[1].split("## What is found")[0]
    names = re.findall(r"`((?:scale|set|raise)_\w+)", table)
    assert len(names) == 14
    assert {name for name in names if not hasattr(simulators, name)} == set()


def test_importing_the_adapters_loads_no_simulator(pytester):
    code = (
        "import sys, pytest_benchcheck.fixtures.simulators\n"
        "print([m for m in ('mujoco', 'gymnasium', 'dm_control', 'metaworld', 'torch')"
        " if m in sys.modules])"
    )
    pytester.makepyfile(loads=code)
    result = pytester.runpython("loads.py")
    assert result.outlines == ["[]"]
