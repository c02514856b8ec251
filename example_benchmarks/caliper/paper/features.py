"""Features of both scenes under every encoder of the tables, through the cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_benchcheck import load_encoder
from pytest_benchcheck.example_benchmarks.caliper.appearance import Scene
from pytest_benchcheck.example_benchmarks.caliper.benchmark import Caliper
from pytest_benchcheck.example_benchmarks.caliper.clips import CLIP_NAMES
from pytest_benchcheck.example_benchmarks.caliper.simulation import Simulated, simulate_episodes
from pytest_benchcheck.fixtures.cache import FeatureCache
from pytest_benchcheck.fixtures.features import encode_clips

if TYPE_CHECKING:
    import numpy as np
    from jaxtyping import Float

__all__ = ["CALIBRATION", "ENCODERS", "QUERY", "SceneFeatures", "scene_features"]

CALIBRATION, QUERY = CLIP_NAMES[:2], CLIP_NAMES[2]
ENCODERS = (
    "raw_pixels",
    "frame_difference",
    "random_vit:0",
    "random_vit:1",
    "random_vit:2",
    "random_vit:0?frames=concat",
    "random_vit:1?frames=concat",
    "random_vit:2?frames=concat",
)
"""Specs of all rows; a network's frames are averaged and, beside it, concatenated."""


@dataclass(frozen=True)
class SceneFeatures:
    """One scene's episodes and what every encoder makes of their clips.

    Attributes
    ----------
    simulated
        The episodes, the same in both scenes.
    features
        Encoder name -> clip name -> ``(n, d)`` float32.
    """

    simulated: Simulated
    features: Mapping[str, Mapping[str, Float[np.ndarray, "n d"]]]


def scene_features(
    scene: Scene,
    episodes: int,
    seed: int,
    *,
    cache: Path | None,
    encoders: Sequence[str] = ENCODERS,
) -> SceneFeatures:
    """Render and encode one scene; what is in the cache is neither rendered nor encoded again.

    Raises
    ------
    EncoderLoadError
        If an encoder cannot be loaded.
    EncodeError
        If an encoder fails.
    """
    benchmark = Caliper(f"caliper-{scene}", scene=scene)
    loaded = {encoder.name: encoder for encoder in map(load_encoder, encoders)}
    encoded = encode_clips(
        benchmark.episodes(episodes, seed).clips,
        loaded,
        cache=None if cache is None else FeatureCache(cache),
        # The key of the plugin's own audit, so that both share what is cached.
        key={
            "name": benchmark.name,
            "version": benchmark.cache_version(),
            "seed": seed,
            "n": episodes,
        },
    )
    for failure in encoded.failures.values():
        raise failure
    return SceneFeatures(simulate_episodes(episodes, seed), encoded.features)
