"""Turn the coloured audit on standard input into docs/audit.svg (make picture)."""

from __future__ import annotations

import io
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 80


def main() -> None:
    """Keep the audit's panels, without pytest's own lines around them."""
    lines = sys.stdin.read().splitlines()
    plain = [Text.from_ansi(line).plain for line in lines]
    first = next(i for i, line in enumerate(plain) if line.startswith("╭"))
    last = max(i for i, line in enumerate(plain) if line.startswith("╰"))
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(Text.from_ansi("\n".join(lines[first : last + 1])))
    title = "pytest --benchcheck example_benchmarks/caliper -k spread"
    Path(__file__).with_name("audit.svg").write_text(
        console.export_svg(title=title, unique_id="audit"), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
