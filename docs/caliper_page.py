"""Write docs/caliper.md from the recorded results and the numbers that the paper prints."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "example_benchmarks" / "caliper" / "results"
PRINTED = json.loads((DOCS / "caliper_printed.json").read_text(encoding="utf-8"))
SCENES = ("clean", "nuisance")
ALL = (
    "table-1",
    "table-2",
    "table-3-probes",
    "table-3-erasure",
    "table-3-leace",
    "figure-3",
    "seed-robustness",
)
NAMES = {"raw_pixels": "Raw pixels", "frame_difference": "Frame differences"}

INTRODUCTION = """\
# CALIPER's tables, computed

Each number was computed by `make caliper` ({settings}); the paper's ([arXiv 2609.08250]\
(https://arxiv.org/abs/2609.08250)) stands in brackets. It runs pieces in turn, keeps what is done, and goes on after \
a kill. Versions, seeds and seconds are in `example_benchmarks/caliper/results/`. Here are only encoders whose weights \
are at hand: pixels, frame differences and a ViT that was never trained (three seeds, `vit_tiny_patch16_224` at \
64 x 64, four frames a clip); the paper's pretrained encoders need weights that are not. Frames of a network are \
averaged, or concatenated where the name says so.

![One episode: two calibration clips that show the whole slide, a query clip that ends at contact; clean above, \
nuisance below](caliper_episode.svg)
"""


def result(piece: str, scene: str) -> Any:
    """What was recorded, or None."""
    path = RESULTS / f"{piece}-{scene}.json"
    return json.loads(path.read_text(encoding="utf-8"))["result"] if path.exists() else None


def printed_name(representation: str) -> str | None:
    """What the paper calls it: its random ViT's frames are averaged."""
    if representation.startswith("random_vit"):
        return None if representation.endswith("concat") else "Random ViT"
    return NAMES.get(representation)


def beside(value: float | None, printed: float | None, digits: int = 3) -> str:
    """A number with the paper's in brackets."""
    text = "" if value is None else f"{value:.{digits}f}"
    return text if printed is None else f"{text} ({printed:.{digits}f})"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    lines = ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def table_1(scene: str) -> str:
    """Query, + calibration, + swap."""
    found, printed = result("table-1", scene), PRINTED["table_1_r2"]
    rows = []
    for row in found["rows"]:
        paper = printed[scene].get(printed_name(row["representation"]) or "", (None,) * 3)
        values = (row["query"], row["query_evidence"], row["query_swapped"])
        pairs = zip(values, paper, strict=True)
        rows.append([row["representation"], *(beside(*pair) for pair in pairs)])
    low, high = found["range_interval"]
    spread = beside(found["range"], printed["range_query_calibration"][scene])
    states = ", ".join(
        f"{row['reference'].replace('_', ' ')} {row['r2']:.3f}"
        for row in found["references"]
        if row.get("r2") is not None
    )
    return (
        f"### Table 1, {scene}\n"
        + markdown(["representation", "query", "+ calibration", "+ swap"], rows)
        + f"\n\nRange of + calibration {spread}, interval [{low:.3f}, {high:.3f}]; the paper's range "
        f"includes pretrained encoders. Simulator state: {states}."
    )


def table_2() -> str:
    """Median miss and share within 10 mm."""
    printed = PRINTED["table_2_speed_selection"]
    paper_names = {
        "true mass and friction": "True mass and friction",
        "ignore object": "Ignore object",
    }
    columns: dict[str, list[str]] = {}
    for offset, scene in zip((0, 2), SCENES, strict=True):
        for row in result("table-2", scene) or ():
            name = row["representation"]
            paper = printed.get(paper_names.get(name) or printed_name(name) or "", (None,) * 4)
            columns.setdefault(name, [name]).extend(
                [
                    beside(row["median_miss_mm"], paper[offset], 1),
                    beside(row["within_10mm"], paper[offset + 1], 2),
                ]
            )
    head = ["representation"]
    for scene in SCENES:
        if result("table-2", scene):
            head += [f"{scene}: median miss, mm", "within 10 mm"]
    return "### Table 2, goal-conditioned speed selection\n" + markdown(
        head, list(columns.values())
    )


def table_3(scene: str) -> str:
    """Probes, prediction, erasure by nullspaces and by LEACE."""
    parts = [f"### Table 3, {scene}"]
    printed = PRINTED["table_3_probe_and_erasure"]
    probed = result("table-3-probes", scene)
    if probed:
        rows = []
        for row in probed:
            paper = _printed_probes(row["representation"]) if scene == "clean" else (None, None)
            rows.append(
                [
                    row["representation"],
                    beside(row["mass"], paper[0]),
                    beside(row["friction"], paper[1]),
                    f"{row['prediction']:.3f}",
                ]
            )
        parts.append(markdown(["probe R2", "mass", "friction", "prediction"], rows))
    erased, leace = result("table-3-erasure", scene), result("table-3-leace", scene)
    if erased and leace:
        other = {(row["representation"], row["property"]): row for row in leace}
        key = {"mass": 3 if scene == "clean" else 5, "friction": 4 if scene == "clean" else None}
        rows = []
        for row in erased["rows"]:
            column = key[row["property"]]
            entry = printed.get(printed_name(row["representation"]) or "")
            paper = None if entry is None or column is None else entry[column]
            twin = other[row["representation"], row["property"]]
            rows.append(
                [
                    row["representation"],
                    row["property"],
                    f"{row['probe_r2']:.3f}",
                    f"{row['probe_r2_after']:.3f}",
                    f"{row['directions']:.1f}",
                    beside(-row["cost"], paper),
                    f"{-row['random_control_cost']:.3f}",
                    f"{-twin['cost']:.3f}",
                    f"{twin['probe_r2_after']:.3f}",
                ]
            )
        head = [
            "representation",
            "property",
            "probe",
            "after",
            "directions",
            "change in R2",
            "random directions",
            "LEACE: change",
            "probe after",
        ]
        exact = ", ".join(f"{name} {-cost:.3f}" for name, cost in erased["exact_cost"].items())
        parts += [
            markdown(head, rows),
            f"What an exact erasure must cost, from simulator state without the property: {exact}.",
        ]
    return "\n\n".join(parts)


def _printed_probes(representation: str) -> Sequence[float | None]:
    printed = PRINTED["table_3_probe_and_erasure"]
    if representation.startswith("random_vit") and representation.endswith("concat"):
        return (None, printed["Random ViT"][2])
    entry = printed.get(printed_name(representation) or "")
    return (None, None) if entry is None else entry[:2]


def figure_3(scene: str) -> str:
    """R2 by training episodes."""
    rows: dict[str, dict[int, float]] = {}
    for row in result("figure-3", scene):
        rows.setdefault(row["representation"], {})[row["training_episodes"]] = row["r2"]
    sizes = sorted({size for values in rows.values() for size in values})
    printed = PRINTED["figure_3_r2_at_75_training_episodes"][scene]
    body = [
        [
            name,
            *(
                beside(values[size], printed.get(printed_name(name) or "") if size == 75 else None)
                for size in sizes
            ),
        ]
        for name, values in rows.items()
    ]
    head = ["training episodes", *(f"{size:,}" for size in sizes)]
    drawn = scene == "clean" and result("figure-3", "nuisance") is not None
    picture = "![R2 by training episodes](caliper_learning.svg)\n\n" if drawn else ""
    return f"### Figure 3, {scene}\n{picture}" + markdown(head, body)


def robustness(scene: str) -> str:
    """The largest change under another seed of the folds."""
    first, other = result("table-1", scene), result("seed-robustness", scene)
    changes = [
        abs(a[key] - b[key])
        for a, b in zip(first["rows"], other["rows"], strict=True)
        for key in ("query", "query_evidence", "query_swapped")
    ]
    return f"- {scene}: another seed of the folds moves no entry of Table 1 by more than {max(changes):.3f}."


def appendix() -> str:
    """Design choices."""
    path = RESULTS / "appendix.json"
    if not path.exists():
        return ""
    found, printed = json.loads(path.read_text("utf-8"))["result"], PRINTED["appendix_b"]
    forces, balls = found["forces_and_collisions"], found["spheres_and_boxes"]
    rolled = "; ".join(
        f"{row['ratio']:.1f} times as far after {row['seconds']:g} s (correlation with friction "
        f"{row['corr_friction_sphere']:+.2f})"
        for row in balls["spheres"]
    )
    return "\n".join(
        [
            "### Appendix B",
            f"- Draws accepted: {100 * found['acceptance']:.1f} % (paper: over "
            f"{100 * printed['collision_acceptance_above']:.0f} %).",
            f"- With all three phases in 1 to 30 cm: collisions {100 * forces['collision']:.0f} %, forces of 0.2 "
            f"to 3 N drawn independently of the object {100 * forces['force']:.1f} % (paper: under "
            f"{100 * printed['fixed_force_acceptance_below']:.0f} %; it does not say its range of forces).",
            f"- Boxes slide {balls['median_box_m']:.3f} m (paper: "
            f"{printed['median_displacement_m']['box']:.2f}), correlation with friction "
            f"{balls['corr_friction_box']:+.2f} ({printed['corr_friction_displacement']['box']:+.2f}). Spheres "
            f"roll on, so that their distance depends on when it is read: {rolled}. The paper: "
            f"{printed['sphere_to_box_distance_ratio']} times, "
            f"{printed['corr_friction_displacement']['sphere']:+.2f}.",
            f"- Frames in which the box moves, 30 a second: median {found['frames_in_motion']['median']:.0f} (paper: "
            "about 13). The slides of the drawn masses, frictions and speeds end sooner here.",
        ]
    )


def document() -> str:
    """The page, of the pieces that are recorded."""
    settings = json.loads((RESULTS / "table-1-clean.json").read_text("utf-8"))["settings"]
    said = f"{settings['episodes']:,} episodes, {settings['repeats']} x {settings['folds']} folds, seed {settings['seed']}"
    parts = [INTRODUCTION.format(settings=said)]
    missing = [
        f"{piece} ({scene})" for scene in SCENES for piece in ALL if not result(piece, scene)
    ]
    if missing:
        parts.append(f"Not recorded at full size yet: {', '.join(missing)}.")
    pieces: Mapping[str, Any] = {
        "table-1": table_1,
        "table-3-probes": table_3,
        "figure-3": figure_3,
    }
    parts += [table_1(scene) for scene in SCENES if result("table-1", scene)]
    if all(result("table-1", scene) for scene in SCENES):
        parts.append("![R2 with the calibration clips, both scenes](caliper_scenes.svg)")
    if result("table-2", "clean"):
        parts.append(table_2())
    parts += [
        pieces[piece](scene)
        for piece in ("table-3-probes", "figure-3")
        for scene in SCENES
        if result(piece, scene)
    ]
    lines = [robustness(scene) for scene in SCENES if result("seed-robustness", scene)]
    if lines:
        parts.append("### Seed robustness\n" + "\n".join(lines))
    return "\n\n".join(part.strip() for part in (*parts, appendix()) if part) + "\n"


if __name__ == "__main__":
    (DOCS / "caliper.md").write_text(document(), encoding="utf-8")
