"""The readout: block-wise PCA, standardisation, covariates, and a linear model, cross-validated."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from sklearn.linear_model import LogisticRegression

from pytest_benchcheck.checks.folds import Fold
from pytest_benchcheck.checks.parallel import run_all
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.ridge import fit_ridge
from pytest_benchcheck.checks.shapes import Float, Int, Shaped

__all__ = [
    "Condition",
    "FoldOutcome",
    "Problem",
    "Scores",
    "collect_scores",
    "cross_validate",
    "fit_and_score",
    "fit_folds",
    "reduced_design",
    "stack_design",
]


Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, eq=False)
class Problem:
    """What every condition shares: target, covariates, groups and one set of folds.

    Attributes
    ----------
    target
        ``(n,)`` float64, or class numbers 0 ... C - 1 where ``classes`` holds the labels.
    covariates
        ``(n, c)`` float64, c may be 0.
    groups
        ``(n,)`` group numbers 0 ... G - 1.
    folds
        Folds in order of repeat and number; the same for all conditions.
    components
        Component budget that the blocks of a condition share equally.
    classes
        The labels for classification; None for regression.
    """

    target: Float[np.ndarray, " n"] | Int[np.ndarray, " n"]
    covariates: Float[np.ndarray, "n c"]
    groups: Int[np.ndarray, " n"]
    folds: Sequence[Fold]
    components: int
    classes: Shaped[np.ndarray, " classes"] | None = None

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.target.size)

    @property
    def repeats(self) -> int:
        """Number of repeats of the cross-validation."""
        return self.folds[-1].repeat + 1


@dataclass(frozen=True, eq=False)
class Condition:
    """One set of inputs to the readout.

    Attributes
    ----------
    blocks
        Name -> features; empty for the covariates alone.
    swapped
        Names of the blocks whose rows are exchanged.
    images
        One permutation ``(n,)`` a repeat: row i takes the swapped blocks of row ``images[r][i]``.
    swap_training
        True: the readout is fitted on swapped rows too. False: only the test rows are swapped.
    components
        Component budget of this condition; None for the problem's.
    """

    blocks: Mapping[str, Block]
    swapped: Sequence[str] = ()
    images: Sequence[Int[np.ndarray, " n"]] = ()
    swap_training: bool = True
    components: int | None = None


@dataclass(frozen=True, eq=False)
class Scores:
    """Out-of-fold performance of one condition.

    Attributes
    ----------
    loss
        ``(n,)`` loss of each row when it was held out, averaged over the repeats: squared error,
        or 0/1 error for classes.
    train_loss
        Mean loss on the training rows, averaged over all fits.
    fold_scores
        ``(folds,)`` ``r2_score`` (or accuracy) of every fold.
    """

    loss: Float[np.ndarray, " n"]
    train_loss: float
    fold_scores: Float[np.ndarray, " folds"]

    @property
    def score(self) -> float:
        """Mean over the folds of R2 or accuracy."""
        return float(np.mean(self.fold_scores))


@dataclass(frozen=True, eq=False)
class FoldOutcome:
    """One condition in one fold: loss of each test row, mean training loss, R2 or accuracy."""

    test_loss: Float[np.ndarray, " test"]
    train_loss: float
    score: float


def reduced_design(
    blocks: Mapping[str, Block], train: Int[np.ndarray, " train"], components: int
) -> dict[str, Float[np.ndarray, "n k"]]:
    """Principal components of each block on the training rows, standardised on those rows.

    The component budget is split equally over the blocks, so that adding a block never adds
    parameters. A component without variance on the training rows is dropped.
    """
    share = max(components // max(len(blocks), 1), 1)
    reduced = {}
    for name, block in blocks.items():
        scores = block.scores(train, share)
        reduced[name] = scores / scores[train].std(axis=0)
    return reduced


def cross_validate(
    conditions: Mapping[Key, Condition], problem: Problem, *, jobs: int = -1
) -> dict[Key, Scores]:
    """Score every condition on the same folds, with everything tuned inside the training rows.

    Parameters
    ----------
    conditions
        Name -> condition.
    problem
        Target, covariates, groups, folds.
    jobs
        Number of workers, see :func:`run_all`; -1 for one a core. Results do not depend on it.

    Returns
    -------
    Name -> :class:`Scores`, in the order given.
    """
    outcomes = fit_folds(conditions, problem, problem.folds, jobs=jobs)
    return collect_scores(outcomes, problem)


def fit_folds(
    conditions: Mapping[Key, Condition], problem: Problem, folds: Sequence[Fold], *, jobs: int = -1
) -> list[dict[Key, FoldOutcome]]:
    """Fit and score every condition on each of ``folds``, which may differ from the problem's.

    Conditions that share a block are worked on together, and their blocks are freed before the
    next ones are reduced.

    Returns
    -------
    One mapping a fold, in the order of ``folds``.
    """
    outcomes: list[dict[Key, FoldOutcome]] = [{} for _ in folds]
    for names, blocks in _sharing_blocks(conditions):
        together = {name: conditions[name] for name in names}
        for block in blocks:
            block.prepare()
        parts = run_all(_one_fold, ((together, problem, fold) for fold in folds), jobs=jobs)
        for outcome, part in zip(outcomes, parts, strict=True):
            outcome.update(part)
        for block in blocks:
            block.forget()
    return [{name: outcome[name] for name in conditions} for outcome in outcomes]


def _sharing_blocks(
    conditions: Mapping[Key, Condition],
) -> list[tuple[list[Key], list[Block]]]:
    """Sets of conditions that have no block in common with any other set, and their blocks."""
    sets: list[tuple[list[Key], list[Block]]] = []
    for name, condition in conditions.items():
        names, blocks = [name], list(condition.blocks.values())
        for other in [entry for entry in sets if any(b in entry[1] for b in blocks)]:
            sets.remove(other)
            names, blocks = other[0] + names, other[1] + [b for b in blocks if b not in other[1]]
        sets.append((names, blocks))
    return sets


def collect_scores(
    outcomes: Sequence[Mapping[Key, FoldOutcome]], problem: Problem
) -> dict[Key, Scores]:
    """Put the folds together: one mapping a fold, in the order of ``problem.folds``."""
    result = {}
    for name in outcomes[0]:
        loss = np.zeros(problem.n)
        for fold, outcome in zip(problem.folds, outcomes, strict=True):
            loss[fold.test] += outcome[name].test_loss / problem.repeats
        result[name] = Scores(
            loss=loss,
            train_loss=float(np.mean([outcome[name].train_loss for outcome in outcomes])),
            fold_scores=np.array([outcome[name].score for outcome in outcomes]),
        )
    return result


def _one_fold(
    conditions: Mapping[Key, Condition], problem: Problem, fold: Fold
) -> dict[Key, FoldOutcome]:
    outcome = {}
    for name, condition in conditions.items():
        budget = condition.components or problem.components
        reduced = reduced_design(condition.blocks, fold.train, budget)
        own = stack_design(reduced, problem.covariates)
        swapped = own
        if condition.swapped:
            image = condition.images[fold.repeat]
            exchanged = {
                block: scores[image] if block in condition.swapped else scores
                for block, scores in reduced.items()
            }
            swapped = stack_design(exchanged, problem.covariates)
        train = (swapped if condition.swap_training else own)[fold.train]
        outcome[name] = fit_and_score(train, swapped[fold.test], problem, fold)
    return outcome


def stack_design(
    reduced: Mapping[str, Float[np.ndarray, "n k"]], covariates: Float[np.ndarray, "n c"]
) -> Float[np.ndarray, "n p"]:
    """Put the blocks side by side and append the covariates as they are."""
    return np.hstack([*reduced.values(), covariates])


def fit_and_score(
    train: Float[np.ndarray, "train p"],
    test: Float[np.ndarray, "test p"],
    problem: Problem,
    fold: Fold,
) -> FoldOutcome:
    """Fit the linear readout on the training rows of ``fold`` and score its test rows."""
    y_train, y_test = problem.target[fold.train], problem.target[fold.test]
    if problem.classes is not None:
        model = LogisticRegression(max_iter=10_000)
        # A design without columns (no covariates, nothing varying) predicts the majority class.
        model.fit(_with_a_column(train), y_train)
        test_loss = (model.predict(_with_a_column(test)) != y_test).astype(np.float64)
        train_loss = float(np.mean(model.predict(_with_a_column(train)) != y_train))
        return FoldOutcome(test_loss, train_loss, 1.0 - float(np.mean(test_loss)))
    readout = fit_ridge(train, y_train, problem.groups[fold.train])
    test_loss = (y_test - readout.predict(test)) ** 2
    train_loss = float(np.mean((y_train - readout.predict(train)) ** 2))
    r2 = 1.0 - float(test_loss.sum() / np.sum((y_test - y_test.mean()) ** 2))
    return FoldOutcome(test_loss, train_loss, r2)


def _with_a_column(design: Float[np.ndarray, "m p"]) -> Float[np.ndarray, "m p2"]:
    return design if design.shape[1] else np.zeros((design.shape[0], 1))
