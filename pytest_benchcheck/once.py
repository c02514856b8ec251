"""Work that is done once and shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Once"]

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
        self._error: Exception | None = None

    def __call__(self) -> _T:
        """What the function returned the first time."""
        if self._error is not None:
            raise self._error
        if not self.made:
            try:
                self.made.append(self._make())
            except Exception as error:
                self._error = error
                raise
        return self.made[0]
