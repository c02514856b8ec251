"""How a failed check item reads in pytest's output."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import pytest_benchcheck
from pytest_benchcheck import checks
from pytest_benchcheck.explanation import explain
from pytest_benchcheck.running import CheckOutcome

__all__ = ["VerdictError", "describe"]

_OWN_FOLDERS = frozenset(
    Path(folder) for package in (pytest_benchcheck, checks) for folder in package.__path__
)


class VerdictError(Exception):
    """A check's verdict turns the run red."""

    def __init__(self, reason: str, outcome: CheckOutcome, command: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.outcome = outcome
        self.command = command


class FailureText:
    """Text in the place of a traceback, with the one-line reason that pytest summarises."""

    def __init__(self, text: str, path: Path, message: str) -> None:
        self._text = text
        self.reprcrash = SimpleNamespace(path=str(path), lineno=0, message=message)

    def __str__(self) -> str:
        return self._text

    def toterminal(self, tw: Any) -> None:
        """Write the text to pytest's terminal."""
        for line in self._text.splitlines():
            tw.line(line)


def describe(failure: VerdictError, path: Path) -> FailureText:
    """The whole story of a failed check: evidence, what to do, and the command to rerun it."""
    parts = [failure.reason, explain(failure.outcome.result)]
    if failure.outcome.error is not None:
        parts.append(_traceback(failure.outcome.error))
    parts.append(f"Run just this check again:\n  {failure.command}")
    return FailureText("\n\n".join(part for part in parts if part), path, failure.reason)


def _traceback(error: BaseException) -> str:
    excinfo = pytest.ExceptionInfo.from_exception(error)
    theirs = excinfo.traceback.filter(_is_theirs)
    if theirs:
        excinfo.traceback = theirs
    return str(excinfo.getrepr(style="short"))


def _is_theirs(entry: Any) -> bool:
    return Path(entry.path).parent not in _OWN_FOLDERS
