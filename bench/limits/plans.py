"""Plans of many paths, libraries and seeds, held against the limits of what people see.

python -m bench.limits plans [--libraries default,accad,cmu,mixed] [--paths …] [--seeds 5]
                             [--method graph]
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np
from scipy.spatial import cKDTree

from bench.limits import plain
from bench.limits.clips import LIMBS, real_clips
from footfall import Follow, GoTo, Place, Query, build_library, load_path, load_scene, open_library
from footfall import planner as make_planner
from footfall.library.library import Library
from footfall.task import Plan

LIBRARIES = ("default", "accad", "cmu", "mixed")
BUILT_IN = ("straight", "low", "high", "zigzag", "zigzag_sharp")
DRAWN = {
    "u_turn": [[0.0, 0.0], [0.0, 5.0], [0.05, 5.0], [0.05, 0.0]],
    "0.3 m": [[0.0, 0.0], [0.0, 0.3]],
    "1 m": [[0.0, 0.0], [0.0, 1.0]],
    "200 m": [[0.0, 0.0], [0.0, 200.0]],
}
SCENES = ("room", "plaza", "hills")


@dataclass(frozen=True)
class PlanRow:
    """One plan. Distances in metres, speeds in m/s, times in seconds.

    begins, ends  how far from the path's, or the query's, ends the hips begin and end
    facing        how far, degrees, the hips face from where they should, at the worse end
    off           the most by which the hips are away from the path (95th percentile)
    joint, toe    the largest ratio of a joint's speed to its fastest in the library
    repeats       the longest stretch that comes again exactly within 10 s
    last          how fast the body still is in the end
    speed, slowest  mean over the middle; the slowest second of it
    changes       transitions; short: pieces of less than a third of a second
    """

    library: str
    path: str
    seed: int
    status: str
    begins: float = 0.0
    ends: float = 0.0
    facing: float = 0.0
    off: float = 0.0
    joint: float = 0.0
    which: str = ""
    toe: float = 0.0
    gap_cm: float = 0.0
    knee_deg: float = 0.0
    drift_mm: float = 0.0
    repeats: float = 0.0
    last: float = 0.0
    speed: float = 0.0
    slowest: float = 0.0
    seconds: float = 0.0
    changes: int = 0
    short: int = 0
    took: float = 0.0
    reason: str = ""


def library_of(name: str, folder: Path) -> Library | str:
    """The default clips, or real ones by family, as a library in a folder."""
    if name == "default":
        return "default"
    place = folder / name
    files = [f for f, family in real_clips() if name in ("mixed", family)]
    build_library(place, files)
    return open_library(place)


def queries(names: Iterable[str]) -> Iterator[tuple[str, Query]]:
    """What is asked for, by name."""
    for name in names:
        if name in DRAWN:
            yield name, Query(stages=Follow(np.array(DRAWN[name])))
        elif name in BUILT_IN:
            yield name, Query(stages=Follow(load_path(name).points))
        else:
            scene = load_scene(name)
            for asked in scene.queries:
                start, goal = asked.start, asked.goal
                yield (
                    f"{name}: {asked.name}",
                    Query(
                        Place(start.x, start.z, start.yaw),
                        GoTo(goal.x, goal.z, goal.yaw),
                        scene=scene,
                    ),
                )


def peaks_of_sources(made: Plan, library: Library) -> dict[str, float]:
    """The fastest that each joint goes in the clips that a plan is made of."""
    best: dict[str, float] = {}
    for name in {source.clip for part in made.segments for source in part.sources}:
        if name in library:
            for role, peak in plain.peak_speeds(plain.body_of(library.clip(name))).items():
                best[role] = max(best.get(role, 0.0), peak)
    return best


def judge(
    name: str, path: str, seed: int, made: Plan, query: Query, library: Library, took: float
) -> PlanRow:
    """A plan held against its sources and its path."""
    row = PlanRow(name, path, seed, made.status, took=took, reason=made.reason)
    if made.clip is None:
        return row
    body = plain.body_of(made.clip)
    hips = 0.5 * (body.at["left_hip"] + body.at["right_hip"])[:, [0, 2]]
    line = np.asarray(made.path)
    if query.scene is not None:
        goal = query.stages[-1]
        assert query.start is not None
        assert isinstance(goal, GoTo)
        first, last = query.start.point, np.array([goal.x, goal.z])
        wanted = {0: query.start.yaw, -1: goal.yaw}
    else:
        follow = query.stages[0]
        assert isinstance(follow, Follow)
        first, last = np.asarray(follow.points)[[0, -1]]
        wanted = {}
    sources = peaks_of_sources(made, library)
    ratio = {
        role: peak / max(sources.get(role, np.inf), 60.0)
        for role, peak in plain.peak_speeds(body).items()
    }
    limbs = {r: v for r, v in ratio.items() if r.endswith(LIMBS)}
    which = max(limbs, key=lambda r: limbs[r])
    speeds = plain.root_speed(body)
    edge = round(1.5 * body.fps)
    middle = speeds[edge:-edge] if len(speeds) > 3 * edge else speeds
    second = max(1, min(len(middle), round(body.fps)))
    smooth = np.convolve(middle, np.full(second, 1.0 / second), mode="valid")
    third = body.fps / 3.0
    return replace(
        row,
        begins=float(np.linalg.norm(hips[0] - first)),
        ends=float(np.linalg.norm(hips[-1] - last)),
        facing=max(
            (abs(_turn(_facing(body, n), yaw)) for n, yaw in wanted.items() if yaw is not None),
            default=0.0,
        ),
        off=float(np.percentile(cKDTree(_dense(line)).query(hips)[0], 95)),
        joint=limbs[which],
        which=which,
        toe=max((v for r, v in ratio.items() if r.endswith("toe")), default=0.0),
        gap_cm=100.0 * float(plain.leg_gap_m(body).min()),
        knee_deg=float(np.median(plain.knees_deg(body))),
        drift_mm=plain.drift(body).p95_mm,
        repeats=plain.longest_repetition_s(body),
        last=float(speeds[-3:].mean()),
        speed=float(middle.mean()),
        slowest=float(smooth.min()),
        seconds=body.frames / body.fps,
        changes=sum(part.why == "transition" for part in made.segments),
        short=sum(part.why == "clip" and part.stop - part.first < third for part in made.segments),
    )


def _facing(body: plain.Body, frame: int) -> float:
    """The way the hips face, radians, positive to the left of +Z."""
    across = body.at["left_hip"][frame] - body.at["right_hip"][frame]
    return float(np.arctan2(-across[2], across[0]))


def _turn(a: float, b: float) -> float:
    """From one heading to another, degrees."""
    return float(np.degrees((a - b + np.pi) % (2.0 * np.pi) - np.pi))


def _dense(line: plain.Floats) -> plain.Floats:
    """Points of a line 1 cm apart."""
    steps = np.linalg.norm(np.diff(line, axis=0), axis=1)
    way = np.concatenate([[0.0], np.cumsum(steps)])
    at = np.arange(0.0, way[-1] + 0.01, 0.01)
    return np.column_stack([np.interp(at, way, line[:, k]) for k in range(2)])


def run(
    libraries: Iterable[str], paths: Iterable[str], seeds: int, folder: Path, method: str = "graph"
) -> Iterator[PlanRow]:
    """Every library, path and seed."""
    paths = list(paths)
    for name in libraries:
        given = library_of(name, folder)
        library = open_library("default") if isinstance(given, str) else given
        stays = make_planner(method, library=given)
        for path, query in queries(paths):
            for seed in range(seeds):
                began = time.perf_counter()
                made = stays.plan(replace(query, seed=seed))
                took = time.perf_counter() - began
                yield judge(name, path, seed, made, query, library, took)


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.limits plans")
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("--paths", default=",".join([*BUILT_IN, *DRAWN, *SCENES]))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=Path(gettempdir()) / "footfall_limits")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--method", default="graph")
    given = parser.parse_args(words)
    found = []
    which = given.libraries.split(","), given.paths.split(",")
    for row in run(*which, given.seeds, given.folder, given.method):
        print(
            f"{row.library:8s} {row.path:22s} {row.seed} {row.status:11s} begin {row.begins:.2f} "
            f"end {row.ends:.2f} facing {row.facing:3.0f} off {row.off:.2f} "
            f"joint {row.joint:4.2f} {row.which:14s} toe {row.toe:4.2f} gap {row.gap_cm:4.1f} "
            f"knee {row.knee_deg:4.1f} drift {row.drift_mm:4.1f} rep {row.repeats:4.1f} "
            f"last {row.last:.2f} speed {row.speed:.2f}/{row.slowest:.2f} {row.seconds:5.1f} s, "
            f"{row.changes}/{row.short}, took {row.took:.2f} {row.reason}",
            flush=True,
        )
        found.append(row)
    if given.csv and found:
        with given.csv.open("w", newline="") as out:
            writer = csv.DictWriter(out, list(asdict(found[0])))
            writer.writeheader()
            writer.writerows(asdict(row) for row in found)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
