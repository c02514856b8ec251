"""Benchmarks become items that behave like any other item."""

from __future__ import annotations

import pytest

CHECKS = ("effect_size", "spread", "swap", "erasure")


def collected(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


def test_every_check_of_a_benchmark_is_an_item(declare, audit):
    declare("one = Inert()")
    result, _ = audit("--collect-only", "-q")
    assert collected(result) == [f"benchcheck_toy.py::inert::{check}" for check in CHECKS]
    assert result.ret == 0


def test_benchmarks_are_collected_in_order_of_definition_and_once(declare, audit):
    declare(
        """
b = Inert("b")
several = [b, Inert("a"), 3]
pair = (Inert("c"), b)
again = b
"""
    )
    result, _ = audit("--collect-only", "-q", "-k", "effect_size")
    assert [line.split("::")[1] for line in collected(result)] == ["b", "a", "c"]


def test_nothing_is_collected_imported_or_written_without_the_option(declare, pytester):
    declare("raise SystemExit('imported')")
    pytester.makepyfile(test_it="def test_it(): pass")
    before = {path.name for path in pytester.path.iterdir()}
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    after = {path.name for path in pytester.path.iterdir()} - {"__pycache__"}
    assert after == before


def test_a_benchmark_file_named_without_the_option_is_not_imported(declare, pytester):
    path = declare("raise SystemExit('imported')")
    result = pytester.runpytest_inprocess(path, "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*benchcheck_toy.py declares benchmarks*--benchcheck*"])
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_named_file_that_does_not_match_is_no_benchmark_file(declare, pytester):
    path = declare("one = Inert()", stem="other")
    result = pytester.runpytest_inprocess("--benchcheck", path)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stdout.fnmatch_lines(["*found nothing to check*"])


def test_the_pattern_of_benchmark_files_can_be_set(declare, audit, pytester):
    pytester.makeini("[pytest]\nbenchcheck_files = audit_*.py")
    declare("one = Moving()", stem="audit_this")
    declare("two = Inert()")
    result, _ = audit("--collect-only", "-q", "-k", "effect_size")
    assert collected(result) == ["audit_this.py::moving::effect_size"]


@pytest.mark.parametrize("name", ["plain", "with spaces", "a/b", "a::b", "toy[1]", "tab\there"])
def test_a_node_id_can_be_pasted_back(name, declare, audit):
    declare(f"one = Moving({name!r})")
    listed, _ = audit("--collect-only", "-q", "-k", "effect_size")
    (nodeid,) = collected(listed)
    result, report = audit(nodeid)
    result.assert_outcomes(passed=1)
    assert [benchmark["name"] for benchmark in report["benchmarks"]] == [name]


def test_a_benchmark_can_be_pasted_back_whole(declare, audit):
    declare("one = Moving('one')\ntwo = Moving('two')")
    result, report = audit("benchcheck_toy.py::two")
    result.assert_outcomes(passed=1, skipped=3)
    assert [benchmark["name"] for benchmark in report["benchmarks"]] == ["two"]


def test_items_are_selected_by_keyword_and_marker(declare, audit, pytester):
    declare("one = Moving()")
    pytester.makepyfile(test_it="def test_it(): pass")
    result, _ = audit("-k", "moving and effect_size")
    result.assert_outcomes(passed=1, deselected=4)
    result, _ = audit("-m", "benchcheck")
    result.assert_outcomes(passed=1, skipped=3, deselected=1)


def test_last_failed_runs_the_failed_check_again(declare, audit):
    declare("one = Inert()\ntwo = Moving()")
    audit()
    result, _ = audit("--lf")
    result.assert_outcomes(failed=1)


def test_exitfirst_stops_after_a_failed_check(declare, audit):
    declare("one = Inert()\ntwo = Moving()")
    result, report = audit("-x")
    result.assert_outcomes(failed=1)
    assert [benchmark["name"] for benchmark in report["benchmarks"]] == ["inert"]


def test_junit_reports_name_the_check_and_the_reason(declare, audit, pytester):
    declare("one = Inert()")
    audit("--junitxml=junit.xml")
    text = (pytester.path / "junit.xml").read_text(encoding="utf-8")
    assert 'classname="benchcheck_toy.inert" name="effect_size"' in text
    assert "fail: 1 of 1 cells are inert" in text


@pytest.mark.parametrize("mode", ["prepend", "append", "importlib"])
def test_files_are_imported_as_pytest_imports_test_modules(mode, declare, audit, pytester):
    package = pytester.mkpydir("package")
    declare("one = Moving(__name__)").rename(package / "benchcheck_toy.py")
    result, report = audit(f"--import-mode={mode}", subprocess=True)
    result.assert_outcomes(passed=1, skipped=3)
    assert [b["name"] for b in report["benchmarks"]] == ["package.benchcheck_toy"]


def test_same_named_files_in_two_folders_are_both_collected_under_importlib(
    declare, audit, pytester
):
    for folder in ("a", "b"):
        pytester.mkdir(folder)
        declare(f"one = Moving({folder!r})").rename(pytester.path / folder / "benchcheck_toy.py")
    result, report = audit("--import-mode=importlib")
    result.assert_outcomes(passed=2, skipped=6)
    assert [benchmark["name"] for benchmark in report["benchmarks"]] == ["a", "b"]


def test_a_file_that_does_not_import_is_a_collection_error(declare, audit):
    declare("import there_is_no_such_module")
    result, _ = audit()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        ["*ERROR collecting benchcheck_toy.py*", "*there_is_no_such_module*"]
    )


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("one = Inert('')", "one: Inert.name must be a non-empty string"),
        ("one = Inert(bars={'spreed': 1})", "one: Inert.bars names*spreed"),
        ("one = Inert(expected={'spread': 'bad'})", "one: Inert.expected*'bad'"),
        ("one = Inert(bars={'spread': -1})", "one: Inert.bars*-1"),
        ("many = [Inert(default_episodes=0)]", "many?0?: Inert.default_episodes"),
    ],
)
def test_a_broken_declaration_is_a_collection_error_that_names_it(body, named, declare, audit):
    declare(body)
    result, _ = audit()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"*{named}*"])


def test_two_benchmarks_of_one_name_are_a_collection_error_naming_both(declare, audit):
    declare("one = Inert()\nothers = [Moving('inert')]")
    result, _ = audit()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*two benchmarks are named 'inert': one and others?0?*"])


@pytest.mark.parametrize("options", [(), ("-n2",), ("-p", "no:terminal"), ("--collect-only",)])
def test_a_run_with_nothing_to_check_is_not_green(options, audit, pytester):
    pytester.makepyfile(test_it="def test_it(): pass")
    result, _ = audit(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_a_run_with_nothing_to_check_says_how_to_declare_something(audit, pytester):
    pytester.makepyfile(
        benchcheck_x="from pytest_benchcheck import Benchmark\nclass X(Benchmark): pass"
    )
    result, _ = audit()
    result.stdout.fnmatch_lines(
        [
            "*found nothing to check*",
            "*benchcheck_x.py defines the class X but no instance of it*",
            "*benchcheck_?.py:*",
            "*from pytest_benchcheck import Benchmark*",
            "*@pytest.mark.benchcheck*",
        ]
    )


def test_a_benchmark_that_implements_nothing_is_nothing_to_check(declare, audit):
    declare("class Empty(Benchmark):\n    name = 'empty'\n\nempty = Empty()")
    result, _ = audit()
    result.assert_outcomes(skipped=4)
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_failures_of_ordinary_tests_keep_their_exit_code(audit, pytester):
    pytester.makepyfile(test_it="def test_it(): assert 0")
    result, _ = audit()
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_deselecting_everything_is_pytests_own_empty_run(declare, audit):
    declare("one = Moving()")
    result, _ = audit("-k", "nothing_is_called_this")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_marked_test_is_something_to_check(audit, pytester):
    pytester.makepyfile(test_it="import pytest\n@pytest.mark.benchcheck\ndef test_it(): pass\n")
    result, _ = audit("--strict-markers")
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.OK


def test_marked_tests_are_skipped_without_the_option_and_say_why(pytester):
    pytester.makepyfile(
        test_it="""
import pytest

@pytest.mark.benchcheck
def test_marked(): assert 0

def test_benchcheck(): pass
"""
    )
    result = pytester.runpytest_inprocess("-rs", "--strict-markers")
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["*SKIPPED*only under --benchcheck*"])


def test_a_file_may_skip_itself_where_a_library_is_missing(declare, audit):
    declare("import pytest\npytest.importorskip('there_is_no_such_simulator')\none = Inert()")
    result, _ = audit("-rs")
    result.stdout.fnmatch_lines(["*SKIPPED*there_is_no_such_simulator*"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR
