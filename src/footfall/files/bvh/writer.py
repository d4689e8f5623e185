"""Writing BVH: centimetres, T-pose rest, channels in the order Z X Y.

Decisions, made so that every tool sees the same character:
* the root's OFFSET is zero and its position channels carry the whole way, because some tools add
  the two and others replace one by the other
* Z X Y is the order most tools write; angles run on from frame to frame without jumps, so that
  tools may interpolate them
* every leaf has an End Site; where the skeleton has none it is of zero length, which our reader
  leaves out again
* joints stand in the order of the nesting (depth first), as the format asks
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from footfall.body.clip import Clip
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.files.atomic import atomic_file
from footfall.files.axes import turn_up
from footfall.files.intake.frame_rate import snapped_rate
from footfall.files.options import WriteOptions
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import to_euler

_ORDER = "ZXY"
_ANGLE_DECIMALS = 6
_ROOT_STEP_M = 1e-8
_BLOCK_FRAMES = 2048
_TURN = 2.0 * math.pi


def write(clip: Clip, path: Path, options: WriteOptions) -> None:
    """Write `clip` to `path`; positions come back within 1e-7 m, rotations within 1e-7 rad."""
    unit_m = 0.01 if options.unit_m is None else options.unit_m
    if not (math.isfinite(unit_m) and 1e-6 <= unit_m <= 1e6):
        raise InputError(f"the unit is {unit_m} m", remedy="it must be a positive length in metres")
    if options.up not in ("y", "z"):
        raise InputError(f"there is no up axis {options.up!r} in BVH", remedy="choose y or z")
    order = _depth_first(clip.skeleton)
    with (
        atomic_file(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.write("HIERARCHY\n")
        file.writelines(_hierarchy(clip.skeleton, order, unit_m, options.up))
        file.write(f"MOTION\nFrames: {len(clip)}\nFrame Time: {_frame_time(clip.fps)}\n")
        file.writelines(_motion(clip, order, unit_m, options.up))


def _depth_first(skeleton: Skeleton) -> list[int]:
    """Return the joints depth first, children in the skeleton's order."""
    order, stack = [], [0]
    while stack:
        joint = stack.pop()
        order.append(joint)
        stack.extend(reversed(skeleton.children[joint]))
    return order


def _hierarchy(skeleton: Skeleton, order: list[int], unit_m: float, up: str) -> Iterator[str]:
    offsets = turn_up(skeleton.offsets, up) / unit_m
    end_offsets = turn_up(skeleton.end_offsets, up) / unit_m
    ends: dict[int, list[Floats]] = {}
    for joint, offset in zip(skeleton.end_joints.tolist(), end_offsets, strict=True):
        ends.setdefault(joint, []).append(offset)
    open_joints: list[int] = []
    for joint in order:
        parent = int(skeleton.parents[joint])
        while open_joints and open_joints[-1] != parent:
            open_joints.pop()
            yield _indent(open_joints) + "}\n"
        indent = _indent(open_joints)
        name = _plain(skeleton.names[joint])
        kind, offset, channels = "JOINT", offsets[joint], "CHANNELS 3"
        if parent < 0:
            kind, offset, channels = "ROOT", np.zeros(3), "CHANNELS 6 Xposition Yposition Zposition"
        yield f"{indent}{kind} {name}\n{indent}{{\n{indent}\tOFFSET {_vector(offset)}\n"
        yield f"{indent}\t{channels} Zrotation Xrotation Yrotation\n"
        sites = ends.get(joint, [])
        if not sites and not skeleton.children[joint]:
            sites = [np.zeros(3)]
        for site in sites:
            yield f"{indent}\tEnd Site\n{indent}\t{{\n{indent}\t\tOFFSET {_vector(site)}\n"
            yield f"{indent}\t}}\n"
        open_joints.append(joint)
    while open_joints:
        open_joints.pop()
        yield _indent(open_joints) + "}\n"


def _indent(open_joints: list[int]) -> str:
    """The most tabs, so that a very deep chain is not mostly tabs."""
    return "\t" * min(len(open_joints), 40)


def _motion(clip: Clip, order: list[int], unit_m: float, up: str) -> Iterator[str]:
    """Yield the frames as lines of text, some thousand at a time."""
    joints = len(order)
    root_decimals = max(0, math.ceil(math.log10(unit_m / _ROOT_STEP_M)))
    line = " ".join([f"%.{root_decimals}f"] * 3 + [f"%.{_ANGLE_DECIMALS}f"] * (3 * joints)) + "\n"
    previous = np.zeros((joints, 3))
    for start in range(0, len(clip), _BLOCK_FRAMES):
        block = slice(start, min(start + _BLOCK_FRAMES, len(clip)))
        rotations = clip.rotations[block][:, order]
        rotations[..., 1:] = turn_up(rotations[..., 1:], up)
        angles = to_euler(rotations, _ORDER)
        for frame in angles:
            frame[:] = previous = _continue_angles(frame, previous)
        values = np.empty((len(angles), 3 + 3 * joints))
        values[:, :3] = np.round(turn_up(clip.root[block], up) / unit_m, root_decimals)
        values[:, 3:] = np.round(np.degrees(angles).reshape(len(angles), -1), _ANGLE_DECIMALS)
        values += 0.0  # no "-0.000000"
        yield "".join([line % tuple(row) for row in values.tolist()])


def _continue_angles(angles: Floats, previous: Floats) -> Floats:
    """Euler angles (J, 3) in the order Z X Y as they run on from those of the frame before.

    Of the two triples that give the same rotation, and their full turns, the nearest ones.
    """
    first, middle, last = angles.T
    # Gimbal lock: only the sum (or difference) of the outer angles counts, so the last one may
    # stay where it was.
    locked = np.abs(np.cos(middle)) < 1e-9
    off = last - previous[:, 2]
    first = np.where(locked, first + np.where(middle > 0.0, off, -off), first)
    last = np.where(locked, previous[:, 2], last)
    both = np.stack([[first, middle, last], [first + np.pi, np.pi - middle, last + np.pi]])
    gaps = previous.T - both
    both += _TURN * np.round(gaps / _TURN)
    far = np.abs(both - previous.T).sum(axis=1)
    return np.asarray(np.where(far[1] < far[0], both[1], both[0]).T)


def _vector(vector: Floats) -> str:
    return " ".join(f"{_decimal(value)}" for value in vector.tolist())


def _decimal(value: float) -> str:
    whole, _, decimals = f"{value + 0.0:.12f}".partition(".")
    return f"{whole}.{decimals.rstrip('0').ljust(6, '0')}"


def _frame_time(fps: float) -> str:
    """Few digits where they say the rate exactly, all of them elsewhere."""
    text = f"{1.0 / fps:.10f}"
    exact = float(text) > 0.0 and snapped_rate(float(text), text) == fps
    return text if exact else f"{1.0 / fps:.20f}".rstrip("0")


def _plain(name: str) -> str:
    """Return the name as one line without braces, which would end it."""
    return " ".join(re.sub(r"[{}]", "_", name).split()) or "_"
