"""The answers to random questions as a page of tables.

python -m bench.trials page trials.csv --to docs/roadmap_trials.md
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

import numpy as np

from bench.trials.checks import LIMITS
from bench.trials.oracle import BAD_GOAL, BAD_START, IMPOSSIBLE, LEAP, NARROW, STEP, WALK

Rows = list[dict[str, str]]

HEADS = {
    "start_mm": "first print off, mm",
    "goal_mm": "last print off, mm",
    "root_m": "ends off, m",
    "prints": "bad prints",
    "sole_cm": "soles off the ground, cm",
    "inside_cm": "in obstacles, cm",
    "under_cm": "feet under ground, cm",
    "drift_mm": "drift, mm",
    "joint": "joint speed, ×",
    "gap_cm": "legs too close, cm",
    "knee_deg": "knees, °",
    "rest_m_s": "speed at the ends, m/s",
    "repeats_s": "repeats, s",
    "echo_s": "upper body repeats, s",
}


def answers_table(rows: Rows) -> list[str]:
    """What was asked and what came of it, scene by scene."""
    lines = [
        "| scene | asked | surely solvable: solved | with steps: solved | narrow: solved "
        "| leaps or tight places: solved | impossible: refused | wrong reasons "
        "| time, median (95 %), s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in [*dict.fromkeys(r["scene"] for r in rows), "all"]:
        own = [r for r in rows if name in (r["scene"], "all")]
        took = [float(r["took_s"]) for r in own]
        cells = [_solved(own, (grade,)) for grade in (WALK, STEP, NARROW, LEAP)]
        never = [r for r in own if r["grade"] in (IMPOSSIBLE, BAD_START, BAD_GOAL)]
        refused = sum(r["status"] != "found" for r in never)
        wrong = sum(r["verdict"] == "wrong reason" for r in own)
        lines.append(
            f"| {name} | {len(own)} | {' | '.join(cells)} | {refused} of {len(never)} | {wrong} "
            f"| {np.median(took):.2f} ({np.percentile(took, 95):.2f}) |"
        )
    return lines


def _solved(rows: Rows, grades: tuple[str, ...]) -> str:
    own = [r for r in rows if r["grade"] in grades]
    return f"{sum(r['status'] == 'found' for r in own)} of {len(own)}"


def limits_table(rows: Rows) -> list[str]:
    """How many plans are beyond each limit, and the worst figure of each, scene by scene."""
    found = [r for r in rows if r["status"] == "found"]
    lines = [
        f"| scene | plans | {' | '.join(HEADS.values())} |",
        "|---" * (len(HEADS) + 2) + "|",
        f"| *limit* | | {' | '.join(f'{LIMITS[name]:g}' for name in HEADS)} |",
    ]
    for name in [*dict.fromkeys(r["scene"] for r in rows), "all"]:
        own = [r for r in found if name in (r["scene"], "all")]
        cells = [_worst([float(r[key]) for r in own], LIMITS[key]) for key in HEADS]
        lines.append(f"| {name} | {len(own)} | {' | '.join(cells)} |")
    return lines


def _worst(values: list[float], most: float) -> str:
    if not values:
        return "–"
    beyond = sum(not v <= most + 1e-9 for v in values)
    return f"{max(values):.2f}" + (f" (**{beyond}**)" if beyond else "")


def reasons_table(rows: Rows) -> list[str]:
    """Why queries were refused, by what the flood fill says of them."""
    lines = ["| what the flood fill says | status | how many | for instance |", "|---|---|---|---|"]
    counts: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], str] = {}
    for row in rows:
        if row["status"] != "found":
            key = row["grade"], row["status"]
            counts[key] += 1
            examples.setdefault(key, f"{row['scene']}: {row['reason']}")
    for key, count in sorted(counts.items()):
        lines.append(f"| {key[0]} | {key[1]} | {count} | {examples[key]} |")
    return lines


def page(rows: Rows) -> str:
    """The whole page."""
    scenes = len({r["scene"] for r in rows})
    parts = [
        "# Roadmaps on trial",
        "",
        f"{len(rows)} random queries in {scenes} built-in scenes, start and goal anywhere, two in "
        "three with headings. Made and judged by `python -m bench.trials run`, whose flood fill "
        "and measures share no code with the planner: ground from scipy's splines, areas from "
        "shapely, joints by scipy's rotations, the body as rods.",
        "",
        "The flood fill grades each query: *surely solvable* by walking, for a body 0.8 m wide on "
        "nearly level ground; *with steps* up to 0.2 m and slopes up to 25°, 0.6 m wide; *narrow*, "
        "0.4 m wide; *impossible* where even a leap of 2.5 m over anything lower than the hips "
        "does not help, or nobody can stand at the start or the goal. Everything else needs leaps, "
        "hurdles, or standing close to something; whether it can be done is not known. Times are "
        "of whole answers on a busy machine, in which a roadmap may have been made denser.",
        "",
        *answers_table(rows),
        "",
        "## Limits",
        "",
        "The worst figure of all found plans, and in brackets how many are beyond the limit. "
        "*First* and *last print*: against the footholds of somebody who stands at the place "
        "asked for. *Legs too close*: by how much closer than in the clips, or than 4 cm. "
        "*Knees*: the median, against the same frames of the clips.",
        "",
        *limits_table(rows),
        "",
        "## Why queries were refused",
        "",
        *reasons_table(rows),
    ]
    return "\n".join(parts) + "\n"


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.trials page")
    parser.add_argument("csv", type=Path, nargs="+")
    parser.add_argument("--to", type=Path)
    given = parser.parse_args(words)
    rows = [row for file in given.csv for row in csv.DictReader(file.open())]
    text = page(rows)
    if given.to:
        given.to.write_text(text, encoding="utf-8")
    else:
        print(text)
