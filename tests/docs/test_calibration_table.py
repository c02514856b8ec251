"""The page on calibration is the one that the record gives."""

from __future__ import annotations

from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def script(load_script):
    return load_script("calibration_table")


def test_the_page_is_up_to_date(script):
    assert (DOCS / "calibration.md").read_text(encoding="utf-8") == script.document()


def test_rates_are_shares_of_the_decisions(script):
    assert script.rate({"decisions": {"pass": "0100"}}, "pass") == "25.0"


def test_a_cell_that_was_not_simulated_is_blank(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "RECORDED", tmp_path)
    (tmp_path / "a - x.json").write_text('{"decisions": {"pass": "01"}}', encoding="utf-8")
    (tmp_path / "b - y.json").write_text('{"decisions": {"pass": "11"}}', encoding="utf-8")
    columns = [("first", "first", "pass"), ("second", "second", "pass")]
    assert script.two_kinds("a", "b", columns).splitlines()[2:] == [
        "| x | 50.0 |  |",
        "| y |  | 100.0 |",
    ]
