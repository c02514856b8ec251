"""The page on published benchmarks is the one that the records give."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def script(load_script):
    return load_script("audits_table")


def test_the_page_is_up_to_date(script):
    assert (DOCS / "audits" / "README.md").read_text(encoding="utf-8") == script.document()


def row(**changed):
    return {
        "property": "mass",
        "error": None,
        "inert": False,
        "percent_of_scale": 12.3,
        "components": [
            {"outcome": "return", "percent_of_scale": 12.3, "mean_abs_delta": 4.0},
            {"outcome": "success", "percent_of_scale": 50.0, "mean_abs_delta": 0.25},
        ],
    } | changed


def test_cells_show_what_was_measured(script):
    cases = [
        ({"rows": [row()]}, "12 / 25"),
        ({"rows": [row(inert=True)]}, "-"),
        ({"rows": [row(error="KeyError")]}, "broke"),
        ({"rows": []}, ""),
    ]
    for entry, shown in cases:
        assert script.cell(entry, "mass", success=True) == shown
    assert script.cell({"rows": [row()]}, "mass", success=False) == "12"


def test_every_reason_in_the_records_has_a_kind(script):
    assert script.kind_of("no two geoms of the model can touch: x") == "no contact can happen"
    assert script.kind_of(
        "the perturbation is in the model, and no state of the simulation differs"
    )
    assert script.kind_of(
        "qpos differs from the twin's after step 1, and the outcome does not: x"
    ) == ("the score does not follow")


def test_tasks_that_a_trivial_policy_solves_are_named(script):
    scores = {"no_op": 0.0, "random": 0.0, "replay": 1.0, "expert": 1.0}
    record = {
        "tasks": [
            {"task": "door-close", "references": scores},
            {"task": "push", "references": scores | {"replay": 0.1}},
        ]
    }
    text = script.policies(record)
    assert "A trivial policy solves `door-close` as well" in text
    assert "half of the expert's success in no task" in text


def test_success_that_never_changes_is_counted_by_property(script):
    def entry(change):
        parts = [{"outcome": "success", "max_abs_delta": change}]
        return {"rows": [{"property": "mass", "components": parts}]}

    text = script.unchanged({"seeds": 8, "tasks": [entry(0.0), entry(1.0), entry(0.0)]})
    assert "none of 8 episodes are, by property, mass 2 of 3." in text
    assert script.unchanged({"seeds": 8, "tasks": [{"rows": [{"property": "mass"}]}]}) == ""
