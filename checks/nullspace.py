"""Iterative nullspace projection: take out every direction that a linear probe can read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_benchcheck.checks.ridge import fit_ridge
from pytest_benchcheck.checks.shapes import Float, Int

__all__ = ["AT_CHANCE", "Erased", "erase_property", "project_out", "random_directions"]

# Leave-one-out R2 of a tuned probe on features that do not carry the property is at most a few
# thousandths at the sizes used here: the penalty is then chosen so large that it predicts the mean.
AT_CHANCE = 0.01


@dataclass(frozen=True, eq=False)
class Erased:
    """What was taken out.

    Attributes
    ----------
    directions
        ``(p, r)`` orthonormal columns.
    probe_r2, probe_r2_after
        Validation R2 of the tuned probe on the fitting rows, before and after.
    """

    directions: Float[np.ndarray, "p r"]
    probe_r2: float
    probe_r2_after: float


def erase_property(
    design: Float[np.ndarray, "n p"],
    latent: Float[np.ndarray, " n"],
    groups: Int[np.ndarray, " n"],
    *,
    at_chance: float = AT_CHANCE,
) -> Erased:
    """Remove probe directions until a tuned ridge probe is at chance on these rows.

    Parameters
    ----------
    design
        ``(n, p)`` standardised features of the training rows.
    latent
        ``(n,)`` property to erase.
    groups
        ``(n,)`` group numbers; they decide how the probe's penalty is validated.
    at_chance
        Validation R2 that counts as chance.

    References
    ----------
    Ravfogel et al. 2020 (ACL), iterative nullspace projection; CALIPER, appendix B.
    """
    p = design.shape[1]
    directions = np.zeros((p, 0))
    projected = design
    first: float | None = None
    while True:
        probe = fit_ridge(projected, latent, groups)
        if first is None:
            first = probe.validation_r2
        norm = float(np.linalg.norm(probe.coefficients))
        if probe.validation_r2 <= at_chance or directions.shape[1] == p or norm == 0:
            return Erased(directions, first, probe.validation_r2)
        direction = probe.coefficients / norm
        # Once more against what is already out: rounding would let the columns drift from
        # orthogonal, and then P P = P no longer holds.
        direction = direction - directions @ (directions.T @ direction)
        direction /= np.linalg.norm(direction)
        directions = np.hstack([directions, direction[:, None]])
        projected = project_out(design, directions)


def project_out(
    design: Float[np.ndarray, "m p"], directions: Float[np.ndarray, "p r"]
) -> Float[np.ndarray, "m p"]:
    """Project the rows of ``design`` onto the complement of orthonormal ``directions``."""
    result: Float[np.ndarray, "m p"] = design - (design @ directions) @ directions.T
    return result


def random_directions(p: int, count: int, rng: np.random.Generator) -> Float[np.ndarray, "p count"]:
    """``count`` orthonormal directions, uniform over the subspaces of that rank."""
    basis: Float[np.ndarray, "p count"] = np.linalg.qr(rng.standard_normal((p, count)))[0]
    return basis
