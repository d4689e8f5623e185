"""Plans and live characters around corners, over slopes, up stairs, and at other time steps.

python -m bench.limits corners [--csv FILE] [--rows corners,slopes,stairs,steps] [--keep FOLDER]

Speeds, turns and leans are read from the joints of the finished clip: what goes is the middle of
the hips, seen over one stride; the body leans from the middle of its feet to that of its trunk.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from bench.limits.steering import clips_of, fastest, ratios, steer
from footfall import load_scene, plan, save
from footfall.adapt.steps.standing import stand_like
from footfall.blending.build import build_space
from footfall.files.task.paths import load_path
from footfall.maths.arrays import Floats
from footfall.maths.filters import smooth_gaussian
from footfall.maths.polyline import Polyline
from footfall.task import Follow, GoTo, Place, Plan, Query
from footfall.world.ground import grid_ground
from footfall.world.scene import Scene, rectangle

GRAVITY_M_S2, OVER_S = 9.81, 0.25
"""Joints are smoothed over about a stride."""
SLOPES = (-20, -15, -12, -8, -4, 0, 4, 8, 12, 15, 20)
RATES = (144, 60, 15)


@dataclass(frozen=True)
class Row:
    """What became of one plan or ride.

    seconds, metres   how long it lasts and how far the hips go
    slowest, fastest  m/s, away from the ends
    lean, balance     degrees: the lean into the curve where it is most, and atan(v ω / g) there
    off               how far the hips are from the path at most, metres
    foot              the fastest joint against its examples, at a time step
    """

    name: str
    status: str
    seconds: float = np.nan
    metres: float = np.nan
    slowest: float = np.nan
    fastest: float = np.nan
    lean: float = np.nan
    balance: float = np.nan
    off: float = np.nan
    foot: float = np.nan
    notes: str = ""


def corner(degrees: float, leg_m: float = 6.0) -> Floats:
    """A path with one corner."""
    turn = np.radians(degrees)
    return np.array(
        [[0.0, 0.0], [0.0, leg_m], [leg_m * np.sin(turn), leg_m * (1.0 + np.cos(turn))]]
    )


def circle(radius: float) -> Floats:
    angle = np.linspace(0.0, 1.8 * np.pi, 100)
    return radius * np.stack([1.0 - np.cos(angle), np.sin(angle)], axis=1)


def judge(name: str, made: Plan, path: Floats | None = None) -> Row:
    """Read a plan from the joints of its clip."""
    notes = "; ".join(made.notes)
    if made.clip is None or not made.found:
        return Row(name, f"{made.status}: {made.reason}", notes=notes)
    clip, width = made.clip, OVER_S * made.clip.fps
    places, roles = clip.positions, clip.skeleton.roles
    middles = [
        smooth_gaussian(np.mean([places[:, roles[r]] for r in parts], axis=0), width)
        for parts in (("left_ankle", "right_ankle"), ("left_hip", "right_hip"),
                      ("left_shoulder", "right_shoulder"))
    ]  # fmt: skip
    feet, hips, top = middles
    velocity = np.gradient(hips[:, [0, 2]], axis=0) * clip.fps
    speed = np.hypot(*velocity.T)
    turn = np.gradient(np.unwrap(np.arctan2(*velocity.T))) * clip.fps
    moving = np.flatnonzero(speed > 0.3)
    gone = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(hips[:, [0, 2]], axis=0).T))])
    inner = moving[(gone[moving] > 1.5) & (gone[moving] < gone[-1] - 1.5)]
    left = np.stack([velocity[:, 1], -velocity[:, 0]], axis=1) / np.maximum(speed, 0.1)[:, None]
    line = 0.5 * (hips + top) - feet
    lean = np.degrees(np.arctan2((line[:, [0, 2]] * left).sum(axis=1), line[:, 1]))
    needs = np.degrees(np.arctan(speed * turn / GRAVITY_M_S2))
    most = inner[np.argmax(np.abs(needs[inner]))] if len(inner) else 0
    off = np.nan if path is None else float(Polyline(path).gaps(hips[:, [0, 2]]).max())
    return Row(
        name, made.method, len(clip) / clip.fps, float(gone[-1]),
        float(speed[inner].min(initial=np.inf)), float(speed[inner].max(initial=0.0)),
        float(abs(lean[most])), float(abs(needs[most])), off, notes=notes,
    )  # fmt: skip


def corners(keep: Path | None) -> Iterator[Row]:
    """Zigzags, single corners and circles."""
    cases = [(name, load_path(name).points) for name in ("zigzag", "zigzag_sharp")]
    cases += [(f"corner {d}°", corner(d)) for d in (30, 60, 90, 120)]
    cases += [(f"circle {r:g} m", circle(r)) for r in (1.0, 2.0, 4.0)]
    for name, path in cases:
        for speed in (1.3, 3.0):
            found = plan(Query(stages=Follow(path), speed=speed), method="blending")
            _keep(keep, f"{name} {speed}", found)
            yield judge(f"{name} at {speed} m/s", found, path)


def slope_scene(degrees: float) -> Scene:
    """A plane that rises along z."""
    z = np.array([-8.0, 8.0])
    heights = np.tile(np.tan(np.radians(degrees)) * z[:, None], (1, 2))
    ground = grid_ground(heights, [-3.0, -8.0], [6.0, 16.0])
    return Scene(f"slope {degrees:g}", rectangle([-3.0, -8.0], [3.0, 8.0]), ground=ground)


def slopes(keep: Path | None) -> Iterator[Row]:
    for degrees in SLOPES:
        query = Query(Place(0.0, -6.0), GoTo(0.0, 6.0), slope_scene(degrees))
        for method in ("blending", "graph"):
            found = plan(query, method=method)
            _keep(keep, f"{method} slope {degrees}", found)
            yield judge(f"{method}, slope of {degrees}°", found)


def stairs(keep: Path | None) -> Iterator[Row]:
    scene = load_scene("stairs")
    for asked in scene.queries:
        start = Place(asked.start.x, asked.start.z, asked.start.yaw)
        query = Query(start, GoTo(asked.goal.x, asked.goal.z, asked.goal.yaw), scene)
        for method in ("blending", "auto"):
            found = plan(query, method=method)
            _keep(keep, f"{method} stairs {asked.name}", found)
            yield judge(f"{method}, stairs, {asked.name!r}", found)


def steps(keep: Path | None) -> Iterator[Row]:
    """The fastest joint of random steering at fixed time steps."""
    del keep
    clips = clips_of("park")
    space = build_space(clips, stand_like(clips[0]))
    top = fastest(clips)
    for rate in RATES:
        ride = steer(space, space.skeleton, None, 60.0, odd=False, rates=(1.0 / rate,))
        ratio = ratios(ride, top)
        worst = np.unravel_index(int(ratio.argmax()), ratio.shape)
        yield Row(f"steering at 1/{rate} s", ride.skeleton.names[worst[2]], foot=float(ratio.max()))


def _keep(folder: Path | None, name: str, found: Plan) -> None:
    if folder is not None and found.clip is not None:
        folder.mkdir(parents=True, exist_ok=True)
        save(found.clip, folder / (name.replace(" ", "_").replace("°", "") + ".bvh"))


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.limits corners")
    parser.add_argument("--rows", default="corners,slopes,stairs,steps")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--keep", type=Path, help="a folder for the motions, as BVH")
    given = parser.parse_args(words)
    kinds = {"corners": corners, "slopes": slopes, "stairs": stairs, "steps": steps}
    found = []
    for kind in given.rows.split(","):
        for row in kinds[kind](given.keep):
            found.append(row)
            values = {k: v for k, v in asdict(row).items() if isinstance(v, float) and v == v}
            print(row.name, row.status[:60], {k: round(v, 2) for k, v in values.items()},
                  row.notes, flush=True)  # fmt: skip
    if given.csv and found:
        with given.csv.open("w", newline="") as out:
            writer = csv.DictWriter(out, list(asdict(found[0])))
            writer.writeheader()
            writer.writerows(asdict(row) for row in found)
