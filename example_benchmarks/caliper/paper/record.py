"""Results on disk: each piece of the paper is one file, written when it is done."""

from __future__ import annotations

import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["computed_once"]

_PACKAGES = ("pytest-benchcheck", "mujoco", "numpy", "scikit-learn", "torch", "timm")


def computed_once(
    path: Path, settings: Mapping[str, Any], compute: Callable[[], Any]
) -> dict[str, Any]:
    """The recorded result, where it was computed with these settings; else compute and record it.

    A file appears whole or not at all, so that a run that was killed goes on where it was.
    """
    if path.exists():
        recorded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if recorded["settings"] == dict(settings):
            return recorded
    began = time.perf_counter()
    result = compute()
    recorded = {
        "settings": dict(settings),
        "date": datetime.now(tz=UTC).date().isoformat(),
        "versions": {package: version(package) for package in _PACKAGES},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "seconds": round(time.perf_counter() - began, 1),
        "result": result,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, suffix=".part", delete=False, encoding="utf-8"
    ) as part:
        json.dump(recorded, part, indent=1, default=float, allow_nan=False)
        part.write("\n")
    Path(part.name).replace(path)
    return recorded
