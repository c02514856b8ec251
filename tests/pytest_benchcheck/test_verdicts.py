"""A verdict decides the outcome of its item, and expected verdicts are strict."""

from __future__ import annotations

import pytest

from pytest_benchcheck.checks.results import SpreadResult
from pytest_benchcheck.verdicts import Reaction, react

VERDICTS = ("pass", "fail", "undecided", "not_applicable", "error")


@pytest.mark.parametrize(
    ("verdict", "undecided", "reaction"),
    [
        ("pass", "fail", Reaction.PASS),
        ("fail", "fail", Reaction.FAIL),
        ("undecided", "fail", Reaction.FAIL),
        ("undecided", "warn", Reaction.PASS),
        ("not_applicable", "fail", Reaction.SKIP),
        ("error", "warn", Reaction.FAIL),
    ],
)
def test_without_an_expectation_the_verdict_decides(verdict, undecided, reaction):
    assert react(SpreadResult(verdict=verdict), None, undecided=undecided)[0] is reaction


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("declared", VERDICTS)
def test_any_verdict_but_the_expected_one_fails(verdict, declared):
    reaction, reason = react(SpreadResult(verdict=verdict), declared, undecided="warn")
    if verdict != declared:
        assert reaction is Reaction.FAIL
        assert reason.startswith(
            f"expected {declared}, got {verdict}".replace("not_applicable", "not applicable")
        )
    else:
        assert reaction is (Reaction.PASS if verdict == "pass" else Reaction.XFAIL)


def test_a_known_bad_benchmark_is_an_expected_failure(declare, audit, checks_of):
    declare("one = Inert(expected={'effect_size': 'fail'})")
    result, report = audit("-rx")
    result.assert_outcomes(xfailed=1, skipped=3)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["XFAIL *inert::effect_size - *expected fail: 1 of 1 cells*"])
    check = checks_of(report)["inert"]["effect_size"]
    assert (check["verdict"], check["expected"], check["held"]) == ("fail", True, True)


def test_a_known_bad_benchmark_that_passes_turns_the_run_red(declare, audit, checks_of):
    declare("one = Moving(expected={'effect_size': 'fail'})")
    result, report = audit()
    result.assert_outcomes(failed=1, skipped=3)
    result.stdout.fnmatch_lines(["expected fail, got pass: *"])
    check = checks_of(report)["moving"]["effect_size"]
    assert (check["verdict"], check["expected"], check["held"]) == ("pass", False, False)


def test_runxfail_reports_as_if_nothing_were_expected(declare, audit):
    declare("one = Inert(expected={'effect_size': 'fail'})")
    result, _ = audit("--runxfail")
    result.assert_outcomes(failed=1, skipped=3)


def test_checks_that_lack_their_part_are_skipped_with_the_reason(declare, audit, checks_of):
    declare("one = Moving()")
    result, report = audit("-rs")
    result.assert_outcomes(passed=1, skipped=3)
    result.stdout.fnmatch_lines(["SKIPPED*not applicable: Moving does not implement episodes()"])
    verdicts = {name: check["verdict"] for name, check in checks_of(report)["moving"].items()}
    assert verdicts == {
        "effect_size": "pass",
        "spread": "not_applicable",
        "swap": "not_applicable",
        "erasure": "not_applicable",
    }


UNDECIDED = """
class Few(Toy):
    def episodes(self, n, seed):
        made = super().episodes(n, seed)
        return Episodes(target=made.target, clips=made.clips, groups=np.arange(n) % 6)

one = Few()
"""


def test_undecided_fails_the_run(declare, audit):
    declare(UNDECIDED)
    result, _ = audit("-k", "spread")
    result.assert_outcomes(failed=1, deselected=3)
    result.stdout.fnmatch_lines(["undecided: *"])


def test_undecided_may_pass_with_a_notice(declare, audit, checks_of):
    declare(UNDECIDED)
    result, report = audit("-k", "spread", "-obenchcheck_undecided=warn", "-Werror")
    result.assert_outcomes(passed=1, deselected=3)
    result.stdout.fnmatch_lines(["*spread: UNDECIDED*", "*too few groups*"])
    assert checks_of(report)["toy"]["spread"]["verdict"] == "undecided"


def test_a_failure_shows_evidence_advice_and_the_command_instead_of_a_traceback(declare, audit):
    declare("one = Inert()")
    result, _ = audit("-k", "effect_size")
    result.stdout.fnmatch_lines(
        [
            "fail: 1 of 1 cells are inert*",
            "task  property*",
            "push  friction*inert",
            "smallest mean abs(delta): 0.000; bar: 0.0001; 32 matched pairs a cell",
            "What to do next: *",
            "Run just this check again:",
            "  pytest --benchcheck benchcheck_toy.py::inert::effect_size",
            "FAILED benchcheck_toy.py::inert::effect_size - fail: 1 of 1 cells*",
        ]
    )
    failures = result.stdout.str().split("= FAILURES =")[1].split("= benchcheck =")[0]
    assert "Traceback" not in failures
    assert "collection.py" not in failures


def test_the_command_counts_from_where_pytest_was_started(declare, audit, pytester, monkeypatch):
    declare("one = Inert('not moving')")
    pytester.makeini("[pytest]")
    inner = pytester.mkdir("inner")
    monkeypatch.chdir(inner)
    result, _ = audit("--benchcheck-episodes=9", "..", "-k", "effect_size")
    command = (
        "pytest --benchcheck --benchcheck-episodes=9 "
        "'../benchcheck_toy.py::not moving::effect_size'"
    )
    result.stdout.fnmatch_lines([f"  {command}"])


def test_a_broken_benchmark_shows_its_own_traceback(declare, audit, checks_of):
    declare(
        """
class Broken(Moving):
    def episodes(self, n, seed):
        return self.load()

    def load(self):
        raise RuntimeError("no such scene")

one = Broken("broken")
"""
    )
    result, report = audit()
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        ["error: RuntimeError: no such scene", "benchcheck_toy.py:*: in load", "*no such scene*"]
    )
    assert "running.py" not in result.stdout.str()
    found = checks_of(report)["broken"]
    assert found["effect_size"]["verdict"] == "pass"
    assert {found[check]["verdict"] for check in ("spread", "swap", "erasure")} == {"error"}


@pytest.mark.parametrize("stop", ["sys.exit('no display')", "pytest.fail('no display')"])
def test_a_benchmark_that_ends_the_test_is_an_error_in_the_report(stop, declare, audit, checks_of):
    declare(
        f"""
import pytest, sys

class Ends(Moving):
    def cells(self):
        {stop}

one = Ends("one")
"""
    )
    result, report = audit("-k", "effect_size")
    result.assert_outcomes(failed=1, deselected=3)
    check = checks_of(report)["one"]["effect_size"]
    assert check["verdict"] == "error"
    assert "no display" in check["summary"]


def test_a_benchmark_that_skips_itself_is_not_applicable(declare, audit, checks_of):
    declare(
        """
import pytest

class Skips(Moving):
    def cells(self):
        pytest.importorskip("there_is_no_such_simulator")

one = Skips("one")
two = Skips("two", expected={"effect_size": "fail"})
"""
    )
    result, report = audit("-k", "effect_size")
    result.assert_outcomes(failed=1, skipped=1, deselected=6)
    check = checks_of(report)["one"]["effect_size"]
    assert check["verdict"] == "not_applicable"
    assert "there_is_no_such_simulator" in check["summary"]


def test_the_evidence_of_an_expected_failure_can_be_shown(declare, audit):
    declare("one = Inert(expected={'effect_size': 'fail'})")
    result, _ = audit("-rx", "--xfail-tb")
    result.stdout.fnmatch_lines(["push  friction*inert"])
    assert "outcomes.py" not in result.stdout.str()
