"""Random queries in every built-in scene, each answer judged by plain code.

python -m bench.trials run [--scenes room,island] [--queries 200] [--seed 0] [--csv FILE]
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.trials import checks
from bench.trials.oracle import BAD_GOAL, BAD_START, IMPOSSIBLE, WALK, Oracle
from footfall import GoTo, Place, Query, load_scene, open_library
from footfall import planner as make_planner
from footfall.task import FOUND, GOAL_NOT_VALID, NO_CLIP, NO_PATH, START_NOT_VALID, Plan

SCENES = (
    "columns", "course", "crevice", "dungeon", "hills", "island", "paths", "plaza", "rivers",
    "room", "stairs", "zigzag",
)  # fmt: skip
LIBRARY = "default:choi"
_REFUSALS = (NO_PATH, NO_CLIP, START_NOT_VALID, GOAL_NOT_VALID)


@dataclass(frozen=True)
class Asked:
    """One query: x, z, yaw of both ends; the heading is NaN where any will do."""

    scene: str
    number: int
    start: tuple[float, float, float]
    goal: tuple[float, float, float]

    def query(self, scene: Any, seed: int = 0) -> Query:
        """The same for a planner."""
        (x, z, yaw), (gx, gz, goal_yaw) = self.start, self.goal
        start = Place(x, z, None if np.isnan(yaw) else yaw)
        return Query(
            start, GoTo(gx, gz, None if np.isnan(goal_yaw) else goal_yaw), scene=scene, seed=seed
        )


@dataclass(frozen=True)
class Row:
    """One query and what became of it.

    grade    what the flood fill says of it
    verdict  "solved", "refused rightly", or what is wrong with the answer
    """

    scene: str
    number: int
    start: str
    goal: str
    grade: str
    status: str
    verdict: str
    beyond: str = ""
    took_s: float = 0.0
    cpu_s: float = 0.0
    reason: str = ""
    figures: checks.PlanFigures | None = None

    def flat(self) -> dict[str, Any]:
        """All of it by name."""
        found = asdict(self)
        figures = found.pop("figures") or {}
        return found | figures


def queries(scene: Any, name: str, count: int, seed: int) -> Iterator[Asked]:
    """Starts and goals evenly over the scene, whether valid or not; two in three with headings."""
    rng = np.random.default_rng([seed, SCENES.index(name) if name in SCENES else 99])
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    for number in range(count):
        ends = rng.uniform([*low, -np.pi], [*high, np.pi], (2, 3))
        ends[rng.random(2) < 1.0 / 3.0, 2] = np.nan
        start, goal = (tuple(float(v) for v in end) for end in ends)
        yield Asked(name, number, start, goal)  # type: ignore[arg-type]


def judge_answer(oracle: Oracle, asked: Asked, made: Plan) -> tuple[str, str]:
    """What the flood fill says of a query, and whether the answer is right."""
    start, goal = np.array(asked.start[:2]), np.array(asked.goal[:2])
    grade = oracle.grade(start, goal)
    if made.status == FOUND:
        wrong = grade in (IMPOSSIBLE, BAD_START, BAD_GOAL)
        return grade, "impossible, but solved" if wrong else "solved"
    if grade == WALK:
        return grade, "solvable, but refused"
    # A reason that blames a place is wrong where somebody surely can stand; one that blames none
    # is wrong where nobody can.
    blamed = {START_NOT_VALID: start, GOAL_NOT_VALID: goal}.get(made.status)
    if blamed is not None and oracle.is_sure(blamed):
        return grade, "wrong reason"
    if grade in (BAD_START, BAD_GOAL):
        return grade, "wrong reason" if blamed is None else "refused rightly"
    if made.status not in _REFUSALS:
        return grade, "wrong reason"
    return grade, "refused rightly" if grade == IMPOSSIBLE else "refused"


def trial(
    name: str, count: int, seed: int = 0, library: Any = LIBRARY, only: Iterable[int] | None = None
) -> Iterator[Row]:
    """Random queries in a scene, asked of one planner."""
    scene = load_scene(name)
    oracle = Oracle(scene)
    planner = make_planner("roadmap", library=library, scene=scene)
    sources = checks.Sources(open_library(library) if isinstance(library, str) else library)
    chosen = None if only is None else set(only)
    for asked in queries(scene, name, count, seed):
        if chosen is not None and asked.number not in chosen:
            continue
        began, busy = time.perf_counter(), time.process_time()
        made = planner.plan(asked.query(scene, 0))
        took, cpu = time.perf_counter() - began, time.process_time() - busy
        grade, verdict = judge_answer(oracle, asked, made)
        figures = None
        if made.status == FOUND:
            figures = checks.measure(made, oracle.world, sources, asked.start, asked.goal)
        yield Row(
            name, asked.number, _say(asked.start), _say(asked.goal), grade, made.status, verdict,
            " ".join(figures.beyond()) if figures else "", took, cpu, made.reason, figures,
        )  # fmt: skip


def _say(end: tuple[float, float, float]) -> str:
    return f"{end[0]:.3f},{end[1]:.3f}" + ("" if np.isnan(end[2]) else f",{end[2]:.3f}")


def show(row: Row) -> str:
    """A row in a line."""
    line = (
        f"{row.scene:8s} {row.number:3d} {row.grade:10s} {row.verdict:22s} {row.took_s:6.2f} s "
        f"{row.start} -> {row.goal}"
    )
    if row.figures is None:
        return f"{line}: {row.status}: {row.reason}"
    values = " ".join(
        f"{k}={getattr(row.figures, k):.2f}" for k in row.beyond.split() if k != "prints"
    )
    return f"{line} {'BEYOND ' + row.beyond if row.beyond else ''} {values} {row.figures.notes}"


def settle(rows: list[Row]) -> list[Row]:
    """The rows of one planner, with how far their first and last prints are from their stances."""
    found = [row for row in rows if row.figures is not None]
    settled = checks.settle_ends([row.figures for row in found if row.figures is not None])
    known = dict(zip((row.number for row in found), settled, strict=True))
    return [
        replace(row, figures=known[row.number], beyond=" ".join(known[row.number].beyond()))
        if row.number in known
        else row
        for row in rows
    ]


def write_rows(rows: list[Row], file: Path) -> None:
    """All rows as CSV."""
    names = list(dict.fromkeys(k for row in rows for k in row.flat()))
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, names)
        writer.writeheader()
        writer.writerows(row.flat() for row in rows)


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.trials run")
    parser.add_argument("--scenes", default=",".join(SCENES))
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--library", default=LIBRARY)
    parser.add_argument("--only", help="numbers of queries")
    parser.add_argument("--csv", type=Path)
    given = parser.parse_args(words)
    only = None if given.only is None else [int(n) for n in given.only.split(",")]
    rows: list[Row] = []
    for name in given.scenes.split(","):
        own = []
        for row in trial(name, given.queries, given.seed, given.library, only):
            print(show(row), flush=True)
            own.append(row)
        rows += settle(own)
        if given.csv:
            write_rows(rows, given.csv)
