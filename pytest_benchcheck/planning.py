"""What each check of a benchmark could resolve, and how long it would take, without an encoder."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.checks import effect_size_audit
from pytest_benchcheck.checks.episodes import Episodes
from pytest_benchcheck.checks.resolution import Resolution, resolution
from pytest_benchcheck.checks.sample_size import episodes_to_decide
from pytest_benchcheck.looks import make_episodes
from pytest_benchcheck.once import Once
from pytest_benchcheck.settings import Settings

__all__ = ["Planner"]

_PROBE = 200
_PROBE_PAIRS = 4
_RENDERED = 4
_CONFIDENCE = 0.95


@dataclass(frozen=True)
class _Probe:
    episodes: Episodes
    seconds_each: float
    render_seconds_each: float
    found: Resolution | None


class Planner:
    """Plans the checks of one benchmark from a short probe of its simulator.

    Parameters
    ----------
    benchmark
        What is planned.
    settings
        Number of episodes, encoders and bars.
    """

    def __init__(self, benchmark: Benchmark, settings: Settings) -> None:
        self._benchmark = benchmark
        self._settings = settings
        self._n = settings.episodes or benchmark.default_episodes
        self._probe = Once(self._take_probe)

    def plan(self, check: str) -> dict[str, Any]:
        """Plan one check.

        Returns
        -------
        ``check``, ``seconds`` (None where it does not apply) and ``lines``: what it could resolve,
        in plain words.
        """
        if not self._benchmark.has(check):
            return _entry(check, None, ["not applicable: the benchmark lacks its part"])
        if check == "effect_size":
            return self._effect_size()
        plans: dict[str, Callable[[Episodes, Resolution], list[str]]] = {
            "spread": self._spread,
            "swap": self._swap,
            "erasure": self._erasure,
        }
        probe = self._probe()
        missing = _missing(check, probe.episodes)
        if missing:
            return _entry(check, None, [f"not applicable: {missing}"])
        seconds = self._n * (probe.seconds_each + probe.render_seconds_each)
        if probe.found is None:
            groups = np.unique(np.asarray(probe.episodes.groups)).size
            return _entry(
                check,
                seconds,
                [
                    f"a probe of {len(probe.episodes)} episodes holds {groups} independent groups; "
                    f"verdicts need 10. More episodes help only if they bring new groups."
                ],
            )
        return _entry(check, seconds, plans[check](probe.episodes, probe.found))

    @property
    def _representations(self) -> int:
        return max(len(self._settings.encoders or self._benchmark.encoders), 2)

    def _take_probe(self) -> _Probe:
        n = min(self._n, _PROBE)
        start = time.perf_counter()
        episodes = make_episodes(self._benchmark, n, self._settings.seed)
        seconds = (time.perf_counter() - start) / n
        rendered = min(_RENDERED, n)
        for clip in episodes.clips.values():
            np.asarray(clip[0:1])  # the first frame compiles the scene
        start = time.perf_counter()
        for clip in episodes.clips.values():
            np.asarray(clip[0:rendered])
        render = (time.perf_counter() - start) / rendered
        found = resolution(
            episodes.target,
            covariates=episodes.covariates,
            groups=episodes.groups,
            references=episodes.references,
            episodes=self._n,
            seed=self._settings.seed,
        )
        return _Probe(episodes, seconds, render, found)

    def _spread(self, _: Episodes, found: Resolution) -> list[str]:
        bar = self._benchmark.bars.get("spread", self._settings.spread_bar)
        k = self._representations
        lines = []
        for name, score in found.scores.items():
            half = found.half_width(name, representations=k, confidence=_CONFIDENCE)
            needed = episodes_to_decide(self._n, bar, half, half / found.standard_errors[name])
            enough = f"about {needed:,} are needed" if needed else "no number is enough"
            if needed and needed <= self._n:
                enough = "that is enough"
            lines.append(
                f"{k} representations as good as {name} ({found.metric} {score:.2f}): with "
                f"{self._n:,} episodes a range is known to within {half:.3f}; to tell none from "
                f"the bar of {bar:g}, {enough}"
            )
        return lines

    def _swap(self, _: Episodes, found: Resolution) -> list[str]:
        share = self._benchmark.bars.get("swap", self._settings.swap_bar)
        best, worst = self._half_widths(found, self._representations)
        lines = [f"what is left of a gain is known to within {best:.3f} to {worst:.3f}"]
        if share > 0:
            headroom = max(found.scores.values()) - min(found.scores.values())
            lines.append(
                f"that no more than {100 * share:g} % is left can be shown for gains above "
                f"{best / share:.2f} to {worst / share:.2f}; the references leave room for a gain "
                f"of {headroom:.2f}"
            )
        return lines

    def _erasure(self, episodes: Episodes, found: Resolution) -> list[str]:
        bar = self._benchmark.bars.get("erasure", self._settings.erasure_bar)
        best, worst = self._half_widths(found, self._representations * len(episodes.latents))
        return [f"a cost {best:.3f} to {worst:.3f} from the bar of {bar:g} is decided"]

    def _half_widths(self, found: Resolution, comparisons: int) -> tuple[float, float]:
        """For representations as good as the best reference, and as the worst."""
        widths = [
            found.half_width_of_one(name, comparisons=comparisons, confidence=_CONFIDENCE)
            for name in found.scores
        ]
        return min(widths), max(widths)

    def _effect_size(self) -> dict[str, Any]:
        cells, pairs = self._benchmark.cells(), self._benchmark.matched_pairs
        floor = self._benchmark.bars.get("effect_size", self._settings.effect_floor)
        start = time.perf_counter()
        probe = effect_size_audit(self._benchmark.simulate, cells, seeds=_PROBE_PAIRS, floor=floor)
        seconds = (time.perf_counter() - start) / _PROBE_PAIRS * pairs
        noise = [row["noise_floor"] for row in probe.rows if row["noise_floor"] is not None]
        broken = [row for row in probe.rows if row["error"] is not None]
        number = f"{len(cells)} cells" if len(cells) != 1 else "1 cell"
        lines = [f"{number}, {pairs} matched pairs each"]
        if noise and max(noise) == 0:
            lines.append(
                f"replays are bit-identical in {_PROBE_PAIRS} of {_PROBE_PAIRS} probes: every "
                f"mean effect above {floor:g} is seen"
            )
        elif noise:
            lines.append(
                f"replays differ by {max(noise):.3g} on average: an effect has to exceed that, "
                f"and be told from it over {pairs} pairs"
            )
        lines += [f"breaks: {row['task']} x {row['property']}: {row['error']}" for row in broken]
        return _entry("effect_size", seconds, lines)


def _entry(check: str, seconds: float | None, lines: list[str]) -> dict[str, Any]:
    return {"check": check, "seconds": seconds, "lines": lines}


def _missing(check: str, episodes: Episodes) -> str:
    if not episodes.clips:
        return "the episodes hold no clips to encode"
    if check == "swap" and not episodes.evidence:
        return "the episodes name no evidence clips to exchange"
    if check == "erasure" and not episodes.latents:
        return "the episodes name no latents to erase"
    return ""
