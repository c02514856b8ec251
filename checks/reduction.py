"""One block of features and its principal components on any set of training rows."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackError, eigsh

from pytest_benchcheck.checks.shapes import Bool, Float, Int, Shaped

__all__ = ["Block"]

# Up to this width the covariance matrix is decomposed whole; above it the Gram matrix of the rows,
# whose size does not depend on the width.
_NARROW = 512
_CHUNK = 4096
# Lanczos iteration is the faster way to the leading eigenvectors while they are few.
_LANCZOS_SHARE = 8
_EPSILON = float(np.finfo(np.float64).eps)
# Features arrive in float32, whose rounding stands at 6e-8 of the largest entry: components below
# this share of the first singular value are rounding, and standardising would make them features.
_RELATIVE_RANK = 1e-6


class Block:
    """``(n, d)`` features of one clip, with a memory of the reductions already computed.

    Pass the same block to several checks and they share the work.

    Parameters
    ----------
    features
        ``(n, d)`` finite numbers; kept in their own dtype, accumulated in float64.
    """

    def __init__(self, features: Shaped[np.ndarray, "n d"]) -> None:
        self.features = features
        self._gram: Float[np.ndarray, "n n"] | None = None
        self._scores: dict[bytes, tuple[int, Float[np.ndarray, "n k"]]] = {}

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.features.shape[0])

    @property
    def d(self) -> int:
        """Number of columns."""
        return int(self.features.shape[1])

    @property
    def constant(self) -> bool:
        """Whether all rows are equal."""
        return bool((self.features == self.features[0]).all())

    @cached_property
    def _level(self) -> float:
        return max(abs(float(self.features.max())), abs(float(self.features.min())))

    def scores(self, rows: Int[np.ndarray, " train"], k: int) -> Float[np.ndarray, "n k2"]:
        """Principal-component scores of all rows, with the components fitted on ``rows``.

        Parameters
        ----------
        rows
            Sorted row numbers that the centre and the components are fitted on.
        k
            Number of components asked for; fewer come back where the rank is smaller.

        Returns
        -------
        ``(n, k2)`` float64 with ``k2 <= k``: columns in order of falling variance. A component
        whose singular value is below the rounding error of the largest is dropped.
        """
        key = rows.tobytes()
        asked, known = self._scores.get(key, (0, None))
        if known is None or asked < k:
            at_most = max(min(k, self.d, rows.size - 1), 0)
            reduce = self._narrow if self.d <= _NARROW else self._wide
            known = reduce(rows, at_most)
            self._scores[key] = (k, known)
        return known[:, :k]

    def _narrow(self, rows: Int[np.ndarray, " train"], k: int) -> Float[np.ndarray, "n k2"]:
        """Decompose the covariance of the training rows."""
        features = self.features.astype(np.float64)
        # Relative to one training row, a column that is constant on the training rows is exactly
        # zero; less its mean alone, the mean's rounding would remain and be standardised.
        centred = features - features[rows[0]]
        centred -= centred[rows].mean(axis=0)
        train = centred[rows]
        values, vectors = _leading(train.T @ train, k)
        keep = _above_rounding(values, floor=self._rounding(rows))
        scores: Float[np.ndarray, "n k2"] = centred @ vectors[:, keep]
        return scores

    def _wide(self, rows: Int[np.ndarray, " train"], k: int) -> Float[np.ndarray, "n k2"]:
        """Decompose the Gram matrix of the training rows; it is centred, not the features."""
        gram = self.gram()
        inner = gram[np.ix_(rows, rows)]
        row_means = inner.mean(axis=1)
        grand_mean = float(row_means.mean())
        centred = inner - row_means[:, None] - row_means + grand_mean
        values, vectors = _leading(centred, k)
        floor = rows.size * _EPSILON * float(np.max(np.diag(inner), initial=0.0))
        keep = _above_rounding(values, floor=max(floor, self._rounding(rows)))
        values, vectors = values[keep], vectors[:, keep]
        outer = gram[:, rows]
        outer = outer - outer.mean(axis=1, keepdims=True) - row_means + grand_mean
        scores: Float[np.ndarray, "n k2"] = outer @ (vectors / np.sqrt(values))
        return scores

    def _rounding(self, rows: Int[np.ndarray, " train"]) -> float:
        """Sum of squares that the last digit of every entry adds up to."""
        return rows.size * self.d * (self._level * _EPSILON) ** 2

    def prepare(self) -> None:
        """Do the work that every reduction of this block shares."""
        if self.d > _NARROW:
            self.gram()

    def gram(self) -> Float[np.ndarray, "n n"]:
        """Inner products of the rows, float64, after the mean of all rows is taken off.

        Taking off the common mean changes no principal component and keeps the digits: frames
        that are alike have inner products far larger than their differences.
        """
        if self._gram is None:
            gram = np.zeros((self.n, self.n))
            for start in range(0, self.d, _CHUNK):
                chunk = self.features[:, start : start + _CHUNK].astype(np.float64)
                chunk -= chunk.mean(axis=0)
                gram += chunk @ chunk.T
            self._gram = gram
        return self._gram


def _leading(
    matrix: Float[np.ndarray, "m m"], k: int
) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, "m k"]]:
    """Largest ``k`` eigenvalues, falling, and their eigenvectors of a symmetric matrix."""
    m = matrix.shape[0]
    if k == 0:
        return np.zeros(0), np.zeros((m, 0))
    if _LANCZOS_SHARE * k < m:
        start = np.random.default_rng(0).standard_normal(m)
        try:
            values, vectors = eigsh(matrix, k=k, which="LA", v0=start, tol=0)
        except ArpackError:
            # Few distinct eigenvalues (duplicated or one-hot rows) can stall the iteration.
            values, vectors = eigh(matrix, subset_by_index=(m - k, m - 1))
    else:
        values, vectors = eigh(matrix, subset_by_index=(m - k, m - 1))
    order = np.argsort(values)[::-1]
    return values[order], vectors[:, order]


def _above_rounding(values: Float[np.ndarray, " k"], floor: float) -> Bool[np.ndarray, " k"]:
    largest = float(values.max(initial=0.0))
    keep: Bool[np.ndarray, " k"] = values > max(floor, largest * _RELATIVE_RANK**2)
    return keep
