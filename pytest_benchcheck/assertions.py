"""Assertions for ordinary tests: judge, record what was judged, and say what is wrong.

Each takes the lowest form of evidence that makes sense, raises ``AssertionError`` with the table,
the number that missed and what to do next, and returns the result where it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.checks import effect_size_audit, erasure, spread, swap
from pytest_benchcheck.checks.cells import Cell
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.results import (
    CheckResult,
    EffectSizeResult,
    ErasureResult,
    SpreadResult,
    SwapResult,
)
from pytest_benchcheck.explanation import explain
from pytest_benchcheck.measured_effects import allow_inert, effects_against, effects_from_table
from pytest_benchcheck.measured_erasure import erasure_from_table, erasure_of, is_erasure_table
from pytest_benchcheck.measured_swap import is_swap_table, swap_against, swap_from_table
from pytest_benchcheck.recorder import record
from pytest_benchcheck.running import judge_benchmark
from pytest_benchcheck.spread_questions import BeatsTrivialResult, beats_trivial, spread_against

__all__ = [
    "assert_beats_trivial",
    "assert_effects_exceed",
    "assert_erasure_costs",
    "assert_spread_exceeds",
    "assert_swap_removes_gain",
]

_R = TypeVar("_R", bound=CheckResult)


def assert_spread_exceeds(
    x: Mapping[str, Any] | SpreadResult | Benchmark,
    bar: float,
    *,
    target: Any = None,
    covariates: Any = None,
    groups: Any = None,
    roles: Mapping[str, str] | None = None,
    confidence: float = 0.95,
    folds: int = 5,
    repeats: int = 5,
    components: int = 96,
    seed: int = 0,
    undecided: str = "fail",
) -> SpreadResult:
    """Assert that representations differ by more than ``bar``: that the benchmark could rank them.

    Parameters
    ----------
    x
        Name -> published score (float), per-item scores ``(n,)``, features ``(n, d)`` or
        ``{block: (n, d)}``; or a :class:`SpreadResult`, which is judged against ``bar`` again; or
        a :class:`Benchmark`, which is run with the session's settings.
    bar
        Smallest range that passes, in units of the score (R2, accuracy).
    target, covariates, groups, roles, confidence, folds, repeats, components, seed
        See :func:`pytest_benchcheck.spread`.
    undecided
        ``"fail"``, or ``"warn"`` to let undecided data pass.

    Returns
    -------
    The result; it is also recorded in the audit's report under ``--benchcheck``.

    Raises
    ------
    AssertionError
        If the range is shown not to exceed the bar, or the data cannot tell.
    InputError
        If ``x`` is none of these forms, or its data cannot be judged.
    """
    __tracebackhide__ = True

    def judge() -> SpreadResult:
        own = {"target": target, "covariates": covariates, "groups": groups, "roles": roles}
        _require_unused(x, own)
        if isinstance(x, SpreadResult):
            return spread_against(x, bar)
        if isinstance(x, Benchmark):
            return judge_benchmark(x, "spread", SpreadResult, bar=bar, seed=seed)
        return spread(
            _mapping(x, _SPREAD_FORMS, SpreadResult),
            target,
            covariates=covariates,
            groups=groups,
            roles=roles,
            bar=bar,
            confidence=confidence,
            folds=folds,
            repeats=repeats,
            components=components,
            seed=seed,
        )

    return _conclude(judge, SpreadResult, undecided)


def assert_beats_trivial(
    x: Mapping[str, Any] | SpreadResult | Benchmark,
    *,
    roles: Mapping[str, str] | None = None,
    target: Any = None,
    covariates: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    folds: int = 5,
    repeats: int = 5,
    components: int = 96,
    seed: int = 0,
    undecided: str = "fail",
) -> SpreadResult:
    """Assert that the best candidate beats the best trivial representation.

    Parameters
    ----------
    x
        The forms of :func:`assert_spread_exceeds`.
    roles
        Name -> ``"random"``, ``"trivial"`` or ``"candidate"``. Names of the reference encoders are
        known; all others are candidates.
    target, covariates, groups, confidence, folds, repeats, components, seed
        See :func:`pytest_benchcheck.spread`.
    undecided
        ``"fail"``, or ``"warn"`` to let undecided data pass.

    Returns
    -------
    A result whose ``estimate`` is best candidate minus best trivial; the bar is 0.

    Raises
    ------
    AssertionError
        If no candidate is better than every trivial representation, or the data cannot tell.
    InputError
        If ``x`` is none of these forms, or holds no candidate or no trivial representation.
    """
    __tracebackhide__ = True

    def judge() -> BeatsTrivialResult:
        own = {"target": target, "covariates": covariates, "groups": groups, "roles": roles}
        _require_unused(x, own)
        if isinstance(x, SpreadResult):
            return beats_trivial(x)
        if isinstance(x, Benchmark):
            return beats_trivial(judge_benchmark(x, "spread", SpreadResult, seed=seed))
        return beats_trivial(
            spread(
                _mapping(x, _SPREAD_FORMS, SpreadResult),
                target,
                covariates=covariates,
                groups=groups,
                roles=roles,
                confidence=confidence,
                folds=folds,
                repeats=repeats,
                components=components,
                seed=seed,
            )
        )

    return _conclude(judge, BeatsTrivialResult, undecided)


def assert_effects_exceed(
    x: Mapping[tuple[str, str], Any]
    | Callable[[Cell | None, int], Any]
    | EffectSizeResult
    | Benchmark,
    floor: float = 1e-4,
    *,
    allow: Iterable[tuple[str, str]] = (),
    cells: Sequence[Cell | tuple[str, str]] | None = None,
    seeds: int | Sequence[int] = 32,
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
        Number of matched pairs per cell, or the seeds themselves.
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
        _require_unused(x, {"cells": cells})
        if isinstance(x, EffectSizeResult):
            result = effects_against(x, floor)
        elif isinstance(x, Benchmark):
            result = judge_benchmark(x, "effect_size", EffectSizeResult, bar=floor, seeds=seeds)
        elif callable(x) and not isinstance(x, type):
            if cells is None:
                raise InputError("a simulate function needs cells=[...]: the pairs to audit.")
            result = effect_size_audit(x, cells, seeds=seeds, floor=floor)
        else:
            result = effects_from_table(_mapping(x, _EFFECT_FORMS, EffectSizeResult), floor)
        return allow_inert(result, allow)

    return _conclude(judge, EffectSizeResult, undecided)


def assert_swap_removes_gain(
    x: Mapping[str, Any] | SwapResult | Benchmark,
    *,
    at_most: float = 0.05,
    target: Any = None,
    evidence: str | Sequence[str] = (),
    covariates: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    folds: int = 5,
    repeats: int = 5,
    components: int = 96,
    seed: int = 0,
    undecided: str = "fail",
) -> SwapResult:
    """Assert that another episode's evidence takes the gain away: that the evidence is used.

    Parameters
    ----------
    x
        Representation -> ``{"query": ..., "query_evidence": ..., "query_swapped": ...}`` with
        published scores or ``(n,)`` per-item scores; or representation -> block name -> ``(n, d)``
        features; or a :class:`SwapResult`, which is judged against ``at_most`` again; or a
        :class:`Benchmark`.
    at_most
        Share of the gain that may survive.
    target, evidence, covariates, groups, confidence, folds, repeats, components, seed
        See :func:`pytest_benchcheck.swap`.
    undecided
        ``"fail"``, or ``"warn"`` to let undecided data pass.

    Returns
    -------
    The result; it is also recorded in the audit's report under ``--benchcheck``.

    Raises
    ------
    AssertionError
        If more of the gain survives, or the data cannot tell.
    InputError
        If ``x`` is none of these forms, or its data cannot be judged.
    """
    __tracebackhide__ = True

    def judge() -> SwapResult:
        own = {"target": target, "covariates": covariates, "groups": groups}
        _require_unused(x, {**own, "evidence": evidence or None})
        if isinstance(x, SwapResult):
            return swap_against(x, at_most)
        if isinstance(x, Benchmark):
            return judge_benchmark(x, "swap", SwapResult, bar=at_most, seed=seed)
        given = _mapping(x, _SWAP_FORMS, SwapResult)
        if is_swap_table(given):
            return swap_from_table(given, at_most=at_most, groups=groups, confidence=confidence)
        if target is None:
            raise InputError("features need a target: pass target=, of shape (n,).")
        return swap(
            given,
            target,
            evidence=evidence,
            covariates=covariates,
            groups=groups,
            at_most=at_most,
            confidence=confidence,
            folds=folds,
            repeats=repeats,
            components=components,
            seed=seed,
        )

    return _conclude(judge, SwapResult, undecided)


def assert_erasure_costs(
    x: Mapping[str, Any] | ErasureResult | Benchmark,
    at_least: float,
    *,
    property: str,  # noqa: A002 the word of the literature
    target: Any = None,
    latents: Mapping[str, Any] | None = None,
    covariates: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    folds: int = 5,
    repeats: int = 5,
    components: int = 96,
    seed: int = 0,
    undecided: str = "fail",
) -> ErasureResult:
    """Assert that erasing a property costs more than random directions do: that it is used.

    Parameters
    ----------
    x
        Representation -> cost, or -> ``{"cost": ..., "random_control_cost": ...}``; or
        representation -> features ``(n, d)`` or ``{block: (n, d)}``; or an
        :class:`ErasureResult`, of which ``property`` is judged against ``at_least``; or a
        :class:`Benchmark`.
    at_least
        The cost beyond the control's that has to be exceeded, by some representation.
    property
        Name of the property that is erased.
    target, latents, covariates, groups, confidence, folds, repeats, components, seed
        See :func:`pytest_benchcheck.erasure`; of ``latents``, only ``property`` is erased.
    undecided
        ``"fail"``, or ``"warn"`` to let undecided data pass.

    Returns
    -------
    The result; it is also recorded in the audit's report under ``--benchcheck``.

    Raises
    ------
    AssertionError
        If no representation is shown to lose more, or the data cannot tell.
    InputError
        If ``x`` is none of these forms, ``property`` is unknown, or the data cannot be judged.
    """
    __tracebackhide__ = True
    prop = property

    def judge() -> ErasureResult:
        own = {"target": target, "covariates": covariates, "groups": groups, "latents": latents}
        _require_unused(x, own)
        if isinstance(x, ErasureResult):
            return erasure_of(x, at_least, prop=prop)
        if isinstance(x, Benchmark):
            measured = judge_benchmark(x, "erasure", ErasureResult, bar=at_least, seed=seed)
            return erasure_of(measured, at_least, prop=prop)
        given = _mapping(x, _ERASURE_FORMS, ErasureResult)
        if is_erasure_table(given):
            return erasure_from_table(given, at_least, prop=prop)
        if target is None or not latents:
            raise InputError("features need target=, of shape (n,), and latents={name: (n,)}.")
        if prop not in latents:
            raise InputError(f"property {prop!r} is not among the latents {sorted(latents)}.")
        return erasure(
            given,
            target,
            latents={prop: latents[prop]},
            covariates=covariates,
            groups=groups,
            bar=at_least,
            confidence=confidence,
            folds=folds,
            repeats=repeats,
            components=components,
            seed=seed,
        )

    return _conclude(judge, ErasureResult, undecided)


_SPREAD_FORMS = (
    "a mapping of representation names to published scores, (n,) per-item scores or (n, d) features"
)
_SWAP_FORMS = (
    "a mapping of representation names to scores of the conditions query, query_evidence and "
    "query_swapped, or to {block: (n, d)} features"
)
_ERASURE_FORMS = (
    "a mapping of representation names to costs, or to (n, d) or {block: (n, d)} features"
)
_EFFECT_FORMS = (
    "a mapping of (task, property) to abs(delta) values, a simulate function with cells="
)


def _require_unused(x: object, given: Mapping[str, Any]) -> None:
    """A result and a benchmark hold their own data: other data beside them would be ignored."""
    if isinstance(x, (CheckResult, Benchmark)):
        named = [name for name, value in given.items() if value is not None]
        if named:
            raise InputError(f"{type(x).__name__} holds its own data: {named} would be ignored.")


def _mapping(x: object, forms: str, result: type[CheckResult]) -> Mapping[Any, Any]:
    if isinstance(x, Mapping):
        return x
    kind = f"the class {x.__name__}" if isinstance(x, type) else type(x).__name__
    raise InputError(f"got {kind}; give {forms}, a {result.__name__}, or a Benchmark instance.")


def _conclude(judge: Callable[[], _R], kind: type[_R], undecided: str) -> _R:
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
