"""Reading USD: from a UsdSkel skeleton and its animation to a raw motion."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Tf, Usd, UsdGeom, UsdSkel

from footfall.errors import FileFormatError
from footfall.files.gltf.tree import split_matrix
from footfall.files.intake.raw import (
    RawMotion,
    distinct,
    stated_fps,
    stated_labels,
    stated_name,
    stated_tags,
)
from footfall.files.intake.tracks import Clock, KeyTrack, common_clock, sample
from footfall.files.usd.layers import quiet, safe_layer, said_by
from footfall.maths.arrays import Floats
from footfall.maths.quaternions import continuous, multiply, rotate

MAX_JOINTS = 4096
MAX_PRIMS = 200_000
MAX_JOINT_FRAMES = 1 << 26
"""Joints times frames that a file may hold or unfold to."""

_STILL = 1e-6


def read_usd(path: Path) -> RawMotion:
    """Return the motion of the skeleton with most animated joints on the stage."""
    with quiet():
        try:
            layer = safe_layer(path)
            stage = Usd.Stage.Open(layer, Usd.Stage.LoadAll)
            if not stage:
                raise FileFormatError("USD cannot open it")
            return _from_stage(stage)
        except (Tf.ErrorException, RuntimeError, ValueError, TypeError, OverflowError) as error:
            raise FileFormatError(f"USD cannot read it ({said_by(error)})") from None


def _from_stage(stage: Any) -> RawMotion:
    notes: list[str] = []
    skeleton, motion = _choose_skeleton(stage, notes)
    paths = [str(p) for p in skeleton.GetJointsAttr().Get() or []]
    if not 0 < len(paths) <= MAX_JOINTS:
        raise FileFormatError(f"it has {len(paths)} joints", remedy=f"1 to {MAX_JOINTS} are read")
    parents = _parents(paths)
    tracks = _tracks(motion, paths, stage) if motion else {}
    facts = _facts(motion.GetPrim()) if motion else {}
    above = _above_times(skeleton, stage)
    clock = _clock([t.times for t in tracks.values()] + above, facts, len(paths), notes)
    rig = _UsdRig(skeleton, paths, parents, tracks, clock, notes)
    spaces = _spaces(skeleton, stage, clock, bool(above))
    return _assemble(rig, spaces, facts, stage)


def _choose_skeleton(stage: Any, notes: list[str]) -> tuple[Any, Any]:
    """Return the skeleton whose animation moves most joints, and that animation (None: none)."""
    found: list[tuple[int, int, Any, Any]] = []
    for number, prim in enumerate(stage.Traverse()):
        if number > MAX_PRIMS:
            raise FileFormatError(f"the stage holds more than {MAX_PRIMS} prims")
        if not prim.IsA(UsdSkel.Skeleton):
            continue
        skeleton = UsdSkel.Skeleton(prim)
        source = UsdSkel.BindingAPI(prim).GetInheritedAnimationSource()
        motion = UsdSkel.Animation(source) if source and source.IsA(UsdSkel.Animation) else None
        joints = set(skeleton.GetJointsAttr().Get() or [])
        moved = joints & set(motion.GetJointsAttr().Get() or []) if motion else set()
        found.append((len(moved), len(joints), skeleton, motion))
    if not found:
        raise FileFormatError(
            "it holds no UsdSkel skeleton", remedy="export a rig with its animation"
        )
    if len(found) > 1:
        notes.append(f"{len(found) - 1} more skeletons on the stage were left out.")
    _, _, skeleton, motion = max(found, key=lambda f: f[:2])
    if motion is None:
        notes.append("the skeleton has no animation; its rest pose is the only frame.")
    return skeleton, motion


def _parents(paths: list[str]) -> list[int]:
    place = {path: joint for joint, path in enumerate(paths)}
    if len(place) < len(paths) or "" in place:
        raise FileFormatError("a joint of its skeleton has no name or occurs twice")
    parents = []
    for joint, path in enumerate(paths):
        above = path
        while "/" in above:
            above = above.rpartition("/")[0]
            if above in place:
                break
        parent = place[above] if above != path and above in place else -1
        if parent >= joint:
            raise FileFormatError(
                "it stands before its parent", where=f"joint {path[-60:]!r}",
                remedy="UsdSkel requires parents first",
            )  # fmt: skip
        parents.append(parent)
    return parents


def _tracks(motion: Any, paths: list[str], stage: Any) -> dict[str, _UsdTracks]:
    """Translations, rotations and scales of the animation, each for all of its joints."""
    for prim in (motion.GetPrim(), *_ancestors(motion.GetPrim())):
        if prim.HasAuthoredMetadata("clips"):
            raise FileFormatError(
                "its animation comes from value clips", remedy="flatten the stage"
            )
    order = [str(p) for p in motion.GetJointsAttr().Get() or []]
    place = {path: joint for joint, path in enumerate(paths)}
    columns = {place[path]: column for column, path in enumerate(order) if path in place}
    held = stage.GetInterpolationType() == Usd.InterpolationTypeHeld
    rate = _rate(stage)
    tracks = {}
    for kind, attribute, width in (
        ("translation", motion.GetTranslationsAttr(), 3),
        ("rotation", motion.GetRotationsAttr(), 4),
        ("scale", motion.GetScalesAttr(), 3),
    ):
        samples = _samples(attribute, len(order), width)
        if samples is not None:
            times, values = samples
            tracks[kind] = _UsdTracks(times / rate, values, columns, "STEP" if held else "LINEAR")
    return tracks


def _samples(attribute: Any, joints: int, width: int) -> tuple[Floats, Floats] | None:
    """Time codes (K,) and values (K, joints, width); quaternions as w x y z."""
    codes = attribute.GetTimeSamples() or ([] if attribute.Get() is None else [0.0])
    if not codes:
        return None
    if len(codes) * joints > MAX_JOINT_FRAMES:
        raise FileFormatError(
            f"it holds {len(codes)} samples of {joints} joints",
            remedy=f"at most {MAX_JOINT_FRAMES} joints times samples",
        )
    varying = attribute.GetNumTimeSamples() > 0
    values = np.empty((len(codes), joints, width))
    for row, code in enumerate(codes):
        sampled = attribute.Get(code) if varying else attribute.Get()
        array = np.asarray(sampled, dtype=np.float64) if sampled is not None else np.zeros(0)
        if array.shape != (joints, width):
            raise FileFormatError(
                f"time {code:g} holds {len(array)} values for {joints} joints",
                where=str(attribute.GetPath())[-80:],
            )
        values[row] = array[:, [3, 0, 1, 2]] if width == 4 else array
    times = np.asarray(codes, dtype=np.float64)
    # One check for both: NaN fails every comparison.
    if not (np.abs(values) < 1e9).all() or not (np.abs(times) < 1e9).all():
        raise FileFormatError(
            "it holds a number that is not finite or beyond 1e9",
            where=str(attribute.GetPath())[-80:],
        )
    if width == 4 and np.linalg.norm(values, axis=2).min(initial=1.0) < 1e-6:
        raise FileFormatError("it holds a zero rotation", where=str(attribute.GetPath())[-80:])
    return times, values


def _rate(stage: Any) -> float:
    rate = float(stage.GetTimeCodesPerSecond())
    if not 1e-3 <= rate <= 1e5:
        raise FileFormatError(f"timeCodesPerSecond is {rate}", remedy="it must be a frame rate")
    return rate


def _facts(prim: Any) -> dict[str, Any]:
    """Return what Footfall itself wrote into a prim's custom data."""
    text = prim.GetCustomDataByKey("footfall")
    try:
        facts = json.loads(text) if isinstance(text, str) else {}
    except (ValueError, RecursionError):
        facts = {}
    return facts if isinstance(facts, dict) else {}


def _ancestors(prim: Any) -> Iterator[Any]:
    while (prim := prim.GetParent()) and not prim.IsPseudoRoot():
        yield prim


def _above_times(skeleton: Any, stage: Any) -> list[Floats]:
    """Key times in seconds of moving transforms over the skeleton; a path may be animated there."""
    found = []
    for prim in (skeleton.GetPrim(), *_ancestors(skeleton.GetPrim())):
        codes = UsdGeom.Xformable(prim).GetTimeSamples() if prim.IsA(UsdGeom.Xformable) else []
        if len(codes) > 1:
            found.append(np.asarray(codes, dtype=np.float64) / _rate(stage))
    return found


def _clock(times: list[Floats], facts: dict[str, Any], joints: int, notes: list[str]) -> Clock:
    moving = [t for t in times if len(t) > 1] or times[:1] or [np.zeros(1)]
    stated = stated_fps(facts)
    clock = common_clock(moving, stated)
    if stated is not None and not any(len(t) == clock.frames for t in moving):
        clock = common_clock(moving)
    if not clock.regular:
        notes.append(f"the time samples follow no frame rate; sampled at {clock.fps:g} fps.")
    if clock.frames * joints > MAX_JOINT_FRAMES:
        raise FileFormatError(
            f"it unfolds to {clock.frames} frames of {joints} joints",
            remedy=f"at most {MAX_JOINT_FRAMES} joints times frames; check its time samples",
        )
    return clock


def _spaces(skeleton: Any, stage: Any, clock: Clock, moving: bool) -> _Spaces:
    """Return where the skeleton's own space lies in the world at each frame (or at all of them)."""
    rate = _rate(stage)
    times = clock.times * rate if moving else clock.times[:1] * rate
    rotations, shifts, scale = np.empty((len(times), 4)), np.empty((len(times), 3)), 1.0
    for row, code in enumerate(times.tolist()):
        cache = UsdGeom.XformCache(Usd.TimeCode(code))
        matrix = np.array(cache.GetLocalToWorldTransform(skeleton.GetPrim()))
        turn, scales, rigid = split_matrix(matrix[:3, :3].T)
        mean = float(scales.mean())
        if (
            not rigid
            or np.ptp(scales) > 2e-3 * abs(mean)
            or mean < 0.0
            or np.abs(matrix).max() > 1e9
        ):
            raise FileFormatError(
                "the transform over the skeleton is uneven, sheared or mirrored",
                where=str(skeleton.GetPath())[-80:], remedy="apply the scale and export again",
            )  # fmt: skip
        rotations[row], shifts[row], scale = turn, matrix[3, :3], mean if row == 0 else scale
    return _Spaces(continuous(rotations), shifts, scale)


@dataclass(frozen=True, eq=False)
class _Spaces:
    """The skeleton's space in the world: rotations (1 or T, 4), shifts (1 or T, 3), one scale."""

    rotations: Floats
    shifts: Floats
    scale: float


@dataclass(frozen=True, eq=False)
class _UsdTracks:
    """values (K, columns, width) at times (K,) seconds; `columns`: joint -> column."""

    times: Floats
    values: Floats
    columns: dict[int, int]
    interpolation: str

    def of(self, joint: int) -> KeyTrack | None:
        """Return the track of one joint, if the animation has it."""
        column = self.columns.get(joint)
        if column is None:
            return None
        return KeyTrack(
            self.times, np.ascontiguousarray(self.values[:, column]), self.interpolation
        )


class _UsdRig:
    """A skeleton's tree and rest pose, and the tracks that move it."""

    def __init__(
        self, skeleton: Any, paths: list[str], parents: list[int], tracks: dict[str, _UsdTracks],
        clock: Clock, notes: list[str],
    ) -> None:  # fmt: skip
        self.skeleton, self.paths, self.parents = skeleton, paths, parents
        self.tracks, self.clock, self.notes = tracks, clock, notes
        self.keep = self._largest_tree()
        rest = self._matrices(skeleton.GetRestTransformsAttr())
        bind = self._local(self._matrices(skeleton.GetBindTransformsAttr()))
        count = len(paths)
        still = np.tile(np.eye(4), (count, 1, 1))
        self.rest = rest if rest is not None else bind if bind is not None else still
        self.bind = bind if bind is not None else self.rest

    def track(self, joint: int, kind: str) -> KeyTrack | None:
        """Return the keys of a joint's "translation", "rotation" or "scale"."""
        tracks = self.tracks.get(kind)
        return tracks.of(joint) if tracks else None

    def _matrices(self, attribute: Any) -> Floats | None:
        """Return (J, 4, 4) row-vector transforms; None unless every joint has one."""
        value = attribute.Get()
        if value is None or len(value) != len(self.paths):
            return None
        matrices = np.array(value, dtype=np.float64)
        if not (np.abs(matrices) < 1e9).all():
            raise FileFormatError(
                "it holds a number that is not finite or beyond 1e9", where=attribute.GetName()
            )
        return matrices

    def _local(self, world: Floats | None) -> Floats | None:
        """Transforms against the parents, of transforms in the world."""
        if world is None:
            return None
        local = world.copy()
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                if abs(np.linalg.det(world[parent, :3, :3])) < 1e-12:
                    self.notes.append("the bind pose is flat; the rest pose was taken.")
                    return None
                local[joint] = world[joint] @ np.linalg.inv(world[parent])
        return local

    def _largest_tree(self) -> list[int]:
        tops: dict[int, list[int]] = {}
        top_of: list[int] = []
        for joint, parent in enumerate(self.parents):
            top_of.append(top_of[parent] if parent >= 0 else joint)
            tops.setdefault(top_of[joint], []).append(joint)
        best = max(tops.values(), key=len)
        if len(best) < len(self.paths):
            left = len(self.paths) - len(best)
            self.notes.append(f"{left} joints that hang on other roots were left out.")
        return best


def _assemble(rig: _UsdRig, spaces: _Spaces, facts: dict[str, Any], stage: Any) -> RawMotion:
    clock, top = rig.clock, rig.keep[0]
    factors = _factors(rig, spaces.scale)
    offsets = rig.rest[:, 3, :3] * factors[:, None]
    rotations = np.empty((clock.frames, len(rig.paths), 4))
    translations: dict[int, Floats] = {}
    for joint in rig.keep:
        turns = _rotation(rig, joint)
        track = rig.track(joint, "translation")
        path = sample(track, clock, False) * factors[joint] if track else offsets[joint][None]
        if joint == top:
            turns = multiply(spaces.rotations, turns)
            whole = spaces.shifts + rotate(spaces.rotations, path)
            translations[top] = np.array(np.broadcast_to(whole, (clock.frames, 3)))
        elif np.ptp(path, axis=0).max() > _STILL * max(1.0, float(np.abs(path).max())):
            translations[joint] = path
        elif np.abs(path[0] - offsets[joint]).max() > 1e-6 * np.abs(path[0]).max():
            # Within rounding the rest pose says the same, in more digits.
            offsets[joint] = path[0]
        rotations[:, joint] = turns
        rotations[:, joint] = continuous(rotations[:, joint])
    offsets[top] = spaces.shifts[0] + rotate(spaces.rotations[0], offsets[top])
    rest = np.array([split_matrix(m[:3, :3].T)[0] for m in rig.bind])
    names, ends = _names(rig), _end_sites(rig)
    keep = [j for j in rig.keep if j not in ends]
    place = {joint: index for index, joint in enumerate(keep)}
    return RawMotion(
        format="USD",
        names=tuple(names[j] for j in keep),
        parents=np.array([-1, *(place[rig.parents[j]] for j in keep[1:])], np.int32),
        offsets=offsets[keep],
        end_joints=np.array([place[rig.parents[j]] for j in ends], np.int32),
        end_offsets=offsets[ends].reshape(-1, 3),
        rotations=rotations if len(keep) == len(rig.paths) else rotations[:, keep],
        translations={place[j]: t for j, t in translations.items() if j in place},
        rest_rotations=rest[keep],
        fps=clock.fps,
        unit_m=_unit(stage),
        up=str(UsdGeom.GetStageUpAxis(stage)).lower(),
        **stated_labels(facts, clock.frames, rig.notes),
        tags=stated_tags(facts),
        name=stated_name(facts),
        notes=tuple(rig.notes),
    )


def _factors(rig: _UsdRig, above: float) -> Floats:
    """Return (J,) the factor by which each joint's own translation is scaled in the world."""
    inner, outer = np.ones(len(rig.paths)), np.full(len(rig.paths), above)
    carriers = set(rig.parents)
    for joint, parent in enumerate(rig.parents):
        outer[joint] = inner[parent] if parent >= 0 else above
        inner[joint] = outer[joint]
        track = rig.track(joint, "scale") if joint in carriers else None
        if track is None:
            continue
        scale = track.keys[0]
        mean = float(scale.mean())
        if mean < 1e-9 or np.ptp(scale) > 2e-3 * mean:
            raise FileFormatError(
                "its scale is uneven or not positive", where=f"joint {rig.paths[joint][-60:]!r}",
                remedy="apply the scale and export again",
            )  # fmt: skip
        if np.ptp(track.keys, axis=0).max() > 1e-3:
            rig.notes.append(f"the changing scale of {rig.paths[joint][-60:]!r} was left out.")
        inner[joint] *= mean
    if not (inner.min() > 1e-9 and inner.max() < 1e9):
        raise FileFormatError("the scales of its joints multiply to nothing or to beyond 1e9")
    return outer


def _rotation(rig: _UsdRig, joint: int) -> Floats:
    """Return (T or 1, 4) the local rotation of a joint."""
    track = rig.track(joint, "rotation")
    if track is not None:
        return sample(track, rig.clock, True)
    return split_matrix(rig.rest[joint, :3, :3].T)[0][None]


def _names(rig: _UsdRig) -> list[str]:
    """Return the joints' true names if the file gives them, else the last parts of their paths."""
    stated = [str(n) for n in rig.skeleton.GetJointNamesAttr().Get() or []]
    if len(stated) != len(rig.paths) or len(set(stated)) < len(stated) or not all(stated):
        stated = [path.rpartition("/")[2] for path in rig.paths]
    return distinct(stated, rig.notes)


def _end_sites(rig: _UsdRig) -> list[int]:
    """Return the leaves that stand for end sites: as Footfall stated them, else `<parent>_end`."""
    carriers, count = set(rig.parents), len(rig.paths)
    stated = _facts(rig.skeleton.GetPrim()).get("end_sites")
    if isinstance(stated, int) and 0 <= stated < count:
        found = list(range(count - stated, count))
    else:
        last = [path.rpartition("/")[2] for path in rig.paths]
        found = [
            joint
            for joint, parent in enumerate(rig.parents)
            if parent >= 0 and re.fullmatch(re.escape(last[parent]) + r"_end\d*", last[joint])
        ]
    kept = set(rig.keep)
    return [j for j in found if j in kept and j not in carriers and rig.parents[j] >= 0]


def _unit(stage: Any) -> float | None:
    if not UsdGeom.StageHasAuthoredMetersPerUnit(stage):
        return None
    unit_m = float(UsdGeom.GetStageMetersPerUnit(stage))
    if not 1e-6 <= unit_m <= 1e6:
        raise FileFormatError(f"metersPerUnit is {unit_m}", remedy="it must be a length in metres")
    return unit_m
