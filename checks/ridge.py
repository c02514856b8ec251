"""Ridge regression along a path of penalties, chosen on the training rows in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.linalg import svd
from sklearn.model_selection import GroupKFold

from pytest_benchcheck.checks.shapes import Float, Int

__all__ = ["PENALTIES", "RidgeFit", "fit_ridge"]

PENALTIES = np.logspace(-3, 5, 17)
_INNER_FOLDS = 5
# Covariates come in their own units. Squaring a design whose columns differ by more than this
# loses the digits of the small ones (at 1e7 it loses the columns), so it is decomposed as it is.
_ILL_SCALED = 1e3
_LEAST_SLACK = 1e-10
_EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """A fitted ridge readout.

    Attributes
    ----------
    coefficients, intercept
        Of the linear prediction.
    penalty
        Chosen ridge penalty.
    validation_r2
        R2 of the inner validation (leave-one-out, or held-out groups) at that penalty.
    """

    coefficients: Float[np.ndarray, " p"]
    intercept: float
    penalty: float
    validation_r2: float

    def predict(self, design: Float[np.ndarray, "m p"]) -> Float[np.ndarray, " m"]:
        """Predict the target of each row of ``design``."""
        prediction: Float[np.ndarray, " m"] = design @ self.coefficients + self.intercept
        return prediction


@dataclass(frozen=True, eq=False)
class _Path:
    """Eigendecomposition of a centred design: every penalty's solution is a rescaling of it."""

    mean: Float[np.ndarray, " p"]
    target_mean: float
    centred_target: Float[np.ndarray, " n"]
    eigenvalues: Float[np.ndarray, " r"]
    vectors: Float[np.ndarray, "p r"]
    left: Float[np.ndarray, "n r"]
    projected: Float[np.ndarray, " r"]
    ill_scaled: bool

    def coefficients(self, penalties: Float[np.ndarray, " q"]) -> Float[np.ndarray, "p q"]:
        root = np.sqrt(self.eigenvalues)
        shrunk = (root * self.projected)[:, None] / (self.eigenvalues[:, None] + penalties)
        solution: Float[np.ndarray, "p q"] = self.vectors @ shrunk
        return solution

    def leave_one_out(self, penalties: Float[np.ndarray, " q"]) -> Float[np.ndarray, "n q"]:
        """Leave-one-out residuals; the leverage includes the intercept's 1/n."""
        share = self.eigenvalues[:, None] / (self.eigenvalues[:, None] + penalties)
        fitted = self.left @ (share * self.projected[:, None])
        leverage = self.left**2 @ share + 1.0 / self.left.shape[0]
        # A row that alone varies in a covariate has leverage one: it says nothing of the penalty.
        left_out = np.maximum(1.0 - leverage, _LEAST_SLACK)
        residual: Float[np.ndarray, "n q"] = (self.centred_target[:, None] - fitted) / left_out
        return residual


def _ill_scaled(centred: Float[np.ndarray, "n p"]) -> bool:
    scales = np.linalg.norm(centred, axis=0)
    scales = scales[scales > 0]
    return bool(scales.size and scales.max() > _ILL_SCALED * scales.min())


def _decompose(design: Float[np.ndarray, "n p"], target: Float[np.ndarray, " n"]) -> _Path:
    mean, target_mean = design.mean(axis=0), float(target.mean())
    centred, centred_target = design - mean, target - target_mean
    ill_scaled = _ill_scaled(centred)
    if ill_scaled:
        left, singular, rows = svd(centred, full_matrices=False)
        keep = singular > singular.max(initial=0.0) * max(design.shape) * _EPSILON
        eigenvalues, vectors, left = singular[keep] ** 2, rows[keep].T, left[:, keep]
    else:
        eigenvalues, vectors = np.linalg.eigh(centred.T @ centred)
        keep = eigenvalues > eigenvalues.max(initial=0.0) * design.shape[0] * _EPSILON
        eigenvalues, vectors = eigenvalues[keep], vectors[:, keep]
        left = centred @ (vectors / np.sqrt(eigenvalues))
    projected = left.T @ centred_target
    return _Path(
        mean, target_mean, centred_target, eigenvalues, vectors, left, projected, ill_scaled
    )


def fit_ridge(
    design: Float[np.ndarray, "n p"],
    target: Float[np.ndarray, " n"],
    groups: Int[np.ndarray, " n"],
    penalties: Float[np.ndarray, " q"] = PENALTIES,
) -> RidgeFit:
    """Fit ridge regression with an unpenalised intercept; choose the penalty on these rows.

    Parameters
    ----------
    design, target
        ``(n, p)`` and ``(n,)`` training rows.
    groups
        ``(n,)`` group numbers. Where every row is its own group the penalty is chosen by
        leave-one-out, in closed form; otherwise by K-fold over the groups, since leaving out one
        row of a group would leave its neighbours in.
    penalties
        ``(q,)`` candidates; the one with the smallest validation error is taken, the smallest of
        equal ones.

    Returns
    -------
    RidgeFit
    """
    path = _decompose(design, target)
    n_groups = np.unique(groups).size
    if n_groups == target.size or n_groups < 2:
        errors = path.leave_one_out(penalties)
    else:
        folds = _inner_folds(groups.tobytes(), groups.dtype.str, min(_INNER_FOLDS, n_groups))
        if path.ill_scaled:
            errors = _refitted(design, target, folds, penalties)
        else:
            errors = _held_out(path, folds, penalties)
    loss = np.mean(errors**2, axis=0)
    best = int(np.argmin(loss))
    coefficients = path.coefficients(penalties[best : best + 1])[:, 0]
    variance = float(np.mean(path.centred_target**2))
    return RidgeFit(
        coefficients=coefficients,
        intercept=path.target_mean - float(path.mean @ coefficients),
        penalty=float(penalties[best]),
        validation_r2=1.0 - float(loss[best]) / variance if variance > 0 else float("nan"),
    )


# The readouts of one training set, under all conditions, leave out the same groups.
@lru_cache(maxsize=64)
def _inner_folds(groups: bytes, dtype: str, folds: int) -> tuple[Int[np.ndarray, " _"], ...]:
    """Rows of each fold of whole groups."""
    labels = np.frombuffer(groups, dtype=dtype)
    return tuple(test for _, test in GroupKFold(folds).split(labels, groups=labels))


def _held_out(
    path: _Path, folds: Sequence[Int[np.ndarray, " _"]], penalties: Float[np.ndarray, " q"]
) -> Float[np.ndarray, "n q"]:
    """Errors of held-out rows, from the decomposition of all rows less what the fold adds to it.

    In the basis of the eigenvectors the products of all rows are diagonal; the mean of the rows
    that remain moves with those that are left out.
    """
    scores = path.left * np.sqrt(path.eigenvalues)
    target = path.centred_target
    products, sides, means = [], [], []
    for rows in folds:
        x, y, rest = scores[rows], target[rows], target.size - rows.size
        total, target_total = x.sum(axis=0), y.sum()
        products.append(np.diag(path.eigenvalues) - x.T @ x - np.outer(total, total) / rest)
        sides.append(scores.T @ target - x.T @ y - total * target_total / rest)
        means.append((-total / rest, -target_total / rest))
    values, vectors = np.linalg.eigh(np.stack(products))
    errors = np.empty((target.size, penalties.size))
    for rows, value, vector, side, (mean, target_mean) in zip(
        folds, np.maximum(values, 0.0), vectors, sides, means, strict=True
    ):
        shrunk = (vector.T @ side)[:, None] / (value[:, None] + penalties)
        prediction = (scores[rows] - mean) @ (vector @ shrunk) + target_mean
        errors[rows] = target[rows, None] - prediction
    return errors


def _refitted(
    design: Float[np.ndarray, "n p"],
    target: Float[np.ndarray, " n"],
    folds: Sequence[Int[np.ndarray, " _"]],
    penalties: Float[np.ndarray, " q"],
) -> Float[np.ndarray, "n q"]:
    errors = np.empty((target.size, penalties.size))
    for test in folds:
        train = np.setdiff1d(np.arange(target.size), test)
        path = _decompose(design[train], target[train])
        prediction = (design[test] - path.mean) @ path.coefficients(penalties) + path.target_mean
        errors[test] = target[test, None] - prediction
    return errors
