"""Versions of what a report was made with."""

from __future__ import annotations

import platform
from collections.abc import Container
from importlib import metadata

__all__ = ["environment"]

CORE = ("numpy", "scipy", "scikit-learn", "pytest")
WHERE_IMPORTED = ("torch", "torchvision", "timm", "transformers", "mujoco", "gymnasium")


def environment(imported: Container[str]) -> dict[str, str]:
    """Python, platform and package versions.

    Parameters
    ----------
    imported
        Names of imported modules, e.g. ``sys.modules``: optional packages are named only where
        they were used.
    """
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in (*CORE, *(name for name in WHERE_IMPORTED if name in imported)):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
