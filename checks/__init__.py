"""The checks and the statistics under them: pure functions over arrays."""

from __future__ import annotations

from pytest_benchcheck.checks.cells import Cell, Outcome
from pytest_benchcheck.checks.effect_size import effect_size_audit
from pytest_benchcheck.checks.episodes import Clips, Episodes
from pytest_benchcheck.checks.erasure import erasure
from pytest_benchcheck.checks.errors import BenchcheckError, ContractError, InputError
from pytest_benchcheck.checks.held_out import held_out_predictions
from pytest_benchcheck.checks.results import (
    CheckResult,
    EffectSizeResult,
    ErasureResult,
    SpreadResult,
    SwapResult,
)
from pytest_benchcheck.checks.spread import spread
from pytest_benchcheck.checks.swap import swap

__all__ = [
    "BenchcheckError",
    "Cell",
    "CheckResult",
    "Clips",
    "ContractError",
    "EffectSizeResult",
    "Episodes",
    "ErasureResult",
    "InputError",
    "Outcome",
    "SpreadResult",
    "SwapResult",
    "effect_size_audit",
    "erasure",
    "held_out_predictions",
    "spread",
    "swap",
]
