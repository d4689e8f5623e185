"""Stride variation: small smooth changes, so that no stride of a motion is like another.

People never take the same stride twice. A motion that is put together from a few clips does, and
a watcher sees the loop. Here slow noise is laid over a finished motion: trunk, pelvis, head and
arms by some degrees, footprints by a centimetre. It changes more slowly than the strides
themselves, so that it alters each of them and adds no shaking of its own.

The legs are not solved here: the body is moved, and its feet with it, by so little that
`lock_feet`, called next, finds the same contacts and puts every footprint firmly to its new place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from statistics import median

import numpy as np

from footfall.adapt.feet.lean import carrying_head, trunk_lever
from footfall.adapt.feet.lock import with_contacts
from footfall.body.clip import Clip
from footfall.body.roles import SIDES, path_between
from footfall.errors import InputError
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Floats, Ints
from footfall.maths.easing import smoothstep
from footfall.maths.filters import smooth_gaussian
from footfall.maths.runs import runs

MOST_AMOUNT = 3.0


@dataclass(frozen=True)
class StrideSpread:
    """How much strides of one person differ: standard deviations, means over many performers.

    Angles in degrees, lengths in metres, the swing of the arms as a share of itself.
    """

    lean_deg: float = 0.47
    list_deg: float = 0.46
    head_pitch_deg: float = 2.8
    head_yaw_deg: float = 2.0
    shoulder_deg: float = 1.4
    elbow_deg: float = 1.8
    arm_swing: float = 0.05
    step_length_m: float = 0.015
    step_width_m: float = 0.012


USUAL_SPREAD = StrideSpread()

_FADE_S = 0.7
"""How long after the beginning and before the end the variation is not yet whole."""
_STRIDE_S, _SHORTEST_S, _LONGEST_S = 1.1, 0.6, 1.6
"""How long a stride usually lasts, and within what it is believed."""
_MOST_SD = 2.0
"""Rarer values are drawn in, so that a footprint is never far from where it was."""
_FASTER, _UNSEEN_RAD_S = 0.1, math.radians(2.0)
"""A joint becomes faster by this share of its own greatest speed, or by what nobody sees."""
_SPLINE_SD = math.sqrt(151.0 / 315.0)
"""The standard deviation of the cubic B-spline whose coefficients have 1."""
_X, _Y, _Z = range(3)


def vary_strides(
    clip: Clip,
    seed: int,
    amount: float = 1.0,
    *,
    move_feet: bool = True,
    spread: StrideSpread = USUAL_SPREAD,
) -> Clip:
    """Return `clip` with strides that vary as people's do; call `lock_feet` afterwards.

    seed       the same seed gives the same clip, another one another; 0 is as good as any
    amount     how much against people's usual spread; 0 returns the clip as it is
    move_feet  whether footprints move as well, by a centimetre or two; not where they must stay
               on stones, treads or marks

    The first and the last pose, and footprints that are there in them, stay as they are. A clip
    without contacts stays one, for `lock_feet` to find them.
    """
    _check(seed, amount)
    if amount == 0.0 or len(clip) < 3 or not clip.skeleton.roles:
        return clip
    contacts = with_contacts(clip).contacts
    assert contacts is not None
    rng = np.random.default_rng(seed)
    holds = [runs(contacts[:, k] | contacts[:, k + 1]) for k in (0, 2)]
    stride = _stride_frames(holds, clip.fps)
    frames = np.arange(len(clip), dtype=np.float64)
    over = _FADE_S * clip.fps
    whole = amount * _fade(frames, 0.0, frames[-1], over)[:, None]
    going = amount * _fade(frames, *_steps_between(holds, len(clip)), over)[:, None]
    posture = _noise(rng, frames / stride, 8)
    glance = _noise(rng, 0.5 * frames / stride, 2)
    steps = _noise(rng, _step_clock(holds, frames), 2)
    rotations = np.array(clip.rotations)
    _vary_trunk(rotations, clip, whole * posture[:, :1], spread)
    _vary_head(rotations, clip, whole * glance, spread)
    _vary_arms(rotations, clip, whole[..., None] * posture[:, 2:].reshape(-1, 2, 3), stride, spread)
    _vary_pelvis(rotations, clip, going[:, 0] * posture[:, 1], spread)
    root = np.array(clip.root)
    if move_feet:
        root[:, [0, 2]] += _over_ground(clip, going * steps, spread)
    return clip.derive(root=root, rotations=rotations)


def _check(seed: int, amount: float) -> None:
    if not isinstance(seed, Integral) or seed < 0:
        raise InputError(f"the seed is {seed!r}", remedy="it is a whole number, at least 0")
    if not 0.0 <= amount <= MOST_AMOUNT:
        raise InputError(
            f"the amount of variation is {amount!r}", remedy=f"between 0 and {MOST_AMOUNT:g}"
        )


def _stride_frames(holds: list[Ints], fps: float) -> float:
    """Return how many frames a stride usually lasts: from a foot's coming down to its next."""
    lengths = np.concatenate([np.diff(spans[:, 0]) for spans in holds]) / fps
    lengths = lengths[(lengths >= _SHORTEST_S) & (lengths <= _LONGEST_S)]
    return fps * (median(lengths.tolist()) if len(lengths) else _STRIDE_S)


def _fade(frames: Floats, first: float, last: float, over: float) -> Floats:
    """Return (T,) 0 up to `first` and from `last` on, 1 further than `over` from both."""
    if last <= first:
        return np.zeros(len(frames))
    over = min(over, 0.5 * (last - first))
    return smoothstep(np.minimum(frames - first, last - frames) / over)


def _steps_between(holds: list[Ints], frames: int) -> tuple[float, float]:
    """Return the first and the last frame at which none of the outermost footprints is stood on."""
    spans = np.concatenate(holds)
    first = float(spans[spans[:, 0] == 0, 1].max(initial=0))
    last = float(spans[spans[:, 1] == frames, 0].min(initial=frames) - 1)
    return first, last


def _step_clock(holds: list[Ints], frames: Floats) -> Floats:
    """Return (T,) how many steps have been taken: it stands still while somebody stands."""
    middles = np.sort(np.concatenate(holds).mean(axis=1))
    if len(middles) == 0:
        return np.zeros(len(frames))
    return np.interp(frames, middles, np.arange(len(middles)))


def _noise(rng: np.random.Generator, clock: Floats, channels: int) -> Floats:
    """Return (T, C) smooth noise of standard deviation 1 that changes as the clock (T,) goes on.

    Cubic B-splines with random coefficients, one per tick of the clock.
    """
    clock = clock - clock[0] + rng.uniform()
    tick = np.floor(clock).astype(np.intp)
    values = rng.standard_normal((int(tick[-1]) + 4, channels))
    values = np.clip(values, -_MOST_SD, _MOST_SD) / _SPLINE_SD
    u = (clock - tick)[:, None]
    v = 1.0 - u
    # Powers by multiplication: numpy's take ten times as long.
    uu, vv = u * u, v * v
    weights = v * vv, 4.0 - 6.0 * uu + 3.0 * u * uu, 4.0 - 6.0 * vv + 3.0 * v * vv, u * uu
    mixed = sum(values[tick + k] * weight for k, weight in enumerate(weights))
    return np.asarray(mixed / 6.0)


def _vary_pelvis(rotations: Floats, clip: Clip, tilt: Floats, spread: StrideSpread) -> None:
    """Let the pelvis list to its sides; trunk and thighs keep their directions."""
    skeleton = clip.skeleton
    hips = skeleton.roles["hips"]
    tilt = _slow(tilt * math.radians(spread.list_deg), clip.rotations[:, hips], clip.fps)
    legs = [path_between(skeleton, hips, skeleton.roles[f"{side}_hip"]) for side in SIDES]
    trunk = path_between(skeleton, hips, skeleton.roles["chest"])[:1]
    for *between, joint in filter(None, (*legs, trunk)):
        back = quat.about_axis(_Z, -tilt)
        for above in between:
            local = clip.rotations[:, above]
            back = quat.multiply(quat.multiply(quat.conjugate(local), back), local)
        rotations[:, joint] = quat.multiply(back, rotations[:, joint])
    rotations[:, hips] = quat.multiply(rotations[:, hips], quat.about_axis(_Z, tilt))


def _vary_trunk(rotations: Floats, clip: Clip, lean: Floats, spread: StrideSpread) -> None:
    """Let the trunk lean to its sides, each of its joints by a share; `lean` (T, 1)."""
    roles = clip.skeleton.roles
    joints = path_between(clip.skeleton, roles["hips"], roles["chest"])
    if not joints:
        return
    share = (
        lean * math.radians(spread.lean_deg) / (len(joints) * trunk_lever(clip.skeleton, joints))
    )
    share = _slow(np.repeat(share, len(joints), axis=1), clip.rotations[:, joints], clip.fps)
    rotations[:, joints] = quat.multiply(quat.about_axis(_Z, share), rotations[:, joints])


def _vary_head(rotations: Floats, clip: Clip, glance: Floats, spread: StrideSpread) -> None:
    """Let the head nod and look to its sides, slowly; `glance` (T, 2)."""
    joints = carrying_head(clip.skeleton)
    angles = np.radians([spread.head_pitch_deg, spread.head_yaw_deg]) / max(len(joints), 1)
    own = clip.rotations[:, joints]
    pitch, yaw = (
        _slow(np.repeat(a[:, None], len(joints), axis=1), own, clip.fps)
        for a in (glance * angles).T
    )
    turn = quat.multiply(quat.about_axis(_Y, yaw), quat.about_axis(_X, pitch))
    rotations[:, joints] = quat.multiply(turn, own)


def _vary_arms(
    rotations: Floats, clip: Clip, noise: Floats, stride: float, spread: StrideSpread
) -> None:
    """Let arms hang further forward or back, swing more or less, and elbows bend.

    noise  (T, 2, 3) of the left and the right arm
    """
    roles, rest = clip.skeleton.roles, clip.skeleton.rest_positions
    shoulders, elbows, wrists = (
        [roles[f"{side}_{part}"] for side in SIDES] for part in ("shoulder", "elbow", "wrist")
    )
    upper_bones, lower_bones = (
        _directions(rest[b] - rest[a]) for a, b in ((shoulders, elbows), (elbows, wrists))
    )
    upper, lower = np.array(rotations[:, shoulders]), np.array(rotations[:, elbows])
    arm = quat.rotate(upper, upper_bones)
    # An arm that is held up does not swing, and where it is level "forward" has no angle.
    hangs = smoothstep((-arm[..., 1] - 0.3) / 0.4)
    ahead = hangs * np.arctan2(arm[..., 2], np.maximum(-arm[..., 1], 0.1))
    swing = ahead - smooth_gaussian(ahead, 0.5 * stride)
    more = np.clip(spread.arm_swing * noise[..., 1], -_FASTER, _FASTER)
    shift = hangs * math.radians(spread.shoulder_deg) * noise[..., 0]
    forward = _slow(shift, upper, clip.fps) + hangs * more * swing
    rotations[:, shoulders] = quat.multiply(quat.about_axis(_X, -forward), upper)
    # A straight arm has no hinge to be seen, and must not be bent beyond straight.
    hinge = quat.cross(upper_bones, quat.rotate(lower, lower_bones))
    bent = np.linalg.norm(hinge, axis=2)
    flex = smoothstep(bent / 0.3) * math.radians(spread.elbow_deg) * noise[..., 2]
    turn = hinge * (_slow(flex, lower, clip.fps) / np.maximum(bent, 1e-9))[..., None]
    rotations[:, elbows] = quat.multiply(quat.from_rotation_vector(turn), lower)


def _directions(vectors: Floats) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)[:, None])


def _over_ground(clip: Clip, noise: Floats, spread: StrideSpread) -> Floats:
    """Return (T, 2) how body and footprints shift over the ground, ahead and aside."""
    ahead, aside = spread.step_length_m * noise[:, 0], spread.step_width_m * noise[:, 1]
    yaw = quat.yaw_of(clip.rotations[:, clip.skeleton.roles["hips"]])
    sin, cos = np.sin(yaw), np.cos(yaw)
    return np.stack([ahead * sin + aside * cos, ahead * cos - aside * sin], axis=1)


def _slow(angles: Floats, rotations: Floats, fps: float) -> Floats:
    """Angles (T, ...) made smaller where they would hurry joints of these rotations (T, ..., 4)."""
    alike = np.abs(quat.dot(rotations[1:], rotations[:-1])).min(axis=0, initial=1.0)
    rate = np.abs(np.diff(angles, axis=0)).max(axis=0, initial=0.0)
    # They add at most a share of the greatest speed that a joint has by itself.
    most = np.maximum(_FASTER * fps * 2.0 * np.arccos(alike), _UNSEEN_RAD_S)
    return np.asarray(angles * np.minimum(1.0, most / np.maximum(fps * rate, 1e-12)))
