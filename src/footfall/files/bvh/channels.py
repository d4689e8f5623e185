"""Which numbers of a frame drive which joints: from a BVH header to flat arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.files.bvh.header import Header
from footfall.maths.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class ChannelPlan:
    """Which columns drive which joints of the tree that is read.

    names, parents, offsets, end_joints, end_offsets   as in `RawMotion`
    begin (J+1,), columns, axes                         rotation channels joint by joint
    movers                                              joints with position channels
    place_columns (P, 3), places (P, 3)                 their columns (-1: none) and OFFSETs
    """

    names: tuple[str, ...]
    parents: Ints
    offsets: Floats
    end_joints: Ints
    end_offsets: Floats
    begin: Ints
    columns: Ints
    axes: Ints
    movers: tuple[int, ...]
    place_columns: Ints
    places: Floats
    notes: tuple[str, ...]


def channel_plan(header: Header) -> ChannelPlan:
    """Choose the tree and lay out its channels as flat arrays."""
    kept, notes = _largest_tree(header)
    index = {joint: i for i, joint in enumerate(kept)}
    joints = [header.joints[k] for k in kept]
    names, renamed = _distinct([j.name for j in joints])
    if renamed:
        notes.append(f"{renamed} joint names occurred more than once and were numbered.")
    if header.unnamed:
        notes.append(f"{header.unnamed} joints without a name were given one.")
    if header.scales:
        notes.append(f"{header.scales} scale channels are left out.")
    ends = [(index[j], e) for j, e in header.ends if j in index and any(v != 0.0 for v in e)]
    movers = tuple(i for i, j in enumerate(joints) if j.positions)
    turns = [turn for j in joints for turn in j.rotations]
    offsets = np.array([j.offset for j in joints], dtype=np.float64).reshape(-1, 3)
    return ChannelPlan(
        names=names,
        parents=np.array([index.get(j.parent, -1) for j in joints], dtype=np.int32),
        offsets=offsets,
        end_joints=np.array([j for j, _ in ends], dtype=np.int32),
        end_offsets=np.array([e for _, e in ends], dtype=np.float64).reshape(-1, 3),
        begin=np.cumsum([0, *(len(j.rotations) for j in joints)], dtype=np.int32),
        columns=np.array([column for _, column in turns], dtype=np.int32),
        axes=np.array([axis for axis, _ in turns], dtype=np.int32),
        movers=movers,
        place_columns=np.array(
            [[joints[m].positions.get(axis, -1) for axis in range(3)] for m in movers],
            dtype=np.int32,
        ).reshape(-1, 3),
        places=offsets[list(movers)],
        notes=tuple(notes),
    )


def _largest_tree(header: Header) -> tuple[list[int], list[str]]:
    """The joints of the root with the most of them, and a note if there are several roots."""
    root_of: list[int] = []
    for i, joint in enumerate(header.joints):
        root_of.append(i if joint.parent < 0 else root_of[joint.parent])
    roots = sorted(set(root_of))
    if len(roots) == 1:
        return list(range(len(header.joints))), []
    largest = max(roots, key=root_of.count) if len(roots) < 100 else _most_common(root_of)
    note = (
        f"the file has {len(roots)} roots; only {header.joints[largest].name}, "
        "the one with the most joints, is read."
    )
    return [i for i, root in enumerate(root_of) if root == largest], [note]


def _most_common(values: list[int]) -> int:
    return int(np.bincount(values).argmax())


def _distinct(names: list[str]) -> tuple[tuple[str, ...], int]:
    """The names with `.2`, `.3` … appended where they repeat, and how many were changed."""
    taken, result, renamed = set(names), [], 0
    seen: dict[str, int] = {}
    for name in names:
        count = seen[name] = seen.get(name, 0) + 1
        new = name
        while count > 1 and new in taken:
            new = f"{name}.{count}"
            count += 1
        if new != name:
            seen[name] = count - 1
            renamed += 1
            taken.add(new)
        result.append(new)
    return tuple(result), renamed
