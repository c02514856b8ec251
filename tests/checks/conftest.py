from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "untyped: hands in what the annotations rule out; skipped where they are enforced at run "
        "time (--jaxtyping-packages)",
    )


def pytest_runtest_setup(item: pytest.Item) -> None:
    enforced = item.config.getoption("jaxtyping_packages", default=None)
    if enforced and item.get_closest_marker("untyped"):
        pytest.skip("hands in what the annotations rule out")
