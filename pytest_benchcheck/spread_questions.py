"""Questions to a spread that has been measured: another bar, or best against trivial."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inputs import checked_bar
from pytest_benchcheck.checks.range_bounds import verdict_against
from pytest_benchcheck.checks.results import SpreadResult, Verdict

__all__ = ["BeatsTrivialResult", "beats_trivial", "spread_against"]


@dataclass(frozen=True, kw_only=True)
class BeatsTrivialResult(SpreadResult):
    """A spread judged by ``best_minus_trivial``, which is its ``estimate``; the bar is 0."""

    check: ClassVar[str] = "beats_trivial"


def spread_against(result: SpreadResult, bar: float) -> SpreadResult:
    """Judge a measured spread against another bar.

    A result that failed for another reason than its bar (copied rows, a broken encoder) stays as
    it is.
    """
    bar = checked_bar(bar)
    if bar == result.bar or result.estimate is None or result.bar is None:
        return result
    if result.verdict != _verdict(result, result.bar):
        return result
    verdict = _verdict(result, bar)
    relation = {
        "pass": f"more than {bar:g}, so this benchmark can tell them apart",
        "fail": f"no more than {bar:g}, so this benchmark cannot rank them",
    }.get(verdict, f"these data cannot tell whether that exceeds {bar:g}")
    shown = "" if result.interval is None else " [{:.3f}, {:.3f}]".format(*result.interval)
    summary = (
        f"{len(result.rows)} representations lie within {result.estimate:.3f}{shown} of each "
        f"other: {relation}."
    )
    return replace(result, verdict=verdict, bar=bar, summary=summary, episodes_needed=None)


def _verdict(result: SpreadResult, bar: float) -> Verdict:
    if _is_published(result):
        return "pass" if (result.estimate or 0.0) > bar else "fail"
    return verdict_against(result.interval, bar)


def _is_published(result: SpreadResult) -> bool:
    return result.episodes is None and result.interval is None


def beats_trivial(result: SpreadResult) -> BeatsTrivialResult:
    """Judge whether the best candidate of a measured spread beats the best trivial one.

    Raises
    ------
    InputError
        If the spread holds no candidate or no trivial representation.
    """
    fields = {name: getattr(result, name) for name in SpreadResult.__dataclass_fields__}
    fields.pop("check", None)
    judged = BeatsTrivialResult(**fields)
    if result.verdict in ("error", "not_applicable"):
        return judged
    best, interval = result.best_minus_trivial, result.best_minus_trivial_interval
    if best is None:
        held = [f"{row['representation']} ({row['role']})" for row in result.rows]
        raise InputError(
            f"comparing candidates with trivial representations needs both, got {held}. Say "
            f"which is which with roles={{name: 'trivial' or 'candidate'}}."
        )
    verdict: Verdict = "undecided"
    if best <= 0:
        verdict = "fail"
    elif _is_published(result) or (interval is not None and interval[0] > 0):
        verdict = "pass"
    shown = "" if interval is None else " [{:.3f}, {:.3f}]".format(*interval)
    measured = f"the best candidate minus the best trivial representation is {best:.3f}{shown}"
    relation = {
        "pass": "it beats them",
        "fail": "no candidate beats the trivial baselines",
        "undecided": "these data cannot tell whether it beats them",
    }[verdict]
    return replace(
        judged,
        verdict=verdict,
        summary=f"{measured}: {relation}.",
        estimate=best,
        interval=interval,
        bar=0.0,
        minimum_detectable=None,
        episodes_needed=None,
    )
