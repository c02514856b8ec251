"""The command that runs one item again."""

from __future__ import annotations

import os
import shlex

import pytest

__all__ = ["rerun_command"]


def rerun_command(item: pytest.Item) -> str:
    """A shell command that runs just ``item`` with the same audit options."""
    config = item.config
    words = ["pytest", "--benchcheck"]
    for name in ("episodes", "encoders", "cache"):
        value = config.getoption(f"benchcheck_{name}")
        if value is not None:
            words.append(f"--benchcheck-{name}={value}")
    # A node id counts from the rootdir, a command line from where pytest was started.
    try:
        path = os.path.relpath(item.path, config.invocation_params.dir)
    except ValueError:  # another drive
        path = str(item.path)
    _, _, names = str(item.nodeid).partition("::")
    return shlex.join([*words, f"{path}::{names}".replace(os.sep, "/")])
