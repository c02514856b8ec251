"""A benchmark's episodes: clips, covariates, target, latents, groups and references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from pytest_benchcheck.checks.errors import ContractError
from pytest_benchcheck.checks.shapes import Float, Shaped

__all__ = ["Clips", "Episodes"]


@runtime_checkable
class Clips(Protocol):
    """Anything that has a length and can be sliced into uint8 ``(b, T, H, W, 3)`` frames.

    A numpy array is one; an object that renders when sliced is another, so that the frames of all
    episodes never have to be in memory together.
    """

    def __len__(self) -> int:
        """Number of episodes, n."""
        ...

    def __getitem__(self, rows: slice, /) -> Any:
        """Frames of the episodes in ``rows``: uint8 ``(b, T, H, W, 3)``."""
        ...


@dataclass(frozen=True, eq=False)
class Episodes:
    """What ``spread``, ``swap`` and ``erasure`` need from a benchmark.

    Parameters
    ----------
    target
        ``(n,)``: the number that the readout predicts, or class labels (bool, string or integer).
    clips
        Name -> clips of every episode; see :class:`Clips`.
    covariates
        ``(n, k)`` or ``(n,)`` finite floats that every condition may use, e.g. the commanded
        speed; None for none.
    latents
        Name -> ``(n,)`` simulator property that erasure removes, e.g. ``"log_mass"``.
    groups
        ``(n,)`` labels of what is independent of each other (scene, object, demonstrator). Rows
        of one group never stand on both sides of a fold. None: every row is its own group.
    evidence
        Names of the clips that the swap exchanges.
    references
        Name -> ``(n, k)`` or ``(n,)`` simulator-state features that give the ceiling.

    Raises
    ------
    ContractError
        Naming the field, the shape and the first offending value.
    """

    target: Shaped[np.ndarray, " n"]
    clips: Mapping[str, Clips] = field(default_factory=dict)
    covariates: Float[np.ndarray, "n k"] | None = None
    latents: Mapping[str, Float[np.ndarray, " n"]] = field(default_factory=dict)
    groups: Shaped[np.ndarray, " n"] | None = None
    evidence: Sequence[str] = ()
    references: Mapping[str, Float[np.ndarray, "n _"]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        target = np.asarray(self.target)
        if target.ndim != 1 or target.size == 0:
            raise ContractError(
                f"Episodes.target must have shape (n,) with n >= 1, got {target.shape}."
            )
        if target.dtype.kind == "f":
            _require_finite("Episodes.target", target[:, None])
        elif target.dtype.kind not in "biuUSO":
            raise ContractError(
                f"Episodes.target has dtype {target.dtype}: give floats, or class labels."
            )
        object.__setattr__(self, "target", target)
        self._check_clips(target.size)
        if self.covariates is not None:
            object.__setattr__(
                self, "covariates", _matrix("Episodes.covariates", self.covariates, target.size)
            )
        for owner in ("latents", "references"):
            given = _mapping(f"Episodes.{owner}", getattr(self, owner))
            checked = {
                name: _matrix(f"Episodes.{owner}[{name!r}]", value, target.size)
                for name, value in given.items()
            }
            if owner == "latents":
                checked = {name: _single_column(name, value) for name, value in checked.items()}
            object.__setattr__(self, owner, checked)
        if self.groups is not None:
            groups = np.asarray(self.groups)
            if groups.shape != (target.size,):
                raise ContractError(
                    f"Episodes.groups must have shape ({target.size},) like the target, "
                    f"got {groups.shape}."
                )
            object.__setattr__(self, "groups", groups)

    def _check_clips(self, n: int) -> None:
        clips = _mapping("Episodes.clips", self.clips)
        for name, clip in clips.items():
            if not (hasattr(clip, "__len__") and hasattr(clip, "__getitem__")):
                raise ContractError(
                    f"Episodes.clips[{name!r}] must have a length and be sliceable into uint8 "
                    f"(b, T, H, W, 3), got {type(clip).__name__}."
                )
            if len(clip) != n:
                raise ContractError(
                    f"Episodes.clips[{name!r}] holds {len(clip)} episodes, the target {n}."
                )
        object.__setattr__(self, "clips", clips)
        if isinstance(self.evidence, str):
            object.__setattr__(self, "evidence", (self.evidence,))
        evidence = tuple(self.evidence)
        unknown = [name for name in evidence if name not in clips]
        if unknown:
            raise ContractError(
                f"Episodes.evidence names {unknown}, which are not among the clips {sorted(clips)}."
            )
        object.__setattr__(self, "evidence", evidence)

    def __len__(self) -> int:
        """Number of episodes, n."""
        return int(self.target.size)


def _mapping(where: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ContractError(f"{where} must be a mapping of names, got {type(value).__name__}.")
    return {str(name): entry for name, entry in value.items()}


def _matrix(where: str, value: Any, n: int) -> Float[np.ndarray, "n k"]:
    try:
        matrix = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ContractError(f"{where} must hold numbers, got {type(value).__name__}.") from None
    if matrix.ndim == 1:
        matrix = matrix[:, None]
    if matrix.ndim != 2 or matrix.shape[0] != n:
        raise ContractError(f"{where} must have shape ({n}, k), got {np.shape(value)}.")
    _require_finite(where, matrix)
    return matrix


def _single_column(name: str, value: Float[np.ndarray, "n k"]) -> Float[np.ndarray, " n"]:
    if value.shape[1] != 1:
        raise ContractError(
            f"Episodes.latents[{name!r}] must have shape (n,), got {value.shape}: one property "
            f"a name."
        )
    column: Float[np.ndarray, " n"] = value[:, 0]
    return column


def _require_finite(where: str, matrix: Float[np.ndarray, "n k"]) -> None:
    bad = np.argwhere(~np.isfinite(matrix))
    if bad.size:
        row, column = (int(i) for i in bad[0])
        raise ContractError(
            f"{where}: row {row}, column {column} is {matrix[row, column]} "
            f"({len(bad)} non-finite of {matrix.size} values)."
        )
