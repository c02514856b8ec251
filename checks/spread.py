"""Spread: do trivial representations already reach the top?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pytest_benchcheck.checks.cross_check import GROUP_T, checked_inference, differences
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.folds import group_index
from pytest_benchcheck.checks.inference import (
    MIN_GROUPS,
    Differences,
    group_sums_of_scores,
)
from pytest_benchcheck.checks.inputs import (
    checked_bar,
    checked_confidence,
    copied_rows,
    feature_blocks,
    is_number,
    item_scores,
    make_problem,
    published_scores,
    reference_blocks,
)
from pytest_benchcheck.checks.learning_curve import learning_curve, smaller_folds
from pytest_benchcheck.checks.range_bounds import (
    best_minus_trivial_bounds,
    range_bounds,
    verdict_against,
)
from pytest_benchcheck.checks.readout import (
    Condition,
    Problem,
    collect_scores,
    fit_folds,
)
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.results import Interval, SpreadResult, Verdict
from pytest_benchcheck.checks.roles import Role, assign_roles, without_oracles
from pytest_benchcheck.checks.sample_size import episodes_to_decide
from pytest_benchcheck.checks.separability import separability
from pytest_benchcheck.checks.shapes import Float
from pytest_benchcheck.checks.spread_context import with_context
from pytest_benchcheck.checks.spread_entries import Entry, entries_of, entry_row, range_of, sides
from pytest_benchcheck.checks.spread_findings import (
    comparison_findings,
    spread_summary,
    with_copies,
    with_oracles,
)

__all__ = ["spread"]


def spread(
    scores: Mapping[str, Any],
    target: Any = None,
    *,
    covariates: Any = None,
    groups: Any = None,
    roles: Mapping[str, str] | None = None,
    bar: float = 0.05,
    confidence: float = 0.95,
    folds: int = 5,
    repeats: int = 5,
    components: int = 96,
    seed: int = 0,
    references: Mapping[str, Any] | None = None,
    inference: str = "group-t",
) -> SpreadResult:
    """Measure the range over random, trivial and candidate representations.

    Parameters
    ----------
    scores
        Name -> published score (float), per-item scores ``(n,)``, features ``(n, d)`` or
        ``{block: (n, d)}``. One form for all representations. With a ``target``, ``(n,)`` arrays
        are features of one column.
    target
        ``(n,)`` floats, or class labels (scored by accuracy); needed for features.
    covariates
        ``(n, c)`` inputs that every readout gets as they are.
    groups
        ``(n,)`` labels of independent units; rows of one group stay on one side of every fold.
    roles
        Name -> ``"random" | "trivial" | "candidate" | "oracle"``. Names of reference encoders are
        known, others are candidates. Random representations enter as their mean, never their best.
        An oracle is the ground truth replayed as predictions; it is no part of the range, and where
        it scores below 1 the metric is broken. Scores only: for features, see ``references``.
    bar
        The range has to exceed this for the benchmark to be able to rank.
    confidence
        Confidence level of the intervals.
    folds, repeats, components, seed
        Repeated K-fold cross-validation and the component budget of the readout.
    references
        Name -> ``(n, k)`` simulator-state features; each gives a ceiling.
    inference
        ``"group-t"``, the optimism-corrected group t, or ``"nadeau-bengio"``, the corrected
        resampled t over the folds with Bonferroni, as a cross-check; the latter for features only.

    Returns
    -------
    SpreadResult
        PASS if the lower bound of the range exceeds the bar, FAIL if the upper bound is below it,
        else UNDECIDED. Published scores allow a point comparison only: the interval is None.

    Raises
    ------
    InputError
        Naming the representation, row and value, if the data cannot be judged.

    References
    ----------
    CALIPER, arXiv 2609.08250, section 3 "Readout", "What a benchmark should report", appendix B.
    """
    if not isinstance(scores, Mapping):
        raise InputError(
            f"scores must be a mapping of representations to what they score, got "
            f"{type(scores).__name__}."
        )
    names = [str(name) for name in scores]
    if len(set(names)) < max(2, len(names)):
        raise InputError(f"a spread needs at least two representations, each once, got {names}.")
    inference = checked_inference(inference)
    terms = _Terms(checked_bar(bar), checked_confidence(confidence), seed, inference)
    assigned = assign_roles(names, roles)
    values = {str(name): value for name, value in scores.items()}
    if all(is_number(value) for value in values.values()):
        published = published_scores(values)
        others, oracles = without_oracles(published, assigned)
        return with_oracles(_judge_published(others, assigned, terms), oracles)
    if target is None:
        if inference != GROUP_T:
            raise InputError(
                f"inference={inference!r} compares folds, and per-item scores have none: leave it "
                f"at 'group-t', or give features and a target."
            )
        items, replayed = without_oracles(item_scores(values), assigned)
        oracles = {name: float(value.mean()) for name, value in replayed.items()}
        return with_oracles(_judge_items(items, groups, assigned, terms), oracles)
    if "oracle" in assigned.values():
        raise InputError(
            "an oracle shows what the benchmark's own metric gives the ground truth: it needs "
            "scores. For features, pass the simulator's state in references=."
        )
    problem, notes = make_problem(
        target,
        covariates=covariates,
        groups=groups,
        folds=folds,
        repeats=repeats,
        components=components,
        seed=seed,
    )
    representations = {name: feature_blocks(name, v, problem.n) for name, v in values.items()}
    ceilings = reference_blocks(references, problem.n)
    return _judge_features(representations, ceilings, problem, assigned, terms, notes)


@dataclass(frozen=True)
class _Terms:
    bar: float
    confidence: float
    seed: int
    inference: str


def _judge_published(
    scores: Mapping[str, float], roles: Mapping[str, Role], terms: _Terms
) -> SpreadResult:
    entries = entries_of(scores, roles)
    estimate = range_of(entries)
    verdict: Verdict = "pass" if estimate > terms.bar else "fail"
    findings = comparison_findings(entries, None)
    findings.append(
        "published scores allow a point comparison only: without per-item scores or features "
        "there is no interval, and whether the range is more than noise cannot be judged."
    )
    return _result(entries, "score", verdict, estimate, None, terms, findings=findings)


def _judge_items(
    items: Mapping[str, Float[np.ndarray, " n"]],
    groups: Any,
    roles: Mapping[str, Role],
    terms: _Terms,
) -> SpreadResult:
    n = next(iter(items.values())).size
    index = group_index(groups, n)
    sums: Differences | None = group_sums_of_scores(items, index)
    entries = entries_of({name: float(v.mean()) for name, v in items.items()}, roles)
    findings = []
    if all(np.ptp(values) == 0 for values in items.values()):
        sums = None
        findings.append(
            f"every representation scores the same on all {n} items: the effective sample size is "
            f"1 and there is no interval. Vary the items (seeds, scenes, objects)."
        )
    return _judge_sums(entries, sums, "score", terms, findings=findings, episodes=n)


def _judge_features(
    representations: Mapping[str, Mapping[str, Block]],
    ceilings: Mapping[str, Mapping[str, Block]],
    problem: Problem,
    roles: Mapping[str, Role],
    terms: _Terms,
    notes: Sequence[str],
) -> SpreadResult:
    conditions = {("representation", n): Condition(b) for n, b in representations.items()}
    conditions |= {("ceiling", n): Condition(b) for n, b in ceilings.items()}
    if problem.covariates.shape[1]:
        conditions["floor", "covariates alone"] = Condition({})
    smaller = smaller_folds(problem, terms.seed)
    folds = [*problem.folds, *(fold for part in smaller for fold in part)]
    outcomes = fit_folds(conditions, problem, folds)
    scores = collect_scores(outcomes[: len(problem.folds)], problem)
    own = {name: scores["representation", name] for name in representations}
    sums = differences(terms.inference, own, problem)
    entries = entries_of({name: score.score for name, score in own.items()}, roles)
    metric = "r2" if problem.classes is None else "accuracy"
    references = tuple(
        {"reference": name, "kind": kind, metric: scores[kind, name].score}
        for kind, name in conditions
        if kind != "representation"
    )
    copies = copied_rows(representations, problem)
    curve = learning_curve(smaller, outcomes, problem)
    result = _judge_sums(entries, sums, metric, terms, findings=[], episodes=problem.n)
    result = replace(result, references=references, warnings=tuple(notes))
    curves = [
        (point.training_rows, {n: point.scores["representation", n] for n in representations})
        for point in curve
    ]
    spreads = [range_of(entries_of(scores, roles)) for _, scores in curves]
    result = with_context(result, curves, spreads)
    return with_copies(result, copies, problem)


def _judge_sums(
    entries: Sequence[Entry],
    sums: Differences | None,
    metric: str,
    terms: _Terms,
    *,
    findings: list[str],
    episodes: int,
) -> SpreadResult:
    names = [entry.name for entry in entries]
    bounds = best = None
    if sums is not None:
        for entry in entries:
            if entry.members:
                sums = sums.mean_of(entry.name, list(entry.members))
        bounds = range_bounds(sums, names, terms.confidence)
        if bounds is None:
            findings.append(
                f"too few groups: {sums.groups} independent groups, intervals need {MIN_GROUPS}."
            )
        candidates, trivial = sides(entries)
        if candidates and trivial:
            best = best_minus_trivial_bounds(
                sums,
                [entry.name for entry in candidates],
                [entry.name for entry in trivial],
                terms.confidence,
            )
    interval = None if bounds is None else bounds.interval
    told_apart = None if sums is None else separability(sums, names, terms.confidence)
    rows = [entry_row(entry, metric, sums, terms.confidence) for entry in entries]
    if told_apart is not None:
        for row in rows:
            row["rank_interval"] = told_apart.rank_intervals[str(row["representation"])]
    result = _result(
        entries,
        metric,
        verdict_against(interval, terms.bar),
        range_of(entries),
        interval,
        terms,
        findings=comparison_findings(entries, best) + findings,
    )
    return replace(
        result,
        rows=tuple(rows),
        separability=() if told_apart is None else told_apart.pairs,
        distinguishable_ranks=None if told_apart is None else told_apart.ranks,
        best_minus_trivial_interval=best,
        episodes=episodes,
        minimum_detectable=None if bounds is None else bounds.half_width,
        episodes_needed=None
        if bounds is None
        else episodes_to_decide(
            episodes, range_of(entries) - terms.bar, bounds.half_width, bounds.quantile
        ),
    )


def _result(
    entries: Sequence[Entry],
    metric: str,
    verdict: Verdict,
    estimate: float,
    interval: Interval | None,
    terms: _Terms,
    *,
    findings: Sequence[str],
) -> SpreadResult:
    candidates, trivial = sides(entries)
    best = None
    if candidates and trivial:
        best = max(e.score for e in candidates) - max(e.score for e in trivial)
    return SpreadResult(
        verdict=verdict,
        summary=spread_summary(len(entries), verdict, estimate, interval, terms.bar),
        estimate=estimate,
        interval=interval,
        bar=terms.bar,
        confidence=terms.confidence,
        seed=terms.seed,
        rows=tuple(entry_row(entry, metric, None, terms.confidence) for entry in entries),
        findings=tuple(findings),
        metric=metric,
        best_minus_trivial=best,
    )
