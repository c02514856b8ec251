"""What a check could resolve, told from the simulator alone, before any encoder has run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pytest_benchcheck.checks.inference import (
    MIN_GROUPS,
    group_sums,
    student_quantile,
    tukey_quantile,
)
from pytest_benchcheck.checks.inputs import make_problem, reference_blocks
from pytest_benchcheck.checks.readout import Condition, cross_validate

__all__ = ["Resolution", "resolution"]


@dataclass(frozen=True)
class Resolution:
    """Standard error of a difference between two representations, by how well they do.

    Attributes
    ----------
    metric
        ``"r2"`` or ``"accuracy"``.
    scores
        Reference -> its score on the probe: ``"covariates alone"`` (or ``"the mean alone"``, where
        there are none) and the simulator-state references.
    standard_errors
        Reference -> standard error, at ``episodes``, of the difference between two representations
        that do as well as it and err independently of each other. Errors of real representations
        go together, so that this is the most that is to be expected.
    episodes, groups
        What the standard errors are extrapolated to.
    """

    metric: str
    scores: Mapping[str, float]
    standard_errors: Mapping[str, float]
    episodes: int
    groups: int

    def half_width(self, reference: str, *, representations: int, confidence: float) -> float:
        """Half-width of the spread's interval: Tukey over the pairs of representations."""
        quantile = tukey_quantile(confidence, max(representations, 2), self.groups - 1)
        return quantile * self.standard_errors[reference]

    def half_width_of_one(self, reference: str, *, comparisons: int, confidence: float) -> float:
        """Half-width for one difference of two conditions: Bonferroni over ``comparisons``."""
        quantile = student_quantile(confidence, self.groups - 1, comparisons)
        return quantile * self.standard_errors[reference]


def resolution(
    target: Any,
    *,
    covariates: Any = None,
    groups: Any = None,
    references: Mapping[str, Any] | None = None,
    episodes: int,
    seed: int = 0,
) -> Resolution | None:
    """Extrapolate standard errors from a probe of a few episodes.

    Parameters
    ----------
    target, covariates, groups, references
        Of the probe's episodes, as in :func:`spread`.
    episodes
        Number of episodes to plan for. Standard errors shrink with its square root, at the
        probe's number of episodes a group.
    seed
        Seed of the folds.

    Returns
    -------
    None where the probe has fewer than 10 groups.

    Raises
    ------
    InputError
        If the probe cannot be judged.
    """
    problem, _ = make_problem(target, covariates=covariates, groups=groups, seed=seed)
    n_groups = int(problem.groups.max()) + 1
    if n_groups < MIN_GROUPS:
        return None
    blocks = reference_blocks(references, problem.n)
    floor = "covariates alone" if problem.covariates.shape[1] else "the mean alone"
    conditions = {floor: Condition({})} | {name: Condition(parts) for name, parts in blocks.items()}
    scores = cross_validate(conditions, problem)
    sums = group_sums(scores, problem)
    growth = episodes / problem.n
    return Resolution(
        metric="r2" if problem.classes is None else "accuracy",
        scores={name: score.score for name, score in scores.items()},
        standard_errors={
            name: float(np.sqrt(2 / growth) * sums.contrast({name: 1.0}).standard_error)
            for name in scores
        },
        episodes=episodes,
        groups=max(round(n_groups * growth), 2),
    )
