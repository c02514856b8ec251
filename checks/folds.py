"""Repeated K-fold cross-validation that keeps whole groups on one side of every fold."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.labels import plain_labels
from pytest_benchcheck.checks.shapes import Int, Shaped

__all__ = ["Fold", "group_index", "repeated_group_folds"]


@dataclass(frozen=True, eq=False)
class Fold:
    """Rows of one fit: ``train`` and ``test`` are sorted row numbers."""

    repeat: int
    number: int
    train: Int[np.ndarray, " train"]
    test: Int[np.ndarray, " test"]

    def __str__(self) -> str:
        return f"repeat {self.repeat}, fold {self.number}"


def group_index(groups: Any, n: int) -> Int[np.ndarray, " n"]:
    """Number the groups 0 ... G - 1; without groups every row is its own.

    Raises
    ------
    InputError
        If ``groups`` does not have shape ``(n,)`` or holds a missing label.
    """
    if groups is None:
        return np.arange(n)
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise InputError(f"groups must have shape ({n},) like the data, got {labels.shape}.")
    labels = plain_labels("groups", labels)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        row = int(np.flatnonzero(np.isnan(labels))[0])
        raise InputError(f"groups: row {row} is NaN. Every row needs a label.")
    index: Int[np.ndarray, " n"] = np.unique(labels, return_inverse=True)[1]
    return index


def repeated_group_folds(
    groups: Int[np.ndarray, " n"],
    *,
    folds: int = 5,
    repeats: int = 5,
    seed: int = 0,
    classes: Shaped[np.ndarray, " n"] | None = None,
) -> list[Fold]:
    """Return ``repeats`` random partitions of the groups into ``folds`` folds.

    Parameters
    ----------
    groups
        ``(n,)`` group numbers as :func:`group_index` returns them.
    folds, repeats
        Number of folds per partition, and of partitions.
    seed
        Seed of the partitions.
    classes
        ``(n,)`` class labels to keep in proportion over the folds; None for a continuous target.

    Raises
    ------
    InputError
        If there are fewer groups than folds, fewer than two folds, or fewer rows in every class
        than folds.
    """
    n_groups = int(groups.max()) + 1
    if folds < 2 or repeats < 1:
        raise InputError(f"need folds >= 2 and repeats >= 1, got folds={folds}, repeats={repeats}.")
    if n_groups < folds:
        raise InputError(
            f"{folds} folds need at least {folds} independent groups, these data have {n_groups} "
            f"({groups.size} rows). Use fewer folds or more groups."
        )
    if classes is not None:
        largest = int(np.unique(classes, return_counts=True)[1].max())
        if largest < folds:
            raise InputError(
                f"{folds} folds need a class of at least {folds} rows, the largest has {largest}. "
                f"Use fewer folds or more rows a class."
            )
    result = []
    rows = np.arange(groups.size)
    for repeat, child in enumerate(np.random.SeedSequence(seed).spawn(repeats)):
        state = int(child.generate_state(1)[0])
        splitter = (
            GroupKFold(folds, shuffle=True, random_state=state)
            if classes is None
            else StratifiedGroupKFold(folds, shuffle=True, random_state=state)
        )
        with warnings.catch_warnings():
            # A class with fewer rows than folds: the check says so itself.
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            for number, (train, test) in enumerate(splitter.split(rows, classes, groups)):
                result.append(Fold(repeat, number, train, test))
    return result
