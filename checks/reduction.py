"""One block of features and its principal components on any set of training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import ArpackError, eigsh

from pytest_benchcheck.checks.gram import centred_gram, pieces
from pytest_benchcheck.checks.shapes import Bool, Float, Int, Shaped

__all__ = ["Block"]

# Up to this width the covariance matrix is decomposed whole; above it the Gram matrix of the rows,
# whose size does not depend on the width.
_NARROW = 512
# Lanczos iteration is the faster way to the leading eigenvectors while they are few.
_LANCZOS_SHARE = 8
_EPSILON = float(np.finfo(np.float64).eps)
# Features arrive in float32, whose rounding stands at 6e-8 of the largest entry: components below
# this share of the first singular value are rounding, and standardising would make them features.
_RELATIVE_RANK = 1e-6


class Block:
    """``(n, d)`` features of one clip, with a memory of the reductions already computed.

    Pass the same block to several checks and they share the work. The memory beyond the features
    is ``n * n`` numbers, and ``n`` times the number of components for every set of training rows.

    Parameters
    ----------
    features
        ``(n, d)`` finite numbers, in memory or a memory map; kept in their own dtype, accumulated
        in float64.
    remember
        False: :meth:`forget` drops what was computed, so that one check uses the memory of one
        representation at a time.
    """

    def __init__(self, features: Shaped[np.ndarray, "n d"], *, remember: bool = True) -> None:
        self.features = features
        self.n, self.d = int(features.shape[0]), int(np.prod(features.shape[1:]))
        self.remember = remember
        self._gram: Float[np.ndarray, "n n"] | None = None
        self._scores: dict[bytes, tuple[int, Float[np.ndarray, "n k"]]] = {}
        self._level: float | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What a worker in another process needs: not the features where the Gram matrix stands."""
        state = self.__dict__ | {"_scores": {}}
        if self._gram is not None:
            state["features"] = None
        return state

    @property
    def wide(self) -> bool:
        """Whether the rows are decomposed by their inner products."""
        return self.d > _NARROW

    @property
    def constant(self) -> bool:
        """Whether all rows are equal."""
        return all(
            (self.features[rows] == self.features[0]).all() for rows in pieces(self.features)
        )

    def prepare(self) -> None:
        """Do the work that every reduction of this block shares, in threads."""
        self.level()
        if self.wide:
            self.gram()

    def gram(self, jobs: int = -1) -> Float[np.ndarray, "n n"]:
        """Inner products of the rows less their mean, see :func:`centred_gram`."""
        if self._gram is None:
            self._gram = centred_gram(self.features, jobs=jobs)
        return self._gram

    def level(self) -> float:
        """Largest absolute value."""
        if self._level is None:
            self._level = max(abs(float(self.features.max())), abs(float(self.features.min())))
        return self._level

    def forget(self) -> None:
        """Free what was computed, unless the block was made to remember it."""
        if not self.remember:
            self._gram, self._scores = None, {}

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
            reduce = self._wide if self.wide else self._narrow
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
        gram = self.gram(jobs=1)
        inner = gram[np.ix_(rows, rows)]
        diagonal = float(np.max(np.diag(inner), initial=0.0))
        row_means = inner.mean(axis=1)
        grand_mean = float(row_means.mean())
        inner -= row_means[:, None]
        inner -= row_means - grand_mean
        values, vectors = _leading(inner, k)
        floor = rows.size * _EPSILON * diagonal
        keep = _above_rounding(values, floor=max(floor, self._rounding(rows)))
        weights = vectors[:, keep] / np.sqrt(values[keep])
        # Centring acts on the weights from one side and on the products from the other; a row of
        # zeros for each held-out row spares a copy of the Gram matrix's columns.
        everywhere = np.zeros((self.n, weights.shape[1]))
        everywhere[rows] = weights - weights.mean(axis=0)
        scores: Float[np.ndarray, "n k2"] = gram @ everywhere
        scores -= scores[rows].mean(axis=0)
        return scores

    def _rounding(self, rows: Int[np.ndarray, " train"]) -> float:
        """Sum of squares that the last digit of every entry adds up to."""
        return rows.size * self.d * (self.level() * _EPSILON) ** 2


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
            values, vectors = np.linalg.eigh(matrix)
    else:
        values, vectors = np.linalg.eigh(matrix)
    values, vectors = values[-k:], vectors[:, -k:]
    order = np.argsort(values)[::-1]
    return values[order], vectors[:, order]


def _above_rounding(values: Float[np.ndarray, " k"], floor: float) -> Bool[np.ndarray, " k"]:
    largest = float(values.max(initial=0.0))
    keep: Bool[np.ndarray, " k"] = values > max(floor, largest * _RELATIVE_RANK**2)
    return keep
