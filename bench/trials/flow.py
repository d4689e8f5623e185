"""Plan tasks with foothold roadmaps and compare how the motions flow with how people go.

python -m bench.trials flow --to out/flow [--set odd] [--libraries default,cmu] [--families slot]

Each row is one task: seconds of motion over what a person needs for the straight way (`ratio`) and
for the way that was gone (`own_ratio`), inner stops, turning and net turning, and the share of
moving time off the facing direction. Motions are
written as BVH, so that other programs can read them.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from tools.test_clips import clips_folder

from bench.trials.generate import DEFAULT, FAMILIES, LIBRARIES, ROADMAP, lay_trial
from bench.trials.run import ENOUGH_S, TIME_S, plan_for, query_of

DUNGEON = "dungeon"
WANTED = (DUNGEON, "slot", "stones", "stairs up", "stairs down", "gap", "around", "heading")
DRAWS = 3
"""Trials of each family and library."""
PACE_M_S, ENDS_S = 1.2, 1.5
"""How fast people go past obstacles, and what starting and stopping takes."""


@dataclass(frozen=True)
class Task:
    """A query with its name; `straight_m` is the way from place to place."""

    name: str
    query: Any
    straight_m: float

    @property
    def person_s(self) -> float:
        """What a person needs."""
        return self.straight_m / PACE_M_S + ENDS_S


def dungeon_tasks() -> list[Task]:
    """Return the queries of the dungeon; the way is the straight line, though walls stand in it."""
    import footfall as f
    from footfall.files.scene.read import load_scene

    scene = load_scene(DUNGEON)
    found = []
    for asked in scene.queries:
        a, b = asked.start, asked.goal
        query = f.Query(f.Place(a.x, a.z, a.yaw), [f.GoTo(b.x, b.z, b.yaw)], scene=scene)
        found.append(Task(f"{DUNGEON} {asked.name}", query, math.dist((a.x, a.z), (b.x, b.z))))
    return found


def family_tasks(family: str, library: str, odd: bool) -> Iterator[Task]:
    """Yield the tasks of a family; even seeds are for tuning, odd ones for testing."""
    names = list(FAMILIES)
    for draw in range(DRAWS):
        number = 2 * draw + LIBRARIES.index(library) + (9 if odd else 0)
        seed = 2 * (number * len(names) + names.index(family)) + odd
        trial = lay_trial(seed, family, number, ROADMAP, library)
        points = [trial.start[:2], *(stage["at"] for stage in trial.stages)]
        straight = sum(math.dist(p, q) for p, q in pairwise(points))
        drawn = " ".join(f"{key}={value:g}" for key, value in trial.drawn.items())
        yield Task(f"{family} {drawn}", query_of(trial), straight)


def measure(task: Task, made: Any) -> dict[str, float]:
    """Return the numbers of a motion."""
    from footfall.gait.flow import flow

    own, seconds = flow(made.clip), len(made.clip) / made.clip.fps
    return {
        "seconds": round(seconds, 1), "ratio": round(seconds / task.person_s, 2),
        "own_ratio": round(own.duration_ratio, 2),
        "stops": own.inner_stops, "stopped_s": round(own.time_stopped_s, 1),
        "turned": round(own.turned_deg), "net": round(own.net_turn_deg),
        "crabwise": round(own.crabwise_share, 2), "moves": len(made.segments),
    }  # fmt: skip


def main(words: list[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m bench.trials flow")
    parser.add_argument("--to", type=Path, required=True, help="folder of the motions")
    parser.add_argument("--set", choices=("even", "odd"), default="even", help="of seeds")
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("--families", default=",".join(WANTED))
    given = parser.parse_args(words)
    given.to.mkdir(parents=True, exist_ok=True)
    import footfall

    rows: list[dict[str, Any]] = []
    for library in given.libraries.split(","):
        clips = library if library == DEFAULT else clips_folder() / library
        planner = footfall.planner(ROADMAP, library=clips)
        for family in given.families.split(","):
            if family == DUNGEON and library != DEFAULT:
                continue
            odd = given.set == "odd"
            tasks = dungeon_tasks() if family == DUNGEON else family_tasks(family, library, odd)
            for task in tasks:
                began = time.process_time()
                made = plan_for(planner, task.query, TIME_S, ENOUGH_S)
                cpu = time.process_time() - began
                row = {"library": library, "task": task.name, "cpu_s": round(cpu, 1)}
                if made.clip is not None and made.found:
                    row |= measure(task, made)
                    name = f"{library} {task.name}".replace(" ", "_")
                    footfall.save(made.clip, given.to / f"{name}.bvh")
                    row["clips"] = [segment.label for segment in made.segments]
                else:
                    row["reason"] = made.reason
                rows.append(row)
                print(json.dumps(row), flush=True)
    (given.to / "rows.json").write_text(json.dumps(rows, indent=1) + "\n")
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    stops = [row["stops"] for row in rows if "ratio" in row]
    if ratios:
        print(f"{len(ratios)} of {len(rows)} found; ratio {np.mean(ratios):.2f} on average, "
              f"{np.max(ratios):.2f} at most; {sum(stops)} inner stops")  # fmt: skip
