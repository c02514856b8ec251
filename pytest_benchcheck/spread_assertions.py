"""Assertions about the spread of representations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.checks import spread
from pytest_benchcheck.checks.cross_check import GROUP_T
from pytest_benchcheck.checks.results import SpreadResult
from pytest_benchcheck.conclusion import conclude, mapping_of, require_unused
from pytest_benchcheck.running import judge_benchmark
from pytest_benchcheck.spread_questions import BeatsTrivialResult, beats_trivial, spread_against

__all__ = ["assert_beats_trivial", "assert_spread_exceeds"]

_FORMS = (
    "a mapping of representation names to published scores, (n,) per-item scores or (n, d) features"
)


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
    inference: str = GROUP_T,
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
    target, covariates, groups, roles, confidence, folds, repeats, components, seed, inference
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
        require_unused(x, own)
        if isinstance(x, SpreadResult):
            return spread_against(x, bar)
        if isinstance(x, Benchmark):
            return judge_benchmark(x, "spread", SpreadResult, bar=bar, seed=seed)
        return spread(
            mapping_of(x, _FORMS, SpreadResult),
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
            inference=inference,
        )

    return conclude(judge, SpreadResult, undecided)


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
    inference: str = GROUP_T,
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
    target, covariates, groups, confidence, folds, repeats, components, seed, inference
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
        require_unused(x, own)
        if isinstance(x, SpreadResult):
            return beats_trivial(x)
        if isinstance(x, Benchmark):
            return beats_trivial(judge_benchmark(x, "spread", SpreadResult, seed=seed))
        return beats_trivial(
            spread(
                mapping_of(x, _FORMS, SpreadResult),
                target,
                covariates=covariates,
                groups=groups,
                roles=roles,
                confidence=confidence,
                folds=folds,
                repeats=repeats,
                components=components,
                seed=seed,
                inference=inference,
            )
        )

    return conclude(judge, BeatsTrivialResult, undecided)
