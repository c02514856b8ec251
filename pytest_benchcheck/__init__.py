"""pytest-benchcheck: could this benchmark rank the models it compares?

Everything public is importable from here and loads on first use, so that pytest, which imports
this package on every run, does not pay for numpy, scikit-learn, torch or mujoco.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_benchcheck.assertions import assert_beats_trivial as assert_beats_trivial
    from pytest_benchcheck.assertions import assert_effects_exceed as assert_effects_exceed
    from pytest_benchcheck.assertions import assert_erasure_costs as assert_erasure_costs
    from pytest_benchcheck.assertions import assert_spread_exceeds as assert_spread_exceeds
    from pytest_benchcheck.assertions import assert_swap_removes_gain as assert_swap_removes_gain
    from pytest_benchcheck.benchmark import Benchmark as Benchmark
    from pytest_benchcheck.checks import Cell as Cell
    from pytest_benchcheck.checks import Episodes as Episodes
    from pytest_benchcheck.checks import Outcome as Outcome
    from pytest_benchcheck.checks import effect_size_audit as effect_size_audit
    from pytest_benchcheck.checks import erasure as erasure
    from pytest_benchcheck.checks import held_out_predictions as held_out_predictions
    from pytest_benchcheck.checks import spread as spread
    from pytest_benchcheck.checks import swap as swap
    from pytest_benchcheck.fixtures.encoders import Encoder as Encoder
    from pytest_benchcheck.fixtures.encoders import EncoderLoadError as EncoderLoadError
    from pytest_benchcheck.fixtures.encoders import encode as encode
    from pytest_benchcheck.fixtures.encoders import load_encoder as load_encoder

__version__ = "0.1.0"

_HOME = {
    "Benchmark": "pytest_benchcheck.benchmark",
    "Cell": "pytest_benchcheck.checks",
    "Encoder": "pytest_benchcheck.fixtures.encoders",
    "EncoderLoadError": "pytest_benchcheck.fixtures.encoders",
    "Episodes": "pytest_benchcheck.checks",
    "Outcome": "pytest_benchcheck.checks",
    "assert_beats_trivial": "pytest_benchcheck.assertions",
    "assert_effects_exceed": "pytest_benchcheck.assertions",
    "assert_erasure_costs": "pytest_benchcheck.assertions",
    "assert_spread_exceeds": "pytest_benchcheck.assertions",
    "assert_swap_removes_gain": "pytest_benchcheck.assertions",
    "effect_size_audit": "pytest_benchcheck.checks",
    "encode": "pytest_benchcheck.fixtures.encoders",
    "erasure": "pytest_benchcheck.checks",
    "held_out_predictions": "pytest_benchcheck.checks",
    "load_encoder": "pytest_benchcheck.fixtures.encoders",
    "spread": "pytest_benchcheck.checks",
    "swap": "pytest_benchcheck.checks",
}

__all__ = ["__version__", *sorted(_HOME)]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
