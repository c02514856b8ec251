"""One benchmark's checks share their work, and what breaks is a verdict."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

from pytest_benchcheck import Benchmark, Cell, Episodes
from pytest_benchcheck.checks.errors import InputError
from pytest_benchcheck.running import BenchmarkAudit, judge_benchmark
from pytest_benchcheck.settings import Settings

N = 60


class PixelEncoder:
    def __init__(self, name, columns, role="candidate", version="1", scale=1.0):
        self.name = name
        self.role = role
        self.version = version
        self.columns = columns
        self.scale = scale
        self.rows = 0

    def encode(self, clips):
        self.rows += len(clips)
        return self.scale * clips.reshape(len(clips), -1)[:, self.columns].astype(float)


def sees(**options):
    return PixelEncoder("sees", slice(0, 4), **options)


def blind(**options):
    return PixelEncoder("blind", slice(-4, None), role="trivial", **options)


class Toy(Benchmark):
    name = "toy"
    version = "1"
    default_episodes = N

    def __init__(self, *encoders, change=None):
        super().__init__()
        self.encoders = encoders or (sees(), blind())
        self.calls = []
        self.change = change or {}

    def episodes(self, n, seed):
        self.calls.append((n, seed))
        rng = np.random.default_rng(seed)
        query, evidence = rng.integers(1, 255, (2, n, 2, 4, 4, 3), dtype=np.uint8)
        hidden = evidence[:, 0, 0, 0, 0] / 255
        made = Episodes(
            target=hidden + query[:, 0, 0, 0, 0] / 255 + 0.01 * rng.normal(size=n),
            clips={"query": query, "evidence": evidence},
            evidence=("evidence",),
            latents={"hidden": hidden},
        )
        return replace(made, **self.change)


@pytest.fixture
def settings(tmp_path):
    return Settings(enabled=True, cache_dir=tmp_path / "cache")


def run(benchmark, settings, *names):
    audit = BenchmarkAudit(benchmark, settings)
    return [audit.run(name).result for name in names or ("spread", "swap", "erasure")]


def test_episodes_and_features_are_made_once_for_all_checks(settings):
    benchmark = Toy()
    spread, _, erasure = run(benchmark, settings)
    assert spread.verdict == "pass"
    assert erasure.verdict == "pass"
    assert benchmark.calls == [(N, 0)]
    assert [encoder.rows for encoder in benchmark.encoders] == [2 * N, 2 * N]


def test_a_second_run_takes_the_features_from_the_cache(settings):
    run(Toy(), settings, "spread")
    benchmark = Toy()
    run(benchmark, settings, "spread")
    assert [encoder.rows for encoder in benchmark.encoders] == [0, 0]


def test_another_encoder_version_does_not_meet_old_features(settings):
    run(Toy(sees(), blind()), settings, "spread")
    changed = sees(version="2")
    run(Toy(changed, blind()), settings, "spread")
    assert changed.rows == 2 * N


def test_an_encoder_without_a_version_is_told_apart_by_what_it_returns(settings):
    (first,) = run(Toy(sees(version=""), blind()), settings, "spread")
    same = sees(version="")
    (second,) = run(Toy(same, blind()), settings, "spread")
    assert same.rows == 2  # one episode of each of the two clips
    assert second.rows == first.rows
    other = PixelEncoder("sees", slice(4, 8), version="")
    run(Toy(other, blind()), settings, "spread")
    assert other.rows == 2 + 2 * N


def test_the_number_of_episodes_can_be_set(settings):
    benchmark = Toy()
    (result,) = run(benchmark, replace(settings, episodes=40), "spread")
    assert benchmark.calls == [(40, 0)]
    assert result.episodes == 40


def test_bars_are_the_benchmarks_own_before_the_settings(settings):
    benchmark = Toy()
    assert run(benchmark, replace(settings, spread_bar=0.2), "spread")[0].bar == 0.2
    benchmark.bars = {"spread": 0.3, "swap": 0.4, "erasure": 0.6}
    assert [result.bar for result in run(benchmark, settings)] == [0.3, 0.4, 0.6]


def test_encoders_of_the_settings_replace_the_benchmarks_own(settings):
    chosen = replace(settings, encoders=("raw_pixels", "frame_difference"))
    (result,) = run(Toy(), chosen, "spread")
    assert [row["representation"] for row in result.rows] == ["raw_pixels", "frame_difference"]


def test_parts_that_episodes_lack_are_named(settings):
    benchmark = Toy(change={"evidence": (), "latents": {}})
    spread, swap, erasure = run(benchmark, settings)
    assert spread.verdict == "pass"
    assert (swap.verdict, erasure.verdict) == ("not_applicable", "not_applicable")
    assert "evidence" in swap.summary
    assert "latents" in erasure.summary
    (without,) = run(Toy(change={"evidence": (), "clips": {}}), settings, "spread")
    assert without.verdict == "not_applicable"
    assert "clips" in without.summary


def test_an_encoder_that_does_not_load_is_named_and_the_others_numbers_stay(settings):
    benchmark = Toy(sees(), blind(), "no_such_encoder")
    for result in run(benchmark, settings):
        assert result.verdict == "error"
        assert any("no_such_encoder" in warning for warning in result.warnings)
        assert {row["representation"] for row in result.rows} == {"sees", "blind"}


def test_an_encoder_that_breaks_is_named_and_the_others_numbers_stay(settings):
    class Breaks(PixelEncoder):
        def encode(self, clips):
            raise RuntimeError("out of memory")

    for result in run(Toy(sees(), blind(), Breaks("breaks", slice(4))), settings):
        assert result.verdict == "error"
        assert any("breaks" in w and "out of memory" in w for w in result.warnings)
        assert {row["representation"] for row in result.rows} == {"sees", "blind"}


def test_features_that_are_not_finite_are_named_with_their_row(settings):
    class Leaky(PixelEncoder):
        def encode(self, clips):
            features = super().encode(clips)
            features[-1, 0] = np.nan
            return features

    (result,) = run(Toy(sees(), blind(), Leaky("leaky", slice(4))), settings, "spread")
    assert result.verdict == "error"
    assert any("'leaky'" in w and "nan" in w and "row" in w for w in result.warnings)


def test_constant_features_are_an_error_with_their_name(settings):
    constant = PixelEncoder("constant", slice(4), scale=0.0)
    (result,) = run(Toy(sees(), blind(), constant), settings, "spread")
    assert result.verdict == "error"
    assert "'constant' is constant" in result.summary


def test_two_encoders_of_one_name_are_an_error(settings):
    (result,) = run(Toy(sees(), sees(), blind()), settings, "spread")
    assert result.verdict == "error"
    assert any("two encoders are called 'sees'" in warning for warning in result.warnings)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"target": np.ones(N)}, "target is constant"),
        ({"groups": np.arange(N) % 3}, "3"),
    ],
)
def test_episodes_that_cannot_be_judged_are_an_error_that_says_why(change, named, settings):
    for result in run(Toy(change=change), settings):
        assert result.verdict == "error"
        assert named in result.summary


def test_a_failure_is_remembered_and_not_repeated(settings):
    class Broken(Toy):
        def episodes(self, n, seed):
            self.calls.append((n, seed))
            raise OSError("no OpenGL")

    benchmark = Broken()
    audit = BenchmarkAudit(benchmark, settings)
    outcomes = [audit.run(check) for check in ("spread", "swap", "erasure")]
    assert len(benchmark.calls) == 1
    assert {outcome.result.summary for outcome in outcomes} == {"OSError: no OpenGL"}
    assert all(isinstance(outcome.error, OSError) for outcome in outcomes)


def test_a_cell_that_breaks_is_reported_and_the_rest_run(settings):
    class Cells(Benchmark):
        name = "cells"

        def cells(self):
            return [Cell("push", "mass"), Cell("push", "friction")]

        def simulate(self, cell, seed):
            if cell is not None and cell.property == "mass":
                raise RuntimeError("diverged")
            return seed + (0.0 if cell is None else 0.5)

    (result,) = run(Cells(), settings, "effect_size")
    assert result.verdict == "error"
    mass, friction = result.rows
    assert "diverged" in mass["error"]
    assert friction["mean_abs_delta"] == 0.5


def test_an_interrupt_passes_and_is_not_remembered(settings):
    class Impatient(Toy):
        def episodes(self, n, seed):
            if not self.calls:
                self.calls.append("interrupted")
                raise KeyboardInterrupt
            return super().episodes(n, seed)

    audit = BenchmarkAudit(Impatient(), settings)
    with pytest.raises(KeyboardInterrupt):
        audit.run("spread")
    assert audit.run("spread").result.verdict == "pass"


def test_an_interrupted_encoder_leaves_finished_features_in_the_cache(settings):
    class Slow(PixelEncoder):
        def encode(self, clips):
            raise KeyboardInterrupt

    finished = sees()
    with pytest.raises(KeyboardInterrupt):
        run(Toy(finished, Slow("slow", slice(4))), settings, "spread")
    assert finished.rows == N
    again = sees()
    run(Toy(again, PixelEncoder("slow", slice(4))), settings, "spread")
    assert again.rows == N  # the second clip; the first came from the cache


def test_own_notices_enter_the_report_under_any_warning_filter(settings):
    clips = dict(Toy().episodes(N, 0).clips)
    clips["query"] = clips["query"].copy()
    clips["query"][3] = 0
    benchmark = Toy(change={"clips": clips})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (result,) = run(benchmark, settings, "spread")
    assert result.verdict == "pass"
    assert any("row 3" in warning for warning in result.warnings)


def test_warnings_of_the_benchmark_take_their_usual_way(settings):
    class Warns(Toy):
        def episodes(self, n, seed):
            warnings.warn("old interface", DeprecationWarning, stacklevel=1)
            return super().episodes(n, seed)

    with pytest.warns(DeprecationWarning, match="old interface"):
        (result,) = run(Warns(), settings, "spread")
    assert result.verdict == "pass"


def test_a_damaged_cache_entry_is_rebuilt_with_a_notice(settings):
    run(Toy(), settings, "spread")
    damaged = sorted(settings.cache_dir.glob("*.npy"))[0]
    damaged.write_bytes(damaged.read_bytes()[:-100])
    (result,) = run(Toy(), settings, "spread")
    assert result.verdict == "pass"
    assert any(damaged.name in warning for warning in result.warnings)


def test_episodes_must_be_episodes(settings):
    class Wrong(Toy):
        def episodes(self, n, seed):
            return {"target": []}

    (result,) = run(Wrong(), settings, "spread")
    assert result.verdict == "error"
    assert "must return Episodes, got dict" in result.summary


def test_judging_a_benchmark_directly_raises_what_it_raised():
    with pytest.raises(InputError, match="target is constant"):
        judge_benchmark(Toy(change={"target": np.ones(N)}), "spread", object)
