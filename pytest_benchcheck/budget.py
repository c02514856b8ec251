"""Spend a limited time where verdicts are still undecided."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from pytest_benchcheck.checks.results import CheckResult
from pytest_benchcheck.once import ENDS

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
    result, looks = judge(size), 1
    while result.verdict == "undecided" and looks < LOOKS:
        needed = result.episodes_needed or _MOST_GROWTH * size
        wanted = min(max(needed, 1.5 * size), _MOST_GROWTH * size)
        affordable = (deadline - clock()) / max(seconds_each(), 1e-9)
        larger = int(min(wanted, affordable))
        if larger < _WORTHWHILE * size:
            return _told(result, _too_little(size, needed, seconds, seconds_each(), unit))
        try:
            result = judge(larger)
        except ENDS as error:
            # What was judged on fewer still stands.
            broke = f"{larger:,} {unit} could not be judged: {type(error).__name__}: {error}"
            return _told(result, f"left undecided at {size:,} {unit}: {broke}")
        given = min(result.episodes or larger, larger)
        if given <= size and result.verdict == "undecided":
            return _told(result, f"left undecided: there are no more than {given:,} {unit}.")
        size, looks = given, looks + 1
    if looks == 1:
        return result
    if result.verdict == "undecided":
        return _told(result, f"left undecided after {looks} looks, at {size:,} {unit}.")
    return _told(result, f"decided with {size:,} {unit}, at look {looks} of at most {LOOKS}.")


def _too_little(size: int, needed: float, seconds: float, each: float, unit: str) -> str:
    return (
        f"left undecided: the budget of {seconds:g} s allows no more than the {size:,} {unit} "
        f"judged; {needed:,.0f} would take about {needed * each:,.0f} s."
    )


def _told(result: _Result, finding: str) -> _Result:
    return replace(result, findings=(*result.findings, finding))
