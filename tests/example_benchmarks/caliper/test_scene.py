from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck.example_benchmarks.caliper import scene
from pytest_benchcheck.example_benchmarks.caliper.draws import (
    FRICTION_RANGE,
    HALF_EXTENT_RANGES,
    MASS_RANGE,
)
from pytest_benchcheck.example_benchmarks.caliper.scene import build_scene

half_extents = st.tuples(*(st.floats(*bounds) for bounds in HALF_EXTENT_RANGES)).map(np.array)
masses = st.floats(*MASS_RANGE)
frictions = st.floats(*FRICTION_RANGE)


@settings(deadline=None, max_examples=25)
@given(half_extents=half_extents, mass=masses, friction=frictions)
def test_the_box_has_the_mass_inertia_and_friction_of_its_draw(half_extents, mass, friction):
    model = build_scene(half_extents, mass, friction)
    a, b, c = half_extents
    inertia = mass / 3 * np.array([b**2 + c**2, a**2 + c**2, a**2 + b**2])
    body = model.body("box")
    assert body.mass[0] == mass
    # The compiler sorts the principal axes; the frame of the inertia turns with them.
    assert np.sort(body.inertia) == pytest.approx(np.sort(inertia), rel=1e-9)
    assert model.geom("box").size == pytest.approx(half_extents, abs=0)
    assert model.pair("slide").friction[:2] == pytest.approx([friction, friction], abs=0)


@settings(deadline=None, max_examples=10)
@given(half_extents=half_extents, mass=masses, friction=frictions)
def test_the_puck_and_the_floor_touch_the_box_without_overlap(half_extents, mass, friction):
    model = build_scene(half_extents, mass, friction)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    strike, slide = (model.pair(name).id for name in ("strike", "slide"))
    pairs = {
        frozenset((int(model.pair_geom1[i]), int(model.pair_geom2[i]))): i for i in (strike, slide)
    }
    found = {pairs[frozenset(map(int, c.geom))]: c for c in data.contact}
    for contact in found.values():
        assert contact.dist == pytest.approx(0.0, abs=1e-9)
    assert slide in found
    # Head-on: the puck's face meets the box at half its height, on its centre line.
    face = model.geom("puck_face").pos
    assert face[2] == half_extents[2]
    assert model.body("puck").pos[0] + scene.PUCK_RADIUS == pytest.approx(-half_extents[0])


def test_the_declared_pairs_are_the_only_things_that_can_touch():
    model = build_scene(np.full(3, 0.03), 0.3, 0.2)
    assert not model.geom_contype.any()
    assert not model.geom_conaffinity.any()
    names = {model.pair(i).name for i in range(model.npair)}
    assert names == {"strike", "slide"}
    assert model.pair("strike").dim == 1, "a strike without tangential friction cannot turn the box"


def test_the_rail_brakes_the_puck_harder_than_the_floor_brakes_any_box():
    model = build_scene(np.full(3, 0.03), 0.3, 0.2)
    brake = model.dof_frictionloss[0] / (model.body("puck").mass[0] * scene.GRAVITY)
    assert brake == pytest.approx(scene.PUCK_FRICTION)
    assert brake > FRICTION_RANGE[1]


def test_only_the_box_differs_between_scenes():
    one = build_scene(np.array([0.03, 0.04, 0.025]), 0.2, 0.15)
    two = build_scene(np.array([0.03, 0.04, 0.025]), 0.6, 0.30)
    box = one.body("box").id
    others = np.arange(one.nbody) != box
    assert np.array_equal(one.body_mass[others], two.body_mass[others])
    assert np.array_equal(one.geom_size, two.geom_size)
    assert np.array_equal(one.geom_rgba, two.geom_rgba)
    assert np.array_equal(one.qpos0, two.qpos0)
    assert one.opt.timestep == two.opt.timestep == scene.TIMESTEP
    assert one.opt.gravity.tolist() == [0.0, 0.0, -scene.GRAVITY]
