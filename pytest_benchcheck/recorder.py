"""What was judged while a test ran: by a check item, or by an assertion anywhere in a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_benchcheck.checks.results import CheckResult

__all__ = ["Judged", "collecting", "record"]


@dataclass(frozen=True)
class Judged:
    """One judgement, as plain data.

    Attributes
    ----------
    check
        ``CheckResult.to_dict()``.
    held
        Whether what was asserted held.
    """

    check: dict[str, Any]
    held: bool


# Not a context variable: a test may call an assertion from a thread that it started.
_sinks: list[list[Judged]] = []


@contextmanager
def collecting() -> Iterator[list[Judged]]:
    """Collect what is judged inside the block. Blocks nest; the innermost collects."""
    sink: list[Judged] = []
    _sinks.append(sink)
    try:
        yield sink
    finally:
        _sinks.pop()


def record(result: CheckResult, *, held: bool) -> None:
    """Hand a judgement to the running test; outside of an audited test, do nothing."""
    if _sinks:
        _sinks[-1].append(Judged(result.to_dict(), held))
