"""Compute the paper: python -m pytest_benchcheck.example_benchmarks.caliper.paper [PIECE ...]."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from pytest_benchcheck.example_benchmarks.caliper.appearance import SCENES, Scene
from pytest_benchcheck.example_benchmarks.caliper.paper.design_choices import (
    forces_and_collisions,
    slide_frames,
    spheres_and_boxes,
)
from pytest_benchcheck.example_benchmarks.caliper.paper.encoding_and_use import (
    erasures,
    exact_cost,
    leace,
    probes,
)
from pytest_benchcheck.example_benchmarks.caliper.paper.features import (
    ENCODERS,
    SceneFeatures,
    scene_features,
)
from pytest_benchcheck.example_benchmarks.caliper.paper.learning_curves import learning_curves
from pytest_benchcheck.example_benchmarks.caliper.paper.record import computed_once
from pytest_benchcheck.example_benchmarks.caliper.paper.speed_selection import speed_selection
from pytest_benchcheck.example_benchmarks.caliper.paper.table_1 import table_1
from pytest_benchcheck.example_benchmarks.caliper.simulation import simulate_episodes

REPEATS = 3
"""Of five folds, as in the paper."""

RESULTS = Path(__file__).parents[1] / "results"

Piece = Callable[[SceneFeatures, int], Any]

SCENE_PIECES: dict[str, Piece] = {
    "table-1": lambda scene, seed: table_1(scene, repeats=REPEATS, seed=seed),
    "table-2": lambda scene, seed: speed_selection(scene, repeats=REPEATS, seed=seed),
    "table-3-probes": lambda scene, seed: probes(scene, repeats=REPEATS, seed=seed),
    "table-3-erasure": lambda scene, seed: {
        "rows": erasures(scene, repeats=REPEATS, seed=seed),
        "exact_cost": exact_cost(scene, repeats=REPEATS, seed=seed),
    },
    "table-3-leace": lambda scene, seed: erasures(scene, repeats=REPEATS, seed=seed, eraser=leace),
    "figure-3": lambda scene, seed: learning_curves(scene, repeats=REPEATS, seed=seed),
    # Another seed of the folds on the same episodes; appendix B, "Seed robustness".
    "seed-robustness": lambda scene, seed: table_1(scene, repeats=REPEATS, seed=seed + 1),
}
PIECES = (*SCENE_PIECES, "appendix")


def _compute(piece: Piece, scene: Callable[[Scene], SceneFeatures], name: Scene, seed: int) -> Any:
    # The features are loaded only where a piece is not on disk yet.
    return piece(scene(name), seed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compute the pieces that are asked for, or all; what is on disk already is left."""
    parser = argparse.ArgumentParser(prog="caliper.paper", description=__doc__)
    parser.add_argument("pieces", nargs="*", metavar="PIECE", help=f"of {', '.join(PIECES)}")
    parser.add_argument("--episodes", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, default=Path(".benchcheck/cache"))
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.pieces) - set(PIECES))
    if unknown:
        parser.error(f"unknown pieces {unknown}: choose from {', '.join(PIECES)}")
    settings = {"episodes": options.episodes, "seed": options.seed, "repeats": REPEATS, "folds": 5}

    @lru_cache(maxsize=1)
    def scene(name: Scene) -> SceneFeatures:
        return scene_features(name, options.episodes, options.seed, cache=options.cache)

    asked = options.pieces or PIECES
    # One scene after the other: the features of one fill the memory that the next can have.
    for name in SCENES:
        for piece in (piece for piece in asked if piece in SCENE_PIECES):
            recorded = computed_once(
                options.results / f"{piece}-{name}.json",
                {**settings, "scene": name, "encoders": list(ENCODERS)},
                partial(_compute, SCENE_PIECES[piece], scene, name, options.seed),
            )
            sys.stdout.write(f"{piece}, {name}: {recorded['seconds']} s\n")
            sys.stdout.flush()
    if "appendix" in asked:
        recorded = computed_once(
            options.results / "appendix.json",
            settings,
            lambda: {
                "acceptance": simulate_episodes(options.episodes, options.seed).acceptance,
                "forces_and_collisions": forces_and_collisions(options.episodes, options.seed),
                "spheres_and_boxes": spheres_and_boxes(options.episodes, options.seed),
                "frames_in_motion": slide_frames(simulate_episodes(options.episodes, options.seed)),
            },
        )
        sys.stdout.write(f"appendix: {recorded['seconds']} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
