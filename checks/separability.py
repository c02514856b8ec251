"""Which representations can be told apart, and how many ranks a leaderboard may claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from pytest_benchcheck.checks.inference import MIN_GROUPS, Differences

__all__ = ["Separability", "separability"]


@dataclass(frozen=True)
class Separability:
    """What the simultaneous intervals of all pairs allow to say.

    Attributes
    ----------
    pairs
        One mapping a pair, the higher score first: ``higher``, ``lower``, ``difference``,
        ``interval`` (simultaneous over all pairs), ``separated`` (zero lies outside).
    ranks
        Longest sequence of representations each of which is separated from the next: how many
        ranks the data support.
    rank_intervals
        Name -> (best, worst) rank it may have, 1 the best; simultaneous over the names.
    """

    pairs: tuple[Mapping[str, Any], ...]
    ranks: int
    rank_intervals: Mapping[str, tuple[int, int]]


def separability(sums: Differences, names: Sequence[str], confidence: float) -> Separability | None:
    """Compare all pairs of ``names``, simultaneously (Tukey).

    With probability ``confidence`` every pair that is called separated has the order stated, and so
    has every chain of such pairs. Each true rank then lies between one plus the number of
    representations shown to be better and ``k`` minus the number shown to be worse.

    Returns
    -------
    None with fewer than ``MIN_GROUPS`` groups.
    """
    if sums.groups < MIN_GROUPS:
        return None
    quantile = sums.range_quantile(confidence, len(names))
    ordered = sorted(names, key=lambda name: -sums.scores[name])
    pairs: list[Mapping[str, Any]] = []
    below: dict[str, set[str]] = {name: set() for name in ordered}
    for higher, lower in combinations(ordered, 2):
        contrast = sums.difference(higher, lower)
        interval = contrast.bounds(quantile)
        separated = interval[0] > 0
        if separated:
            below[higher].add(lower)
        pairs.append(
            {
                "higher": higher,
                "lower": lower,
                "difference": contrast.estimate,
                "interval": interval,
                "separated": separated,
            }
        )
    return Separability(tuple(pairs), _longest_chain(ordered, below), _ranks(ordered, below))


def _longest_chain(ordered: Sequence[str], below: Mapping[str, set[str]]) -> int:
    length: dict[str, int] = {}
    for name in reversed(ordered):
        length[name] = 1 + max((length[other] for other in below[name]), default=0)
    return max(length.values())


def _ranks(ordered: Sequence[str], below: Mapping[str, set[str]]) -> dict[str, tuple[int, int]]:
    beaten_by = {name: sum(name in lower for lower in below.values()) for name in ordered}
    return {name: (1 + beaten_by[name], len(ordered) - len(below[name])) for name in ordered}
