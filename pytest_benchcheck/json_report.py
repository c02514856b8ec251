"""The machine-readable report, schema version 1."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_benchcheck import __version__
from pytest_benchcheck.checks.results import plain

__all__ = ["SCHEMA_VERSION", "report_text", "write_json"]

SCHEMA_VERSION = 1


def report_text(
    benchmarks: Sequence[Mapping[str, Any]],
    *,
    environment: Mapping[str, str],
    interrupted: bool = False,
) -> str:
    """The report as JSON text: no NaN, unknown numbers are null."""
    report = {
        "schema_version": SCHEMA_VERSION,
        "benchcheck_version": __version__,
        "environment": environment,
        "interrupted": interrupted,
        "benchmarks": benchmarks,
    }
    return json.dumps(plain(report), allow_nan=False, ensure_ascii=False, indent=2) + "\n"


def write_json(
    path: Path,
    benchmarks: Sequence[Mapping[str, Any]],
    *,
    environment: Mapping[str, str],
    interrupted: bool = False,
) -> None:
    """Write the report as UTF-8; a reader sees the old file or the whole new one.

    Folders of ``path`` that are missing are made.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    text = report_text(benchmarks, environment=environment, interrupted=interrupted)
    # A lone surrogate, as in a name read from an undecodable file name, has no UTF-8 form; the
    # escape that backslashreplace writes for it is the one that JSON defines.
    data = text.encode("utf-8", "backslashreplace")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        _open_to_readers(Path(temporary))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _open_to_readers(path: Path) -> None:
    # mkstemp makes a private file; a report has the permissions that any new file would have.
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
