"""What a check returns: a frozen result with a verdict, and its plain-data form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

__all__ = [
    "CheckResult",
    "EffectSizeResult",
    "ErasureResult",
    "Interval",
    "SpreadResult",
    "SwapResult",
    "Verdict",
    "plain",
]

Verdict: TypeAlias = Literal["pass", "fail", "undecided", "not_applicable", "error"]
Interval: TypeAlias = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """Verdict of one check, with the evidence for it.

    Attributes
    ----------
    verdict
        ``pass`` (shown to hold), ``fail`` (shown not to hold), ``undecided`` (these data cannot
        tell), ``not_applicable`` or ``error``.
    summary
        One sentence in plain words.
    estimate, interval
        What is compared with ``bar``, and its confidence interval; None where unknown.
    bar
        The threshold that was asked for.
    confidence
        Confidence level of ``interval``.
    episodes
        Number of rows judged.
    seed
        Seed of the folds, derangements and control directions.
    minimum_detectable
        Distance from the bar that these data could have decided, in units of ``estimate``.
    episodes_needed
        Episodes that would decide with a probability of 80 %, if the estimate is the truth; None
        where unknown. Less than ``episodes`` where these data were more than enough.
    rows
        The table: one mapping a row.
    findings
        What the author should know beyond the verdict.
    warnings
        What the check had to work around.
    """

    check: ClassVar[str] = ""

    verdict: Verdict
    summary: str = ""
    estimate: float | None = None
    interval: Interval | None = None
    bar: float | None = None
    confidence: float = 0.95
    episodes: int | None = None
    seed: int | None = None
    minimum_detectable: float | None = None
    episodes_needed: int | None = None
    rows: tuple[Mapping[str, Any], ...] = ()
    findings: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: strings, finite numbers, booleans, lists, None for unknown."""
        fields = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name != "check"
        }
        return {"check": self.check, **{name: plain(value) for name, value in fields.items()}}


@dataclass(frozen=True, kw_only=True)
class SpreadResult(CheckResult):
    """Result of :func:`spread`: ``estimate`` is the range over the representations.

    Attributes
    ----------
    metric
        ``"r2"``, ``"accuracy"`` or ``"score"``: the key of the value in each row.
    best_minus_trivial, best_minus_trivial_interval
        Best candidate minus best trivial representation; None without a candidate or without a
        trivial one. Negative: no candidate beats the trivial baselines.
    references
        Rows for the floor (covariates alone) and the ceiling (simulator state).
    separability
        One mapping a pair of representations: ``higher``, ``lower``, ``difference``, ``interval``
        (simultaneous over all pairs), ``separated``. Empty where there is no interval.
    distinguishable_ranks
        How many ranks a leaderboard of these representations may claim; None where unknown.
    by_training_rows
        The spread at a quarter, half and all of the training rows: ``training_rows``, ``spread``,
        ``scores`` (name -> score). Empty where a quarter is too little to read out from.
    headroom_share
        The spread over the distance from the floor to the highest ceiling; None without both.
    """

    check: ClassVar[str] = "spread"

    metric: str = "score"
    best_minus_trivial: float | None = None
    best_minus_trivial_interval: Interval | None = None
    references: tuple[Mapping[str, Any], ...] = ()
    separability: tuple[Mapping[str, Any], ...] = ()
    distinguishable_ranks: int | None = None
    by_training_rows: tuple[Mapping[str, Any], ...] = ()
    headroom_share: float | None = None


@dataclass(frozen=True, kw_only=True)
class SwapResult(CheckResult):
    """Result of :func:`swap`: ``estimate`` is what is left, ``query_swapped - query``.

    It is that of the representation that the verdict rests on, see :func:`judge_swap_rows`.
    ``bar`` is the share of the gain that may survive the swap.
    """

    check: ClassVar[str] = "swap"

    metric: str = "r2"


@dataclass(frozen=True, kw_only=True)
class ErasureResult(CheckResult):
    """Result of :func:`erasure`: ``estimate`` is the largest cost minus its random control's."""

    check: ClassVar[str] = "erasure"

    metric: str = "r2"


@dataclass(frozen=True, kw_only=True)
class EffectSizeResult(CheckResult):
    """Result of :func:`effect_size_audit`: ``estimate`` is the smallest cell's mean abs(delta).

    Attributes
    ----------
    unit
        Unit of the outcome.
    scale
        Outcome scale per twin, in outcome units, that ``percent_of_scale`` refers to.
    """

    check: ClassVar[str] = "effect_size"

    unit: str = ""
    scale: Mapping[str, float] = field(default_factory=dict)


def plain(value: Any) -> Any:
    """Turn numpy values, tuples and mappings into JSON's own types; NaN and inf become None."""
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, bool, int)):
        return value
    return str(value)
