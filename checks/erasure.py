"""Erasure: is a decoded property used, or merely decodable?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.metrics import r2_score

from pytest_benchcheck.checks.cross_check import GROUP_T, checked_inference, differences
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.folds import Fold
from pytest_benchcheck.checks.inference import (
    MIN_GROUPS,
    Differences,
    student_quantile,
)
from pytest_benchcheck.checks.inputs import (
    checked_bar,
    checked_confidence,
    feature_blocks,
    make_problem,
)
from pytest_benchcheck.checks.nullspace import erase_property, project_out, random_directions
from pytest_benchcheck.checks.parallel import run_all
from pytest_benchcheck.checks.readout import (
    FoldOutcome,
    Problem,
    Scores,
    collect_scores,
    fit_and_score,
    reduced_design,
    stack_design,
)
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.results import ErasureResult, Verdict
from pytest_benchcheck.checks.ridge import fit_ridge
from pytest_benchcheck.checks.sample_size import episodes_to_decide
from pytest_benchcheck.checks.shapes import Float

Eraser: TypeAlias = Callable[
    [Float[np.ndarray, "train p"], Float[np.ndarray, " train"]],
    Callable[[Float[np.ndarray, "m p"]], Float[np.ndarray, "m p"]],
]

__all__ = ["erasure"]

# A share of the property's variance below which nobody would claim that it can be read out.
_DECODABLE = 0.1


def erasure(
    features: Mapping[str, Any],
    target: Any,
    *,
    latents: Mapping[str, Any],
    covariates: Any = None,
    groups: Any = None,
    bar: float = 0.05,
    confidence: float = 0.95,
    folds: int = 5,
    repeats: int = 5,
    components: int = 96,
    seed: int = 0,
    control_draws: int = 3,
    inference: str = GROUP_T,
    eraser: Eraser | None = None,
) -> ErasureResult:
    """Erase each property from each representation and measure what the prediction loses.

    In the readout's own feature space (the standardised components of all blocks) probe
    directions are removed on the training rows until a tuned probe is at chance there; the readout
    is then re-fitted on the projected features. The control removes as many random directions.

    Parameters
    ----------
    features
        Representation -> ``(n, d)`` features or ``{block: (n, d)}``.
    target
        ``(n,)`` floats, or class labels (scored by accuracy).
    latents
        Property -> ``(n,)`` its true value, continuous.
    covariates, groups, folds, repeats, components, seed, inference
        As in :func:`spread`. Covariates are never erased.
    bar
        The cost, less the control's, that shows use.
    confidence
        Confidence level, over all rows together (Bonferroni).
    control_draws
        Random subspaces per fold; their mean is the control.
    eraser
        ``eraser(design, latent)`` is fitted on the training rows, ``(train, p)`` and ``(train,)``,
        and returns the function that erases rows ``(m, p)``, e.g. a LEACE eraser. None: iterative
        nullspace projection.

    Returns
    -------
    ErasureResult
        PASS if some representation is shown to lose more than ``bar`` by some property's erasure
        (beyond the control), FAIL if all are shown to lose less, else UNDECIDED. ``estimate`` is
        the largest ``cost - random_control_cost``. Rows carry the probe's held-out R2 before and
        after; costs are positive when erasure hurts.

    Raises
    ------
    InputError
        If there are no latents, one is constant or not finite, or the data cannot be judged.

    References
    ----------
    CALIPER, arXiv 2609.08250, section 3 "Readout", table 3, appendix B; Elazar et al. 2021.
    """
    bar, confidence = checked_bar(bar), checked_confidence(confidence)
    inference = checked_inference(inference)
    if not features:
        raise InputError("no representations to judge: features is an empty mapping.")
    if control_draws < 1:
        raise InputError(f"control_draws must be at least 1, got {control_draws}.")
    problem, notes = make_problem(
        target,
        covariates=covariates,
        groups=groups,
        folds=folds,
        repeats=repeats,
        components=components,
        seed=seed,
    )
    properties = _checked_latents(latents, problem.n)
    representations = {str(n): feature_blocks(str(n), v, problem.n) for n, v in features.items()}
    streams = np.random.SeedSequence([seed, 2]).spawn(len(problem.folds))
    outcomes = [_Outcome({}, {}) for _ in problem.folds]
    for name, blocks in representations.items():
        for block in blocks.values():
            block.prepare()
        parts = run_all(
            _one_fold,
            (
                (name, blocks, properties, problem, fold, stream, control_draws, eraser)
                for fold, stream in zip(problem.folds, streams, strict=True)
            ),
        )
        for outcome, part in zip(outcomes, parts, strict=True):
            outcome.scores.update(part.scores)
            outcome.probes.update(part.probes)
        for block in blocks.values():
            block.forget()
    scores = collect_scores([outcome.scores for outcome in outcomes], problem)
    sums = differences(inference, scores, problem)
    comparisons = len(representations) * len(properties)
    rows = [
        _row(name, prop, outcomes, scores, sums, confidence, comparisons, bar, problem.n)
        for name in representations
        for prop in properties
    ]
    return _result(rows, problem, bar, confidence, seed, notes)


def _checked_latents(latents: Mapping[str, Any], n: int) -> dict[str, Float[np.ndarray, " n"]]:
    if not latents:
        raise InputError("no latents to erase: name at least one property and its (n,) values.")
    checked = {}
    for name, value in latents.items():
        values = np.asarray(value)
        if values.dtype.kind not in "biuf":
            raise InputError(f"latent {name!r} must hold real numbers, got dtype {values.dtype}.")
        if values.shape != (n,):
            raise InputError(f"latent {name!r} must have shape ({n},), got {values.shape}.")
        values = values.astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise InputError(f"latent {name!r}: row {bad[0]} is {values[bad[0]]}.")
        if np.ptp(values) == 0:
            raise InputError(f"latent {name!r} is constant: there is nothing to erase.")
        checked[str(name)] = values
    return checked


@dataclass(frozen=True, eq=False)
class _Outcome:
    scores: dict[tuple[str, ...], FoldOutcome]
    probes: dict[tuple[str, str], tuple[float, float, int]]


def _one_fold(
    name: str,
    blocks: Mapping[str, Block],
    properties: Mapping[str, Float[np.ndarray, " n"]],
    problem: Problem,
    fold: Fold,
    stream: np.random.SeedSequence,
    control_draws: int,
    eraser: Eraser | None,
) -> _Outcome:
    scores: dict[tuple[str, ...], FoldOutcome] = {}
    probes = {}

    def score(design: Float[np.ndarray, "n p"]) -> FoldOutcome:
        full = stack_design({"features": design}, problem.covariates)
        return fit_and_score(full[fold.train], full[fold.test], problem, fold)

    reduced = reduced_design(blocks, fold.train, problem.components)
    design = np.hstack(list(reduced.values()))
    scores[name, "before"] = score(design)
    for prop, latent in properties.items():
        projected, rank = _erased(design, latent, problem, fold, eraser)
        scores[name, prop, "after"] = score(projected)
        # Every representation and property meets the same stream of random directions: what one
        # of them scores does not depend on which others stand beside it.
        rng = np.random.default_rng(stream)
        for draw in range(control_draws):
            basis = random_directions(design.shape[1], rank, rng)
            scores[name, prop, f"control {draw}"] = score(project_out(design, basis))
        probes[name, prop] = (
            _held_out_probe(design, latent, problem, fold),
            _held_out_probe(projected, latent, problem, fold),
            rank,
        )
    return _Outcome(scores, probes)


def _erased(
    design: Float[np.ndarray, "n p"],
    latent: Float[np.ndarray, " n"],
    problem: Problem,
    fold: Fold,
    eraser: Eraser | None,
) -> tuple[Float[np.ndarray, "n p"], int]:
    """The design without the property, and the rank of what was taken out."""
    own = design[fold.train], latent[fold.train]
    if eraser is None:
        directions = erase_property(*own, problem.groups[fold.train]).directions
        return project_out(design, directions), directions.shape[1]
    projected = np.asarray(eraser(*own)(design), dtype=np.float64)
    if projected.shape != design.shape or not np.isfinite(projected).all():
        raise InputError(
            f"the eraser returned shape {projected.shape} for {design.shape}, or values that are "
            f"not finite: it must return the rows that it was given, erased."
        )
    removed = (design - projected)[fold.train]
    return projected, int(np.linalg.matrix_rank(removed - removed.mean(axis=0)))


def _held_out_probe(
    design: Float[np.ndarray, "n p"],
    latent: Float[np.ndarray, " n"],
    problem: Problem,
    fold: Fold,
) -> float:
    probe = fit_ridge(design[fold.train], latent[fold.train], problem.groups[fold.train])
    return float(r2_score(latent[fold.test], probe.predict(design[fold.test])))


def _row(
    name: str,
    prop: str,
    outcomes: Sequence[_Outcome],
    scores: Mapping[tuple[str, ...], Scores],
    sums: Differences,
    confidence: float,
    comparisons: int,
    bar: float,
    episodes: int,
) -> dict[str, Any]:
    controls = [
        key for key in scores if key[:2] == (name, prop) and len(key) == 3 and key[-1] != "after"
    ]
    before, after = scores[name, "before"].score, scores[name, prop, "after"].score
    control = float(np.mean([scores[key].score for key in controls]))
    probes = np.array([outcome.probes[name, prop] for outcome in outcomes])
    row: dict[str, Any] = {
        "representation": name,
        "property": prop,
        "probe_r2": float(probes[:, 0].mean()),
        "probe_r2_after": float(probes[:, 1].mean()),
        "directions": float(probes[:, 2].mean()),
        "before": before,
        "after": after,
        "cost": before - after,
        "random_control_cost": before - control,
        "excess_cost": control - after,
        "interval": None,
        "episodes_needed": None,
    }
    if sums.groups >= MIN_GROUPS:
        weights: dict[tuple[str, ...], float] = {key: 1 / len(controls) for key in controls}
        contrast = sums.contrast(weights | {(name, prop, "after"): -1.0})
        quantile = student_quantile(confidence, contrast.df, comparisons)
        row["interval"] = contrast.bounds(quantile)
        row["episodes_needed"] = episodes_to_decide(
            episodes, contrast.estimate - bar, quantile * contrast.standard_error, quantile
        )
    return row


def _result(
    rows: Sequence[dict[str, Any]],
    problem: Problem,
    bar: float,
    confidence: float,
    seed: int,
    notes: Sequence[str],
) -> ErasureResult:
    top = max(rows, key=lambda row: row["excess_cost"])
    verdict = _verdict(rows, bar)
    interval = top["interval"]
    findings = []
    if interval is None:
        findings.append(
            f"too few groups: {int(problem.groups.max()) + 1} independent groups, intervals need "
            f"{MIN_GROUPS}."
        )
    findings += [
        f"{row['property']} is decodable from {row['representation']} (probe R2 "
        f"{row['probe_r2']:.3f}), but erasing it costs no more than {bar:g}: it is carried "
        f"elsewhere too, or not used."
        for row in rows
        if row["probe_r2"] > _DECODABLE and row["interval"] is not None and row["interval"][1] < bar
    ]
    return ErasureResult(
        verdict=verdict,
        summary=_summary(verdict, top, bar),
        estimate=top["excess_cost"],
        interval=interval,
        bar=bar,
        confidence=confidence,
        episodes=problem.n,
        seed=seed,
        minimum_detectable=None if interval is None else (interval[1] - interval[0]) / 2,
        episodes_needed=top["episodes_needed"],
        rows=tuple(rows),
        findings=tuple(findings),
        warnings=tuple(notes),
        metric="r2" if problem.classes is None else "accuracy",
    )


def _verdict(rows: Sequence[dict[str, Any]], bar: float) -> Verdict:
    intervals = [row["interval"] for row in rows]
    if any(interval is None for interval in intervals):
        return "undecided"
    if any(interval[0] > bar for interval in intervals):
        return "pass"
    return "fail" if all(interval[1] < bar for interval in intervals) else "undecided"


def _summary(verdict: Verdict, top: Mapping[str, Any], bar: float) -> str:
    what = (
        f"erasing {top['property']} from {top['representation']} costs {top['cost']:.3f} "
        f"(random directions {top['random_control_cost']:.3f})"
    )
    if verdict == "pass":
        return f"{what}: the readout uses it."
    if verdict == "fail":
        return f"{what}, no erasure costs more than {bar:g}: nothing shows that it is used."
    return f"{what}: these data cannot tell whether that exceeds {bar:g}."
