"""A bad benchmark and its corrected twin: four tasks, one perturbed property at a time."""

from pytest_benchcheck.example_benchmarks.single_perturbation import (
    insert_peg,
    pick_and_place,
    push_to_goal,
    stack_two,
)

__all__ = ["MENDED", "PUBLISHED"]

_TASKS = (pick_and_place, push_to_goal, stack_two, insert_peg)

PUBLISHED = tuple(module.published() for module in _TASKS)
"""The four tasks with the faults that the paper's appendix A describes."""

MENDED = tuple(module.mended() for module in _TASKS)
"""The four tasks with these faults mended."""
