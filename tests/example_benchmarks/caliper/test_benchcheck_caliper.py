from __future__ import annotations

import subprocess
import sys

import pytest

from pytest_benchcheck.example_benchmarks.caliper import benchcheck_caliper
from pytest_benchcheck.example_benchmarks.caliper.benchmark import Caliper

DECLARED = [v for v in vars(benchcheck_caliper).values() if isinstance(v, Caliper)]


def test_two_scenes_are_declared_and_the_clean_one_is_known_to_rank_nothing():
    declared = {b.name: (b.scene, dict(b.expected)) for b in DECLARED}
    assert declared == {
        "caliper-clean": ("clean", {"spread": "fail"}),
        "caliper-nuisance": ("nuisance", {}),
    }


@pytest.mark.parametrize("benchmark", DECLARED, ids=lambda b: b.name)
def test_a_declared_benchmark_is_valid_and_has_a_part_for_every_check(benchmark):
    benchmark.validate()
    assert all(benchmark.has(check) for check in ("effect_size", "spread", "swap", "erasure"))
    assert benchmark.default_episodes == 2000


def test_the_scenes_differ_in_appearance_only():
    clean, nuisance = DECLARED
    for part in ("frames", "resolution", "encoders", "default_episodes"):
        assert getattr(clean, part) == getattr(nuisance, part)
    assert clean.cells() == nuisance.cells()


def test_collecting_the_benchmarks_loads_neither_simulator_nor_torch():
    program = """
import sys
import pytest_benchcheck.example_benchmarks.caliper.benchcheck_caliper
assert not {"mujoco", "torch", "OpenGL"} & set(sys.modules), sorted(sys.modules)
"""
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True)
