from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck.checks.results import (
    CheckResult,
    EffectSizeResult,
    ErasureResult,
    SpreadResult,
    SwapResult,
    plain,
)

numbers = st.one_of(
    st.floats(),
    st.integers(),
    st.booleans(),
    st.floats(width=32).map(np.float32),
    st.floats().map(np.float64),
    st.integers(-100, 100).map(np.int16),
    st.booleans().map(np.bool_),
)
values = st.recursive(
    st.one_of(st.none(), st.text(), st.text().map(np.str_), numbers),
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(st.text(), inner)
    ),
    max_leaves=15,
)


def written(data: object) -> object:
    return json.loads(json.dumps(data, allow_nan=False))


@settings(deadline=None, max_examples=200)
@given(value=values)
def test_plain_data_survives_a_strict_json_round_trip(value):
    assert written(plain(value)) == plain(value)
    assert plain(plain(value)) == plain(value)


@pytest.mark.untyped
@settings(deadline=None, max_examples=100)
@given(
    estimate=st.one_of(st.none(), st.floats()),
    interval=st.one_of(st.none(), st.tuples(st.floats(), st.floats())),
    name=st.text(),
    value=numbers,
)
def test_a_result_survives_a_strict_json_round_trip(estimate, interval, name, value):
    result = SpreadResult(
        verdict="undecided",
        estimate=estimate,
        interval=interval,
        rows=({"representation": name, "r2": value},),
        findings=(name,),
        best_minus_trivial=value,
    )
    data = result.to_dict()
    assert written(data) == data
    assert data["rows"][0]["representation"] == name


@pytest.mark.untyped
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan"), np.nan])
def test_what_is_not_finite_becomes_null_wherever_it_stands(value):
    result = SpreadResult(
        verdict="fail",
        estimate=value,
        interval=(value, 1.0),
        rows=({"representation": "a", "r2": value, "interval": [value, np.array([value])]},),
    )
    data = result.to_dict()
    assert data["estimate"] is None
    assert data["interval"] == [None, 1.0]
    assert data["rows"] == [{"representation": "a", "r2": None, "interval": [None, [None]]}]


@pytest.mark.parametrize("name", ["BaNaNa", "nan", "NaN", "Infinity", "é ≥ Δ", "a\nb", '"'])
def test_names_that_look_like_numbers_stay_intact(name):
    result = EffectSizeResult(verdict="pass", rows=({"task": name, name: 1.0},), unit=name)
    data = written(result.to_dict())
    assert data["rows"] == [{"task": name, name: 1.0}]
    assert data["unit"] == name


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.bool_(True), True),
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (np.str_("x"), "x"),
        (np.array(2.5), 2.5),
        (np.arange(3), [0, 1, 2]),
        (np.array([[True, False]]), [[True, False]]),
        (np.array(["a", None], dtype=object), ["a", None]),
        (True, True),
        (10**30, 10**30),
        ({1: {2.5: None}}, {"1": {"2.5": None}}),
        (1 + 2j, "(1+2j)"),
        (b"x", "b'x'"),
    ],
)
def test_values_of_any_kind_become_plain(value, expected):
    result = plain(value)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("kind", "check", "own"),
    [
        (SpreadResult, "spread", {"metric", "best_minus_trivial", "references"}),
        (SwapResult, "swap", {"metric"}),
        (ErasureResult, "erasure", {"metric"}),
        (EffectSizeResult, "effect_size", {"unit", "scale"}),
    ],
)
def test_every_result_names_its_check_and_its_own_fields(kind, check, own):
    data = kind(verdict="pass").to_dict()
    assert data["check"] == check == kind.check
    assert own <= set(data)
    common = {"verdict", "summary", "estimate", "interval", "bar", "confidence", "episodes"}
    common |= {"seed", "minimum_detectable", "rows", "findings", "warnings"}
    assert common <= set(data)


def test_results_are_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        CheckResult(verdict="pass").verdict = "fail"
