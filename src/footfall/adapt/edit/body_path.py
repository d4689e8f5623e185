"""The body's way over footprints that have moved: Choi, Lee & Shin 2003, Eqs. 9 to 13.

Between two footprints the body is expected over their middle. Interpolated, these middles make a
reference for the source footprints and one for the target footprints; what the body does beyond
the reference of its own footprints it does beyond the other's too: b(B) = (b(A) - r(A)) + r(B).

Where we differ: the reference is smooth (cubic, resting at both ends) instead of piecewise
linear, so the body's speed does not jump at a middle; middles of one and the same frame are
merged (both feet land at once).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from footfall.body.clip import Clip
from footfall.gait.footprints import Footprint
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class ReferencePath:
    """Places (..., T, 3) and orientations (..., T, 4) over frames 0 to T - 1."""

    places: Floats
    turns: Floats


Placed = tuple[Floats, Floats]
"""Places (N, 3) and orientations (N, 4) of footprints."""


def placed(prints: Sequence[Footprint]) -> Placed:
    """Return where footprints are, as arrays."""
    p, q = np.array([f.p for f in prints]), np.array([f.q for f in prints])
    return p.reshape(-1, 3), q.reshape(-1, 4)


def carry_body(clip: Clip, times: Floats, source: Placed, target: Placed) -> Clip:
    """Return `clip` with its body moved as footprints move from `source` to `target`.

    times  (N,) the middle of each footprint's stance, in frames, never falling
    """
    if len(times) == 0:
        return clip
    both = np.stack([source[0], target[0]]), np.stack([source[1], target[1]])
    path = reference(times, both, len(clip))
    (own, other), (own_turns, turns) = path.places, path.turns
    back, rotations = quat.conjugate(own_turns), np.array(clip.rotations)
    beyond = quat.rotate(back, clip.root - own)
    turned = quat.multiply(turns, quat.multiply(back, rotations[:, 0]))
    rotations[:, 0] = quat.continuous(quat.normalise(turned))
    return clip.derive(root=other + quat.rotate(turns, beyond), rotations=rotations)


def reference(times: ArrayLike, prints: Placed, frames: int) -> ReferencePath:
    """Return the smooth way through the middles of consecutive footprints (Eq. 11).

    times   the middle of each footprint's stance, in frames, never falling
    prints  places (..., N, 3) and orientations (..., N, 4): several ways at once
    """
    knots, (places, turns) = np.array([0], np.int32), prints
    if places.shape[-2] > 1:
        knots, places, turns = _middles(np.asarray(times, np.float64), prints)
    if len(knots) == 1:
        return ReferencePath(np.repeat(places, frames, -2), np.repeat(turns, frames, -2))
    return _go_through(knots, places, turns, frames)


def _go_through(knots: Ints, places: Floats, turns: Floats, frames: int) -> ReferencePath:
    """Return the smooth path through places (..., M, 3) and turns (..., M, 4) at knots (M,).

    Cubic Hermite (Catmull-Rom) through the places; through the turns by cumulative Bézier turns
    (Kim, Kim & Shin 1995). Before the first knot and after the last it stays.
    """
    exp, wide = quat.exp_half_angle, np.diff(knots)[:, None].astype(np.float64)
    bends = quat.log_half_angle(
        quat.multiply(quat.conjugate(turns[..., :-1, :]), turns[..., 1:, :])
    )
    speeds, paces = _knot_speeds(np.diff(places, axis=-2), wide), _knot_speeds(bends, wide)
    at = np.clip(np.arange(frames), knots[0], knots[-1])
    m = np.minimum(np.searchsorted(knots, at, side="right") - 1, len(knots) - 2)
    u = (at - knots[m])[:, None] / wide[m]
    eased, k = u * u * (3.0 - 2.0 * u), wide[m] * u * (1.0 - u)
    place = (1.0 - eased) * places[..., m, :] + eased * places[..., m + 1, :]
    place += k * (1.0 - u) * speeds[..., m, :] - k * u * speeds[..., m + 1, :]
    first, last = wide / 3.0 * paces[..., :-1, :], wide / 3.0 * paces[..., 1:, :]
    middle = quat.log_half_angle(quat.multiply(exp(-first), quat.multiply(exp(bends), exp(-last))))
    turn = quat.multiply(turns[..., m, :], exp((1.0 - (1.0 - u) ** 3) * first[..., m, :]))
    turn = quat.multiply(turn, exp(eased * middle[..., m, :]))
    return ReferencePath(place, quat.multiply(turn, exp(u**3 * last[..., m, :])))


def _knot_speeds(steps: Floats, wide: Floats) -> Floats:
    """Return (..., M, 3) speeds at knots from the steps (..., M - 1, 3) between them.

    Resting at both ends joins the reference smoothly to the rigidly carried head and tail.
    """
    rates, before, after = steps / wide, wide[:-1], wide[1:]
    speeds = np.zeros((*steps.shape[:-2], len(wide) + 1, 3))
    inner = after * rates[..., :-1, :] + before * rates[..., 1:, :]
    speeds[..., 1:-1, :] = inner / (before + after)
    return speeds


def _middles(times: Floats, prints: Placed) -> tuple[Ints, Floats, Floats]:
    """Frames (M,) of the middles, rising, with places (..., M, 3) and turns (..., M, 4)."""
    p, q = prints[0], quat.continuous(prints[1], axis=-2)
    knots = np.floor(0.5 * (times[:-1] + times[1:])).astype(np.int32)
    places = 0.5 * (p[..., :-1, :] + p[..., 1:, :])
    turns = quat.slerp(q[..., :-1, :], q[..., 1:, :], 0.5)
    rising = np.flatnonzero(np.diff(knots, prepend=knots[0] - 1) > 0)
    if len(rising) == len(knots):
        return knots, places, quat.continuous(turns, axis=-2)
    groups = np.split(np.arange(len(knots)), rising[1:])
    merged, mean = turns[..., rising, :], places[..., rising, :]
    for n, group in enumerate(groups):
        if len(group) > 1:
            mean[..., n, :] = places[..., group, :].mean(axis=-2)
            for lead in np.ndindex(turns.shape[:-2]):
                merged[(*lead, n)] = quat.weighted_mean(turns[(*lead, group)])
    return knots[rising], mean, quat.continuous(merged, axis=-2)
