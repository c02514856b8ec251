"""What all assertions share: the form of their input, recording, and the error they raise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.results import CheckResult
from pytest_benchcheck.explanation import explain
from pytest_benchcheck.recorder import record

__all__ = ["conclude", "mapping_of", "require_unused"]

_R = TypeVar("_R", bound=CheckResult)


def conclude(judge: Callable[[], _R], kind: type[_R], undecided: str) -> _R:
    """Judge, record what was judged, and raise where it does not hold.

    Parameters
    ----------
    judge
        Makes the result.
    kind
        Class of the result, for the record of a judgement that broke.
    undecided
        ``"fail"`` or ``"warn"``.

    Raises
    ------
    AssertionError
        With table, number and advice, where the verdict is not a pass.
    Exception
        Whatever ``judge`` raised.
    """
    __tracebackhide__ = True
    if undecided not in ("fail", "warn"):
        raise InputError(f"undecided must be 'fail' or 'warn', got {undecided!r}.")
    try:
        result = judge()
    except Exception as error:
        record(kind(verdict="error", summary=f"{type(error).__name__}: {error}"), held=False)
        raise
    held = result.verdict == "pass" or (result.verdict == "undecided" and undecided == "warn")
    record(result, held=held)
    if not held:
        words = result.verdict.replace("_", " ")
        raise AssertionError(f"{result.check} {words}: {result.summary}\n\n{explain(result)}\n")
    return result


def require_unused(x: object, given: Mapping[str, Any]) -> None:
    """A result and a benchmark hold their own data: other data beside them would be ignored."""
    if isinstance(x, (CheckResult, Benchmark)):
        named = [name for name, value in given.items() if value is not None]
        if named:
            raise InputError(f"{type(x).__name__} holds its own data: {named} would be ignored.")


def mapping_of(x: object, forms: str, result: type[CheckResult]) -> Mapping[Any, Any]:
    """Return ``x`` where it is a mapping.

    Raises
    ------
    InputError
        Naming what was given and the accepted ``forms``.
    """
    if isinstance(x, Mapping):
        return x
    kind = f"the class {x.__name__}" if isinstance(x, type) else type(x).__name__
    raise InputError(f"got {kind}; give {forms}, a {result.__name__}, or a Benchmark instance.")
