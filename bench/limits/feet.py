"""How far feet that stand move, seen in written files alone.

python -m bench.limits feet [--libraries default,FOLDER,…] [--methods graph,blending,…]
                            [--paths straight,low,…] [--keep FOLDER]

A BVH file is read with nothing but its own text: joint positions are worked out from its channels,
and a foot stands where its heel or ball is low and slow. Nothing of Footfall finds, holds or judges
anything here.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import minimum_filter1d
from scipy.spatial.transform import Rotation

from bench.limits.plans import queries
from footfall import open_library, planner, save
from footfall.body.clip import Clip
from footfall.task.file import load_task

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "tasks"
Floats = NDArray[np.float64]

GENEROUS_M_S, STRICT_M_S = 0.5, 0.2
"""A point that is slower than this is held to stand."""
LOW_M, ABOUT_S, SHORT_S = {"heel": 0.01, "ball": 0.025}, 0.6, 0.1
"""So long as it is less above the lowest it is within such a time; and not for a moment only."""
PATHS = ("straight", "low", "zigzag_sharp", "u_turn", "1 m", "room")
TASKS = ("river", "pick", "sit", "duck", "jump", "chair")
"""What an optimal motion is asked for: examples/tasks."""
_FOOT = re.compile(r"(left|right|^l|^r)_?(foot|ankle)$", re.I)
_HEEL_BEHIND, _HEEL_BELOW = 0.47, 0.65
"""How far behind and below the ankle a heel is, as shares of the level way from ankle to ball."""


@dataclass(frozen=True)
class Written:
    """Joints of a BVH file: names, parents, positions (T, J, 3) in metres, turns, frame rate."""

    names: list[str]
    parents: list[int]
    at: Floats
    turns: list[Rotation]
    fps: float


@dataclass(frozen=True)
class Stand:
    """A point of a foot that stands from frame `first` up to `stop`, and how far it strays, mm."""

    point: str
    first: int
    stop: int
    mm: float


def read_written(path: Path, metres: float = 0.01) -> Written:
    """The joints of a BVH file whose unit is so many metres."""
    head, tail = path.read_text().split("MOTION")
    names, parents, offsets, channels = [], [], [], []
    stack: list[int] = []
    for line in head.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT", "End"):
            parents.append(stack[-1] if stack else -1)
            names.append(" ".join(words[1:]) if words[0] != "End" else f"{names[stack[-1]]} end")
            offsets.append(np.zeros(3))
            channels.append([])
        elif words[0] == "{":
            stack.append(len(names) - 1)
        elif words[0] == "}":
            stack.pop()
        elif words[0] == "OFFSET":
            offsets[-1] = metres * np.array([float(w) for w in words[1:4]])
        elif words[0] == "CHANNELS":
            channels[-1] = words[2:]
    rows = tail.strip().splitlines()
    fps = 1.0 / float(rows[1].split()[-1])
    table = np.array([[float(w) for w in row.split()] for row in rows[2:] if row.strip()])
    at = np.zeros((len(table), len(names), 3))
    turns: list[Rotation] = []
    column = 0
    for j, parent in enumerate(parents):
        place = np.broadcast_to(offsets[j], (len(table), 3)).copy()
        own = Rotation.identity(len(table))
        for word in channels[j]:
            axis = "XYZ".index(word[0].upper())
            if word.lower().endswith("position"):
                place[:, axis] = metres * table[:, column]
            else:
                own = own * Rotation.from_euler("xyz"[axis], table[:, column, None], degrees=True)
            column += 1
        if parent < 0:
            at[:, j] = place
            turns.append(own)
        else:
            at[:, j] = at[:, parent] + turns[parent].apply(place)
            turns.append(turns[parent] * own)
    return Written(names, parents, at, turns, fps)


def foot_points(written: Written) -> dict[str, Floats]:
    """(T, 3) heel and ball of each foot.

    The ball is the joint of the toes. The heel goes along with the foot: behind the ankle and as
    low as the toes' end when the foot is where it is lowest.
    """
    found = {}
    for j, name in enumerate(written.names):
        if not _FOOT.search(name):
            continue
        toe = next((k for k, p in enumerate(written.parents) if p == j), None)
        if toe is None:
            continue
        ankle, ball = written.at[:, j], written.at[:, toe]
        flat = int(np.argmin(ankle[:, 1] + ball[:, 1]))
        ahead = (ball - ankle)[flat] * [1.0, 0.0, 1.0]
        behind = -_HEEL_BEHIND * ahead
        behind[1] = -_HEEL_BELOW * float(np.hypot(ahead[0], ahead[2]))
        arm = written.turns[j][flat].inv().apply(behind)
        found[f"{name} heel"] = ankle + written.turns[j].apply(arm)
        found[f"{name} ball"] = ball
    return found


def stands(written: Written, slow_m_s: float) -> list[Stand]:
    """When heels and balls stand, and how far each strays from the middle of where it is then."""
    found, fps = [], written.fps
    for name, point in foot_points(written).items():
        if len(point) < 3:
            continue
        speed = np.linalg.norm(np.gradient(point, 1.0 / fps, axis=0), axis=1)
        floor = minimum_filter1d(point[:, 1], 2 * round(ABOUT_S * fps) + 1)
        on = (speed < slow_m_s) & (point[:, 1] < floor + LOW_M[name.split()[-1]])
        edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
        for first, stop in edges.reshape(-1, 2).tolist():
            if stop - first >= SHORT_S * fps:
                run = point[first:stop][:, [0, 2]]
                away = np.linalg.norm(run - np.median(run, axis=0), axis=1)
                found.append(Stand(name, first, stop, 1000.0 * float(away.max())))
    return found


def written_plans(library: str, method: str, paths: list[str]) -> Iterator[tuple[str, Clip]]:
    """Plans of a method with a library, by what was asked for."""
    asked = list(queries(paths))
    if method == "optimal":
        tasks = [load_task(EXAMPLES / f"{task}.toml") for task in TASKS]
        asked = [(task.name, task.query) for task in tasks]
        library = "default:safonova" if library == "default" else library
    given = library if library.startswith("default") else open_library(library)
    stays = planner(method, library=given)
    for name, query in asked:
        made = stays.plan(query)
        if made.clip is not None:
            yield name, made.clip


def drifts(clips: Iterator[tuple[str, Clip]], folder: Path) -> dict[tuple[str, float], list[float]]:
    """Millimetres that heels and balls stray, by point and by what is held to be slow."""
    found: dict[tuple[str, float], list[float]] = {}
    for name, clip in clips:
        file = folder / (re.sub(r"[^\w.-]+", "_", name) + ".bvh")
        save(clip, file)
        written = read_written(file)
        for slow in (GENEROUS_M_S, STRICT_M_S):
            for stand in stands(written, slow):
                found.setdefault((stand.point.split()[-1], slow), []).append(stand.mm)
    return found


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.limits feet")
    parser.add_argument("--libraries", default="default")
    parser.add_argument("--methods", default="graph,blending,roadmap,optimal")
    parser.add_argument("--paths", default=",".join(PATHS))
    parser.add_argument("--keep", type=Path, help="keep the written files in this folder")
    given = parser.parse_args(words)
    print("library | motions | point | slower than | stands | p50 | p95 | most, mm")
    for library in given.libraries.split(","):
        for method in ("clips", *given.methods.split(",")):
            with TemporaryDirectory() as passing:
                folder = Path(passing) if given.keep is None else given.keep / library / method
                folder.mkdir(parents=True, exist_ok=True)
                clips = (
                    ((c.name, c) for c in open_library(library))
                    if method == "clips"
                    else written_plans(library, method, given.paths.split(","))
                )
                for (point, slow), mm in sorted(drifts(clips, folder).items()):
                    low, high, most = np.percentile(mm, [50.0, 95.0, 100.0])
                    print(
                        f"{library} | {method} | {point} | {slow} m/s | {len(mm)} | {low:.1f} | "
                        f"{high:.1f} | {most:.1f}",
                        flush=True,
                    )
