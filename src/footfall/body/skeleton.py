"""A skeleton: a frozen tree of joints, parents before children.

In the rest pose every joint's rotation is the identity, so a joint's rest position is the sum
of the offsets from the root down to it. `offsets[0]` is where the root rests.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType

import numpy as np

from footfall.errors import InputError, check_range, check_whole
from footfall.maths.arrays import Floats, Ints, frozen_floats, frozen_ints


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Names, parents, offsets (metres), end sites and the roles that joints play.

    names        J joint names, all different
    parents      (J,) index of each joint's parent, -1 for joint 0, always lower than its own
    offsets      (J, 3) each joint's rest position in its parent's frame
    end_joints   (E,) the joint that each end site hangs on
    end_offsets  (E, 3) each end site's rest position in that joint's frame
    roles        role name -> joint index (see `footfall.body.roles`); empty if not humanoid
    girth        how thick the body about it is, against one of usual build
    """

    names: tuple[str, ...]
    parents: Ints
    offsets: Floats
    end_joints: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    end_offsets: Floats = field(default_factory=lambda: np.zeros((0, 3)))
    roles: Mapping[str, int] = field(default_factory=dict)
    girth: float = 1.0

    def __post_init__(self) -> None:
        names = tuple(self.names)
        count = len(names)
        if count == 0:
            raise InputError("the skeleton has no joints", remedy="it needs at least one")
        twice = sorted({n for n in names if names.count(n) > 1}) if len(set(names)) < count else []
        if twice:
            raise InputError(f"joint name {twice[0]!r} occurs twice", remedy="names must differ")
        parents = frozen_ints(self.parents, (count,), "parents")
        if parents[0] != -1:
            raise InputError("joint 0 has a parent", where=f"joint {names[0]}")
        late = np.flatnonzero((parents[1:] < 0) | (parents[1:] >= np.arange(1, count)))
        if late.size:
            joint = int(late[0]) + 1
            raise InputError(
                f"its parent has index {parents[joint]}",
                where=f"joint {names[joint]} (index {joint})",
                remedy="parents come before their children and only joint 0 is a root",
            )
        ends = frozen_ints(self.end_joints, (None,), "end_joints")
        if ends.size and (ends.min() < 0 or ends.max() >= count):
            raise InputError(f"an end site hangs on joint {ends.max()}", remedy=f"0 to {count - 1}")
        check_range("the girth", self.girth, 0.3, 3.0)
        if not isinstance(self.roles, Mapping):
            raise InputError("the roles are no table", remedy="give role name -> joint number")
        roles = {
            role: check_whole(f"the joint of role {role}", joint, 0, count - 1)
            for role, joint in self.roles.items()
        }
        put = object.__setattr__
        put(self, "names", names)
        put(self, "parents", parents)
        put(self, "offsets", frozen_floats(self.offsets, (count, 3), "offsets"))
        put(self, "end_joints", ends)
        put(self, "end_offsets", frozen_floats(self.end_offsets, (ends.size, 3), "end_offsets"))
        put(self, "roles", MappingProxyType(roles))

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        """Equal names, tree, geometry and roles, to the last bit."""
        return isinstance(other, Skeleton) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joints, root {self.names[0]!r}, {len(self.roles)} roles)"

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that makes this skeleton what it is; addresses caches."""
        digest = hashlib.sha256()
        digest.update("\0".join(self.names).encode())
        for array in (self.parents, self.offsets + 0.0, self.end_joints, self.end_offsets + 0.0):
            digest.update(array.tobytes())
        digest.update(repr(sorted(self.roles.items())).encode())
        if self.girth != 1.0:
            digest.update(repr(self.girth).encode())
        return digest.hexdigest()

    @cached_property
    def rest_positions(self) -> Floats:
        """(J, 3) joint positions in the rest pose, with the root at `offsets[0]`."""
        positions = np.array(self.offsets)
        for joint in range(1, len(self)):
            positions[joint] += positions[self.parents[joint]]
        positions.setflags(write=False)
        return positions

    @cached_property
    def rest_end_positions(self) -> Floats:
        """(E, 3) end site positions in the rest pose."""
        positions = self.rest_positions[self.end_joints] + self.end_offsets
        positions.setflags(write=False)
        return positions

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each joint, the indices of its children."""
        lists: list[list[int]] = [[] for _ in self.names]
        for joint in range(1, len(self)):
            lists[self.parents[joint]].append(joint)
        return tuple(tuple(c) for c in lists)

    def index(self, name: str) -> int:
        """Return the index of the joint called `name`."""
        try:
            return self.names.index(name)
        except ValueError:
            from footfall.errors import choices

            raise InputError(
                f"the skeleton has no joint {name!r}", remedy=choices(self.names, name)
            ) from None

    def role(self, role: str) -> int:
        """Return the index of the joint with a role; an error names a role that is missing."""
        from footfall.body.roles import missing_role

        joint = self.roles.get(role)
        if joint is None:
            raise missing_role(self, role)
        return joint

    def ancestors(self, joint: int) -> list[int]:
        """Return the joints above a joint: its parent first, the root last."""
        found = []
        while (joint := int(self.parents[joint])) >= 0:
            found.append(joint)
        return found

    def chain(self, top: int, bottom: int) -> list[int]:
        """Return the joints from `top` down to `bottom`, both included."""
        if not self.descends(bottom, top):
            names = self.names[bottom], self.names[top]
            raise InputError(f"joint {names[0]} does not descend from {names[1]}")
        joints = [bottom, *self.ancestors(bottom)]
        return joints[joints.index(top) :: -1]

    def descends(self, joint: int, ancestor: int) -> bool:
        """Return whether `ancestor` lies on the way from `joint` to the root (or is `joint`)."""
        while joint > ancestor:
            joint = int(self.parents[joint])
        return joint == ancestor

    def scaled(self, factor: float) -> Skeleton:
        """Return the same skeleton, `factor` times as large."""
        return replace(self, offsets=self.offsets * factor, end_offsets=self.end_offsets * factor)

    def with_roles(self, roles: Mapping[str, int]) -> Skeleton:
        """Return the same skeleton with these roles."""
        return replace(self, roles=roles)


def subtree(skeleton: Skeleton, joint: int) -> list[int]:
    """Return `joint` and all its descendants, parents first."""
    inside = {joint}
    for other in range(joint + 1, len(skeleton)):
        if int(skeleton.parents[other]) in inside:
            inside.add(other)
    return sorted(inside)
