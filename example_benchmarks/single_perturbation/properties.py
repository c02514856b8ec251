"""The five perturbed properties, as the bad benchmark applies them and as they are mended.

Both act on the body and the geom ``object``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pytest_benchcheck.fixtures.simulators.mujoco_task import Perturbation
from pytest_benchcheck.fixtures.simulators.perturbations import (
    raise_body,
    scale_mass,
    scale_size,
    set_contact_time_constant,
    set_friction,
)

if TYPE_CHECKING:
    import mujoco

__all__ = ["OBJECT", "mended_properties", "published_properties"]

OBJECT = "object"
MASS_FACTOR = 3.0
FRICTION_FACTOR = 1.5
SIZE_FACTOR = 1.33
LIFT = 0.05


def published_properties(friction: float) -> Mapping[str, Perturbation]:
    """Property -> perturbation of the bad benchmark.

    Parameters
    ----------
    friction
        Sliding friction coefficient of the unperturbed object.
    """
    return {
        "mass": Perturbation(partial(scale_mass, body=OBJECT, factor=MASS_FACTOR), OBJECT),
        "friction": Perturbation(
            partial(set_friction, geom=OBJECT, sliding=FRICTION_FACTOR * friction), OBJECT
        ),
        "rigidity": Perturbation(_mixed_solref, OBJECT),
        "size": Perturbation(_larger_at_the_same_mass, OBJECT, on="spec"),
        "height": Perturbation(partial(raise_body, body=OBJECT, metres=LIFT), OBJECT),
    }


def mended_properties(
    friction: float,
    *,
    lift: float,
    size: float = SIZE_FACTOR,
    lifted: Sequence[str] = (OBJECT,),
) -> Mapping[str, Perturbation]:
    """Property -> perturbation of the corrected twin.

    Parameters
    ----------
    friction
        Sliding friction coefficient of the unperturbed object.
    lift
        By how many metres the object is released higher.
    size
        Factor of the object's lengths.
    lifted
        Bodies that are raised together: the object and what holds it.
    """

    def higher(model: mujoco.MjModel) -> None:
        for body in lifted:
            raise_body(model, body, lift)

    return {
        "mass": Perturbation(partial(scale_mass, body=OBJECT, factor=MASS_FACTOR), OBJECT),
        "friction": Perturbation(
            partial(set_friction, geom=OBJECT, sliding=FRICTION_FACTOR * friction), OBJECT
        ),
        # Softer: three times the default time constant of 0.02 s.
        "rigidity": Perturbation(
            partial(set_contact_time_constant, geom=OBJECT, seconds=0.06), OBJECT
        ),
        "size": Perturbation(partial(scale_size, geom=OBJECT, factor=size), OBJECT, on="spec"),
        "height": Perturbation(higher, OBJECT),
    }


def _mixed_solref(model: mujoco.MjModel) -> None:
    """Meant as "rigid": a negative stiffness with a positive damping ratio, which MuJoCo drops."""
    model.geom_solref[model.geom(OBJECT).id] = (-1000.0, 1.0)


def _larger_at_the_same_mass(spec: mujoco.MjSpec) -> mujoco.MjModel:
    geom = spec.geom(OBJECT)
    geom.size = np.asarray(geom.size) * SIZE_FACTOR
    return spec.compile()
