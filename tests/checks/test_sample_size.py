from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pytest_benchcheck.checks.sample_size import episodes_to_decide
from pytest_benchcheck.checks.spread import spread
from pytest_benchcheck.checks.swap import swap


@pytest.mark.parametrize("effect", [0.15, 0.3, 0.5])
def test_the_power_at_the_number_told_is_eighty_percent(effect):
    # Exact power of a paired t test of a true difference `effect` with unit variance.
    n = 200
    quantile = float(stats.t.ppf(0.975, n - 1))
    needed = episodes_to_decide(n, effect, quantile / np.sqrt(n), quantile)
    critical = stats.t.ppf(0.975, needed - 1)
    power = stats.nct.sf(critical, needed - 1, effect * np.sqrt(needed))
    assert power == pytest.approx(0.8, abs=0.02)


@given(
    st.integers(20, 5000), st.floats(0.01, 1), st.floats(0.001, 1), st.floats(1.6, 4), st.booleans()
)
def test_the_side_of_the_bar_does_not_matter_and_twice_the_noise_takes_four_times_as_many(
    n, distance, half_width, quantile, below
):
    once = episodes_to_decide(n, -distance if below else distance, half_width, quantile)
    twice = episodes_to_decide(n, distance, 2 * half_width, quantile)
    assert 4 * once - 4 <= twice <= 4 * once


def test_no_size_decides_on_the_bar_itself():
    assert episodes_to_decide(100, 0.0, 0.1, 2.0) is None
    assert episodes_to_decide(100, 1e-9, 0.1, 2.0) is None
    assert episodes_to_decide(100, 0.1, 0.0, 2.0) is None


def test_a_spread_near_its_bar_says_how_many_episodes_would_decide():
    rng = np.random.default_rng(0)
    shared = rng.standard_normal(80)
    scores = {
        "raw_pixels": shared + 0.4 * rng.standard_normal(80),
        "model": shared + 0.15 + 0.4 * rng.standard_normal(80),
    }
    result = spread(scores, bar=0.05)
    assert result.verdict == "undecided"
    assert result.episodes_needed > 80
    half = (result.interval[1] - result.interval[0]) / 2
    assert half >= abs(result.estimate - 0.05)
    clear = spread({"raw_pixels": shared, "model": shared + 1 + 0.1 * scores["model"]}, bar=0.05)
    assert clear.verdict == "pass"
    assert clear.episodes_needed < 80


def test_an_undecided_swap_says_how_many_episodes_would_decide():
    rng = np.random.default_rng(0)
    query, evidence, noise = rng.standard_normal((3, 60))
    features = {"query": query[:, None], "calibration": evidence[:, None]}
    y = query + evidence + 0.3 * noise
    result = swap({"model": features}, y, evidence="calibration", at_most=0.001)
    assert result.verdict == "undecided"
    assert result.episodes_needed > 60
    assert swap({"model": features}, y, evidence="calibration", at_most=0.5).episodes_needed < 60
