"""Smooth the shortest route: clearance beside walls, gentle turns, even steps.

The shortest route hugs every corner it turns about. Here it becomes an elastic rod under tension,
bent sideways within what is free on either side: the body's radius holds as a limit, the
preferred distance from walls pulls softly, stiffness rounds the turns. It takes the place of the
attraction force of the Corridor Map Method (Geraerts & Overmars 2007), whose paths wiggle with
the backbone and whose curvature cannot be limited.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from footfall.maths.arrays import Floats
from footfall.maths.easing import tridiagonal
from footfall.world.corridor.build import Outlines

_MARGIN = 0.004
"""Clearance (m) kept beyond the radius where there is room: what a chord may cut off an arc."""
_WALL_STIFFNESS = 3.0
"""How strongly (1/m^2) walls nearer than preferred push, beside a tension of one."""
_ROUNDS, _ROUNDS_TO_TURN = 4, 24
_TINY = 1e-7
_SECOND = (1.0, -2.0, 1.0)
_HAIR, _FINER = 0.002, (1, 8, 64)


@dataclass(frozen=True)
class Elastic:
    """What shapes a path, beside walls and limits.

    stiff_length_m: the length over which a turn is spread by itself. tension: how strongly the
    path gets shorter. stay: how strongly (1/m^2) it keeps to where it was.
    """

    stiff_length_m: float = 0.35
    tension: float = 1.0
    stay: float = 0.0


TAUT = Elastic()


@dataclass(frozen=True, eq=False)
class Curve:
    """Even points (N, 2) in metres, directions (N, 2) unit, curvatures (N,) in 1/m.

    clearances (N,): metres to the nearest obstacle, where they are known already.
    """

    points: Floats
    directions: Floats
    curvatures: Floats
    clearances: Floats | None = None

    @cached_property
    def length_m(self) -> float:
        """Length of the polyline through the points."""
        return float(steps(self.points).sum())

    @cached_property
    def turn_radius_m(self) -> float:
        """The smallest turning radius, at the points and from each point to the next."""
        chords = steps(self.points)
        a, b = self.directions[:-1], self.directions[1:]
        turns = np.arctan2(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]), (a * b).sum(axis=1))
        between = float((turns / np.maximum(chords, 1e-9)).max(initial=0.0))
        return 1.0 / max(float(np.abs(self.curvatures).max(initial=0.0)), between, 1e-9)


def steps(points: Floats) -> Floats:
    """Distances (N - 1,) from each of points (N, 2) to the next."""
    return np.asarray(np.hypot(*np.diff(points, axis=0).T))


def even_points(points: Floats, step: float) -> Floats:
    """Return the polyline (N, 2) at even steps of at most `step` metres, ends included: (M, 2)."""
    along = np.concatenate([[0.0], np.cumsum(steps(points))])
    count = max(2, int(np.ceil(along[-1] / step - 1e-9)) + 1)
    at = np.linspace(0.0, along[-1], count)
    return np.stack([np.interp(at, along, points[:, i]) for i in range(2)], axis=1)


def spline_through(knots: Floats, step: float) -> Curve:
    """Return the cubic spline through knots (N, 2) in even steps of at most `step`."""
    chord = steps(knots)
    knots = knots[np.concatenate([[True], chord > 1e-9])]
    if len(knots) < 2:
        knots = np.stack([knots[0], knots[0]])
        return Curve(knots, np.array([[0.0, 1.0]] * 2), np.zeros(2))
    at = np.concatenate([[0.0], np.cumsum(steps(knots))])
    bends = _natural_bends(at, knots)
    fine = np.linspace(0.0, at[-1], max(2, 2 * len(knots), int(np.ceil(at[-1] / step))))
    speed = np.hypot(*_along_spline(at, knots, bends, fine)[1].T)
    along = np.concatenate([[0.0], np.cumsum(0.5 * (speed[1:] + speed[:-1]) * np.diff(fine))])
    count = max(2, int(np.ceil(along[-1] / step - 1e-9)) + 1)
    where = np.interp(np.linspace(0.0, along[-1], count), along, fine)
    points, first, second = _along_spline(at, knots, bends, where)
    size = np.maximum(np.hypot(*first.T), 1e-12)
    cross = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    points[0], points[-1] = knots[0], knots[-1]
    return Curve(points, first / size[:, None], cross / size**3)


def _natural_bends(at: Floats, knots: Floats) -> Floats:
    """Return (N, 2) second derivatives of the natural cubic spline through knots (N, 2) at (N,).

    `scipy.interpolate.CubicSpline` has the same, but its import takes longer than most plans.
    """
    bends, wide = np.zeros_like(knots), np.diff(at)
    if len(knots) > 2:
        rise = np.diff(knots, axis=0) / wide[:, None]
        inner = wide[1:-1]
        bends[1:-1] = tridiagonal(
            inner, 2.0 * (wide[1:] + wide[:-1]), inner, 6.0 * np.diff(rise, axis=0)
        )
    return bends


def _along_spline(
    at: Floats, knots: Floats, bends: Floats, where: Floats
) -> tuple[Floats, Floats, Floats]:
    """Places, first and second derivatives (M, 2) of a spline, known by its bends, at (M,)."""
    n = np.clip(np.searchsorted(at, where, side="right") - 1, 0, len(at) - 2)
    wide = np.diff(at)[n][:, None]
    u = (where - at[n])[:, None] / wide
    v = 1.0 - u
    a, b, rise = bends[n], bends[n + 1], (knots[n + 1] - knots[n]) / wide
    places = v * knots[n] + u * knots[n + 1]
    places += wide**2 / 6.0 * ((v**3 - v) * a + (u**3 - u) * b)
    first = rise + wide / 6.0 * ((1.0 - 3.0 * v * v) * a + (3.0 * u * u - 1.0) * b)
    return places, first, v * a + u * b


def is_clear(outlines: Outlines, points: Floats, radius: float) -> tuple[bool, Floats, Floats]:
    """Return whether the polyline keeps `radius` metres clear, and its clearances.

    Stretches that cannot come near are not measured: theirs is a lower bound.
    """
    at = outlines.clearances(points)
    step = steps(points)
    between = np.minimum(at[1:], at[:-1]) - 0.5 * step
    near = np.nonzero(between < radius)[0]
    if len(near) and (at > 0).all():
        ends = np.hstack([points[near], points[near + 1]])
        between[near] = outlines.stretch_clearances(ends, np.full(len(near), radius + 1.0))
    clear = bool((at >= radius - _TINY).all() and (between >= radius - 8 * _TINY).all())
    return clear, at, between


def smooth(
    outlines: Outlines,
    route: Floats,
    radius: float,
    *,
    prefer: float,
    turn_radius: float | None,
    step: float,
    elastic: Elastic = TAUT,
) -> Curve | None:
    """Return a smooth path near the `route` (N, 2), `radius` metres clear, or None.

    prefer: metres to keep beyond the radius where there is room. turn_radius: the path turns no
    tighter where that can be had. elastic: how the path is shaped.
    """
    spacing = float(np.clip(0.4 * radius, 0.02, 0.12))
    knots = even_points(route, spacing)
    if len(knots) < 9:
        knots = even_points(route, float(steps(route).sum()) / 8)
    curve: Curve | None = None
    for turn in range(_ROUNDS):
        knots = outlines.push_clear(knots, radius + _MARGIN)
        knots = _bend(outlines, knots, radius, prefer, elastic, np.inf)
        if turn > 0:
            curve = _if_clear(outlines, knots, step, radius, turn == _ROUNDS - 1)
            if curve is not None:
                break
        knots = even_points(knots, spacing)
    if turn_radius is None or (curve is not None and curve.turn_radius_m >= turn_radius):
        return curve
    wider = _turn_wider(outlines, knots, radius, prefer, elastic, turn_radius, step)
    found = [c for c in (curve, wider) if c is not None]
    return max(found, key=lambda c: c.turn_radius_m) if found else None


def _turn_wider(
    outlines: Outlines,
    knots: Floats,
    radius: float,
    prefer: float,
    elastic: Elastic,
    turn_radius: float,
    step: float,
) -> Curve | None:
    """Return the curve of widest turns that comes out when the limit is pressed upon the knots."""
    spacing = float(steps(knots).mean())
    limit = 0.97 / turn_radius
    best: Curve | None = None
    tries = 0
    for turn in range(_ROUNDS_TO_TURN):
        knots = outlines.push_clear(knots, radius + _MARGIN)
        knots = _bend(outlines, knots, radius, prefer, elastic, limit)
        curve = spline_through(knots, step)
        last = (curve.turn_radius_m >= turn_radius and tries < 2) or turn == _ROUNDS_TO_TURN - 1
        tries += last
        clear = _if_clear(outlines, knots, step, radius, last)
        if clear is not None and (best is None or clear.turn_radius_m > best.turn_radius_m):
            best = clear
            if best.turn_radius_m >= turn_radius:
                break
        if turn > 0:  # what the spline adds between knots
            limit *= float(np.clip(curve.turn_radius_m / turn_radius, 0.96, 1.0))
        knots = spline_through(knots, spacing).points
    return best


def _if_clear(
    outlines: Outlines, knots: Floats, step: float, radius: float, last: bool
) -> Curve | None:
    """Return the curve through the knots with its clearances, if they are enough.

    In a gap just as wide as the body there is no room for what a chord cuts off the curve. There
    the `last` try takes shorter steps, and adds the hair's breadth by which the spline errs.
    """
    for finer in _FINER if last else _FINER[:1]:
        curve = spline_through(knots, step / finer)
        points = curve.points
        clear, clearances, between = is_clear(outlines, points, radius)
        if not clear and min(between.min(), clearances.min()) < radius - _HAIR:
            return None
        if not clear:
            points = outlines.push_clear(points, radius)
            clear, clearances, _ = is_clear(outlines, points, radius)
        if clear:
            return replace(curve, points=points, clearances=clearances)
    return None


def _bend(
    outlines: Outlines, knots: Floats, radius: float, prefer: float, elastic: Elastic, limit: float
) -> Floats:
    """Return one round: the knots (N, 2) moved sideways to where the rod is at rest."""
    along = np.gradient(knots, axis=0)
    along /= np.maximum(np.hypot(*along.T), 1e-12)[:, None]
    normals = np.ascontiguousarray(np.stack([-along[:, 1], along[:, 0]], axis=1))
    farthest = max(0.4, 2.0 * prefer, 1.5 / limit)
    reach = outlines.reach_sideways(knots, normals, radius + _MARGIN, farthest)
    open_side = reach >= farthest - 1e-9
    room = np.minimum(prefer, 0.5 * (reach[:, 0] + reach[:, 1]))
    soft = np.stack(
        [
            np.where(open_side[:, 1], -1e9, room - reach[:, 1]),
            np.where(open_side[:, 0], 1e9, reach[:, 0] - room),
        ],
        axis=1,
    )
    # curvature is linear in the offsets only while they are small beside the turning radius
    reach = np.minimum(reach, 0.3 / limit) if np.isfinite(limit) else reach
    hard = np.stack([-reach[:, 1], reach[:, 0]], axis=1)
    spacing = max(float(steps(knots).mean()), 1e-6)
    rod = _Rod.of(knots, normals, elastic, spacing)
    if np.isfinite(limit):
        offsets = _turn_gently(rod, hard, soft, limit)
    else:
        offsets = _bend_sideways(rod, hard, soft)
    offsets = np.clip(offsets, hard[:, 0], hard[:, 1])
    offsets[[0, -1]] = 0.0
    return np.asarray(knots + offsets[:, None] * normals)


@dataclass(frozen=True, eq=False)
class _Rod:
    """The energy of an elastic rod under tension, quadratic in its offsets sideways.

    rows (N, 3): the entries (i, i), (i, i + 1), (i, i + 2) of its matrix, both ends pinned.
    right (N,): the linear part. The curvature (1/m) at each knot is at_rest (N,) plus the sum of
    turns (N, 3) times the offsets of the knot before, of this one and of the next.
    """

    rows: Floats
    right: Floats
    turns: Floats
    at_rest: Floats
    spacing: float
    stiffest: float

    @classmethod
    def of(cls, base: Floats, normals: Floats, elastic: Elastic, spacing: float) -> _Rod:
        """The rod through base (N, 2) + t * normals (N, 2): with bend = stiff_length_m^2, half the
        sum of bend / h^3 |second difference|^2 + tension / h |first difference|^2 + h stay t^2.
        """
        count, bend = len(base), elastic.stiff_length_m**2
        rows, right = np.zeros((count, 3)), np.zeros(count)
        turns, at_rest = np.zeros((count, 3)), np.zeros(count)
        tension, weight = elastic.tension / spacing, bend / spacing**3
        step = np.diff(base, axis=0)
        rows[:-1, 0] += tension + spacing * elastic.stay
        rows[1:, 0] += tension
        rows[:-1, 1] -= tension * (normals[:-1] * normals[1:]).sum(axis=1)
        right[:-1] += tension * (step * normals[:-1]).sum(axis=1)
        right[1:] -= tension * (step * normals[1:]).sum(axis=1)
        bent = np.diff(step, axis=0)
        at_rest[1:-1] = (bent * normals[1:-1]).sum(axis=1) / spacing**2
        beside = [normals[k : count - 2 + k] for k in range(3)]
        for a, size in enumerate(_SECOND):
            near = slice(a, count - 2 + a)
            right[near] -= weight * size * (bent * beside[a]).sum(axis=1)
            turns[1:-1, a] = size / spacing**2 * (beside[a] * beside[1]).sum(axis=1)
            for b in range(a, 3):
                rows[near, b - a] += (
                    weight * size * _SECOND[b] * (beside[a] * beside[b]).sum(axis=1)
                )
        rows[[0, -1], 0] += 1e12
        return cls(rows, right, turns, at_rest, spacing, max(1e4 / spacing, 100.0 * weight))


def _bend_sideways(rod: _Rod, hard: Floats, soft: Floats) -> Floats:
    """Return the offsets (N,) at which the rod is at rest; both ends stay.

    hard (N, 2) are the limits low, high that hold; soft (N, 2) those that pull with
    `_WALL_STIFFNESS`. Newton's method on a piecewise quadratic energy: each round solves one
    banded system for the limits that are exceeded, and it ends when these no longer change.
    """
    from footfall.maths.banded_kernels import solve_banded

    count = len(hard)
    bands = np.zeros((3, count))
    bands[1, :-1], bands[2, :-2] = rod.rows[:-1, 1], rod.rows[:-2, 2]
    out, held = np.zeros(count), np.zeros((4, count), bool)
    limits = np.stack([soft[:, 0], soft[:, 1], hard[:, 0], hard[:, 1]])
    pulls = np.repeat([_WALL_STIFFNESS * rod.spacing, rod.stiffest], 2)[:, None]
    for turn in range(30):
        low, high = out < soft[:, 0], out > soft[:, 1]
        floor = (out < hard[:, 0] - 1e-9) | ((out <= hard[:, 0] + 1e-9) & held[2])
        roof = (out > hard[:, 1] + 1e-9) | ((out >= hard[:, 1] - 1e-9) & held[3])
        now = np.stack([low, high & ~low, floor, roof & ~floor])
        now[:, [0, -1]] = False
        if turn > 0 and (now == held).all():
            break
        held = now
        pull = pulls * now
        bands[0] = rod.rows[:, 0] + pull.sum(axis=0)
        load = rod.right + (pull * np.where(now, limits, 0.0)).sum(axis=0)
        solve_banded(bands.copy(), load[:, None])
        out = load
    return np.asarray(out)


def _turn_gently(rod: _Rod, hard: Floats, soft: Floats, limit: float) -> Floats:
    """Return the same as `_bend_sideways`, with curvature within `limit` (1/m) if possible.

    Alternating directions (ADMM): one system, factored once, pulls the offsets and curvatures
    towards copies of them that obey the limits, which the multipliers then bring together.
    """
    from footfall.world.corridor import smooth_kernels

    count, spacing = len(hard), rod.spacing
    near, turn, grip = 1000.0 * spacing, 3.0 * spacing, 300.0 * spacing
    rows = rod.rows.copy()
    rows[:, 0] += near
    for a in range(3):
        for b in range(a, 3):
            inner = rod.turns[1:-1]
            rows[a : count - 2 + a, b - a] += turn * inner[:, a] * inner[:, b]
    weights = np.array([near, turn, grip, _WALL_STIFFNESS * spacing, limit])
    out = np.zeros(count)
    smooth_kernels.turn_gently(
        rows, rod.right, rod.turns, rod.at_rest, np.hstack([hard, soft]), weights,
        np.zeros((count, 5)), out,
    )  # fmt: skip
    return out
