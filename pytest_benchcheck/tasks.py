"""Simulated tasks that a benchmark is made of, each with cells of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from pytest_benchcheck.checks.cells import Cell, Outcome
from pytest_benchcheck.checks.errors import ContractError

__all__ = ["Task", "task_of", "validate_tasks"]


class Task(Protocol):
    """What a simulator's adapter offers: see ``fixtures/simulators``."""

    @property
    def name(self) -> str:
        """Name of the task: that of its cells."""

    def cells(self) -> Sequence[Cell]:
        """Its cells, each with the task's own unperturbed twin."""

    def simulate(self, cell: Cell | None, seed: int) -> Outcome | float:
        """See :meth:`pytest_benchcheck.Benchmark.simulate`."""

    def simulate_all(
        self, cell: Cell | None, seeds: Sequence[int]
    ) -> Sequence[Outcome | float | Exception]:
        """See :meth:`pytest_benchcheck.Benchmark.simulate_all`."""

    def simulate_jittered(
        self, twin: Cell | None, seeds: Sequence[int]
    ) -> Sequence[Outcome | float | Exception] | None:
        """See :meth:`pytest_benchcheck.Benchmark.simulate_jittered`."""

    def diagnose(self, cell: Cell | None, seed: int) -> str | None:
        """See :meth:`pytest_benchcheck.Benchmark.diagnose`."""


def task_of(tasks: Sequence[Task], cell: Cell | None) -> Task:
    """The task that a cell belongs to.

    Raises
    ------
    ContractError
        If no task has the cell's name, or there are several and no cell is given.
    """
    if cell is None:
        if len(tasks) == 1:
            return tasks[0]
        raise ContractError(
            f"a benchmark of {len(tasks)} tasks has no single unperturbed run: name the twin of "
            f"each cell."
        )
    for task in tasks:
        if task.name == cell.task:
            return task
    raise ContractError(f"no task is named {cell.task!r}; there are {[t.name for t in tasks]}.")


def validate_tasks(owner: str, tasks: Any) -> None:
    """Check that every task has what the audit calls, under a name of its own.

    Raises
    ------
    ContractError
        Naming the task and what it lacks.
    """
    if isinstance(tasks, str) or not isinstance(tasks, Sequence):
        raise ContractError(f"{owner}.tasks must be a sequence of tasks, got {tasks!r}.")
    for task in tasks:
        methods = ("cells", "simulate", "simulate_all", "simulate_jittered", "diagnose")
        missing = [name for name in methods if not callable(getattr(task, name, None))]
        if missing or not isinstance(getattr(task, "name", None), str):
            raise ContractError(
                f"{owner}.tasks has {task!r}, which lacks {missing or ['name']}: see "
                f"fixtures/simulators for the tasks that there are."
            )
    twice = [name for name, count in Counter(task.name for task in tasks).items() if count > 1]
    if twice:
        raise ContractError(f"{owner}.tasks has several tasks named {twice}.")
