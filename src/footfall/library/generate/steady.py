"""Steady gait: the population's mean walk or run along an arc, with feet that stay put."""

from __future__ import annotations

import numpy as np

from footfall.adapt.foot_lock import LockOptions, lock_feet
from footfall.body.clip import Clip, Source
from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.library.generate.figure import MEAN_LEG_M, NAMES, default_figure
from footfall.library.generate.gait_model import Gait, gait, meta
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats
from footfall.world.ground import flat_ground

_KNEE_LEAST_RAD = 0.03
_ROLL_OFF = 0.03
"""The last part of a stance, in strides, rolls over the tip of the toes; the ball has left."""
_FLAT_WITHIN_RAD = np.radians(3.0)
_LOCK = LockOptions(body_smoothing_s=0.06, reach=0.998, soft=0.0005)


def steady(
    name: str = "walk",
    speed_m_s: float = 1.3,
    turn_rad_s: float = 0.0,
    *,
    seconds: float = 4.0,
    fps: float = 60.0,
    leg_m: float = MEAN_LEG_M,
) -> Clip:
    """A steady walk or run of the default figure, from the origin along +Z.

    The mean joint curves come from the population model; then the stance feet are planted, roll
    from heel to toe, and the legs follow by inverse kinematics. Contacts are exact.
    """
    if not 0.0 < seconds <= 3600.0:
        raise InputError(f"the length is {seconds} s", remedy="above 0 and at most an hour")
    which = gait(name, speed_m_s, turn_rad_s, leg_m)
    times = np.arange(round(seconds * fps) + 1) / fps
    phase = times / which.period_s
    figure = default_figure(leg_m)
    rotations = _joint_rotations(which, phase)
    heading = turn_rad_s * times
    rotations[:, 0] = quat.multiply(quat.from_yaw(heading), rotations[:, 0])
    root = _root(which, times, phase, heading)
    poses = forward_kinematics(figure, root, rotations)
    columns = [
        point
        for side, later in (("left", 0.5), ("right", 0.0))
        for point in _heel_and_toe(figure, poses, side, _in_contact(which, phase - later))
    ]
    curves = Clip(
        skeleton=figure,
        fps=fps,
        root=root,
        rotations=quat.continuous(rotations),
        name=f"{name}_{speed_m_s:g}",
        contacts=np.stack(columns, axis=1),
        tags=(name,),
        source=Source(format="generated", licence=meta()["source"]),
    )
    return lock_feet(curves, flat_ground(), _LOCK)


def _joint_rotations(which: Gait, phase: Floats) -> Floats:
    rotations = np.empty((len(phase), len(NAMES), 4))
    for index, joint in enumerate(NAMES):
        vectors = which.rotation_vectors(joint, phase)
        if joint.startswith("knee"):
            vectors[:, 0] = np.maximum(vectors[:, 0], _KNEE_LEAST_RAD)
        rotations[:, index] = quat.from_rotation_vector(vectors)
    return rotations


def _root(which: Gait, times: Floats, phase: Floats, heading: Floats) -> Floats:
    """(T, 3) the mid-hip point: an arc at constant speed plus sway, rise and surge."""
    forwards = -1.0 if which.name == "back" else 1.0
    speed, turn = forwards * which.speed_m_s, which.turn_rad_s
    # In the complex plane z + i x, multiplying by exp(i a) turns left by a.
    arc = speed * (times if turn == 0.0 else (np.exp(1j * heading) - 1.0) / (1j * turn))
    sway = which.curve("root.fwd", phase) + 1j * which.curve("root.lat", phase)
    place = arc + which.leg_m * sway * np.exp(1j * heading)
    return np.stack([place.imag, which.leg_m * which.curve("root.up", phase), place.real], axis=1)


def _heel_and_toe(
    figure: Skeleton, poses: WorldPoses, side: str, touching: Bools
) -> tuple[Bools, Bools]:
    """Which of heel and toes carry while a foot touches, from the pitch of the foot."""
    turned = poses.rotations[:, figure.role(f"{side}_ankle")]
    toes_up = np.arcsin(np.clip(quat.rotate(turned, np.array([0.0, 0.0, 1.0]))[:, 1], -1.0, 1.0))
    return touching & (toes_up > -_FLAT_WITHIN_RAD), touching & (toes_up < _FLAT_WITHIN_RAD)


def _in_contact(which: Gait, phase: Floats) -> Bools:
    since = (phase - which.contact_on) % 1.0
    return np.asarray(since <= which.contact_off - _ROLL_OFF - which.contact_on)
