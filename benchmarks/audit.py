"""The effect-size audit against a loop of steps in Python and against mujoco.rollout, in one run.

Two audits of 20 cells and 32 matched pairs: one free body, and the four tasks of the corrected
single-perturbation example. All three ways simulate the same runs, those of the unperturbed twins
twice, on the same compiled models; their outcomes are compared. Run with ``make bench-audit``;
results stand in docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import joblib
import mujoco
import numpy as np
from mujoco import rollout

from pytest_benchcheck import effect_size_audit
from pytest_benchcheck.example_benchmarks.single_perturbation import MENDED
from pytest_benchcheck.fixtures.simulators.mujoco_task import MujocoTask, Perturbation
from pytest_benchcheck.fixtures.simulators.perturbations import (
    raise_body,
    scale_mass,
    scale_size,
    set_contact_time_constant,
    set_friction,
)
from pytest_benchcheck.fixtures.simulators.rendering import FrameRenderer

FULL = int(mujoco.mjtState.mjSTATE_FULLPHYSICS)
Ways = dict[str, Callable[[], list[float]]]

ONE_BODY_XML = """
<mujoco model="slide">
  <option timestep="0.002" cone="elliptic"/>
  <worldbody>
    <light pos="0 0 2"/>
    <geom name="floor" type="plane" size="5 5 .1" friction=".2 .005 .0001"/>
    <body name="box" pos="0 0 .06">
      <freejoint/>
      <geom name="box" type="box" size=".05 .05 .05" density="500" friction=".4 .005 .0001"/>
    </body>
  </worldbody>
</mujoco>
"""


def one_body() -> MujocoTask:
    """A box thrown onto a floor: five properties, four magnitudes each."""
    cells: dict[str, Any] = {}
    for k in range(4):
        cells |= {
            f"mass {k}": Perturbation(partial(scale_mass, body="box", factor=1.5 + k), "box"),
            f"friction {k}": Perturbation(
                partial(set_friction, geom="box", sliding=0.5 + 0.1 * k), "box"
            ),
            f"rigidity {k}": Perturbation(
                partial(set_contact_time_constant, geom="box", seconds=0.03 + 0.01 * k), "box"
            ),
            f"height {k}": Perturbation(
                partial(raise_body, body="box", metres=0.02 + 0.02 * k), "box"
            ),
            f"size {k}": Perturbation(
                partial(scale_size, geom="box", factor=1.1 + 0.1 * k), "box", on="spec"
            ),
        }

    def thrown(model: mujoco.MjModel, data: mujoco.MjData, rng: np.random.Generator) -> None:
        data.qvel[:3] = rng.uniform(0.8, 1.5), rng.uniform(-0.1, 0.1), 0
        data.qvel[3:] = rng.uniform(-2, 2, 3)

    return MujocoTask(
        "slide",
        ONE_BODY_XML,
        steps=500,
        outcome=lambda model, data: float(np.linalg.norm(data.qpos[:2])),
        perturbations=cells,
        prepare=thrown,
        unit="m",
    )


def ways(tasks: Sequence[MujocoTask], seeds: Sequence[int], threads: int) -> Ways:
    """The three ways to simulate the runs of an audit: each returns all outcomes in order."""
    runs = [
        (task, cell) for task in tasks for cell in [task.cells()[0].twin] * 2 + list(task.cells())
    ]

    def loop() -> list[float]:
        return [_looped(task, task.model(cell), seed) for task, cell in runs for seed in seeds]

    def direct() -> list[float]:
        return [x for task, cell in runs for x in _direct(task, task.model(cell), seeds, threads)]

    def audited() -> list[float]:
        return [
            float(outcome.values)
            for task, cell in runs
            for outcome in task.simulate_all(cell, seeds, threads=threads)
        ]

    return {"loop": loop, "rollout": direct, "simulate_all": audited}


def _start(task: MujocoTask, model: Any, data: Any, seed: int) -> np.ndarray | None:
    streams = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2)]
    if task.prepare is not None:
        task.prepare(model, data, streams[0])
    mujoco.mj_forward(model, data)
    return None if task.controls is None else task.controls(streams[1])


def _looped(task: MujocoTask, model: Any, seed: int) -> float:
    data = mujoco.MjData(model)
    controls = _start(task, model, data, seed)
    for step in range(task.steps):
        if controls is not None:
            data.ctrl[:] = controls[step]
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return float(task.outcome(model, data))


def _direct(task: MujocoTask, model: Any, seeds: Sequence[int], threads: int) -> list[float]:
    states = np.empty((len(seeds), mujoco.mj_stateSize(model, FULL)))
    warmstarts = np.empty((len(seeds), model.nv))
    controls = np.zeros((len(seeds), task.steps, model.nu))
    data = mujoco.MjData(model)
    for i, seed in enumerate(seeds):
        mujoco.mj_resetData(model, data)
        drawn = _start(task, model, data, seed)
        mujoco.mj_getState(model, data, states[i], FULL)
        warmstarts[i] = data.qacc_warmstart
        if drawn is not None:
            controls[i] = drawn
    pool = [mujoco.MjData(model) for _ in range(threads)]
    found, _ = rollout.rollout(
        model, pool, states, controls, nstep=task.steps, initial_warmstart=warmstarts
    )
    outcomes = []
    for state in found[:, -1]:
        mujoco.mj_setState(model, data, state, FULL)
        mujoco.mj_forward(model, data)
        outcomes.append(float(task.outcome(model, data)))
    return outcomes


def compare(
    tasks: Sequence[MujocoTask], seeds: Sequence[int], threads: int, repeats: int
) -> dict[str, Any]:
    """Seconds of each way, in turn; the ratios are medians over the turns."""
    seconds: dict[str, list[float]] = {}
    outcomes: dict[str, list[float]] = {}
    choices = ways(tasks, seeds, threads)
    for turn in range(repeats):
        # Every way comes first, second and last equally often: memory is warm for the later ones.
        names = list(np.roll(list(choices), turn))
        for name in names:
            way = choices[name]
            began = time.perf_counter()
            outcomes[name] = way()
            seconds.setdefault(name, []).append(time.perf_counter() - began)
    assert outcomes["loop"] == outcomes["rollout"] == outcomes["simulate_all"]
    found = {name: float(np.median(values)) for name, values in seconds.items()}
    table = {name: np.array(values) for name, values in seconds.items()}
    return {
        "seconds": found,
        "runs": len(outcomes["loop"]),
        "faster_than_loop": float(np.median(table["loop"] / table["simulate_all"])),
        "rollout_faster_than_loop": float(np.median(table["loop"] / table["rollout"])),
        "over_rollout": float(np.median(table["simulate_all"] / table["rollout"]) - 1),
    }


def whole_audit(tasks: Sequence[MujocoTask], seeds: Sequence[int]) -> float:
    """Seconds of the audit as pytest runs it, models compiled anew and inert cells explained."""
    began = time.perf_counter()
    for task in tasks:
        effect_size_audit(
            task.simulate,
            task.cells(),
            seeds=seeds,
            diagnose=task.diagnose,
            simulate_all=task.simulate_all,
        )
    return time.perf_counter() - began


def rendering(frames: int, size: int = 64) -> float:
    """Milliseconds a frame of the one-body scene, ``size`` x ``size`` pixels."""
    model = one_body().model(None)
    data = mujoco.MjData(model)
    renderer = FrameRenderer(model, height=size, width=size)
    renderer.render(data)
    began = time.perf_counter()
    for _ in range(frames):
        renderer.render(data)
    return 1e3 * (time.perf_counter() - began) / frames


def main() -> None:
    """Measure, print and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=32)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--threads", type=int, default=joblib.cpu_count())
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    seeds = range(options.seeds)
    result: dict[str, Any] = {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "mujoco": mujoco.__version__,
        "python": platform.python_version(),
        "threads": options.threads,
        "seeds": options.seeds,
        "one_body_audit_seconds": whole_audit([one_body()], seeds),
        "one_body": compare([one_body()], seeds, options.threads, options.repeats),
        "four_tasks": compare(MENDED, seeds, options.threads, options.repeats),
        "milliseconds_per_frame_64": rendering(200),
    }
    print(json.dumps(result, indent=1))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
