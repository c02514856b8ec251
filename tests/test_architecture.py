"""Imports point downwards: pytest_benchcheck -> fixtures -> checks."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = {"torch", "torchvision", "timm", "transformers", "safetensors", "mujoco", "gymnasium"}
PACKAGE = "pytest_benchcheck"
NUMERIC = {"numpy", "scipy", "sklearn", "joblib", "threadpoolctl", "jaxtyping"}


def modules(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found, f"{folder} holds no modules"
    return found


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute, by the installed name"
            assert node.module is not None
            yield node.module


def at_import_time(tree: ast.Module) -> Iterator[str]:
    """Imports that run when the module is imported: not those inside functions."""
    for node in tree.body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield from imported(node)


def top_level(name: str) -> str:
    return name.split(".", maxsplit=1)[0]


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


@pytest.mark.parametrize("path", modules("checks"), ids=lambda p: p.name)
def test_checks_import_numeric_libraries_and_each_other_only(path: Path) -> None:
    for name in imported(ast.parse(path.read_text("utf-8"))):
        allowed = (
            is_within(name, f"{PACKAGE}.checks")
            or top_level(name) in NUMERIC
            or top_level(name) in sys.stdlib_module_names
        )
        assert allowed, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", modules("fixtures"), ids=lambda p: p.name)
def test_fixtures_import_downwards_and_nothing_heavy_at_import_time(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    for name in imported(tree):
        if top_level(name) == PACKAGE:
            below = (f"{PACKAGE}.checks", f"{PACKAGE}.fixtures")
            assert any(is_within(name, package) for package in below), f"{path.name}: {name}"
        assert top_level(name) != "pytest", f"{path.name} imports pytest"
    heavy = {name for name in at_import_time(tree) if top_level(name) in HEAVY}
    assert not heavy, f"{path.name} imports {heavy} at import time"


@pytest.mark.parametrize("path", modules("pytest_benchcheck"), ids=lambda p: p.name)
def test_the_plugin_never_imports_an_example(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert not [n for n in imported(tree) if is_within(n, f"{PACKAGE}.example_benchmarks")]
    assert not {n for n in at_import_time(tree) if top_level(n) in HEAVY}


def test_plugin_module_imports_nothing_heavy() -> None:
    tree = ast.parse((ROOT / "pytest_benchcheck" / "plugin.py").read_text("utf-8"))
    heavy = HEAVY | NUMERIC | {"rich"}
    assert not {name for name in at_import_time(tree) if top_level(name) in heavy}


@pytest.mark.parametrize("path", modules("example_benchmarks"), ids=lambda p: p.name)
def test_examples_use_the_public_api_only(path: Path) -> None:
    for name in imported(ast.parse(path.read_text("utf-8"))):
        if top_level(name) == PACKAGE:
            public = (
                name == PACKAGE
                or is_within(name, f"{PACKAGE}.fixtures")
                or is_within(name, f"{PACKAGE}.example_benchmarks")
            )
            assert public, f"{path.name} imports {name}"


def test_no_module_is_a_drawer_for_leftovers() -> None:
    names = {path.stem for folder in ("checks", "fixtures", PACKAGE) for path in modules(folder)}
    assert not names & {"utils", "helpers", "common", "misc"}
