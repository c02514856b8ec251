"""Hooks that act under ``--benchcheck`` only."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from pytest_benchcheck.budget import Budget
from pytest_benchcheck.collection import BenchmarkFile, CheckItem
from pytest_benchcheck.commands import rerun_command
from pytest_benchcheck.environment import environment
from pytest_benchcheck.judgements import ATTRIBUTE, payload
from pytest_benchcheck.recorder import Judged, collecting
from pytest_benchcheck.session import AuditSession, running, session_of
from pytest_benchcheck.settings import require_writable

__all__ = ["AuditHooks", "start"]

NOTHING_TO_CHECK = """\
--benchcheck found nothing to check: no benchmark, no test marked `benchcheck`, and no test that
called one of the assertions.{hints}
Declare a benchmark in a file named {patterns}:

    from pytest_benchcheck import Benchmark, Episodes

    class MyBenchmark(Benchmark):
        name = "my-benchmark"

        def episodes(self, n, seed):
            ...
            return Episodes(target=target, clips={{"video": frames}})

    my_benchmark = MyBenchmark()

or mark a test that audits one:

    @pytest.mark.benchcheck
    def test_scores_can_rank():
        assert_spread_exceeds({{"random_vit": 0.91, "raw_pixels": 0.93, "best": 0.95}}, 0.05)
"""

_Wrapper = Generator[None, object, object]


def start(config: pytest.Config) -> None:
    """Check the settings and register the audit's hooks.

    Raises
    ------
    pytest.UsageError
        If a setting is not accepted or a result could not be written.
    """
    session = session_of(config)
    require_writable(session.settings, json=not _is_worker(config))
    config.pluginmanager.register(AuditHooks(config, session), "benchcheck-audit")
    running(session, started=True)
    config.add_cleanup(lambda: running(session, started=False))


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")


class AuditHooks:
    """Collects benchmark files, gathers judgements and reports them at the end."""

    def __init__(self, config: pytest.Config, audit: AuditSession) -> None:
        self._config = config
        self._audit = audit
        self._declared = 0
        self._hints: list[str] = []
        self._environment: dict[str, str] = {}
        self._positions: dict[str, int] = {}
        self._pending: list[Judged] = []
        self._nothing_to_check = False
        self._not_written = ""
        self._plans: list[dict[str, Any]] = []

    # Collection

    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """Collect the files that match ``benchcheck_files``."""
        patterns = self._config.getini("benchcheck_files")
        if file_path.suffix != ".py" or not any(file_path.match(p) for p in patterns):
            return None
        file: pytest.Collector = BenchmarkFile.from_parent(parent, path=file_path)
        return file

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Count what was declared, before anything is deselected; plan benchmarks only."""
        for position, item in enumerate(items):
            self._positions[item.nodeid] = position
            if isinstance(item, CheckItem):
                self._declared += item.benchmark.has(item.check)
            else:
                self._declared += item.get_closest_marker("benchcheck") is not None
        if self._audit.settings.plan:
            others = [item for item in items if not isinstance(item, CheckItem)]
            items[:] = [item for item in items if isinstance(item, CheckItem)]
            self._config.hook.pytest_deselected(items=others)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Start the clock of a limited run."""
        seconds = self._audit.settings.budget
        if seconds is not None:
            parents = {id(item.parent) for item in session.items if isinstance(item, CheckItem)}
            self._audit.budget = Budget(seconds, len(parents))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember why a benchmark file gave nothing."""
        self._hints.extend(getattr(report, "benchcheck_hints", ()))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Attach to the report what a benchmark file may have forgotten."""
        report = yield
        if isinstance(collector, BenchmarkFile) and collector.hints:
            report.benchcheck_hints = list(collector.hints)  # type: ignore[attr-defined]
        return report

    # Running

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> _Wrapper:
        """Record what fixtures judge."""
        return (yield from self._recorded())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self) -> _Wrapper:
        """Record what the test judges."""
        return (yield from self._recorded())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> _Wrapper:
        """Record what finalisers judge."""
        return (yield from self._recorded())

    def _recorded(self) -> _Wrapper:
        with collecting() as self._pending:
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach what was judged to the report, as plain data."""
        report = yield
        judged, self._pending = self._pending, []
        position = self._positions.get(item.nodeid, len(self._positions))
        if isinstance(item, CheckItem):
            if report.when == "call" and item.planned is not None:
                plan = {**item.planned, "benchmark": item.benchmark.name, "position": position}
                report.benchcheck_plan = plan  # type: ignore[attr-defined]
            if report.when == "call" and item.judged is not None:
                entry = payload(item.benchmark.name, item.benchmark_nodeid, position, [item.judged])
                setattr(report, ATTRIBUTE, entry)
        elif judged:
            checks = [
                {
                    **each.check,
                    "expected": not each.held and not report.failed,
                    "held": each.held,
                    "nodeid": str(item.nodeid),
                    "rerun": rerun_command(item),
                }
                for each in judged
            ]
            setattr(report, ATTRIBUTE, payload(item.nodeid, item.nodeid, position, checks))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather judgements and plans; on the controller, those of all workers."""
        self._audit.judgements.add(report)
        plan = getattr(report, "benchcheck_plan", None)
        if plan is not None:
            self._plans.append(plan)

    # The end

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker says at its end."""
        said = getattr(node, "workeroutput", {}).get("benchcheck", {})
        self._declared = max(self._declared, said.get("declared", 0))
        self._environment.update(said.get("environment", {}))
        self._hints.extend(hint for hint in said.get("hints", ()) if hint not in self._hints)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the JSON report; a run with nothing to check is not green."""
        if _is_worker(self._config):
            self._config.workeroutput["benchcheck"] = {  # type: ignore[attr-defined]
                "declared": self._declared,
                "environment": environment(sys.modules),
                "hints": self._hints,
            }
            return
        benchmarks = self._audit.judgements.benchmarks()
        finished = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        judged = any(
            check["verdict"] != "not_applicable"
            for benchmark in benchmarks
            for check in benchmark["checks"]
        )
        if finished and not self._declared and not judged:
            self._nothing_to_check = True
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        path = self._audit.settings.json_path
        if path is None or self._config.getoption("collectonly") or self._audit.settings.plan:
            return
        from pytest_benchcheck.json_report import write_json

        try:
            write_json(
                path,
                benchmarks,
                environment={**environment(sys.modules), **self._environment},
                interrupted=exitstatus == pytest.ExitCode.INTERRUPTED,
            )
        except OSError as error:
            # The terminal still shows everything; the run must not look complete.
            self._not_written = f"--benchcheck-json: cannot write {path}: {error}"
            if exitstatus == pytest.ExitCode.OK:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the audit, or how to declare something to audit."""
        if self._nothing_to_check:
            terminalreporter.write_sep("=", "benchcheck", red=True)
            terminalreporter.write_line(self._how_to_declare())
        if self._not_written:
            terminalreporter.write_line(self._not_written, red=True)
        if self._plans:
            from pytest_benchcheck.plan_report import print_plans

            print_plans(terminalreporter, self._plans)
        benchmarks = self._audit.judgements.benchmarks()
        if benchmarks:
            from pytest_benchcheck.terminal_report import print_report

            print_report(terminalreporter, self._config, benchmarks)

    def _how_to_declare(self) -> str:
        patterns = " or ".join(self._config.getini("benchcheck_files"))
        hints = "".join(f"\n{hint}" for hint in self._hints)
        return NOTHING_TO_CHECK.format(patterns=patterns, hints=hints)
