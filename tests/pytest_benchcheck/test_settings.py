"""Option values are checked before any work, and options win over their ini twins."""

from __future__ import annotations

import pytest

from pytest_benchcheck.settings import read_settings

BODY = """
from pathlib import Path
Path("work-started").touch()
one = Moving()
"""


def settings(pytester: pytest.Pytester, *options: str):
    return read_settings(pytester.parseconfig("-p", "pytest_benchcheck.plugin", *options))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--benchcheck-episodes=0"], "--benchcheck-episodes: expected a positive integer*'0'"),
        (["--benchcheck-episodes=-3"], "--benchcheck-episodes: expected a positive integer*'-3'"),
        (["--benchcheck-episodes=many"], "--benchcheck-episodes: expected*'many'"),
        (["--benchcheck-episodes=2.5"], "--benchcheck-episodes: expected*'2.5'"),
        (["--benchcheck-encoders=raw_pixels,,x"], "--benchcheck-encoders: expected*"),
        (["--benchcheck-json="], "--benchcheck-json: expected a path*"),
        (["--benchcheck-json=folder"], "--benchcheck-json:*folder is a directory*"),
        (["--benchcheck-json=file/r.json"], "--benchcheck-json:*file is a file, not a directory"),
        (["--benchcheck-json=file/new/r.json"], "--benchcheck-json:*file is a file, not a dir*"),
        (["--benchcheck-cache=file"], "--benchcheck-cache:*file is a file, not a directory"),
        (["--benchcheck-cache=file/below"], "--benchcheck-cache:*file is a file, not a directory"),
        (["--benchcheck-json=/proc/r.json"], "--benchcheck-json: cannot write /proc/r.json*"),
        (["--benchcheck-cache=/proc/cache"], "--benchcheck-cache: cannot write /proc/cache*"),
        (["-obenchcheck_episodes=x"], "ini key benchcheck_episodes: expected*'x'"),
        (["-obenchcheck_spread_bar=wide"], "ini key benchcheck_spread_bar: expected*'wide'"),
        (["-obenchcheck_spread_bar=nan"], "ini key benchcheck_spread_bar: expected*'nan'"),
        (["-obenchcheck_swap_bar=x"], "ini key benchcheck_swap_bar: expected*'x'"),
        (["-obenchcheck_erasure_bar=-1"], "ini key benchcheck_erasure_bar: expected*'-1'"),
        (["-obenchcheck_budget=long"], "ini key benchcheck_budget: expected*'long'"),
        (["-obenchcheck_effect_floor=-1"], "ini key benchcheck_effect_floor: expected*'-1'"),
        (["-obenchcheck_undecided=maybe"], "ini key benchcheck_undecided: expected*'maybe'"),
    ],
)
def test_a_bad_setting_is_a_usage_error_before_any_work(options, named, declare, pytester):
    declare(BODY)
    pytester.mkdir("folder")
    (pytester.path / "file").touch()
    result = pytester.runpytest_inprocess("--benchcheck", *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {named}"])
    assert not (pytester.path / "work-started").exists()


def test_probing_paths_leaves_nothing_behind(declare, pytester):
    declare("one = Inert()")
    pytester.runpytest_inprocess(
        "--benchcheck", "--benchcheck-json=r.json", "--co", "-p", "no:cacheprovider"
    )
    names = {path.name for path in pytester.path.iterdir()} - {"__pycache__"}
    assert names == {"benchcheck_toy.py"}


def test_ini_keys_are_read(pytester):
    pytester.makeini(
        """
[pytest]
benchcheck_episodes = 120
benchcheck_encoders = raw_pixels, random_vit
benchcheck_json = out/r.json
benchcheck_cache = kept
benchcheck_spread_bar = 0.1
benchcheck_swap_bar = 0.2
benchcheck_erasure_bar = 0.3
benchcheck_budget = 90
benchcheck_effect_floor = 0.001
benchcheck_undecided = warn
"""
    )
    found = settings(pytester)
    assert found.episodes == 120
    assert found.encoders == ("raw_pixels", "random_vit")
    assert found.json_path == pytester.path / "out" / "r.json"
    assert found.cache_dir == pytester.path / "kept"
    assert (found.spread_bar, found.effect_floor, found.undecided) == (0.1, 0.001, "warn")
    assert (found.swap_bar, found.erasure_bar, found.budget) == (0.2, 0.3, 90)


def test_an_option_wins_over_its_ini_twin(pytester):
    pytester.makeini("[pytest]\nbenchcheck_episodes = 120\nbenchcheck_cache = kept\n")
    found = settings(pytester, "--benchcheck-episodes=7", "--benchcheck-cache=elsewhere")
    assert found.episodes == 7
    assert found.cache_dir == pytester.path / "elsewhere"


def test_a_relative_path_counts_from_where_it_was_written(pytester, monkeypatch):
    pytester.makeini("[pytest]\nbenchcheck_cache = kept\n")
    inner = pytester.mkdir("inner")
    monkeypatch.chdir(inner)
    assert settings(pytester).cache_dir == pytester.path / "kept"
    assert settings(pytester, "--benchcheck-cache=here").cache_dir == inner / "here"


def test_the_defaults_are_those_of_the_documentation(pytester):
    found = settings(pytester)
    assert (found.enabled, found.episodes, found.encoders, found.json_path) == (
        False,
        None,
        (),
        None,
    )
    assert found.cache_dir == pytester.path / ".benchcheck" / "cache"
    assert (found.spread_bar, found.effect_floor, found.undecided, found.seed) == (
        0.05,
        1e-4,
        "fail",
        0,
    )


def test_settings_are_not_judged_where_the_plugin_is_not_used(pytester):
    pytester.makeini("[pytest]\nbenchcheck_undecided = maybe\n")
    pytester.makepyfile(test_it="def test_it(): pass")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_the_benchcheck_fixture_holds_the_settings(pytester):
    pytester.makepyfile(
        test_it="""
def test_it(benchcheck):
    assert benchcheck.enabled is False
    assert benchcheck.settings.spread_bar == 0.05
"""
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_reference_encoders_are_those_asked_for(pytester):
    pytester.makepyfile(
        test_it="""
def test_it(reference_encoders):
    assert list(reference_encoders) == ["raw_pixels", "frame_difference"]
"""
    )
    result = pytester.runpytest_inprocess("--benchcheck-encoders=raw_pixels,frame_difference")
    result.assert_outcomes(passed=1)


def test_ini_bars_reach_the_checks_and_a_benchmarks_own_win(declare, audit, checks_of, pytester):
    pytester.makeini("[pytest]\nbenchcheck_swap_bar = 0.4\nbenchcheck_erasure_bar = 0.02\n")
    declare("toy, own = Toy(), Toy(name='own', bars={'swap': 0.1})")
    _, report = audit()
    checks = checks_of(report)
    assert (checks["toy"]["swap"]["bar"], checks["toy"]["erasure"]["bar"]) == (0.4, 0.02)
    assert (checks["own"]["swap"]["bar"], checks["own"]["erasure"]["bar"]) == (0.1, 0.02)
