"""What a benchmark's verdicts mean, in one plain sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["meaning"]

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def meaning(checks: Sequence[Mapping[str, Any]]) -> str:
    """One sentence about a benchmark, from its checks as plain data.

    Whether it can rank comes first; then what the perturbations do; then whether the evidence is
    used.
    """
    by_name = {check["check"]: check for check in checks}
    for name, say in (
        ("spread", _spread),
        ("beats_trivial", _beats_trivial),
        ("effect_size", _effect_size),
        ("swap", _swap),
        ("erasure", _erasure),
    ):
        check = by_name.get(name)
        if check is not None and check["verdict"] != "not_applicable":
            return say(check)
    return "Nothing here could be checked."


def _spread(check: Mapping[str, Any]) -> str:
    rows, bar = check["rows"], check["bar"]
    what = f"{_count(len(rows))} representations"
    if check["verdict"] == "fail" and check["estimate"] is not None:
        return (
            f"This benchmark cannot rank representations: {what} lie within "
            f"{check['estimate']:.2g} of each other, and the bar is {bar:g}."
        )
    if check["verdict"] == "pass" and check["estimate"] is not None:
        return (
            f"This benchmark can rank representations: {what} differ by up to "
            f"{check['estimate']:.2g}, and the bar is {bar:g}."
        )
    if check["verdict"] == "undecided":
        return "These data cannot tell whether this benchmark can rank representations."
    return "Whether this benchmark can rank representations was not found out: the check broke."


def _beats_trivial(check: Mapping[str, Any]) -> str:
    if check["verdict"] == "pass":
        return "The best candidate beats the trivial representations."
    if check["verdict"] == "fail":
        return "No candidate beats the trivial representations: the ranking shows nothing."
    return "These data cannot tell whether a candidate beats the trivial representations."


def _effect_size(check: Mapping[str, Any]) -> str:
    rows = [row for row in check["rows"] if not row.get("allowed")]
    inert = sum(bool(row.get("inert")) for row in rows)
    broken = sum(bool(row.get("error")) for row in rows)
    total = f"{len(rows)} perturbations"
    if inert:
        do = "does" if inert == 1 else "do"
        return f"{inert} of {total} {do} not move the outcome: scores over them compare noise."
    if check["verdict"] == "pass":
        return "Every perturbation moves the outcome."
    if check["verdict"] == "undecided":
        return "These runs cannot tell whether every perturbation moves the outcome."
    return f"{broken} of {total} broke and could not be measured."


def _swap(check: Mapping[str, Any]) -> str:
    if check["verdict"] == "pass":
        return "The evidence is used: with another episode's evidence the gain is gone."
    if check["verdict"] == "fail":
        return "The evidence is not what helps: another episode's evidence does as well."
    return "These data cannot tell whether the evidence is used."


def _erasure(check: Mapping[str, Any]) -> str:
    if check["verdict"] == "pass":
        return "What was erased is used: without it the score falls."
    if check["verdict"] == "fail":
        return "What was erased is decodable but not used: the score does not need it."
    return "These data cannot tell whether what was erased is used."


def _count(n: int) -> str:
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)
