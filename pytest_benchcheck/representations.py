"""A benchmark's clips under every encoder: features, roles, and the encoders that failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_benchcheck.benchmark import Benchmark
from pytest_benchcheck.checks.episodes import Episodes
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.fixtures.cache import FeatureCache
from pytest_benchcheck.fixtures.encoders import Encoder, load_encoders
from pytest_benchcheck.fixtures.encoders.protocol import encoder_role
from pytest_benchcheck.fixtures.features import encode_clips
from pytest_benchcheck.settings import Settings

__all__ = ["Representations", "represent"]


@dataclass(frozen=True)
class Representations:
    """Features of one benchmark's episodes.

    Attributes
    ----------
    features
        Encoder name -> clip name -> block of ``(n, d)`` features. The blocks are shared by the
        checks and remember their reductions.
    roles
        Encoder name -> ``"random"``, ``"trivial"`` or ``"candidate"``.
    failures
        Encoder spec or name -> what it raised while loading or encoding.
    """

    features: Mapping[str, Mapping[str, Block]]
    roles: Mapping[str, str]
    failures: Mapping[str, Exception]


def represent(benchmark: Benchmark, episodes: Episodes, settings: Settings) -> Representations:
    """Encode the episodes' clips with the encoders of ``settings``, else the benchmark's own.

    An encoder that fails to load or to encode is listed in ``failures``; the others go on.

    Raises
    ------
    InputError
        If the clips are not frames, or black.
    """
    encoders, failures = _load(settings.encoders or benchmark.encoders)
    encoded = encode_clips(
        episodes.clips,
        encoders,
        cache=None if settings.cache_dir is None else FeatureCache(settings.cache_dir),
        key={
            "name": benchmark.name,
            "version": benchmark.cache_version(),
            "seed": settings.seed,
            "n": len(episodes),
        },
    )
    return Representations(
        {
            name: {clip: Block(features) for clip, features in clips.items()}
            for name, clips in encoded.features.items()
        },
        {name: encoder_role(encoder) for name, encoder in encoders.items()},
        {**failures, **encoded.failures},
    )


def _load(
    specs: Iterable[str | Encoder],
) -> tuple[dict[str, Encoder], dict[str, Exception]]:
    encoders: dict[str, Encoder] = {}
    failures: dict[str, Exception] = {}
    for spec in [specs] if isinstance(specs, str) else specs:
        label = spec if isinstance(spec, str) else str(getattr(spec, "name", spec))
        try:
            loaded = load_encoders([spec])
        except Exception as error:  # noqa: BLE001 an encoder's own loading code may raise anything
            failures[label] = error
            continue
        for name, encoder in loaded.items():
            if name in encoders:
                failures[label] = ValueError(
                    f"two encoders are called {name!r}: the name is a row in the report, give "
                    f"each its own."
                )
            else:
                encoders[name] = encoder
    return encoders, failures
