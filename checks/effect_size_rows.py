"""One row of the effect-size table: statistics of a cell and the decision whether it moves."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from pytest_benchcheck.checks.results import Interval
from pytest_benchcheck.checks.sample_size import episodes_to_decide
from pytest_benchcheck.checks.shapes import Float

__all__ = ["CellRow", "Component", "holm", "judge_cells"]


@dataclass
class Component:
    """Matched pairs of one component of the outcome, in outcome units."""

    name: str
    delta: Float[np.ndarray, " seeds"]
    replay: Float[np.ndarray, " seeds"]
    scale: float
    outcomes: Float[np.ndarray, " seeds"]
    jitter: Float[np.ndarray, " seeds"] | None = None

    @property
    def mean_abs_delta(self) -> float:
        """Mean abs(delta) over the seeds."""
        return float(np.mean(self.delta))

    @property
    def noise(self) -> float:
        """Mean abs difference of two unperturbed runs, or of a jittered start if that is larger."""
        jitter = 0.0 if self.jitter is None else float(np.mean(self.jitter))
        return max(float(np.mean(self.replay)), jitter)

    @property
    def repeats(self) -> bool:
        """Whether every replay was identical: then nothing is left to chance."""
        return not np.any(self.replay)

    @property
    def share_of_scale(self) -> float | None:
        """Mean abs(delta) as a share of the outcome scale; None where that is 0."""
        return self.mean_abs_delta / self.scale if self.scale > 0 else None

    def to_dict(self) -> dict[str, Any]:
        """Means in outcome units, and the share of the scale in percent."""
        share = self.share_of_scale
        return {
            "outcome": self.name,
            "mean_abs_delta": self.mean_abs_delta,
            "max_abs_delta": float(np.max(self.delta)),
            "percent_of_scale": None if share is None else 100 * share,
            "noise_floor": self.noise,
        }

    def p_value(self) -> float:
        """One-sided paired t: abs(delta) exceeds the replay's own abs difference."""
        excess = self.delta - self.replay
        if excess.size < 2 or np.ptp(excess) == 0:
            return 0.0 if excess.size > 1 and excess[0] > 0 else 1.0
        t = np.mean(excess) / stats.sem(excess)
        return float(stats.t.sf(t, excess.size - 1))

    def pairs_needed(self, alpha: float) -> int | None:
        """Matched pairs that tell this effect from the noise at ``alpha``, with power 80 %."""
        excess = self.delta - self.replay
        if excess.size < 2 or np.ptp(excess) == 0:
            return None
        quantile = float(stats.t.isf(alpha, excess.size - 1))
        half = quantile * float(stats.sem(excess))
        return episodes_to_decide(excess.size, float(np.mean(excess)), half, quantile)


@dataclass
class CellRow:
    """A cell's row; ``judge_cells`` fills in ``inert``, ``moves`` and ``reason``."""

    task: str
    property: str
    unit: str = ""
    components: list[Component] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    error: str | None = None
    inert: bool = False
    moves: bool = False
    reason: str | None = None
    threshold: float = 0.0
    interval: Interval | None = None
    pairs_needed: int | None = None

    def add_component(
        self,
        name: str,
        *,
        delta: Float[np.ndarray, " seeds"],
        replay: Float[np.ndarray, " seeds"],
        scale: float,
        outcomes: Float[np.ndarray, " seeds"],
        jitter: Float[np.ndarray, " seeds"] | None = None,
    ) -> None:
        """Add the matched pairs of one component of the outcome."""
        self.components.append(Component(name, delta, replay, scale, outcomes, jitter))

    @builtins.property
    def largest(self) -> Component:
        """The component that moves most, relative to its scale."""
        return max(
            self.components,
            key=lambda c: c.share_of_scale if c.share_of_scale is not None else c.mean_abs_delta,
        )

    @builtins.property
    def mean_abs_delta(self) -> float:
        """Mean abs(delta) of that component, in outcome units."""
        return self.largest.mean_abs_delta

    def to_dict(self) -> dict[str, Any]:
        """The row as the report shows it; numbers are None where the cell broke."""
        row: dict[str, Any] = {"task": self.task, "property": self.property}
        names = (
            "mean_abs_delta",
            "max_abs_delta",
            "percent_of_scale",
            "noise_floor",
            "share_moved",
        )
        row |= dict.fromkeys((*names, "interval"))
        if self.error is None:
            largest = self.largest
            share = largest.share_of_scale
            row |= {
                "outcome": largest.name,
                "mean_abs_delta": largest.mean_abs_delta,
                "max_abs_delta": float(np.max(largest.delta)),
                "percent_of_scale": None if share is None else 100 * share,
                "noise_floor": largest.noise,
                "share_moved": float(np.mean(largest.delta > self.threshold)),
                "interval": self.interval,
            }
            if len(self.components) > 1:
                row["components"] = [component.to_dict() for component in self.components]
        return row | {
            "inert": self.inert,
            "pairs_needed": self.pairs_needed,
            "reason": self.reason,
            "warnings": list(self.warnings),
            "remarks": list(self.remarks),
            "error": self.error,
        }


def judge_cells(rows: Sequence[CellRow], *, floor: float, confidence: float) -> None:
    """Decide for every unbroken row whether it is inert, moves, or cannot be told from noise."""
    noisy = [
        (row, component)
        for row in rows
        if row.error is None
        for component in row.components
        if not component.repeats
    ]
    rejected = holm([component.p_value() for _, component in noisy], 1 - confidence)
    exceeds_noise = {
        id(component): decision for (_, component), decision in zip(noisy, rejected, strict=True)
    }
    # Holm's first step, the strictest: the power told is that of the cell that is hardest to tell.
    alpha = (1 - confidence) / max(len(noisy), 1)
    for row in rows:
        if row.error is None:
            _judge(row, floor, confidence, exceeds_noise, alpha)


def _judge(
    row: CellRow, floor: float, confidence: float, exceeds_noise: dict[int, bool], alpha: float
) -> None:
    above = [c for c in row.components if c.mean_abs_delta > max(floor, c.noise)]
    row.moves = any(c.repeats or exceeds_noise[id(c)] for c in above)
    row.inert = not above
    largest = row.largest
    row.threshold = max(floor, largest.noise)
    row.interval = _interval(largest.delta, confidence)
    if row.inert and not np.any(largest.delta):
        row.reason = "the outcome is identical to the unperturbed twin's with every seed"
    elif row.inert and largest.noise > floor:
        row.reason = (
            f"mean abs(delta) {largest.mean_abs_delta:.3g} is within the simulator's own noise "
            f"{largest.noise:.3g}"
        )
    elif row.inert:
        row.reason = f"mean abs(delta) {largest.mean_abs_delta:.3g} is at most the floor {floor:g}"
    elif not row.moves:
        row.reason = "not distinguishable from the simulator's own noise with these seeds"
        known = [pairs for c in above if (pairs := c.pairs_needed(alpha)) is not None]
        row.pairs_needed = min(known, default=None)
        if row.pairs_needed is not None:
            row.reason += f"; about {row.pairs_needed:,} matched pairs would tell"
    if row.inert and row.remarks:
        row.reason = f"{'; '.join(row.remarks)} ({row.reason})"
    if row.inert and row.warnings:
        row.reason = f"{row.reason}; the simulator warned: {row.warnings[0]}"


def _interval(delta: Float[np.ndarray, " seeds"], confidence: float) -> Interval | None:
    """Student's t interval of the mean abs(delta) over seeds, cut at 0; None where none differ."""
    if delta.size < 2 or np.ptp(delta) == 0:
        return None
    mean, sem = float(np.mean(delta)), float(stats.sem(delta))
    half = float(stats.t.ppf((1 + confidence) / 2, delta.size - 1)) * sem
    return (max(mean - half, 0.0), mean + half)


def holm(p_values: Sequence[float], alpha: float) -> list[bool]:
    """Which hypotheses Holm's step-down procedure rejects at family-wise level ``alpha``."""
    order = np.argsort(p_values)
    rejected = [False] * len(p_values)
    for step, index in enumerate(order):
        if p_values[index] > alpha / (len(p_values) - step):
            break
        rejected[index] = True
    return rejected
