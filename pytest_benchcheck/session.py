"""What one pytest session of the audit knows: its settings and what has been judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from pytest_benchcheck.judgements import Judgements
from pytest_benchcheck.recorder import record
from pytest_benchcheck.settings import Settings, read_settings

if TYPE_CHECKING:
    from pytest_benchcheck.budget import Budget
    from pytest_benchcheck.checks.results import CheckResult

__all__ = ["AuditSession", "current_settings", "running", "session_of"]


@dataclass(eq=False)
class AuditSession:
    """Settings and judgements of one session; what the ``benchcheck`` fixture returns.

    Attributes
    ----------
    settings
        Options and ini keys, checked.
    judgements
        What has been judged so far in this process.
    budget
        Time that this process may take, from the moment its items are known; None for no limit.
    """

    settings: Settings
    judgements: Judgements = field(default_factory=Judgements)
    budget: Budget | None = None

    @property
    def enabled(self) -> bool:
        """Whether this run audits: whether ``--benchcheck`` was given."""
        return self.settings.enabled

    def record(self, result: CheckResult) -> None:
        """Put a result into the report, under the running test's name, without asserting it.

        Without ``--benchcheck`` this does nothing.
        """
        record(result, held=result.verdict == "pass")


_KEY = pytest.StashKey[AuditSession]()


def session_of(config: pytest.Config) -> AuditSession:
    """The session's audit, made on first use.

    Raises
    ------
    pytest.UsageError
        If an option or ini key has a value that it does not accept.
    """
    session = config.stash.get(_KEY, None)
    if session is None:
        session = config.stash[_KEY] = AuditSession(read_settings(config))
    return session


_running: list[AuditSession] = []


def running(session: AuditSession, *, started: bool) -> None:
    """Note that an audited pytest session starts or ends; sessions may nest."""
    if started:
        _running.append(session)
    elif session in _running:
        _running.remove(session)


def current_settings() -> Settings:
    """Settings of the audited session that runs; outside of one, the defaults and no cache."""
    return _running[-1].settings if _running else Settings()
