from __future__ import annotations

from dataclasses import replace
from itertools import product

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck.example_benchmarks.caliper.camera import (
    NOMINAL,
    WORKSPACE,
    Camera,
    sees_workspace,
)
from pytest_benchcheck.fixtures.simulators.rendering import FrameRenderer

cameras = st.builds(
    Camera,
    lookat=st.tuples(st.floats(-0.1, 0.1), st.floats(-0.1, 0.1), st.floats(0.0, 0.1)),
    distance=st.floats(0.4, 1.5),
    azimuth=st.floats(-180, 180),
    elevation=st.floats(-80, -10),
    fovy=st.floats(20, 70),
)

_BALL = """
<mujoco>
  <visual><headlight ambient="1 1 1" diffuse="0 0 0" specular="0 0 0"/><map znear=".01"/></visual>
  <statistic center="0 0 0" extent="1"/>
  <worldbody><body mocap="true"><geom type="sphere" size=".012"/></body></worldbody>
</mujoco>
"""


@given(camera=cameras)
def test_the_axes_are_a_right_handed_frame(camera):
    axes = camera.axes()
    assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-12)
    # Right, up and backward are right-handed: forward is the other way.
    assert np.linalg.det(axes) == pytest.approx(-1.0)
    assert axes[0, 2] == 0.0, "no roll"


@given(camera=cameras)
def test_the_camera_looks_at_its_point_from_its_distance(camera):
    lookat = np.array(camera.lookat)
    assert np.linalg.norm(camera.position() - lookat) == pytest.approx(camera.distance)
    assert camera.project(lookat[None]) == pytest.approx(np.zeros((1, 2)), abs=1e-9)
    assert camera.position()[2] > lookat[2], "a negative elevation looks down"


@given(camera=cameras, up=st.floats(-0.95, 0.95), right=st.floats(-0.95, 0.95))
def test_the_frame_is_as_wide_as_the_field_of_view(camera, up, right):
    half_width = camera.distance * np.tan(np.deg2rad(camera.fovy) / 2)
    axes = camera.axes()
    point = np.array(camera.lookat) + half_width * (right * axes[0] + up * axes[1])
    assert camera.project(point[None])[0] == pytest.approx([right, up], abs=1e-9)


@settings(deadline=None, max_examples=10)
@given(camera=cameras, up=st.floats(-0.8, 0.8), right=st.floats(-0.8, 0.8))
def test_points_project_to_where_they_are_rendered(camera, up, right):
    size = 128
    half_width = camera.distance * np.tan(np.deg2rad(camera.fovy) / 2)
    axes = camera.axes()
    point = np.array(camera.lookat) + half_width * (right * axes[0] + up * axes[1])
    model = mujoco.MjModel.from_xml_string(_BALL)
    model.vis.global_.fovy = camera.fovy
    data = mujoco.MjData(model)
    data.mocap_pos[0] = point
    view = mujoco.MjvCamera()
    view.lookat[:] = camera.lookat
    view.distance, view.azimuth, view.elevation = camera.distance, camera.azimuth, camera.elevation
    frame = FrameRenderer(model, height=size, width=size).render(data, view)
    rows, columns = np.nonzero(frame.any(axis=2))
    seen = np.array([columns.mean() + 0.5, size - rows.mean() - 0.5]) / (size / 2) - 1
    # A pixel is 2 / 128 = .016; a sphere off the axis is an ellipse, a little off its centre.
    assert camera.project(point[None])[0] == pytest.approx(seen, abs=0.02)


def test_the_nominal_camera_sees_the_workspace():
    assert sees_workspace(NOMINAL)


@pytest.mark.parametrize(
    "change",
    [
        {"fovy": 30.0},
        {"distance": 0.5},
        {"lookat": (0.2, 0.0, 0.02)},
        {"lookat": (0.045, 0.0, 1.0)},
        {"azimuth": 60.0, "distance": 0.6},
    ],
)
def test_a_camera_that_crops_does_not_see_the_workspace(change):
    assert not sees_workspace(replace(NOMINAL, **change))


def test_a_workspace_behind_the_camera_is_not_seen():
    behind = replace(NOMINAL, lookat=(0.045, 3.0, 0.0), elevation=0.0)
    assert np.abs(behind.project(np.array(list(product(*WORKSPACE))))).max() < 1
    assert not sees_workspace(behind)


@given(point=st.tuples(*(st.floats(*bounds) for bounds in WORKSPACE)))
def test_whatever_lies_in_a_workspace_that_is_seen_is_in_the_frame(point):
    assert np.abs(NOMINAL.project(np.array([point]))).max() <= 1
