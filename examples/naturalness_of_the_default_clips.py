"""How natural the default clips are, beside real ones: the tables of docs/research/naturalness.md.

    python naturalness_of_the_default_clips.py [FOLDER_OF_REAL_CLIPS [PAGE]]

The real clips are those of the folder, or of FOOTFALL_MOCAP; where there is an INDEX.csv, those
whose behaviour is a walk or a run. Without any, default clips of other performers stand in for
them, which shows how the measure works and nothing about people. The tables go to naturalness.md,
or into PAGE, between its two marks.
"""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

from footfall import load
from footfall.body.clip import Clip
from footfall.generate.gait.catalogue import gait_entries
from footfall.generate.performer import Performer
from footfall.measures.features import FeatureWindows
from footfall.measures.gait_figures import FigureRow, compare_figures
from footfall.measures.naturalness import BEHAVIOURS, compare_windows, read_windows, showing

PERFORMERS = 4
MAKERS = ("steady", "start", "stop", "change_gait", "tight_turn")
"""The default clips of going, each made by every performer: all speeds, turns both ways."""
FPS = 30.0
MARKS = ("<!-- tables -->", "<!-- end of tables -->")


def default_clips(
    performers: range, kinds: tuple[str, ...] = MAKERS, most: int | None = None
) -> dict[str, list[Clip]]:
    """Return the clips that are judged, by performer; at most `most` of each."""
    recipes = [
        (n, recipe)
        for n, recipe in enumerate(gait_entries())
        if recipe.maker.__name__ in kinds and "locomotion" in recipe.groups
    ]
    return {
        f"performer{p}": [
            recipe.make(Performer(manner=p + 1), 1000 * p + n, FPS) for n, recipe in recipes[:most]
        ]
        for p in performers
    }


def real_clips(folder: Path) -> list[Clip]:
    index = folder / "INDEX.csv"
    if not index.is_file():
        return [load(file) for file in sorted(folder.rglob("*.bvh"))]
    with index.open(newline="") as lines:
        rows = [r for r in csv.DictReader(lines) if r["behaviour"].startswith(("walk", "run"))]
    return [load(folder / row["file"]) for row in rows]


def table_of_distances(
    ours: tuple[FeatureWindows, FeatureWindows], theirs: tuple[FeatureWindows, FeatureWindows]
) -> list[str]:
    """Windows grouped by performer and, on both sides alike, by clip."""
    lines = [
        "| behaviour | distance | yardstick | ratio | legs | trunk | arms | grip | ratio, by clip "
        "| performers, default / real | windows, default / real |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for behaviour in BEHAVIOURS:
        one, two = (
            compare_windows(showing(mine, behaviour), real, behaviour)
            for mine, real in zip(ours, theirs, strict=True)
        )
        if one is None:
            continue
        parts = " | ".join(f"{ratio:.1f}" for ratio in one.parts.values())
        strict = "" if two is None else f"{two.ratio:.2f}"
        lines.append(
            f"| {behaviour.replace('_', ', ')} | {one.distance:.2f} | {one.yardstick:.2f} "
            f"| {one.ratio:.2f} | {parts} | {strict} | {one.groups} / {one.real_groups} "
            f"| {one.windows} / {one.real_windows} |"
        )
    return lines


def table_of_figures(rows: tuple[FigureRow, ...]) -> list[str]:
    """One line for each figure, one column for each kind and speed: value (least to largest)."""
    columns = list(dict.fromkeys((row.kind, row.speed_m_s) for row in rows))
    at = {(row.figure, row.kind, row.speed_m_s): row for row in rows}
    head = " | ".join(f"{kind} {speed:.2f} m/s" for kind, speed in columns)
    lines = [f"| figure | {head} |", "|---" * (1 + len(columns)) + "|"]
    for figure in dict.fromkeys(row.figure for row in rows):
        cells = []
        for kind, speed in columns:
            row = at[figure, kind, speed]
            digits = 1 if figure.endswith("_deg") else 3
            cell = f"{row.value:.{digits}f} ({row.low:.{digits}f} to {row.high:.{digits}f})"
            cells.append(cell if row.inside else f"**{cell}**")
        lines.append(f"| {figure} | {' | '.join(cells)} |")
    counts = [at[rows[0].figure, kind, speed] for kind, speed in columns]
    strides = " | ".join(f"{row.strides} / {row.real_strides}" for row in counts)
    return [*lines, f"| strides, default / real | {strides} |"]


def main(words: list[str]) -> None:
    folder = words[0] if words else os.environ.get("FOOTFALL_MOCAP", "")
    if folder:
        real = real_clips(Path(folder))
        by_performer = read_windows(real)
        judged = default_clips(range(PERFORMERS))
    else:
        others = default_clips(range(100, 103), ("start",), 2)
        real = [clip for clips in others.values() for clip in clips]
        by_performer = read_windows(real, [who for who, clips in others.items() for _ in clips])
        judged = default_clips(range(2), ("start",), 2)
    clips = [clip for of_one in judged.values() for clip in of_one]
    who = [name for name, of_one in judged.items() for _ in of_one]
    ours = (read_windows(clips, who), read_windows(clips, [str(n) for n in range(len(clips))]))
    by_clip = read_windows(real, [str(n) for n in range(len(real))])
    distances = table_of_distances(ours, (by_performer, by_clip))
    rows = compare_figures(clips, real)
    inside = sum(row.inside for row in rows)
    note = f"{inside} of {len(rows)} figures lie within the range of the real strides."
    text = "\n".join([*distances, "", *(table_of_figures(rows) if rows else []), "", note])
    page = Path(words[1]) if len(words) > 1 else Path("naturalness.md")
    if page.is_file() and MARKS[0] in page.read_text():
        before, rest = page.read_text().split(MARKS[0])
        text = f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{rest.split(MARKS[1])[1]}"
    page.write_text(text)
    print("\n".join(distances))
    print(note)


if __name__ == "__main__":
    main(sys.argv[1:])
