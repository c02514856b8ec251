"""Differences between folds of repeated cross-validation: the corrected resampled t.

The cross-check of the optimism-corrected group t. Folds share training rows, so the variance of
their mean is larger than ``var / J``; Nadeau and Bengio (2003, Machine Learning 52, equation 7)
replace ``1 / J`` by ``1 / J + n_test / n_train``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pytest_benchcheck.checks.inference import Contrast, student_quantile
from pytest_benchcheck.checks.readout import Problem, Scores
from pytest_benchcheck.checks.shapes import Float

__all__ = ["FoldDifferences", "fold_differences"]


@dataclass(frozen=True, eq=False)
class FoldDifferences:
    """Scores of every fold, with Nadeau and Bengio's variance of their mean.

    Attributes
    ----------
    folds
        Name -> ``(J,)`` score of each fold.
    groups
        Number of independent groups behind the folds.
    test_to_train
        Rows held out over rows trained on, averaged over the folds.
    """

    folds: Mapping[Any, Float[np.ndarray, " J"]]
    groups: int
    test_to_train: float

    @property
    def scores(self) -> dict[Any, float]:
        """Name -> mean over the folds."""
        return {name: float(values.mean()) for name, values in self.folds.items()}

    def mean_of(self, name: str, members: Sequence[str]) -> FoldDifferences:
        """Replace ``members`` by their mean under one ``name``."""
        kept = {key: values for key, values in self.folds.items() if key not in members}
        mean = np.mean([self.folds[member] for member in members], axis=0)
        return replace(self, folds=kept | {name: mean})

    def single(self, name: Any) -> Contrast:
        """The score of one representation."""
        return self._contrast(self.folds[name])

    def difference(self, first: Any, second: Any) -> Contrast:
        """Score of ``first`` minus score of ``second``."""
        return self._contrast(self.folds[first] - self.folds[second])

    def contrast(self, weights: Mapping[Any, float]) -> Contrast:
        """``sum(weight * score)``."""
        return self._contrast(np.sum([w * self.folds[n] for n, w in weights.items()], axis=0))

    def _contrast(self, values: Float[np.ndarray, " J"]) -> Contrast:
        variance = (1 / values.size + self.test_to_train) * float(values.var(ddof=1))
        return Contrast(float(values.mean()), float(np.sqrt(variance)), values.size - 1)

    def range_quantile(self, confidence: float, k: int) -> float:
        """Student's quantile, Bonferroni over the pairs of ``k``."""
        return student_quantile(confidence, self._df, k * (k - 1) // 2)

    def best_quantile(self, confidence: float, k: int) -> float:
        """One-sided Student quantile, Bonferroni over ``k``."""
        return student_quantile(2 * confidence - 1, self._df, k)

    @property
    def _df(self) -> int:
        return int(next(iter(self.folds.values())).size) - 1


def fold_differences(scores: Mapping[Any, Scores], problem: Problem) -> FoldDifferences:
    """Collect the fold scores of several representations read out on the same folds."""
    ratios = [fold.test.size / fold.train.size for fold in problem.folds]
    return FoldDifferences(
        {name: score.fold_scores for name, score in scores.items()},
        int(problem.groups.max()) + 1,
        float(np.mean(ratios)),
    )
