"""Spend a limited time where verdicts are still undecided."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pytest_benchcheck.checks.results import CheckResult

__all__ = ["CONFIDENCE", "LOOKS", "Budget", "decide_within"]

# A verdict that may be looked for several times is found by chance more often than one that is
# looked for once: the error probability of 5 % is shared by all looks.
LOOKS = 3
CONFIDENCE = 1 - 0.05 / LOOKS
_MOST_GROWTH = 4.0
_WORTHWHILE = 1.25

_Result = TypeVar("_Result", bound=CheckResult)


class Budget:
    """Seconds of one run, shared by its benchmarks.

    Each benchmark may use its share of what is left when it begins; what it leaves goes to the
    others.

    Parameters
    ----------
    seconds
        Length of the run.
    benchmarks
        Number of benchmarks to audit.
    """

    def __init__(
        self, seconds: float, benchmarks: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.seconds = seconds
        self.clock = clock
        self._end = clock() + seconds
        self._left = max(benchmarks, 1)

    def deadline(self) -> float:
        """When the benchmark that begins now has to stop starting work, on ``clock``."""
        now = self.clock()
        share = (self._end - now) / max(self._left, 1)
        self._left -= 1
        return now + share


def decide_within(
    judge: Callable[[int], _Result],
    size: int,
    *,
    deadline: float,
    seconds: float,
    seconds_each: Callable[[], float],
    unit: str = "episodes",
    clock: Callable[[], float] = time.monotonic,
) -> _Result | None:
    """Judge; while the verdict is undecided and time is left, judge again on more.

    Parameters
    ----------
    judge
        ``judge(n)`` judges ``n`` episodes (or matched pairs), at :data:`CONFIDENCE`.
    size
        Number of the first look. A smaller one would be another question: representations approach
        their scores at different rates.
    deadline
        No look begins after it, nor one that is expected to end after it.
    seconds
        The whole budget, for the finding.
    seconds_each
        Seconds that one episode took so far.
    unit
        What is counted.

    Returns
    -------
    The last result; None where the time was spent before the first look.
    """
    if clock() >= deadline:
        return None
    for look in range(1, LOOKS + 1):
        result = judge(size)
        if result.verdict != "undecided":
            grown = f"decided with {size:,} {unit}, at look {look} of at most {LOOKS}."
            return result if look == 1 else _told(result, grown)
        needed = result.episodes_needed or _MOST_GROWTH * size
        wanted = min(max(needed, 1.5 * size), _MOST_GROWTH * size)
        affordable = (deadline - clock()) / max(seconds_each(), 1e-9)
        larger = int(min(wanted, affordable))
        if look == LOOKS:
            return _told(result, f"left undecided after {LOOKS} looks, at {size:,} {unit}.")
        if larger < _WORTHWHILE * size:
            return _told(result, _too_little(size, needed, seconds, seconds_each(), unit))
        size = larger
    raise AssertionError("unreachable")  # pragma: no cover


def _too_little(size: int, needed: float, seconds: float, each: float, unit: str) -> str:
    return (
        f"left undecided: the budget of {seconds:g} s allows no more than the {size:,} {unit} "
        f"judged; {needed:,.0f} would take about {needed * each:,.0f} s."
    )


def _told(result: _Result, finding: str) -> _Result:
    return replace(result, findings=(*result.findings, finding))
