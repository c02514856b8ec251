"""The README's examples are a project: they run as they are printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    blocks = re.findall(r"```python\n# (\S+\.py)\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    for name, code in blocks:
        (pytester.path / name).write_text(code, encoding="utf-8")
    assert len(blocks) == 3
    return pytester


def test_the_examples_of_the_readme_give_the_verdicts_that_it_tells(project):
    result = project.runpytest_subprocess("--benchcheck", "--benchcheck-json=report.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    report = json.loads((project.path / "report.json").read_text("utf-8"))
    verdicts = {
        (benchmark["name"].split("::")[-1], check["check"]): check["verdict"]
        for benchmark in report["benchmarks"]
        for check in benchmark["checks"]
    }
    assert verdicts == {
        ("push", "effect_size"): "fail",
        ("push", "spread"): "fail",
        ("push", "swap"): "not_applicable",
        ("push", "erasure"): "not_applicable",
        ("test_published_scores_differ", "spread"): "pass",
        ("test_the_calibration_clip_is_used", "swap"): "pass",
        ("test_it_can_rank", "spread"): "fail",
    }


def test_without_the_option_the_examples_are_skipped(project):
    result = project.runpytest_subprocess()
    result.assert_outcomes(skipped=3)


def test_every_file_that_the_readme_links_to_exists():
    links = re.findall(r"\]\(([^)#:]+)\)", README.read_text("utf-8"))
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []
