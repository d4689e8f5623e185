"""Swings between stances: as a wished motion has them, joined to both stances, over the ground.

The difference between the wished and the standing foot travels smoothly (C¹) from each stance to
the next.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from footfall.body.feet import Foot
from footfall.generate.feet.foot_path import GOING_TOES, FootPath, sole_points
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import fading_slope, smootherstep
from footfall.maths.filters import smooth_gaussian
from footfall.maths.runs import runs

_MORE_LIFT = 0.9
_COMING_S, _QUICK_TURN_S = 0.06, (0.05, 0.06)
"""How long before landing a foot's speed, and how long after leaving and before landing its
turning, are those of its stance."""
_BENT_S, _UNBEND_S, _QUICK_TOES_S = 0.06, 0.18, (0.08, 0.06)
"""How long toes stay bent after they have left, so that their tips do not drag, and how long they
take to unbend; how soon their speed is that of the swing."""
_TOES_SMOOTH_S = 0.12
"""Toes in the air move as slowly as this."""
_SOON = 0.4
"""Within this share of a swing a foot turns as it wants to again."""


def with_swings(
    path: FootPath,
    foot: Foot,
    wished: FootPath,
    clearance_m: Floats,
    leaving_s: Floats,
    rate: float,
) -> FootPath:
    """The path with the swings of a wished one from each of its stances to the next.

    clearance_m  (T,) how high the sole is to pass over the ground in mid-swing
    leaving_s    (T,) how long after leaving a foot's speed is that of its stance
    rate         frames per second
    """
    off_ankle = path.ankle - wished.ankle
    off_turn = quat.to_rotation_vector(quat.multiply(path.turned, quat.conjugate(wished.turned)))
    toes = smooth_gaussian(wished.toes_up, _TOES_SMOOTH_S * rate)
    off_toes = (path.toes_up - toes)[:, None]
    spans = runs(~path.held).tolist()
    for first, stop in spans:
        swing = _SwingFrames(first, stop, len(path.ankle))
        quick_s = float(leaving_s[first]), _COMING_S
        off_ankle[first:stop] = swing.carry(off_ankle, quick_s, rate, 1.0)
        off_turn[first:stop] = swing.carry(off_turn, _QUICK_TURN_S, rate, _SOON)
        off_toes[first:stop] = swing.carry(
            off_toes, _QUICK_TOES_S, rate, swing.share(_UNBEND_S, rate), swing.share(_BENT_S, rate)
        )
    held = path.held[:, None]
    turned = quat.normalise(quat.multiply(quat.from_rotation_vector(off_turn), wished.turned))
    toes = GOING_TOES.bend(toes + off_toes[:, 0])
    path = replace(
        path,
        ankle=np.where(held, path.ankle, wished.ankle + off_ankle),
        turned=np.where(held, path.turned, turned),
        toes_up=np.where(held[:, 0], path.toes_up, toes),
    )
    lowest = sole_points(foot, path)[..., 1].min(axis=1)
    ankle = path.ankle.copy()
    for first, stop in spans:
        whole = first > 0 and stop < len(lowest)
        ankle[first:stop, 1] += _lift(lowest[first:stop], clearance_m[first:stop], whole)
    return replace(path, ankle=ankle)


def leave_sooner(
    wished: FootPath, body: Floats, wished_held: Bools, held: Bools, hurry: Floats
) -> FootPath:
    """A wished path whose swings begin when feet leave that leave sooner than was wished.

    body   (T, 3) which the feet go along with;  wished_held, held  (T,) when feet stand
    hurry  (T,) how much of that, 0 to 1, they make up for: else they swing in the time that is left
    """
    if not hurry.any():
        return wished
    from_body, toes = wished.ankle - body, wished.toes_up
    ankle, turned, toes_up = wished.ankle.copy(), wished.turned.copy(), toes.copy()
    for first, stop in runs(~held).tolist():
        sooner = int(np.argmin(np.append(wished_held[first:stop], False)))
        if first < 2 or sooner == 0:
            continue
        frames = np.arange(first - 2, stop)
        left = np.minimum((stop - frames) / (stop - first), 1.0)
        shown = np.minimum(frames + float(hurry[first]) * sooner * left**2, len(held) - 1.0)
        low = np.minimum(shown.astype(np.int32), len(held) - 2)
        share = shown - low
        rest = share[:, None]
        ankle[frames] = body[frames] + (1.0 - rest) * from_body[low] + rest * from_body[low + 1]
        turned[frames] = quat.slerp(wished.turned[low], wished.turned[low + 1], share)
        toes_up[frames] = (1.0 - share) * toes[low] + share * toes[low + 1]
    return replace(wished, ankle=ankle, turned=turned, toes_up=toes_up)


@dataclass(frozen=True)
class _SwingFrames:
    """Frames [first, stop) of T between two stances, of which either may be missing."""

    first: int
    stop: int
    total: int

    def share(self, seconds: float, rate: float) -> float:
        """The share of the swing that some seconds are."""
        return min(seconds * rate / (self.stop - self.first + 1), 1.0)

    def carry(
        self,
        off: Floats,
        quick_s: tuple[float, float],
        rate: float,
        within: float,
        later: float = 0.0,
    ) -> Floats:
        """(N, D) what (T, D) differs by in the stances, carried through the frames in between.

        The difference fades within a share of the swing, `later` than at once by another, and
        comes up as long before its end;
        that of the speeds is gone `quick_s` seconds after the one end and comes as long before
        the other. Where a stance is missing the other's difference holds.
        """
        before = off[[self.first - 1, max(self.first - 2, 0)]] if self.first > 0 else None
        after = None
        if self.stop < self.total:
            after = off[[self.stop, min(self.stop + 1, self.total - 1)]]
        if before is None or after is None:
            within, later = 1.0, 0.0
        if before is None:
            before = np.zeros((2, 1)) if after is None else after[[0, 0]]
        if after is None:
            after = before[[0, 0]]
        span = self.stop - self.first + 1
        frames = np.arange(1, span)[:, None]
        u = frames / span
        soon, late = (min(span, max(round(s * rate), 2)) for s in quick_s)
        leaving, coming = (before[0] - before[1]) * soon, (after[0] - after[1]) * late
        gone, come = smootherstep((u - later) / within), smootherstep((u - 1.0 + within) / within)
        out, back = fading_slope(frames / soon), fading_slope((span - frames) / late)
        return np.asarray(
            before[0] * (1.0 - gone) + after[0] * come + leaving * out + coming * back
        )


def _lift(lowest: Floats, wanted: Floats, whole: bool) -> Floats:
    """(N,) how much higher a swing is to be for its sole to pass over the ground.

    lowest  (N,) height of the sole's lowest point;  whole  whether a stance is at both ends
    """
    u = (np.arange(len(lowest)) + 1.0) / (len(lowest) + 1.0)
    bump = np.sin(np.pi * u) ** 2 if whole else np.ones_like(u)
    # Mean curves lift the foot less than anybody does.
    lift = _MORE_LIFT * wanted * np.sin(np.pi * u**0.6) ** 2 * whole
    middle = np.asarray(bump > 0.3)
    for target in (wanted, 0.0 * wanted):
        lift = lift + arc_over(target * bump - lowest - lift, bump, middle)
    return np.asarray(lift + np.maximum(-lowest - lift, 0.0))


def arc_over(need: Floats, arc: Floats, where: Bools | slice = slice(None)) -> Floats:
    """(N,) the least multiple of an arc (N,) that is at least as high as `need` (N,)."""
    return np.asarray(arc * float(np.max(need[where] / arc[where], initial=0.0)))
