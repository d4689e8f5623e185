"""Mass distribution of a body: segments and centre of mass after de Leva 1996.

P. de Leva, Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters, J. Biomechanics 29,
1996. Where we differ: the trunk's levels are placed along mid-hip to mid-shoulder, because
skeletons have those joints but no navel or xiphion, and the length of hand and head follows
from forearm and trunk.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from footfall.body.clip import Clip
from footfall.body.feet import FootPoints, foot_points
from footfall.body.kinematics import WorldPoses
from footfall.body.roles import SIDES
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError, choices
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import rotate


@dataclass(frozen=True)
class _Solid:
    """One segment of the table.

    mass    as part of the body's
    centre  of mass, as part of the length from the first-named end
    radii   of gyration about the sagittal, transverse, longitudinal axis, as parts of the length
    """

    mass: float
    centre: float
    radii: tuple[float, float, float]


@dataclass(frozen=True)
class _Masses:
    """De Leva's figures for one sex, and the ratios that place what a skeleton does not show.

    c7       mid-hip to the seventh neck vertebra / mid-hip to mid-shoulder
    navel    mid-hip to navel / mid-hip to C7;  xiphion likewise
    vertex   C7 to the top of the head / mid-hip to C7
    hand     wrist to third knuckle / forearm
    """

    shapes: dict[str, _Solid]
    c7: float
    navel: float
    xiphion: float
    vertex: float
    hand: float


_TABLES = {
    "male": _Masses(
        {
            "head": _Solid(0.0694, 0.5002, (0.303, 0.315, 0.261)),
            "upper_trunk": _Solid(0.1596, 0.5066, (0.505, 0.320, 0.465)),
            "middle_trunk": _Solid(0.1633, 0.4502, (0.482, 0.383, 0.468)),
            "lower_trunk": _Solid(0.1117, 0.6115, (0.615, 0.551, 0.587)),
            "upper_arm": _Solid(0.0271, 0.5772, (0.285, 0.269, 0.158)),
            "forearm": _Solid(0.0162, 0.4574, (0.276, 0.265, 0.121)),
            "hand": _Solid(0.0061, 0.7900, (0.628, 0.513, 0.401)),
            "thigh": _Solid(0.1416, 0.4095, (0.329, 0.329, 0.149)),
            "shank": _Solid(0.0433, 0.4395, (0.251, 0.246, 0.102)),
            "foot": _Solid(0.0137, 0.4415, (0.257, 0.245, 0.124)),
        },
        c7=603.3 / 515.5, navel=145.7 / 603.3, xiphion=361.2 / 603.3, vertex=242.9 / 603.3,
        hand=86.2 / 268.9,
    ),
    "female": _Masses(
        {
            "head": _Solid(0.0668, 0.4841, (0.271, 0.295, 0.261)),
            "upper_trunk": _Solid(0.1545, 0.5050, (0.466, 0.314, 0.449)),
            "middle_trunk": _Solid(0.1465, 0.4512, (0.433, 0.354, 0.415)),
            "lower_trunk": _Solid(0.1247, 0.4920, (0.433, 0.402, 0.444)),
            "upper_arm": _Solid(0.0255, 0.5754, (0.278, 0.260, 0.148)),
            "forearm": _Solid(0.0138, 0.4559, (0.261, 0.257, 0.094)),
            "hand": _Solid(0.0056, 0.7474, (0.531, 0.454, 0.335)),
            "thigh": _Solid(0.1478, 0.3612, (0.369, 0.364, 0.162)),
            "shank": _Solid(0.0481, 0.4352, (0.267, 0.263, 0.092)),
            "foot": _Solid(0.0129, 0.4014, (0.299, 0.279, 0.139)),
        },
        c7=614.8 / 497.9, navel=181.5 / 614.8, xiphion=386.8 / 614.8, vertex=243.7 / 614.8,
        hand=78.0 / 264.3,
    ),
}  # fmt: skip

SEXES = tuple(_TABLES)


@dataclass(frozen=True, eq=False)
class BodySegment:
    """A rigid part of the body that moves with one joint.

    joint    the joint it moves with
    mass_kg  its mass
    centre   (3,) its centre of mass in the joint's frame, metres
    inertia  (3, 3) about that centre, along the joint's axes, kg m^2
    """

    name: str
    joint: int
    mass_kg: float
    centre: Floats
    inertia: Floats


@lru_cache(maxsize=64)
def segments(
    skeleton: Skeleton, body_mass_kg: float = 70.0, sex: str = "male"
) -> tuple[BodySegment, ...]:
    """Return the body's segments, from a skeleton with roles in its canonical rest pose.

    Their masses add up to `body_mass_kg` exactly. A missing spine gives the middle trunk to the
    hips, a missing head the head to the neck.
    """
    if sex not in _TABLES:
        raise InputError(f"there is no table for sex {sex!r}", remedy=choices(SEXES, sex))
    if not (np.isfinite(body_mass_kg) and body_mass_kg > 0.0):
        raise InputError(f"the body mass is {body_mass_kg}", remedy="it must be a positive number")
    table = _TABLES[sex]
    spans = [*_trunk_spans(skeleton, table)]
    feet = foot_points(skeleton)
    for side in SIDES:
        spans += _limb_spans(skeleton, table, feet, side)
    total = sum(table.shapes[kind].mass for _, kind, *_ in spans)
    return tuple(
        _segment(skeleton, name, table.shapes[kind], joint, start, end, body_mass_kg / total)
        for name, kind, joint, start, end in spans
    )


def centre_of_mass(clip: Clip, parts: Sequence[BodySegment] | None = None) -> Floats:
    """Return (T, 3) the body's centre of mass in the world, metres."""
    poses = clip.world
    return mass_centres(poses, segments(clip.skeleton) if parts is None else parts)


def mass_centres(poses: WorldPoses, parts: Sequence[BodySegment]) -> Floats:
    """Return (T, 3) centre of mass of the segments at world poses (T, J, ...)."""
    joints = [part.joint for part in parts]
    masses = np.array([part.mass_kg for part in parts])
    centres = np.stack([part.centre for part in parts])
    places = poses.positions[:, joints] + rotate(poses.rotations[:, joints], centres)
    return np.asarray(np.einsum("s,tsi->ti", masses / masses.sum(), places))


_Span = tuple[str, str, int, Floats, Floats]
"""Name, kind, joint, and the two ends (3,) at rest between which the table measures."""


def _trunk_spans(skeleton: Skeleton, table: _Masses) -> list[_Span]:
    rest, roles = skeleton.rest_positions, skeleton.roles

    def middle(part: str) -> Floats:
        both = [rest[skeleton.role(f"{side}_{part}")] for side in SIDES]
        return np.asarray(0.5 * (both[0] + both[1]))

    hips, chest = skeleton.role("hips"), skeleton.role("chest")
    low = middle("hip")
    c7 = low + table.c7 * (middle("shoulder") - low)
    navel, xiphion = low + table.navel * (c7 - low), low + table.xiphion * (c7 - low)
    head = roles["head"] if "head" in roles else skeleton.role("neck")
    vertex = c7 + np.array([0.0, table.vertex * float(np.linalg.norm(c7 - low)), 0.0])
    return [
        ("head", "head", head, vertex, c7),
        ("upper_trunk", "upper_trunk", chest, c7, xiphion),
        ("middle_trunk", "middle_trunk", roles.get("spine", hips), xiphion, navel),
        ("lower_trunk", "lower_trunk", hips, navel, low),
    ]


def _limb_spans(skeleton: Skeleton, table: _Masses, feet: FootPoints, side: str) -> list[_Span]:
    rest = skeleton.rest_positions
    joint = {
        part: skeleton.role(f"{side}_{part}")
        for part in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")
    }
    place = {part: rest[index] for part, index in joint.items()}
    heel, _, tip = feet.side(side)
    knuckle = place["wrist"] + table.hand * (place["wrist"] - place["elbow"])
    ends = {
        "upper_arm": (place["shoulder"], place["elbow"]),
        "forearm": (place["elbow"], place["wrist"]),
        "hand": (place["wrist"], knuckle),
        "thigh": (place["hip"], place["knee"]),
        "shank": (place["knee"], place["ankle"]),
        "foot": (rest[heel.joint] + heel.offset, rest[tip.joint] + tip.offset),
    }
    carriers = ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")
    return [
        (f"{side}_{kind}", kind, joint[carrier], *ends[kind])
        for kind, carrier in zip(ends, carriers, strict=True)
    ]


def _segment(
    skeleton: Skeleton, name: str, shape: _Solid, joint: int, start: Floats, end: Floats,
    mass_kg: float,
) -> BodySegment:  # fmt: skip
    """Return a segment between its ends at rest; `mass_kg` is the whole body's mass."""
    bone = end - start
    length = float(np.linalg.norm(bone))
    centre = start + shape.centre * bone
    if name.endswith("foot"):  # the sole line gives place along the foot; its mass lies above it
        centre = centre + 0.5 * (skeleton.rest_positions[joint] - centre) * [0.0, 1.0, 0.0]
    mass = shape.mass * mass_kg
    return BodySegment(
        name, joint, mass, centre - skeleton.rest_positions[joint],
        mass * length**2 * _square_radii(bone, shape.radii),
    )  # fmt: skip


def _square_radii(bone: Floats, radii: tuple[float, float, float]) -> Floats:
    """Return (3, 3) squared radii of gyration of a segment that lies along `bone` at rest.

    The longitudinal axis is the bone; the transverse one is what is nearest to x (for arms,
    which lie along x at rest, to y); the sagittal one completes them.
    """
    length = float(np.linalg.norm(bone))
    along = bone / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
    across = np.array([0.0, 1.0, 0.0] if abs(along[0]) > 0.7 else [1.0, 0.0, 0.0])
    across = across - along * float(across @ along)
    across /= np.linalg.norm(across)
    ahead = np.cross(along, across)
    sagittal, transverse, longitudinal = radii
    return np.asarray(
        sagittal**2 * np.outer(ahead, ahead)
        + transverse**2 * np.outer(across, across)
        + longitudinal**2 * np.outer(along, along)
    )
