"""What the outcomes of an effect-size audit show beyond the single cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pytest_benchcheck.checks.effect_size_rows import CellRow, Component
from pytest_benchcheck.checks.shapes import Float

__all__ = ["constant_findings", "same_outcome_findings", "saturation_findings"]

# A share of seeds at one extreme that chance does not explain where the others differ.
_SATURATED = 0.5
# Success and failure are ends of a scale by nature: only nearly all of one kind leave no room.
_SATURATED_YES_NO = 0.9
_FEWEST_SEEDS = 4


def same_outcome_findings(rows: Sequence[CellRow]) -> list[str]:
    """Cells of one task that give one and the same outcome: they are one cell in effect."""
    by_outcome: dict[tuple[str, bytes], list[CellRow]] = {}
    for row in rows:
        if row.moves:
            outcomes = b"".join(c.outcomes.tobytes() for c in row.components)
            by_outcome.setdefault((row.task, outcomes), []).append(row)
    return [
        f"{task}: {', '.join(row.property for row in same)} give identical outcomes with every "
        f"seed; they are one cell in effect."
        for (task, _), same in by_outcome.items()
        if len(same) > 1
    ]


def constant_findings(rows: Sequence[CellRow]) -> list[str]:
    """Components that no cell of a task moves at all, be they one value or one for each seed."""
    findings = []
    by_task: dict[str, list[CellRow]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    for task, same in by_task.items():
        for component in same[0].components:
            values = np.concatenate(
                [c.outcomes for row in same for c in _named(row, component.name)]
            )
            if len(same) < 2 or values.size < 2 or not all(row.inert for row in same):
                continue
            if np.ptp(values) == 0:
                findings.append(
                    f"{task}: {component.name} is {values[0]:.6g} for every seed and in all "
                    f"{len(same)} cells: it is a constant of the task's geometry, or decided "
                    f"before anything can act on it."
                )
            elif not any(np.any(c.delta) for row in same for c in _named(row, component.name)):
                findings.append(
                    f"{task}: {component.name} is the same in all {len(same)} cells and the "
                    f"unperturbed twin, whatever the seed: no perturbation acts on it; unless a "
                    f"cell's reason says otherwise, the start alone decides it."
                )
    return findings


def _named(row: CellRow, name: str) -> list[Component]:
    return [component for component in row.components if component.name == name]


def saturation_findings(
    twin: str, component: str, values: Float[np.ndarray, " seeds"]
) -> list[str]:
    """Outcomes that stand at the end of their scale, where a perturbation cannot push further."""
    if values.size < _FEWEST_SEEDS or np.ptp(values) == 0:
        return []
    least = _SATURATED_YES_NO if np.unique(values).size == 2 else _SATURATED
    findings = []
    for bound, word in ((values.max(), "highest"), (values.min(), "lowest")):
        share = float(np.mean(values == bound))
        if share >= least:
            findings.append(
                f"{twin} scores exactly {bound:.6g} ({component}), the {word} value seen, with "
                f"{100 * share:.0f} % of the seeds: the outcome saturates, and a perturbation "
                f"cannot push it further."
            )
    return findings
