"""The spread at a quarter, half and all of the training rows.

Representations approach one plateau at different rates, so that a small benchmark can look as if it
ranks them (CALIPER, figure 3). A spread that falls as rows are added ranks sample efficiency.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pytest_benchcheck.checks.folds import Fold
from pytest_benchcheck.checks.readout import Condition, Problem, Scores, cross_validate
from pytest_benchcheck.checks.shapes import Int

__all__ = ["CurvePoint", "learning_curve"]

SHARES = (0.25, 0.5)
# Fewer independent groups than this leave no inner cross-validation worth the name.
_FEWEST_GROUPS = 20


@dataclass(frozen=True)
class CurvePoint:
    """Scores of every representation with one number of training rows (mean over the folds)."""

    training_rows: int
    scores: Mapping[str, float]


def learning_curve(
    conditions: Mapping[str, Condition],
    scores: Mapping[str, Scores],
    problem: Problem,
    seed: int,
) -> list[CurvePoint]:
    """Read out with a quarter and half of the training groups, and with all, on the same tests.

    Uses the folds of the first repeat. The subsets are nested: half holds the quarter's groups.

    Parameters
    ----------
    conditions
        Name -> condition.
    scores
        Name -> scores of the whole cross-validation, whose first repeat is the last point.
    problem
        Target, covariates, groups, folds.
    seed
        Seed of the subsets.

    Returns
    -------
    Points of increasing size; empty where a quarter has fewer than 20 groups, or lacks a class.
    """
    first = [i for i, fold in enumerate(problem.folds) if fold.repeat == 0]
    folds = [problem.folds[i] for i in first]
    streams = np.random.SeedSequence([seed, 3]).spawn(len(folds))
    points = []
    for share in SHARES:
        smaller = [
            _with_share(fold, problem.groups, share, stream)
            for fold, stream in zip(folds, streams, strict=True)
        ]
        if not all(_enough(fold, problem) for fold in smaller):
            return []
        part = cross_validate(conditions, replace(problem, folds=smaller))
        points.append(
            CurvePoint(_rows(smaller), {name: score.score for name, score in part.items()})
        )
    whole = {name: float(np.mean(score.fold_scores[first])) for name, score in scores.items()}
    return [*points, CurvePoint(_rows(folds), whole)]


def _with_share(
    fold: Fold, groups: Int[np.ndarray, " n"], share: float, stream: np.random.SeedSequence
) -> Fold:
    present = np.unique(groups[fold.train])
    shuffled = np.random.default_rng(stream).permutation(present)
    kept = shuffled[: round(share * present.size)]
    return replace(fold, train=fold.train[np.isin(groups[fold.train], kept)])


def _enough(fold: Fold, problem: Problem) -> bool:
    if np.unique(problem.groups[fold.train]).size < _FEWEST_GROUPS:
        return False
    target = problem.target[fold.train]
    if problem.classes is not None:
        return np.unique(target).size == problem.classes.size
    return bool(np.ptp(target) > 0)


def _rows(folds: Sequence[Fold]) -> int:
    return round(float(np.mean([fold.train.size for fold in folds])))
