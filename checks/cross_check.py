"""Which statistic decides: the group t, or the corrected resampled t as a cross-check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inference import Differences, group_sums
from pytest_benchcheck.checks.nadeau_bengio import fold_differences
from pytest_benchcheck.checks.readout import Problem, Scores

__all__ = ["GROUP_T", "checked_inference", "differences"]

GROUP_T = "group-t"

_INFERENCES: Mapping[str, Callable[[Mapping[Any, Scores], Problem], Differences]] = {
    GROUP_T: group_sums,
    "nadeau-bengio": fold_differences,
}


def checked_inference(inference: object) -> str:
    """Return ``inference``; it must be ``"group-t"`` or ``"nadeau-bengio"``."""
    if isinstance(inference, str) and inference in _INFERENCES:
        return inference
    raise InputError(f"inference must be one of {list(_INFERENCES)}, got {inference!r}.")


def differences(inference: str, scores: Mapping[Any, Scores], problem: Problem) -> Differences:
    """Scores of several conditions, and how far their differences can be trusted."""
    return _INFERENCES[inference](scores, problem)
