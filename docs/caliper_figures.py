"""Draw the paper's figures 1-3 from the recorded results: docs/caliper_*.svg."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use("svg")
import matplotlib.pyplot as plt

from pytest_benchcheck.example_benchmarks.caliper.appearance import SCENES
from pytest_benchcheck.example_benchmarks.caliper.benchmark import Caliper

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "example_benchmarks" / "caliper" / "results"
COLOURS = {"clean": "#2a6fbb", "nuisance": "#e07b39"}


def result(piece: str, scene: str) -> Any:
    """What was recorded."""
    return json.loads((RESULTS / f"{piece}-{scene}.json").read_text(encoding="utf-8"))["result"]


def save(figure: Any, name: str) -> None:
    """Write a figure that is the same byte by byte for the same numbers."""
    figure.savefig(DOCS / f"caliper_{name}.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def episode_strip(episode: int = 3, resolution: int = 96) -> None:
    """Figure 1: the two calibration clips and the query clip of one episode, in both scenes."""
    figure, axes = plt.subplots(len(SCENES) * 3, 4, figsize=(6, 9))
    for block, scene in enumerate(SCENES):
        benchmark = Caliper(f"caliper-{scene}", scene=scene, resolution=resolution)
        clips = benchmark.episodes(episode + 1, 0).clips
        for row, (name, clip) in enumerate(clips.items()):
            for frame, axis in zip(
                clip[episode : episode + 1][0], axes[3 * block + row], strict=True
            ):
                axis.imshow(frame)
                axis.set(xticks=[], yticks=[])
            axes[3 * block + row][0].set_ylabel(f"{scene}\n{name.replace('_', ' ')}", fontsize=7)
    save(figure, "episode")


def scenes_beside_each_other() -> None:
    """Figure 2: R2 with the calibration clips, clean and nuisance."""
    tables: Mapping[str, Any] = {scene: result("table-1", scene)["rows"] for scene in SCENES}
    names = [row["representation"] for row in tables[SCENES[0]]]
    figure, axis = plt.subplots(figsize=(7, 3))
    for offset, scene in zip((-0.2, 0.2), SCENES, strict=True):
        heights = [row["query_evidence"] for row in tables[scene]]
        axis.bar(np.arange(len(names)) + offset, heights, 0.4, color=COLOURS[scene], label=scene)
    floor = next(
        row["r2"]
        for row in result("table-1", SCENES[0])["references"]
        if "covariates" in row["reference"]
    )
    axis.axhline(floor, color="0.4", linestyle="--", linewidth=1, label="speed alone")
    axis.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=7)
    axis.set(ylabel="R2, + calibration", ylim=(0, 1))
    axis.legend(fontsize=7)
    save(figure, "scenes")


def learning_curves() -> None:
    """Figure 3: R2 against the number of training episodes."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), sharey=True)
    for axis, scene in zip(axes, SCENES, strict=True):
        curves: dict[str, list[tuple[int, float]]] = {}
        for row in result("figure-3", scene):
            curves.setdefault(row["representation"], []).append(
                (row["training_episodes"], row["r2"])
            )
        for name, points in curves.items():
            axis.plot(*zip(*points, strict=True), marker=".", label=name, linewidth=1)
        axis.set(xscale="log", xlabel="training episodes", title=scene)
        sizes = [size for size, _ in next(iter(curves.values()))]
        axis.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=7)
        axis.minorticks_off()
    axes[0].set_ylabel("R2, + calibration")
    axes[1].legend(fontsize=6)
    save(figure, "learning")


def main() -> None:
    """Draw what is recorded."""
    plt.rcParams["svg.hashsalt"] = "caliper"
    episode_strip()
    if all((RESULTS / f"table-1-{scene}.json").exists() for scene in SCENES):
        scenes_beside_each_other()
    if all((RESULTS / f"figure-3-{scene}.json").exists() for scene in SCENES):
        learning_curves()


if __name__ == "__main__":
    main()
