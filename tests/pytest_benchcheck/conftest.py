from __future__ import annotations

import json
from pathlib import Path

# A run inside this process removes the modules it imported when it ends. These cannot be imported
# twice, or are slow to.
import numpy as np  # noqa: F401
import pytest

import pytest_benchcheck.assertions
import pytest_benchcheck.json_report
import pytest_benchcheck.terminal_report  # noqa: F401

TOY = '''
import numpy as np
from pytest_benchcheck import Benchmark, Cell, Episodes


class Sees:
    """Reads the pixels that the target depends on."""

    name = "sees"
    version = "1"

    def encode(self, clips):
        return clips.reshape(len(clips), -1)[:, :4].astype(float)


class SeesToo(Sees):
    name = "sees_too"

    def encode(self, clips):
        return 3.0 * super().encode(clips)


class Blind:
    """Reads pixels that the target does not depend on."""

    name = "blind"
    role = "trivial"
    version = "1"

    def encode(self, clips):
        return clips.reshape(len(clips), -1)[:, -4:].astype(float)


class Toy(Benchmark):
    name = "toy"
    version = "1"
    default_episodes = 60
    encoders = (Sees(), Blind())

    def cells(self):
        return [Cell("push", "mass")]

    def simulate(self, cell, seed):
        return seed + (0.0 if cell is None else 0.5)

    def episodes(self, n, seed):
        rng = np.random.default_rng(seed)
        query, evidence = rng.integers(1, 255, (2, n, 2, 4, 4, 3), dtype=np.uint8)
        hidden = evidence[:, 0, 0, 0, 0] / 255
        target = hidden + query[:, 0, 0, 0, 0] / 255 + 0.01 * rng.normal(size=n)
        return Episodes(
            target=target,
            clips={"query": query, "evidence": evidence},
            evidence=("evidence",),
            latents={"hidden": hidden},
        )


class Inert(Benchmark):
    """Only an effect-size audit, whose one perturbation does nothing."""

    name = "inert"

    def cells(self):
        return [Cell("push", "friction")]

    def simulate(self, cell, seed):
        return float(seed)


class Moving(Inert):
    name = "moving"

    def simulate(self, cell, seed):
        return seed + (0.0 if cell is None else 0.5)
'''


@pytest.fixture(autouse=True)
def only_this_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs inside a test load this plugin alone: others cost seconds of imports each time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "pytest_benchcheck.plugin")


@pytest.fixture
def declare(pytester: pytest.Pytester):
    """Write a benchmark file: the toys above, then ``body``."""

    def write(body: str, stem: str = "benchcheck_toy") -> Path:
        return pytester.makepyfile(**{stem: TOY + "\n" + body})

    return write


@pytest.fixture
def audit(pytester: pytest.Pytester):
    """Run ``pytest --benchcheck`` in this process; returns the run and the JSON report.

    With workers (``-n2``) the run has a process of its own.
    """

    def run(*options: str, subprocess: bool = False):
        path = pytester.path / "report.json"
        path.unlink(missing_ok=True)
        if "-n2" in options:
            options, subprocess = ("-p", "xdist", *options), True
        start = pytester.runpytest_subprocess if subprocess else pytester.runpytest_inprocess
        result = start("--benchcheck", f"--benchcheck-json={path}", *options)
        report = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        return result, report

    return run


@pytest.fixture
def checks_of():
    """``{benchmark: {check: entry}}`` of a JSON report."""

    def index(report):
        return {
            benchmark["name"]: {check["check"]: check for check in benchmark["checks"]}
            for benchmark in report["benchmarks"]
        }

    return index
