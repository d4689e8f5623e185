"""Stepping about from standing: sidesteps and turns in place, foot by foot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import check_range, check_whole
from footfall.library.generate.bodies.limbs import feet_of, skeleton_of
from footfall.library.generate.bodies.planting import Wish
from footfall.library.generate.feet.steps import Carried, PlannedStance, Swing, follow_steps
from footfall.library.generate.feet.walking_steps import Move, feet_together, plan_steps
from footfall.library.generate.gait.layers import go_with_steps, shift_weight
from footfall.library.generate.gait.standing import stand_curves
from footfall.library.generate.gait.styling import style_posture
from footfall.library.generate.gait.timeline import Timeline, ease
from footfall.library.generate.performer import MEAN_PERFORMER, Performer
from footfall.library.generate.sides import SIGNS, side_index
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import through_keys
from footfall.maths.filters import smooth_gaussian

_SPREAD = 0.105
"""Half the distance between standing feet, leg lengths."""
_TOE_OUT_DEG = 7.0
_ROLL_S, _ROLL_DEG, _SWING_DEG = 0.16, 17.0, 20.0
"""How long before it leaves a foot rolls up on its ball, how far, and how far in the air."""
_WAIT_S = 0.7
_SHIFT = 0.42
"""How far towards the standing foot the body goes over it, of the distance from the middle."""
_BEND = 0.013
"""How much lower the body goes while it steps, leg lengths."""
_DRIFT = 0.16
"""How far people end up from where they began to turn on the spot, leg lengths."""
_LEADS_S = 0.03
"""How long before its feet the body turns."""
_LEAST_BEND = math.radians(8.0)
_DROP_DEG, _BEND_OVER_DEG, _BEND_TURNING_DEG = 4.0, 2.6, 1.0
"""How far the hip of a stepping foot drops, and the trunk bends over the other, in turns less."""
_WIDER = 0.55
"""How much further apart feet stand, as a share, per radian that they point apart."""


def step_about(
    moves: Sequence[Move],
    *,
    name: str,
    tags: tuple[str, ...] = (),
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    lean: float = 0.0,
    over_deg: float = _BEND_OVER_DEG,
    seed: int = 0,
) -> Clip:
    """Stand at the origin facing +Z, make these steps, and stand.

    lean      radians to the right while the first foot of each pair of steps is in the air
    over_deg  how far the trunk bends over the foot that carries
    """
    leg_m, tempo = who.leg_m, who.tempo
    moves = [replace(m, swing_s=m.swing_s / tempo, both_s=m.both_s / tempo) for m in moves]
    start = feet_together(2.0 * _SPREAD * leg_m, _TOE_OUT_DEG)
    stances, landings = plan_steps(moves, start, _WAIT_S)
    begin, end = landings[0].off_s, landings[-1].on_s
    timeline = Timeline.of(fps, end + moves[-1].both_s + _WAIT_S, 0.8)
    times, rate = timeline.times, timeline.rate
    still = Carried(times, np.zeros((len(times), 3)), np.zeros(3), np.zeros(len(times)))
    own = [[s for s in stances if s.side == n] for n in range(2)]
    paths = [follow_steps(foot, own[n], still) for n, foot in enumerate(feet_of(who))]
    air = [~path.held for path in paths]
    root, facing = _body([_places(stances, times) for stances in own], air, rate)
    pose = stand_curves(times, seed)
    style_posture(pose.vectors, who.style)
    busy = ease(times, begin - 0.45, begin) - ease(times, end - 0.1, end + 0.4)
    root += leg_m * pose.root[:, [0, 2]] * (1.0 - busy)[:, None]
    leans = np.where(air[0 if lean > 0.0 else 1], lean, 0.0)
    go_with_steps(pose.vectors, facing, busy, leans, rate)
    carries = np.where(air[1] & ~air[0], 1.0, np.where(air[0] & ~air[1], -1.0, 0.0))
    shift_weight(pose.vectors, carries, rate, _DROP_DEG, over_deg)
    rotations = quat.from_rotation_vector(pose.vectors)
    rotations[:, 0] = quat.multiply(quat.from_yaw(facing), rotations[:, 0])
    height = leg_m * (pose.root[:, 1] - _BEND * busy)
    wish = Wish(
        character=skeleton_of(who),
        rate=rate,
        root=np.stack([root[:, 0], height, root[:, 1]], axis=1),
        rotations=rotations,
        held=~np.stack(air, axis=1),
        weight=np.ones(len(times)),
        clearance_m=np.zeros(len(times)),
        bend_rad=_LEAST_BEND,
        paths=(paths[0], paths[1]),
    )
    return timeline.clip(wish, name, tags)


def _move(foot: int, x: float, z: float, yaw: float, lift_m: float, swing_s: float, both_s: float
          ) -> Move:  # fmt: skip
    """A step of one foot (0 left, 1 right) to where it stands and points, its own outward turn
    not counted."""
    return Move(
        foot, x, z, swing_s=swing_s, both_s=both_s, strike_deg=0.0,
        yaw_deg=math.degrees(yaw) + SIGNS[foot] * _TOE_OUT_DEG,
        leave_deg=_ROLL_DEG, leave_s=_ROLL_S,
        swing=Swing(lift_m=lift_m, peak=0.5, pitches=((0.25, -_SWING_DEG),)),
    )  # fmt: skip


def sidestep(
    side: str = "left",
    steps: int = 3,
    length_m: float = 0.45,
    *,
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:
    """Step aside: the foot on that side opens, the other closes, `steps` times."""
    lead = side_index(side, "side")
    sign = SIGNS[lead]
    check_whole("the number of steps", steps, 1, 50)
    check_range("the length of a step", length_m, 0.1, 0.9 * who.leg_m, unit="m")
    relative = length_m / who.leg_m
    swings = (0.232 + 0.352 * relative, 0.216 + 0.251 * relative)
    lift = (0.02 + 0.06 * relative) * who.leg_m
    spread = _SPREAD * who.leg_m
    moves = [
        _move(foot, sign * k * length_m + SIGNS[foot] * spread, 0.0, 0.0, lift,
              swing_s, 0.13)
        for k in range(1, steps + 1)
        for foot, swing_s in ((lead, swings[0]), (1 - lead, swings[1]))
    ]  # fmt: skip
    return step_about(
        moves, name=f"sidestep_{side}", tags=("stand", f"sidestep_{side}"), fps=fps, who=who,
        lean=sign * math.radians(4.0), seed=seed,
    )  # fmt: skip


def turn_in_place(
    angle_deg: float = 90.0,
    *,
    first: str = "",
    fps: float = 60.0,
    who: Performer = MEAN_PERFORMER,
    seed: int = 0,
) -> Clip:
    """Turn on the spot (positive to the left), step by step.

    first  the foot that steps first; unless said the outer one, as most people do; to turn by
           about 90° in two steps the inner one opens and the other closes
    """
    size = abs(angle_deg)
    check_range("the size of the turn", size, 20.0, 360.0, unit="degrees")
    side = "left" if angle_deg > 0.0 else "right"
    outer = "right" if side == "left" else "left"
    count = max(2, round(1.2 + 0.0132 * size))
    foot = side_index(first or (side if count == 2 and size > 60.0 else outer))
    lift, swing_s = 0.05 * who.leg_m, 0.27 if size < 60.0 else 0.34
    moves, yaws = [], [0.0, 0.0]
    for k in range(count):
        share = min(1.0, (k + 1.0) / (count - 1.0))
        yaw = math.radians(angle_deg) * share
        yaws[foot] = yaw
        # Feet that point apart stand further apart, too.
        wide = 1.0 + _WIDER * abs(yaws[0] - yaws[1])
        out = SIGNS[foot] * wide * _SPREAD * who.leg_m
        drift, ahead = share * _DRIFT * who.leg_m, 0.5 * math.radians(angle_deg)
        x = out * math.cos(yaw) + drift * math.sin(ahead)
        z = -out * math.sin(yaw) + drift * math.cos(ahead)
        moves.append(_move(foot, x, z, yaw, lift, swing_s, 0.17))
        foot = 1 - foot
    return step_about(
        moves, name=f"turn_in_place_{side}_{size:g}", tags=("stand", f"turn_in_place_{side}"),
        fps=fps, who=who, over_deg=_BEND_TURNING_DEG, seed=seed,
    )  # fmt: skip


def _places(stances: Sequence[PlannedStance], times: Floats) -> Floats:
    """(T, 3) where a foot is on the ground, x and z, and where it points, radians."""
    out = np.empty((len(times), 3))
    rows = [(s.x, s.z, math.radians(s.yaw_deg)) for s in stances]
    ends = [t for s in stances for t in (s.begin_s, s.end_s)]
    for k in range(3):
        keys = [(t, rows[n // 2][k]) for n, t in enumerate(ends)]
        out[:, k] = through_keys(keys, times + (_LEADS_S if k == 2 else 0.0))
    return out


def _body(places: list[Floats], air: list[Bools], rate: float) -> tuple[Floats, Floats]:
    """The body over its feet: x, z (T, 2) and where it faces (T,)."""
    middle = 0.5 * (places[0] + places[1])
    shift = np.zeros((len(middle), 2))
    for n in range(2):
        shift += _SHIFT * air[n][:, None] * (places[1 - n] - middle)[:, :2]
    root = smooth_gaussian(middle[:, :2], 0.1 * rate) + smooth_gaussian(shift, 0.13 * rate)
    return root, smooth_gaussian(middle[:, 2], 0.14 * rate)
