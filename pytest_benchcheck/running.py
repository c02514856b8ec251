"""Run the checks of one benchmark: what breaks is a verdict, what is undecided may go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import pytest

from pytest_benchcheck import checks
from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.budget import CONFIDENCE, Budget, decide_within
from pytest_benchcheck.checks.results import (
    CheckResult,
    EffectSizeResult,
    ErasureResult,
    SpreadResult,
    SwapResult,
    Verdict,
)
from pytest_benchcheck.looks import Look, NotApplicableError
from pytest_benchcheck.notices import own_notices
from pytest_benchcheck.once import ENDS
from pytest_benchcheck.session import current_settings
from pytest_benchcheck.settings import Settings

__all__ = ["BenchmarkAudit", "CheckOutcome", "judge_benchmark"]

_Result = TypeVar("_Result", bound=CheckResult)

_RESULTS: Mapping[str, type[CheckResult]] = {
    "effect_size": EffectSizeResult,
    "spread": SpreadResult,
    "swap": SwapResult,
    "erasure": ErasureResult,
}


@dataclass(frozen=True)
class CheckOutcome:
    """Result of a check, and the exception that broke it."""

    result: CheckResult
    error: BaseException | None = None


class BenchmarkAudit:
    """One benchmark under audit.

    Parameters
    ----------
    benchmark
        What is audited.
    settings
        Number of episodes, encoders, bars and the feature cache's directory.
    bars
        Bar per check; None for the benchmark's own, else those of ``settings``.
    pairs
        Matched pairs per cell of the effect-size audit, or their seeds; None for the benchmark's
        own number.
    budget
        Time that the run may take; None for as long as it takes.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        settings: Settings,
        *,
        bars: Mapping[str, float] | None = None,
        pairs: int | Sequence[int] | None = None,
        budget: Budget | None = None,
    ) -> None:
        self._benchmark = benchmark
        self._settings = settings
        self._bars = dict(benchmark.bars if bars is None else bars)
        self._pairs = benchmark.matched_pairs if pairs is None else pairs
        self._budget = budget
        self._deadline: float | None = None
        self._looks: dict[int, Look] = {}
        self._last: Look | None = None

    def run(self, check: str) -> CheckOutcome:
        """Run one check. Whatever the benchmark raises is a verdict, not an exception.

        Interrupts pass through.
        """
        noted: list[str] = []
        self._last = None
        try:
            with own_notices(noted):
                result = self._judged(check)
        except NotApplicableError as reason:
            return CheckOutcome(_without_numbers(check, "not_applicable", str(reason)))
        except pytest.skip.Exception as reason:
            return CheckOutcome(_without_numbers(check, "not_applicable", str(reason)))
        except ENDS as error:
            summary = f"{type(error).__name__}: {error}"
            result = _without_numbers(check, "error", summary)
            return CheckOutcome(replace(result, warnings=self._failed_encoders()), error)
        return CheckOutcome(replace(result, warnings=(*result.warnings, *noted)))

    def _judged(self, check: str) -> CheckResult:
        self._require(check)
        if check == "effect_size":
            return self._paired(self._pairs)
        n = self._settings.episodes or self._benchmark.default_episodes
        return self._within(
            check,
            lambda size: self._look(size).judge(check),
            n,
            lambda: max(look.seconds_each for look in self._looks.values()),
            "episodes",
        )

    def _paired(self, pairs: int | Sequence[int]) -> CheckResult:
        if self._budget is None or not isinstance(pairs, int):
            return self._effect_size(pairs)
        clock, done = self._budget.clock, [0]
        began = clock()

        def judge(size: int) -> CheckResult:
            done[0] += size
            return self._effect_size(size, CONFIDENCE)

        def seconds_each() -> float:
            return (clock() - began) / done[0]

        return self._within("effect_size", judge, pairs, seconds_each, "matched pairs")

    def _within(
        self,
        check: str,
        judge: Callable[[int], CheckResult],
        size: int,
        seconds_each: Callable[[], float],
        unit: str,
    ) -> CheckResult:
        budget = self._budget
        if budget is None:
            return judge(size)
        if self._deadline is None:
            self._deadline = budget.deadline()
        result = decide_within(
            judge,
            size,
            deadline=self._deadline,
            seconds=budget.seconds,
            seconds_each=seconds_each,
            unit=unit,
            clock=budget.clock,
        )
        if result is not None:
            return result
        return _without_numbers(
            check, "undecided", f"the budget of {budget.seconds:g} s was spent before this check."
        )

    def _look(self, n: int) -> Look:
        if n not in self._looks:
            confidence = 0.95 if self._budget is None else CONFIDENCE
            self._looks[n] = Look(
                self._benchmark, self._settings, self._bars, episodes=n, confidence=confidence
            )
        self._last = self._looks[n]
        return self._last

    def _failed_encoders(self) -> tuple[str, ...]:
        return () if self._last is None else self._last.failed_encoders()

    def _require(self, check: str) -> None:
        if not self._benchmark.has(check):
            methods = ("cells", "simulate") if check == "effect_size" else ("episodes",)
            missing = " and ".join(f"{name}()" for name in methods)
            raise NotApplicableError(
                f"{type(self._benchmark).__name__} does not implement {missing}"
            )

    def _effect_size(self, pairs: int | Sequence[int], confidence: float = 0.95) -> CheckResult:
        return checks.effect_size_audit(
            self._benchmark.simulate,
            self._benchmark.cells(),
            seeds=pairs,
            floor=self._bars.get("effect_size", self._settings.effect_floor),
            confidence=confidence,
            diagnose=self._benchmark.diagnose,
            simulate_all=self._benchmark.simulate_all,
            simulate_jittered=self._benchmark.simulate_jittered,
        )


def judge_benchmark(
    benchmark: Benchmark,
    check: str,
    kind: type[_Result],
    *,
    bar: float | None = None,
    seed: int = 0,
    seeds: int | Sequence[int] | None = None,
) -> _Result:
    """Run one check of a benchmark with the settings of the pytest session that runs.

    Raises
    ------
    ContractError
        If the benchmark breaks the contract.
    Exception
        Whatever the benchmark raised.
    """
    benchmark.validate()
    bars = dict(benchmark.bars) if bar is None else {**benchmark.bars, check: bar}
    settings = replace(current_settings(), seed=seed)
    outcome = BenchmarkAudit(benchmark, settings, bars=bars, pairs=seeds).run(check)
    if outcome.error is not None:
        raise outcome.error
    if not isinstance(outcome.result, kind):
        raise TypeError(f"{check} gave a {type(outcome.result).__name__}")
    return outcome.result


def _without_numbers(check: str, verdict: Verdict, summary: str) -> CheckResult:
    return _RESULTS[check](verdict=verdict, summary=summary)
