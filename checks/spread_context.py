"""What a spread means: how it changes with training rows, and its share of the headroom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from pytest_benchcheck.checks.results import SpreadResult

__all__ = ["trend", "with_context"]

# An extrapolation over more rows than this says nothing.
_TOO_FAR = 1e6


def with_context(
    result: SpreadResult,
    curve: Sequence[tuple[int, Mapping[str, float]]],
    spreads: Sequence[float],
) -> SpreadResult:
    """Add the spread by training rows and the share of the headroom to a result.

    Parameters
    ----------
    result
        With its references.
    curve, spreads
        Training rows and the representations' scores there, and the range of these, by size.
    """
    by_rows = tuple(
        {"training_rows": rows, "spread": spread, "scores": dict(scores)}
        for (rows, scores), spread in zip(curve, spreads, strict=True)
    )
    sizes = [rows for rows, _ in curve]
    falling = trend(list(zip(sizes, spreads, strict=True)), result.bar or 0.0)
    return replace(
        result,
        by_training_rows=by_rows,
        headroom_share=_headroom_share(result),
        findings=(*result.findings, *([falling] if falling else [])),
    )


def _headroom_share(result: SpreadResult) -> float | None:
    floors = [row[result.metric] for row in result.references if row["kind"] == "floor"]
    ceilings = [row[result.metric] for row in result.references if row["kind"] == "ceiling"]
    if not floors or not ceilings or result.estimate is None or max(ceilings) <= max(floors):
        return None
    return float(result.estimate / (max(ceilings) - max(floors)))


def trend(spreads: Sequence[tuple[int, float]], bar: float) -> str | None:
    """What a spread that falls towards the bar means; None where it does not.

    Parameters
    ----------
    spreads
        (training rows, spread), increasing in rows.
    bar
        The bar that the last one exceeds.
    """
    values = [value for _, value in spreads]
    falling = all(later < earlier for earlier, later in pairwise(values))
    if len(values) < 3 or not falling or values[-1] <= bar or values[-1] > 0.8 * values[0]:
        return None
    shown = ", ".join(f"{value:.3f}" for value in values)
    sizes = ", ".join(f"{n:,}" for n, _ in spreads)
    finding = (
        f"the spread falls as training rows are added ({shown} at {sizes} rows): part of it ranks "
        f"sample efficiency, not what the representations hold"
    )
    reached = _reaches(spreads, bar)
    if reached < _TOO_FAR:
        finding += f"; at this rate it reaches the bar at about {reached:,.0f} rows"
    return f"{finding}."


def _reaches(spreads: Sequence[tuple[int, float]], bar: float) -> float:
    """Training rows at which a power law through the spreads meets the bar."""
    if bar <= 0:
        return np.inf
    rows, values = np.log(np.array(spreads, dtype=float)).T
    slope = float(np.polyfit(rows, values, 1)[0])
    return float(np.exp(rows[-1] + (np.log(bar) - values[-1]) / slope))
