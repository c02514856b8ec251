"""From what a caller hands in to what the readout works on, with every flaw named."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.folds import Fold, group_index, repeated_group_folds
from pytest_benchcheck.checks.gram import pieces
from pytest_benchcheck.checks.labels import plain_labels
from pytest_benchcheck.checks.readout import Problem
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.shapes import Float, Int, Shaped

__all__ = [
    "checked_bar",
    "checked_confidence",
    "copied_rows",
    "feature_blocks",
    "is_number",
    "item_scores",
    "make_problem",
    "published_scores",
    "reference_blocks",
]

# Integers may be labels or counts; more distinct values than this are counts.
_MOST_CLASSES = 20
# Sums of squares have to stay within what float64 holds.
_LARGEST, _SMALLEST = 1e100, 1e-100


def checked_bar(bar: float) -> float:
    """Return ``bar`` as a float; it must be a finite number."""
    if not is_number(bar) or not np.isfinite(bar):
        raise InputError(f"bar must be a finite number, got {bar!r}.")
    return float(bar)


def checked_confidence(confidence: float) -> float:
    """Return ``confidence``; it must lie strictly between 0 and 1."""
    if not is_number(confidence) or not 0 < confidence < 1:
        raise InputError(f"confidence must lie between 0 and 1, got {confidence!r}.")
    return float(confidence)


def is_number(value: object) -> bool:
    """Whether ``value`` is one real number (a zero-dimensional array counts)."""
    if isinstance(value, (Mapping, Block, str, bytes)) or value is None:
        return False
    array = np.asarray(value)
    return array.ndim == 0 and array.dtype.kind in "biuf"


def published_scores(scores: Mapping[str, Any]) -> dict[str, float]:
    """Check a table of published scores.

    Raises
    ------
    InputError
        Naming the representation whose score is not finite.
    """
    checked = {name: float(value) for name, value in scores.items()}
    for name, value in checked.items():
        if not np.isfinite(value):
            raise InputError(f"the score of {name!r} is {value}: leave out what was not measured.")
    return checked


def item_scores(scores: Mapping[str, Any]) -> dict[str, Float[np.ndarray, " n"]]:
    """Check per-item scores: ``(n,)`` finite numbers, the same items for every representation.

    Raises
    ------
    InputError
        Naming the representation, its shape, or the first item that is not finite.
    """
    checked = {}
    for name, value in scores.items():
        if is_number(value):
            raise InputError(
                f"representation {name!r} is the single number {value}, others are arrays: give "
                f"one form for all, published scores or per-item scores of shape (n,)."
            )
        if isinstance(value, (Mapping, Block)) or np.ndim(value) != 1:
            shape = "a mapping of blocks" if isinstance(value, Mapping) else np.shape(value)
            raise InputError(
                f"representation {name!r} is {shape}, so features were meant, but there is no "
                f"target. Pass target=, or per-item scores of shape (n,) for every representation."
            )
        checked[name] = _matrix(f"representation {name!r}", value)[:, 0].astype(np.float64)
    sizes = {name: values.size for name, values in checked.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(f"per-item scores must cover the same items, got lengths {sizes}.")
    if next(iter(sizes.values())) == 0:
        raise InputError("per-item scores are empty: there are no items to compare on.")
    return checked


def feature_blocks(name: str, value: Any, n: int) -> dict[str, Block]:
    """Turn one representation into named blocks.

    Parameters
    ----------
    name
        Name of the representation, for error messages.
    value
        ``(n, d)`` or ``(n,)`` array, a :class:`Block`, or a mapping of block names to these.
    n
        Number of rows that the target has.

    Raises
    ------
    InputError
        Naming the representation, the block, and the first row that is NaN or infinite; or if all
        blocks are constant.
    """
    parts = value if isinstance(value, Mapping) else {"features": value}
    if not parts:
        raise InputError(f"representation {name!r} is an empty mapping: give at least one block.")
    blocks = {}
    for block_name, part in parts.items():
        where = f"representation {name!r}" + (
            f", block {block_name!r}" if isinstance(value, Mapping) else ""
        )
        if isinstance(part, Block):
            _require_matrix(where, part.features)
        blocks[str(block_name)] = (
            part if isinstance(part, Block) else Block(_matrix(where, part), remember=False)
        )
        if blocks[str(block_name)].n != n:
            raise InputError(
                f"{where} has {blocks[str(block_name)].n} rows, the target has {n}. Every "
                f"representation needs one row an episode."
            )
    if all(block.constant for block in blocks.values()):
        raise InputError(
            f"representation {name!r} is constant: all {n} rows are equal. An encoder that "
            f"returns the same features for every clip has not seen the clips; check its input "
            f"and its weights."
        )
    return blocks


def _matrix(where: str, value: Any) -> Shaped[np.ndarray, "n d"]:
    array = np.asarray(value)
    if array.ndim == 1:
        array = array[:, None]
    _require_matrix(where, array)
    return array.astype(np.float64) if array.dtype.kind in "biu" else array


def _require_matrix(where: str, array: Shaped[np.ndarray, "..."]) -> None:
    if array.dtype.kind not in "biuf":
        raise InputError(f"{where} must hold real numbers, got dtype {array.dtype}.")
    if array.ndim != 2 or array.shape[1] == 0:
        raise InputError(f"{where} must have shape (n, d) with d >= 1, got {array.shape}.")
    if array.dtype.kind != "f":
        return
    finite = np.concatenate(
        [np.isfinite(array[rows]).all(axis=1) for rows in pieces(array)] or [[]]
    )
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        column = int(np.flatnonzero(~np.isfinite(array[row]))[0])
        raise InputError(
            f"{where}: row {row}, column {column} is {array[row, column]} "
            f"({int((~finite).sum())} of {finite.size} rows are not finite)."
        )
    if array.size:
        _require_range(where, max(abs(float(array.max())), abs(float(array.min()))))


def _require_range(where: str, largest: float) -> None:
    if largest > _LARGEST or 0 < largest < _SMALLEST:
        raise InputError(
            f"{where} has values of up to {largest:.3g} in size: their squares leave the range of "
            f"floating-point numbers. Rescale them, or find out where they come from."
        )


def reference_blocks(references: Mapping[str, Any] | None, n: int) -> dict[str, dict[str, Block]]:
    """Turn simulator-state features into blocks; see :func:`feature_blocks`."""
    return {name: feature_blocks(name, value, n) for name, value in (references or {}).items()}


def make_problem(
    target: Any,
    *,
    covariates: Any = None,
    groups: Any = None,
    folds: int = 5,
    repeats: int = 5,
    components: int = 96,
    seed: int = 0,
) -> tuple[Problem, list[str]]:
    """Check target, covariates and groups, and draw the folds.

    A target of floats is continuous. Booleans, strings, and integers of at most 20 distinct
    values are class labels.

    Returns
    -------
    The problem, and warnings about what was assumed.

    Raises
    ------
    InputError
        If the target is constant or not finite, shapes differ, there are fewer groups than folds,
        or the score is undefined in a fold (which is named).
    """
    y, classes, notes = _target(target)
    n = y.size
    for what, count in {"folds": folds, "repeats": repeats, "components": components}.items():
        if not isinstance(count, (int, np.integer)):
            raise InputError(f"{what} must be an integer, got {count!r}.")
    index = group_index(groups, n)
    fold_list = repeated_group_folds(
        index, folds=folds, repeats=repeats, seed=seed, classes=None if classes is None else y
    )
    _require_defined_scores(y, classes, fold_list)
    if classes is not None:
        notes += _rare_class_notes(y, classes, folds)
    if components < 1:
        raise InputError(f"components must be at least 1, got {components}.")
    matrix = np.zeros((n, 0))
    if covariates is not None:
        matrix = _matrix("covariates", covariates).astype(np.float64)
        if matrix.shape[0] != n:
            raise InputError(f"covariates have {matrix.shape[0]} rows, the target has {n}.")
    return Problem(y, matrix, index, fold_list, components, classes), notes


def _target(
    target: Any,
) -> tuple[
    Float[np.ndarray, " n"] | Int[np.ndarray, " n"],
    Shaped[np.ndarray, " classes"] | None,
    list[str],
]:
    y = np.asarray(target)
    if y.ndim != 1 or y.size == 0:
        raise InputError(f"target must have shape (n,) with n >= 1, got {y.shape}.")
    y = plain_labels("target", y)
    distinct = np.unique(y)
    if distinct.size == 1:
        raise InputError(
            f"target is constant: all {y.size} values are {distinct[0].item()!r}, so R2 and "
            f"accuracy are undefined. Nothing can be ranked on an outcome that never changes."
        )
    if y.dtype.kind == "f":
        bad = np.flatnonzero(~np.isfinite(y))
        if bad.size:
            raise InputError(
                f"target: row {bad[0]} is {y[bad[0]]} ({bad.size} of {y.size} not finite)."
            )
        _require_range("target", float(np.ptp(y)))
        _require_range("target", float(np.max(np.abs(y))))
        return y.astype(np.float64), None, []
    if y.dtype.kind in "iu" and distinct.size > _MOST_CLASSES:
        note = (
            f"the integer target has {distinct.size} distinct values and is treated as a "
            f"continuous number; pass floats to say so, or strings for class labels."
        )
        return y.astype(np.float64), None, [note]
    if y.dtype.kind not in "biuUS":
        raise InputError(f"target has dtype {y.dtype}: give floats, or class labels.")
    classes, numbers = np.unique(y, return_inverse=True)
    return numbers, classes, []


def _rare_class_notes(
    numbers: Int[np.ndarray, " n"], classes: Shaped[np.ndarray, " classes"], folds: int
) -> list[str]:
    rare = [
        f"{classes[number].item()!r} ({count} rows)"
        for number, count in enumerate(np.bincount(numbers))
        if count < folds
    ]
    if not rare:
        return []
    return [f"fewer rows than the {folds} folds in class {', '.join(rare)}: folds go without it."]


def _require_defined_scores(
    y: Shaped[np.ndarray, " n"], classes: Shaped[np.ndarray, " classes"] | None, folds: list[Fold]
) -> None:
    for fold in folds:
        train, test = np.unique(y[fold.train]), np.unique(y[fold.test])
        if train.size < 2:
            label = (train if classes is None else classes[train])[0].item()
            raise InputError(
                f"{fold}: all {fold.train.size} training rows have target {label!r}. "
                f"Use fewer folds, or groups that each hold several outcomes."
            )
        if classes is None and test.size < 2:
            raise InputError(
                f"{fold}: R2 is undefined, the target does not vary over its {fold.test.size} "
                f"test row(s). Use fewer folds or more episodes."
            )


def copied_rows(
    representations: Mapping[str, Mapping[str, Block]], problem: Problem
) -> list[tuple[int, int]]:
    """Pairs of rows in different groups that agree in target, covariates and every feature.

    Such copies stand on both sides of a fold: test rows in the training set.
    """
    labels = np.hstack([problem.target[:, None].astype(np.float64), problem.covariates])
    _, inverse, counts = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
    blocks = [block for entry in representations.values() for block in entry.values()]
    first: dict[bytes, int] = {}
    pairs = []
    for row in np.flatnonzero(counts[inverse.ravel()] > 1):
        digest = hashlib.blake2b(labels[row].tobytes())
        for block in blocks:
            digest.update(np.ascontiguousarray(block.features[row]).tobytes())
        other = first.setdefault(digest.digest(), int(row))
        if problem.groups[other] != problem.groups[row]:
            pairs.append((other, int(row)))
    return pairs
