"""CALIPER's page is the one that the recorded results give, beside the paper's numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLES = ROOT.parent / "shared/papers/caliper_tables.json"


@pytest.fixture
def script(load_script):
    return load_script("caliper_page")


def test_the_page_is_up_to_date(script):
    assert (ROOT / "docs" / "caliper.md").read_text(encoding="utf-8") == script.document()


def test_the_numbers_in_brackets_are_the_papers(script):
    if not TABLES.exists():
        pytest.skip("the paper's tables are not beside this checkout")
    tables = json.loads(TABLES.read_text(encoding="utf-8"))
    assert {key: tables[key] for key in script.PRINTED} == script.PRINTED


def test_a_number_stands_before_the_papers(script):
    assert script.beside(0.9656, 0.977) == "0.966 (0.977)"
    assert script.beside(2.31, None, 1) == "2.3"


def test_only_rows_that_the_paper_has_are_compared(script):
    assert script.printed_name("raw_pixels") == "Raw pixels"
    assert script.printed_name("random_vit-s2") == "Random ViT"
    assert script.printed_name("random_vit-s2-concat") is None
    assert script.printed_name("my_model") is None
