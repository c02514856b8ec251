from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck import Episodes
from pytest_benchcheck.example_benchmarks.caliper.appearance import (
    SCENES,
    draw_appearance,
    paint,
)
from pytest_benchcheck.example_benchmarks.caliper.clips import (
    APPROACH,
    CLIP_NAMES,
    RenderedClips,
)
from pytest_benchcheck.example_benchmarks.caliper.draws import FRICTION_RANGE, MASS_RANGE
from pytest_benchcheck.example_benchmarks.caliper.scene import build_scene
from pytest_benchcheck.example_benchmarks.caliper.simulation import Simulated, simulate_episodes
from pytest_benchcheck.example_benchmarks.caliper.strikes import SLIDE_FRAMES, at_rest, strike
from pytest_benchcheck.fixtures.simulators.rendering import FrameRenderer

SEED = 5
Show = Callable[..., RenderedClips]
both_scenes = pytest.mark.parametrize("scene", SCENES)
every_clip = pytest.mark.parametrize("name", CLIP_NAMES)


@pytest.fixture(scope="module")
def show(simulated: Simulated) -> Show:
    def make(name: str, scene: str, *, frames: int = 3, resolution: int = 24, **given):
        given = {"simulated": simulated, "seed": SEED} | given
        return RenderedClips(name, scene=scene, frames=frames, resolution=resolution, **given)

    return make


def boxes_that_differ_in_mass_and_friction(simulated: Simulated) -> Simulated:
    """Episode 0 with every extreme of the two properties, size and query speed kept."""
    size = simulated.half_extents[0]
    states = []
    hidden = list(product(MASS_RANGE, FRICTION_RANGE))
    for mass, friction in hidden:
        model = build_scene(size, mass, friction)
        rest = at_rest(model)
        states.append(np.stack([strike(model, rest, speed).states for speed in (0.45, 0.75)]))
    n = len(hidden)
    return replace(
        simulated,
        mass=np.array([mass for mass, _ in hidden]),
        friction=np.array([friction for _, friction in hidden]),
        query_speed=np.full(n, simulated.query_speed[0]),
        half_extents=np.tile(size, (n, 1)),
        displacements=np.zeros((n, 3)),
        states=np.stack(states),
        attempts=np.ones(n, dtype=int),
    )


@both_scenes
@every_clip
def test_clips_are_bytes_of_the_declared_shape(show, simulated, scene, name):
    clips = show(name, scene, frames=4, resolution=16)
    frames = clips[2:5]
    assert frames.dtype == np.uint8
    assert frames.shape == (3, 4, 16, 16, 3)
    assert len(clips) == len(simulated) == 16
    assert clips[0:0].shape == (0, 4, 16, 16, 3)


@both_scenes
def test_any_slice_has_the_frames_of_the_whole(show, scene):
    clips = show("calibration_fast", scene, resolution=16)
    whole = clips[:]
    rows = st.tuples(*[st.none() | st.integers(-20, 20)] * 2, st.sampled_from([None, 1, 3, -1]))

    @settings(deadline=None, max_examples=10)
    @given(rows=rows)
    def check(rows):
        assert np.array_equal(clips[slice(*rows)], whole[slice(*rows)])

    check()


@both_scenes
@every_clip
def test_a_clip_is_the_compiled_scene_drawn_state_by_state(show, simulated, scene, name):
    clips = show(name, scene, resolution=32)
    episode = 7
    model = build_scene(simulated.half_extents[episode], 0.5, 0.3)
    data = mujoco.MjData(model)
    renderer = FrameRenderer(model, height=32, width=32)
    appearance = draw_appearance(scene, SEED, episode, CLIP_NAMES.index(name))
    paint(model, data, appearance)
    camera = mujoco.MjvCamera()
    camera.lookat[:] = appearance.camera.lookat
    camera.distance = appearance.camera.distance
    camera.azimuth, camera.elevation = appearance.camera.azimuth, appearance.camera.elevation
    clips[3:5]  # another box was shown before
    shown = clips[episode : episode + 1][0]
    for frame, state in zip(shown, clips.states(episode), strict=True):
        data.qpos[:] = state
        assert np.array_equal(frame, renderer.render(data, camera))


def test_clips_differ_between_scenes_strikes_and_episodes(show):
    clips = [clip for scene, name in product(SCENES, CLIP_NAMES) for clip in show(name, scene)[:3]]
    assert len({clip.tobytes() for clip in clips}) == 2 * 3 * 3
    assert all((clip[0] != clip[-1]).any() for clip in clips), "something moves"


def test_clean_clips_of_an_episode_share_the_frame_of_first_contact(show):
    slow, fast, query = (show(name, "clean")[:3] for name in CLIP_NAMES)
    assert np.array_equal(slow[:, 0], fast[:, 0])
    assert np.array_equal(slow[:, 0], query[:, -1])


def test_the_clean_scene_is_constant_but_for_box_and_puck(show):
    clean = np.concatenate([show(name, "clean")[:] for name in CLIP_NAMES])
    # Nothing passes along the upper and the lower edge of the frame.
    assert len(np.unique(clean[:, :, 0].reshape(-1, 24 * 3), axis=0)) == 1
    assert len(np.unique(clean[:, :, -1].reshape(-1, 24 * 3), axis=0)) == 1


def test_the_nuisance_scene_is_drawn_afresh_for_every_clip_and_kept_within_it(show):
    nuisance = np.stack([show(name, "nuisance")[:] for name in CLIP_NAMES])
    corners = nuisance[..., -1, -1, :].astype(int)
    assert np.ptp(corners, axis=2).max() <= 1
    assert len(np.unique(corners[:, :, 0].reshape(-1, 3), axis=0)) > 40  # of 48 clips


def test_a_box_keeps_its_colour_through_its_clean_clips(show, simulated):
    clips = {name: show(name, "clean", resolution=48) for name in CLIP_NAMES}
    for episode in range(4):
        expected = draw_appearance("clean", SEED, episode, 0).box
        strongest = int(np.argmax(expected))
        lit = set()
        for clip in clips.values():
            frames = clip[episode : episode + 1][0].reshape(-1, 3).astype(float)
            # The top of the box is the brightest pixel that is not grey.
            vivid = frames[np.ptp(frames, axis=1) > 40]
            lit.add(tuple(vivid[np.argmax(vivid.sum(axis=1))]))
        assert np.ptp(np.array(list(lit)), axis=0).max() <= 3
        top = np.array(lit.pop())
        assert int(np.argmax(top)) == strongest
        assert top / top.max() == pytest.approx(np.array(expected) / max(expected), abs=0.03)


@pytest.mark.parametrize("frames", [2, 4, 7, SLIDE_FRAMES])
def test_frame_times_are_the_same_in_all_episodes(show, simulated, frames):
    shown = np.round(np.linspace(0, SLIDE_FRAMES - 1, frames)).astype(int)
    assert shown[0] == 0
    assert shown[-1] == SLIDE_FRAMES - 1
    assert np.unique(shown).size == frames
    for clip, name in enumerate(CLIP_NAMES[:2]):
        clips = show(name, "clean", frames=frames)
        for episode in range(len(simulated)):
            assert np.array_equal(clips.states(episode), simulated.states[episode, clip, shown])


def test_a_calibration_clip_ends_when_the_box_has_slid_its_whole_way(show, simulated):
    for clip, name in enumerate(CLIP_NAMES[:2]):
        clips = show(name, "clean")
        for episode in range(len(simulated)):
            states = clips.states(episode)
            slid = states[-1, 1] - states[0, 1]
            assert slid == simulated.displacements[episode, clip]


@pytest.mark.parametrize("frames", [2, 5, SLIDE_FRAMES])
def test_the_query_clip_is_an_approach_that_ends_at_first_contact(show, simulated, frames):
    clips = show("query", "clean", frames=frames)
    for episode in range(len(simulated)):
        states = clips.states(episode)
        speed = simulated.query_speed[episode]
        assert states.shape == (frames, 8)
        assert states[-1, 0] == 0.0, "the puck touches the box in the last frame"
        assert np.all(states[:-1, 0] < 0)
        steps = np.diff(states[:, 0])
        assert steps == pytest.approx(np.full(frames - 1, speed * APPROACH / (frames - 1)))
        # The box has not moved.
        assert np.array_equal(states[:, 1:], np.tile(states[0, 1:], (frames, 1)))
        assert states[0, 1] == 0.0


@both_scenes
def test_the_query_clip_shows_nothing_of_mass_friction_or_outcome(show, simulated, scene):
    alike = boxes_that_differ_in_mass_and_friction(simulated)
    clips = show("query", scene, simulated=alike)
    calibration = show("calibration_fast", scene, simulated=alike)
    for episode in range(1, len(alike)):
        assert np.array_equal(clips.states(episode), clips.states(0))
        assert not np.array_equal(calibration.states(episode), calibration.states(0))
    other = replace(
        simulated,
        mass=simulated.mass[::-1],
        friction=simulated.friction[::-1],
        displacements=simulated.displacements[::-1],
    )
    mixed = show("query", scene, simulated=other)[:4]
    assert np.array_equal(mixed, show("query", scene)[:4])


@both_scenes
def test_labels_are_the_same_before_and_after_frames_are_rendered(show, scene):
    before = simulate_episodes.__wrapped__(2, SEED)
    clips = [show(name, scene, simulated=before) for name in CLIP_NAMES]
    frames = [clip[:] for clip in clips]
    after = simulate_episodes.__wrapped__(2, SEED)
    for name, array in vars(after).items():
        assert np.array_equal(array, getattr(before, name)), name
    assert all(np.array_equal(clip[:], frame) for clip, frame in zip(clips, frames, strict=True))


def test_frames_are_the_same_in_any_order_and_at_other_resolutions_in_between(show):
    clean, nuisance = (show("calibration_slow", scene) for scene in SCENES)
    first = clean[:3]
    show("query", "nuisance", resolution=40)[:2]
    nuisance[:]
    assert np.array_equal(clean[:3], first)


def test_threads_render_the_same_frames(show):
    clips = show("calibration_fast", "nuisance")
    rows = [slice(0, 4), slice(4, 8), slice(8, 12)]
    with ThreadPoolExecutor(3) as pool:
        together = list(pool.map(clips.__getitem__, rows))
    assert np.array_equal(np.concatenate(together), clips[:12])


def test_clips_can_be_part_of_episodes(show, simulated):
    clips = {name: show(name, "clean") for name in CLIP_NAMES}
    episodes = Episodes(target=np.log(simulated.displacements[:, 2]), clips=clips)
    assert len(episodes) == 16


@pytest.mark.parametrize("frames", [-1, 0, 1, SLIDE_FRAMES + 1])
def test_a_number_of_frames_that_was_not_recorded_is_an_error(show, frames):
    with pytest.raises(ValueError, match=f"frames must be from 2 to 22, got {frames}"):
        show("query", "clean", frames=frames)


@pytest.mark.parametrize("rows", [0, [0, 1], (0, 1), np.int64(3)])
def test_rows_that_are_no_slice_are_an_error(show, rows):
    with pytest.raises(TypeError, match=re.escape(f"clips[0:8]; got {rows!r}")):
        show("query", "clean")[rows]
