"""Smoke run of the installed wheel, outside the source tree: the core install is enough."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path

BENCHMARK = """
import numpy as np
from pytest_benchcheck import Benchmark, Cell, Episodes


class Sliding(Benchmark):
    name = "sliding"
    encoders = ("raw_pixels", "frame_difference")
    default_episodes = 60
    expected = {"effect_size": "fail"}

    def cells(self):
        return [Cell("slide", "mass"), Cell("slide", "colour")]

    def simulate(self, cell, seed):
        speed = np.random.default_rng(seed).uniform(0.4, 0.8)
        mass = 0.5 if cell is not None and cell.property == "mass" else 0.3
        return speed**2 / mass

    def episodes(self, n, seed):
        rng = np.random.default_rng(seed)
        shade = rng.uniform(0, 1, n)
        frames = np.full((n, 3, 8, 8, 3), 20, np.uint8)
        frames[:, :, :4] = (40 + 160 * shade)[:, None, None, None, None]
        frames[:, 1] += 30
        return Episodes(target=shade, clips={"slide": frames})


benchmark = Sliding()
"""

TESTS = """
import pytest
from pytest_benchcheck import assert_spread_exceeds


@pytest.mark.benchcheck
def test_published_scores_can_rank():
    assert_spread_exceeds({"random_vit": 0.476, "raw_pixels": 0.861, "best": 0.974}, 0.05)
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    sys.stdout.write(done.stdout + done.stderr)
    return done


def main() -> None:
    """Check an audit, its JSON report and a run without the option."""
    home = Path(str(resources.files("pytest_benchcheck")))
    assert "site-packages" in home.parts, f"not the installed package: {home}"
    for part in ("py.typed", "checks/spread.py", "fixtures/cache.py", "example_benchmarks/caliper"):
        assert (home / part).exists(), f"the wheel lacks {part}"
    for module in pkgutil.walk_packages([str(home)], "pytest_benchcheck."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    unwanted = {"jaxtyping", "torch", "mujoco"} & set(sys.modules)
    assert not unwanted, f"importing the package imports {unwanted}"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "benchcheck_sliding.py").write_text(BENCHMARK, "utf-8")
        (folder / "test_scores.py").write_text(TESTS, "utf-8")
        audit = run(folder, "--benchcheck", "--benchcheck-json=report.json")
        assert audit.returncode == 0, f"the audit ended with {audit.returncode}"
        report = json.loads((folder / "report.json").read_text("utf-8"))
        verdicts = {
            (benchmark["name"], check["check"]): check["verdict"]
            for benchmark in report["benchmarks"]
            for check in benchmark["checks"]
        }
        assert verdicts["sliding", "effect_size"] == "fail", verdicts
        assert verdicts["sliding", "spread"] == "pass", verdicts
        assert verdicts["test_scores.py::test_published_scores_can_rank", "spread"] == "pass"
        plain = run(folder)
        assert plain.returncode == 0
        assert "1 skipped" in plain.stdout


if __name__ == "__main__":
    main()
