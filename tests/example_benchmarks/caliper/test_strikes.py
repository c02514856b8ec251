"""The physics of one strike, against collision and Coulomb friction written down independently."""

from __future__ import annotations

from itertools import product

import mujoco
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_benchcheck.example_benchmarks.caliper.draws import (
    FRICTION_RANGE,
    HALF_EXTENT_RANGES,
    MASS_RANGE,
    QUERY_SPEED_RANGE,
)
from pytest_benchcheck.example_benchmarks.caliper.scene import (
    GRAVITY,
    PUCK_FRICTION,
    PUCK_MASS,
    TIMESTEP,
    build_scene,
)
from pytest_benchcheck.example_benchmarks.caliper.strikes import (
    FRAME_INTERVAL,
    SLIDE_FRAMES,
    STEPS_PER_FRAME,
    Strike,
    at_rest,
    strike,
)

SIZE = np.array([0.035, 0.030, 0.025])
EXTREMES = list(product(MASS_RANGE, FRICTION_RANGE, QUERY_SPEED_RANGE))

masses = st.floats(*MASS_RANGE)
frictions = st.floats(*FRICTION_RANGE)
speeds = st.floats(*QUERY_SPEED_RANGE)
boxes = settings(deadline=None, max_examples=20)


def struck(mass: float, friction: float, speed: float, size: np.ndarray = SIZE) -> Strike:
    model = build_scene(size, mass, friction)
    return strike(model, at_rest(model), speed)


def restitution() -> float:
    """Of a contact that is a damped spring: solref gives time constant .01 s and damping .45.

    MuJoCo scales both by the impedance of a firm contact, .95. The contact ends when spring and
    damper no longer push, which is before the spring is back at its length.
    """
    time_constant, damping, impedance = 0.01, 0.45, 0.95
    frequency = 1 / (np.sqrt(impedance) * time_constant * damping)
    zeta = 1 / (time_constant * frequency)
    root = np.sqrt(1 - zeta**2)
    angle = np.pi - np.arctan2(2 * zeta * root, 1 - 2 * zeta**2)
    return float(np.exp(-zeta / root * angle))


@boxes
@given(mass=masses, speed=speeds)
def test_without_friction_the_collision_is_that_of_two_bodies_and_a_damped_spring(mass, speed):
    model = build_scene(SIZE, mass, friction=1e-5)
    model.dof_frictionloss[:] = 0.0
    data = at_rest(model)
    data.qvel[0] = speed
    mujoco.mj_step(model, data, STEPS_PER_FRAME)
    puck, box = data.qvel[:2]
    assert PUCK_MASS * puck + mass * box == pytest.approx(PUCK_MASS * speed, rel=1e-4)
    # The impedance rises to .95 over the first millimetre, which a fixed one leaves out.
    assert (box - puck) / speed == pytest.approx(restitution(), abs=0.01)


@boxes
@given(mass=masses, friction=frictions, speed=speeds)
def test_the_box_decelerates_by_friction_times_gravity(mass, friction, speed):
    slide = struck(mass, friction, speed)
    x = slide.states[:, 1] - slide.states[0, 1]
    # Contact lasts half a frame interval, so frames 1 to 3 show nothing but the slide.
    velocity = (x[3] - x[1]) / (2 * FRAME_INTERVAL)
    assume(velocity > 1.5 * friction * GRAVITY * FRAME_INTERVAL)
    deceleration = -(x[3] - 2 * x[2] + x[1]) / FRAME_INTERVAL**2
    # A box that rocks by a tenth of a degree still carries its weight on average.
    assert deceleration == pytest.approx(friction * GRAVITY, rel=0.08)
    # Coulomb's law from frame 2 on: what is left to slide is v^2 / (2 mu g).
    assert x[2] + velocity**2 / (2 * friction * GRAVITY) == pytest.approx(
        slide.displacement, rel=0.015, abs=3e-4
    )


@boxes
@given(mass=masses, friction=frictions, speed=speeds)
def test_the_displacement_is_that_of_collision_and_slide_in_closed_form(mass, friction, speed):
    box_speed = (1 + restitution()) * PUCK_MASS * speed / (PUCK_MASS + mass)
    closed_form = box_speed**2 / (2 * friction * GRAVITY)
    # The closed form has a collision without duration. Rail and floor brake during its 11 ms, and
    # the box moves; the two act in opposite directions.
    assert struck(mass, friction, speed).displacement == pytest.approx(closed_form, rel=0.17)


@boxes
@given(mass=masses, friction=frictions, speed=speeds)
def test_the_energy_lost_in_the_collision_is_between_none_and_a_plastic_collisions(
    mass, friction, speed
):
    slide = struck(mass, friction, speed)
    puck, box = slide.states[-1, :2] - slide.states[0, :2]
    brought = PUCK_MASS * speed**2 / 2
    rubbed_off = GRAVITY * (friction * mass * slide.displacement + PUCK_FRICTION * PUCK_MASS * puck)
    plastic = PUCK_MASS * mass / (PUCK_MASS + mass) * speed**2 / 2
    assume(abs(box - slide.displacement) < 1e-9)  # at rest within the recorded states
    assert 0 < brought - rubbed_off < plastic


@pytest.mark.parametrize(("mass", "friction", "speed"), EXTREMES)
def test_puck_and_box_touch_once_and_never_again(mass, friction, speed):
    model = build_scene(SIZE, mass, friction)
    data = at_rest(model)
    data.qvel[0] = speed
    pair = {model.geom("puck_face").id, model.geom("box").id}
    touching = []
    for _ in range(4000):
        mujoco.mj_step(model, data)
        touching.append(any(set(map(int, contact.geom)) == pair for contact in data.contact))
    steps = np.flatnonzero(touching)
    assert steps[0] == 0
    assert np.array_equal(steps, np.arange(steps.size)), "the contact is one interval"
    assert steps.size < STEPS_PER_FRAME, "over by the second frame"
    assert np.abs(data.qvel[:2]).max() < 1e-4


@boxes
@given(mass=masses, friction=frictions, speed=speeds)
def test_the_recorded_puck_stays_behind_the_box_and_only_moves_forward(mass, friction, speed):
    states = struck(mass, friction, speed).states
    puck, box = states[:, 0] - states[0, 0], states[:, 1] - states[0, 1]
    assert np.all((box - puck)[1:] > 5e-4)
    assert np.diff(puck).min() >= -1e-9
    # After the contact the gap only widens.
    assert np.diff((box - puck)[1:]).min() > -1e-5


@boxes
@given(mass=masses, friction=frictions, speed=speeds)
def test_the_box_slides_along_x_without_turning(mass, friction, speed):
    states = struck(mass, friction, speed).states
    assert np.abs(states[:, 2]).max() < 1e-9
    assert states[:, 3] == pytest.approx(SIZE[2], abs=5e-4)
    # Half the angle: it rocks by less than half a degree and ends upright.
    assert np.abs(states[:, 5:]).max() < np.deg2rad(0.25)


@boxes
@given(mass=masses, friction=frictions, speed=speeds, factor=st.floats(1.05, 1.5))
def test_faster_lighter_and_smoother_slides_farther(mass, friction, speed, factor):
    slides = struck(mass, friction, speed).displacement
    assert struck(mass, friction, speed * factor).displacement > slides
    assert struck(mass * factor, friction, speed).displacement < slides
    assert struck(mass, friction * factor, speed).displacement < slides


@pytest.mark.parametrize("size", list(product(*HALF_EXTENT_RANGES)))
def test_the_size_of_the_box_tells_nothing_of_its_slide(size):
    usual = struck(0.3, 0.2, 0.6).displacement
    assert struck(0.3, 0.2, 0.6, np.array(size)).displacement == pytest.approx(usual, rel=0.01)


@pytest.mark.parametrize("size", [SIZE, np.array([0.025, 0.045, 0.02])])
def test_at_first_contact_nothing_shows_the_mass_or_the_friction(size):
    contacts = [struck(mass, friction, speed, size).states[0] for mass, friction, speed in EXTREMES]
    for contact in contacts:
        assert np.array_equal(contact, contacts[0])


def test_a_strike_leaves_the_resting_box_as_it_was_and_repeats_bit_by_bit():
    model = build_scene(SIZE, 0.3, 0.2)
    rest = at_rest(model)
    before = rest.qpos.copy(), rest.qvel.copy(), rest.time
    one, two = (strike(model, rest, 0.6) for _ in range(2))
    assert np.array_equal(rest.qpos, before[0])
    assert np.array_equal(rest.qvel, before[1])
    assert rest.time == before[2]
    assert one.displacement == two.displacement
    assert np.array_equal(one.states, two.states)


def test_the_box_rests_before_the_strike():
    model = build_scene(SIZE, 0.3, 0.2)
    data = at_rest(model)
    before = data.qpos.copy()
    data.qpos[0] = -0.5
    mujoco.mj_step(model, data, STEPS_PER_FRAME)
    assert data.qpos[1:] == pytest.approx(before[1:], abs=1e-6)


def test_frames_are_a_whole_number_of_steps_apart():
    assert pytest.approx(STEPS_PER_FRAME * TIMESTEP) == FRAME_INTERVAL
    slide = struck(0.3, 0.2, 0.6)
    assert slide.states.shape == (SLIDE_FRAMES, 8)
    assert slide.states[-1, 1] - slide.states[0, 1] == slide.displacement


def test_a_box_that_does_not_stop_is_an_error():
    with pytest.raises(RuntimeError, match=r"the box still moves at 0\.\d+ m/s"):
        struck(0.3, 1e-5, 0.6)


def test_a_simulation_that_breaks_is_an_error(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # MuJoCo writes its warnings to a file
    with pytest.raises(RuntimeError, match="MuJoCo warned during a strike at 1e"):
        struck(0.3, 0.2, 1e12)
