from __future__ import annotations

import json
import re
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pytest_benchcheck.checks.cells import Cell, Outcome
from pytest_benchcheck.checks.effect_size import effect_size_audit
from pytest_benchcheck.checks.effect_size_rows import CellRow, Component, holm, judge_cells
from pytest_benchcheck.checks.errors import InputError


def base(seed: int) -> float:
    return float(np.random.default_rng(seed).uniform(1.0, 3.0))


def moved_by(**deltas: float):
    """A deterministic simulator in which each property moves the outcome by a known amount."""

    def simulate(cell: Cell | None, seed: int) -> float:
        return base(seed) + (0.0 if cell is None else deltas[cell.property])

    return simulate


def rows_by_property(result):
    return {row["property"]: row for row in result.rows}


def test_exact_deltas_are_measured_exactly():
    result = effect_size_audit(
        moved_by(mass=0.5, friction=-0.25, colour=0.0),
        [("push", "mass"), ("push", "friction"), ("push", "colour")],
        seeds=16,
    )
    rows = rows_by_property(result)
    outcomes = [base(seed) for seed in range(16)]
    scale = max(np.std(outcomes), np.mean(outcomes))
    assert rows["mass"]["mean_abs_delta"] == pytest.approx(0.5)
    assert rows["mass"]["percent_of_scale"] == pytest.approx(100 * 0.5 / scale)
    assert rows["friction"]["mean_abs_delta"] == pytest.approx(0.25)
    assert rows["colour"]["mean_abs_delta"] == 0.0
    assert [rows[p]["inert"] for p in ("mass", "friction", "colour")] == [False, False, True]
    assert rows["colour"]["reason"].startswith("the outcome is identical to the unperturbed twin")
    assert rows["mass"]["noise_floor"] == 0.0
    assert result.scale == {"outcome": pytest.approx(scale)}
    assert result.verdict == "fail"
    assert "1 of 3 cells are inert" in result.summary
    assert "push x colour" in result.summary
    assert result.estimate == 0.0
    assert result.episodes == 16


def test_deltas_of_both_signs_do_not_cancel():
    def simulate(cell: Cell | None, seed: int) -> float:
        return base(seed) + (0.0 if cell is None else (-1) ** seed * (1 + seed))

    result = effect_size_audit(simulate, [("push", "mass")], seeds=8)
    (row,) = result.rows
    deltas = np.arange(1.0, 9.0)
    half = stats.t.ppf(0.975, 7) * stats.sem(deltas)
    assert row["mean_abs_delta"] == pytest.approx(deltas.mean())
    assert row["max_abs_delta"] == pytest.approx(8.0)
    assert row["share_moved"] == 1.0
    assert row["interval"] == pytest.approx((deltas.mean() - half, deltas.mean() + half))
    assert result.verdict == "pass"
    assert result.interval == row["interval"]


@pytest.mark.parametrize(
    ("delta", "floor", "inert"),
    [(1e-4, 2e-4, True), (2e-4, 1e-4, False), (0.5, 0.5, True), (1e-9, 0.0, False)],
)
def test_a_cell_is_inert_at_or_below_the_floor(delta, floor, inert):
    def simulate(cell: Cell | None, seed: int) -> float:
        return 0.0 if cell is None else delta

    result = effect_size_audit(simulate, [("push", "mass")], floor=floor)
    assert result.rows[0]["inert"] is inert
    assert result.verdict == ("fail" if inert else "pass")
    assert result.bar == floor
    if inert:
        assert "is at most the floor" in result.rows[0]["reason"]


def test_the_replay_noise_is_measured_and_a_jitter_below_the_floor_stays_inert():
    rng = np.random.default_rng(0)

    def simulate(cell: Cell | None, seed: int) -> float:
        return 2.0 + 1e-9 * rng.standard_normal()

    result = effect_size_audit(simulate, [("push", "mass")])
    (row,) = result.rows
    assert 0 < row["noise_floor"] < 1e-8
    assert row["inert"]
    assert any("is not reproducible: 32 of 32 replays" in finding for finding in result.findings)


def test_an_effect_well_above_the_replay_noise_moves():
    rng = np.random.default_rng(0)

    def simulate(cell: Cell | None, seed: int) -> float:
        return base(seed) + 0.01 * rng.standard_normal() + (0.1 if cell else 0.0)

    result = effect_size_audit(simulate, [("push", "mass")])
    assert result.verdict == "pass"
    assert result.rows[0]["noise_floor"] == pytest.approx(0.01 * 2 / np.sqrt(np.pi), rel=0.4)


def test_an_effect_of_the_size_of_the_noise_is_inert_or_undecided():
    rng = np.random.default_rng(1)

    def simulate(cell: Cell | None, seed: int) -> float:
        return base(seed) + rng.standard_normal()

    result = effect_size_audit(simulate, [("push", str(i)) for i in range(20)], seeds=16)
    assert not any(row["reason"] is None for row in result.rows)
    reasons = {row["reason"].split(" ")[0] for row in result.rows if not row["inert"]}
    assert reasons <= {"not"}
    assert result.verdict == "fail"


def test_cells_above_a_noise_they_cannot_be_told_from_leave_the_verdict_open():
    outcomes = iter([0.0, 1.0, 0.1, -1.0, 1.0, 3.5])

    def simulate(cell: Cell | None, seed: int) -> float:
        return next(outcomes)

    result = effect_size_audit(simulate, [("push", "mass")], seeds=2)
    assert result.verdict == "undecided"
    assert "1 of 1 cells cannot be told from the simulator's own noise" in result.summary


def test_an_inert_audit_of_twenty_noisy_cells_rarely_calls_any_cell_moving():
    rng = np.random.default_rng(0)
    repetitions, wrong = 150, 0
    for _ in range(repetitions):
        noise = iter(rng.standard_normal(22 * 12).tolist())
        result = effect_size_audit(
            lambda cell, seed, noise=noise: next(noise),
            [("push", str(i)) for i in range(20)],
            seeds=12,
        )
        wrong += any(row["reason"] is None for row in result.rows)
    assert wrong / repetitions <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / repetitions)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10_000), n=st.integers(2, 40))
def test_the_test_against_noise_is_scipys_paired_t(seed, n):
    rng = np.random.default_rng(seed)
    delta, replay = np.abs(rng.standard_normal((2, n)))
    component = Component("x", delta, replay, 1.0, delta)
    expected = stats.ttest_1samp(delta - replay, 0.0, alternative="greater").pvalue
    assert component.p_value() == pytest.approx(expected)


@pytest.mark.parametrize("jitter", [0.0, 1e-16, 1e-15])
def test_nearly_equal_effects_are_judged_without_a_numerical_warning(jitter):
    delta = 1.0 + jitter * np.arange(8) * np.array([1, -1] * 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Component("x", delta, np.full(8, 1e-17), 1.0, delta).p_value() < 1e-6
        assert Component("x", -delta, np.zeros(8), 1.0, delta).p_value() > 0.99


def test_one_seed_proves_nothing_against_noise():
    one = np.array([5.0])
    assert Component("x", one, np.array([0.1]), 1.0, one).p_value() == 1.0


@settings(deadline=None, max_examples=100)
@given(
    p_values=st.lists(st.one_of(st.floats(0, 1), st.floats(0, 0.02)), min_size=1, max_size=12),
    alpha=st.sampled_from([0.01, 0.05, 0.2]),
)
def test_holm_is_the_closure_of_bonferroni(p_values, alpha):
    # By definition: rejected iff every subset that holds it is rejected by Bonferroni, and the
    # hardest subsets are those of the hypothesis and all with at least its p-value.
    rejected = holm(p_values, alpha)
    for i, p in enumerate(p_values):
        harder = sorted(q for j, q in enumerate(p_values) if j != i and q >= p)
        easier = sorted(q for j, q in enumerate(p_values) if j != i and q < p)
        expected = all(
            min([p, *easier[k:]]) <= alpha / (1 + len(harder) + len(easier[k:]))
            for k in range(len(easier) + 1)
        )
        assert rejected[i] == expected


def test_holm_steps_down():
    assert holm([0.01, 0.04, 0.03, 0.005], 0.05) == [True, False, False, True]
    assert holm([], 0.05) == []


def test_holm_controls_the_family_wise_error():
    rng = np.random.default_rng(0)
    errors = np.mean([any(holm(rng.random(20).tolist(), 0.05)) for _ in range(4000)])
    assert errors <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 4000)


def test_a_vector_moves_if_one_component_does_and_shows_the_one_that_moves_most():
    def simulate(cell: Cell | None, seed: int) -> dict[str, float]:
        x, angle = base(seed), 100 * base(seed + 100)
        return {"x": x + (0.5 if cell else 0.0), "angle": angle + (1.0 if cell else 0.0)}

    result = effect_size_audit(simulate, [("push", "mass")], scale={"x": 1.0, "angle": 100.0})
    (row,) = result.rows
    assert row["outcome"] == "x"
    assert row["percent_of_scale"] == pytest.approx(50.0)
    assert result.scale == {"x": 1.0, "angle": 100.0}
    assert result.verdict == "pass"


def test_an_outcome_of_zero_has_no_percentage():
    result = effect_size_audit(lambda cell, seed: 1.0 if cell else 0.0, [("push", "mass")])
    assert result.rows[0]["percent_of_scale"] is None
    assert result.rows[0]["mean_abs_delta"] == 1.0


def test_a_scale_may_be_given():
    result = effect_size_audit(moved_by(mass=0.5), [("push", "mass")], scale=2.0)
    assert result.rows[0]["percent_of_scale"] == pytest.approx(25.0)


def broken_in(prop: str, fault):
    def simulate(cell: Cell | None, seed: int):
        if cell is not None and cell.property == prop:
            return fault(seed)
        return base(seed) + (0.5 if cell else 0.0)

    return simulate


def explode(seed: int) -> float:
    if seed < 3:
        return base(seed)
    raise RuntimeError("mj_step: QACC is not finite")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (explode, "RuntimeError with seed 3: mj_step: QACC is not finite"),
        (lambda seed: float("nan"), "ContractError with seed 0: .* is nan"),
        (lambda seed: "far", "ContractError with seed 0: .* must be a number, got 'far'"),
        (lambda seed: None, "ContractError with seed 0: .* must be a number, got None"),
        (lambda seed: {"x": 1.0}, r"the cell's outcome is \['x'\] .* its twin's is \['outcome'\]"),
        (lambda seed: Outcome(1.0, "m"), "in 'm', its twin's is .* in ''"),
        (
            lambda seed: {"x": 1.0} if seed < 2 else {"y": 1.0},
            r"with seed 2: the outcome's components are \['y'\], with seed 0 they were \['x'\]",
        ),
    ],
)
def test_a_broken_cell_is_reported_and_the_rest_run(fault, message):
    cells = [("push", "mass"), ("push", "broken"), ("push", "size")]
    result = effect_size_audit(broken_in("broken", fault), cells)
    rows = rows_by_property(result)
    assert re.search(message, rows["broken"]["error"])
    assert rows["broken"]["mean_abs_delta"] is None
    assert rows["broken"]["inert"] is False
    assert rows["mass"]["error"] is rows["size"]["error"] is None
    assert rows["size"]["mean_abs_delta"] == pytest.approx(0.5)
    assert result.verdict == "error"
    assert result.summary == "1 of 3 cells broke: push x broken."
    json.dumps(result.to_dict(), allow_nan=False)


def test_an_inert_cell_outweighs_a_broken_one():
    def simulate(cell: Cell | None, seed: int) -> float:
        if cell is not None and cell.property == "broken":
            raise RuntimeError("no")
        return base(seed)

    result = effect_size_audit(simulate, [("push", "broken"), ("push", "inert")])
    assert result.verdict == "fail"


def test_a_baseline_that_fails_breaks_its_cells_before_they_are_judged():
    asked = []

    def simulate(cell: Cell | None, seed: int) -> float:
        asked.append(cell)
        if cell is None:
            raise RuntimeError("BADQACC")
        return 1.0

    result = effect_size_audit(simulate, [("push", "mass"), ("push", "size")])
    assert result.verdict == "error"
    assert asked == [None, None]
    assert all(
        row["error"] == "the unperturbed twin broke: RuntimeError with seed 0: BADQACC"
        for row in result.rows
    )
    assert result.estimate is None
    assert result.minimum_detectable is None


def test_ctrl_c_is_not_a_broken_cell():
    def simulate(cell: Cell | None, seed: int) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        effect_size_audit(simulate, [("push", "mass")])


def test_the_simulators_warnings_are_counted_once_each():
    def simulate(cell: Cell | None, seed: int) -> Outcome:
        texts = ["mixed-sign solref"] if cell else []
        return Outcome(base(seed), "m", [*texts, *(["rare"] if cell and seed == 0 else [])])

    result = effect_size_audit(simulate, [("push", "rigidity")])
    (row,) = result.rows
    assert row["warnings"] == ["mixed-sign solref (32 times)", "rare"]
    assert row["reason"].endswith("the simulator warned: mixed-sign solref (32 times)")
    assert result.unit == "m"


def test_a_warning_of_the_baseline_is_a_finding():
    result = effect_size_audit(
        lambda cell, seed: Outcome(base(seed) + bool(cell), warnings=["unstable"]),
        [("push", "mass")],
    )
    expected = "the unperturbed twin runs with the simulator's warning 'unstable' (32 times)."
    assert expected in result.findings


def test_a_constant_baseline_is_an_effective_sample_of_one():
    result = effect_size_audit(lambda cell, seed: 1.0 if cell else 0.5, [("push", "mass")])
    assert any("The effective sample size is 1" in finding for finding in result.findings)
    assert result.rows[0]["interval"] is None


def test_cells_that_move_to_one_and_the_same_outcome_are_one_cell_in_effect():
    result = effect_size_audit(
        moved_by(low=0.5, mid=0.5, high=0.7),
        [("push", "low"), ("push", "mid"), ("push", "high"), ("lift", "low")],
    )
    (finding,) = result.findings
    assert finding.startswith("push: low, mid give identical outcomes")


def test_every_task_has_a_twin_of_its_own():
    def simulate(cell: Cell, seed: int) -> float:
        level = {"push": 1.0, "lift": 5.0}[cell.task]
        return level * base(seed) + (0.5 if cell.property == "mass" else 0.0)

    def twin(task: str) -> Cell:
        return Cell(task, "unperturbed", {"start": np.arange(3)})

    cells = [Cell(task, "mass", twin=twin(task)) for task in ("push", "lift")]
    result = effect_size_audit(simulate, cells)
    assert [row["mean_abs_delta"] for row in result.rows] == pytest.approx([0.5, 0.5])
    assert set(result.scale) == {"push/outcome", "lift/outcome"}
    assert result.scale["lift/outcome"] == pytest.approx(5 * result.scale["push/outcome"])


def test_equal_twins_are_simulated_once():
    asked = []

    def simulate(cell: Cell, seed: int) -> float:
        asked.append(cell.property)
        return base(seed) + (cell.property != "off")

    cells = [Cell("push", p, twin=Cell("push", "off", {"start": np.arange(3)})) for p in ("a", "b")]
    effect_size_audit(simulate, cells, seeds=4)
    assert asked.count("off") == 8
    assert asked.count("a") == asked.count("b") == 4


def test_the_named_seeds_are_the_ones_simulated():
    asked = set()

    def simulate(cell: Cell | None, seed: int) -> float:
        asked.add(seed)
        return base(seed) + bool(cell)

    result = effect_size_audit(simulate, [("push", "mass")], seeds=[5, 11])
    assert asked == {5, 11}
    assert result.episodes == 2


@pytest.mark.untyped
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cells": []}, "no cells to audit"),
        ({"cells": [("a", "b"), ("a", "c"), ("a", "b")]}, r"\[\('a', 'b'\)\] are named more"),
        ({"cells": ["ab"]}, "a cell is a Cell or a .* pair, got 'ab'"),
        ({"cells": [("a",)]}, r"a cell is a Cell or a .* pair, got \('a',\)"),
        ({"seeds": 0}, "seeds must be at least 1"),
        ({"seeds": -3}, "seeds must be at least 1"),
        ({"seeds": []}, "seeds must be at least 1"),
        ({"seeds": [1, 2, 1]}, r"seeds repeat: \[1, 2, 1\]"),
        ({"seeds": 3.5}, r"seeds must be a number of seeds or a sequence of them, got 3\.5"),
        ({"floor": -1.0}, "floor must be a finite number >= 0"),
        ({"floor": float("nan")}, "floor must be a finite number >= 0"),
        ({"floor": None}, "floor must be a finite number >= 0"),
        ({"scale": 0.0}, "scale must be a finite number > 0"),
        ({"scale": {"outcome": -1.0}}, "scale must be a finite number > 0"),
        ({"scale": "m"}, "scale must be a finite number > 0"),
        ({"scale": {"x": 1.0}}, r"scale names \['x'\], the outcome has a component 'outcome'"),
        ({"confidence": 2.0}, "confidence must lie between 0 and 1"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    call = {"cells": [("push", "mass")], "seeds": 4} | options
    with pytest.raises(InputError, match=message):
        effect_size_audit(lambda cell, seed: base(seed), **call)


def test_many_inert_or_broken_cells_are_counted_after_the_eighth():
    cells = [("push", f"p{i}") for i in range(11)]
    inert = effect_size_audit(lambda cell, seed: base(seed), cells, seeds=2)
    assert "p7 and 3 more" in inert.summary
    broken = effect_size_audit(lambda cell, seed: base(seed) if cell is None else None, cells)
    assert broken.summary.startswith("11 of 11 cells broke")


def test_a_broken_row_is_not_judged():
    row = CellRow(task="push", property="mass", error="broke")
    judge_cells([row], floor=1e-4, confidence=0.95)
    assert not row.inert
    assert not row.moves
    assert row.reason is None


def noisy_audit(seeds, effect, seed=0, cells=1):
    rng = np.random.default_rng(seed)

    def simulate(cell, _):
        return float(rng.standard_normal()) + (effect if cell is not None else 0.0)

    table = [Cell("push", f"property {i}") for i in range(cells)]
    return effect_size_audit(simulate, table, seeds=seeds, floor=0.0)


def test_an_undecided_cell_tells_how_many_pairs_would_decide():
    result = next(
        found for seed in range(50) if (found := noisy_audit(16, 0.6, seed)).verdict == "undecided"
    )
    row = result.rows[0]
    assert row["pairs_needed"] == result.episodes_needed > 16
    assert f"about {result.episodes_needed:,} matched pairs would tell" in row["reason"]


def test_the_number_of_pairs_told_decides_in_about_four_of_five_audits():
    # With the truth for an estimate: mean and spread of abs(delta) - abs(replay).
    rng = np.random.default_rng(0)
    base, again, moved = rng.standard_normal((3, 200_000))
    component = Component(
        "outcome",
        delta=np.abs(moved + 1.5 - base),
        replay=np.abs(again - base),
        scale=1.0,
        outcomes=moved,
    )
    pairs = component.pairs_needed(0.05)
    decided = [noisy_audit(pairs, 1.5, seed).verdict == "pass" for seed in range(300)]
    assert 0.72 < np.mean(decided) < 0.88


def test_more_cells_need_more_pairs():
    rng = np.random.default_rng(1)
    delta, replay = rng.random(30) + 0.2, rng.random(30)
    component = Component("outcome", delta=delta, replay=replay, scale=1.0, outcomes=delta)
    assert component.pairs_needed(0.05 / 20) > component.pairs_needed(0.05)


def test_pairs_that_do_not_vary_tell_of_no_number():
    ones = np.ones(5)
    constant = Component("outcome", delta=ones, replay=ones, scale=1.0, outcomes=ones)
    assert constant.pairs_needed(0.05) is None
    assert noisy_audit(1, 0.0).episodes_needed is None


def outcomes_of(cell, seeds):
    return [seed + (0.0 if cell is None else 0.5) for seed in seeds]


def test_many_seeds_may_be_simulated_at_once():
    asked = []

    def simulate_all(cell, seeds):
        asked.append((cell, list(seeds)))
        return outcomes_of(cell, seeds)

    cell = Cell("push", "mass")
    result = effect_size_audit(None, [cell], seeds=3, simulate_all=simulate_all)
    assert result.verdict == "pass"
    assert result.estimate == 0.5
    # The replay runs backwards, so that what a reset forgets shows.
    assert asked == [(None, [0, 1, 2]), (None, [2, 1, 0]), (cell, [0, 1, 2])]


def test_a_run_that_ended_among_many_is_named_with_its_seed():
    def simulate_all(cell, seeds):
        found = outcomes_of(cell, seeds)
        return found if cell is None else [*found[:2], ValueError("it fell")]

    result = effect_size_audit(None, [("push", "mass")], seeds=[4, 5, 6], simulate_all=simulate_all)
    assert result.rows[0]["error"] == "ValueError with seed 6: it fell"


@pytest.mark.parametrize(
    ("found", "named"),
    [
        (lambda: [1.0, 2.0], "simulate_all gave 2 outcomes for 3 seeds"),
        (lambda: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda: [1.0, 2.0, "three"], "ContractError with seed 2: "),
    ],
)
def test_a_batch_that_breaks_is_a_broken_cell(found, named):
    def simulate_all(cell, seeds):
        return outcomes_of(cell, seeds) if cell is None else found()

    result = effect_size_audit(None, [("push", "mass")], seeds=3, simulate_all=simulate_all)
    assert result.rows[0]["error"].startswith(named)
    assert result.verdict == "error"


def test_an_audit_without_a_simulator_is_refused():
    with pytest.raises(InputError, match="give simulate or simulate_all"):
        effect_size_audit(None, [("push", "mass")])


def test_what_a_reset_forgets_shows_although_runs_come_in_the_same_order():
    class Simulator:
        def __init__(self):
            self.resets = 0

        def run(self, seed):
            self.resets += 1
            return seed + 0.01 * self.resets

    def simulate_all(cell, seeds):
        simulator = Simulator()
        return [simulator.run(seed) + (cell is not None) for seed in seeds]

    result = effect_size_audit(None, [Cell("push", "mass")], seeds=4, simulate_all=simulate_all)
    assert any("is not reproducible: 4 of 4" in finding for finding in result.findings)
    assert result.rows[0]["noise_floor"] > 0


def test_runs_that_earn_nothing_are_told():
    def simulate(cell, seed):
        return 1e-9 * (seed + 1) * (1 if cell is None else 2)

    result = effect_size_audit(simulate, [("lift", "mass")], seeds=4)
    assert any("within the floor: these runs earn nothing" in f for f in result.findings)


def test_the_pair_that_differs_most_is_explained():
    asked = []

    def simulate(cell, seed):
        return seed + (0 if cell is None else 1e-6 * (seed == 2))

    def diagnose(cell, seed):
        asked.append(seed)
        return "because"

    effect_size_audit(simulate, [("lift", "mass")], seeds=4, diagnose=diagnose)
    assert asked == [2]


def test_components_of_a_vector_have_their_own_numbers():
    def simulate(cell, seed):
        return {"return": float(seed) + (0.0 if cell is None else 3.0), "success": 1.0}

    (row,) = effect_size_audit(simulate, [("lift", "mass")], seeds=4).rows
    assert [(part["outcome"], part["mean_abs_delta"]) for part in row["components"]] == [
        ("return", 3.0),
        ("success", 0.0),
    ]


def test_a_cell_that_moves_by_something_else_than_it_names_is_undecided():
    def simulate(cell, seed):
        remarks = (
            () if cell is None else (f"the perturbation changed 'puck', not {cell.property!r}",)
        )
        return Outcome(float(seed + (cell is not None)), remarks=remarks)

    result = effect_size_audit(simulate, [("push", "box"), ("push", "lid")], seeds=3)
    assert result.verdict == "undecided"
    assert "2 of 2 cells move the outcome by something else than they name" in result.summary
    assert "push x lid: the perturbation changed 'puck', not 'lid'" in result.summary


def test_the_interval_of_a_mean_of_absolute_values_is_not_negative():
    def simulate(cell, seed):
        return seed + (0 if cell is None else 100.0 * (seed == 0))

    (row,) = effect_size_audit(simulate, [("push", "mass")], seeds=8).rows
    assert row["interval"][0] == 0


def test_a_cell_that_moves_no_further_than_rounding_does_is_inert():
    def simulate(cell, seed):
        return seed + (0 if cell is None else {"mass": 0.5, "height": 0.002}[cell.property])

    def simulate_jittered(twin, seeds):
        assert twin is None
        return [seed + 0.005 for seed in seeds]

    cells = [("push", "mass"), ("push", "height")]
    for jitter, inert in ((None, [False, False]), (simulate_jittered, [False, True])):
        result = effect_size_audit(simulate, cells, seeds=4, simulate_jittered=jitter)
        assert [row["inert"] for row in result.rows] == inert
    mass, height = result.rows
    # Replays are identical: what exceeds the jitter needs no test.
    assert mass["noise_floor"] == pytest.approx(0.005)
    assert "within the simulator's own noise 0.005" in height["reason"]


def test_a_jitter_that_cannot_be_simulated_leaves_the_floor_alone():
    def simulate(cell, seed):
        return seed + (cell is not None)

    for jittered in (lambda twin, seeds: None, lambda twin, seeds: [{"other": 1.0}] * len(seeds)):
        result = effect_size_audit(simulate, [("p", "m")], seeds=3, simulate_jittered=jittered)
        assert result.verdict == "pass"
        assert result.rows[0]["noise_floor"] == 0
