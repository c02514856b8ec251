"""Judgements of a whole run, gathered from test reports on the controller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ATTRIBUTE", "Judgements", "payload"]

# Attribute of a test report that carries judgements. pytest and pytest-xdist send the attributes of
# a report along as long as they are plain data.
ATTRIBUTE = "benchcheck"


def payload(
    benchmark: str, nodeid: str, position: int, checks: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Plain data to attach to a test report: one entry a judged check.

    Parameters
    ----------
    benchmark
        Name of the benchmark, or node id of the test that called an assertion.
    nodeid
        Node id of what the checks belong to: the benchmark's node, or the test.
    position
        Position of the item in the order of collection.
    checks
        ``CheckResult.to_dict()`` with ``expected`` added.
    """
    return [
        {"benchmark": benchmark, "nodeid": nodeid, "position": position, "check": dict(check)}
        for check in checks
    ]


@dataclass
class Judgements:
    """Judgements by the node id of the item that made them; a rerun replaces its predecessor."""

    _by_item: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, report: Any) -> None:
        """Take what a test report carries; a new attempt drops what the last one left."""
        if report.when == "setup":
            self._by_item[report.nodeid] = []
        entries = getattr(report, ATTRIBUTE, None)
        if entries:
            self._by_item.setdefault(report.nodeid, []).extend(entries)

    def benchmarks(self) -> list[dict[str, Any]]:
        """Benchmarks in order of collection: ``{"name", "nodeid", "checks": [...]}``."""
        entries = [entry for judged in self._by_item.values() for entry in judged]
        entries.sort(key=lambda entry: entry["position"])
        found: dict[str, dict[str, Any]] = {}
        for entry in entries:
            benchmark = found.setdefault(
                entry["nodeid"],
                {"name": entry["benchmark"], "nodeid": entry["nodeid"], "checks": []},
            )
            benchmark["checks"].append(entry["check"])
        return list(found.values())
