"""Intervals for differences between representations scored on the same rows.

The optimism-corrected group t: each group counts once as test data and, through its pull on the
other fits, once more as training data, so the plain group-level variance is too small by about
``(1 + pull)**2``. The pull is measured from the optimism of the fits, as
``a = 2 * held_out_loss / (held_out_loss + training_loss)``, in [1, 2]. Valid from 10 groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import brentq

from pytest_benchcheck.checks.readout import Problem, Scores
from pytest_benchcheck.checks.shapes import Float, Int

__all__ = [
    "MIN_GROUPS",
    "Contrast",
    "Differences",
    "GroupSums",
    "dunnett_quantile",
    "group_sums",
    "group_sums_of_errors",
    "group_sums_of_losses",
    "group_sums_of_scores",
    "student_quantile",
    "tukey_quantile",
]

MIN_GROUPS = 10
_LARGEST_PULL = 2.0


@dataclass(frozen=True)
class Contrast:
    """A linear combination of scores: estimate, standard error and degrees of freedom."""

    estimate: float
    standard_error: float
    df: int

    def bounds(self, quantile: float) -> tuple[float, float]:
        """``estimate -+ quantile * standard_error``."""
        half = quantile * self.standard_error
        return (self.estimate - half, self.estimate + half)


@runtime_checkable
class Differences(Protocol):
    """Scores of several representations, and how far their differences can be trusted."""

    @property
    def scores(self) -> Mapping[Any, float]:
        """Name -> score."""
        ...

    @property
    def groups(self) -> int:
        """Number of independent groups behind the scores."""
        ...

    def mean_of(self, name: str, members: Sequence[str]) -> Differences:
        """Replace ``members`` by their mean under one ``name``."""
        ...

    def single(self, name: Any) -> Contrast:
        """The score of one representation."""
        ...

    def difference(self, first: Any, second: Any) -> Contrast:
        """Score of ``first`` minus score of ``second``."""
        ...

    def contrast(self, weights: Mapping[Any, float]) -> Contrast:
        """``sum(weight * score)``."""
        ...

    def range_quantile(self, confidence: float, k: int) -> float:
        """Two-sided quantile that holds for all pairs of ``k`` at once."""
        ...

    def best_quantile(self, confidence: float, k: int) -> float:
        """One-sided quantile that holds for ``k`` against one baseline at once."""
        ...


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Each group's share in the scores of several representations.

    Attributes
    ----------
    scores
        Name -> score (pooled out-of-fold R2, accuracy, or mean score).
    influence
        Name -> ``(G,)``: the group's pull on the score, already divided by the score's
        denominator; sums over groups of differences of these give differences of scores up to
        the optimism factor.
    sizes
        ``(G,)`` rows in each group.
    denominator
        ``(G,)`` the group's share in the total sum of squares that R2 divides by; zero for scores
        without a denominator. It cancels in differences, where it is common to both sides.
    """

    scores: Mapping[Any, float]
    influence: Mapping[Any, Float[np.ndarray, " G"]]
    sizes: Float[np.ndarray, " G"]
    denominator: Float[np.ndarray, " G"]

    @property
    def groups(self) -> int:
        """Number of groups, G."""
        return int(self.sizes.size)

    def range_quantile(self, confidence: float, k: int) -> float:
        """Tukey's quantile for all pairs of ``k``."""
        return tukey_quantile(confidence, k, self.groups - 1)

    def best_quantile(self, confidence: float, k: int) -> float:
        """Dunnett's one-sided quantile for ``k`` against one baseline."""
        return dunnett_quantile(confidence, k, self.groups - 1)

    def mean_of(self, name: str, members: Sequence[str]) -> GroupSums:
        """Replace ``members`` by their mean under one ``name``."""
        keep = [key for key in self.scores if key not in members]
        scores = {key: self.scores[key] for key in keep}
        influence = {key: self.influence[key] for key in keep}
        scores[name] = float(np.mean([self.scores[key] for key in members]))
        influence[name] = np.mean([self.influence[key] for key in members], axis=0)
        return GroupSums(scores, influence, self.sizes, self.denominator)

    def contrast(self, weights: Mapping[Any, float]) -> Contrast:
        """Estimate ``sum(weight * score)`` with its group-level standard error."""
        estimate = float(sum(w * self.scores[name] for name, w in weights.items()))
        d = np.sum([w * self.influence[name] for name, w in weights.items()], axis=0)
        return self._contrast(estimate, d)

    def single(self, name: Any) -> Contrast:
        """The score of one representation, its denominator's sampling error included."""
        d = self.influence[name] + (1.0 - self.scores[name]) * self.denominator
        return self._contrast(self.scores[name], d)

    def _contrast(self, estimate: float, d: Float[np.ndarray, " G"]) -> Contrast:
        residual = d - self.sizes * d.sum() / self.sizes.sum()
        n_groups = self.groups
        variance = n_groups / max(n_groups - 1, 1) * float(np.sum(residual**2))
        return Contrast(estimate, float(np.sqrt(variance)), n_groups - 1)

    def difference(self, first: Any, second: Any) -> Contrast:
        """Score of ``first`` minus score of ``second``."""
        return self.contrast({first: 1.0, second: -1.0})


def _sums(
    values: Float[np.ndarray, " n"], groups: Int[np.ndarray, " n"]
) -> Float[np.ndarray, " G"]:
    sums: Float[np.ndarray, " G"] = np.bincount(groups, weights=values)
    return sums


def _optimism(score: Scores) -> float:
    """``2 * held_out / (held_out + training)``, kept in [1, 2]."""
    held_out = float(np.mean(score.loss))
    both = held_out + score.train_loss
    return min(max(2.0 * held_out / both, 1.0), _LARGEST_PULL) if both > 0 else 1.0


def group_sums_of_losses(
    scores: Mapping[Any, Scores],
    target: Float[np.ndarray, " n"],
    groups: Int[np.ndarray, " n"],
) -> GroupSums:
    """Group sums for pooled out-of-fold R2: ``R2_j = 1 - sum_i L_ij / SST``.

    Differences of R2 divide by one SST that all representations share, so that decisions about
    R2 and about losses are the same decisions.
    """
    sst_rows = (target - target.mean()) ** 2
    sst = float(sst_rows.sum())
    r2, influence = {}, {}
    for name, score in scores.items():
        r2[name] = 1.0 - float(score.loss.sum()) / sst
        influence[name] = -_optimism(score) * _sums(score.loss, groups) / sst
    sizes = np.bincount(groups).astype(np.float64)
    return GroupSums(r2, influence, sizes, _sums(sst_rows, groups) / sst)


def group_sums_of_errors(scores: Mapping[Any, Scores], groups: Int[np.ndarray, " n"]) -> GroupSums:
    """Group sums for accuracy, ``1 - mean of the 0/1 loss``.

    The pull cannot be measured from 0/1 losses (their optimism understates it: 7 % false alarms at
    a nominal 5 %), so it is taken at its largest possible value, 2.
    """
    n = groups.size
    accuracy = {name: 1.0 - float(score.loss.mean()) for name, score in scores.items()}
    influence = {
        name: -_LARGEST_PULL * _sums(score.loss, groups) / n for name, score in scores.items()
    }
    sizes = np.bincount(groups).astype(np.float64)
    return GroupSums(accuracy, influence, sizes, np.zeros(sizes.size))


def group_sums_of_scores(
    scores: Mapping[str, Float[np.ndarray, " n"]], groups: Int[np.ndarray, " n"]
) -> GroupSums:
    """Group sums for per-item scores: nothing was fitted, so nothing is corrected."""
    means = {name: float(np.mean(values)) for name, values in scores.items()}
    influence = {name: _sums(values, groups) / groups.size for name, values in scores.items()}
    sizes = np.bincount(groups).astype(np.float64)
    return GroupSums(means, influence, sizes, np.zeros(sizes.size))


def group_sums(scores: Mapping[Any, Scores], problem: Problem) -> GroupSums:
    """Group sums of R2 or accuracy, whichever the problem is scored by."""
    if problem.classes is None:
        return group_sums_of_losses(scores, problem.target, problem.groups)
    return group_sums_of_errors(scores, problem.groups)


def student_quantile(confidence: float, df: int, comparisons: int = 1) -> float:
    """Two-sided Student quantile, Bonferroni-corrected over ``comparisons``."""
    return float(stats.t.ppf(1 - (1 - confidence) / (2 * comparisons), df))


@lru_cache(maxsize=256)
def tukey_quantile(confidence: float, k: int, df: int) -> float:
    """Quantile for all pairwise differences of ``k``: studentised range over sqrt(2)."""
    return float(stats.studentized_range.ppf(confidence, k, df) / np.sqrt(2))


@lru_cache(maxsize=256)
def dunnett_quantile(confidence: float, k: int, df: int) -> float:
    """One-sided quantile of ``max_j (z_j - z_0) / (sqrt(2) s)`` over ``k`` representations.

    ``z`` are independent standard normals and ``df * s**2`` is chi-square (Dunnett 1955).
    """
    if k == 1:
        return float(stats.t.ppf(confidence, df))
    nodes, weights = np.polynomial.hermite_e.hermegauss(96)
    weights = weights / weights.sum()
    scale = stats.chi(df, scale=1 / np.sqrt(df))

    def coverage_given(s: float, critical: float) -> float:
        # Given the baseline's z_0 the k comparisons are independent.
        below = stats.norm.cdf(nodes + np.sqrt(2) * critical * s)
        return float(weights @ below**k)

    low, high = scale.ppf(1e-10), scale.isf(1e-10)

    def miss(critical: float) -> float:
        covered = quad(
            lambda s: coverage_given(s, critical) * scale.pdf(s), low, high, epsabs=1e-9, limit=200
        )[0]
        return float(covered - confidence)

    start = float(stats.t.ppf(confidence, df))
    return float(brentq(miss, start, start + 10 * np.sqrt(np.log(k) + 1), xtol=1e-8))
