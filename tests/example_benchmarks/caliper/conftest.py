from __future__ import annotations

import pytest

from pytest_benchcheck.example_benchmarks.caliper.simulation import Simulated, simulate_episodes


@pytest.fixture(scope="session")
def simulated() -> Simulated:
    return simulate_episodes(16, 5)
