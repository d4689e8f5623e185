"""Operations on clips; each returns a new clip and leaves the old one as it is.

Contacts, touches and tags are carried along. Times are in seconds from the first frame.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from footfall.body.clip import CONTACT_POINTS, MOST_FPS, TOUCH_PARTS, Clip, join_labels
from footfall.body.mirror import (
    mirrored_names,
    mirrored_rotations,
    mirrored_vectors,
    partners,
    swap_left_right,
)
from footfall.body.skeleton import Skeleton
from footfall.errors import InputError
from footfall.maths import planar, quaternions, signals
from footfall.maths.arrays import Bools, Floats, Ints
from footfall.maths.rounding import POSITION_M, round_rotations, round_to_grid

_MOST_FRAMES = 50_000_000


def slice_clip(clip: Clip, start_s: float = 0.0, end_s: float | None = None) -> Clip:
    """Return the frames from the nearest to `start_s` to the nearest to `end_s`, inclusive."""
    end = clip.seconds if end_s is None else end_s
    half = 0.5 / clip.fps
    if not -half <= start_s <= end <= clip.seconds + half:
        raise InputError(
            f"{start_s:g} to {end:g} s is not in the clip",
            remedy=f"it lasts from 0 to {clip.seconds:g} s",
        )
    first, last = signals.nearest_frames(len(clip), clip.fps, [start_s, end])
    return clip[int(first) : int(last) + 1]


def round_clip(clip: Clip) -> Clip:
    """Return the clip rounded to a micrometre and half a microradian, as stores keep it.

    Clips that were computed on different CPUs have the same bytes then (see `maths.rounding`).
    """
    root = round_to_grid(clip.root, POSITION_M)
    return clip.derive(root=root, rotations=round_rotations(clip.rotations))


def reverse(clip: Clip) -> Clip:
    """Return the clip played backward."""
    return clip[::-1]


def resample(clip: Clip, fps: float, smooth: bool = True) -> Clip:
    """Return the same motion at another frame rate.

    `smooth` goes through the frames with continuous velocities; without it, straight lines and
    `slerp`. A frame rate that divides the old one gives every so-many-th frame as it was.
    """
    if not (math.isfinite(fps) and fps > 0.0):
        raise InputError(f"the new frame rate is {fps:g}", remedy="it must be a positive number")
    if fps > MOST_FPS or clip.seconds * fps >= _MOST_FRAMES:
        raise InputError(f"the new frame rate is {fps:g}", remedy="that makes too many frames")
    times = signals.sample_times(len(clip), clip.fps, fps)
    return retime(clip, times, smooth).derive(fps=fps)


def retime(clip: Clip, times: ArrayLike, smooth: bool = True) -> Clip:
    """Return a clip whose frame i is `clip` at `times[i]`; `times` (M,) in seconds."""
    times = np.asarray(times, dtype=np.float64)
    if times.ndim != 1 or len(times) == 0 or not np.isfinite(times).all():
        raise InputError("the times to show are empty or not finite", remedy="give seconds, (M,)")
    slack = 1e-6 / clip.fps
    if times.min() < -slack or times.max() > clip.seconds + slack:
        raise InputError(
            f"the times to show go from {times.min():g} to {times.max():g} s",
            remedy=f"the clip lasts from 0 to {clip.seconds:g} s",
        )
    nearest = signals.nearest_frames(len(clip), clip.fps, times)
    return clip.derive(
        root=signals.sample(clip.root, clip.fps, times, smooth),
        rotations=signals.sample_rotations(clip.rotations, clip.fps, times, smooth),
        **clip.labels_at(nearest),
    )


def move(clip: Clip, x: float = 0.0, z: float = 0.0, yaw: float = 0.0) -> Clip:
    """Return the whole clip turned by `yaw` about the origin, then moved by `x` and `z`."""
    pose = np.array([x, z, yaw])
    rotations = np.array(clip.rotations)
    rotations[:, 0] = planar.apply_to_rotations(pose, rotations[:, 0])
    return clip.derive(root=planar.apply_to_points(pose, clip.root), rotations=rotations)


def planar_pose(clip: Clip, frame: int = 0) -> Floats:
    """Return (3,) the x, z and heading of the root at a frame (negative: counted from the end)."""
    return planar.pose_of(clip.root[frame], clip.rotations[frame, 0])


def place(clip: Clip, pose: ArrayLike, frame: int = 0) -> Clip:
    """Return the clip moved so that its root at `frame` has the planar pose (x, z, yaw)."""
    x, z, yaw = planar.compose(pose, planar.inverse(planar_pose(clip, frame)))
    return move(clip, float(x), float(z), float(yaw))


def join(clips: Sequence[Clip], align: bool = False) -> Clip:
    """Return the clips one after the other; same skeleton, same frame rate.

    With `align` each clip is laid with its first frame on the last frame of the one before,
    in place and heading, and that first frame is given up: pieces that share a frame, moved
    anywhere, give back the whole.
    """
    if not clips:
        raise InputError("there is nothing to join", remedy="give at least one clip")
    parts = [clips[0]]
    for number, clip in enumerate(clips[1:], start=2):
        _check_joinable(clips[0], clip, number)
        if align:
            clip = place(clip, planar_pose(parts[-1], -1))
            if len(clip) == 1:
                continue
            clip = clip[1:]
        parts.append(clip)
    rotations = [parts[0].rotations]
    for part in parts[1:]:
        # The same rotations, each joint on the hemisphere on which the part before it ended.
        flip = quaternions.dot(part.rotations[0], rotations[-1][-1]) < 0.0
        rotations.append(np.where(flip[:, None], -part.rotations, part.rotations))
    return clips[0].derive(
        root=np.concatenate([part.root for part in parts]),
        rotations=np.concatenate(rotations),
        **join_labels([part.labels_at(slice(None)) for part in parts]),
        tags=tuple(dict.fromkeys(tag for clip in clips for tag in clip.tags)),
        source=clips[0].source if all(c.source == clips[0].source for c in clips) else None,
    )


def mirror(clip: Clip, keep_skeleton: bool = False) -> Clip:
    """Return the clip as seen in a mirror at the plane x = 0, left and right exchanged.

    The mirror image of a joint is its partner on the other side (see `footfall.body.mirror`),
    so the left hand does what the right hand did. The skeleton is mirrored too, and every joint
    is exactly where its partner is reflected. With `keep_skeleton` the motion is put on the
    skeleton as it was, which differs where that is not symmetric.
    """
    partner = partners(clip.skeleton)
    skeleton, order = _mirrored_skeleton(clip.skeleton, partner)
    if keep_skeleton:
        skeleton, order = clip.skeleton, np.arange(len(partner), dtype=np.int32)
    return clip.derive(
        skeleton=skeleton,
        root=mirrored_vectors(clip.root),
        rotations=mirrored_rotations(clip.rotations[:, partner[order]]),
        contacts=_other_side(clip.contacts, CONTACT_POINTS),
        touches=_other_side(clip.touches, TOUCH_PARTS),
        tags=tuple(swap_left_right(tag) for tag in clip.tags),
    )


def _other_side(labels: Bools | None, names: Sequence[str]) -> Bools | None:
    """Labels (T, N) with the columns of left and right exchanged."""
    if labels is None:
        return None
    return labels[:, [names.index(swap_left_right(name)) for name in names]]


def _mirrored_skeleton(skeleton: Skeleton, partner: Ints) -> tuple[Skeleton, Ints]:
    """Return the mirror image and, for each of its joints, the joint that names it.

    Joint j takes over from its partner. A joint without one (something held in one hand) keeps
    its own but hangs on the other side, which may put it before its parent: then the order of
    the joints changes.
    """
    count = len(skeleton)
    above = np.array(skeleton.parents[partner])
    parents = np.where(above < 0, -1, partner[above])
    order = np.arange(count, dtype=np.int32)
    if np.any(parents >= order):
        depth = np.zeros(count, dtype=np.int32)
        for joint in range(count):  # a joint's depth is its partner's, which is well ordered
            parent = skeleton.parents[joint]
            depth[partner[joint]] = 0 if parent < 0 else depth[partner[parent]] + 1
        order = np.argsort(depth, kind="stable").astype(np.int32)
    place_of = np.argsort(order).astype(np.int32)
    parents = np.where(parents[order] < 0, -1, place_of[parents[order]])
    ends, end_joints = _mirrored_ends(skeleton, partner)
    mirrored = Skeleton(
        names=_mirrored_joint_names(skeleton, partner, order),
        parents=parents,
        offsets=mirrored_vectors(skeleton.offsets[partner[order]]),
        end_joints=place_of[end_joints],
        end_offsets=mirrored_vectors(skeleton.end_offsets[ends]),
        roles={role: int(place_of[joint]) for role, joint in skeleton.roles.items()},
        girth=skeleton.girth,
    )
    return mirrored, order


def _mirrored_ends(skeleton: Skeleton, partner: Ints) -> tuple[Ints, Ints]:
    """Return which end site each new end site mirrors, and the joint (old index) it hangs on."""
    joints = skeleton.end_joints
    across = partner[joints]
    # The n-th end site of a joint takes over from the n-th of its partner, in the old order.
    if np.array_equal(np.sort(joints), np.sort(across)):
        ends = np.empty(len(joints), dtype=np.int32)
        ends[np.argsort(joints, kind="stable")] = np.argsort(across, kind="stable")
        return ends, joints
    ends = np.argsort(across, kind="stable").astype(np.int32)
    return ends, across[ends]


def _mirrored_joint_names(skeleton: Skeleton, partner: Ints, order: Ints) -> tuple[str, ...]:
    """Names by place: a joint without a partner that hangs on the other side changes its side."""
    names = list(skeleton.names)
    for joint, name in enumerate(skeleton.names):
        above = int(skeleton.parents[joint])
        if above >= 0 and partner[joint] == joint and partner[above] != above:
            names[joint] = next((n for n in mirrored_names(name) if n not in names), name)
    return tuple(names[joint] for joint in order)


def _check_joinable(first: Clip, clip: Clip, number: int) -> None:
    if clip.skeleton != first.skeleton:
        raise InputError(
            "it has another skeleton than the first",
            where=f"clip {number} of the clips to join",
            remedy="put both on one character first",
        )
    if abs(clip.fps - first.fps) > 1e-6 * first.fps:
        raise InputError(
            f"it has {clip.fps:g} frames per second, the first has {first.fps:g}",
            where=f"clip {number} of the clips to join",
            remedy="resample one of them",
        )
