"""The errors that bad input gets: they name the field, the place and the value."""

from __future__ import annotations

__all__ = ["BenchcheckError", "ContractError", "InputError"]


class BenchcheckError(Exception):
    """Base class of every error this package raises on purpose."""


class ContractError(BenchcheckError, ValueError):
    """A benchmark object breaks the contract: a field has a wrong type, shape or value."""


class InputError(BenchcheckError, ValueError):
    """A check was given data it cannot judge: which array, where, and what to do."""
