from __future__ import annotations

import pytest

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.roles import assign_roles, random_mean_name


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("random_vit", "random"),
        ("random_vit-s0", "random"),
        ("random_projection-s12", "random"),
        ("raw_pixels", "trivial"),
        ("frame_difference", "trivial"),
        ("raw_pixels-s1", "trivial"),
        ("vjepa2", "candidate"),
        ("model-s", "candidate"),
        ("my_random_model", "candidate"),
        ("", "candidate"),
    ],
)
def test_the_reference_encoders_names_are_known(name, role):
    assert assign_roles([name], None) == {name: role}


def test_a_given_role_overrides_the_known_one():
    roles = assign_roles(["raw_pixels", "mine"], {"raw_pixels": "candidate", "mine": "random"})
    assert roles == {"raw_pixels": "candidate", "mine": "random"}


def test_a_role_for_an_unknown_representation_is_an_error():
    with pytest.raises(InputError, match=r"roles name \['typo'\].*\['mine'\]"):
        assign_roles(["mine"], {"typo": "trivial"})


def test_an_unknown_role_is_an_error():
    with pytest.raises(InputError, match=r"roles\['mine'\] is 'baseline'"):
        assign_roles(["mine"], {"mine": "baseline"})


@pytest.mark.parametrize(
    ("members", "name"),
    [
        (["random_vit-s0", "random_vit-s1"], "random_vit"),
        (["random_vit"], "random_vit"),
        (["random_vit-s0", "random_conv-s0"], "random (mean of 2)"),
    ],
)
def test_the_mean_over_seeds_is_named_after_what_they_share(members, name):
    assert random_mean_name(members) == name
