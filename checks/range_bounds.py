"""Bounds of a range and of best minus trivial, from simultaneous bounds of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from pytest_benchcheck.checks.inference import MIN_GROUPS, Differences
from pytest_benchcheck.checks.results import Interval, Verdict

__all__ = ["RangeBounds", "best_minus_trivial_bounds", "range_bounds", "verdict_against"]


@dataclass(frozen=True)
class RangeBounds:
    """Interval of the range, and the largest half-width among its pairs.

    ``half_width`` is ``quantile`` times the largest standard error of a pair.
    """

    interval: Interval
    half_width: float
    quantile: float


def range_bounds(sums: Differences, names: Sequence[str], confidence: float) -> RangeBounds | None:
    """Bound ``max - min`` over ``names`` by its pairs, simultaneously (Tukey).

    The lower bound is the largest lower bound of a pair, the upper bound likewise. A percentile
    interval of ``max - min`` itself would exclude zero for any data.

    Returns
    -------
    None with fewer than ``MIN_GROUPS`` groups.
    """
    if sums.groups < MIN_GROUPS:
        return None
    quantile = sums.range_quantile(confidence, len(names))
    lower = upper = half_width = 0.0
    for first, second in combinations(names, 2):
        contrast = sums.difference(first, second)
        half = quantile * contrast.standard_error
        lower = max(lower, abs(contrast.estimate) - half)
        upper = max(upper, abs(contrast.estimate) + half)
        half_width = max(half_width, half)
    return RangeBounds((lower, upper), half_width, quantile)


def best_minus_trivial_bounds(
    sums: Differences, candidates: Sequence[str], trivial: Sequence[str], confidence: float
) -> Interval | None:
    """Bound the best candidate's score minus the best trivial one's.

    Lower bound: the best candidate has to beat every trivial representation, so the smallest over
    these of Dunnett's one-sided bound, which corrects for choosing the best candidate. Upper
    bound: from the simultaneous bounds of all pairs (Tukey), since it chooses among the trivial
    ones too.

    Returns
    -------
    None with fewer than ``MIN_GROUPS`` groups.
    """
    if sums.groups < MIN_GROUPS:
        return None
    dunnett = sums.best_quantile(confidence, len(candidates))
    tukey = sums.range_quantile(confidence, len(candidates) + len(trivial))
    lower, upper = [], []
    for baseline in trivial:
        contrasts = [sums.difference(candidate, baseline) for candidate in candidates]
        lower.append(max(c.bounds(dunnett)[0] for c in contrasts))
        upper.append(max(c.bounds(tukey)[1] for c in contrasts))
    return (min(lower), min(upper))


def verdict_against(interval: Interval | None, bar: float) -> Verdict:
    """PASS if the whole interval lies above the bar, FAIL if below it, else UNDECIDED."""
    if interval is None:
        return "undecided"
    if interval[0] > bar:
        return "pass"
    return "fail" if interval[1] < bar else "undecided"
