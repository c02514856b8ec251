"""Erasures that have been measured: one property of a result, or a table of costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inputs import checked_bar, is_number, published_scores
from pytest_benchcheck.checks.results import ErasureResult, Verdict

__all__ = ["erasure_from_table", "erasure_of", "is_erasure_table"]

_COSTS = ("cost", "random_control_cost")


def is_erasure_table(x: Mapping[Any, Any]) -> bool:
    """Whether ``x`` is representation -> cost, or -> cost and the random control's cost."""
    return bool(x) and all(
        is_number(value) or (isinstance(value, Mapping) and "cost" in value) for value in x.values()
    )


def erasure_from_table(table: Mapping[str, Any], at_least: float, *, prop: str) -> ErasureResult:
    """Judge measured costs of erasing one property.

    Parameters
    ----------
    table
        Representation -> cost, or ``{"cost": ..., "random_control_cost": ...}``.
    at_least
        Smallest cost, less the control's, that shows use.
    prop
        Name of the property that was erased.

    Raises
    ------
    InputError
        Naming the representation whose cost is not a finite number.
    """
    rows = []
    for name, value in table.items():
        given = {"cost": value} if is_number(value) else dict(value)
        unknown = sorted(set(given) - set(_COSTS))
        if unknown or not all(is_number(cost) for cost in given.values()):
            raise InputError(f"erasure of {name!r}: expected numbers {_COSTS}, got {value!r}.")
        costs = published_scores({f"{name}, {key}": cost for key, cost in given.items()})
        cost = costs[f"{name}, cost"]
        control = costs.get(f"{name}, random_control_cost")
        rows.append(
            {
                "representation": name,
                "property": prop,
                "probe_r2": None,
                "probe_r2_after": None,
                "cost": cost,
                "random_control_cost": control,
                "excess_cost": cost - (control or 0.0),
                "interval": None,
            }
        )
    findings = ["published costs allow a point comparison only: their noise cannot be judged."]
    if any(row["random_control_cost"] is None for row in rows):
        findings.append(
            "no control: whether erasing as many random directions would cost as much cannot be "
            "judged."
        )
    blank = ErasureResult(verdict="pass", findings=tuple(findings), metric="score")
    return _judged(blank, rows, checked_bar(at_least))


def erasure_of(result: ErasureResult, at_least: float, *, prop: str) -> ErasureResult:
    """Judge one property of a measured erasure against a bar.

    Raises
    ------
    InputError
        If the result does not hold the property.
    """
    at_least = checked_bar(at_least)
    if result.verdict in ("error", "not_applicable") or not result.rows:
        return result
    rows = [row for row in result.rows if row["property"] == prop]
    if not rows:
        known = sorted({str(row["property"]) for row in result.rows})
        raise InputError(f"property {prop!r} was not erased; the result holds {known}.")
    return _judged(result, rows, at_least)


def _judged(
    result: ErasureResult, rows: Sequence[Mapping[str, Any]], at_least: float
) -> ErasureResult:
    top = max(rows, key=lambda row: row["excess_cost"])
    point = result.episodes is None
    verdict = _verdict(
        [(row["excess_cost"],) * 2 if point else row["interval"] for row in rows], at_least
    )
    control = top["random_control_cost"]
    aside = "" if control is None else f" (random directions {control:.3f})"
    what = f"erasing {top['property']} from {top['representation']} costs {top['cost']:.3f}{aside}"
    relation = {
        "pass": f"more than {at_least:g}, so it is used",
        "fail": f"no representation loses more than {at_least:g}: nothing shows that it is used",
    }.get(verdict, f"these data cannot tell whether that exceeds {at_least:g}")
    return replace(
        result,
        verdict=verdict,
        summary=f"{what}: {relation}.",
        estimate=top["excess_cost"],
        interval=top["interval"],
        bar=at_least,
        episodes_needed=None,
        rows=tuple(rows),
    )


def _verdict(intervals: Sequence[Any], at_least: float) -> Verdict:
    if any(interval is not None and interval[0] > at_least for interval in intervals):
        return "pass"
    if any(interval is None for interval in intervals):
        return "undecided"
    return "fail" if all(interval[1] <= at_least for interval in intervals) else "undecided"
