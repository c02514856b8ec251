from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchcheck.checks.results import SpreadResult
from pytest_benchcheck.checks.spread_context import trend, with_context


@given(st.floats(0.1, 1.5), st.floats(0.001, 0.02))
def test_a_power_law_is_followed_to_the_row_where_it_meets_the_bar(exponent, bar):
    rows = [100, 200, 400]
    spreads = [(n, 0.5 * (n / 100) ** -exponent) for n in rows]
    told = trend(spreads, bar)
    if spreads[-1][1] <= bar or 4**-exponent > 0.8:
        assert told is None
        return
    meets = 100 * (0.5 / bar) ** (1 / exponent)
    if meets < 1e6:
        assert f"reaches the bar at about {meets:,.0f} rows." in told
    else:
        assert "reaches the bar" not in told
    assert "0.500" in told


@pytest.mark.parametrize(
    "values",
    [(0.3, 0.3, 0.3), (0.3, 0.31, 0.2), (0.2, 0.25, 0.3), (0.3, 0.29, 0.28), (0.1, 0.06, 0.04)],
)
def test_a_spread_that_holds_or_is_already_below_the_bar_is_no_finding(values):
    assert trend(list(zip([50, 100, 200], values, strict=True)), 0.05) is None
    assert trend([], 0.05) is None


def test_a_bar_of_zero_is_never_reached():
    told = trend([(50, 0.4), (100, 0.2), (200, 0.1)], 0.0)
    assert "falls" in told
    assert "reaches" not in told


def test_the_share_of_the_headroom_is_taken_from_floor_to_the_highest_ceiling():
    references = (
        {"reference": "speed", "kind": "floor", "r2": 0.5},
        {"reference": "a", "kind": "ceiling", "r2": 0.8},
        {"reference": "b", "kind": "ceiling", "r2": 0.9},
    )
    result = SpreadResult(verdict="pass", estimate=0.1, bar=0.05, metric="r2")
    assert with_context(result, [], []).headroom_share is None
    measured = SpreadResult(
        verdict="pass", estimate=0.1, bar=0.05, metric="r2", references=references
    )
    assert with_context(measured, [], []).headroom_share == pytest.approx(0.25)
    only_floor = SpreadResult(
        verdict="pass", estimate=0.1, bar=0.05, metric="r2", references=references[:1]
    )
    assert with_context(only_floor, [], []).headroom_share is None
    assert np.isfinite(with_context(measured, [], []).estimate)
