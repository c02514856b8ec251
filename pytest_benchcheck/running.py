"""Run the checks of one benchmark; episodes and features are made once and shared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import pytest

from pytest_benchcheck import checks
from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.checks.episodes import Episodes
from pytest_benchcheck.checks.errors import ContractError
from pytest_benchcheck.checks.results import (
    CheckResult,
    EffectSizeResult,
    ErasureResult,
    SpreadResult,
    SwapResult,
    Verdict,
)
from pytest_benchcheck.notices import own_notices
from pytest_benchcheck.once import ENDS, Once
from pytest_benchcheck.representations import Representations, represent
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


class _NotApplicableError(Exception):
    """The benchmark lacks the part that a check needs."""


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
        Matched pairs per cell of the effect-size audit, or their seeds.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        settings: Settings,
        *,
        bars: Mapping[str, float] | None = None,
        pairs: int | Sequence[int] = 32,
    ) -> None:
        self._benchmark = benchmark
        self._settings = settings
        self._bars = dict(benchmark.bars if bars is None else bars)
        self._pairs = pairs
        self._episodes = Once(self._make_episodes)
        self._representations = Once(self._make_representations)

    def run(self, check: str) -> CheckOutcome:
        """Run one check. Whatever the benchmark raises is a verdict, not an exception.

        Interrupts pass through.
        """
        judge = {
            "effect_size": self._effect_size,
            "spread": self._spread,
            "swap": self._swap,
            "erasure": self._erasure,
        }[check]
        noted: list[str] = []
        try:
            with own_notices(noted):
                result = judge()
        except _NotApplicableError as reason:
            return CheckOutcome(_without_numbers(check, "not_applicable", str(reason)))
        except pytest.skip.Exception as reason:
            return CheckOutcome(_without_numbers(check, "not_applicable", str(reason)))
        except ENDS as error:
            summary = f"{type(error).__name__}: {error}"
            result = _without_numbers(check, "error", summary)
            if check != "effect_size":
                result = replace(result, warnings=self._failed_encoders())
            return CheckOutcome(result, error)
        return CheckOutcome(replace(result, warnings=(*result.warnings, *noted)))

    def _require(self, check: str, *methods: str) -> None:
        if not self._benchmark.has(check):
            missing = " and ".join(f"{name}()" for name in methods)
            raise _NotApplicableError(
                f"{type(self._benchmark).__name__} does not implement {missing}"
            )

    def _effect_size(self) -> CheckResult:
        self._require("effect_size", "cells", "simulate")
        return checks.effect_size_audit(
            self._benchmark.simulate,
            self._benchmark.cells(),
            seeds=self._pairs,
            floor=self._bars.get("effect_size", self._settings.effect_floor),
        )

    def _spread(self) -> CheckResult:
        episodes, made = self._encoded("spread")
        return self._marked(
            checks.spread(
                made.features,
                episodes.target,
                roles={name: made.roles[name] for name in made.features},
                references=episodes.references,
                bar=self._bars.get("spread", self._settings.spread_bar),
                **self._common(episodes),
            ),
        )

    def _swap(self) -> CheckResult:
        if not self._made_episodes("swap").evidence:
            raise _NotApplicableError("the episodes name no evidence clips to exchange")
        episodes, made = self._encoded("swap")
        return self._marked(
            checks.swap(
                made.features,
                episodes.target,
                evidence=episodes.evidence,
                **self._bar("swap", "at_most"),
                **self._common(episodes),
            ),
        )

    def _erasure(self) -> CheckResult:
        if not self._made_episodes("erasure").latents:
            raise _NotApplicableError("the episodes name no latents to erase")
        episodes, made = self._encoded("erasure")
        return self._marked(
            checks.erasure(
                made.features,
                episodes.target,
                latents=episodes.latents,
                **self._bar("erasure", "bar"),
                **self._common(episodes),
            ),
        )

    def _bar(self, check: str, keyword: str) -> dict[str, Any]:
        return {keyword: self._bars[check]} if check in self._bars else {}

    def _common(self, episodes: Episodes) -> dict[str, Any]:
        return {
            "covariates": episodes.covariates,
            "groups": episodes.groups,
            "seed": self._settings.seed,
        }

    def _made_episodes(self, check: str) -> Episodes:
        self._require(check, "episodes")
        return self._episodes()

    def _encoded(self, check: str) -> tuple[Episodes, Representations]:
        episodes = self._made_episodes(check)
        if not episodes.clips:
            raise _NotApplicableError("the episodes hold no clips to encode")
        made = self._representations()
        if not made.features:
            raise next(iter(made.failures.values()))
        return episodes, made

    def _make_episodes(self) -> Episodes:
        n = self._settings.episodes or self._benchmark.default_episodes
        episodes = self._benchmark.episodes(n, self._settings.seed)
        if not isinstance(episodes, Episodes):
            raise ContractError(
                f"{type(self._benchmark).__name__}.episodes() must return Episodes, got "
                f"{type(episodes).__name__}."
            )
        return episodes

    def _make_representations(self) -> Representations:
        return represent(self._benchmark, self._episodes(), self._settings)

    def _failed_encoders(self) -> tuple[str, ...]:
        made = self._representations.made
        failures = made[0].failures if made else {}
        return tuple(
            f"encoder {name!r}: {type(error).__name__}: {error}" for name, error in failures.items()
        )

    def _marked(self, result: CheckResult) -> CheckResult:
        """An audit with a missing row is not an audit: its numbers stay, its verdict is error."""
        failed = self._failed_encoders()
        if not failed:
            return result
        return replace(
            result,
            verdict="error",
            summary=f"{len(failed)} of the encoders failed, so their rows are missing; without "
            f"them this check says {result.verdict}: {result.summary}",
            warnings=(*result.warnings, *failed),
        )


def judge_benchmark(
    benchmark: Benchmark,
    check: str,
    kind: type[_Result],
    *,
    bar: float | None = None,
    seed: int = 0,
    seeds: int | Sequence[int] = 32,
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
