"""The contract: what a benchmark offers for auditing."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pytest_benchcheck.checks.cells import Cell, Outcome
from pytest_benchcheck.checks.episodes import Episodes
from pytest_benchcheck.checks.errors import ContractError
from pytest_benchcheck.tasks import Task, task_of, validate_tasks

if TYPE_CHECKING:
    from pytest_benchcheck.fixtures.encoders import Encoder

__all__ = ["CHECKS", "REFERENCE_ENCODERS", "Benchmark"]

CHECKS = ("effect_size", "spread", "swap", "erasure")
REFERENCE_ENCODERS = ("raw_pixels", "frame_difference", "random_vit")
VERDICTS = ("pass", "fail", "undecided", "not_applicable", "error")


class Benchmark:
    """A benchmark that can be audited. Subclass it and implement what you can.

    A check whose part is missing is reported as "not applicable", with the reason; it is never
    hidden.

    Attributes
    ----------
    name
        Name in node ids and reports.
    bars
        Bar per check, e.g. ``{"spread": 0.05}``; where missing, the ini default.
    expected
        Verdict that a check is known to give, e.g. ``{"spread": "fail"}`` for a known-bad
        benchmark. Strict: any other verdict turns the run red.
    tasks
        Simulated tasks, e.g. ``MujocoTask`` objects; ``cells`` and ``simulate`` are then theirs.
    encoders
        Specs (see :func:`pytest_benchcheck.load_encoder`) or objects with a ``name`` and an
        ``encode`` method. Add your own model to the reference encoders here.
    default_episodes
        Number of episodes when ``--benchcheck-episodes`` is not given.
    matched_pairs
        Number of matched pairs a cell of the effect-size audit; its seeds are 0, 1, ...
    version
        Part of the feature cache's key. Empty: a digest of the source file that defines the class.
    """

    name: str = ""
    bars: Mapping[str, float] = {}
    expected: Mapping[str, str] = {}
    tasks: Sequence[Task] = ()
    encoders: Sequence[str | Encoder] = REFERENCE_ENCODERS
    default_episodes: int = 500
    matched_pairs: int = 32
    version: str = ""

    _part_of: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "effect_size": ("cells", "simulate"),
        "spread": ("episodes",),
        "swap": ("episodes",),
        "erasure": ("episodes",),
    }

    def __init__(self, name: str | None = None, **attributes: Any) -> None:
        """Set attributes by keyword, e.g. ``MyBenchmark(name="hard", bars={"spread": 0.1})``."""
        if name is not None:
            self.name = name
        for key, value in attributes.items():
            if not hasattr(type(self), key):
                raise ContractError(
                    f"{type(self).__name__} has no attribute {key!r}: declare it on the class "
                    f"to set it here."
                )
            setattr(self, key, value)

    def cells(self) -> Sequence[Cell]:
        """Task x property pairs to audit; those of ``tasks`` unless overridden."""
        return [cell for task in self.tasks for cell in task.cells()]

    def simulate(self, cell: Cell | None, seed: int) -> Outcome | float:
        """Run the task of ``cell`` with one thing changed, with no model involved.

        ``cell=None`` asks for the unperturbed twin; a benchmark of several tasks names the twin of
        each cell in :attr:`Cell.twin` and is asked for that instead. Same seed, same actions, one
        thing changed. Raise when a run breaks: that cell is reported as broken, the rest run.
        """
        return task_of(self.tasks, cell).simulate(cell, seed)

    def simulate_all(
        self, cell: Cell | None, seeds: Sequence[int]
    ) -> Sequence[Outcome | float | Exception]:
        """:meth:`simulate` with every seed; override it where many seeds run faster together.

        An exception stands for the run that it ended.
        """
        if not self._overrides("simulate") and self.tasks:
            return task_of(self.tasks, cell).simulate_all(cell, seeds)
        found: list[Outcome | float | Exception] = []
        for seed in seeds:
            try:
                found.append(self.simulate(cell, seed))
            except Exception as error:  # noqa: BLE001 a broken run must not lose the others
                return [*found, error]
        return found

    def simulate_jittered(
        self, twin: Cell | None, seeds: Sequence[int]
    ) -> Sequence[Outcome | float | Exception] | None:
        """Unperturbed outcomes from starts that differ by rounding, where that can be simulated.

        What they differ by counts as noise: another machine rounds otherwise.
        """
        if self._overrides("simulate") or not self.tasks:
            return None
        return task_of(self.tasks, twin).simulate_jittered(twin, seeds)

    def diagnose(self, cell: Cell | None, seed: int) -> str | None:
        """Why ``cell`` is inert, where that can be known.

        Called for inert cells, and for an unperturbed twin whose replay differs: there it may tell
        where the runs part.
        """
        if self._overrides("simulate") or not self.tasks:
            return None
        return task_of(self.tasks, cell).diagnose(cell, seed)

    def episodes(self, n: int, seed: int) -> Episodes:
        """``n`` episodes for spread, swap and erasure; the same for the same ``seed``."""
        raise NotImplementedError

    def has(self, check: str) -> bool:
        """Whether the methods that ``check`` needs are implemented."""
        if check == "effect_size" and self.tasks:
            return True
        return all(self._overrides(part) for part in self._part_of[check])

    def _overrides(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(Benchmark, method)

    def validate(self) -> None:
        """Check the declarations that can be checked without running anything.

        Raises
        ------
        ContractError
            Naming the attribute and the offending value.
        """
        owner = type(self).__name__
        name: object = self.name
        if not isinstance(name, str) or not name.strip():
            raise ContractError(f"{owner}.name must be a non-empty string, got {name!r}.")
        validate_tasks(owner, self.tasks)
        for attribute in ("bars", "expected"):
            declared = getattr(self, attribute)
            if not isinstance(declared, Mapping):
                raise ContractError(f"{owner}.{attribute} must be a mapping, got {declared!r}.")
            unknown = sorted(set(declared) - set(CHECKS))
            if unknown:
                raise ContractError(
                    f"{owner}.{attribute} names {unknown}: the checks are {list(CHECKS)}."
                )
        for check, bar in dict[str, Any](self.bars).items():
            if isinstance(bar, bool) or not isinstance(bar, (int, float)) or not 0 <= bar < inf:
                raise ContractError(f"{owner}.bars[{check!r}] must be a number >= 0, got {bar!r}.")
        for check, verdict in self.expected.items():
            if verdict not in VERDICTS:
                raise ContractError(
                    f"{owner}.expected[{check!r}] is {verdict!r}: choose from {list(VERDICTS)}."
                )
        for attribute in ("default_episodes", "matched_pairs"):
            count: object = getattr(self, attribute)
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise ContractError(
                    f"{owner}.{attribute} must be a positive integer, got {count!r}."
                )

    def cache_version(self) -> str:
        """``version``, or a digest of the source file that defines the class."""
        if self.version:
            return self.version
        try:
            source = Path(inspect.getfile(type(self))).read_bytes()
        except (OSError, TypeError):
            return "unversioned"
        return hashlib.sha256(source).hexdigest()[:16]
