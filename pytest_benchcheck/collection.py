"""Benchmark files, benchmarks and checks as nodes of pytest's collection tree."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pytest_benchcheck.benchmark import CHECKS, Benchmark
from pytest_benchcheck.check_failure import VerdictError, describe
from pytest_benchcheck.checks.errors import BenchcheckError, ContractError
from pytest_benchcheck.commands import rerun_command
from pytest_benchcheck.explanation import explain
from pytest_benchcheck.planning import Planner
from pytest_benchcheck.running import BenchmarkAudit
from pytest_benchcheck.session import session_of
from pytest_benchcheck.tables import printable
from pytest_benchcheck.verdicts import Reaction, react

__all__ = ["BenchmarkFile", "BenchmarkNode", "CheckItem"]


class BenchmarkFile(pytest.Module):
    """A file that declares benchmarks, imported as pytest imports a test module.

    Attributes
    ----------
    hints
        What the file may have forgotten, where it gave no benchmark.
    """

    hints: tuple[str, ...] = ()

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """One node for each benchmark at module level, in order of definition.

        Raises
        ------
        pytest.Collector.CollectError
            If the file cannot be imported, a benchmark breaks the contract or two share a name.
        """
        found = list(_declared(self.obj))
        if not found:
            self.hints = _uninstantiated(self.obj, self.path)
        seen: dict[str, str] = {}
        nodes = []
        for where, benchmark in found:
            try:
                benchmark.validate()
            except ContractError as error:
                raise self.CollectError(f"{where}: {error}") from error
            name = _node_name(benchmark.name)
            if name in seen:
                raise self.CollectError(
                    f"two benchmarks are named {benchmark.name!r}: {seen[name]} and {where}. "
                    f"A node id must name one: give one of them another name."
                )
            seen[name] = where
            nodes.append(BenchmarkNode.from_parent(self, name=name, benchmark=benchmark))
        return nodes


def _declared(module: ModuleType) -> Iterator[tuple[str, Benchmark]]:
    seen: set[int] = set()
    for name, value in list(vars(module).items()):
        entries: list[tuple[str, Any]] = [(name, value)]
        if isinstance(value, (list, tuple)):
            entries = [(f"{name}[{i}]", entry) for i, entry in enumerate(value)]
        for where, entry in entries:
            if isinstance(entry, Benchmark) and id(entry) not in seen:
                seen.add(id(entry))
                yield where, entry


def _uninstantiated(module: ModuleType, path: Path) -> tuple[str, ...]:
    return tuple(
        f"{path.name} defines the class {name} but no instance of it: add "
        f"`{name.lower()} = {name}()`."
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, Benchmark) and value is not Benchmark
    )


def _node_name(name: str) -> str:
    # A node id can be pasted back: on a command line '::' separates nodes, and a bracket starts a
    # test's parameters.
    return printable(name).replace("::", ":").replace("[", "(").replace("]", ")").strip()


class BenchmarkNode(pytest.Collector):
    """One benchmark; its checks share episodes and features."""

    def __init__(self, *, benchmark: Benchmark, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.benchmark = benchmark
        self._audit: BenchmarkAudit | None = None
        self._planner: Planner | None = None

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """One item a check, also for those that do not apply."""
        return [CheckItem.from_parent(self, name=check) for check in CHECKS]

    @property
    def audit(self) -> BenchmarkAudit:
        """The shared work of the benchmark's checks, started by the first that asks."""
        if self._audit is None:
            session = session_of(self.config)
            self._audit = BenchmarkAudit(self.benchmark, session.settings, budget=session.budget)
        return self._audit

    @property
    def planner(self) -> Planner:
        """The probe that the plans of the benchmark's checks share."""
        if self._planner is None:
            self._planner = Planner(self.benchmark, session_of(self.config).settings)
        return self._planner

    def teardown(self) -> None:
        """Let go of the features when the run moves on to another benchmark."""
        self._audit = self._planner = None


class CheckItem(pytest.Item):
    """One check of one benchmark.

    Attributes
    ----------
    judged
        The result as plain data, once the item has run.
    planned
        What the check could resolve, once it has been planned.
    """

    parent: BenchmarkNode

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.judged: dict[str, Any] | None = None
        self.planned: dict[str, Any] | None = None
        self._evidence = ""
        self.add_marker("benchcheck")

    @property
    def check(self) -> str:
        """Name of the check."""
        return self.name

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark that is checked."""
        return self.parent.benchmark

    @property
    def benchmark_nodeid(self) -> str:
        """Node id of the benchmark."""
        return str(self.parent.nodeid)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """File and title of the item in pytest's own output."""
        return self.path, None, f"{self.benchmark.name}: {self.check}"

    def runtest(self) -> None:
        """Run the check and turn its verdict into a test outcome; or plan it."""
        self.judged = None
        settings = session_of(self.config).settings
        if settings.plan:
            self._plan()
            return
        ignore_expected = bool(self.config.getoption("runxfail", False))
        declared = None if ignore_expected else self.benchmark.expected.get(self.check)
        outcome = self.parent.audit.run(self.check)
        command = rerun_command(self)
        reaction, reason = react(outcome.result, declared, undecided=settings.undecided)
        self.judged = {
            **outcome.result.to_dict(),
            "expected": declared == outcome.result.verdict,
            "declared": declared,
            "held": reaction is not Reaction.FAIL,
            "nodeid": str(self.nodeid),
            "rerun": command,
        }
        if reaction is Reaction.SKIP:
            pytest.skip(reason)
        if reaction is Reaction.XFAIL:
            self._evidence = explain(outcome.result)
            pytest.xfail(reason)
        if reaction is Reaction.FAIL:
            raise VerdictError(reason, outcome, command)

    def _plan(self) -> None:
        try:
            self.planned = self.parent.planner.plan(self.check)
        except BenchcheckError as error:
            # The message says what is wrong with the benchmark; a traceback of the probe does not.
            pytest.fail(f"{self.benchmark.name}: {error}", pytrace=False)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any) -> Any:
        """Our own words for a verdict; a traceback for anything else."""
        if isinstance(excinfo.value, VerdictError):
            return describe(excinfo.value, self.path)
        if isinstance(excinfo.value, pytest.xfail.Exception):
            return self._evidence
        return super().repr_failure(excinfo, *args)
