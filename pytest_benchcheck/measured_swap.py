"""Swaps that have been measured: from a table of scores, or against another bar."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_benchcheck.checks.folds import group_index
from pytest_benchcheck.checks.inference import (
    MIN_GROUPS,
    GroupSums,
    group_sums_of_scores,
    student_quantile,
)
from pytest_benchcheck.checks.inputs import (
    checked_bar,
    checked_confidence,
    is_number,
    item_scores,
    published_scores,
)
from pytest_benchcheck.checks.results import SwapResult
from pytest_benchcheck.checks.swap_verdict import judge_swap_rows

__all__ = ["CONDITIONS", "is_swap_table", "swap_against", "swap_from_table"]

CONDITIONS = ("query", "query_evidence", "query_swapped")


def is_swap_table(x: Mapping[Any, Any]) -> bool:
    """Whether ``x`` is representation -> condition -> score or ``(n,)`` per-item scores."""
    return bool(x) and all(
        isinstance(value, Mapping) and set(CONDITIONS) <= set(value) for value in x.values()
    )


def swap_from_table(
    table: Mapping[str, Mapping[str, Any]],
    *,
    at_most: float = 0.05,
    groups: Any = None,
    confidence: float = 0.95,
) -> SwapResult:
    """Judge measured scores of the three conditions.

    Parameters
    ----------
    table
        Representation -> ``{"query": ..., "query_evidence": ..., "query_swapped": ...}``:
        published scores, or ``(n,)`` scores of the same items.
    at_most
        Share of the gain that may survive the swap.
    groups
        ``(n,)`` labels of independent items.
    confidence
        Confidence level, over all representations together (Bonferroni).

    Raises
    ------
    InputError
        Naming the representation, the condition and what is wrong with its scores.
    """
    at_most, confidence = checked_bar(at_most), checked_confidence(confidence)
    flat = {
        f"{name}, {condition}": scores[condition]
        for name, scores in table.items()
        for condition in CONDITIONS
    }
    if all(is_number(value) for value in flat.values()):
        means, sums, n = published_scores(flat), None, None
        note = (
            "published scores allow a point comparison only: whether the gain, or what is left of "
            "it, is more than noise cannot be judged."
        )
    else:
        items = item_scores(flat)
        n = next(iter(items.values())).size
        sums = group_sums_of_scores(items, group_index(groups, n))
        means = dict(sums.scores)
        note = ""
        if sums.groups < MIN_GROUPS:
            sums = None
            note = f"too few groups: intervals need {MIN_GROUPS}."
    rows = [_row(name, means, sums, confidence, len(table)) for name in table]
    return _judged(
        SwapResult(
            verdict="pass",
            bar=at_most,
            confidence=confidence,
            episodes=n,
            findings=(note,) if note else (),
            metric="score",
        ),
        rows,
    )


def _row(
    name: str,
    means: Mapping[str, float],
    sums: GroupSums | None,
    confidence: float,
    comparisons: int,
) -> dict[str, Any]:
    query, evidence, swapped = (f"{name}, {condition}" for condition in CONDITIONS)
    gain, left = means[evidence] - means[query], means[swapped] - means[query]
    row: dict[str, Any] = {
        "representation": name,
        "query": means[query],
        "query_evidence": means[evidence],
        "query_swapped": means[swapped],
        "query_swapped_at_test": None,
        "gain": gain,
        "left": left,
        "share_left": left / gain if gain > 0 else None,
        "gain_interval": None,
        "left_interval": None,
    }
    if sums is not None:
        quantile = student_quantile(confidence, sums.groups - 1, comparisons)
        row["gain_interval"] = sums.difference(evidence, query).bounds(quantile)
        row["left_interval"] = sums.difference(swapped, query).bounds(quantile)
    return row


def swap_against(result: SwapResult, at_most: float) -> SwapResult:
    """Judge a measured swap against another share.

    The rows' own intervals are compared corner by corner, which is stricter than measuring anew:
    what was decided at the old share may become undecided, never the other way round by chance.
    """
    at_most = checked_bar(at_most)
    if at_most == result.bar or not result.rows or result.verdict in ("error", "not_applicable"):
        return result
    return _judged(replace(result, bar=at_most), [dict(row) for row in result.rows])


def _judged(result: SwapResult, rows: Sequence[dict[str, Any]]) -> SwapResult:
    at_most = result.bar or 0.0
    point = result.episodes is None
    for row in rows:
        row["verdict"] = _row_verdict(row, at_most, point=point)
        row.pop("episodes_needed", None)
    verdict, decisive, summary = judge_swap_rows(rows, at_most)
    return replace(
        result,
        verdict=verdict,
        summary=summary,
        estimate=decisive["left"],
        interval=decisive["left_interval"],
        episodes_needed=None,
        rows=tuple(rows),
    )


def _row_verdict(row: Mapping[str, Any], at_most: float, *, point: bool) -> str:
    gain, left = row["gain_interval"], row["left_interval"]
    if point:
        gain, left = (row["gain"],) * 2, (row["left"],) * 2
    if gain is None or left is None:
        return "undecided"
    if gain[0] <= 0:
        return "no gain"
    if left[1] <= at_most * gain[0]:
        return "pass"
    return "fail" if left[0] > at_most * gain[1] else "undecided"
