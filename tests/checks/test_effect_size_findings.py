from __future__ import annotations

import numpy as np
import pytest

from pytest_benchcheck.checks.cells import Cell, Outcome
from pytest_benchcheck.checks.effect_size import effect_size_audit
from pytest_benchcheck.checks.effect_size_findings import saturation_findings
from pytest_benchcheck.checks.errors import ContractError

CELLS = [Cell("insert", "mass"), Cell("insert", "friction")]


def test_an_outcome_that_no_seed_and_no_cell_moves_is_a_constant():
    result = effect_size_audit(lambda cell, seed: 0.035, CELLS, seeds=5)
    (finding,) = [text for text in result.findings if "every seed and in all" in text]
    assert finding.startswith("insert: outcome is 0.035 for every seed and in all 2 cells")
    assert result.verdict == "fail"


def test_a_constant_twin_whose_cells_move_is_no_geometric_constant():
    result = effect_size_audit(lambda cell, seed: 0.0 if cell is None else 1.0 + seed, CELLS)
    assert not [text for text in result.findings if "every seed and in all" in text]


def test_one_cell_alone_is_not_called_a_constant_of_the_task():
    result = effect_size_audit(lambda cell, seed: 0.035, CELLS[:1], seeds=5)
    assert not [text for text in result.findings if "every seed and in all" in text]


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ([1, 1, 1, 0.2, 0.6, 1], "highest"),
        ([0, 0, 0.3, 0, 0.1, 0], "lowest"),
        ([1] * 19 + [0], "highest"),
    ],
)
def test_outcomes_at_the_end_of_their_scale_saturate(values, word):
    (finding,) = saturation_findings("the twin", "success", np.array(values, dtype=float))
    assert f"the {word} value seen" in finding


@pytest.mark.parametrize(
    "values", [[0.1, 0.2, 0.3, 0.4], [1, 0, 1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 0]]
)
def test_other_outcomes_do_not(values):
    assert saturation_findings("the twin", "success", np.array(values, dtype=float)) == []


def test_saturation_of_the_twin_is_found_in_an_audit():
    result = effect_size_audit(
        lambda cell, seed: min(1.0, 0.1 * seed) + (0.0 if cell is None else 0.01), CELLS, seeds=32
    )
    assert any("the outcome saturates" in text for text in result.findings)


def remarked(cell, seed):
    if cell is None:
        return Outcome(float(seed))
    moved = 0.5 if cell.property == "mass" else 0.0
    return Outcome(seed + moved, remarks=(f"about {cell.property}",))


def test_a_remark_is_the_reason_of_an_inert_cell_and_a_finding_of_one_that_moves():
    result = effect_size_audit(remarked, CELLS, seeds=4)
    mass, friction = result.rows
    assert friction["inert"]
    assert friction["reason"].startswith("about friction (the outcome is identical")
    assert friction["remarks"] == ["about friction"]
    assert not mass["inert"]
    assert mass["reason"] is None
    assert result.findings == ("insert x mass: about mass.",)


@pytest.mark.untyped
def test_a_remark_that_is_no_text_is_refused():
    with pytest.raises(ContractError, match=r"Outcome.remarks\[0\] must be a string, got 3"):
        Outcome(1.0, remarks=(3,))


def test_one_remark_may_stand_alone():
    assert Outcome(1.0, remarks="one").remarks == ("one",)
