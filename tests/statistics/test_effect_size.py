"""False alarms and power of a 20-cell audit on a simulator that does not repeat itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from pytest_benchcheck.checks.cells import Cell
from pytest_benchcheck.checks.effect_size import effect_size_audit

CELLS = [Cell("task", f"property {i}") for i in range(20)]

Noise = Callable[[np.random.Generator], float]
NOISES: dict[str, Noise] = {
    "normal": lambda rng: float(rng.standard_normal()),
    "heavy tails": lambda rng: float(rng.standard_t(3)),
    "skewed": lambda rng: float(rng.lognormal()),
    "one run in ten diverges": lambda rng: float(
        0.1 * rng.standard_normal() + (rng.random() < 0.1)
    ),
}


def audit(rng: np.random.Generator, noise: Noise, seeds: int, effect: float) -> dict[str, bool]:
    base = np.random.default_rng(0).standard_normal(seeds)

    def simulate(cell: Cell | None, seed: int) -> float:
        moved = effect if cell is not None and cell == CELLS[0] else 0.0
        return float(base[seed]) + noise(rng) + moved

    result = effect_size_audit(simulate, CELLS, seeds=seeds, floor=0.0)
    shown = [not row["inert"] and row["reason"] is None for row in result.rows]
    return {"an inert cell moves": any(shown[1:]), "the first cell moves": shown[0]}


@pytest.mark.parametrize("seeds", [8, 32])
@pytest.mark.parametrize("kind", NOISES)
def test_effect_size_of_inert_cells(kind, seeds, simulation):
    simulation.run(lambda rng: audit(rng, NOISES[kind], seeds, 0.0))
    simulation.assert_at_most("an inert cell moves", 0.05)
    simulation.assert_at_most("the first cell moves", 0.05)


@pytest.mark.parametrize("seeds", [32])
@pytest.mark.parametrize("kind", NOISES)
def test_effect_size_of_one_moving_cell(kind, seeds, simulation):
    simulation.run(lambda rng: audit(rng, NOISES[kind], seeds, 4.0))
    simulation.assert_at_most("an inert cell moves", 0.05)
    assert simulation.rate("the first cell moves") > 0.5
