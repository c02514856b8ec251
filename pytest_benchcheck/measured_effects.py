"""Effect sizes that have been measured: from a table, against another floor, with exceptions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.results import EffectSizeResult, Verdict

__all__ = ["allow_inert", "effects_against", "effects_from_table"]


def effects_from_table(table: Mapping[Any, Any], floor: float) -> EffectSizeResult:
    """Judge measured abs(delta outcome) values.

    Parameters
    ----------
    table
        ``(task, property)`` -> mean abs(delta), or ``(n,)`` differences of matched pairs.
    floor
        Smallest mean abs(delta) that counts, in outcome units.

    Raises
    ------
    InputError
        Naming the cell whose key or value is not of this form.
    """
    if not table:
        raise InputError("no cells to judge: the mapping of effects is empty.")
    rows = [_row(key, value, floor) for key, value in table.items()]
    note = (
        "measured values come without the unperturbed twin's own noise: whether an effect exceeds "
        "it could not be judged."
    )
    return _judged(EffectSizeResult(verdict="pass", bar=floor, findings=(note,)), rows)


def effects_against(result: EffectSizeResult, floor: float) -> EffectSizeResult:
    """Judge measured cells against another floor; the noise of each cell still counts."""
    if result.verdict == "not_applicable" or floor == result.bar or not result.rows:
        return result
    rows = []
    for row in result.rows:
        mean = row.get("mean_abs_delta")
        if row.get("error") or mean is None:
            rows.append(dict(row))
            continue
        inert = mean <= max(floor, row.get("noise_floor") or 0.0)
        reason = row.get("reason")
        if inert and not row.get("inert"):
            reason = f"mean abs(delta) {mean:.3g} is at most the floor {floor:g}"
        elif row.get("inert") and not inert:
            reason = None
        rows.append({**row, "inert": inert, "reason": reason})
    return _judged(replace(result, bar=floor), rows)


def allow_inert(result: EffectSizeResult, allow: Iterable[tuple[str, str]]) -> EffectSizeResult:
    """Leave known inert cells out of the verdict.

    Raises
    ------
    InputError
        If a pair is not among the cells.
    """
    pairs = [tuple(pair) for pair in allow]
    if not pairs or not result.rows:
        return result
    known = [(row["task"], row["property"]) for row in result.rows]
    unknown = [pair for pair in pairs if pair not in known]
    if unknown:
        raise InputError(f"allow names {unknown}, which are not among the cells {known}.")
    if set(known) <= set(pairs):
        raise InputError(f"allow names all of the cells {known}: nothing is left to judge.")
    rows = [{**row, "allowed": (row["task"], row["property"]) in pairs} for row in result.rows]
    return _judged(result, rows)


def _row(key: Any, value: Any, floor: float) -> dict[str, Any]:
    if not (isinstance(key, tuple) and len(key) == 2 and all(isinstance(k, str) for k in key)):
        raise InputError(f"effects are named by (task, property) pairs of strings, got {key!r}.")
    try:
        deltas = np.abs(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"effect {key}: expected numbers, got {value!r}.") from None
    if deltas.ndim > 1 or deltas.size == 0:
        raise InputError(f"effect {key}: expected one number or (n,), got shape {deltas.shape}.")
    mean = float(deltas.mean())
    if not math.isfinite(mean):
        raise InputError(f"effect {key}: {value!r} is not finite.")
    inert = mean <= floor
    return {
        "task": key[0],
        "property": key[1],
        "mean_abs_delta": mean,
        "percent_of_scale": None,
        "noise_floor": None,
        "inert": inert,
        "reason": f"mean abs(delta) {mean:.3g} is at most the floor {floor:g}" if inert else None,
        "warnings": [],
        "error": None,
    }


def _judged(result: EffectSizeResult, rows: Sequence[Mapping[str, Any]]) -> EffectSizeResult:
    counted = [row for row in rows if not row.get("allowed")]
    aside = [row for row in rows if row.get("allowed")]
    verdict, summary = _verdict(counted, len(aside))
    moving = [
        f"{row['task']} x {row['property']} is allowed to be inert but moves the outcome: take it "
        f"off the list."
        for row in aside
        if not row["inert"] and not row["error"] and not row["reason"]
    ]
    broken = [row for row in aside if row["error"]]
    if broken and verdict in ("pass", "undecided"):
        verdict, summary = "error", f"allowed to be inert, but broke: {_named(broken)}."
    smallest = min(
        (row for row in counted if row["mean_abs_delta"] is not None),
        key=lambda row: row["mean_abs_delta"],
        default=None,
    )
    return replace(
        result,
        verdict=verdict,
        summary=summary,
        estimate=None if smallest is None else smallest["mean_abs_delta"],
        interval=None if smallest is None else smallest.get("interval"),
        rows=tuple(rows),
        findings=(*result.findings, *moving),
    )


def _verdict(rows: Sequence[Mapping[str, Any]], allowed: int) -> tuple[Verdict, str]:
    inert = [row for row in rows if row["inert"]]
    broken = [row for row in rows if row["error"]]
    unclear = [row for row in rows if not row["inert"] and not row["error"] and row["reason"]]
    aside = f" ({allowed} allowed to be inert)" if allowed else ""
    if inert:
        return "fail", f"{len(inert)} of {len(rows)} cells are inert: {_named(inert)}{aside}."
    if broken:
        return "error", f"{len(broken)} of {len(rows)} cells broke: {_named(broken)}{aside}."
    if unclear:
        return "undecided", (
            f"{len(unclear)} of {len(rows)} cells cannot be told from the simulator's own noise: "
            f"{_named(unclear)}{aside}."
        )
    return "pass", f"all {len(rows)} cells move the outcome{aside}."


def _named(rows: Sequence[Mapping[str, Any]], at_most: int = 8) -> str:
    named = ", ".join(f"{row['task']} x {row['property']}" for row in rows[:at_most])
    return named if len(rows) <= at_most else f"{named} and {len(rows) - at_most} more"
