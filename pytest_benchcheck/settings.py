"""The settings of an audit, read from options and ini keys and checked before any work."""

from __future__ import annotations

import math
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["Settings", "read_settings"]


@dataclass(frozen=True)
class Settings:
    """What the command line and the ini file ask for.

    Attributes
    ----------
    enabled
        Whether ``--benchcheck`` was given.
    episodes
        Number of episodes; None for each benchmark's own default.
    encoders
        Encoder specs that replace the benchmarks' own; empty to keep those.
    json_path
        Where the JSON report goes; None for nowhere.
    cache_dir
        Directory of the feature cache; None to keep nothing.
    spread_bar, swap_bar, erasure_bar, effect_floor
        Bars of the checks for benchmarks that declare none.
    undecided
        ``"fail"`` or ``"warn"``.
    seed
        Seed of episodes, folds and control directions.
    budget
        Seconds that the run may take; None for as long as it takes.
    plan
        Whether to print what each check can resolve instead of running it.
    """

    enabled: bool = False
    episodes: int | None = None
    encoders: tuple[str, ...] = ()
    json_path: Path | None = None
    cache_dir: Path | None = None
    spread_bar: float = 0.05
    swap_bar: float = 0.05
    erasure_bar: float = 0.05
    effect_floor: float = 1e-4
    undecided: str = "fail"
    seed: int = 0
    budget: float | None = None
    plan: bool = False


def read_settings(config: pytest.Config) -> Settings:
    """Read options and ini keys; an option wins over its ini twin.

    Raises
    ------
    pytest.UsageError
        Naming the option or ini key, what it was given and what it accepts.
    """
    undecided = str(config.getini("benchcheck_undecided")).strip()
    if undecided not in ("fail", "warn"):
        raise pytest.UsageError(
            f"ini key benchcheck_undecided: expected fail or warn, got {undecided!r}"
        )
    return Settings(
        enabled=bool(config.getoption("benchcheck")),
        plan=bool(config.getoption("benchcheck_plan")),
        budget=_budget(*_given(config, "budget")),
        episodes=_episodes(*_given(config, "episodes")),
        encoders=_encoders(*_given(config, "encoders")),
        json_path=_path(config, "json"),
        cache_dir=_path(config, "cache") or config.rootpath / ".benchcheck" / "cache",
        spread_bar=_bar(config, "benchcheck_spread_bar"),
        swap_bar=_bar(config, "benchcheck_swap_bar"),
        erasure_bar=_bar(config, "benchcheck_erasure_bar"),
        effect_floor=_bar(config, "benchcheck_effect_floor"),
        undecided=undecided,
    )


def require_writable(settings: Settings, *, json: bool) -> None:
    """Fail before the work starts where its results could not be written.

    Raises
    ------
    pytest.UsageError
        Naming the path and what stands in the way.
    """
    if json and settings.json_path is not None:
        path = settings.json_path
        if path.is_dir():
            raise pytest.UsageError(f"--benchcheck-json: {path} is a directory; name a file")
        _require_writable_directory("--benchcheck-json", path, path.parent)
    if settings.cache_dir is not None:
        _require_writable_directory("--benchcheck-cache", settings.cache_dir, settings.cache_dir)


def _require_writable_directory(option: str, path: Path, directory: Path) -> None:
    # Folders that are missing are made when the file is written.
    while not directory.exists() and directory != directory.parent:
        directory = directory.parent
    if not directory.is_dir():
        raise pytest.UsageError(
            f"{option}: cannot write {path}: {directory} is a file, not a directory"
        )
    # Permission bits say little for an administrator or on a read-only mount: try it.
    try:
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise pytest.UsageError(
            f"{option}: cannot write {path}: {error.strerror or error} in {directory}"
        ) from None


def _given(config: pytest.Config, name: str) -> tuple[str, str | None]:
    option = config.getoption(f"benchcheck_{name}")
    if option is not None:
        return f"--benchcheck-{name}", str(option)
    ini = str(config.getini(f"benchcheck_{name}")).strip()
    return f"ini key benchcheck_{name}", ini or None


def _episodes(source: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise pytest.UsageError(f"{source}: expected a positive integer, got {text!r}")
    return number


def _budget(source: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise pytest.UsageError(f"{source}: expected a number of seconds > 0, got {text!r}")
    return seconds


def _encoders(source: str, text: str | None) -> tuple[str, ...]:
    if text is None:
        return ()
    specs = tuple(part.strip() for part in text.split(","))
    if not all(specs):
        raise pytest.UsageError(
            f"{source}: expected encoder specs separated by commas, got {text!r}"
        )
    return specs


def _path(config: pytest.Config, name: str) -> Path | None:
    source, text = _given(config, name)
    if text is None:
        return None
    if not text.strip():
        raise pytest.UsageError(f"{source}: expected a path, got {text!r}")
    base = config.invocation_params.dir
    if source.startswith("ini") and config.inipath is not None:
        base = config.inipath.parent
    return base / Path(text).expanduser()


def _bar(config: pytest.Config, key: str) -> float:
    text = str(config.getini(key)).strip()
    try:
        bar = float(text)
    except ValueError:
        bar = math.nan
    if not (math.isfinite(bar) and bar >= 0):
        raise pytest.UsageError(f"ini key {key}: expected a number >= 0, got {text!r}")
    return bar
