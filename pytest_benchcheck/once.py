"""Work that is done once and shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import pytest

__all__ = ["ENDS", "Once"]

# What ends a benchmark's own code, and is a finding about it. An interrupt is not.
ENDS = (Exception, SystemExit, pytest.fail.Exception)

_T = TypeVar("_T")


class Once(Generic[_T]):
    """Call a function once; later calls return, or raise, what the first did.

    An interrupt is not remembered: the next call starts anew.

    Attributes
    ----------
    made
        What the function returned, as the only entry; empty until then.
    """

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self.made: list[_T] = []
        self._error: BaseException | None = None

    def __call__(self) -> _T:
        """What the function returned the first time."""
        if self._error is not None:
            raise self._error
        if not self.made:
            try:
                self.made.append(self._make())
            except ENDS as error:
                self._error = error
                raise
        return self.made[0]
