"""The script that the audit's performance figures come from, at a small size."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("mujoco")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audit", ROOT / "benchmarks" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("which", ["one_body", "four_tasks"])
def test_all_three_ways_simulate_the_same_outcomes(audit, which):
    tasks = [audit.one_body()] if which == "one_body" else audit.MENDED
    choices = audit.ways(tasks, range(2), threads=2)
    loop, direct, audited = (way() for way in choices.values())
    assert loop == direct == audited
    assert len(loop) == 2 * (20 + 2 * len(tasks))


def test_the_record_keeps_what_the_docs_say():
    record = json.loads((ROOT / "benchmarks/results/audit.json").read_text(encoding="utf-8"))
    assert record["seeds"] == 32
    assert record["one_body_audit_seconds"] < 5
    for job in ("one_body", "four_tasks"):
        assert record[job]["faster_than_loop"] > 1.6
        assert record[job]["over_rollout"] < 0.1
