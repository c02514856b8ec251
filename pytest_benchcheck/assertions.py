"""Assertions for ordinary tests: judge, record what was judged, and say what is wrong.

Each takes the lowest form of evidence that makes sense, raises ``AssertionError`` with the table,
the number that missed and what to do next, and returns the result where it holds.
"""

from __future__ import annotations

from pytest_benchcheck.effect_assertions import assert_effects_exceed
from pytest_benchcheck.evidence_assertions import assert_erasure_costs, assert_swap_removes_gain
from pytest_benchcheck.spread_assertions import assert_beats_trivial, assert_spread_exceeds

__all__ = [
    "assert_beats_trivial",
    "assert_effects_exceed",
    "assert_erasure_costs",
    "assert_spread_exceeds",
    "assert_swap_removes_gain",
]
