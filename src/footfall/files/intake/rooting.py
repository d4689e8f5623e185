"""The body below its hips: what is above is folded into them, what is beside is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from footfall.body.rest import pose_reference
from footfall.body.roles import identify_roles
from footfall.body.skeleton import Skeleton, subtree
from footfall.files.intake.raw import RawMotion
from footfall.files.intake.sampling import sample_frames
from footfall.maths.arrays import Floats, Ints
from footfall.maths.quaternions import multiply, rotate

_BLOCK = 1 << 13


@dataclass
class RootedBody:
    """A motion on its way in: the hips are joint 0, the rest is still as the file has it.

    skeleton   the joints that are kept, in file units, with roles
    keep       (K,) their indices in the file
    root       (T, 3) where joint 0 is in the file's world
    rotations  (T, J, 4) local rotations of all joints of the file; joint keep[0]'s is its world one
    """

    skeleton: Skeleton
    keep: Ints
    root: Floats
    rotations: Floats
    rest_rotations: Floats | None
    notes: list[str] = field(default_factory=list)


def find_rooted_body(
    raw: RawMotion, overrides: Mapping[str, str] | None
) -> tuple[RootedBody, list[tuple[str, float]]]:
    """Return the body below its hips, and how far joints translate (name, file units)."""
    offsets, wobbles = _settled_offsets(raw)
    tree = Skeleton(raw.names, raw.parents, offsets, raw.end_joints, raw.end_offsets)
    rest = raw.rest_rotations
    shape = tree if rest is None else _pose_tree(tree, rest)
    found = identify_roles(shape, overrides)
    notes = [*raw.notes, *found.notes]
    hips = found.joints.get("hips", 0)
    keep = subtree(tree, hips)
    index = {joint: k for k, joint in enumerate(keep)}
    ends = [e for e, joint in enumerate(tree.end_joints) if int(joint) in index]
    above = tree.ancestors(hips)[::-1]
    dropped = [raw.names[j] for j in range(len(raw.names)) if j not in index and j not in above]
    if dropped:
        shown = ", ".join(dropped[:6]) + (", …" if len(dropped) > 6 else "")
        notes.append(f"{len(dropped)} joints beside the body were left out ({shown}).")
    skeleton = Skeleton(
        tuple(raw.names[j] for j in keep),
        np.array([-1, *(index[int(tree.parents[j])] for j in keep[1:])], np.int32),
        tree.offsets[keep],
        np.array([index[int(tree.end_joints[e])] for e in ends], np.int32), tree.end_offsets[ends],
        {role: index[joint] for role, joint in found.joints.items() if joint in index},
    )  # fmt: skip
    rotations = _own_copy(raw.rotations)
    root = _fold_chain(raw, tree.offsets, rotations, [*above, hips])
    if above and any(raw.names[j] for j in above):
        notes.append(
            f"the motion of {', '.join(raw.names[j] for j in above)} was folded into "
            f"{raw.names[hips]}, the root of the body."
        )
    kept_rest = None if rest is None else _rooted_rest(rest, above, keep)
    wobbles = [(name, size) for name, size in wobbles if name in skeleton.names[1:]]
    return RootedBody(
        skeleton, np.array(keep, dtype=np.int32), root, rotations, kept_rest, notes
    ), wobbles


def _settled_offsets(raw: RawMotion) -> tuple[Floats, list[tuple[str, float]]]:
    """Offsets (J, 3) with moving translations replaced by their median, and how far they stray."""
    offsets = np.array(raw.offsets, dtype=np.float64)
    wobbles = []
    for joint, track in raw.translations.items():
        if joint == 0 or len(track) == 0:
            continue
        offsets[joint] = np.median(track[sample_frames(len(track), 500)], axis=0)
        stray = 0.0
        for start in range(0, len(track), _BLOCK):
            away = track[start : start + _BLOCK] - offsets[joint]
            stray = max(stray, float(np.sqrt(np.einsum("ti,ti->t", away, away).max())))
        wobbles.append((raw.names[joint], stray))
    return offsets, wobbles


def wobble_notes(wobbles: list[tuple[str, float]], unit: float) -> list[str]:
    moving = [(name, stray * unit * 1000.0) for name, stray in wobbles if stray * unit > 1e-4]
    if not moving:
        return []
    name, most = max(moving, key=lambda pair: pair[1])
    return [
        f"{len(moving)} joints move against their parents (most {name}, by up to {most:.1f} mm); "
        "their median offsets are used instead."
    ]


def _pose_tree(tree: Skeleton, local: Floats) -> Skeleton:
    """Return the skeleton whose zero pose is the pose with these local rotations."""
    reference = pose_reference(tree, local)
    before = reference.positions[tree.parents]
    before[0] = 0.0
    ends = reference.tips - reference.positions[tree.end_joints]
    return replace(tree, offsets=reference.positions - before, end_offsets=ends)


def _rooted_rest(rest: Floats, above: list[int], keep: list[int]) -> Floats:
    """Rest rotations of the kept joints, the ancestors' ones folded into the first."""
    kept = np.array(rest[keep], dtype=np.float64)
    for joint in reversed(above):
        kept[0] = multiply(rest[joint], kept[0])
    return kept


def _own_copy(rotations: Floats) -> Floats:
    """Return the same array if we may write to it, else a copy."""
    array = np.ascontiguousarray(rotations, dtype=np.float64)
    return array if array.flags.writeable else array.copy()


def _fold_chain(raw: RawMotion, offsets: Floats, rotations: Floats, chain: list[int]) -> Floats:
    """Return (T, 3) the world position of the chain's last joint, and its world rotation."""
    frames = len(rotations)

    def shift(joint: int, part: slice) -> Floats:
        track = raw.translations.get(joint)
        return offsets[joint] if track is None else track[part]

    if len(chain) == 1:
        track = raw.translations.get(chain[0])
        if track is not None:
            return np.array(track, dtype=np.float64)
        return np.tile(np.asarray(raw.offsets[chain[0]], dtype=np.float64), (frames, 1))
    root = np.empty((frames, 3))
    for start in range(0, frames, _BLOCK):
        part = slice(start, min(start + _BLOCK, frames))
        turn = rotations[part, chain[0]]
        place = np.broadcast_to(shift(chain[0], part), (len(turn), 3))
        for joint in chain[1:]:
            place = place + rotate(turn, shift(joint, part))
            turn = multiply(turn, rotations[part, joint])
        root[part] = place
        rotations[part, chain[-1]] = turn
    return root
