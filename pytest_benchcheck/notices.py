"""The package's own warnings, as notices for the report."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_benchcheck.fixtures.cache import CorruptCacheEntryWarning
from pytest_benchcheck.fixtures.encoders import BlackClipWarning, UntrainedWeightsWarning

__all__ = ["own_notices"]

_OWN_WARNINGS = (BlackClipWarning, CorruptCacheEntryWarning, UntrainedWeightsWarning)


@contextmanager
def own_notices(noted: list[str]) -> Iterator[None]:
    """Collect this package's own warnings as text; the user's warnings take their usual way.

    They belong in the report, and no warning filter may turn one into the end of a long run.
    """
    with warnings.catch_warnings(record=True) as caught:
        for category in _OWN_WARNINGS:
            warnings.simplefilter("always", category)
        yield
    for message in caught:
        if issubclass(message.category, _OWN_WARNINGS):
            noted.append(str(message.message))
        else:
            warnings.warn_explicit(
                message.message, message.category, message.filename, message.lineno
            )
