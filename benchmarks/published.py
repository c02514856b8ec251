"""Audit published control benchmarks: does each perturbation move the return, and the success?

One suite a run, because they need different versions of MuJoCo; see docs/audits. Matched pairs: the
policy acts in the unperturbed twin, and the same actions are repeated in every cell. Without
``--references`` no policy but the task's own is run.

    python benchmarks/published.py meta-world --workers 2 --json docs/audits/meta_world.json
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import joblib

from pytest_benchcheck import effect_size_audit, spread
from pytest_benchcheck.fixtures.simulators.dm_control_environments import dm_control_task
from pytest_benchcheck.fixtures.simulators.environment_task import EnvironmentTask
from pytest_benchcheck.fixtures.simulators.gymnasium_environments import gymnasium_task
from pytest_benchcheck.fixtures.simulators.meta_world_environments import (
    ROBOTS,
    meta_world_task,
    meta_world_tasks,
)
from pytest_benchcheck.fixtures.simulators.model_scaling import (
    free_objects,
    scale_body_size,
    scale_contact_time,
    scale_frictions,
    scale_joint_damping,
    scale_masses,
)
from pytest_benchcheck.fixtures.simulators.perturbations import PerturbationError
from pytest_benchcheck.fixtures.simulators.reference_policies import reference_policy_scores
from pytest_benchcheck.fixtures.simulators.rendering import prepare_opengl

FACTORS = {"mass": 1.5, "friction": 0.5, "rigidity": 3.0, "size": 1.2, "damping": 2.0}
"""Property -> factor; rigidity: of the contacts' time constant, so that 3 is softer."""

# What a task is about, apart from the robot; where nothing is named, all of the model is perturbed.
OBJECTS: Mapping[str, tuple[str, ...]] = {
    "Pusher-v5": ("object",),
    "ball_in_cup-catch": ("ball",),
    "finger-spin": ("spinner",),
    "finger-turn_easy": ("spinner",),
    "finger-turn_hard": ("spinner",),
    "manipulator-bring_ball": ("ball",),
    "manipulator-bring_peg": ("peg",),
    "manipulator-insert_ball": ("ball",),
    "manipulator-insert_peg": ("peg",),
    "stacker-stack_2": ("box0", "box1"),
    "stacker-stack_4": ("box0", "box1", "box2", "box3"),
    "quadruped-fetch": ("ball",),
    "dog-fetch": ("ball",),
}
GYMNASIUM = (
    "Reacher-v5",
    "Pusher-v5",
    "InvertedPendulum-v5",
    "InvertedDoublePendulum-v5",
    "HalfCheetah-v5",
    "Hopper-v5",
    "Swimmer-v5",
    "Walker2d-v5",
    "Ant-v5",
    "Humanoid-v5",
    "HumanoidStandup-v5",
)


@dataclass(frozen=True)
class Perturb:
    """One property of a task's objects, or of all bodies where it names none."""

    name: str
    objects: tuple[str, ...] = ()
    robots: tuple[str, ...] = ()

    def bodies(self, model: Any) -> Sequence[int] | None:
        """Numbers of the bodies that are perturbed; None for all."""
        if self.objects:
            return [int(model.body(name).id) for name in self.objects]
        return free_objects(model, robots=self.robots) if self.robots else None

    def __call__(self, model: Any) -> None:
        """Change the model in place."""
        factor, bodies = FACTORS[self.name], self.bodies(model)
        if self.name == "mass":
            scale_masses(model, factor, bodies)
        elif self.name == "friction":
            scale_frictions(model, factor, bodies)
        elif self.name == "rigidity":
            scale_contact_time(model, factor, bodies)
        elif self.name == "damping":
            scale_joint_damping(model, factor)
        elif bodies is None:
            raise PerturbationError("nothing in the task is apart from the robot")
        else:
            for body in bodies:
                scale_body_size(model, body, factor)


def tasks_of(suite: str) -> dict[str, Callable[[Mapping[str, Any]], EnvironmentTask]]:
    """Name of each task -> how it is made from its perturbations."""
    if suite == "gymnasium":
        return {name: lambda p, name=name: gymnasium_task(name, p) for name in GYMNASIUM}
    if suite == "meta-world":
        return {name: lambda p, name=name: meta_world_task(name, p) for name in meta_world_tasks()}
    prepare_opengl()
    from dm_control.suite import ALL_TASKS

    # A linear-quadratic regulator has no end of its own.
    pairs = [(domain, task) for domain, task in ALL_TASKS if domain != "lqr"]
    return {f"{d}-{t}": lambda p, d=d, t=t: dm_control_task(d, t, p) for d, t in pairs}


def audited(
    suite: str, name: str, make: Any, seeds: Sequence[int], workers: int, references: int
) -> dict[str, Any]:
    """The rows of one task, those that do not apply with their reason; and reference policies."""
    began = time.perf_counter()
    robots = ROBOTS if suite == "meta-world" else ()
    wanted = {key: Perturb(key, OBJECTS.get(name, ()), robots) for key in FACTORS}
    session = make({}).opened()
    session.close()
    applicable, left_out = {}, {}
    for key, perturb in wanted.items():
        session = make({}).opened()
        try:
            perturb(session.model)
            applicable[key] = perturb
        except PerturbationError as reason:
            left_out[key] = str(reason)
        finally:
            session.close()
    task = make(applicable)
    object.__setattr__(task, "workers", workers)
    result = effect_size_audit(
        task.simulate,
        task.cells(),
        seeds=seeds,
        diagnose=task.diagnose,
        simulate_all=task.simulate_all,
    )
    found = {
        "task": name,
        "rows": list(result.rows),
        "not_applicable": left_out,
        "findings": list(result.findings),
        "scale": dict(result.scale),
    }
    if references:
        scores = reference_policy_scores(task, range(1000, 1000 + references))
        judged = spread(
            scores,
            roles={
                "no_op": "trivial",
                "random": "random",
                "replay": "trivial",
                "expert": "candidate",
            },
        )
        found["references"] = {key: float(value.mean()) for key, value in scores.items()}
        found["references_spread"] = {
            "estimate": judged.estimate,
            "interval": judged.interval,
            "verdict": judged.verdict,
        }
    found["seconds"] = round(time.perf_counter() - began, 1)
    return found


def main() -> None:
    """Audit one suite, task by task; what is done is on disk before the next begins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", choices=["gymnasium", "dm-control", "meta-world"])
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--workers", type=int, default=joblib.cpu_count())
    parser.add_argument("--references", type=int, default=0, help="episodes a reference policy")
    parser.add_argument("--only", nargs="*", default=None)
    parser.add_argument("--json", type=Path, required=True)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    record: dict[str, Any] = {
        "suite": options.suite,
        "date": datetime.now(tz=UTC).date().isoformat(),
        "versions": _versions(),
        "machine": f"{platform.machine()}, {options.workers} processes",
        "seeds": options.seeds,
        "factors": FACTORS,
        "tasks": [],
    }
    for name, make in tasks_of(options.suite).items():
        if options.only and name not in options.only:
            continue
        try:
            entry = audited(
                options.suite,
                name,
                make,
                range(options.seeds),
                options.workers,
                options.references,
            )
        except Exception as error:  # noqa: BLE001 one broken task must not lose the others
            entry = {"task": name, "error": f"{type(error).__name__}: {error}"}
        record["tasks"].append(entry)
        options.json.write_text(json.dumps(record, indent=1, default=float) + "\n", "utf-8")
        inert = [row["property"] for row in entry.get("rows", ()) if row["inert"]]
        print(name, entry.get("seconds"), "inert:", inert, entry.get("error", ""), flush=True)


def _versions() -> dict[str, str]:
    found = {}
    for package in ("mujoco", "gymnasium", "dm_control", "metaworld", "numpy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


if __name__ == "__main__":
    main()
