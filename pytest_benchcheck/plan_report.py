"""The plan at the end of pytest's terminal output."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pytest

from pytest_benchcheck.tables import printable

__all__ = ["plan_lines", "print_plans"]


def print_plans(terminal: pytest.TerminalReporter, plans: Sequence[Mapping[str, Any]]) -> None:
    """Print what each check could resolve, benchmark by benchmark."""
    terminal.write_sep("=", "benchcheck plan")
    for line in plan_lines(plans, width=max(terminal._tw.fullwidth - 1, 40)):
        terminal.write_line(line)


def plan_lines(plans: Sequence[Mapping[str, Any]], *, width: int) -> Iterator[str]:
    """The plans as lines of text, in order of collection."""
    ordered = sorted(plans, key=lambda plan: plan["position"])
    for name, group in groupby(ordered, key=lambda plan: plan["benchmark"]):
        checks = list(group)
        yield f"{printable(name)}"
        for check in checks:
            seconds = check["seconds"]
            taken = "" if seconds is None else f" ({duration(seconds)})"
            yield f"  {check['check']}{taken}"
            for line in check["lines"]:
                yield from textwrap.wrap(
                    printable(line), width, initial_indent="    ", subsequent_indent="      "
                )
        yield f"  in all about {duration(_total(checks))}, and encoding, which a plan does not run"


def _total(checks: Sequence[Mapping[str, Any]]) -> float:
    """Spread, swap and erasure share their episodes."""
    audit = sum(c["seconds"] or 0.0 for c in checks if c["check"] == "effect_size")
    shared = max((c["seconds"] or 0.0 for c in checks if c["check"] != "effect_size"), default=0.0)
    return float(audit + shared)


def duration(seconds: float) -> str:
    """``0.3 s``, ``12 s``, ``4 min``, ``2.5 h``."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
