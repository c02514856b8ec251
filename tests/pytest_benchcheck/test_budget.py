"""A limited run goes on where it is undecided, and says what it leaves undecided."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_benchcheck import Benchmark, Cell, Episodes
from pytest_benchcheck.budget import CONFIDENCE, LOOKS, Budget, decide_within
from pytest_benchcheck.checks.results import SpreadResult
from pytest_benchcheck.running import BenchmarkAudit
from pytest_benchcheck.settings import Settings


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def judge_at(clock, seconds, verdicts, needed=None):
    """A check that takes ``seconds`` an episode and answers ``verdicts`` in turn."""
    sizes = []

    def judge(n):
        clock.now += seconds * n
        sizes.append(n)
        return SpreadResult(verdict=verdicts[len(sizes) - 1], episodes=n, episodes_needed=needed)

    return judge, sizes


def decide(verdicts, *, deadline, needed=None, seconds=1.0):
    clock = Clock()
    judge, sizes = judge_at(clock, seconds, verdicts, needed)
    result = decide_within(
        judge,
        100,
        deadline=deadline,
        seconds=deadline,
        seconds_each=lambda: seconds,
        clock=clock,
    )
    return result, sizes


def test_a_decided_check_is_looked_at_once():
    result, sizes = decide(["pass"], deadline=1e6)
    assert sizes == [100]
    assert result.findings == ()


def test_an_undecided_check_goes_on_with_the_episodes_it_needs():
    result, sizes = decide(["undecided", "fail"], deadline=1e6, needed=250)
    assert sizes == [100, 250]
    assert result.verdict == "fail"
    assert "250 episodes, at look 2 of at most 3" in result.findings[-1]


def test_no_more_than_three_looks():
    result, sizes = decide(["undecided"] * 3, deadline=1e6)
    assert sizes == [100, 400, 1600]
    assert result.verdict == "undecided"
    assert "after 3 looks, at 1,600 episodes" in result.findings[-1]


def test_a_look_that_would_end_too_late_does_not_begin():
    result, sizes = decide(["undecided"], deadline=110, needed=300)
    assert sizes == [100]
    assert "budget of 110 s allows no more than the 100 episodes judged" in result.findings[-1]
    assert "300 would take about 300 s" in result.findings[-1]


def test_what_time_allows_is_used():
    _, sizes = decide(["undecided", "undecided"], deadline=250, needed=300)
    assert sizes == [100, 150]


def test_a_later_look_that_breaks_loses_nothing():
    def judge(n):
        if n > 100:
            raise ValueError("only 100 recorded")
        return SpreadResult(verdict="undecided", estimate=0.04, episodes=n)

    result = decide_within(judge, 100, deadline=1e6, seconds=1e6, seconds_each=lambda: 0.0)
    assert result.verdict == "undecided"
    assert result.estimate == 0.04
    assert "400 episodes could not be judged: ValueError: only 100 recorded" in result.findings[-1]


def test_a_benchmark_with_no_more_episodes_is_not_asked_thrice():
    asked = []

    def judge(n):
        asked.append(n)
        return SpreadResult(verdict="undecided", episodes=min(n, 100))

    result = decide_within(judge, 100, deadline=1e12, seconds=1e12, seconds_each=lambda: 0.0)
    assert asked == [100, 400]
    assert result.findings[-1] == "left undecided: there are no more than 100 episodes."


def test_the_first_look_that_breaks_is_the_callers():
    def judge(n):
        raise ValueError("no simulator")

    with pytest.raises(ValueError, match="no simulator"):
        decide_within(judge, 100, deadline=1e12, seconds=1, seconds_each=lambda: 0.0)


def test_nothing_begins_after_the_deadline():
    result, sizes = decide([], deadline=0)
    assert result is None
    assert sizes == []


@given(n=st.integers(1, 8), seconds=st.floats(1, 1e4), used=st.lists(st.floats(0, 1), min_size=8))
def test_shares_never_exceed_the_budget(n, seconds, used):
    clock = Clock()
    budget = Budget(seconds, n, clock)
    for share in used[:n]:
        deadline = budget.deadline()
        assert clock.now <= deadline <= seconds * (1 + 1e-9)
        clock.now += share * (deadline - clock.now)


def test_what_one_benchmark_leaves_goes_to_the_others():
    clock = Clock()
    budget = Budget(90, 3, clock)
    assert budget.deadline() == 30
    clock.now = 10
    assert budget.deadline() == 50
    clock.now = 50
    assert budget.deadline() == 90


def test_the_looks_share_one_error_probability():
    assert pytest.approx(0.95) == 1 - LOOKS * (1 - CONFIDENCE)


class Column:
    version = "1"

    def __init__(self, name, role):
        self.name, self.role = name, role

    def encode(self, clips):
        column = 0 if self.role == "candidate" else -1
        return clips.reshape(len(clips), -1)[:, [column]].astype(float)


class Faint(Benchmark):
    """Differences that sixty episodes do not show, and four hundred do."""

    name = "faint"
    version = "1"
    default_episodes = 60
    encoders = (Column("sees", "candidate"), Column("blind", "trivial"))

    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        self.asked = []
        self.noise = np.random.default_rng(0)

    def cells(self):
        return [Cell("push", "mass")]

    def simulate(self, cell, seed):
        self.clock.now += 1
        noise = self.noise.standard_normal()
        return noise if cell is None else noise + 0.4

    def episodes(self, n, seed):
        self.asked.append(n)
        self.clock.now += n
        rng = np.random.default_rng(seed)
        video = rng.integers(1, 255, (n, 1, 2, 2, 3), dtype=np.uint8)
        target = video[:, 0, 0, 0, 0] / 255 + rng.normal(size=n)
        return Episodes(target=target, clips={"video": video})


def test_a_benchmark_is_asked_for_more_episodes_while_time_is_left(tmp_path):
    clock = Clock()
    benchmark = Faint(clock)
    settings = Settings(enabled=True, cache_dir=tmp_path, spread_bar=0.0)
    audit = BenchmarkAudit(benchmark, settings, budget=Budget(1e6, 1, clock))
    result = audit.run("spread").result
    assert benchmark.asked[0] == 60
    assert len(benchmark.asked) > 1
    assert result.episodes == benchmark.asked[-1]
    assert result.confidence == CONFIDENCE


def test_noisy_cells_get_more_matched_pairs():
    clock = Clock()
    audit = BenchmarkAudit(Faint(clock), Settings(enabled=True), budget=Budget(1e6, 1, clock))
    result = audit.run("effect_size").result
    assert result.episodes > 32
    assert "matched pairs" in result.findings[-1]


def test_without_time_a_check_is_undecided_and_says_why():
    clock = Clock()
    budget = Budget(10, 1, clock)
    audit = BenchmarkAudit(Faint(clock), Settings(enabled=True, cache_dir=None), budget=budget)
    audit.run("effect_size")
    late = audit.run("spread").result
    assert late.verdict == "undecided"
    assert "the budget of 10 s was spent before this check" in late.summary


def test_a_check_that_does_not_apply_says_so_whatever_the_time():
    clock = Clock()
    budget = Budget(1, 1, clock)
    clock.now = 5
    audit = BenchmarkAudit(Faint(clock), Settings(enabled=True), budget=budget)
    audit.run("effect_size")
    assert audit.run("swap").result.verdict == "undecided"

    class Bare(Benchmark):
        name = "bare"

    bare = BenchmarkAudit(Bare(), Settings(enabled=True), budget=budget)
    assert bare.run("swap").result.verdict == "not_applicable"


@pytest.mark.parametrize("text", ["0", "-3", "soon", "nan", "inf"])
def test_a_budget_that_is_no_time_is_refused_before_the_work(declare, audit, text):
    declare("toy = Toy()")
    result, report = audit(f"--benchcheck-budget={text}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--benchcheck-budget: expected a number of seconds > 0*{text}*"])
    assert report is None


def test_a_budget_on_the_command_line_reaches_the_checks(declare, audit, checks_of):
    declare("toy, inert = Toy(), Inert()")
    _result, report = audit("--benchcheck-budget=600")
    checks = checks_of(report)
    assert checks["toy"]["spread"]["confidence"] == pytest.approx(CONFIDENCE)
    assert checks["inert"]["effect_size"]["verdict"] == "fail"


def test_without_a_budget_intervals_are_the_usual_ones(declare, audit, checks_of):
    declare("toy = Toy()")
    _, report = audit()
    assert checks_of(report)["toy"]["spread"]["confidence"] == 0.95
