"""A plan tells what each check could resolve, and runs no encoder."""

from __future__ import annotations

import pytest

from pytest_benchcheck.plan_report import duration, plan_lines

NO_ENCODER = """
class Forbidden:
    name = "forbidden"
    version = "1"

    def encode(self, clips):
        raise AssertionError("a plan runs no encoder")


class Planned(Toy):
    name = "planned"
    encoders = (Forbidden(),)
"""


@pytest.fixture
def plan(pytester):
    def run(*options):
        return pytester.runpytest_inprocess("--benchcheck-plan", *options)

    return run


def test_every_check_is_planned_without_an_encoder(declare, plan):
    declare(NO_ENCODER + "planned = Planned()")
    result = plan("--benchcheck-episodes=500")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(
        [
            "*benchcheck plan*",
            "planned",
            "  effect_size (*)",
            "    1 cell, 32 matched pairs each",
            "    replays are bit-identical in 4 of 4 probes: *",
            "  spread (*)",
            "*2 representations as good as the mean alone (r2 *): with 500*",
            "  swap (*)",
            "*what is left of a gain is known to within 0.* to 0.*",
            "  erasure (*)",
            "*a cost 0.* from the bar of 0.05 is decided",
            "  in all about *, and encoding, which a plan does not run",
        ]
    )


def test_ordinary_tests_are_not_run(declare, plan, pytester):
    declare("toy = Toy()")
    pytester.makepyfile(test_mine="def test_mine(): raise SystemExit(3)")
    plan().assert_outcomes(passed=4, deselected=1)


def test_no_report_is_written(declare, plan, pytester):
    declare("toy = Toy()")
    path = pytester.path / "report.json"
    plan(f"--benchcheck-json={path}").assert_outcomes(passed=4)
    assert not path.exists()


def test_plans_of_workers_come_together(declare, plan, pytester):
    declare("toy, inert = Toy(), Inert()")
    result = pytester.runpytest_subprocess("-p", "xdist", "-n2", "--benchcheck-plan")
    result.assert_outcomes(passed=8)
    result.stdout.fnmatch_lines(["toy", "*effect_size (*", "inert", "*effect_size (*"])
    result.stdout.fnmatch_lines(["*not applicable: the benchmark lacks its part*"])


def test_a_benchmark_that_breaks_fails_its_own_plan_only(declare, plan):
    declare(
        """
class Broken(Toy):
    name = "broken"

    def episodes(self, n, seed):
        raise RuntimeError("no simulator here")


broken, toy = Broken(), Toy()
"""
    )
    result = plan()
    result.assert_outcomes(passed=5, failed=3)
    result.stdout.fnmatch_lines(["*RuntimeError: no simulator here*"])


def test_what_a_probe_finds_wrong_is_said_without_a_traceback(declare, plan):
    declare("toy = Toy()")
    result = plan("--benchcheck-episodes=3")
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(["*toy: 5 folds need at least 5 independent groups*have 3*"])
    assert "Traceback" not in result.stdout.str()
    assert "planning.py" not in result.stdout.str()


def test_nothing_to_plan_is_not_green(plan):
    assert plan().ret == pytest.ExitCode.USAGE_ERROR


def test_few_groups_and_missing_parts_are_said(declare, plan):
    declare(
        """
import dataclasses


class Grouped(Toy):
    name = "grouped"

    def episodes(self, n, seed):
        made = super().episodes(n, seed)
        return dataclasses.replace(made, groups=np.arange(n) // 12, latents={}, evidence=())


grouped = Grouped()
"""
    )
    result = plan()
    result.stdout.fnmatch_lines(
        [
            "*a probe of 60 episodes holds 5 independent groups*",
            "*not applicable: the episodes name no evidence clips to exchange",
            "*not applicable: the episodes name no latents to erase",
        ]
    )


def test_a_noisy_simulator_and_a_broken_cell_are_told(declare, plan):
    declare(
        """
class Noisy(Inert):
    name = "noisy"

    def cells(self):
        return [Cell("push", "friction"), Cell("push", "mass")]

    def simulate(self, cell, seed):
        if cell is not None and cell.property == "mass":
            raise ValueError("negative mass")
        return float(np.random.default_rng().standard_normal())


noisy = Noisy()
"""
    )
    result = plan()
    result.stdout.fnmatch_lines(
        ["*replays differ by * on average*", "*breaks: push x mass: ValueError*negative mass*"]
    )


def entry(benchmark, check, seconds, position, lines=()):
    return {
        "benchmark": benchmark,
        "check": check,
        "seconds": seconds,
        "position": position,
        "lines": list(lines),
    }


def test_checks_that_share_episodes_are_counted_once():
    plans = [
        entry("b", "spread", 100.0, 1),
        entry("b", "effect_size", 5.0, 0),
        entry("b", "swap", 100.0, 2),
        entry("b", "erasure", None, 3),
    ]
    lines = list(plan_lines(plans, width=80))
    assert lines[0] == "b"
    assert [line.split()[0] for line in lines[1:5]] == ["effect_size", "spread", "swap", "erasure"]
    assert "in all about 105 s" in lines[-1]


def test_lines_fit_the_terminal_and_hostile_names_are_shown_harmless():
    plans = [entry("b\x1b[31m", "spread", 1.0, 0, ["word " * 40])]
    lines = list(plan_lines(plans, width=60))
    assert max(map(len, lines[:-1])) <= 60
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.31, "0.3 s"), (12.4, "12 s"), (200, "3 min"), (9000, "2.5 h")]
)
def test_durations_are_short(seconds, text):
    assert duration(seconds) == text
