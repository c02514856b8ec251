"""One look at a benchmark: its checks on one number of episodes, which are made once and shared."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pytest_benchcheck import checks
from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.checks.episodes import Episodes
from pytest_benchcheck.checks.errors import ContractError
from pytest_benchcheck.checks.results import CheckResult
from pytest_benchcheck.once import Once
from pytest_benchcheck.representations import Representations, represent
from pytest_benchcheck.settings import Settings

__all__ = ["Look", "NotApplicableError"]

_T = TypeVar("_T")


class NotApplicableError(Exception):
    """The benchmark lacks the part that a check needs."""


class Look:
    """A benchmark with one number of episodes.

    Parameters
    ----------
    benchmark
        What is audited.
    settings
        Encoders, bars, seed and the feature cache's directory.
    bars
        Bar per check; where missing, those of ``settings``, else the check's default.
    episodes
        Number of episodes.
    confidence
        Confidence level of every interval.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        settings: Settings,
        bars: Mapping[str, float],
        *,
        episodes: int,
        confidence: float = 0.95,
    ) -> None:
        self._benchmark = benchmark
        self._settings = settings
        self._bars = bars
        self._n = episodes
        self._confidence = confidence
        self._seconds = 0.0
        self._episodes = Once(lambda: self._timed(self._make_episodes))
        self._representations = Once(lambda: self._timed(self._make_representations))

    @property
    def seconds_each(self) -> float:
        """Seconds that one episode has taken so far: making, encoding, reading out."""
        return self._seconds / self._n

    def judge(self, check: str) -> CheckResult:
        """Run spread, swap or erasure.

        Raises
        ------
        NotApplicableError
            If the benchmark lacks what the check needs.
        """
        judges = {"spread": self._spread, "swap": self._swap, "erasure": self._erasure}
        return judges[check]()

    def failed_encoders(self) -> tuple[str, ...]:
        """Encoders that could not be loaded or failed, with what they raised."""
        made = self._representations.made
        failures = made[0].failures if made else {}
        return tuple(
            f"encoder {name!r}: {type(error).__name__}: {error}" for name, error in failures.items()
        )

    def _timed(self, work: Callable[[], _T]) -> _T:
        start = time.monotonic()
        try:
            return work()
        finally:
            self._seconds += time.monotonic() - start

    def _spread(self) -> CheckResult:
        episodes, made = self._encoded()
        return self._marked(
            lambda: checks.spread(
                made.features,
                episodes.target,
                roles={name: made.roles[name] for name in made.features},
                references=episodes.references,
                bar=self._bars.get("spread", self._settings.spread_bar),
                **self._common(episodes),
            ),
        )

    def _swap(self) -> CheckResult:
        if not self._episodes().evidence:
            raise NotApplicableError("the episodes name no evidence clips to exchange")
        episodes, made = self._encoded()
        return self._marked(
            lambda: checks.swap(
                made.features,
                episodes.target,
                evidence=episodes.evidence,
                at_most=self._bars.get("swap", self._settings.swap_bar),
                **self._common(episodes),
            ),
        )

    def _erasure(self) -> CheckResult:
        if not self._episodes().latents:
            raise NotApplicableError("the episodes name no latents to erase")
        episodes, made = self._encoded()
        return self._marked(
            lambda: checks.erasure(
                made.features,
                episodes.target,
                latents=episodes.latents,
                bar=self._bars.get("erasure", self._settings.erasure_bar),
                **self._common(episodes),
            ),
        )

    def _common(self, episodes: Episodes) -> dict[str, Any]:
        return {
            "covariates": episodes.covariates,
            "groups": episodes.groups,
            "seed": self._settings.seed,
            "confidence": self._confidence,
        }

    def _encoded(self) -> tuple[Episodes, Representations]:
        episodes = self._episodes()
        if not episodes.clips:
            raise NotApplicableError("the episodes hold no clips to encode")
        made = self._representations()
        if not made.features:
            raise next(iter(made.failures.values()))
        return episodes, made

    def _make_episodes(self) -> Episodes:
        return make_episodes(self._benchmark, self._n, self._settings.seed)

    def _make_representations(self) -> Representations:
        return represent(self._benchmark, self._episodes(), self._settings)

    def _marked(self, judge: Callable[[], CheckResult]) -> CheckResult:
        """An audit with a missing row is not an audit: its numbers stay, its verdict is error."""
        result = self._timed(judge)
        failed = self.failed_encoders()
        if not failed:
            return result
        return replace(
            result,
            verdict="error",
            summary=f"{len(failed)} of the encoders failed, so their rows are missing; without "
            f"them this check says {result.verdict}: {result.summary}",
            warnings=(*result.warnings, *failed),
        )


def make_episodes(benchmark: Benchmark, n: int, seed: int) -> Episodes:
    """The benchmark's episodes.

    Raises
    ------
    ContractError
        If it returns anything else.
    """
    episodes = benchmark.episodes(n, seed)
    if not isinstance(episodes, Episodes):
        raise ContractError(
            f"{type(benchmark).__name__}.episodes() must return Episodes, got "
            f"{type(episodes).__name__}."
        )
    return episodes
