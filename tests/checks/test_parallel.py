from __future__ import annotations

import os
import threading

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_info

from pytest_benchcheck.checks import erasure, spread, swap
from pytest_benchcheck.checks.parallel import one_blas_thread, run_all

distributed = pytest.importorskip("distributed")


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def data(n: int = 120):
    rng = np.random.default_rng(0)
    causes = rng.standard_normal((n, 3))
    y = causes.sum(axis=1) + rng.standard_normal(n)
    wide = causes @ rng.standard_normal((3, 700)) + rng.standard_normal((n, 700))
    features = {
        "raw_pixels": {"query": wide, "first": causes[:, :2]},
        "model": {"query": rng.standard_normal((n, 5)), "first": wide[:, ::-1] ** 2},
    }
    return features, y, causes


def audit() -> list[dict[str, object]]:
    features, y, causes = data()
    results = [
        spread(features, y),
        swap(features, y, evidence="first"),
        erasure(features, y, latents={"cause": causes[:, 0]}),
    ]
    return [result.to_dict() for result in results]


@pytest.fixture(scope="module")
def expected():
    return audit()


def test_a_dask_cluster_returns_the_identical_results(expected):
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as local,
        distributed.Client(local),
        joblib.parallel_config(backend="dask"),
    ):
        assert os.getpid() not in run_all(os.getpid, [(), (), ()])
        assert audit() == expected


def test_processes_return_the_identical_results(expected):
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert os.getpid() not in run_all(os.getpid, [(), (), ()])
        assert audit() == expected


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_arguments_whatever_the_number_of_workers(jobs):
    assert run_all(divmod, ((i, 7) for i in range(40)), jobs=jobs) == [
        divmod(i, 7) for i in range(40)
    ]


def test_the_limit_on_blas_threads_holds_while_another_thread_comes_and_goes():
    before = blas_threads()

    def pass_through() -> None:
        with one_blas_thread():
            assert blas_threads() == {1}

    with one_blas_thread():
        other = threading.Thread(target=pass_through)
        other.start()
        other.join()
        assert blas_threads() == {1}
        with one_blas_thread():
            assert blas_threads() == {1}
        assert blas_threads() == {1}
    assert blas_threads() == before


def test_the_limit_is_lifted_after_an_error():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError):
        run_all(divmod, [(1, 0)])
    assert blas_threads() == before
