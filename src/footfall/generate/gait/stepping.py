"""Stepping about from standing: sidesteps and turns in place, foot by foot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from footfall.body.clip import Clip
from footfall.errors import check_range, check_whole
from footfall.generate.bodies.limbs import feet_of, skeleton_of
from footfall.generate.bodies.planting import Wish
from footfall.generate.feet.steps import Carried, PlannedStance, follow_steps
from footfall.generate.feet.walking_steps import Landing, Move, plan_steps
from footfall.generate.gait.gait_model import Curves
from footfall.generate.gait.layers import go_on, go_with_steps, shift_weight
from footfall.generate.gait.standing import at_ease, fidget, stand_curves
from footfall.generate.gait.step_plans import (
    SPREAD,
    home,
    small_step_s,
    small_steps,
    steps_aside,
    steps_round,
    tilt_with_legs,
)
from footfall.generate.gait.styling import style_posture
from footfall.generate.gait.timeline import LONGEST_S, Timeline, ease
from footfall.generate.gait.turning import swing_aside
from footfall.generate.performer import MEAN_PERFORMER, Performer
from footfall.generate.sides import SIGNS, side_index
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.maths.easing import through_keys
from footfall.maths.filters import smooth_gaussian

_WAIT_S = 0.7
_SHIFT = 0.6
"""How far towards the standing foot the body goes over it, of the distance from the middle."""
_BEND, _YIELDS, _YIELD_S = 0.016, 0.012, 0.07
"""How much lower the body goes while it steps, leg lengths, how much lower still where both feet
carry and higher where one does, and how smoothly."""
_SHIFTS_S = 0.06
"""How long before a foot leaves the body goes over the other."""
_LEADS_S, _OPENS_S = 0.03, 0.15
"""How long before its feet the body turns, and how long before a foot leaves that opens it does."""
_OPENS_DEG = 15.0
"""A foot opens that turns out by more than this."""
_LEAST_BEND = math.radians(8.0)
_DROP_DEG, _BEND_OVER_DEG, _BEND_TURNING_DEG = 4.0, 2.6, 1.0
"""How far the hip of a stepping foot drops, and the trunk bends over the other, in turns less."""
_BEND_ASIDE_DEG, _LEAN_ASIDE = 1.3, math.radians(2.0)
"""How far trunks bend and lean so of who steps aside: shoulders rock little."""
_LOOK_ASIDE = math.radians(22.0)
"""How far who steps aside looks there."""
_SETTLE_S, _RESTS_S = 0.2, 0.9
"""How long it stands at most before it waits, and how far apart steps are that do not follow each
other."""
_IDLE_WAIT = 0.26
"""Of those who shift their feet: which part of the time they stand before and after."""
_SHUFFLE_EFFORT = 0.6
"""How much trunk and arms go with the small steps of who idles, of how much they do in others."""
_SHUFFLE_SINKS = 0.3
"""How much they sink, of how much others do: only the knee bends whose foot will leave."""
_GOES_ON = 0.2
"""How much arms and trunk go on when the last foot stands."""


def step_about(
    moves: Sequence[Move], *, name: str, tags: tuple[str, ...] = (), fps: float = 60.0,
    who: Performer = MEAN_PERFORMER, lean: float = 0.0, look: float = 0.0,
    over_deg: float = _BEND_OVER_DEG, wait_s: float = _WAIT_S, effort: float = 1.0,
    idle: bool = False, seed: int = 0,
) -> Clip:  # fmt: skip
    """Stand at the origin facing +Z, make these steps, and stand.

    lean      radians to the right while the first foot of each pair of steps is in the air
    look      radians to the left that it looks while it steps, besides where it will face
    over_deg  how far the trunk bends over the foot that carries
    wait_s    how long it stands before and after
    effort    how much trunk and arms go with the steps
    idle      whether it stands at ease where it does not step
    """
    leg_m, tempo = who.leg_m, who.tempo
    moves = [replace(m, swing_s=m.swing_s / tempo, both_s=m.both_s / tempo) for m in moves]
    stances, landings = plan_steps(moves, home(who), wait_s)
    settled = landings[-1].on_s + min(moves[-1].both_s, _SETTLE_S) if moves else wait_s
    timeline = Timeline.of(fps, settled + wait_s, 0.8)
    times, rate = timeline.times, timeline.rate
    still = Carried(times, np.zeros((len(times), 3)), np.zeros(3), np.zeros(len(times)))
    own = [[s for s in stances if s.side == n] for n in range(2)]
    paths = [follow_steps(foot, own[n], still) for n, foot in enumerate(feet_of(who))]
    air = [~path.held for path in paths]
    root, facing = _body([_places(stances, times) for stances in own], air, rate)
    aside = SPREAD * leg_m * np.stack([np.cos(facing), -np.sin(facing)], axis=1)
    paths = [tilt_with_legs(p, root + SIGNS[n] * aside, leg_m) for n, p in enumerate(paths)]
    how = _Stepping(times, rate, root, facing, air, _busy(landings, times))
    pose = _standing(how, timeline.seconds, who, seed, idle)
    _act(pose.vectors, how, lean, look, over_deg, effort)
    if landings:
        go_on(pose.vectors, times - landings[-1].on_s, effort * _GOES_ON, moves[-1].side)
    rotations = quat.from_rotation_vector(pose.vectors)
    rotations[:, 0] = quat.multiply(quat.from_yaw(facing), rotations[:, 0])
    wish = Wish(
        character=skeleton_of(who),
        rate=rate,
        root=_hips(pose, how, leg_m, _SHUFFLE_SINKS if idle else 1.0),
        rotations=rotations,
        held=~np.stack(air, axis=1),
        weight=np.ones(len(times)),
        clearance_m=np.zeros(len(times)),
        bend_rad=_LEAST_BEND,
        paths=(paths[0], paths[1]),
    )
    return timeline.clip(wish, name, tags)


@dataclass(frozen=True, eq=False)
class _Stepping:
    """Steps over T frames: the body over them, x and z, and where it faces, which feet are in the
    air, and how much, 0 to 1, it steps and does not stand."""

    times: Floats
    rate: float
    root: Floats
    facing: Floats
    air: list[Bools]
    busy: Floats


def _standing(how: _Stepping, seconds: float, who: Performer, seed: int, idle: bool) -> Curves:
    """The pose of who stands, at ease where it idles and does not step."""
    rests = at_ease(how.times, seconds)
    ease_ = (1.0 - how.busy) * rests if idle else None
    pose = stand_curves(how.times, seed, idle=ease_, ahead=who.style.ahead)
    if idle:
        fidget(pose.vectors, how.times, seconds, seed, rests)
    style_posture(pose.vectors, who.style)
    return pose


def _act(
    vectors: Floats, how: _Stepping, lean: float, look: float, over_deg: float, effort: float
) -> None:
    """Let trunk, head and arms go with the steps, as `step_about` says."""
    air, rate = how.air, how.rate
    leans = np.where(air[0 if lean > 0.0 else 1], lean, 0.0)
    go_with_steps(vectors, how.facing, effort * how.busy, leans, look, rate)
    carries = np.where(air[1] & ~air[0], 1.0, np.where(air[0] & ~air[1], -1.0, 0.0))
    shift_weight(vectors, carries, rate, effort * _DROP_DEG, over_deg)
    swing_aside(vectors, how.root, how.facing, effort, rate)


def _hips(pose: Curves, how: _Stepping, leg_m: float, sinks: float) -> Floats:
    """(T, 3) the hips over the feet: they sway where they stand and sink, by a share, where they
    step."""
    level = how.root + leg_m * pose.root[:, [0, 2]] * (1.0 - how.busy)[:, None]
    sunk = sinks * how.busy * (_BEND + _yielding(how.air, how.rate))
    height = leg_m * (pose.root[:, 1] - sunk)
    return np.stack([level[:, 0], height, level[:, 1]], axis=1)


def _yielding(air: list[Bools], rate: float) -> Floats:
    """(T,) how much lower, leg lengths, it is where both feet carry than it is on the way: it rises
    over the leg that carries alone."""
    both = smooth_gaussian((~air[0] & ~air[1]).astype(np.float64), _YIELD_S * rate)
    return np.asarray(_YIELDS * (2.0 * both - 1.0))


def _busy(landings: Sequence[Landing], times: Floats) -> Floats:
    """(T,) 0 where it stands, 1 while it makes steps that follow each other."""
    if not landings:
        return np.zeros(len(times))
    ends = [n for n, (a, b) in enumerate(pairwise(landings)) if b.off_s - a.on_s > _RESTS_S]
    firsts, lasts = [0, *(n + 1 for n in ends)], [*ends, len(landings) - 1]
    out = np.zeros(len(times))
    for first, last in zip(firsts, lasts, strict=True):
        begin, end = landings[first].off_s, landings[last].on_s
        out += ease(times, begin - 0.45, begin) - ease(times, end - 0.1, end + 0.4)
    return out


def sidestep(
    side: str = "left", steps: int = 3, length_m: float = 0.45, *, fps: float = 60.0,
    who: Performer = MEAN_PERFORMER, seed: int = 0,
) -> Clip:  # fmt: skip
    """Step aside: the foot on that side opens, the other closes, `steps` times."""
    lead = side_index(side, "side")
    sign = SIGNS[lead]
    check_whole("the number of steps", steps, 1, 50)
    check_range("the length of a step", length_m, 0.1, 0.9 * who.leg_m, unit="m")
    moves = steps_aside(who, lead, steps, length_m, seed)
    return step_about(
        moves, name=f"sidestep_{side}", tags=("stand", f"sidestep_{side}"), fps=fps, who=who,
        lean=sign * _LEAN_ASIDE, look=sign * _LOOK_ASIDE, over_deg=_BEND_ASIDE_DEG, seed=seed,
    )  # fmt: skip


def stand(
    seconds: float = 4.0, *, fps: float = 60.0, who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """Stand idle: weight goes to and fro, eyes look about, the chest breathes."""
    check_range("the length", seconds, above=0.0, most=LONGEST_S, unit="s")
    return step_about(
        (), name="stand", tags=("stand",), fps=fps, who=who, wait_s=0.5 * seconds, idle=True,
        seed=seed,
    )  # fmt: skip


def shuffle(
    seconds: float = 5.0, *, fps: float = 60.0, who: Performer = MEAN_PERFORMER, seed: int = 0
) -> Clip:
    """Stand idle, and shift the feet: a small step of one, and later of the other."""
    check_range("the length", seconds, 3.5, LONGEST_S, unit="s")
    wait_s = _IDLE_WAIT * seconds
    moves = small_steps(who, seconds - 2.0 * (wait_s + small_step_s(who)) - _SETTLE_S, seed)
    return step_about(
        moves, name="shuffle", tags=("stand",), fps=fps, who=who, wait_s=wait_s,
        effort=_SHUFFLE_EFFORT, over_deg=0.5 * _BEND_OVER_DEG, idle=True, seed=seed,
    )  # fmt: skip


def turn_in_place(
    angle_deg: float = 90.0, *, first: str = "", fps: float = 60.0,
    who: Performer = MEAN_PERFORMER, seed: int = 0,
) -> Clip:  # fmt: skip
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
    moves = steps_round(who, angle_deg, count, foot, seed)
    return step_about(
        moves, name=f"turn_in_place_{side}_{size:g}", tags=("stand", f"turn_in_place_{side}"),
        fps=fps, who=who, over_deg=_BEND_TURNING_DEG, seed=seed,
    )  # fmt: skip


def _places(stances: Sequence[PlannedStance], times: Floats) -> Floats:
    """(T, 3) where a foot is on the ground, x and z, and where it points, radians."""
    out = np.empty((len(times), 3))
    rows = [(s.x, s.z, math.radians(s.yaw_deg)) for s in stances]
    for k in range(3):
        ends = [(s.begin_s, s.end_s - (_opens_s(s, after) if k == 2 else 0.0))
                for s, after in pairwise([*stances, stances[-1]])]  # fmt: skip
        keys = [(t, row[k]) for row, times_s in zip(rows, ends, strict=True) for t in times_s]
        out[:, k] = through_keys(keys, times + (_LEADS_S if k == 2 else 0.0))
    return out


def _opens_s(stance: PlannedStance, after: PlannedStance) -> float:
    """How long before a foot leaves a stance for another the body turns: sooner if it opens."""
    return _OPENS_S if SIGNS[stance.side] * (after.yaw_deg - stance.yaw_deg) > _OPENS_DEG else 0.0


def _body(places: list[Floats], air: list[Bools], rate: float) -> tuple[Floats, Floats]:
    """The body over its feet: x, z (T, 2) and where it faces (T,)."""
    middle = 0.5 * (places[0] + places[1])
    shift = np.zeros((len(middle), 2))
    frames = np.arange(len(middle))
    for n in range(2):
        soon = np.interp(frames + _SHIFTS_S * rate, frames, air[n])
        shift += _SHIFT * soon[:, None] * (places[1 - n] - middle)[:, :2]
    root = smooth_gaussian(middle[:, :2], 0.1 * rate) + smooth_gaussian(shift, 0.13 * rate)
    return root, smooth_gaussian(middle[:, 2], 0.14 * rate)
