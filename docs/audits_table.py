"""Write docs/audits/README.md from the recorded audits beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

AUDITS = Path(__file__).parent / "audits"
PROPERTIES = ("mass", "friction", "rigidity", "size", "damping")

INTRODUCTION = """\
# Published control benchmarks, audited

Does a perturbation of the simulator move what the benchmark scores? Matched pairs: the policy acts in the
unperturbed twin, and the same actions are repeated with one thing changed. The score is the return of an
episode, and success where the environment tells it. Nothing here says that a benchmark is good or bad at what it
was made for; it says which of these five perturbations could serve in a perturbation benchmark built on it, with
these actions.

| property | change | of what |
| --- | --- | --- |
| mass | {mass:g} times, inertia too | the task's object; where there is none, all bodies |
| friction | {friction:g} times, in every contact of them | the same |
| rigidity | contacts' time constant {rigidity:g} times: softer | the same |
| size | {size:g} times, mass by the cube | the task's object |
| damping | {damping:g} times | all joints |

Entries are the mean abs(delta return) in % of the return's scale (its standard deviation over the seeds, or its
mean abs value where that is larger). **-** is an inert cell: at most 1e-4 in units of the return, in all
components. An empty cell does not apply, mostly because nothing in the task is apart from the robot. Every twin's
replay was bit-identical unless it is said below.

`make audits` runs all of it again (two to three hours on two cores); the full records, with every row's reason,
are the JSON files beside this page.
"""

MEANING = {
    "no contact can happen": "no two geoms of the model can touch: contact parameters do not act",
    "nothing differs": "the perturbation is in the model, and no state ever differs",
    "the score does not follow": "states differ, and the return does not move by more than the floor",
    "other": "see the record",
}

SUITES = {
    "gymnasium": (
        "Gymnasium",
        "Actions: uniform random, drawn once a seed. Episodes end where the environment ends them, so that "
        "those of the hoppers and walkers are short. In Reacher, the pendulums and the swimmer no two geoms can "
        "touch: friction and rigidity cannot act by the design of the task. In Pusher random actions do not reach "
        "the object, whose properties hardly matter then (its size by 1e-4 %, the others by nothing above the floor); "
        "that says nothing of better actions.",
    ),
    "dm_control": (
        "dm_control suite",
        "Actions: uniform random, drawn once a seed; 1,000 control steps. There is no expert to record, and "
        "random actions earn nothing in the sparse swing-ups and in two of the manipulator's tasks: all their "
        "cells are inert with these actions, and the report says that the runs earn nothing. The same holds for the "
        "pendulum and the point masses, whose rewards random actions hardly ever reach. In acrobot, cartpole and fish "
        "geoms could touch a floor or one another, and with these actions never do. `lqr` is left out: its episodes "
        "have no end.",
    ),
    "meta_world": (
        "Meta-World v3",
        "Actions: those of the scripted expert of each task, which are repeated open-loop. The object is what can "
        "move and does not hang from the robot. The second number is the share of episodes whose success changes, in "
        "%. In reach and reach-wall the object is not what the task is about, so that its properties cannot act by "
        "the design of the task.",
    ),
}


def kind_of(reason: str) -> str:
    """Which of the kinds in ``MEANING`` a reason is."""
    if reason.startswith("no two geoms"):
        return "no contact can happen"
    if "no state of the simulation differs" in reason:
        return "nothing differs"
    if "and the outcome does not" in reason:
        return "the score does not follow"
    return "other"


def cell(entry: Mapping[str, Any], name: str, *, success: bool) -> str:
    """One entry of the table."""
    row = next((row for row in entry["rows"] if row["property"] == name), None)
    if row is None:
        return ""
    if row["error"]:
        return "broke"
    if row["inert"]:
        return "-"
    parts = {part["outcome"]: part for part in row.get("components", ())}
    share = parts.get("return", row)["percent_of_scale"]
    text = "0" if share is None else f"{share:.2g}" if share < 10 else f"{share:.0f}"
    if success and "success" in parts:
        text += f" / {100 * parts['success']['mean_abs_delta']:.0f}"
    return text


def table(record: Mapping[str, Any], *, success: bool) -> str:
    """All tasks of a suite; with the reference policies where they were run."""
    referred = any("references" in entry for entry in record["tasks"])
    policies = ["no_op", "random", "replay", "expert"] if referred else []
    head = ["task", *PROPERTIES, *policies]
    lines = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for entry in record["tasks"]:
        if "error" in entry:
            lines.append(f"| {entry['task']} | {entry['error']} |")
            continue
        cells = [cell(entry, name, success=success) for name in PROPERTIES]
        scores = [f"{100 * entry['references'][policy]:.0f}" for policy in policies]
        lines.append("| " + " | ".join([entry["task"], *cells, *scores]) + " |")
    return "\n".join(lines)


def counts(record: Mapping[str, Any]) -> str:
    """How many cells are inert, and for which kinds of reason."""
    rows = [row for entry in record["tasks"] for row in entry.get("rows", ())]
    inert = [row for row in rows if row["inert"]]
    broken = [row for row in rows if row["error"]]
    kinds = [kind_of(row["reason"] or "") for row in inert]
    lines = [f"{len(inert)} of {len(rows)} cells are inert, {len(broken)} broke."]
    lines += [f"- {kinds.count(kind)}: {text}" for kind, text in MEANING.items() if kind in kinds]
    noted = [
        f"- {finding}"
        for entry in record["tasks"]
        for finding in entry.get("findings", ())
        if "not reproducible" in finding or "simulator's warning" in finding
    ]
    return "\n".join([*lines, *noted])


def policies(record: Mapping[str, Any]) -> str:
    """Which tasks the trivial policies solve as well as the expert."""
    entries = [entry for entry in record["tasks"] if "references" in entry]
    if not entries:
        return ""
    beaten = [
        entry["task"]
        for entry in entries
        if max(entry["references"][p] for p in ("no_op", "random", "replay"))
        >= entry["references"]["expert"]
    ]
    half = [
        entry["task"]
        for entry in entries
        if entry["task"] not in beaten
        and entry["references"]["replay"] >= 0.5 * entry["references"]["expert"]
    ]
    return (
        "The last four columns are the success of reference policies in % of 20 episodes (other seeds): one that "
        "does nothing, a random one, the replay of one episode of the expert from another seed, and the expert. "
        f"A trivial policy solves {_named(beaten)} as well as the expert does; the replay reaches at least half of "
        f"the expert's success in {_named(half)}. There, success does not need a look at where things are."
    )


def unchanged(record: Mapping[str, Any]) -> str:
    """In how many tasks a property changes the success of no episode."""
    counts_of: dict[str, list[bool]] = {}
    for entry in record["tasks"]:
        for row in entry.get("rows", ()):
            for part in row.get("components", ()):
                if part["outcome"] == "success":
                    counts_of.setdefault(row["property"], []).append(part["max_abs_delta"] == 0)
    if not counts_of:
        return ""
    told = ", ".join(f"{name} {sum(same)} of {len(same)}" for name, same in counts_of.items())
    return (
        f"A benchmark scored by success alone sees less: tasks in which a perturbation changes the success of none of "
        f"{record['seeds']} episodes are, by property, {told}."
    )


def _named(tasks: Sequence[str]) -> str:
    return ", ".join(f"`{task}`" for task in tasks) if tasks else "no task"


def section(name: str) -> str:
    """One suite."""
    record = json.loads((AUDITS / f"{name}.json").read_text(encoding="utf-8"))
    title, text = SUITES[name]
    versions = ", ".join(f"{package} {version}" for package, version in record["versions"].items())
    seconds = sum(entry.get("seconds", 0) for entry in record["tasks"])
    return "\n\n".join(
        part
        for part in (
            f"## {title}",
            f"{record['date']}; {versions}; {record['seeds']} seeds; {record['machine']}; "
            f"{seconds / 60:.0f} minutes.",
            text,
            table(record, success=name == "meta_world"),
            counts(record),
            unchanged(record),
            policies(record),
        )
        if part
    )


def document() -> str:
    """The whole page."""
    found = [name for name in SUITES if (AUDITS / f"{name}.json").exists()]
    factors = json.loads((AUDITS / f"{found[0]}.json").read_text(encoding="utf-8"))["factors"]
    return "\n\n".join([INTRODUCTION.format(**factors).strip(), *map(section, found)]) + "\n"


if __name__ == "__main__":
    (AUDITS / "README.md").write_text(document(), encoding="utf-8")
