"""Start-up cost of the installed but unused plugin, against bare pytest.

Two measurements over 1,000 empty tests:

- paired: ``pytest -p no:benchcheck`` and plain ``pytest`` in turn; the median of the differences
  with its 95 % interval, in wall-clock and in processor time. Everything is in it, and so is the
  noise of the machine, which may be many times the limit.
- accounted: processor time spent importing the plugin and inside its hooks, by a timer around each.

Exits with 1 where the accounted time exceeds the limit, or the paired processor time is shown to.

    python benchmarks/startup.py --repetitions 60
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LIMIT_MS = 10.0
TESTS = 1_000
FILES = 10

ACCOUNTING = """
import functools, sys, time
import pytest

started = time.process_time()
import pytest_benchcheck.plugin as plugin
spent = [time.process_time() - started]

def timed(hook):
    @functools.wraps(hook)
    def timer(*args, **kwargs):
        before = time.process_time()
        try:
            return hook(*args, **kwargs)
        finally:
            spent.append(time.process_time() - before)
    return timer

for name, hook in list(vars(plugin).items()):
    if name.startswith("pytest_"):
        setattr(plugin, name, timed(hook))
code = pytest.main(["-q", "-p", "no:cacheprovider", "-W", "ignore", "."])
assert code == 0 and len(spent) > 3, (code, spent)
sys.stderr.write(repr(1e3 * sum(spent)))
"""


def write_tests(folder: Path) -> None:
    """Write 1,000 empty tests in 10 files."""
    each = "".join(f"def test_{i}():\n    pass\n\n\n" for i in range(TESTS // FILES))
    for i in range(FILES):
        (folder / f"test_{i}.py").write_text(each, encoding="utf-8")


def milliseconds(folder: Path, *options: str) -> np.ndarray:
    """Wall-clock time and processor time of one pytest process."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "."]
    before, start = _processor_seconds(), time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    wall, processor = time.perf_counter() - start, _processor_seconds() - before
    return 1e3 * np.array([wall, processor])


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def accounted_milliseconds(folder: Path) -> float:
    """Processor time of one run that was spent in the plugin's own code."""
    command = [sys.executable, "-c", ACCOUNTING]
    run = subprocess.run(
        command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    return float(run.stderr)


def median_interval(differences: np.ndarray, draws: int = 10_000) -> tuple[float, float]:
    """95 % bootstrap interval of the median."""
    rng = np.random.default_rng(0)
    medians = np.median(rng.choice(differences, (draws, differences.size)), axis=1)
    low, high = np.quantile(medians, [0.025, 0.975])
    return float(low), float(high)


def main() -> int:
    """Measure, print, and say whether the limit holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=60)
    repetitions = parser.parse_args().repetitions
    without = ("-p", "no:benchcheck")
    bare, used = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tests(folder)
        milliseconds(folder)  # fills the byte code and file caches
        milliseconds(folder, *without)
        for i in range(repetitions):
            # The order alternates, so that a drift of the machine falls on both sides.
            if i % 2:
                used.append(milliseconds(folder))
                bare.append(milliseconds(folder, *without))
            else:
                bare.append(milliseconds(folder, *without))
                used.append(milliseconds(folder))
        accounted = [accounted_milliseconds(folder) for _ in range(max(repetitions // 4, 3))]
    differences = np.array(used) - np.array(bare)
    medians = np.median(differences, axis=0)
    for i, clock in enumerate(("wall-clock", "processor")):
        low, high = median_interval(differences[:, i])
        print(
            f"{clock} time: bare {np.median(bare, axis=0)[i]:.0f} ms, with the plugin "
            f"{medians[i]:+.1f} ms [{low:+.1f}, {high:+.1f}]"
        )
    print(
        f"accounted to the plugin: {np.median(accounted):.1f} ms "
        f"(from {min(accounted):.1f} to {max(accounted):.1f} in {len(accounted)} runs)"
    )
    print(f"{TESTS} empty tests, {repetitions} repetitions; limit {LIMIT_MS:g} ms")
    shown_above = median_interval(differences[:, 1])[0] > LIMIT_MS
    return int(shown_above or np.median(accounted) > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
