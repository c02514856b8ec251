from __future__ import annotations

import pickle

import numpy as np
import pytest

from pytest_benchcheck.checks.cells import Cell, Outcome, as_outcome
from pytest_benchcheck.checks.errors import BenchcheckError, ContractError


@pytest.mark.untyped
@pytest.mark.parametrize("name", ["", "  ", None, 3])
@pytest.mark.parametrize("field", ["task", "property"])
def test_a_cell_needs_names(field, name):
    names = {"task": "push", "property": "mass", field: name}
    with pytest.raises(ContractError, match=f"Cell.{field} must be a non-empty string"):
        Cell(**names)


@pytest.mark.untyped
def test_parameters_must_be_a_mapping_and_twin_a_cell():
    with pytest.raises(ContractError, match=r"Cell\.parameters must be a mapping .* got list"):
        Cell("push", "mass", [1.0])
    with pytest.raises(ContractError, match=r"Cell\.twin must be a Cell or None"):
        Cell("push", "mass", twin="push")


def test_a_cell_does_not_change_with_what_it_was_made_from():
    parameters = {"mass": 2.0}
    cell = Cell("push", "mass", parameters)
    parameters["mass"] = 9.0
    assert cell.parameters["mass"] == 2.0
    with pytest.raises(TypeError, match="does not support item assignment"):
        cell.parameters["mass"] = 9.0


def test_cells_travel_to_other_processes_and_work_as_keys():
    twin = Cell("push", "unperturbed", {"start": np.arange(3)})
    cell = Cell("push", "mass", {"factor": 2.0}, twin=twin)
    copy = pickle.loads(pickle.dumps(cell))  # noqa: S301 just written here
    assert copy == cell
    assert {cell: 1}[copy] == 1
    assert cell.key == ("push", "mass")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({}, {}, True),
        ({"x": 1}, {"x": 1.0}, True),
        ({"x": 1}, {"y": 1}, False),
        ({"x": np.arange(3)}, {"x": np.arange(3)}, True),
        ({"x": np.arange(3)}, {"x": np.arange(4)}, False),
        ({"x": np.arange(3)}, {"x": 0}, False),
        ({"x": [np.arange(3), {"z": np.ones(2)}]}, {"x": [np.arange(3), {"z": np.ones(2)}]}, True),
        ({"x": [1, 2]}, {"x": [1]}, False),
    ],
)
def test_cells_with_arrays_as_parameters_can_be_compared(first, second, same):
    assert (Cell("push", "mass", first) == Cell("push", "mass", second)) is same


def test_a_cell_equals_no_other_kind_and_no_other_twin():
    assert Cell("push", "mass") != ("push", "mass")
    assert Cell("push", "mass") != Cell("push", "mass", twin=Cell("push", "off"))


@pytest.mark.untyped
@pytest.mark.parametrize("value", [float("nan"), float("inf"), -np.inf, np.float32("nan")])
def test_an_outcome_must_be_finite(value):
    with pytest.raises(ContractError, match=r"Outcome\.values is -?(nan|inf): an outcome must be"):
        Outcome(value)
    with pytest.raises(ContractError, match=r"Outcome\.values\['z'\] is"):
        Outcome({"x": 0.0, "z": value})


@pytest.mark.parametrize("value", ["far", None, [1, 2], 1j, object()])
def test_an_outcome_must_be_a_number(value):
    with pytest.raises(ContractError, match="must be a number, got"):
        as_outcome(value)


def test_an_outcome_vector_names_at_least_one_value():
    with pytest.raises(ContractError, match="empty mapping"):
        as_outcome({})


@pytest.mark.parametrize("value", [1, 1.0, True, np.float32(1), np.array(1.0), np.int64(1)])
def test_bare_numbers_of_any_kind_are_outcomes(value):
    assert as_outcome(value).named() == {"outcome": 1.0}


@pytest.mark.untyped
def test_vectors_and_outcomes_pass_through():
    assert as_outcome({"x": 1, "y": 2}).named() == {"x": 1.0, "y": 2.0}
    outcome = Outcome(1.0, "m")
    assert as_outcome(outcome) is outcome


@pytest.mark.untyped
def test_units_and_warnings_are_text():
    assert Outcome(1.0, warnings="unstable").warnings == ("unstable",)
    assert Outcome(1.0, warnings=["a", "b"]).warnings == ("a", "b")
    with pytest.raises(ContractError, match=r"Outcome\.unit must be a string"):
        Outcome(1.0, unit=3)
    with pytest.raises(ContractError, match=r"Outcome\.warnings\[1\] must be a string, got 3"):
        Outcome(1.0, warnings=["a", 3])


@pytest.mark.parametrize("values", [1.5, {"x": 1.0, "y": 2.0}])
def test_outcomes_travel_to_other_processes(values):
    outcome = Outcome(values, "m", ("unstable",))
    assert pickle.loads(pickle.dumps(outcome)) == outcome  # noqa: S301 just written here


def test_contract_errors_are_value_errors_of_this_package():
    assert issubclass(ContractError, BenchcheckError)
    assert issubclass(ContractError, ValueError)
