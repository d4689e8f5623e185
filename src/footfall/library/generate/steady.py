"""Steady gait: the population's mean walk or run along an arc, with feet that stay put."""

from __future__ import annotations

import numpy as np

from footfall.body.clip import Clip, Source
from footfall.errors import InputError
from footfall.library.generate.figure import MEAN_LEG_M, NAMES, default_figure
from footfall.library.generate.gait_model import Gait, gait, meta
from footfall.library.generate.planting import plant_feet
from footfall.maths import quaternions as quat
from footfall.maths.arrays import Bools, Floats

_KNEE_LEAST_RAD = 0.03
_ROLL_OFF = 0.03
"""The last part of a stance, in strides, rolls over the tip of the toes; the ball has left."""


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
    contacts = np.stack([_in_contact(which, phase - 0.5), _in_contact(which, phase)], axis=1)
    planted = plant_feet(figure, fps, root, rotations, contacts)
    return Clip(
        skeleton=figure,
        fps=fps,
        root=planted.root,
        rotations=quat.continuous(planted.rotations),
        name=f"{name}_{speed_m_s:g}",
        contacts=planted.contacts,
        tags=(name,),
        source=Source(format="generated", licence=meta()["source"]),
    )


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


def _in_contact(which: Gait, phase: Floats) -> Bools:
    since = (phase - which.contact_on) % 1.0
    return np.asarray(since <= which.contact_off - _ROLL_OFF - which.contact_on)
