"""What a verdict does to the run."""

from __future__ import annotations

from enum import Enum, auto

from pytest_benchcheck.checks.results import CheckResult

__all__ = ["Reaction", "react"]


class Reaction(Enum):
    """Outcome of a check's item."""

    PASS = auto()
    FAIL = auto()
    SKIP = auto()
    XFAIL = auto()


def react(result: CheckResult, declared: str | None, *, undecided: str) -> tuple[Reaction, str]:
    """Outcome for a verdict, and the reason that pytest prints.

    Parameters
    ----------
    result
        What the check found.
    declared
        The verdict that the benchmark expects; None where it expects nothing. Strict: any other
        verdict fails.
    undecided
        ``"fail"`` or ``"warn"``: what an undecided check does.
    """
    verdict, words = result.verdict, _words(result.verdict)
    if declared is not None and declared != verdict:
        return Reaction.FAIL, f"expected {_words(declared)}, got {words}: {result.summary}"
    if declared is not None and declared != "pass":
        return Reaction.XFAIL, f"expected {words}: {result.summary}"
    if verdict == "pass" or (verdict == "undecided" and undecided == "warn"):
        return Reaction.PASS, ""
    if verdict == "not_applicable":
        return Reaction.SKIP, f"not applicable: {result.summary}"
    return Reaction.FAIL, f"{words}: {result.summary}"


def _words(verdict: str) -> str:
    return verdict.replace("_", " ")
