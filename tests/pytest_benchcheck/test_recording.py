"""Whatever is judged in a test is part of the audit, under the test's name."""

from __future__ import annotations

import threading

import pytest

from pytest_benchcheck import assert_spread_exceeds
from pytest_benchcheck.checks.results import SpreadResult
from pytest_benchcheck.recorder import collecting, record

HEAD = """
import pytest
from pytest_benchcheck import assert_beats_trivial, assert_effects_exceed, assert_spread_exceeds

GOOD = {"random_vit": 0.5, "raw_pixels": 0.6, "best": 0.9}
BAD = {"random_vit": 0.977, "raw_pixels": 0.996, "best": 0.995}
"""


@pytest.fixture
def tests(pytester):
    def write(body: str):
        return pytester.makepyfile(test_it=HEAD + body)

    return write


def test_assertions_are_recorded_under_the_tests_node_id(tests, audit, checks_of):
    tests(
        """
class TestScores:
    @pytest.mark.parametrize("bar", [0.05])
    def test_rank(self, bar):
        assert_spread_exceeds(GOOD, bar)
        assert_beats_trivial(GOOD)
"""
    )
    result, report = audit()
    assert result.ret == 0
    found = checks_of(report)["test_it.py::TestScores::test_rank[0.05]"]
    assert {name: check["verdict"] for name, check in found.items()} == {
        "spread": "pass",
        "beats_trivial": "pass",
    }
    result.stdout.fnmatch_lines(["*TestScores::test_rank*", "*spread: PASS*"])


def test_a_failed_assertion_is_recorded_and_red(tests, audit, checks_of):
    tests("def test_it(): assert_spread_exceeds(BAD, 0.05)")
    result, report = audit()
    result.assert_outcomes(failed=1)
    check = checks_of(report)["test_it.py::test_it"]["spread"]
    assert (check["verdict"], check["expected"], check["held"]) == ("fail", False, False)
    assert check["rerun"] == "pytest --benchcheck test_it.py::test_it"
    result.stdout.fnmatch_lines(["*spread: FAIL *", "*what to do: *", "*run it again: *"])


def test_a_failed_assertion_in_a_passing_test_is_expected(tests, audit, checks_of):
    tests(
        """
def test_it():
    with pytest.raises(AssertionError):
        assert_spread_exceeds(BAD, 0.05)

@pytest.mark.xfail(strict=True)
def test_known():
    assert_spread_exceeds(BAD, 0.05)
"""
    )
    result, report = audit()
    assert result.ret == 0
    for name in ("test_it.py::test_it", "test_it.py::test_known"):
        check = checks_of(report)[name]["spread"]
        assert (check["verdict"], check["expected"]) == ("fail", True)
    assert "what to do" not in result.stdout.str()
    quiet, _ = audit("-qq")
    assert "spread" not in quiet.stdout.str()


def test_bad_input_is_recorded_as_an_error(tests, audit, checks_of):
    tests("def test_it(): assert_spread_exceeds({'one': 0.5}, 0.05)")
    result, report = audit()
    result.assert_outcomes(failed=1)
    check = checks_of(report)["test_it.py::test_it"]["spread"]
    assert check["verdict"] == "error"
    assert "at least two representations" in check["summary"]


def test_nothing_is_recorded_without_the_option(tests, pytester):
    tests("def test_it(): assert_spread_exceeds(GOOD, 0.05)")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1)
    assert "benchcheck =" not in result.stdout.str()


def test_fixtures_are_recorded_with_the_test_that_asked(tests, audit, checks_of):
    tests(
        """
@pytest.fixture
def judged():
    assert_spread_exceeds(GOOD, 0.05)
    yield
    assert_beats_trivial(GOOD)

def test_it(judged):
    assert_effects_exceed({("push", "mass"): 0.5})
"""
    )
    _, report = audit()
    assert list(checks_of(report)["test_it.py::test_it"]) == [
        "spread",
        "effect_size",
        "beats_trivial",
    ]


def test_results_can_be_recorded_by_the_fixture(tests, audit, checks_of):
    tests(
        """
from pytest_benchcheck import spread

def test_it(benchcheck):
    benchcheck.record(spread(GOOD))
"""
    )
    _, report = audit()
    assert checks_of(report)["test_it.py::test_it"]["spread"]["verdict"] == "pass"


def test_an_assertion_with_a_benchmark_is_recorded_under_the_test(declare, audit, pytester):
    declare("", stem="toys")
    pytester.makepyfile(
        test_it="""
from pytest_benchcheck import assert_spread_exceeds
from toys import Toy

def test_it():
    assert_spread_exceeds(Toy(), 0.1)
"""
    )
    _, report = audit()
    assert [benchmark["name"] for benchmark in report["benchmarks"]] == ["test_it.py::test_it"]
    assert (pytester.path / ".benchcheck" / "cache").is_dir()


RERUN = """
import pytest
from _pytest.runner import runtestprotocol

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    for attempt in range(3):
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
        again = attempt < 2 and any(report.failed for report in reports)
        for report in reports:
            if again and report.failed:
                report.outcome = "rerun"
            item.ihook.pytest_runtest_logreport(report=report)
        if not again:
            return True

def pytest_report_teststatus(report):
    if report.outcome == "rerun":
        return "rerun", "R", "RERUN"
"""


def test_a_test_that_is_run_again_is_one_row_of_its_last_attempt(tests, audit, pytester):
    pytester.makeconftest(RERUN)
    tests(
        """
attempts = []

def test_it():
    attempts.append(1)
    assert_spread_exceeds(GOOD if len(attempts) == 3 else BAD, 0.05)
"""
    )
    result, report = audit()
    assert result.ret == 0
    (benchmark,) = report["benchmarks"]
    assert [check["verdict"] for check in benchmark["checks"]] == ["pass"]


def test_a_check_that_is_run_again_is_one_row_of_its_last_attempt(declare, audit, pytester):
    pytester.makeconftest(RERUN)
    declare(
        """
class Flaky(Moving):
    attempts = 0

    def cells(self):
        Flaky.attempts += 1
        if Flaky.attempts < 3:
            raise OSError("no display")
        return super().cells()

one = Flaky("flaky")
"""
    )
    result, report = audit("-k", "effect_size")
    assert result.ret == 0
    (benchmark,) = report["benchmarks"]
    assert [check["verdict"] for check in benchmark["checks"]] == ["pass"]


def test_workers_make_one_report_in_order_of_collection(tests, declare, audit, pytester):
    declare("one = Inert()\ntwo = Moving()")
    tests(
        """
@pytest.mark.parametrize("bar", [0.05, 0.1, 0.2])
def test_rank(bar): assert_spread_exceeds(GOOD, bar)
"""
    )

    def stripped(report):
        return [(b["name"], b["checks"]) for b in report["benchmarks"]]

    alone, expected = audit()
    several, merged = audit("-n2")
    assert several.ret == alone.ret == pytest.ExitCode.TESTS_FAILED
    assert stripped(merged) == stripped(expected)
    # This process may have imported more than the workers did, and names it.
    assert merged["environment"].items() <= expected["environment"].items()
    assert several.stdout.str().count("effect_size: FAIL") == 1
    assert len(list(pytester.path.glob("*.json"))) == 1


def test_declarations_on_workers_reach_the_controller(audit, pytester):
    pytester.makepyfile(test_it="import pytest\n@pytest.mark.benchcheck\ndef test_it(): pass\n")
    result, _ = audit("-n2")
    assert result.ret == pytest.ExitCode.OK


def test_warnings_as_errors_do_not_stop_an_audit(tests, declare, audit):
    declare("one = Moving()")
    tests("def test_it(): assert_spread_exceeds(GOOD, 0.05)")
    result, _ = audit("-Werror")
    result.assert_outcomes(passed=2, skipped=3)


def test_the_innermost_collection_takes_what_is_judged():
    with collecting() as outer, collecting() as inner:
        record(SpreadResult(verdict="pass"), held=True)
    assert (len(outer), len(inner)) == (0, 1)
    record(SpreadResult(verdict="pass"), held=True)
    assert (len(outer), len(inner)) == (0, 1)


def test_what_a_thread_of_the_test_judges_is_recorded():
    with collecting() as judged:
        thread = threading.Thread(target=assert_spread_exceeds, args=({"a": 0.1, "b": 0.9}, 0.05))
        thread.start()
        thread.join()
    assert [each.check["check"] for each in judged] == ["spread"]
