"""The terminal section and the JSON file."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck import __version__
from pytest_benchcheck.checks.results import SpreadResult
from pytest_benchcheck.checks.spread import spread
from pytest_benchcheck.environment import environment
from pytest_benchcheck.explanation import ranks
from pytest_benchcheck.json_report import report_text, write_json
from pytest_benchcheck.meaning import meaning
from pytest_benchcheck.tables import printable, table_of
from pytest_benchcheck.terminal_report import render

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def null_for_non_finite(value):
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list):
        return [null_for_non_finite(entry) for entry in value]
    if isinstance(value, dict):
        return {name: null_for_non_finite(entry) for name, entry in value.items()}
    return value


def benchmark(**changes):
    check = {
        **SpreadResult(
            verdict="fail",
            summary="3 representations lie within 0.019",
            estimate=0.019,
            interval=(0.01, 0.03),
            bar=0.05,
            episodes=60,
            metric="r2",
            rows=(
                {"representation": "random_vit", "role": "random", "r2": 0.977, "interval": None},
                {"representation": "best", "role": "candidate", "r2": 0.996, "interval": None},
            ),
            references=(
                {"reference": "covariates alone", "kind": "floor", "r2": 0.5},
                {"reference": "state", "kind": "ceiling", "r2": 0.99},
            ),
            findings=("no candidate beats the trivial baselines",),
        ).to_dict(),
        "expected": False,
        "held": False,
        "rerun": "pytest --benchcheck x.py::toy::spread",
    }
    return {"name": "toy", "nodeid": "x.py::toy", "checks": [{**check, **changes}]}


# JSON


@settings(deadline=None)
@given(st.dictionaries(TEXT, VALUES, max_size=4))
def test_json_gives_back_what_it_was_given_with_null_for_non_finite(extra):
    text = report_text([{"name": "toy", "checks": [extra]}], environment={})
    read = json.loads(text, parse_constant=pytest.fail)
    assert read["benchmarks"][0]["checks"] == [null_for_non_finite(extra)]


def test_not_a_number_is_null_and_names_stay(tmp_path):
    path = tmp_path / "report.json"
    rows = [{"representation": "BaNaNa", "r2": math.nan, "n": np.int64(3), "a": np.arange(2)}]
    write_json(path, [{"name": "NaN", "checks": [{"rows": rows}]}], environment={})
    read = json.loads(path.read_bytes().decode("utf-8"), parse_constant=pytest.fail)
    assert read["benchmarks"][0] == {
        "name": "NaN",
        "checks": [{"rows": [{"representation": "BaNaNa", "r2": None, "n": 3, "a": [0, 1]}]}],
    }


def test_a_name_without_a_utf8_form_survives(tmp_path):
    path = tmp_path / "report.json"
    write_json(path, [{"name": "caf\udce9 Δ≥"}], environment={})
    assert json.loads(path.read_bytes().decode("utf-8"))["benchmarks"][0]["name"] == "caf\udce9 Δ≥"


def test_the_report_replaces_an_old_one_whole_and_leaves_no_other_file(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old", encoding="utf-8")
    write_json(path, [], environment={})
    assert json.loads(path.read_text(encoding="utf-8"))["benchmarks"] == []
    assert list(tmp_path.iterdir()) == [path]


def test_a_report_that_cannot_be_put_in_place_leaves_no_other_file(tmp_path):
    path = tmp_path / "report.json"
    path.mkdir()
    with pytest.raises(OSError, match=r"report\.json"):
        write_json(path, [], environment={})
    assert list(tmp_path.iterdir()) == [path]


def test_the_schema_has_its_pinned_fields(declare, audit):
    declare("one = Toy()")
    result, report = audit()
    assert result.ret in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    assert report["schema_version"] == 1
    assert report["benchcheck_version"] == __version__
    assert {"python", "platform", "numpy", "scipy", "scikit-learn", "pytest"} <= set(
        report["environment"]
    )
    (toy,) = report["benchmarks"]
    assert toy["name"] == "toy"
    checks = {check["check"]: check for check in toy["checks"]}
    assert list(checks) == ["effect_size", "spread", "swap", "erasure"]
    pinned = {"check", "verdict", "expected", "summary", "estimate", "interval", "bar", "rows"}
    pinned |= {"confidence", "episodes", "seed", "minimum_detectable", "findings", "warnings"}
    for check in checks.values():
        assert pinned <= set(check)
    rows = {
        "effect_size": {"task", "property", "mean_abs_delta", "percent_of_scale", "noise_floor"}
        | {"inert", "reason", "warnings", "error"},
        "spread": {"representation", "role", "r2", "interval"},
        "swap": {"representation", "query", "query_evidence", "query_swapped"}
        | {"query_swapped_at_test"},
        "erasure": {"representation", "property", "probe_r2", "probe_r2_after", "cost"}
        | {"random_control_cost"},
    }
    for name, keys in rows.items():
        assert checks[name]["rows"]
        for row in checks[name]["rows"]:
            assert keys <= set(row)


def test_an_interrupted_run_reports_the_finished_checks(declare, audit, checks_of):
    declare(
        """
class Interrupted(Moving):
    def episodes(self, n, seed):
        raise KeyboardInterrupt

one = Interrupted("one")
"""
    )
    result, report = audit(subprocess=True)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert report["interrupted"] is True
    assert list(checks_of(report)["one"]) == ["effect_size"]
    result.stdout.fnmatch_lines(["*effect_size: PASS*"])


def test_the_report_is_written_without_a_terminal(declare, audit, checks_of):
    declare("one = Moving()")
    result, report = audit("-p", "no:terminal")
    assert result.ret == 0
    assert checks_of(report)["moving"]["effect_size"]["verdict"] == "pass"


def test_a_report_that_cannot_be_written_at_the_end_is_said_and_not_green(declare, audit):
    declare(
        """
import shutil
from pathlib import Path

class Removes(Moving):
    def cells(self):
        shutil.rmtree("out")
        Path("out").write_text("a file where the folder was")
        return super().cells()

Path("out").mkdir(exist_ok=True)
one = Removes()
"""
    )
    result, _ = audit("--co")
    result, _ = audit("--benchcheck-json=out/r.json", "-k", "effect_size")
    result.assert_outcomes(passed=1, deselected=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["--benchcheck-json: cannot write *r.json*", "*moving*"])


def test_missing_folders_of_the_report_are_made(declare, audit, pytester):
    declare("one = Moving()")
    audit("--benchcheck-json=new/folder/r.json", "-k", "effect_size")
    report = json.loads((pytester.path / "new" / "folder" / "r.json").read_text("utf-8"))
    assert report["benchmarks"][0]["name"] == "moving"


def test_collecting_only_leaves_an_earlier_report_alone(declare, pytester):
    declare("one = Moving()")
    report = pytester.path / "r.json"
    report.write_text("earlier", encoding="utf-8")
    pytester.runpytest_inprocess("--benchcheck", "--benchcheck-json=r.json", "--co")
    assert report.read_text(encoding="utf-8") == "earlier"


def test_optional_packages_are_named_only_where_they_were_imported():
    assert "torch" not in environment([])
    assert "mujoco" not in environment(["torch"])
    assert environment([])["pytest"] == pytest.__version__


# Terminal


def test_a_panel_shows_sentence_verdict_rows_references_and_advice():
    text = render([benchmark()], width=80, color=False)
    words = " ".join(text.replace("│", " ").split())
    assert "This benchmark cannot rank representations: two representations lie within" in words
    assert "spread: FAIL" in text
    for cells in (
        ["random_vit", "random", "0.977"],
        ["best", "candidate", "0.996"],
        ["covariates", "alone", "floor", "0.500"],
        ["state", "ceiling", "0.990"],
    ):
        assert any(
            line.replace("│", "").split()[: len(cells)] == cells for line in text.splitlines()
        )
    assert "spread: 0.019 [0.010, 0.030] (95 % interval); bar: 0.05" in words
    assert "finding: no candidate beats" in words
    assert "pytest --benchcheck x.py::toy::spread" in words


@pytest.mark.parametrize("width", [20, 60, 80, 200])
def test_lines_fit_the_terminal(width):
    text = render([benchmark()], width=width, color=False)
    assert max(len(line) for line in text.splitlines()) <= max(width, 40)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_frames_are_ascii_where_the_encoding_has_no_others(encoding):
    text = render([benchmark()], width=80, color=False, encoding=encoding)
    text.encode(encoding)
    assert "+---" in text


def test_colour_is_used_only_where_asked_for():
    assert "\x1b[" not in render([benchmark()], width=80, color=False)
    assert "\x1b[" in render([benchmark()], width=80, color=True)


@settings(deadline=None)
@given(TEXT)
def test_names_never_reach_the_terminal_as_markup_or_control(name):
    hostile = f"[red]{name}[/red]\x1b[31m"
    rows = ({"representation": hostile, "role": "trivial", "r2": 0.5, "interval": None},)
    text = render([benchmark(rows=rows) | {"name": hostile}], width=10_000, color=False)
    assert "\x1b" not in text
    assert "[red]" in text
    assert "[/red]" in text


def test_printable_text_stays_and_control_characters_are_shown():
    assert printable("Δ≥ é") == "Δ≥ é"
    assert printable("a\x1bb\nc\udce9") == "a\\x1bb\\nc\\udce9"


def test_the_ranks_that_a_leaderboard_may_claim_are_told_with_their_ties():
    scores = np.random.default_rng(0).standard_normal((3, 40)) * 0.1 + [[0.0], [0.0], [2.0]]
    check = spread(dict(zip(["raw_pixels", "a", "b"], scores, strict=True))).to_dict()
    line = ranks(check)
    assert line.startswith("a leaderboard may claim 2 ranks of 3 representations: b 1, ")
    assert line.count(" 2-3") == 2
    del check["distinguishable_ranks"]
    assert ranks(check) == ""


def test_a_message_of_several_lines_keeps_them_and_nothing_else_that_controls():
    report = benchmark()
    check = report["checks"][0] | {"summary": "no OpenGL.\nInstall:\x1b[2J this"}
    lines = render([report | {"checks": [check]}], width=80, color=False).splitlines()
    assert any("no OpenGL." in line and "Install" not in line for line in lines)
    assert any("Install:\\x1b[2J this" in line for line in lines)


def test_a_narrow_terminal_with_another_encoding_survives(declare, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "cp1252")
    monkeypatch.setenv("COLUMNS", "50")
    declare("one = Inert('Δ ≥ [red]é')")
    command = [sys.executable, "-m", "pytest", "--benchcheck"]
    result = subprocess.run(command, check=False, capture_output=True)
    text = result.stdout.decode("cp1252")
    assert result.returncode == pytest.ExitCode.TESTS_FAILED
    assert "INTERNALERROR" not in text
    assert "[red]é" in text
    assert "+---" in text
    panel = [line for line in text.splitlines() if line.startswith("|")]
    assert max(len(line) for line in panel) <= 50


def test_quiet_runs_print_a_line_a_check_and_quieter_ones_what_is_red(declare, audit):
    declare("one = Inert()\ntwo = Moving()")
    quiet, _ = audit("-q", "-k", "effect_size")
    lines = [line for line in quiet.outlines if " effect_size: " in line]
    assert lines == [
        "inert effect_size: FAIL  1 of 1 cells are inert: the perturbation does not move the "
        "outcome in push x friction.",
        "moving effect_size: PASS  all 1 cells move the outcome.",
    ]
    quieter, _ = audit("-qq", "-k", "effect_size")
    lines = [line for line in quieter.outlines if " effect_size: " in line]
    assert len(lines) == 1
    assert lines[0].startswith("inert")


@pytest.mark.parametrize("option", ["--color=yes", "--color=no"])
def test_colour_follows_pytest(option, declare, audit):
    declare("one = Inert()")
    result, _ = audit(option, "-k", "effect_size")
    panel = result.stdout.str().split("FAILURES")[1]
    assert ("\x1b[31m" in panel) == (option == "--color=yes")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "This benchmark cannot rank representations"),
        ({"verdict": "pass"}, "This benchmark can rank representations"),
        ({"verdict": "undecided"}, "These data cannot tell"),
        ({"verdict": "error"}, "the check broke"),
        ({"verdict": "not_applicable"}, "Nothing here could be checked"),
        ({"check": "beats_trivial"}, "No candidate beats the trivial"),
        ({"check": "swap"}, "The evidence is not what helps"),
        ({"check": "swap", "verdict": "pass"}, "The evidence is used"),
        ({"check": "erasure"}, "decodable but not used"),
        ({"check": "erasure", "verdict": "pass"}, "What was erased is used"),
    ],
)
def test_a_sentence_says_what_the_verdict_means(changes, sentence):
    assert sentence in meaning(benchmark(**changes)["checks"])


def test_effect_size_speaks_where_there_is_no_spread():
    rows = [
        {"inert": True},
        {"inert": True, "allowed": True},
        {"inert": False},
    ]
    check = benchmark(check="effect_size", rows=rows)["checks"]
    assert meaning(check).startswith("1 of 2 perturbations does not move the outcome")


def test_a_table_that_is_too_wide_is_cut_in_its_texts_only():
    rows = [
        {"representation": "r" * 200, "role": "candidate", "r2": 0.123456, "interval": (0.1, 0.2)}
    ]
    text = table_of(benchmark(rows=rows, references=())["checks"][0]).text(width=80)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "0.123" in text
    assert "[0.100, 0.200]" in text
