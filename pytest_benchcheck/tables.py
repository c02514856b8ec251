"""The rows of a check as a table of short texts, for the terminal and for error messages."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Table", "number", "printable", "printable_lines", "table_of", "with_interval"]


@dataclass(frozen=True)
class Table:
    """Column titles, rows of texts, which columns hold numbers, and remarks on rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    notes: tuple[str, ...] = ()

    def text(self, *, width: int = 80) -> str:
        """Aligned plain text; where a row is too long, the widest text column is cut.

        The notes follow the table, wrapped.
        """
        cells = [self.columns, *self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        excess = sum(widths) + 2 * (len(widths) - 1) - width
        texts = [i for i, numeric in enumerate(self.numeric) if not numeric]
        while excess > 0 and texts:
            widest = max(texts, key=widths.__getitem__)
            if widths[widest] <= _NARROWEST:
                break
            widths[widest] -= 1
            excess -= 1
        lines = [
            "  ".join(
                text.rjust(w) if numeric else _cut(text, w).ljust(w)
                for text, w, numeric in zip(row, widths, self.numeric, strict=True)
            ).rstrip()
            for row in cells
        ]
        lines += [textwrap.fill(note, width, subsequent_indent="  ") for note in self.notes]
        return "\n".join(lines)


_NARROWEST = 12


def table_of(check: Mapping[str, Any]) -> Table | None:
    """The table of a check given as plain data (``CheckResult.to_dict()``); None without rows."""
    make = {
        "effect_size": _effect_size,
        "spread": _spread,
        "beats_trivial": _spread,
        "swap": _swap,
        "erasure": _erasure,
    }.get(check["check"])
    rows = [*check.get("rows", ()), *check.get("references", ())]
    return make(check, rows) if make and rows else None


def number(value: Any, digits: int = 3) -> str:
    """A number in few characters; ``-`` where it is unknown."""
    if value is None:
        return "-"
    if value and (abs(value) < 10**-digits or abs(value) >= 1e6):
        return f"{value:.2e}"
    return f"{value:.{digits}f}"


def with_interval(value: Any, interval: Sequence[Any] | None) -> str:
    """``0.020 [0.012, 0.028]``, or the value alone."""
    if interval is None:
        return number(value)
    low, high = interval
    return f"{number(value)} [{number(low)}, {number(high)}]"


def printable(text: object) -> str:
    """Names come from a benchmark: control characters are shown, never sent to the terminal."""
    return "".join(
        c if c.isprintable() else c.encode("unicode-escape", "backslashreplace").decode("ascii")
        for c in str(text)
    )


def printable_lines(text: object) -> str:
    """Like :func:`printable`, but a message of several lines keeps them."""
    return "\n".join(printable(line) for line in str(text).split("\n"))


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 2] + ".."


def _spread(check: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Table:
    metric = str(check.get("metric", "r2"))
    lines = tuple(
        (
            printable(row.get("representation") or row.get("reference", "")),
            printable(row.get("role") or row.get("kind", "")),
            number(row.get(metric)),
            _interval(row.get("interval")),
        )
        for row in rows
    )
    title = {"r2": "R2", "accuracy": "accuracy"}.get(metric, metric)
    notes = tuple(
        printable(f"{row['representation']}: mean of {members}")
        for row in rows
        if (members := ", ".join(f"{k} {number(v)}" for k, v in row.get("members", {}).items()))
    )
    return Table(
        ("representation", "role", title, "interval"), lines, (False, False, True, True), notes
    )


def _interval(interval: Sequence[Any] | None) -> str:
    return "-" if interval is None else f"[{number(interval[0])}, {number(interval[1])}]"


def _effect_size(check: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Table:
    unit = f" ({check['unit']})" if check.get("unit") else ""
    lines = tuple(
        (
            printable(row.get("task", "")),
            printable(row.get("property", "")),
            number(row.get("mean_abs_delta")),
            number(row.get("percent_of_scale"), 2),
            number(row.get("noise_floor")),
            _cell_state(row),
        )
        for row in rows
    )
    titles = ("task", "property", f"mean abs(delta){unit}", "% of scale", "noise", "")
    return Table(titles, lines, (False, False, True, True, True, False), _cell_notes(rows))


def _cell_notes(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What is remarked on cells; cells of one remark share a note."""
    cells: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        reason = str(row.get("reason") or "")
        warnings = [text for text in row.get("warnings") or () if text not in reason]
        for remark in (row.get("error"), reason, *warnings):
            if remark:
                cell = (str(row.get("task")), str(row.get("property")))
                cells.setdefault(str(remark), []).append(cell)
    return tuple(printable(f"{_cells(named)}: {remark}") for remark, named in cells.items())


def _cells(named: Sequence[tuple[str, str]]) -> str:
    tasks = list(dict.fromkeys(task for task, _ in named))
    properties = list(dict.fromkeys(name for _, name in named))
    if len(tasks) * len(properties) == len(named):
        return f"{', '.join(tasks)} x {', '.join(properties)}"
    return ", ".join(f"{task} x {name}" for task, name in named)


def _cell_state(row: Mapping[str, Any]) -> str:
    if row.get("error"):
        return "broken"
    if row.get("inert"):
        return "inert, allowed" if row.get("allowed") else "inert"
    return ""


def _swap(check: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Table:
    keys = ("query", "query_evidence", "query_swapped", "query_swapped_at_test")
    lines = tuple(
        (printable(row.get("representation", "")), *(number(row.get(key)) for key in keys))
        for row in rows
    )
    titles = ("representation", "query", "+ evidence", "+ swapped", "swapped at test")
    return Table(titles, lines, (False, True, True, True, True))


def _erasure(check: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Table:
    keys = ("probe_r2", "probe_r2_after", "cost", "random_control_cost")
    lines = tuple(
        (
            printable(row.get("representation", "")),
            printable(row.get("property", "")),
            *(number(row.get(key)) for key in keys),
        )
        for row in rows
    )
    titles = ("representation", "property", "probe", "erased", "cost", "random cost")
    return Table(titles, lines, (False, False, True, True, True, True))
