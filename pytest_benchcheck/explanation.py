"""Why a check did not pass, in plain text: the evidence, the number that missed, what to do."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from pytest_benchcheck.checks.results import CheckResult
from pytest_benchcheck.tables import number, printable, table_of, with_interval

__all__ = ["advice", "context", "explain", "missed", "ranks"]

_WIDTH = 78

_WHAT_IT_IS = {
    "effect_size": "smallest mean abs(delta)",
    "spread": "spread",
    "beats_trivial": "best candidate minus best trivial representation",
    "swap": "gain left after the swap",
    "erasure": "cost of erasing, minus the random control's",
}

_ADVICE: Mapping[tuple[str, str], str] = {
    ("effect_size", "fail"): (
        "Find out why the inert perturbations do nothing (overridden by another parameter, "
        "clipped by the simulator, never in contact), mend or drop them: a score that varies over "
        "them is noise."
    ),
    ("effect_size", "undecided"): (
        "Simulate more seeds, or make repeated runs with one seed identical: the effect cannot be "
        "told from the difference between two unperturbed runs."
    ),
    ("spread", "fail"): (
        "Make the target depend on something that has to be perceived: vary camera, light and "
        "distractors, remove shortcuts that pixels or the covariates give away, or do not use "
        "this benchmark to rank representations."
    ),
    ("spread", "undecided"): (
        "Add episodes (independent groups count, not rows), or ask for a bar that these data can "
        "decide."
    ),
    ("beats_trivial", "fail"): (
        "Do not publish this ranking as evidence of what the candidates understand: look at what "
        "the trivial representation reads, and remove it from the benchmark."
    ),
    ("beats_trivial", "undecided"): (
        "Add episodes (independent groups count, not rows) until the interval excludes zero."
    ),
    ("swap", "fail"): (
        "Another episode's evidence helps as much as its own: what helps is not that episode's "
        "content. Look for leaks (identity, order, duplicated rows), or let the target depend on "
        "the evidence."
    ),
    ("swap", "undecided"): "Add episodes, or evidence that the query cannot replace.",
    ("erasure", "fail"): (
        "Erasing the property costs no more than erasing random directions: it is decodable but "
        "not used. Do not claim that the score measures it."
    ),
    ("erasure", "undecided"): "Add episodes, or erase a property that the probe can decode.",
}

_BROKEN = (
    "Mend what is named above and run this check again; the other checks are not affected by it."
)


def explain(result: CheckResult) -> str:
    """Table, the number that missed its bar, findings, warnings and what to do next."""
    check = result.to_dict()
    table = table_of(check)
    parts = [
        table.text(width=_WIDTH) if table else "",
        missed(check),
        _wrapped(context(check)),
        _wrapped(ranks(check)),
        _listed("Findings", check["findings"]),
        _listed("Warnings", check["warnings"]),
    ]
    what_next = advice(check)
    if what_next:
        parts.append(_wrapped(f"What to do next: {what_next}"))
    return "\n\n".join(part for part in parts if part)


def missed(check: Mapping[str, Any]) -> str:
    """Estimate, interval and bar in one line."""
    if check["estimate"] is None:
        return ""
    estimate = with_interval(check["estimate"], check["interval"])
    line = f"{_WHAT_IT_IS.get(check['check'], 'estimate')}: {estimate}"
    if check["interval"] is not None:
        line += f" ({100 * check['confidence']:.3g} % interval)"
    if check["bar"] is not None:
        line += f"; bar: {check['bar']:g}" + (" of the gain" if check["check"] == "swap" else "")
    if check["check"] == "effect_size" and check["episodes"]:
        line += f"; {check['episodes']:,} matched pairs a cell"
    if check["verdict"] == "undecided" and check.get("episodes_needed"):
        line += f"; about {check['episodes_needed']:,} episodes would decide"
        line += f" (these are {check['episodes']:,})" if check["episodes"] else ""
    return _wrapped(line)


def ranks(check: Mapping[str, Any]) -> str:
    """What a leaderboard of these representations may claim; empty where unknown."""
    claimed = check.get("distinguishable_ranks")
    if claimed is None:
        return ""
    rows = sorted(check["rows"], key=lambda row: -row[check["metric"]])
    places = ", ".join(f"{printable(row['representation'])} {_place(row)}" for row in rows)
    return (
        f"a leaderboard may claim {claimed} rank{'' if claimed == 1 else 's'} of "
        f"{len(rows)} representations: {places}"
    )


def context(check: Mapping[str, Any]) -> str:
    """The spread at fewer training rows and its share of the headroom; empty where unknown."""
    parts = []
    points = check.get("by_training_rows")
    if points:
        sizes = ", ".join(f"{point['training_rows']:,}" for point in points)
        values = ", ".join(number(point["spread"]) for point in points)
        parts.append(f"spread with {sizes} training rows: {values}")
    share = check.get("headroom_share")
    if share is not None:
        parts.append(f"{100 * share:.0f} % of the headroom from floor to ceiling")
    return "; ".join(parts)


def _place(row: Mapping[str, Any]) -> str:
    best, worst = row["rank_interval"]
    return str(best) if best == worst else f"{best}-{worst}"


def advice(check: Mapping[str, Any]) -> str:
    """What to do about a verdict; empty where there is nothing to do."""
    if check["verdict"] == "error":
        return _BROKEN
    return _ADVICE.get((check["check"], check["verdict"]), "")


def _listed(title: str, entries: list[str]) -> str:
    if not entries:
        return ""
    return "\n".join([f"{title}:", *(_wrapped(printable(entry), "  - ") for entry in entries)])


def _wrapped(text: str, bullet: str = "") -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )
