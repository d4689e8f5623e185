"""A plan held against the promises of foothold roadmaps, by plain code.

Joint positions come from scipy's rotations, the body is a set of rods of our own, solids are
those of `world`. What the planner says of itself is used as a description only: which clips it
played, where its footprints are, which points of the feet are planted when.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from bench.limits import plain
from bench.limits.clips import LIMBS
from bench.trials.world import Floats, World
from footfall.body.feet import foot_points

LIMITS: dict[str, float] = {
    "start_mm": 1.0,
    "goal_mm": 1.0,
    "root_m": 0.1,
    "prints": 0.0,
    "sole_cm": 2.0,
    "inside_cm": 1.0,
    "under_cm": 1.0,
    "drift_mm": 1.0,
    "joint": 1.5,
    "gap_cm": 0.0,
    "knee_deg": 5.0,
    "rest_m_s": 0.1,
    "repeats_s": 0.5,
    "echo_s": 1.0,
}
"""The most that is allowed of each figure of `PlanFigures`."""
_TOES_M, _STEP_M = 0.02, 0.04
RODS: tuple[tuple[str, str, float], ...] = (
    *((f"{s}_hip", f"{s}_knee", 0.065) for s in plain.SIDES),
    *((f"{s}_knee", f"{s}_ankle", 0.042) for s in plain.SIDES),
    *((f"{s}_ankle", f"{s}_toe", _TOES_M) for s in plain.SIDES),
    *((f"{s}_shoulder", f"{s}_elbow", 0.04) for s in plain.SIDES),
    *((f"{s}_elbow", f"{s}_wrist", 0.03) for s in plain.SIDES),
    ("left_hip", "right_hip", 0.09),
    ("hips", "neck", 0.10),
    ("left_shoulder", "right_shoulder", 0.05),
    ("neck", "head", 0.06),
)
"""Which joints a body is between, and its thickness there for legs of 0.85 m: a lean person."""


@dataclass(frozen=True)
class PlanFigures:
    """What is measured of a plan; see LIMITS.

    first, last         the first and last print of the left foot, metres, seen from the place and
                        heading asked for; its distance alone where any heading will do
    start_mm, goal_mm   how far those are from where the same stance has them in other plans
    root_m      the root at the worse end, from the place asked for
    prints      footprints over water, holes, edges, or inside something
    sole_cm     how far a sole is above or below the ground under its middle
    inside_cm   how deep a part of the body is in an obstacle, and when, in what
    under_cm    how deep heels and balls are under the ground
    drift_mm    how far a planted heel or ball moves away from its place
    joint       the fastest joint, against the fastest in the clips it is made of
    gap_cm      by how much legs are closer than in the clips, or than 4 cm
    knee_deg    median knee, against the same frames of the clips
    rest_m_s    how fast the hips are at the worse end
    repeats_s   the longest stretch that comes again exactly, within 10 s
    echo_s      the same of trunk, arms and head alone: feet may be elsewhere
    """

    first: tuple[float, ...]
    last: tuple[float, ...]
    root_m: float
    prints: int
    sole_cm: float
    inside_cm: float
    under_cm: float
    drift_mm: float
    joint: float
    gap_cm: float
    knee_deg: float
    rest_m_s: float
    repeats_s: float
    echo_s: float
    seconds: float
    steps: int
    notes: str
    start_mm: float = 0.0
    goal_mm: float = 0.0

    def beyond(self) -> list[str]:
        """The figures that are beyond their limits."""
        return [name for name, most in LIMITS.items() if not getattr(self, name) <= most + 1e-9]


@dataclass(frozen=True)
class SourceFigures:
    """What a clip of the library is like: fastest joints, least gap of the legs, knees."""

    peaks: dict[str, float]
    gap_m: float
    knees: Floats


End = tuple[float, float, float]


class Sources:
    """The clips of a library, each measured once."""

    def __init__(self, library: Any) -> None:
        self._library, self._known = library, dict[str, SourceFigures]()

    def __getitem__(self, name: str) -> SourceFigures:
        if name not in self._known:
            body = plain.body_of(self._library.clip(name))
            self._known[name] = SourceFigures(
                plain.peak_speeds(body), float(plain.leg_gap_m(body).min()), plain.knees_deg(body)
            )
        return self._known[name]


def measure(made: Any, world: World, sources: Sources, start: Floats, goal: Floats) -> PlanFigures:
    """A found plan in plain figures; start and goal are points (2,)."""
    body = plain.body_of(made.clip)
    notes: list[str] = []
    lefts = [np.asarray(p.p)[[0, 2]] for p in made.footprints if p.foot == 0]
    root = np.asarray(made.clip.root)[:, [0, 2]]
    off = [np.linalg.norm(at - end[:2]) for at, end in ((root[0], start), (root[-1], goal))]
    names = {s.clip for part in made.segments for s in part.sources}
    known = [sources[name] for name in sorted(names)]
    bad, sole = _check_prints(made, world, body.leg_m / 0.85, notes)
    hips = 0.5 * (body.at["left_hip"] + body.at["right_hip"])
    speed = np.linalg.norm(np.diff(hips, axis=0), axis=1) * body.fps
    under, drift = _check_feet(made.clip, body, world, notes)
    gap = float(plain.leg_gap_m(body).min())
    return PlanFigures(
        first=_seen_from(start, lefts[0]),
        last=_seen_from(goal, lefts[-1]),
        root_m=float(max(off)),
        prints=bad,
        sole_cm=sole,
        inside_cm=_deepest_cm(body, world, notes),
        under_cm=under,
        drift_mm=drift,
        joint=_joint_ratio(body, known, notes),
        gap_cm=100.0 * max(min(min(k.gap_m for k in known), 0.04) - gap, 0.0),
        knee_deg=_knee_change(made, body, sources),
        rest_m_s=float(max(speed[:3].mean(), speed[-3:].mean())),
        repeats_s=plain.longest_repetition_s(body),
        echo_s=plain.longest_repetition_s(_upper(made.clip, body)),
        seconds=body.frames / body.fps,
        steps=len(made.footprints),
        notes="; ".join(notes),
    )


def _seen_from(end: End, point: Floats) -> tuple[float, ...]:
    """Where a point is, seen from a place and a heading; its distance if there is none."""
    x, z = (point - end[:2]).tolist()
    if np.isnan(end[2]):
        return (float(np.hypot(x, z)),)
    c, s = np.cos(end[2]), np.sin(end[2])
    return (float(c * x - s * z), float(s * x + c * z))


def settle_ends(figures: list[PlanFigures]) -> list[PlanFigures]:
    """The same with how far first and last prints are from those of the same stance elsewhere.

    Somebody who stands at a place has the feet where their stance has them: whichever plan, the
    same to the millimetre. What is further than 5 mm from all others is a stance of its own.
    """
    spots = [spot for one in figures for spot in (one.first, one.last)]
    off = []
    for n, spot in enumerate(spots):
        others = [s for k, s in enumerate(spots) if k != n and len(s) == len(spot)]
        nearest = min((float(np.linalg.norm(np.subtract(s, spot))) for s in others), default=0.0)
        off.append(1000.0 * nearest if nearest < 0.005 else 0.0)
    pairs = zip(figures, off[::2], off[1::2], strict=True)
    return [replace(one, start_mm=first, goal_mm=last) for one, first, last in pairs]


def _check_prints(made: Any, world: World, size: float, notes: list[str]) -> tuple[int, float]:
    """How many footprints are not on firm ground; how far a sole is off its ground, cm."""
    prints = made.footprints
    places = np.array([p.p for p in prints])
    yaws = np.array([p.yaw for p in prints])
    ahead = np.column_stack([np.sin(yaws), np.cos(yaws)])
    aside = np.column_stack([ahead[:, 1], -ahead[:, 0]])
    bad = np.zeros(len(prints), np.bool_)
    # A print is halfway between heel and ball: heel, toes and both edges, 2 cm inside of a sole.
    for along, across in ((-0.06, 0.0), (0.11, 0.0), (0.0, -0.025), (0.0, 0.025)):
        at = places[:, [0, 2]] + size * (along * ahead + across * aside)
        ground = world.surface(at, places[:, 1] + 0.12)
        dry = ground > world.water_level(at)
        bad |= ~(np.isfinite(ground) & dry & (np.abs(ground - places[:, 1]) < 0.12))
        inside = np.column_stack([at[:, 0], places[:, 1] + 0.06, at[:, 1]])
        for solid in world.solids:
            bad |= solid.distance(inside) < -0.01
    middle = world.surface(places[:, [0, 2]], places[:, 1] + 0.12)
    off = 100.0 * np.abs(places[:, 1] - middle)
    for n in np.flatnonzero(bad)[:2].tolist():
        notes.append(f"print at ({places[n, 0]:.2f}, {places[n, 2]:.2f}) t={prints[n].t:.1f}")
    return int(bad.sum()), float(np.nanmax(off, initial=0.0))


def _deepest_cm(body: plain.Body, world: World, notes: list[str]) -> float:
    """How deep any part of the body is inside an obstacle, at any frame."""
    size = body.leg_m / 0.85
    worst, note = 0.0, ""
    for first, last, radius in RODS:
        if first not in body.at or last not in body.at:
            continue
        a, b = body.at[first], body.at[last]
        count = max(2, int(np.ceil(float(np.linalg.norm(b - a, axis=1).max()) / _STEP_M)) + 1)
        shares = np.linspace(0.0, 1.0, count)[:, None, None]
        points = (a + shares * (b - a)).reshape(-1, 3)
        for solid in world.solids:
            near = (np.abs(points - solid.centre) <= solid.reach + radius * size).all(axis=1)
            rows = np.flatnonzero(near)
            if not len(rows):
                continue
            deep = radius * size - solid.distance(points[rows])
            n = int(np.argmax(deep))
            if deep[n] > worst:
                frame = int(rows[n] % body.frames)
                worst, note = float(deep[n]), f"{first} in {solid.name} t={frame / body.fps:.1f}"
    if 100.0 * worst > LIMITS["inside_cm"]:
        notes.append(note)
    return 100.0 * worst


def _check_feet(clip: Any, body: plain.Body, world: World, notes: list[str]) -> tuple[float, float]:
    """How deep heels and balls get under the ground, cm; how far planted ones move, mm."""
    turns, places = _world_turns(clip)
    points = foot_points(clip.skeleton)
    under = drift = 0.0
    for column, point in enumerate(
        (points.left_heel, points.left_ball, points.right_heel, points.right_ball)
    ):
        at = places[:, point.joint] + turns[point.joint].apply(np.array(point.offset))
        ground = world.surface(at[:, [0, 2]], at[:, 1] + 0.15)
        deep = 100.0 * np.nan_to_num(ground - at[:, 1], nan=0.0)
        if deep.max() > max(under, LIMITS["under_cm"]):
            notes.append(f"foot under ground t={deep.argmax() / body.fps:.1f}")
        under = max(under, float(deep.max()))
        for first, stop in _runs(np.asarray(clip.contacts)[:, column]):
            run = at[first:stop][:, [0, 2]]
            away = 1000.0 * np.linalg.norm(run - np.median(run, axis=0), axis=1)
            if away.max() > max(drift, LIMITS["drift_mm"]):
                notes.append(f"drift {away.max():.1f} mm t={first / body.fps:.1f}")
            drift = max(drift, float(away.max()))
    return under, drift


def _world_turns(clip: Any) -> tuple[list[Rotation], Floats]:
    quats, skeleton = np.asarray(clip.rotations), clip.skeleton
    turns: list[Rotation] = []
    places = np.empty((*quats.shape[:2], 3))
    for j, parent in enumerate(skeleton.parents):
        own = Rotation.from_quat(quats[:, j, [1, 2, 3, 0]])
        if parent < 0:
            turns.append(own)
            places[:, j] = np.asarray(clip.root)
        else:
            turns.append(turns[parent] * own)
            offset = turns[parent].apply(np.array(skeleton.offsets[j]))
            places[:, j] = places[:, parent] + offset
    return turns, places


def _upper(clip: Any, body: plain.Body) -> plain.Body:
    """The same body with its root and without its legs."""
    parents = [int(p) for p in clip.skeleton.parents]
    legs: set[int] = {body.roles["left_hip"], body.roles["right_hip"]}
    for j, parent in enumerate(parents):
        if parent in legs:
            legs.add(j)
    kept = [0, *(j for j in range(1, len(parents)) if j not in legs)]
    return replace(body, turns=body.turns[:, kept])


def _runs(mask: Any) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _joint_ratio(body: plain.Body, known: list[SourceFigures], notes: list[str]) -> float:
    """The largest ratio of a joint's speed to its fastest in the clips."""
    speeds = plain.joint_speeds(body)
    worst, note = 0.0, ""
    for role, speed in speeds.items():
        if not role.endswith(LIMBS):
            continue
        peak = max(max((k.peaks.get(role, 0.0) for k in known), default=0.0), 60.0)
        ratio = float(speed.max()) / peak
        if ratio > worst:
            worst, note = ratio, f"{role} {ratio:.2f}x t={speed.argmax() / body.fps:.2f}"
    if worst > LIMITS["joint"]:
        notes.append(note)
    return worst


def _knee_change(made: Any, body: plain.Body, sources: Sources) -> float:
    """By how much the median knee differs from that of the frames it comes from, degrees."""
    now = plain.knees_deg(body)
    here, there = [], []
    for part in made.segments:
        source = max(part.sources, key=lambda one: float(one.weight))
        knees = sources[source.clip].knees
        count = min(part.stop - part.first, len(knees) - source.frame)
        here.append(now[part.first : part.first + count])
        there.append(knees[source.frame : source.frame + count])
    if not here:
        return 0.0
    return abs(float(np.median(np.concatenate(here)) - np.median(np.concatenate(there))))
