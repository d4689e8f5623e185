"""Raw motions in other worlds: turned, leaning, without names, seen in a mirror."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.body.axes import to_y_up
from footfall.files.intake.raw import RawMotion
from footfall.maths.quaternions import multiply


def own(raw: RawMotion) -> RawMotion:
    """A copy: intake uses its input up."""
    tracks = {joint: track.copy() for joint, track in raw.translations.items()}
    return replace(raw, rotations=raw.rotations.copy(), translations=tracks)


def with_up(raw: RawMotion, up: str) -> RawMotion:
    """A file of y up as one of another up axis, rest pose included."""
    turn = Rotation.from_matrix(to_y_up(up).T)
    quarter = turn.as_quat(scalar_first=True)
    back = quarter * [1.0, -1.0, -1.0, -1.0]
    rotations = multiply(multiply(np.broadcast_to(quarter, raw.rotations.shape), raw.rotations),
                         np.broadcast_to(back, raw.rotations.shape))  # fmt: skip
    ends = turn.apply(raw.end_offsets) if len(raw.end_offsets) else raw.end_offsets
    return replace(
        raw, rotations=rotations, offsets=turn.apply(raw.offsets), end_offsets=ends,
        translations={joint: turn.apply(track) for joint, track in raw.translations.items()},
    )  # fmt: skip


def in_world(raw: RawMotion, up: str) -> RawMotion:
    """A file of y up whose motion, but not its rest pose, is in a world of another up axis."""
    turn = Rotation.from_matrix(to_y_up(up).T)
    raw = own(raw)
    raw.rotations[:, 0] = multiply(turn.as_quat(scalar_first=True), raw.rotations[:, 0])
    raw.translations[0] = turn.apply(raw.translations[0])
    return raw


def leaning(raw: RawMotion, degrees: float) -> RawMotion:
    """The whole body leaning forward along its way, as strong runners do, the root as it was."""
    raw = own(raw)
    way = raw.translations[0][-1] - raw.translations[0][0]
    axis = np.cross([0.0, 1.0, 0.0], way) / np.linalg.norm(way[[0, 2]])
    lean = Rotation.from_rotvec(np.radians(degrees) * axis)
    raw.rotations[:, 0] = multiply(lean.as_quat(scalar_first=True), raw.rotations[:, 0])
    return raw


def nameless(raw: RawMotion) -> RawMotion:
    """The same with joints that are only numbered."""
    return replace(own(raw), names=tuple(f"j{number:02d}" for number in range(len(raw.names))))


def mirrored(raw: RawMotion) -> RawMotion:
    """The same built as in a mirror: what is called left is on the right."""
    flip = np.array([-1.0, 1.0, 1.0])
    return replace(
        raw, offsets=raw.offsets * flip, end_offsets=raw.end_offsets * flip,
        rotations=raw.rotations * [1.0, 1.0, -1.0, -1.0],
        translations={joint: track * flip for joint, track in raw.translations.items()},
    )  # fmt: skip


def turn_bvh(source: Path, target: Path, up: str) -> Path:
    """Write a BVH file of y up as one whose world has another up axis; its offsets stay."""
    text = source.read_text().replace("\r", "")
    head, _, frames = text.partition("MOTION")
    channels = head.split("CHANNELS", 1)[1].split("\n")[0].split()[1:7]
    order = "".join(c[0] for c in channels[3:])  # as in ZXY: intrinsic, outermost first
    turn = Rotation.from_matrix(to_y_up(up).T)
    lines = frames.strip().split("\n")
    first = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    for k, line in enumerate(lines[first:], first):
        numbers = [float(word) for word in line.split()]
        if len(numbers) >= 6:
            spin = turn * Rotation.from_euler(order, numbers[3:6], degrees=True)
            numbers[:3] = turn.apply(numbers[:3])
            numbers[3:6] = spin.as_euler(order, degrees=True)
            lines[k] = " ".join(f"{number:.6f}" for number in numbers)
    target.write_text(head + "MOTION\n" + "\n".join(lines) + "\n")
    return target
