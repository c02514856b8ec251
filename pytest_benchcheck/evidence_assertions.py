"""Assertions about the use of evidence: swap and erasure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.checks import erasure, swap
from pytest_benchcheck.checks.cross_check import GROUP_T
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.results import ErasureResult, SwapResult
from pytest_benchcheck.conclusion import conclude, mapping_of, require_unused
from pytest_benchcheck.measured_erasure import erasure_from_table, erasure_of, is_erasure_table
from pytest_benchcheck.measured_swap import is_swap_table, swap_against, swap_from_table
from pytest_benchcheck.running import judge_benchmark

__all__ = ["assert_erasure_costs", "assert_swap_removes_gain"]

_SWAP_FORMS = (
    "a mapping of representation names to scores of the conditions query, query_evidence and "
    "query_swapped, or to {block: (n, d)} features"
)

_ERASURE_FORMS = (
    "a mapping of representation names to costs, or to (n, d) or {block: (n, d)} features"
)


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
    inference: str = GROUP_T,
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
    target, evidence, covariates, groups, confidence, folds, repeats, components, seed, inference
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
        require_unused(x, {**own, "evidence": evidence or None})
        if isinstance(x, SwapResult):
            return swap_against(x, at_most)
        if isinstance(x, Benchmark):
            return judge_benchmark(x, "swap", SwapResult, bar=at_most, seed=seed)
        given = mapping_of(x, _SWAP_FORMS, SwapResult)
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
            inference=inference,
        )

    return conclude(judge, SwapResult, undecided)


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
    inference: str = GROUP_T,
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
    target, latents, covariates, groups, confidence, folds, repeats, components, seed, inference
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
        require_unused(x, own)
        if isinstance(x, ErasureResult):
            return erasure_of(x, at_least, prop=prop)
        if isinstance(x, Benchmark):
            measured = judge_benchmark(x, "erasure", ErasureResult, bar=at_least, seed=seed)
            return erasure_of(measured, at_least, prop=prop)
        given = mapping_of(x, _ERASURE_FORMS, ErasureResult)
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
            inference=inference,
        )

    return conclude(judge, ErasureResult, undecided)
