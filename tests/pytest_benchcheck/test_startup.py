"""Whoever does not use the plugin does not pay for it."""

from __future__ import annotations

import pytest

HEAVY = ("torch", "mujoco", "sklearn", "scipy", "numpy", "rich", "timm", "transformers")

REPORT = f"""
import sys

def pytest_unconfigure():
    print("LOADED", sorted(set(sys.modules) & set({HEAVY!r})))
    print("OWN", sorted(name for name in sys.modules if name.startswith("pytest_benchcheck")))
"""


@pytest.mark.parametrize("options", [(), ("--help",), ("--collect-only",), ("--markers",)])
def test_nothing_heavy_is_loaded_where_the_plugin_is_not_used(options, pytester):
    pytester.makeconftest(REPORT)
    pytester.makepyfile(
        test_it="""
import pytest

def test_it(): pass

@pytest.mark.benchcheck
def test_marked(): pass
"""
    )
    result = pytester.runpytest_subprocess(*options)
    assert result.ret == 0
    assert "LOADED []" in result.stdout.str()
    assert "OWN ['pytest_benchcheck', 'pytest_benchcheck.plugin']" in result.stdout.str()


def test_the_installed_plugin_is_found_by_its_entry_point(pytester, monkeypatch):
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    monkeypatch.delenv("PYTEST_PLUGINS")
    result = pytester.runpytest_subprocess("--help")
    result.stdout.fnmatch_lines(["*--benchcheck-json=PATH*", "*benchcheck_undecided*"])


def test_the_public_names_load_on_first_use():
    import pytest_benchcheck

    for name in pytest_benchcheck.__all__:
        assert getattr(pytest_benchcheck, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = pytest_benchcheck.no_such_name
