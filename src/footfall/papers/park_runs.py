"""The runs of Park, Shin & Shin's experiments, each measured from plain joint positions."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from footfall.blending.control import Controller
from footfall.blending.drive import Chase, FollowPath, turn_limits
from footfall.blending.model import BlendSpace
from footfall.blending.record import Recording, record
from footfall.body.edit import mirror
from footfall.body.feet import foot_points
from footfall.files.scene.read import load_scene
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats
from footfall.maths.polyline import Polyline
from footfall.maths.runs import runs
from footfall.world.scene import Scene

GAITS = (("walk", 1.3), ("slow run", 2.4), ("fast run", 3.6))
_CORNERS = np.array(
    [[0.0, 0.0], [0.0, 6.0], [2.0, 12.0], [10.0, 15.0], [16.0, 10.0], [24.0, 10.0], [28.0, 18.0],
     [36.0, 20.0]]
)  # fmt: skip
_FPS = 60.0
_TOES_S = 0.15
_LEAST_RATE = np.radians(60.0)


@dataclass(frozen=True, eq=False)
class PathRun:
    """One path followed.

    achieved_m_s  over the inner half        off_m, heading_deg  from the path, root mean square
    drift_mm      of feet that stand, at most    sole_mm  of their soles from the ground
    ratio         of the fastest joint to the fastest in the examples
    """

    name: str
    asked_m_s: float
    achieved_m_s: float
    off_m: float
    heading_deg: float
    drift_mm: float
    sole_mm: float
    ratio: float
    frame_us: float
    path: Floats
    course: Floats


@dataclass(frozen=True, eq=False)
class ChaseRun:
    """A pointer chased: what was achieved (T, 3), and the measures of it.

    p99_ms, most_ms   of the processor's time for a frame: 99 % of them, and the longest
    """

    seconds: float
    ratio: float
    joint: str
    switches: int
    p99_ms: float
    most_ms: float
    achieved: Floats
    course: Floats
    pointer: Floats


def spline_path() -> Floats:
    """Return (N, 2) the B-spline path of the first experiment."""
    from scipy.interpolate import make_interp_spline

    at = np.linspace(0.0, 1.0, len(_CORNERS))
    return np.asarray(make_interp_spline(at, _CORNERS, k=3)(np.linspace(0.0, 1.0, 400)))


def follow_spline(space: BlendSpace, name: str, speed: float) -> PathRun:
    """Return the B-spline path followed on level ground."""
    return _follow(space, name, speed, spline_path(), None)


def walk_hills(space: BlendSpace) -> PathRun:
    """Return a walk over the hills, a NURBS terrain."""
    scene = load_scene("hills")
    query = scene.queries[0]
    path = np.array([[query.start.x, query.start.z], [query.goal.x, query.goal.z]])
    return _follow(space, "hills", 1.2, path, scene)


def _follow(
    space: BlendSpace, name: str, speed: float, path: Floats, scene: Scene | None
) -> PathRun:
    walker = Controller(space, None, scene)
    line = path[1] - path[0]
    walker.put([[*path[0], np.arctan2(line[0], line[1])]])
    driver = FollowPath(path, speed, turn_limits(space))
    began = time.thread_time()
    made = record(walker, driver, _FPS, 4.0 * driver.length_m / speed + 10.0, substeps=1)
    took = time.thread_time() - began
    curve = Polyline(path)
    along = curve.nearest(made.path[:, :2])
    inner = (along > 0.25 * curve.length_m) & (along < 0.75 * curve.length_m)
    rows = np.flatnonzero(inner)
    gone = np.hypot(*np.diff(made.path[rows, :2], axis=0).T).sum()
    heading = np.array([curve.heading(a) for a in along[rows]])
    turned = (made.path[rows, 2] - heading + np.pi) % (2.0 * np.pi) - np.pi
    drift, sole = foot_errors(made, scene)
    ratio, _ = joint_ratio(space, made)
    return PathRun(
        name, speed, float(gone * _FPS / max(len(rows) - 1, 1)),
        float(np.sqrt((curve.gaps(made.path[rows, :2]) ** 2).mean())),
        float(np.degrees(np.sqrt((turned**2).mean()))), drift, sole, ratio,
        1e6 * took / len(made.clip), path, made.path,
    )  # fmt: skip


def foot_errors(made: Recording, scene: Scene | None) -> tuple[float, float]:
    """Return how far standing points move, and are from the ground, millimetres at most.

    Heels stand while they are said to touch, toes from a moment later: they bend as they land.
    """
    clip = made.clip
    poses = clip.world
    points = foot_points(clip.skeleton)
    assert clip.contacts is not None
    drift, sole = [], []
    for f, side in enumerate(("left", "right")):
        heel, ball, _ = points.side(side)
        for column, point, wait_s in ((2 * f, heel, 0.0), (2 * f + 1, ball, _TOES_S)):
            at = poses.positions[:, point.joint] + quat.rotate(
                poses.rotations[:, point.joint], point.offset
            )
            ground = np.zeros(len(at)) if scene is None else scene.height(at[:, [0, 2]])
            for first, stop in runs(clip.contacts[:, column]).tolist():
                rows = slice(first + round(wait_s * clip.fps), stop)
                if rows.stop - rows.start >= 2:
                    away = at[rows] - at[rows].mean(axis=0)
                    drift.append(float(np.linalg.norm(away, axis=1).max()))
                    sole.append(float(np.abs(at[rows, 1] - ground[rows]).max()))
    return 1000.0 * max(drift, default=np.nan), 1000.0 * max(sole, default=np.nan)


def joint_ratio(space: BlendSpace, made: Recording) -> tuple[float, str]:
    """Return the fastest joint against the fastest that it is in the examples' clips, and which."""
    clips = {(e.clip.name, e.mirrored): e.clip for e in space.examples}
    shown = [mirror(c, keep_skeleton=True) if image else c for (_, image), c in clips.items()]
    most = np.max([_rates(clip.rotations, clip.fps) for clip in shown], axis=0)
    ratio = _rates(made.clip.rotations, made.clip.fps) / np.maximum(most, _LEAST_RATE)
    worst = int(np.argmax(ratio))
    return float(ratio[worst]), space.skeleton.names[worst]


def _rates(rotations: Floats, fps: float) -> Floats:
    return np.asarray(quat.angle_between(rotations[:-1], rotations[1:]).max(axis=0) * fps)


def chase_pointer(space: BlendSpace, seconds: float, seed: int) -> ChaseRun:
    """Return a pointer that wanders and leaps, chased at 60 Hz."""
    rng = np.random.default_rng(seed)
    walker = Controller(space)
    walker.put([[0.0, 0.0, 0.0]])
    driver = Chase(turn_limits(space))
    frames = round(seconds * _FPS)
    rows, took, pointer = [], np.empty(frames), np.zeros((frames, 2))
    target, drift = np.array([0.0, 4.0]), np.zeros(2)
    for n in range(frames):
        if n % 90 == 0:
            drift = rng.normal(size=2) * 1.2
        if n % 300 == 0:
            target = target + rng.normal(size=2) * 5.0
        target = target + drift / _FPS
        driver.target = float(target[0]), float(target[1])
        pointer[n] = target
        began = time.thread_time()
        walker.step(1.0 / _FPS, *driver.steer(walker.places[0], walker.achieved[0], 1.0 / _FPS))
        took[n] = time.thread_time() - began
        rows.append((
            walker.root[0].copy(), walker.rotations[0].copy(), walker.places[0].copy(),
            walker.achieved[0].copy(),
        ))  # fmt: skip
    root, rotations, course, achieved = (np.array(c) for c in zip(*rows, strict=True))
    clip = space.examples[0].clip.derive(
        root=root, rotations=quat.continuous(rotations), fps=_FPS,
        contacts=None, touches=None, name="chase",
    )  # fmt: skip
    made = Recording(clip, course, np.zeros((frames, 1)), achieved, np.zeros(frames, np.bool_))
    ratio, joint = joint_ratio(space, made)
    running = achieved[:, 2] > 0.5
    return ChaseRun(
        seconds, ratio, joint, int(np.abs(np.diff(running.astype(int))).sum()),
        1000.0 * float(np.quantile(took[5:], 0.99)), 1000.0 * float(took[5:].max()),
        achieved, course, pointer,
    )  # fmt: skip


@dataclass(frozen=True)
class WarpRun:
    """All weight moved at once from the slowest example to the fastest, at every generic time.

    naive_s, ours_s   the least that the time of the blend goes on in a frame: below 0, backwards
    """

    naive_s: float
    ours_s: float


def switch_examples(space: BlendSpace) -> WarpRun:
    """Return the timing when weights switch: plainly blended, and ours (Figure 4)."""
    from footfall.blending.kernels import advance_time

    whole = space.seconds.sum(axis=1)
    weights = np.eye(len(space))
    slow, fast = weights[int(whole.argmax())], weights[int(whole.argmin())]
    dt, naive, ours = 1.0 / _FPS, np.inf, np.inf
    for t in np.linspace(0.0, 0.95, 96):
        after = advance_time(t, dt, fast @ space.seconds)
        if after < t:
            continue
        there = _naive_time(after, fast, space.seconds)
        naive = min(naive, there - _naive_time(t, slow, space.seconds))
        ours = min(ours, there - _naive_time(t, fast, space.seconds))
    return WarpRun(float(naive), float(ours))


def _naive_time(t: float, weights: Floats, seconds: Floats) -> float:
    """Return the paper's plain blend of times: where in its stride a blend is, seconds."""
    first, second = weights @ seconds
    return float(2.0 * t * first if t < 0.5 else first + (2.0 * t - 1.0) * second)


def sway_cm(space: BlendSpace) -> float:
    """Return the RMS distance of hips from the arcs of the examples' strides (Figure 2)."""
    beside = np.concatenate([e.place[:, 0] for e in space.examples if e.speed_m_s > 0.0])
    return float(100.0 * np.sqrt((beside**2).mean()))
