"""Designs that the verdicts are calibrated on, and the record of the full simulation.

A test simulates the first few data sets of a design and compares every decision with the recorded
ones; the rates are asserted on the record, which ``make calibration`` writes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

RECORDED = Path(__file__).parent / "recorded"


@dataclass(frozen=True)
class Design:
    """How the rows of a data set hang together, and how wide the features are.

    ``icc`` is the share of every variable's variance that rows of one group have in common.
    """

    name: str
    sizes: tuple[int, ...]
    icc: float = 0.0
    columns: int = 24
    components: int = 12
    heavy_tails: bool = False

    @property
    def n(self) -> int:
        return sum(self.sizes)

    @property
    def groups(self) -> np.ndarray:
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def normal(self, rng: np.random.Generator, columns: int) -> np.ndarray:
        """``(n, columns)`` unit normals with the intraclass correlation."""
        shared = rng.standard_normal((len(self.sizes), columns))[self.groups]
        own = rng.standard_normal((self.n, columns))
        return np.sqrt(self.icc) * shared + np.sqrt(1 - self.icc) * own

    def residual(self, rng: np.random.Generator) -> np.ndarray:
        """``(n,)`` of unit variance; Student's t on 3 degrees of freedom where tails are heavy."""
        if not self.heavy_tails:
            return self.normal(rng, 1)[:, 0]
        shared = rng.standard_t(3, len(self.sizes))[self.groups]
        own = rng.standard_t(3, self.n)
        return (np.sqrt(self.icc) * shared + np.sqrt(1 - self.icc) * own) / np.sqrt(3)

    def features(self, rng: np.random.Generator, signals: np.ndarray) -> np.ndarray:
        """``(n, columns)``: the signals and nine distractors, rotated, under a little noise."""
        latent = np.hstack([signals, self.normal(rng, 9)])
        mixing = np.linalg.qr(rng.standard_normal((self.columns, latent.shape[1])))[0]
        return latent @ mixing.T + 0.1 * self.normal(rng, self.columns)


DESIGNS = [
    Design("independent rows", (1,) * 200),
    Design("50 scenes of 4", (4,) * 50, 0.7),
    Design("20 scenes of 10", (10,) * 20, 0.7),
    Design("10 scenes of 20", (20,) * 10, 0.7),
    Design("15 scenes of 13", (13,) * 15, 0.7),
    Design("30 scenes of 7", (7,) * 30, 0.7),
    Design("20 scenes, ICC .95", (10,) * 20, 0.95),
    Design("heavy tails", (4,) * 50, 0.5, heavy_tails=True),
    Design("unequal scenes", tuple(range(1, 26)), 0.7),
    Design("40 columns", (1,) * 200, columns=40, components=40),
    Design("96 components, independent rows", (1,) * 200, columns=150, components=96),
    Design("48 components, 20 scenes of 10", (10,) * 20, 0.7, columns=80, components=48),
]


@pytest.fixture(params=DESIGNS, ids=lambda design: design.name)
def design(request: pytest.FixtureRequest) -> Design:
    return request.param


POWER = {"independent rows", "50 scenes of 4", "20 scenes of 10", "40 columns"}
TYPICAL = POWER | {"30 scenes of 7", "heavy tails", "10 scenes of 20", "15 scenes of 13"}


@pytest.fixture(params=[d for d in DESIGNS if d.name in POWER], ids=lambda design: design.name)
def power_design(request: pytest.FixtureRequest) -> Design:
    """A design where there is power to be compared: not 10 scenes, where nothing is found."""
    return request.param


@pytest.fixture(params=[d for d in DESIGNS if d.columns < 80], ids=lambda design: design.name)
def narrow_design(request: pytest.FixtureRequest) -> Design:
    """A design of few columns, for a check that fits many readouts."""
    return request.param


@pytest.fixture(
    params=[d for d in DESIGNS if d.name in TYPICAL],
    ids=lambda design: design.name,
)
def typical_design(request: pytest.FixtureRequest) -> Design:
    """Eight designs, for a question that the others answer alike."""
    return request.param


@dataclass
class Simulation:
    """Simulates the data sets of one test; ``rates`` are those of the record."""

    sets: int
    writes: bool
    path: Path
    decisions: dict[str, str] = field(default_factory=dict)

    def run(self, one_set: Callable[[np.random.Generator], Mapping[str, bool]]) -> None:
        """Call ``one_set`` with the stream of every data set; check or write the record."""
        seed = zlib.crc32(self.path.stem.encode())
        outcomes = [one_set(np.random.default_rng([seed, i])) for i in range(self.sets)]
        found = {
            name: "".join(str(int(outcome[name])) for outcome in outcomes) for name in outcomes[0]
        }
        if self.writes:
            self._write(found)
        self.decisions = json.loads(self.path.read_text(encoding="utf-8"))["decisions"]
        assert found.keys() == self.decisions.keys()
        for name, decisions in found.items():
            recorded = self.decisions[name][: self.sets]
            differing = sum(a != b for a, b in zip(decisions, recorded, strict=True))
            # Other processors round otherwise, which may carry one data set over a threshold.
            assert differing <= 1, f"{name}: {decisions} now, {recorded} recorded"

    def rate(self, name: str) -> float:
        """Share of the recorded data sets in which ``name`` was decided."""
        return self.decisions[name].count("1") / len(self.decisions[name])

    def assert_at_most(self, name: str, level: float) -> None:
        """No more than ``level``, give or take three Monte-Carlo standard errors."""
        size = len(self.decisions[name])
        limit = level + 3 * np.sqrt(level * (1 - level) / size)
        assert size >= 1000
        assert self.rate(name) <= limit, f"{name}: {self.rate(name):.4f} of {size}, {level} allowed"

    def _write(self, found: Mapping[str, str]) -> None:
        packages = ("numpy", "scipy", "scikit-learn", "pytest-benchcheck")
        record = {
            "date": datetime.now(tz=UTC).date().isoformat(),
            "versions": {package: version(package) for package in packages},
            "sets": self.sets,
            "decisions": dict(found),
        }
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


@pytest.fixture
def simulation(request: pytest.FixtureRequest) -> Simulation:
    name = request.node.name.removeprefix("test_").replace("[", " - ").rstrip("]")
    return Simulation(
        request.config.getoption("--calibration-sets"),
        request.config.getoption("--calibration-record"),
        RECORDED / f"{name}.json",
    )
