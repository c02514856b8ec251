"""Work spread by joblib, with results that do not depend on the number of workers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import joblib
from threadpoolctl import threadpool_limits

__all__ = ["one_blas_thread", "run_all"]

Result = TypeVar("Result")


class _Limit:
    """A limit that the first to ask for sets and the last to leave lifts."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.limits: threadpool_limits | None = None

    def take(self) -> None:
        with self.lock:
            if self.users == 0:
                self.limits = threadpool_limits(limits=1)
            self.users += 1

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0 and self.limits is not None:
                self.limits.restore_original_limits()


_LIMIT = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let BLAS use one thread: outer threads would fight nested ones for the cores.

    The last digits of a matrix product depend on the number of BLAS threads, which differs between
    machines and workers. May be entered by several threads at once.
    """
    _LIMIT.take()
    try:
        yield
    finally:
        _LIMIT.leave()


def run_all(
    task: Callable[..., Result], arguments: Iterable[tuple[Any, ...]], *, jobs: int = -1
) -> list[Result]:
    """Call ``task`` with each tuple of arguments, in threads, or where joblib is told to.

    Inside ``joblib.parallel_config(backend=...)`` the calls go to that backend: processes, or the
    workers of a Dask or Ray cluster.

    Returns
    -------
    The results in the order of ``arguments``.
    """
    with one_blas_thread():
        results: list[Result] = joblib.Parallel(n_jobs=jobs, prefer="threads")(
            joblib.delayed(_limited)(task, given) for given in arguments
        )
    return results


def _limited(task: Callable[..., Result], given: tuple[Any, ...]) -> Result:
    # Once more for a worker in another process, which the caller's limit does not reach.
    with one_blas_thread():
        return task(*given)
