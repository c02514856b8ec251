"""The verdict of a swap, from the verdicts of its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_benchcheck.checks.results import Verdict

__all__ = ["judge_swap_rows"]


def judge_swap_rows(
    rows: Sequence[dict[str, Any]], at_most: float
) -> tuple[Verdict, dict[str, Any], str]:
    """Put the rows' verdicts together: the verdict, the row that it rests on, and why.

    The verdict rests on the representation that gains most, for it is its score that the benchmark
    is cited for. A share of a small gain is a number that no affordable size resolves; it does not
    hold up the verdict unless it is shown to be too large.

    Parameters
    ----------
    rows
        Rows of a swap, whose ``verdict`` is ``"no gain"``, ``"pass"``, ``"fail"`` or
        ``"undecided"``.
    at_most
        Share of the gain that may survive.
    """
    gaining = [row for row in rows if row["verdict"] != "no gain"]
    most = max(gaining or rows, key=lambda row: row["gain"])
    failed = [row for row in gaining if row["verdict"] == "fail"]
    if failed:
        worst = max(failed, key=lambda row: row["left"])
        return (
            "fail",
            worst,
            f"{worst['representation']} keeps {100 * worst['left'] / worst['gain']:.0f} % of its "
            f"gain with another episode's evidence, and at most {100 * at_most:g} % may survive: "
            f"what it uses is not this episode's evidence.",
        )
    if not gaining:
        return (
            "undecided",
            most,
            "no representation is shown to gain from the evidence, so the swap cannot show that "
            "the evidence is used.",
        )
    if most["verdict"] == "pass":
        shown = [row for row in gaining if row["verdict"] == "pass"]
        return (
            "pass",
            most,
            f"the swap removes the gain of {most['representation']} ({most['gain']:+.3f}) to "
            f"within {100 * at_most:g} %, {len(shown)} of {len(rows)} representations are shown to "
            f"lose it and none to keep it: the readout uses the episode's own evidence.",
        )
    return (
        "undecided",
        most,
        f"these data cannot tell whether more than {100 * at_most:g} % of the gain of "
        f"{most['representation']} ({most['gain']:+.3f}) survives.",
    )
