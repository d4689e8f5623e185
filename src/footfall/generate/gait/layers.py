"""What trunk, head and arms add to going: layers over the joint curves, each by itself.

A layer changes the joints' rotation vectors (T, 22, 3) in place, driven by what the body does:
its speed, its heading, its steps.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.generate.gait.gait_model import JOINTS
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.easing import smoothstep
from footfall.maths.filters import running_max, smooth_gaussian

_AT = {joint: n for n, joint in enumerate(JOINTS)}
_LOOK_AHEAD_S, _LOOK_FIRST_S, _MOST_LOOK = 0.3, 0.15, 0.45
"""How far along the path heads look, how long before the body gets there they turn, and how far at
most."""
_LEADS_S, _FALLS_S = 0.2, -0.06
"""How long before the body speeds up the trunk leans, and that of somebody who starts to run: it
falls from the ankles first, in one line."""
_WALK_LEAN, _RUN_LEAN_MORE, _MOST_LEAN = 0.62, 1.02, 0.75
"""How much of what balance asks for walkers do with their trunks, how much more runners do, and
the most."""
_HANGS = 0.8
"""How much of that lean arms do not go along with: they hang."""
_LOOKS_UP = 0.25
"""How much of it heads of runners take back besides what necks do: they look where they go."""
_DRIVEN_G = 0.13
"""By how many g those speed up who drive with all of their arms and knees: …"""
_DRIVE_SWING, _DRIVE_AHEAD = 1.2, math.radians(16.0)
"""… by how much more arms swing then, and how much further forward they do, …"""
_DRIVE_THIGH, _DRIVE_KNEE, _DRIVE_AT = math.radians(17.0), math.radians(14.0), 0.82
"""… how much higher thighs and shanks of swinging legs come, and at which phase most so."""
_SPINE_PART = 1.0 / 0.62
"""The line from hips to shoulders turns by this part of what the lowest joint of the spine does."""
_RUN_LEAN, _RUN_OUT = math.radians(4.5), math.radians(5.0)
"""Runners lean forward all the time, and hold their arms off their sides."""
_RUN_BENDS, _RUN_OPENS = 0.95, 0.25
"""By how much further runners bend their elbows in front, and open them behind: hardly."""
_FOLDED, _FOLDS = math.radians(118.0), math.radians(22.0)
"""Beyond the first bend elbows fold softly, at most by the second."""
_WALK_HANGS, _FAST = 0.4, (0.4, 0.6)
"""How much less the elbows of fast walkers bend and stretch than the curves go on to say, between
and above these speeds, √(g leg): they hang."""
_HEEL_S, _HEEL_GONE_S = (0.26, 0.05), 0.33
_HEEL_RAD = {
    "walk": (math.radians(14.0), math.radians(36.0)),
    "run": (math.radians(12.0), math.radians(20.0)),
    "back": (math.radians(2.0), math.radians(24.0)),
}
"""From how long before until how long after the first foot leaves its heel rises, how soon the leg
goes as in any step, and how far hip and knee bend for it: back the shank swings at once, and the
knee stays where it is; who runs off goes low on the other leg already."""
_GOES_ON_HZ, _GOES_ON_S, _GOES_ON_RAD = 1.15, 0.32, math.radians(16.0)
"""How fast arms of who has stopped swing on, how soon that fades, and how far they go after
a speed of √(g leg)."""
_GOES_ON_ELBOW, _GOES_ON_MOST = 0.4, 0.6
"""How much of that elbows bend with it, and the speed after which arms go furthest."""
_NEAR_ARM, _NEAR_HZ, _NEAR_LATE_S = 0.6, 0.95, 0.07
"""How far the arm on the side of the last step goes of what the other does, how fast and how much
later it swings."""
_ROCKS, _ROCKS_SOONER_S = 0.25, 0.1
"""How much of what the far arm swings the trunk rocks by, and how long before the foot stands it
sets out: the weight arrives over it."""
_GLANCE_RAD, _GLANCE_DOWN = math.radians(62.0), math.radians(4.0)
"""How far those look round, and down, who start to walk backward, …"""
_GLANCE_S = ((-0.7, -0.2), (0.3, 1.0))
"""… from when to when, seconds since the first foot leaves, they look round, and ahead again, …"""
_GLANCE = (("spine2", 0.1, 0.1), ("chest", 0.14, 0.08), ("neck", 0.34, 0.0), ("head", 0.42, -0.05))
"""… and what share of it joints turn, and how much later than that, seconds: the head leads."""
_BRAKES_OUT = 0.6
"""How much of how far back runners lean who slow down their arms go out to the sides."""
_BRAKES_SHARE, _BRAKES_AT = 0.3, 0.12
"""How much more and less trunks lean back within each braking step, and how many strides after its
strike most."""
_SITS_BACK = 0.3
"""How much further back than walkers runners lean who slow down."""
_FIRST_S, _LATE_S, _LATE_ARMS = 0.22, 0.18, 0.6
"""How long before the body a head turns to where it steps, how long after it arms do, and how far
of it they lag behind."""


def lean_into_pace(
    vectors: Floats, speed: Floats, running: Floats, rate: float, *,
    falls: bool = False, stops: Floats | None = None,
) -> None:  # fmt: skip
    """Lean into speeding up and back when slowing down, as balance asks for; the eyes stay level.

    speed  (T,) m/s;  running  (T,) 0 walks, 1 runs;  rate  frames per second
    falls  whether it starts to run from standing: the trunk leans later
    stops  (T,) the phase, in strides, of somebody who comes to stand, whom each step brakes
    """
    frames = np.arange(len(speed))
    sooner = (_FALLS_S if falls else _LEADS_S) * rate
    change = np.interp(frames + sooner, frames, np.gradient(speed, 1.0 / rate))
    lean = np.arctan(smooth_gaussian(change, 0.1 * rate) / GRAVITY)
    ran = _ahead_of(running[::-1], rate)[::-1]
    steps = np.ones(len(speed))
    if stops is not None:
        steps += _BRAKES_SHARE * np.cos(4.0 * np.pi * (stops - _BRAKES_AT))
    speeds_up = _WALK_LEAN + _RUN_LEAN_MORE * _ahead_of(running, rate)
    lean *= np.where(lean > 0.0, speeds_up, steps * (1.0 + _SITS_BACK * ran))
    lean = smooth_gaussian(_MOST_LEAN * np.tanh(lean / _MOST_LEAN), 0.06 * rate)
    lean_forward(vectors, lean + _RUN_LEAN * running)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        vectors[:, _AT[f"shoulder{side}"], 0] -= _HANGS * lean
        out = sign * _BRAKES_OUT * ran * np.maximum(-lean, 0.0)
        vectors[:, _AT[f"shoulder{side}"], 2] += out
    near = np.maximum(ran, _ahead_of(running, rate))
    vectors[:, _AT["head"], 0] -= _LOOKS_UP * near * lean


def driving(speed: Floats, running: Floats, rate: float) -> Floats:
    """(T,) how much, 0 to 1, a body that runs, or is about to, speeds up with arms and knees.

    speed  (T,) m/s;  running  (T,) 0 walks, 1 runs;  rate  frames per second
    """
    faster = smooth_gaussian(np.gradient(np.abs(speed), 1.0 / rate), 0.12 * rate) / GRAVITY
    near = smooth_gaussian(running_max(running, round(0.15 * rate)), 0.1 * rate)
    return np.asarray(near * np.tanh(np.maximum(faster, 0.0) / _DRIVEN_G))


def drive_limbs(vectors: Floats, phase: Floats, drive: Floats, rate: float) -> None:
    """Throw the arms and lift the knees of those who speed up, in place.

    phase  (T,) in strides;  drive  (T,) how much, 0 to 1
    """
    if not drive.any():
        return
    for side, later in (("L", 0.5), ("R", 0.0)):
        arm = vectors[:, _AT[f"shoulder{side}"], 0]
        arm += drive * (_DRIVE_SWING * (arm - smooth_gaussian(arm, 0.3 * rate)) - _DRIVE_AHEAD)
        off = (phase - later - _DRIVE_AT + 0.5) % 1.0 - 0.5
        swings = drive * np.cos(np.pi * np.clip(off / 0.36, -0.5, 0.5)) ** 2
        vectors[:, _AT[f"hip{side}"], 0] -= _DRIVE_THIGH * swings
        vectors[:, _AT[f"knee{side}"], 0] += _DRIVE_KNEE * swings


def raise_first_heel(vectors: Floats, foot: int, since_s: Floats, into: str = "walk") -> None:
    """Bend the leg that steps off before its foot leaves, so that its heel comes up first.

    foot  0 left, 1 right;  since_s  (T,) since it leaves, seconds;  into  "walk", "run" or "back"
    """
    share = smoothstep((since_s + _HEEL_S[0]) / sum(_HEEL_S))
    share *= smoothstep((_HEEL_GONE_S - since_s) / (_HEEL_GONE_S - _HEEL_S[1]))
    hip, knee = _HEEL_RAD[into]
    for joint, bend in (("hip", -hip), ("knee", knee)):
        vectors[:, _AT[f"{joint}{'LR'[foot]}"], 0] += bend * share


def glance_back(vectors: Floats, foot: int, since_s: Floats) -> None:
    """Look over the shoulder before and while the first foot goes back, and ahead again.

    foot  that steps off, 0 left or 1 right: over the shoulder of its side
    since_s  (T,) since it leaves, seconds
    """
    sign = 1.0 if foot == 0 else -1.0

    def share(later_s: float = 0.0) -> Floats:
        begins, ends = (
            smoothstep((since_s - later_s - first) / (last - first)) for first, last in _GLANCE_S
        )
        return np.asarray(begins - ends)

    for joint, part, later_s in _GLANCE:
        vectors[:, _AT[joint], 1] += sign * part * _GLANCE_RAD * share(later_s)
    vectors[:, _AT["head"], 0] += _GLANCE_DOWN * share()
    for side, ahead in (("L", sign), ("R", -sign)):
        # The arm of the side that turns away goes along, and that of the other one comes ahead.
        vectors[:, _AT[f"shoulder{side}"], 0] += 0.12 * ahead * _GLANCE_RAD * share()


def go_on(vectors: Floats, since_s: Floats, size: float, foot: int, rocks: float = _ROCKS) -> None:
    """Let arms and trunk of who has stopped go on for a moment.

    since_s  (T,) since the last foot stands, seconds;  size  how fast it went, √(g leg)
    foot     that stepped last, 0 left or 1 right: the arm of the other side goes further, and
             that of this side later and slower
    rocks    how much of what the far arm swings the trunk rocks forward, and back again
    """
    far = math.sqrt(min(size, _GOES_ON_MOST)) * 2.0 * _GOES_ON_RAD
    wave = far * _fading_swing(since_s, _GOES_ON_HZ)
    rock = rocks * far * _fading_swing(since_s + _ROCKS_SOONER_S, _GOES_ON_HZ)
    late = _NEAR_ARM * far * _fading_swing(since_s - _NEAR_LATE_S, _NEAR_HZ)
    for n, (side, sign) in enumerate((("L", 1.0), ("R", -1.0))):
        arm = late if n == foot else wave
        vectors[:, _AT[f"shoulder{side}"], 0] -= arm + _HANGS * rock
        vectors[:, _AT[f"elbow{side}"], 1] -= sign * _GOES_ON_ELBOW * np.maximum(arm, 0.0)
    twist = 0.3 * (1.0 if foot else -1.0) * wave
    for joint, share in (("spine1", 0.5), ("chest", 0.5), ("neck", -0.7)):
        vectors[:, _AT[joint], 1] += share * twist
    vectors[:, _AT["spine1"], 0] += rock
    vectors[:, _AT["neck"], 0] -= 0.7 * rock


def _fading_swing(since_s: Floats, hz: float) -> Floats:
    """(T,) a swing that begins at 0 s and fades."""
    t = np.maximum(since_s, 0.0)
    fades = smoothstep(t / 0.2) * np.exp(-t / _GOES_ON_S)
    return np.asarray(fades * np.sin(2.0 * np.pi * hz * t))


def _ahead_of(values: Floats, rate: float) -> Floats:
    """(T,) the most that values will be within a second: who is about to run leans like it."""
    return np.asarray(smooth_gaussian(running_max(values, round(0.9 * rate)), 0.15 * rate))


def lean_forward(vectors: Floats, lean: Floats | float) -> None:
    """Lean forward from hips and spine by so many radians, the neck keeping the eyes up."""
    for joint, share in (("pelvis", 0.35), ("spine1", 0.65 * _SPINE_PART), ("neck", -0.75)):
        vectors[:, _AT[joint], 0] += share * lean
    for side in "LR":
        vectors[:, _AT[f"hip{side}"], 0] -= 0.35 * lean


def hang_elbows(vectors: Floats, relative: Floats, walking: Floats) -> None:
    """Let the elbows of fast walkers hang.

    relative  (T,) speed, √(g leg);  walking  (T,) 0 stands or runs, 1 walks
    """
    less = _WALK_HANGS * walking * smoothstep((relative - _FAST[0]) / (_FAST[1] - _FAST[0]))
    for side in "LR" if less.any() else "":
        elbow = vectors[:, _AT[f"elbow{side}"], 1]
        elbow -= less * (elbow - np.average(elbow, weights=walking + 1e-6))


def swing_elbows(vectors: Floats, running: Floats) -> None:
    """Let runners' elbows range as far as they do, and hold their arms off their sides."""
    if not running.any():
        return
    for side, sign in (("L", 1.0), ("R", -1.0)):
        elbow = vectors[:, _AT[f"elbow{side}"], 1]
        off = elbow - np.average(elbow, weights=running + 1e-6)
        elbow += running * off * np.where(sign * off < 0.0, _RUN_BENDS, _RUN_OPENS)
        over = np.maximum(-sign * elbow - _FOLDED, 0.0)
        elbow += sign * (over - _FOLDS * np.tanh(over / _FOLDS))
        vectors[:, _AT[f"shoulder{side}"], 2] += sign * _RUN_OUT * running


def look_ahead(vectors: Floats, turn: Floats, heading: Floats, rate: float) -> None:
    """Turn the head where the path will go, before the body does.

    turn  (T,) radians per second;  heading  (T,) radians
    """
    frames = np.arange(len(heading))
    first = np.interp(frames + _LOOK_FIRST_S * rate, frames, heading)
    later = np.interp(frames + (_LOOK_FIRST_S + _LOOK_AHEAD_S) * rate, frames, heading)
    # What a steady turn does to head and trunk is in the model already.
    mean = smooth_gaussian(turn, 0.5 * rate)
    news = later - first - _LOOK_AHEAD_S * np.clip(mean, -0.9, 0.9)
    look = _MOST_LOOK * np.tanh(smooth_gaussian(news, 0.08 * rate) / _MOST_LOOK)
    for joint, share in (("chest", 0.15), ("neck", 0.4), ("head", 0.45)):
        vectors[:, _AT[joint], 1] += share * look


def shift_weight(
    vectors: Floats, carries: Floats, rate: float, drop_deg: float, bend_deg: float
) -> None:
    """Let the hip of the swinging side drop and the trunk bend over the foot that carries.

    carries  (T,) 1 where the left foot stands alone, -1 where the right one does, 0 for both
    """
    side = smooth_gaussian(carries, 0.085 * rate)
    lists, bend = math.radians(drop_deg) * side, math.radians(bend_deg) * side
    vectors[:, _AT["pelvis"], 2] += lists
    vectors[:, _AT["spine1"], 2] -= _SPINE_PART * (bend + lists)
    vectors[:, _AT["neck"], 2] += 0.7 * bend + 0.4 * lists
    for name, sign in (("L", 1.0), ("R", -1.0)):
        vectors[:, _AT[f"hip{name}"], 2] -= lists
        vectors[:, _AT[f"clav{name}"], 2] -= 0.8 * bend
        vectors[:, _AT[f"shoulder{name}"], 2] += sign * np.maximum(-1.2 * sign * bend, 0.0)


def go_with_steps(
    vectors: Floats, facing: Floats, busy: Floats, lean: Floats, aside: float, rate: float
) -> None:
    """Step about as people do: the head goes first, the trunk leans a little, arms follow loosely.

    facing  (T,) radians;  busy  (T,) 0 standing, 1 stepping;  lean  (T,) radians to the right
    aside   how far, radians to the left, it looks where it steps besides where it will face
    """
    frames = np.arange(len(facing))
    look = np.interp(frames + round(_FIRST_S * rate), frames, facing) - facing
    look += aside * np.interp(frames + round(_FIRST_S * rate), frames, busy)
    late = facing - np.interp(frames - round(_LATE_S * rate), frames, facing)
    for joint, share in (("chest", 0.12), ("neck", 0.35), ("head", 0.45)):
        vectors[:, _AT[joint], 1] += share * look
    roll = smooth_gaussian(lean, 0.12 * rate)
    vectors[:, _AT["spine1"], 2] += roll
    vectors[:, _AT["neck"], 2] -= 0.7 * roll
    vectors[:, _AT["spine1"], 0] += math.radians(3.0) * busy
    vectors[:, _AT["neck"], 0] -= math.radians(2.0) * busy
    for side, sign in (("L", 1.0), ("R", -1.0)):
        vectors[:, _AT[f"shoulder{side}"], 1] -= _LATE_ARMS * late
        vectors[:, _AT[f"shoulder{side}"], 2] += sign * math.radians(3.0) * busy
        vectors[:, _AT[f"elbow{side}"], 1] -= sign * math.radians(9.0) * busy
