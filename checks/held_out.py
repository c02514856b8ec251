"""Predictions of held-out rows by the readout, also at covariates that they did not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.folds import Fold
from pytest_benchcheck.checks.inputs import feature_blocks, make_problem
from pytest_benchcheck.checks.parallel import run_all
from pytest_benchcheck.checks.readout import Problem, reduced_design, stack_design
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.ridge import fit_ridge
from pytest_benchcheck.checks.shapes import Float

__all__ = ["held_out_predictions"]


def held_out_predictions(
    features: Mapping[str, Any],
    target: Any,
    *,
    covariates: Any = None,
    at: Any = None,
    groups: Any = None,
    folds: int = 5,
    repeats: int = 5,
    components: int = 96,
    seed: int = 0,
) -> Float[np.ndarray, "repeats n m"]:
    """What the readout predicts for every row when it is held out.

    The readout is that of :func:`~pytest_benchcheck.spread`: block-wise principal components,
    standardised, covariates appended, ridge with its penalty chosen on the training rows, and the
    same folds for the same ``seed``. With ``at`` each row is asked what would be if its covariates
    were others, e.g. how far an object would slide at each of many commanded speeds.

    Parameters
    ----------
    features
        ``{block: (n, d)}``; empty for the covariates alone.
    target
        ``(n,)`` numbers.
    covariates
        ``(n, c)`` that every readout knows.
    at
        ``(m, c)`` covariates to predict every row at; None for each row's own.
    groups, folds, repeats, components, seed
        As in :func:`~pytest_benchcheck.spread`.

    Returns
    -------
    ``(repeats, n, m)`` predictions; m is 1 without ``at``.

    Raises
    ------
    InputError
        If the target is one of classes, shapes differ, or ``at`` has another number of columns than
        the covariates.

    References
    ----------
    CALIPER, arXiv 2609.08250, section 4, "The gap in task units", chooses push speeds this way.
    """
    problem, _ = make_problem(
        target,
        covariates=covariates,
        groups=groups,
        folds=folds,
        repeats=repeats,
        components=components,
        seed=seed,
    )
    if problem.classes is not None:
        raise InputError("held_out_predictions needs a continuous target, got class labels.")
    asked = None if at is None else _checked_at(at, problem.covariates.shape[1])
    blocks = feature_blocks("features", features, problem.n) if features else {}
    for block in blocks.values():
        block.prepare()
    parts = run_all(_one_fold, ((blocks, problem, fold, asked) for fold in problem.folds))
    found = np.empty((problem.repeats, problem.n, 1 if asked is None else len(asked)))
    for fold, part in zip(problem.folds, parts, strict=True):
        found[fold.repeat, fold.test] = part
    return found


def _checked_at(at: Any, columns: int) -> Float[np.ndarray, "m c"]:
    asked = np.asarray(at, dtype=np.float64)
    if asked.ndim != 2 or asked.shape[1] != columns or not len(asked):
        raise InputError(
            f"at must have shape (m, {columns}), one column a covariate, got {asked.shape}."
        )
    if not np.isfinite(asked).all():
        raise InputError("at has values that are not finite.")
    return asked


def _one_fold(
    blocks: Mapping[str, Block],
    problem: Problem,
    fold: Fold,
    asked: Float[np.ndarray, "m c"] | None,
) -> Float[np.ndarray, "test m"]:
    reduced = reduced_design(blocks, fold.train, problem.components)
    design = stack_design(reduced, problem.covariates)
    readout = fit_ridge(design[fold.train], problem.target[fold.train], problem.groups[fold.train])
    own = readout.predict(design[fold.test])[:, None]
    if asked is None:
        return own
    # The readout is linear: other covariates shift a prediction by the same amount in every row.
    width = problem.covariates.shape[1]
    still = design[fold.test].copy()
    still[:, still.shape[1] - width :] = 0.0
    probes = np.zeros((len(asked) + 1, design.shape[1]))
    probes[1:, design.shape[1] - width :] = asked
    shifts = readout.predict(probes)
    asked_for: Float[np.ndarray, "test m"] = (
        readout.predict(still)[:, None] + (shifts[1:] - shifts[0])[None, :]
    )
    return asked_for
