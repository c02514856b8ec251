"""Which representations are random, which trivial, which candidates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypeVar, cast, get_args

from pytest_benchcheck.checks.errors import InputError

__all__ = ["Role", "assign_roles", "random_mean_name", "without_oracles"]

Role: TypeAlias = Literal["random", "trivial", "candidate", "oracle"]

Value = TypeVar("Value")

_TRIVIAL = frozenset({"raw_pixels", "frame_difference"})
_SEEDED = re.compile(r"^(?P<base>.+?)-s\d+$")


def assign_roles(names: Sequence[str], roles: Mapping[str, str] | None) -> dict[str, Role]:
    """Give every representation a role; the reference encoders' names are known.

    Raises
    ------
    InputError
        If ``roles`` names an unknown representation or role.
    """
    given = dict(roles or {})
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise InputError(f"roles name {unknown}, which are not among the scores {list(names)}.")
    for name, role in given.items():
        if role not in get_args(Role):
            raise InputError(
                f"roles[{name!r}] is {role!r}: choose 'random', 'trivial', 'candidate', or "
                f"'oracle' for the ground truth replayed as predictions."
            )
    return {name: cast("Role", given.get(name, _known_role(name))) for name in names}


def without_oracles(
    scores: Mapping[str, Value], roles: Mapping[str, Role]
) -> tuple[dict[str, Value], dict[str, Value]]:
    """What is compared, and what the ground truth scores.

    Raises
    ------
    InputError
        If fewer than two representations are left.
    """
    oracles = {name: value for name, value in scores.items() if roles[name] == "oracle"}
    others = {name: value for name, value in scores.items() if name not in oracles}
    if len(others) < 2:
        raise InputError(
            f"a spread needs at least two representations beside the oracle, got {list(others)}."
        )
    return others, oracles


def _known_role(name: str) -> Role:
    seeded = _SEEDED.match(name)
    base = seeded["base"] if seeded else name
    if base.startswith("random_"):
        return "random"
    return "trivial" if base in _TRIVIAL else "candidate"


def random_mean_name(members: Sequence[str]) -> str:
    """Name the mean over the seeds of a random network, e.g. ``random_vit``."""
    bases = {match["base"] if (match := _SEEDED.match(name)) else name for name in members}
    if len(bases) == 1:
        return bases.pop()
    return f"random (mean of {len(members)})"
