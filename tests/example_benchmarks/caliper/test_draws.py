from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_benchcheck.example_benchmarks.caliper.draws import (
    FRICTION_RANGE,
    HALF_EXTENT_RANGES,
    MASS_RANGE,
    QUERY_SPEED_RANGE,
    appearance_stream,
    draw_half_extents,
    draw_physics,
    geometry_stream,
    physics_stream,
)

seeds = st.integers(0, 2**32)
N = 1000


@pytest.fixture(scope="module")
def drawn() -> dict[str, np.ndarray]:
    physics = [draw_physics(physics_stream(0, i)) for i in range(N)]
    size = np.stack([draw_half_extents(geometry_stream(0, i)) for i in range(N)])
    return {
        "log_mass": np.log([p.mass for p in physics]),
        "friction": np.array([p.friction for p in physics]),
        "query_speed": np.array([p.query_speed for p in physics]),
        **{f"half_extent_{axis}": size[:, axis] for axis in range(3)},
    }


RANGES = {
    "log_mass": tuple(np.log(MASS_RANGE)),
    "friction": FRICTION_RANGE,
    "query_speed": QUERY_SPEED_RANGE,
    **{f"half_extent_{axis}": bounds for axis, bounds in enumerate(HALF_EXTENT_RANGES)},
}


@pytest.mark.parametrize("name", RANGES)
def test_every_draw_is_uniform_in_its_range(drawn, name):
    low, high = RANGES[name]
    assert drawn[name].min() >= low
    assert drawn[name].max() <= high
    assert stats.kstest(drawn[name], stats.uniform(low, high - low).cdf).pvalue > 1e-3


def test_no_draw_tells_of_another(drawn):
    correlation = np.corrcoef(list(drawn.values()))
    # Four standard errors of a correlation of zero.
    assert np.abs(correlation - np.eye(len(drawn))).max() < 4 / np.sqrt(N)


@settings(max_examples=50)
@given(seed=seeds, episode=st.integers(0, 10**6), clip=st.integers(0, 2))
def test_streams_of_different_purposes_episodes_and_clips_differ(seed, episode, clip):
    streams = [
        purpose(s, i)
        for purpose in (physics_stream, geometry_stream, appearance_stream)
        for s, i in ((seed, episode), (seed, episode + 1), (seed + 1, episode))
    ]
    streams += [appearance_stream(seed, episode, c) for c in (clip, clip + 1)]
    firsts = {stream.random() for stream in streams}
    assert len(firsts) == len(streams)


@settings(max_examples=50)
@given(seed=seeds, episode=st.integers(0, 10**6))
def test_a_stream_is_the_same_whatever_was_drawn_from_others(seed, episode):
    alone = draw_physics(physics_stream(seed, episode))
    appearance_stream(seed, episode, 1).random(100)
    geometry_stream(seed, episode).random(100)
    physics_stream(seed, episode + 1).random(100)
    assert draw_physics(physics_stream(seed, episode)) == alone


def test_a_rejected_draw_is_followed_by_another():
    stream = physics_stream(0, 0)
    assert draw_physics(stream) != draw_physics(stream)
