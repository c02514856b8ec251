"""Start-up cost of the installed but unused plugin, against bare pytest.

Runs ``pytest -p no:benchcheck`` and plain ``pytest`` in turn over 1,000 empty tests, and prints
the median of the paired differences with its 95 % interval, in wall-clock time. Exits with 1 where
the median exceeds the limit.

    python benchmarks/startup.py --repetitions 60
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LIMIT_MS = 10.0
TESTS = 1_000
FILES = 10


def write_tests(folder: Path) -> None:
    """Write 1,000 empty tests in 10 files."""
    each = "".join(f"def test_{i}():\n    pass\n\n\n" for i in range(TESTS // FILES))
    for i in range(FILES):
        (folder / f"test_{i}.py").write_text(each, encoding="utf-8")


def seconds(folder: Path, *options: str) -> float:
    """Wall-clock time of one pytest process."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "."]
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


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
    differences = np.empty(repetitions)
    bare = np.empty(repetitions)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tests(folder)
        seconds(folder)  # fills the byte code and file caches
        seconds(folder, *without)
        for i in range(repetitions):
            # The order alternates, so that a drift of the machine falls on both sides.
            if i % 2:
                used = seconds(folder)
                bare[i] = seconds(folder, *without)
            else:
                bare[i] = seconds(folder, *without)
                used = seconds(folder)
            differences[i] = 1e3 * (used - bare[i])
    median = float(np.median(differences))
    low, high = median_interval(differences)
    print(f"bare pytest, {TESTS} empty tests: {1e3 * float(np.median(bare)):.0f} ms (median)")
    print(
        f"with the plugin: {median:+.1f} ms [{low:+.1f}, {high:+.1f}] "
        f"(median of {repetitions} paired differences, 95 % interval); limit {LIMIT_MS:g} ms"
    )
    return int(median > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
