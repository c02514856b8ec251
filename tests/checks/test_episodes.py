from __future__ import annotations

import numpy as np
import pytest

from pytest_benchcheck.checks.episodes import Clips, Episodes
from pytest_benchcheck.checks.errors import ContractError

N = 6
FRAMES = np.zeros((N, 2, 4, 4, 3), dtype=np.uint8)
TARGET = np.linspace(0.0, 1.0, N)


class Rendered:
    """Renders when sliced: frames are never all in memory."""

    def __len__(self) -> int:
        return N

    def __getitem__(self, rows: slice) -> np.ndarray:
        return FRAMES[rows]


@pytest.mark.untyped
def test_a_whole_benchmark_is_kept_as_given():
    episodes = Episodes(
        target=TARGET,
        clips={"query": FRAMES, "calibration": Rendered()},
        covariates=TARGET,
        latents={"log_mass": TARGET, "mu": TARGET[:, None]},
        groups=["a", "a", "b", "b", "c", "c"],
        evidence="calibration",
        references={"state": np.zeros((N, 2)), "flat": TARGET},
    )
    assert len(episodes) == N
    assert episodes.evidence == ("calibration",)
    assert episodes.covariates.shape == (N, 1)
    assert episodes.latents["mu"].shape == (N,)
    assert episodes.references["flat"].shape == (N, 1)
    assert episodes.groups.tolist() == ["a", "a", "b", "b", "c", "c"]
    assert all(isinstance(clip, Clips) for clip in episodes.clips.values())


@pytest.mark.untyped
def test_a_target_alone_is_enough():
    episodes = Episodes([1, 2, 3])
    assert len(episodes) == 3
    assert episodes.covariates is None
    assert episodes.groups is None


@pytest.mark.untyped
@pytest.mark.parametrize(
    "target", [[True, False], ["a", "b"], np.array(["a", "b"], dtype=object), [b"a", b"b"], [0, 1]]
)
def test_class_labels_are_targets(target):
    assert len(Episodes(target)) == 2


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"target": np.zeros((N, 1))}, r"Episodes\.target must have shape \(n,\).*\(6, 1\)"),
        ({"target": []}, r"Episodes\.target must have shape \(n,\) with n >= 1, got \(0,\)"),
        ({"target": [1.0, np.nan]}, r"Episodes\.target: row 1, column 0 is nan \(1 non-finite"),
        ({"target": TARGET * 1j}, r"Episodes\.target has dtype complex128"),
        ({"clips": [FRAMES]}, r"Episodes\.clips must be a mapping of names, got list"),
        ({"clips": {"query": FRAMES[:5]}}, r"Episodes\.clips\['query'\] holds 5 episodes"),
        ({"clips": {"query": 3}}, r"Episodes\.clips\['query'\] must have a length .* got int"),
        ({"clips": {"query": {1, 2}}}, r"Episodes\.clips\['query'\] must have a length .* got set"),
        ({"evidence": ["cal"]}, r"Episodes\.evidence names \['cal'\], which are not among"),
        ({"covariates": np.zeros((5, 2))}, r"Episodes\.covariates must have shape \(6, k\)"),
        ({"covariates": np.zeros((N, 1, 1))}, r"Episodes\.covariates must have shape \(6, k\)"),
        ({"covariates": ["x"] * N}, r"Episodes\.covariates must hold numbers, got list"),
        ({"covariates": [np.inf] * N}, r"Episodes\.covariates: row 0, column 0 is inf"),
        (
            {"latents": {"m": np.zeros((N, 2))}},
            r"latents\['m'\] must have shape \(n,\), got \(6, 2",
        ),
        ({"latents": {"m": [0, 1, 2, 3, np.nan, 5]}}, r"latents\['m'\]: row 4, column 0 is nan"),
        ({"latents": [TARGET]}, r"Episodes\.latents must be a mapping of names, got list"),
        (
            {"references": {"s": np.zeros(5)}},
            r"references\['s'\] must have shape \(6, k\), got \(5",
        ),
        ({"groups": np.zeros((N, 1))}, r"Episodes\.groups must have shape \(6,\).*got \(6, 1\)"),
        ({"groups": ["a"] * 5}, r"Episodes\.groups must have shape \(6,\).*got \(5,\)"),
    ],
)
def test_a_field_that_breaks_the_contract_is_named_with_shape_or_value(fields, message):
    with pytest.raises(ContractError, match=message):
        Episodes(**({"target": TARGET} | fields))
