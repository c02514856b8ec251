"""What a spread says in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_benchcheck.checks.readout import Problem
from pytest_benchcheck.checks.results import Interval, SpreadResult, Verdict
from pytest_benchcheck.checks.spread_entries import Entry, sides

__all__ = ["comparison_findings", "spread_summary", "with_copies", "with_oracles"]

_ROUNDING = 1e-6


def spread_summary(
    k: int, verdict: Verdict, estimate: float, interval: Interval | None, bar: float
) -> str:
    """One sentence: how far ``k`` representations lie apart, and what that means at ``bar``."""
    shown = "" if interval is None else f" [{interval[0]:.3f}, {interval[1]:.3f}]"
    if verdict == "pass":
        return (
            f"{k} representations differ by up to {estimate:.3f}{shown}: more than {bar:g}, "
            f"so this benchmark can tell them apart."
        )
    measured = f"{k} representations lie within {estimate:.3f}{shown} of each other"
    if verdict == "fail":
        return f"{measured}: no more than {bar:g}, so this benchmark cannot rank them."
    return f"{measured}: these data cannot tell whether that exceeds {bar:g}."


def comparison_findings(entries: Sequence[Entry], bounds: Interval | None) -> list[str]:
    """Whether the best candidate beats the trivial representations; nothing where it does."""
    candidates, trivial = sides(entries)
    if not candidates or not trivial:
        return []
    best = max(candidates, key=lambda entry: entry.score)
    baseline = max(trivial, key=lambda entry: entry.score)
    compared = f"{best.name} ({best.score:.3f}) against {baseline.name} ({baseline.score:.3f})"
    if best.score <= baseline.score:
        return [f"no candidate beats the trivial baselines: {compared}."]
    if bounds is not None and bounds[0] <= 0:
        return [f"no candidate is shown to beat the trivial baselines: {compared}."]
    return []


def with_copies(
    result: SpreadResult, copies: Sequence[tuple[int, int]], problem: Problem
) -> SpreadResult:
    """A benchmark with copied rows fails: test rows stand in the training set."""
    if not copies:
        return result
    shown = ", ".join(f"{first} = {second}" for first, second in copies[:5])
    finding = (
        f"{len(copies)} rows are copies of rows in other groups (rows {shown}"
        f"{', ...' if len(copies) > 5 else ''}): test rows stand in the training set. "
        f"Remove them, or give copies one group label."
    )
    result = replace(result, findings=(finding, *result.findings))
    if problem.classes is not None:
        # Few distinct features and labels agree by chance; that alone is no leak.
        return result
    return replace(result, verdict="fail", summary=finding)


def with_oracles(result: SpreadResult, oracles: Mapping[str, float]) -> SpreadResult:
    """A benchmark whose metric does not give the ground truth full marks fails."""
    broken = {name: score for name, score in oracles.items() if score < 1.0 - _ROUNDING}
    if not broken:
        return result
    shown = ", ".join(f"{name} scores {score:.3f}" for name, score in broken.items())
    finding = (
        f"the metric is broken: the ground truth replayed as predictions ({shown}) does not reach "
        f"1. Whatever it says of the representations is in doubt."
    )
    return replace(result, verdict="fail", summary=finding, findings=(finding, *result.findings))
