"""Holds: where and how a foot is held on the ground while it touches.

A hold is one contact of one foot. While it lasts the foot rolls: on the heel, flat, on the ball.
Each frame of a hold belongs to one of these phases, and the hold knows the foot's flat pose on
the ground, so that every phase turns about a point that does not move. All holds of a foot are
one value with arrays, so that an hour of walking is worked on at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from footfall.adapt.feet import constants
from footfall.body.feet import Foot
from footfall.body.kinematics import WorldPoses
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.runs import mean_where, means, runs

HEEL, FLAT, BALL = 1, 2, 3
"""Phases of a hold: on the heel alone, on heel and ball, on the ball alone."""

_SHIFTS_M = np.concatenate([[0.0], *([s, -s] for s in np.arange(0.01, 0.205, 0.01))])
"""How far along its own direction a foot looks for room, the nearest first."""
_MARGINS_M = np.array([-0.01, 0.01, -0.02, 0.02, -0.03, 0.03, -0.04, 0.04])
"""Room behind and before a sole, so that it can come down and leave without brushing an edge."""
_BESIDE = np.abs(_SHIFTS_M[:, None] + _MARGINS_M - _SHIFTS_M[:, None, None]).argmin(axis=0)
"""(S, 8) which shifts are so much behind and ahead of each, or nearest to that."""
_FORWARD = np.array([0.0, 0.0, 1.0])


class GroundSurface(Protocol):
    """What feet stand on: anything that knows its height and normal at points (N, 2)."""

    def height(self, points: ArrayLike) -> Floats: ...

    def normal(self, points: ArrayLike) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Holds:
    """All N holds of one foot in a clip of T frames.

    spans    (N, 2) first frame of each hold and the frame after its last
    phases   (T,) HEEL, FLAT or BALL; 0 where the foot is in the air
    owner    (T,) the hold each frame belongs to, or the nearest one
    flat     (N, 4) the foot's orientation when it stands flat
    spots    (N, 3) where the ball of the flat sole is
    turns    (T, 4) the foot's orientation: flat in the flat phase, else rolled from there
    firm     (T,) whether the foot stays put; else it is coming down or leaving and may rise
    leaving  (T,) whether it leaves over the tip of its toes
    rise     (T,) how far what carries it is above its place when the foot is not firm, metres
    lingers  (T,) whether it only stays over its place, before or after it carries; None: nowhere
    """

    spans: Ints
    phases: Ints
    owner: Ints
    flat: Floats
    spots: Floats
    turns: Floats
    firm: Bools
    leaving: Bools
    rise: Floats
    lingers: Bools | None = None

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def held(self) -> Bools:
        """(T,) whether the foot is held."""
        return np.asarray(self.phases > 0)

    @property
    def on_way(self) -> Bools:
        """(T,) whether the foot only stays over its place, before or after it carries."""
        return np.zeros_like(self.firm) if self.lingers is None else self.lingers

    @property
    def middles(self) -> Ints:
        """(N,) the frame in the middle of each hold."""
        return np.asarray((self.spans[:, 0] + self.spans[:, 1] - 1) // 2)

    def at(self, spots: Floats) -> Holds:
        """Return the same holds with the balls at these spots (N, 3)."""
        return replace(self, spots=spots)

    def scaled(self, factor: float) -> Holds:
        """Return the holds scaled about the origin."""
        return replace(self, spots=self.spots * factor, rise=self.rise * factor)

    def ankles(self, foot: Foot, bend: Floats | None = None) -> Floats:
        """Return (T, 3) where the ankle is while held: the point that carries stays where it is.

        bend  (T, 4) how the toes are bent, for feet that leave over the tips of their toes
        """
        origin = self.spots - quat.rotate(self.flat, foot.ball)
        heels, balls = (
            origin + quat.rotate(self.flat, point) for point in (foot.heel, foot.ball_joint)
        )
        on_heel = (self.phases == HEEL)[:, None]
        pivot = np.where(on_heel, heels[self.owner], balls[self.owner])
        arm = np.where(on_heel, foot.heel, foot.ball_joint)
        if bend is not None and self.leaving.any():
            at = np.flatnonzero(self.leaving)
            tips = origin + quat.rotate(self.flat, foot.tip)
            pivot[at] = tips[self.owner[at]]
            arm[at] = foot.ball_joint + quat.rotate(bend[at], foot.tip - foot.ball_joint)
        ankles = pivot - quat.rotate(self.turns, arm)
        ankles[:, 1] += self.rise
        return np.asarray(ankles)


def find_holds(foot: Foot, poses: WorldPoses, heel_on: Bools, toe_on: Bools) -> Holds:
    """Return the holds of one foot, from contact labels (T,) of its heel and toe.

    Every hold stands level at the height its own motion gives; `on_ground` puts it elsewhere.
    """
    turned = poses.rotations[:, foot.ankle]
    phases = np.where(heel_on & toe_on, FLAT, np.where(heel_on, HEEL, np.where(toe_on, BALL, 0)))
    phases = phases.astype(np.int32)
    spans = runs(phases > 0)
    owner, rise = _owners(spans, len(phases)), np.zeros(len(phases))
    empty = np.zeros((0, 4)), np.zeros((0, 3))
    holds = Holds(spans, phases, owner, *empty, np.array(turned), phases > 0, phases < 0, rise)
    return fit_holds(foot, poses, holds)


def fit_holds(foot: Foot, poses: WorldPoses, holds: Holds) -> Holds:
    """Return the holds with the places and orientations that fit their firm frames best."""
    if len(holds) == 0:
        return holds
    turned, ankle = poses.rotations[:, foot.ankle], poses.positions[:, foot.ankle]
    flat = (holds.phases == FLAT) & holds.firm
    heading = mean_where(quat.rotate(turned, _FORWARD), flat, holds.spans)
    level = quat.from_yaw(np.arctan2(heading[:, 0], heading[:, 2]))
    spots = _source_spots(foot, ankle, turned, holds, level)
    turns = _rolling_turns(turned, holds.phases, holds.spans, holds.owner, level)
    return replace(holds, flat=level, spots=spots, turns=turns)


def hold_at(
    foot: Foot, poses: WorldPoses, heel_on: Bools, toe_on: Bools, flat: Floats, spots: Floats
) -> Holds:
    """Return the holds of one foot at given places: one for each time that it touches.

    heel_on, toe_on  (T,) contact labels of its heel and toe
    flat, spots      (N, 4), (N, 3) how the flat sole is turned, and where its ball is
    """
    phases = heel_on * np.int32(HEEL) + toe_on * np.int32(BALL)
    phases[phases > BALL] = FLAT
    spans = runs(phases > 0)
    owner = _owners(spans, len(phases))
    turns = _rolling_turns(poses.rotations[:, foot.ankle], phases, spans, owner, flat)
    held = phases > 0
    return Holds(
        spans, phases, owner, flat, spots, turns, held, np.zeros_like(held), np.zeros(len(phases))
    )


def on_ground(holds: Holds, foot: Foot, ground: GroundSurface) -> Holds:
    """Return the same holds standing on `ground`: tilted with it, and moved a little where need be.

    A foot that would straddle an edge goes along its own direction to where the whole sole has
    room, as people do on stairs. Where there is none within reach its toes or its heel hang over
    an edge; failing that it stands level on the edge.
    """
    if len(holds) == 0:
        return holds
    level = quat.from_yaw(quat.yaw_of(holds.flat))
    flat, spots = _flat_poses(foot, level, holds.spots, ground)
    tilt = quat.multiply(flat, quat.conjugate(holds.flat))
    turns = quat.multiply(tilt[holds.owner], holds.turns)
    return replace(holds, flat=flat, spots=spots, turns=turns)


def lie_on_ground(
    foot: Foot, level: Floats, spots: Floats, ground: GroundSurface
) -> tuple[Floats, Floats]:
    """Soles that lie along the ground, their middles where level ones are: turns and balls.

    level  (N, 4) where the soles point      spots  (N, 3) the balls of the level soles
    """
    forward = quat.rotate(level, _FORWARD)[:, [0, 2]]
    half = 0.5 * foot.length
    middle = spots[:, [0, 2]] - half * forward
    # A sole is shorter, seen from above, the steeper it lies; that again depends on where it is.
    across, rise = np.full(len(spots), half), np.zeros(len(spots))
    for _ in range(3):
        reach = across[:, None] * forward
        both = _heights(ground, np.stack([middle - reach, middle + reach]), spots[:, 1])
        rise = np.clip(both[1] - both[0], -0.9 * foot.length, 0.9 * foot.length)
        across = 0.5 * np.sqrt(foot.length**2 - rise**2)
    slope = quat.multiply(level, quat.about_axis(0, -np.arcsin(rise / foot.length)))
    ball = middle + across[:, None] * forward
    lying = np.stack([ball[:, 0], 0.5 * (both[0] + both[1] + rise), ball[:, 1]], axis=1)
    return _roll_with(ground, middle, slope), lying


def _roll_with(ground: GroundSurface, places: Floats, slope: Floats) -> Floats:
    """Return (N, 4) turns (N, 4) rolled so that they lie along the ground at places (N, 2)."""
    normal = ground.normal(places)
    local = quat.rotate(quat.conjugate(slope), np.where(np.isfinite(normal), normal, 0.0))
    steepest = constants.FEET.steepest_rad
    roll = np.clip(np.arctan2(-local[:, 0], np.maximum(local[:, 1], 1e-9)), -steepest, steepest)
    return quat.multiply(slope, quat.about_axis(2, roll))


def _owners(spans: Ints, frames: int) -> Ints:
    """Return (T,) the nearest hold of each frame; zeros where there is none."""
    if len(spans) < 2:
        return np.zeros(frames, np.int32)
    edges = (spans[:-1, 1] + spans[1:, 0]) / 2.0
    return np.searchsorted(edges, np.arange(frames) + 0.5).astype(np.int32)


def _source_spots(foot: Foot, ankle: Floats, turned: Floats, holds: Holds, level: Floats) -> Floats:
    """Return (N, 3) the best spot for each ball of the foot: its mean while it carries."""
    joint = ankle + quat.rotate(turned, foot.ball_joint)
    on_ball = (holds.phases > HEEL) & holds.firm
    ball = mean_where(joint, on_ball, holds.spans)
    ball += quat.rotate(level, foot.ball - foot.ball_joint)
    only_heel = means(on_ball.astype(np.float64), holds.spans) == 0.0
    if not only_heel.any():
        return np.asarray(ball)
    heel = mean_where(ankle + quat.rotate(turned, foot.heel), holds.firm, holds.spans)
    return np.where(only_heel[:, None], heel + quat.rotate(level, foot.ball - foot.heel), ball)


def _rolling_turns(turned: Floats, phases: Ints, spans: Ints, owner: Ints, flat: Floats) -> Floats:
    """Return (T, 4) orientations while held: flat, or turned from flat as the source turns.

    A frame before or after a flat phase takes the source's turn since (or until) that phase;
    between two flat phases it goes over from the one to the other. A hold that is never flat
    keeps the source's own turn, but points where `flat` (N, 4) does.
    """
    turns = np.array(turned)
    known = np.flatnonzero(phases == FLAT)
    turns[known] = flat[owner[known]]
    rolls = np.flatnonzero((phases > 0) & (phases != FLAT))
    if known.size:
        after = known[np.clip(np.searchsorted(known, rolls), 0, known.size - 1)]
        before = known[np.clip(np.searchsorted(known, rolls, side="right") - 1, 0, known.size - 1)]
        has_after = (owner[after] == owner[rolls]) & (after >= rolls)
        has_before = (owner[before] == owner[rolls]) & (before <= rolls)
        some = has_after | has_before
        after, before = np.where(has_after, after, before), np.where(has_before, before, after)
        after, before, lies = after[some], before[some], rolls[some]
        share = np.clip((lies - before) / np.maximum(after - before, 1), 0.0, 1.0)
        one, two = (
            quat.multiply(
                flat[owner[lies]], quat.multiply(quat.conjugate(turned[since]), turned[lies])
            )
            for since in (before, after)
        )
        turns[lies] = quat.slerp(one, two, share * share * (3.0 - 2.0 * share))
        rolls = rolls[~some]
    if rolls.size:
        ahead = means(quat.rotate(turned, _FORWARD), spans)
        level = quat.from_yaw(np.arctan2(ahead[:, 0], ahead[:, 2]))
        change = quat.multiply(flat, quat.conjugate(level))
        turns[rolls] = quat.multiply(change[owner[rolls]], turned[rolls])
    return turns


def _flat_poses(
    foot: Foot, level: Floats, spots: Floats, ground: GroundSurface
) -> tuple[Floats, Floats]:
    """Return the flat poses on the ground: orientations (N, 4) and ball spots (N, 3)."""
    forward = quat.rotate(level, _FORWARD)[:, [0, 2]]
    along = np.array([-foot.length, 0.0, float(foot.tip[2] - foot.ball[2])])
    # (3, N, S, 2): heel, ball and tip of every hold at every shift.
    shifts = along[:, None, None] + _SHIFTS_M
    places = spots[:, None, [0, 2]] + shifts[..., None] * forward[:, None]
    heights = _heights(ground, places, spots[:, 1][:, None])
    sound = np.asarray(_sound(foot, along[2], *heights))
    roomy = sound.any(axis=1, keepdims=True)
    over = _find_overhangs(foot, along[2], *heights)
    sound = np.where(roomy, sound, over.any(axis=0))
    beside = sound[:, _BESIDE].reshape(*sound.shape, -1, 2).all(axis=-1)
    room = np.logical_and.accumulate(beside, axis=2).sum(axis=2)
    best = np.argmax(np.where(sound, 1 + room, 0), axis=1)
    rows = np.arange(len(spots))
    ball, ball_height = places[1, rows, best], heights[1, rows, best]
    flat = _lay_soles(foot, level, forward, ball, ball_height, ground)
    lying = np.stack([ball[:, 0], ball_height, ball[:, 1]], axis=1)
    edge = np.array(spots)
    edge[:, 1] = heights[:2, :, 0].max(axis=0)
    stands = np.asarray(sound.any(axis=1))[:, None]
    slopes = stands & (roomy | over[0, rows, best][:, None])
    return np.where(slopes, flat, level), np.where(stands, lying, edge)


def _sound(foot: Foot, ahead: float, heel: Floats, ball: Floats, tip: Floats) -> Bools:
    """Return whether soles with these ground heights under them lie on one surface."""
    slope, table = (ball - heel) / foot.length, constants.FEET
    bump = np.abs(tip - (ball + slope * ahead))
    lies = (np.abs(slope) < np.sin(table.steepest_rad)) & (bump < table.bump * foot.leg_m)
    return np.asarray(lies)


def _find_overhangs(foot: Foot, ahead: float, heel: Floats, ball: Floats, tip: Floats) -> Bools:
    """Return (2, ...) whether soles rest on heel and ball (toes over an edge), or ball and toes."""
    slope, bump_m = (ball - heel) / foot.length, constants.FEET.bump * foot.leg_m
    toes_free = tip < ball + slope * ahead + bump_m
    on_ball = (np.abs(tip - ball) < bump_m) & (heel < ball + bump_m)
    steepest = np.sin(constants.FEET.steepest_rad)
    return np.stack([(np.abs(slope) < steepest) & toes_free, on_ball])


def _lay_soles(
    foot: Foot,
    level: Floats,
    forward: Floats,
    ball: Floats,
    ball_height: Floats,
    ground: GroundSurface,
) -> Floats:
    """Return (N, 4) soles lying along the ground with their balls at `ball` (N, 2)."""
    rise = np.zeros(len(ball))
    for _ in range(4):
        # The heel lies back along the slope, so its place depends on the slope itself.
        back = np.sqrt(np.maximum(foot.length**2 - rise**2, 0.0))
        heel_height = _heights(ground, ball - forward * back[:, None], ball_height)
        rise = np.clip(ball_height - heel_height, -foot.length, foot.length)
    pitch = quat.from_axis_angle([1.0, 0.0, 0.0], -np.arcsin(rise / foot.length))
    slope = quat.multiply(level, pitch)
    return _roll_with(ground, ball, slope)


def _heights(ground: GroundSurface, places: Floats, otherwise: Floats) -> Floats:
    """Heights at places (..., 2), `otherwise` where there is no ground."""
    found = ground.height(places.reshape(-1, 2)).reshape(places.shape[:-1])
    return np.where(np.isfinite(found), found, otherwise)
