"""Assertion about effect sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.checks import effect_size_audit
from pytest_benchcheck.checks.cells import Cell
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.results import EffectSizeResult
from pytest_benchcheck.conclusion import conclude, mapping_of, require_unused
from pytest_benchcheck.measured_effects import allow_inert, effects_against, effects_from_table
from pytest_benchcheck.running import judge_benchmark

__all__ = ["assert_effects_exceed"]

_FORMS = "a mapping of (task, property) to abs(delta) values, a simulate function with cells="


def assert_effects_exceed(
    x: Mapping[tuple[str, str], Any]
    | Callable[[Cell | None, int], Any]
    | EffectSizeResult
    | Benchmark,
    floor: float = 1e-4,
    *,
    allow: Iterable[tuple[str, str]] = (),
    cells: Sequence[Cell | tuple[str, str]] | None = None,
    seeds: int | Sequence[int] | None = None,
    undecided: str = "fail",
) -> EffectSizeResult:
    """Assert that every perturbation moves the outcome by more than ``floor``.

    Parameters
    ----------
    x
        ``(task, property)`` -> abs(delta outcome): a mean, or ``(n,)`` matched pairs; or a
        ``simulate(cell, seed)`` function together with ``cells``; or an
        :class:`EffectSizeResult`, which is judged against ``floor`` again; or a
        :class:`Benchmark`.
    floor
        Smallest mean abs(delta) that counts, in outcome units.
    allow
        ``(task, property)`` pairs that are known to be inert. One that moves after all is a
        finding; one that does not exist is an error.
    cells
        The cells of a ``simulate`` function.
    seeds
        Number of matched pairs per cell, or the seeds themselves; None for the number of a
        benchmark's own, else 32.
    undecided
        ``"fail"``, or ``"warn"`` to let undecided data pass.

    Returns
    -------
    The result; it is also recorded in the audit's report under ``--benchcheck``.

    Raises
    ------
    AssertionError
        Listing the cells that do not move the outcome.
    InputError
        If ``x`` is none of these forms, or ``allow`` names a pair that does not exist.
    """
    __tracebackhide__ = True

    def judge() -> EffectSizeResult:
        require_unused(x, {"cells": cells})
        if isinstance(x, EffectSizeResult):
            result = effects_against(x, floor)
        elif isinstance(x, Benchmark):
            result = judge_benchmark(x, "effect_size", EffectSizeResult, bar=floor, seeds=seeds)
        elif callable(x) and not isinstance(x, type):
            if cells is None:
                raise InputError("a simulate function needs cells=[...]: the pairs to audit.")
            result = effect_size_audit(x, cells, seeds=32 if seeds is None else seeds, floor=floor)
        else:
            result = effects_from_table(mapping_of(x, _FORMS, EffectSizeResult), floor)
        return allow_inert(result, allow)

    return conclude(judge, EffectSizeResult, undecided)
