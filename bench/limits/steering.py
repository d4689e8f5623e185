"""Live characters steered at random for minutes, held against the limits of what people see.

python -m bench.limits steering [--libraries park,accad,cmu16] [--sizes 0.7,1,1.4]
                                [--grounds flat,hills] [--minutes 10] [--csv FILE] [--page]

Wishes change at any time: walks, runs, turns on the spot, stops, reversals, numbers that are none;
frames last a 60th or a 30th of a second, now and then none or two seconds. What comes out is seen
as plain positions: contacts are found by height and speed, and the controller is asked nothing but
for its poses.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation
from tools.stamps import stamped

from bench.limits import plain
from bench.limits.clips import real_clips
from footfall import load, load_scene, open_library
from footfall.adapt.retarget.retarget import retarget
from footfall.adapt.steps.standing import stand_like
from footfall.blending.build import build_space
from footfall.blending.control import Crowd
from footfall.blending.model import BlendSpace
from footfall.body.clip import Clip
from footfall.body.feet import foot_of
from footfall.body.skeleton import Skeleton
from footfall.world.scene import Scene

DOCS = Path(__file__).resolve().parents[2] / "docs" / "dev"
LIBRARIES, SIZES, GROUNDS = ("park", "accad", "cmu16"), (0.7, 1.0, 1.4), ("flat", "hills")
MANY = 10
"""So many characters at once: a tenth of the time each."""
LEAST_DEG_S = 60.0
"""Joints slower than this in all examples may go as fast as this."""
MOST = 1.5
SHORTEST_S = 1.0 / 240.0
"""Frames closer together than this count as that far apart."""
LONGEST_S = 0.05
"""Whether a foot stands is not known over longer frames."""
SLOW_M_S, NEAR_M, STILL_M_S, STANDS_S = 0.1, 0.005, 0.01, 0.1
"""A foot that is slower and lower than this stands, from when it is first still to when it last
is, if that is long enough."""
ODD = (np.nan, np.inf, -np.inf, 1e300, -1e300, -5.0, 0.0, 40.0)


@dataclass(frozen=True)
class SteeringRow:
    """What became of some minutes of steering.

    joint, which, over_pct  the largest ratio of a joint's speed to its fastest in the examples;
                     of which joint; in how many frames one was above 1.5
    drift_mm, slid   the farthest that a standing point moved; in how many of the stands 0.5 mm
    sink_mm, float_mm   the deepest that a sole was in the ground; the highest that one stood
    gap_cm, gap_source_cm  the least gap between the legs, and in the examples, scaled
    low, low_source  how high hips are above the ground at least, leg lengths, and in the examples
    """

    library: str
    size: float
    ground: str
    minutes: float
    joint: float
    which: str
    over_pct: float
    stands: int
    drift_mm: float
    slid: int
    sink_mm: float
    float_mm: float
    gap_cm: float
    gap_source_cm: float
    low: float
    low_source: float


# ---- what is steered -----------------------------------------------------------------------


def clips_of(name: str) -> list[Clip]:
    """The clips of a library by name, on one skeleton."""
    if name == "park":
        return list(open_library("default:park"))
    if name == "accad":
        wanted = [f for f, _ in real_clips() if f.stem.startswith(("Male1_B", "Male1_C"))]
    else:
        wanted = [f for f, family in real_clips() if f.stem.startswith("16_") and family == "cmu"]
    clips = [load(file) for file in wanted if file.suffix == ".bvh"]
    return [clips[0], *(retarget(clip, clips[0].skeleton) for clip in clips[1:])]


def scaled(skeleton: Skeleton, size: float) -> Skeleton:
    """The same character, larger or smaller."""
    return replace(skeleton, offsets=np.array(skeleton.offsets) * size)


def wishes(
    rng: np.random.Generator,
    crowd: Crowd,
    scene: Scene | None,
    seconds: float,
    odd: bool = True,
    rates: tuple[float, ...] = (1 / 60, 1 / 30),
) -> Iterator[tuple[float, plain.Floats, plain.Floats]]:
    """Time steps, speeds and turns that change at random; who comes near the rim turns back."""
    count = len(crowd)
    hold, speed, turn = np.zeros(count), np.zeros(count), np.zeros(count)
    since, rate, left = 0.0, 1.0 / 60.0, 0.0
    middle, room = _middle(scene)
    while since < seconds:
        for n in np.flatnonzero(hold <= 0.0):
            hold[n] = rng.uniform(0.2, 4.0)
            speed[n], turn[n] = _wish(rng, odd)
        if left <= 0.0:
            rate, left = float(rng.choice(rates)), rng.uniform(0.5, 5.0)
        strange = odd and rng.uniform() < 0.004
        dt = float(rng.choice([0.0, 1e-9, 1e-4, 0.1, 2.0])) if strange else rate
        asked, turned = speed.copy(), turn.copy()
        for n, (x, z, heading) in enumerate(crowd.places):
            if np.hypot(x - middle[0], z - middle[1]) > room:
                back = np.arctan2(middle[0] - x, middle[1] - z) - heading
                asked[n] = 1.2
                turned[n] = np.clip(2.0 * ((back + np.pi) % (2.0 * np.pi) - np.pi), -1.0, 1.0)
        yield dt, asked, turned
        hold, since, left = hold - dt, since + dt, left - dt


def _wish(rng: np.random.Generator, odd: bool) -> tuple[float, float]:
    kinds = (
        (0.0, 0.0),
        (0.0, rng.uniform(-2, 2)),
        (rng.uniform(0.1, 1.9), rng.uniform(-1, 1)),
        (rng.uniform(0.1, 1.9), rng.uniform(-1, 1)),
        (rng.uniform(2, 4), rng.uniform(-1, 1)),
        (rng.uniform(2, 4), rng.uniform(-1, 1)),
        (rng.uniform(-1, 6), rng.uniform(-4, 4)),
        (float(rng.choice(ODD)), float(rng.choice(ODD))),
    )
    return kinds[rng.integers(len(kinds) if odd else len(kinds) - 1)]


def _middle(scene: Scene | None) -> tuple[plain.Floats, float]:
    if scene is None:
        return np.zeros(2), np.inf
    low, high = scene.outline.min(axis=0), scene.outline.max(axis=0)
    return 0.5 * (low + high), float(0.5 * (high - low).min() - 3.0)


# ---- what comes out ------------------------------------------------------------------------


@dataclass(frozen=True)
class Ride:
    """Frames of N characters: time steps (T,), roots (T, N, 3) and rotations (T, N, J, 4)."""

    dt: plain.Floats
    root: plain.Floats
    rotations: plain.Floats
    skeleton: Skeleton

    def clip(self, n: int) -> Any:
        """One character's frames; their rate is of no matter."""
        return Clip(self.skeleton, 60.0, self.root[:, n], self.rotations[:, n], name=str(n))


def steer(
    space: BlendSpace, character: Skeleton, scene: Scene | None, seconds: float,
    *, seed: int = 1, many: int = MANY, odd: bool = True,
    rates: tuple[float, ...] = (1 / 60, 1 / 30),
) -> Ride:  # fmt: skip
    """Steer characters at random."""
    rng = np.random.default_rng(seed)
    crowd = Crowd(space, character, many, scene)
    middle, _ = _middle(scene)
    start = np.zeros((many, 3))
    start[:, :2] = middle + rng.uniform(-1.0, 1.0, (many, 2))
    start[:, 2] = np.linspace(0.0, 6.0, many)
    crowd.put(start)
    frames = []
    for dt, speed, turn in wishes(rng, crowd, scene, seconds, odd, rates):
        root, rotations = crowd.step(dt, speed, turn)
        frames.append((dt, root.copy(), rotations.copy()))
    return Ride(*(np.array(part) for part in zip(*frames, strict=True)), character)


def fastest(clips: list[Clip]) -> dict[str, float]:
    """How fast joints turn at most in clips, by name, both sides alike, degrees a second."""
    top: dict[str, float] = {}
    for clip in clips:
        body = plain.body_of(clip, 60.0)
        for j, name in enumerate(body.names):
            turned = Rotation.from_quat(body.turns[:, j, [1, 2, 3, 0]])
            step = np.degrees((turned[:-1].inv() * turned[1:]).magnitude()) * body.fps
            top[name] = max(top.get(name, LEAST_DEG_S), float(step.max(initial=0.0)))
    skeleton = clips[0].skeleton
    both = {role: top[skeleton.names[j]] for role, j in skeleton.roles.items()}
    for role, j in skeleton.roles.items():
        side, _, part = role.partition("_")
        other = {"left": "right", "right": "left"}.get(side, side) + "_" + part
        top[skeleton.names[j]] = max(both[role], both.get(other, 0.0))
    return top


def ratios(ride: Ride, top: dict[str, float]) -> plain.Floats:
    """(T - 1, N, J) how fast joints turn against their fastest."""
    out = []
    for j, name in enumerate(ride.skeleton.names):
        now = ride.rotations[:, :, j, [1, 2, 3, 0]]
        before, after = (Rotation.from_quat(part.reshape(-1, 4)) for part in (now[:-1], now[1:]))
        angle = np.degrees((before.inv() * after).magnitude()).reshape(now[1:].shape[:2])
        out.append(angle / np.maximum(ride.dt[1:], SHORTEST_S)[:, None] / top[name])
    return np.stack(out, axis=2)


@dataclass(frozen=True)
class Soles:
    """How far standing points moved, how high they stood, how deep any point was, millimetres."""

    drifts: plain.Floats
    heights: plain.Floats
    sink: float


def soles(ride: Ride, scene: Scene | None) -> Soles:
    """Heels and balls of all characters against their ground."""
    drifts, heights, sink = [], [np.zeros(0)], 0.0
    for n in range(ride.root.shape[1]):
        for heel, ball, joint in _sole_points(ride, n):
            over = np.stack([point[:, 1] - _ground(scene, point) for point in (heel, ball)])
            sink = max(sink, -float(over.min()))
            moved = np.stack([_moved(heel), _moved(joint)])
            # Whatever a foot turns about does not move: its heel, its ball, or both.
            for first, stop in _stands(moved.min(axis=0), over.min(axis=0), ride.dt):
                drifts.append(moved.min(axis=0)[first + 1 : stop].sum())
            still = np.maximum(_moved(heel, 3), _moved(ball, 3))
            for first, stop in _stands(still, over.max(axis=0), ride.dt, STILL_M_S, 2.0 * NEAR_M):
                heights.append(over[:, first:stop].max(axis=0))
    return Soles(1000.0 * np.array(drifts), 1000.0 * np.concatenate(heights), 1000.0 * sink)


def _moved(point: plain.Floats, ways: int = 2) -> plain.Floats:
    """(T,) how far a point went since the frame before, over the ground or in all three ways."""
    steps = np.linalg.norm(np.diff(point[:, [0, 2, 1][:ways]], axis=0), axis=1)
    return np.concatenate([[0.0], steps])


def _sole_points(ride: Ride, n: int) -> Iterator[list[plain.Floats]]:
    """(T, 3) heel and ball of the sole of each foot, and the joint above its ball."""
    skeleton = ride.skeleton
    places, turns = _world(skeleton, ride.root[:, n], ride.rotations[:, n])
    for side in plain.SIDES:
        foot = foot_of(skeleton, side)
        ankle, turned = places[:, foot.ankle], turns[foot.ankle]
        points = (foot.heel, foot.ball, foot.ball_joint)
        yield [ankle + turned.apply(np.array(arm)) for arm in points]


def _world(skeleton: Any, root: plain.Floats, quats: plain.Floats) -> tuple[Any, list[Any]]:
    world: list[Any] = []
    places = np.empty((*quats.shape[:2], 3))
    for j, parent in enumerate(skeleton.parents):
        own = Rotation.from_quat(quats[:, j, [1, 2, 3, 0]])
        world.append(own if parent < 0 else world[parent] * own)
        places[:, j] = root
        if parent >= 0:
            places[:, j] = places[:, parent] + world[parent].apply(np.array(skeleton.offsets[j]))
    return places, world


def _ground(scene: Scene | None, points: plain.Floats) -> plain.Floats:
    if scene is None:
        return np.zeros(len(points))
    found = scene.height(points[:, [0, 2]], points[:, 1] + 0.25)
    return np.where(np.isfinite(found), found, points[:, 1])


def _stands(
    moved: plain.Floats, over: plain.Floats, dt: plain.Floats, slow: float = SLOW_M_S,
    near: float = NEAR_M,
) -> list[tuple[int, int]]:  # fmt: skip
    """First and stop frames of the times when a foot stands, from its first to its last still
    frame: while it is low and slow."""
    per_s = moved / np.maximum(dt, 1e-3)
    low = (over < near) & (per_s < slow) & (dt < LONGEST_S)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], low, [False]]).astype(int)))
    clock = np.cumsum(dt)
    spans = []
    for a, b in edges.reshape(-1, 2):
        still = a + np.flatnonzero((per_s[a:b] < STILL_M_S) & (dt[a:b] > SHORTEST_S))
        if len(still) and clock[still[-1]] - clock[still[0]] > STANDS_S:
            spans.append((int(still[0]), int(still[-1]) + 1))
    return spans


def judge(
    library: str, size: float, ground: str, ride: Ride, clips: list[Clip], scene: Scene | None
) -> SteeringRow:
    """A ride held against its examples and its ground."""
    ratio = ratios(ride, fastest(clips))
    worst = np.unravel_index(int(ratio.argmax()), ratio.shape)
    found = soles(ride, scene)
    bodies = [plain.body_of(ride.clip(n)) for n in range(ride.root.shape[1])]
    sources = [plain.body_of(clip) for clip in clips]
    return SteeringRow(
        library, size, ground, float(ride.dt.sum() * len(bodies) / 60.0),
        joint=float(ratio.max()), which=f"{ride.skeleton.names[worst[2]]} {worst[0]} {worst[1]}",
        over_pct=100.0 * float((ratio.max(axis=2) > MOST).mean()),
        stands=len(found.drifts), drift_mm=float(found.drifts.max(initial=0.0)),
        slid=int((found.drifts > 0.5).sum()), sink_mm=found.sink,
        float_mm=float(found.heights.max(initial=0.0)),
        gap_cm=100.0 * min(float(plain.leg_gap_m(b).min()) for b in bodies),
        gap_source_cm=100.0 * size * min(float(plain.leg_gap_m(b).min()) for b in sources),
        low=min(float(_hips(b, scene).min()) for b in bodies),
        low_source=min(float(_hips(b, None).min()) for b in sources),
    )  # fmt: skip


def _hips(body: plain.Body, scene: Scene | None) -> plain.Floats:
    hips = 0.5 * (body.at["left_hip"] + body.at["right_hip"])
    ground = np.zeros(len(hips))
    if scene is not None:
        ground = np.nan_to_num(scene.height(hips[:, [0, 2]], hips[:, 1]), nan=0.0)
    return (hips[:, 1] - ground) / body.leg_m


def run(libraries: list[str], sizes: list[float], grounds: list[str], minutes: float,
        seed: int = 1) -> Iterator[SteeringRow]:  # fmt: skip
    """Every library, size and ground."""
    for library in libraries:
        clips = clips_of(library)
        space = build_space(clips, stand_like(clips[0]))
        for ground in grounds:
            scene = None if ground == "flat" else load_scene(ground)
            for size in sizes:
                ride = steer(
                    space, scaled(space.skeleton, size), scene, 60.0 * minutes / MANY, seed=seed
                )
                yield judge(library, size, ground, ride, clips, scene)


def _line(row: SteeringRow) -> str:
    return (
        f"{row.library:6s} {row.size:3.1f} {row.ground:8s} {row.minutes:5.1f} min: "
        f"joint {row.joint:5.2f} {row.which:22s} over {row.over_pct:6.3f} % "
        f"drift {row.drift_mm:6.2f} ({row.slid} of {row.stands}) "
        f"sink {row.sink_mm:6.1f} float {row.float_mm:5.1f} "
        f"gap {row.gap_cm:4.1f}/{row.gap_source_cm:4.1f} low {row.low:.2f}/{row.low_source:.2f}"
    )


def page(found: list[SteeringRow]) -> str:
    """The table as a page of the documentation."""
    names = {"park": "default clips", "accad": "ACCAD", "cmu16": "CMU 16"}
    lines = [
        "# Live characters held against their limits",
        "",
        f"{found[0].minutes:.0f} minutes of random steering for each row: walks, runs, turns on "
        "the spot, reversals, sudden stops, wishes that are no numbers or absurd ones, frames of "
        "a 60th and a 30th of a second, and now and then of none or of two seconds. Measured "
        "from plain joint positions by `python -m bench.limits steering`, which asks the "
        "controller for nothing but its poses; feet that stand are found by height and speed. "
        "[Blending](../concepts/blending.md) describes how.",
        "",
        "- **joint**: the largest speed of a joint, against its fastest in the clips; *over* is "
        "how many frames had one above 1.5",
        "- **drift**: the farthest that a foot moved from its first to its last still frame, so "
        "long as it is less than 5 mm above the ground, just let go or not; *slid* is how many "
        "of the stands moved by more than 0.5 mm",
        "- **sink, float**: the deepest that a sole was in the ground, swinging or not; the "
        "highest above it that one stood",
        "- **leg gap**: the least distance between the axes of shanks and feet; in the clips",
        "- **hips**: how low hips came over the ground, leg lengths; in the clips",
        "",
        "| clips | size | ground | joint | over | drift, mm | slid | sink, mm | float, mm "
        "| leg gap, cm | hips |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {names.get(r.library, r.library)} | {r.size:g} | {r.ground} | {r.joint:.2f} × "
        f"| {r.over_pct:.3f} % | {r.drift_mm:.1f} | {r.slid} of {r.stands:,} | {r.sink_mm:.1f} "
        f"| {r.float_mm:.1f} | {r.gap_cm:.1f} ({r.gap_source_cm:.1f}) "
        f"| {r.low:.2f} ({r.low_source:.2f}) |"
        for r in found
    ]
    return "\n".join(lines) + "\n"


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.limits steering")
    parser.add_argument("--libraries", default=",".join(LIBRARIES))
    parser.add_argument("--sizes", default=",".join(f"{s:g}" for s in SIZES))
    parser.add_argument("--grounds", default=",".join(GROUNDS))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--page", action="store_true", help="write docs/dev/steering_limits.md")
    given = parser.parse_args(words)
    sizes = [float(s) for s in given.sizes.split(",")]
    found = []
    for row in run(
        given.libraries.split(","), sizes, given.grounds.split(","), given.minutes, given.seed
    ):
        found.append(row)
        print(_line(row), flush=True)
    if given.page and found:
        (DOCS / "steering_limits.md").write_text(stamped(page(found)))
    if given.csv and found:
        with given.csv.open("w", newline="") as out:
            writer = csv.DictWriter(out, list(asdict(found[0])))
            writer.writeheader()
            writer.writerows(asdict(row) for row in found)
