"""A benchmark file that pytest itself must not import."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

__all__ = ["UnopenedFile"]


class UnopenedFile(pytest.Module):
    """Stands for a benchmark file named on the command line and collects nothing from it.

    pytest imports every file that is named on its command line as a test module. A benchmark file
    is imported by the audit's own collector under ``--benchcheck``, and by nobody otherwise.
    """

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Nothing; without ``--benchcheck``, a skip that says why."""
        if not self.config.getoption("benchcheck") and not self.config.getoption("benchcheck_plan"):
            pytest.skip(
                f"{self.path.name} declares benchmarks: they run only under --benchcheck",
                allow_module_level=True,
            )
        return ()
