"""Paths of feet in generated steps: roll off, swing, touch down, continuous at both ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.adapt.steps.footsteps import Footing, Footsteps, Step
from footfall.body.clip import Clip
from footfall.body.feet import Foot
from footfall.maths import planar
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import (
    fading_slope,
    quintic_through,
    smootherstep,
    smoothstep,
    through_keys,
)
from footfall.maths.filters import smooth_gaussian

MOVING_M_S = 0.25
"""A body that is faster than this is on its way."""
FADE_S = 0.3
"""How long it takes until what somebody else's motion does has died away."""
_LIFT, _LIFT_MORE = 0.045, 0.025
"""How high the ball of a foot is lifted, and how much more in long steps, leg lengths."""
_ROLL_S, _ROLL, _SWING_PITCH, _STRIKE = 0.16, math.radians(16.0), math.radians(26.0), 0.2
"""How long before it leaves a foot rolls up on its ball, how far, how far in the air, and by how
much the toes are up when the heel of a long step lands, radians."""
_FLAT_S = 0.1
_PUSH = 0.7
"""How much of a cubic's acceleration a foot has when it leaves and lands; 0 would be a quintic."""


@dataclass(frozen=True, eq=False)
class PoseState:
    """A pose in the world and how it moves, per second.

    balls, soles        (2, 3) and (2, 4) balls of the feet and their ankles' orientations
    velocity, spins     (3,) of the root, (J, 3) of each joint against its parent
    ball_velocities     (2, 3)      sole_spins  (2, 3)
    footing             the same on the ground
    """

    root: Floats
    rotations: Floats
    balls: Floats
    soles: Floats
    velocity: Floats
    spins: Floats
    ball_velocities: Floats
    sole_spins: Floats
    footing: Footing

    @property
    def moving(self) -> bool:
        return self.footing.in_air is not None

    @property
    def tilt(self) -> Floats:
        """(4,) the root's orientation without its heading."""
        return quat.multiply(quat.from_yaw(-self.footing.body[2]), self.rotations[0])


def pose_state(clip: Clip, frame: int, feet: list[Foot]) -> PoseState:
    """Return the pose of the first (0) or the last (-1) frame of a clip, and how it moves there."""
    at = frame % len(clip)
    other = at - 1 if frame == -1 else at + 1
    pair = [at, other if 0 <= other < len(clip) else at]
    step = (pair[0] - pair[1]) / clip.fps or 1.0
    poses = clip[pair].world
    ankles = [foot.ankle for foot in feet]
    soles = poses.rotations[:, ankles]
    balls = poses.positions[:, ankles] + quat.rotate(soles, np.stack([f.ball_joint for f in feet]))
    velocity = (clip.root[pair[0]] - clip.root[pair[1]]) / step
    local = clip.rotations[pair]
    return PoseState(
        clip.root[at], clip.rotations[at], balls[0], soles[0], velocity,
        _spin(local[1], local[0], step), (balls[0] - balls[1]) / step,
        _spin(soles[1], soles[0], step),
        _footing(clip, at, frame, balls[0], soles[0], float(np.hypot(*velocity[[0, 2]]))),
    )  # fmt: skip


def _footing(
    clip: Clip, at: int, frame: int, balls: Floats, soles: Floats, speed: float
) -> Footing:
    feet = np.column_stack([balls[:, [0, 2]], quat.yaw_of(soles)])
    body = planar.pose_of(clip.root[at], clip.rotations[at, 0])
    if speed < MOVING_M_S:
        return Footing(body, feet)
    ahead = feet[:, :2] @ [math.sin(body[2]), math.cos(body[2])]
    # Who begins to step leaves with the foot behind; who ends a step has the foot ahead land.
    foot = int(np.argmin(ahead) if frame == -1 else np.argmax(ahead))
    return Footing(body, feet, foot, speed)


def _spin(before: Floats, after: Floats, step_s: float) -> Floats:
    """Return how fast orientations (..., 4) turn, rotation vectors a second."""
    turn = quat.multiply(after, quat.conjugate(quat.toward(before, after)))
    return quat.to_rotation_vector(turn) / step_s


@dataclass(frozen=True, eq=False)
class FootPath:
    """The path of a foot over T frames: ball, sole orientation, heading, contacts, toes.

    bent  (T,) how far the toes are bent up against the sole, radians
    """

    ball: Floats
    sole: Floats
    yaw: Floats
    contacts: Bools
    bent: Floats

    def ankle(self, foot: Foot) -> Floats:
        """Return (T, 3)"""
        return np.asarray(self.ball - quat.rotate(self.sole, foot.ball_joint))


def foot_path(
    number: int, foot: Foot, steps: Footsteps, states: tuple[PoseState, PoseState], times: Floats,
    level: float, leg_m: float,
) -> FootPath:  # fmt: skip
    """Return the path of one foot (0 left, 1 right) over the steps; `level` is the ground."""
    own = steps.of(number)
    places = np.stack([states[0].footing.feet[number], *(step.place for step in own)])
    yaws = np.unwrap(places[:, 2])
    ground = np.repeat(places[:1, :2], len(times), axis=0)
    yaw, lift = np.full(len(times), yaws[0]), np.zeros(len(times))
    for n, step in enumerate(own):
        u = (times - step.lift_s) / (step.land_s - step.lift_s)
        after = u > 0.0
        velocities = _swing_velocities(number, n, own, steps, states)
        between = _swing(step, places[n : n + 2, :2], velocities, times)
        ground[after] = between[after]
        yaw += (yaws[n + 1] - yaws[n]) * (0.4 * smootherstep(u) + 0.6 * smoothstep(u))
        far = float(np.hypot(*(places[n + 1] - places[n])[:2]))
        inside = np.clip(u, 0.0, 1.0)
        ground += np.outer(16.0 * (inside * (1.0 - inside)) ** 2, step.bow)
        lift += leg_m * (_LIFT + _LIFT_MORE * min(far, 1.0)) * 16.0 * (inside * (1.0 - inside)) ** 2
    pitch, touches = _sole_pitch(number, own, steps, states, places, times)
    # Toes that are up turn about the heel: the ball is as much higher.
    height = level + foot.ball_joint[1] - foot.ball[1] + lift
    height = height + foot.length * np.sin(np.maximum(-pitch, 0.0))
    ball = np.stack([ground[:, 0], height, ground[:, 1]], axis=1)
    sole = quat.multiply(quat.from_yaw(yaw), quat.about_axis(0, pitch))
    ball, sole = _meet_feet(number, own, steps, states, times, ball, sole)
    held = touches[:, 1]
    bent = np.where(held, np.maximum(pitch, 0.0), 0.0)
    bent = smooth_gaussian(bent, 0.03 / (times[1] - times[0]))
    return FootPath(ball, sole, yaw, touches, bent)


def _swing(step: Step, places: Floats, velocities: Floats, times: Floats) -> Floats:
    """Return (T, 2) from one place to the other, with push-off and touch-down."""
    takes = step.land_s - step.lift_s
    way = 6.0 * (places[1] - places[0])
    pushes = np.stack([
        way - takes * (4.0 * velocities[0] + 2.0 * velocities[1]),
        -way + takes * (2.0 * velocities[0] + 4.0 * velocities[1]),
    ])  # fmt: skip
    return quintic_through(
        [step.lift_s, step.land_s], places, velocities, _PUSH / takes**2 * pushes, times
    )


def _swing_velocities(
    number: int, n: int, own: list[Step], steps: Footsteps, states: tuple[PoseState, PoseState]
) -> Floats:
    """Return (2, 2) how fast the ball leaves and lands, where that is somebody else's motion."""
    out = np.zeros((2, 2))
    if _is_under_way(number, own, n, steps, states):
        out[0] = states[0].ball_velocities[number, [0, 2]]
    if _is_going_on(number, own, n, steps, states):
        out[1] = states[1].ball_velocities[number, [0, 2]]
    return out


def _is_under_way(
    number: int, own: list[Step], n: int, steps: Footsteps, states: tuple[PoseState, PoseState]
) -> bool:
    return n == 0 and bool(own) and states[0].footing.in_air == number and own[0] is steps.steps[0]


def _is_going_on(
    number: int, own: list[Step], n: int, steps: Footsteps, states: tuple[PoseState, PoseState]
) -> bool:
    return (
        n == len(own) - 1 and bool(own) and states[1].footing.in_air == number
        and own[-1] is steps.steps[-1]
    )  # fmt: skip


def _sole_pitch(
    number: int, own: list[Step], steps: Footsteps, states: tuple[PoseState, PoseState],
    places: Floats, times: Floats,
) -> tuple[Floats, Bools]:  # fmt: skip
    """Return the pitch of a sole (T,), toes down positive, and contacts of heel and toe (T, 2)."""
    pitch = np.zeros(len(times))
    touches = np.ones((len(times), 2), np.bool_)
    for n, step in enumerate(own):
        way = places[n + 1, :2] - places[n, :2]
        ahead = float(way @ [math.sin(places[n, 2]), math.cos(places[n, 2])])
        size = min(1.0, max(ahead, 0.0) / 0.7)
        swing, land = step.land_s - step.lift_s, step.land_s
        strike = -_STRIKE * size
        roll = _ROLL * (1.0 + 0.6 * size)
        keys = [(step.lift_s - _ROLL_S, 0.0), (step.lift_s, roll),
                (step.lift_s + 0.28 * swing, _SWING_PITCH * (0.8 + 0.7 * size)),
                (land - 0.12 * swing, strike), (land, strike), (land + _FLAT_S, 0.0)]  # fmt: skip
        if _is_under_way(number, own, n, steps, states):
            keys = [(step.lift_s, 0.0), *keys[3:]]
        if _is_going_on(number, own, n, steps, states):
            keys = [*keys[:3], (land, 0.0)]
        inside = (times >= keys[0][0]) & (times <= keys[-1][0])
        pitch = np.where(inside, through_keys(keys, times), pitch)
        touches[(times > step.lift_s - _ROLL_S) & (times < land), 0] = False
        touches[(times > step.lift_s) & (times < land), 1] = False
        if size > 0.3:
            touches[(times >= land) & (times < land + 0.7 * _FLAT_S), 1] = False
    return pitch, touches


def _meet_feet(
    number: int, own: list[Step], steps: Footsteps, states: tuple[PoseState, PoseState],
    times: Floats, ball: Floats, sole: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Ball and sole, changed so that they are at both ends what the states have there."""
    for state, at, sign in ((states[0], 0, 1.0), (states[1], -1, -1.0)):
        since = sign * (times - times[at])
        going = (_is_under_way(number, own, 0, steps, states) if at == 0
                 else _is_going_on(number, own, len(own) - 1, steps, states))  # fmt: skip
        over = FADE_S
        if going:
            over = steps.steps[at].land_s - steps.steps[at].lift_s
        left = 1.0 - smootherstep(since / over)
        grows = sign * over * fading_slope(since / over) * (1.0 if going else 0.0)
        offset = state.balls[number] - ball[at]
        drift = state.ball_velocities[number] * [0.0, 1.0, 0.0]
        turn = _spin(sole[at], state.soles[number], 1.0)
        spin = state.sole_spins[number]
        ball = ball + left[:, None] * offset + grows[:, None] * drift
        vectors = left[:, None] * turn + grows[:, None] * spin
        sole = quat.multiply(quat.from_rotation_vector(vectors), sole)
    return ball, sole
