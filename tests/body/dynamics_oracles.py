"""The same body in Pinocchio and in MuJoCo: a free root, ball joints, masses after de Leva."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

import numpy as np

from footfall.body.mass import BodySegment, segments
from footfall.body.skeleton import Skeleton
from footfall.maths.arrays import Floats
from footfall.maths.constants import GRAVITY
from footfall.maths.quaternions import conjugate, rotate

# Not in every environment, and without types.
with suppress(ImportError):
    mujoco: Any = import_module("mujoco")
with suppress(ImportError):
    pinocchio: Any = import_module("pinocchio")

XYZW = [1, 2, 3, 0]


def by_joint(skeleton: Skeleton) -> dict[int, list[BodySegment]]:
    found: dict[int, list[BodySegment]] = {}
    for part in segments(skeleton, 70.0):
        found.setdefault(part.joint, []).append(part)
    return found


def pinocchio_model(skeleton: Skeleton) -> Any:
    model = pinocchio.Model()
    model.gravity.linear = np.array([0.0, -GRAVITY, 0.0])
    for joint, name in enumerate(skeleton.names):
        kind = pinocchio.JointModelSpherical() if joint else pinocchio.JointModelFreeFlyer()
        offset = np.array(skeleton.offsets[joint]) if joint else np.zeros(3)
        place = pinocchio.SE3(np.eye(3), offset)
        added = model.addJoint(int(skeleton.parents[joint]) + 1, kind, place, name)
        assert added == joint + 1
        for part in by_joint(skeleton).get(joint, []):
            inertia = pinocchio.Inertia(part.mass_kg, part.centre, part.inertia)
            model.appendBodyToJoint(joint + 1, inertia, pinocchio.SE3.Identity())
    return model


def pinocchio_torques(
    skeleton: Skeleton, rotations: Floats, drift: Floats, rates: Floats, changes: Floats
) -> tuple[Floats, Floats]:
    """The force (T, 3) and torques (T, J, 3) that move a body whose root alone is held.

    drift           (T, 3) acceleration of the root, m/s², world axes
    rates, changes  (T, J, 3) angular velocity against the parent and its rate of change, along
                    the joint's axes
    The force is along the root's axes, N; the torque of the root is the moment about it, N m.
    The root's velocity is 0, which no torque depends on.
    """
    model = pinocchio_model(skeleton)
    data = model.createData()
    pushes, torques = np.zeros((len(rotations), 3)), np.zeros(rates.shape)
    for t in range(len(rotations)):
        q = np.concatenate([np.zeros(3), rotations[t][:, XYZW].ravel()])
        fall = rotate(conjugate(rotations[t, 0]), drift[t])
        v = np.concatenate([np.zeros(3), rates[t].ravel()])
        a = np.concatenate([fall, changes[t].ravel()])
        tau = pinocchio.rnea(model, data, q, v, a)
        pushes[t], torques[t] = tau[:3], tau[3:].reshape(-1, 3)
    return pushes, torques


def mujoco_model(skeleton: Skeleton) -> Any:
    top = ElementTree.Element("mujoco")
    ElementTree.SubElement(top, "compiler", angle="radian", inertiafromgeom="false")
    ElementTree.SubElement(top, "option", gravity=f"0 {-GRAVITY!r} 0")
    bodies = {-1: ElementTree.SubElement(top, "worldbody")}
    for joint, name in enumerate(skeleton.names):
        offset = skeleton.offsets[joint] if joint else np.zeros(3)
        parent = bodies[int(skeleton.parents[joint])]
        body = ElementTree.SubElement(parent, "body", name=name, pos=_words(offset))
        ElementTree.SubElement(body, "joint", type="ball" if joint else "free")
        mass, centre, inertia = _lumped(by_joint(skeleton).get(joint, []))
        six = inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        ElementTree.SubElement(
            body, "inertial", pos=_words(centre), mass=repr(mass), fullinertia=_words(six)
        )
        bodies[joint] = body
    return mujoco.MjModel.from_xml_string(ElementTree.tostring(top, encoding="unicode"))


def mujoco_torques(
    skeleton: Skeleton, rotations: Floats, drift: Floats, rates: Floats, changes: Floats
) -> tuple[Floats, Floats]:
    """As `pinocchio_torques`."""
    model = mujoco_model(skeleton)
    data = mujoco.MjData(model)
    pushes, torques = np.zeros((len(rotations), 3)), np.zeros(rates.shape)
    for t in range(len(rotations)):
        data.qpos[:] = np.concatenate([np.zeros(3), rotations[t].ravel()])
        data.qvel[:] = np.concatenate([np.zeros(3), rates[t].ravel()])
        data.qacc[:] = np.concatenate([drift[t], changes[t].ravel()])
        mujoco.mj_inverse(model, data)
        tau = np.array(data.qfrc_inverse)
        pushes[t] = rotate(conjugate(rotations[t, 0]), tau[:3])
        torques[t] = tau[3:].reshape(-1, 3)
    return pushes, torques


def _lumped(parts: list[BodySegment]) -> tuple[float, Floats, Floats]:
    """Mass, centre and inertia of parts together; a mote of dust where there are none."""
    if not parts:
        return 1e-10, np.zeros(3), 1e-10 * np.eye(3)
    mass = sum(part.mass_kg for part in parts)
    centre = np.asarray(sum(part.mass_kg * part.centre for part in parts)) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.centre - centre
        inertia += part.inertia
        inertia += part.mass_kg * (float(arm @ arm) * np.eye(3) - np.outer(arm, arm))
    return float(mass), centre, inertia


def _words(values: Floats) -> str:
    return " ".join(repr(float(v)) for v in values)
