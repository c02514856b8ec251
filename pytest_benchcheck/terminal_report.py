"""The audit at the end of pytest's terminal output."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table as RichTable
from rich.text import Text

from pytest_benchcheck.explanation import advice, context, missed, ranks
from pytest_benchcheck.meaning import meaning
from pytest_benchcheck.tables import Table, printable, printable_lines, table_of

__all__ = ["print_report", "render"]

_STYLE = {
    "pass": "green",
    "fail": "red",
    "undecided": "yellow",
    "error": "red",
    "not_applicable": "dim",
}


def print_report(
    terminal: pytest.TerminalReporter,
    config: pytest.Config,
    benchmarks: Sequence[Mapping[str, Any]],
) -> None:
    """Print one panel a benchmark; under ``-q`` one line a check; under ``-qq`` only what is red.

    Colour, width and file are those of pytest's own output.
    """
    verbosity = config.get_verbosity()
    if verbosity <= -2:
        benchmarks = _only_red(benchmarks)
        if not benchmarks:
            return
    writer = config.get_terminal_writer()
    encoding = _encoding(writer)
    terminal.write_sep("=", "benchcheck")
    if verbosity < 0:
        lines = list(_short(benchmarks))
    else:
        lines = render(
            benchmarks, width=writer.fullwidth, color=writer.hasmarkup, encoding=encoding
        ).splitlines()
    for line in lines:
        terminal.write_line(line.encode(encoding, "backslashreplace").decode(encoding))


def render(
    benchmarks: Sequence[Mapping[str, Any]],
    *,
    width: int,
    color: bool,
    encoding: str = "utf-8",
) -> str:
    """The panels as text. Frames are ASCII where ``encoding`` has no box-drawing characters."""
    file = _Buffer(encoding)
    console = Console(
        file=file,
        width=max(width - 1, 40),
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    for benchmark in benchmarks:
        console.print(_panel(_encodable(benchmark, encoding)))
    return file.getvalue()


def _encodable(value: Any, encoding: str) -> Any:
    """Escape what the terminal cannot show before lines are broken, so that they still fit."""
    if isinstance(value, str):
        return value.encode(encoding, "backslashreplace").decode(encoding)
    if isinstance(value, Mapping):
        return {_encodable(k, encoding): _encodable(v, encoding) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encodable(entry, encoding) for entry in value]
    return value


class _Buffer(io.StringIO):
    """Text in memory that claims the encoding of the terminal, which rich picks its frames by."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


def _encoding(writer: Any) -> str:
    file = getattr(writer, "_file", sys.stdout)
    encoding = getattr(file, "encoding", None) or "utf-8"
    try:
        "".encode(encoding)
    except LookupError:
        return "ascii"
    return str(encoding)


def _panel(benchmark: Mapping[str, Any]) -> Panel:
    checks = benchmark["checks"]
    parts: list[RenderableType] = [Text(meaning(checks))]
    for check in checks:
        parts.append(Text(""))
        parts.extend(_check(check))
    red = any(is_red(check) for check in checks)
    title = Text(printable(benchmark["name"]), style="bold")
    return Panel(Group(*parts), title=title, border_style="red" if red else "green")


def _check(check: Mapping[str, Any]) -> Iterator[RenderableType]:
    verdict = check["verdict"]
    heading = Text(f"{check['check']}: ")
    heading.append(verdict_words(check), style=f"bold {_STYLE.get(verdict, '')}")
    if check["summary"]:
        heading.append(f"  {printable_lines(check['summary'])}")
    yield heading
    table = table_of(check)
    if table is not None:
        yield _rich_table(table)
        yield from (Text(note) for note in table.notes)
    line = missed(check)
    if line:
        yield Text(line.replace("\n", " "))
    yield from (Text(told) for told in (context(check), ranks(check)) if told)
    for finding in check["findings"]:
        yield Text(f"finding: {printable_lines(finding)}", style="bold")
    for warning in check["warnings"]:
        yield Text(f"warning: {printable_lines(warning)}", style="yellow")
    if is_red(check) or (verdict == "undecided" and not check["expected"]):
        what_next = advice(check)
        if what_next:
            yield Text(f"what to do: {what_next}")
        if check.get("rerun"):
            yield Text(f"run it again: {printable(check['rerun'])}", overflow="fold")


def _rich_table(table: Table) -> RichTable:
    rich_table = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title, numeric in zip(table.columns, table.numeric, strict=True):
        rich_table.add_column(
            Text(title),
            justify="right" if numeric else "left",
            no_wrap=numeric,
            overflow="fold",
            style="",
        )
    for row in table.rows:
        rich_table.add_row(*(Text(cell) for cell in row))
    return rich_table


def verdict_words(check: Mapping[str, Any]) -> str:
    """``FAIL``, ``FAIL (expected)``, ``NOT APPLICABLE``..."""
    words = str(check["verdict"]).upper().replace("_", " ")
    if check["expected"] and check["verdict"] != "pass":
        return f"{words} (expected)"
    if check.get("declared") not in (None, check["verdict"]):
        return f"{words} (expected {check['declared'].upper().replace('_', ' ')})"
    return words


def is_red(check: Mapping[str, Any]) -> bool:
    """Whether a check turns the run red."""
    return not check["held"] and not check["expected"]


def _only_red(benchmarks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    kept = []
    for benchmark in benchmarks:
        red = [check for check in benchmark["checks"] if is_red(check)]
        if red:
            kept.append({**benchmark, "checks": red})
    return kept


def _short(benchmarks: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for benchmark in benchmarks:
        for check in benchmark["checks"]:
            name = printable(benchmark["name"])
            summary = printable(check["summary"].replace("\n", " "))
            yield f"{name} {check['check']}: {verdict_words(check)}  {summary}".rstrip()
