"""How many episodes a verdict needs."""

from __future__ import annotations

import math

from scipy import stats

__all__ = ["episodes_to_decide"]

_POWER = 0.8


def episodes_to_decide(
    episodes: int, distance: float, half_width: float, quantile: float
) -> int | None:
    """Episodes that decide with a probability of 80 %, if the estimate is the truth.

    Standard errors shrink with the square root of the number of episodes, as long as the share of
    independent groups stays. The interval excludes the bar with probability 1/2 where its
    half-width equals the distance to the bar; 80 % takes a further 0.84 standard errors (Lehr's
    formula with the quantile in use). Readouts improve with more training rows, which this leaves
    out.

    Parameters
    ----------
    episodes
        Number of rows of the present estimate.
    distance
        Estimate minus bar.
    half_width
        Half-width of the present interval.
    quantile
        The multiple of the standard error that the half-width is.

    Returns
    -------
    None where the estimate lies on the bar (no size decides) or nothing varied.
    """
    if distance == 0 or half_width <= 0 or not math.isfinite(half_width):
        return None
    standard_error = half_width / quantile
    needed = episodes * ((quantile + stats.norm.ppf(_POWER)) * standard_error / distance) ** 2
    return math.ceil(needed) if needed < 1e9 else None
