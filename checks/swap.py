"""Swap: is the evidence used? Another episode's evidence must take the gain away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pytest_benchcheck.checks.cross_check import GROUP_T, checked_inference, differences
from pytest_benchcheck.checks.derangement import derangement_within
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inference import (
    MIN_GROUPS,
    Contrast,
    Differences,
    student_quantile,
)
from pytest_benchcheck.checks.inputs import (
    checked_bar,
    checked_confidence,
    feature_blocks,
    make_problem,
)
from pytest_benchcheck.checks.readout import Condition, Problem, Scores, cross_validate
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.results import Interval, SwapResult
from pytest_benchcheck.checks.sample_size import episodes_to_decide
from pytest_benchcheck.checks.swap_verdict import judge_swap_rows

__all__ = ["draw_images", "swap"]

_CONDITIONS = (
    "query",
    "query_at_share",
    "query_evidence",
    "query_swapped",
    "query_swapped_at_test",
)


def swap(
    features: Mapping[str, Mapping[str, Any]],
    target: Any,
    *,
    evidence: str | Sequence[str],
    covariates: Any = None,
    groups: Any = None,
    at_most: float = 0.05,
    confidence: float = 0.95,
    folds: int = 5,
    repeats: int = 5,
    components: int = 96,
    seed: int = 0,
    inference: str = GROUP_T,
) -> SwapResult:
    """Replace each episode's evidence by another episode's and see what is left of the gain.

    Four conditions share folds and one component budget: ``query`` (the other blocks and the
    covariates), ``query_evidence`` (adds the episode's own evidence), ``query_swapped`` (adds
    another episode's, assigned by a derangement that never pairs rows of one group; the readout
    is re-fitted) and ``query_swapped_at_test`` (fitted on own evidence, tested on swapped: a
    readout that uses the evidence falls below ``query``). Every repeat of the cross-validation
    draws a new derangement. Beside them ``query_at_share``: the query with the components that it
    has left next to the evidence, since fewer components may serve better by themselves.

    Parameters
    ----------
    features
        Representation -> block name -> ``(n, d)`` features.
    target
        ``(n,)`` floats, or class labels (scored by accuracy).
    evidence
        Names of the blocks that are exchanged.
    covariates, groups, folds, repeats, components, seed, inference
        As in :func:`spread`.
    at_most
        Share of the gain that may survive the swap.
    confidence
        Confidence level, over all representations together (Bonferroni).

    Returns
    -------
    SwapResult
        PASS if at most ``at_most`` of the gain is left for the representation that gains most, and
        for none is more shown to be left; FAIL if for one of them more is shown to be left, over
        ``query`` and over ``query_at_share``; else UNDECIDED (no representation is shown to gain
        over both included). A representation whose own gain is too small to be judged at this size
        is named in the findings. ``estimate`` is ``query_swapped - query`` of the representation
        that decides: the one that gains most, or the one that keeps most where the verdict is FAIL.

    Raises
    ------
    InputError
        If a block named as evidence is missing, no derangement exists, or the data cannot be
        judged.

    References
    ----------
    CALIPER, arXiv 2609.08250, section 3: "query + swapped calibration".
    """
    at_most, confidence = checked_bar(at_most), checked_confidence(confidence)
    inference = checked_inference(inference)
    names = [evidence] if isinstance(evidence, str) else [str(name) for name in evidence]
    if not features:
        raise InputError("no representations to judge: features is an empty mapping.")
    problem, notes = make_problem(
        target,
        covariates=covariates,
        groups=groups,
        folds=folds,
        repeats=repeats,
        components=components,
        seed=seed,
    )
    representations = {
        str(name): _with_evidence(str(name), value, names, problem.n)
        for name, value in features.items()
    }
    images = draw_images(problem, seed)
    conditions = {}
    for name, blocks in representations.items():
        query = {block: part for block, part in blocks.items() if block not in names}
        conditions[name, "query"] = Condition(query)
        share = max(problem.components // len(blocks), 1)
        conditions[name, "query_at_share"] = Condition(query, components=share * len(query) or 1)
        conditions[name, "query_evidence"] = Condition(blocks)
        conditions[name, "query_swapped"] = Condition(blocks, names, images)
        conditions[name, "query_swapped_at_test"] = Condition(blocks, names, images, False)
    scores = cross_validate(conditions, problem)
    sums = differences(inference, scores, problem)
    rows = [
        _row(name, scores, sums, at_most, confidence, len(representations), problem.n)
        for name in representations
    ]
    return _result(rows, problem, at_most, confidence, seed, notes)


def _with_evidence(name: str, value: Any, evidence: Sequence[str], n: int) -> dict[str, Block]:
    if not isinstance(value, Mapping):
        raise InputError(
            f"representation {name!r} must be a mapping of block names to (n, d) features, so that "
            f"the evidence {list(evidence)} can be exchanged; got {type(value).__name__}."
        )
    missing = [block for block in evidence if block not in value]
    if missing or not evidence:
        raise InputError(
            f"representation {name!r} has blocks {list(value)}, evidence names {list(evidence)}: "
            f"{missing or 'at least one block'} is needed."
        )
    return feature_blocks(name, value, n)


def draw_images(problem: Problem, seed: int) -> list[Any]:
    """One derangement a repeat, from a stream of its own."""
    children = np.random.SeedSequence([seed, 1]).spawn(problem.repeats)
    return [
        derangement_within(
            [fold.test for fold in problem.folds if fold.repeat == repeat],
            problem.groups,
            np.random.default_rng(child),
        )
        for repeat, child in enumerate(children)
    ]


def _row(
    name: str,
    scores: Mapping[tuple[str, str], Scores],
    sums: Differences,
    at_most: float,
    confidence: float,
    comparisons: int,
    episodes: int,
) -> dict[str, Any]:
    shown = {condition: scores[name, condition].score for condition in _CONDITIONS}
    gain = shown["query_evidence"] - shown["query"]
    left = shown["query_swapped"] - shown["query"]
    row: dict[str, Any] = {"representation": name, **shown, "gain": gain, "left": left}
    row |= {"share_left": left / gain if gain > 0 else None}
    row |= {"gain_interval": None, "left_interval": None, "verdict": "undecided"}
    row |= {"episodes_needed": None}
    if sums.groups < MIN_GROUPS:
        return row

    def contrast(**weights: float) -> Contrast:
        return sums.contrast({(name, condition): w for condition, w in weights.items()})

    quantile = student_quantile(confidence, contrast(query=1.0).df, comparisons)
    row["gain_interval"] = contrast(query_evidence=1.0, query=-1.0).bounds(quantile)
    row["left_interval"] = contrast(query_swapped=1.0, query=-1.0).bounds(quantile)
    # "at most this share is left" is linear in the three scores: left - share * gain <= 0.
    excess = contrast(query_swapped=1.0, query=at_most - 1.0, query_evidence=-at_most).bounds(
        quantile
    )
    # Of what is left, fewer components of the query may bring a part without any evidence.
    over_share = contrast(
        query_swapped=1.0, query_at_share=at_most - 1.0, query_evidence=-at_most
    ).bounds(quantile)
    gain_over_share = contrast(query_evidence=1.0, query_at_share=-1.0).bounds(quantile)
    row["verdict"] = _row_verdict(
        min(row["gain_interval"][0], gain_over_share[0]), excess, over_share
    )
    row["episodes_needed"] = episodes_to_decide(
        episodes, (excess[0] + excess[1]) / 2, (excess[1] - excess[0]) / 2, quantile
    )
    return row


def _row_verdict(least_gain: float, excess: Interval, over_share: Interval) -> str:
    if least_gain <= 0:
        return "no gain"
    if excess[1] <= 0:
        return "pass"
    return "fail" if min(excess[0], over_share[0]) > 0 else "undecided"


def _result(
    rows: Sequence[dict[str, Any]],
    problem: Problem,
    at_most: float,
    confidence: float,
    seed: int,
    notes: Sequence[str],
) -> SwapResult:
    gaining = [row for row in rows if row["verdict"] != "no gain"]
    verdict, decisive, summary = judge_swap_rows(rows, at_most)
    findings = [
        f"{row['representation']} is not shown to gain from the evidence "
        f"(gain {row['gain']:+.3f}): there is nothing for the swap to take away."
        for row in rows
        if row["verdict"] == "no gain"
    ]
    findings += [
        f"{row['representation']} gains {row['gain']:+.3f}: too little to tell at this size "
        f"whether more than {100 * at_most:g} % of that is left after the swap "
        f"({row['left']:+.3f})."
        for row in gaining
        if row["verdict"] == "undecided" and row is not decisive and row["left_interval"]
    ]
    n_groups = int(problem.groups.max()) + 1
    if n_groups < MIN_GROUPS:
        findings.append(
            f"too few groups: {n_groups} independent groups, intervals need {MIN_GROUPS}."
        )
    interval = decisive["left_interval"]
    return SwapResult(
        verdict=verdict,
        summary=summary,
        estimate=decisive["left"],
        interval=interval,
        bar=at_most,
        confidence=confidence,
        episodes=problem.n,
        seed=seed,
        minimum_detectable=None if interval is None else (interval[1] - interval[0]) / 2,
        episodes_needed=decisive["episodes_needed"],
        rows=tuple(rows),
        findings=tuple(findings),
        warnings=tuple(notes),
        metric="r2" if problem.classes is None else "accuracy",
    )
