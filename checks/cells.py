"""What an effect-size audit perturbs and what it measures: cells and outcomes."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from pytest_benchcheck.checks.errors import ContractError

__all__ = ["Cell", "Outcome", "as_outcome"]


def _require_name(where: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise ContractError(
            f"{where} must be a non-empty string, got {value!r}. It names the row in the report."
        )


@dataclass(frozen=True)
class Cell:
    """One task x property pair of a perturbation benchmark.

    Parameters
    ----------
    task
        Name of the task, e.g. ``"push_to_goal"``.
    property
        Name of the one property that is perturbed, e.g. ``"mass"``.
    parameters
        Whatever the benchmark's ``simulate`` needs to apply the perturbation (values, body names,
        units). Not interpreted by the checks.
    twin
        The unperturbed run that this cell is compared with. None: ``simulate(None, seed)``. A
        benchmark of several tasks gives every task a twin of its own, e.g.
        ``Cell("push_to_goal", "unperturbed")``.

    Raises
    ------
    ContractError
        If a name is empty or not a string, ``parameters`` is not a mapping, or ``twin`` is not a
        cell.
    """

    task: str
    property: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    twin: Cell | None = None

    def __post_init__(self) -> None:
        _require_name("Cell.task", self.task)
        _require_name("Cell.property", self.property)
        if not isinstance(self.parameters, Mapping):
            raise ContractError(
                "Cell.parameters must be a mapping of names to values, got "
                f"{type(self.parameters).__name__}."
            )
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        if self.twin is not None and not isinstance(self.twin, Cell):
            raise ContractError(f"Cell.twin must be a Cell or None, got {self.twin!r}.")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cell):
            return NotImplemented
        return (
            self.key == other.key
            and self.twin == other.twin
            and _same(self.parameters, other.parameters)
        )

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[type[Cell], tuple[str, str, dict[str, Any], Cell | None]]:
        # A mapping proxy does not pickle, and cells travel to worker processes.
        return (Cell, (self.task, self.property, dict(self.parameters), self.twin))

    @builtins.property
    def key(self) -> tuple[str, str]:
        """The pair ``(task, property)`` that identifies the cell in a table."""
        return (self.task, self.property)


def _same(first: object, second: object) -> bool:
    """Whether two parameters are equal; arrays have no truth value of their own."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(_same(first[k], second[k]) for k in first)
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(_same, first, second))
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return np.array_equal(first, second)  # type: ignore[arg-type]
    return bool(first == second)


@dataclass(frozen=True)
class Outcome:
    """What one simulated run scored.

    Parameters
    ----------
    values
        One finite number, or a short named vector (name -> number).
    unit
        Unit of the values, e.g. ``"m"``; empty where there is none.
    warnings
        What the simulator warned of during the run, in its own words.
    remarks
        What is known of the perturbation: why it cannot act, or what is wrong with it. The reason
        in the report where the cell is inert, a finding where it is not.

    Raises
    ------
    ContractError
        If a value is not a finite number, the vector is empty, or a text is not a string.
    """

    values: float | Mapping[str, float]
    unit: str = ""
    warnings: Sequence[str] = ()
    remarks: Sequence[str] = ()

    def __post_init__(self) -> None:
        if isinstance(self.values, Mapping):
            if not self.values:
                raise ContractError("Outcome.values is an empty mapping: name at least one value.")
            checked = {str(k): _finite(f"Outcome.values[{k!r}]", v) for k, v in self.values.items()}
            object.__setattr__(self, "values", MappingProxyType(checked))
        else:
            object.__setattr__(self, "values", _finite("Outcome.values", self.values))
        if not isinstance(self.unit, str):
            raise ContractError(f"Outcome.unit must be a string, got {self.unit!r}.")
        for name in ("warnings", "remarks"):
            given = getattr(self, name)
            texts = (given,) if isinstance(given, str) else tuple(given)
            object.__setattr__(self, name, texts)
            for i, text in enumerate(texts):
                if not isinstance(text, str):
                    raise ContractError(f"Outcome.{name}[{i}] must be a string, got {text!r}.")

    def __reduce__(
        self,
    ) -> tuple[type[Outcome], tuple[Any, str, tuple[str, ...], tuple[str, ...]]]:
        values = dict(self.values) if isinstance(self.values, Mapping) else self.values
        return (Outcome, (values, self.unit, tuple(self.warnings), tuple(self.remarks)))

    def named(self) -> dict[str, float]:
        """The values as a mapping; a single number is named ``"outcome"``."""
        if isinstance(self.values, Mapping):
            return dict(self.values)
        return {"outcome": self.values}


def _finite(where: str, value: object) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise ContractError(f"{where} must be a number, got {value!r}.") from None
    if not math.isfinite(number):
        raise ContractError(
            f"{where} is {number}: an outcome must be finite. If the simulation diverged, raise, "
            f"and the cell is reported as broken."
        )
    return number


def as_outcome(value: object) -> Outcome:
    """Accept what ``simulate`` may return: an ``Outcome``, a bare number or a named vector.

    Raises
    ------
    ContractError
        If ``value`` is none of these.
    """
    if isinstance(value, Outcome):
        return value
    if isinstance(value, Mapping):
        return Outcome(value)
    return Outcome(_finite("the value that simulate returned", value))
