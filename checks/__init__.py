"""The checks and the statistics under them: pure functions over arrays."""

from __future__ import annotations

from pytest_benchcheck.checks.cells import Cell, Outcome
from pytest_benchcheck.checks.effect_size import effect_size_audit
from pytest_benchcheck.checks.episodes import Clips, Episodes
from pytest_benchcheck.checks.errors import BenchcheckError, ContractError, InputError

__all__ = [
    "BenchcheckError",
    "Cell",
    "Clips",
    "ContractError",
    "Episodes",
    "InputError",
    "Outcome",
    "effect_size_audit",
]
