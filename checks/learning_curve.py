"""The spread at a quarter, half and all of the training rows.

Representations approach one plateau at different rates, so that a small benchmark can look as if it
ranks them (CALIPER, figure 3). A spread that falls as rows are added ranks sample efficiency.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pytest_benchcheck.checks.folds import Fold
from pytest_benchcheck.checks.readout import FoldOutcome, Problem
from pytest_benchcheck.checks.shapes import Int

__all__ = ["CurvePoint", "learning_curve", "smaller_folds"]

SHARES = (0.25, 0.5)
# Fewer independent groups than this leave no inner cross-validation worth the name.
_FEWEST_GROUPS = 20


@dataclass(frozen=True)
class CurvePoint:
    """Scores of every condition with one number of training rows (mean over the folds)."""

    training_rows: int
    scores: Mapping[Any, float]


def smaller_folds(problem: Problem, seed: int) -> list[list[Fold]]:
    """The folds of the first repeat with a quarter, and with half, of their training groups.

    The subsets are nested: half holds the quarter's groups. The test rows stay the same.

    Returns
    -------
    One list a share; empty where a quarter has fewer than 20 groups, or lacks a class.
    """
    folds = _first_repeat(problem)
    streams = np.random.SeedSequence([seed, 3]).spawn(len(folds))
    lists = [
        [_with_share(f, problem.groups, share, s) for f, s in zip(folds, streams, strict=True)]
        for share in SHARES
    ]
    return lists if all(_enough(fold, problem) for part in lists for fold in part) else []


def learning_curve(
    smaller: Sequence[Sequence[Fold]],
    outcomes: Sequence[Mapping[Any, FoldOutcome]],
    problem: Problem,
) -> list[CurvePoint]:
    """Score at each number of training rows, on the same test rows.

    Parameters
    ----------
    smaller
        As :func:`smaller_folds` returns them.
    outcomes
        One mapping of conditions to outcomes a fold: those of ``problem.folds``, then those of
        ``smaller`` in order.
    problem
        Target, covariates, groups, folds.

    Returns
    -------
    Points of increasing size, the last with all training rows; empty where ``smaller`` is.
    """
    if not smaller:
        return []
    whole = _first_repeat(problem)
    points, start = [], len(problem.folds)
    for folds in smaller:
        points.append(_point(folds, outcomes[start : start + len(folds)]))
        start += len(folds)
    return [*points, _point(whole, outcomes[: len(whole)])]


def _first_repeat(problem: Problem) -> list[Fold]:
    return [fold for fold in problem.folds if fold.repeat == 0]


def _point(folds: Sequence[Fold], outcomes: Sequence[Mapping[Any, FoldOutcome]]) -> CurvePoint:
    rows = round(float(np.mean([fold.train.size for fold in folds])))
    names = outcomes[0]
    scores = {name: float(np.mean([part[name].score for part in outcomes])) for name in names}
    return CurvePoint(rows, scores)


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
