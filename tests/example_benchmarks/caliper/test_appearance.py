from __future__ import annotations

import colorsys
from dataclasses import replace
from itertools import product

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck.example_benchmarks.caliper import appearance as module
from pytest_benchcheck.example_benchmarks.caliper.appearance import (
    SCENES,
    Appearance,
    Distractor,
    draw_appearance,
    paint,
)
from pytest_benchcheck.example_benchmarks.caliper.camera import (
    NOMINAL,
    WORKSPACE,
    Camera,
    sees_workspace,
)
from pytest_benchcheck.example_benchmarks.caliper.scene import build_scene
from pytest_benchcheck.fixtures.simulators.rendering import FrameRenderer

CLIPS = range(3)
seeds = st.integers(0, 2**32)
episodes = st.integers(0, 10**6)


@pytest.fixture(scope="module")
def nuisance() -> list[Appearance]:
    return [draw_appearance("nuisance", 0, i, clip) for i in range(300) for clip in CLIPS]


def test_every_nuisance_camera_sees_the_workspace(nuisance):
    assert all(sees_workspace(appearance.camera) for appearance in nuisance)


def test_the_field_of_view_is_1_14_to_1_30_times_the_clean_scenes(nuisance):
    scales = np.array([a.camera.fovy for a in nuisance]) / NOMINAL.fovy
    assert scales.min() >= 1.14 - 1e-12
    assert scales.max() <= 1.30 + 1e-12
    assert np.ptp(scales) > 0.15, "the whole range is used"


def widening_needed(camera: Camera) -> float:
    """How many times the clean scene's field of view shows the whole workspace."""
    reach = np.abs(camera.project(np.array(list(product(*WORKSPACE))))).max()
    half = np.arctan(np.tan(np.deg2rad(camera.fovy) / 2) * reach)
    return float(np.rad2deg(2 * half) / NOMINAL.fovy)


def test_the_poses_are_the_widest_that_see_the_workspace_at_the_least_field_of_view():
    needed = [
        widening_needed(
            replace(
                NOMINAL,
                azimuth=NOMINAL.azimuth + turn * module.AZIMUTH_JITTER,
                elevation=NOMINAL.elevation + tip * module.ELEVATION_JITTER,
                distance=NOMINAL.distance + away * module.DISTANCE_JITTER,
                lookat=tuple(np.add(NOMINAL.lookat, module.AIM_JITTER * np.array(corner))),
            )
        )
        for turn, tip, away in product((-1, 0, 1), repeat=3)
        for corner in product((-1, 1), repeat=3)
    ]
    assert 1.13 < max(needed) <= 1.14
    assert widening_needed(NOMINAL) <= 1.0, "nothing is wider than the clean scene needs"


@settings(max_examples=50)
@given(seed=seeds, episode=episodes, clip=st.sampled_from(CLIPS), strength=st.floats(0.01, 1.0))
def test_the_nuisance_grows_in_proportion_to_its_strength(seed, episode, clip, strength):
    whole = draw_appearance("nuisance", seed, episode, clip)
    part = draw_appearance("nuisance", seed, episode, clip, strength=strength)
    clean = Appearance(box=whole.box)
    for field in ("azimuth", "elevation", "distance", "lookat", "fovy"):
        full = np.subtract(getattr(whole.camera, field), getattr(NOMINAL, field))
        here = np.subtract(getattr(part.camera, field), getattr(NOMINAL, field))
        assert here == pytest.approx(strength * full, abs=1e-9), field
    for field in ("light", "ambient", "floor"):
        full = np.subtract(getattr(whole, field), getattr(clean, field))
        here = np.subtract(getattr(part, field), getattr(clean, field))
        assert here == pytest.approx(strength * full, abs=1e-9), field
    for one, other in zip(whole.distractors, part.distractors, strict=True):
        assert other.half_size == pytest.approx(strength * np.array(one.half_size))
        assert (other.x, other.y, other.yaw, other.colour) == (one.x, one.y, one.yaw, one.colour)
    assert sees_workspace(part.camera)


def test_without_strength_the_nuisance_scene_is_the_clean_one():
    drawn = draw_appearance("nuisance", 0, 3, 1, strength=0.0)
    assert drawn == draw_appearance("clean", 0, 3, 1)


@pytest.mark.parametrize("strength", [-0.1, 1.01, float("nan")])
def test_a_strength_outside_0_to_1_is_an_error(strength):
    with pytest.raises(ValueError, match="strength of the nuisance must be from 0 to 1"):
        draw_appearance("nuisance", 0, 0, 0, strength=strength)


def test_a_draw_whose_camera_crops_is_an_error(monkeypatch):
    monkeypatch.setattr(module, "FIELD_OF_VIEW_SCALE", (0.6, 0.7))
    with pytest.raises(ValueError, match="clip 0 of episode 0, seed 0: the workspace is not in vi"):
        draw_appearance("nuisance", 0, 0, 0)


@settings(max_examples=50)
@given(seed=seeds, episode=episodes)
def test_an_episodes_box_has_one_colour_in_all_clips_of_both_scenes(seed, episode):
    drawn = [draw_appearance(scene, seed, episode, clip) for scene in SCENES for clip in CLIPS]
    assert {appearance.box for appearance in drawn} == {drawn[0].box}


@settings(max_examples=50)
@given(seed=seeds, episode=episodes, clip=st.sampled_from(CLIPS))
def test_the_clean_scene_varies_nothing_but_the_colour_of_the_box(seed, episode, clip):
    drawn = draw_appearance("clean", seed, episode, clip)
    assert drawn == Appearance(box=drawn.box)
    assert drawn.camera is NOMINAL


@settings(max_examples=50)
@given(seed=seeds, episode=episodes, clip=st.sampled_from(CLIPS))
def test_an_appearance_depends_on_seed_episode_and_clip_alone(seed, episode, clip):
    drawn = draw_appearance("nuisance", seed, episode, clip)
    assert draw_appearance("nuisance", seed, episode, clip) == drawn
    for other in ((seed + 1, episode, clip), (seed, episode + 1, clip), (seed, episode, clip + 1)):
        assert draw_appearance("nuisance", *other).camera != drawn.camera


def test_boxes_differ_in_colour_between_episodes():
    colours = {draw_appearance("clean", 0, episode, 0).box for episode in range(100)}
    assert len(colours) == 100
    for colour in colours:
        _, saturation, value = colorsys.rgb_to_hsv(*colour)
        assert saturation >= 0.6 - 1e-9
        assert value >= 0.6 - 1e-9


def test_nuisance_draws_stay_in_their_documented_ranges(nuisance):
    for a in nuisance:
        assert abs(a.camera.azimuth - NOMINAL.azimuth) <= 7
        assert abs(a.camera.elevation - NOMINAL.elevation) <= 4.1
        assert abs(a.camera.distance - NOMINAL.distance) <= 0.048
        assert np.abs(np.subtract(a.camera.lookat, NOMINAL.lookat)).max() <= 0.0135
        x, y, z = a.light_direction
        assert np.degrees(np.arctan2(np.hypot(x, y), -z)) <= 60 + 1e-9
        assert 0.3 <= a.light <= 0.9
        assert 0.2 <= a.ambient <= 0.5
        assert all(0.2 <= channel <= 0.9 for channel in a.floor)
        assert len(a.distractors) == 2


def test_distractors_stand_clear_of_the_workspace(nuisance):
    (_, _), (nearest, farthest), (_, _) = WORKSPACE
    for distractor in (d for a in nuisance for d in a.distractors):
        width, depth, _ = distractor.half_size
        reach = np.hypot(width, depth)
        assert distractor.y - reach > farthest or distractor.y + reach < nearest


def box_pixels(stage, appearance: Appearance, x: float) -> int:
    """Pixels that change with the colour of the box."""
    model, data, renderer = stage
    camera = mujoco.MjvCamera()
    camera.lookat[:] = appearance.camera.lookat
    camera.distance = appearance.camera.distance
    camera.azimuth, camera.elevation = appearance.camera.azimuth, appearance.camera.elevation
    data.qpos[0], data.qpos[1] = -0.5, x
    frames = []
    for colour in ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)):
        paint(model, data, replace(appearance, box=colour))
        frames.append(renderer.render(data, camera))
    return int((frames[0] != frames[1]).any(axis=2).sum())


def test_no_distractor_hides_the_box_that_slides_behind_it(nuisance):
    model = build_scene(np.array([0.025, 0.045, 0.020]), 0.3, 0.2)
    stage = model, mujoco.MjData(model), FrameRenderer(model, height=64, width=64)
    tried = 0
    for appearance, index in product(nuisance, range(2)):
        front = appearance.distractors[index]
        if front.y > 0 or front.half_size[2] < 0.03:
            continue
        # The lowest box, where the line of sight over the distractor meets its path.
        eye = appearance.camera.position()
        x = float(np.clip(eye[0] + (front.x - eye[0]) * eye[1] / (eye[1] - front.y), 0, 0.28))
        bare = box_pixels(stage, replace(appearance, distractors=()), x)
        assert box_pixels(stage, appearance, x) > 0.8 * bare > 10
        tried += 1
    assert tried > 50


def test_painting_writes_every_field_of_the_appearance():
    model = build_scene(np.full(3, 0.03), 0.3, 0.2)
    data = mujoco.MjData(model)
    drawn = draw_appearance("nuisance", 3, 1, 2)
    paint(model, data, drawn)
    assert model.geom("box").rgba == pytest.approx([*drawn.box, 1], abs=1e-6)
    assert model.geom("floor").rgba == pytest.approx([*drawn.floor, 1], abs=1e-6)
    direction = model.light("lamp").dir
    assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-6)
    assert np.cross(direction, drawn.light_direction) == pytest.approx(np.zeros(3), abs=1e-6)
    assert model.light("lamp").diffuse == pytest.approx(np.full(3, drawn.light), abs=1e-6)
    assert model.vis.headlight.ambient == pytest.approx(np.full(3, drawn.ambient), abs=1e-6)
    assert model.vis.global_.fovy == pytest.approx(drawn.camera.fovy)
    mujoco.mj_forward(model, data)
    for name, distractor in zip(
        ("distractor_box", "distractor_cylinder"), drawn.distractors, strict=True
    ):
        width, depth, height = distractor.half_size
        geom = model.geom(name)
        size = [width, height] if name == "distractor_cylinder" else [width, depth, height]
        assert geom.size[: len(size)] == pytest.approx(size)
        assert geom.rgba == pytest.approx([*distractor.colour, 1], abs=1e-6)
        at = data.geom(name)
        assert at.xpos == pytest.approx([distractor.x, distractor.y, height]), "stands on the floor"
        turned = [np.cos(distractor.yaw), np.sin(distractor.yaw), 0]
        assert at.xmat.reshape(3, 3)[:, 0] == pytest.approx(turned, abs=1e-9)


def test_round_distractors_are_round(nuisance):
    for _, cylinder in (a.distractors for a in nuisance):
        assert cylinder.half_size[0] == cylinder.half_size[1]


def test_a_clean_clip_shows_nothing_of_the_nuisance_clip_before_it():
    frames = []
    for first in (None, "nuisance"):
        model = build_scene(np.full(3, 0.03), 0.3, 0.2)
        data = mujoco.MjData(model)
        renderer = FrameRenderer(model, height=48, width=48)
        for scene in filter(None, (first, "clean")):
            paint(model, data, draw_appearance(scene, 0, 0, 0))
            frame = renderer.render(data)
        frames.append(frame)
    assert np.array_equal(*frames)


def test_distractors_take_no_part_in_the_physics():
    model = build_scene(np.full(3, 0.03), 0.3, 0.2)
    data = mujoco.MjData(model)
    in_the_way = Distractor(0.0, 0.0, 0.0, (0.05, 0.05, 0.05), (1.0, 0.0, 0.0))
    paint(model, data, Appearance(box=(1.0, 1.0, 1.0), distractors=(in_the_way, in_the_way)))
    mujoco.mj_forward(model, data)
    box = model.geom("box").id
    allowed = {frozenset((box, model.geom(name).id)) for name in ("floor", "puck_face")}
    assert data.ncon > 0
    assert {frozenset(map(int, contact.geom)) for contact in data.contact} <= allowed
