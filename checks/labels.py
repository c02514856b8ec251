"""Labels of groups and classes: a missing one is an error, never a label of its own."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.shapes import Shaped

__all__ = ["plain_labels"]


def plain_labels(where: str, labels: Shaped[np.ndarray, " n"]) -> Shaped[np.ndarray, " n"]:
    """Return labels of a dtype that sorts: arrays of Python objects become numbers or strings.

    Objects that are all integers stay integers, objects that are all real numbers become floats,
    everything else becomes text.

    Raises
    ------
    InputError
        Naming the first row that is None, NaN or NaT, except in arrays of floats, whose values
        the caller judges.
    """
    if labels.dtype.kind == "M" and np.isnat(labels).any():
        row = int(np.flatnonzero(np.isnat(labels))[0])
        raise InputError(f"{where}: row {row} is NaT. Every row needs a label.")
    if labels.dtype.kind != "O":
        return labels
    values: list[Any] = labels.tolist()
    for row, value in enumerate(values):
        if _missing(value):
            raise InputError(f"{where}: row {row} is {value!r}. Every row needs a label.")
    if any(isinstance(value, (bool, np.bool_)) for value in values):
        return labels.astype(str)
    if all(isinstance(value, Integral) for value in values):
        return labels.astype(np.int64)
    if all(isinstance(value, Real) for value in values):
        return labels.astype(np.float64)
    return labels.astype(str)


def _missing(value: Any) -> bool:
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 only NaN and its kin differ from themselves
    except (TypeError, ValueError):
        return True
