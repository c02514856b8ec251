"""Random derangements: permutations that give no row its own evidence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.shapes import Int

__all__ = ["derangement", "derangement_within"]

_SWEEPS = 20


def derangement(groups: Int[np.ndarray, " n"], rng: np.random.Generator) -> Int[np.ndarray, " n"]:
    """Draw a permutation that never maps a row to a row of its own group.

    With every row a group of its own this is a derangement in the usual sense. The draw starts
    from a rotation of the rows sorted by group, which keeps the rule, and then exchanges the images
    of random pairs and triples of rows wherever the rule still holds.

    Parameters
    ----------
    groups
        ``(n,)`` group numbers.
    rng
        Source of randomness.

    Returns
    -------
    ``(n,)`` int: row i takes the evidence of row ``result[i]``.

    Raises
    ------
    InputError
        If one group holds more than half of the rows (a single row included): no such
        permutation exists.
    """
    n = groups.size
    largest = int(np.bincount(groups).max()) if n else 0
    if 2 * largest > n:
        raise InputError(
            f"no swap exists: one group holds {largest} of {n} rows, so its rows cannot all take "
            f"another group's evidence. At least two groups are needed, none larger than half."
        )
    label_order = rng.permutation(int(groups.max()) + 1)
    shuffled = rng.permutation(n)
    order = shuffled[np.argsort(label_order[groups[shuffled]], kind="stable")]
    image = np.empty(n, dtype=np.intp)
    image[order] = np.roll(order, -largest)
    for _ in range(_SWEEPS):
        # Pairs alone never leave the start among three groups of one size.
        for size in (2, 3):
            _exchange(image, groups, rng, size)
    return image


def _exchange(
    image: Int[np.ndarray, " n"],
    groups: Int[np.ndarray, " n"],
    rng: np.random.Generator,
    size: int,
) -> None:
    """Rotate the images of disjoint random sets of ``size`` rows wherever the rule still holds."""
    count = image.size // size
    rows = rng.permutation(image.size)[: count * size].reshape(size, count)
    images = image[np.roll(rows, 1, axis=0)]
    # Each set by the toss of a coin: moving all of them at once never leaves the 4-cycles among
    # four rows.
    allowed = (groups[images] != groups[rows]).all(axis=0) & (rng.random(count) < 0.5)
    image[rows[:, allowed]] = images[:, allowed]


def derangement_within(
    parts: Sequence[Int[np.ndarray, " _"]],
    groups: Int[np.ndarray, " n"],
    rng: np.random.Generator,
) -> Int[np.ndarray, " n"]:
    """Derange inside each part (the test rows of each fold) where that is possible.

    A derangement that stays inside the folds permutes the training rows of every fold among
    themselves: no test row's evidence reaches a fit, and the swapped blocks have the same
    principal components as the true ones. Where a part holds too few groups for that (at G = 10
    and five folds of unequal groups, say) the rows of all parts are deranged together.
    """
    image = np.empty(groups.size, dtype=np.intp)
    for part in parts:
        if 2 * int(np.bincount(groups[part]).max()) > part.size:
            return derangement(groups, rng)
        inside = np.unique(groups[part], return_inverse=True)[1]
        image[part] = part[derangement(inside, rng)]
    return image
