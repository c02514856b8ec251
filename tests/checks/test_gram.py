from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_benchcheck.checks import spread
from pytest_benchcheck.checks.gram import centred_gram, pieces


def centred_products(x: np.ndarray) -> np.ndarray:
    centred = x.astype(np.float64) - x.astype(np.float64).mean(axis=0)
    return centred @ centred.T


@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 700])
@pytest.mark.parametrize("d", [1, 700])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_inner_products_are_those_of_the_centred_rows(n, d, dtype):
    x = (np.random.default_rng(0).standard_normal((n, d)) + 3).astype(dtype)
    gram = centred_gram(x)
    assert gram.dtype == np.float64
    assert np.allclose(gram, centred_products(x), rtol=1e-10, atol=1e-8)
    assert np.array_equal(gram, gram.T)


def test_chunks_of_columns_add_up():
    x = np.random.default_rng(0).standard_normal((2000, 4300), dtype=np.float32)
    gram = centred_gram(x)
    some = np.random.default_rng(1).choice(2000, 40, replace=False)
    expected = centred_products(x)[np.ix_(some, some)]
    assert np.allclose(gram[np.ix_(some, some)], expected, rtol=1e-10, atol=1e-8)


@pytest.mark.parametrize("jobs", [2, 3, -1])
def test_the_number_of_threads_changes_no_digit(jobs):
    x = np.random.default_rng(0).standard_normal((600, 900), dtype=np.float32)
    assert np.array_equal(centred_gram(x, jobs=1), centred_gram(x, jobs=jobs))


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 50), d=st.sampled_from([1, 1000, 2**20, 2**22]))
def test_pieces_cover_every_row_once(n, d):
    view = np.broadcast_to(np.float32(0), (n, d))
    rows = [row for piece in pieces(view) for row in range(n)[piece]]
    assert rows == list(range(n))


def test_features_on_disk_are_judged_without_being_loaded(tmp_path: Path):
    n, d = 60, 400_000
    rng = np.random.default_rng(0)
    mapped = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float32, (n, d))
    for row in mapped:
        row[:] = rng.standard_normal(d, dtype=np.float32)
    y = rng.standard_normal(n)
    mapped[:, :200_000] += y[:, None].astype(np.float32)
    mapped.flush()
    on_disk = np.load(tmp_path / "x.npy", mmap_mode="r")
    tracemalloc.start()
    result = spread({"raw_pixels": rng.standard_normal((n, 3)), "model": on_disk}, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.verdict == "pass"
    assert peak < 0.9 * on_disk.nbytes
