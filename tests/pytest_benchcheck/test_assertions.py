"""Assertions take the lowest form of evidence and say what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_benchcheck import (
    Benchmark,
    Cell,
    Episodes,
    assert_beats_trivial,
    assert_effects_exceed,
    assert_erasure_costs,
    assert_spread_exceeds,
    assert_swap_removes_gain,
    effect_size_audit,
    erasure,
    spread,
    swap,
)
from pytest_benchcheck.checks.errors import InputError

PUBLISHED = {"random_vit": 0.977, "raw_pixels": 0.996, "best": 0.995}
N = 160


@pytest.fixture
def planted():
    """Evidence block holds a hidden property; the target is query plus hidden property."""
    rng = np.random.default_rng(0)
    query, hidden = rng.normal(size=(2, N))
    noise = rng.normal(size=(N, 8))
    return {
        "features": {
            "sees": {"query": query[:, None], "evidence": np.c_[hidden, noise]},
            "sees_too": {
                "query": query[:, None],
                "evidence": np.c_[noise[:, :5], hidden, noise[:, 5:]],
            },
        },
        "blind": {"query": query[:, None], "evidence": noise},
        "target": query + hidden + 0.05 * rng.normal(size=N),
        "hidden": hidden,
    }


def message(assertion, *args, **kwargs) -> str:
    with pytest.raises(AssertionError) as caught:
        assertion(*args, **kwargs)
    text = str(caught.value)
    assert max(len(line) for line in text.splitlines()[1:]) <= 80
    return text


# Spread


def test_published_scores_within_the_bar_fail_with_table_number_and_advice():
    text = message(assert_spread_exceeds, PUBLISHED, 0.05)
    assert "0.019" in text
    assert "bar: 0.05" in text
    for name, score in PUBLISHED.items():
        assert any(line.startswith(name) and f"{score}" in line for line in text.splitlines())
    assert "cannot be judged" in " ".join(text.split())
    assert "What to do next:" in text


def test_published_scores_beyond_the_bar_pass_without_an_interval():
    result = assert_spread_exceeds({**PUBLISHED, "random_vit": 0.5}, 0.05)
    assert result.verdict == "pass"
    assert result.interval is None


def test_per_item_scores_are_compared_with_an_interval():
    rng = np.random.default_rng(0)
    scores = {"a": rng.random(N) < 0.9, "b": rng.random(N) < 0.2}
    result = assert_spread_exceeds(scores, 0.05)
    assert result.interval[0] > 0.05
    assert "spread undecided" in message(assert_spread_exceeds, scores, result.estimate)


def test_features_are_read_out_against_the_target(planted):
    scores = {"sees": planted["features"]["sees"], "blind": planted["blind"]}
    assert assert_spread_exceeds(scores, 0.05, target=planted["target"]).metric == "r2"
    same = planted["features"]
    text = message(assert_spread_exceeds, same, 0.05, target=planted["target"])
    assert text.startswith("spread fail: 2 representations lie within")


def test_a_spread_is_judged_again_against_another_bar(planted):
    scores = {"sees": planted["features"]["sees"], "blind": planted["blind"]}
    measured = spread(scores, planted["target"], bar=0.05)
    assert measured.verdict == "pass"
    assert assert_spread_exceeds(measured, 0.1).bar == 0.1
    assert "fail" in message(assert_spread_exceeds, measured, 0.9).splitlines()[0]
    assert "undecided" in message(assert_spread_exceeds, measured, measured.estimate)


def test_a_spread_that_failed_for_copied_rows_stays_failed(planted):
    twice = {
        "sees": np.tile(planted["features"]["sees"]["evidence"], (2, 1)),
        "blind": np.tile(planted["blind"]["evidence"], (2, 1)),
    }
    measured = spread(twice, np.tile(planted["target"], 2), bar=0.05)
    assert measured.verdict == "fail"
    assert "copies" in message(assert_spread_exceeds, measured, 0.01)


def test_undecided_data_may_be_let_through(planted):
    few = {
        "sees": planted["features"]["sees"]["evidence"],
        "blind": planted["blind"]["evidence"],
    }
    options = {"target": planted["target"], "groups": np.arange(N) % 6}
    assert "too few groups" in message(assert_spread_exceeds, few, 0.05, **options)
    result = assert_spread_exceeds(few, 0.05, **options, undecided="warn")
    assert result.verdict == "undecided"


# Best against trivial


def test_a_trivial_baseline_that_wins_fails():
    text = message(assert_beats_trivial, {"raw_pixels": 0.62, "model": 0.58})
    assert "no candidate beats the trivial baselines" in text
    assert "-0.040" in text


def test_a_candidate_that_wins_passes():
    result = assert_beats_trivial({"raw_pixels": 0.58, "model": 0.62})
    assert result.estimate == pytest.approx(0.04)
    assert result.check == "beats_trivial"


def test_a_candidate_whose_lead_may_be_noise_is_undecided():
    rng = np.random.default_rng(0)
    items = rng.random(N)
    scores = {"raw_pixels": items, "model": items + 0.001 + rng.normal(size=N)}
    if scores["model"].mean() <= items.mean():
        scores["model"] += items.mean() - scores["model"].mean() + 0.001
    assert message(assert_beats_trivial, scores).startswith("beats_trivial undecided")


def test_a_measured_spread_can_be_asked(planted):
    scores = {"sees": planted["features"]["sees"], "blind": planted["blind"]}
    measured = spread(scores, planted["target"], roles={"blind": "trivial"})
    assert assert_beats_trivial(measured).interval[0] > 0


def test_roles_are_needed_to_compare_them():
    with pytest.raises(InputError, match="needs both"):
        assert_beats_trivial({"one": 0.5, "two": 0.6})


# Effect sizes


def simulate(cell, seed):
    return seed + {"mass": 0.5, "friction": 0.0}.get(getattr(cell, "property", ""), 0.0)


CELLS = [Cell("push", "mass"), Cell("push", "friction")]


def test_inert_cells_are_listed():
    text = message(assert_effects_exceed, simulate, cells=CELLS)
    assert "push x friction" in text.splitlines()[0]
    assert any(line.split()[:2] == ["push", "friction"] for line in text.splitlines())


def test_known_inert_cells_can_be_allowed():
    result = assert_effects_exceed(simulate, cells=CELLS, allow=[("push", "friction")])
    assert result.verdict == "pass"
    assert [row.get("allowed") for row in result.rows] == [False, True]


def test_an_allowed_cell_that_moves_is_reported():
    text = message(assert_effects_exceed, simulate, cells=CELLS, allow=[("push", "mass")])
    assert "push x mass is allowed to be inert but moves" in " ".join(text.split())


def test_an_allowed_cell_must_exist():
    with pytest.raises(InputError, match=r"\('push', 'colour'\)"):
        assert_effects_exceed(simulate, cells=CELLS, allow=[("push", "colour")])


def test_not_all_cells_can_be_allowed():
    with pytest.raises(InputError, match="nothing is left"):
        assert_effects_exceed(simulate, cells=CELLS, allow=[("push", "mass"), ("push", "friction")])


def test_an_allowed_cell_that_breaks_is_still_an_error():
    def breaks(cell, seed):
        if cell is not None and cell.property == "friction":
            raise RuntimeError("diverged")
        return simulate(cell, seed)

    text = message(assert_effects_exceed, breaks, cells=CELLS, allow=[("push", "friction")])
    assert "broke" in text.splitlines()[0]


def test_measured_effects_are_a_table():
    table = {("push", "mass"): [0.2, -0.3], ("push", "friction"): 0.01}
    result = assert_effects_exceed(table, 0.005)
    assert [row["mean_abs_delta"] for row in result.rows] == [0.25, 0.01]
    assert "push x friction" in message(assert_effects_exceed, table, 0.05)


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ({}, "no cells"),
        ({"mass": 0.1}, "'mass'"),
        ({("push", "mass"): np.nan}, "not finite"),
        ({("push", "mass"): "a lot"}, "expected numbers"),
        ({("push", "mass"): np.ones((2, 2))}, r"\(2, 2\)"),
    ],
)
def test_a_table_of_effects_that_is_none_names_the_place(table, named):
    with pytest.raises(InputError, match=named):
        assert_effects_exceed(table)


def test_an_audit_is_judged_again_against_another_floor():
    measured = effect_size_audit(simulate, CELLS, floor=1e-4)
    assert "2 of 2" in message(assert_effects_exceed, measured, 1.0)
    moving = effect_size_audit(simulate, CELLS[:1])
    assert assert_effects_exceed(moving, 0.4).bar == 0.4


def test_a_simulate_function_needs_cells():
    with pytest.raises(InputError, match="cells="):
        assert_effects_exceed(simulate)


# Swap


SWAPPED = {"query": 0.5, "query_evidence": 0.9, "query_swapped": 0.51}


def test_a_swap_that_removes_the_gain_passes():
    assert assert_swap_removes_gain({"model": SWAPPED}).verdict == "pass"


def test_a_swap_that_leaves_too_much_fails():
    table = {"good": SWAPPED, "leaky": {**SWAPPED, "query_swapped": 0.7}}
    text = message(assert_swap_removes_gain, table)
    assert "leaky keeps 50 % of its gain" in text.splitlines()[0]
    assert "0.700" in text


def test_a_swap_without_any_gain_shows_nothing():
    table = {"model": {**SWAPPED, "query_evidence": 0.4}}
    assert message(assert_swap_removes_gain, table).startswith("swap undecided")


def test_per_item_scores_of_a_swap_have_intervals():
    rng = np.random.default_rng(0)
    base = rng.random(N)
    table = {
        "model": {
            "query": base,
            "query_evidence": base + 0.5 + 0.01 * rng.normal(size=N),
            "query_swapped": base + 0.001 * rng.normal(size=N),
        }
    }
    result = assert_swap_removes_gain(table)
    assert result.rows[0]["gain_interval"][0] > 0.4
    few = {"model": {name: values[:8] for name, values in table["model"].items()}}
    assert "too few groups" in message(assert_swap_removes_gain, few)


def test_features_are_swapped(planted):
    options = {"target": planted["target"], "evidence": "evidence"}
    result = assert_swap_removes_gain(planted["features"], at_most=0.2, **options)
    assert result.verdict == "pass"
    assert "undecided" in message(assert_swap_removes_gain, {"blind": planted["blind"]}, **options)


def test_a_measured_swap_is_judged_again(planted):
    measured = swap(planted["features"], planted["target"], evidence=["evidence"], at_most=0.2)
    assert assert_swap_removes_gain(measured, at_most=0.3).bar == 0.3


# Erasure


def test_costs_beyond_the_bar_pass():
    table = {"a": {"cost": 0.3, "random_control_cost": 0.02}, "b": 0.0}
    result = assert_erasure_costs(table, 0.2, property="mass")
    assert result.estimate == pytest.approx(0.28)


def test_costs_within_the_bar_fail():
    text = message(assert_erasure_costs, {"a": 0.01, "b": 0.02}, 0.1, property="mass")
    assert "mass" in text.splitlines()[0]
    assert "no control" in " ".join(text.split())


def test_properties_are_erased_from_features(planted):
    options = {
        "target": planted["target"],
        "latents": {"hidden": planted["hidden"], "other": np.arange(N)},
        "property": "hidden",
    }
    result = assert_erasure_costs(planted["features"], 0.1, **options)
    assert {row["property"] for row in result.rows} == {"hidden"}
    assert (
        "fail"
        in message(assert_erasure_costs, {"blind": planted["blind"]}, 0.1, **options).splitlines()[
            0
        ]
    )


def test_one_property_of_a_measured_erasure_is_judged(planted):
    latents = {"hidden": planted["hidden"], "other": np.random.default_rng(1).normal(size=N)}
    measured = erasure(planted["features"], planted["target"], latents=latents)
    assert assert_erasure_costs(measured, 0.1, property="hidden").verdict == "pass"
    text = message(assert_erasure_costs, measured, 0.1, property="other")
    assert "erasing other" in text.splitlines()[0]
    with pytest.raises(InputError, match="'mass' was not erased"):
        assert_erasure_costs(measured, 0.1, property="mass")


# Every assertion


class Toy(Benchmark):
    name = "toy"
    default_episodes = 120

    def __init__(self):
        super().__init__()
        self.encoders = (Pixels("sees", slice(0, 12)), Pixels("blind", slice(12, 24)))

    def cells(self):
        return CELLS

    def simulate(self, cell, seed):
        return simulate(cell, seed)

    def episodes(self, n, seed):
        rng = np.random.default_rng(seed)
        query, evidence = rng.integers(1, 255, (2, n, 1, 4, 4, 3), dtype=np.uint8)
        hidden = evidence[:, 0, 0, 0, 0] / 255
        return Episodes(
            target=hidden + query[:, 0, 0, 0, 0] / 255,
            clips={"query": query, "evidence": evidence},
            evidence=("evidence",),
            latents={"hidden": hidden},
        )


class Pixels:
    def __init__(self, name, columns):
        self.name = name
        self.role = "candidate" if name == "sees" else "trivial"
        self.columns = columns

    def encode(self, clips):
        return clips.reshape(len(clips), -1)[:, self.columns].astype(float)


def test_a_benchmark_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    toy = Toy()
    assert assert_spread_exceeds(toy, 0.1).bar == 0.1
    assert assert_beats_trivial(toy).estimate > 0.1
    assert assert_erasure_costs(toy, 0.1, property="hidden").verdict == "pass"
    assert assert_swap_removes_gain(toy, at_most=0.5).verdict == "pass"
    assert "push x friction" in message(assert_effects_exceed, toy)
    assert list(tmp_path.iterdir()) == []


CALLS = [
    (assert_spread_exceeds, (0.05,), {}),
    (assert_beats_trivial, (), {}),
    (assert_effects_exceed, (), {}),
    (assert_swap_removes_gain, (), {}),
    (assert_erasure_costs, (0.05,), {"property": "mass"}),
]


@pytest.mark.parametrize(("assertion", "args", "options"), CALLS)
@pytest.mark.parametrize("wrong", [3.0, None, "scores.csv", [1, 2], Toy])
def test_a_wrong_type_is_named_with_the_accepted_forms(assertion, args, options, wrong):
    with pytest.raises(InputError, match=r"got .*(float|NoneType|str|list|Toy).*give a mapping"):
        assertion(wrong, *args, **options)


@pytest.mark.parametrize(("assertion", "args", "options"), CALLS)
def test_undecided_must_be_fail_or_warn(assertion, args, options):
    with pytest.raises(InputError, match="'fail' or 'warn'"):
        assertion({}, *args, **options, undecided="ignore")


def test_data_beside_a_result_or_a_benchmark_are_refused(planted):
    measured = spread(PUBLISHED)
    with pytest.raises(InputError, match=r"'target'.*would be ignored"):
        assert_spread_exceeds(measured, 0.05, target=planted["target"])
    with pytest.raises(InputError, match=r"'groups'.*would be ignored"):
        assert_swap_removes_gain(Toy(), groups=np.arange(N))


@pytest.mark.parametrize(
    ("assertion", "options", "named"),
    [
        (assert_swap_removes_gain, {}, "target="),
        (assert_erasure_costs, {"at_least": 0.1, "property": "mass"}, "target="),
    ],
)
def test_features_need_their_target(assertion, options, named, planted):
    with pytest.raises(InputError, match=named):
        assertion(planted["features"], **options)


def test_pytest_shows_the_message_whole_and_without_noise(pytester):
    pytester.makepyfile(
        """
from pytest_benchcheck import assert_spread_exceeds

def test_it():
    scores = {f"model_{i}": 0.9 + i / 10_000 for i in range(30)}
    assert_spread_exceeds(scores, 0.05)
"""
    )
    result = pytester.runpytest_inprocess()
    text = result.stdout.str()
    for i in range(30):
        assert f"model_{i} " in text
    assert "What to do next" in text
    assert "Full diff" not in text
    assert "truncated" not in text
    assert "assertions.py" not in text
    assert "_conclude" not in text
