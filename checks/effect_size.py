"""Effect-size audit: does each perturbation move the outcome at all, with no model involved?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from pytest_benchcheck.checks.cells import Cell, Outcome, as_outcome
from pytest_benchcheck.checks.effect_size_findings import (
    constant_findings,
    same_outcome_findings,
    saturation_findings,
)
from pytest_benchcheck.checks.effect_size_rows import CellRow, judge_cells
from pytest_benchcheck.checks.errors import ContractError, InputError
from pytest_benchcheck.checks.inputs import checked_confidence, is_number
from pytest_benchcheck.checks.results import EffectSizeResult, Verdict
from pytest_benchcheck.checks.shapes import Float

__all__ = ["effect_size_audit"]

Simulate: TypeAlias = Callable[[Cell | None, int], Any]
SimulateAll: TypeAlias = Callable[[Cell | None, Sequence[int]], Sequence[Any]]
SimulateJittered: TypeAlias = Callable[[Cell | None, Sequence[int]], Sequence[Any] | None]
Diagnose: TypeAlias = Callable[[Cell | None, int], str | None]


@dataclass
class Runs:
    """The outcomes of one cell or twin over the seeds, or the error that ended them."""

    values: dict[str, Float[np.ndarray, " seeds"]] = field(default_factory=dict)
    unit: str = ""
    warnings: Counter[str] = field(default_factory=Counter)
    remarks: dict[str, None] = field(default_factory=dict)
    error: str | None = None

    def reversed(self) -> Runs:
        """The same runs in the opposite order of the seeds."""
        return replace(self, values={name: v[::-1] for name, v in self.values.items()})


def effect_size_audit(
    simulate: Simulate | None,
    cells: Sequence[Cell | tuple[str, str]],
    *,
    seeds: int | Sequence[int] = 32,
    floor: float = 1e-4,
    scale: float | Mapping[str, float] | None = None,
    confidence: float = 0.95,
    diagnose: Diagnose | None = None,
    simulate_all: SimulateAll | None = None,
    simulate_jittered: SimulateJittered | None = None,
) -> EffectSizeResult:
    """Simulate matched pairs and compare each perturbed outcome with its unperturbed twin.

    A cell is inert when its mean abs(delta outcome) is at most ``max(floor, noise)``, where the
    noise is the mean abs difference between two runs of the unperturbed twin with the same seed.
    Where two such runs are bit-identical there is no noise, and the rule is the floor alone.
    Otherwise a cell counts as moving only if its abs(delta) exceeds the replay's by a one-sided
    paired t over the seeds, corrected over all cells (Holm).

    Parameters
    ----------
    simulate
        ``simulate(cell, seed)`` -> an :class:`Outcome`, a number or a named vector. ``cell`` is
        None (or the cell's ``twin``) for the unperturbed run. May be None where ``simulate_all``
        is given.
    cells
        Cells, or ``(task, property)`` pairs, each pair once.
    seeds
        Number of matched pairs per cell, or the seeds themselves.
    floor
        Smallest mean abs(delta) that counts, in outcome units.
    scale
        Outcome scale that percentages refer to, in outcome units (or one per component of a
        vector outcome). None: the standard deviation of the unperturbed outcome over the seeds,
        or its mean absolute value where that is larger.
    confidence
        Confidence level of the interval and of the test against noise.
    diagnose
        ``diagnose(cell, seed)`` -> why a cell is inert, or None; called with the seed of the pair
        that differs most, for the cells that are. Called with an unperturbed twin whose replay
        differs, it may tell where.
    simulate_all
        ``simulate_all(cell, seeds)`` -> what ``simulate`` returns for each seed, or the exception
        that ended that run; for simulators that run many seeds at once. None: one by one.
    simulate_jittered
        ``simulate_jittered(twin, seeds)`` -> the unperturbed outcomes from starts that differ by
        rounding (1e-9, say), or None. What they differ by is noise too: another machine rounds
        otherwise, and where contacts amplify it, a cell that moves no more is inert.

    Returns
    -------
    EffectSizeResult
        FAIL if a cell is inert; ERROR if none is but one is broken; UNDECIDED if one cannot be
        told from the noise, or moves the outcome by something else than it names (a remark); else
        PASS. ``estimate`` is the smallest cell's mean abs(delta).

    Raises
    ------
    InputError
        If there are no cells or no seeds, a pair is named twice, or a number is out of range.

    References
    ----------
    CALIPER, arXiv 2609.08250, "What a benchmark should report" and appendix A, table 4.
    """
    table = _checked_cells(cells)
    seed_list = _checked_seeds(seeds)
    if not (is_number(floor) and np.isfinite(floor) and floor >= 0):
        raise InputError(f"floor must be a finite number >= 0 in outcome units, got {floor!r}.")
    confidence = checked_confidence(confidence)
    _require_scale(scale)
    if simulate_all is None:
        if simulate is None:
            raise InputError("nothing to simulate with: give simulate or simulate_all.")
        simulate_all = _one_by_one(simulate)
    twins = {}
    for cell in table:
        if cell.twin not in twins:
            twins[cell.twin] = (
                _run(simulate_all, cell.twin, seed_list),
                # Backwards: what a reset forgets to clear is then another run's.
                _run(simulate_all, cell.twin, seed_list[::-1]).reversed(),
            )
    jittered = {
        twin: _jittered(simulate_jittered, twin, seed_list, runs[0]) for twin, runs in twins.items()
    }
    rows = []
    scales: dict[str, float] = {}
    for cell in table:
        first, second = twins[cell.twin]
        jitter = jittered[cell.twin]
        rows.append(_cell_row(cell, simulate_all, seed_list, first, second, jitter, scale, scales))
    judge_cells(rows, floor=floor, confidence=confidence)
    if diagnose is not None:
        for cell, row in zip(table, rows, strict=True):
            if row.inert:
                # The pair that differs most, so that "nothing differs" is said of all.
                _explain(row, cell, diagnose, seed_list[int(np.argmax(row.largest.delta))])
    return _result(rows, twins, scales, floor, confidence, seed_list, diagnose)


def _explain(row: CellRow, cell: Cell, diagnose: Diagnose, seed: int) -> None:
    try:
        reason = diagnose(cell, seed)
    except Exception as error:  # noqa: BLE001 what was measured stands without its explanation
        reason = f"no reason was found: {type(error).__name__}: {error}"
    if reason and reason not in (row.reason or ""):
        # What is known of the perturbation itself says more than what the states show.
        row.reason = f"{row.reason}; {reason}" if row.remarks else f"{reason} ({row.reason})"


def _checked_cells(cells: Sequence[Cell | tuple[str, str]]) -> list[Cell]:
    table = [_checked_cell(cell) for cell in cells]
    if not table:
        raise InputError("no cells to audit: name at least one task x property pair.")
    counts = Counter(cell.key for cell in table)
    twice = [key for key, count in counts.items() if count > 1]
    if twice:
        raise InputError(
            f"cells {twice} are named more than once: put the magnitude into the property's name."
        )
    return table


def _checked_cell(cell: object) -> Cell:
    if isinstance(cell, Cell):
        return cell
    if not isinstance(cell, (tuple, list)) or len(cell) != 2:
        raise InputError(f"a cell is a Cell or a (task, property) pair, got {cell!r}.")
    return Cell(*cell)


def _checked_seeds(seeds: int | Sequence[int]) -> list[int]:
    if isinstance(seeds, (int, np.integer)):
        seeds = range(int(seeds))
    if not isinstance(seeds, Iterable):
        raise InputError(f"seeds must be a number of seeds or a sequence of them, got {seeds!r}.")
    seed_list = [int(seed) for seed in seeds]
    if not seed_list:
        raise InputError("seeds must be at least 1.")
    if len(set(seed_list)) < len(seed_list):
        raise InputError(f"seeds repeat: {seed_list}. Each matched pair needs its own seed.")
    return seed_list


def _one_by_one(simulate: Simulate) -> SimulateAll:
    def simulate_all(cell: Cell | None, seeds: Sequence[int]) -> list[Any]:
        found: list[Any] = []
        for seed in seeds:
            try:
                found.append(simulate(cell, seed))
            except Exception as error:  # noqa: BLE001 a broken cell must not lose the others
                # The cell is broken, whatever the other seeds would give.
                return [*found, error]
        return found

    return simulate_all


def _run(simulate_all: SimulateAll, cell: Cell | None, seeds: Sequence[int]) -> Runs:
    runs = Runs()
    outcomes: list[Outcome] = []
    try:
        found = list(simulate_all(cell, seeds))
    except Exception as error:  # noqa: BLE001 a broken cell must not lose the others
        runs.error = f"{type(error).__name__}: {error}"
        return runs
    broken = any(isinstance(value, Exception) for value in found)
    if len(found) != len(seeds) and not broken:
        runs.error = f"simulate_all gave {len(found)} outcomes for {len(seeds)} seeds"
        return runs
    for seed, value in zip(seeds, found, strict=False):
        try:
            if isinstance(value, Exception):
                raise value
            outcome = as_outcome(value)
            if outcomes and outcome.named().keys() != outcomes[0].named().keys():
                raise ContractError(
                    f"the outcome's components are {sorted(outcome.named())}, with seed "
                    f"{seeds[0]} they were {sorted(outcomes[0].named())}."
                )
        except Exception as error:  # noqa: BLE001 a broken cell must not lose the others
            runs.error = f"{type(error).__name__} with seed {seed}: {error}"
            return runs
        outcomes.append(outcome)
        runs.warnings.update(outcome.warnings)
        runs.remarks.update(dict.fromkeys(outcome.remarks))
    runs.unit = outcomes[0].unit
    runs.values = {
        name: np.array([outcome.named()[name] for outcome in outcomes])
        for name in outcomes[0].named()
    }
    return runs


def _cell_row(
    cell: Cell,
    simulate_all: SimulateAll,
    seeds: Sequence[int],
    first: Runs,
    second: Runs,
    jittered: Runs | None,
    scale: float | Mapping[str, float] | None,
    scales: dict[str, float],
) -> CellRow:
    row = CellRow(task=cell.task, property=cell.property)
    twin_error = first.error or second.error
    if twin_error:
        row.error = f"the unperturbed twin broke: {twin_error}"
        return row
    runs = _run(simulate_all, cell, seeds)
    row.warnings = [
        text if count == 1 else f"{text} ({count} times)" for text, count in runs.warnings.items()
    ]
    row.remarks = list(runs.remarks)
    if runs.error:
        row.error = runs.error
        return row
    if runs.values.keys() != first.values.keys() or runs.unit != first.unit:
        row.error = (
            f"the cell's outcome is {sorted(runs.values)} in {runs.unit!r}, its twin's is "
            f"{sorted(first.values)} in {first.unit!r}: they cannot be compared."
        )
        return row
    row.unit = runs.unit
    for name, baseline in first.values.items():
        component_scale = _scale(scale, name, baseline)
        scales[name if cell.twin is None else f"{cell.twin.task}/{name}"] = component_scale
        row.add_component(
            name,
            delta=np.abs(runs.values[name] - baseline),
            replay=np.abs(second.values[name] - baseline),
            scale=component_scale,
            outcomes=runs.values[name],
            jitter=None if jittered is None else np.abs(jittered.values[name] - baseline),
        )
    return row


def _jittered(
    simulate: SimulateJittered | None, twin: Cell | None, seeds: Sequence[int], first: Runs
) -> Runs | None:
    """Runs from jittered starts, where the simulator has them and they compare with the twin's."""
    found = None if simulate is None or first.error else simulate(twin, seeds)
    if found is None:
        return None
    runs = _run(lambda cell, seeds: found, twin, seeds)
    return None if runs.error or runs.values.keys() != first.values.keys() else runs


def _scale(
    scale: float | Mapping[str, float] | None, name: str, baseline: Float[np.ndarray, " seeds"]
) -> float:
    if scale is None:
        return float(max(np.std(baseline), np.mean(np.abs(baseline))))
    if isinstance(scale, Mapping) and name not in scale:
        raise InputError(
            f"scale names {sorted(scale)}, the outcome has a component {name!r}: give it a scale."
        )
    return float(scale[name] if isinstance(scale, Mapping) else scale)


def _require_scale(scale: float | Mapping[str, float] | None) -> None:
    if scale is None:
        return
    for value in scale.values() if isinstance(scale, Mapping) else [scale]:
        if not (is_number(value) and np.isfinite(value) and value > 0):
            raise InputError(f"scale must be a finite number > 0 in outcome units, got {value!r}.")


def _result(
    rows: Sequence[CellRow],
    twins: Mapping[Cell | None, tuple[Runs, Runs]],
    scales: Mapping[str, float],
    floor: float,
    confidence: float,
    seeds: Sequence[int],
    diagnose: Diagnose | None,
) -> EffectSizeResult:
    judged = [row for row in rows if row.error is None]
    smallest = min(judged, key=lambda row: row.mean_abs_delta, default=None)
    verdict, summary = _verdict(rows)
    findings = [
        *_twin_findings(twins, seeds, floor, diagnose),
        *constant_findings(judged),
        *same_outcome_findings(judged),
    ]
    findings += [
        f"{row.task} x {row.property}: {remark}."
        for row in judged
        if not row.inert
        for remark in row.remarks
    ]
    return EffectSizeResult(
        verdict=verdict,
        summary=summary,
        estimate=None if smallest is None else smallest.mean_abs_delta,
        interval=None if smallest is None else smallest.interval,
        bar=floor,
        confidence=confidence,
        episodes=len(seeds),
        minimum_detectable=max((row.threshold for row in judged), default=None),
        episodes_needed=max((row.pairs_needed for row in judged if row.pairs_needed), default=None),
        rows=tuple(row.to_dict() for row in rows),
        findings=tuple(findings),
        unit=next((row.unit for row in judged), ""),
        scale=dict(scales),
    )


def _verdict(rows: Sequence[CellRow]) -> tuple[Verdict, str]:
    inert = [row for row in rows if row.inert]
    broken = [row for row in rows if row.error is not None]
    unclear = [row for row in rows if row.error is None and not row.inert and not row.moves]
    unsound = [row for row in rows if row.moves and row.remarks]
    if inert:
        named = ", ".join(f"{row.task} x {row.property}" for row in inert[:8])
        more = f" and {len(inert) - 8} more" if len(inert) > 8 else ""
        return "fail", (
            f"{len(inert)} of {len(rows)} cells are inert: the perturbation does not move the "
            f"outcome in {named}{more}."
        )
    if broken:
        named = ", ".join(f"{row.task} x {row.property}" for row in broken[:8])
        return "error", f"{len(broken)} of {len(rows)} cells broke: {named}."
    if unclear:
        return "undecided", (
            f"{len(unclear)} of {len(rows)} cells cannot be told from the simulator's own noise."
        )
    if unsound:
        named = "; ".join(f"{r.task} x {r.property}: {r.remarks[0]}" for r in unsound[:4])
        more = f"; and {len(unsound) - 4} more" if len(unsound) > 4 else ""
        return "undecided", (
            f"{len(unsound)} of {len(rows)} cells move the outcome by something else than they "
            f"name: {named}{more}."
        )
    return "pass", f"all {len(rows)} cells move the outcome."


def _twin_findings(
    twins: Mapping[Cell | None, tuple[Runs, Runs]],
    seeds: Sequence[int],
    floor: float,
    diagnose: Diagnose | None,
) -> list[str]:
    findings = []
    for twin, (first, second) in twins.items():
        name = "the unperturbed twin" if twin is None else f"the twin {twin.task!r}"
        if first.error or second.error:
            continue
        for text, count in first.warnings.items():
            findings.append(f"{name} runs with the simulator's warning {text!r} ({count} times).")
        findings += [f"{name}: {remark}." for remark in first.remarks]
        for component, values in first.values.items():
            if np.max(np.abs(values)) <= floor and np.any(values):
                findings.append(
                    f"{name} scores {np.max(np.abs(values)):.3g} at most ({component}), which is "
                    f"within the floor: these runs earn nothing that a perturbation could take."
                )
            if len(seeds) > 1 and np.unique(values).size == 1:
                findings.append(
                    f"{name} scores {values[0]:.6g} ({component}) with every one of {len(seeds)} "
                    f"seeds: the seed does not reach the simulation, or the outcome is a constant. "
                    f"The effective sample size is 1."
                )
            findings += saturation_findings(name, component, values)
            differing = second.values[component] != values
            if np.any(differing):
                largest = float(np.max(np.abs(second.values[component] - values)))
                where = _where(twin, seeds[int(np.argmax(differing))], diagnose)
                findings.append(
                    f"{name} is not reproducible: {np.sum(differing)} of {len(seeds)} replays with "
                    f"the same seed differ in {component}, by up to {largest:.3g}{where}."
                )
    return findings


def _where(twin: Cell | None, seed: int, diagnose: Diagnose | None) -> str:
    """Where a replay parts from the first run, if the simulator can tell."""
    if diagnose is None:
        return ""
    try:
        reason = diagnose(twin, seed)
    except Exception:  # noqa: BLE001 a simulator that only explains cells need not know twins
        return ""
    return f"; {reason} (seed {seed})" if reason else ""
