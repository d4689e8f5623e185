"""Crowds held against their limits: bodies apart, walls, feet, and how many arrive.

    python -m bench.limits crowds [--people 500] [--seconds 60] [--seeds 0,1] [--scenes plaza,room]

Bodies are measured as capsules around their bones, all pairs, at every second frame; nothing here
calls the code that keeps them apart.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from bench.limits.plain import Floats

RATE_HZ = 30.0
TOUCH_M = 0.05
"""Bodies may overlap by so much: clothes give way."""
_NEAR_M = 1.6


@dataclass(eq=False)
class CrowdWatch:
    """What was seen of a crowd in a scene.

    overlap_m   the deepest overlap of two bodies      overlaps  (frame, a, b, depth) above 5 cm
    wall_m      how far a body was inside something     drift_mm  the furthest that a ball of a
    foot, once planted, moved away
    """

    skeleton: Any
    blocked: Any = None
    overlap_m: float = -np.inf
    wall_m: float = -np.inf
    drift_mm: float = 0.0
    overlaps: list[tuple[int, int, int, float, str, str]] = field(default_factory=list)
    _slid: Floats | None = None
    _before: Floats | None = None
    _parts: list[Any] = field(default_factory=list)
    _tree: Any = None

    def __post_init__(self) -> None:
        from footfall.body.capsules import body_capsules

        self.capsules = body_capsules(self.skeleton)
        roles = dict(self.skeleton.roles)
        parts = [] if self.blocked is None else list(shapely.get_parts(self.blocked))
        self._parts, self._tree = parts, shapely.STRtree(parts)
        self._feet = [(roles[f"{s}_ankle"], roles[f"{s}_toe"]) for s in ("left", "right")]

    def see(self, frame: int, crowd: Any, *, feet_only: bool = False) -> None:
        """Look at the present frame of a crowd."""
        places, turns = _world(self.skeleton, np.array(crowd.root), np.array(crowd.rotations))
        self._see_feet(self._soles(places, turns), np.array(crowd.contacts)[:, [1, 3]])
        if feet_only:
            return
        own = self.capsules
        ends = places[:, own.joints, None] + np.einsum(
            "nbij,bej->nbei", turns[:, own.joints], own.ends
        )
        self._see_pairs(frame, ends, own.radii)
        if self.blocked is not None:
            self._see_walls(ends, own.radii)

    def _soles(self, places: Floats, turns: Floats) -> Floats:
        """(N, 2, 2, 3) heel and ball of the soles."""
        out = []
        for ankle, toe in self._feet:
            ball = np.array(self.skeleton.offsets[toe])
            points = np.stack([[ball[0], ball[1], -0.06], ball])
            out.append(places[:, ankle, None] + np.einsum("nij,pj->npi", turns[:, ankle], points))
        return np.stack(out, axis=1)

    def _see_feet(self, soles: Floats, told: NDArray[np.bool_]) -> None:
        """A foot is down once it is told to touch and sinks no more, until it rises or is told to
        leave. Every frame it slides as far as that point of its sole does that stays best."""
        if self._before is None:
            self._before, self._slid = soles, np.full(soles.shape[:2], np.nan)
        step = soles - self._before
        lies = np.abs(step[:, :, 1, 1]) < 0.001
        flat = step[..., [0, 2]]
        line = flat[:, :, 1] - flat[:, :, 0]
        u = -(flat[:, :, 0] * line).sum(-1) / np.maximum((line**2).sum(-1), 1e-18)
        slid = np.linalg.norm(flat[:, :, 0] + np.clip(u, 0.0, 1.0)[..., None] * line, axis=-1)
        self._slid[~(told & lies)] = np.nan
        fresh = told & lies & np.isnan(self._slid)
        self._slid = np.where(fresh, 0.0, self._slid + slid)
        self.drift_mm = max(self.drift_mm, 1000.0 * float(np.nanmax(self._slid, initial=0.0)))
        self._before = soles

    def _see_pairs(self, frame: int, ends: Floats, radii: Floats) -> None:
        middle = ends.mean(axis=2)
        pairs = cKDTree(middle.mean(axis=1)[:, [0, 2]]).query_pairs(_NEAR_M, output_type="ndarray")
        if not len(pairs):
            return
        half = 0.5 * np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=-1) + radii
        first, second = pairs.T
        apart = np.linalg.norm(middle[first][:, :, None] - middle[second][:, None], axis=-1)
        hit = np.argwhere(apart < half[first][:, :, None] + half[second][:, None])
        if not len(hit):
            return
        p, a, b = hit.T
        n, m = first[p], second[p]
        depth = radii[a] + radii[b] - segments_apart(ends[n, a], ends[m, b])
        self.overlap_m = max(self.overlap_m, float(depth.max()))
        names = [self.skeleton.names[j] for j in self.capsules.joints]
        for pair in np.unique(p[depth > TOUCH_M]):
            mine = np.flatnonzero(p == pair)
            k = mine[np.argmax(depth[mine])]
            self.overlaps.append(
                (frame, int(n[k]), int(m[k]), float(depth[k]), names[a[k]], names[b[k]])
            )

    def _see_walls(self, ends: Floats, radii: Floats) -> None:
        middle = ends.mean(axis=(1, 2))
        near = self._tree.query(
            shapely.points(middle[:, 0], middle[:, 2]), predicate="dwithin", distance=1.0
        )
        for n, part in near.T:
            points = np.concatenate([ends[n, :, 0], ends[n].mean(axis=1), ends[n, :, 1]])
            flat, solid = shapely.points(points[:, [0, 2]]), self._parts[part]
            away = shapely.distance(flat, solid)
            inside = away <= 0.0
            if inside.any():
                away[inside] = -shapely.distance(flat[inside], solid.boundary)
            self.wall_m = max(self.wall_m, float((np.tile(radii, 3) - away).max()))


def segments_apart(a: Floats, b: Floats) -> Floats:
    """(K,) the least distance of segments a (K, 2, 3) and b (K, 2, 3)."""
    p, r = a[:, 0], b[:, 0]
    u, v = a[:, 1] - p, b[:, 1] - r
    w = p - r
    uu, uv, vv = (u * u).sum(1), (u * v).sum(1), (v * v).sum(1)
    uw, vw = (u * w).sum(1), (v * w).sum(1)
    s = np.clip((uv * vw - vv * uw) / np.maximum(uu * vv - uv * uv, 1e-12), 0.0, 1.0)
    for _ in range(8):  # each in turn takes the point nearest to the other's
        t = np.clip((uv * s + vw) / np.maximum(vv, 1e-12), 0.0, 1.0)
        s = np.clip((uv * t - uw) / np.maximum(uu, 1e-12), 0.0, 1.0)
    return np.asarray(np.linalg.norm(w + s[:, None] * u - t[:, None] * v, axis=1))


def _world(skeleton: Any, root: Floats, quats: Floats) -> tuple[Floats, Floats]:
    """(N, J, 3) places and (N, J, 3, 3) turns of joints, from the arrays alone."""
    w, x, y, z = np.moveaxis(quats / np.linalg.norm(quats, axis=-1, keepdims=True), -1, 0)
    own = np.empty((*quats.shape[:2], 3, 3))
    own[..., 0, 0], own[..., 0, 1] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z)
    own[..., 0, 2], own[..., 1, 0] = 2 * (x * z + w * y), 2 * (x * y + w * z)
    own[..., 1, 1], own[..., 1, 2] = 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    own[..., 2, 0], own[..., 2, 1] = 2 * (x * z - w * y), 2 * (y * z + w * x)
    own[..., 2, 2] = 1 - 2 * (x * x + y * y)
    places, turns = np.empty((*quats.shape[:2], 3)), np.empty_like(own)
    for j, parent in enumerate(skeleton.parents):
        if parent < 0:
            places[:, j], turns[:, j] = root, own[:, j]
        else:
            places[:, j] = places[:, parent] + turns[:, parent] @ np.array(skeleton.offsets[j])
            turns[:, j] = turns[:, parent] @ own[:, j]
    return places, turns


def _route(corridors: Any, start: Floats, goal: Floats) -> Floats | None:
    """A route, or none where there is no way."""
    from footfall.errors import FootfallError

    try:
        points = corridors.path(start, goal, 0.35).points
    except FootfallError:
        return None
    return points if len(points) > 1 else None


@dataclass(frozen=True, eq=False)
class CrowdTrial:
    """How a crowd fared: what was seen, the share that arrived, who stands still on the way."""

    watch: CrowdWatch
    arrived: float
    stuck: int
    seconds: float


def spots(corridors: Any, low: Floats, high: Floats, many: int, rng: Any, apart: float) -> Floats:
    """(N, 2) places that are free, and so far from each other."""
    out: list[Floats] = []
    while len(out) < many:
        place = rng.uniform(low, high)
        free = corridors.clearances(place[None])[0] > 0.5
        if (
            free
            and corridors.free.contains(shapely.Point(*place))
            and all(np.hypot(*(place - other)) > apart for other in out)
        ):
            out.append(place)
    return np.array(out)


def run_crowd(
    space: Any, scene: Any, people: int, seconds: float, seed: int, box: Any = None,
    every: int = 2, hook: Any = None,
) -> CrowdTrial:  # fmt: skip
    """Let people go from anywhere to anywhere in a scene, and watch."""
    from footfall.blending.control import Crowd
    from footfall.blending.crowd import Walkers
    from footfall.world.corridor.free_floor import walking_corridors

    rng = np.random.default_rng(seed)
    corridors = walking_corridors(scene)
    low, high = (scene.outline.min(axis=0), scene.outline.max(axis=0)) if box is None else box
    starts, goals = (spots(corridors, low, high, people, rng, 0.9) for _ in range(2))
    routes = [_route(corridors, a, b) for a, b in zip(starts, goals, strict=True)]
    walkers = Walkers(Crowd(space, space.skeleton, people, scene), scene, corridors)
    heading = [0.0 if r is None else np.arctan2(*(r[min(5, len(r) - 1)] - r[0])) for r in routes]
    walkers.place(np.column_stack([starts, heading]))
    walkers.send(routes, rng.uniform(1.0, 1.6, people))
    outside = corridors.bounds.buffer(5.0).difference(corridors.bounds)
    watch = CrowdWatch(space.skeleton, corridors.blocked.union(outside))
    took, moved = 0.0, np.zeros(people)
    mark = walkers.crowd.places[:, :2]
    for frame in range(round(seconds * RATE_HZ)):
        before = time.process_time()
        walkers.step(1.0 / RATE_HZ)
        took += time.process_time() - before
        if hook is not None:
            hook(frame, walkers, watch)
        watch.see(frame, walkers.crowd, feet_only=frame % every != 0)
        if frame % 300 == 299:
            now = walkers.crowd.places[:, :2]
            moved, mark = np.linalg.norm(now - mark, axis=1), now
    there = walkers.arrived
    stuck = int(((moved < 0.3) & ~there).sum())
    return CrowdTrial(watch, float(there.mean()), stuck, took)


def main(words: list[str]) -> None:
    """Run crowds and print what was seen of them."""
    from footfall.adapt.steps.standing import stand_like
    from footfall.blending.build import build_space
    from footfall.files.scene.read import load_scene
    from footfall.library.library import open_library

    parser = argparse.ArgumentParser("python -m bench.limits crowds")
    parser.add_argument("--people", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--scenes", default="plaza")
    parser.add_argument("--every", type=int, default=2)
    asked = parser.parse_args(words)
    clips = tuple(open_library("default:park"))
    space = build_space(clips, stand_like(clips[0]))
    print("| scene | people | s | seed | overlap, cm | above 5 cm | in walls, cm | drift, mm |"
          " arrived | stuck | CPU, s |")  # fmt: skip
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in asked.scenes.split(","):
        scene = load_scene(name)
        for seed in map(int, asked.seeds.split(",")):
            done = run_crowd(space, scene, asked.people, asked.seconds, seed, every=asked.every)
            seen = done.watch
            print(f"| {name} | {asked.people} | {asked.seconds:g} | {seed} | "
                  f"{100 * seen.overlap_m:.1f} | {len({h[1:3] for h in seen.overlaps})} | "
                  f"{100 * seen.wall_m:.1f} | {seen.drift_mm:.2f} | {100 * done.arrived:.0f} % | "
                  f"{done.stuck} | {done.seconds:.1f} |", flush=True)  # fmt: skip
