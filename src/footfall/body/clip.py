"""A clip: one skeleton moving, as frozen arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from footfall.body.kinematics import WorldPoses, forward_kinematics
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths.arrays import Bools, Floats, frozen_bools, frozen_floats

CONTACT_POINTS = ("left_heel", "left_toe", "right_heel", "right_toe")
"""The columns of `Clip.contacts`."""
TOUCH_PARTS = ("left_hand", "right_hand", "seat")
"""The columns of `Clip.touches`."""

MOST_FPS = 100_000.0
"""No camera and no simulation of people is faster; beyond it a frame rate is damage."""

_BLOCK = 1 << 13


@dataclass(frozen=True)
class Source:
    """Where a clip came from and what was found out about the file on the way in.

    unit_m       metres per unit of the file
    up, forward  the axes of the file, like "y", "z", "-z"
    up_sure      whether up was stated, or shown clearly by the body
    stated_fps   the frame rate the file states
    licence      the terms it comes under, if known
    notes        one sentence per thing that was recognised, repaired or is suspicious
    """

    file: str = ""
    format: str = ""
    unit_m: float = 1.0
    up: str = "y"
    forward: str = "z"
    stated_fps: float = 0.0
    licence: str = ""
    notes: tuple[str, ...] = ()
    up_sure: bool = True


class Labels(TypedDict):
    """What touches in frames of a clip, as `Clip` has it."""

    contacts: Bools | None
    touches: Bools | None


@dataclass(frozen=True, eq=False)
class Clip:
    """T frames of a skeleton of J joints.

    fps        frames per second
    root       (T, 3) position of joint 0 in the world, metres
    rotations  (T, J, 4) each joint's rotation against its parent, w x y z, one hemisphere
    contacts   (T, 4) which points of the feet touch the ground (CONTACT_POINTS), or None
    tags       what the clip shows: "walk", "turn_left", …
    touches    (T, 3) when hands and seat touch something that holds still (TOUCH_PARTS), or None

    `Clip(...)` validates every frame: it is for data that enters. `derive`, `with_root`, slices
    like `clip[10:50]` and the other methods return clips of frames that are known to be valid.
    Contacts and touches belong to frames: a change of their number states both, or None.
    """

    skeleton: Skeleton
    fps: float
    root: Floats
    rotations: Floats
    name: str = ""
    contacts: Bools | None = None
    tags: tuple[str, ...] = ()
    source: Source | None = None
    touches: Bools | None = None

    def __post_init__(self) -> None:
        if not (np.isfinite(self.fps) and 0.0 < self.fps <= MOST_FPS):
            raise InputError(f"the frame rate is {self.fps}", remedy="it must be a positive number")
        root = frozen_floats(self.root, (None, 3), "root")
        frames = root.shape[0]
        if frames == 0:
            raise InputError("the clip has no frames", remedy="it needs at least one")
        rotations = frozen_floats(self.rotations, (frames, len(self.skeleton), 4), "rotations")
        _check_unit(rotations, self.skeleton)
        put = object.__setattr__
        put(self, "fps", float(self.fps))
        put(self, "root", root)
        put(self, "rotations", rotations)
        put(self, "tags", tuple(self.tags))
        if self.contacts is not None:
            contacts = frozen_bools(self.contacts, (frames, len(CONTACT_POINTS)), "contacts")
            put(self, "contacts", contacts)
        if self.touches is not None:
            touches = frozen_bools(self.touches, (frames, len(TOUCH_PARTS)), "touches")
            put(self, "touches", touches)

    def __getitem__(self, frames: slice | list[int] | NDArray[Any]) -> Clip:
        """Return the clip of these frames; world poses that are known are shared."""
        if not isinstance(frames, slice | list | np.ndarray):
            raise TypeError("a clip is sliced by frames, like clip[10:50]")
        root, rotations = self.root[frames], self.rotations[frames]
        made = self.derive(root=root, rotations=rotations, **self.labels_at(frames))
        if "world" in self.__dict__:
            made.__dict__["world"] = self.world.at(frames)
        return made

    def __len__(self) -> int:
        return int(self.root.shape[0])

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        return (
            f"Clip({name}{len(self)} frames at {self.fps:g} fps = {self.seconds:.2f} s, "
            f"{len(self.skeleton)} joints)"
        )

    @property
    def seconds(self) -> float:
        """The time from the first frame to the last."""
        return (len(self) - 1) / self.fps

    @property
    def times(self) -> Floats:
        """(T,) the time of each frame, from 0."""
        return np.arange(len(self)) / self.fps

    @cached_property
    def world(self) -> WorldPoses:
        """Positions and rotations of all joints in the world, computed once."""
        poses = forward_kinematics(self.skeleton, self.root, self.rotations)
        poses.positions.setflags(write=False)
        poses.rotations.setflags(write=False)
        return poses

    @property
    def positions(self) -> Floats:
        """(T, J, 3) the positions of all joints in the world, metres."""
        return self.world.positions

    @property
    def end_positions(self) -> Floats:
        """(T, E, 3) the positions of the skeleton's end sites in the world, metres."""
        return self.world.points(self.skeleton.end_joints, self.skeleton.end_offsets)

    def labels_at(self, frames: slice | list[int] | NDArray[Any]) -> Labels:
        """Contacts and touches of these frames."""
        return Labels(
            contacts=None if self.contacts is None else self.contacts[frames],
            touches=None if self.touches is None else self.touches[frames],
        )

    def derive(self, **changes: Any) -> Clip:
        """Return the clip with other fields, whose frames are not validated again.

        World poses that are known are shared where skeleton, root and rotations stay.
        """
        values = {name: changes.pop(name, self.__dict__[name]) for name in _SHAPES}
        if changes:
            raise TypeError(f"a clip has no field {next(iter(changes))!r}")
        frames = len(values["root"])
        if frames == 0:
            raise InputError("the clip has no frames", remedy="it needs at least one")
        for name, shape in _SHAPES.items():
            if shape is not None and values[name] is not self.__dict__[name]:
                width = (len(values["skeleton"]), 4) if name == "rotations" else shape
                values[name] = _freeze(values[name], (frames, *width), name)
            elif shape is not None and values[name] is not None and len(values[name]) != frames:
                raise InputError(f"{name} of {len(values[name])} frames in a clip of {frames}")
        values["tags"] = tuple(values["tags"])
        made = object.__new__(Clip)
        made.__dict__.update(values)
        moves = ("skeleton", "root", "rotations")
        if "world" in self.__dict__ and all(values[n] is self.__dict__[n] for n in moves):
            made.__dict__["world"] = self.world
        return made

    def with_root(self, root: Floats) -> Clip:
        """Return the clip with its root at other positions (T, 3)."""
        return self.derive(root=root)

    def with_rotations(self, rotations: Floats) -> Clip:
        """Return the clip with other rotations (T, J, 4)."""
        return self.derive(rotations=rotations)

    def with_contacts(self, contacts: Bools | None) -> Clip:
        """Return the clip with these contacts (T, 4)."""
        return self.derive(contacts=contacts)

    def named(self, name: str) -> Clip:
        """Return the same clip under another name."""
        return self.derive(name=name)

    def tagged(self, tags: Iterable[str]) -> Clip:
        """Return the same clip with these tags."""
        return self.derive(tags=tags)


_SHAPES: dict[str, tuple[int, ...] | None] = {
    "skeleton": None, "fps": None, "root": (3,), "rotations": (0, 4), "name": None,
    "contacts": (len(CONTACT_POINTS),), "tags": None, "source": None,
    "touches": (len(TOUCH_PARTS),),
}  # fmt: skip
"""The fields of a clip; of those that have frames, the shape of one of them."""


def _freeze(
    values: Floats | Bools | None, shape: tuple[int, ...], name: str
) -> NDArray[Any] | None:
    """Return a contiguous read-only view of an array; only its shape is checked."""
    if values is None:
        return None
    if values.shape != shape:
        raise InputError(f"{name} has shape {values.shape}", remedy=f"it must have shape {shape}")
    view = np.ascontiguousarray(values).view()
    view.setflags(write=False)
    return view


def _check_unit(rotations: Floats, skeleton: Skeleton) -> None:
    for start in range(0, len(rotations), _BLOCK):
        block = rotations[start : start + _BLOCK]
        off = np.abs(np.einsum("tji,tji->tj", block, block) - 1.0) > 1e-6
        if off.any():
            frame, joint = np.unravel_index(int(np.argmax(off)), off.shape)
            raise InputError(
                f"the rotation has length {np.linalg.norm(block[frame, joint]):.6g}",
                where=f"frame {start + int(frame)}, joint {skeleton.names[int(joint)]}",
                remedy="rotations are unit quaternions (w, x, y, z)",
            )


def join_labels(parts: Sequence[Labels]) -> Labels:
    """Labels of parts one after the other; known where all parts know them."""

    def join(labels: list[Bools | None]) -> Bools | None:
        known = [rows for rows in labels if rows is not None]
        return np.concatenate(known) if len(known) == len(labels) else None

    return Labels(
        contacts=join([part["contacts"] for part in parts]),
        touches=join([part["touches"] for part in parts]),
    )


def check_clip(value: object) -> Clip:
    """Return `value` if it is a clip, or refuse it by what it is."""
    if isinstance(value, Clip):
        return value
    remedy = "load it first" if isinstance(value, str | PathLike) else "footfall.load gives clips"
    raise InputError(f"this is no clip: {str(value)[:80]!r}", remedy=remedy)
