"""Lines of a spread: representations by role, random seeds as one mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.inference import (
    MIN_GROUPS,
    Differences,
    GroupSums,
    student_quantile,
)
from pytest_benchcheck.checks.roles import Role, random_mean_name

__all__ = ["Entry", "entries_of", "entry_row", "range_of", "sides"]


@dataclass(frozen=True)
class Entry:
    """One line of the comparison: a representation, or the mean over random seeds."""

    name: str
    role: Role
    score: float
    members: Mapping[str, float]


def entries_of(scores: Mapping[str, float], roles: Mapping[str, Role]) -> list[Entry]:
    """Random representations as their mean, then trivial ones, then candidates.

    Raises
    ------
    InputError
        If only random representations were given.
    """
    random = {name: score for name, score in scores.items() if roles[name] == "random"}
    entries = []
    if random:
        name = random_mean_name(list(random))
        if roles.get(name, "random") != "random":
            name = f"{name} (mean of {len(random)})"
        entries.append(Entry(name, "random", float(np.mean(list(random.values()))), random))
    entries += [
        Entry(name, roles[name], score, {})
        for role in ("trivial", "candidate")
        for name, score in scores.items()
        if roles[name] == role
    ]
    if len(entries) < 2:
        raise InputError(
            f"only random representations were given ({list(scores)}): they enter as one mean. "
            f"Add raw pixels or a candidate to compare them with."
        )
    return entries


def sides(entries: Sequence[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Candidates, and what they have to beat."""
    candidates = [entry for entry in entries if entry.role == "candidate"]
    return candidates, [entry for entry in entries if entry.role != "candidate"]


def range_of(entries: Sequence[Entry]) -> float:
    """Highest minus lowest score."""
    values = [entry.score for entry in entries]
    return max(values) - min(values)


def entry_row(
    entry: Entry, metric: str, sums: Differences | None, confidence: float
) -> dict[str, object]:
    """One row of the table; without intervals where ``sums`` is None or has too few groups."""
    row: dict[str, object] = {
        "representation": entry.name,
        "role": entry.role,
        metric: entry.score,
        "interval": None,
    }
    if sums is not None and sums.groups >= MIN_GROUPS:
        single = sums.single(entry.name)
        half = student_quantile(confidence, single.df) * single.standard_error
        row["interval"] = (entry.score - half, entry.score + half)
        if metric == "r2" and isinstance(sums, GroupSums):
            row["pooled_r2"] = single.estimate
    if list(entry.members) not in ([], [entry.name]):
        row["members"] = dict(entry.members)
    return row
