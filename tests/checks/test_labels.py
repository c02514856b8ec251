from __future__ import annotations

import numpy as np
import pytest

from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.checks.labels import plain_labels


class Ambiguous:
    """Compares like a missing value of a table library: neither equal nor different."""

    def __ne__(self, other: object) -> bool:
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = None  # type: ignore[assignment]


def objects(*values: object) -> np.ndarray:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (objects("a", "b"), "U"),
        (objects("a", 1), "U"),
        (objects(1, 2), "i"),
        (objects(1, 2.5), "f"),
        (objects(True, False), "U"),
        (np.array(["a", "b"]), "U"),
        (np.array([b"a", b"b"]), "S"),
        (np.array([1.0, np.nan]), "f"),
    ],
)
def test_objects_become_the_plainest_labels_that_keep_their_meaning(labels, kind):
    assert plain_labels("target", labels).dtype.kind == kind


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), Ambiguous()])
def test_a_missing_object_is_named_with_its_row(missing):
    with pytest.raises(InputError, match=r"target: row 2 is .*Every row needs a label"):
        plain_labels("target", objects("a", "b", missing))
