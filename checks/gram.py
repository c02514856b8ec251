"""Inner products of rows, streamed over the columns so that wide features need no second copy."""

from __future__ import annotations

import joblib
import numpy as np

from pytest_benchcheck.checks.parallel import one_blas_thread
from pytest_benchcheck.checks.shapes import Float, Shaped

__all__ = ["centred_gram", "pieces"]

_TILE = 256
_CHUNK_BYTES = 32 * 2**20


def centred_gram(
    features: Shaped[np.ndarray, "n d"], *, jobs: int = -1
) -> Float[np.ndarray, "n n"]:
    """Inner products of the rows of ``features`` less their mean.

    Taking off the common mean changes no principal component and keeps the digits: frames that are
    alike have inner products far larger than their differences.

    Parameters
    ----------
    features
        ``(n, d)`` numbers, in memory or a memory map; read once, a chunk of columns at a time.
    jobs
        Number of threads. They share the result and split it by rows, so that it does not depend
        on their number.

    Returns
    -------
    ``(n, n)`` float64, accumulated in float64 whatever the dtype of ``features``.
    """
    n, d = features.shape
    gram = np.zeros((n, n))
    starts = range(0, n, _TILE)
    width = max(_CHUNK_BYTES // (8 * n), 64)

    def add(chunk: Float[np.ndarray, "n c"], start: int) -> None:
        stop = min(start + _TILE, n)
        gram[start:stop, :stop] += chunk[start:stop] @ chunk[:stop].T

    with one_blas_thread(), joblib.Parallel(n_jobs=jobs, require="sharedmem") as threads:
        for left in range(0, d, width):
            chunk = features[:, left : left + width].astype(np.float64)
            chunk -= chunk.mean(axis=0)
            # The longest strips first, so that no thread is left with one at the end.
            threads(joblib.delayed(add)(chunk, start) for start in reversed(starts))
    for start in starts:
        stop = min(start + _TILE, n)
        gram[:start, start:stop] = gram[start:stop, :start].T
        corner = np.tril(gram[start:stop, start:stop])
        gram[start:stop, start:stop] = corner + np.tril(corner, -1).T
    return gram


def pieces(features: Shaped[np.ndarray, "n d"]) -> list[slice]:
    """Slices of rows whose size in memory is small, whatever the width."""
    n, d = features.shape
    height = max(_CHUNK_BYTES // max(8 * d, 1), 1)
    return [slice(start, min(start + height, n)) for start in range(0, n, height)]
