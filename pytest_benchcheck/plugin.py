"""Hooks and options; everything heavy loads when an item runs.

pytest imports this module on every run, also where the plugin is not used. Whatever acts only
under ``--benchcheck`` therefore lives in :mod:`pytest_benchcheck.audit_hooks`, which is registered
by :func:`pytest_configure`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pytest_benchcheck.fixtures.encoders import Encoder
    from pytest_benchcheck.session import AuditSession

SKIP_REASON = "audits a benchmark: runs only under --benchcheck"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ``--benchcheck-*`` options and their ini twins."""
    group = parser.getgroup("benchcheck", "benchcheck: could this benchmark rank models?")
    group.addoption(
        "--benchcheck",
        action="store_true",
        help="audit the benchmarks declared in benchcheck_*.py files and the tests marked "
        "`benchcheck`",
    )
    group.addoption(
        "--benchcheck-episodes",
        metavar="N",
        help="episodes for spread, swap and erasure (default: each benchmark's own number)",
    )
    group.addoption(
        "--benchcheck-encoders",
        metavar="SPEC,...",
        help="encoders to compare, instead of those that the benchmark names: raw_pixels, "
        "frame_difference, random_vit, timm:NAME, hf:REPO, torchvision:NAME@PATH",
    )
    group.addoption(
        "--benchcheck-json", metavar="PATH", help="write the report as JSON to this file"
    )
    group.addoption(
        "--benchcheck-cache",
        metavar="DIR",
        help="directory of the feature cache (default: .benchcheck/cache below the rootdir)",
    )
    group.addoption(
        "--benchcheck-budget",
        metavar="SECONDS",
        help="time that the audit may take; it is spent where verdicts are still undecided",
    )
    group.addoption(
        "--benchcheck-plan",
        action="store_true",
        help="print what each check could resolve with its episodes and how long that would take, "
        "without running an encoder",
    )
    parser.addini("benchcheck_files", "globs of benchmark files", "args", ["benchcheck_*.py"])
    parser.addini("benchcheck_episodes", "like --benchcheck-episodes", default="")
    parser.addini("benchcheck_encoders", "like --benchcheck-encoders", default="")
    parser.addini("benchcheck_json", "like --benchcheck-json, from the ini file", default="")
    parser.addini("benchcheck_cache", "like --benchcheck-cache, from the ini file", default="")
    parser.addini("benchcheck_budget", "like --benchcheck-budget", default="")
    parser.addini("benchcheck_spread_bar", "smallest spread that passes", default="0.05")
    parser.addini(
        "benchcheck_swap_bar", "share of the gain that may survive the swap", default="0.05"
    )
    parser.addini(
        "benchcheck_erasure_bar", "smallest cost of an erasure that shows use", default="0.05"
    )
    parser.addini(
        "benchcheck_effect_floor", "smallest effect that counts, in outcome units", default="1e-4"
    )
    parser.addini(
        "benchcheck_undecided", "what an undecided check does: fail or warn", default="fail"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; under ``--benchcheck``, check the settings and add the audit's hooks."""
    config.addinivalue_line(
        "markers", "benchcheck: audits a benchmark; runs only under --benchcheck"
    )
    if _audited(config):
        from pytest_benchcheck.audit_hooks import start

        start(config)


def _audited(config: pytest.Config) -> bool:
    return bool(config.getoption("benchcheck") or config.getoption("benchcheck_plan"))


def pytest_collection_modifyitems(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    """Skip marked tests where ``--benchcheck`` is not given."""
    if _audited(config):
        return
    skip = None
    for item in items:
        # The keyword test is cheap and rules out nearly every item; names are keywords as well.
        if "benchcheck" in item.keywords and item.get_closest_marker("benchcheck"):
            skip = skip or pytest.mark.skip(reason=SKIP_REASON)
            item.add_marker(skip)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> object:
    """Leave a benchmark file alone that was named on the command line without ``--benchcheck``."""
    patterns = parent.config.getini("benchcheck_files")
    if not any(module_path.match(pattern) for pattern in patterns):
        return None
    if any(module_path.match(pattern) for pattern in parent.config.getini("python_files")):
        return None
    from pytest_benchcheck.unopened import UnopenedFile

    return UnopenedFile.from_parent(parent, path=module_path)


@pytest.fixture(scope="session")
def benchcheck(request: pytest.FixtureRequest) -> AuditSession:
    """Settings of this session, and the recorder of what was judged."""
    from pytest_benchcheck.session import session_of

    return session_of(request.config)


@pytest.fixture(scope="session")
def reference_encoders(benchcheck: AuditSession) -> dict[str, Encoder]:
    """Encoders by name: those of ``--benchcheck-encoders``, else the reference encoders."""
    from pytest_benchcheck.benchmark import REFERENCE_ENCODERS
    from pytest_benchcheck.fixtures.encoders import load_encoders

    return load_encoders(benchcheck.settings.encoders or REFERENCE_ENCODERS)
